//! The flags by which every command chooses a game, its data, players and bots.

use std::{
    num::NonZero,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueHint};

use super::{
    count::count,
    files::{RunFolder, lock_folder},
    players::PlayerNumbers,
    shell::shell_quote,
};
use crate::{
    arena::run::Experiment,
    bots::{BotFactory, profile::BotLibrary},
    bound::BoundGame,
    config::{ConfigError, Document},
    games::{GameEntry, GameList, built_in_games, open_games::RecordedRules},
    report::{
        csv_format::CsvFormat,
        note::Note,
        provenance::{Claim, Provenance},
        terminal::print_info,
        text::escape_name,
    },
};

/// Default seed.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// Default output folder, which is always overwritten.
pub(crate) const DEFAULT_OUT: &str = "results/latest";

/// Maximum number of threads per core.
const THREADS_PER_CORE: usize = 4;

/// Flags that select the game, its data file and the number of players.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArguments {
    /// Select the game [default: the_river]
    #[arg(long)]
    pub(crate) game: Option<String>,
    /// Read the components and rules values from a data file [default: the built-in one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Set the number of players [default: the minimum of the game]
    ///
    /// With several, as in 2..4 or 2,4, `simulate`, `match` and the `balance` commands play each in
    /// a folder of its own, OUT/players_N, and write OUT/report.html with all side by side; `train`
    /// learns one network for them, by default for all.
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<PlayerNumbers>,
}

/// Flags for the seed, the threads and the messages of a command that plays games.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArguments {
    /// Set the random seed; equal seeds give identical results
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED,
        value_parser = count(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// Set the number of threads, at most one per block and 4 per core [default: RAYON_NUM_THREADS
    /// of the environment, else all cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(crate) threads: Option<usize>,
    /// Print no progress and no messages
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl RunArguments {
    /// Builds the threads: at most one for each task that these bots can do at the same time in
    /// this number of blocks. Prints the notes of the bots.
    pub(crate) fn thread_pool<'a>(
        &self,
        blocks: u64,
        bots: impl IntoIterator<Item = &'a BotFactory>,
    ) -> anyhow::Result<rayon::ThreadPool> {
        let bots: Vec<_> = bots.into_iter().collect();
        if !self.quiet {
            let mut notes: Vec<_> = bots.iter().flat_map(|bot| bot.notes()).collect();
            notes.sort();
            notes.dedup();
            for note in notes {
                print_info(&format!("note: {note}"));
            }
        }
        build_thread_pool(self.threads, max_parallel_tasks(blocks, bots), self.quiet)
    }

    /// Returns an experiment of at least this number of games, without records.
    pub(crate) fn new_experiment<'a>(&self, bots: &'a [BotFactory], games: u64) -> Experiment<'a> {
        let experiment = Experiment::new(bots, self.seed, 0..0);
        Experiment { blocks: 0..experiment.rotations().blocks_for_games(games), ..experiment }
    }
}

/// The deals of an experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deals {
    /// The first deals of the seed.
    First,
    /// The deals after the first ones, and as many.
    Fresh,
    /// The deals after the fresh ones, and as many.
    Sealed,
}

impl Deals {
    /// Returns an experiment on the first deals with these deals instead.
    pub(crate) fn of(self, experiment: Experiment<'_>) -> Experiment<'_> {
        let end = experiment.blocks.end;
        match self {
            Self::First => experiment,
            Self::Fresh => Experiment { blocks: end..2 * end, ..experiment },
            Self::Sealed => Experiment { blocks: 2 * end..3 * end, ..experiment },
        }
    }
}

/// Flags for playing games and for the output.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
pub(crate) struct OutputArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Set the output folder [default: results/latest, which is always overwritten]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Overwrite a finished run and other existing output files
    #[arg(long)]
    pub(crate) force: bool,
    /// Print all tables before the screen with the verdict
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
    /// Print the tables as one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// True if the answer of the page is printed instead of text: the run is one of several.
    #[arg(skip)]
    pub(crate) only_answer: bool,
    /// Show the notes of this file, in Markdown, on the page
    #[arg(long, value_name = "FILE", value_parser = Note::read)]
    pub(crate) note: Option<Note>,
    /// Set the format of the CSV tables
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    pub(crate) csv: CsvFormat,
}

