//! Watershed plays river board games against itself and says what it learned.

pub mod bits;
pub mod bots;
pub mod config;
pub mod game;
pub mod games;
pub mod rng;
pub mod search;
