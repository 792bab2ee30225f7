//! The settings of a run, from flags and experiment file.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use serde::Deserialize;

use crate::{
    arena::{
        record::RecordEncoder,
        schedule::Rotations,
        tally::{MAX_OPENING_DEPTH, Tally},
    },
    bots::profile::Profile,
    config::{ConfigError, Document},
    game::FullGame,
    games::GameName,
    run::{
        append_file::FileEnd,
        arguments::{DEFAULT_OUT, DEFAULT_SEED, GameSelection, OutputArguments},
        checkpoint::{Checkpoint, RecordsFile},
        command::RepeatCommand,
        lineups::bot_names,
        manifest::{DataSource, RunIdentity, RunSetup, SimulateSetup},
    },
    stats::confidence_sequence::Goal,
    study::simulate::{Arguments, KIND},
};

const DEFAULT_GAMES: u64 = 20_000;
/// Default maximum of games of runs with a stopping criterion.
const DEFAULT_MAX_GAMES: u64 = 1_000_000;
const DEFAULT_OPENING_DEPTH: usize = 2;

/// An experiment file. Each key is the flag of that name.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    /// Text for people.
    #[serde(default, rename = "description")]
    _description: String,
    game: Option<String>,
    config: Option<PathBuf>,
    players: Option<usize>,
    bots: Option<Vec<String>>,
    games: Option<u64>,
    seed: Option<u64>,
    out: Option<PathBuf>,
    opening_depth: Option<usize>,
}

impl ExperimentFile {
    fn parse(document: &Document) -> Result<Self, ConfigError> {
        document.parse().map_err(|error| {
            if is_data_file(document) { not_an_experiment(document) } else { error }
        })
    }

    /// Returns the game, if the file names one.
    fn game(&self, document: &Document) -> Result<Option<GameName>, ConfigError> {
        let parse = |name: &String| {
            let all: Vec<_> = GameName::ALL.iter().map(|game| game.as_str()).collect();
            let message = || format!("expected {}, found {name:?}", all.join(" or "));
            GameName::from_name(name).ok_or_else(|| document.error("game", message()))
        };
        self.game.as_ref().map(parse).transpose()
    }
}

/// The settings of a run: those of the flags, else of the experiment file, else the defaults.
pub(crate) struct SimulateSettings {
    pub(crate) selection: GameSelection,
    pub(crate) bots: Option<Vec<String>>,
    /// The flag or key that names the bots, for messages.
    pub(crate) bots_source: String,
    pub(crate) games: u64,
    pub(crate) seed: u64,
    pub(crate) out: PathBuf,
    pub(crate) overwrite: bool,
    pub(crate) opening_depth: usize,
    pub(crate) goal: Option<Goal>,
}

