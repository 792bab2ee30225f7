//! Flags of `watershed perft`.

use clap::Args;
use serde::Serialize;

use crate::{
    analysis::perft::ChanceTreatment,
    run::{
        arguments::{DEFAULT_SEED, GameArguments},
        count::count,
    },
};

/// Positions that are enumerated in some seconds.
const DEFAULT_MAX_POSITIONS: u64 = 100_000_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Decisions are enumerated: depth D counts the sequences of D decisions, where a \
sequence that ends the game earlier counts once. Chance is sampled: each chance source draws from \
its stream of the seed along each line of play, so the counts are equal on every machine.

With --all-chance, chance is enumerated too: a sequence then consists of decisions and chance \
outcomes. The average number of sequences of decisions weights each chance outcome by its \
probability. As a check, the probabilities of all sequences under uniformly random decisions are \
added up; exit code 1 if they do not add up to 1. Hidden information is ignored.

The speed is the number of sequences of the greatest length per second of all threads together. \
Their last decision is counted without being made.

Examples:
  watershed perft --players 2 --seed 1 --depth 6
  watershed perft --game common_river --depth 3 --all-chance"
)]
pub(crate) struct PerftArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Set the number of decisions
    #[arg(long, value_name = "N", value_parser = count(1..=64_u32))]
    pub(super) depth: u32,
    #[command(flatten)]
    pub(super) chance: ChanceArguments,
    /// Set the number of threads, at most 4 per core; they share the first actions, unless all
    /// chance outcomes are enumerated [default: RAYON_NUM_THREADS of the environment, else all
    /// cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) threads: Option<usize>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print no speed
    #[arg(long)]
    pub(super) quiet: bool,
}

/// Flags that decide which chance outcomes are counted.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct ChanceArguments {
    /// Set the seed of the chance streams
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_SEED,
        value_parser = count(0..=u64::MAX)
    )]
    pub(super) seed: u64,
    /// Enumerate all chance outcomes with their probabilities instead of sampling them
    #[arg(long)]
    pub(super) all_chance: bool,
    /// With --all-chance, sample the chance outcomes before the first decision
    #[arg(long, requires = "all_chance")]
    pub(super) sample_setup: bool,
    /// With --all-chance, stop with an error after this number of positions
    #[arg(long, value_name = "N", requires = "all_chance",
        default_value_t = DEFAULT_MAX_POSITIONS, value_parser = count(1..=u64::MAX))]
    #[serde(skip)]
    pub(super) max_positions: u64,
}

impl ChanceArguments {
    /// Returns the chance outcomes that are counted.
    pub(super) const fn treatment(&self) -> ChanceTreatment {
        let Self { seed, all_chance, sample_setup, max_positions } = *self;
        ChanceTreatment { seed, all_chance, sample_setup, max_positions }
    }
}
