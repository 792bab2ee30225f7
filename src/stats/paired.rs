//! Differences between two rates or means that were observed in the same blocks.
//!
//! A block that is lucky under one rule is often lucky under the other, so their difference varies
//! less than if the blocks were others. Its variance is that of the two ratio estimators less twice
//! their covariance, all from the sums of squares and products over blocks (the delta method;
//! Cochran, *Sampling Techniques*, 1977, §6.11).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{
    ratio::{Cubes, Estimate, JointSums, MeanSums, Ratio},
    student,
};

/// Fewer blocks than this with an observation on either side say too little of how much blocks
/// vary: there is no interval and no test then.
pub const MIN_BLOCKS: u64 = 20;

const LEVEL: f64 = 0.95;

/// The limits of an effect of which none are known.
const NO_LIMITS: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// An estimated effect with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effect {
    /// Observations.
    pub n: i64,
    /// The effect; not a number if there are too few observations.
    pub value: f64,
    /// Its standard error; infinite if there are too few blocks, and 0 if the blocks do not vary.
    pub standard_error: f64,
    /// Degrees of freedom of Student's t.
    pub degrees_of_freedom: f64,
    /// The least and the greatest value that is possible; infinite if unknown.
    pub limits: [f64; 2],
}

impl Effect {
    /// An effect without known limits.
    pub const fn new(n: i64, value: f64, error: f64, freedom: f64) -> Self {
        Self { n, value, standard_error: error, degrees_of_freedom: freedom, limits: NO_LIMITS }
    }

    /// No effect that could be estimated from so many observations.
    pub const fn unknown(n: i64) -> Self {
        Self::new(n, f64::NAN, f64::INFINITY, 1.0)
    }

    /// True if there is an estimate with a standard error, and so a test.
    pub fn is_testable(&self) -> bool {
        self.value.is_finite() && self.standard_error.is_finite() && self.standard_error > 0.0
    }

    /// True if there are blocks enough for an estimate, but all of them show the same: they say
    /// nothing of how much others would vary.
    pub fn is_constant(&self) -> bool {
        self.value.is_finite() && self.standard_error == 0.0
    }

    /// The effect with its 95 % interval, whose ends are infinite where there are too few blocks.
    ///
    /// If the blocks do not vary and limits of the effect are known, the interval has what would
    /// still be seen in 5 % of all cases if some blocks were others: of N blocks none is, so with
    /// 95 % no more than 1 − 0.05^(1/N) of all are (Clopper and Pearson 1934; about 3/N), and each
    /// of these may be as far off as the limits are. Without limits there is no interval.
    pub fn estimate(&self) -> Estimate {
        let Self { n, value, standard_error: error, degrees_of_freedom: freedom, limits } = *self;
        let [low, high] = if self.is_testable() {
            let half_width = student::quantile(1.0 - (1.0 - LEVEL) / 2.0, freedom) * error;
            [value - half_width, value + half_width]
        } else if self.is_constant() && limits.iter().all(|limit| limit.is_finite()) {
            let others = 1.0 - (1.0 - LEVEL).powf(1.0 / (freedom + 1.0));
            limits.map(|limit| value + others * (limit - value))
        } else {
            NO_LIMITS
        };
        Estimate { n, value, low, high }
    }

    /// The chance that blocks without an effect in truth show one as great; not a number where
    /// there is no test, because there are too few blocks or all show the same.
    pub fn p_value(&self) -> f64 {
        if self.is_testable() {
            student::two_sided_p(self.value / self.standard_error, self.degrees_of_freedom)
        } else {
            f64::NAN
        }
    }

    /// The effect in another unit.
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

/// Sums over blocks of two pairs of observations, from which two rates or means and their
/// difference follow. The two may be of one game, as when one seat has something and another has
/// not, or of the same deal played twice. All are integers, so that sums in any grouping are the
/// same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PairedSums {
    /// One side, A.
    pub control: Ratio,
    /// The other, B.
    pub treatment: Ratio,
    /// Sums over blocks of the products of A's n and x with B's: n·n, n·x, x·n and x·x.
    products: [i64; 4],
    /// Sums of third powers of A and of B.
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
    /// Adds one block's observations, (n, x) of each side.
    #[inline]
    pub fn add_block(&mut self, a: (i64, i64), b: (i64, i64)) {
        self.control.add_block(a.0, a.1);
        self.treatment.add_block(b.0, b.1);
        for (sum, product) in
            self.products.iter_mut().zip([a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1])
        {
            *sum += product;
        }
        for (sums, (n, x)) in self.cubes.iter_mut().zip([a, b]) {
            sums.add_block(n, x);
        }
    }

