//! Lineups: the bots in the seats of a game, from the command line to the results of each.

use anyhow::Context as _;
use clap::{ArgAction, Args};

use crate::{
    arena::schedule::distinct,
    bots::{BotFactory, profile::BotLibrary},
    report::origin::BotDescription,
    run::{
        arguments::read_bots,
        manifest::GameCounts,
        panel::{
            BudgetArguments, DEFAULT_PANEL, LimitedBot, PanelEntry, default_panel, read_panel,
            scaled_default_panel,
        },
    },
};

/// Mark of an effect that is significant with opposite signs for two bots, in terminal text.
pub(crate) const SIGN_FLIP_MARK: &str = "~";

/// Flags that choose the bots of every seat.
#[derive(Args, Default, Debug)]
pub(crate) struct LineupArguments {
    /// Set the bot of each seat, or one bot for all seats, instead of a panel
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value, or an
    /// opponent by name, as Otter. All of the time goes into the games of these bots, and the
    /// answer may depend on their skill.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        action = ArgAction::Set,
        conflicts_with_all = ["panel", "budgets"]
    )]
    bots: Option<Vec<String>>,
    #[command(flatten)]
    panel: PanelArguments,
}

/// Flags that choose one bot for all seats.
#[derive(Args, Debug)]
pub(crate) struct BotArguments {
    /// Set the bot, instead of a panel
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value, or an opponent
    /// by name, as Otter. All of the time goes into the games of this bot, and the answer may
    /// depend on its skill.
    #[arg(long, alias = "bots", value_name = "BOT", conflicts_with_all = ["panel", "budgets"])]
    bot: Option<String>,
    #[command(flatten)]
    panel: PanelArguments,
}

#[derive(Args, Default, Debug)]
struct PanelArguments {
    /// Set the bots of the panel, the main one first [default: the panel of the game]
    ///
    /// The study is repeated for each bot, which plays all seats on the same deals. NAME@GAMES
    /// plays the first GAMES games only.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        action = ArgAction::Set,
        default_value = DEFAULT_PANEL,
        hide_default_value = true
    )]
    panel: Vec<PanelEntry>,
    #[command(flatten)]
    budgets: BudgetArguments,
}

impl LineupArguments {
    /// Returns the flags that choose one bot for all seats.
    pub(crate) fn of_bot(bot: &str) -> Self {
        Self { bots: Some(vec![bot.to_owned()]), ..Self::default() }
    }

    /// Returns the number of bots that are named for the seats.
    pub(crate) fn named_bots(&self) -> usize {
        self.bots.as_ref().map_or(0, Vec::len)
    }

    /// Returns the bots of the panel and their games in a study of this number of games; `None` if
    /// the bots of the seats are named.
    fn panel(&self, library: &BotLibrary, games: u64) -> Option<Vec<PanelEntry>> {
        self.bots.is_none().then(|| self.panel.entries(library, games))
    }

    /// Reads the lineups: those of the panel, or the only one.
    pub(crate) fn read_lineups(
        &self,
        library: &BotLibrary,
        players: usize,
    ) -> anyhow::Result<Vec<Vec<BotFactory>>> {
        if let Some(bots) = &self.bots {
            return Ok(vec![read_bots(library, players, bots, "--bots")?]);
        }
        let panel = self.panel.read(library)?;
        Ok(panel.into_iter().map(|bot| vec![bot; players]).collect())
    }

    /// Reads the bots of the seats, which are the first bot of a panel, and the panel.
    pub(crate) fn read_lineup_and_panel(
        &self,
        library: &BotLibrary,
        players: usize,
        games: u64,
    ) -> anyhow::Result<(Vec<BotFactory>, Vec<LimitedBot>)> {
        if let Some(bots) = &self.bots {
            return Ok((read_bots(library, players, bots, "--bots")?, Vec::new()));
        }
        let entries = self.panel.entries(library, games);
        let panel = read_panel(library, &entries, self.panel.flag())?;
        Ok((vec![panel[0].0.clone(); players], panel))
    }

    /// Returns the number of games of each lineup, the same as in a simulation of this number of
    /// games.
    pub(crate) fn simulated_games(&self, library: &BotLibrary, games: u64) -> Vec<u64> {
        match self.bots {
            Some(_) => vec![games],
            None => limit_games(self.panel.simulated_entries(library, games), games),
        }
    }

    /// Returns the number of games of each lineup in a study of this number of games.
    pub(crate) fn games_by_lineup(&self, library: &BotLibrary, games: u64) -> Vec<u64> {
        self.panel(library, games).map_or_else(|| vec![games], |panel| limit_games(panel, games))
    }
}

impl BotArguments {
    /// Reads the bots: those of the panel, or the only one.
    pub(crate) fn read_bots(&self, library: &BotLibrary) -> anyhow::Result<Vec<BotFactory>> {
        match &self.bot {
            Some(bot) => Ok(vec![library.read(bot).context("--bot")?]),
            None => self.panel.read(library),
        }
    }

    /// Returns the number of games of each bot in a study of this number of games.
    pub(crate) fn games_by_bot(&self, library: &BotLibrary, games: u64) -> Vec<u64> {
        match &self.bot {
            Some(_) => vec![games],
            None => limit_games(self.panel.entries(library, games), games),
        }
    }
}

/// Returns the number of games of each bot of a panel.
fn limit_games(panel: Vec<PanelEntry>, games: u64) -> Vec<u64> {
    let limit = |entry: PanelEntry| entry.games.map_or(games, |max| max.min(games));
    panel.into_iter().map(limit).collect()
}

