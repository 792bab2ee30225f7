//! Hidden layer of a value function.

use crate::game::{FeatureVector, MAX_FEATURES};

/// Maximum number of units.
pub const MAX_UNITS: usize = 32;
/// Inputs of a unit: the features, then the progress of the game.
const INPUTS: usize = MAX_FEATURES + 1;

/// Rectified linear units (Glorot, Bordes and Bengio 2011) that are added to a linear value
/// function.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenLayer {
    /// Number of features in use.
    features: usize,
    bias: [f32; MAX_UNITS],
    /// Weights by feature, then those of the progress; units are contiguous, so that the inner loop
    /// over units is vectorised.
    weights: [[f32; MAX_UNITS]; INPUTS],
    outputs: [f32; MAX_UNITS],
}

/// Unit as in a profile.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenUnit {
    /// Output weight, applied after the rectifier.
    pub output: f64,
    /// Bias before the rectifier.
    pub bias: f64,
    /// Weight of [`crate::game::Features::progress`].
    pub progress: f64,
    /// Weight of each feature.
    pub weights: FeatureVector,
}

impl HiddenLayer {
    /// Creates a layer of at most [`MAX_UNITS`] units over this number of features.
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

    /// Returns the layer's contribution to the value of a seat with these features.
    // Inlined, the compiler keeps the units in memory and does not vectorise their sums.
    #[inline(never)]
    pub fn value(&self, features: &FeatureVector, progress: f64) -> f64 {
        let mut activations = self.bias;
        let mut add_input = |input: f64, weights: &[f32; MAX_UNITS]| {
            for (activation, weight) in activations.iter_mut().zip(weights) {
                *activation += input as f32 * weight;
            }
        };
        for (&input, weights) in features[..self.features].iter().zip(&self.weights) {
            // Many features are 0 in most positions.
            if input != 0.0 {
                add_input(input, weights);
            }
        }
        add_input(progress, &self.weights[MAX_FEATURES]);
        let mut sums = [0.0_f32; 8];
        for (index, (activation, output)) in activations.iter().zip(&self.outputs).enumerate() {
            sums[index % 8] += activation.max(0.0) * output;
        }
        f64::from(sums.iter().sum::<f32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_value_is_the_sum_of_its_active_units() {
        let features: FeatureVector =
            std::array::from_fn(|index| if index < 3 { index as f64 - 0.5 } else { 0.0 });
        let weights = |start: f64| {
            std::array::from_fn(|index| if index < 3 { start * (index + 1) as f64 } else { 0.0 })
        };
        let active = HiddenUnit { output: 2.0, bias: 0.25, progress: 1.0, weights: weights(1.0) };
        let inactive =
            HiddenUnit { output: 100.0, bias: -10.0, progress: 0.0, weights: weights(0.5) };
        // -0.5 * 1 + 0.5 * 2 + 1.5 * 3 = 5.
        let layer = HiddenLayer::new(&[inactive, active], 3);
        assert!((layer.value(&features, 0.5) - 2.0 * (5.0 + 0.25 + 0.5)).abs() < 1e-6);
    }
}
