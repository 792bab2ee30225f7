//! Fitting of a hidden layer to the residuals of a value function, by stochastic gradient descent.

use std::ops::Range;

use rand::{RngExt, seq::SliceRandom};

use super::perceptron::{Adam, DenseLayer, add_scaled, cross_entropy, dot};
use crate::{
    game::FeatureVector,
    rng::Rng,
    search::hidden::{HiddenUnit, MAX_UNITS},
};

/// Passes through the training set.
const EPOCHS: u32 = 30;
/// Positions per batch.
const BATCH_SIZE: usize = 256;
/// Learning rate in the first three fifths of the epochs.
const LEARNING_RATE: f32 = 1e-3;
/// Learning rate in the other epochs.
const FINAL_LEARNING_RATE: f32 = 2e-4;

/// Positions of games with their targets.
#[derive(Clone, Default, Debug)]
pub struct TrainingSet {
    seats: usize,
    features: usize,
    /// True if each seat wins or loses by itself.
    wins_are_independent: bool,
    /// Features and progress, by position and seat.
    inputs: Vec<f32>,
    /// Value of each seat without the layer, in units of the temperature.
    linear_values: Vec<f32>,
    /// Target of each seat: its win probability.
    shares: Vec<f32>,
}

/// Size of the training set, and the mean cross entropy in nats of held-out positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LayerFit {
    /// Positions in the training set.
    pub positions: usize,
    /// Held-out positions, those of the last games.
    pub held_out: usize,
    /// Loss without the layer.
    pub loss_without: f64,
    /// Loss with the layer.
    pub loss_with: f64,
}

impl TrainingSet {
    /// Creates an empty set.
    pub fn new(seats: usize, features: usize, wins_are_independent: bool) -> Self {
        Self { seats, features, wins_are_independent, ..Self::default() }
    }

    /// Adds the next seat of a position.
    pub fn push(&mut self, features: &FeatureVector, progress: f64, linear_value: f64, share: f64) {
        self.inputs.extend(features[..self.features].iter().map(|&feature| feature as f32));
        self.inputs.push(progress as f32);
        self.linear_values.push(linear_value as f32);
        self.shares.push(share as f32);
    }

    /// Adds the positions of another set of the same game.
    pub fn append(&mut self, mut other: Self) {
        self.inputs.append(&mut other.inputs);
        self.linear_values.append(&mut other.linear_values);
        self.shares.append(&mut other.shares);
    }

    fn len(&self) -> usize {
        self.linear_values.len() / self.seats
    }

    /// Returns the number of inputs per seat.
    fn width(&self) -> usize {
        self.features + 1
    }

    /// Fits at most [`MAX_UNITS`] units to all positions but the last tenth, which are held out.
    pub fn fit(mut self, units: usize, rng: &mut Rng) -> (Vec<HiddenUnit>, LayerFit) {
        let positions = self.len() - self.len() / 10;
        let scales = self.scales(positions);
        let width = self.width();
        for row in self.inputs.chunks_exact_mut(width) {
            row.iter_mut().zip(&scales).for_each(|(input, scale)| *input /= scale);
        }
        let mut layer = Layer::random(width, units, rng);
        let mut adam = Adam::new(layer.weights.len());
        let loss_without = self.loss(&layer, positions);
        let mut order: Vec<usize> = (0..positions).collect();
        for epoch in 0..EPOCHS {
            let rate = if epoch * 5 < EPOCHS * 3 { LEARNING_RATE } else { FINAL_LEARNING_RATE };
            order.shuffle(rng);
            for batch in order.chunks(BATCH_SIZE) {
                let mut gradient = vec![0.0; layer.weights.len()];
                for &position in batch {
                    self.position_loss(&layer, position, Some(&mut gradient));
                }
                adam.step(&mut layer.weights, &gradient, batch.len(), rate, 0.0);
            }
        }
        let fit = LayerFit {
            positions,
            held_out: self.len() - positions,
            loss_without,
            loss_with: self.loss(&layer, positions),
        };
        (layer.units(units, &scales), fit)
    }

    /// Returns the root mean square of each input, by which it is divided; 1 for inputs that are
    /// always 0.
    fn scales(&self, positions: usize) -> Vec<f32> {
        let mut squares = vec![0.0; self.width()];
        let rows = positions * self.seats;
        for row in self.inputs.chunks_exact(self.width()).take(rows) {
            squares.iter_mut().zip(row).for_each(|(sum, &input)| *sum += f64::from(input).powi(2));
        }
        let scale = |sum: f64| if sum > 0.0 { (sum / rows as f64).sqrt() as f32 } else { 1.0 };
        squares.into_iter().map(scale).collect()
    }

    /// Returns the mean loss of the positions from index `from`.
    fn loss(&self, layer: &Layer, from: usize) -> f64 {
        let losses = (from..self.len()).map(|position| self.position_loss(layer, position, None));
        losses.sum::<f64>() / (self.len() - from).max(1) as f64
    }

