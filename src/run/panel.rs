//! Panels: several bots that are asked the same question on the same deals.

use std::str::FromStr;

use anyhow::{Context as _, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::{
    bots::{
        BotFactory,
        defaults::{MeasuredElo, PanelBot},
        profile::BotLibrary,
    },
    config::parse_count,
    protocol::panel::scaled_games,
    report::origin::BotDescription,
    run::count::count,
    stats::convergence::MIN_BUDGETS,
};

/// Name of the default panel of a game on the command line.
pub(crate) const DEFAULT_PANEL: &str = "default";

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
            Ok(games) if games > 0 => Ok(Self { bot: bot.to_owned(), games: Some(games) }),
            Ok(_) => Err(format!("expected a number of games after `@`, found {games:?}")),
            Err(expected) => {
                Err(format!("a number of games after `@`: {expected}, found {games:?}"))
            }
        }
    }
}

/// Smallest number of games with each budget of `--budgets`, if there are as many.
const MIN_GAMES_OF_BUDGET: u64 = 200;

/// Number of games with the first budget of `--budgets`, as text.
pub(crate) const GAMES_WITH_BUDGETS: &str = "2000";

/// Flag that asks one search with several budgets.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct BudgetArguments {
    /// Set the panel to the search `mcts` with these numbers of iterations, and report whether the
    /// answers still change with them [default for --games: 2000]
    ///
    /// The first one plays all games, N times as many iterations one √N-th of them, at least 200.
    /// convergence.csv has the trends.
    #[arg(long, value_name = "N,N,N,…", conflicts_with = "panel")]
    budgets: Option<Budgets>,
}

/// Numbers of iterations, at least [`MIN_BUDGETS`] in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Budgets(Vec<u32>);

impl FromStr for Budgets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let budgets = text.split(',').map(count(1..=u32::MAX)).collect::<Result<Vec<_>, _>>()?;
        let is_ascending = budgets.is_sorted_by(|one, other| one < other);
        if budgets.len() < MIN_BUDGETS || !is_ascending {
            return Err(format!(
                "expected at least {MIN_BUDGETS} numbers of iterations in ascending order, as in \
                 50,200,800"
            ));
        }
        Ok(Self(budgets))
    }
}

impl BudgetArguments {
    /// Returns true if the flag is set.
    pub(crate) const fn is_set(&self) -> bool {
        self.budgets.is_some()
    }

    /// Returns the searches and their numbers of games, if the flag is set.
    pub(crate) fn entries(&self, games: u64) -> Option<Vec<PanelEntry>> {
        let Budgets(budgets) = self.budgets.as_ref()?;
        let entry = |(index, &budget): (usize, &u32)| {
            let share = (f64::from(budgets[0]) / f64::from(budget)).sqrt();
            let shared = (games as f64 * share).ceil() as u64;
            let max_games = (index > 0).then_some(shared.max(MIN_GAMES_OF_BUDGET));
            PanelEntry { bot: format!("mcts:iterations={budget}"), games: max_games }
        };
        Some(budgets.iter().enumerate().map(entry).collect())
    }
}

/// Option of a search that is its budget.
const BUDGET_OPTION: &str = "iterations=";

/// Returns the numbers of iterations if the bots are one search with at least [`MIN_BUDGETS`]
/// increasing budgets.
pub(crate) fn search_budgets<'a>(bots: impl IntoIterator<Item = &'a str>) -> Option<Vec<u32>> {
    let split = |name: &'a str| {
        let (budgets, rest): (Vec<_>, Vec<_>) =
            name.split(':').partition(|option| option.starts_with(BUDGET_OPTION));
        let [budget] = budgets[..] else { return None };
        Some((rest, budget.strip_prefix(BUDGET_OPTION)?.parse::<u32>().ok()?))
    };
    let (searches, budgets): (Vec<_>, Vec<_>) =
        bots.into_iter().map(split).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let is_one_search = searches.windows(2).all(|pair| pair[0] == pair[1]);
    let is_ascending = budgets.is_sorted_by(|one, other| one < other);
    (budgets.len() >= MIN_BUDGETS && is_one_search && is_ascending).then_some(budgets)
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

impl PanelMember {
    /// Describes a bot for a run with this number of games, of which it may play the first only.
    pub(crate) fn new((bot, max_games): &LimitedBot, games: u64) -> Self {
        let max_games = max_games.map_or(games, |max| max.min(games));
        Self { bot: bot.into(), max_games, elo: bot.measured_elo() }
    }
}

/// A bot of a panel with its maximum number of games.
pub(crate) type LimitedBot = (BotFactory, Option<u64>);

/// Reads the bots of a panel. Errors name `source`, the flag or key.
pub(crate) fn read_panel(
    library: &BotLibrary,
    entries: &[PanelEntry],
    source: &str,
) -> anyhow::Result<Vec<LimitedBot>> {
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
        Ok((library.read(&entry.bot).with_context(|| source.to_owned())?, entry.games))
    };
    entries.iter().map(read).collect()
}

/// Returns the entries of the default panel for a study of this number of games.
pub(crate) fn scaled_default_panel(library: &BotLibrary, games: u64) -> Vec<PanelEntry> {
    panel_entries(library, |bot| scaled_games(bot, games))
}

/// Returns the entries of the default panel of a game in a simulation.
pub(crate) fn default_panel(library: &BotLibrary) -> Vec<PanelEntry> {
    panel_entries(library, |bot| bot.games)
}

/// Returns the bots of the default panel with their games; the default bot alone if there is none.
fn panel_entries(library: &BotLibrary, games: impl Fn(&PanelBot) -> u64) -> Vec<PanelEntry> {
    let panel = &library.profiles.panel;
    if panel.is_empty() {
        return vec![PanelEntry { bot: library.profiles.default_bot.to_owned(), games: None }];
    }
    // The first bot plays all games.
    let entry = |(index, bot): (usize, &PanelBot)| PanelEntry {
        bot: bot.bot.to_owned(),
        games: (index > 0).then(|| games(bot)),
    };
    panel.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_play_fewer_games_the_larger_they_are() {
        let budgets = |text: &str| text.parse::<Budgets>();
        let arguments = BudgetArguments { budgets: budgets("50,200,3200").ok() };
        let entries = arguments.entries(2000).expect("the flag is set");
        let expected =
            ["mcts:iterations=50", "mcts:iterations=200@1000", "mcts:iterations=3200@250"];
        assert_eq!(Ok(entries), expected.map(str::parse).into_iter().collect());
        for wrong in ["50,200", "50,200,200", "800,200,50", "0,1,2", "50,x,100"] {
            budgets(wrong).expect_err(wrong);
        }
    }

    #[test]
    fn budgets_are_those_of_one_search() {
        let budgets = |names: &[&str]| search_budgets(names.iter().copied());
        let ladder = ["mcts:iterations=50", "mcts:iterations=200", "mcts:iterations=800"];
        assert_eq!(budgets(&ladder), Some(vec![50, 200, 800]));
        let with_option = ladder.map(|name| format!("{name}:final_choice=visits"));
        let with_option: Vec<_> = with_option.iter().map(String::as_str).collect();
        assert_eq!(budgets(&with_option), Some(vec![50, 200, 800]));
        for other in [
            &ladder[..2],
            &["expert", "mcts:iterations=50", "mcts:iterations=200"],
            &["mcts:iterations=50", "uct:iterations=200", "mcts:iterations=800"],
            &["mcts:iterations=200", "mcts:iterations=50", "mcts:iterations=800"],
        ] {
            assert_eq!(budgets(other), None, "{other:?}");
        }
    }

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
