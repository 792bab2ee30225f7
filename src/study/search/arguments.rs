//! Flags of `watershed balance search`.

use crate::study::shared::{adaptation::AdaptationArguments, prelude::*};

#[derive(Args, Debug)]
#[command(after_help = "A file of goals has ranges of figures, and may give them weights:

  first_player = [0.48, 0.52]
  rounds = { range = [4.4, 4.8], weight = 2 }
  [item.meadow_swap]
  taken = [0.15, 1]
  [family.meadow]
  access_difference = [-0.03, 0.03]

Figures of the game are first_player to fifth_player (win rates), games_won, rounds, \
leader_at_half_wins, lead_changes, shared_wins and nobody_won, as in figures.csv of `simulate`; \
those of an item, or of each item of a family, are win_rate, taken (share of the offers) and \
access (as in `ablate`), and of a family also access_difference, the access to an item minus the \
mean of the others. \
Shares are numbers from 0 to 1.

If no figure of the data file lies outside of its range by more than chance, nothing is proposed. \
Otherwise all single edits play the same deals, and after each stage with twice as many games the \
half that is farther from the goals is left out. The best are played on fresh deals. While the \
estimates of none lie in all ranges, sets of one more edit are tried: those that are predicted to \
be best if effects add up. At last the data file, the best set of each number of edits that missed \
some goal and up to three that met all are played on sealed deals, which nothing before has seen, \
by all bots; intervals are corrected for all of them. proposal.toml is the data file with the \
first edits that meet all goals there, too; if there are none, nearest.toml has the nearest, and \
the exit code is 1.

The distance of a set of edits is the root of the weighted mean square of how far figures lie \
outside of their ranges, in half-widths of the range.

Tables: goals.csv (each figure before and after) and edits.csv (all sets that were tried).

Examples:
  watershed balance search --keys setup.2.start.1.wood=0..2 --goal goals.toml
  watershed balance search --keys 'building.*.points+=-1..1' --max-edits 3
  watershed balance search --keys 'tile.*.copies+=-1..1' --goal goals.toml \\
      --bots expert --adapt --out results/search")]
pub(crate) struct BalanceSearchArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the keys that may be edited, with their values; may be repeated
    ///
    /// KEY is a path of names joined by dots, and `*` in it stands for any name; entries of a list
    /// have their number from 0. Several keys that have the same value are joined by `+`. VALUES
    /// are integers: a,b,c or a range a..b; with += they are added to that of the data file.
    #[arg(long, value_name = "KEY=VALUES", required = true, allow_hyphen_values = true)]
    pub(super) keys: Vec<String>,
    /// Read the goals from this file [default: the targets of the data file]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) goal: Option<PathBuf>,
    /// Set the largest number of edits
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<usize>(1..=5))]
    pub(super) max_edits: usize,
    /// Set the number of games of each lineup under each data file on fresh and on sealed deals,
    /// rounded up to whole blocks; a race begins with a sixteenth of them
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = count(1..=MAX_GAMES / 4))]
    pub(super) games: u64,
    #[command(flatten)]
    pub(super) adaptation: AdaptationArguments,
}