    /// Returns the loss of a position and adds its gradient to `gradient`.
    fn position_loss(&self, layer: &Layer, position: usize, gradient: Option<&mut [f32]>) -> f64 {
        let seats = position * self.seats..(position + 1) * self.seats;
        let rows = self.inputs.chunks_exact(self.width()).skip(seats.start).take(self.seats);
        let activations: Vec<_> = rows.clone().map(|inputs| layer.activations(inputs)).collect();
        let values = self.linear_values[seats.clone()].iter().zip(&activations);
        let mut slopes: Vec<f32> =
            values.map(|(value, activations)| value + layer.output(activations)).collect();
        let shares = &self.shares[seats];
        let loss = cross_entropy(&mut slopes, shares, self.wins_are_independent);
        if let Some(gradient) = gradient {
            for ((inputs, activations), &slope) in rows.zip(&activations).zip(&slopes) {
                layer.backpropagate(inputs, activations, slope, gradient);
            }
        }
        loss
    }
}

/// A layer of rectified linear units, and the weights of their sum.
struct Layer {
    units: DenseLayer,
    output: Range<usize>,
    weights: Vec<f32>,
}

impl Layer {
    /// Creates units with random weights and output weights of 0, so that the layer starts as the
    /// zero function.
    fn random(inputs: usize, units: usize, rng: &mut Rng) -> Self {
        let rows = inputs * MAX_UNITS;
        let (biases, output) = (rows..rows + MAX_UNITS, rows + MAX_UNITS..rows + 2 * MAX_UNITS);
        let mut weights = vec![0.0; output.end];
        let limit = (3.0 / inputs as f32).sqrt();
        weights[..inputs * units].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * limit);
        Self { units: DenseLayer { rows: 0..rows, biases }, output, weights }
    }

    /// Returns the activations of the units.
    fn activations(&self, inputs: &[f32]) -> [f32; MAX_UNITS] {
        let mut sums = [0.0; MAX_UNITS];
        self.units.forward(&self.weights, inputs, &mut sums);
        sums.map(|sum| sum.max(0.0))
    }

    fn output(&self, activations: &[f32; MAX_UNITS]) -> f32 {
        dot(activations, &self.weights[self.output.clone()])
    }

    /// Adds the gradient of the weights, from the slope of the loss along the output.
    fn backpropagate(
        &self,
        inputs: &[f32],
        activations: &[f32; MAX_UNITS],
        slope: f32,
        gradient: &mut [f32],
    ) {
        let outputs = &self.weights[self.output.clone()];
        let unit_slope = |unit| if activations[unit] > 0.0 { slope * outputs[unit] } else { 0.0 };
        let slopes: [f32; MAX_UNITS] = std::array::from_fn(unit_slope);
        self.units.add_gradient(gradient, inputs, &slopes);
        add_scaled(&mut gradient[self.output.clone()], activations, slope);
    }

    /// Returns the units for inputs that are not divided by `scales`.
    fn units(&self, units: usize, scales: &[f32]) -> Vec<HiddenUnit> {
        let features = scales.len() - 1;
        let unit = |unit: usize| {
            let row = &self.weights[unit * scales.len()..];
            let weight = |input: usize| f64::from(row[input] / scales[input]);
            HiddenUnit {
                output: self.weights[self.output.start + unit].into(),
                bias: self.weights[self.units.biases.start + unit].into(),
                progress: weight(features),
                weights: std::array::from_fn(|i| if i < features { weight(i) } else { 0.0 }),
            }
        };
        (0..units).map(unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rng::{Purpose, random_below, stream},
        search::hidden::HiddenLayer,
    };

    /// Two seats with two binary features each; a seat with exactly one of its features wins
    /// (exclusive or, which no linear function represents).
    fn training_set(rng: &mut Rng, count: usize, wins_are_independent: bool) -> TrainingSet {
        let mut training_set = TrainingSet::new(2, 2, wins_are_independent);
        for _ in 0..count {
            let seats: [[bool; 2]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| random_below(rng, 2) == 1));
            let odd = seats.map(|[first, second]| first != second);
            for (seat, has) in seats.iter().enumerate() {
                let is_tie = odd[0] == odd[1] && !wins_are_independent;
                let share = if is_tie { 0.5 } else { f64::from(u8::from(odd[seat])) };
                training_set.push(&features(*has), 0.5, 0.0, share);
            }
        }
        training_set
    }

    fn features(has: [bool; 2]) -> FeatureVector {
        std::array::from_fn(|index| if has.get(index) == Some(&true) { 40.0 } else { 0.0 })
    }

    #[test]
    fn layer_learns_exclusive_or() {
        let mut rng = stream(7, 0, 0, Purpose::HiddenLayer);
        for wins_are_independent in [false, true] {
            let (units, fit) =
                training_set(&mut rng, 20_000, wins_are_independent).fit(8, &mut rng);
            // Half of the positions are ties with a loss of ln 2, unless wins are independent; the
            // loss of the others can be 0.
            let min_loss = if wins_are_independent { 0.0 } else { std::f64::consts::LN_2 / 2.0 };
            assert_eq!((fit.positions, fit.held_out), (18_000, 2000));
            assert!(fit.loss_without > min_loss + 0.3, "{fit:?}");
            assert!(fit.loss_with < min_loss + 0.1, "{fit:?}");
            let layer = HiddenLayer::new(&units, 2);
            let value = |has| layer.value(&features(has), 0.5);
            let (min_of_odd, max_of_even) = (
                value([true, false]).min(value([false, true])),
                value([false; 2]).max(value([true; 2])),
            );
            assert!(min_of_odd > max_of_even + 2.0, "{min_of_odd} {max_of_even}");
        }
    }
}
