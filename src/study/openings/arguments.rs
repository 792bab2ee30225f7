//! Flags of `watershed openings`.

use crate::study::shared::prelude::*;

/// Maximum number of games: no sum of squares overflows.
const MAX_GAMES: u64 = 10_000_000;

#[derive(Args, Debug)]
#[command(after_help = "\
One bot, the policy, plays all seats. At an opening decision of a seat (its \
starter and its first placements, camps or turns), each plausible action is played on from the \
same position with the same chance and the same random streams. The effect of an action in a \
situation is its win share minus the mean over what the policy would choose: the win shares of \
all plausible actions of the decision, weighted with their priors. It is a mean over the \
decisions of the situation at which the action is plausible: the policy chose it, its prior is \
at least 1 %, or the decision has at most --actions actions.

A situation is the turn position and the opening step of a seat, then its starter, then what lies \
open in classes. Each of these levels has its rows in book.csv:
  effect   mean over forks, drawn towards the effect of the same action one level above (0 at \
the first level), with a 95 % interval; n is the number of forks
  verdict  good: the interval lies above -2 points; bad: it lies below; playable: it contains -2 \
points; too rare: it contains them and is wider than 4 points on each side, or there are too few \
forks
  mean     mean over forks as it is, with a 95 % interval over games
  win_rate share of the games won by the seats that chose the action by themselves; situations in \
which it is chosen are different, so it is no effect
pairs.csv has the differences between two actions that were plausible together: `level` if the \
interval lies within 2 points of 0. examples.jsonl has the records of the first 100 games, which \
`watershed replay` shows.

With several epochs, later ones fork situations whose best action is clear less often. A shard \
plays one epoch; `merge` joins the shards, and --after plays the next epoch.

Examples:
  watershed openings grow --games 2k --out results/book
  watershed openings grow --players 3 --policy expert --games 10k --epochs 4 \\
      --out results/book3
  watershed openings grow --games 4k --shard 1/2 --out shards/1")]
pub(crate) struct GrowArguments {
    /// Set the bot that plays all seats [default: the strongest profile without search]
    #[arg(long, value_name = "BOT")]
    pub(super) policy: Option<String>,
    /// Set the number of games, without the continuations of forks
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Divide the games into epochs of equal size
    #[arg(long, value_name = "E", default_value_t = 1, value_parser = count(1..=1000_u64))]
    pub(super) epochs: u64,
    /// Set the number of opening decisions of each seat
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count(1..=4_usize))]
    pub(super) steps: usize,
    /// Set the maximum number of actions of a fork, those with the highest priors
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = count(2..=64_usize))]
    pub(super) actions: usize,
    /// Play on one in N of the decisions after the first opening step of a seat
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=1000_u32))]
    pub(super) thin: u32,
    /// Continue this book, whose first epochs are complete, with the next one
    #[arg(long, value_name = "BOOK")]
    pub(super) after: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Without --starter, the rows of all starters are shown. The first row of each situation has the \
highest lower end of the interval. `openings grow --help` defines the verdicts.

Examples:
  watershed openings show results/book
  watershed openings show results/book --place 1 --starter forest_wood_store
  watershed openings show results/book --level 3 --min-n 200 --csv")]
pub(crate) struct ShowArguments {
    /// Read the book from this folder or book.json
    #[arg(value_name = "BOOK")]
    pub(super) book: PathBuf,
    /// Show this place in the turn order only, from 1 for the first player
    #[arg(long, value_name = "P", value_parser = count(1..=5_u64))]
    pub(super) place: Option<u64>,
    /// Show this starter only, by its name in the data file
    #[arg(long, value_name = "T")]
    pub(super) starter: Option<String>,
    /// Show this level only, from 1, the coarsest [default: 1, or 2 with --starter]
    #[arg(long, value_name = "L", value_parser = count(1..=9_usize))]
    pub(super) level: Option<usize>,
    /// Show actions with at least this many forks
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(0..=MAX_GAMES))]
    pub(super) min_n: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(super) json: bool,
    /// Print CSV instead of text
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
}
