//! The integration tests, one module per topic, all in one binary so that the library is linked once.
#![allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]

mod ablate;
mod bots;
mod command_line;
mod common_examples;
mod common_hidden;
mod common_naive;
mod common_random;
mod common_statistics;
mod common_variants;
mod compare;
mod every_bot;
mod expectimax;
mod glass_examples;
mod glass_naive;
mod glass_random;
mod glass_variants;
mod golden;
mod hidden;
mod lasting;
mod layers;
mod luck;
mod matches;
mod naive_river;
mod nim;
mod ratings;
mod report;
mod reproducible;
mod river_data;
mod river_examples;
mod river_perturbed;
mod river_random;
mod river_variants;
mod statistics;
mod tree_model;
mod tune;
