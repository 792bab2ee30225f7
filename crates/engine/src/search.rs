//! Monte Carlo tree search and its parts, generic over [`Game`].

pub mod calibration;
pub mod clock;
pub mod ensemble;
pub mod heuristic;
pub mod mast;
pub mod mcts;
pub mod network;
pub mod playout;
pub mod reward;
pub mod select;
pub mod tree;

use crate::game::{Game, PerSeat, Seat};

/// Policy of a network in a position: a vector that gives the logits of actions, and what turns
/// these into probabilities, once the legal actions were valued.
#[derive(Clone, Copy, Debug)]
pub struct KeptPolicy {
    units: [i16; network::POLICY],
    /// The highest logit of the legal actions, and the sum of their weights.
    scale: Option<(i32, u64)>,
}

impl KeptPolicy {
    /// Returns true if the legal actions were valued.
    pub const fn is_complete(&self) -> bool {
        self.scale.is_some()
    }
}

/// Static evaluation of positions.
pub trait Evaluator<G: Game>: Sync {
    /// Returns the win probability of each seat.
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32>;

    /// Returns the win probability of each seat, and the policy of one seat for decisions that
    /// follow the position; `None` if the evaluator has none.
    fn win_probabilities_and_policy(
        &self,
        game: &G,
        state: &G::State,
        _seat: Seat,
    ) -> (PerSeat<f32>, Option<KeptPolicy>) {
        (self.win_probabilities(game, state), None)
    }

    /// Returns the expected final score of each seat, in points; `None` if the evaluator has none.
    fn expected_scores(&self, _game: &G, _state: &G::State) -> Option<PerSeat<f32>> {
        None
    }

    /// Passes the prior of actions of `seat` to `receive`, in any order: a positive, finite number
    /// in proportion to its probability. `actions` is a subset of `legal`, the legal actions of the
    /// position.
    ///
    /// Actions of the same node can be passed at different times, whenever they become legal, so a
    /// prior must not depend on the other actions that are passed. `kept` is what an evaluator may
    /// use again for the later actions: it receives the policy of this position, and can be one of
    /// an earlier position of the node.
    #[expect(clippy::too_many_arguments, reason = "what a prior can depend on")]
    fn action_priors(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &G::Actions,
        legal: &G::Actions,
        kept: &mut Option<KeptPolicy>,
        receive: &mut dyn FnMut(G::Action, f32),
    );
}
