//! Paired differences: two rates or means observed in the same blocks.
//!
//! Both sides share the deal of a block, so their difference varies less than that of independent
//! blocks. Its variance is Var(a) + Var(b) − 2 Cov(a, b) of the two ratio estimators, from the sums
//! of squares and products over blocks (the delta method; Cochran, *Sampling Techniques*, 1977,
//! §6.11).

use super::{
    mean::{Cubes, MeanSums},
    ratio::{Estimate, Products, Ratio},
    student::{self, LEVEL},
    tally,
};

/// Smallest number of blocks with an observation, on each side, for an interval or a test. The
/// variance between fewer blocks is too uncertain.
pub const MIN_BLOCKS: u64 = 20;

/// The limits of an unbounded effect.
const NO_LIMITS: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// An estimated effect with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effect {
    /// Number of observations.
    pub n: i64,
    /// The estimate; not a number if there are too few observations.
    pub value: f64,
    /// Standard error; infinite if there are too few blocks, and 0 if the blocks do not vary.
    pub standard_error: f64,
    /// Degrees of freedom of Student's t.
    pub degrees_of_freedom: f64,
    /// Smallest and largest possible value; infinite if unknown.
    pub limits: [f64; 2],
    /// Number of effects whose intervals all hold at once with the confidence of one (Bonferroni).
    pub comparisons: u32,
}

impl Effect {
    /// Creates an effect without known limits.
    pub const fn new(n: i64, value: f64, standard_error: f64, degrees_of_freedom: f64) -> Self {
        Self { n, value, standard_error, degrees_of_freedom, limits: NO_LIMITS, comparisons: 1 }
    }

    /// Creates an effect that cannot be estimated from `n` observations.
    pub const fn unknown(n: i64) -> Self {
        Self::new(n, f64::NAN, f64::INFINITY, 1.0)
    }

    /// Creates the effect that is a rate between 0 and 1. Each observation adds 0 to `unit` to x.
    pub fn of_rate(rate: &Ratio, unit: i64) -> Self {
        Self { limits: [0.0, 1.0], ..Self::of_mean(rate, unit) }
    }

    /// Creates the effect that is a mean, in units of `unit`.
    pub fn of_mean(sums: &Ratio, unit: i64) -> Self {
        let (blocks, standard_error) = (sums.blocks as f64, sums.variance(unit as f64).sqrt());
        Self::new(sums.n, sums.value(unit), standard_error, blocks - 1.0)
    }

    /// Returns the effect minus an independent one, with the degrees of freedom of the first.
    #[must_use]
    pub fn minus(self, other: &Self) -> Self {
        let standard_error = self.standard_error.hypot(other.standard_error);
        Self::new(self.n, self.value - other.value, standard_error, self.degrees_of_freedom)
    }

    /// Returns true if the effect has a positive standard error, and therefore a test.
    pub fn is_testable(&self) -> bool {
        self.value.is_finite() && self.standard_error.is_finite() && self.standard_error > 0.0
    }

    /// Returns true if there are enough blocks but none of them vary. The variance between blocks
    /// is then unknown, and there is no test.
    pub fn is_constant(&self) -> bool {
        self.value.is_finite() && self.standard_error == 0.0
    }

    /// Returns the effect with its 95 % confidence interval, which is unbounded if there are too
    /// few blocks.
    ///
    /// If none of N blocks varies and the effect has limits, at most a share 1 − 0.05^(1/N) of all
    /// blocks differs, with 95 % confidence (Clopper and Pearson 1934; about 3/N). The interval
    /// assumes that these blocks are at the limits. Without limits it is unbounded.
    pub fn estimate(&self) -> Estimate {
        self.estimate_at(1.0 - (1.0 - LEVEL) / f64::from(self.comparisons))
    }

    /// Returns the effect with its confidence interval of this level, such as 0.95.
    pub fn estimate_at(&self, level: f64) -> Estimate {
        let Self { n, value, standard_error, degrees_of_freedom, limits, .. } = *self;
        if self.is_testable() {
            let critical = student::quantile(0.5 + level / 2.0, degrees_of_freedom);
            let half_width = critical * standard_error;
            let [low, high] = [value - half_width, value + half_width];
            Estimate { n, value, low: low.max(limits[0]), high: high.min(limits[1]) }
        } else if self.is_constant() && limits.iter().all(|limit| limit.is_finite()) {
            let share = 1.0 - (1.0 - level).powf(1.0 / (degrees_of_freedom + 1.0));
            let [low, high] = limits.map(|limit| value + share * (limit - value));
            Estimate { n, value, low, high }
        } else {
            Estimate::unbounded(n, value)
        }
    }

    /// Returns the two-sided p-value of Student's t test; not a number if the effect is not
    /// testable.
    pub fn p_value(&self) -> f64 {
        if self.is_testable() {
            student::two_sided_p(self.value / self.standard_error, self.degrees_of_freedom)
        } else {
            f64::NAN
        }
    }

