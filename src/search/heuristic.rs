//! One-ply choice by a weighted sum of named features of the position after the action.

use rand::RngExt;

use super::playout::{Policy, Uniform};
use crate::{
    game::{ActionSet, FeatureVector, Features, MAX_FEATURES, Seat},
    rng::{Rng, below},
};

/// Chooses the action after which the weighted sum of the seat's features is greatest; equal sums are decided by chance.
#[derive(Clone, PartialEq, Debug)]
pub struct Heuristic {
    weights: FeatureVector,
    /// The chance of a uniform choice instead, from 0 to 1.
    epsilon: f64,
}

impl Heuristic {
    /// A policy with these weights, in the order of the game's features.
    pub fn new(weights: FeatureVector, epsilon: f64) -> Self {
        Self { weights, epsilon }
    }

    /// The same policy with another chance of a uniform choice.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The weighted sum of a seat's features.
    #[inline]
    pub fn value<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f64 {
        let features = game.features(state, seat);
        // Four sums side by side: the order of additions is fixed, and none waits for the one before.
        let mut sums = [0.0; 4];
        for index in 0..MAX_FEATURES {
            sums[index % 4] += features[index] * self.weights[index];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }
}

impl<G: Features> Policy<G> for Heuristic {
    #[expect(clippy::float_cmp, reason = "only actions of the very same value are left to chance")]
    fn choose(&self, game: &G, state: &G::State, seat: Seat, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        if self.epsilon > 0.0 && rng.random::<f64>() < self.epsilon {
            return Uniform.choose(game, state, seat, legal, rng);
        }
        let mut best = legal.nth(0);
        if legal.len() == 1 {
            return best;
        }
        let mut best_value = f64::NEG_INFINITY;
        let mut equals = 0;
        for action in legal.iter() {
            let mut after = *state;
            game.apply(&mut after, action);
            let value = self.value(game, &after, seat);
            if value > best_value {
                (best, best_value, equals) = (action, value, 1);
            } else if value == best_value {
                equals += 1;
                if below(rng, equals) == 0 {
                    best = action;
                }
            }
        }
        best
    }
}
