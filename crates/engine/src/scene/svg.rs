//! Scenes as SVG.
//!
//! An area is a drawing of a fixed width that is legible on a phone; areas stand side by side or
//! one below the other. Equal parts of the drawings of a document are written once, in a
//! [`SvgSheet`].

mod cell;
mod patterns;

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
};

use super::{
    Area, Chip, Fact, Grid, GridKind, Hue, Icon, Look, Pattern, Scene,
    metrics::{TEXT, TITLE, fit_lines, is_wider, text_width},
};
use cell::{cell_height, draw_cell, filled_rect};
use patterns::patterns;

/// The style sheet of all scenes.
pub const STYLE: &str = include_str!("style.css");

/// Drawings of icons and landscapes, one on each line.
const DRAWINGS: &str = include_str!("svg/drawings.svg");

/// Width of the drawing of an area, in pixels.
pub const AREA_WIDTH: usize = 340;
/// Height below which an area of a seat is low.
const LOW_AREA: usize = 200;
/// Space between areas in a picture of its own.
const AREA_GAP: usize = 16;
/// Space between the border of an area and its content.
const MARGIN: usize = 10;
/// Width of the content of an area.
const INNER: usize = AREA_WIDTH - 2 * MARGIN;
/// Space between cells; rivers are visible there.
const CELL_GAP: usize = 7;
/// Space between the small cells of a compact grid.
const COMPACT_GAP: usize = 3;
/// Height of a line of text.
const LINE: usize = 15;
/// Height of a chip with the space below it.
const CHIP: usize = 19;
/// Height of a row of facts.
const FACT: usize = 20;
/// Space between facts and between chips of a row.
const FACT_GAP: usize = 14;
const CHIP_GAP: usize = 4;
/// Distance of the base line of a text from the top of its row.
const BASE: usize = 13;
/// Width and height of an icon, and its width with the space beside it.
const ICON: usize = 17;
const ICON_STEP: usize = ICON + 1;

/// The parts that the drawings of one document share.
///
/// Drawings refer to shared parts by number, so all drawings of a document come from one sheet, and
/// the document needs [`SvgSheet::definitions`] once.
#[derive(Clone, Debug, Default)]
pub struct SvgSheet {
    /// The numbers of the parts, by their content.
    numbers: HashMap<String, usize>,
    /// The parts, in the order of their numbers.
    parts: String,
    /// The identifiers of the drawings in use.
    drawings: BTreeSet<String>,
    /// True if cells with an identifier can be clicked.
    is_interactive: bool,
}

impl Scene {
    /// Returns a picture of its own, with its style, for this width in pixels. Areas stand side by
    /// side as the width allows, at least one.
    pub fn svg(&self, width: usize) -> String {
        let mut sheet = SvgSheet::default();
        let draw = |area: &Area| {
            let (drawing, height) = sheet.draw_area(area);
            (drawing, height.max(area.min_height))
        };
        let drawings: Vec<_> = self.areas.iter().map(draw).collect();
        let heights: Vec<_> = drawings.iter().map(|(_, height)| height + AREA_GAP).collect();
        let columns = (width.saturating_sub(AREA_GAP) / (AREA_WIDTH + AREA_GAP)).max(1);
        let places = balanced_columns(&heights, columns);
        let columns = places.iter().map(|&[column, _]| column + 1).max().unwrap_or(1);
        let total = columns * (AREA_WIDTH + AREA_GAP) + AREA_GAP;
        let mut body = String::new();
        let mut top = AREA_GAP;
        let inner = [total - 2 * AREA_GAP; 2];
        for line in fit_lines(&self.title, inner, TITLE, true) {
            top += 20;
            body += &text(AREA_GAP, top - 6, "scene-title", &line);
        }
        for line in fit_lines(&self.turn, inner, TEXT, false) {
            top += LINE + 2;
            body += &text(AREA_GAP, top - 6, "", &line);
        }
        top += 4;
        let mut height = top;
        for (((area, (drawing, area_height)), [column, y]), below) in
            self.areas.iter().zip(&drawings).zip(&places).zip(&heights)
        {
            let x = AREA_GAP + column * (AREA_WIDTH + AREA_GAP);
            height = height.max(top + y + below);
            let _ = write!(
                body,
                r#"<g transform="translate({x} {})" role="group" aria-label="{}">{}{drawing}</g>"#,
                top + y,
                area_label(area),
                back(area, *area_height),
            );
        }
        let label = escape(format!("{} {}", self.title, self.turn).trim());
        // One column that is wider than the picture is scaled.
        let shown = total.min(width);
        let shown_height = (height * shown).div_ceil(total);
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" class="scene-sheet" "#,
                r#"width="{shown}" height="{shown_height}" viewBox="0 0 {w} {h}" role="group" "#,
                r#"aria-label="{label}"><style>{style}</style><defs>{shared}</defs>"#,
                r#"<rect width="{w}" height="{h}" class="scene-paper"/>{body}</svg>"#,
                "\n"
            ),
            shown = shown,
            shown_height = shown_height,
            w = total,
            h = height,
            label = label,
            style = STYLE,
            shared = sheet.shared(),
            body = body,
        )
    }
}

