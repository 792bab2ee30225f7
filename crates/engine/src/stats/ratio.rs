//! Rates with the block as sampling unit.
//!
//! Games of a block share their deal, so only blocks are independent. A rate is the ratio of two
//! sums over blocks, the sum x of the observations and their number n. Its variance follows from
//! the residuals x − rate · n of the blocks (the ratio estimator for cluster samples; Cochran,
//! *Sampling Techniques*, 1977, §9A).

use serde::{Deserialize, Serialize};

use super::{Merge, student, tally};

tally! {
    /// Sums over blocks for a rate or a mean and its interval. All sums are integers, so they do
    /// not depend on grouping.
    ///
    /// ``` use watershed::stats::ratio::Ratio;
    ///
    /// // 100 blocks of 2 games: a bot wins both games of every fourth block, and 1 of the others.
    /// let mut wins = Ratio::default(); for block in 0..100 { wins.add_block(2, if block % 4 == 0 {
    /// 2 } else { 1 }); } let rate = wins.rate(1); assert_eq!((rate.n, rate.value), (200, 0.625));
    /// assert!(0.57 < rate.low && rate.low < 0.60, "{rate:?}"); assert!(0.65 < rate.high &&
    /// rate.high < 0.68, "{rate:?}"); ```
    #[derive(Copy)]
    #[serde(from = "(u64, [i64; 5])", into = "(u64, [i64; 5])")]
    pub struct Ratio {
        /// Number of blocks with an observation.
        pub blocks: u64,
        /// Number of observations.
        pub n: i64,
        /// Sum of the observations.
        pub x: i64,
        /// Sum over blocks of n².
        nn: i64,
        /// Sum over blocks of n·x.
        nx: i64,
        /// Sum over blocks of x².
        xx: i64,
    }
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

/// An estimate with its 95 % confidence interval. With too few blocks, the interval contains all
/// possible values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Number of observations.
    pub n: i64,
    /// The rate or mean; not a number if there is no observation.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Creates an estimate with the interval value ± half-width.
    pub(super) fn symmetric(n: i64, value: f64, half_width: f64) -> Self {
        Self { n, value, low: value - half_width, high: value + half_width }
    }

    /// Creates an estimate with an unbounded interval.
    pub const fn unbounded(n: i64, value: f64) -> Self {
        Self { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// Returns the estimate of a function of the value that grows with it.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        let [value, low, high] = [self.value, self.low, self.high].map(function);
        Self { value, low, high, ..self }
    }

    /// Returns the estimate with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { n: self.n, value: -self.value, low: -self.high, high: -self.low }
    }

    /// Returns the estimate of 1 minus this share.
    #[must_use]
    pub fn complement(self) -> Self {
        Self { n: self.n, value: 1.0 - self.value, low: 1.0 - self.high, high: 1.0 - self.low }
    }
}

/// Smallest number of blocks for the interval of a mean.
pub const MIN_BLOCKS_OF_MEAN: u64 = 30;

/// Returns the half-width of the 95 % interval of an estimate from this many blocks, in standard
/// errors.
pub(super) fn critical_value(blocks: u64) -> f64 {
    student::critical_value((blocks as f64 - 1.0).max(1.0))
}

/// Sums over blocks of the products of n and x of one ratio with n and x of another: n·n, n·x, x·n
/// and x·x.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Products([i64; 4]);

impl Merge for Products {
    #[inline]
    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }
}

impl Products {
    /// Adds one block: (n, x) of both ratios.
    #[inline]
    pub fn add_block(&mut self, (n, x): (i64, i64), (m, y): (i64, i64)) {
        self.add_blocks(1, (n, x), (m, y));
    }

    /// Adds several equal blocks, as [`Self::add_block`] for each.
    #[inline]
    pub(super) fn add_blocks(&mut self, blocks: i64, (n, x): (i64, i64), (m, y): (i64, i64)) {
        self.0.merge(&[n * m, n * y, x * m, x * y].map(|product| blocks * product));
    }

