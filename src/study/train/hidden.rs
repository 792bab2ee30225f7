//! Fitting a hidden layer to what a value function leaves unexplained, by stochastic gradient
//! descent (Adam, Kingma and Ba 2015).

use rand::{RngExt, seq::SliceRandom};

use crate::{
    game::FeatureVector,
    rng::Rng,
    search::hidden::{HiddenUnit, MAX_UNITS},
};

/// Positions of games, and what their seats could expect.
#[derive(Clone, Debug)]
pub struct TrainingSet {
    seats: usize,
    features: usize,
    /// Whether all may lose: the game is one more opponent, whose value is 0.
    nobody: bool,
    /// The features of each seat and how far the game is, seat after seat, position after position.
    inputs: Vec<f32>,
    /// What the value function says of each seat, in units of its temperature.
    known: Vec<f32>,
    /// The chance of each seat to win.
    shares: Vec<f32>,
}

/// How well a value function explains positions it has not learned from, in mean cross entropy in
/// nats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LayerFit {
    /// Positions that were learned from.
    pub positions: usize,
    /// Positions that were held out, those of the last games.
    pub held_out: usize,
    /// Of these, without the layer.
    pub loss_without: f64,
    /// With it.
    pub loss_with: f64,
}

impl TrainingSet {
    /// No lessons yet.
    pub fn new(seats: usize, features: usize, nobody: bool) -> Self {
        Self { seats, features, nobody, inputs: Vec::new(), known: Vec::new(), shares: Vec::new() }
    }

    /// Adds what a position shows of the next seat.
    pub fn push(&mut self, features: &FeatureVector, progress: f64, known: f64, share: f64) {
        self.inputs.extend(features[..self.features].iter().map(|&feature| feature as f32));
        self.inputs.push(progress as f32);
        self.known.push(known as f32);
        self.shares.push(share as f32);
    }

    /// Adds others, of the same game.
    pub fn append(&mut self, mut other: Self) {
        self.inputs.append(&mut other.inputs);
        self.known.append(&mut other.known);
        self.shares.append(&mut other.shares);
    }

    fn len(&self) -> usize {
        self.known.len() / self.seats
    }

    /// Inputs of a seat.
    fn width(&self) -> usize {
        self.features + 1
    }

    /// Fits so many units, at most [`MAX_UNITS`], to all positions but the last tenth.
    pub fn fit(mut self, units: usize, rng: &mut Rng) -> (Vec<HiddenUnit>, LayerFit) {
        let positions = self.len() - self.len() / 10;
        let scales = self.scales(positions);
        let width = self.width();
        self.inputs
            .chunks_exact_mut(width)
            .for_each(|row| row.iter_mut().zip(&scales).for_each(|(input, scale)| *input /= scale));
        let mut layer = Layer::random(width, units, rng);
        let before = self.loss(&layer, positions);
        let mut order: Vec<usize> = (0..positions).collect();
        let mut descent = Adam::new(layer.0.len());
        for epoch in 0..EPOCHS {
            let rate = if epoch * 5 < EPOCHS * 3 { RATE } else { FINE_RATE };
            order.shuffle(rng);
            for batch in order.chunks(BATCH) {
                let mut gradient = Layer(vec![[0.0; MAX_UNITS]; layer.0.len()]);
                for &position in batch {
                    self.look(&layer, position, Some(&mut gradient));
                }
                descent.step(&mut layer, &gradient, rate, batch.len());
            }
        }
        let fit = LayerFit {
            positions,
            held_out: self.len() - positions,
            loss_without: before,
            loss_with: self.loss(&layer, positions),
        };
        (layer.units(units, &scales), fit)
    }

    /// What each input is divided by to be of the size of 1: its root mean square; 1 for what is
    /// always 0.
    fn scales(&self, positions: usize) -> Vec<f32> {
        let mut squares = vec![0.0; self.width()];
        let rows = positions * self.seats;
        for row in self.inputs.chunks_exact(self.width()).take(rows) {
            squares.iter_mut().zip(row).for_each(|(sum, &input)| *sum += f64::from(input).powi(2));
        }
        squares
            .into_iter()
            .map(|sum| if sum > 0.0 { (sum / rows as f64).sqrt() as f32 } else { 1.0 })
            .collect()
    }

