//! The engine of Watershed: the contract of a game, search, bots, the arena that plays experiments,
//! statistics, and the analysis of positions, for any game.

pub mod analysis;
pub mod arena;
pub mod benchmark;
pub mod bits;
pub mod bots;
pub mod bound;
pub mod config;
pub mod experiments;
pub mod game;
pub mod game_list;
pub mod games;
pub mod rng;
pub mod scene;
pub mod search;
pub mod session;
pub mod stats;
pub mod training;
