//! The effect of a treatment, adjusted for covariates by linear regression.

use serde::{Deserialize, Serialize};

use super::{Merge, paired::Effect};

/// Number of groups of blocks in the jackknife.
const GROUPS: usize = 24;

/// Smallest relative residual sum of squares of a column. A smaller one is rounding: the column is
/// a linear combination of the others.
const MIN_RESIDUAL_SHARE: f64 = 1e-9;

/// Sums of the products of all columns of the regression, separate for each group of blocks. A row
/// of integers has the constant 1, the other covariates, the treatment, and the outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RegressionSums {
    columns: usize,
    /// For each group, the upper triangle of the matrix of products, row by row; empty without
    /// rows.
    products: Vec<i64>,
}

impl Merge for RegressionSums {
    fn merge(&mut self, other: &Self) {
        self.columns = self.columns.max(other.columns);
        self.products.merge(&other.products);
    }
}

impl RegressionSums {
    /// Adds a row of a block. All rows have the same length.
    pub fn add(&mut self, block: u64, row: &[i64]) {
        self.columns = row.len();
        let size = self.size();
        self.products.resize(size * GROUPS, 0);
        let group = (block % GROUPS as u64) as usize;
        let mut sums = self.products[group * size..].iter_mut();
        for (index, one) in row.iter().enumerate() {
            for (other, sum) in row[index..].iter().zip(&mut sums) {
                *sum += one * other;
            }
        }
    }

    /// Returns the number of products of a group.
    fn size(&self) -> usize {
        self.columns * (self.columns + 1) / 2
    }

    /// Returns the index of the square of a column among the products of a group.
    const fn index_of_square(&self, column: usize) -> usize {
        column * self.columns - column * column.saturating_sub(1) / 2
    }

    /// Returns the effect of the treatment on each outcome, the last `outcomes` columns: its
    /// coefficient b in the least-squares regression on all covariates.
    ///
    /// The standard error is that of the delete-a-group jackknife (Kott, *Journal of Official
    /// Statistics* 17, 2001): √((G − 1) / G · Σ (b₍g₎ − b)²) with b₍g₎ from all groups but g. It
    /// assumes only that blocks are independent.
    pub fn treatment_effects(&self, outcomes: usize) -> Vec<Effect> {
        let size = self.size();
        if size == 0 {
            return vec![Effect::unknown(0); outcomes];
        }
        let groups: Vec<_> = self.products.chunks_exact(size).collect();
        let all: Vec<i64> =
            (0..size).map(|index| groups.iter().map(|group| group[index]).sum()).collect();
        let n = all[0];
        let estimates = coefficients(&all, self.columns, outcomes);
        let nonempty: Vec<_> = groups.into_iter().filter(|group| group[0] > 0).collect();
        let without = |group: &&[i64]| {
            let rest: Vec<_> = all.iter().zip(*group).map(|(all, own)| all - own).collect();
            coefficients(&rest, self.columns, outcomes)
        };
        let replicates: Vec<Vec<f64>> = nonempty.iter().map(without).collect();
        let count = nonempty.len() as f64;
        let effect = |outcome: usize| {
            let square = |row: &Vec<f64>| (row[outcome] - estimates[outcome]).powi(2);
            let squares: f64 = replicates.iter().map(square).sum();
            let error = (squares * (count - 1.0) / count).sqrt();
            // The residuals of an outcome that is constant or a combination of the covariates are
            // rounding errors.
            let outcome_square = all[self.index_of_square(self.columns - outcomes + outcome)];
            let scale = (outcome_square as f64 / n as f64).sqrt();
            let error = if nonempty.len() < GROUPS || error.is_nan() {
                f64::INFINITY
            } else if error < MIN_RESIDUAL_SHARE * scale {
                0.0
            } else {
                error
            };
            Effect::new(n, estimates[outcome], error, (count - 1.0).max(1.0))
        };
        (0..outcomes).map(effect).collect()
    }
}

