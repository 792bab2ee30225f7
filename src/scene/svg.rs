//! Scenes as SVG.
//!
//! An area is a drawing of a fixed width that is legible on a phone; areas stand side by side or
//! one below the other. Equal cells of many scenes are written once, in a [`SvgSheet`].

use std::{collections::HashMap, fmt::Write as _};

use super::{Area, Border, Cell, Chip, Fact, Grid, GridKind, Look, Pattern, Scene, wrap::wrap};

/// The style sheet of all scenes.
pub const STYLE: &str = include_str!("style.css");

/// Width of an area.
const AREA_WIDTH: usize = 340;
/// Space between areas in a picture of its own.
const AREA_GAP: usize = 16;
/// Space between the border of an area and its content.
const MARGIN: usize = 10;
/// Width of the content of an area.
const INNER: usize = AREA_WIDTH - 2 * MARGIN;
/// Space between cells; rivers are visible there.
const CELL_GAP: usize = 7;
/// Space between the border of a cell and its content.
const PADDING: usize = 5;
/// Height of a line of text.
const LINE: usize = 15;
/// Height of a chip with the space below it.
const CHIP: usize = 19;
/// Height of a small cell.
const COMPACT_HEIGHT: usize = 24;
/// Mean width of a letter, in tenths.
const LETTER_TENTHS: usize = 64;

/// Several drawings of one document, which share equal cells.
#[derive(Clone, Debug, Default)]
pub struct SvgSheet {
    /// The numbers of the cells, by their content.
    numbers: HashMap<String, usize>,
    /// The cells, in the order of their numbers.
    shared: String,
}

impl Scene {
    /// Returns a picture of its own, with its style, for this width in pixels. Areas stand side by
    /// side as the width allows, at least one.
    pub fn svg(&self, width: usize) -> String {
        let mut sheet = SvgSheet::default();
        let columns = ((width + AREA_GAP) / (AREA_WIDTH + AREA_GAP)).clamp(1, self.areas.len());
        let total = columns * (AREA_WIDTH + AREA_GAP) + AREA_GAP;
        let heading = wrap(&self.title, letters_in(total - 2 * AREA_GAP, 15));
        let turn = wrap(&self.turn, letters_in(total - 2 * AREA_GAP, 12));
        let mut body = String::new();
        let mut top = AREA_GAP;
        for line in &heading {
            top += 20;
            body += &text(AREA_GAP, top - 6, "scene-title", line);
        }
        for line in &turn {
            top += LINE + 2;
            body += &text(AREA_GAP, top - 6, "", line);
        }
        let mut bottoms = vec![top + 4; columns];
        for area in &self.areas {
            // The first of the columns that end highest.
            let column = (0..columns).min_by_key(|&column| bottoms[column]).unwrap_or(0);
            let (x, y) = (AREA_GAP + column * (AREA_WIDTH + AREA_GAP), bottoms[column]);
            let (drawing, height) = sheet.draw_area(area);
            let label = escape(&area.title);
            let _ = write!(
                body,
                r#"<g transform="translate({x} {y})" role="group" aria-label="{label}">{drawing}</g>"#
            );
            bottoms[column] = y + height + AREA_GAP;
        }
        let height = bottoms.iter().max().copied().unwrap_or(top);
        let label = escape(format!("{} {}", self.title, self.turn).trim());
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" class="scene-sheet" "#,
                r#"width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="group" "#,
                r#"aria-label="{label}"><style>{style}</style><defs>{patterns}{shared}</defs>"#,
                r#"<rect width="{w}" height="{h}" fill="var(--scene-paper)"/>{body}</svg>"#,
                "\n"
            ),
            w = total,
            h = height,
            label = label,
            style = STYLE,
            patterns = patterns(),
            shared = sheet.shared,
            body = body,
        )
    }
}

