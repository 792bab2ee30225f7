//! Rates and means with the block as sampling unit.
//!
//! Games of a block share their deal, so only blocks are independent. A rate is the ratio of two
//! sums over blocks, the sum x of the observations and their number n. Its variance follows from
//! the residuals x − rate · n of the blocks (the ratio estimator for cluster samples; Cochran,
//! *Sampling Techniques*, 1977, §9A).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::student;

/// Sums over blocks for a rate or a mean and its interval. All sums are integers, so they do not
/// depend on grouping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "(u64, [i64; 5])", into = "(u64, [i64; 5])")]
pub struct Ratio {
    /// Number of blocks with an observation.
    pub blocks: u64,
    /// Number of observations.
    pub n: i64,
    /// Sum of the observations.
    pub x: i64,
    /// Sum over blocks of n².
    pub(super) nn: i64,
    /// Sum over blocks of n·x.
    pub(super) nx: i64,
    /// Sum over blocks of x².
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
    /// Returns the estimate of 1 minus this share.
    #[must_use]
    pub fn complement(self) -> Self {
        Self { n: self.n, value: 1.0 - self.value, low: 1.0 - self.high, high: 1.0 - self.low }
    }
}

/// Confidence level of intervals.
const LEVEL: f64 = 0.95;

/// Smallest number of blocks for the interval of a mean.
pub const MIN_BLOCKS_OF_MEAN: u64 = 30;

/// Returns the half-width of the 95 % interval of an estimate from this many blocks, in standard
/// errors: the quantile of Student's t.
pub(super) fn critical_value(blocks: u64) -> f64 {
    student::quantile(0.5 + LEVEL / 2.0, (blocks as f64 - 1.0).max(1.0))
}

/// Sums over blocks of (n, x) of two ratios, and of the products n·n, n·x, x·n and x·x of the first
/// with the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointSums {
    pub(super) one: [i64; 2],
    pub(super) other: [i64; 2],
    pub(super) products: [i64; 4],
}

impl JointSums {
    /// Returns Σ (x − r n)(y − s m) over blocks for the ratios r = Σx / Σn and s = Σy / Σm; not a
    /// number if one of them has no observations.
    ///
    /// Integer multiples of n and m are subtracted from x and y first. The remainder is multiplied
    /// by Σn · Σm, so cancelling terms cancel exactly. If the products exceed 128 bits, floating
    /// point is used.
    pub(super) fn residuals(&self) -> f64 {
        let ([n, x], [m, y]) = (self.one.map(i128::from), self.other.map(i128::from));
        let [nm, ny, xm, xy] = self.products.map(i128::from);
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
        let [one, other] = [x as f64 / n as f64, y as f64 / m as f64];
        xy as f64 - other * xm as f64 - one * ny as f64 + one * other * nm as f64
    }
}

impl Ratio {
    /// Adds one block: the number of observations and their sum.
    #[inline]
    pub fn add_block(&mut self, n: i64, x: i64) {
        if n > 0 || x != 0 {
            *self += Self { blocks: 1, n, x, nn: n * n, nx: n * x, xx: x * x };
        }
    }

    /// Returns x / (n · unit); not a number without observations.
    pub fn value(&self, unit: i64) -> f64 {
        self.x as f64 / (self.n as f64 * unit as f64)
    }

    /// Returns the estimated variance of [`Ratio::value`]; infinite with fewer than 2 blocks.
    fn variance(&self, unit: f64) -> f64 {
        if self.blocks < 2 {
            return f64::INFINITY;
        }
        let blocks = self.blocks as f64;
        self.residuals().max(0.0) / (self.n as f64 * unit).powi(2) * blocks / (blocks - 1.0)
    }

    /// Returns the sum over blocks of the squared residuals.
    fn residuals(&self) -> f64 {
        let own = [self.n, self.x];
        JointSums { one: own, other: own, products: [self.nn, self.nx, self.nx, self.xx] }
            .residuals()
    }

