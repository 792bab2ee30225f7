//! TD(λ) learning of a value function from self-play, in generations (Sutton 1988; Tesauro 1995).
//!
//! In each generation, the value function of the previous one plays all seats, one ply ahead, with
//! some random choices. The target of a position after a decision is its λ-return: a weighted mean
//! of the predictions in the following positions and the outcome of the game. The next value
//! function is the conditional logit of these targets on the features of all seats, with weights
//! that change linearly over the game. Positions of several previous generations are kept (replay
//! window), which stabilises the weights.
//!
//! At the end, a hidden layer can be fitted to the residuals of the linear value function in new
//! games.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use rand::RngExt;
use rayon::prelude::*;

use super::hidden::{LayerFit, TrainingSet};
use crate::{
    arena::play::{Event, Observer, play_game},
    bots::View,
    game::{ActionSet, FeatureVector, Features, MAX_FEATURES, PerSeat, Seat, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{Evaluator, heuristic::Heuristic, hidden::HiddenUnit, playout::Policy},
    stats::conditional_logit::Observations,
};

/// Result of a generation.
pub struct HeuristicGeneration {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Number of training samples.
    pub positions: usize,
    /// Mean cross entropy, in nats, of this generation's targets under the weights that played its
    /// games.
    pub loss: f64,
}

/// Parameters of a training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// Number of games per generation.
    pub games: u64,
    /// Number of generations.
    pub generations: u32,
    /// λ of TD(λ), from 0 to 1.
    pub lambda: f64,
    /// Probability of a random choice.
    pub epsilon: f64,
    /// Share of the positions that become samples.
    pub sample: f64,
    /// Number of generations of the replay window.
    pub memory: u32,
    /// Ridge penalty on the weights.
    pub ridge: f64,
}

impl Parameters {
    /// Returns the number of games in the replay window.
    pub fn replayed_games(&self) -> u64 {
        self.games * u64::from(self.memory)
    }
}

/// A training whose game is not known to the caller.
pub trait TrainHeuristic {
    /// Trains from `start`, and passes the value function of each generation to `on_generation`.
    fn train(
        &self,
        start: &Heuristic,
        on_generation: &mut dyn FnMut(&HeuristicGeneration, Heuristic),
    );

    /// Fits a hidden layer to new games that a value function plays with its present hidden layer:
    /// as many games as in the replay window, different ones for each `generation`, counted from 0.
    /// The output is in units of the temperature. Returns `None` if the games were interrupted.
    fn fit_hidden_layer(
        &self,
        value: &Heuristic,
        units: usize,
        generation: u32,
    ) -> Option<(Vec<HiddenUnit>, LayerFit)>;
}

/// Training of a value function for a game.
pub struct ValueFunctionTraining<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The parameters.
    pub parameters: Parameters,
    /// Master seed.
    pub seed: u64,
    /// Set to true to stop before the next game.
    pub stop: &'a AtomicBool,
    /// Called after each game.
    pub on_game: &'a (dyn Fn() + Sync),
}

/// Games per parallel job.
const GAMES_PER_JOB: u64 = 64;

impl<G: Features> TrainHeuristic for ValueFunctionTraining<'_, G> {
    fn train(
        &self,
        start: &Heuristic,
        on_generation: &mut dyn FnMut(&HeuristicGeneration, Heuristic),
    ) {
        let Self { game, parameters, .. } = *self;
        let Parameters { games, generations, epsilon, memory, ridge, .. } = parameters;
        let features = game.feature_names().len();
        let mut value =
            Heuristic { considers_opponents: true, epsilon, hidden: None, ..start.clone() };
        let empty = || empty_observations(game);
        let add_sample = |observations: &mut _, position: &TrainingPosition, targets: &_| {
            position.add_to(observations, game, targets);
        };
        let mut window = empty();
        let mut lengths = VecDeque::new();
        for generation in 0..generations {
            let first = u64::from(generation) * games;
            let blocks = first..first + games;
            let new = self.play(&value, blocks, empty, add_sample, Observations::append);
            let Some(new) = new else { return };
            let weights = coefficients(&value, features);
            let loss = new.loss(&weights);
            lengths.push_back(new.len());
            window.append(new);
            if lengths.len() > memory as usize {
                window.remove_first(lengths.pop_front().unwrap_or_default());
            }
            value = from_coefficients(&window.fit(&weights, ridge), features, epsilon);
            let result =
                HeuristicGeneration { generation: generation + 1, positions: window.len(), loss };
            on_generation(&result, Heuristic { epsilon: 0.0, ..value.clone() });
        }
    }

    fn fit_hidden_layer(
        &self,
        value: &Heuristic,
        units: usize,
        generation: u32,
    ) -> Option<(Vec<HiddenUnit>, LayerFit)> {
        let Self { game, parameters, .. } = *self;
        let playing = Heuristic { epsilon: parameters.epsilon, ..value.clone() };
        let linear = Heuristic { hidden: None, ..value.clone() };
        let features = game.feature_names().len();
        let empty = || TrainingSet::new(game.seats(), features, game.wins_are_independent());
        let add_sample =
            |samples: &mut TrainingSet, position: &TrainingPosition, targets: &PerSeat<f64>| {
                let progress = position.progress;
                for (features, &share) in position.features.iter().zip(targets) {
                    let value = linear.value_of_features(features, progress) / linear.temperature;
                    samples.push(features, progress, value, share);
                }
            };
        let games = parameters.replayed_games();
        let first =
            u64::from(parameters.generations) * parameters.games + u64::from(generation) * games;
        let blocks = first..first + games;
        let samples = self.play(&playing, blocks, empty, add_sample, TrainingSet::append)?;
        Some(samples.fit(units, &mut stream(self.seed, first, 0, Purpose::HiddenLayer)))
    }
}

