//! `tune`: optimises parameters of a profile by self-play and confirms the result on new deals.

pub mod evolution;
pub mod log;
pub mod space;
mod stages;
mod tables;

use std::{path::PathBuf, time::Instant};

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};
use evolution::Evolution;
use log::EvaluationLog;
use serde::Serialize;
use serde_json::Value;
use space::ParameterSpace;
use stages::Tuning;

use crate::{
    bots::profile::{BotLibrary, Profile},
    config::{MAX_FILE_BYTES, read_at_most},
    game::FullGame,
    games::GameTask,
    report::{
        data_table::Schema,
        origin::BotDescription,
        terminal::{print, print_info},
    },
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection, RunArguments, number, read_bots},
        command::RepeatCommand,
        count::count,
        files::{OutputError, lock_folder},
        manifest::{self, DataSource, Manifest, RunIdentity, Timing},
        progress_bar::{progress_bar, stop_on_interrupt},
    },
};

const EVALUATIONS: &str = "evaluations.csv";
const PLAY_OFF: &str = "playoff.csv";
const BEST: &str = "best.toml";

/// Maximum numbers of games, so that the games of all candidates can be counted.
const MAX_GAMES: u64 = 1_000_000_000;

/// Default weight of the mean score in games that can end without a winner. The score guides the
/// search while wins are rare; the weight is so low that wins dominate once there are some.
const DEFAULT_POINT_VALUE: f64 = 0.001;

#[derive(Args, Debug)]
#[command(after_help = "\
The optimiser is an evolution strategy (separable CMA-ES), restarted several times. The objective \
of a candidate is its win rate in one seat against the opponents in the others, plus --point-value \
times its mean score. All candidates of a generation play the same deals; each generation has new \
deals. The result of a restart is the final mean of its distribution.

These results and the initial profile play a play-off on new deals against the same opponents. The \
one with the most wins is confirmed on new deals: it and the initial profile take the same seats \
against copies of the initial profile. If the 95 % confidence interval of the difference of win \
rates lies above 0, the profile is written to best.toml. Otherwise the exit code is 1.

Without a range, a weight can change by its own size, but at least by the mean size of all \
weights. Another parameter can become half to twice its value, or up to 1 if that is its upper \
limit.

Examples:
  watershed tune --profile balanced --out results/tuned
  watershed tune --profile balanced --games 1k --out results/two \\
      --keys weights.tokens,weights.production=0..2
  watershed tune --game common_river --profile steward --step 0.02 \\
      --keys 'weights.*,weights_at_end.*' --out results/alone
  watershed tune --profile mcts:iterations=200 --games 100 \\
      --keys exploration=0.05..1,margin_weight --evaluations 60 \\
      --out results/search
  watershed simulate --bots results/tuned/best.toml,balanced")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Start from this bot: a profile, a path, or kind:key=value
    #[arg(long, value_name = "BOT")]
    profile: String,
    /// Tune these parameters, optionally in a range; `weights.*` stands for the weights of all
    /// features [default: all weights in the profile]
    #[arg(long, value_name = "KEY[=LOW..HIGH],…", value_delimiter = ',',
        action = ArgAction::Set)]
    keys: Vec<String>,
    /// Play against these bots, one per other seat, or one for all [default: the initial profile]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    against: Vec<String>,
    /// Set the number of games per candidate, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 400,
        value_parser = count::<u64>(1..=MAX_GAMES))]
    games: u64,
    /// Set the number of candidates per restart, rounded up to whole generations
    #[arg(long, value_name = "N", default_value_t = 300,
        value_parser = count::<u64>(1..=1_000_000))]
    evaluations: u64,
    /// Set the weight of the mean score in the objective, in wins per point [default: 0.001 if a
    /// game can end without a winner, else 0]
    #[arg(long, value_name = "V", value_parser = point_value)]
    point_value: Option<f64>,
    /// Set the initial standard deviation, in widths of the ranges
    #[arg(long, value_name = "S", default_value_t = 0.1, value_parser = step)]
    step: f64,
    /// Set the number of restarts
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = count::<u64>(1..=1000))]
    runs: u64,
    /// Set the number of games per bot in the play-off and in the confirmation, rounded up to
    /// whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = count::<u64>(1..=MAX_GAMES))]
    playoff_games: u64,
    /// Set the output folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Resume an interrupted run
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    run: RunArguments,
}

fn point_value(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}

fn step(text: &str) -> Result<f64, String> {
    number(text, 1e-4..=1.0)
}

/// Returns the descriptions of the tables, with one tuned parameter.
pub fn schemas() -> Vec<Schema> {
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
    keys: Vec<ParameterRange>,
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

/// Parameter in the manifest.
#[derive(Serialize)]
struct ParameterRange {
    key: String,
    start: Option<f64>,
    low: f64,
    high: f64,
}

/// Part of the manifest that other commands do not have.
#[derive(Serialize)]
struct TuneManifest<'a> {
    #[serde(flatten)]
    setup: &'a TuneSetup,
    /// True if a better profile was found.
    improved: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    selection.run_on_this_thread(Tune { arguments, selection: &selection })
}

