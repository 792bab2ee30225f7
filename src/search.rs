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

/// Knowledge of positions that a search may lean on.
pub trait Evaluator<G: Game>: Sync {
    /// The chance of each seat to win, from 0 to 1.
    fn win_probabilities(&self, game: &G, state: &G::State) -> PerSeat<f32>;

    /// How good a position is for a seat, in steps that make it e times as likely to win; only
    /// differences between positions have a meaning.
    fn logit(&self, game: &G, state: &G::State, seat: Seat) -> f32;
}
