//! The gains in points from pieces.

use super::{
    super::{
        Glassworks,
        components::{Colour, Columns, MAX_COLUMNS},
    },
    ColumnGain, Gains,
};
use watershed_engine::games::table::mix;

/// The columns of a seat with their points.
pub(super) struct Glass<'a> {
    pub(super) game: &'a Glassworks,
    pub(super) columns: Columns,
    pub(super) points: i32,
    known: &'a Gains,
}

impl<'a> Glass<'a> {
    #[inline]
    pub(super) fn new(game: &'a Glassworks, columns: Columns) -> Self {
        Self::with_points(game, columns, game.score(columns).total())
    }

    /// Creates the value for columns with these points.
    #[inline]
    pub(super) fn with_points(game: &'a Glassworks, columns: Columns, points: i32) -> Self {
        Self { game, columns, points, known: game.facts.gains.get() }
    }

    /// Returns the gain in points from these pieces, and the columns with them.
    #[inline]
    pub(super) fn gain(&self, pieces: u64) -> ColumnGain {
        self.known.get((self.columns, pieces), mix(self.columns.key(), pieces), || {
            let after = self.game.columns_with(self.columns, pieces);
            (self.game.score(after).total() - self.points, after)
        })
    }

    /// Returns the number of these pieces that overflow.
    #[inline]
    pub(super) fn spill(&self, after: Columns) -> u32 {
        after.overflow() - self.columns.overflow()
    }

    /// Returns the place of pieces of a colour.
    #[inline]
    pub(super) fn colour_class(&self, colour: Colour) -> usize {
        match self.columns.column_of(colour) {
            Some(column) if self.columns.height(column) < self.game.rows => 0,
            Some(_) => 1,
            None if self.columns.len() < self.game.columns => 2,
            None => 3,
        }
    }
}

/// The gains in points from one more piece in a column.
pub(super) struct PieceGains {
    pub(super) heights: [usize; MAX_COLUMNS + 1],
    /// The height of the lowest column to the left of each column.
    pub(super) lowest_before: [usize; MAX_COLUMNS + 1],
    /// The columns that score, bit c for column c.
    pub(super) scored: u32,
    /// The last of the columns that score.
    pub(super) last_scored: usize,
}

impl PieceGains {
    #[inline]
    pub(super) fn new(game: &Glassworks, columns: Columns) -> Self {
        let mut heights = [0; MAX_COLUMNS + 1];
        let mut lowest_before = [0; MAX_COLUMNS + 1];
        let mut lowest = game.rows;
        for column in 0..game.columns {
            heights[column] = columns.height(column);
            lowest_before[column] = lowest;
            lowest = lowest.min(heights[column]);
        }
        lowest_before[game.columns] = lowest;
        let (mut scored, mut last_scored) = (0, 0);
        for column in game.tallest_columns(columns) {
            scored |= 1 << column;
            last_scored = column;
        }
        Self { heights, lowest_before, scored, last_scored }
    }

    /// Returns the gain from one more piece in a column with room.
    #[inline]
    pub(super) fn gain(&self, game: &Glassworks, column: usize) -> i32 {
        let height = self.heights[column];
        let mut gain = 0;
        if height < self.lowest_before[column] {
            let mut end = column + 1;
            while end < game.columns && self.heights[end] > height {
                end += 1;
            }
            gain += game.row_points[end] - game.row_points[column];
        }
        let points = &game.column_points;
        if self.scored >> column & 1 == 1 {
            gain += points[column][height + 1] - points[column][height];
        } else if self.scored != 0 {
            let last = self.last_scored;
            if (height + 1, last) > (self.heights[last], column) {
                gain += points[column][height + 1] - points[last][self.heights[last]];
            }
        }
        gain
    }

    /// Returns the number of spaces of a row that are filled without a gap.
    #[inline]
    pub(super) fn filled(&self, game: &Glassworks, row: usize) -> usize {
        (1..=game.columns).take_while(|&column| self.lowest_before[column] > row).count()
    }
}
