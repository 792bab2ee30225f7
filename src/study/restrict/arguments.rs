//! Flags of `watershed balance restrict`.

use anyhow::{Context as _, ensure};
use clap::Args;

use crate::{
    arena::intervention::Restriction,
    game::FullGame,
    run::{
        arguments::{GameArguments, OutputArguments},
        count::{MAX_GAMES, count},
        lineups::BotArguments,
        names::find_restriction_target,
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played with the bot in all seats, and again for each restriction \
and each seat with the bot of that seat restricted. The difference is that of the same seat on the \
same deals. Several restrictions are tested one by one, and then all together. A seat takes a forbidden \
action only where nothing else is legal.

X is an item (w2c1 or building:w2c1), a kind of action (swap), or the beginning of a notation \
(claim:meadow).

restricted.csv has a row for each lineup, restriction and metric (win share, score, rounds). Flags:
  flips     significant with opposite signs for two bots of the ladder (Holm-adjusted p < 0.05, \
over the restrictions)
  constant  the difference does not vary between blocks, so it has no test

Examples:
  watershed balance restrict --never swap --never food
  watershed balance restrict --bot balanced --always build --players 3
  watershed balance restrict --bot mcts:iterations=100 \\
      --never claim:meadow --games 1k
  watershed balance restrict --ladder random,balanced,mcts:iterations=100 \\
      --never swap --games 1k"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
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
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

/// Restrictions that a seat keeps at the same time, with their name in tables.
#[derive(Clone, Debug)]
pub(super) struct NamedRestrictions {
    pub(super) names: Vec<String>,
    pub(super) restrictions: Vec<Vec<Restriction>>,
}

impl Arguments {
    /// Ensures that there is a restriction.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            !self.never.is_empty() || !self.always.is_empty(),
            "expected --never X or --always X; see --help"
        );
        Ok(())
    }

    /// Reads each restriction, and of several also all together.
    pub(super) fn read_restrictions<G: FullGame>(
        &self,
        game: &G,
    ) -> anyhow::Result<NamedRestrictions> {
        let mut names = Vec::new();
        let mut all = Vec::new();
        for name in &self.never {
            names.push(format!("never {name}"));
            all.push(Restriction::Never(find_restriction_target(game, name).context("--never")?));
        }
        for name in &self.always {
            names.push(format!("always {name}"));
            all.push(Restriction::Always(find_restriction_target(game, name).context("--always")?));
        }
        let mut restrictions: Vec<_> =
            all.iter().map(|restriction| vec![restriction.clone()]).collect();
        if all.len() > 1 {
            names.push("all together".to_owned());
            restrictions.push(all);
        }
        Ok(NamedRestrictions { names, restrictions })
    }
}
