//! Who plays in a question of balance.

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};

use crate::{
    arena::schedule::distinct,
    bots::profile::{BotLibrary, Profile},
    run::{arguments::read_bots, manifest::BotDescription, shell::shell_quote},
};

/// The bots in the seats, or several sets of them.
#[derive(Args, Debug)]
pub(crate) struct LineupArguments {
    /// One bot per seat, or one bot for all seats: names of profiles, paths, or
    /// kind:key=value:key=value [default: networkN for N players if the game has it, else learnedN]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set, conflicts_with = "ladder")]
    bots: Option<Vec<String>>,
    #[command(flatten)]
    ladder: LadderArguments,
}

/// A bot in all seats, or several, one after the other.
#[derive(Args, Debug)]
pub(crate) struct SingleBotArguments {
    /// The bot: a profile's name, a path, or kind:key=value:key=value [default: networkN for N
    /// players if the game has it, else learnedN]
    #[arg(long, value_name = "BOT", conflicts_with = "ladder")]
    bot: Option<String>,
    #[command(flatten)]
    ladder: LadderArguments,
}

#[derive(Args, Debug)]
struct LadderArguments {
    /// Bots of rising skill; each plays in all seats, and everything is done once for each
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    ladder: Option<Vec<String>>,
}

impl LineupArguments {
    /// The bots in the seats, once or for each of the ladder.
    pub(crate) fn rungs(
        &self,
        library: &BotLibrary<'_>,
        players: usize,
    ) -> anyhow::Result<Vec<Vec<Profile>>> {
        if let Some(ladder) = self.ladder.read(library)? {
            return Ok(ladder.into_iter().map(|bot| vec![bot; players]).collect());
        }
        let default = [library.default_bot.to_owned()];
        Ok(vec![read_bots(library, players, self.bots.as_deref().unwrap_or(&default), "--bots")?])
    }

    /// The flag that names these bots again.
    pub(crate) fn to_flag(&self, rungs: &[Vec<Profile>]) -> String {
        self.ladder.flag().unwrap_or_else(|| {
            format!(
                "--bots {}",
                shell_quote(&rungs.iter().map(|bots| bot_names(bots)).collect::<String>())
            )
        })
    }
}

impl SingleBotArguments {
    /// The bot, or those of the ladder.
    pub(crate) fn rungs(&self, library: &BotLibrary<'_>) -> anyhow::Result<Vec<Profile>> {
        if let Some(ladder) = self.ladder.read(library)? {
            return Ok(ladder);
        }
        let name = self.bot.as_deref().unwrap_or(library.default_bot);
        Ok(vec![library.read(name).context("--bot")?])
    }

    /// The flag that names these bots again.
    pub(crate) fn to_flag(&self, rungs: &[Profile]) -> String {
        self.ladder.flag().unwrap_or_else(|| format!("--bot {}", shell_quote(&bot_names(rungs))))
    }
}

impl LadderArguments {
    /// The bots, if any are named.
    fn read(&self, library: &BotLibrary<'_>) -> anyhow::Result<Option<Vec<Profile>>> {
        let Some(ladder) = &self.ladder else { return Ok(None) };
        if let Some((_, twice)) =
            ladder.iter().enumerate().find(|(index, name)| ladder[..*index].contains(name))
        {
            bail!("--ladder: expected different bots, found `{twice}` twice");
        }
        ladder
            .iter()
            .map(|name| library.read(name).context("--ladder"))
            .collect::<anyhow::Result<_>>()
            .map(Some)
    }

    fn flag(&self) -> Option<String> {
        self.ladder.as_ref().map(|ladder| format!("--ladder {}", shell_quote(&ladder.join(","))))
    }
}

/// The names of bots, with commas between them.
pub(crate) fn bot_names(bots: &[Profile]) -> String {
    bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>().join(",")
}

/// What bots are called together: the one that is in all seats, or all of them.
pub(crate) fn lineup_label(bots: &[Profile]) -> String {
    match &distinct_bot_names(bots)[..] {
        [name] => name.clone(),
        _ => bot_names(bots),
    }
}

/// The names of the different bots.
pub(crate) fn distinct_bot_names(bots: &[Profile]) -> Vec<String> {
    let names: Vec<_> = bots.iter().map(|bot| &bot.name).collect();
    distinct(&names).0.into_iter().map(|bot| names[bot].clone()).collect()
}

/// All bots with their parameters, each once.
pub(crate) fn distinct_bots<'a>(
    bots: impl IntoIterator<Item = &'a Profile>,
) -> Vec<BotDescription> {
    let mut different: Vec<BotDescription> = Vec::new();
    for profile in bots {
        if different.iter().all(|bot| bot.name != profile.name) {
            different.push(profile.into());
        }
    }
    different
}
