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

use super::hidden::{LayerFit, TrainingSet};
use rand::RngExt;
use rayon::prelude::*;

use crate::{
    arena::play::{Observer, play_game},
    game::{
        ActionSet, FeatureVector, Features, Game, MAX_FEATURES, Outcome, PerSeat, Seat,
        UNITS_PER_WIN,
    },
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
    plan: &TrainingParameters,
    watch: TrainingCallbacks<'_>,
    mut learned: impl FnMut(&GenerationResult, &Heuristic),
) {
    let features = game.feature_names().len();
    let mut value = Heuristic {
        considers_opponents: true,
        epsilon: plan.epsilon,
        hidden: None,
        ..start.clone()
    };
    let mut memory = observations_of(game);
    let mut lengths = VecDeque::new();
    for generation in 0..plan.generations {
        let first = u64::from(generation) * plan.games;
        let learn =
            |observations: &mut Observations, position: &Position, expected: &PerSeat<f64>| {
                position.add_to(observations, game, expected);
            };
        let jobs = self_play(
            game,
            &value,
            plan,
            first..first + plan.games,
            watch,
            || observations_of(game),
            learn,
        );
        let mut observations = observations_of(game);
        for job in jobs {
            observations.append(job);
        }
        if !(watch.should_continue)() {
            return;
        }
        let weights = coefficients(&value, features);
        let loss = observations.loss(&weights);
        lengths.push_back(observations.len());
        memory.append(observations);
        if lengths.len() > plan.replay_window {
            memory.remove_first(lengths.pop_front().unwrap_or_default());
        }
        value = from_coefficients(&memory.fit(&weights, plan.ridge), features, plan.epsilon);
        let progress =
            GenerationResult { generation: generation + 1, positions: memory.len(), loss };
        learned(&progress, &Heuristic { epsilon: 0.0, ..value.clone() });
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
    plan: &TrainingParameters,
    (units, generation): (usize, u32),
    watch: TrainingCallbacks<'_>,
) -> Option<(Vec<HiddenUnit>, LayerFit)> {
    let playing = Heuristic { epsilon: plan.epsilon, ..value.clone() };
    let linear = Heuristic { hidden: None, ..value.clone() };
    let no_lessons = || {
        TrainingSet::new(game.seats(), game.feature_names().len(), game.can_end_without_winner())
    };
    let learn = |lessons: &mut TrainingSet, position: &Position, expected: &PerSeat<f64>| {
        for (features, &share) in position.features.iter().zip(expected) {
            lessons.push(
                features,
                position.progress,
                linear.value_of_features(features, position.progress) / linear.temperature,
                share,
            );
        }
    };
    let games = plan.games * plan.replay_window as u64;
    let first = u64::from(plan.generations) * plan.games + u64::from(generation) * games;
    let jobs = self_play(game, &playing, plan, first..first + games, watch, no_lessons, learn);
    let mut lessons = no_lessons();
    for job in jobs {
        lessons.append(job);
    }
    (watch.should_continue)()
        .then(|| lessons.fit(units, &mut stream(plan.seed, first, 0, Purpose::HiddenLayer)))
}

/// Plays the games of a range of blocks until stopped, and passes their samples to `learn`. Returns
/// the results of the jobs in their order.
fn self_play<G: Features, L: Send>(
    game: &G,
    value: &Heuristic,
    plan: &TrainingParameters,
    blocks: Range<u64>,
    watch: TrainingCallbacks<'_>,
    nothing: impl Fn() -> L + Sync,
    learn: impl Fn(&mut L, &Position, &PerSeat<f64>) + Sync,
) -> Vec<L> {
    let starts: Vec<u64> = blocks.clone().step_by(GAMES_PER_JOB as usize).collect();
    let job = |start: u64| {
        let mut lessons = nothing();
        for block in
            (start..blocks.end.min(start + GAMES_PER_JOB)).take_while(|_| (watch.should_continue)())
        {
            play_lesson(game, value, plan, block, |position, expected| {
                learn(&mut lessons, position, expected)
            });
            (watch.on_games_finished)(1);
        }
        lessons
    };
    starts.into_par_iter().map(job).collect()
}

/// Returns an empty set of observations. If a game can end without a winner, that outcome is an
/// additional opponent with features 0.
fn observations_of<G: Features>(game: &G) -> Observations {
    Observations::new(
        game.seats() + usize::from(game.can_end_without_winner()),
        2 * game.feature_names().len(),
    )
}

/// Plays a game and passes sampled positions with their targets to `learn`.
fn play_lesson<G: Features>(
    game: &G,
    value: &Heuristic,
    plan: &TrainingParameters,
    block: u64,
    mut learn: impl FnMut(&Position, &PerSeat<f64>),
) {
    let mut chance = ChanceStreams::new(plan.seed, block, game.chance_sources().len());
    let mut rng: Rng = stream(plan.seed, block, 0, Purpose::Bot(0));
    let mut lesson = Lesson { value, positions: Vec::new(), outcome: None };
    play_game(
        game,
        &mut chance,
        |view, legal| {
            let state = view.determinize(&mut rng);
            value.choose(game, &state, view.seat(), legal, &mut rng)
        },
        &mut lesson,
    );
    let Some(outcome) = lesson.outcome else { return };
    let mut expected: PerSeat<f64> = std::array::from_fn(|seat| {
        outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64
    });
    for position in lesson.positions.iter().rev() {
        if rng.random::<f64>() < plan.sample {
            learn(position, &expected);
        }
        for (expected, now) in expected.iter_mut().zip(position.win_shares) {
            *expected = plan.lambda * *expected + (1.0 - plan.lambda) * f64::from(now);
        }
    }
}

/// Position after a decision.
struct Position {
    features: Vec<FeatureVector>,
    progress: f64,
    win_shares: PerSeat<f32>,
    used: usize,
}

impl Position {
    fn add_to<G: Game>(&self, observations: &mut Observations, game: &G, expected: &PerSeat<f64>) {
        for features in &self.features {
            observations.values.extend(
                features[..self.used].iter().map(|value| (value * (1.0 - self.progress)) as f32),
            );
            observations
                .values
                .extend(features[..self.used].iter().map(|value| (value * self.progress) as f32));
        }
        let expected = &expected[..game.seats()];
        observations.shares.extend(expected.iter().map(|&share| share as f32));
        if game.can_end_without_winner() {
            observations.values.extend(std::iter::repeat_n(0.0, 2 * self.used));
            observations.shares.push((1.0 - expected.iter().sum::<f64>()) as f32);
        }
    }
}

/// Observer that collects the positions of a game.
struct Lesson<'a> {
    value: &'a Heuristic,
    positions: Vec<Position>,
    outcome: Option<Outcome>,
}

impl<G: Features> Observer<G> for Lesson<'_> {
    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        _seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        if legal.len() == 1 {
            return;
        }
        let mut after = *state;
        game.apply(&mut after, action);
        self.positions.push(Position {
            features: (0..game.seats())
                .map(|seat| game.features(&after, Seat::new(seat)))
                .collect(),
            progress: game.progress(&after),
            win_shares: self.value.win_probabilities(game, &after),
            used: game.feature_names().len(),
        });
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.outcome = Some(game.outcome(state));
    }
}