impl OutputArguments {
    /// Returns the output folder.
    pub(crate) fn folder(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(DEFAULT_OUT))
    }

    /// Locks the output folder for a new run. `inputs` are the files that the run reads, with the
    /// flags that name them.
    ///
    /// # Errors
    /// If the folder holds a finished run that may not be overwritten, or an input file.
    pub(crate) fn lock_folder(
        &self,
        game: &BoundGame,
        inputs: &[(&str, Option<&Path>)],
    ) -> anyhow::Result<RunFolder> {
        let folder = lock_folder(self.folder(), game.catalog(), inputs)?;
        if self.out.is_none() && !self.force && folder.holds_interrupted_run() {
            print_info(&format!(
                "note: the interrupted run in {} is discarded; --resume would continue it",
                self.folder().display()
            ));
        }
        folder.ensure_writable(self.force || self.out.is_none())?;
        Ok(folder)
    }
}

/// A game with its data file and number of players.
#[derive(Clone, Debug)]
pub(crate) struct GameSelection {
    pub(crate) game: &'static GameEntry,
    pub(crate) document: Document,
    pub(crate) config: Option<PathBuf>,
    pub(crate) players: usize,
    pub(crate) provenance: Claim,
}

impl GameArguments {
    /// Returns the number of players, if it is set.
    ///
    /// # Errors
    /// If several numbers are set.
    pub(crate) fn one_number(&self) -> anyhow::Result<Option<usize>> {
        self.players.as_ref().map(PlayerNumbers::one).transpose()
    }

    /// Reads the data file of the game for all its numbers of players, and returns those that are
    /// set, by default all.
    pub(crate) fn resolve_all(
        &self,
        games: GameList,
    ) -> anyhow::Result<(GameSelection, Vec<usize>)> {
        let selection = Self { players: None, ..self.clone() }.resolve(games)?;
        let GameSelection { game, document, .. } = &selection;
        let Some(numbers) = &self.players else {
            let numbers = game.player_range(document)?.collect();
            return Ok((selection, numbers));
        };
        let table = document.table()?;
        for &players in numbers.all() {
            check_players(players, document, &table, "--players")?;
        }
        Ok((selection, numbers.all().to_vec()))
    }

    /// Reads the data file of the game.
    pub(crate) fn resolve(&self, games: GameList) -> anyhow::Result<GameSelection> {
        self.resolve_with_players(games, None, None)
    }

    /// Reads the data file of the game. Without the flag, the number of players is `players`, which
    /// messages attribute to `source`.
    pub(crate) fn resolve_with_players(
        &self,
        games: GameList,
        players: Option<usize>,
        source: Option<&str>,
    ) -> anyhow::Result<GameSelection> {
        let game = match &self.game {
            Some(name) => find_game(games, name).context("--game")?,
            None => games.default_game(),
        };
        let document = match &self.config {
            Some(path) => Document::read(path)?,
            None => game.default_document(),
        };
        let table = document.table()?;
        let source = source.filter(|_| self.players.is_none()).unwrap_or("--players");
        let players = self.one_number()?.or(players);
        if let Some(players) = players {
            check_players(players, &document, &table, source)?;
        }
        let players = players.unwrap_or(game.min_players);
        let provenance =
            read_provenance(&document, table.get("provenance").and_then(toml::Value::as_str));
        Ok(GameSelection { game, document, config: self.config.clone(), players, provenance })
    }
}

/// Returns the game of this name.
///
/// # Errors
/// Returns an error that names all games if there is none.
pub(crate) fn find_game(games: GameList, name: &str) -> anyhow::Result<&'static GameEntry> {
    games.require(name).map_err(anyhow::Error::msg)
}

impl RecordedRules<'_> {
    /// Reads the data file, by default the built-in one. `name` is what has these rules, for
    /// errors.
    ///
    /// # Errors
    /// If there is no such game, or the data file is another one.
    pub(crate) fn select(
        self,
        games: GameList,
        config: Option<&Path>,
        name: &str,
    ) -> anyhow::Result<GameSelection> {
        let Self { game, players, .. } = self;
        find_game(games, game).with_context(|| format!("{name}: game"))?;
        let selected = GameArguments {
            game: Some(game.to_owned()),
            config: config.map(Path::to_path_buf),
            players: None,
        };
        let selection = selected.resolve_with_players(games, Some(players), Some(name))?;
        let checked = self.check(&selection.document);
        checked
            .map_err(|problem| anyhow!("{name}: {problem}; name its data file with --config"))?;
        Ok(selection)
    }
}

