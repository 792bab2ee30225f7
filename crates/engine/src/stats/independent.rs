//! Differences between two independent samples, such as the games of people and those of a bot.
//!
//! The interval combines those of both values (the MOVER method; Newcombe, *Statistics in Medicine*
//! 17, 1998, for rates; Zou and Donner, *Statistics in Medicine* 27, 2008). Unlike an interval from
//! standard errors it suits a sample of few games. The p-value is 1 minus the level of the interval
//! that ends at 0, so the two agree.

use super::{
    equivalence::{DEFAULT_POWER, PowerGoal},
    mean::MeanSums,
    ratio::{Estimate, Ratio, critical_value},
    student,
};

/// Smallest number of blocks for the interval of a mean. The intervals of scores, winning margins
/// and win rates of 10 games of The River have a coverage of 93 to 98 %.
const MIN_BLOCKS: u64 = 10;

/// A value of an independent sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleValue {
    /// A rate between 0 and 1, to which each observation adds 0 to this number of units.
    Rate(Ratio, i64),
    /// A mean.
    Mean(MeanSums),
}

impl SampleValue {
    /// Returns the number of blocks with an observation.
    pub const fn blocks(&self) -> u64 {
        match self {
            Self::Rate(ratio, _) | Self::Mean(MeanSums { ratio, .. }) => ratio.blocks,
        }
    }

    /// Returns the value with its 95 % interval, which is unbounded for a mean of fewer than 10
    /// blocks.
    pub fn estimate(&self) -> Estimate {
        self.at(critical_value(self.blocks()))
    }

    fn at(&self, critical: f64) -> Estimate {
        match self {
            Self::Rate(ratio, unit) => ratio.rate_with_critical_value(*unit, critical),
            Self::Mean(sums) if sums.ratio.blocks < MIN_BLOCKS => {
                Estimate::unbounded(sums.ratio.n, sums.value())
            }
            Self::Mean(sums) => sums.mean_with_critical_value(critical),
        }
    }

    /// Returns the variance of the value, that of a normal distribution with the same interval.
    pub fn variance(&self) -> f64 {
        let Estimate { low, high, .. } = self.estimate();
        ((high - low) / 2.0 / critical_value(self.blocks())).powi(2)
    }
}

/// The difference of two independent samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IndependentDifference {
    /// Treatment minus control, with the number of observations of the treatment.
    pub estimate: Estimate,
    /// Two-sided p-value; not a number without an interval.
    pub p_value: f64,
}

impl IndependentDifference {
    /// Returns treatment minus control.
    pub fn new(control: &SampleValue, treatment: &SampleValue) -> Self {
        let blocks = control.blocks().min(treatment.blocks());
        let at = |critical: f64| {
            let [control, own] = [control, treatment].map(|sample| sample.at(critical));
            let value = own.value - control.value;
            let low = value - (own.value - own.low).hypot(control.high - control.value);
            let high = value + (own.high - own.value).hypot(control.value - control.low);
            Estimate { n: own.n, value, low, high }
        };
        let estimate = at(critical_value(blocks));
        let is_known = estimate.low.is_finite() && estimate.high.is_finite();
        let contains_0 = |critical: f64| {
            let Estimate { low, high, .. } = at(critical);
            low <= 0.0 && 0.0 <= high
        };
        let mut ends = [0.0, 1.0];
        while is_known && ends[1] < MAX_CRITICAL && !contains_0(ends[1]) {
            ends = [ends[1], 2.0 * ends[1]];
        }
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(ends[0], ends[1]);
            ends[usize::from(contains_0(middle))] = middle;
        }
        let p_value = student::two_sided_p(ends[1], (blocks as f64 - 1.0).max(1.0));
        Self { estimate, p_value: if is_known { p_value } else { f64::NAN } }
    }
}

/// Largest quantile for which a p-value is computed.
const MAX_CRITICAL: f64 = 1e6;
const BISECTIONS: usize = 60;

