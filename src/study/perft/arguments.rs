//! Flags of `watershed perft`.

use crate::study::shared::prelude::*;

#[derive(Args, Debug)]
#[command(after_help = "\
Depth D counts the sequences of D decisions, where a sequence that ends the game \
earlier counts once. Chance is sampled: each chance source draws from its stream of the seed along \
each line of play, so the counts are equal on every machine.

Example:
  watershed perft --players 2 --seed 1 --depth 6")]
pub(crate) struct PerftArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Set the number of decisions
    #[arg(long, value_name = "N", value_parser = count(1..=64_u32))]
    pub(super) depth: u32,
    /// Set the seed of the chance streams
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED,
          value_parser = count(0..=u64::MAX))]
    pub(super) seed: u64,
    /// Set the number of threads, at most 4 per core; they share the first actions [default:
    /// RAYON_NUM_THREADS of the environment, else all cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) threads: Option<usize>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print no progress and no speed
    #[arg(long)]
    pub(super) quiet: bool,
}