impl SimulateSettings {
    /// Reads the experiment file, if there is one, and combines it with the flags.
    ///
    /// # Errors
    /// If the file can't be read, or a setting is out of range.
    pub(crate) fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let mut file = ExperimentFile::default();
        let mut game = arguments.game.clone();
        let experiment = arguments.experiment.as_deref().map(Document::read).transpose()?;
        if let Some(document) = &experiment {
            file = ExperimentFile::parse(document)?;
            game.game = game.game.or(file.game(document)?);
            let folder = arguments.experiment.as_deref().and_then(Path::parent);
            let folder = folder.unwrap_or(Path::new(""));
            game.config = game.config.or(file.config.map(|config| folder.join(config)));
        }
        // An error names the flag, or the key and line of the file.
        let error = |is_flag: bool, key: &str, message: String| match &experiment {
            Some(document) if !is_flag => anyhow::Error::from(document.error(key, message)),
            _ => anyhow!("--{}: {message}", key.replace('_', "-")),
        };
        let significance = arguments.until_significant.then_some(Goal::Significance);
        let goal = arguments.precision.map(Goal::Precision).or(significance);
        let default_games = if goal.is_some() { DEFAULT_MAX_GAMES } else { DEFAULT_GAMES };
        let games = arguments.games.or(file.games).unwrap_or(default_games);
        if games == 0 {
            let message = "expected at least 1, found 0".to_owned();
            return Err(error(arguments.games.is_some(), "games", message));
        }
        let opening_depth =
            arguments.opening_depth.or(file.opening_depth).unwrap_or(DEFAULT_OPENING_DEPTH);
        if opening_depth > MAX_OPENING_DEPTH {
            let message = format!("expected 0 to {MAX_OPENING_DEPTH}, found {opening_depth}");
            return Err(error(arguments.opening_depth.is_some(), "opening_depth", message));
        }
        let OutputArguments { run, out, force, .. } = &arguments.output;
        let out = out.clone().or(file.out);
        let bots_source = match &experiment {
            Some(document) if arguments.bots.is_none() && file.bots.is_some() => {
                document.key_location("bots")
            }
            _ => "--bots".to_owned(),
        };
        let players_source = experiment.as_ref().map(|document| document.key_location("players"));
        Ok(Self {
            selection: game.resolve_with_players(file.players, players_source.as_deref())?,
            bots_source,
            bots: arguments.bots.clone().or(file.bots),
            games,
            seed: run.seed.or(file.seed).unwrap_or(DEFAULT_SEED),
            overwrite: *force || out.is_none(),
            out: out.unwrap_or_else(|| PathBuf::from(DEFAULT_OUT)),
            opening_depth,
            goal,
        })
    }

    /// Creates the checkpoint of the run before its first game.
    ///
    /// # Errors
    /// If there are too many games or shards, or the goal does not suit the bots.
    pub(crate) fn new_checkpoint<G: FullGame>(
        &self,
        game: &G,
        bots: &[Profile],
        rotations: &Rotations,
        arguments: &Arguments,
    ) -> anyhow::Result<Checkpoint> {
        let blocks = rotations.blocks_for_games(self.games);
        let Some(games_planned) = blocks.checked_mul(rotations.games_per_block()) else {
            bail!(
                "--games: expected fewer than {}, found {}",
                u64::MAX - rotations.games_per_block(),
                self.games
            );
        };
        if let Some(shard) = arguments.shard
            && shard.count > blocks
        {
            bail!("--shard: expected at most {blocks} shards for {blocks} blocks, found {shard}");
        }
        let setup = RunSetup {
            identity: RunIdentity::new(
                self.selection.game.as_str(),
                self.selection.players,
                self.seed,
            ),
            question: SimulateSetup {
                data: DataSource::new(&self.selection.document, &self.selection.provenance),
                data_sha256: self.selection.document.values_sha256()?,
                bots: bots.iter().map(Into::into).collect(),
                opening_depth: self.opening_depth,
                games_planned,
                games_per_block: rotations.games_per_block(),
                shard: arguments.shard,
                goal: self.goal,
            },
        };
        let distinct = setup.distinct_bots().len();
        if self.goal == Some(Goal::Significance) && distinct < 2 {
            bail!(
                "--until-significant: expected at least 2 different bots, found {}",
                bots[0].name
            );
        }
        if self.goal == Some(Goal::Significance) && game.is_cooperative() {
            bail!(
                "--until-significant: expected a competitive game; in {} all seats win or lose \
                 together",
                self.selection.document.name
            );
        }
        let tally = Tally::for_game(game, distinct);
        let mut checkpoint = Checkpoint::new(
            self.command(bots, arguments).to_string(),
            setup,
            self.selection.document.text.clone(),
            tally,
        );
        checkpoint.games_csv = arguments.games_csv.then(FileEnd::default);
        checkpoint.records = arguments.records.as_ref().map(|path| RecordsFile {
            file: path.display().to_string(),
            legal: arguments.legal,
            end: FileEnd::default(),
            encoder: RecordEncoder::new(path),
        });
        Ok(checkpoint)
    }

    /// Returns the command that repeats the run.
    fn command(&self, bots: &[Profile], arguments: &Arguments) -> RepeatCommand {
        let precision = match self.goal {
            Some(Goal::Precision(points)) => Some(format!("{points}pp")),
            _ => None,
        };
        RepeatCommand::new(KIND)
            .game(&self.selection)
            .option("--bots", bot_names(bots))
            .option("--games", self.games)
            .option("--seed", self.seed)
            .option("--opening-depth", self.opening_depth)
            .option_if("--precision", precision)
            .flag_if("--until-significant", self.goal == Some(Goal::Significance))
            .flag_if("--games-csv", arguments.games_csv)
    }
}

/// Returns true if the file has the provenance that every data file has.
fn is_data_file(document: &Document) -> bool {
    document.parse().is_ok_and(|table: toml::Table| table.contains_key("provenance"))
}

fn not_an_experiment(document: &Document) -> ConfigError {
    let message = format!("this is a data file, not an experiment; use --config {}", document.name);
    ConfigError { file: document.name.clone(), line: None, key: String::new(), message }
}

/// Parses percentage points, such as `0.5pp`.
pub(crate) fn parse_percentage_points(text: &str) -> Result<f64, String> {
    let points = text.strip_suffix("pp").and_then(|points| points.parse().ok());
    points
        .filter(|points| (0.001..50.0).contains(points))
        .ok_or_else(|| "expected percentage points from 0.001 to 50, as in 0.5pp".to_owned())
}
