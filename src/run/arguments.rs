//! The flags by which every command chooses a game, its data, players and bots.

use std::{
    num::NonZero,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::files::{RunFolder, lock_folder};
use crate::{
    arena::run::Experiment,
    bots::profile::{BotLibrary, BotSpec, Profile},
    config::{ConfigError, Document},
    game::FullGame,
    games::{GameName, GameTask},
    report::{
        provenance::{Claim, Provenance},
        terminal::print_info,
        text::escape_name,
    },
};

/// The seed of runs that name none.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// Where runs go that name no folder; it is always overwritten.
pub(crate) const DEFAULT_OUT: &str = "results/latest";

/// More threads for each core only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// Flags that select the game, its data file and the number of players.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArguments {
    /// Select the game [default: the_river]
    #[arg(long, value_enum)]
    pub(crate) game: Option<GameName>,
    /// Read the components and rules values from a data file [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set the number of players [default: the minimum of the game]
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
}

/// Flags that decide how games are played.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArguments {
    /// Set the random seed; equal seeds give identical results [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Set the number of threads, at most one per block and 4 per core [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print no progress and no messages
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl RunArguments {
    /// Returns the seed, or the default one.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(DEFAULT_SEED)
    }

    /// Builds the threads: at most as many as can play these blocks between these bots at a time.
    pub(crate) fn thread_pool<'a>(
        &self,
        blocks: u64,
        bots: impl IntoIterator<Item = &'a Profile>,
    ) -> anyhow::Result<rayon::ThreadPool> {
        build_thread_pool(self.threads, max_parallel_tasks(blocks, bots), self.quiet)
    }

    /// Returns an experiment of at least this number of games, without records.
    pub(crate) fn new_experiment<'a, G: FullGame>(
        &self,
        game: &'a G,
        bots: &'a [Profile],
        games: u64,
    ) -> Experiment<'a, G> {
        let experiment = Experiment::new(game, bots, self.seed(), 0..0);
        Experiment { blocks: 0..experiment.rotations().blocks_for_games(games), ..experiment }
    }
}

/// Flags that decide how games are played and where the results go.
#[derive(Args, Clone, Debug)]
pub(crate) struct OutputArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Set the output folder [default: results/latest, which is always overwritten]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Overwrite a finished run and other existing output files
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the tables as one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl OutputArguments {
    /// Locks the output folder for a new run. `inputs` are the files that the run reads, with the
    /// flags that name them.
    ///
    /// # Errors
    /// If the folder holds a finished run that may not be overwritten, or an input file.
    pub(crate) fn lock_folder<G: FullGame>(
        &self,
        game: &G,
        inputs: &[(&str, Option<&Path>)],
    ) -> anyhow::Result<RunFolder> {
        let out = self.out.as_deref().unwrap_or(Path::new(DEFAULT_OUT));
        let folder = lock_folder(out, game, inputs)?;
        folder.ensure_writable(self.force || self.out.is_none())?;
        Ok(folder)
    }
}

/// A game with its data file and number of players.
#[derive(Clone, Debug)]
pub(crate) struct GameSelection {
    pub(crate) game: GameName,
    pub(crate) document: Document,
    pub(crate) config: Option<PathBuf>,
    pub(crate) players: usize,
    pub(crate) provenance: Claim,
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
            read_provenance(&document, table.get("provenance").and_then(toml::Value::as_str));
        Ok(GameSelection { game, document, config: self.config.clone(), players, provenance })
    }
}

/// Returns the provenance of a data file: its own claim, or the one that the marks of its values
/// support. Warns if its own claim is stronger.
fn read_provenance(document: &Document, claim: Option<&str>) -> Claim {
    /// Maximum number of characters of a claim in the warning.
    const MAX_SHOWN: usize = 60;
    let marks = Provenance::read(&document.text);
    let claim = claim.map(Claim::new);
    let Some(supported) = marks.supported_claim(claim.as_ref()) else {
        return claim.unwrap_or_default();
    };
    if let Some(claim) = claim {
        let claim: String = claim.as_str().chars().take(MAX_SHOWN).collect();
        let message = format!(
            "the marks of the values support {:?} at most, which is used; found {claim:?}",
            supported.as_str()
        );
        print_info(&format!("warning: {}", document.error("provenance", message)));
    }
    supported
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
