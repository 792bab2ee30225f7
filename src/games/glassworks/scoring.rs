//! The final score of River Valley Glassworks (rules §6).

use super::{
    Glassworks,
    state::{Columns, MAX_COLUMNS},
};

/// A seat's score in its parts, in points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Score {
    pub(super) rows: i32,
    pub(super) columns: i32,
    pub(super) overflow: i32,
}

impl Score {
    pub(super) fn parts(self) -> [(&'static str, i32); 3] {
        [("rows", self.rows), ("columns", self.columns), ("overflow", self.overflow)]
    }

    pub(super) fn total(self) -> i32 {
        self.rows + self.columns + self.overflow
    }
}

impl Glassworks {
    /// What these columns score.
    #[inline]
    pub(super) fn score(&self, columns: Columns) -> Score {
        Score {
            rows: self.row_points(columns),
            columns: self.column_points(columns),
            overflow: self.overflow_points(columns),
        }
    }

    fn overflow_points(&self, columns: Columns) -> i32 {
        -(columns.overflow() as i32 * self.data.glassworks.overflow_penalty.get() as i32)
    }

    /// A space is filled without a gap as far up as the lowest of its column and those to the left
    /// of it.
    #[inline]
    fn row_points(&self, columns: Columns) -> i32 {
        let mut lowest = self.rows;
        let mut points = 0;
        for column in 0..self.columns {
            let height = columns.height(column);
            if height < lowest {
                // The rows that end before this column.
                points += (lowest - height) as i32 * self.row_points[column];
                lowest = height;
            }
        }
        points + lowest as i32 * self.row_points[self.columns]
    }

    #[inline]
    fn column_points(&self, columns: Columns) -> i32 {
        let mut left: [usize; MAX_COLUMNS] =
            std::array::from_fn(|column| columns.height(column) + 1);
        let mut points = 0;
        for _ in 0..self.scored_columns {
            let column = tallest(&left[..self.columns]);
            left[column] = 0;
            points += self.single_column_points(columns, column);
        }
        points
    }

    /// What a column scores if it is among the tallest.
    pub(super) fn single_column_points(&self, columns: Columns, column: usize) -> i32 {
        self.column_points[column][columns.height(column)]
    }

    /// The columns that score, bit c for column c.
    pub(super) fn scoring_columns(&self, columns: Columns) -> u32 {
        let mut left: [usize; MAX_COLUMNS] =
            std::array::from_fn(|column| columns.height(column) + 1);
        (0..self.scored_columns).fold(0, |set, _| {
            let column = tallest(&left[..self.columns]);
            left[column] = 0;
            set | 1 << column
        })
    }
}

/// The tallest column, of several the leftmost.
#[inline]
fn tallest(heights: &[usize]) -> usize {
    (1..heights.len())
        .fold(0, |best, column| if heights[column] > heights[best] { column } else { best })
}
