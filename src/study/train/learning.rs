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

use std::{collections::VecDeque, ops::Range};

use rand::RngExt;
use rayon::prelude::*;

use super::hidden::{LayerFit, TrainingSet};
use crate::{
    arena::play::{Event, Observer, play_game},
    bots::View,
    game::{ActionSet, FeatureVector, Features, Game, MAX_FEATURES, PerSeat, Seat, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{Evaluator, heuristic::Heuristic, hidden::HiddenUnit, playout::Policy},
    stats::conditional_logit::Observations,
};

/// Parameters of the training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingParameters {
    /// Games per generation.
    pub games: u64,
    /// Generations.
    pub generations: u32,
    /// λ, from 0 to 1: weight of later predictions and the outcome against the next prediction.
    pub lambda: f64,
    /// Probability of a random choice, from 0 to 1.
    pub epsilon: f64,
    /// Share of positions that become training samples, from 0 to 1.
    pub sample: f64,
    /// Number of generations whose positions are used, at least 1.
    pub replay_window: usize,
    /// Ridge penalty.
    pub ridge: f64,
    /// Master seed.
    pub seed: u64,
}

impl TrainingParameters {
    /// Returns the number of games in the replay window.
    pub fn replayed_games(&self) -> u64 {
        self.games * self.replay_window as u64
    }
}

/// Result of a generation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GenerationResult {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Number of training samples.
    pub positions: usize,
    /// Mean cross entropy, in nats, of this generation's targets under the weights that played its
    /// games.
    pub loss: f64,
}

/// Callbacks of a training.
#[derive(Clone, Copy)]
pub struct TrainingCallbacks<'a> {
    /// Called before each game; returns false to stop.
    pub should_continue: &'a (dyn Fn() -> bool + Sync),
    /// Called with the number of games just finished.
    pub on_games_finished: &'a (dyn Fn(u64) + Sync),
}

/// Returns the linear part of a value function, in units of its temperature.
pub fn normalized_linear_part<G: Features>(game: &G, value: &Heuristic) -> Heuristic {
    let features = game.feature_names().len();
    from_coefficients(&coefficients(value, features), features, 0.0)
}

/// Trains from `start`, and passes the value function of each generation to `on_generation`.
pub fn train<G: Features>(
    game: &G,
    start: &Heuristic,
    parameters: &TrainingParameters,
    callbacks: TrainingCallbacks<'_>,
    mut on_generation: impl FnMut(&GenerationResult, &Heuristic),
) {
    let features = game.feature_names().len();
    let mut value = Heuristic {
        considers_opponents: true,
        epsilon: parameters.epsilon,
        hidden: None,
        ..start.clone()
    };
    let mut window = empty_observations(game);
    let mut lengths = VecDeque::new();
    for generation in 0..parameters.generations {
        let first = u64::from(generation) * parameters.games;
        let add_sample = |observations: &mut Observations,
                          position: &TrainingPosition,
                          targets: &PerSeat<f64>| {
            position.add_to(observations, game, targets);
        };
        let jobs = play_training_games(
            game,
            &value,
            parameters,
            first..first + parameters.games,
            callbacks,
            || empty_observations(game),
            add_sample,
        );
        let mut observations = empty_observations(game);
        for job in jobs {
            observations.append(job);
        }
        if !(callbacks.should_continue)() {
            return;
        }
        let weights = coefficients(&value, features);
        let loss = observations.loss(&weights);
        lengths.push_back(observations.len());
        window.append(observations);
        if lengths.len() > parameters.replay_window {
            window.remove_first(lengths.pop_front().unwrap_or_default());
        }
        value = from_coefficients(
            &window.fit(&weights, parameters.ridge),
            features,
            parameters.epsilon,
        );
        let result = GenerationResult { generation: generation + 1, positions: window.len(), loss };
        on_generation(&result, &Heuristic { epsilon: 0.0, ..value.clone() });
    }
}

