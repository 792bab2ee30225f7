//! Linear value function of named features, and one-ply choice by it.

use std::borrow::Cow;

use super::{
    Evaluator, KeptPolicy,
    playout::{Policy, Uniform},
};
use crate::{
    game::{ActionSet, FeatureVector, Features, MAX_FEATURES, MAX_SEATS, PerSeat, Seat},
    rng::{Rng, random_below},
};

/// Limit of the change of log-odds by an action, so that its exponential is finite.
const MAX_LOGIT_GAIN: f32 = 40.0;

/// Value function of a seat: a weighted sum of its features.
///
/// The win probability of a seat is proportional to exp(value / temperature), as in a multinomial
/// logistic regression. If a game can end without a winner, that outcome is proportional to 1: it
/// is treated as an additional opponent with value 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Heuristic {
    /// Weights at the beginning of the game, in the order of the game's features.
    pub weights: FeatureVector,
    /// Change of the weights over the game, multiplied by [`Features::progress`]; `None` if the
    /// weights are constant.
    pub drift: Option<FeatureVector>,
    /// True if the policy maximises the odds against the opponents instead of the seat's own value.
    pub considers_opponents: bool,
    /// Difference of value that multiplies the odds of winning by e; positive.
    pub temperature: f64,
    /// Probability of a uniformly random choice, from 0 to 1.
    pub epsilon: f64,
}

impl Heuristic {
    /// Returns the weights at the progress of a position.
    #[inline]
    fn at_position<G: Features>(&self, game: &G, state: &G::State) -> Cow<'_, FeatureVector> {
        let Some(drift) = &self.drift else { return Cow::Borrowed(&self.weights) };
        let progress = game.progress(state);
        let weight = |index| self.weights[index] + progress * drift[index];
        Cow::Owned(std::array::from_fn(weight))
    }

    /// Returns the log-odds of `seat` winning, up to a constant: only differences between positions
    /// matter.
    pub fn log_odds<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f32 {
        (self.objective(game, seat)(state) / self.objective_unit()) as f32
    }

    /// Returns the difference of the objective that multiplies the odds of winning by e.
    fn objective_unit(&self) -> f64 {
        if self.considers_opponents { 1.0 } else { self.temperature }
    }

    /// Returns the quantity that the policy maximises, as a function of the position: the seat's
    /// value, or its log-odds against all opponents.
    #[inline]
    fn objective<G: Features>(&self, game: &G, seat: Seat) -> impl FnMut(&G::State) -> f64 {
        let considers_opponents = self.considers_opponents && game.seats() > 1;
        let mut features = game.cached_features();
        move |state| {
            let weights = self.at_position(game, state);
            if !considers_opponents {
                return dot(&features(state, seat), &weights);
            }
            let mut value =
                |seat: usize| dot(&features(state, Seat::new(seat)), &weights) / self.temperature;
            let own = value(seat.index());
            let others = (0..game.seats()).filter(|&other| other != seat.index());
            own - log_sum_exp(others.map(value).chain(no_winner(game)))
        }
    }
}

#[inline]
fn dot(features: &FeatureVector, weights: &FeatureVector) -> f64 {
    let [a, b, c, d] = sum_products(features, weights);
    (a + b) + (c + d)
}

/// Returns four sums of products, each of every fourth feature. The order of additions is fixed
/// (deterministic results), and the four additions are one vector instruction.
// Inlined, the compiler arranges the sums for their last additions and uses shorter vectors.
#[inline(never)]
fn sum_products(features: &FeatureVector, weights: &FeatureVector) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for index in 0..MAX_FEATURES {
        sums[index % 4] += features[index] * weights[index];
    }
    sums
}

/// Returns the win probability of each seat from its value, which is −∞ beyond the seats: its share
/// of the odds of all seats, or of its own odds against 1 if wins are independent.
fn win_probabilities_of_values(values: &PerSeat<f64>, wins_are_independent: bool) -> PerSeat<f64> {
    if wins_are_independent {
        return values.map(|value| 1.0 / (1.0 + (-value).exp()));
    }
    let log_sum = log_sum_exp(values.iter().copied());
    values.map(|value| (value - log_sum).exp())
}

/// Returns the value of the outcome without a winner, if the game has it.
fn no_winner<G: Features>(game: &G) -> Option<f64> {
    game.wins_are_independent().then_some(0.0)
}

/// Returns ln Σ exp(x) of at most [`MAX_SEATS`] + 1 numbers.
fn log_sum_exp(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut terms = [f64::NEG_INFINITY; MAX_SEATS + 1];
    for (slot, number) in terms.iter_mut().zip(numbers) {
        *slot = number;
    }
    let max = terms.iter().fold(f64::NEG_INFINITY, |one, &other| one.max(other));
    max + terms.iter().map(|number| (number - max).exp()).sum::<f64>().ln()
}

impl<G: Features> Evaluator<G> for Heuristic {
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        let weights = self.at_position(game, state);
        let mut features = game.cached_features();
        let mut values = [f64::NEG_INFINITY; MAX_SEATS];
        for (seat, value) in values.iter_mut().enumerate().take(game.seats()) {
            *value = dot(&features(state, Seat::new(seat)), &weights) / self.temperature;
        }
        let probabilities = win_probabilities_of_values(&values, game.wins_are_independent());
        probabilities.map(|probability| probability as f32)
    }

    /// The prior of an action is the factor by which it changes the seat's odds.
    fn action_priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &G::Actions,
        _legal: &G::Actions,
        _kept: &mut Option<KeptPolicy>,
        receive: &mut dyn FnMut(G::Action, f32),
    ) {
        let mut objective = self.objective(game, seat);
        let mut log_odds = |state: &_| (objective(state) / self.objective_unit()) as f32;
        let before = log_odds(state);
        for action in actions.iter() {
            let mut after = *state;
            game.apply(&mut after, action);
            let gain = log_odds(&after) - before;
            receive(action, gain.clamp(-MAX_LOGIT_GAIN, MAX_LOGIT_GAIN).exp());
        }
    }
}

impl<G: Features> Policy<G> for Heuristic {
    #[expect(clippy::float_cmp, reason = "ties are actions with exactly equal values")]
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        if let Some(action) = Uniform::choose_with_probability(self.epsilon, legal, rng) {
            return action;
        }
        let mut best = legal.nth(0);
        if legal.len() == 1 {
            return best;
        }
        let mut objective = self.objective(game, seat);
        let mut best_value = f64::NEG_INFINITY;
        let mut ties = 0;
        for action in legal.iter() {
            let mut after = *state;
            game.apply(&mut after, action);
            let value = objective(&after);
            if value > best_value {
                (best, best_value, ties) = (action, value, 1);
            } else if value == best_value {
                ties += 1;
                if random_below(rng, ties) == 0 {
                    best = action;
                }
            }
        }
        best
    }

    fn priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        self.action_priors(game, state, seat, legal, legal, &mut None, receive);
        true
    }
}
