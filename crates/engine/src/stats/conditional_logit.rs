//! Conditional logit: the choice among alternatives, given their attributes (McFadden 1974).

use rayon::prelude::*;

use super::{Merge, linear::solve};

/// Observations of choices. Each has the attributes of its alternatives and the share of each
/// alternative in the outcome.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observations {
    /// Alternatives per observation.
    pub alternatives: usize,
    /// Attributes per alternative.
    pub attributes: usize,
    /// The attributes, alternative by alternative, observation by observation.
    pub values: Vec<f32>,
    /// The shares in the same order. Their sum is at most 1 in each observation.
    pub shares: Vec<f32>,
}

/// Number of observations that are summed together. It is fixed, so that the order of additions
/// does not depend on threads.
const CHUNK: usize = 4096;

/// Sums over observations.
struct Sums {
    loss: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Merge for Sums {
    fn merge(&mut self, other: &Self) {
        self.loss.merge(&other.loss);
        self.gradient.merge(&other.gradient);
        self.hessian.merge(&other.hessian);
    }
}

impl Sums {
    fn new(size: usize) -> Self {
        Self { loss: 0.0, gradient: vec![0.0; size], hessian: vec![0.0; size * size] }
    }
}

impl Observations {
    /// Creates an empty list of observations with these numbers of alternatives and attributes.
    pub fn new(alternatives: usize, attributes: usize) -> Self {
        Self { alternatives, attributes, ..Self::default() }
    }

    /// Returns the number of observations.
    pub fn len(&self) -> usize {
        self.shares.len() / self.alternatives.max(1)
    }

    /// Returns true if there are no observations.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// Returns the mean cross entropy of the shares under these weights, in nats.
    pub fn loss(&self, weights: &[f64]) -> f64 {
        self.sums(weights).loss / self.len().max(1) as f64
    }

    /// Returns the maximum-likelihood weights by Newton's method from `start`, with an L2 penalty
    /// of `ridge` / 2 · (weight · standard deviation of its attribute)² per observation.
    pub fn fit(&self, start: &[f64], ridge: f64) -> Vec<f64> {
        debug_assert!(self.shares.iter().all(|share| (-1e-5..=1.0 + 1e-5).contains(share)));
        let mut weights = start.to_vec();
        let penalty = |variance: f64| ridge * self.len() as f64 * variance.max(1e-9);
        let penalty: Vec<f64> = self.variances().into_iter().map(penalty).collect();
        for _ in 0..MAX_STEPS {
            let mut sums = self.sums(&weights);
            for (index, penalty) in penalty.iter().enumerate() {
                sums.gradient[index] += penalty * weights[index];
                sums.hessian[index * self.attributes + index] += penalty;
            }
            let step = solve(sums.hessian, sums.gradient);
            let squares = step.iter().zip(&penalty).map(|(step, penalty)| step * step * penalty);
            let length = squares.sum::<f64>().sqrt();
            // A full step may overshoot far from the optimum.
            let unit = (ridge * self.len() as f64).sqrt();
            let scale = (MAX_STEP * unit / length.max(1e-300)).min(1.0);
            weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight -= scale * step);
            if length < MIN_STEP * unit {
                break;
            }
        }
        weights
    }

    fn variances(&self) -> Vec<f64> {
        let rows = (self.values.len() / self.attributes.max(1)).max(1) as f64;
        let mut sums = vec![(0.0, 0.0); self.attributes];
        for row in self.values.chunks_exact(self.attributes) {
            for ((sum, squares), &value) in sums.iter_mut().zip(row) {
                *sum += f64::from(value);
                *squares += f64::from(value).powi(2);
            }
        }
        sums.into_iter().map(|(sum, squares)| squares / rows - (sum / rows).powi(2)).collect()
    }

    fn sums(&self, weights: &[f64]) -> Sums {
        let values = self.values.par_chunks(CHUNK * self.alternatives * self.attributes);
        let shares = self.shares.par_chunks(CHUNK * self.alternatives);
        let chunk_sums = |(values, shares)| self.chunk_sums(values, shares, weights);
        let chunks: Vec<Sums> = values.zip(shares).map(chunk_sums).collect();
        let mut all = Sums::new(self.attributes);
        for chunk in &chunks {
            all.merge(chunk);
        }
        for row in 0..self.attributes {
            for column in 0..row {
                all.hessian[column * self.attributes + row] =
                    all.hessian[row * self.attributes + column];
            }
        }
        all
    }

