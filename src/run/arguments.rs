//! The flags by which every command chooses a game, its data, players and bots.

use std::{num::NonZero, ops::RangeInclusive, path::PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use crate::{
    bots::profile::{BotLibrary, BotSpec, Profile},
    config::{ConfigError, Document},
    games::{GameName, GameTask},
    report::{provenance::Provenance, terminal::print_info, text::escape_name},
    run::shell::shell_quote,
};

/// The seed of runs that name none.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// Where runs go that name no folder; it is always overwritten.
pub(crate) const DEFAULT_OUT: &str = "results/latest";

/// More threads for each core only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// Which game, on which data, for how many players.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArguments {
    /// The game [default: the_river]
    #[arg(long, value_enum)]
    pub(crate) game: Option<GameName>,
    /// A data file of the game [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Number of players [default: the fewest the game takes]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
}

/// A game with everything resolved.
#[derive(Clone, Debug)]
pub(crate) struct GameSelection {
    pub(crate) game: GameName,
    pub(crate) document: Document,
    pub(crate) config: Option<PathBuf>,
    pub(crate) players: usize,
    pub(crate) provenance: String,
}

impl GameArguments {
    pub(crate) fn resolve(&self) -> anyhow::Result<GameSelection> {
        self.resolve_with_players(None, None)
    }

    /// Resolves everything, with the number of players of an experiment file where no flag gives
    /// one; `source` is the place of its key.
    pub(crate) fn resolve_with_players(
        &self,
        players: Option<usize>,
        source: Option<&str>,
    ) -> anyhow::Result<GameSelection> {
        let game = self.game.unwrap_or(GameName::TheRiver);
        let document = match &self.config {
            Some(path) => Document::read(path)?,
            None => game.default_document(),
        };
        let table: toml::Table = document.parse()?;
        let source = source.filter(|_| self.players.is_none()).unwrap_or("--players");
        let players = self.players.or(players);
        if let Some(players) = players {
            check_players(players, &document, &table, source)?;
        }
        let players = players.unwrap_or(game.min_players());
        let provenance =
            provenance(&document, table.get("provenance").and_then(toml::Value::as_str));
        Ok(GameSelection { game, document, config: self.config.clone(), players, provenance })
    }
}

/// Returns the provenance of a data file: its own claim, or the one that the marks of its values
/// support. Warns if its own claim is stronger.
fn provenance(document: &Document, claim: Option<&str>) -> String {
    /// A longer claim is cut off in the message.
    const LONGEST: usize = 60;
    let marks = Provenance::read(&document.text);
    let supported = marks.supported_claim(claim.unwrap_or_default());
    if let (Some(claim), Some(supported)) = (claim, supported) {
        let claim: String = claim.chars().take(LONGEST).collect();
        let message = format!(
            "the values' marks support no stronger claim than {supported:?}, which is used; found \
                {claim:?}"
        );
        print_info(&format!("warning: {}", document.error("provenance", message)));
    }
    supported.or(claim).unwrap_or("unknown").to_owned()
}

/// Makes sure that a data file is for a number of players, which a flag or key asks for. Files that
/// do not say so are refused elsewhere.
fn check_players(
    players: usize,
    document: &Document,
    table: &toml::Table,
    source: &str,
) -> anyhow::Result<()> {
    let limit = |name: &str| table.get("players")?.get(name)?.as_integer();
    if let (Some(fewest), Some(most)) = (limit("min"), limit("max"))
        && !i64::try_from(players).is_ok_and(|players| (fewest..=most).contains(&players))
    {
        let ConfigError { file, line, .. } = document.error("players", "");
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        bail!(
            "{source}: expected {fewest} to {most} players, as {file}{line} says, found {players}"
        );
    }
    Ok(())
}

impl GameSelection {
    /// Does something with the game on the threads of a command, of which `quiet` says that it
    /// writes no messages.
    pub(crate) fn run_on_threads<T: Send>(
        &self,
        threads: Option<usize>,
        quiet: bool,
        task: impl GameTask<Output = anyhow::Result<T>> + Send,
    ) -> anyhow::Result<T> {
        build_thread_pool(threads, u64::MAX, quiet)?.install(|| self.run_on_this_thread(task))
    }

    /// Does something with the game on this thread.
    pub(crate) fn run_on_this_thread<T>(
        &self,
        task: impl GameTask<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        self.game.bind_and_run(&self.document, self.players, task)?
    }

    /// The flags that make this selection again.
    pub(crate) fn flags(&self) -> String {
        let config = self
            .config
            .as_ref()
            .map(|path| format!(" --config {}", shell_quote(&path.display().to_string())))
            .unwrap_or_default();
        format!("--game {}{config} --players {}", self.game.as_str(), self.players)
    }

    /// The comment at the head of a profile: the command that makes it again, and on what data.
    pub(crate) fn profile_header(&self, command: &str) -> String {
        let Self { document, provenance, .. } = self;
        let name = document.name.trim_matches(['<', '>']);
        // A command may name a file whose name has the end of a line in it.
        let command = escape_name(command);
        format!(
            "# Made by `{command}`\n# on {name} ({provenance}, SHA-256 {}).\n\n",
            document.sha256()
        )
    }
}

/// Reads one bot per seat; a single one, with or without a `*` after it, fills all seats. Errors
/// name the flag or key that `source` is.
pub(crate) fn read_bots(
    library: &BotLibrary<'_>,
    seats: usize,
    names: &[String],
    source: &str,
) -> anyhow::Result<Vec<Profile>> {
    let read = |name: &String| library.read(name).with_context(|| source.to_owned());
    match names {
        [name] => Ok(vec![read(&name.trim_end_matches('*').to_owned())?; seats]),
        names if names.len() == seats => names.iter().map(read).collect(),
        names => bail!(
            "{source}: expected one bot for all seats, or {seats} bots for {seats} seats, found {} \
                bots",
            names.len()
        ),
    }
}

/// Returns how many tasks there are at a time for threads: blocks, each with the trees that one of
/// these bots grows side by side.
pub(crate) fn max_parallel_tasks<'a>(
    blocks: u64,
    bots: impl IntoIterator<Item = &'a Profile>,
) -> u64 {
    let trees = |bot: &Profile| {
        if let BotSpec::Search(search) = &bot.spec { search.trees.into() } else { 1 }
    };
    blocks.saturating_mul(bots.into_iter().map(trees).max().unwrap_or(1))
}

/// Sets up the threads of a command: as many as are asked for, or all cores, but no more than there
/// are tasks, nor more than 4 for each core.
pub(crate) fn build_thread_pool(
    threads: Option<usize>,
    tasks: u64,
    quiet: bool,
) -> anyhow::Result<rayon::ThreadPool> {
    if threads == Some(0) {
        bail!("--threads: expected at least 1, found 0");
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let most = usize::try_from(tasks).unwrap_or(usize::MAX).min(THREADS_PER_CORE * cores).max(1);
    if let Some(asked) = threads.filter(|&asked| asked > most && !quiet) {
        let reason = if most as u64 == tasks { "block" } else { "core" };
        let each = if most as u64 == tasks { 1 } else { THREADS_PER_CORE };
        print_info(&format!(
            "--threads: using {most} instead of {asked}, {each} for each {reason}"
        ));
    }
    // The library's default, which is not known before its threads are started.
    let default = || {
        std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads: &usize| threads > 0)
    };
    let threads = threads.or_else(default).unwrap_or(cores).min(most);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| anyhow!("--threads: can't start {threads} threads: {error}"))
}

/// Reads a number of a range from the command line.
pub(crate) fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}
