//! The value of a position as a weighted sum of named features, and one-ply choice by it.

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

/// A value function: the sum of a seat's features, each times its weight, and what a hidden layer
/// adds. The weights may drift as the game goes on.
///
/// The chance of a seat to win is taken to be in proportion to exp(value / temperature), as in a
/// multinomial logistic regression. Where all may lose, the chance of that is in proportion to 1:
/// the game is one more opponent, whose value is 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Heuristic {
    /// Weights at the beginning of the game, in the order of the game's features.
    pub weights: FeatureVector,
    /// What is added to them by its end, in proportion to [`Features::progress`]; none if the
    /// weights stay.
    pub drift: Option<FeatureVector>,
    /// What a weighted sum can't say; none if nothing is added.
    pub hidden: Option<Box<HiddenLayer>>,
    /// Whether a choice looks at the seat's chance to win, and so at the values of all seats,
    /// instead of its own value alone.
    pub considers_opponents: bool,
    /// The difference of value, in units of the weights, that makes a seat e times as likely to
    /// win; positive.
    pub temperature: f64,
    /// The chance of a uniform choice instead of the best, from 0 to 1.
    pub epsilon: f64,
}

impl Heuristic {
    /// What holds in a position.
    #[inline]
    fn now<G: Features>(&self, game: &G, state: &G::State) -> Now<'_> {
        self.at(if self.drift.is_some() || self.hidden.is_some() {
            game.progress(state)
        } else {
            0.0
        })
    }

    /// What holds when the game is so far, from 0 to 1.
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

    /// The value of a position for a seat.
    #[inline]
    pub fn value<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f64 {
        self.now(game, state).of(&game.features(state, seat))
    }

    /// The value of these features when the game is so far, from 0 to 1.
    pub fn value_of_features(&self, features: &FeatureVector, progress: f64) -> f64 {
        self.at(progress).of(features)
    }

    /// What a choice maximises: the seat's value, or the logarithm of its odds against the others
    /// together.
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

/// A value function in one position, the same for all seats.
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
    // Four sums side by side: the order of additions is fixed, and none waits for the one before.
    let mut sums = [0.0; 4];
    for index in 0..MAX_FEATURES {
        sums[index % 4] += features[index] * weights[index];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The value of nobody's win, if there is such a thing.
fn nobody<G: Features>(game: &G) -> Option<f64> {
    game.can_end_without_winner().then_some(0.0)
}

/// ln Σ exp(x) of at most one number more than [`MAX_SEATS`].
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