/// Divides areas of these heights among at most `columns` columns, in order, so that the highest
/// column is as low as possible. Returns the column and the top of each area.
fn balanced_columns(heights: &[usize], columns: usize) -> Vec<[usize; 2]> {
    let places_within = |limit: usize| {
        let (mut column, mut top) = (0, 0);
        let mut places = Vec::new();
        for &height in heights {
            if top > 0 && top + height > limit {
                (column, top) = (column + 1, 0);
            }
            places.push([column, top]);
            top += height;
        }
        (column < columns).then_some(places)
    };
    let all: usize = heights.iter().sum();
    // The height of a column is the sum of some consecutive heights.
    let sums = (0..heights.len()).flat_map(|start| {
        let sums = heights[start..].iter().scan(0, |sum, height| {
            *sum += height;
            Some(*sum)
        });
        sums.collect::<Vec<_>>()
    });
    let lowest = sums.filter(|&limit| places_within(limit).is_some()).min().unwrap_or(all);
    places_within(lowest).unwrap_or_default()
}

impl SvgSheet {
    /// Creates a sheet for figures in which each cell, and each piece in no cell, that has an
    /// identifier is a group of the class `scene-spot` with the identifier as `data-cell`. The
    /// group ends with a frame over the whole cell.
    pub fn interactive() -> Self {
        Self { is_interactive: true, ..Self::default() }
    }