impl<G: Features> ValueFunctionTraining<'_, G> {
    /// Plays a range of blocks and returns their samples in the order of the blocks; `None` if
    /// interrupted.
    fn play<S: Send>(
        &self,
        value: &Heuristic,
        blocks: Range<u64>,
        empty: impl Fn() -> S + Sync,
        add_sample: impl Fn(&mut S, &TrainingPosition, &PerSeat<f64>) + Sync,
        append: impl Fn(&mut S, S),
    ) -> Option<S> {
        let starts: Vec<u64> = blocks.clone().step_by(GAMES_PER_JOB as usize).collect();
        let is_stopped = || self.stop.load(Ordering::Relaxed);
        let job = |start: u64| {
            let mut samples = empty();
            let blocks = start..blocks.end.min(start + GAMES_PER_JOB);
            for block in blocks.take_while(|_| !is_stopped()) {
                self.play_game(value, block, |position, targets| {
                    add_sample(&mut samples, position, targets);
                });
                (self.on_game)();
            }
            samples
        };
        let jobs: Vec<S> = starts.into_par_iter().map(job).collect();
        let samples = jobs.into_iter().fold(empty(), |mut samples, job| {
            append(&mut samples, job);
            samples
        });
        (!is_stopped()).then_some(samples)
    }

    /// Plays a game and passes sampled positions with their targets to `add_sample`.
    fn play_game(
        &self,
        value: &Heuristic,
        block: u64,
        mut add_sample: impl FnMut(&TrainingPosition, &PerSeat<f64>),
    ) {
        let Self { game, seed, .. } = *self;
        let Parameters { lambda, sample, .. } = self.parameters;
        let mut chance = ChanceStreams::new(seed, block, game.chance_sources().len());
        let mut rng: Rng = stream(seed, block, 0, Purpose::Bot(0));
        let mut observer = TrainingObserver { value, positions: Vec::new() };
        let choose = |view: &View<'_, G>, legal: &G::Actions| {
            let state = view.determinize(&mut rng);
            value.choose(game, &state, view.seat(), legal, &mut rng)
        };
        let outcome = game.outcome(&play_game(game, &mut chance, choose, Some(&mut observer)));
        let mut targets: PerSeat<f64> = std::array::from_fn(|seat| {
            outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64
        });
        for position in observer.positions.iter().rev() {
            if rng.random::<f64>() < sample {
                add_sample(position, &targets);
            }
            for (target, prediction) in targets.iter_mut().zip(position.win_probabilities) {
                *target = lambda * *target + (1.0 - lambda) * f64::from(prediction);
            }
        }
    }
}

/// Returns the linear part of a value function, in units of its temperature.
pub fn normalized_linear_part(features: usize, value: &Heuristic) -> Heuristic {
    from_coefficients(&coefficients(value, features), features, 0.0)
}

/// Returns the weights in units of the temperature: at the beginning, then at the end of the game.
fn coefficients(value: &Heuristic, features: usize) -> Vec<f64> {
    let drift = value.drift.unwrap_or_default();
    let at_end = (0..features).map(|index| value.weights[index] + drift[index]);
    let weights = value.weights[..features].iter().copied().chain(at_end);
    weights.map(|weight| weight / value.temperature).collect()
}

fn from_coefficients(coefficients: &[f64], features: usize, epsilon: f64) -> Heuristic {
    let mut weights = [0.0; MAX_FEATURES];
    let mut drift = [0.0; MAX_FEATURES];
    for index in 0..features {
        weights[index] = coefficients[index];
        drift[index] = coefficients[features + index] - coefficients[index];
    }
    Heuristic {
        weights,
        drift: Some(drift),
        hidden: None,
        considers_opponents: true,
        temperature: 1.0,
        epsilon,
    }
}

/// Returns an empty set of observations: the win goes to one of the seats, or each seat has a win
/// or none, which has features 0.
fn empty_observations<G: Features>(game: &G) -> Observations {
    let alternatives = if game.wins_are_independent() { 2 } else { game.seats() };
    Observations::new(alternatives, 2 * game.feature_names().len())
}

/// Position after a decision, as training data.
struct TrainingPosition {
    features: Vec<FeatureVector>,
    progress: f64,
    win_probabilities: PerSeat<f32>,
}

impl TrainingPosition {
    /// Adds the features of all seats, weighted by the rest and by the progress of the game, and
    /// the targets.
    fn add_to<G: Features>(
        &self,
        observations: &mut Observations,
        game: &G,
        targets: &PerSeat<f64>,
    ) {
        let count = game.feature_names().len();
        for (features, &target) in self.features.iter().zip(targets) {
            for share in [1.0 - self.progress, self.progress] {
                let weighted = features[..count].iter().map(|value| (value * share) as f32);
                observations.values.extend(weighted);
            }
            observations.shares.push(target as f32);
            if game.wins_are_independent() {
                observations.values.extend(std::iter::repeat_n(0.0, 2 * count));
                observations.shares.push((1.0 - target) as f32);
            }
        }
    }
}

/// Observer that collects the positions of a game.
struct TrainingObserver<'a> {
    value: &'a Heuristic,
    positions: Vec<TrainingPosition>,
}

impl<G: Features> Observer<G> for TrainingObserver<'_> {
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        let &Event::Decision { legal, action, .. } = event else { return };
        if legal.len() == 1 {
            return;
        }
        let mut after = *state;
        game.apply(&mut after, action);
        let seats = (0..game.seats()).map(Seat::new);
        self.positions.push(TrainingPosition {
            features: seats.map(|seat| game.features(&after, seat)).collect(),
            progress: game.progress(&after),
            win_probabilities: self.value.win_probabilities(game, &after),
        });
    }
}
