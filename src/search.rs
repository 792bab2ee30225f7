//! Monte Carlo tree search and its parts, generic over [`Game`].

pub mod ensemble;
pub mod heuristic;
pub mod hidden;
pub mod mast;
pub mod mcts;
pub mod playout;
pub mod reward;
pub mod select;
pub mod tree;

use crate::game::{Game, PerSeat, Seat};

/// Static evaluation of positions.
pub trait Evaluator<G: Game>: Sync {
    /// Returns the win probability of each seat.
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32>;

    /// Returns the log-odds of `seat` winning, up to a constant. Used for priors: only differences
    /// between positions matter.
    fn logit(&self, game: &G, state: &G::State, seat: Seat) -> f32;
}
