//! Tests of the arena.

mod continuations;
mod interventions;
mod play_statistics;