    /// Returns Σ (x − r n)(y − s m) over blocks for the ratios r = Σx / Σn and s = Σy / Σm, given
    /// the sums (Σn, Σx) and (Σm, Σy); not a number if one of them has no observations.
    ///
    /// Integer multiples of n and m are subtracted from x and y first. The remainder is multiplied
    /// by Σn · Σm, so cancelling terms cancel exactly. If the products exceed 128 bits, floating
    /// point is used.
    fn residuals(&self, (n, x): (i64, i64), (m, y): (i64, i64)) -> f64 {
        let [n, x, m, y] = [n, x, m, y].map(i128::from);
        let [nm, ny, xm, xy] = self.0.map(i128::from);
        if n == 0 || m == 0 {
            return f64::NAN;
        }
        let (whole_x, whole_y) = (x.div_euclid(n), y.div_euclid(m));
        let (x, y) = (x - whole_x * n, y - whole_y * m);
        let xy = xy - whole_y * xm - whole_x * ny + whole_x * whole_y * nm;
        let (xm, ny) = (xm - whole_x * nm, ny - whole_y * nm);
        let product =
            |factors: [i128; 3]| factors[0].checked_mul(factors[1])?.checked_mul(factors[2]);
        let exact = || {
            product([xy, n, m])?
                .checked_sub(product([xm, n, y])?)?
                .checked_sub(product([ny, x, m])?)?
                .checked_add(product([nm, x, y])?)
        };
        if let Some(exact) = exact() {
            return exact as f64 / (n as f64 * m as f64);
        }
        let [rate_x, rate_y] = [x as f64 / n as f64, y as f64 / m as f64];
        xy as f64 - rate_y * xm as f64 - rate_x * ny as f64 + rate_x * rate_y * nm as f64
    }

    /// Returns the covariance of the ratios r and s over blocks, without the factor N / (N − 1) for
    /// N blocks, given the sums (Σn, Σx) and (Σm, Σy).
    pub(super) fn covariance(&self, one: (i64, i64), other: (i64, i64)) -> f64 {
        self.residuals(one, other) / (one.0 as f64 * other.0 as f64)
    }
}

impl Ratio {
    /// Adds one block: the number of observations and their sum.
    #[inline]
    pub fn add_block(&mut self, n: i64, x: i64) {
        self.add_blocks(1, n, x);
    }

    /// Adds several equal blocks, as [`Self::add_block`] for each.
    #[inline]
    pub fn add_blocks(&mut self, blocks: i64, n: i64, x: i64) {
        if n > 0 || x != 0 {
            self.blocks += blocks as u64;
            self.n += blocks * n;
            self.x += blocks * x;
            self.nn += blocks * n * n;
            self.nx += blocks * n * x;
            self.xx += blocks * x * x;
        }
    }

    /// Returns the ratio with the blocks and observations of another one, among which are its own:
    /// the sum of the observations of all other blocks is 0.
    pub(super) const fn with_observations_of(&self, all: &Self) -> Self {
        Self { blocks: all.blocks, n: all.n, nn: all.nn, ..*self }
    }

    /// Returns the number of observations and their sum.
    pub const fn totals(&self) -> (i64, i64) {
        (self.n, self.x)
    }

    /// Returns x / (n · unit); not a number without observations.
    pub fn value(&self, unit: i64) -> f64 {
        self.x as f64 / (self.n as f64 * unit as f64)
    }

    /// Returns the estimated variance of [`Ratio::value`]; infinite with fewer than 2 blocks.
    pub(super) fn variance(&self, unit: f64) -> f64 {
        if self.blocks < 2 {
            return f64::INFINITY;
        }
        let blocks = self.blocks as f64;
        self.residuals().max(0.0) / (self.n as f64 * unit).powi(2) * blocks / (blocks - 1.0)
    }

    /// Returns the sum over blocks of the squared residuals.
    pub(super) fn residuals(&self) -> f64 {
        self.squares().residuals(self.totals(), self.totals())
    }

    /// Returns the sum over blocks of the squared residuals about the rate of another ratio.
    pub(super) fn residuals_about(&self, whole: &Self) -> f64 {
        self.squares().residuals(whole.totals(), whole.totals())
    }

    /// Returns the variance of the ratio over blocks without the factor N / (N − 1) for N blocks.
    pub(super) fn uncorrected_variance(&self) -> f64 {
        self.squares().covariance(self.totals(), self.totals())
    }

    const fn squares(&self) -> Products {
        Products([self.nn, self.nx, self.nx, self.xx])
    }

    /// Returns a rate between 0 and 1 with its interval. Each observation adds 0 to `unit` to x.
    ///
    /// The interval is Wilson's (1927) with the effective number of observations p (1 − p) /
    /// variance, the number of independent observations with the same variance (Korn and Graubard
    /// 1998). It is lower than n if the games of a block are positively correlated, and higher if
    /// they are negatively correlated. If blocks do not vary, each block counts as one observation.
    pub fn rate(&self, unit: i64) -> Estimate {
        self.rate_with_critical_value(unit, critical_value(self.blocks))
    }

    /// Returns [`Ratio::rate`] with an interval of this level, between 0 and 1.
    pub fn rate_at(&self, unit: i64, level: f64) -> Estimate {
        let freedom = (self.blocks as f64 - 1.0).max(1.0);
        self.rate_with_critical_value(unit, student::quantile(0.5 + level / 2.0, freedom))
    }

