//! Simulates board games between AI players and reports win rates, card statistics and openings.

pub mod arena;
pub mod bits;
pub mod bots;
pub mod cli;
pub mod config;
pub mod game;
pub mod games;
pub mod identity;
pub mod report;
pub mod rng;
pub mod run;
pub mod search;
pub mod stats;
pub mod study;
