//! Tests of the arena.

mod interventions;
mod records;