impl PanelArguments {
    /// Returns the bots and their games in a study of this number of games.
    fn entries(&self, library: &BotLibrary, games: u64) -> Vec<PanelEntry> {
        match self.budgets.entries(games) {
            Some(entries) => entries,
            None if self.is_default() => scaled_default_panel(library, games),
            None => self.panel.clone(),
        }
    }

    /// Returns the bots and their games in a simulation of this number of games.
    fn simulated_entries(&self, library: &BotLibrary, games: u64) -> Vec<PanelEntry> {
        if self.is_default() { default_panel(library) } else { self.entries(library, games) }
    }

    /// Returns true if the panel is that of the game.
    fn is_default(&self) -> bool {
        let is_named = match &self.panel[..] {
            [PanelEntry { bot, games: None }] => bot == DEFAULT_PANEL,
            _ => false,
        };
        is_named && !self.budgets.is_set()
    }

    /// Returns the flag that sets the panel.
    const fn flag(&self) -> &'static str {
        if self.budgets.is_set() { "--budgets" } else { "--panel" }
    }

    fn read(&self, library: &BotLibrary) -> anyhow::Result<Vec<BotFactory>> {
        let panel = read_panel(library, &self.entries(library, 1), self.flag())?;
        Ok(panel.into_iter().map(|(bot, _)| bot).collect())
    }
}

/// Results of one lineup.
#[derive(Clone, Debug)]
pub struct LineupResult<T> {
    /// Label of the lineup: the bot in all seats, or the bots of the seats joined by commas.
    pub lineup: String,
    /// Names of the distinct bots.
    pub bots: Vec<String>,
    /// Statistics of the lineup.
    pub tally: T,
}

impl<T> LineupResult<T> {
    /// Creates the results of the bots in the seats.
    pub fn new(lineup: &[BotFactory], tally: T) -> Self {
        Self { lineup: lineup_label(lineup), bots: distinct_bot_names(lineup), tally }
    }

    /// Returns the results with a function of the statistics.
    pub(crate) fn map<U>(self, statistics: impl FnOnce(T) -> U) -> LineupResult<U> {
        let Self { lineup, bots, tally } = self;
        LineupResult { lineup, bots, tally: statistics(tally) }
    }
}

/// Counts the games of lineups. `played` returns the numbers of blocks, games, and games that the
/// round limit ended.
pub(crate) fn count_games_of<T>(
    planned: u64,
    results: &[LineupResult<T>],
    played: impl Fn(&T) -> [u64; 3],
) -> GameCounts {
    GameCounts::sum(planned, results.iter().map(|result| played(&result.tally)))
}

/// Returns the end of a title that names the lineup, as in `, by X`, if there are several.
pub(crate) fn lineup_suffix(lineup: &str, lineups: usize) -> String {
    if lineups > 1 { format!(", by {lineup}") } else { String::new() }
}

/// Returns the names of bots, joined by commas.
pub(crate) fn bot_names(bots: &[BotFactory]) -> String {
    bots.iter().map(BotFactory::name).collect::<Vec<_>>().join(",")
}

/// Returns the label of a lineup: the bot in all seats, or the bots of the seats joined by commas.
pub(crate) fn lineup_label(lineup: &[BotFactory]) -> String {
    match &distinct_bot_names(lineup)[..] {
        [name] => name.clone(),
        _ => bot_names(lineup),
    }
}

/// Returns what kind of player the bot of this name is, for people who don't know the names:
/// `random`, `quick` (weighs features), `trained` (a network) or `searching`. `None` if the name
/// does not tell, as that of a bot from a file.
pub(crate) fn player_kind(bot: &str) -> Option<&'static str> {
    let name = bot.split([':', '-']).next().unwrap_or(bot);
    match name.trim_end_matches(|end: char| end.is_ascii_digit()) {
        "random" => Some("random"),
        "balanced" | "learned" | "heuristic" => Some("quick"),
        "expert" | "network" => Some("trained"),
        "mcts" | "uct" | "flat" => Some("searching"),
        _ => None,
    }
}

/// Returns the label of a lineup, after its kind if one bot has all seats and its name tells, as in
/// `the trained player expert`.
pub(crate) fn player_text(lineup: &str) -> String {
    match player_kind(lineup).filter(|_| !is_mixed(lineup)) {
        Some(kind) if kind == lineup => format!("the {kind} player"),
        Some(kind) => format!("the {kind} player {lineup}"),
        None => lineup.to_owned(),
    }
}

/// Returns true if a label is that of several bots. Names have no comma, which separates bots on
/// the command line.
pub(crate) fn is_mixed(lineup: &str) -> bool {
    lineup.contains(',')
}

/// Returns the names of the distinct bots.
pub(crate) fn distinct_bot_names(bots: &[BotFactory]) -> Vec<String> {
    let names: Vec<_> = bots.iter().map(BotFactory::name).collect();
    distinct(&names).0.into_iter().map(|bot| names[bot].to_owned()).collect()
}

/// Returns each distinct bot once, with its parameters.
pub(crate) fn distinct_bots<'a>(
    bots: impl IntoIterator<Item = &'a BotFactory>,
) -> Vec<BotDescription> {
    let mut distinct: Vec<BotDescription> = Vec::new();
    for bot in bots {
        if distinct.iter().all(|other| other.name != bot.name()) {
            distinct.push(bot.into());
        }
    }
    distinct
}