/// Returns the weights in units of the temperature: at the beginning, then at the end of the game.
fn coefficients(value: &Heuristic, features: usize) -> Vec<f64> {
    let drift = value.drift.unwrap_or_default();
    let at_end = (0..features).map(|index| value.weights[index] + drift[index]);
    value.weights[..features]
        .iter()
        .copied()
        .chain(at_end)
        .map(|weight| weight / value.temperature)
        .collect()
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

/// Games per parallel job.
const GAMES_PER_JOB: u64 = 64;

/// Fits a hidden layer to new games that a value function plays with its present hidden layer: as
/// many games as in the replay window, different ones for each `generation`, counted from 0. The
/// output is in units of the temperature. Returns `None` if the games were interrupted.
pub fn fit_hidden_layer<G: Features>(
    game: &G,
    value: &Heuristic,
    parameters: &TrainingParameters,
    (units, generation): (usize, u32),
    callbacks: TrainingCallbacks<'_>,
) -> Option<(Vec<HiddenUnit>, LayerFit)> {
    let playing = Heuristic { epsilon: parameters.epsilon, ..value.clone() };
    let linear = Heuristic { hidden: None, ..value.clone() };
    let empty_set = || {
        TrainingSet::new(game.seats(), game.feature_names().len(), game.can_end_without_winner())
    };
    let add_sample =
        |samples: &mut TrainingSet, position: &TrainingPosition, targets: &PerSeat<f64>| {
            for (features, &share) in position.features.iter().zip(targets) {
                samples.push(
                    features,
                    position.progress,
                    linear.value_of_features(features, position.progress) / linear.temperature,
                    share,
                );
            }
        };
    let games = parameters.replayed_games();
    let first =
        u64::from(parameters.generations) * parameters.games + u64::from(generation) * games;
    let jobs = play_training_games(
        game,
        &playing,
        parameters,
        first..first + games,
        callbacks,
        empty_set,
        add_sample,
    );
    let mut samples = empty_set();
    for job in jobs {
        samples.append(job);
    }
    (callbacks.should_continue)()
        .then(|| samples.fit(units, &mut stream(parameters.seed, first, 0, Purpose::HiddenLayer)))
}

/// Plays the games of a range of blocks until stopped, and passes their samples to `add_sample`. Returns
/// the results of the jobs in their order.
fn play_training_games<G: Features, L: Send>(
    game: &G,
    value: &Heuristic,
    parameters: &TrainingParameters,
    blocks: Range<u64>,
    callbacks: TrainingCallbacks<'_>,
    empty: impl Fn() -> L + Sync,
    add_sample: impl Fn(&mut L, &TrainingPosition, &PerSeat<f64>) + Sync,
) -> Vec<L> {
    let starts: Vec<u64> = blocks.clone().step_by(GAMES_PER_JOB as usize).collect();
    let job = |start: u64| {
        let mut samples = empty();
        for block in (start..blocks.end.min(start + GAMES_PER_JOB))
            .take_while(|_| (callbacks.should_continue)())
        {
            play_training_game(game, value, parameters, block, |position, targets| {
                add_sample(&mut samples, position, targets)
            });
            (callbacks.on_games_finished)(1);
        }
        samples
    };
    starts.into_par_iter().map(job).collect()
}

/// Returns an empty set of observations. If a game can end without a winner, that outcome is an
/// additional opponent with features 0.
fn empty_observations<G: Features>(game: &G) -> Observations {
    Observations::new(
        game.seats() + usize::from(game.can_end_without_winner()),
        2 * game.feature_names().len(),
    )
}

/// Plays a game and passes sampled positions with their targets to `add_sample`.
fn play_training_game<G: Features>(
    game: &G,
    value: &Heuristic,
    parameters: &TrainingParameters,
    block: u64,
    mut add_sample: impl FnMut(&TrainingPosition, &PerSeat<f64>),
) {
    let mut chance = ChanceStreams::new(parameters.seed, block, game.chance_sources().len());
    let mut rng: Rng = stream(parameters.seed, block, 0, Purpose::Bot(0));
    let mut observer = TrainingObserver { value, positions: Vec::new() };
    let choose = |view: &View<'_, G>, legal: &G::Actions| {
        let state = view.determinize(&mut rng);
        value.choose(game, &state, view.seat(), legal, &mut rng)
    };
    let outcome = game.outcome(&play_game(game, &mut chance, choose, &mut observer));
    let mut targets: PerSeat<f64> = std::array::from_fn(|seat| {
        outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64
    });
    for position in observer.positions.iter().rev() {
        if rng.random::<f64>() < parameters.sample {
            add_sample(position, &targets);
        }
        for (target, prediction) in targets.iter_mut().zip(position.win_probabilities) {
            *target =
                parameters.lambda * *target + (1.0 - parameters.lambda) * f64::from(prediction);
        }
    }
}

/// Position after a decision, as training data.
struct TrainingPosition {
    features: Vec<FeatureVector>,
    progress: f64,
    win_probabilities: PerSeat<f32>,
    feature_count: usize,
}

impl TrainingPosition {
    fn add_to<G: Game>(&self, observations: &mut Observations, game: &G, targets: &PerSeat<f64>) {
        for features in &self.features {
            observations.values.extend(
                features[..self.feature_count]
                    .iter()
                    .map(|value| (value * (1.0 - self.progress)) as f32),
            );
            observations.values.extend(
                features[..self.feature_count].iter().map(|value| (value * self.progress) as f32),
            );
        }
        let targets = &targets[..game.seats()];
        observations.shares.extend(targets.iter().map(|&share| share as f32));
        if game.can_end_without_winner() {
            observations.values.extend(std::iter::repeat_n(0.0, 2 * self.feature_count));
            observations.shares.push((1.0 - targets.iter().sum::<f64>()) as f32);
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
        self.positions.push(TrainingPosition {
            features: (0..game.seats())
                .map(|seat| game.features(&after, Seat::new(seat)))
                .collect(),
            progress: game.progress(&after),
            win_probabilities: self.value.win_probabilities(game, &after),
            feature_count: game.feature_names().len(),
        });
    }
}
