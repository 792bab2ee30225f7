//! Several rates or means with their covariances: differences between them, and the test that they
//! are equal.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::{
    Merge,
    linear::{self, Matrix},
    paired::Effect,
    ratio::{Estimate, MIN_BLOCKS_OF_MEAN, Products},
    tally,
};

/// Number of blocks from which the F distribution of the test of equality is replaced by its limit.
const MANY_BLOCKS: f64 = 1e5;

tally! {
    /// Sums over blocks for any number of rates or means that are observed in the same blocks, and
    /// for their covariances. All sums are integers, so they do not depend on grouping.
    pub struct JointSums {
        blocks: u64,
        /// Number of observations of each rate and their sum.
        sums: Vec<(i64, i64)>,
        /// Products of each rate with each rate up to it.
        products: Vec<Products>,
    }
}

impl JointSums {
    /// Adds one block: the number of observations of each rate and their sum. Every block has the
    /// same number of rates.
    pub fn add_block(&mut self, rates: &[(i64, i64)]) {
        self.blocks += 1;
        self.sums.resize(rates.len(), (0, 0));
        self.sums.as_mut_slice().merge(rates);
        self.products.resize(rates.len() * (rates.len() + 1) / 2, Products::default());
        let mut products = self.products.iter_mut();
        for (index, &one) in rates.iter().enumerate() {
            for (&other, sums) in rates[..=index].iter().zip(&mut products) {
                sums.add_block(one, other);
            }
        }
    }

    /// Returns the estimates, where 1 is `unit` units of x.
    pub fn estimates(&self, unit: i64) -> JointEstimates {
        JointEstimates::new(self.blocks, &self.sums, &self.products, unit)
    }
}

/// Estimates of several rates or means, with their covariances over blocks.
#[derive(Clone, PartialEq, Debug)]
pub struct JointEstimates {
    /// Number of observations of all together.
    pub n: i64,
    /// Number of blocks.
    pub blocks: u64,
    /// The estimates; not a number without observations.
    pub values: Vec<f64>,
    /// Their covariances, by row and column.
    pub(super) covariances: Matrix,
}

/// Result of the test that several rates or means are equal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EqualityTest {
    /// Wald's statistic.
    pub q: f64,
    /// Degrees of freedom: one less than rates.
    pub degrees_of_freedom: usize,
    /// The p-value; not a number if there is no test.
    pub p: f64,
}

impl JointEstimates {
    /// Computes the estimates and their covariances from sums. `products` has the products of each
    /// rate with each rate up to it.
    pub(super) fn new(blocks: u64, sums: &[(i64, i64)], products: &[Products], unit: i64) -> Self {
        let unit = unit as f64;
        let factor = blocks as f64 / (blocks as f64 - 1.0) / (unit * unit);
        let covariance = |one: usize, other: usize| {
            let (later, earlier) = (one.max(other), one.min(other));
            let products = &products[later * (later + 1) / 2 + earlier];
            products.covariance(sums[later], sums[earlier]) * factor
        };
        let rates = 0..sums.len();
        Self {
            n: sums.iter().map(|(n, _)| n).sum(),
            blocks,
            values: sums.iter().map(|&(n, x)| x as f64 / (n as f64 * unit)).collect(),
            covariances: rates
                .clone()
                .map(|row| rates.clone().map(|column| covariance(row, column)).collect())
                .collect(),
        }
    }

    /// Returns one of the estimates with its standard error.
    pub fn effect(&self, index: usize) -> Effect {
        let standard_error = self.covariances[index][index].sqrt();
        Effect::new(self.n, self.values[index], standard_error, self.blocks as f64 - 1.0)
    }

    /// Returns the weighted sum of the estimates. It has no standard error with fewer than
    /// [`MIN_BLOCKS_OF_MEAN`] blocks.
    pub fn combination(&self, weights: &[f64]) -> Effect {
        let value = self.values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        if self.blocks < MIN_BLOCKS_OF_MEAN {
            return Effect { value, ..Effect::unknown(self.n) };
        }
        let row_sum = |row: &Vec<f64>| -> f64 {
            row.iter().zip(weights).map(|(covariance, weight)| covariance * weight).sum()
        };
        let rows = self.covariances.iter().zip(weights);
        let variance: f64 = rows.map(|(row, weight)| weight * row_sum(row)).sum();
        // Rounding leaves a small positive variance of sums that do not vary.
        let size: f64 =
            (0..weights.len()).map(|i| weights[i].powi(2) * self.covariances[i][i]).sum();
        let variance = if variance > 1e-12 * size { variance } else { 0.0 };
        Effect::new(self.n, value, variance.sqrt(), self.blocks as f64 - 1.0)
    }

