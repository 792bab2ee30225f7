//! Flags of `watershed balance compare`, and those that it shares with `sweep`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    run::{
        arguments::{GameArguments, OutputArguments},
        count::count,
        lineups::LineupArguments,
    },
    study::train::adaptation::AdaptationArguments,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Both files are played on the same deals: in each block the same seed, the same \
chance and the same rotations of the bots. Differences are variant minus baseline, paired within \
blocks, with 95 % confidence intervals over blocks. Items are matched by name. The rows of a table \
with the same lineup are one family of tests; p_holm is adjusted by Holm's method.

Flags:
  significant  p_holm < 0.05
  flips        significant with opposite signs for two lineups
  constant     the difference does not vary between blocks, so it has no test
  added        only the variant has the item
  removed      only the baseline has the item

Tables: differences.csv (win shares of seats, turn positions and bots, rounds, scores, margins, \
lead changes, ...) and one for each item table (taken per game and per offer, win share of takers, \
points).

Examples:
  watershed balance compare configs/the_river.toml cheaper.toml
  watershed balance compare old.toml new.toml --players 3 --bots balanced
  watershed balance compare old.toml new.toml --adapt --out results/adapted
  watershed balance compare old.toml new.toml --games 2k \\
      --panel random,balanced,mcts:iterations=100 --out results/cheaper"
)]
pub(crate) struct Arguments {
    /// Read the baseline from a data file
    #[arg(value_name = "BASELINE.toml")]
    pub(super) baseline: PathBuf,
    /// Read the variant from a data file
    #[arg(value_name = "VARIANT.toml")]
    pub(super) variant: PathBuf,
    /// Select the game [default: the_river]
    #[arg(long)]
    game: Option<String>,
    /// Set the number of players [default: the minimum of the game]
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    #[command(flatten)]
    pub(super) comparison: ComparisonArguments,
}

impl Arguments {
    /// Returns the flags that select the game on one of the data files.
    pub(super) fn game_arguments(&self, file: &Path) -> GameArguments {
        GameArguments {
            game: self.game.clone(),
            config: Some(file.to_owned()),
            players: self.players,
        }
    }
}

/// Flags of all comparisons of data files.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArguments {
    #[command(flatten)]
    pub(super) lineups: LineupArguments,
    /// Set the number of games of each lineup under each data file, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count(1..=u64::MAX))]
    pub(super) games: u64,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}
