//! Parts of networks in training: fully connected layers, and the optimiser Adam (Kingma and Ba
//! 2015).

use std::ops::Range;

/// Decay rates of Adam, as proposed by Kingma and Ba.
const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;

/// A fully connected layer. Its weights are one row for each unit in the array of all weights.
pub(super) struct DenseLayer {
    pub(super) rows: Range<usize>,
    pub(super) biases: Range<usize>,
}

impl DenseLayer {
    /// Computes the sums of the units.
    #[inline]
    pub(super) fn forward(&self, weights: &[f32], inputs: &[f32], sums: &mut [f32]) {
        let rows = weights[self.rows.clone()].chunks_exact(inputs.len());
        for ((sum, row), bias) in sums.iter_mut().zip(rows).zip(&weights[self.biases.clone()]) {
            *sum = bias + dot(inputs, row);
        }
    }

    /// Adds the gradient of the weights, from the slopes of the loss along the sums.
    #[inline]
    pub(super) fn add_gradient(&self, gradient: &mut [f32], inputs: &[f32], slopes: &[f32]) {
        add(&mut gradient[self.biases.clone()], slopes);
        let rows = gradient[self.rows.clone()].chunks_exact_mut(inputs.len());
        for (row, &slope) in rows.zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            add_scaled(row, inputs, slope);
        }
    }

    /// Adds the slopes of the loss along the inputs.
    #[inline]
    pub(super) fn add_input_slopes(&self, weights: &[f32], slopes: &[f32], back: &mut [f32]) {
        let rows = weights[self.rows.clone()].chunks_exact(back.len());
        for (row, &slope) in rows.zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            add_scaled(back, row, slope);
        }
    }
}

/// Returns the cross entropy, in nats, of target shares and the shares of logits, and replaces the
/// logits by the slopes of the loss. The shares are the softmax of the logits, or the logistic
/// function of each if wins are independent.
pub(super) fn cross_entropy(
    logits: &mut [f32],
    targets: &[f32],
    wins_are_independent: bool,
) -> f64 {
    let loss = |target: f32, share: f32| -f64::from(target * share.max(1e-9).ln());
    if wins_are_independent {
        let one = |(logit, &target): (&mut f32, &f32)| {
            let share = 1.0 / (1.0 + (-*logit).exp());
            *logit = share - target;
            loss(target, share) + loss(1.0 - target, 1.0 - share)
        };
        return logits.iter_mut().zip(targets).map(one).sum();
    }
    let max = logits.iter().fold(f32::MIN, |max, &logit| max.max(logit));
    for logit in &mut *logits {
        *logit = (*logit - max).exp();
    }
    let total = logits.iter().sum::<f32>();
    let one = |(logit, &target): (&mut f32, &f32)| {
        let share = *logit / total;
        *logit = share - target;
        loss(target, share)
    };
    logits.iter_mut().zip(targets).map(one).sum()
}

/// State of Adam: decaying means of the gradient and of its square, which give each weight its own
/// step size.
pub(super) struct Adam {
    steps: i32,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Adam {
    pub(super) fn new(weights: usize) -> Self {
        Self { steps: 0, means: vec![0.0; weights], squares: vec![0.0; weights] }
    }

    /// Makes a step along the mean of a gradient that was summed over `samples`. `weight_decay` is
    /// the share of the weights that a step of rate 1 removes.
    pub(super) fn step(
        &mut self,
        weights: &mut [f32],
        gradient: &[f32],
        samples: usize,
        rate: f32,
        weight_decay: f32,
    ) {
        self.steps += 1;
        let mean_correction = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_correction = 1.0 - SQUARE_DECAY.powi(self.steps);
        let per_sample = 1.0 / samples as f32;
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, sum), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
            let gradient = sum * per_sample;
            *mean += (1.0 - MEAN_DECAY) * (gradient - *mean);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            let step = *mean / mean_correction / ((*square / square_correction).sqrt() + 1e-8);
            *weight -= rate * (step + weight_decay * *weight);
        }
    }
}

#[inline]
pub(super) fn add(sums: &mut [f32], other: &[f32]) {
    sums.iter_mut().zip(other).for_each(|(sum, value)| *sum += value);
}

#[inline]
pub(super) fn add_scaled(sums: &mut [f32], other: &[f32], factor: f32) {
    sums.iter_mut().zip(other).for_each(|(sum, value)| *sum += factor * value);
}

/// Returns the scalar product, with sums in a fixed order that vectorises.
#[inline]
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (one, one_rest) = one.as_chunks::<8>();
    let (other, other_rest) = other.as_chunks::<8>();
    for (one, other) in one.iter().zip(other) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    for (sum, (one, other)) in sums.iter_mut().zip(one_rest.iter().zip(other_rest)) {
        *sum += one * other;
    }
    sums.iter().sum()
}
