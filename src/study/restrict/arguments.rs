//! Flags of `watershed balance restrict`.

use anyhow::Context as _;
use clap::Args;

use crate::{
    arena::intervention::Restriction,
    bound::BoundGame,
    run::{
        count::{MAX_GAMES, count},
        lineups::BotArguments,
        names::find_restriction_target,
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played with the bot in all seats, and again for each restriction \
and each seat with the bot of that seat restricted. The difference is that of the same seat on the \
same deals. Several restrictions are tested one by one, and then all together. A seat takes a \
forbidden action only where nothing else is legal.

X is an item (w2c1 or building:w2c1), a kind of action (swap), or the beginning of a notation \
(claim:meadow).

restricted.csv has a row for each lineup, restriction and metric (win share, score, rounds). Flags:
  flips     significant with opposite signs for two bots of the panel (Holm-adjusted p < 0.05, \
over the restrictions)
  constant  the difference does not vary between blocks, so it has no test

Examples:
  watershed balance restrict --never swap --never food
  watershed balance restrict --bot balanced --always build --players 3
  watershed balance restrict --bot mcts:iterations=100 \\
      --never claim:meadow --games 1k
  watershed balance restrict --panel random,balanced,mcts:iterations=100 \\
      --never swap --games 1k"
)]
pub(crate) struct RestrictArguments {
    #[command(flatten)]
    pub(super) bots: BotArguments,
    /// Forbid an item or action; may be repeated
    #[arg(long, value_name = "X")]
    pub(super) never: Vec<String>,
    /// Require an item or action wherever it is legal; may be repeated
    #[arg(long, value_name = "X")]
    pub(super) always: Vec<String>,
    /// Set the number of games of each bot with each restriction, and as many without, rounded up
    /// to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
}

impl RestrictArguments {
    /// Reads each restriction, and of several also all together. Each has a name for the tables.
    pub(super) fn read_restrictions(
        &self,
        game: &dyn BoundGame,
    ) -> anyhow::Result<Vec<(String, Vec<Restriction>)>> {
        let mut restrictions = Vec::new();
        for name in &self.never {
            let target = find_restriction_target(game, name).context("--never")?;
            restrictions.push((format!("never {name}"), vec![Restriction::Never(target)]));
        }
        for name in &self.always {
            let target = find_restriction_target(game, name).context("--always")?;
            restrictions.push((format!("always {name}"), vec![Restriction::Always(target)]));
        }
        if restrictions.len() > 1 {
            let all = restrictions.iter().flat_map(|(_, restriction)| restriction.clone());
            restrictions.push(("all together".to_owned(), all.collect()));
        }
        Ok(restrictions)
    }
}
