//! Rates and means whose unit of observation is the block.
//!
//! Games of a block share their deal, so they are not independent; blocks are. A rate is the ratio of two sums over blocks, x of what
//! happened to n of what could have, and its variance comes from how x − rate · n varies between blocks (the ratio estimator for cluster
//! samples; Cochran, *Sampling Techniques*, 1977, §9A).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Sums over blocks from which a rate or a mean and its interval follow. All are integers, so that sums in any grouping are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "(u64, [i64; 5])", into = "(u64, [i64; 5])")]
pub struct Ratio {
    /// Blocks with an observation.
    pub blocks: u64,
    /// Observations.
    pub n: i64,
    /// What the observations add up to.
    pub x: i64,
    /// Sums over blocks of n², n·x and x².
    pub(super) nn: i64,
    pub(super) nx: i64,
    pub(super) xx: i64,
}

impl From<(u64, [i64; 5])> for Ratio {
    fn from((blocks, [n, x, nn, nx, xx]): (u64, [i64; 5])) -> Self {
        Self { blocks, n, x, nn, nx, xx }
    }
}

impl From<Ratio> for (u64, [i64; 5]) {
    fn from(Ratio { blocks, n, x, nn, nx, xx }: Ratio) -> Self {
        (blocks, [n, x, nn, nx, xx])
    }
}

impl AddAssign for Ratio {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.n += other.n;
        self.x += other.x;
        self.nn += other.nn;
        self.nx += other.nx;
        self.xx += other.xx;
    }
}

/// An estimate with its 95 % interval. Without enough blocks for an interval its ends are the limits of what is possible.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Observations.
    pub n: i64,
    /// The rate or mean; not a number if there is no observation.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

const LEVEL: f64 = 0.95;

/// How many standard errors the interval of an estimate from this many blocks reaches: the quantile of Student's t.
pub(super) fn quantile(blocks: u64) -> f64 {
    let freedom = (blocks as f64 - 1.0).max(1.0);
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + LEVEL / 2.0))
}

impl Ratio {
    /// Adds one block's observations.
    #[inline]
    pub fn add_block(&mut self, n: i64, x: i64) {
        if n > 0 || x != 0 {
            *self += Self { blocks: 1, n, x, nn: n * n, nx: n * x, xx: x * x };
        }
    }

    /// The ratio x / (n · unit); not a number if there is no observation.
    pub fn value(&self, unit: i64) -> f64 {
        self.x as f64 / (self.n as f64 * unit as f64)
    }

    /// The variance of [`Ratio::value`] as estimated from the blocks; infinite with fewer than two.
    fn variance(&self, unit: f64) -> f64 {
        if self.blocks < 2 {
            return f64::INFINITY;
        }
        // Σ (x − r n)² with r = Σx / Σn, multiplied by (Σn)² so that the cancelling terms cancel exactly.
        let [n, x, nn, nx, xx] = [self.n, self.x, self.nn, self.nx, self.xx].map(i128::from);
        let spread = xx * n * n - 2 * nx * x * n + nn * x * x;
        let blocks = self.blocks as f64;
        spread as f64 / (n as f64).powi(4) * blocks / (blocks - 1.0) / (unit * unit)
    }

    fn quantile(&self) -> f64 {
        quantile(self.blocks)
    }

    /// A rate between 0 and 1, where every observation adds 0 to `unit` to x.
    ///
    /// The interval is Wilson's (1927) with the effective number of observations, that is the number of independent ones that would vary as
    /// much as the blocks do (Korn and Graubard 1998): fewer than there are where the games of a block move together, more where they balance
    /// each other. Where blocks do not vary at all, each block counts as one observation.
    pub fn rate(&self, unit: i64) -> Estimate {
        self.rate_within(unit, self.quantile())
    }

