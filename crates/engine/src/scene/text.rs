//! Scenes as lines of text.

use super::{
    Area, Cell, Chip, Grid, GridKind, Scene,
    wrap::{pad, text_width, wrap},
};

/// Indentation of everything below the heading of an area.
const INDENT: &str = "  ";
/// Smallest width of a text.
const MIN_WIDTH: usize = 40;
/// Smallest width of an area of a seat beside others, and the space between them.
const SEAT_WIDTH: usize = 58;
const SEAT_GAP: usize = 4;

impl Scene {
    /// Returns the number of areas of seats that stand side by side in a text of this width.
    pub fn seats_beside(width: usize) -> usize {
        ((width + SEAT_GAP) / (SEAT_WIDTH + SEAT_GAP)).max(1)
    }

    /// Returns the scene as lines of at most `width` columns, at least 40. The areas of seats stand
    /// side by side as the width allows.
    pub fn text(&self, width: usize) -> String {
        let width = width.max(MIN_WIDTH);
        let mut lines = wrap(&self.title, width);
        lines.extend(wrap(&self.turn, width));
        let seats = self.areas.iter().filter(|area| area.seat.is_some()).count();
        let beside = Self::seats_beside(width).min(seats.max(1));
        let are_beside = |one: &Area, other: &Area| one.seat.is_some() && other.seat.is_some();
        for row in self.areas.chunk_by(are_beside).flat_map(|areas| areas.chunks(beside)) {
            lines.push(String::new());
            let shares = if row[0].seat.is_some() { beside } else { 1 };
            let width = (width + SEAT_GAP) / shares - SEAT_GAP;
            let columns: Vec<_> = row.iter().map(|area| area_lines(area, width)).collect();
            let height = columns.iter().map(Vec::len).max().unwrap_or(0);
            lines.extend((0..height).map(|line| {
                let texts = columns.iter().map(|lines| lines.get(line).map_or("", String::as_str));
                texts.map(|text| pad(text, width)).collect::<Vec<_>>().join(&" ".repeat(SEAT_GAP))
            }));
        }
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

fn area_lines(area: &Area, width: usize) -> Vec<String> {
    let inner = width - INDENT.len();
    let active = if area.is_active { " (decides)" } else { "" };
    let mut lines = wrap(&format!("{}{active}", area.title), width);
    let mut facts: Vec<_> = area
        .facts
        .iter()
        .map(|fact| match fact.name.as_str() {
            "" => chips_text(&fact.chips),
            name => format!("{name}: {}", chips_text(&fact.chips)),
        })
        .collect();
    let islands = area.grids.iter().filter(|grid| grid.kind == GridKind::Islands);
    facts.extend(islands.map(islands_text));
    let mut inner_lines = wrap(&facts.join("; "), inner);
    for grid in &area.grids {
        inner_lines.extend(match grid.kind {
            GridKind::Islands => Vec::new(),
            GridKind::List if grid.river.is_empty() => list_lines(grid, inner),
            GridKind::List => river_lines(grid, inner),
            GridKind::Board | GridKind::Compact => board_lines(grid, inner),
        });
    }
    lines.extend(inner_lines.into_iter().map(|line| format!("{INDENT}{line}")));
    lines
}

fn chips_text(chips: &[Chip]) -> String {
    let texts: Vec<_> = chips.iter().map(Chip::label).collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join(", ") }
}

/// Writes islands with the number of pieces on each.
fn islands_text(grid: &Grid) -> String {
    let cells = grid.cells.iter().map(|cell| format!("{} {}", cell.heading, cell.code));
    format!("{}: {}", grid.title, cells.collect::<Vec<_>>().join(", "))
}

/// Writes a list as a paragraph.
fn list_lines(grid: &Grid, width: usize) -> Vec<String> {
    let cells: Vec<_> = grid.cells.iter().map(list_text).collect();
    let cells = if cells.is_empty() { "none".to_owned() } else { cells.join("; ") };
    wrap(&format!("{}: {cells}", grid.title), width)
}

/// Writes a list along a river as boxes side by side.
fn river_lines(grid: &Grid, width: usize) -> Vec<String> {
    let short = |cell: &Cell| {
        let chips: Vec<_> = cell.chips.iter().map(Chip::short_label).collect();
        Cell { chips: Vec::new(), lines: vec![chips.join(", ")], ..cell.clone() }
    };
    let row = Grid {
        kind: GridKind::Board,
        columns: grid.cells.len(),
        cells: grid.cells.iter().map(short).collect(),
        ..grid.clone()
    };
    board_lines(&row, width)
}

fn list_text(cell: &Cell) -> String {
    let lines = cell.lines.iter().cloned();
    let details: Vec<_> = cell.chips.iter().map(Chip::label).chain(lines).collect();
    let details = details.join(", ");
    let text = if details.is_empty() {
        cell.heading.clone()
    } else {
        format!("{} ({details})", cell.heading)
    };
    format!("{} {text}", cell.mark).trim().to_owned()
}

/// Writes a board as a table.
fn board_lines(grid: &Grid, width: usize) -> Vec<String> {
    const GAP: &str = " | ";
    let columns = grid.columns.max(1);
    let max = (width - (columns - 1) * GAP.len()) / columns;
    let parts: Vec<_> = grid.cells.iter().map(|cell| cell_parts(grid.kind, cell)).collect();
    let natural = parts.iter().flatten().map(|part| text_width(part)).max().unwrap_or(1);
    // A board has columns of one width on every turn; a compact one is as narrow as possible.
    let column_width = if grid.kind == GridKind::Compact { natural.clamp(1, max) } else { max };
    let cells: Vec<Vec<String>> = parts
        .iter()
        .map(|parts| parts.iter().flat_map(|part| wrap(part, column_width)).collect())
        .collect();
    let mut lines = Vec::new();
    if !grid.title.is_empty() {
        lines.extend(wrap(&format!("{}:", grid.title), width));
    }
    for (index, row) in cells.chunks(columns).enumerate() {
        if index > 0 && grid.kind == GridKind::Board {
            lines.push(vec!["-".repeat(column_width); columns].join("-+-"));
        }
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let texts: Vec<_> = (0..columns)
                .map(|column| {
                    let text = row.get(column).and_then(|cell| cell.get(line));
                    pad(text.map_or("", String::as_str), column_width)
                })
                .collect();
            lines.push(texts.join(GAP));
        }
    }
    lines
}

/// Returns the texts of a cell, of which each begins a line.
fn cell_parts(kind: GridKind, cell: &Cell) -> Vec<String> {
    if kind == GridKind::Compact {
        return vec![if cell.code.is_empty() { ".".to_owned() } else { cell.code.clone() }];
    }
    let first = format!("{} {}", cell.mark, cell.heading).trim().to_owned();
    let chips: Vec<_> = cell.chips.iter().map(Chip::label).collect();
    let parts = [first, chips.join(", ")].into_iter().chain(cell.lines.iter().cloned());
    parts.filter(|part| !part.is_empty()).collect()
}
