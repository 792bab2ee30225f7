//! Who plays in a question of balance.

use anyhow::{Context as _, bail};
use clap::Args;

use crate::{
    arena::schedule::different,
    bots::profile::{Library, Profile},
    cli::selection::read_bots,
};

/// The bots in the seats, or several sets of them.
#[derive(Args, Debug)]
pub(super) struct BotArguments {
    /// One bot per seat: names of profiles, paths, or kind:key=value:key=value; `name*` fills all seats [default: the game's first, in all seats]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', conflicts_with = "ladder")]
    bots: Option<Vec<String>>,
    /// Bots of rising skill; each plays in all seats, and everything is done once for each
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    ladder: Option<Vec<String>>,
}

impl BotArguments {
    /// The bots in the seats, once or for each of the ladder.
    pub(super) fn rungs(&self, library: &Library<'_>, players: usize) -> anyhow::Result<Vec<Vec<Profile>>> {
        let Some(ladder) = &self.ladder else {
            return Ok(vec![seated(library, players, self.bots.as_deref())?]);
        };
        if let Some((_, twice)) = ladder.iter().enumerate().find(|(index, name)| ladder[..*index].contains(name)) {
            bail!("--ladder: expected different bots, found `{twice}` twice");
        }
        ladder.iter().map(|name| Ok(vec![library.read(name).context("--ladder")?; players])).collect()
    }

    /// The flag that names these bots again.
    pub(super) fn flag(&self, rungs: &[Vec<Profile>]) -> String {
        match (&self.ladder, rungs) {
            (None, [bots]) => format!("--bots {}", names(bots)),
            _ => format!("--ladder {}", rungs.iter().map(|bots| bots[0].name.as_str()).collect::<Vec<_>>().join(",")),
        }
    }
}

/// The bots of these names, one per seat; without names the game's first in all seats.
pub(super) fn seated(library: &Library<'_>, players: usize, names: Option<&[String]>) -> anyhow::Result<Vec<Profile>> {
    let first = || library.profiles.iter().take(1).map(|(name, _)| format!("{name}*")).collect();
    read_bots(library, players, &names.map_or_else(first, <[String]>::to_vec))
}

/// The names of bots, with commas between them.
pub(super) fn names(bots: &[Profile]) -> String {
    bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>().join(",")
}

/// What bots are called together: the one that is in all seats, or all of them.
pub(super) fn together(bots: &[Profile]) -> String {
    match &different_names(bots)[..] {
        [name] => name.clone(),
        _ => names(bots),
    }
}

/// The names of the different bots.
pub(super) fn different_names(bots: &[Profile]) -> Vec<String> {
    let names: Vec<_> = bots.iter().map(|bot| &bot.name).collect();
    different(&names).0.into_iter().map(|bot| names[bot].clone()).collect()
}
