//! Everything that is asked for, flags before experiment file before defaults.

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
        arguments::{DEFAULT_SEED, GameSelection},
        checkpoint::{Checkpoint, RecordsFile},
        command::RepeatCommand,
        files::FileEnd,
        lineups::bot_names,
        manifest::{DataSource, RunIdentity, RunSetup, SimulateSetup},
    },
    stats::confidence_sequence::Goal,
    study::simulate::{Arguments, KIND},
};

/// Where runs go that name no folder; it is always overwritten.
const DEFAULT_OUT: &str = "results/latest";
const DEFAULT_GAMES: u64 = 20_000;
/// The most games of runs that stop at a goal.
const DEFAULT_MOST_GAMES: u64 = 1_000_000;
const DEFAULT_OPENING_DEPTH: usize = 2;

/// What an experiment file may say; each key is the flag of that name.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// A line for people; the program does not use it.
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

/// Everything that is asked for, flags before file before defaults.
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
    pub(crate) fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let mut file = File::default();
        let mut game = arguments.game.clone();
        let experiment = arguments.experiment.as_deref().map(Document::read).transpose()?;
        if let Some(document) = &experiment {
            file = document.parse().map_err(|error| {
                if is_data(document) { not_an_experiment(document) } else { error }
            })?;
            if let Some(name) = &file.game {
                let all: Vec<_> = GameName::ALL.iter().map(|game| game.as_str()).collect();
                let named = GameName::from_name(name);
                let named = named.ok_or_else(|| {
                    document.error("game", format!("expected {}, found {name:?}", all.join(" or ")))
                })?;
                game.game = game.game.or(Some(named));
            }
            // A path in a file is relative to that file.
            let folder =
                arguments.experiment.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            game.config = game.config.or(file.config.map(|config| folder.join(config)));
        }
        // A mistake in what the file says is one of the file, and one in a flag is one of the flag.
        let refuse = |is_flag: bool, key: &str, message: String| match &experiment {
            Some(document) if !is_flag => anyhow::Error::from(document.error(key, message)),
            _ => anyhow!("--{}: {message}", key.replace('_', "-")),
        };
        let goal = arguments
            .precision
            .map(Goal::Precision)
            .or(arguments.until_significant.then_some(Goal::Significance));
        let games = arguments.games.or(file.games).unwrap_or(if goal.is_some() {
            DEFAULT_MOST_GAMES
        } else {
            DEFAULT_GAMES
        });
        if games == 0 {
            return Err(refuse(
                arguments.games.is_some(),
                "games",
                "expected at least 1, found 0".to_owned(),
            ));
        }
        let opening_depth =
            arguments.opening_depth.or(file.opening_depth).unwrap_or(DEFAULT_OPENING_DEPTH);
        if opening_depth > MAX_OPENING_DEPTH {
            let message = format!("expected 0 to {MAX_OPENING_DEPTH}, found {opening_depth}");
            return Err(refuse(arguments.opening_depth.is_some(), "opening_depth", message));
        }
        let out = arguments.out.clone().or(file.out);
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
            seed: arguments.seed.or(file.seed).unwrap_or(DEFAULT_SEED),
            overwrite: arguments.force || out.is_none(),
            out: out.unwrap_or_else(|| PathBuf::from(DEFAULT_OUT)),
            opening_depth,
            goal,
        })
    }

    /// The run as it is before any game is played.
    ///
    /// # Errors
    /// If there are too many games or parts, or a goal does not fit the bots.
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
            bail!("--shard: expected at most {blocks} parts for {blocks} blocks, found {shard}");
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
        let different = setup.distinct_bots().len();
        if self.goal == Some(Goal::Significance) && different < 2 {
            bail!(
                "--until-significant: expected two or more different bots, found {}",
                bots[0].name
            );
        }
        if self.goal == Some(Goal::Significance) && game.is_cooperative() {
            bail!(
                "--until-significant: expected a game in which seats win apart; by {} all seats \
                    win or lose together, so that no bot can win more than another",
                self.selection.document.name
            );
        }
        let tally = Tally::for_game(game, different);
        let mut progress = Checkpoint::new(
            self.command(bots, arguments).to_string(),
            setup,
            self.selection.document.text.clone(),
            tally,
        );
        progress.games_csv = arguments.games_csv.then(FileEnd::default);
        progress.records = arguments.records.as_ref().map(|path| RecordsFile {
            file: path.display().to_string(),
            legal: arguments.legal,
            end: FileEnd::default(),
            encoder: RecordEncoder::new(path),
        });
        Ok(progress)
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

/// True if the file is data of a game.
fn is_data(document: &Document) -> bool {
    document.parse().is_ok_and(|table: toml::Table| table.contains_key("provenance"))
}

fn not_an_experiment(document: &Document) -> ConfigError {
    let message = format!("this is a data file, not an experiment; use --config {}", document.name);
    ConfigError { file: document.name.clone(), line: None, key: String::new(), message }
}

/// Reads a half-width in percentage points, as in `0.5pp`.
pub(crate) fn precision(text: &str) -> Result<f64, String> {
    let points = text.strip_suffix("pp").and_then(|points| points.parse().ok());
    points
        .filter(|points| (0.001..50.0).contains(points))
        .ok_or_else(|| "expected percentage points from 0.001 to 50, as in 0.5pp".to_owned())
}
