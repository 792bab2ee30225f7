//! The engine of Watershed: the contract of a game, search, bots, the arena that plays experiments,
//! self-play, and statistics. What is generic over a game here is compiled for each game.

pub mod arena;
pub mod benchmark;
pub mod bits;
pub mod bots;
pub mod config;
pub mod game;
pub mod games;
pub mod rng;
pub mod scene;
pub mod search;
pub mod stats;
pub mod training;
