//! The effect of a treatment after linear adjustment for what was known before it.

use std::ops::AddAssign;

use super::paired::Effect;

/// Groups of blocks by which the variance is estimated.
const GROUPS: usize = 24;

/// What is left of a column's square after others are taken out of it, as a share; less is
/// rounding, and the column is a sum of others.
const LEAST_SHARE: f64 = 1e-9;

/// Sums of products of rows of integers, kept apart for groups of blocks. A row has the covariates,
/// a constant first among them, then the treatment, then the outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RegressionSums {
    columns: usize,
    /// For each group the products of all pairs of columns, the second not before the first. Empty
    /// as long as there is no row.
    products: Vec<i64>,
}

impl AddAssign<&Self> for RegressionSums {
    fn add_assign(&mut self, other: &Self) {
        if self.products.is_empty() {
            self.clone_from(other);
        } else {
            self.products
                .iter_mut()
                .zip(&other.products)
                .for_each(|(mine, theirs)| *mine += theirs);
        }
    }
}

impl RegressionSums {
    /// Adds a row of a block; all rows are equally long.
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

    fn size(&self) -> usize {
        self.columns * (self.columns + 1) / 2
    }

    /// Where the product of a column with itself is.
    const fn square_of(&self, column: usize) -> usize {
        column * self.columns - column * column.saturating_sub(1) / 2
    }

    /// The effect of the treatment on each of so many outcomes, the last columns: its coefficients
    /// in a linear regression. The standard error is that of the delete-a-group jackknife (Kott
    /// 2001), which asks nothing of the errors but that blocks are independent.
    pub fn treatment_effects(&self, outcomes: usize) -> Vec<Effect> {
        let size = self.size();
        if size == 0 {
            return vec![Effect::unknown(0); outcomes];
        }
        let groups: Vec<_> = self.products.chunks_exact(size).collect();
        let all: Vec<i64> =
            (0..size).map(|index| groups.iter().map(|group| group[index]).sum()).collect();
        let n = all[0];
        let whole = coefficients(&all, self.columns, outcomes);
        let full: Vec<_> = groups.into_iter().filter(|group| group[0] > 0).collect();
        let without = |group: &&[i64]| {
            let rest: Vec<_> = all.iter().zip(*group).map(|(all, own)| all - own).collect();
            coefficients(&rest, self.columns, outcomes)
        };
        let replicates: Vec<Vec<f64>> = full.iter().map(without).collect();
        let groups = full.len() as f64;
        let effect = |outcome: usize| {
            let squares: f64 = replicates
                .iter()
                .map(|replicate| (replicate[outcome] - whole[outcome]).powi(2))
                .sum();
            let error = (squares * (groups - 1.0) / groups).sqrt();
            let error = if full.len() < GROUPS || error.is_nan() { f64::INFINITY } else { error };
            // An outcome that does not vary, or only with what is taken into account, leaves
            // nothing but rounding.
            let scale =
                (all[self.square_of(self.columns - outcomes + outcome)] as f64 / n as f64).sqrt();
            let error = if error < LEAST_SHARE * scale { 0.0 } else { error };
            Effect::new(n, whole[outcome], error, (groups - 1.0).max(1.0))
        };
        (0..outcomes).map(effect).collect()
    }
}

/// The coefficients of the treatment, by Gaussian elimination of the covariates. A covariate that
/// is a sum of others is left out.
fn coefficients(products: &[i64], columns: usize, outcomes: usize) -> Vec<f64> {
    let mut matrix = vec![vec![0.0; columns]; columns];
    let places = (0..columns).flat_map(|row| (row..columns).map(move |column| (row, column)));
    for ((row, column), &product) in places.zip(products) {
        matrix[row][column] = product as f64;
        matrix[column][row] = product as f64;
    }
    let squares: Vec<f64> = (0..columns).map(|column| matrix[column][column]).collect();
    let treatment = columns - outcomes - 1;
    for pivot in 0..treatment {
        if matrix[pivot][pivot] <= LEAST_SHARE * squares[pivot] {
            continue;
        }
        let eliminated = matrix[pivot].clone();
        for row in matrix.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / eliminated[pivot];
            row.iter_mut().zip(&eliminated).for_each(|(cell, other)| *cell -= factor * other);
        }
    }
    let left = matrix[treatment][treatment];
    let known = left > LEAST_SHARE * squares[treatment];
    (treatment + 1..columns)
        .map(|outcome| if known { matrix[treatment][outcome] / left } else { f64::NAN })
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::{super::ratio::Estimate, *};

    /// 20 treated and untreated observations a block whose outcome is 3 × treatment − 2 × covariate
    /// + noise; the treatment goes with the covariate.
    fn simulated(seed: u64, blocks: u64) -> RegressionSums {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
        let mut moments = RegressionSums::default();
        for block in 0..blocks {
            let shared = rng.random_range(-5..=5_i64);
            for _ in 0..20 {
                let covariate = rng.random_range(0..10_i64);
                let treatment = i64::from(rng.random_range(0..10) < covariate);
                let outcome = 3 * treatment - 2 * covariate + shared + rng.random_range(-5..=5_i64);
                // The third covariate is a sum of the others.
                moments.add(block, &[1, covariate, 2 * covariate - 1, treatment, outcome]);
            }
        }
        moments
    }

    #[test]
    fn an_effect_is_told_from_what_goes_with_it() {
        let [effect] = simulated(1, 400).treatment_effects(1)[..] else { panic!("one outcome") };
        assert_eq!(effect.n, 8000);
        let Estimate { low, high, .. } = effect.estimate();
        assert!(low < 3.0 && 3.0 < high && high - low < 0.8, "{effect:?}");
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let held = (0..400).filter(|&seed| {
            let Estimate { low, high, .. } = simulated(seed, 96).treatment_effects(1)[0].estimate();
            low < 3.0 && 3.0 < high
        });
        // 380 are expected, with a standard deviation of 4.4.
        assert!((362..=395).contains(&held.count()));
    }

    #[test]
    fn an_outcome_that_does_not_vary_has_no_interval() {
        let mut moments = RegressionSums::default();
        for block in 0..500 {
            moments.add(block, &[1, 3 * block as i64 % 7, block as i64 % 2, 5, block as i64 % 3]);
        }
        let [constant, other] = moments.treatment_effects(2)[..] else { panic!("two outcomes") };
        assert!(
            constant.is_constant() && constant.value.abs() < 1e-9 && constant.p_value().is_nan(),
            "{constant:?}"
        );
        assert!(!constant.estimate().low.is_finite());
        assert!(other.is_testable(), "{other:?}");
    }

    #[test]
    fn without_two_kinds_of_observations_there_is_no_effect() {
        let mut moments = RegressionSums::default();
        assert!(moments.treatment_effects(1)[0].value.is_nan());
        for block in 0..100 {
            moments.add(block, &[1, 1, 5]);
        }
        assert!(moments.treatment_effects(1)[0].value.is_nan());
    }
}
