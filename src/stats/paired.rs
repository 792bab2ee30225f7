//! Differences between two rates or means that were observed in the same blocks.
//!
//! A block that is lucky under one rule is often lucky under the other, so their difference varies less than if the blocks were others. Its
//! variance is that of the two ratio estimators less twice their covariance, all from the sums of squares and products over blocks (the delta
//! method; Cochran, *Sampling Techniques*, 1977, §6.11).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::ratio::{Estimate, Ratio};

/// Fewer blocks than this with an observation on either side say too little of how much blocks vary: there is no interval and no test then.
pub const FEWEST_BLOCKS: u64 = 20;

/// Sums over blocks of two pairs of observations, from which two rates or means and their difference follow. All are integers, so that sums in
/// any grouping are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Paired {
    /// One side, A.
    pub a: Ratio,
    /// The other, B.
    pub b: Ratio,
    /// Blocks with an observation on either side.
    blocks: u64,
    /// Sums over blocks of the products of A's n and x with B's: n·n, n·x, x·n and x·x.
    products: [i64; 4],
}

/// The difference between two rates or means, B − A.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The difference with its interval, and the observations of both sides together. Its ends are infinite where there are too few blocks.
    pub estimate: Estimate,
    /// The chance that blocks without a difference in truth show one as great; not a number where there are too few blocks to tell.
    pub p: f64,
}

impl AddAssign for Paired {
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
        self.blocks += other.blocks;
        for (mine, theirs) in self.products.iter_mut().zip(other.products) {
            *mine += theirs;
        }
    }
}

impl Paired {
    /// Adds one block's observations, (n, x) of each side.
    #[inline]
    pub fn add_block(&mut self, a: (i64, i64), b: (i64, i64)) {
        self.a.add_block(a.0, a.1);
        self.b.add_block(b.0, b.1);
        self.blocks += u64::from([a.0, a.1, b.0, b.1] != [0; 4]);
        for (sum, product) in self.products.iter_mut().zip([a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]) {
            *sum += product;
        }
    }

    /// The difference in the unit of `x / unit`, with its 95 % interval.
    pub fn difference(&self, unit: i64) -> Difference {
        self.one_of(unit, 1)
    }

    /// [`Paired::difference`] as one of several whose intervals are to hold all together with 95 % (Bonferroni).
    pub fn one_of(&self, unit: i64, differences: usize) -> Difference {
        let unit = unit as f64;
        let n = self.a.n + self.b.n;
        let value = self.b.value(unit) - self.a.value(unit);
        let unknown = Difference { estimate: Estimate { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY }, p: f64::NAN };
        if self.a.n == 0 || self.b.n == 0 || self.a.blocks.min(self.b.blocks) < FEWEST_BLOCKS {
            return unknown;
        }
        let Ok(student) = StudentsT::new(0.0, 1.0, self.blocks as f64 - 1.0) else { return unknown };
        let error = self.variance().sqrt() / unit;
        let half_width = student.inverse_cdf(1.0 - 0.025 / differences as f64) * error;
        // Blocks that do not vary at all leave no doubt: either nothing differs, or everything does by as much.
        let p = if value == 0.0 { 1.0 } else { 2.0 * student.sf(value.abs() / error) };
        Difference { estimate: Estimate { n, value, low: value - half_width, high: value + half_width }, p }
    }

    fn variance(&self) -> f64 {
        let own = |side: &Ratio| covariance([side.n, side.x], [side.n, side.x], [side.nn, side.nx, side.nx, side.xx]);
        let together = covariance([self.a.n, self.a.x], [self.b.n, self.b.x], self.products);
        let blocks = self.blocks as f64;
        (own(&self.a) + own(&self.b) - 2.0 * together).max(0.0) * blocks / (blocks - 1.0)
    }
}

/// The covariance of two ratios Σx / Σn, given each side's (Σn, Σx) and the sums over blocks of the products n·n, n·x, x·n and x·x: that is
/// Σ (x − r n)(y − s m) / (Σn · Σm), multiplied out so that the cancelling terms cancel exactly.
fn covariance(one: [i64; 2], other: [i64; 2], products: [i64; 4]) -> f64 {
    let ([n, x], [m, y]) = (one.map(i128::from), other.map(i128::from));
    let [nm, ny, xm, xy] = products.map(i128::from);
    let spread = xy * n * m - xm * n * y - ny * x * m + nm * x * y;
    spread as f64 / (n as f64 * m as f64).powi(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// (n, x) of each side.
    type Block = ((i64, i64), (i64, i64));

    fn of(blocks: &[Block]) -> Paired {
        let mut paired = Paired::default();
        for &(a, b) in blocks {
            paired.add_block(a, b);
        }
        paired
    }

    #[test]
    fn a_thing_and_itself_differ_by_nothing() {
        let blocks: Vec<_> = (0..50).map(|block| ((1 + block % 3, block % 7), (1 + block % 3, block % 7))).collect();
        let difference = of(&blocks).difference(60);
        let Estimate { value, low, high, .. } = difference.estimate;
        assert_eq!((value, low, high, difference.p), (0.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn one_observation_a_block_gives_the_paired_t_test() {
        // Differences 0, 1, 2, 3 five times over: mean 1.5, sd 1.14708, t = 1.5 / (1.14708 / √20) = 5.8481 with 19 degrees of freedom.
        let blocks: Vec<_> = (0..20).map(|block| ((1, 3 * block), (1, 3 * block + block % 4))).collect();
        let difference = of(&blocks).difference(1);
        assert!((difference.estimate.value - 1.5).abs() < 1e-12);
        assert!((difference.estimate.high - 1.5 - 2.093_02 * 0.256_495).abs() < 1e-4, "{difference:?}");
        assert!((difference.p - 1.25e-5).abs() < 5e-7, "{difference:?}");
    }

    #[test]
    fn a_difference_that_is_always_the_same_is_certain() {
        let blocks: Vec<_> = (0..20).map(|block| ((1, block), (1, block + 2))).collect();
        let difference = of(&blocks).difference(1);
        assert_eq!((difference.estimate.low, difference.estimate.high, difference.p), (2.0, 2.0, 0.0));
    }

    #[test]
    fn few_blocks_on_either_side_tell_nothing() {
        let blocks: Vec<_> = (0..100).map(|block| ((1, block % 2), if block < 19 { (1, 1) } else { (0, 0) })).collect();
        let difference = of(&blocks).difference(1);
        assert_eq!((difference.estimate.low, difference.estimate.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(difference.p.is_nan());
        assert!((difference.estimate.value - 0.5).abs() < 1e-12);
        assert!(of(&[]).difference(1).estimate.value.is_nan());
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_grouping(
            blocks in prop::collection::vec(((0..5_i64, 0..300_i64), (0..5_i64, 0..300_i64)), 0..40),
            cut in 0..40_usize,
        ) {
            let cut = cut.min(blocks.len());
            let mut parts = of(&blocks[cut..]);
            parts += of(&blocks[..cut]);
            prop_assert_eq!(parts, of(&blocks));
        }
    }
}
