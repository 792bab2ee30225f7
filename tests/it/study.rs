//! Tests of the studies.

mod ablate;
mod compare;
mod luck;
mod matches;
mod restrict;
mod simulate;
mod train;
mod tune;