impl SvgSheet {
    /// Returns the drawings of the areas of a scene, for a page with [`STYLE`] and
    /// [`SvgSheet::definitions`].
    pub fn figure(&mut self, scene: &Scene) -> String {
        let areas: String = scene.areas.iter().map(|area| self.area(area)).collect();
        format!(r#"<div class="scene">{areas}</div>"#)
    }

    fn area(&mut self, area: &Area) -> String {
        let (drawing, height) = self.draw_area(area);
        format!(
            concat!(
                r#"<svg class="scene-area" viewBox="0 0 {} {}" role="group" aria-label="{}">"#,
                "{}</svg>"
            ),
            AREA_WIDTH,
            height,
            escape(&area.title),
            drawing
        )
    }

    /// Returns an element with all that the drawings share; a document needs it once.
    pub fn definitions(&self) -> String {
        format!(
            r#"<svg class="scene-shared" aria-hidden="true"><defs>{}{}</defs></svg>"#,
            patterns(),
            self.shared
        )
    }

    /// Draws an area and returns its height.
    fn draw_area(&mut self, area: &Area) -> (String, usize) {
        let mut body = String::new();
        let mut y = MARGIN;
        let active = if area.is_active { "▶ " } else { "" };
        for line in wrap(&format!("{active}{}", area.title), letters_in(INNER, 15)) {
            y += 19;
            body += &text(MARGIN, y - 5, "scene-title", &line);
        }
        y = draw_facts(&mut body, &area.facts, y);
        for grid in &area.grids {
            y = self.draw_grid(&mut body, grid, y);
        }
        let height = y + MARGIN - 3;
        let class = if area.is_active { "scene-back turn" } else { "scene-back" };
        let back = format!(
            r#"<rect class="{class}" x="2" y="2" width="{}" height="{}" rx="8"/>"#,
            AREA_WIDTH - 4,
            height - 4
        );
        (back + &body, height)
    }

    /// Draws a grid below `y` and returns the next free height.
    fn draw_grid(&mut self, body: &mut String, grid: &Grid, mut y: usize) -> usize {
        y += 5;
        if !grid.title.is_empty() {
            let title = if grid.cells.is_empty() {
                format!("{}: none", grid.title)
            } else {
                grid.title.clone()
            };
            for line in wrap(&title, letters_in(INNER, 12)) {
                y += LINE;
                *body += &text(MARGIN, y - 3, "scene-soft", &line);
            }
        }
        let columns = grid.columns.max(1);
        let gap = if grid.kind == GridKind::Compact { 3 } else { CELL_GAP };
        let width = (INNER - (columns - 1) * gap) / columns;
        let x = |column: usize| MARGIN + column * (width + gap);
        let rows: Vec<_> = grid.cells.chunks(columns).collect();
        let mut tops = Vec::new();
        let mut heights = Vec::new();
        for row in &rows {
            let height = row.iter().map(|cell| cell_height(grid.kind, cell, width)).max();
            tops.push(y);
            heights.push(height.unwrap_or(0));
            y += heights.last().unwrap_or(&0) + gap;
        }
        if grid.river.len() > 1 {
            let point = |&cell: &usize| {
                let (row, column) = (cell / columns, cell % columns);
                format!("{},{}", x(column) + width / 2, tops[row] + heights[row] / 2)
            };
            let points: Vec<_> = grid.river.iter().map(point).collect();
            let _ = write!(body, r#"<polyline class="scene-way" points="{}"/>"#, points.join(" "));
        }
        for (row, cells) in rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let drawing = draw_cell(grid.kind, cell, width, heights[row]);
                let number = self.number_of(drawing);
                let _ = write!(
                    body,
                    r##"<use href="#cell{number}" x="{}" y="{}" role="img" aria-label="{}"/>"##,
                    x(column),
                    tops[row],
                    escape(&cell.label())
                );
            }
        }
        y
    }

    /// Returns the number of a cell, which is written once.
    fn number_of(&mut self, drawing: String) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(drawing).or_insert_with_key(|drawing| {
            let _ = write!(self.shared, r#"<g id="cell{next}">{drawing}</g>"#);
            next
        })
    }
}

/// Draws facts below `y` and returns the next free height. Facts that fit share a row.
fn draw_facts(body: &mut String, facts: &[Fact], mut y: usize) -> usize {
    /// Space between facts of a row.
    const GAP: usize = 14;
    let none = [Chip { name: "–".to_owned(), ..Chip::default() }];
    let mut left = 0;
    for fact in facts {
        let chips = if fact.chips.is_empty() { &none[..] } else { &fact.chips };
        let name = if fact.name.is_empty() { 0 } else { text_width(&fact.name, 12) + 6 };
        let width = name + chips.iter().map(|chip| chip_width(chip) + 4).sum::<usize>();
        if left > 0 && left + width > INNER {
            (left, y) = (0, y + CHIP + 1);
        }
        let start = MARGIN + left;
        *body += &text(start, y + 13, "scene-soft", &fact.name);
        let top = draw_chips(body, chips, [start + name, MARGIN], INNER - left - name, y) - CHIP;
        left = if top > y { INNER } else { left + width + GAP };
        y = top;
    }
    if facts.is_empty() { y } else { y + CHIP + 1 }
}

/// Returns the width of a chip on one line.
fn chip_width(chip: &Chip) -> usize {
    text_width(&chip.short_label(), 12) + if chip.look.is_none() { 6 } else { 8 }
}

