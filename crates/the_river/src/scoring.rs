//! The final score of The River (rules §8).

use super::{
    TheRiver,
    components::{Bag, TileKind, TileRow},
    data::{Terrain, TileEffect},
    state::State,
};
use watershed_engine::{bits::ones, game::Seat};

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

/// The terrains on a seat's board: for each row from the top, one byte for each column with the
/// terrains of its tile, bit t for terrain t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terrains([u32; 3]);

impl Terrains {
    /// Returns the number of tiles with a terrain.
    #[inline]
    fn count(self, terrain: Terrain) -> u32 {
        const LOWEST_BITS: u32 = 0x0101_0101;
        self.0.into_iter().map(|row| (row >> terrain as u8 & LOWEST_BITS).count_ones()).sum()
    }

    /// Returns the number of columns whose top two tiles have a common terrain, and of those whose
    /// third tile has it too.
    #[inline]
    fn matching_columns(self) -> [u32; 2] {
        let [top, middle, bottom] = self.0;
        [top & middle, top & middle & bottom].map(|row| nonzero_bytes(row).count_ones())
    }

    /// Returns the number of columns with a top tile only, and of columns with two matching tiles
    /// and no third one.
    #[inline]
    pub(super) fn open_columns(self) -> [u32; 2] {
        let [top, middle, bottom] = self.0;
        [(top, middle), (top & middle, bottom)]
            .map(|(above, below)| (nonzero_bytes(above) & !nonzero_bytes(below)).count_ones())
    }
}

/// Returns the highest bit of each byte that is not 0.
#[inline]
const fn nonzero_bytes(word: u32) -> u32 {
    const BELOW_TOPS: u32 = 0x7f7f_7f7f;
    (((word & BELOW_TOPS) + BELOW_TOPS) | word) & !BELOW_TOPS
}

impl TheRiver {
    /// Returns the score of a seat if the game ended in this position.
    pub(super) fn score(&self, state: &State, seat: Seat) -> Score {
        let terrains = self.terrains(state.tiles(seat));
        Score {
            tokens: state.token_points(seat) as i32,
            buildings: self.building_points(state.built_buildings(seat)),
            resources: self.resource_points(state.bag(seat)),
            columns: self.column_points(terrains),
            meadows: self.meadow_points(state, seat, terrains),
        }
    }

    /// Returns the terrains on a board with these tiles.
    #[inline]
    pub(super) fn terrains(&self, tiles: TileRow) -> Terrains {
        let mut rows = [0; 3];
        for (column, spots) in self.columns.iter().enumerate() {
            for (row, &spot) in rows.iter_mut().zip(spots) {
                let terrain = self.terrains_of_kinds[usize::from(tiles.get(spot).0)];
                *row |= u32::from(terrain) << (column as u32 * u8::BITS);
            }
        }
        Terrains(rows)
    }

    /// Returns the points of the buildings of a set.
    #[inline]
    pub(super) fn building_points(&self, buildings: u64) -> i32 {
        let points = ones(buildings).map(|building| self.buildings[building as usize].points);
        points.sum::<u32>() as i32
    }

    #[inline]
    pub(super) fn resource_points(&self, bag: Bag) -> i32 {
        (bag.total() / self.data.rules.per_resources.get()) as i32
    }

    #[inline]
    pub(super) fn column_points(&self, terrains: Terrains) -> i32 {
        let [two, three] = terrains.matching_columns();
        let rules = &self.data.rules;
        ((two - three) * rules.column_top_two.get() + three * rules.column_all_three.get()) as i32
    }

    /// Returns the points of all tiles on a seat's board, which has these terrains.
    #[inline]
    pub(super) fn meadow_points(&self, state: &State, seat: Seat, terrains: Terrains) -> i32 {
        let mut points = 0;
        for kind in state.tiles(seat).iter() {
            if self.scoring_kinds >> kind.0 & 1 == 1 {
                points += self.points_of_meadow(state, seat, terrains, kind);
            }
        }
        points
    }

    /// Returns the points that one tile of this kind scores itself on a seat's board, which has
    /// these terrains.
    pub(super) fn points_of_meadow(
        &self,
        state: &State,
        seat: Seat,
        terrains: Terrains,
        kind: TileKind,
    ) -> i32 {
        let Some(effect) = &self.tile_rules(kind).effect else { return 0 };
        let points = match *effect {
            TileEffect::PointsPerTerrain { terrain, points } => {
                points.get() * terrains.count(terrain)
            }
            TileEffect::PointsPerProduction { resource, points, cap } => {
                (points.get() * state.symbols(seat).production(resource.into())).min(cap.get())
            }
            TileEffect::Income { points, .. } => points.get(),
            TileEffect::PointsPerPioneer { points } => points.get() * state.pioneers(seat),
            TileEffect::PointsPerToken { points } => points.get() * state.tokens(seat),
            TileEffect::Take { .. } | TileEffect::Swap { .. } => 0,
        };
        points as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_by_their_terrains() {
        let columns = [[1, 1, 1], [3, 2, 1], [3, 2, 0], [128, 0, 0]];
        let mut rows = [0; 3];
        for (column, terrains) in columns.into_iter().enumerate() {
            for (row, terrain) in rows.iter_mut().zip(terrains) {
                *row |= terrain << (column * 8);
            }
        }
        let terrains = Terrains(rows);
        assert_eq!(terrains.matching_columns(), [3, 1]);
        assert_eq!(terrains.open_columns(), [1, 1]);
        assert_eq!(terrains.count(Terrain::Desert), 6);
        assert_eq!(terrains.count(Terrain::Badlands), 4);
    }
}
