//! Flags of `watershed balance turn-order`.

use clap::{Args, builder::ArgPredicate};

use crate::run::{
    count::{MAX_GAMES, count},
    lineups::LineupArguments,
    margin::Margin,
    panel::GAMES_WITH_BUDGETS,
};

#[derive(Args, Debug)]
#[command(
    after_help = "The win rates of all turn positions are tested for equality (Wald's test over \
blocks) and for equivalence within --margin (two one-sided tests of each pair). Verdicts:
  fair    all win rates are equal within the margin
  unfair  the win rates differ significantly, and may differ by more than the margin
  open    neither is shown; `games_needed` in verdicts.csv is the number of games that show \
`fair` with a probability of 90 % if all win rates are equal

Win rates are compared with their mean, which is below 1/players if nobody wins some games. \
Points that would make the game even are computed from the final scores of the games and not played.

--compensate plays several values of one or several keys on the same deals, such as food or points \
that the second player has at the start; `list keys` has the keys. A monotone curve through the \
differences of the first player from the mean gives the value of a key at which they are equal. \
The whole values beside it or, of several keys, the best values of 3 keys are played on fresh \
deals, and the one with the smallest spread of win rates is named first.

Tables: turn_positions.csv (win rate and score of each turn position), verdicts.csv (tests and \
verdict of each lineup), added_points.csv (win rates with points for turn positions) and \
compensation.csv (each value of --compensate).

Examples:
  watershed balance turn-order
  watershed balance turn-order --players 4 --games 100k --margin 2pp
  watershed balance turn-order --compensate setup.2.start.1.food=0..2
  watershed balance turn-order \\
      --compensate setup.2.start.1.wood=0..2,setup.2.start.1.points=1..3
  watershed balance turn-order --budgets 50,200,800,3200
  watershed balance turn-order --panel expert,balanced,random \\
      --games 10k --out results/turn_order"
)]
pub(crate) struct TurnOrderArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup and of each value of --compensate, rounded up to
    /// whole blocks
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20_000,
        default_value_if("budgets", ArgPredicate::IsPresent, GAMES_WITH_BUDGETS),
        value_parser = count(1..=MAX_GAMES)
    )]
    pub(super) games: u64,
    /// Set the largest difference between two win rates that counts as fair, in percentage points
    #[arg(long, value_name = "POINTS", default_value = "1pp")]
    pub(super) margin: Margin,
    /// Search the value of a key of the data file that makes the first player win as often as the
    /// others
    ///
    /// KEY is a path of names joined by dots, and `*` in it stands for any name; entries of a list
    /// have their number from 0. Several keys that have the same value are joined by `+`. VALUES
    /// are integers: a,b,c or a range a..b; with += they are added to that of the data file.
    /// Candidates of several keys are compared: KEY=VALUES,KEY=VALUES, or the flag repeated.
    #[arg(long, value_name = "KEY=VALUES", conflicts_with = "shard")]
    pub(super) compensate: Vec<String>,
}
