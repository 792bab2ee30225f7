//! Several rates, tested for equality and for equivalence within a margin.

use super::{
    equivalence::{DEFAULT_POWER, Equivalence, PowerGoal, tost_p},
    holm::holm_adjust,
    joint::{EqualityTest, largest_difference},
    paired::Effect,
    ratio::{Estimate, MIN_BLOCKS_OF_MEAN},
    spread::RateSums,
};

/// Differences between several rates that are observed in the same blocks, and their tests.
#[derive(Clone, Debug)]
pub struct EqualRates {
    /// Largest difference that counts as equal.
    pub margin: f64,
    /// Each rate minus the mean of all.
    pub differences_from_mean: Vec<Effect>,
    /// Standard deviation of the true rates.
    pub sd: Option<Estimate>,
    /// Largest difference between two rates; not a number if the pair is not clear.
    pub largest_difference: Estimate,
    /// Test that all rates are equal.
    pub equality: EqualityTest,
    /// P-value of that test, adjusted for a family of tests.
    pub p_holm: f64,
    /// P-value of the test that all rates are equal within the margin.
    pub p_equivalence: f64,
    /// The answer: the rates are equal within the margin, or differ significantly.
    pub verdict: Equivalence,
    /// Blocks that show with a probability of 90 % that the rates are equal within the margin, if
    /// they are equal; none if the rates do not vary.
    blocks_to_show_equality: Option<f64>,
    /// The verdict on rates that do not vary, which have no test.
    constant: Option<Equivalence>,
}

impl EqualRates {
    /// Estimates and tests the first `rates` rates, where 1 is `unit` units of x. `halves` are two
    /// halves of the blocks of `all`; `margin` is the largest difference that counts as equal.
    pub fn new(
        all: &RateSums,
        halves: &[RateSums; 2],
        rates: usize,
        unit: i64,
        margin: f64,
    ) -> Self {
        let joint = all.estimates(rates, unit);
        let equality = joint.equality();
        // Two rates differ by at most 1.
        let pairs = joint
            .pairs()
            .map(|(one, other)| Effect { limits: [-1.0, 1.0], ..joint.difference(one, other) });
        let pairs: Vec<_> = pairs.collect();
        let p_values = pairs.iter().map(|pair| tost_p(pair, margin));
        // The largest one; not a number unless each pair has a test.
        let p_equivalence =
            p_values.reduce(|one, other| if one >= other || one.is_nan() { one } else { other });
        let variances = pairs.iter().map(|pair| pair.standard_error.powi(2) * joint.blocks as f64);
        let variance = variances.fold(f64::NAN, f64::max);
        let blocks = PowerGoal::Equivalence(margin).blocks(variance, DEFAULT_POWER, pairs.len());
        let halves = halves.map(|half| half.estimates(rates, unit));
        let mut tested = Self {
            margin,
            differences_from_mean: (0..rates)
                .map(|rate| joint.difference_from_mean(rate))
                .collect(),
            sd: all.standard_deviation(rates, unit),
            largest_difference: largest_difference(&joint, &halves),
            equality,
            p_holm: equality.p,
            p_equivalence: p_equivalence.unwrap_or(f64::NAN),
            verdict: Equivalence::Open,
            blocks_to_show_equality: (variance.is_finite() && variance > 0.0)
                .then(|| blocks.max(MIN_BLOCKS_OF_MEAN as f64)),
            constant: constant_verdict(&pairs, margin),
        };
        tested.set_adjusted_p(equality.p);
        tested
    }

    /// Returns the number of blocks that shows with a probability of 90 % that the rates are equal
    /// within the margin, if they are equal; none unless the verdict is open.
    pub fn blocks_needed(&self) -> Option<f64> {
        self.blocks_to_show_equality.filter(|_| self.verdict == Equivalence::Open)
    }

    /// Adjusts the tests of equality for each other, and the verdicts.
    pub fn adjust<'a>(family: impl IntoIterator<Item = &'a mut Self>) {
        let mut family: Vec<_> = family.into_iter().collect();
        let p_values: Vec<_> = family.iter().map(|rates| rates.equality.p).collect();
        for (rates, p_holm) in family.iter_mut().zip(holm_adjust(&p_values)) {
            rates.set_adjusted_p(p_holm);
        }
    }

    fn set_adjusted_p(&mut self, p_holm: f64) {
        self.p_holm = p_holm;
        let by_tests = Equivalence::decide(self.p_holm, self.p_equivalence);
        self.verdict = self.constant.unwrap_or(by_tests);
    }
}

/// Returns the verdict if the differences of all pairs are the same in all blocks, so that there is
/// no test: from the intervals that follow from the number of blocks.
fn constant_verdict(pairs: &[Effect], margin: f64) -> Option<Equivalence> {
    if pairs.is_empty() || !pairs.iter().all(Effect::is_constant) {
        return None;
    }
    let intervals: Vec<_> = pairs.iter().map(Effect::estimate).collect();
    if intervals.iter().any(|interval| interval.low > 0.0 || interval.high < 0.0) {
        Some(Equivalence::Different)
    } else if intervals.iter().all(|interval| -margin < interval.low && interval.high < margin) {
        Some(Equivalence::Equal)
    } else {
        Some(Equivalence::Open)
    }
}
