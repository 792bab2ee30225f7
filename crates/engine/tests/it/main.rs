//! The integration tests of the engine, in one binary so that the library is linked once. They are
//! compiled at full optimisation, because many play whole games.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]

mod analysis;
mod arena;
mod bots;
mod combinations;
mod games;
mod search;
mod self_play;
mod stats;
mod task;
mod training_model;
