//! Flags of `watershed balance luck`.

use clap::Args;

use crate::run::{count::count, lineups::LineupArguments};

/// Sums of fourth powers of score differences fit their integers up to this number of games.
const MAX_GAMES: u64 = 10_000_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Each chance source of a game has its own random stream (in The River: seats, \
boards, tiles, buildings). The random choices of the bots are one more source. Games are replayed \
with the same deal and other choices of the bots, and with only one stream in common. Jansen's \
estimators of the Sobol indices follow from their differences, with 95 % confidence intervals over \
blocks.

luck.csv has a row for each lineup, metric, seat and source; the source `deal` is all chance of \
the game together. Columns:
  first_order  share of the variance explained by the source alone; estimates near 0 can be \
negative
  sensitivity  total index: mean squared difference of games that differ only in the source, \
relative to unrelated games; the indices add up to more than 1 if sources interact

With --shares, shares.csv splits the variance of the win share into shares that add up to 100 %. \
They say at the events of which source results come to differ. `player` is the difference between \
the seats: their bots, and what the rules give to a seat. Two games of each block are continued \
twice from before each event, which plays several times as many games.

All shares are those among the players of the lineup. Between equal players only chance makes a \
difference, in any game; it does not follow that skill has no effect. `--bots A,B` shows the share \
of unequal players, and `balance skill` how often the better bot wins.

Examples:
  watershed balance luck
  watershed balance luck --game glassworks --players 3 --games 100k
  watershed balance luck --bots mcts:iterations=100 --games 2k
  watershed balance luck --bots expert,random --shares --games 4k
  watershed balance luck --panel random,balanced,mcts:iterations=100 \\
      --games 2k --out results/luck"
)]
pub(crate) struct LuckArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Also estimate shares that add up to 100 %, from continuations of two games of each block
    #[arg(long)]
    pub(super) shares: bool,
}