/// Returns the number of blocks of the treatment with which a difference of this size is found with
/// a probability of 90 %, as one of `tests` tests, if the control has many more blocks; `None` if a
/// variance is unknown. The variance of a block is the larger one of the two samples, because that
/// of few blocks is uncertain.
pub fn blocks_to_detect(
    [control, treatment]: [&SampleValue; 2],
    size: f64,
    tests: usize,
) -> Option<f64> {
    let variance = |sample: &SampleValue| sample.blocks() as f64 * sample.variance();
    let [control, treatment] = [control, treatment].map(variance);
    let is_known = control.is_finite() && treatment.is_finite();
    let goal = PowerGoal::Detect(size);
    is_known.then(|| goal.blocks(control.max(treatment), DEFAULT_POWER, tests))
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    fn rate(won: i64, games: i64) -> SampleValue {
        let mut ratio = Ratio::default();
        (0..games).for_each(|game| ratio.add_block(1, i64::from(game < won)));
        SampleValue::Rate(ratio, 1)
    }

    fn mean(values: impl IntoIterator<Item = i64>) -> SampleValue {
        let mut sums = MeanSums::default();
        values.into_iter().for_each(|value| sums.add_block(1, value));
        SampleValue::Mean(sums)
    }

    /// Newcombe's example (*Statistics in Medicine* 17, 1998, table II): 56 of 70 minus 48 of 80 is
    /// 0.2 with the interval 0.0524 to 0.3339. Student's t and the variance with n − 1 widen it.
    #[test]
    fn interval_of_rates_is_newcombes() {
        let difference = IndependentDifference::new(&rate(48, 80), &rate(56, 70));
        let Estimate { n, value, low, high } = difference.estimate;
        assert_eq!(n, 70);
        assert_close(value, 0.2, 1e-12);
        assert!((0.045..0.0524).contains(&low) && (0.3339..0.341).contains(&high), "{low} {high}");
        assert!((0.009..0.012).contains(&difference.p_value), "{difference:?}");
    }

    /// 20 of 1, 3 and 40 of 1, 2, 3, 4: Welch's standard error is √(1/19 + 50/39/40).
    #[test]
    fn means_without_skewness_have_welchs_standard_error() {
        let (few, many) = (mean([1, 3].repeat(10)), mean([1, 2, 3, 4].repeat(10)));
        let difference = IndependentDifference::new(&few, &many);
        let standard_error = (1.0_f64 / 19.0 + 50.0 / 39.0 / 40.0).sqrt();
        assert_close(difference.estimate.value, 0.5, 1e-12);
        assert_close(difference.estimate.high - 0.5, 2.093_024 * standard_error, 1e-6);
        let p = student::two_sided_p(0.5 / standard_error, 19.0);
        assert_close(difference.p_value, p, 1e-9);
        // (1.960 + 1.282)² variances in the square of the size; the larger variance counts.
        for (treatment, variance) in [(few, 50.0 / 39.0), (mean([1, 7].repeat(10)), 180.0 / 19.0)] {
            let blocks = blocks_to_detect([&many, &treatment], 0.5, 1).unwrap_or_default();
            assert_close(blocks, 10.507_4 * variance / 0.25, 0.01);
        }
    }

    #[test]
    fn p_agrees_with_the_interval_for_any_rates() {
        let at_5_percent =
            [(0, 10), (3, 10), (10, 10), (1, 3), (24, 60), (0, 0)].map(|(won, n)| {
                let difference = IndependentDifference::new(&rate(700, 1000), &rate(won, n));
                let Estimate { low, high, .. } = difference.estimate;
                assert_eq!(
                    difference.p_value < 0.05,
                    low > 0.0 || high < 0.0,
                    "{won} {difference:?}"
                );
                difference.p_value < 0.05
            });
        assert_eq!(at_5_percent, [true, true, false, false, true, false]);
    }

    #[test]
    fn few_or_constant_values_have_no_test() {
        let many = mean((0..100).map(|game| game % 7));
        for other in [mean(0..9), mean([5; 50]), mean([])] {
            assert!(IndependentDifference::new(&many, &other).p_value.is_nan(), "{other:?}");
            assert!(blocks_to_detect([&many, &other], 10.0, 1).is_none(), "{other:?}");
        }
        assert!(IndependentDifference::new(&many, &mean(0..10)).p_value < 0.2);
    }
}
