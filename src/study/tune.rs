//! `tune`: optimises parameters of a profile by self-play and confirms the result on new deals.

pub(crate) mod arguments;
mod evolution;
mod experiment;
mod log;
mod page;
mod space;
mod tables;

use std::{path::Path, time::Instant};

use anyhow::{Context as _, bail};
use arguments::TuneArguments;
use evolution::Evolution;
use experiment::{Interrupted, PlayOff, Tuning};
use log::EvaluationLog;
use page::TuningPage;
use rayon::ThreadPool;
use serde::Serialize;
use serde_json::Value;
use space::{Parameter, ParameterSpace};

use crate::{
    bots::{BotFactory, profile::BotLibrary},
    bound::BoundGame,
    games::GameList,
    report::{
        data_table::Schema,
        origin::BotDescription,
        terminal::{print, print_info},
    },
    run::{
        ExitStatus,
        arguments::{GameSelection, RunArguments, read_bots},
        command::RepeatCommand,
        files::{RunFolder, lock_folder, read_manifest},
        manifest::{self, DataSource, Manifest, RunIdentity, Timing},
        page::FILE as REPORT,
        progress_bar::{progress_bar, stop_on_interrupt},
    },
};

const EVALUATIONS: &str = "evaluations.csv";
const PLAY_OFF: &str = "playoff.csv";
pub(super) const BEST: &str = "best.toml";

/// Default weight of the mean score in games that can end without a winner. The score guides the
/// search while wins are rare; the weight is so low that wins dominate once there are some.
const DEFAULT_POINT_VALUE: f64 = 0.001;

/// Returns the descriptions of the tables, with one tuned parameter.
pub(crate) fn schemas() -> Vec<Schema> {
    let space = ParameterSpace::example();
    vec![tables::evaluations_columns(&space).schema(), tables::playoff_columns(&space).schema()]
}

/// Everything besides the identity of the run that decides its results.
#[derive(Serialize)]
struct TuneSetup {
    #[serde(flatten)]
    data: DataSource,
    data_sha256: String,
    profile: BotDescription,
    keys: Vec<Parameter>,
    opponents: Vec<BotDescription>,
    games_per_candidate: u64,
    candidates_per_generation: usize,
    generations: u64,
    point_value: f64,
    step: f64,
    restarts: u64,
    playoff_games: u64,
    #[serde(skip)]
    seed: u64,
}

/// Part of the manifest that other commands do not have.
#[derive(Serialize)]
struct TuneManifest<'a> {
    #[serde(flatten)]
    setup: &'a TuneSetup,
    /// True if a better profile was found.
    improved: bool,
}

pub(crate) fn run(games: GameList, arguments: &TuneArguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve(games)?;
    TuneTask { arguments, selection: &selection }.run()
}

/// Says where the new profile is, or why there is none.
fn describe_end(improved: bool, path: &Path, profile: &str) -> String {
    if improved {
        format!("written to {}", path.display())
    } else {
        format!("no profile written: no significant improvement of {profile}")
    }
}

/// A command with the game that its flags select.
struct TuneTask<'a> {
    arguments: &'a TuneArguments,
    selection: &'a GameSelection,
}

