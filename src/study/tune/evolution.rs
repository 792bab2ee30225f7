//! Optimisation of a noisy function over a box by an evolution strategy.
//!
//! A normal distribution with independent coordinates moves to the weighted mean of the better half
//! of its points, and its variances towards their squared steps: separable CMA-ES (Ros and Hansen,
//! *A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity*, PPSN X, 2008) with
//! the rank-μ update only. Under noise its evolution paths gain less than a larger population. It
//! uses only the ranks of points, so that they are compared with others that played the same deals.

use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::rng::Rng;

/// Share of a generation in the variances.
const RATE: f64 = 0.5;

/// Normal distribution over the unit box, which moves towards better points.
pub(super) struct Evolution {
    /// Mean of the distribution.
    pub(super) mean: Vec<f64>,
    variances: Vec<f64>,
    rng: Rng,
}

impl Evolution {
    /// Creates a distribution around a point. `step` is the standard deviation, in widths of the
    /// box.
    pub(super) fn new(mean: Vec<f64>, step: f64, rng: Rng) -> Self {
        Self { variances: vec![step * step; mean.len()], mean, rng }
    }

    /// Returns the number of points of a generation.
    pub(super) fn population_size(dimensions: usize) -> usize {
        12 + (9.0 * (dimensions as f64).ln()) as usize
    }

    /// Draws the points of a generation; those outside the box are moved to its boundary.
    pub(super) fn ask(&mut self) -> Vec<Vec<f64>> {
        let normal = Normal::standard();
        let Self { mean, variances, rng } = self;
        let mut coordinate = |(mean, variance): (&f64, &f64)| {
            // An offset of half a grid step of the random numbers excludes 0 and 1, whose quantiles
            // are infinite.
            let share = rng.random::<f64>() + f64::EPSILON / 4.0;
            (mean + variance.sqrt() * normal.inverse_cdf(share)).clamp(0.0, 1.0)
        };
        (0..Self::population_size(mean.len()))
            .map(|_| mean.iter().zip(&*variances).map(&mut coordinate).collect())
            .collect()
    }

    /// Moves the distribution by the values of a generation's points; higher is better.
    pub(super) fn tell(&mut self, points: &[Vec<f64>], values: &[f64]) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
        let parents = points.len() / 2;
        let weight = |rank: usize| ((parents as f64 + 0.5) / rank as f64).ln();
        let sum: f64 = (1..=parents).map(weight).sum();
        for (index, (mean, variance)) in self.mean.iter_mut().zip(&mut self.variances).enumerate() {
            let (mut shift, mut squares) = (0.0, 0.0);
            for (rank, &parent) in (1..=parents).zip(&order) {
                let step = points[parent][index] - *mean;
                shift += weight(rank) / sum * step;
                squares += weight(rank) / sum * step * step;
            }
            *variance = (1.0 - RATE) * *variance + RATE * squares;
            *mean += shift;
        }
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
        evolution.mean
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