/// Returns the coefficients of the treatment by Gaussian elimination of the covariates. A covariate
/// that is a linear combination of the others is ignored.
fn coefficients(products: &[i64], columns: usize, outcomes: usize) -> Vec<f64> {
    let mut matrix = vec![vec![0.0; columns]; columns];
    let cells = (0..columns).flat_map(|row| (row..columns).map(move |column| (row, column)));
    for ((row, column), &product) in cells.zip(products) {
        matrix[row][column] = product as f64;
        matrix[column][row] = product as f64;
    }
    let squares: Vec<f64> = (0..columns).map(|column| matrix[column][column]).collect();
    let treatment = columns - outcomes - 1;
    for pivot in 0..treatment {
        if matrix[pivot][pivot] <= MIN_RESIDUAL_SHARE * squares[pivot] {
            continue;
        }
        let eliminated = matrix[pivot].clone();
        for row in matrix.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / eliminated[pivot];
            row.iter_mut().zip(&eliminated).for_each(|(cell, other)| *cell -= factor * other);
        }
    }
    let residual = matrix[treatment][treatment];
    let is_estimable = residual > MIN_RESIDUAL_SHARE * squares[treatment];
    (treatment + 1..columns)
        .map(|outcome| if is_estimable { matrix[treatment][outcome] / residual } else { f64::NAN })
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::{super::ratio::Estimate, *};

    /// Returns 20 observations for each block with the outcome 3 × treatment − 2 × covariate +
    /// noise. The treatment is correlated with the covariate.
    fn simulated(seed: u64, blocks: u64) -> RegressionSums {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
        let mut sums = RegressionSums::default();
        for block in 0..blocks {
            let shared = rng.random_range(-5..=5_i64);
            for _ in 0..20 {
                let covariate = rng.random_range(0..10_i64);
                let treatment = i64::from(rng.random_range(0..10) < covariate);
                let outcome = 3 * treatment - 2 * covariate + shared + rng.random_range(-5..=5_i64);
                // The third covariate is a linear combination of the first two.
                sums.add(block, &[1, covariate, 2 * covariate - 1, treatment, outcome]);
            }
        }
        sums
    }

    #[test]
    fn effect_is_adjusted_for_a_correlated_covariate() {
        let [effect] = simulated(1, 400).treatment_effects(1)[..] else { panic!("one outcome") };
        assert_eq!(effect.n, 8000);
        let Estimate { low, high, .. } = effect.estimate();
        assert!(low < 3.0 && 3.0 < high && high - low < 0.8, "{effect:?}");
    }

    #[test]
    fn interval_has_its_nominal_coverage() {
        let covered = (0..400).filter(|&seed| {
            let Estimate { low, high, .. } = simulated(seed, 96).treatment_effects(1)[0].estimate();
            low < 3.0 && 3.0 < high
        });
        // The expected number is 380, with a standard deviation of 4.4.
        assert!((362..=395).contains(&covered.count()));
    }

    #[test]
    fn constant_outcome_has_no_interval() {
        let mut sums = RegressionSums::default();
        for block in 0..500 {
            sums.add(block, &[1, 3 * block as i64 % 7, block as i64 % 2, 5, block as i64 % 3]);
        }
        let [constant, other] = sums.treatment_effects(2)[..] else { panic!("two outcomes") };
        assert!(constant.is_constant() && constant.p_value().is_nan(), "{constant:?}");
        assert!(constant.value.abs() < 1e-9, "{constant:?}");
        assert!(!constant.estimate().low.is_finite());
        assert!(other.is_testable(), "{other:?}");
    }

    #[test]
    fn effect_without_untreated_observations_is_unknown() {
        let mut sums = RegressionSums::default();
        assert!(sums.treatment_effects(1)[0].value.is_nan());
        for block in 0..100 {
            sums.add(block, &[1, 1, 5]);
        }
        assert!(sums.treatment_effects(1)[0].value.is_nan());
    }
}