    /// The means of A and of B with their intervals.
    pub fn means(&self) -> [Estimate; 2] {
        let [a, b] = self.cubes;
        [(self.control, a), (self.treatment, b)]
            .map(|(ratio, cubes)| MeanSums { ratio, cubes }.mean())
    }

    /// The difference B − A in the unit of `x / unit`, with as many degrees of freedom as the side
    /// with fewer blocks has.
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
        Effect::new(
            n,
            value,
            if variance > 0.0 { variance.sqrt() / unit as f64 } else { 0.0 },
            freedom,
        )
    }

    /// The difference B − A of rates between 0 and 1, as [`PairedSums::difference`]. It is at least
    /// −1 and at most 1.
    pub fn difference_of_rates(&self, unit: i64) -> Effect {
        Effect { limits: [-1.0, 1.0], ..self.difference(unit) }
    }

    /// The sum over blocks of the squares of what each adds to the difference.
    fn variance_of_sum(&self) -> f64 {
        let own = |side: &Ratio| {
            covariance([side.n, side.x], [side.n, side.x], [side.nn, side.nx, side.nx, side.xx])
        };
        let (variances, twice) =
            (own(&self.control) + own(&self.treatment), 2.0 * self.covariance());
        // What is left of numbers that cancel is their rounding.
        if variances - twice > LEAST_SHARE * variances { variances - twice } else { 0.0 }
    }

    /// The covariance of both rates or means over blocks, not yet made greater for the number of
    /// blocks.
    pub(super) fn covariance(&self) -> f64 {
        covariance(
            [self.control.n, self.control.x],
            [self.treatment.n, self.treatment.x],
            self.products,
        )
    }
}

/// Sums over blocks of the products of the sides of one pair with those of another: for A and B of
/// the first and A and B of the second, n·n, n·x, x·n and x·x. With them the differences of both
/// pairs can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
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
    /// Adds one block's observations, (n, x) of A and B of each pair.
    pub fn add_block(&mut self, first: [(i64, i64); 2], second: [(i64, i64); 2]) {
        for (sums, (n, x)) in self.0.iter_mut().zip(first) {
            for (sums, (m, y)) in sums.iter_mut().zip(second) {
                for (sum, product) in sums.iter_mut().zip([n * m, n * y, x * m, x * y]) {
                    *sum += product;
                }
            }
        }
    }

    /// The difference of the second pair less that of the first, with the covariance of both taken
    /// into account. Unknown if one of the two is not known or does not vary.
    pub fn difference(&self, first: &PairedSums, second: &PairedSums, unit: i64) -> Effect {
        let [one, other] = [first, second].map(|pair| pair.difference(unit));
        let n = one.n + other.n;
        if !one.is_testable() || !other.is_testable() {
            return Effect::unknown(n);
        }
        let sides = |pair: &PairedSums| [pair.control, pair.treatment].map(|side| [side.n, side.x]);
        let (first, second) = (sides(first), sides(second));
        let covariance = |a: usize, b: usize| covariance(first[a], second[b], self.0[a][b]);
        let together = covariance(0, 0) - covariance(0, 1) - covariance(1, 0) + covariance(1, 1);
        let freedom = one.degrees_of_freedom.min(other.degrees_of_freedom);
        let together = together * (freedom + 1.0) / freedom / (unit as f64).powi(2);
        let variances = one.standard_error.powi(2) + other.standard_error.powi(2);
        let variance = variances - 2.0 * together;
        let variance = if variance > LEAST_SHARE * variances { variance } else { 0.0 };
        Effect::new(n, other.value - one.value, variance.sqrt(), freedom)
    }
}

/// A variance that is a smaller share of what it is the difference of is taken for 0.
const LEAST_SHARE: f64 = 1e-14;

