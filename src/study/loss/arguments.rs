//! Flags of `watershed loss`.

use clap::ArgAction;

use crate::{bots::kind::BotKind, study::shared::prelude::*};

#[derive(Args, Debug)]
#[command(after_help = "\
The command plays games, chooses random decisions of them, and lets every bot of \
--bots decide there. The loss of a bot is the win share after the choice of the --judge less that \
after its own choice, in percentage points, by searches of the judge after both with other seeds. \
A bot that always chooses as well as the judge loses nothing, and one that chooses better has a \
negative loss.

The last row, `noise floor`, is the judge with another seed: a loss near it is not distinguished \
from that of the judge.

What is at stake: a random action in place of the choice of the judge, by kind of action and by \
round, says how often a choice matters. With 3 players or more, kingmaking is what players who \
can't win any more move between the others by it.

Tables: decision_loss.csv, with a row for each bot, and stakes.csv. Intervals are over games.

Examples:
  watershed loss --bots expert,mcts:iterations=1000
  watershed loss --bots balanced,expert --judge mcts:iterations=1000 --games 40
  watershed loss --game glassworks --players 3 --games 400 --out loss --resume")]
pub(crate) struct LossArguments {
    /// Set the bots that are judged [default: the bots of the panel]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    bots: Vec<String>,
    /// Set the bot that plays the games
    #[arg(long, value_name = "BOT", default_value = "mcts:iterations=50")]
    pub(super) played_by: String,
    /// Set the search that judges the decisions
    #[arg(long, value_name = "SEARCH", default_value = "mcts:iterations=3000")]
    judge: String,
    /// Set the number of games, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::<u64>(1..=100_000))]
    pub(super) games: u64,
    /// Set the maximum number of decisions that are judged in each game
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count::<u64>(1..=1000))]
    pub(super) decisions: u64,
    /// Set the number of searches after each choice, with other hidden information and chance
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count::<u64>(1..=1000))]
    pub(super) samples: u64,
}

impl LossArguments {
    /// Reads the bots that are judged.
    pub(super) fn read_bots(&self, library: &BotLibrary) -> anyhow::Result<Vec<BotFactory>> {
        let panel = library.profiles.panel.iter().map(|member| member.bot.to_owned());
        let names = if self.bots.is_empty() { panel.collect() } else { self.bots.clone() };
        names.iter().map(|name| library.read(name).context("--bots")).collect()
    }

    /// Reads the search that judges.
    pub(super) fn read_judge(&self, library: &BotLibrary) -> anyhow::Result<BotFactory> {
        let judge = library.read(&self.judge).context("--judge")?;
        let kind = judge.parameters()["kind"].as_str().and_then(BotKind::from_name);
        ensure!(
            kind.is_none_or(BotKind::searches),
            "--judge: expected a bot that searches, found {}",
            judge.name()
        );
        Ok(judge)
    }
}
