//! Lineups: the bots in the seats of a game, from the command line to the results of each.

use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use clap::{ArgAction, Args};
use rayon::ThreadPool;

use crate::{
    arena::schedule::distinct,
    bots::{BotFactory, profile::BotLibrary},
    game::Features,
    report::origin::BotDescription,
    run::{
        arguments::{RunArguments, read_bots},
        panel::{DEFAULT_PANEL, PanelEntry, read_panel, scaled_default_panel},
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
    },
};

/// Mark of an effect that is significant with opposite signs for two bots, in terminal text.
pub(crate) const SIGN_FLIP_MARK: char = '~';

/// Flags that choose the bots of every seat.
#[derive(Args, Debug)]
pub(crate) struct LineupArguments {
    /// Set the bot of each seat, or one bot for all seats [default: the strongest profile without
    /// search]
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value. The default
    /// is `expert` if the game has it, else `learnedN` for N players.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        action = ArgAction::Set,
        conflicts_with = "panel"
    )]
    bots: Option<Vec<String>>,
    #[command(flatten)]
    panel: PanelArguments,
}

/// Flags that choose one bot for all seats.
#[derive(Args, Debug)]
pub(crate) struct BotArguments {
    /// Set the bot [default: the strongest profile without search]
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value. The default
    /// is `expert` if the game has it, else `learnedN` for N players.
    #[arg(long, value_name = "BOT", conflicts_with = "panel")]
    bot: Option<String>,
    #[command(flatten)]
    panel: PanelArguments,
}

#[derive(Args, Debug)]
struct PanelArguments {
    /// Repeat the study for each bot of a panel, the main one first; each plays all seats
    ///
    /// NAME@GAMES plays the first GAMES games only. `default` is the panel of the game, see
    /// docs/bots.md. Without a panel all of the time goes into the games of one bot, and the answer
    /// may depend on its skill.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    panel: Option<Vec<PanelEntry>>,
}

impl LineupArguments {
    /// Returns the number of bots that are named for the seats.
    pub(crate) fn named_bots(&self) -> usize {
        self.bots.as_ref().map_or(0, Vec::len)
    }

    /// Reads the lineups: those of the panel, or the only one.
    pub(crate) fn read_lineups<G: Features>(
        &self,
        library: &BotLibrary<G>,
        players: usize,
    ) -> anyhow::Result<Vec<Vec<BotFactory<G>>>> {
        if let Some(panel) = self.panel.read(library)? {
            return Ok(panel.into_iter().map(|bot| vec![bot; players]).collect());
        }
        let default = [library.default_bot().to_owned()];
        Ok(vec![read_bots(library, players, self.bots.as_deref().unwrap_or(&default), "--bots")?])
    }

    /// Returns the number of games of each lineup in a study of this number of games.
    pub(crate) fn games_by_lineup<G>(&self, library: &BotLibrary<G>, games: u64) -> Vec<u64> {
        self.panel.games_by_bot(library, games)
    }

    /// Returns the flag that chooses these lineups, and its value.
    pub(crate) fn flag_and_value<G>(&self, lineups: &[Vec<BotFactory<G>>]) -> [String; 2] {
        self.panel.flag_and_value().unwrap_or_else(|| {
            ["--bots".to_owned(), lineups.iter().map(|lineup| bot_names(lineup)).collect()]
        })
    }
}

impl BotArguments {
    /// Reads the bots: those of the panel, or the only one.
    pub(crate) fn read_bots<G: Features>(
        &self,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<Vec<BotFactory<G>>> {
        if let Some(panel) = self.panel.read(library)? {
            return Ok(panel);
        }
        let name = self.bot.as_deref().unwrap_or(library.default_bot());
        Ok(vec![library.read(name).context("--bot")?])
    }

    /// Returns the number of games of each bot in a study of this number of games.
    pub(crate) fn games_by_bot<G>(&self, library: &BotLibrary<G>, games: u64) -> Vec<u64> {
        self.panel.games_by_bot(library, games)
    }

    /// Returns the flag that chooses these bots, and its value.
    pub(crate) fn flag_and_value<G>(&self, bots: &[BotFactory<G>]) -> [String; 2] {
        self.panel.flag_and_value().unwrap_or_else(|| ["--bot".to_owned(), bot_names(bots)])
    }
}

impl PanelArguments {
    /// Returns the bots and their games in a study of this number of games; `None` without the flag.
    fn entries<G>(&self, library: &BotLibrary<G>, games: u64) -> Option<Vec<PanelEntry>> {
        match self.panel.as_deref()? {
            [PanelEntry { bot, games: None }] if bot == DEFAULT_PANEL => {
                Some(scaled_default_panel(library, games))
            }
            panel => Some(panel.to_vec()),
        }
    }

