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

const LEVEL: f64 = 0.95;

/// An estimated effect with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effect {
    /// Observations.
    pub n: i64,
    /// The effect; not a number if there are too few observations.
    pub value: f64,
    /// Its standard error; infinite if there are too few blocks.
    pub error: f64,
    /// Degrees of freedom of Student's t.
    pub freedom: f64,
}

impl Effect {
    /// No effect that could be estimated from so many observations.
    pub const fn unknown(n: i64) -> Self {
        Self { n, value: f64::NAN, error: f64::INFINITY, freedom: 1.0 }
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.freedom).ok().filter(|_| self.is_known())
    }

    /// Whether there is an estimate with an interval.
    pub fn is_known(&self) -> bool {
        self.value.is_finite() && self.error.is_finite()
    }

    /// The effect with its 95 % interval, whose ends are infinite where there are too few blocks.
    pub fn estimate(&self) -> Estimate {
        self.one_of(1)
    }

    /// [`Effect::estimate`] as one of several whose intervals are to hold all together with 95 % (Bonferroni).
    pub fn one_of(&self, effects: usize) -> Estimate {
        let Self { n, value, error, .. } = *self;
        let (low, high) = self.student().map_or((f64::NEG_INFINITY, f64::INFINITY), |t| {
            let half_width = t.inverse_cdf(1.0 - (1.0 - LEVEL) / 2.0 / effects as f64) * error;
            (value - half_width, value + half_width)
        });
        Estimate { n, value, low, high }
    }

    /// The chance that blocks without an effect in truth show one as great; not a number where there are too few blocks to tell.
    pub fn p(&self) -> f64 {
        match self.student() {
            // Blocks that do not vary at all leave no doubt: either there is no effect, or it is always the same.
            Some(_) if self.error == 0.0 => f64::from(u8::from(self.value == 0.0)),
            Some(t) => 2.0 * t.sf((self.value / self.error).abs()),
            None => f64::NAN,
        }
    }

    /// Whether the interval lies on one side of 0.
    pub fn is_significant(&self) -> bool {
        let Estimate { low, high, .. } = self.estimate();
        low > 0.0 || high < 0.0
    }

    /// The effect in another unit.
    #[must_use]
    pub fn in_units_of(self, unit: f64) -> Self {
        Self { value: self.value / unit, error: self.error / unit, ..self }
    }
}

/// Sums over blocks of two pairs of observations, from which two rates or means and their difference follow. The two may be of one game, as when
/// one seat has something and another has not, or of the same deal played twice. All are integers, so that sums in any grouping are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Paired {
    /// One side, A.
    pub a: Ratio,
    /// The other, B.
    pub b: Ratio,
    /// Sums over blocks of the products of A's n and x with B's: n·n, n·x, x·n and x·x.
    products: [i64; 4],
}

impl AddAssign for Paired {
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
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
        for (sum, product) in self.products.iter_mut().zip([a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]) {
            *sum += product;
        }
    }

    /// The difference B − A in the unit of `x / unit`, with as many degrees of freedom as the side with fewer blocks has.
    pub fn difference(&self, unit: i64) -> Effect {
        let blocks = self.a.blocks.min(self.b.blocks);
        let (n, value) = (self.a.n + self.b.n, self.b.value(unit) - self.a.value(unit));
        if blocks < FEWEST_BLOCKS {
            return Effect { value, ..Effect::unknown(n) };
        }
        let freedom = blocks as f64 - 1.0;
        let variance = self.spread() * blocks as f64 / freedom;
        Effect { n, value, error: variance.sqrt() / unit as f64, freedom }
    }

    /// The sum over blocks of the squares of what each adds to the difference.
    fn spread(&self) -> f64 {
        let own = |side: &Ratio| covariance([side.n, side.x], [side.n, side.x], [side.nn, side.nx, side.nx, side.xx]);
        let together = covariance([self.a.n, self.a.x], [self.b.n, self.b.x], self.products);
        (own(&self.a) + own(&self.b) - 2.0 * together).max(0.0)
    }
}

/// The covariance of two ratios Σx / Σn, given each side's (Σn, Σx) and the sums over blocks of the products n·n, n·x, x·n and x·x: that is
/// Σ (x − r n)(y − s m) / (Σn · Σm), multiplied out so that the cancelling terms cancel exactly.
pub(super) fn covariance(one: [i64; 2], other: [i64; 2], products: [i64; 4]) -> f64 {
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
        let Estimate { value, low, high, .. } = difference.estimate();
        assert_eq!((value, low, high, difference.p()), (0.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn one_observation_a_block_gives_the_paired_t_test() {
        // Differences 0, 1, 2, 3 five times over: mean 1.5, sd 1.14708, t = 1.5 / (1.14708 / √20) = 5.8481 with 19 degrees of freedom.
        let blocks: Vec<_> = (0..20).map(|block| ((1, 3 * block), (1, 3 * block + block % 4))).collect();
        let difference = of(&blocks).difference(1);
        assert!((difference.value - 1.5).abs() < 1e-12);
        assert!((difference.estimate().high - 1.5 - 2.093_02 * 0.256_495).abs() < 1e-4, "{difference:?}");
        assert!((difference.p() - 1.25e-5).abs() < 5e-7, "{difference:?}");
    }

    #[test]
    fn a_difference_that_is_always_the_same_is_certain() {
        let blocks: Vec<_> = (0..20).map(|block| ((1, block), (1, block + 2))).collect();
        let difference = of(&blocks).difference(1);
        assert_eq!((difference.estimate().low, difference.estimate().high, difference.p()), (2.0, 2.0, 0.0));
    }

    #[test]
    fn blocks_apart_have_the_interval_of_two_samples() {
        // 2, 4, 6, 8, 10 and 1, 2, 3, 4, 5, each four times: Welch's standard error is √(160/19/20 + 40/19/20) = 0.72548; t = −4.1352.
        let blocks: Vec<_> = (0..20).map(|block| 1 + block % 5).flat_map(|x| [((1, 2 * x), (0, 0)), ((0, 0), (1, x))]).collect();
        let difference = of(&blocks).difference(1);
        assert!((difference.value + 3.0).abs() < 1e-12 && (difference.error - (10.0_f64 / 19.0).sqrt()).abs() < 1e-9, "{difference:?}");
        // With 19 degrees of freedom P(|t| > 4.1352) = 0.00056264.
        assert!((difference.p() - 0.000_562_64).abs() < 1e-7, "{}", difference.p());
    }

    #[test]
    fn few_blocks_on_either_side_tell_nothing() {
        let blocks: Vec<_> = (0..100).map(|block| ((1, block % 2), if block < 19 { (1, 1) } else { (0, 0) })).collect();
        let difference = of(&blocks).difference(1);
        assert_eq!((difference.estimate().low, difference.estimate().high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(difference.p().is_nan());
        assert!((difference.value - 0.5).abs() < 1e-12);
        assert!(of(&[]).difference(1).value.is_nan());
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
