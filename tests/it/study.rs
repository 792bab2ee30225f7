//! Tests of the studies.

mod ablate;
mod compare;
mod luck;
mod matches;
mod tune;