    /// Returns [`Ratio::rate`] with this half-width of the interval in standard errors.
    pub fn rate_with_critical_value(&self, unit: i64, critical: f64) -> Estimate {
        if self.n == 0 {
            return Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };
        }
        let value = self.value(unit);
        let variance = self.variance(unit as f64);
        // Not positive only if observations are outside of their range.
        let variance_of_one = value * (1.0 - value);
        let effective = if variance > 0.0 && variance.is_finite() && variance_of_one > 0.0 {
            variance_of_one / variance
        } else {
            self.blocks as f64
        };
        let squared = critical.powi(2);
        let centre = (value + squared / (2.0 * effective)) / (1.0 + squared / effective);
        let spread =
            (variance_of_one / effective + squared / (4.0 * effective * effective)).max(0.0);
        let half_width = critical / (1.0 + squared / effective) * spread.sqrt();
        Estimate {
            n: self.n,
            value,
            low: (centre - half_width).max(0.0).min(value),
            high: (centre + half_width).min(1.0).max(value),
        }
    }

    /// Returns the sums of the share that is observed, if each of `blocks` blocks has `per_block`
    /// possible observations.
    #[must_use]
    pub fn share_observed(&self, blocks: u64, per_block: i64) -> Self {
        let possible = blocks as i64 * per_block;
        let (nn, nx) = (possible * per_block, self.n * per_block);
        Self { blocks, n: possible, x: self.n, nn, nx, xx: self.nn }
    }

    /// Returns the sums that are expected after `blocks` blocks if all are like the `so_far`
    /// blocks.
    #[must_use]
    pub fn scaled_to_blocks(&self, blocks: u64, so_far: u64) -> Self {
        let scaled =
            |sum: i64| (i128::from(sum) * i128::from(blocks) / i128::from(so_far.max(1))) as i64;
        let [n, x, nn, nx, xx] = [self.n, self.x, self.nn, self.nx, self.xx].map(scaled);
        Self { blocks: scaled(self.blocks as i64) as u64, n, x, nn, nx, xx }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::assert_close, *};

    fn ratio_of(blocks: &[(i64, i64)]) -> Ratio {
        let mut ratio = Ratio::default();
        for &(n, x) in blocks {
            ratio.add_block(n, x);
        }
        ratio
    }

    #[test]
    fn one_game_per_block_gives_the_wilson_interval() {
        // 30 wins in 100 games. Wilson's interval with n = 99.0 (the effective number) and the t
        // quantile 1.98422.
        let blocks: Vec<_> = (0..100).map(|game| (1, i64::from(game < 30))).collect();
        let rate = ratio_of(&blocks).rate(1);
        assert_eq!(rate.n, 100);
        assert_close(rate.value, 0.3, 1e-12);
        assert_close(rate.low, 0.2182, 5e-4);
        assert_close(rate.high, 0.3972, 5e-4);
    }

    #[test]
    fn constant_blocks_count_as_one_observation_each() {
        let rate = ratio_of(&[(2, 1); 50]).rate(1);
        assert_close(rate.value, 0.5, 1e-12);
        assert!(rate.low > 0.35 && rate.high < 0.65, "{rate:?}");
    }

    #[test]
    fn positive_correlation_within_blocks_widens_the_interval() {
        let independent: Vec<_> = (0..200).map(|block| (1, block % 2)).collect();
        let correlated: Vec<_> = (0..100).map(|block| (2, 2 * (block % 2))).collect();
        let [independent, correlated] =
            [independent, correlated].map(|blocks| ratio_of(&blocks).rate(1));
        assert!(correlated.high - correlated.low > 1.3 * (independent.high - independent.low));
    }

    #[test]
    fn width_of_a_rate_interval_scales_with_the_number_of_blocks() {
        for power in [2, 4, 6, 7, 8, 9] {
            let blocks = 10_u64.pow(power);
            let [n, half] = [blocks as i64, blocks as i64 / 2];
            let rate = Ratio::from((blocks, [n, 60 * half, n, 60 * half, 3600 * half])).rate(60);
            let expected = 1.96 * 0.5 / (blocks as f64).sqrt();
            assert_close((rate.high - rate.low) / 2.0 / expected, 1.0, 0.03);
        }
    }

    proptest! {
        #[test]
        fn interval_contains_the_rate(
            blocks in prop::collection::vec((1..5_i64, 0..100_i64), 1..40),
        ) {
            let blocks: Vec<_> =
                blocks.into_iter().map(|(n, percent)| (n, n * 60 * percent / 100)).collect();
            let Estimate { value, low, high, .. } = ratio_of(&blocks).rate(60);
            prop_assert!(0.0 <= low && low <= value && value <= high && high <= 1.0);
        }
    }
}
