//! Conditional logit: who of several is chosen, by their attributes (McFadden 1974).

use rayon::prelude::*;

/// Observations: in each, some alternatives with attributes, and the share of each in the outcome.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observations {
    /// Alternatives per observation.
    pub alternatives: usize,
    /// Attributes per alternative.
    pub attributes: usize,
    /// The attributes, alternative after alternative, observation after observation.
    pub values: Vec<f32>,
    /// The shares, which add up to 1 or less in each observation, in the same order.
    pub shares: Vec<f32>,
}

/// Observations whose sums are taken together: a fixed number, so that the order of additions does
/// not depend on threads.
const CHUNK: usize = 4096;

/// What a pass over the observations adds up.
struct Sums {
    loss: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Sums {
    fn new(size: usize) -> Self {
        Self { loss: 0.0, gradient: vec![0.0; size], hessian: vec![0.0; size * size] }
    }

    fn add(mut self, other: &Self) -> Self {
        self.loss += other.loss;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(sum, term)| *sum += term);
        self.hessian.iter_mut().zip(&other.hessian).for_each(|(sum, term)| *sum += term);
        self
    }
}

impl Observations {
    /// No observations of so many alternatives with so many attributes.
    pub fn new(alternatives: usize, attributes: usize) -> Self {
        Self { alternatives, attributes, ..Self::default() }
    }

    /// Adds those of another, of as many alternatives and attributes.
    pub fn append(&mut self, mut other: Self) {
        self.values.append(&mut other.values);
        self.shares.append(&mut other.shares);
    }

    /// Drops the first of them, `count <= len`.
    pub fn remove_first(&mut self, count: usize) {
        self.values.drain(..count * self.alternatives * self.attributes);
        self.shares.drain(..count * self.alternatives);
    }

