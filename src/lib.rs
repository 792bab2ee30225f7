//! Simulates board games between AI players and reports win rates, card statistics and openings.

pub mod arena;
pub mod bits;
pub mod bots;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod game;
pub mod games;
pub mod identity;
#[cfg(feature = "cli")]
pub mod report;
pub mod rng;
#[cfg(feature = "cli")]
pub mod run;
pub mod search;
pub mod stats;
#[cfg(feature = "cli")]
pub mod study;