    /// The mean loss of the positions from this one on.
    fn loss(&self, layer: &Layer, from: usize) -> f64 {
        (from..self.len()).map(|position| self.look(layer, position, None)).sum::<f64>()
            / (self.len() - from).max(1) as f64
    }

    /// The loss of a position, whose gradient is added to `gradient`.
    fn look(&self, layer: &Layer, position: usize, gradient: Option<&mut Layer>) -> f64 {
        let seats = position * self.seats..(position + 1) * self.seats;
        let rows = &self.inputs[seats.start * self.width()..seats.end * self.width()];
        let seen: Vec<_> =
            rows.chunks_exact(self.width()).map(|inputs| layer.seen(inputs)).collect();
        let shares = &self.shares[seats.clone()];
        let values = self.known[seats]
            .iter()
            .zip(&seen)
            .map(|(known, seen)| f64::from(known + layer.output(seen)));
        let values: Vec<f64> = values.chain(self.nobody.then_some(0.0)).collect();
        let greatest = values.iter().fold(f64::NEG_INFINITY, |one, &other| one.max(other));
        let all: f64 = values.iter().map(|value| (value - greatest).exp()).sum();
        let log_chance = |value: f64| value - greatest - all.ln();
        let nobodys = if self.nobody { 1.0 - shares.iter().sum::<f32>() } else { 0.0 };
        let given = shares.iter().chain(self.nobody.then_some(&nobodys));
        let loss = -given
            .zip(&values)
            .map(|(&share, &value)| f64::from(share) * log_chance(value))
            .sum::<f64>();
        if let Some(gradient) = gradient {
            for (((inputs, seen), &share), &value) in
                rows.chunks_exact(self.width()).zip(&seen).zip(shares).zip(&values)
            {
                layer.blame(inputs, seen, log_chance(value).exp() as f32 - share, gradient);
            }
        }
        loss
    }
}

/// The numbers of a layer: for each input the weights of all units, then their thresholds, then
/// their outputs.
#[derive(Clone, Debug)]
struct Layer(Vec<[f32; MAX_UNITS]>);

impl Layer {
    /// Units that look at so many inputs by chance, and add nothing.
    fn random(inputs: usize, units: usize, rng: &mut Rng) -> Self {
        let most = (3.0 / inputs as f32).sqrt();
        let mut layer = Self(vec![[0.0; MAX_UNITS]; inputs + 2]);
        for weights in &mut layer.0[..inputs] {
            weights[..units].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * most);
        }
        layer
    }

    fn inputs(&self) -> usize {
        self.0.len() - 2
    }

    /// What units see above their thresholds.
    fn seen(&self, inputs: &[f32]) -> [f32; MAX_UNITS] {
        let mut seen = self.0[self.inputs()];
        for (input, weights) in inputs.iter().zip(&self.0) {
            seen.iter_mut().zip(weights).for_each(|(seen, weight)| *seen += input * weight);
        }
        seen.map(|seen| seen.max(0.0))
    }

    fn output(&self, seen: &[f32; MAX_UNITS]) -> f32 {
        seen.iter().zip(&self.0[self.inputs() + 1]).map(|(seen, output)| seen * output).sum()
    }

    /// Adds to the gradient what a value that is too great by `error` says.
    fn blame(&self, inputs: &[f32], seen: &[f32; MAX_UNITS], error: f32, gradient: &mut Self) {
        let outputs = &self.0[self.inputs() + 1];
        let blame: [f32; MAX_UNITS] =
            std::array::from_fn(|unit| if seen[unit] > 0.0 { error * outputs[unit] } else { 0.0 });
        for (&input, row) in inputs.iter().chain(&[1.0]).zip(&mut gradient.0) {
            row.iter_mut().zip(&blame).for_each(|(sum, blame)| *sum += input * blame);
        }
        let row = &mut gradient.0[self.inputs() + 1];
        row.iter_mut().zip(seen).for_each(|(sum, seen)| *sum += error * seen);
    }

    /// The units, for inputs that are not divided by these scales.
    fn units(&self, units: usize, scales: &[f32]) -> Vec<HiddenUnit> {
        let features = scales.len() - 1;
        let weight = |input: usize, unit: usize| f64::from(self.0[input][unit] / scales[input]);
        let unit = |unit: usize| HiddenUnit {
            output: self.0[self.inputs() + 1][unit].into(),
            bias: self.0[self.inputs()][unit].into(),
            progress: weight(features, unit),
            weights: std::array::from_fn(
                |input| if input < features { weight(input, unit) } else { 0.0 },
            ),
        };
        (0..units).map(unit).collect()
    }
}

