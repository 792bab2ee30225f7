//! Analysis of single positions: win chances, the best actions, and the differences between them;
//! and books of openings.
//!
//! A search is the judge ([`judge`]): it proposes candidates, and searches of equal budget after
//! each of them decide ([`successors`]), as in the review of a game ([`ledger`]). [`rollout`] plays
//! a position to the end of the game after each of several actions on the same chance, by a bot
//! without a search. A [`book`] compares the actions of many positions at the beginning of games,
//! and a [`puzzle`] is a position in which one action is best.

pub mod book;
mod endgame;
pub mod hint;
pub mod judge;
pub mod ledger;
pub mod named;
pub mod pair_search;
pub mod perft;
pub mod puzzle;
pub mod reason;
pub mod review_searches;
pub mod rollout;
pub mod searched_position;
pub mod successors;
pub mod watch;
