//! Analysis of positions, experiments, games that people play, and the list of the games of a
//! program, compiled once for all games: a game is an [`erased::AnyGame`] here. The engine, which
//! plays and searches, is compiled for each game.

pub mod analysis;
pub mod bound;
pub mod erased;
pub mod experiments;
pub mod game_list;
pub mod session;
pub mod states;

// A module has the same path in both crates.
pub(crate) use watershed_engine::{
    arena, benchmark, bots, config, game, games, rng, scene, search, stats, training,
};
