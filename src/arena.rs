//! The arena: which games to play, playing them on all cores, and observers that count.
//!
//! **Determinism.** What a run finds is a function of its experiment (game, data, players, bots,
//! seed, number of games) and of the program's version, and of nothing else: not of threads, order
//! or machine. Every game draws from streams derived from (seed, block, game, purpose), and what is
//! counted are integers, which add up to the same sums in any grouping. Jobs are merged in block
//! order.

mod block_sum;
pub mod compared_metrics;
pub mod comparison;
pub mod health;
pub mod intervention;
pub mod metric;
pub mod play;
pub mod record;
pub mod rounds;
pub mod run;
pub mod schedule;
pub mod tally;
pub mod trace;
