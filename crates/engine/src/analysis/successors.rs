//! Comparison of two actions by searches of equal budget after each of them.

use rayon::prelude::*;

use crate::{
    game::{ActionSet as _, FullGame, PerSeat, Seat, Turn, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, stream},
};

/// Samples of hidden information and of chance after an action. Each is searched with the whole
/// budget of the analysis.
const SAMPLES: u64 = 4;
/// Difference of two win chances up to which the searches do not decide.
const CLOSE: f64 = 0.02;

/// Two actions between which searches and rollouts differ, judged by searches after each.
#[derive(Clone, PartialEq, Debug)]
pub struct SuccessorCheck<A> {
    /// The action that the search prefers, and the one that wins more in rollouts.
    pub actions: [A; 2],
    /// Win chance of the seat that decides after each of them.
    pub chances: [f64; 2],
}

/// The answer of a [`SuccessorCheck`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuccessorVerdict {
    /// The searches confirm the action that the search prefers.
    Confirmed,
    /// The chances are within 2 percentage points.
    Close,
    /// The action that wins more in rollouts is better.
    Corrected,
}

impl<A> SuccessorCheck<A> {
    /// Returns the answer.
    pub fn verdict(&self) -> SuccessorVerdict {
        let [first, other] = self.chances;
        match first - other {
            difference if difference > CLOSE => SuccessorVerdict::Confirmed,
            difference if difference >= -CLOSE => SuccessorVerdict::Close,
            _ => SuccessorVerdict::Corrected,
        }
    }

    /// Returns the check with a function of its actions.
    pub fn map<B>(self, name: impl FnMut(A) -> B) -> SuccessorCheck<B> {
        SuccessorCheck { actions: self.actions.map(name), chances: self.chances }
    }
}

/// A position in which a seat decides.
pub(super) struct Successors<'a, G: FullGame> {
    pub(super) game: &'a G,
    pub(super) state: &'a G::State,
    pub(super) seat: Seat,
    pub(super) seed: u64,
}

impl<G: FullGame> Successors<'_, G> {
    /// Searches after each of two actions with equal budgets, and on the same samples of hidden
    /// information and chance. `search` gets a position, the seat that decides there and a seed,
    /// and returns the win chances; `None` if there is only one action.
    pub(super) fn check(
        &self,
        actions: [G::Action; 2],
        search: impl Fn(&G::State, Seat, u64) -> Option<PerSeat<f64>> + Sync,
    ) -> SuccessorCheck<G::Action> {
        let chances = actions.map(|action| {
            let chance = |sample| self.chance_after(action, sample, &search);
            let chances: Vec<f64> = (0..SAMPLES).into_par_iter().map(chance).collect();
            chances.iter().sum::<f64>() / SAMPLES as f64
        });
        SuccessorCheck { actions, chances }
    }

    /// Returns the win chance of the seat in a sample after an action, by a search at the next
    /// decision, or the win share if the game ends before.
    fn chance_after(
        &self,
        action: G::Action,
        sample: u64,
        search: impl Fn(&G::State, Seat, u64) -> Option<PerSeat<f64>>,
    ) -> f64 {
        let Self { game, seat, seed, .. } = *self;
        let mut hidden = stream(seed, sample, 0, Purpose::Determinization);
        let mut after = game.determinize(self.state, seat, &mut hidden);
        game.apply(&mut after, action);
        let mut chance = ChanceStreams::new(seed, sample, game.chance_sources().len());
        loop {
            match game.turn(&after) {
                Turn::Over => {
                    let units = game.outcome(&after).win_share(seat);
                    return units as f64 / UNITS_PER_WIN as f64;
                }
                Turn::Chance(source) => {
                    let outcome = game.sample_chance(&after, chance.source_stream(source.0));
                    game.apply(&mut after, outcome);
                }
                Turn::Seat(decider) => {
                    if let Some(chances) = search(&after, decider, seed.wrapping_add(sample)) {
                        return chances[seat.index()];
                    }
                    let only = game.legal_actions(&after).nth(0);
                    game.apply(&mut after, only);
                }
            }
        }
    }
}
