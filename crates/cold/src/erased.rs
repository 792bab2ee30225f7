//! Games of a type that is not known. Code that is not hot is compiled once, for [`AnyGame`], and
//! not for each game: positions, actions and sets of actions are small values with a table of
//! their operations, and bots are built for the game of its type when a view shows it.

mod bot;
mod rules;
mod value;

pub use rules::AnyGame;
pub use value::{AnyAction, AnyActions, AnyState};
