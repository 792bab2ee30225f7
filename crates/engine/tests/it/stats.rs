//! Tests of the statistics.

mod intervals;
mod ratings;