    fn critical_value(&self) -> f64 {
        critical_value(self.blocks)
    }

    /// Returns a rate between 0 and 1 with its interval. Each observation adds 0 to `unit` to x.
    ///
    /// The interval is Wilson's (1927) with the effective number of observations p (1 − p) /
    /// variance, the number of independent observations with the same variance (Korn and Graubard
    /// 1998). It is lower than n if the games of a block are positively correlated, and higher if
    /// they are negatively correlated. If blocks do not vary, each block counts as one observation.
    pub fn rate(&self, unit: i64) -> Estimate {
        self.rate_with_critical_value(unit, self.critical_value())
    }

    /// Returns [`Ratio::rate`] with this half-width of the interval in standard errors.
    pub fn rate_with_critical_value(&self, unit: i64, critical: f64) -> Estimate {
        if self.n == 0 {
            return Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };
        }
        let value = self.value(unit);
        let variance = self.variance(unit as f64);
        let effective = if variance > 0.0 && variance.is_finite() {
            value * (1.0 - value) / variance
        } else {
            self.blocks as f64
        };
        let squared = critical.powi(2);
        let centre = (value + squared / (2.0 * effective)) / (1.0 + squared / effective);
        let spread =
            (value * (1.0 - value) / effective + squared / (4.0 * effective * effective)).max(0.0);
        let half_width = critical / (1.0 + squared / effective) * spread.sqrt();
        Estimate {
            n: self.n,
            value,
            low: (centre - half_width).max(0.0).min(value),
            high: (centre + half_width).min(1.0).max(value),
        }
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

    /// Returns an unbounded ratio with Student's interval over blocks. The interval is unbounded in
    /// the same cases as that of [`MeanSums::mean`].
    pub fn ratio(&self) -> Estimate {
        self.symmetric(self.critical_value() * self.variance(1.0).sqrt())
    }

    /// Returns the ratio with a symmetric interval, unbounded if there are too few blocks or the
    /// blocks do not vary.
    fn symmetric(&self, half_width: f64) -> Estimate {
        let value = self.value(1);
        let half_width = if self.blocks >= MIN_BLOCKS_OF_MEAN && half_width > 0.0 {
            half_width
        } else {
            f64::INFINITY
        };
        Estimate { n: self.n, value, low: value - half_width, high: value + half_width }
    }
}

/// Sums over blocks for a mean and its interval: those of a ratio, and third powers for its
/// skewness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MeanSums {
    /// First and second powers.
    pub ratio: Ratio,
    /// Third powers.
    pub(super) cubes: Cubes,
}

impl AddAssign for MeanSums {
    fn add_assign(&mut self, other: Self) {
        self.ratio += other.ratio;
        self.cubes += other.cubes;
    }
}

impl MeanSums {
    /// Adds one block: the number of observations and their sum.
    #[inline]
    pub fn add_block(&mut self, n: i64, x: i64) {
        self.ratio.add_block(n, x);
        self.cubes.add_block(n, x);
    }

    /// Returns the mean; not a number without observations.
    pub fn value(&self) -> f64 {
        self.ratio.value(1)
    }

