//! Tests of the arena.

mod continuations;
mod interventions;
mod records;