    /// Converts the effect to another unit.
    #[must_use]
    pub fn in_units_of(self, unit: f64) -> Self {
        Self {
            value: self.value / unit,
            standard_error: self.standard_error / unit,
            limits: self.limits.map(|limit| limit / unit),
            ..self
        }
    }
}

tally! {
    /// Sums over blocks for two rates or means and their difference. The two sides are groups of
    /// seats of the same games, or the same deals played twice. All sums are integers, so they do
    /// not depend on grouping.
    #[derive(Copy)]
    pub struct PairedSums {
        /// The side that is subtracted.
        pub control: Ratio,
        /// The side from which the control is subtracted.
        pub treatment: Ratio,
        /// Sums of products of the control with the treatment.
        products: Products,
        /// Sums of third powers of control and treatment.
        cubes: [Cubes; 2],
    }
}

impl PairedSums {
    /// Adds one block: the number of observations and their sum on each side.
    #[inline]
    pub fn add_block(&mut self, control: (i64, i64), treatment: (i64, i64)) {
        self.add_blocks(1, control, treatment);
    }

    /// Adds several equal blocks, as [`Self::add_block`] for each.
    pub fn add_blocks(&mut self, blocks: i64, control: (i64, i64), treatment: (i64, i64)) {
        self.control.add_blocks(blocks, control.0, control.1);
        self.treatment.add_blocks(blocks, treatment.0, treatment.1);
        self.products.add_blocks(blocks, control, treatment);
        for (sums, (n, x)) in self.cubes.iter_mut().zip([control, treatment]) {
            sums.add_blocks(blocks, n, x);
        }
    }

    /// Returns the means of control and treatment with their intervals.
    pub fn means(&self) -> [Estimate; 2] {
        let [control, treatment] = self.cubes;
        [(self.control, control), (self.treatment, treatment)]
            .map(|(ratio, cubes)| MeanSums { ratio, cubes }.mean())
    }

    /// Returns treatment minus control, where 1 is `unit` units of x. The degrees of freedom are
    /// those of the side with fewer blocks.
    pub fn difference(&self, unit: i64) -> Effect {
        let blocks = self.control.blocks.min(self.treatment.blocks);
        let n = self.control.n + self.treatment.n;
        let value = self.treatment.value(unit) - self.control.value(unit);
        if blocks < MIN_BLOCKS {
            return Effect { value, ..Effect::unknown(n) };
        }
        let freedom = blocks as f64 - 1.0;
        let variances = self.control.uncorrected_variance() + self.treatment.uncorrected_variance();
        let covariance = self.products.covariance(self.control.totals(), self.treatment.totals());
        let variance = positive_part(variances, 2.0 * covariance) * blocks as f64 / freedom;
        Effect::new(n, value, variance.sqrt() / unit as f64, freedom)
    }

    /// Returns treatment minus control of rates between 0 and 1: [`PairedSums::difference`] with
    /// the limits −1 and 1.
    pub fn difference_of_rates(&self, unit: i64) -> Effect {
        Effect { limits: [-1.0, 1.0], ..self.difference(unit) }
    }
}

/// Returns the mean of differences of rates between −1 and 1, given their sums over blocks in units
/// of 1/`unit`. The degrees of freedom are the blocks minus 1.
pub fn mean_of_differences(sums: &Ratio, unit: i64) -> Effect {
    let value = sums.value(unit);
    if sums.blocks < MIN_BLOCKS {
        return Effect { value, limits: [-1.0, 1.0], ..Effect::unknown(sums.n) };
    }
    let blocks = sums.blocks as f64;
    let variance = sums.uncorrected_variance().max(0.0) * blocks / (blocks - 1.0);
    let effect = Effect::new(sums.n, value, variance.sqrt() / unit as f64, blocks - 1.0);
    Effect { limits: [-1.0, 1.0], ..effect }
}

/// Smallest relative difference that is not taken as rounding.
const MIN_RELATIVE_DIFFERENCE: f64 = 1e-14;

