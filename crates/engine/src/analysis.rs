//! Analysis of single positions: win chances, the best actions, and the differences between them;
//! and books of openings.
//!
//! A search ranks the legal actions; its mean rewards are no win chances, and those of actions with
//! few visits are no evidence. So the candidates of the search are compared by [`rollout`]: each is
//! played to the end of the game on the same chance, and the differences have confidence intervals
//! over independent blocks ([`judge`]). A [`book`] compares the actions of many positions at the
//! beginning of games in the same way, and a [`puzzle`] is a position in which one action is best.

pub mod book;
pub mod hint;
pub mod judge;
pub mod ledger;
pub mod named;
pub mod perft;
pub mod puzzle;
pub mod reason;
pub mod rollout;
pub mod successors;
