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
    step: f64,
    variances: Vec<f64>,
    /// Evolution paths: fading sums of recent moves of the mean, in standard deviations (adapts the
    /// step size) and in steps (adapts the variances).
    length_path: Vec<f64>,
    shape_path: Vec<f64>,
    generation: i32,
    rng: Rng,
}

impl Evolution {
    /// Creates a distribution around a point. `step` is the initial standard deviation, in widths
    /// of the box.
    pub(super) fn new(start: Vec<f64>, step: f64, rng: Rng) -> Self {
        let zeros = vec![0.0; start.len()];
        let variances = vec![1.0; start.len()];
        Self {
            mean: start,
            step,
            variances,
            length_path: zeros.clone(),
            shape_path: zeros,
            generation: 0,
            rng,
        }
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
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();

        let length_rate = (effective + 2.0) / (dimensions + effective + 5.0);
        let damping = 1.0
            + 2.0 * (((effective - 1.0) / (dimensions + 1.0)).sqrt() - 1.0).max(0.0)
            + length_rate;
        let shape_rate =
            (4.0 + effective / dimensions) / (dimensions + 4.0 + 2.0 * effective / dimensions);
        // A diagonal matrix has fewer parameters than a full one, which allows higher learning
        // rates (Ros and Hansen 2008).
        let faster = (dimensions + 2.0) / 3.0;
        let path_rate = (faster * 2.0 / ((dimensions + 1.3).powi(2) + effective)).min(1.0);
        let rank_rate = faster * 2.0 * (effective - 2.0 + 1.0 / effective)
            / ((dimensions + 2.0).powi(2) + effective);
        let rank_rate = rank_rate.min(1.0 - path_rate);
        let expected_length = dimensions.sqrt()
            * (1.0 - 1.0 / (4.0 * dimensions) + 1.0 / (21.0 * dimensions * dimensions));

        let moves: Vec<Vec<f64>> = order[..parents]
            .iter()
            .map(|&index| {
                candidates[index]
                    .iter()
                    .zip(&self.mean)
                    .map(|(x, mean)| (x - mean) / self.step)
                    .collect()
            })
            .collect();
        let weighted = |what: &dyn Fn(&[f64]) -> f64| {
            moves.iter().zip(&weights).map(|(of, weight)| weight * what(of)).sum::<f64>()
        };
        let total: Vec<f64> = (0..self.mean.len()).map(|index| weighted(&|of| of[index])).collect();

        let fresh = (length_rate * (2.0 - length_rate) * effective).sqrt();
        for (index, path) in self.length_path.iter_mut().enumerate() {
            *path =
                (1.0 - length_rate) * *path + fresh * total[index] / self.variances[index].sqrt();
        }
        self.generation += 1;
        let length = self.length_path.iter().map(|path| path * path).sum::<f64>().sqrt();
        let usual = (1.0 - (1.0 - length_rate).powi(2 * self.generation)).sqrt()
            * (1.4 + 2.0 / (dimensions + 1.0))
            * expected_length;
        // A fast-growing path indicates a step size that is too small rather than wrong variances.
        let steady = f64::from(u8::from(length < usual));
        let fresh = steady * (shape_rate * (2.0 - shape_rate) * effective).sqrt();
        for index in 0..self.mean.len() {
            self.shape_path[index] =
                (1.0 - shape_rate) * self.shape_path[index] + fresh * total[index];
            let variance = self.variances[index];
            let of_path = self.shape_path[index].powi(2)
                + (1.0 - steady) * shape_rate * (2.0 - shape_rate) * variance;
            let of_ranks = weighted(&|of| of[index] * of[index]);
            self.variances[index] = (1.0 - path_rate - rank_rate) * variance
                + path_rate * of_path
                + rank_rate * of_ranks;
            self.mean[index] += self.step * total[index];
        }
        self.step *= (length_rate / damping * (length / expected_length - 1.0)).exp();
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
        let mut evolution =
            Evolution::new(start.to_vec(), 0.1, stream(1, 0, 0, Purpose::Candidates));
        let mut rng = stream(2, 0, 0, Purpose::Candidates);
        for _ in 0..generations {
            let candidates = evolution.ask();
            assert!(candidates.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
            let values: Vec<f64> = candidates
                .iter()
                .map(|of| value(of) + noise * (rng.random::<f64>() - 0.5) * f64::sqrt(12.0))
                .collect();
            evolution.tell(&candidates, &values);
        }
        evolution.mean().to_vec()
    }

    fn distance(one: &[f64], other: &[f64]) -> f64 {
        one.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn finds_the_top_of_a_stretched_hill() {
        let top = [0.3, 0.7, 0.45, 0.9, 0.2];
        let hill = |of: &[f64]| {
            -of.iter()
                .zip(&top)
                .enumerate()
                .map(|(index, (x, top))| 10_f64.powi(index as i32) * (x - top).powi(2))
                .sum::<f64>()
        };
        let found = evolve(&[0.5; 5], 150, 0.0, hill);
        assert!(distance(&found, &top) < 1e-3, "{found:?}");
    }

    #[test]
    fn finds_a_corner() {
        let found = evolve(&[0.5; 3], 60, 0.0, |of| of[0] - of[1] + of[2]);
        assert!(distance(&found, &[1.0, 0.0, 1.0]) < 0.02, "{found:?}");
    }

    #[test]
    fn comes_near_through_noise() {
        let top = [0.3; 10];
        let found = evolve(&[0.6; 10], 40, 0.02, |of| -distance(of, &top).powi(2));
        assert!(distance(&found, &top) < 0.4 * distance(&[0.6; 10], &top), "{found:?}");
    }

    #[test]
    fn one_dimension_is_enough() {
        let found = evolve(&[0.9], 40, 0.0, |of| -(of[0] - 0.25).abs());
        assert!((found[0] - 0.25).abs() < 1e-3, "{found:?}");
    }
}