    /// Returns the drawings of the areas of a scene, for a page with [`STYLE`] and the definitions
    /// of this sheet.
    pub fn figure(&mut self, scene: &Scene) -> String {
        let areas: String = scene.areas.iter().map(|area| self.area(area)).collect();
        // Low areas of seats stand beside a high one that all share.
        let mut seats = scene.areas.iter().filter(|area| area.seat.is_some()).peekable();
        let is_low =
            seats.peek().is_some() && seats.all(|area| (1..LOW_AREA).contains(&area.min_height));
        let class = if is_low { "scene scene-low" } else { "scene" };
        format!(r#"<div class="{class}">{areas}</div>"#)
    }

    /// Returns the drawing of an area. Its content is shared, because most events change few areas.
    fn area(&mut self, area: &Area) -> String {
        let (drawing, own_height) = self.draw_area(area);
        let height = own_height.max(area.min_height);
        // A page on which areas need no fixed places cuts off the rest.
        let room = if self.is_interactive && height > own_height {
            format!(r#" data-height="{own_height}""#)
        } else {
            String::new()
        };
        let content = if self.is_interactive {
            // The parts of a `use` element cannot be clicked one by one.
            drawing
        } else {
            format!(r##"<use href="#s{}"/>"##, self.number_of(drawing))
        };
        format!(
            concat!(
                r#"<svg class="scene-area" viewBox="0 0 {} {}"{} role="group" aria-label="{}">"#,
                r#"{}{}</svg>"#
            ),
            AREA_WIDTH,
            height,
            room,
            area_label(area),
            back(area, height),
            content
        )
    }

    /// Returns a drawing at this place, of this width and height, so that it can be clicked if it
    /// has an identifier.
    fn spot(&self, id: &str, drawing: String, place: [usize; 2], size: [usize; 2]) -> String {
        if !self.is_interactive || id.is_empty() {
            return drawing;
        }
        let ([x, y], [width, height]) = (place, size);
        format!(
            concat!(
                r#"<g class="scene-spot" data-cell="{}">{}"#,
                r#"<rect class="scene-frame" x="{}" y="{}" width="{}" height="{}" rx="6"/></g>"#
            ),
            escape(id),
            drawing,
            x,
            y,
            width,
            height
        )
    }

    /// Returns an element with all that the drawings share; a document needs it once.
    pub fn definitions(&self) -> String {
        format!(r#"<svg class="scene-shared"><defs>{}</defs></svg>"#, self.shared())
    }

    /// Returns the definitions: patterns, drawings in use, and parts.
    fn shared(&self) -> String {
        let is_used = |line: &&str| {
            let id = line.strip_prefix("<symbol id=\"").and_then(|rest| rest.split('"').next());
            id.is_some_and(|id| self.drawings.contains(id))
        };
        let drawings: String = DRAWINGS.lines().filter(is_used).collect();
        patterns() + &drawings + &self.parts
    }

    /// Draws an icon with its left upper corner at `place`.
    fn icon(&mut self, icon: Icon, look: Option<Look>, place: [usize; 2], size: usize) -> String {
        let id = format!("icon-{}", icon.name());
        let [x, y] = place;
        let frame = format!(r#"x="{x}" y="{y}" width="{size}" height="{size}""#);
        let draw = |attributes: &str| format!(r##"<use href="#{id}" {frame} {attributes}/>"##);
        let drawing = match look {
            None => draw(r#"class="scene-vacant""#),
            Some(Look { hue, pattern }) => {
                let mesh = match pattern {
                    Pattern::Plain => String::new(),
                    pattern => draw(&format!(r#"fill="url(#scene-{})""#, pattern.name())),
                };
                let ground = draw(r#"class="scene-icon""#);
                format!(r#"<g class="hue-{}">{ground}{mesh}</g>"#, hue.name())
            }
        };
        self.drawings.insert(id);
        drawing
    }

    /// Draws the content of an area and returns the height that it needs.
    fn draw_area(&mut self, area: &Area) -> (String, usize) {
        let mut body = String::new();
        let mut y = MARGIN - 2;
        // The mark of the seat that decides is beside the title.
        for line in fit_lines(&area.title, [INNER - 70, INNER - 70], TITLE, true) {
            y += 19;
            body += &text(MARGIN, y - 5, "scene-title", &line);
        }
        y = self.draw_facts(&mut body, &area.facts, y + 2);
        for grid in &area.grids {
            y = self.draw_grid(&mut body, grid, y);
        }
        (body, y + MARGIN - 3)
    }

    /// Draws facts below `y` and returns the next free height. Facts that fit share a row.
    fn draw_facts(&mut self, body: &mut String, facts: &[Fact], mut y: usize) -> usize {
        let none = [Chip { name: "–".to_owned(), ..Chip::default() }];
        let mut left = 0;
        for fact in facts {
            let chips = if fact.chips.is_empty() { &none[..] } else { &fact.chips };
            let is_plain = chips.iter().all(|chip| chip.look.is_none() && chip.icon.is_none());
            let name = if fact.name.is_empty() { 0 } else { text_width(&fact.name, TEXT) + 6 };
            let value: Vec<_> = chips.iter().map(Chip::short_label).collect();
            let value = value.join(", ");
            let width = name
                + if is_plain {
                    text_width(&value, TEXT)
                } else {
                    chips.iter().map(|chip| chip_width(chip) + CHIP_GAP).sum::<usize>()
                };
            if left > 0 && left + width > INNER {
                (left, y) = (0, y + FACT);
            }
            let x = MARGIN + left;
            if is_plain {
                let lines = fit_lines(&value, [INNER - left - name, INNER], TEXT, false);
                for (index, line) in lines.iter().enumerate() {
                    if index > 0 {
                        y += LINE;
                        *body += &text(MARGIN, y + BASE, "", line);
                    } else if fact.name.is_empty() {
                        *body += &text(x, y + BASE, "", line);
                    } else {
                        let _ = write!(
                            body,
                            "<text x=\"{x}\" y=\"{}\">\
                             <tspan class=\"scene-soft\">{}</tspan> {}</text>",
                            y + BASE,
                            escape(&fact.name),
                            escape(line)
                        );
                    }
                }
                left = if lines.len() > 1 { INNER } else { left + width + FACT_GAP };
            } else {
                *body += &text(x, y + BASE, "scene-soft", &fact.name);
                let row = [x + name, MARGIN];
                let top = self.draw_chips(body, chips, row, MARGIN + INNER, y, None) - CHIP;
                left = if top > y { INNER } else { left + width + FACT_GAP };
                y = top;
            }
        }
        if facts.is_empty() { y } else { y + FACT }
    }

    /// Draws chips below `y` and returns the next free height. The first row begins at `x[0]`, the
    /// others at `x[1]`; all end at `end`. `ink` is the class of texts in a cell; chips outside of
    /// cells have alternative texts of their own.
    fn draw_chips(
        &mut self,
        body: &mut String,
        chips: &[Chip],
        x: [usize; 2],
        end: usize,
        y: usize,
        ink: Option<&str>,
    ) -> usize {
        let (mut left, mut top) = (x[0], y);
        for chip in chips {
            let width = chip_width(chip).min(end - x[1]);
            if left > x[1] && left + width > end {
                (left, top) = (x[1], top + CHIP);
            }
            if chip.look.is_none() && chip.icon.is_none() {
                *body += &text(left, top + BASE, "", &chip.short_label());
            } else {
                let drawing = self.draw_chip(chip, width, ink.unwrap_or_default());
                let number = self.number_of(drawing);
                let mut drawing = format!(r##"<use href="#s{number}" x="{left}" y="{top}"/>"##);
                if ink.is_none() {
                    drawing = self.titled(&chip.label(), "", &drawing);
                }
                *body += &self.spot(&chip.id, drawing, [left, top], [width, CHIP - 2]);
            }
            left += width + CHIP_GAP;
        }
        top + CHIP
    }

    /// Draws a chip with a look or an icon.
    fn draw_chip(&mut self, chip: &Chip, width: usize, ink: &str) -> String {
        let look = chip.look.filter(|_| !chip.is_vacant);
        let Some(icon) = chip.icon else { return draw_label(chip, look, width) };
        let icons = chip.icons.max(1) as usize;
        let drawn = (0..icons).map(|index| self.icon(icon, look, [index * ICON_STEP, 0], ICON));
        let drawn: String = drawn.collect();
        let class = format!("scene-heading {ink}");
        drawn + &text(icons * ICON_STEP + 1, BASE, &class, &chip.caption())
    }

    /// Returns a drawing with an alternative text, which an interactive page shows, with the rule
    /// if there is one, when a mouse points at the drawing.
    fn titled(&self, label: &str, rule: &str, drawing: &str) -> String {
        let label = escape(label);
        let title = match (self.is_interactive, rule) {
            (false, _) => String::new(),
            (true, "") => format!("<title>{label}</title>"),
            (true, rule) => format!("<title>{label}: {}</title>", escape(rule)),
        };
        format!(r#"<g role="img" aria-label="{label}">{title}{drawing}</g>"#)
    }

    /// Draws a grid below `y` and returns the next free height.
    fn draw_grid(&mut self, body: &mut String, grid: &Grid, mut y: usize) -> usize {
        y += 4;
        if !grid.title.is_empty() {
            let none = if grid.cells.is_empty() { ": none" } else { "" };
            for line in fit_lines(&format!("{}{none}", grid.title), [INNER; 2], TEXT, false) {
                y += LINE + 1;
                *body += &text(MARGIN, y - 4, "scene-soft", &line);
            }
        }
        let columns = grid.columns.max(1);
        let gap = match grid.kind {
            GridKind::Compact => COMPACT_GAP,
            GridKind::List | GridKind::Board | GridKind::Islands => CELL_GAP,
        };
        let width = (INNER - (columns - 1) * gap) / columns;
        let x = |column: usize| MARGIN + column * (width + gap);
        let rows: Vec<_> = grid.cells.chunks(columns).collect();
        let mut places = Vec::new();
        for row in &rows {
            let heights = row.iter().map(|cell| cell_height(grid, cell, width));
            let height = heights.max().unwrap_or(0);
            places.push((y, height));
            y += height + gap;
        }
        let is_list = grid.kind == GridKind::List;
        if grid.kind == GridKind::Islands || is_list && !grid.river.is_empty() {
            let top = places[0].0 - gap / 2;
            let height = y - top - gap / 2;
            let water = Look::new(Hue::Sky, Pattern::Waves);
            let rect = filled_rect(water, [INNER + gap, height], 10);
            let _ = write!(
                body,
                r#"<g class="hue-sky scene-water" transform="translate({} {top})">{rect}</g>"#,
                MARGIN - gap / 2
            );
        }
        if grid.river.len() > 1 && !is_list {
            let points = grid.river.iter().map(|&cell| {
                let (top, height) = places[cell / columns];
                format!("{},{}", x(cell % columns) + width / 2, top + height / 2)
            });
            let points: Vec<_> = points.collect();
            let _ = write!(body, r#"<polyline class="scene-way" points="{}"/>"#, points.join(" "));
        }
        for (cells, &(top, height)) in rows.iter().zip(&places) {
            for (column, cell) in cells.iter().enumerate() {
                let drawing = draw_cell(self, grid.kind, cell, [width, height]);
                let number = self.number_of(drawing);
                let drawing = format!(r##"<use href="#s{number}" x="{}" y="{top}"/>"##, x(column));
                let drawing = self.titled(&cell.label(), &cell.rule, &drawing);
                *body += &self.spot(&cell.id, drawing, [x(column), top], [width, height]);
            }
        }
        y
    }

    /// Returns the number of a part, which is written once.
    fn number_of(&mut self, drawing: String) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(drawing).or_insert_with_key(|drawing| {
            let _ = write!(self.parts, r#"<g id="s{next}">{drawing}</g>"#);
            next
        })
    }
}

/// Returns the alternative text of an area.
fn area_label(area: &Area) -> String {
    escape(&if area.is_active { format!("{}, decides", area.title) } else { area.title.clone() })
}

/// Returns the background of an area, with a mark if its seat decides.
fn back(area: &Area, height: usize) -> String {
    let rect = |class: &str| {
        format!(
            r#"<rect class="scene-back{class}" x="2" y="2" width="{}" height="{}" rx="8"/>"#,
            AREA_WIDTH - 4,
            height - 4
        )
    };
    if !area.is_active {
        return rect("");
    }
    let mark = format!(
        r#"<text class="scene-turn" x="{}" y="22" text-anchor="end">◀ decides</text>"#,
        AREA_WIDTH - MARGIN
    );
    rect(" scene-active") + &mark
}

/// Returns the width of a chip on one line.
fn chip_width(chip: &Chip) -> usize {
    let caption = text_width(&chip.caption(), TEXT);
    match (chip.icon, chip.look) {
        (Some(_), _) => {
            let caption = if caption > 0 { caption * 110 / 100 + 3 } else { 0 };
            chip.icons.max(1) as usize * ICON_STEP + caption
        }
        (None, Some(_)) => caption + 10,
        (None, None) => caption + 2,
    }
}

/// Draws a chip as a label, on its look or vacant.
fn draw_label(chip: &Chip, look: Option<Look>, width: usize) -> String {
    let height = CHIP - 2;
    let label = chip.short_label();
    let label = |class: &str| {
        format!(
            r#"<text class="{class}" x="{}" y="{BASE}" text-anchor="middle"{}>{}</text>"#,
            width / 2,
            fitted(&label, width - 6, false),
            escape(&label)
        )
    };
    match look {
        None => format!(
            r#"<rect class="scene-look scene-vacant" width="{width}" height="{height}" rx="4"/>{}"#,
            label("scene-soft")
        ),
        Some(look) => format!(
            r#"<g class="hue-{}">{}{}</g>"#,
            look.hue.name(),
            filled_rect(look, [width, height], 4),
            label("scene-on")
        ),
    }
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
fn fitted(content: &str, width: usize, is_bold: bool) -> String {
    if !is_wider(content, width, is_bold) {
        return String::new();
    }
    format!(r#" textLength="{width}" lengthAdjust="spacingAndGlyphs""#)
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
                escaped.push('\u{fffd}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_the_order_and_are_balanced() {
        assert_eq!(balanced_columns(&[5, 3, 3, 4], 2), [[0, 0], [0, 5], [1, 0], [1, 3]]);
        assert_eq!(balanced_columns(&[9, 1, 1], 2), [[0, 0], [1, 0], [1, 1]]);
        assert_eq!(balanced_columns(&[2, 2], 1), [[0, 0], [0, 2]]);
        assert_eq!(balanced_columns(&[2], 3), [[0, 0]]);
        assert!(balanced_columns(&[], 2).is_empty());
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1b}"), "a&lt;b &amp; &quot;c&quot;\u{fffd}");
    }
}
