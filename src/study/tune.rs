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
use experiment::{Interrupted, Tuning};
use log::EvaluationLog;
use page::TuningPage;
use serde::Serialize;
use serde_json::Value;
use space::{Parameter, ParameterSpace};

use crate::{
    bots::BotFactory,
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
        files::{lock_folder, read_manifest},
        manifest::{self, DataSource, Manifest, RunIdentity, Timing},
        page::FILE as REPORT,
        progress_bar::{progress_bar, stop_on_interrupt},
    },
};

const EVALUATIONS: &str = "evaluations.csv";
const PLAY_OFF: &str = "playoff.csv";
const BEST: &str = "best.toml";

/// Default weight of the mean score in games that can end without a winner. The score guides the
/// search while wins are rare; the weight is so low that wins dominate once there are some.
const DEFAULT_POINT_VALUE: f64 = 0.001;

/// Returns the descriptions of the tables, with one tuned parameter.
pub(crate) fn schemas() -> Vec<Schema> {
    let space = ParameterSpace::example();
    vec![tables::evaluations_schema(&space), tables::playoff_schema(&space)]
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
        let game = &*selection.open()?;
        let library = game.library();
        let RunArguments { quiet, .. } = arguments.run;
        let profile = library.read(&arguments.profile).context("--profile")?;
        let space = ParameterSpace::new(&library.profiles, &arguments.profile, &arguments.keys)?;
        let opponents = match (selection.players - 1, &arguments.against[..]) {
            (seats, []) => vec![profile.clone(); seats],
            (seats, names) => read_bots(library, seats, names, "--against")?,
        };
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
        folder.ensure_writable(arguments.force)?;
        if previous.is_none() {
            folder.remove_run()?;
            folder.remove_partial_files()?;
        }
        let log_path = folder.path().join(EVALUATIONS);
        let header = tables::evaluations_schema(&space).csv_header();
        let log = EvaluationLog::open(log_path, &header, previous.is_some())?;
        let question = TuneManifest { setup: &setup, improved: false };
        let mut manifest = Manifest::new(&command, identity, question);
        // All files of the run, so that a later run can remove them.
        manifest.files = [EVALUATIONS, PLAY_OFF, BEST, REPORT].map(str::to_owned).into();
        folder.write(manifest::FILE, &manifest.to_json())?;

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
        let play_off = pool.install(|| {
            let finalists = tuning.run_restarts()?;
            tuning.play_off(&finalists)
        });
        bar.finish_and_clear();
        let play_off = match play_off {
            Err(error) if error.is::<Interrupted>() => {
                print_info(&error.to_string());
                return Ok(ExitStatus::Negative);
            }
            play_off => play_off?,
        };

        folder.write(PLAY_OFF, &play_off.table.csv())?;
        let page = TuningPage {
            setup: &setup,
            identity: &manifest.identity,
            data: &selection.document,
            play_off: &play_off,
            command: &command.to_string(),
        };
        folder.write(REPORT, &page.render())?;
        manifest.files = [EVALUATIONS, PLAY_OFF, REPORT].map(str::to_owned).into();
        let result = play_off.describe(profile.name(), selection.players);
        if let Some(values) = play_off.improvement() {
            let description = format!("{}, tuned by self-play: {result}", profile.name());
            let text = selection.profile_header(&command.to_string())
                + &space.profile_text(values, &description);
            folder.write(BEST, text.as_bytes())?;
            manifest.files.push(BEST.to_owned());
            manifest.question.improved = true;
        }
        manifest.complete = true;
        manifest.timing = Some(Timing {
            threads: pool.current_num_threads(),
            wall_seconds: started.elapsed().as_secs_f64(),
            games_per_second: None,
        });
        folder.write(manifest::FILE, &manifest.to_json())?;

        let shown = play_off.table.view().select(&["stage", "bot", "win_rate"]).text();
        let improved = manifest.question.improved;
        let end = describe_end(improved, &folder.path().join(BEST), profile.name());
        print(&format!("{command}\n\n{shown}\n{result}\n{end}\n"));
        Ok(exit_status(improved))
    }
}

fn exit_status(improved: bool) -> ExitStatus {
    if improved { ExitStatus::Success } else { ExitStatus::Negative }
}

impl TuneTask<'_> {
    fn setup(
        &self,
        game: &dyn BoundGame,
        profile: &BotFactory,
        space: &ParameterSpace,
        opponents: &[BotFactory],
    ) -> anyhow::Result<TuneSetup> {
        let Self { arguments, selection } = self;
        let candidates_per_generation = Evolution::population_size(space.parameters.len());
        let default_point_value =
            if game.can_end_without_winner() { DEFAULT_POINT_VALUE } else { 0.0 };
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
