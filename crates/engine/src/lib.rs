//! The engine of Watershed: the contract of a game, search, bots, the arena that plays experiments,
//! statistics, and the analysis of positions, for any game.

pub mod arena;
pub mod bits;
pub mod bots;
pub mod config;
pub mod game;
pub mod games;
pub mod rng;
pub mod scene;
pub mod search;
pub mod stats;
