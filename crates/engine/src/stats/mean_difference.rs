//! Means of differences that are observed directly, such as those between two continuations of the
//! same position.

use super::{paired::Effect, ratio::Ratio, tally};

/// Smallest number of blocks with an observation, and of blocks whose differences do not add up to
/// 0, for an interval or a test. With fewer, Student's t does not describe a mean of values that
/// are mostly 0.
pub const MIN_BLOCKS: u64 = 30;
/// Smallest number of blocks with a difference.
pub const MIN_CHANGED_BLOCKS: u64 = 20;

tally! {
    /// Sums over blocks for the mean of differences. All sums are integers, so they do not depend
    /// on grouping, and the sums of two differences that share an arm add up exactly.
    ///
    /// ``` use watershed::stats::mean_difference::MeanDifference;
    ///
    /// let mut differences = MeanDifference::default(); for block in 0..100 { // 2 observations;
    /// every second block has a difference of 3 points in one of them. differences.add_block(2, if
    /// block % 2 == 0 { 3 } else { 0 }); } let effect = differences.effect(1);
    /// assert_eq!((effect.n, effect.value), (200, 0.75)); assert!(effect.p_value() < 1e-9); ```
    #[derive(Copy)]
    pub struct MeanDifference {
        /// Numbers of observations and their sums.
        pub ratio: Ratio,
        /// Blocks whose differences do not add up to 0.
        pub changed_blocks: u64,
    }
}

impl MeanDifference {
    /// Adds one block: the number of observations and the sum of their differences.
    #[inline]
    pub fn add_block(&mut self, n: i64, x: i64) {
        self.ratio.add_block(n, x);
        self.changed_blocks += u64::from(x != 0);
    }

    /// Returns the mean difference, where 1 is `unit` units of x. It has no interval with fewer
    /// than [`MIN_BLOCKS`] blocks or [`MIN_CHANGED_BLOCKS`] changed blocks.
    pub fn effect(&self, unit: i64) -> Effect {
        let Ratio { blocks, n, .. } = self.ratio;
        let value = self.ratio.value(unit);
        if blocks < MIN_BLOCKS || self.changed_blocks < MIN_CHANGED_BLOCKS {
            return Effect { value, ..Effect::unknown(n) };
        }
        let standard_error = self.ratio.variance(unit as f64).sqrt();
        Effect::new(n, value, standard_error, blocks as f64 - 1.0)
    }

    /// Returns the mean difference of rates, each between −1 and 1, where 1 is `unit` units of x.
    /// It has an interval from [`MIN_BLOCKS`] blocks on, whether they differ or not.
    ///
    /// With fewer than [`MIN_CHANGED_BLOCKS`] changed blocks, the standard error is that of the
    /// differences and two more, −1 and 1 (Bonett and Price, *Journal of Educational and Behavioral
    /// Statistics* 37, 2012). It is never 0.
    pub fn effect_of_rates(&self, unit: i64) -> Effect {
        let Ratio { blocks, n, .. } = self.ratio;
        let effect = if blocks < MIN_BLOCKS || self.changed_blocks >= MIN_CHANGED_BLOCKS {
            self.effect(unit)
        } else {
            let mut sums = self.ratio;
            sums.add_block(1, -unit);
            sums.add_block(1, unit);
            let standard_error = sums.variance(unit as f64).sqrt();
            Effect::new(n, self.ratio.value(unit), standard_error, blocks as f64 - 1.0)
        };
        Effect { limits: [-1.0, 1.0], ..effect }
    }
}

/// Returns the mean of the effects that have a standard error, taken as independent.
pub fn mean_effect(effects: &[Effect]) -> Effect {
    let testable: Vec<_> = effects.iter().filter(|effect| effect.is_testable()).collect();
    if testable.is_empty() {
        return Effect::unknown(0);
    }
    let count = testable.len() as f64;
    let sum = |term: fn(&Effect) -> f64| testable.iter().map(|effect| term(effect)).sum::<f64>();
    let variance = sum(|effect| effect.standard_error.powi(2)) / (count * count);
    let freedom = testable.iter().map(|effect| effect.degrees_of_freedom);
    let n = testable.iter().map(|effect| effect.n).sum();
    let freedom = freedom.fold(f64::INFINITY, f64::min);
    Effect::new(n, sum(|effect| effect.value) / count, variance.sqrt(), freedom)
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    fn differences(blocks: impl IntoIterator<Item = (i64, i64)>) -> MeanDifference {
        let mut differences = MeanDifference::default();
        blocks.into_iter().for_each(|(n, x)| differences.add_block(n, x));
        differences
    }

    #[test]
    fn one_observation_per_block_gives_the_one_sample_t_test() {
        // 0, 1, 2, 3, 10 times each: mean 1.5, sd 1.13228, standard error 0.179029.
        let effect = differences((0..40).map(|block| (1, block % 4))).effect(1);
        assert_close(effect.value, 1.5, 1e-12);
        assert_close(effect.standard_error, 0.179_029, 1e-6);
        assert_close(effect.degrees_of_freedom, 39.0, 1e-12);
    }

    #[test]
    fn few_blocks_and_few_changes_have_no_interval() {
        let untested = |blocks: Vec<(i64, i64)>| !differences(blocks).effect(1).is_testable();
        assert!(untested((0..29).map(|block| (1, block)).collect()));
        assert!(!untested((0..30).map(|block| (1, block)).collect()));
        assert!(untested((0..500).map(|block| (1, i64::from(block < 19))).collect()));
        assert!(!untested((0..500).map(|block| (1, i64::from(block < 20))).collect()));
        assert!(differences([]).effect(1).value.is_nan());
        let constant = differences([(1, 5); 40]).effect(1);
        assert!(constant.is_constant() && constant.p_value().is_nan(), "{constant:?}");
    }

    #[test]
    fn rates_that_hardly_differ_have_an_interval() {
        let few = differences((0..100).map(|block| (1, i64::from(block == 0) * 60)));
        assert!(!few.effect(60).is_testable());
        let effect = few.effect_of_rates(60);
        assert_close(effect.value, 0.01, 1e-12);
        // The squares of 102 differences add up to 3, their mean is 1 / 102.
        assert_close(effect.standard_error, (3.0_f64 / 102.0).sqrt() / 10.1, 2e-4);
        let none = differences((0..100).map(|_| (1, 0))).effect_of_rates(60);
        assert!(none.is_testable() && none.p_value() > 0.9 && none.estimate().high < 0.04);
        let many = differences((0..100).map(|block| (1, block % 3 * 20 - 20)));
        assert_close(many.effect_of_rates(60).value, many.effect(60).value, 1e-12);
        assert!(!differences((0..10).map(|_| (1, 0))).effect_of_rates(60).is_testable());
    }
}
