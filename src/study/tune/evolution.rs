//! Optimisation of a noisy function over a box by an evolution strategy.
//!
//! Separable CMA-ES (Ros and Hansen, *A Simple Modification in CMA-ES Achieving Linear Time and
//! Space Complexity*, PPSN X, 2008), with the constants of Hansen's *The CMA Evolution Strategy: A
//! Tutorial* (2016). It uses only the ranks of a generation's candidates, so that candidates are
//! compared with others that played the same deals.

use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::rng::Rng;

/// Normal distribution with independent coordinates over the unit box, which moves towards better
/// candidates.
#[derive(Clone, Debug)]
pub(super) struct Evolution {
    mean: Vec<f64>,
    /// Step size: standard deviation of a coordinate with variance 1.
    step: f64,
    /// Variances of the coordinates, in squared steps.
    variances: Vec<f64>,
    /// Evolution path that adapts the step size: fading sum of the moves of the mean, in standard
    /// deviations.
    step_path: Vec<f64>,
    /// Evolution path that adapts the variances: fading sum of the moves of the mean, in steps.
    variance_path: Vec<f64>,
    generation: i32,
    rng: Rng,
}

impl Evolution {
    /// Creates a distribution around a point. `step` is the initial standard deviation, in widths
    /// of the box.
    pub(super) fn new(start: Vec<f64>, step: f64, rng: Rng) -> Self {
        let zeros = vec![0.0; start.len()];
        let variances = vec![1.0; start.len()];
        let (step_path, variance_path) = (zeros.clone(), zeros);
        Self { mean: start, step, variances, step_path, variance_path, generation: 0, rng }
    }

    /// Returns the number of candidates per generation.
    pub(super) fn population_size(dimensions: usize) -> usize {
        4 + (3.0 * (dimensions as f64).ln()) as usize
    }

    /// Returns the mean of the distribution.
    pub(super) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Draws the candidates of a generation; points outside the box are moved to its boundary.
    pub(super) fn ask(&mut self) -> Vec<Vec<f64>> {
        let normal = Normal::standard();
        let Self { mean, step, variances, rng, .. } = self;
        let mut coordinate = |(mean, variance): (&f64, &f64)| {
            // An offset of half a grid step of the random numbers excludes 0 and 1, whose quantiles
            // are infinite.
            let share = rng.random::<f64>() + f64::EPSILON / 4.0;
            (mean + *step * variance.sqrt() * normal.inverse_cdf(share)).clamp(0.0, 1.0)
        };
        (0..Self::population_size(mean.len()))
            .map(|_| mean.iter().zip(&*variances).map(&mut coordinate).collect())
            .collect()
    }