    /// Returns the mean with its interval over blocks.
    ///
    /// Counts are often skewed, and Student's interval then has too low coverage on one side. This
    /// interval is Student's after Hall's transformation (*On the removal of skewness by
    /// transformation*, Journal of the Royal Statistical Society B 54, 1992), the monotone form of
    /// Johnson's correction (Journal of the American Statistical Association 73, 1978), applied to
    /// the residuals of the blocks.
    ///
    /// In simulations with 30 and 100 blocks its coverage is 94 to 98 % for geometric and Poisson
    /// counts with means from 0.1 to 2, and 93 % for log-normal values (σ = 1). It is unbounded
    /// with fewer than [`MIN_BLOCKS_OF_MEAN`] blocks, and if the blocks do not vary, because their
    /// variance is then unknown.
    pub fn mean(&self) -> Estimate {
        let Ratio { n, blocks, .. } = self.ratio;
        let value = self.value();
        let standard_error = self.ratio.variance(1.0).sqrt();
        let critical = self.ratio.critical_value();
        if blocks < MIN_BLOCKS_OF_MEAN || standard_error <= 0.0 || !value.is_finite() {
            return Estimate { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let asymmetry = self.skewness() / (blocks as f64).sqrt();
        let [low, high] = [critical, -critical]
            .map(|critical| value - standard_error * inverse_hall(critical, asymmetry));
        Estimate { n, value, low, high }
    }

    /// Returns the sample skewness of the residuals of the blocks.
    fn skewness(&self) -> f64 {
        let blocks = self.ratio.blocks as f64;
        let deviation = (self.ratio.residuals().max(0.0) / (blocks - 1.0)).sqrt();
        self.cubes.residuals(&self.ratio) * blocks
            / ((blocks - 1.0) * (blocks - 2.0))
            / deviation.powi(3)
    }
}

/// Returns the inverse of Hall's transformation t + a t²/3 + a² t³/27 + a/6 of a studentised mean,
/// where a is the skewness divided by the square root of the number of observations.
fn inverse_hall(transformed: f64, a: f64) -> f64 {
    if a == 0.0 {
        return transformed;
    }
    let cube = a * (transformed - a / 6.0);
    // (1 + cube)^(1/3) − 1, without cancellation for small cubes.
    let root = if cube > -0.5 { (cube.ln_1p() / 3.0).exp_m1() } else { (1.0 + cube).cbrt() - 1.0 };
    3.0 / a * root
}

/// Sums over blocks of the third-order products of n and x, which exceed 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "[(i64, u64); 4]", into = "[(i64, u64); 4]")]
pub(super) struct Cubes {
    nnn: i128,
    nnx: i128,
    nxx: i128,
    xxx: i128,
}

/// Splits each sum into its upper and lower 64 bits, because JSON readers may not support longer
/// integers.
impl From<Cubes> for [(i64, u64); 4] {
    fn from(Cubes { nnn, nnx, nxx, xxx }: Cubes) -> Self {
        [nnn, nnx, nxx, xxx].map(|sum| ((sum >> 64) as i64, sum as u64))
    }
}

impl From<[(i64, u64); 4]> for Cubes {
    fn from(halves: [(i64, u64); 4]) -> Self {
        let [nnn, nnx, nxx, xxx] =
            halves.map(|(upper, lower)| i128::from(upper) << 64 | i128::from(lower));
        Self { nnn, nnx, nxx, xxx }
    }
}

impl AddAssign for Cubes {
    fn add_assign(&mut self, other: Self) {
        self.nnn += other.nnn;
        self.nnx += other.nnx;
        self.nxx += other.nxx;
        self.xxx += other.xxx;
    }
}

impl Cubes {
    /// Adds one block: the number of observations and their sum.
    #[inline]
    pub(super) fn add_block(&mut self, n: i64, x: i64) {
        let ([nn, xx], [n, x]) = ([n * n, x * x].map(i128::from), [n, x].map(i128::from));
        *self += Self { nnn: nn * n, nnx: nn * x, nxx: xx * n, xxx: xx * x };
    }

    /// Returns the sum over blocks of the cubed residuals.
    fn residuals(&self, ratio: &Ratio) -> f64 {
        let Self { nnn, nnx, nxx, xxx } = *self;
        let (n, x) = (i128::from(ratio.n), i128::from(ratio.x));
        if n == 0 {
            return f64::NAN;
        }
        // Integer multiples of n are subtracted first, as in `JointSums::residuals`.
        let whole = x.div_euclid(n);
        let part = (x - whole * n) as f64 / n as f64;
        let xxx = xxx - 3 * whole * nxx + 3 * whole * whole * nnx - whole * whole * whole * nnn;
        let nxx = nxx - 2 * whole * nnx + whole * whole * nnn;
        let nnx = nnx - whole * nnn;
        xxx as f64 - 3.0 * part * nxx as f64 + 3.0 * part.powi(2) * nnx as f64
            - part.powi(3) * nnn as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        assert!((rate.value - 0.3).abs() < 1e-12);
        assert!((rate.low - 0.2182).abs() < 5e-4 && (rate.high - 0.3972).abs() < 5e-4, "{rate:?}");
    }

    #[test]
    fn constant_blocks_count_as_one_observation_each() {
        let rate = ratio_of(&[(2, 1); 50]).rate(1);
        assert!((rate.value - 0.5).abs() < 1e-12);
        assert!(rate.low > 0.35 && rate.high < 0.65, "{rate:?}");
    }

    #[test]
    fn positive_correlation_within_blocks_widens_the_interval() {
        let independent: Vec<_> = (0..200).map(|block| (1, block % 2)).collect();
        let correlated: Vec<_> = (0..100).map(|block| (2, 2 * (block % 2))).collect();
        let (independent, correlated) =
            (ratio_of(&independent).rate(1), ratio_of(&correlated).rate(1));
        assert!(correlated.high - correlated.low > 1.3 * (independent.high - independent.low));
    }

    fn mean_of(blocks: &[(i64, i64)]) -> MeanSums {
        let mut mean = MeanSums::default();
        for &(n, x) in blocks {
            mean.add_block(n, x);
        }
        mean
    }

    #[test]
    fn mean_without_skewness_has_students_interval() {
        // 1, 2, 3, 4, 10 times each: mean 2.5, standard error √(50 / 39 / 40), t quantile for 39
        // degrees of freedom 2.022691.
        let blocks: Vec<_> = (0..40).map(|block| (1, 1 + block % 4)).collect();
        let error = (50.0_f64 / 39.0 / 40.0).sqrt();
        for mean in [mean_of(&blocks).mean(), ratio_of(&blocks).ratio()] {
            assert!((mean.value - 2.5).abs() < 1e-12);
            assert!(
                (mean.high - 2.5 - 2.022_691 * error).abs() < 1e-6
                    && (2.5 - mean.low - 2.022_691 * error).abs() < 1e-6,
                "{mean:?}"
            );
        }
    }

    /// 0, 0, 0, 8, 10 times each: mean 2, standard error 0.5547, skewness 0.5 / √(3/16) · √(40 ·
    /// 39) / 38 = 1.2002, so a = 0.18977. With t = 2.0227 Hall's transformation has the inverses
    /// 1.7823 and -2.3999.
    #[test]
    fn interval_of_a_skewed_mean_is_wider_on_the_side_of_the_long_tail() {
        let sums = mean_of(
            &(0..40).map(|block| (1, if block % 4 == 3 { 8 } else { 0 })).collect::<Vec<_>>(),
        );
        assert!((sums.skewness() - 1.2002).abs() < 1e-4, "{}", sums.skewness());
        let mean = sums.mean();
        assert!(
            (mean.low - (2.0 - 0.5547 * 1.7823)).abs() < 1e-3
                && (mean.high - (2.0 + 0.5547 * 2.3999)).abs() < 1e-3,
            "{mean:?}"
        );
        // The mirrored values have the mirrored interval.
        let other = mean_of(
            &(0..40).map(|block| (1, if block % 4 == 3 { -8 } else { 0 })).collect::<Vec<_>>(),
        )
        .mean();
        assert!(
            (other.low + mean.high).abs() < 1e-9 && (other.high + mean.low).abs() < 1e-9,
            "{mean:?} {other:?}"
        );
    }

    #[test]
    fn mean_of_few_or_constant_blocks_has_no_interval() {
        let few: Vec<_> = (0..29).map(|block| (1, block % 4)).collect();
        for blocks in [&few[..], &[(2, 86); 2], &[(2, 86); 500], &[(2, 85); 500], &[]] {
            for mean in [mean_of(blocks).mean(), ratio_of(blocks).ratio()] {
                assert_eq!(
                    (mean.low.is_finite(), mean.high.is_finite()),
                    (false, false),
                    "{mean:?}"
                );
            }
        }
        assert!((mean_of(&[(2, 85); 500]).mean().value - 42.5).abs() < 1e-12);
    }

    /// The number of blocks of 100 million games, with thousands of observations each.
    #[test]
    fn sums_of_very_long_runs_do_not_overflow() {
        let double = |sums: MeanSums, times: u32| {
            (0..times).fold(sums, |sums, _| {
                let mut twice = sums;
                twice += sums;
                twice
            })
        };
        let few = mean_of(&[(400, 9_000), (300, 12_000), (500, 7_000), (400, 12_345)]);
        let (short, long) = (double(few, 10), double(few, 24));
        assert_eq!(long.ratio.blocks, 67_108_864);
        let factor = f64::from(1_u32 << 14).sqrt();
        for [short, long] in
            [[short.mean(), long.mean()], [short.ratio.ratio(), long.ratio.ratio()]]
        {
            assert!((short.value - long.value).abs() < 1e-9);
            let [short, long] = [short, long].map(|mean| mean.high - mean.low);
            assert!((short / long / factor - 1.0).abs() < 1e-3, "{short} {long}");
        }
        let rates = double(mean_of(&[(400, 30 * 400), (400, 30 * 380), (400, 30 * 420)]), 24)
            .ratio
            .rate(60);
        assert!(rates.low < 0.5 && 0.5 < rates.high && rates.high - rates.low < 1e-4, "{rates:?}");
        assert!((double(few, 10).skewness() - double(few, 24).skewness()).abs() < 1e-3);
        // The products of `JointSums` exceed 128 bits.
        let huge = double(
            mean_of(&[(40_000_000, 9_000_000), (50_000_000, 12_000_000), (40_000_000, 8_000_000)]),
            9,
        )
        .ratio;
        let small = double(mean_of(&[(40, 9), (50, 12), (40, 8)]), 9).ratio;
        assert!((huge.variance(1.0) / small.variance(1.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn width_of_a_rate_interval_scales_with_the_number_of_blocks() {
        for power in [2, 4, 6, 7, 8, 9] {
            let blocks = 10_u64.pow(power);
            let [n, half] = [blocks as i64, blocks as i64 / 2];
            let rate = Ratio::from((blocks, [n, 60 * half, n, 60 * half, 3600 * half])).rate(60);
            let expected = 1.96 * 0.5 / (blocks as f64).sqrt();
            assert!(
                ((rate.high - rate.low) / 2.0 / expected - 1.0).abs() < 0.03,
                "{blocks}: {rate:?}"
            );
        }
    }

    #[test]
    fn third_powers_round_trip_through_json() {
        let mut mean = mean_of(&[(3, 1_000_000_000), (2, -500_000_000)]);
        (0..30).for_each(|_| mean.cubes += mean.cubes);
        let text = serde_json::to_string(&mean).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(serde_json::from_value::<MeanSums>(value).ok(), Some(mean), "{text}");
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_grouping(blocks in prop::collection::vec((0..5_i64, 0..300_i64), 0..40), cut in 0..40_usize) {
            let cut = cut.min(blocks.len());
            let mut parts = mean_of(&blocks[cut..]);
            parts += mean_of(&blocks[..cut]);
            prop_assert_eq!(parts, mean_of(&blocks));
        }

        #[test]
        fn interval_contains_the_rate(blocks in prop::collection::vec((1..5_i64, 0..100_i64), 1..40)) {
            let blocks: Vec<_> = blocks.into_iter().map(|(n, percent)| (n, n * 60 * percent / 100)).collect();
            let rate = ratio_of(&blocks).rate(60);
            prop_assert!(0.0 <= rate.low && rate.low <= rate.value && rate.value <= rate.high && rate.high <= 1.0);
        }
    }
}