    fn read<G: Features>(
        &self,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<Option<Vec<BotFactory<G>>>> {
        let Some(entries) = self.entries(library, 1) else { return Ok(None) };
        let panel = read_panel(library, &entries, "--panel")?;
        Ok(Some(panel.into_iter().map(|member| member.bot).collect()))
    }

    fn games_by_bot<G>(&self, library: &BotLibrary<G>, games: u64) -> Vec<u64> {
        let entries = self.entries(library, games);
        let limit = |entry: PanelEntry| entry.games.map_or(games, |max| max.min(games));
        entries.map_or_else(|| vec![games], |entries| entries.into_iter().map(limit).collect())
    }

    fn flag_and_value(&self) -> Option<[String; 2]> {
        let names = |panel: &Vec<PanelEntry>| panel.iter().map(ToString::to_string).collect();
        let panel: Vec<String> = self.panel.as_ref().map(names)?;
        Some(["--panel".to_owned(), panel.join(",")])
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
    pub fn new<G>(lineup: &[BotFactory<G>], tally: T) -> Self {
        Self { lineup: lineup_label(lineup), bots: distinct_bot_names(lineup), tally }
    }
}

impl RunArguments {
    /// Plays each lineup on the threads of a pool, with a progress bar. `play` receives the index
    /// of the lineup, a flag that is set to stop early, and a function to which it reports the
    /// number of games just finished.
    pub(crate) fn play_lineups<G, T: Send>(
        &self,
        pool: &ThreadPool,
        lineups: &[Vec<BotFactory<G>>],
        games_planned: u64,
        play: impl Fn(usize, &AtomicBool, &(dyn Fn(u64) + Sync)) -> T + Sync,
    ) -> anyhow::Result<Vec<LineupResult<T>>> {
        let stop = stop_on_interrupt()?;
        let bar = progress_bar(games_planned, "games", self.quiet);
        let results = lineups.iter().enumerate().map(|(index, lineup)| {
            show_message(&bar, || lineup_label(lineup));
            LineupResult::new(lineup, play(index, stop, &|games| bar.inc(games)))
        });
        let results = pool.install(|| results.collect());
        bar.finish_and_clear();
        Ok(results)
    }
}

/// Returns the end of a title that names the lineup, as in `, by X`, if there are several.
pub(crate) fn lineup_suffix(lineup: &str, lineups: usize) -> String {
    if lineups > 1 { format!(", by {lineup}") } else { String::new() }
}

/// Returns the names of bots, joined by commas.
pub(crate) fn bot_names<G>(bots: &[BotFactory<G>]) -> String {
    bots.iter().map(BotFactory::name).collect::<Vec<_>>().join(",")
}

/// Returns the label of a lineup: the bot in all seats, or the bots of the seats joined by commas.
pub(crate) fn lineup_label<G>(lineup: &[BotFactory<G>]) -> String {
    match &distinct_bot_names(lineup)[..] {
        [name] => name.clone(),
        _ => bot_names(lineup),
    }
}

/// Returns the names of the distinct bots.
pub(crate) fn distinct_bot_names<G>(bots: &[BotFactory<G>]) -> Vec<String> {
    let names: Vec<_> = bots.iter().map(BotFactory::name).collect();
    distinct(&names).0.into_iter().map(|bot| names[bot].to_owned()).collect()
}

/// Returns each distinct bot once, with its parameters.
pub(crate) fn distinct_bots<'a, G: 'a>(
    bots: impl IntoIterator<Item = &'a BotFactory<G>>,
) -> Vec<BotDescription> {
    let mut distinct: Vec<BotDescription> = Vec::new();
    for bot in bots {
        if distinct.iter().all(|other| other.name != bot.name()) {
            distinct.push(bot.into());
        }
    }
    distinct
}