    /// Returns the sums of one chunk, of the Hessian only the lower triangle.
    fn chunk_sums(&self, values: &[f32], shares: &[f32], weights: &[f64]) -> Sums {
        let mut sums = Sums::new(self.attributes);
        let mut mean = vec![0.0; self.attributes];
        let mut centred = vec![0.0; self.attributes];
        for (values, shares) in values
            .chunks_exact(self.alternatives * self.attributes)
            .zip(shares.chunks_exact(self.alternatives))
        {
            let alternatives = || values.chunks_exact(self.attributes);
            let utility = |row: &[f32]| {
                row.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum()
            };
            let utilities: Vec<f64> = alternatives().map(utility).collect();
            let max = utilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let all: f64 = utilities.iter().map(|utility| (utility - max).exp()).sum();
            let probabilities: Vec<f64> =
                utilities.iter().map(|utility| (utility - max).exp() / all).collect();
            mean.fill(0.0);
            for ((row, probability), &share) in alternatives().zip(&probabilities).zip(shares) {
                sums.loss -= f64::from(share) * probability.max(1e-12).ln();
                for (mean, &value) in mean.iter_mut().zip(row) {
                    *mean += probability * f64::from(value);
                }
            }
            let total: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            for ((row, probability), &share) in alternatives().zip(&probabilities).zip(shares) {
                for (index, &value) in row.iter().enumerate() {
                    sums.gradient[index] +=
                        (total * probability - f64::from(share)) * f64::from(value);
                    centred[index] = f64::from(value) - mean[index];
                }
                for index in 0..self.attributes {
                    let factor = total * probability * centred[index];
                    let line = &mut sums.hessian
                        [index * self.attributes..=index * self.attributes + index];
                    line.iter_mut().zip(&centred).for_each(|(sum, other)| *sum += factor * other);
                }
            }
        }
        sums
    }
}

/// Largest number of Newton steps. Near the optimum each step doubles the number of correct digits.
const MAX_STEPS: usize = 20;
/// Length of a step after which the iteration ends, in standard deviations of the utility.
const MIN_STEP: f64 = 1e-3;
/// Largest length of a step, in standard deviations of the utility.
const MAX_STEP: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    /// Two alternatives with one attribute that differs by 1. The first is chosen in 3/4 of the
    /// observations: its odds are 3, its weight is ln 3.
    #[test]
    fn odds_of_three_are_a_weight_of_ln_3() {
        let values = [1.0, 0.0].repeat(400);
        let shares = [[1.0, 0.0].repeat(300), [0.0, 1.0].repeat(100)].concat();
        let observations = Observations { alternatives: 2, attributes: 1, values, shares };
        let weights = observations.fit(&[0.0], 1e-9);
        assert_close(weights[0], 3_f64.ln(), 1e-5);
        let loss = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert_close(observations.loss(&weights), loss, 1e-6);
    }

    /// Shares that follow from known weights, of three alternatives with correlated attributes.
    #[test]
    fn known_weights_are_found() {
        let truth = [0.7, -1.3, 0.2];
        let noise = |number: usize| (number % 1000) as f32 / 500.0;
        let mut observations = Observations::new(3, 3);
        for observation in 0..2000 {
            let mut utilities = Vec::new();
            for alternative in 0..3 {
                let seed = observation * 7919 + alternative * 104_729;
                let own = |index: usize| noise(seed + index * 1299) - 1.0;
                let row = [own(0), own(1), 0.8 * noise(seed) + 0.2 * own(2)];
                let terms = row.iter().zip(truth).map(|(&value, weight)| f64::from(value) * weight);
                utilities.push(terms.sum::<f64>());
                observations.values.extend(row);
            }
            let all: f64 = utilities.iter().map(|utility| utility.exp()).sum();
            observations.shares.extend(utilities.iter().map(|one| (one.exp() / all) as f32));
        }
        let weights = observations.fit(&[0.0; 3], 1e-9);
        weights.iter().zip(truth).for_each(|(&weight, truth)| assert_close(weight, truth, 1e-3));
    }
}
