//! Boards for people, as `replay --step` and the page of an annotated game show them.

use watershed::{
    Seat, Turn,
    game::Game as _,
    scene::{Area, Border, Cell, Grid, GridKind, Hue, Look, Pattern, Scene},
};

use super::{Board, COLUMNS, ConnectFour, HEIGHT, ROWS, square_name};

/// Name and look of the discs of each seat, the first mover first.
const DISCS: [(&str, Look); 2] =
    [("x", Look::new(Hue::Yellow, Pattern::Dots)), ("o", Look::new(Hue::Red, Pattern::Rings))];

/// Describes a position.
pub(super) fn scene(board: &Board) -> Scene {
    let discs = board.discs();
    let cell = |square: u32| {
        let place = square_name(square as u8);
        let owner = (0..2).find(|&owner: &usize| discs[owner] >> square & 1 == 1);
        match owner.map(|owner| DISCS[owner]) {
            None => Cell {
                place,
                heading: "empty".to_owned(),
                border: Border::Dashed,
                ..Cell::default()
            },
            Some((name, look)) => Cell {
                place,
                heading: name.to_owned(),
                code: name.to_owned(),
                looks: vec![look],
                ..Cell::default()
            },
        }
    };
    let rows = (0..ROWS).rev();
    let squares = rows.flat_map(|row| (0..COLUMNS).map(move |column| row + HEIGHT * column));
    let grid = Grid {
        columns: COLUMNS as usize,
        kind: GridKind::Compact,
        cells: squares.map(cell).collect(),
        ..Grid::default()
    };
    let turn = match ConnectFour.turn(board) {
        Turn::Seat(seat) => {
            let (name, _) = DISCS[usize::from(seat != Seat::new(0))];
            format!("Player {} drops a disc {name}.", seat.index() + 1)
        }
        _ => "The game has ended.".to_owned(),
    };
    let area = Area { title: "Columns a to g".to_owned(), grids: vec![grid], ..Area::default() };
    Scene { title: format!("Connect Four, move {}", board.moves + 1), turn, areas: vec![area] }
}
