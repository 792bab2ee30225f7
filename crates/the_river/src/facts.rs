//! Facts of positions and actions of The River for networks.
//!
//! | file | content |
//! |---|---|
//! | `facts/groups.rs` | the groups of facts, and the inputs that describe them |
//! | `facts/readiness.rs` | the readiness of a seat for a building |
//! | `facts/summary.rs` | the numbers of a position that facts are made of |
//! | `facts/position.rs` | the facts of a position |
//! | `facts/actions.rs` | the facts of an action |
//!
//! Nothing is hidden in this game: all facts are public.

mod actions;
mod groups;
mod position;
mod readiness;
mod summary;
#[cfg(test)]
mod tests;

use groups::{ActionGroups, SeatGroups, SharedGroups, ViewGroups, terrain_set};
use summary::{Summary, packed_terrain, terrain_count};

use super::{
    TheRiver,
    components::{MAX_TILE_KINDS, SPOTS},
    data::{Tile, TileEffect},
    state::Place,
};
use std::sync::Arc;

use watershed_engine::game::facts::FactTable;

/// The number of stages of a game. The last one begins when the end is triggered.
const STAGES: usize = 6;
/// The stage of a game by the number of tiles of a seat.
const STAGE_OF_TILES: [u8; SPOTS + 1] = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5];
/// The places, in the order of their limits.
const PLACES: [Place; Place::COUNT] = [
    Place::Wood,
    Place::Clay,
    Place::Stone,
    Place::Food,
    Place::Reserve,
    Place::Build,
    Place::First,
    Place::Swap,
];

/// The groups of facts of a game bound to a data file, and the numbers that they are made of.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    seat: SeatGroups,
    view: ViewGroups,
    shared: SharedGroups,
    action: ActionGroups,
    /// By kind of tile.
    tiles: [TileValues; MAX_TILE_KINDS + 1],
    /// The row and column of each spot.
    place_of_spot: [(usize, usize); SPOTS],
    stage_of_tokens: [u8; 9],
    column_top_two: u32,
    column_all_three: u32,
}

/// The values of a kind of tile.
#[derive(Clone, Copy, Debug, Default)]
struct TileValues {
    /// Bit t for terrain t.
    terrain: u8,
    has_effect: bool,
    /// The kind of the effect.
    kind: u8,
    /// The terrain or resource of the effect.
    subject: u8,
    /// The points, or else the amount or the times of the effect.
    number: u8,
    /// The maximum points of the effect.
    cap: u8,
    storage: u8,
    production: [u8; 3],
    /// The packed count of terrains.
    counts: u64,
}

impl TileValues {
    fn new(tile: &Tile) -> Self {
        let terrain = terrain_set(&tile.terrain);
        let mut values = Self {
            terrain,
            counts: packed_terrain(terrain),
            has_effect: tile.effect.is_some(),
            cap: u8::MAX,
            storage: tile.storage.get() as u8,
            production: tile.production.to_array().map(|amount| amount as u8),
            ..Self::default()
        };
        let Some(effect) = &tile.effect else { return values };
        values.kind = effect.kind() as u8;
        if let TileEffect::PointsPerProduction { cap, .. } = effect {
            values.cap = cap.get() as u8;
        }
        let (subject, number) = subject_and_number(effect);
        values.subject = subject as u8;
        values.number = number as u8;
        values
    }

    /// Returns the value of the effect for a seat that would claim the tile: points, resources of
    /// which the supply has this number, or swaps.
    #[inline]
    fn offered(&self, seat: &Summary, supply: impl Fn() -> u32) -> u32 {
        match self.kind {
            3 => u32::from(self.number).min(supply()),
            4 => self.number.into(),
            _ => self.points(seat, 1),
        }
    }

    /// Returns the points of the effect for a seat. `joining` is 1 for a tile that the seat does
    /// not have yet, otherwise 0.
    #[inline]
    fn points(&self, seat: &Summary, joining: u32) -> u32 {
        let number = u32::from(self.number);
        let subject = usize::from(self.subject);
        match self.kind {
            0 => {
                let own = joining * u32::from(self.terrain >> subject & 1);
                number * (terrain_count(seat.terrain_counts, subject) + own)
            }
            1 => {
                let own = joining * u32::from(self.production[subject]);
                (number * (seat.production[subject] + own)).min(self.cap.into())
            }
            2 => number,
            5 => number * seat.pioneers,
            6 => number * seat.tokens,
            _ => 0,
        }
    }
}

/// Returns the terrain or resource of an effect, and its points, or else its amount or times.
const fn subject_and_number(effect: &TileEffect) -> (usize, u32) {
    match effect {
        TileEffect::PointsPerTerrain { terrain, points } => (*terrain as usize, points.get()),
        TileEffect::PointsPerProduction { resource, points, .. }
        | TileEffect::Income { resource, points, .. } => (*resource as usize, points.get()),
        TileEffect::Take { resource, amount } => (*resource as usize, amount.get()),
        TileEffect::Swap { times } => (0, times.get()),
        TileEffect::PointsPerPioneer { points } | TileEffect::PointsPerToken { points } => {
            (0, points.get())
        }
    }
}

impl Facts {
    /// Creates the groups and the table of their facts and inputs.
    pub(super) fn new(game: &TheRiver) -> (Self, Arc<FactTable>) {
        let mut table = FactTable::default();
        let mut tiles = [TileValues::default(); MAX_TILE_KINDS + 1];
        for (values, tile) in tiles[1..].iter_mut().zip(&game.data.tile) {
            *values = TileValues::new(tile);
        }
        let mut place_of_spot = [(0, 0); SPOTS];
        for (column, spots) in game.columns.iter().enumerate() {
            for (row, &spot) in spots.iter().enumerate() {
                place_of_spot[spot] = (row, column);
            }
        }
        let mut stage_of_tokens = [STAGES as u8 - 1; 9];
        for (tokens, stage) in stage_of_tokens.iter_mut().enumerate() {
            *stage = match game.bonus_spots.saturating_sub(tokens as u32) {
                0 => 5,
                _ if tokens == 0 => 0,
                1 => 4,
                2 => 3,
                3 => 2,
                _ => 1,
            };
        }
        let facts = Self {
            seat: SeatGroups::new(&mut table.seat, game),
            view: ViewGroups::new(&mut table.view),
            shared: SharedGroups::new(&mut table.shared, &game.data),
            action: ActionGroups::new(&mut table.action, game),
            tiles,
            place_of_spot,
            stage_of_tokens,
            column_top_two: game.data.rules.column_top_two.get(),
            column_all_three: game.data.rules.column_all_three.get(),
        };
        (facts, Arc::new(table))
    }
}
