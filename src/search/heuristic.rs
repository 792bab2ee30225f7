//! Linear value function of named features, and one-ply choice by it.

use rand::RngExt;

use super::{
    Evaluator,
    hidden::HiddenLayer,
    playout::{Policy, Uniform},
};
use crate::{
    game::{ActionSet, FeatureVector, Features, MAX_FEATURES, MAX_SEATS, PerSeat, Seat},
    rng::{Rng, random_below},
};

/// Value function of a seat: a weighted sum of its features, plus an optional hidden layer.
///
/// The win probability of a seat is proportional to exp(value / temperature), as in a multinomial
/// logistic regression. If a game can end without a winner, that outcome is proportional to 1: it
/// is treated as an additional opponent with value 0.
///
#[derive(Clone, PartialEq, Debug)]
pub struct Heuristic {
    /// Weights at the beginning of the game, in the order of the game's features.
    pub weights: FeatureVector,
    /// Change of the weights over the game, multiplied by [`Features::progress`]; `None` if the
    /// weights are constant.
    pub drift: Option<FeatureVector>,
    /// Hidden layer added to the linear part.
    pub hidden: Option<Box<HiddenLayer>>,
    /// True if the policy maximises the odds against the opponents instead of the seat's own value.
    pub considers_opponents: bool,
    /// Difference of value that multiplies the odds of winning by e; positive.
    pub temperature: f64,
    /// Probability of a uniformly random choice, from 0 to 1.
    pub epsilon: f64,
}

impl Heuristic {
    /// Returns the value function at the progress of a position.
    #[inline]
    fn now<G: Features>(&self, game: &G, state: &G::State) -> Now<'_> {
        self.at(if self.drift.is_some() || self.hidden.is_some() {
            game.progress(state)
        } else {
            0.0
        })
    }

    /// Returns the value function at a progress from 0 to 1.
    #[inline]
    fn at(&self, progress: f64) -> Now<'_> {
        let weights = match &self.drift {
            Some(drift) => {
                std::array::from_fn(|index| self.weights[index] + progress * drift[index])
            }
            None => self.weights,
        };
        Now { weights, hidden: self.hidden.as_deref(), progress }
    }

    /// Returns the value of a position for a seat.
    #[inline]
    pub fn value<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f64 {
        self.now(game, state).of(&game.features(state, seat))
    }

    /// Returns the value of features at a progress from 0 to 1.
    pub fn value_of_features(&self, features: &FeatureVector, progress: f64) -> f64 {
        self.at(progress).of(features)
    }

    /// Returns the quantity that the policy maximises: the seat's value, or its log-odds against
    /// all opponents.
    #[inline]
    fn worth<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f64 {
        if !self.considers_opponents || game.seats() == 1 {
            return self.value(game, state, seat);
        }
        let now = self.now(game, state);
        let value = |seat: usize| now.of(&game.features(state, Seat::new(seat))) / self.temperature;
        let others = (0..game.seats()).filter(|&other| other != seat.index());
        value(seat.index()) - log_sum_exp(others.map(value).chain(nobody(game)))
    }
}

/// Value function at one point of the game, the same for all seats.
struct Now<'a> {
    weights: FeatureVector,
    hidden: Option<&'a HiddenLayer>,
    progress: f64,
}

impl Now<'_> {
    #[inline]
    fn of(&self, features: &FeatureVector) -> f64 {
        dot(features, &self.weights)
            + self.hidden.map_or(0.0, |hidden| hidden.value(features, self.progress))
    }
}

#[inline]
fn dot(features: &FeatureVector, weights: &FeatureVector) -> f64 {
    // Four independent sums: the order of additions is fixed (deterministic results), and the
    // additions do not wait for each other (vectorised).
    let mut sums = [0.0; 4];
    for index in 0..MAX_FEATURES {
        sums[index % 4] += features[index] * weights[index];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Returns the value of the outcome without a winner, if the game has it.
fn nobody<G: Features>(game: &G) -> Option<f64> {
    game.can_end_without_winner().then_some(0.0)
}

/// Returns ln Σ exp(x) of at most [`MAX_SEATS`] + 1 numbers.
fn log_sum_exp(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut all = [f64::NEG_INFINITY; MAX_SEATS + 1];
    for (place, number) in all.iter_mut().zip(numbers) {
        *place = number;
    }
    let greatest = all.iter().fold(f64::NEG_INFINITY, |one, &other| one.max(other));
    greatest + all.iter().map(|number| (number - greatest).exp()).sum::<f64>().ln()
}

impl<G: Features> Evaluator<G> for Heuristic {
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        let now = self.now(game, state);
        let mut values = [f64::NEG_INFINITY; MAX_SEATS];
        for (seat, value) in values.iter_mut().enumerate().take(game.seats()) {
            *value = now.of(&game.features(state, Seat::new(seat))) / self.temperature;
        }
        let all = log_sum_exp(values.into_iter().take(game.seats()).chain(nobody(game)));
        values.map(|value| (value - all).exp() as f32)
    }

    fn logit(&self, game: &G, state: &G::State, seat: Seat) -> f32 {
        let unit = if self.considers_opponents { 1.0 } else { self.temperature };
        (self.worth(game, state, seat) / unit) as f32
    }
}

impl<G: Features> Policy<G> for Heuristic {
    #[expect(clippy::float_cmp, reason = "only actions of the very same worth are left to chance")]
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        if self.epsilon > 0.0 && rng.random::<f64>() < self.epsilon {
            return Uniform.choose(game, state, seat, legal, rng);
        }
        let mut best = legal.nth(0);
        if legal.len() == 1 {
            return best;
        }
        let mut best_worth = f64::NEG_INFINITY;
        let mut equals = 0;
        for action in legal.iter() {
            let mut after = *state;
            game.apply(&mut after, action);
            let worth = self.worth(game, &after, seat);
            if worth > best_worth {
                (best, best_worth, equals) = (action, worth, 1);
            } else if worth == best_worth {
                equals += 1;
                if random_below(rng, equals) == 0 {
                    best = action;
                }
            }
        }
        best
    }
}