    /// Updates the distribution with the values of a generation's candidates; higher is better.
    pub(super) fn tell(&mut self, candidates: &[Vec<f64>], values: &[f64]) {
        let dimensions = self.mean.len() as f64;
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));

        let parents = candidates.len() / 2;
        let raw: Vec<f64> =
            (1..=parents).map(|rank| ((parents as f64 + 0.5) / rank as f64).ln()).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        // Variance-effective number of parents.
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();

        let step_path_rate = (effective + 2.0) / (dimensions + effective + 5.0);
        let damping = 1.0
            + 2.0 * (((effective - 1.0) / (dimensions + 1.0)).sqrt() - 1.0).max(0.0)
            + step_path_rate;
        let variance_path_rate =
            (4.0 + effective / dimensions) / (dimensions + 4.0 + 2.0 * effective / dimensions);
        // A diagonal matrix has fewer parameters than a full one, which allows higher learning
        // rates (Ros and Hansen 2008).
        let faster = (dimensions + 2.0) / 3.0;
        let rank_one_rate = (faster * 2.0 / ((dimensions + 1.3).powi(2) + effective)).min(1.0);
        let rank_mu_rate = faster * 2.0 * (effective - 2.0 + 1.0 / effective)
            / ((dimensions + 2.0).powi(2) + effective);
        let rank_mu_rate = rank_mu_rate.min(1.0 - rank_one_rate);
        let expected_length = dimensions.sqrt()
            * (1.0 - 1.0 / (4.0 * dimensions) + 1.0 / (21.0 * dimensions * dimensions));

        // Weighted sum over the parents of a function of a coordinate of their steps.
        let weighted = |index: usize, function: fn(f64) -> f64| {
            let step = |&parent: &usize| (candidates[parent][index] - self.mean[index]) / self.step;
            let steps = order[..parents].iter().map(step);
            steps.zip(&weights).map(|(step, weight)| weight * function(step)).sum::<f64>()
        };
        let indices = 0..self.mean.len();
        let moves: Vec<_> = indices.clone().map(|index| weighted(index, |step| step)).collect();
        let squares: Vec<_> = indices.map(|index| weighted(index, |step| step * step)).collect();

        let fresh = (step_path_rate * (2.0 - step_path_rate) * effective).sqrt();
        for (index, path) in self.step_path.iter_mut().enumerate() {
            *path = (1.0 - step_path_rate) * *path
                + fresh * moves[index] / self.variances[index].sqrt();
        }
        self.generation += 1;
        let length = self.step_path.iter().map(|path| path * path).sum::<f64>().sqrt();
        let max_steady_length = (1.0 - (1.0 - step_path_rate).powi(2 * self.generation)).sqrt()
            * (1.4 + 2.0 / (dimensions + 1.0))
            * expected_length;
        // A fast-growing path indicates a step size that is too small rather than wrong variances.
        let steady = f64::from(u8::from(length < max_steady_length));
        let fresh = steady * (variance_path_rate * (2.0 - variance_path_rate) * effective).sqrt();
        for index in 0..self.mean.len() {
            self.variance_path[index] =
                (1.0 - variance_path_rate) * self.variance_path[index] + fresh * moves[index];
            let variance = self.variances[index];
            let rank_one = self.variance_path[index].powi(2)
                + (1.0 - steady) * variance_path_rate * (2.0 - variance_path_rate) * variance;
            self.variances[index] = (1.0 - rank_one_rate - rank_mu_rate) * variance
                + rank_one_rate * rank_one
                + rank_mu_rate * squares[index];
            self.mean[index] += self.step * moves[index];
        }
        self.step *= (step_path_rate / damping * (length / expected_length - 1.0)).exp();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// Maximises a function with noise of this standard deviation.
    fn evolve(
        start: &[f64],
        generations: usize,
        noise: f64,
        value: impl Fn(&[f64]) -> f64,
    ) -> Vec<f64> {
        let rng = stream(1, 0, 0, Purpose::Candidates);
        let mut evolution = Evolution::new(start.to_vec(), 0.1, rng);
        let mut rng = stream(2, 0, 0, Purpose::Candidates);
        for _ in 0..generations {
            let candidates = evolution.ask();
            assert!(candidates.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
            let mut noise = || noise * (rng.random::<f64>() - 0.5) * f64::sqrt(12.0);
            let values: Vec<_> = candidates.iter().map(|point| value(point) + noise()).collect();
            evolution.tell(&candidates, &values);
        }
        evolution.mean().to_vec()
    }

    fn distance(one: &[f64], other: &[f64]) -> f64 {
        one.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn optimum_of_an_ill_conditioned_function_is_found() {
        let top = [0.3, 0.7, 0.45, 0.9, 0.2];
        let hill = |point: &[f64]| {
            let squares = point.iter().zip(&top).map(|(x, top)| (x - top).powi(2));
            -squares.zip(0..).map(|(square, index)| 10_f64.powi(index) * square).sum::<f64>()
        };
        let found = evolve(&[0.5; 5], 150, 0.0, hill);
        assert!(distance(&found, &top) < 1e-3, "{found:?}");
    }

    #[test]
    fn optimum_in_a_corner_is_found() {
        let found = evolve(&[0.5; 3], 60, 0.0, |point| point[0] - point[1] + point[2]);
        assert!(distance(&found, &[1.0, 0.0, 1.0]) < 0.02, "{found:?}");
    }

    #[test]
    fn noise_slows_the_optimisation_but_does_not_stop_it() {
        let top = [0.3; 10];
        let found = evolve(&[0.6; 10], 40, 0.02, |point| -distance(point, &top).powi(2));
        assert!(distance(&found, &top) < 0.4 * distance(&[0.6; 10], &top), "{found:?}");
    }

    #[test]
    fn function_of_one_dimension_is_optimised() {
        let found = evolve(&[0.9], 40, 0.0, |point| -(point[0] - 0.25).abs());
        assert!((found[0] - 0.25).abs() < 1e-3, "{found:?}");
    }
}
