//! The integration tests, in folders that mirror `src`, all in one binary so that the library is
//! linked once.
#![allow(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod arena;
mod bots;
mod cli;
mod games;
mod layers;
mod report;
mod run;
mod search;
mod stats;
mod study;
mod support;