    /// How many observations there are.
    pub fn len(&self) -> usize {
        self.shares.len() / self.alternatives.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// The mean cross entropy of the shares under these weights, in nats.
    pub fn loss(&self, weights: &[f64]) -> f64 {
        self.sums(weights).loss / self.len().max(1) as f64
    }

    /// The weights of greatest likelihood, by Newton's method from `start`, with a penalty of
    /// `ridge` / 2 · (weight · sd of its attribute)² per observation.
    pub fn fit(&self, start: &[f64], ridge: f64) -> Vec<f64> {
        let mut weights = start.to_vec();
        let penalty: Vec<f64> = self
            .variances()
            .iter()
            .map(|variance| ridge * self.len() as f64 * variance.max(1e-9))
            .collect();
        for _ in 0..NEWTON_STEPS {
            let mut sums = self.sums(&weights);
            for (index, penalty) in penalty.iter().enumerate() {
                sums.gradient[index] += penalty * weights[index];
                sums.hessian[index * self.attributes + index] += penalty;
            }
            let step = solve_linear(sums.hessian, sums.gradient);
            // Far from the optimum a whole step may overshoot: no odds change more than this at
            // once.
            let longest = step
                .iter()
                .zip(&penalty)
                .map(|(step, penalty)| step * step * penalty)
                .sum::<f64>()
                .sqrt();
            let scale =
                (MOST_STEP * (ridge * self.len() as f64).sqrt() / longest.max(1e-300)).min(1.0);
            weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight -= scale * step);
            if longest < LEAST_STEP * (ridge * self.len() as f64).sqrt() {
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
        let chunks: Vec<Sums> = values
            .zip(shares)
            .map(|(values, shares)| self.sums_of(values, shares, weights))
            .collect();
        let mut all = chunks.iter().fold(Sums::new(self.attributes), Sums::add);
        for row in 0..self.attributes {
            for column in 0..row {
                all.hessian[column * self.attributes + row] =
                    all.hessian[row * self.attributes + column];
            }
        }
        all
    }

    /// The sums of one chunk; of the Hessian only what lies on and below the diagonal.
    fn sums_of(&self, values: &[f32], shares: &[f32], weights: &[f64]) -> Sums {
        let mut sums = Sums::new(self.attributes);
        let mut mean = vec![0.0; self.attributes];
        let mut centred = vec![0.0; self.attributes];
        for (values, shares) in values
            .chunks_exact(self.alternatives * self.attributes)
            .zip(shares.chunks_exact(self.alternatives))
        {
            let alternatives = || values.chunks_exact(self.attributes);
            let utilities: Vec<f64> = alternatives()
                .map(|row| {
                    row.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum()
                })
                .collect();
            let greatest = utilities.iter().fold(f64::NEG_INFINITY, |one, &other| one.max(other));
            let all: f64 = utilities.iter().map(|utility| (utility - greatest).exp()).sum();
            mean.fill(0.0);
            for ((row, utility), &share) in alternatives().zip(&utilities).zip(shares) {
                let chance = (utility - greatest).exp() / all;
                sums.loss -= f64::from(share) * chance.max(1e-12).ln();
                mean.iter_mut()
                    .zip(row)
                    .for_each(|(mean, &value)| *mean += chance * f64::from(value));
            }
            let total: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            for ((row, utility), &share) in alternatives().zip(&utilities).zip(shares) {
                let chance = (utility - greatest).exp() / all;
                for (index, &value) in row.iter().enumerate() {
                    sums.gradient[index] += (total * chance - f64::from(share)) * f64::from(value);
                    centred[index] = f64::from(value) - mean[index];
                }
                for index in 0..self.attributes {
                    let factor = total * chance * centred[index];
                    let line = &mut sums.hessian
                        [index * self.attributes..=index * self.attributes + index];
                    line.iter_mut().zip(&centred).for_each(|(sum, other)| *sum += factor * other);
                }
            }
        }
        sums
    }
}

/// More than enough: Newton's method doubles the digits with each step near the optimum.
const NEWTON_STEPS: usize = 20;
/// A step after which no other is worth taking, in standard deviations of the utility.
const LEAST_STEP: f64 = 1e-3;
/// The longest step, in standard deviations of the utility.
const MOST_STEP: f64 = 4.0;

/// Solves a symmetric positive definite system by Cholesky's decomposition.
pub(super) fn solve_linear(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let dot: f64 = (0..column)
                .map(|inner| matrix[row * size + inner] * matrix[column * size + inner])
                .sum();
            let rest = matrix[row * size + column] - dot;
            matrix[row * size + column] = if row == column {
                rest.max(1e-12).sqrt()
            } else {
                rest / matrix[column * size + column]
            };
        }
    }
    for row in 0..size {
        let dot: f64 = (0..row).map(|inner| matrix[row * size + inner] * right[inner]).sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let dot: f64 = (row + 1..size).map(|inner| matrix[inner * size + row] * right[inner]).sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two alternatives of one attribute that differs by 1, of which the first has three quarters:
    /// its odds are 3, its weight ln 3.
    #[test]
    fn odds_of_three_are_a_weight_of_ln_3() {
        let values = [1.0, 0.0].repeat(400);
        let shares = [[1.0, 0.0].repeat(300), [0.0, 1.0].repeat(100)].concat();
        let observations = Observations { alternatives: 2, attributes: 1, values, shares };
        let weights = observations.fit(&[0.0], 1e-9);
        assert!((weights[0] - 3_f64.ln()).abs() < 1e-5, "{weights:?}");
        let loss = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert!((observations.loss(&weights) - loss).abs() < 1e-6);
    }

    /// Shares that follow known weights exactly give the weights back, with three alternatives and
    /// attributes that go together.
    #[test]
    fn known_weights_are_found() {
        let truth = [0.7, -1.3, 0.2];
        let attribute = |observation: usize, alternative: usize, index: usize| {
            let noise = ((observation * 7919 + alternative * 104_729 + index * 1299) % 1000) as f32
                / 500.0
                - 1.0;
            if index == 2 {
                0.8 * ((observation * 7919 + alternative * 104_729) % 1000) as f32 / 500.0
                    + 0.2 * noise
            } else {
                noise
            }
        };
        let mut observations =
            Observations { alternatives: 3, attributes: 3, ..Observations::default() };
        for observation in 0..2000 {
            let rows: Vec<[f32; 3]> = (0..3)
                .map(|alternative| {
                    std::array::from_fn(|index| attribute(observation, alternative, index))
                })
                .collect();
            let odds: Vec<f64> = rows
                .iter()
                .map(|row| {
                    row.iter()
                        .zip(truth)
                        .map(|(&value, weight)| f64::from(value) * weight)
                        .sum::<f64>()
                        .exp()
                })
                .collect();
            let all: f64 = odds.iter().sum();
            observations.values.extend(rows.iter().flatten());
            observations.shares.extend(odds.iter().map(|odds| (odds / all) as f32));
        }
        let weights = observations.fit(&[0.0; 3], 1e-9);
        for (weight, truth) in weights.iter().zip(truth) {
            assert!((weight - truth).abs() < 1e-3, "{weights:?}");
        }
    }
}