impl TuneTask<'_> {
    fn run(&self) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = *self;
        let game = &selection.open()?;
        let library = game.library();
        let RunArguments { quiet, .. } = arguments.run;
        let profile = library.read(&arguments.profile).context("--profile")?;
        let space = ParameterSpace::new(&library.profiles, &arguments.profile, &arguments.keys)?;
        let opponents = self.read_opponents(library, &profile)?;
        let setup = self.setup(game, &profile, &space, &opponents)?;
        let identity = RunIdentity::new(library.profiles.game, selection.players, setup.seed);
        let command = self.repeat_command(&setup);
        let folder = lock_folder(
            &arguments.out,
            game.catalog(),
            &[("--config", selection.config.as_deref())],
        )?;
        let previous =
            if arguments.resume { self.previous_manifest(&identity, &setup)? } else { None };
        if let Some(previous) = previous.as_ref().filter(|previous| previous["complete"] == true) {
            if !quiet {
                print_info(&format!("{}: the run is finished", arguments.out.display()));
            }
            return Ok(exit_status(previous["improved"] == true));
        }
        folder.ensure_writable(arguments.force || previous.is_some())?;
        if previous.is_none() {
            folder.remove_run()?;
            folder.remove_unfinished()?;
            folder.remove(EVALUATIONS)?;
        }
        // From now on the other files are known to belong to this run.
        let manifest = new_manifest(&command, identity, &setup);
        folder.write(manifest::FILE, &manifest.to_json())?;
        let log_path = folder.path().join(EVALUATIONS);
        let header = tables::evaluations_columns(&space).schema().csv_header();
        let log = EvaluationLog::open(log_path, &header, previous.is_some())?;

        let started = Instant::now();
        let bar = progress_bar(0, "games", quiet);
        let mut tuning = Tuning {
            game,
            library: &library.profiles,
            setup: &setup,
            space: &space,
            profile: &profile,
            opponents: &opponents,
            log,
            stop: stop_on_interrupt()?,
            bar: &bar,
            best_win_rate: 0.0,
        };
        let blocks = tuning.blocks(arguments.games.max(arguments.playoff_games));
        let pool = arguments.run.thread_pool(blocks, opponents.iter().chain([&profile]))?;
        let play_off = run_stages(&mut tuning, &pool)?;
        let Some(play_off) = play_off else { return Ok(ExitStatus::Negative) };

        let timing = Timing {
            threads: pool.current_num_threads(),
            wall_seconds: started.elapsed().as_secs_f64(),
            games_per_second: None,
        };
        let results = TuneResults {
            selection,
            setup: &setup,
            space: &space,
            profile: &profile,
            command: &command,
            play_off: &play_off,
        };
        let improved = results.write(&folder, manifest, timing)?;
        print(&results.text(improved, &folder.path().join(BEST)));
        Ok(exit_status(improved))
    }

    /// Reads the bots in the other seats: without `--against`, the profile itself.
    fn read_opponents(
        &self,
        library: &BotLibrary,
        profile: &BotFactory,
    ) -> anyhow::Result<Vec<BotFactory>> {
        match (self.selection.players - 1, &self.arguments.against[..]) {
            (seats, []) => Ok(vec![profile.clone(); seats]),
            (seats, names) => read_bots(library, seats, names, "--against"),
        }
    }
}

/// Runs all stages. Returns `None` if they were interrupted, after a message.
fn run_stages(tuning: &mut Tuning<'_>, pool: &ThreadPool) -> anyhow::Result<Option<PlayOff>> {
    let play_off = pool.install(|| {
        let finalists = tuning.run_restarts()?;
        tuning.play_off(&finalists)
    });
    tuning.bar.finish_and_clear();
    match play_off {
        Err(error) if error.is::<Interrupted>() => {
            print_info(&error.to_string());
            Ok(None)
        }
        play_off => play_off.map(Some),
    }
}

/// Returns the manifest of a tuning that has just begun.
fn new_manifest<'a>(
    command: &'a RepeatCommand,
    identity: RunIdentity,
    setup: &'a TuneSetup,
) -> Manifest<'a, TuneManifest<'a>> {
    let mut manifest = Manifest::new(command, identity, TuneManifest { setup, improved: false });
    // All files of the run, so that a later run can remove them.
    manifest.files = [EVALUATIONS, PLAY_OFF, BEST, REPORT].map(str::to_owned).into();
    manifest
}

/// The play-off with everything that its files show.
struct TuneResults<'a> {
    selection: &'a GameSelection,
    setup: &'a TuneSetup,
    space: &'a ParameterSpace,
    profile: &'a BotFactory,
    command: &'a RepeatCommand,
    play_off: &'a PlayOff,
}