/// Returns the provenance of a data file: its own claim, or the one that the marks of its values
/// support. Warns if its own claim is stronger.
fn read_provenance(document: &Document, claim: Option<&str>) -> Claim {
    /// Maximum number of characters of a claim in the warning.
    const MAX_SHOWN: usize = 60;
    let claim = claim.map(Claim::new);
    let marks = Provenance::read(&document.text);
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

/// Ensures that a data file allows a number of players. `source` is the flag or key with the
/// number. A file without limits is rejected when it is read.
fn check_players(
    players: usize,
    document: &Document,
    table: &toml::Table,
    source: &str,
) -> anyhow::Result<()> {
    let limit = |name: &str| table.get("players")?.get(name)?.as_integer();
    if let (Some(min), Some(max)) = (limit("min"), limit("max"))
        && !i64::try_from(players).is_ok_and(|players| (min..=max).contains(&players))
    {
        let line = document.error("players", "").line;
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let file = document.shown_name();
        bail!("{source}: expected {min} to {max} players ({file}{line}), found {players}");
    }
    Ok(())
}

impl GameSelection {
    /// Binds the game to its data file and number of players.
    ///
    /// # Errors
    /// If the data file is invalid or is not for this number of players.
    pub(crate) fn open(&self) -> Result<BoundGame, ConfigError> {
        self.game.open(&self.document, self.players)
    }

    /// Replaces the text of the data file.
    ///
    /// # Errors
    /// If it is not TOML.
    pub(crate) fn replace_data(&mut self, text: String) -> Result<(), ConfigError> {
        self.document.text = text;
        let table = self.document.table()?;
        let claim = table.get("provenance").and_then(toml::Value::as_str);
        self.provenance = read_provenance(&self.document, claim);
        Ok(())
    }

    /// Returns the flags that select it in a command, each after a space.
    pub(crate) fn flags(&self) -> String {
        let Self { game, config, players, .. } = self;
        let mut flags = String::new();
        if game.id != built_in_games().default_game().id {
            flags += &format!(" --game {}", game.id);
        }
        if let Some(path) = config {
            flags += &format!(" --config {}", shell_quote(&path.display().to_string()));
        }
        if *players != game.min_players {
            flags += &format!(" --players {players}");
        }
        flags
    }

    /// Returns the comment at the head of a profile: the command that repeats it, and its data.
    pub(crate) fn profile_header(&self, command: &str) -> String {
        let Self { document, provenance, .. } = self;
        let name = document.name.trim_matches(['<', '>']);
        // A file name in the command may contain the end of a line.
        let command = escape_name(command);
        format!(
            "# Made by `{command}`\n# on {name} ({provenance}, SHA-256 {}).\n\n",
            document.sha256()
        )
    }
}

/// Reads one bot per seat, or a single bot for all seats, with or without a `*` after its name.
/// Errors name `source`, the flag or key.
pub(crate) fn read_bots(
    library: &BotLibrary,
    seats: usize,
    names: &[String],
    source: &str,
) -> anyhow::Result<Vec<BotFactory>> {
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

/// Returns the maximum number of parallel tasks: the blocks times the threads of a bot.
pub(crate) fn max_parallel_tasks<'a>(
    blocks: u64,
    bots: impl IntoIterator<Item = &'a BotFactory>,
) -> u64 {
    let threads = bots.into_iter().map(BotFactory::max_threads).max().unwrap_or(1);
    blocks.saturating_mul(threads.into())
}

/// Builds the threads of a command: the given number or one per core, at most one per task and 4
/// per core.
pub(crate) fn build_thread_pool(
    threads: Option<usize>,
    tasks: u64,
    quiet: bool,
) -> anyhow::Result<rayon::ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let max = usize::try_from(tasks).unwrap_or(usize::MAX).min(THREADS_PER_CORE * cores).max(1);
    if let Some(given) = threads.filter(|&given| given > max && !quiet) {
        let (limit, unit) =
            if max as u64 == tasks { (1, "block") } else { (THREADS_PER_CORE, "core") };
        print_info(&format!("--threads: using {max} instead of {given}, {limit} per {unit}"));
    }
    // The default of rayon, which is not known before its threads are started.
    let default = || {
        std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads: &usize| threads > 0)
    };
    let threads = threads.or_else(default).unwrap_or(cores).min(max);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| anyhow!("--threads: can't start {threads} threads: {error}"))
}

/// Parses a number in a range, for clap.
pub(crate) fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}
