//! The observations of one block.

use crate::stats::ratio::{MeanSums, Ratio};

/// The number of observations of a rate or mean in one block, and their sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockSum {
    n: i64,
    x: i64,
}

impl BlockSum {
    /// Adds `n` observations with the sum `x`.
    #[inline]
    pub(crate) fn add(&mut self, n: i64, x: i64) {
        self.n += n;
        self.x += x;
    }

    /// Returns the number of observations and their sum.
    pub(crate) fn totals(self) -> (i64, i64) {
        (self.n, self.x)
    }

    /// Adds the block to the sums over blocks and resets itself for the next block.
    pub(crate) fn flush_into(&mut self, sums: &mut impl AddBlock) {
        sums.add_block(self.n, self.x);
        *self = Self::default();
    }
}

/// Sums over blocks.
pub(crate) trait AddBlock {
    /// Adds one block's observations.
    fn add_block(&mut self, n: i64, x: i64);
}

impl AddBlock for Ratio {
    fn add_block(&mut self, n: i64, x: i64) {
        self.add_block(n, x);
    }
}

impl AddBlock for MeanSums {
    fn add_block(&mut self, n: i64, x: i64) {
        self.add_block(n, x);
    }
}
