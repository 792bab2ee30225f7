//! The final score of The River (rules §8).

use super::{
    TheRiver,
    components::{TileKind, TileRow},
    data::Effect,
    state::State,
};
use crate::{bits::ones, game::Seat};

/// The parts of a seat's score, in points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Score {
    pub(super) tokens: i32,
    pub(super) buildings: i32,
    pub(super) resources: i32,
    pub(super) columns: i32,
    pub(super) meadows: i32,
}

impl Score {
    pub(super) fn parts(self) -> [(&'static str, i32); 5] {
        [
            ("tokens", self.tokens),
            ("buildings", self.buildings),
            ("resources", self.resources),
            ("columns", self.columns),
            ("meadows", self.meadows),
        ]
    }

    pub(super) fn total(self) -> i32 {
        self.tokens + self.buildings + self.resources + self.columns + self.meadows
    }
}

impl TheRiver {
    /// Returns the score of a seat if the game ended in this position.
    pub(super) fn score(&self, state: &State, seat: Seat) -> Score {
        let tiles = state.tiles(seat);
        let mut meadows = 0;
        for kind in tiles.iter() {
            if self.scoring_kinds >> kind.0 & 1 == 1 {
                meadows += self.meadow_points(state, seat, kind);
            }
        }
        let built = ones(state.built_buildings(seat))
            .map(|building| self.buildings[building as usize].points);
        Score {
            tokens: state.token_points(seat) as i32,
            buildings: built.sum::<u32>() as i32,
            resources: (state.bag(seat).total() / self.data.rules.per_resources.get()) as i32,
            columns: self.columns.iter().map(|&column| self.column_points(tiles, column)).sum(),
            meadows,
        }
    }

    /// Returns the terrain of a kind of tile, bit t for terrain t.
    #[inline]
    pub(super) fn terrain(&self, kind: TileKind) -> u8 {
        self.terrains[usize::from(kind.0)]
    }

    #[inline]
    fn column_points(&self, tiles: TileRow, [top, middle, bottom]: [usize; 3]) -> i32 {
        let terrain = |spot| self.terrain(tiles.get(spot));
        let in_top_two = terrain(top) & terrain(middle);
        let points = if in_top_two == 0 {
            0
        } else if in_top_two & terrain(bottom) == 0 {
            self.data.rules.column_top_two.get()
        } else {
            self.data.rules.column_all_three.get()
        };
        points as i32
    }

    /// Returns the points that one tile of this kind on a seat's board scores itself.
    pub(super) fn meadow_points(&self, state: &State, seat: Seat, kind: TileKind) -> i32 {
        let Some(effect) = &self.tile_rules(kind).effect else { return 0 };
        let points = match *effect {
            Effect::PointsPerTerrain { terrain, points } => {
                let depicted = state
                    .tiles(seat)
                    .iter()
                    .filter(|&kind| self.terrain(kind) >> terrain as u8 & 1 == 1)
                    .count();
                points.get() * depicted as u32
            }
            Effect::PointsPerProduction { resource, points, cap } => {
                (points.get() * state.symbols(seat).production(resource.into())).min(cap.get())
            }
            Effect::Income { points, .. } => points.get(),
            Effect::PointsPerPioneer { points } => points.get() * state.pioneers(seat),
            Effect::PointsPerToken { points } => points.get() * state.tokens(seat),
            Effect::Take { .. } | Effect::Swap { .. } => 0,
        };
        points as i32
    }
}
