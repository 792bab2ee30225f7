//! The arena: plays games on all cores and counts their events.
//!
//! **Determinism.** The results of a run are a function of its experiment (game, data, players,
//! bots, seed, number of games) and of the program's version. They do not depend on threads, order
//! or machine. Every game draws from streams derived from (seed, block, game, purpose). Counts are
//! integers, whose sums are the same in any grouping, and jobs are merged in block order.

pub mod block_experiment;
mod block_sum;
pub mod compared_metrics;
pub mod counter;
pub mod forfeit;
pub mod health;
pub mod intervention;
pub mod item_effects;
pub mod metric;
pub mod play;
pub mod play_statistics;
pub mod players;
pub mod record;
pub mod resources;
pub mod restrict;
pub mod rounds;
pub mod run;
pub mod schedule;
#[cfg(test)]
mod schemas;
pub mod tally;
mod touched;
mod trace;