/// Draws chips below `y` and returns the next free height. The first row begins at `x[0]` with
/// this width, the others at `x[1]`.
fn draw_chips(body: &mut String, chips: &[Chip], x: [usize; 2], width: usize, y: usize) -> usize {
    let end = x[0] + width;
    let (mut left, mut top) = (x[0], y);
    for (number, chip) in chips.iter().enumerate() {
        let label = chip.short_label();
        let is_plain = chip.look.is_none();
        let max = end - x[1];
        let lines = if is_plain { wrap(&label, letters_in(max, 12)) } else { vec![label] };
        for (index, line) in lines.iter().enumerate() {
            let ends_chip = index + 1 == lines.len() && number + 1 < chips.len();
            let line = if is_plain && ends_chip { format!("{line},") } else { line.clone() };
            let chip_width = (text_width(&line, 12) + if is_plain { 0 } else { 8 }).min(max);
            if left > x[1] && left + chip_width > end {
                (left, top) = (x[1], top + CHIP);
            }
            *body += &draw_chip(chip, &line, left, top, chip_width);
            left += chip_width + 4;
        }
    }
    top + CHIP
}

fn draw_chip(chip: &Chip, label: &str, x: usize, y: usize, width: usize) -> String {
    let Some(look) = chip.look else { return text(x, y + 13, "", label) };
    let height = CHIP - 2;
    let label_text = |class: &str| {
        format!(
            r#"<text class="{class}" x="{}" y="13" text-anchor="middle"{}>{}</text>"#,
            width / 2,
            fitted(label, width - 6),
            escape(label)
        )
    };
    if chip.is_vacant {
        return format!(
            r#"<g transform="translate({x} {y})"><rect class="scene-look vacant" width="{width}" height="{height}" rx="4"/>{}</g>"#,
            label_text("scene-soft")
        );
    }
    format!(
        r#"<g class="hue-{}" transform="translate({x} {y})">{}{}</g>"#,
        look.hue.name(),
        filled_rect(look, width, height, 4),
        label_text("scene-on")
    )
}

