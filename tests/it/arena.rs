//! Tests of the arena.

mod interventions;