/// Returns the variance `variances - covariances`, or 0 if the difference is due to rounding.
fn positive_part(variances: f64, covariances: f64) -> f64 {
    let variance = variances - covariances;
    if variance > MIN_RELATIVE_DIFFERENCE * variances { variance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{Merge, assert_close},
        *,
    };

    /// (n, x) of control and treatment.
    type Block = ((i64, i64), (i64, i64));

    fn paired_sums(blocks: &[Block]) -> PairedSums {
        let mut sums = PairedSums::default();
        for &(control, treatment) in blocks {
            sums.add_block(control, treatment);
        }
        sums
    }

    fn assert_unbounded(effect: &Effect) {
        let Estimate { low, high, .. } = effect.estimate();
        assert_eq!((low, high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(effect.p_value().is_nan() && !effect.is_testable());
    }

    #[test]
    fn equal_sides_have_the_constant_difference_0() {
        let blocks: Vec<_> =
            (0..50).map(|block| ((1 + block % 3, block % 7), (1 + block % 3, block % 7))).collect();
        let difference = paired_sums(&blocks).difference(60);
        assert_unbounded(&difference);
        assert_eq!((difference.value, difference.is_constant()), (0.0, true));
        // None of 50 blocks differs: at most 1 − 0.05^(1/50) = 5.816 % of all blocks do (95 %).
        let Estimate { low, high, .. } = paired_sums(&blocks).difference_of_rates(60).estimate();
        assert_close(low, -0.058_155, 1e-6);
        assert_close(high, 0.058_155, 1e-6);
    }

    #[test]
    fn one_observation_per_block_gives_the_paired_t_test() {
        // Differences 0, 1, 2, 3, 5 times each: mean 1.5, sd 1.14708, t = 1.5 / (1.14708 / √20) =
        // 5.8481 with 19 degrees of freedom.
        let blocks: Vec<_> =
            (0..20).map(|block| ((1, 3 * block), (1, 3 * block + block % 4))).collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_close(difference.value, 1.5, 1e-12);
        assert_close(difference.estimate().high, 1.5 + 2.093_02 * 0.256_495, 1e-4);
        assert_close(difference.p_value(), 1.25e-5, 5e-7);
    }

    #[test]
    fn constant_difference_has_no_test() {
        let blocks: Vec<_> = (0..20).map(|block| ((1, block), (1, block + 2))).collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_unbounded(&difference);
        assert_eq!((difference.value, difference.is_constant()), (2.0, true));
        // The treatment wins all blocks: at most 1 − 0.05^(1/20) = 13.911 % of all blocks differ.
        let always = paired_sums(&[((1, 0), (1, 1)); 20]).difference_of_rates(1).estimate();
        assert_close(always.low, 1.0 - 2.0 * 0.139_108, 1e-5);
        assert_close(always.high, 1.0, 1e-12);
    }

    /// The number of blocks of 100 million games.
    #[test]
    fn sums_of_very_long_runs_do_not_overflow() {
        let [one, other] = [((400, 9_000), (380, 8_000)), ((300, 12_000), (310, 12_500))];
        let few = [one, other, ((500, 7_000), (450, 7_500))].repeat(10);
        let mut long = paired_sums(&few);
        for _ in 0..21 {
            let half = long;
            long.merge(&half);
        }
        assert_eq!(long.control.blocks, 62_914_560);
        let [short, long] = [paired_sums(&few), long].map(|paired| paired.difference(1));
        assert_close(short.value, long.value, 1e-9);
        let ratio = short.standard_error / long.standard_error;
        assert_close(ratio / (62_914_559.0_f64 / 29.0).sqrt(), 1.0, 1e-6);
        assert!((long.estimate().high - long.value) / long.standard_error < 1.96, "{long:?}");
        assert!(long.p_value() > 0.0, "{long:?}");
    }

    #[test]
    fn sides_in_separate_blocks_give_the_two_sample_interval() {
        // 2, 4, 6, 8, 10 and 1, 2, 3, 4, 5, each 4 times: Welch's standard error is √(160/19/20
        // + 40/19/20) = 0.72548; t = −4.1352.
        let blocks: Vec<_> = (0..20)
            .map(|block| 1 + block % 5)
            .flat_map(|x| [((1, 2 * x), (0, 0)), ((0, 0), (1, x))])
            .collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_close(difference.value, -3.0, 1e-12);
        assert_close(difference.standard_error, (10.0_f64 / 19.0).sqrt(), 1e-9);
        // With 19 degrees of freedom P(|t| > 4.1352) = 0.00056264.
        assert_close(difference.p_value(), 0.000_562_64, 1e-7);
    }

    #[test]
    fn few_blocks_on_one_side_give_no_interval() {
        let blocks: Vec<_> = (0..100)
            .map(|block| ((1, block % 2), if block < 19 { (1, 1) } else { (0, 0) }))
            .collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_unbounded(&difference);
        assert_close(difference.value, 0.5, 1e-12);
        assert!(paired_sums(&[]).difference(1).value.is_nan());
    }

    /// Returns a strategy of blocks: the number of games and the sum of each side.
    fn block() -> impl Strategy<Value = ((i64, i64), (i64, i64))> {
        ((0..5_i64, 0..300_i64), (0..5_i64, 0..300_i64))
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_grouping(
            blocks in prop::collection::vec(block(), 0..40),
            cut in 0..40_usize,
        ) {
            let cut = cut.min(blocks.len());
            let mut parts = paired_sums(&blocks[cut..]);
            parts.merge(&paired_sums(&blocks[..cut]));
            prop_assert_eq!(parts, paired_sums(&blocks));
        }
    }
}
