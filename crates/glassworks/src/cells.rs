//! The cells of the picture of River Valley Glassworks, by which actions can be chosen.

use super::{
    action::Action,
    components::{Colour, Piece, Shape},
    state::State,
};
use watershed_engine::game::Seat;

/// Returns the cells that an action of the seat that decides concerns.
pub(super) fn action_cells(
    state: &State,
    action: Action,
    shape_of: impl Fn(Piece) -> Shape,
) -> Vec<String> {
    let seat = state.decider;
    match action {
        Action::Place(piece) => vec![satchel_id(seat, piece), tile_id(shape_of(piece))],
        Action::Pair(first, second, tile) => {
            let mut cells = vec![satchel_id(seat, first), satchel_id(seat, second), tile_id(tile)];
            cells.dedup();
            cells
        }
        Action::Draw(kept) => vec![lake_id(kept)],
        Action::DrawAll => {
            let mut cells: Vec<_> = state.lake().iter().map(lake_id).collect();
            cells.dedup();
            cells
        }
        Action::Collect(tile) => vec![tile_id(tile)],
        Action::Column(colour) => vec![colour_id(colour)],
        Action::Overflow(piece) => vec![satchel_id(seat, piece)],
        Action::Pass | Action::FirstPlayer(_) | Action::Tile(_) | Action::Glass(_) => Vec::new(),
    }
}

/// Returns the identifier of a river tile.
pub(super) fn tile_id(shape: Shape) -> String {
    format!("tile-{}", shape.0)
}

/// Returns the identifier of a colour.
pub(super) fn colour_id(colour: Colour) -> String {
    format!("colour-{}", colour.0)
}

/// Returns the identifier of equal pieces in the lake.
pub(super) fn lake_id(piece: Piece) -> String {
    format!("lake-{}", piece.0)
}

/// Returns the identifier of equal pieces in a satchel.
pub(super) fn satchel_id(seat: Seat, piece: Piece) -> String {
    format!("seat{seat}-piece-{}", piece.0)
}
