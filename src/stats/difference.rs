//! Differences of rates and means whose unit of observation is the block.

use std::ops::AddAssign;

use statrs::distribution::{ContinuousCDF, StudentsT};

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

const LEVEL: f64 = 0.95;

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

    /// The ends of the 95 % interval, infinite if there is none.
    pub fn interval(&self) -> [f64; 2] {
        let reach = self.student().map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + LEVEL / 2.0) * self.error);
        if reach.is_finite() { [self.value - reach, self.value + reach] } else { [f64::NEG_INFINITY, f64::INFINITY] }
    }

    /// The two-sided p-value of there being no effect; not a number if there is no estimate.
    pub fn p(&self) -> f64 {
        let statistic = (self.value / self.error).abs();
        match self.student() {
            // Without any spread nothing is in doubt.
            Some(_) if self.error == 0.0 => f64::from(u8::from(self.value == 0.0)),
            Some(t) => 2.0 * t.sf(statistic),
            None => f64::NAN,
        }
    }

    /// Whether the interval lies on one side of 0.
    pub fn is_significant(&self) -> bool {
        let [low, high] = self.interval();
        low > 0.0 || high < 0.0
    }

    /// The effect in another unit.
    #[must_use]
    pub fn in_units_of(self, unit: f64) -> Self {
        Self { value: self.value / unit, error: self.error / unit, ..self }
    }
}

/// Sums over blocks from which the difference of two ratios follows, Σx₁ / Σn₁ − Σx₀ / Σn₀. The two may come from the same blocks, as when one
/// seat of a game has something and another has not, or when the same deals are played twice. All are integers, so that sums in any grouping
/// are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Difference {
    /// Blocks with an observation of the first and of the second.
    blocks: [u64; 2],
    /// Sums of n₁, x₁, n₀ and x₀.
    sums: [i64; 4],
    /// Sums of their products.
    products: [[i64; 4]; 4],
}

impl AddAssign for Difference {
    fn add_assign(&mut self, other: Self) {
        for side in 0..2 {
            self.blocks[side] += other.blocks[side];
        }
        for row in 0..4 {
            self.sums[row] += other.sums[row];
            for column in 0..4 {
                self.products[row][column] += other.products[row][column];
            }
        }
    }
}

impl Difference {
    /// Adds one block: n and x of the first, then of the second.
    pub fn add_block(&mut self, sums: [i64; 4]) {
        let [n_first, _, n_second, _] = sums;
        if n_first + n_second > 0 {
            let products = sums.map(|one| sums.map(|other| one * other));
            *self += Self { blocks: [n_first, n_second].map(|n| u64::from(n > 0)), sums, products };
        }
    }

    /// Observations of the first and of the second.
    pub fn n(&self) -> [i64; 2] {
        [self.sums[0], self.sums[2]]
    }

    /// The two ratios.
    pub fn ratios(&self) -> [f64; 2] {
        [0, 2].map(|at| self.sums[at + 1] as f64 / self.sums[at] as f64)
    }

    /// Σ over blocks of (x − r n) (x' − r' n'), r and r' being the ratios of the sides, multiplied by Σn Σn' so that the cancelling terms
    /// cancel exactly.
    fn spread(&self, one: usize, other: usize) -> f64 {
        let product = |row: usize, column: usize| i128::from(self.products[2 * one + row][2 * other + column]);
        let sums = |side: usize| (i128::from(self.sums[2 * side]), i128::from(self.sums[2 * side + 1]));
        let ((n, x), (n_other, x_other)) = (sums(one), sums(other));
        let spread = product(1, 1) * n * n_other - product(0, 1) * x * n_other - product(1, 0) * n * x_other + product(0, 0) * x * x_other;
        spread as f64
    }

    /// The difference, with the variance of its linear part between blocks (the delta method; Cochran, *Sampling Techniques*, 1977, §6.12),
    /// and as many degrees of freedom as the side with fewer blocks has.
    pub fn effect(&self) -> Effect {
        let [n_first, n_second] = self.n();
        let fewest = self.blocks[0].min(self.blocks[1]);
        if n_first == 0 || n_second == 0 {
            return Effect::unknown(n_first + n_second);
        }
        let [first, second] = self.ratios();
        let error = if fewest < 2 {
            f64::INFINITY
        } else {
            let (n_first, n_second) = (n_first as f64, n_second as f64);
            let variance = self.spread(0, 0) / n_first.powi(4) + self.spread(1, 1) / n_second.powi(4)
                - 2.0 * self.spread(0, 1) / (n_first * n_second).powi(2);
            let fewest = fewest as f64;
            (variance * fewest / (fewest - 1.0)).max(0.0).sqrt()
        };
        Effect { n: n_first + n_second, value: first - second, error, freedom: fewest.saturating_sub(1).max(1) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(blocks: &[[i64; 4]]) -> Difference {
        let mut difference = Difference::default();
        for &block in blocks {
            difference.add_block(block);
        }
        difference
    }

    #[test]
    fn pairs_have_the_interval_of_their_differences() {
        // Differences 1, 2, 3, 4: mean 2.5, standard error 0.6455, t quantile for 3 degrees of freedom 3.1824.
        let effect = of(&[[1, 11, 1, 10], [1, 4, 1, 2], [1, 10, 1, 7], [1, 9, 1, 5]]).effect();
        assert!((effect.value - 2.5).abs() < 1e-12);
        let [low, high] = effect.interval();
        assert!((high - 2.5 - 3.1824 * 0.6455).abs() < 1e-3 && (low + high - 5.0).abs() < 1e-9, "{effect:?}");
    }

    #[test]
    fn blocks_apart_have_the_interval_of_two_samples() {
        // 1, 2, 3, 4, 5 and 2, 4, 6, 8, 10: Welch's standard error is √(2.5/5 + 10/5) = 1.5811; t = −1.8974.
        let blocks: Vec<_> = (1..=5).flat_map(|x| [[1, x, 0, 0], [0, 0, 1, 2 * x]]).collect();
        let effect = of(&blocks).effect();
        assert!((effect.value + 3.0).abs() < 1e-12 && (effect.error - 2.5_f64.sqrt()).abs() < 1e-9, "{effect:?}");
        // With 4 degrees of freedom P(|t| > 1.8974) = 0.1306.
        assert!((effect.p() - 0.1306).abs() < 1e-3, "{}", effect.p());
    }

    #[test]
    fn too_few_blocks_tell_nothing() {
        assert!(of(&[[1, 5, 0, 0], [1, 6, 0, 0]]).effect().value.is_nan());
        let once = of(&[[1, 5, 0, 0], [0, 0, 1, 4], [1, 6, 0, 0]]).effect();
        assert!((once.value - 1.5).abs() < 1e-12 && !once.is_known() && once.p().is_nan());
    }

    #[test]
    fn sums_do_not_depend_on_grouping() {
        let blocks = [[1, 5, 0, 0], [2, -3, 1, 4], [0, 0, 3, 3]];
        let mut parts = of(&blocks[1..]);
        parts += of(&blocks[..1]);
        assert_eq!(parts, of(&blocks));
    }
}
