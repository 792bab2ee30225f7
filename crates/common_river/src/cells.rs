//! The cells of the picture of We All Take from the River, by which actions can be chosen.

use super::{
    CommonRiver,
    action::Action,
    components::{Structure, Tile, Token},
    state::State,
};
use watershed_engine::game::{Game as _, Seat, Turn};

impl CommonRiver {
    /// Returns the cells that an action of the seat that decides concerns.
    pub(super) fn cells_of(&self, state: &State, action: Action) -> Vec<String> {
        let Turn::Seat(seat) = self.turn(state) else { return Vec::new() };
        // A structure acts on its own tile unless the action names another.
        let here = || state.actor.map(|actor| tile_id(actor.tile));
        match action {
            Action::Camp(tile)
            | Action::Use(_, tile)
            | Action::Take(tile)
            | Action::BuildNet(tile)
            | Action::Remove(_, tile)
            | Action::Move(tile)
            | Action::Ferry(_, tile)
            | Action::Tile(tile)
            | Action::Salvage(_, tile) => vec![tile_id(tile)],
            Action::Harvest(_) | Action::Dredge => here().into_iter().collect(),
            Action::Plant(token) => here().into_iter().chain([token_id(seat, token)]).collect(),
            Action::Build(kind) => {
                let place = state.actor.map(|actor| match kind {
                    Structure::Boat | Structure::Bridge => Tile::river(actor.tile.row()),
                    _ => actor.tile,
                });
                place.map(tile_id).into_iter().collect()
            }
            Action::Sell(token) | Action::City(token) | Action::Give(token) => {
                vec![token_id(seat, token)]
            }
            Action::Get(token) => vec![token_id(Self::partner(state), token)],
            _ => Vec::new(),
        }
    }
}

/// Returns the identifier of a tile.
pub(super) fn tile_id(tile: Tile) -> String {
    format!("tile-{}", tile.0)
}

/// Returns the identifier of the tokens of a kind that a seat holds.
pub(super) fn token_id(seat: Seat, token: Token) -> String {
    format!("seat{seat}-{}", token.name())
}
