//! Games of a type that is not known. Code that is not hot is compiled once, for [`AnyGame`], and
//! not for each game: positions, actions and sets of actions are small values with a table of
//! their operations, and bots are built for the game of its type when a view shows it.
//!
//! A function that is generic over a game and called with [`AnyGame`] must be called by code
//! without type parameters, or it is compiled in the crate of each game again.

mod game;
mod value;

pub use game::AnyGame;
pub use value::{AnyAction, AnyActions, AnyState};