    /// Returns one estimate minus another.
    pub fn difference(&self, one: usize, other: usize) -> Effect {
        let mut weights = vec![0.0; self.values.len()];
        weights[one] += 1.0;
        weights[other] -= 1.0;
        self.combination(&weights)
    }

    /// Returns one estimate minus the mean of all.
    pub fn difference_from_mean(&self, one: usize) -> Effect {
        let mut weights = vec![-1.0 / self.values.len() as f64; self.values.len()];
        weights[one] += 1.0;
        self.combination(&weights)
    }

    /// Tests that all estimates have the same true value, by Wald's statistic Q = d'(ACA')⁻¹d of
    /// the differences d from the first estimate. Q (B − k) / (k (B − 1)), with B blocks and k
    /// degrees of freedom, has an F distribution with k and B − k degrees of freedom (Hotelling
    /// 1931), whose limit for many blocks is chi-squared for Q.
    pub fn equality(&self) -> EqualityTest {
        let differences: Vec<_> =
            (1..self.values.len()).map(|other| self.difference(other, 0)).collect();
        let freedom = differences.len();
        let untested = EqualityTest { q: f64::NAN, degrees_of_freedom: freedom, p: f64::NAN };
        if freedom == 0 || !differences.iter().all(Effect::is_testable) {
            return untested;
        }
        // Standardised, so that rounding matters equally little for all numbers of games.
        let scale = |index: usize| differences[index].standard_error;
        let covariance = |one: usize, other: usize| {
            let c = &self.covariances;
            let (row, column) = (one + 1, other + 1);
            (c[row][column] - c[row][0] - c[0][column] + c[0][0]) / (scale(one) * scale(other))
        };
        let entries = (0..freedom).flat_map(|one| (0..freedom).map(move |other| (one, other)));
        let matrix: Vec<_> = entries.map(|(one, other)| covariance(one, other)).collect();
        let d: Vec<_> = (0..freedom).map(|index| differences[index].value / scale(index)).collect();
        let solved = linear::solve(matrix, d.clone());
        let q: f64 = d.iter().zip(&solved).map(|(one, other)| one * other).sum();
        let (k, blocks) = (freedom as f64, self.blocks as f64);
        let p = if blocks < MANY_BLOCKS {
            let f = q * (blocks - k) / (k * (blocks - 1.0));
            FisherSnedecor::new(k, blocks - k).map_or(f64::NAN, |distribution| distribution.sf(f))
        } else {
            ChiSquared::new(k).map_or(f64::NAN, |distribution| distribution.sf(q))
        };
        EqualityTest { q, p: p.max(f64::MIN_POSITIVE), ..untested }
    }

    /// Returns the pairs of estimates, the later one first.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let rates = self.values.len();
        (0..rates).flat_map(move |other| (other + 1..rates).map(move |one| (one, other)))
    }

    /// Returns the pair with the largest difference, the higher estimate first; none with fewer
    /// than 2 estimates.
    pub fn most_different_pair(&self) -> Option<(usize, usize)> {
        let rates = 0..self.values.len();
        let by_value =
            |one: &usize, other: &usize| self.values[*one].total_cmp(&self.values[*other]);
        // Of equal values, `max_by` returns the last and `min_by` the first, so the pair differs.
        let (high, low) = (rates.clone().max_by(by_value)?, rates.min_by(by_value)?);
        (high != low).then_some((high, low))
    }
}

