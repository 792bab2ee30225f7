//! A hidden layer on the features: what a weighted sum of them can't say.

use crate::game::{FeatureVector, MAX_FEATURES};

/// The most units of a layer.
pub const MAX_UNITS: usize = 32;
/// What a unit sees: the features, then how far the game is.
const INPUTS: usize = MAX_FEATURES + 1;

/// Units of a value function, each of which adds its output times what it sees above its threshold
/// (rectified linear units, Glorot, Bordes and Bengio 2011).
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenLayer {
    /// How many inputs are used: the game's features.
    features: usize,
    bias: [f32; MAX_UNITS],
    /// By feature, then those of how far the game is.
    weights: [[f32; MAX_UNITS]; INPUTS],
    outputs: [f32; MAX_UNITS],
}

/// One unit as a profile has it.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenUnit {
    /// What it adds to the value, per unit of what it sees above 0.
    pub output: f64,
    /// What it sees where all features are 0.
    pub bias: f64,
    /// The weight of [`crate::game::Features::progress`].
    pub progress: f64,
    /// Of each feature.
    pub weights: FeatureVector,
}

impl HiddenLayer {
    /// A layer of these units, at most [`MAX_UNITS`], over so many features.
    pub fn new(units: &[HiddenUnit], features: usize) -> Self {
        let mut layer = Self {
            features,
            bias: [0.0; MAX_UNITS],
            weights: [[0.0; MAX_UNITS]; INPUTS],
            outputs: [0.0; MAX_UNITS],
        };
        for (index, unit) in units.iter().enumerate().take(MAX_UNITS) {
            layer.bias[index] = unit.bias as f32;
            layer.outputs[index] = unit.output as f32;
            for (weights, weight) in layer.weights.iter_mut().zip(unit.weights) {
                weights[index] = weight as f32;
            }
            layer.weights[MAX_FEATURES][index] = unit.progress as f32;
        }
        layer
    }

    /// What the layer adds to the value of a seat with these features.
    #[inline]
    pub fn value(&self, features: &FeatureVector, progress: f64) -> f64 {
        let mut seen = self.bias;
        let mut look = |input: f64, weights: &[f32; MAX_UNITS]| {
            for (seen, weight) in seen.iter_mut().zip(weights) {
                *seen += input as f32 * weight;
            }
        };
        for (&input, weights) in features[..self.features].iter().zip(&self.weights) {
            // Many features are 0 in most positions.
            if input != 0.0 {
                look(input, weights);
            }
        }
        look(progress, &self.weights[MAX_FEATURES]);
        let mut sums = [0.0_f32; 8];
        for (index, (seen, output)) in seen.iter().zip(&self.outputs).enumerate() {
            sums[index % 8] += seen.max(0.0) * output;
        }
        f64::from(sums.iter().sum::<f32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_the_sum_of_its_units() {
        let features: FeatureVector =
            std::array::from_fn(|index| if index < 3 { index as f64 - 0.5 } else { 0.0 });
        let weights = |start: f64| {
            std::array::from_fn(|index| if index < 3 { start * (index + 1) as f64 } else { 0.0 })
        };
        let sees = HiddenUnit { output: 2.0, bias: 0.25, progress: 1.0, weights: weights(1.0) };
        let sleeps =
            HiddenUnit { output: 100.0, bias: -10.0, progress: 0.0, weights: weights(0.5) };
        // -0.5 * 1 + 0.5 * 2 + 1.5 * 3 = 5.
        let layer = HiddenLayer::new(&[sleeps, sees], 3);
        assert!((layer.value(&features, 0.5) - 2.0 * (5.0 + 0.25 + 0.5)).abs() < 1e-6);
    }
}