struct Tune<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for Tune<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let RunArguments { quiet, .. } = arguments.run;
        let profile = library.read(&arguments.profile).context("--profile")?;
        let space = ParameterSpace::new(library, &arguments.profile, &arguments.keys)?;
        let opponents = self.read_opponents(library, &profile)?;
        let setup = self.setup(game, &profile, &space, &opponents)?;
        let identity = RunIdentity::new(library.game, selection.players, setup.seed);
        let command = self.repeat_command(&setup);
        let folder =
            lock_folder(&arguments.out, game, &[("--config", selection.config.as_deref())])?;
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
        let log = EvaluationLog::open(&log_path, &header, previous.is_some())
            .map_err(|error| OutputError::Unwritable(log_path.clone(), error))?;
        let question = TuneManifest { setup: &setup, improved: false };
        let mut manifest = Manifest::new(&command, identity, question);
        // All files of the run, so that a later run can remove them.
        manifest.files = [EVALUATIONS, PLAY_OFF, BEST].map(str::to_owned).into();
        folder.write(manifest::FILE, &manifest.to_json())?;

        let started = Instant::now();
        let bar = progress_bar(0, quiet);
        let mut tuning = Tuning {
            game,
            library,
            setup: &setup,
            space: &space,
            profile: &profile,
            opponents: &opponents,
            log,
            log_path: &log_path,
            stop: stop_on_interrupt()?,
            bar: &bar,
            best_win_rate: 0.0,
        };
        let blocks = tuning.blocks(arguments.games.max(arguments.playoff_games));
        let pool = arguments.run.thread_pool(blocks, opponents.iter().chain([&profile]))?;
        let play_off = pool.install(|| match tuning.run_restarts()? {
            Some(finalists) => tuning.play_off(&finalists),
            None => Ok(None),
        })?;
        bar.finish_and_clear();
        let Some(play_off) = play_off else {
            print_info("interrupted: all finished evaluations are saved; continue with --resume");
            return Ok(ExitStatus::Negative);
        };

        folder.write(PLAY_OFF, &play_off.table.csv())?;
        manifest.files = [EVALUATIONS, PLAY_OFF].map(str::to_owned).into();
        let result = play_off.describe(&profile.name, selection.players);
        if let Some(values) = play_off.improvement() {
            let description = format!("{}, tuned by self-play: {result}", profile.name);
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
        print(&format!("{command}\n\n{shown}\n{result}\n"));
        let improved = manifest.question.improved;
        if improved {
            print(&format!("written to {}\n", folder.path().join(BEST).display()));
        } else {
            print(&format!("no profile written: no significant improvement of {}\n", profile.name));
        }
        Ok(exit_status(improved))
    }
}

fn exit_status(improved: bool) -> ExitStatus {
    if improved { ExitStatus::Success } else { ExitStatus::Negative }
}

impl Tune<'_> {
    /// Reads the bots in the other seats.
    fn read_opponents(
        &self,
        library: &BotLibrary<'_>,
        profile: &Profile,
    ) -> anyhow::Result<Vec<Profile>> {
        let seats = self.selection.players - 1;
        match &self.arguments.against[..] {
            [] => Ok(vec![profile.clone(); seats]),
            names => read_bots(library, seats, names, "--against"),
        }
    }

    fn setup<G: FullGame>(
        &self,
        game: &G,
        profile: &Profile,
        space: &ParameterSpace,
        opponents: &[Profile],
    ) -> anyhow::Result<TuneSetup> {
        let Self { arguments, selection } = self;
        let candidates_per_generation = Evolution::population_size(space.parameters.len());
        let default_point_value =
            if game.can_end_without_winner() { DEFAULT_POINT_VALUE } else { 0.0 };
        let range = |parameter: &space::Parameter| ParameterRange {
            key: parameter.name.clone(),
            start: parameter.start,
            low: parameter.low,
            high: parameter.high,
        };
        Ok(TuneSetup {
            data: DataSource::new(&selection.document, &selection.provenance),
            data_sha256: selection.document.values_sha256()?,
            profile: profile.into(),
            keys: space.parameters.iter().map(range).collect(),
            opponents: opponents.iter().map(Into::into).collect(),
            games_per_candidate: arguments.games,
            candidates_per_generation,
            generations: arguments.evaluations.div_ceil(candidates_per_generation as u64),
            point_value: arguments.point_value.unwrap_or(default_point_value),
            step: arguments.step,
            restarts: arguments.runs,
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
        let previous = read_at_most(&path, MAX_FILE_BYTES).ok();
        let Some(previous) =
            previous.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        else {
            return Ok(None);
        };
        // Of the build only the sources matter, and of the data file only the values.
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
            .option("--step", arguments.step)
            .option("--runs", arguments.runs)
            .option("--playoff-games", arguments.playoff_games)
            .option("--seed", setup.seed)
    }
}