/// Returns the largest difference between two of several rates, which can differ by at most 1.
/// `halves` are the estimates from two halves of the blocks of `all`.
///
/// Of two rates it is their difference. Of more, the largest of several noisy differences is too
/// large, and the pair may be the wrong one, so there is a value only if both halves have the same
/// pair. Its interval is that of the range of the rates, from the intervals of all pairs, which
/// hold together by Bonferroni's correction.
pub fn largest_difference(all: &JointEstimates, halves: &[JointEstimates; 2]) -> Estimate {
    let none = Effect::unknown(all.n).estimate();
    let Some((high, low)) = all.most_different_pair() else { return none };
    let [one, other] = halves.each_ref().map(JointEstimates::most_different_pair);
    if all.values.len() > 2 && (one != other || one != Some((high, low))) {
        return none;
    }
    let pairs: Vec<_> = all.pairs().collect();
    let level = 1.0 - 0.05 / pairs.len() as f64;
    let intervals = pairs.iter().map(|&(one, other)| {
        let difference = Effect { limits: [-1.0, 1.0], ..all.difference(one, other) };
        let interval = difference.estimate_at(level);
        // The difference may have either sign.
        let smallest = interval.low.max(-interval.high).max(0.0);
        (smallest, interval.high.max(-interval.low))
    });
    let ends = |(low, high): (f64, f64), (next_low, next_high): (f64, f64)| {
        (low.max(next_low), high.max(next_high))
    };
    let (smallest, largest) = intervals.fold((0.0, 0.0), ends);
    let value = all.difference(high, low).value;
    if largest.is_finite() {
        Estimate { n: all.n, value, low: smallest, high: largest }
    } else {
        Estimate::unbounded(all.n, value)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    fn sums(blocks: impl IntoIterator<Item = [i64; 3]>) -> JointSums {
        let mut sums = JointSums::default();
        blocks.into_iter().for_each(|block| sums.add_block(&block.map(|x| (1, x))));
        sums
    }

    /// 100 blocks: the first is 0 or 1, the second 0 to 3, the third 0 to 4.
    fn three() -> JointEstimates {
        sums((0..100).map(|block| [block % 2, block % 4, block % 5])).estimates(1)
    }

    #[test]
    fn differences_of_two_equal_those_of_the_paired_t_test() {
        let effect = three().difference(1, 0);
        // Differences 0, 0, 2, 2: mean 1, standard deviation √(100/99).
        assert_close(effect.value, 1.0, 1e-12);
        assert_close(effect.standard_error, (100.0_f64 / 99.0).sqrt() / 10.0, 1e-9);
        let two = JointEstimates {
            values: three().values[..2].to_vec(),
            covariances: three().covariances[..2].iter().map(|row| row[..2].to_vec()).collect(),
            ..three()
        };
        let test = two.equality();
        let t = effect.value / effect.standard_error;
        assert_close(test.q, t * t, 1e-6);
        assert_close(test.p, effect.p_value(), 1e-9);
    }

    /// The differences from the first have the means 1 and 1.5, the variances 1 / 99 and 2.25 / 99,
    /// and no covariance.
    #[test]
    fn walds_statistic_of_three_means() {
        let test = three().equality();
        assert_eq!(test.degrees_of_freedom, 2);
        assert_close(test.q, 99.0 * (1.0 / 1.0 + 2.25 / 2.25), 1e-6);
        assert!(test.p > 0.0 && test.p < 1e-20, "{test:?}");
    }

    #[test]
    fn what_does_not_vary_has_no_test() {
        let constant = sums([[1, 2, 3]; 100]).estimates(1);
        assert!(constant.equality().p.is_nan());
        assert!(constant.difference(1, 0).is_constant());
        assert!(
            sums((0..29).map(|block| [block, 3, block % 4])).estimates(1).equality().p.is_nan()
        );
        let equal = sums((0..100).map(|block| [block % 7; 3])).estimates(1);
        assert!(equal.difference(2, 0).is_constant(), "{:?}", equal.difference(2, 0));
    }

    #[test]
    fn largest_difference_has_no_value_if_the_halves_have_different_pairs() {
        // Of 10: in the first half the third is largest and the first smallest, in the second half
        // the second is largest and the third smallest.
        let halves = [
            sums((0..100).map(|block| [block % 2, 2, 5 + block % 3])),
            sums((0..100).map(|block| [4, 6 + block % 2, block % 3])),
        ];
        let estimates = |halves: &[JointSums; 2]| {
            let mut all = halves[0].clone();
            all.merge(&halves[1]);
            (all.estimates(10), halves.each_ref().map(|half| half.estimates(10)))
        };
        let (all, parts) = estimates(&halves);
        assert!(largest_difference(&all, &parts).value.is_nan());
        let (all, parts) = estimates(&[halves[0].clone(), halves[0].clone()]);
        let difference = largest_difference(&all, &parts);
        assert_close(difference.value, all.values[2] - all.values[0], 1e-12);
        // It is wider than that of the pair alone.
        let alone = all.difference(2, 0).estimate();
        assert!(difference.low < alone.low && alone.high < difference.high, "{difference:?}");
    }
}
