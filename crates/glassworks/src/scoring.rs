//! The score of River Valley Glassworks (rules §6).

use super::{
    Glassworks,
    components::{Columns, MAX_COLUMNS},
    state::State,
};
use watershed_engine::game::{PerSeat, Seat};

/// The parts of the score of a seat, in points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Score {
    pub(super) rows: i32,
    pub(super) columns: i32,
    pub(super) overflow: i32,
}

impl Score {
    pub(super) fn total(self) -> i32 {
        self.rows + self.columns + self.overflow
    }
}

impl Glassworks {
    /// Returns the score of a seat with these columns.
    #[inline]
    pub(super) fn score(&self, columns: Columns) -> Score {
        Score {
            rows: self.row_points(columns),
            columns: self.points_of_tallest_columns(columns),
            overflow: -self.loss(columns.overflow() as usize),
        }
    }

    /// Returns the points lost for a number of pieces of overflow.
    #[inline]
    pub(super) fn loss(&self, overflow: usize) -> i32 {
        overflow as i32 * self.data.glassworks.overflow_penalty.get() as i32
    }

    /// Returns the points that a seat has since the start of the game.
    #[inline]
    pub(super) fn start_points(&self, state: &State, seat: Seat) -> i32 {
        let steps = self.players + seat.index() - state.first_player.index();
        self.start_points[steps % self.players]
    }

    /// Returns true if the data file gives points to a turn position.
    pub(super) fn has_start_points(&self) -> bool {
        self.start_points != PerSeat::<i32>::default()
    }

    /// Returns the points of all rows. A row is filled without a gap up to the first column that is
    /// too low.
    #[inline]
    fn row_points(&self, columns: Columns) -> i32 {
        let mut filled = self.rows;
        let mut points = self.rows as i32 * self.row_points[0];
        for column in 0..self.columns {
            // The number of rows that are filled without a gap up to this column.
            filled = filled.min(columns.height(column));
            let step = self.row_points[column + 1] - self.row_points[column];
            points += filled as i32 * step;
        }
        points
    }

    #[inline]
    fn points_of_tallest_columns(&self, columns: Columns) -> i32 {
        if self.scored_columns != 2 {
            let tallest = self.tallest_columns(columns);
            return tallest.map(|column| self.points_of_column(columns, column)).sum();
        }
        // One pass over the columns: of equal heights, the leftmost has the highest key.
        let (mut first, mut second) = (0, 0);
        for column in 0..self.columns {
            let key = columns.height(column) * MAX_COLUMNS + (MAX_COLUMNS - 1 - column);
            second = second.max(first.min(key));
            first = first.max(key);
        }
        let points =
            |key: usize| self.column_points[MAX_COLUMNS - 1 - key % MAX_COLUMNS][key / MAX_COLUMNS];
        points(first) + points(second)
    }

    /// Returns the points of a column if it is among the tallest.
    pub(super) fn points_of_column(&self, columns: Columns, column: usize) -> i32 {
        self.column_points[column][columns.height(column)]
    }

    /// Returns the columns that score, the tallest first, the leftmost of equal ones first.
    #[inline]
    pub(super) fn tallest_columns(&self, columns: Columns) -> impl Iterator<Item = usize> {
        let mut left: [usize; MAX_COLUMNS] =
            std::array::from_fn(|column| columns.height(column) + 1);
        (0..self.scored_columns).map(move |_| {
            let tallest = (1..self.columns).fold(0, |tallest, column| {
                if left[column] > left[tallest] { column } else { tallest }
            });
            left[tallest] = 0;
            tallest
        })
    }
}