/// The covariance of two ratios Σx / Σn, given each side's (Σn, Σx) and the sums over blocks of the
/// products n·n, n·x, x·n and x·x.
pub(super) fn covariance(one: [i64; 2], other: [i64; 2], products: [i64; 4]) -> f64 {
    JointSums { one, other, products }.residuals() / (one[0] as f64 * other[0] as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// (n, x) of each side.
    type Block = ((i64, i64), (i64, i64));

    fn of(blocks: &[Block]) -> PairedSums {
        let mut paired = PairedSums::default();
        for &(a, b) in blocks {
            paired.add_block(a, b);
        }
        paired
    }

    #[test]
    fn a_thing_and_itself_differ_by_nothing() {
        let blocks: Vec<_> =
            (0..50).map(|block| ((1 + block % 3, block % 7), (1 + block % 3, block % 7))).collect();
        let difference = of(&blocks).difference(60);
        let Estimate { value, low, high, .. } = difference.estimate();
        assert_eq!((value, low, high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        assert!(
            difference.p_value().is_nan() && difference.is_constant() && !difference.is_testable()
        );
        // 50 blocks, none of which differs: with 95 % no more than 1 − 0.05^(1/50) = 5.816 % of all
        // do.
        let Estimate { low, high, .. } = of(&blocks).difference_of_rates(60).estimate();
        assert!((low + 0.058_155).abs() < 1e-6 && (high - 0.058_155).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn one_observation_a_block_gives_the_paired_t_test() {
        // Differences 0, 1, 2, 3 five times over: mean 1.5, sd 1.14708, t = 1.5 / (1.14708 / √20) =
        // 5.8481 with 19 degrees of freedom.
        let blocks: Vec<_> =
            (0..20).map(|block| ((1, 3 * block), (1, 3 * block + block % 4))).collect();
        let difference = of(&blocks).difference(1);
        assert!((difference.value - 1.5).abs() < 1e-12);
        assert!(
            (difference.estimate().high - 1.5 - 2.093_02 * 0.256_495).abs() < 1e-4,
            "{difference:?}"
        );
        assert!((difference.p_value() - 1.25e-5).abs() < 5e-7, "{difference:?}");
    }

    #[test]
    fn a_difference_that_is_always_the_same_is_not_certain() {
        let blocks: Vec<_> = (0..20).map(|block| ((1, block), (1, block + 2))).collect();
        let difference = of(&blocks).difference(1);
        assert_eq!((difference.value, difference.is_constant()), (2.0, true));
        assert!(
            difference.p_value().is_nan()
                && !difference.estimate().low.is_finite()
                && !difference.estimate().high.is_finite()
        );
        // All blocks won under B and none under A: 1 − 0.05^(1/20) = 13.911 % of blocks may be the
        // other way round.
        let always = of(&[((1, 0), (1, 1)); 20]).difference_of_rates(1).estimate();
        assert!(
            (always.low - (1.0 - 2.0 * 0.139_108)).abs() < 1e-5
                && (always.high - 1.0).abs() < 1e-12,
            "{always:?}"
        );
    }

    /// As many blocks as a hundred million games have.
    #[test]
    fn sums_of_very_long_runs_do_not_overflow() {
        let few = [
            ((400, 9_000), (380, 8_000)),
            ((300, 12_000), (310, 12_500)),
            ((500, 7_000), (450, 7_500)),
        ]
        .repeat(10);
        let mut long = of(&few);
        (0..21).for_each(|_| long += long);
        assert_eq!(long.control.blocks, 62_914_560);
        let [short, long] = [of(&few), long].map(|paired| paired.difference(1));
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
    fn blocks_apart_have_the_interval_of_two_samples() {
        // 2, 4, 6, 8, 10 and 1, 2, 3, 4, 5, each four times: Welch's standard error is √(160/19/20
        // + 40/19/20) = 0.72548; t = −4.1352.
        let blocks: Vec<_> = (0..20)
            .map(|block| 1 + block % 5)
            .flat_map(|x| [((1, 2 * x), (0, 0)), ((0, 0), (1, x))])
            .collect();
        let difference = of(&blocks).difference(1);
        assert!(
            (difference.value + 3.0).abs() < 1e-12
                && (difference.standard_error - (10.0_f64 / 19.0).sqrt()).abs() < 1e-9,
            "{difference:?}"
        );
        // With 19 degrees of freedom P(|t| > 4.1352) = 0.00056264.
        assert!((difference.p_value() - 0.000_562_64).abs() < 1e-7, "{}", difference.p_value());
    }

    /// The difference of differences is the difference of each block's differences, where each
    /// block has one observation of all.
    #[test]
    fn differences_of_the_same_blocks_are_compared_block_by_block() {
        let (mut first, mut second, mut products, mut direct) = (
            PairedSums::default(),
            PairedSums::default(),
            PairedProducts::default(),
            PairedSums::default(),
        );
        for block in 0..60_i64 {
            let luck = (block * 7) % 11;
            let one = [(1, luck), (1, luck + block % 3)];
            let other = [(1, 2 * luck), (1, 2 * luck + block % 3 + block % 5)];
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
            products.difference(&of(&[((1, 1), (1, 2)); 60]), &second, 1).p_value().is_nan(),
            "what does not vary is not compared"
        );
    }

    #[test]
    fn few_blocks_on_either_side_tell_nothing() {
        let blocks: Vec<_> = (0..100)
            .map(|block| ((1, block % 2), if block < 19 { (1, 1) } else { (0, 0) }))
            .collect();
        let difference = of(&blocks).difference(1);
        assert_eq!(
            (difference.estimate().low, difference.estimate().high),
            (f64::NEG_INFINITY, f64::INFINITY)
        );
        assert!(difference.p_value().is_nan());
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
