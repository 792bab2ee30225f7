//! Monte Carlo tree search and its parts, generic over [`Game`](crate::game::Game).

pub mod heuristic;
pub mod mcts;
pub mod playout;
pub mod reward;
