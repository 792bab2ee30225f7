//! The integration tests, in folders that mirror `src`, all in one binary so that the library is
//! linked once.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]

mod arena;
mod bots;
mod cli;
mod docs;
mod fuzz;
mod games;
mod layers;
mod refusals;
mod report;
mod run;
mod study;
mod support;
#[path = "../../crates/engine/tests/it/task.rs"]
mod task;
mod web;
