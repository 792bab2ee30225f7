//! Flags of `watershed balance skill`.

use clap::{ArgAction, Args};

use crate::run::{count::count, panel::PanelEntry};

#[derive(Args, Debug)]
#[command(
    after_help = "The rungs of a ladder are bots from weak to strong. Each plays in one seat \
against copies of the rung below in the others, in all rotations, as in `match`. A search also \
plays against the search with a tenth of its iterations, if that is a rung.

skill.csv has a row for each of these pairings. Columns:
  above_even        win share minus the mean of all seats
  upset_share       share of the games with a winner that the rung does not win; with 2 players \
the games that the weaker bot wins
  games_to_know_95  games after which the better bot is ahead with a probability of 95 %: \
(1.645·s/d)² blocks, with the mean d and the standard deviation s of a block's result
  step              clear if the rung wins at least 60 % against one opponent (70 Elo points), \
shown by its interval; small if it wins less; open if neither is shown

The depth of the ladder is the number of clear steps.

Examples:
  watershed balance skill
  watershed balance skill --game glassworks --players 3 --games 4k
  watershed balance skill --rungs random,expert,mcts:iterations=200@400
  watershed balance skill --rungs mcts:iterations=100,mcts:iterations=1000 \\
      --games 400 --out results/skill"
)]
pub(crate) struct SkillArguments {
    /// Set the bots from weak to strong, two or more [default: from `random` to a search with 1000
    /// iterations]
    ///
    /// NAME@GAMES plays at most GAMES games against each other rung.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    pub(super) rungs: Option<Vec<PanelEntry>>,
    /// Set the number of games of each pairing, rounded up to whole blocks
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2_000,
        value_parser = count::<u64>(1..=u64::MAX)
    )]
    pub(super) games: u64,
}
