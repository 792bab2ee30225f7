//! Cells of grids.

use super::{
    super::{
        Art, Border, Cell, Grid, GridKind, Hue, Look, Pattern,
        metrics::{TEXT, fit_lines, text_width},
    },
    CHIP, ICON, LINE, SvgSheet, escape, fitted, text,
};

/// Space between the border of a cell and its content.
const PADDING: usize = 5;
/// Height of a line of text in a cell.
const CELL_LINE: usize = LINE - 1;
/// Height of a small cell.
const COMPACT_HEIGHT: usize = 24;
/// Height of an island.
const ISLAND_HEIGHT: usize = 58;
/// Smallest area of a cell of a board, with space for most tiles, so that laying one moves nothing.
const BOARD_AREA: usize = 8000;
/// Smallest height of a tile of a river.
const LIST_HEIGHT: usize = 66;
/// Height of a landscape.
const ART_HEIGHT: usize = 26;
/// Distance of the base line of a text from the top of its line.
const BASE: usize = 11;

/// Returns the heading beside the icon of a cell, which can be short.
fn heading(cell: &Cell) -> &str {
    if cell.icon.is_some() && !cell.code.is_empty() { &cell.code } else { &cell.heading }
}

/// Returns the lines of the heading of a cell. The first is beside its mark, so it has this width.
fn heading_lines(cell: &Cell, width: usize) -> (Vec<String>, usize) {
    let inner = width - 2 * PADDING;
    let mark = if cell.mark.is_empty() { 0 } else { text_width(&cell.mark, TEXT) + 3 };
    let icon = if cell.icon.is_some() { ICON + 3 } else { 0 };
    let first = inner.saturating_sub(mark + icon);
    // A single word is compressed a little rather than written below the mark.
    let heading = heading(cell);
    let single = !heading.contains(' ') && text_width(heading, TEXT) <= first + mark;
    let lines = if single {
        vec![heading.to_owned()]
    } else {
        fit_lines(heading, [first, inner], TEXT, true)
    };
    (lines, first)
}

/// Returns the lines of text of a cell.
fn content_lines(cell: &Cell, width: usize) -> impl Iterator<Item = String> {
    let inner = width - 2 * PADDING;
    cell.lines.iter().flat_map(move |line| fit_lines(line, [inner; 2], TEXT, false))
}

/// Returns the height that a cell of this width needs.
pub(super) fn cell_height(grid: &Grid, cell: &Cell, width: usize) -> usize {
    match grid.kind {
        GridKind::Compact => return COMPACT_HEIGHT,
        GridKind::Islands => return ISLAND_HEIGHT,
        GridKind::List | GridKind::Board => {}
    }
    let chips = if cell.chips.is_empty() {
        0
    } else {
        let mut unused = SvgSheet::default();
        let row = [PADDING, PADDING];
        unused.draw_chips(&mut String::new(), &cell.chips, row, width - PADDING, 0, Some(""))
    };
    let lines = content_lines(cell, width).count();
    let heading = heading_lines(cell, width).0.len().max(1);
    let height = PADDING + heading * LINE + chips + lines * CELL_LINE + PADDING;
    let is_board = grid.kind == GridKind::Board;
    let least = match cell.art {
        // Long texts stand on the landscape.
        _ if is_board => BOARD_AREA / width,
        Some(_) => PADDING + LINE + CHIP + ART_HEIGHT,
        None if grid.river.is_empty() => 0,
        None => LIST_HEIGHT,
    };
    height.max(least)
}