impl TuneResults<'_> {
    /// Returns the result of the play-off in words.
    fn description(&self) -> String {
        self.play_off.describe(self.profile.name(), self.selection.players)
    }

    /// Writes the table, the page, the manifest, and the profile if it is better than that of the
    /// command. Returns true if it is.
    fn write(
        &self,
        folder: &RunFolder,
        mut manifest: Manifest<'_, TuneManifest<'_>>,
        timing: Timing,
    ) -> anyhow::Result<bool> {
        let Self { selection, setup, space, profile, command, play_off } = self;
        folder.write(PLAY_OFF, &play_off.table.csv())?;
        let page = TuningPage {
            setup,
            identity: &manifest.identity,
            data: &selection.document,
            play_off,
            command: &command.to_string(),
        };
        folder.write(REPORT, &page.render())?;
        manifest.files = [EVALUATIONS, PLAY_OFF, REPORT].map(str::to_owned).into();
        if let Some(values) = play_off.improvement() {
            let description =
                format!("{}, tuned by self-play: {}", profile.name(), self.description());
            let text = selection.profile_header(&command.to_string())
                + &space.profile_text(values, &description);
            folder.write(BEST, text.as_bytes())?;
            manifest.files.push(BEST.to_owned());
            manifest.question.improved = true;
        }
        manifest.complete = true;
        manifest.timing = Some(timing);
        folder.write(manifest::FILE, &manifest.to_json())?;
        Ok(manifest.question.improved)
    }

    /// Returns the text for the terminal.
    fn text(&self, improved: bool, path: &Path) -> String {
        let Self { command, play_off, profile, .. } = self;
        let shown = play_off.table.view().select(&["stage", "bot", "win_rate"]).text();
        let result = self.description();
        let end = describe_end(improved, path, profile.name());
        format!("{command}\n\n{shown}\n{result}\n{end}\n")
    }
}

fn exit_status(improved: bool) -> ExitStatus {
    if improved { ExitStatus::Success } else { ExitStatus::Negative }
}

impl TuneTask<'_> {
    fn setup(
        &self,
        game: &BoundGame,
        profile: &BotFactory,
        space: &ParameterSpace,
        opponents: &[BotFactory],
    ) -> anyhow::Result<TuneSetup> {
        let Self { arguments, selection } = self;
        let candidates_per_generation = Evolution::population_size(space.parameters.len());
        let default_point_value =
            if game.wins_are_independent() { DEFAULT_POINT_VALUE } else { 0.0 };
        Ok(TuneSetup {
            data: DataSource::new(&selection.document, &selection.provenance),
            data_sha256: selection.document.values_sha256()?,
            profile: profile.into(),
            keys: space.parameters.clone(),
            opponents: opponents.iter().map(Into::into).collect(),
            games_per_candidate: arguments.games,
            candidates_per_generation,
            generations: arguments.evaluations.div_ceil(candidates_per_generation as u64),
            point_value: arguments.point_value.unwrap_or(default_point_value),
            step: arguments.step_size,
            restarts: arguments.restarts,
            playoff_games: arguments.playoff_games,
            seed: arguments.run.seed(),
        })
    }

    /// Returns the manifest of the run in the output folder, if there is one.
    ///
    /// # Errors
    /// Returns an error if it is the manifest of a run with another setup.
    fn previous_manifest(
        &self,
        identity: &RunIdentity,
        setup: &TuneSetup,
    ) -> anyhow::Result<Option<Value>> {
        let path = self.arguments.out.join(manifest::FILE);
        let Some(previous) = read_manifest::<Value>(&path) else { return Ok(None) };
        // Builds are compared by their sources, and data files by their values.
        let compared = |manifest: &Value, key: &str| match key {
            "build" => manifest[key]["source_sha256"].clone(),
            "config_sha256" => Value::Null,
            key => manifest[key].clone(),
        };
        for present in [serde_json::to_vec(identity)?, serde_json::to_vec(setup)?] {
            // Parsed like the manifest, so that equal numbers compare equal.
            let present: Value = serde_json::from_slice(&present)?;
            let mut keys = present.as_object().into_iter().flatten().map(|(key, _)| key);
            if let Some(key) = keys.find(|key| compared(&previous, key) != compared(&present, key))
            {
                bail!(
                    "{}: holds another run: its `{key}` is {}, not {}; expected another folder, \
                     or no --resume",
                    path.display(),
                    compared(&previous, key),
                    compared(&present, key)
                );
            }
        }
        Ok(Some(previous))
    }

    fn repeat_command(&self, setup: &TuneSetup) -> RepeatCommand {
        let Self { arguments, selection } = self;
        let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
        RepeatCommand::new("tune")
            .game(selection)
            .option("--profile", &arguments.profile)
            .option_if("--keys", list(&arguments.keys))
            .option_if("--against", list(&arguments.against))
            .option("--games", arguments.games)
            .option("--evaluations", arguments.evaluations)
            .option("--point-value", setup.point_value)
            .option("--step-size", arguments.step_size)
            .option("--restarts", arguments.restarts)
            .option("--playoff-games", arguments.playoff_games)
            .option("--seed", setup.seed)
    }
}
