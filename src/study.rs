//! The studies: one module for each command that plays games, from its arguments to its page.

pub mod ablate;
pub mod bench;
pub mod compare;
pub mod luck;
pub mod matches;
pub mod merge;
pub mod perft;
pub mod replay;
pub mod restrict;
pub mod simulate;
pub mod sweep;
pub mod train;
pub mod tune;
