//! Panels: several bots that are asked the same question on the same deals.

use std::{fmt, str::FromStr};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::{
    bots::{BotFactory, defaults::PanelBot, profile::BotLibrary},
    config::parse_count,
    report::origin::BotDescription,
};

/// Name of the default panel of a game on the command line.
pub(crate) const DEFAULT_PANEL: &str = "default";

/// Number of games of a simulation for which the numbers of games of the default panel are made.
const SIMULATED_GAMES: u64 = 20_000;

/// A bot of a panel as the command line names it: `NAME`, or `NAME@GAMES` for the first games only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PanelEntry {
    pub(crate) bot: String,
    /// Maximum number of games.
    pub(crate) games: Option<u64>,
}

impl FromStr for PanelEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The name of a file may contain `@` too.
        let is_limit =
            |(_, games): &(&str, &str)| games.starts_with(|at: char| at.is_ascii_digit());
        let Some((bot, games)) = text.rsplit_once('@').filter(is_limit) else {
            return Ok(Self { bot: text.to_owned(), games: None });
        };
        match parse_count(games) {
            Some(games) if games > 0 => Ok(Self { bot: bot.to_owned(), games: Some(games) }),
            _ => Err(format!("expected a number of games after `@`, found {games:?}")),
        }
    }
}

impl fmt::Display for PanelEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.games {
            Some(games) => write!(formatter, "{}@{games}", self.bot),
            None => formatter.write_str(&self.bot),
        }
    }
}

impl From<&PanelBot> for PanelEntry {
    fn from(&PanelBot { bot, games, .. }: &PanelBot) -> Self {
        Self { bot: bot.to_owned(), games: Some(games) }
    }
}

/// Strength of a bot relative to the search of the default panel, as measured on the data of the
/// program.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct MeasuredElo {
    /// Elo by win shares.
    pub value: f64,
    /// Lower end of the 95 % confidence interval.
    pub ci_low: f64,
    /// Upper end of the 95 % confidence interval.
    pub ci_high: f64,
    /// Number of games.
    pub n: u64,
}

/// A bot of a panel, which has all seats, in a manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PanelMember {
    /// The bot.
    #[serde(flatten)]
    pub bot: BotDescription,
    /// Maximum number of games: the first ones of the run.
    pub max_games: u64,
    /// Its strength, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<MeasuredElo>,
}

/// A bot of a panel, ready to be built.
#[derive(Clone, Debug)]
pub(crate) struct PanelFactory {
    pub(crate) bot: BotFactory,
    /// Maximum number of games.
    pub(crate) games: Option<u64>,
    pub(crate) elo: Option<MeasuredElo>,
}

impl PanelFactory {
    /// Describes the bot for a run with this number of games.
    pub(crate) fn member(&self, games: u64) -> PanelMember {
        let max_games = self.games.map_or(games, |max| max.min(games));
        PanelMember { bot: (&self.bot).into(), max_games, elo: self.elo }
    }
}

impl PanelMember {
    /// Returns the text that names the bot on the command line.
    pub(crate) fn entry(&self) -> String {
        format!("{}@{}", self.bot.name, self.max_games)
    }
}

/// Reads the bots of a panel. Errors name `source`, the flag or key.
pub(crate) fn read_panel(
    library: &BotLibrary,
    entries: &[PanelEntry],
    source: &str,
) -> anyhow::Result<Vec<PanelFactory>> {
    let mut names = entries.iter().map(|entry| &entry.bot).enumerate();
    let is_repeated = |(index, name): &(usize, &String)| {
        entries[..*index].iter().any(|entry| entry.bot == **name)
    };
    if let Some((_, name)) = names.find(is_repeated) {
        bail!("{source}: expected different bots, found `{name}` twice");
    }
    if let Some(PanelEntry { bot, games: Some(games) }) = entries.first() {
        bail!(
            "{source}: expected no limit of the first bot, which plays all games; found \
             {bot}@{games}"
        );
    }
    let read = |entry: &PanelEntry| {
        let bot = library.read(&entry.bot).with_context(|| source.to_owned())?;
        let measured = library.profiles.panel.iter().find(|measured| measured.bot == entry.bot);
        let elo = measured.and_then(|bot| {
            let [value, ci_low, ci_high] = bot.elo?;
            Some(MeasuredElo { value, ci_low, ci_high, n: bot.elo_games })
        });
        Ok(PanelFactory { bot, games: entry.games, elo })
    };
    entries.iter().map(read).collect()
}

/// Returns the entries of the default panel for a study of this number of games. A bot plays the
/// same share of the games as in a simulation.
pub(crate) fn scaled_default_panel(library: &BotLibrary, games: u64) -> Vec<PanelEntry> {
    let scaled = |max: u64| {
        let share = u128::from(max.min(SIMULATED_GAMES)) * u128::from(games);
        share.div_ceil(SIMULATED_GAMES.into()) as u64
    };
    let entries = default_panel(library).into_iter();
    entries.map(|entry| PanelEntry { games: entry.games.map(scaled), ..entry }).collect()
}

/// Returns the entries of the default panel of a game; the default bot alone if it has none.
pub(crate) fn default_panel(library: &BotLibrary) -> Vec<PanelEntry> {
    let panel = &library.profiles.panel;
    if panel.is_empty() {
        return vec![PanelEntry { bot: library.profiles.default_bot.to_owned(), games: None }];
    }
    let mut entries: Vec<_> = panel.iter().map(PanelEntry::from).collect();
    // The first bot plays all games.
    entries[0].games = None;
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_may_limit_the_games() {
        let entry = |text: &str| text.parse::<PanelEntry>();
        let bot = |bot: &str, games| Ok(PanelEntry { bot: bot.to_owned(), games });
        assert_eq!(entry("expert"), bot("expert", None));
        assert_eq!(entry("mcts:iterations=50@2k"), bot("mcts:iterations=50", Some(2000)));
        assert_eq!(entry("a@b.toml"), bot("a@b.toml", None));
        for wrong in ["expert@0", "expert@1x"] {
            let error = entry(wrong).expect_err(wrong);
            assert!(error.contains("a number of games after `@`"), "{error}");
        }
    }
}