    /// [`Ratio::rate`] with an interval that reaches so many standard errors.
    pub fn rate_within(&self, unit: i64, reach: f64) -> Estimate {
        if self.n == 0 {
            return Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };
        }
        let value = self.value(unit);
        let variance = self.variance(unit as f64);
        let effective = if variance > 0.0 && variance.is_finite() { value * (1.0 - value) / variance } else { self.blocks as f64 };
        let squared = reach.powi(2);
        let centre = (value + squared / (2.0 * effective)) / (1.0 + squared / effective);
        let spread = (value * (1.0 - value) / effective + squared / (4.0 * effective * effective)).max(0.0);
        let half_width = reach / (1.0 + squared / effective) * spread.sqrt();
        Estimate { n: self.n, value, low: (centre - half_width).max(0.0).min(value), high: (centre + half_width).min(1.0).max(value) }
    }

    /// The sums as they would be after this many blocks, if all were like the blocks so far.
    #[must_use]
    pub fn in_proportion(&self, blocks: u64, so_far: u64) -> Self {
        let scaled = |sum: i64| (i128::from(sum) * i128::from(blocks) / i128::from(so_far.max(1))) as i64;
        let [n, x, nn, nx, xx] = [self.n, self.x, self.nn, self.nx, self.xx].map(scaled);
        Self { blocks: scaled(self.blocks as i64) as u64, n, x, nn, nx, xx }
    }

    /// A mean without bounds, with Student's interval over blocks.
    pub fn mean(&self) -> Estimate {
        if self.n == 0 {
            return Estimate { n: 0, value: f64::NAN, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let value = self.value(1);
        let half_width = self.quantile() * self.variance(1.0).sqrt();
        Estimate { n: self.n, value, low: value - half_width, high: value + half_width }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(blocks: &[(i64, i64)]) -> Ratio {
        let mut ratio = Ratio::default();
        for &(n, x) in blocks {
            ratio.add_block(n, x);
        }
        ratio
    }

    #[test]
    fn one_game_a_block_gives_the_interval_of_independent_games() {
        // 30 wins in 100 games. Wilson's interval with n = 99.0 (the effective number) and the t quantile 1.98422.
        let blocks: Vec<_> = (0..100).map(|game| (1, i64::from(game < 30))).collect();
        let rate = of(&blocks).rate(1);
        assert_eq!(rate.n, 100);
        assert!((rate.value - 0.3).abs() < 1e-12);
        assert!((rate.low - 0.2182).abs() < 5e-4 && (rate.high - 0.3972).abs() < 5e-4, "{rate:?}");
    }

    #[test]
    fn blocks_that_always_split_leave_no_doubt_but_that_of_few_blocks() {
        let rate = of(&[(2, 1); 50]).rate(1);
        assert!((rate.value - 0.5).abs() < 1e-12);
        assert!(rate.low > 0.35 && rate.high < 0.65, "{rate:?}");
    }

    #[test]
    fn games_that_move_together_widen_the_interval() {
        let apart: Vec<_> = (0..200).map(|block| (1, block % 2)).collect();
        let together: Vec<_> = (0..100).map(|block| (2, 2 * (block % 2))).collect();
        let (apart, together) = (of(&apart).rate(1), of(&together).rate(1));
        assert!(together.high - together.low > 1.3 * (apart.high - apart.low));
    }

    #[test]
    fn mean_has_students_interval() {
        // 1, 2, 3, 4: mean 2.5, standard error 0.6455, t quantile for 3 degrees of freedom 3.1824.
        let mean = of(&[(1, 1), (1, 2), (1, 3), (1, 4)]).mean();
        assert!((mean.value - 2.5).abs() < 1e-12);
        assert!((mean.high - 2.5 - 3.1824 * 0.6455).abs() < 1e-3, "{mean:?}");
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_grouping(blocks in prop::collection::vec((0..5_i64, 0..300_i64), 0..40), cut in 0..40_usize) {
            let cut = cut.min(blocks.len());
            let mut parts = of(&blocks[cut..]);
            parts += of(&blocks[..cut]);
            prop_assert_eq!(parts, of(&blocks));
        }

        #[test]
        fn the_interval_holds_the_rate(blocks in prop::collection::vec((1..5_i64, 0..100_i64), 1..40)) {
            let blocks: Vec<_> = blocks.into_iter().map(|(n, percent)| (n, n * 60 * percent / 100)).collect();
            let rate = of(&blocks).rate(60);
            prop_assert!(0.0 <= rate.low && rate.low <= rate.value && rate.value <= rate.high && rate.high <= 1.0);
        }
    }
}
