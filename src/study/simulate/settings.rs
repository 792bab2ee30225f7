//! The settings of a run, from flags and experiment file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use serde::Deserialize;

use crate::{
    arena::{
        record::RecordEncoder,
        schedule::Rotations,
        tally::{MAX_OPENING_DEPTH, Tally},
    },
    bots::{BotFactory, profile::BotLibrary},
    config::{ConfigError, Document},
    game::FullGame,
    games::GameList,
    run::{
        append_file::FileEnd,
        arguments::{
            DEFAULT_OUT, DEFAULT_SEED, GameSelection, OutputArguments, find_game, read_bots,
        },
        checkpoint::{Checkpoint, RecordsFile},
        command::RepeatCommand,
        lineups::bot_names,
        manifest::{DataSource, RunIdentity, RunSetup, SimulateSetup},
        names::find_family,
        panel::{PanelEntry, PanelFactory, PanelMember, default_panel, read_panel},
        skill::SkillFigure,
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
    panel: Option<Vec<String>>,
    games: Option<u64>,
    seed: Option<u64>,
    out: Option<PathBuf>,
    opening_depth: Option<usize>,
    #[serde(default)]
    only: Vec<String>,
}

impl ExperimentFile {
    fn parse(document: &Document) -> Result<Self, ConfigError> {
        document.parse().map_err(|error| {
            // Every data file states its provenance.
            let is_data_file = |table: &toml::Table| table.contains_key("provenance");
            if !document.parse().is_ok_and(|table| is_data_file(&table)) {
                return error;
            }
            let file = document.name.clone();
            let message = format!("this is a data file, not an experiment; use --config {file}");
            ConfigError { file, line: None, key: String::new(), message }
        })
    }

    /// Returns the name of the game, if the file has one.
    fn game<L: GameList>(&self, document: &Document) -> Result<Option<String>, ConfigError> {
        let check = |name: &String| match find_game::<L>(name) {
            Ok(_) => Ok(name.clone()),
            Err(error) => Err(document.error("game", error.to_string())),
        };
        self.game.as_ref().map(check).transpose()
    }
}

/// The bots in the seats, and the bots of the panel.
type LineupAndPanel<G> = (Vec<BotFactory<G>>, Vec<PanelFactory<G>>);

/// The settings of a run: those of the flags, else of the experiment file, else the defaults.
pub(crate) struct SimulateSettings {
    pub(crate) selection: GameSelection,
    pub(crate) bots: Option<Vec<String>>,
    /// The bots of the panel; `None` if `bots` are named, or for the default panel.
    pub(crate) panel: Option<Vec<PanelEntry>>,
    /// The flag or key that names the bots or the panel, for messages.
    pub(crate) bots_source: String,
    pub(crate) games: u64,
    pub(crate) seed: u64,
    pub(crate) out: PathBuf,
    pub(crate) overwrite: bool,
    pub(crate) opening_depth: usize,
    pub(crate) goal: Option<Goal>,
    /// The families of items that are shown; all if it is empty.
    pub(crate) only: Vec<String>,
    /// The flag or key that names the families, for messages.
    only_source: String,
    pub(crate) skill: Option<SkillFigure>,
}

impl SimulateSettings {
    /// Reads the experiment file, if there is one, and combines it with the flags.
    ///
    /// # Errors
    /// If the file can't be read, or a setting is out of range.
    pub(crate) fn new<L: GameList>(arguments: &Arguments) -> anyhow::Result<Self> {
        let mut file = ExperimentFile::default();
        let mut game = arguments.game.clone();
        let experiment = arguments.experiment.as_deref().map(Document::read).transpose()?;
        if let Some(document) = &experiment {
            file = ExperimentFile::parse(document)?;
            game.game = game.game.or(file.game::<L>(document)?);
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
        let has_flag = arguments.bots.is_some() || arguments.panel.is_some();
        let (bots, panel) = if has_flag {
            (arguments.bots.clone(), arguments.panel.clone())
        } else {
            let wrong = |message| error(false, "panel", message);
            let parse = |names: Vec<String>| names.iter().map(|name| name.parse()).collect();
            (file.bots, file.panel.map(parse).transpose().map_err(wrong)?)
        };
        if !has_flag && bots.is_some() && panel.is_some() {
            let message = "expected `bots` or `panel`, found both".to_owned();
            return Err(error(false, "panel", message));
        }
        let key = if panel.is_some() { "panel" } else { "bots" };
        let bots_source = match &experiment {
            Some(document) if !has_flag => document.key_location(key),
            _ => format!("--{key}"),
        };
        let (only, only_source) = match &experiment {
            Some(document) if arguments.only.is_empty() => {
                (file.only, document.key_location("only"))
            }
            _ => (arguments.only.clone(), "--only".to_owned()),
        };
        let players_source = experiment.as_ref().map(|document| document.key_location("players"));
        let selection = game.resolve_with_players::<L>(file.players, players_source.as_deref())?;
        let skill = arguments.skill.as_deref();
        Ok(Self {
            skill: skill.map(|folder| SkillFigure::read(folder, &selection)).transpose()?,
            selection,
            bots_source,
            bots,
            panel,
            games,
            seed: run.seed.or(file.seed).unwrap_or(DEFAULT_SEED),
            overwrite: *force || out.is_none(),
            out: out.unwrap_or_else(|| PathBuf::from(DEFAULT_OUT)),
            opening_depth,
            goal,
            only,
            only_source,
        })
    }

    /// Reads the bots in the seats, and the panel; the first bot of a panel has all seats.
    ///
    /// # Errors
    /// If there is no such bot, or not one for each seat.
    pub(crate) fn read_bots<G: FullGame>(
        &self,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<LineupAndPanel<G>> {
        let players = self.selection.players;
        if let Some(names) = &self.bots {
            return Ok((read_bots(library, players, names, &self.bots_source)?, Vec::new()));
        }
        let default = || default_panel(library);
        let entries = self.panel.clone().unwrap_or_else(default);
        let panel = read_panel(library, &entries, &self.bots_source)?;
        Ok((vec![panel[0].bot.clone(); players], panel))
    }

    /// Creates the checkpoint of the run before its first game.
    ///
    /// # Errors
    /// If there are too many games or shards, or the goal does not suit the bots.
    pub(crate) fn new_checkpoint<G: FullGame>(
        &self,
        game: &G,
        bots: &[BotFactory<G>],
        panel: &[PanelFactory<G>],
        rotations: &Rotations,
        arguments: &Arguments,
    ) -> anyhow::Result<Checkpoint> {
        let (selection, games_per_block) = (&self.selection, rotations.games_per_block());
        for family in &self.only {
            find_family(game.catalog(), family).with_context(|| self.only_source.clone())?;
        }
        let blocks = rotations.blocks_for_games(self.games);
        let Some(games_planned) = blocks.checked_mul(games_per_block) else {
            let max = u64::MAX - games_per_block;
            bail!("--games: expected fewer than {max}, found {}", self.games);
        };
        if let Some(shard) = arguments.parts.shard.filter(|shard| shard.count > blocks) {
            bail!("--shard: expected at most {blocks} shards for {blocks} blocks, found {shard}");
        }
        let setup = RunSetup {
            identity: RunIdentity::new(selection.game.id, selection.players, self.seed),
            question: SimulateSetup {
                data: DataSource::new(&selection.document, &selection.provenance),
                data_sha256: selection.document.values_sha256()?,
                bots: bots.iter().map(Into::into).collect(),
                panel: panel.iter().map(|bot| bot.member(games_planned)).collect(),
                opening_depth: self.opening_depth,
                games_planned,
                games_per_block,
                shard: arguments.parts.shard,
                goal: self.goal,
                only: self.only.clone(),
                skill: self.skill.clone(),
            },
        };
        let distinct = setup.distinct_bots().len();
        if self.goal == Some(Goal::Significance) {
            ensure!(
                distinct > 1,
                "--until-significant: expected at least 2 different bots, found {}",
                bots[0].name()
            );
            ensure!(
                !game.is_cooperative(),
                "--until-significant: expected a competitive game; in {} all seats win or lose \
                 together",
                selection.document.name
            );
        }
        let command = self.command(bots, &setup.question.panel, arguments).to_string();
        let (data, tally) = (selection.document.text.clone(), Tally::for_game(game, distinct));
        let mut checkpoint = Checkpoint::new(command, setup, data, tally);
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
    fn command<G>(
        &self,
        bots: &[BotFactory<G>],
        panel: &[PanelMember],
        arguments: &Arguments,
    ) -> RepeatCommand {
        let precision = arguments.precision.map(|points| format!("{points}pp"));
        let lineup = match panel {
            [] => ["--bots".to_owned(), bot_names(bots)],
            [first, others @ ..] => {
                let others = others.iter().map(PanelMember::entry);
                let entries = std::iter::once(first.bot.name.clone()).chain(others);
                ["--panel".to_owned(), entries.collect::<Vec<_>>().join(",")]
            }
        };
        RepeatCommand::new(KIND)
            .game(&self.selection)
            .flag_and_value(lineup)
            .option("--games", self.games)
            .option("--seed", self.seed)
            .option("--opening-depth", self.opening_depth)
            .option_if("--precision", precision)
            .flag_if("--until-significant", arguments.until_significant)
            .flag_if("--games-csv", arguments.games_csv)
            .options("--only", &self.only)
            .option_if("--skill", arguments.skill.as_ref().map(|folder| folder.display()))
    }
}

/// Parses percentage points, such as `0.5pp`.
pub(crate) fn parse_percentage_points(text: &str) -> Result<f64, String> {
    let points = text.strip_suffix("pp").and_then(|points| points.parse().ok());
    points
        .filter(|points| (0.001..50.0).contains(points))
        .ok_or_else(|| "expected percentage points from 0.001 to 50, as in 0.5pp".to_owned())
}
