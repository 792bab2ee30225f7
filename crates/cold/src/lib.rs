//! What is done with a game and is not hot, compiled once for all games: the analysis of positions,
//! experiments, games that people play, training, and the list of the games of a program. A game is
//! an [`erased::AnyGame`] here. What simulates games and searches is in the engine and compiled for
//! each game.

pub mod analysis;
pub mod benchmark;
pub mod bound;
pub mod erased;
pub mod experiments;
pub mod game_list;
pub mod session;
pub mod training;

// The modules of both crates have one name each, as in the program.
pub(crate) use watershed_engine::config;
pub(crate) use watershed_engine::{arena, bots, game, games, rng, scene, search, stats};
