//! Cells of grids.

use super::{
    super::{
        Border, Cell, GridKind, Look, Pattern,
        metrics::{TEXT, fit_lines, text_width},
    },
    CHIP, LINE, SvgSheet, escape, fitted, text,
};

/// Space between the border of a cell and its content.
const PADDING: usize = 5;
/// Height of a line of text in a cell.
const CELL_LINE: usize = LINE - 1;
/// Height of a small cell.
const COMPACT_HEIGHT: usize = 24;
/// Distance of the base line of a text from the top of its line.
const BASE: usize = 11;

/// Returns the lines of the heading of a cell. The first is beside its mark, so it has this width.
fn heading_lines(cell: &Cell, width: usize) -> (Vec<String>, usize) {
    let inner = width - 2 * PADDING;
    let mark = if cell.mark.is_empty() { 0 } else { text_width(&cell.mark, TEXT) + 3 };
    let first = inner.saturating_sub(mark);
    // A single word is compressed a little rather than written below the mark.
    let single = !cell.heading.contains(' ') && text_width(&cell.heading, TEXT) <= first + mark;
    let lines = if single {
        vec![cell.heading.clone()]
    } else {
        fit_lines(&cell.heading, [first, inner], TEXT, true)
    };
    (lines, first)
}

/// Returns the lines of text of a cell.
fn content_lines(cell: &Cell, width: usize) -> impl Iterator<Item = String> {
    let inner = width - 2 * PADDING;
    cell.lines.iter().flat_map(move |line| fit_lines(line, [inner; 2], TEXT, false))
}

/// Returns the height that a cell of this width needs.
pub(super) fn cell_height(kind: GridKind, cell: &Cell, width: usize) -> usize {
    if kind == GridKind::Compact {
        return COMPACT_HEIGHT;
    }
    let chips = if cell.chips.is_empty() {
        0
    } else {
        let mut unused = SvgSheet::default();
        let row = [PADDING, PADDING];
        unused.draw_chips(&mut String::new(), &cell.chips, row, width - PADDING, 0)
    };
    let lines = content_lines(cell, width).count();
    let heading = heading_lines(cell, width).0.len().max(1);
    PADDING + heading * LINE + chips + lines * CELL_LINE + PADDING
}

/// Draws a cell of this width and height.
pub(super) fn draw_cell(
    sheet: &mut SvgSheet,
    kind: GridKind,
    cell: &Cell,
    [width, height]: [usize; 2],
) -> String {
    let mut body = draw_ground(cell, [width, height]);
    let ink = if cell.looks.is_empty() { "" } else { "scene-on" };
    if kind != GridKind::Compact {
        body += &draw_content(sheet, cell, width, ink);
    } else if !cell.code.is_empty() {
        body += &format!(
            r#"<text class="scene-heading {ink}" x="{}" y="16" text-anchor="middle">{}</text>"#,
            width / 2,
            escape(&cell.code)
        );
    }
    match cell.looks.first() {
        Some(look) => format!(r#"<g class="hue-{}">{body}</g>"#, look.hue.name()),
        None => body,
    }
}

fn draw_ground(cell: &Cell, [width, height]: [usize; 2]) -> String {
    let border = match cell.border {
        Border::Solid => "",
        Border::Dashed => " scene-dashed",
        Border::Framed => " scene-framed",
    };
    match cell.looks[..] {
        [] => format!(
            r#"<rect class="scene-card{border}" width="{width}" height="{height}" rx="6"/>"#
        ),
        [look] => filled_rect(look, [width, height], 6),
        [look, other, ..] => {
            let corner = format!("M{width} 6V{}L{} {height}H6Z", height - 6, width - 6);
            let mesh = match other.pattern {
                Pattern::Plain => String::new(),
                pattern => {
                    let name = pattern.name();
                    format!(r#"<path d="{corner}" fill="url(#scene-{name})"/>"#)
                }
            };
            format!(
                r#"{}<g class="hue-{}"><path class="scene-look" d="{corner}"/>{mesh}</g>"#,
                filled_rect(look, [width, height], 6),
                other.hue.name(),
            )
        }
    }
}

fn draw_content(sheet: &mut SvgSheet, cell: &Cell, width: usize, ink: &str) -> String {
    let mut body = String::new();
    let mut y = PADDING;
    if !cell.mark.is_empty() {
        body += &format!(
            r#"<text class="{}" x="{}" y="{}" text-anchor="end">{}</text>"#,
            if ink.is_empty() { "scene-soft" } else { ink },
            width - PADDING,
            y + BASE,
            escape(&cell.mark)
        );
    }
    let (heading, first) = heading_lines(cell, width);
    for (index, line) in heading.iter().enumerate() {
        let fitted = if index == 0 { fitted(line, first, true) } else { String::new() };
        if !line.is_empty() {
            body += &format!(
                r#"<text class="{}" x="{PADDING}" y="{}"{fitted}>{}</text>"#,
                format!("scene-heading {ink}").trim_end(),
                y + BASE,
                escape(line)
            );
        }
        y += LINE;
    }
    if heading.is_empty() {
        y += LINE;
    }
    if !cell.chips.is_empty() {
        let row = [PADDING, PADDING];
        y = sheet.draw_chips(&mut body, &cell.chips, row, width - PADDING, y);
        debug_assert!(y >= PADDING + CHIP, "chips have a height");
    }
    for line in content_lines(cell, width) {
        body += &text(PADDING, y + BASE, ink, &line);
        y += CELL_LINE;
    }
    body
}

/// Returns a rectangle of a look with this width and height.
pub(super) fn filled_rect(look: Look, [width, height]: [usize; 2], radius: usize) -> String {
    let rect = |attributes: &str| {
        format!(r#"<rect {attributes} width="{width}" height="{height}" rx="{radius}"/>"#)
    };
    let mesh = match look.pattern {
        Pattern::Plain => String::new(),
        pattern => rect(&format!(r#"fill="url(#scene-{})""#, pattern.name())),
    };
    rect(r#"class="scene-look""#) + &mesh
}