/// Returns a rectangle of a look.
fn filled_rect(look: Look, width: usize, height: usize, radius: usize) -> String {
    let mut rect =
        format!(r#"<rect class="scene-look" width="{width}" height="{height}" rx="{radius}"/>"#);
    if look.pattern != Pattern::Plain {
        let _ = write!(
            rect,
            r##"<rect width="{width}" height="{height}" rx="{radius}" fill="url(#scene-{})"/>"##,
            look.pattern.name()
        );
    }
    rect
}

/// Number of letters in a line of a cell.
fn cell_letters(width: usize) -> usize {
    letters_in(width - 2 * PADDING, 12)
}

/// Returns the lines of the heading of a cell, the first beside its mark.
fn heading_lines(cell: &Cell, width: usize) -> Vec<String> {
    let letters = cell_letters(width);
    let reserved = if cell.mark.is_empty() { 0 } else { cell.mark.chars().count() + 1 };
    if cell.heading.chars().count() + reserved <= letters {
        return vec![cell.heading.clone()];
    }
    // Blanks stand for the mark.
    let filler = "\u{a0}".repeat(reserved);
    let text = format!("{filler} {}", cell.heading);
    let mut lines = wrap(text.trim_start_matches(' '), letters);
    if let Some(first) = lines.first_mut() {
        *first = first.trim().to_owned();
    }
    lines
}

fn cell_height(kind: GridKind, cell: &Cell, width: usize) -> usize {
    if kind == GridKind::Compact {
        return COMPACT_HEIGHT;
    }
    let chips = if cell.chips.is_empty() {
        0
    } else {
        let inner = width - 2 * PADDING;
        draw_chips(&mut String::new(), &cell.chips, [PADDING, PADDING], inner, 0)
    };
    let lines: usize = cell.lines.iter().map(|line| wrap(line, cell_letters(width)).len()).sum();
    let heading = heading_lines(cell, width).len().max(1);
    PADDING + heading * LINE + chips + lines * (LINE - 1) + PADDING
}

fn draw_cell(kind: GridKind, cell: &Cell, width: usize, height: usize) -> String {
    let mut body = draw_ground(cell, width, height);
    let ink = if cell.looks.is_empty() { "" } else { "scene-on" };
    if kind == GridKind::Compact {
        body += &format!(
            r#"<text class="scene-heading {ink}" x="{}" y="16" text-anchor="middle">{}</text>"#,
            width / 2,
            escape(&cell.code)
        );
    } else {
        body += &draw_content(cell, width, ink);
    }
    match cell.looks.first() {
        Some(look) => format!(r#"<g class="hue-{}">{body}</g>"#, look.hue.name()),
        None => body,
    }
}

fn draw_ground(cell: &Cell, width: usize, height: usize) -> String {
    let border = match cell.border {
        Border::Solid => "",
        Border::Dashed => " dashed",
        Border::Framed => " framed",
    };
    match cell.looks[..] {
        [] => format!(
            r#"<rect class="scene-card{border}" width="{width}" height="{height}" rx="6"/>"#
        ),
        [look] => filled_rect(look, width, height, 6),
        [look, other, ..] => {
            let mesh = match other.pattern {
                Pattern::Plain => String::new(),
                pattern => {
                    let name = pattern.name();
                    format!(r##"<path d="M{width} 0V{height}H0Z" fill="url(#scene-{name})"/>"##)
                }
            };
            format!(
                r#"{}<g class="hue-{}"><path class="scene-look" d="M{width} 0V{height}H0Z"/>{mesh}</g>"#,
                filled_rect(look, width, height, 6),
                other.hue.name(),
            )
        }
    }
}

fn draw_content(cell: &Cell, width: usize, ink: &str) -> String {
    let mut body = String::new();
    let mut y = PADDING;
    if !cell.mark.is_empty() {
        body += &format!(
            r#"<text class="{}" x="{}" y="{}" text-anchor="end">{}</text>"#,
            if ink.is_empty() { "scene-soft" } else { ink },
            width - PADDING,
            y + 11,
            escape(&cell.mark)
        );
    }
    for line in heading_lines(cell, width) {
        body += &text(PADDING, y + 11, &format!("scene-heading {ink}"), &line);
        y += LINE;
    }
    if !cell.chips.is_empty() {
        let inner = width - 2 * PADDING;
        y = draw_chips(&mut body, &cell.chips, [PADDING, PADDING], inner, y);
    }
    for line in cell.lines.iter().flat_map(|line| wrap(line, cell_letters(width))) {
        body += &text(PADDING, y + 11, ink, &line);
        y += LINE - 1;
    }
    body
}

fn text(x: usize, y: usize, class: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    let class = class.trim();
    let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
    format!(r#"<text{class} x="{x}" y="{y}">{}</text>"#, escape(content))
}

/// Returns the attribute that compresses a text to a width if it may be wider.
fn fitted(content: &str, width: usize) -> String {
    if text_width(content, 12) <= width {
        return String::new();
    }
    format!(r#" textLength="{width}" lengthAdjust="spacingAndGlyphs""#)
}

/// Estimates the width of a text of a font size.
fn text_width(content: &str, size: usize) -> usize {
    (content.chars().count() * LETTER_TENTHS * size / 12).div_ceil(10)
}

/// Returns the number of letters of a font size that fit into a width.
fn letters_in(width: usize, size: usize) -> usize {
    (width * 10 * 12 / (LETTER_TENTHS * size)).max(1)
}

/// Returns the definitions of all patterns.
fn patterns() -> String {
    let shape = |pattern: Pattern| match pattern {
        Pattern::Plain => None,
        Pattern::Dots => {
            Some((8, r#"<circle cx="2" cy="2" r=".8"/><circle cx="6" cy="6" r=".8"/>"#))
        }
        Pattern::Bars => Some((6, r#"<path d="M0 3H6"/>"#)),
        Pattern::Posts => Some((6, r#"<path d="M3 0V6"/>"#)),
        Pattern::Rising => Some((7, r#"<path d="M-1 8L8 -1M-1 1L1 -1M6 8L8 6"/>"#)),
        Pattern::Falling => Some((7, r#"<path d="M-1 -1L8 8M-1 6L1 8M6 -1L8 1"/>"#)),
        Pattern::Squares => Some((8, r#"<path d="M0 4H8M4 0V8"/>"#)),
        Pattern::Diamonds => Some((9, r#"<path d="M0 0L9 9M9 0L0 9"/>"#)),
        Pattern::Waves => Some((10, r#"<path d="M0 5Q2.5 2 5 5T10 5"/>"#)),
        Pattern::Peaks => Some((10, r#"<path d="M1 8L5 3L9 8"/>"#)),
        Pattern::Crosses => Some((10, r#"<path d="M3 5H7M5 3V7"/>"#)),
        Pattern::Rings => Some((9, r#"<circle cx="4.5" cy="4.5" r="2.5"/>"#)),
    };
    let mut defined = String::new();
    for &pattern in Pattern::ALL {
        let Some((size, content)) = shape(pattern) else { continue };
        let _ = write!(
            defined,
            r#"<pattern id="scene-{}" width="{size}" height="{size}" patternUnits="userSpaceOnUse"><g class="scene-mesh">{content}</g></pattern>"#,
            pattern.name()
        );
    }
    defined
}

/// Escapes text for content and attributes.
fn escape(content: &str) -> String {
    let mut escaped = String::with_capacity(content.len());
    for letter in content.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML has no control characters except these.
            letter if letter.is_control() && !['\n', '\t'].contains(&letter) => {
                escaped.push('\u{fffd}')
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