/// Moving means of the gradient and of its squares, by which each number has a step of its own.
struct Adam {
    steps: i32,
    means: Vec<[f32; MAX_UNITS]>,
    squares: Vec<[f32; MAX_UNITS]>,
}

impl Adam {
    fn new(rows: usize) -> Self {
        Self {
            steps: 0,
            means: vec![[0.0; MAX_UNITS]; rows],
            squares: vec![[0.0; MAX_UNITS]; rows],
        }
    }

    /// A step down the mean of a gradient that was summed over so many positions.
    fn step(&mut self, layer: &mut Layer, gradient: &Layer, rate: f32, positions: usize) {
        self.steps += 1;
        let (mean_bias, square_bias) =
            (1.0 - MEAN_DECAY.powi(self.steps), 1.0 - SQUARE_DECAY.powi(self.steps));
        let numbers = layer.0.as_flattened_mut().iter_mut().zip(gradient.0.as_flattened());
        let moments = self.means.as_flattened_mut().iter_mut().zip(self.squares.as_flattened_mut());
        for ((number, sum), (mean, square)) in numbers.zip(moments) {
            let slope = sum / positions as f32;
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * slope * slope;
            *number -= rate * (*mean / mean_bias) / ((*square / square_bias).sqrt() + 1e-8);
        }
    }
}

/// The decays that Kingma and Ba suggest.
const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
/// The length of a step, at first and in the end.
const RATE: f32 = 1e-3;
const FINE_RATE: f32 = 2e-4;
/// How often all positions are gone through; the last two fifths of these are fine.
const EPOCHS: u32 = 30;
/// Positions per step.
const BATCH: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rng::{Purpose, random_below, stream},
        search::hidden::HiddenLayer,
    };

    /// Two seats with two features each, of which the better one has one, and not both or none: no
    /// weighted sum can tell.
    fn lessons(rng: &mut Rng, count: usize, nobody: bool) -> TrainingSet {
        let mut lessons = TrainingSet::new(2, 2, nobody);
        for _ in 0..count {
            let seats: [[bool; 2]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| random_below(rng, 2) == 1));
            let odd = seats.map(|[first, second]| first != second);
            for (seat, has) in seats.iter().enumerate() {
                let share = if odd[0] == odd[1] { 0.5 } else { f64::from(u8::from(odd[seat])) };
                lessons.push(&features(*has), 0.5, 0.0, share);
            }
        }
        lessons
    }

    fn features(has: [bool; 2]) -> FeatureVector {
        std::array::from_fn(|index| if has.get(index) == Some(&true) { 40.0 } else { 0.0 })
    }

    #[test]
    fn a_layer_learns_what_a_weighted_sum_can_not_say() {
        let mut rng = stream(7, 0, 0, Purpose::HiddenLayer);
        for nobody in [false, true] {
            let (units, fit) = lessons(&mut rng, 20_000, nobody).fit(8, &mut rng);
            // Half of the positions are even, at ln 2; the others could be told for certain.
            let least = std::f64::consts::LN_2 / 2.0;
            assert_eq!((fit.positions, fit.held_out), (18_000, 2000));
            assert!(fit.loss_without > least + 0.3, "{fit:?}");
            assert!(fit.loss_with < least + 0.06, "{fit:?}");
            let layer = HiddenLayer::new(&units, 2);
            let value = |has| layer.value(&features(has), 0.5);
            let (least_of_odd, most_of_even) = (
                value([true, false]).min(value([false, true])),
                value([false; 2]).max(value([true; 2])),
            );
            assert!(least_of_odd > most_of_even + 2.0, "{least_of_odd} {most_of_even}");
        }
    }
}