/// Draws a cell of this width and height.
pub(super) fn draw_cell(
    sheet: &mut SvgSheet,
    kind: GridKind,
    cell: &Cell,
    [width, height]: [usize; 2],
) -> String {
    if kind == GridKind::Islands {
        return draw_island(sheet, cell, width);
    }
    let mut body = draw_ground(sheet, cell, [width, height]);
    let ink = if cell.looks.is_empty() { "" } else { "scene-on" };
    if kind != GridKind::Compact {
        body += &draw_content(sheet, cell, width, ink);
    } else if !cell.looks.is_empty() {
        body += &format!(r#"<path class="scene-shine" d="M4 9Q4 4 9 4H{}"/>"#, width / 2);
    }
    if kind == GridKind::Compact && !cell.code.is_empty() {
        let heading = format!("scene-heading {ink}");
        let class = if cell.looks.is_empty() { "scene-soft" } else { &heading };
        body += &format!(
            r#"<text class="{class}" x="{}" y="16" text-anchor="middle">{}</text>"#,
            width / 2,
            escape(&cell.code)
        );
    }
    match cell.looks.first() {
        Some(look) => format!(r#"<g class="hue-{}">{body}</g>"#, look.hue.name()),
        None => body,
    }
}

/// Returns the look of the icon of a cell.
fn icon_look(cell: &Cell) -> Option<Look> {
    cell.looks.first().copied().or(Some(Look::new(Hue::Grey, Pattern::Plain)))
}

/// Draws an island with the icon of the place, its name, and the pieces on it.
fn draw_island(sheet: &mut SvgSheet, cell: &Cell, width: usize) -> String {
    let (w, h) = (width, ISLAND_HEIGHT);
    let shore = format!(
        "M3 {}Q2 8 {} 4T{} 3Q{} 3 {} {}Q{w} {} {} {}T{} {}Q6 {} 3 {}Z",
        h / 2,
        w / 4,
        w * 3 / 5,
        w - 6,
        w - 3,
        h / 3,
        h - 12,
        w * 4 / 5,
        h - 4,
        w / 3,
        h - 3,
        h - 4,
        h / 2,
    );
    let mut body = format!(r#"<path class="scene-look" d="{shore}"/>"#);
    if let Some(icon) = cell.icon {
        body += &sheet.icon(icon, icon_look(cell), [w / 2 - 8, 5], ICON);
    }
    body += &format!(
        r#"<text class="scene-on" x="{}" y="34" text-anchor="middle">{}</text>"#,
        w / 2,
        escape(&cell.heading)
    );
    // Pioneers stand close together where they are many.
    let pieces = cell.chips.iter().flat_map(|chip| (0..chip.icons).map(move |_| chip));
    let pieces: Vec<_> = pieces.collect();
    let step = if pieces.len() > 1 { ((w - 28) / (pieces.len() - 1)).min(15) } else { 15 };
    let start = (w - 14 - step * pieces.len().saturating_sub(1)) / 2;
    for (index, chip) in pieces.into_iter().enumerate() {
        let look = chip.look.filter(|_| !chip.is_vacant);
        if let Some(icon) = chip.icon {
            body += &sheet.icon(icon, look, [start + index * step, 38], 14);
        }
    }
    format!(r#"<g class="hue-sand">{body}</g>"#)
}

/// Draws the landscape of a tile across its foot, from `x` on.
fn draw_art(sheet: &mut SvgSheet, art: Art, [x, y]: [usize; 2], width: usize) -> String {
    let id = format!("art-{}", art.name());
    let drawing = format!(
        r##"<use href="#{id}" class="scene-art" x="{x}" y="{y}" width="{width}" height="{}"/>"##,
        ART_HEIGHT - 1
    );
    sheet.drawings.insert(id);
    drawing
}

fn draw_ground(sheet: &mut SvgSheet, cell: &Cell, [width, height]: [usize; 2]) -> String {
    let ground = draw_look(cell, [width, height]);
    match cell.art {
        Some(art) => ground + &draw_art(sheet, art, [1, height - ART_HEIGHT], width - 2),
        None => ground,
    }
}

fn draw_look(cell: &Cell, [width, height]: [usize; 2]) -> String {
    let border = match cell.border {
        Border::Solid => "",
        Border::Dashed => " scene-dashed",
        Border::Framed => " scene-framed",
    };
    match cell.looks[..] {
        [] => format!(
            r#"<rect class="scene-card{border}" width="{width}" height="{height}" rx="6"/>"#
        ),
        // A landscape shows the kind as a pattern does.
        [look] if cell.art.is_some() => {
            filled_rect(Look { pattern: Pattern::Plain, ..look }, [width, height], 6)
        }
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
    let mut left = PADDING;
    if let Some(icon) = cell.icon {
        body += &sheet.icon(icon, icon_look(cell), [PADDING, y - 2], ICON);
        left += ICON + 3;
    }
    let (heading, first) = heading_lines(cell, width);
    for (index, line) in heading.iter().enumerate() {
        let fitted = if index == 0 { fitted(line, first, true) } else { String::new() };
        if !line.is_empty() {
            body += &format!(
                r#"<text class="{}" x="{left}" y="{}"{fitted}>{}</text>"#,
                format!("scene-heading {ink}").trim_end(),
                y + BASE,
                escape(line)
            );
        }
        left = PADDING;
        y += LINE;
    }
    if heading.is_empty() {
        y += LINE;
    }
    if !cell.chips.is_empty() {
        let row = [PADDING, PADDING];
        y = sheet.draw_chips(&mut body, &cell.chips, row, width - PADDING, y, Some(ink));
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
