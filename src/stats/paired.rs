//! Paired differences: two rates or means observed in the same blocks.
//!
//! Both sides share the chance of a block, so their difference varies less than that of independent
//! blocks. Its variance is Var(a) + Var(b) − 2 Cov(a, b) of the two ratio estimators, from the sums
//! of squares and products over blocks (the delta method; Cochran, *Sampling Techniques*, 1977,
//! §6.11).

use std::ops::AddAssign;

use super::{
    ratio::{Cubes, Estimate, JointSums, MeanSums, Ratio},
    student,
};

/// Smallest number of blocks with an observation, on each side, for an interval or a test. The
/// variance between fewer blocks is too uncertain.
pub const MIN_BLOCKS: u64 = 20;

/// Confidence level of intervals.
const LEVEL: f64 = 0.95;

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
}

impl Effect {
    /// Creates an effect without known limits.
    pub const fn new(n: i64, value: f64, standard_error: f64, degrees_of_freedom: f64) -> Self {
        Self { n, value, standard_error, degrees_of_freedom, limits: NO_LIMITS }
    }

    /// Creates an effect that cannot be estimated from `n` observations.
    pub const fn unknown(n: i64) -> Self {
        Self::new(n, f64::NAN, f64::INFINITY, 1.0)
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
        let Self { n, value, standard_error, degrees_of_freedom, limits } = *self;
        let [low, high] = if self.is_testable() {
            let critical = student::quantile(1.0 - (1.0 - LEVEL) / 2.0, degrees_of_freedom);
            let half_width = critical * standard_error;
            [value - half_width, value + half_width]
        } else if self.is_constant() && limits.iter().all(|limit| limit.is_finite()) {
            let share = 1.0 - (1.0 - LEVEL).powf(1.0 / (degrees_of_freedom + 1.0));
            limits.map(|limit| value + share * (limit - value))
        } else {
            NO_LIMITS
        };
        Estimate { n, value, low, high }
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

/// Sums over blocks for two rates or means and their difference. The two sides are groups of seats
/// of the same games, or the same deals played twice. All sums are integers, so they do not depend
/// on grouping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairedSums {
    /// The side that is subtracted.
    pub control: Ratio,
    /// The side from which the control is subtracted.
    pub treatment: Ratio,
    /// Sums over blocks of the products of n and x of the control with n and x of the treatment:
    /// n·n, n·x, x·n and x·x.
    products: [i64; 4],
    /// Sums of third powers of control and treatment.
    cubes: [Cubes; 2],
}

impl AddAssign for PairedSums {
    fn add_assign(&mut self, other: Self) {
        self.control += other.control;
        self.treatment += other.treatment;
        for (mine, theirs) in self.products.iter_mut().zip(other.products) {
            *mine += theirs;
        }
        for (mine, theirs) in self.cubes.iter_mut().zip(other.cubes) {
            *mine += theirs;
        }
    }
}

impl PairedSums {
    /// Adds one block: the number of observations and their sum on each side.
    #[inline]
    pub fn add_block(&mut self, control: (i64, i64), treatment: (i64, i64)) {
        let ((n, x), (m, y)) = (control, treatment);
        self.control.add_block(n, x);
        self.treatment.add_block(m, y);
        for (sum, product) in self.products.iter_mut().zip([n * m, n * y, x * m, x * y]) {
            *sum += product;
        }
        for (sums, (n, x)) in self.cubes.iter_mut().zip([control, treatment]) {
            sums.add_block(n, x);
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
        let (n, value) = (
            self.control.n + self.treatment.n,
            self.treatment.value(unit) - self.control.value(unit),
        );
        if blocks < MIN_BLOCKS {
            return Effect { value, ..Effect::unknown(n) };
        }
        let freedom = blocks as f64 - 1.0;
        let variance = self.variance_of_sum() * blocks as f64 / freedom;
        let standard_error = if variance > 0.0 { variance.sqrt() / unit as f64 } else { 0.0 };
        Effect::new(n, value, standard_error, freedom)
    }

    /// Returns treatment minus control of rates between 0 and 1: [`PairedSums::difference`] with
    /// the limits −1 and 1.
    pub fn difference_of_rates(&self, unit: i64) -> Effect {
        Effect { limits: [-1.0, 1.0], ..self.difference(unit) }
    }

    /// Returns the sum over blocks of their squared contributions to the difference.
    fn variance_of_sum(&self) -> f64 {
        let own = |side: &Ratio| {
            covariance([side.n, side.x], [side.n, side.x], [side.nn, side.nx, side.nx, side.xx])
        };
        let variances = own(&self.control) + own(&self.treatment);
        positive_part(variances, 2.0 * self.covariance())
    }

    /// Returns the covariance of both rates or means over blocks, without the factor N / (N − 1)
    /// for N blocks.
    pub(super) fn covariance(&self) -> f64 {
        covariance(
            [self.control.n, self.control.x],
            [self.treatment.n, self.treatment.x],
            self.products,
        )
    }
}

/// Sums over blocks of the products of each side of one [`PairedSums`] with each side of another:
/// n·n, n·x, x·n and x·x. They give the difference of two differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairedProducts([[[i64; 4]; 2]; 2]);

impl AddAssign for PairedProducts {
    fn add_assign(&mut self, other: Self) {
        let sums = self.0.as_flattened_mut().as_flattened_mut();
        sums.iter_mut()
            .zip(other.0.as_flattened().as_flattened())
            .for_each(|(mine, theirs)| *mine += theirs);
    }
}

impl PairedProducts {
    /// Adds one block: (n, x) of control and treatment of each pair.
    pub fn add_block(&mut self, first: [(i64, i64); 2], second: [(i64, i64); 2]) {
        for (sums, (n, x)) in self.0.iter_mut().zip(first) {
            for (sums, (m, y)) in sums.iter_mut().zip(second) {
                for (sum, product) in sums.iter_mut().zip([n * m, n * y, x * m, x * y]) {
                    *sum += product;
                }
            }
        }
    }

