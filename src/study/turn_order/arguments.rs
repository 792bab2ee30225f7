//! Flags of `watershed balance turn-order`.

use clap::builder::ArgPredicate;

use crate::{run::panel::GAMES_WITH_BUDGETS, study::shared::prelude::*};

#[derive(Args, Debug)]
#[command(after_help = "\
The win rates of all turn positions are tested for equality (Wald's test over \
blocks) and for equivalence within --margin (two one-sided tests of each pair). Verdicts:
  fair    all win rates are equal within the margin
  unfair  the win rates differ significantly, and may differ by more than the margin
  open    neither is shown; `games_needed` in verdicts.csv is the number of games that show \
`fair` with a probability of 90 % if all win rates are equal

Win rates are compared with their mean, which is below 1/players if nobody wins some games. \
Points that would make the game even are computed from the final scores of the games and not \
played. `balance search --keys 'setup.2.start.1.*=0..2'` searches resources or points at the start \
with which the turn positions win equally often.

Tables: turn_positions.csv (win rate and score of each turn position), verdicts.csv (tests and \
verdict of each lineup) and added_points.csv (win rates with points for turn positions).

Examples:
  watershed balance turn-order
  watershed balance turn-order --players 4 --games 100k --margin 2pp
  watershed balance turn-order --budgets 50,200,800,3200
  watershed balance turn-order --panel expert,balanced,random \\
      --games 10k --out results/turn_order")]
pub(crate) struct TurnOrderArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000,
          default_value_if("budgets", ArgPredicate::IsPresent, GAMES_WITH_BUDGETS),
          value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Set the largest difference between two win rates that counts as fair, in percentage points
    #[arg(long, value_name = "POINTS", default_value = "1pp")]
    pub(super) margin: Margin,
}
