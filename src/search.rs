//! Monte Carlo tree search and its parts, generic over [`Game`](crate::game::Game).

pub mod playout;