    /// Returns the difference of `second` minus the difference of `first`, with a variance that
    /// includes their covariance. It is unknown if one of the two is not testable.
    pub fn difference(&self, first: &PairedSums, second: &PairedSums, unit: i64) -> Effect {
        let [one, other] = [first, second].map(|pair| pair.difference(unit));
        let n = one.n + other.n;
        if !one.is_testable() || !other.is_testable() {
            return Effect::unknown(n);
        }
        let sides = |pair: &PairedSums| [pair.control, pair.treatment].map(|side| [side.n, side.x]);
        let (first, second) = (sides(first), sides(second));
        let covariance = |a: usize, b: usize| covariance(first[a], second[b], self.0[a][b]);
        let joint = covariance(0, 0) - covariance(0, 1) - covariance(1, 0) + covariance(1, 1);
        let freedom = one.degrees_of_freedom.min(other.degrees_of_freedom);
        let joint = joint * (freedom + 1.0) / freedom / (unit as f64).powi(2);
        let variances = one.standard_error.powi(2) + other.standard_error.powi(2);
        let variance = positive_part(variances, 2.0 * joint);
        Effect::new(n, other.value - one.value, variance.sqrt(), freedom)
    }
}

/// Smallest relative difference that is not taken as rounding.
const MIN_RELATIVE_DIFFERENCE: f64 = 1e-14;

/// Returns the variance `variances - covariances`, or 0 if the difference is due to rounding.
fn positive_part(variances: f64, covariances: f64) -> f64 {
    let variance = variances - covariances;
    if variance > MIN_RELATIVE_DIFFERENCE * variances { variance } else { 0.0 }
}

/// Returns the covariance of two ratios Σx / Σn over blocks, given (Σn, Σx) of each and the sums of
/// the products n·n, n·x, x·n and x·x.
pub(super) fn covariance(one: [i64; 2], other: [i64; 2], products: [i64; 4]) -> f64 {
    JointSums { one, other, products }.residuals() / (one[0] as f64 * other[0] as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// (n, x) of control and treatment.
    type Block = ((i64, i64), (i64, i64));

    fn paired_sums(blocks: &[Block]) -> PairedSums {
        let mut sums = PairedSums::default();
        for &(control, treatment) in blocks {
            sums.add_block(control, treatment);
        }
        sums
    }

    #[test]
    fn equal_sides_have_the_constant_difference_0() {
        let blocks: Vec<_> =
            (0..50).map(|block| ((1 + block % 3, block % 7), (1 + block % 3, block % 7))).collect();
        let difference = paired_sums(&blocks).difference(60);
        let Estimate { value, low, high, .. } = difference.estimate();
        assert_eq!((value, low, high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        assert!(
            difference.p_value().is_nan() && difference.is_constant() && !difference.is_testable()
        );
        // None of 50 blocks differs: at most 1 − 0.05^(1/50) = 5.816 % of all blocks do (95 %).
        let Estimate { low, high, .. } = paired_sums(&blocks).difference_of_rates(60).estimate();
        assert!((low + 0.058_155).abs() < 1e-6 && (high - 0.058_155).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn one_observation_per_block_gives_the_paired_t_test() {
        // Differences 0, 1, 2, 3, 5 times each: mean 1.5, sd 1.14708, t = 1.5 / (1.14708 / √20) =
        // 5.8481 with 19 degrees of freedom.
        let blocks: Vec<_> =
            (0..20).map(|block| ((1, 3 * block), (1, 3 * block + block % 4))).collect();
        let difference = paired_sums(&blocks).difference(1);
        assert!((difference.value - 1.5).abs() < 1e-12);
        assert!(
            (difference.estimate().high - 1.5 - 2.093_02 * 0.256_495).abs() < 1e-4,
            "{difference:?}"
        );
        assert!((difference.p_value() - 1.25e-5).abs() < 5e-7, "{difference:?}");
    }

    #[test]
    fn constant_difference_has_no_test() {
        let blocks: Vec<_> = (0..20).map(|block| ((1, block), (1, block + 2))).collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_eq!((difference.value, difference.is_constant()), (2.0, true));
        assert!(
            difference.p_value().is_nan()
                && !difference.estimate().low.is_finite()
                && !difference.estimate().high.is_finite()
        );
        // The treatment wins all blocks: at most 1 − 0.05^(1/20) = 13.911 % of all blocks differ.
        let always = paired_sums(&[((1, 0), (1, 1)); 20]).difference_of_rates(1).estimate();
        assert!(
            (always.low - (1.0 - 2.0 * 0.139_108)).abs() < 1e-5
                && (always.high - 1.0).abs() < 1e-12,
            "{always:?}"
        );
    }

    /// The number of blocks of 100 million games.
    #[test]
    fn sums_of_very_long_runs_do_not_overflow() {
        let few = [
            ((400, 9_000), (380, 8_000)),
            ((300, 12_000), (310, 12_500)),
            ((500, 7_000), (450, 7_500)),
        ]
        .repeat(10);
        let mut long = paired_sums(&few);
        (0..21).for_each(|_| long += long);
        assert_eq!(long.control.blocks, 62_914_560);
        let [short, long] = [paired_sums(&few), long].map(|paired| paired.difference(1));
        assert!((short.value - long.value).abs() < 1e-9);
        let ratio = short.standard_error / long.standard_error;
        assert!((ratio / (62_914_559.0_f64 / 29.0).sqrt() - 1.0).abs() < 1e-6, "{ratio}");
        assert!(
            (long.estimate().high - long.value) / long.standard_error < 1.96
                && long.p_value() > 0.0,
            "{long:?}"
        );
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
        assert!(
            (difference.value + 3.0).abs() < 1e-12
                && (difference.standard_error - (10.0_f64 / 19.0).sqrt()).abs() < 1e-9,
            "{difference:?}"
        );
        // With 19 degrees of freedom P(|t| > 4.1352) = 0.00056264.
        assert!((difference.p_value() - 0.000_562_64).abs() < 1e-7, "{}", difference.p_value());
    }

    /// With one observation per block, the difference of differences is the mean over blocks of the
    /// difference of their differences.
    #[test]
    fn difference_of_differences_is_computed_by_block() {
        let (mut first, mut second, mut products, mut direct) = (
            PairedSums::default(),
            PairedSums::default(),
            PairedProducts::default(),
            PairedSums::default(),
        );
        for block in 0..60_i64 {
            let shared = (block * 7) % 11;
            let one = [(1, shared), (1, shared + block % 3)];
            let other = [(1, 2 * shared), (1, 2 * shared + block % 3 + block % 5)];
            first.add_block(one[0], one[1]);
            second.add_block(other[0], other[1]);
            products.add_block(one, other);
            direct.add_block((1, one[1].1 - one[0].1), (1, other[1].1 - other[0].1));
        }
        let [found, expected] = [products.difference(&first, &second, 1), direct.difference(1)];
        assert!(
            (found.value - expected.value).abs() < 1e-12
                && (found.standard_error - expected.standard_error).abs() < 1e-12,
            "{found:?} {expected:?}"
        );
        assert!((found.value - 2.0).abs() < 1e-12 && found.p_value() < 1e-6);
        assert!(
            products
                .difference(&paired_sums(&[((1, 1), (1, 2)); 60]), &second, 1)
                .p_value()
                .is_nan(),
            "a constant difference is not compared"
        );
    }

    #[test]
    fn few_blocks_on_one_side_give_no_interval() {
        let blocks: Vec<_> = (0..100)
            .map(|block| ((1, block % 2), if block < 19 { (1, 1) } else { (0, 0) }))
            .collect();
        let difference = paired_sums(&blocks).difference(1);
        assert_eq!(
            (difference.estimate().low, difference.estimate().high),
            (f64::NEG_INFINITY, f64::INFINITY)
        );
        assert!(difference.p_value().is_nan());
        assert!((difference.value - 0.5).abs() < 1e-12);
        assert!(paired_sums(&[]).difference(1).value.is_nan());
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_grouping(
            blocks in prop::collection::vec(((0..5_i64, 0..300_i64), (0..5_i64, 0..300_i64)), 0..40),
            cut in 0..40_usize,
        ) {
            let cut = cut.min(blocks.len());
            let mut parts = paired_sums(&blocks[cut..]);
            parts += paired_sums(&blocks[..cut]);
            prop_assert_eq!(parts, paired_sums(&blocks));
        }
    }
}
