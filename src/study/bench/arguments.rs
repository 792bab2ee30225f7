//! Flags of `watershed bench`.

use super::workload::Workload;
use crate::{run::arguments::number, study::shared::prelude::*};

/// Default number of repetitions.
const DEFAULT_REPETITIONS: usize = 7;

#[derive(Args, Debug)]
#[command(after_help = "\
Each workload is a fixed amount of work, equal on every machine, with the same \
random numbers in each repetition. The repetitions of the workloads of a game alternate, after one \
that is not counted. Speeds are medians by the CPU time of the thread, with the range of all \
repetitions; `CPU` is the share of a core that the thread got.

With --scale 1 a repetition has
  playouts       20,000 playouts, uniform over the legal actions
  kind_playouts  20,000 playouts, uniform over the kinds of action
  uct            10,000 iterations of UCT with uniform playouts, from the first decision
  simulate       4,000 games of random bots, with the default statistics of `simulate`
  heuristic      1,000 games of the default heuristic in all seats (of the default bot, if the game
                 has no heuristic), with results, items and openings counted
  expert         400 games of the default bot in all seats, counted in the same way
  network        50,000 evaluations (win shares of a position) by the network of the game, if it
                 has one
  mcts           40 searches of the bot `mcts` with its default options, in its own games
  mcts_games     10 whole games of the bot `mcts` with 100 iterations a decision

The workload `signature` hashes all positions of 400 random games. The signature changes if and \
only if behaviour changes.

A default run takes about 30 seconds on an idle core.

Examples:
  watershed bench
  watershed bench --game glassworks --players 4
  watershed bench --workload uct,mcts --scale 0.2 --repetitions 15
  watershed bench --json")]
pub(crate) struct BenchArguments {
    /// Select the game [default: all games]
    #[arg(long)]
    pub(super) game: Option<String>,
    /// Set the number of players, with --game [default: the minimum of the game]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) players: Option<usize>,
    /// Select workloads [default: all]
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',',
        action = clap::ArgAction::Set)]
    pub(super) workload: Vec<Workload>,
    /// Multiply the amount of work by this factor, from 0.001 to 1000
    #[arg(long, value_name = "X", default_value_t = 1.0, alias = "work",
        value_parser = |text: &str| number(text, 0.001..=1000.0))]
    pub(super) scale: f64,
    /// Set the number of repetitions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_REPETITIONS,
        value_parser = count(1..=1000_usize))]
    pub(super) repetitions: usize,
    /// Print the results as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print no warnings
    #[arg(long)]
    pub(super) quiet: bool,
}
