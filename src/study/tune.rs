//! `watershed tune`: better numbers for a profile, found by self-play and confirmed on fresh deals.

pub mod evolution;
pub mod log;
pub mod space;

use std::{ops::Range, path::PathBuf, sync::atomic::AtomicBool, time::Instant};

use anyhow::{Context as _, bail};
use clap::{ArgAction, Args};
use indicatif::ProgressBar;
use rand::RngExt;
use serde::Serialize;
use serde_json::Value;

use crate::{
    arena::{
        compared_metrics::ComparedMetrics,
        comparison::ComparisonExperiment,
        run::Experiment,
        tally::{ALL_SEATS, BotTally},
    },
    bots::profile::{BotLibrary, Profile},
    config::{MAX_FILE_BYTES, read_at_most},
    game::{FullGame, UNITS_PER_WIN},
    games::GameTask,
    identity::Build,
    report::origin::BotDescription,
    report::terminal::{print, print_info},
    rng::{Purpose, stream},
    run::{
        ExitStatus,
        arguments::{
            DEFAULT_SEED, GameArguments, GameSelection, build_thread_pool, max_parallel_tasks,
            number, read_bots,
        },
        count::count,
        files::OutputError,
        files::lock_folder,
        manifest,
        progress_bar::{progress_bar, stop_on_interrupt},
        shell::shell_quote,
        study_manifest::ManifestHeader,
    },
    stats::{
        paired::PairedSums,
        ratio::{Estimate, Ratio},
    },
    study::tune::{
        evolution::Evolution,
        log::{EvaluationLog, LogEntry},
        space::ParameterSpace,
    },
};

const EVALUATIONS: &str = "evaluations.csv";
const PLAY_OFF: &str = "playoff.csv";
const BEST: &str = "best.toml";
/// The name and version of the manifest's format.
const FORMAT: &str = "watershed.tune/1";

#[derive(Args, Debug)]
#[command(
    after_help = "Each of several independent runs is an evolution strategy (separable CMA-ES). A \
candidate's worth is its share of wins in one seat against the opponents in the others, over \
blocks, and --point-value times its mean score; all candidates of a generation play the same \
blocks, and each generation fresh ones. A run ends with the middle of its last distribution. These \
and the profile as it was meet in a play-off on fresh blocks against the same opponents; from here \
on wins alone count. The first of them must then win more than the profile as it was does in its \
place, on the same fresh blocks and with the profile as it was in all other seats: with the lower \
end of the 95 % interval of the difference above 0. If it does not, no profile is written, and the \
exit code is 1.

Without a range, a weight may change by its own size, but at least by the mean size of all \
weights; another number may become anything from half to twice what it is, or to 1 where that is \
its limit.

Examples:
  watershed tune --profile balanced --out results/tuned
  watershed tune --profile balanced --games 1k --out results/two \\
      --keys weights.tokens,weights.production=0..2
  watershed tune --game common_river --profile steward --step 0.02 \\
      --keys 'weights.*,weights_at_end.*' --out results/alone
  watershed tune --profile mcts:iterations=200 --games 100 \\
      --keys exploration=0.05..1,margin_weight --evaluations 60 \\
      --out results/search
  watershed simulate --bots results/tuned/best.toml,balanced"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The bot to begin with: a profile's name, a path, or kind:key=value:key=value
    #[arg(long, value_name = "NAME|PATH")]
    profile: String,
    /// The numbers to tune, with or without limits; `weights.*`: those of all features [default:
    /// all weights that a heuristic gives]
    #[arg(long, value_name = "KEY[=LOW..HIGH],…", value_delimiter = ',', action = ArgAction::Set)]
    keys: Vec<String>,
    /// The bots in the other seats, or one for all of them [default: the profile as it was]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    against: Vec<String>,
    /// Games per candidate, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = count::<u64>(1..=MOST))]
    games: u64,
    /// Candidates per run, rounded up to whole generations
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = count::<u64>(1..=1_000_000))]
    evaluations: u64,
    /// What a point of the mean score is worth to a candidate, in wins [default: 0.001 where all
    /// may lose, else 0]
    #[arg(long, value_name = "V", value_parser = point_value)]
    point_value: Option<f64>,
    /// The standard deviation of the first candidates, in widths of the ranges
    #[arg(long, value_name = "S", default_value_t = 0.1, value_parser = step)]
    step: f64,
    /// Independent runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = count::<u64>(1..=1000))]
    runs: u64,
    /// Games of each bot in the play-off, and of the confirmation, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..=MOST))]
    playoff_games: u64,
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Go on with an interrupted run
    #[arg(long)]
    resume: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

/// Where wins are rare at first, the score says which way they lie; as little as this leaves the
/// word to wins where there are some.
const POINT_VALUE_WHERE_ALL_MAY_LOSE: f64 = 0.001;

fn point_value(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}

fn step(text: &str) -> Result<f64, String> {
    number(text, 1e-4..=1.0)
}

/// More games than anyone waits for, so that those of all candidates can be counted.
const MOST: u64 = 1_000_000_000;

/// What decides the result: two tunings with equal setups find the same.
#[derive(Serialize)]
struct Setup<'a> {
    version: &'static str,
    build: Build,
    game: &'a str,
    config: &'a str,
    config_sha256: &'a str,
    data_sha256: String,
    provenance: &'a str,
    players: usize,
    profile: BotDescription,
    keys: Vec<Limits<'a>>,
    opponents: Vec<BotDescription>,
    games_per_candidate: u64,
    candidates_per_generation: usize,
    generations: u64,
    point_value: f64,
    step: f64,
    runs: u64,
    playoff_games: u64,
    seed: u64,
}

#[derive(Serialize)]
struct Limits<'a> {
    key: &'a str,
    start: Option<f64>,
    low: f64,
    high: f64,
}

/// `run.json`.
#[derive(Serialize)]
struct Manifest<'a> {
    #[serde(flatten)]
    heading: ManifestHeader<'a>,
    #[serde(flatten)]
    setup: &'a Setup<'a>,
    /// Whether all of it was done.
    complete: bool,
    /// Whether a better profile was found.
    improved: bool,
    files: Vec<&'static str>,
    /// What differs between two equal runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
}

#[derive(Serialize)]
struct Timing {
    threads: usize,
    /// Wall time in seconds since the run began or went on.
    wall_seconds: f64,
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
        let profile = library.read(&arguments.profile).context("--profile")?;
        let space = ParameterSpace::new(library, &arguments.profile, &arguments.keys)?;
        let rivals = selection.players - 1;
        let opponents = opponents(library, &arguments.against, &profile, rivals)?;
        let sha256 = selection.document.sha256();
        let population = Evolution::population_size(space.parameters.len());
        let setup = Setup {
            version: env!("CARGO_PKG_VERSION"),
            build: Build::current(),
            game: library.game,
            config: &selection.document.name,
            config_sha256: &sha256,
            data_sha256: selection.document.values_sha256()?,
            provenance: selection.provenance.as_str(),
            players: selection.players,
            profile: (&profile).into(),
            keys: space
                .parameters
                .iter()
                .map(|key| Limits {
                    key: &key.name,
                    start: key.start,
                    low: key.low,
                    high: key.high,
                })
                .collect(),
            opponents: opponents.iter().map(Into::into).collect(),
            games_per_candidate: arguments.games,
            candidates_per_generation: population,
            generations: arguments.evaluations.div_ceil(population as u64),
            point_value: arguments.point_value.unwrap_or(if game.can_end_without_winner() {
                POINT_VALUE_WHERE_ALL_MAY_LOSE
            } else {
                0.0
            }),
            step: arguments.step,
            runs: arguments.runs,
            playoff_games: arguments.playoff_games,
            seed: arguments.seed,
        };
        let command = command(selection, arguments, setup.point_value);
        let mut manifest = Manifest {
            heading: ManifestHeader { format: FORMAT, ..ManifestHeader::new("tune", &command) },
            setup: &setup,
            complete: false,
            improved: false,
            // What a run that is begun anew must not leave behind.
            files: vec![EVALUATIONS, PLAY_OFF, BEST],
            timing: None,
        };

        let folder =
            lock_folder(&arguments.out, game, &[("--config", selection.config.as_deref())])?;
        let before = if arguments.resume { earlier(arguments, &setup)? } else { None };
        if let Some(before) = before.as_ref().filter(|before| before["complete"] == true) {
            if !arguments.quiet {
                print_info(&format!("{}: is finished", arguments.out.display()));
            }
            return Ok(if before["improved"] == true {
                ExitStatus::Success
            } else {
                ExitStatus::Negative
            });
        }
        folder.ensure_writable(arguments.force)?;
        if before.is_none() {
            folder.remove_run()?;
            folder.remove_partial_files()?;
        }
        let path = folder.path().join(EVALUATIONS);
        let heading = heading(&["run", "generation", "candidate"], &space);
        let log = EvaluationLog::open(&path, &heading, before.is_some())
            .map_err(|error| OutputError::Unwritable(path, error))?;
        folder.write(manifest::FILE, &json(&manifest)?)?;

        let started = Instant::now();
        let table =
            Table { game, stop: stop_on_interrupt()?, bar: progress_bar(0, arguments.quiet) };
        let mut tuning = Tuning {
            arguments,
            library,
            space: &space,
            setup: &setup,
            opponents: &opponents,
            table: &table,
            log,
            best: 0.0,
        };
        let blocks = tuning.blocks(arguments.games.max(arguments.playoff_games));
        let pool = build_thread_pool(
            arguments.threads,
            max_parallel_tasks(blocks, opponents.iter().chain([&profile])),
            arguments.quiet,
        )?;
        let play_off = pool.install(|| {
            let finalists = tuning.finalists()?;
            let play_off = finalists
                .map(|finalists| tuning.play_off(&profile, &finalists))
                .transpose()?
                .flatten();
            anyhow::Ok(play_off)
        })?;
        let Some(play_off) = play_off else {
            table.bar.finish_and_clear();
            print_info("interrupted: what was evaluated is written; --resume goes on");
            return Ok(ExitStatus::Negative);
        };
        table.bar.finish_and_clear();

        folder.write(PLAY_OFF, &play_off.table)?;
        manifest.files = vec![EVALUATIONS, PLAY_OFF];
        let evidence = play_off.evidence(&profile.name, selection.players);
        if let Some(values) = play_off.improvement() {
            let description = format!("{}, tuned by self-play: {evidence}", profile.name);
            folder.write(
                BEST,
                (selection.profile_header(&command) + &space.profile_text(values, &description))
                    .as_bytes(),
            )?;
            manifest.files.push(BEST);
            manifest.improved = true;
        }
        manifest.complete = true;
        manifest.timing = Some(Timing {
            threads: pool.current_num_threads(),
            wall_seconds: started.elapsed().as_secs_f64(),
        });
        folder.write(manifest::FILE, &json(&manifest)?)?;

        print(&format!("{command}\n\n{}\n{evidence}\n", play_off.summary));
        if manifest.improved {
            print(&format!("written to {}\n", folder.path().join(BEST).display()));
            return Ok(ExitStatus::Success);
        }
        print("no profile written: nothing was found that beats the profile as it was\n");
        Ok(ExitStatus::Negative)
    }
}

/// Reads the bots in the other seats.
fn opponents(
    library: &BotLibrary<'_>,
    names: &[String],
    profile: &Profile,
    seats: usize,
) -> anyhow::Result<Vec<Profile>> {
    if names.is_empty() {
        Ok(vec![profile.clone(); seats])
    } else {
        read_bots(library, seats, names, "--against")
    }
}

/// The manifest of the run to go on with, if there is one.
fn earlier(arguments: &Arguments, setup: &Setup<'_>) -> anyhow::Result<Option<Value>> {
    let path = arguments.out.join(manifest::FILE);
    let Some(before) = read_at_most(&path, MAX_FILE_BYTES)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
    else {
        return Ok(None);
    };
    // Read back like the manifest, so that equal numbers are equal.
    let setup: Value = serde_json::from_slice(&serde_json::to_vec(setup)?)?;
    // Of the build its sources count, and of the data file what affects the run.
    let compared = |manifest: &Value, key: &str| match key {
        "build" => manifest[key]["source_sha256"].clone(),
        "config_sha256" => Value::Null,
        key => manifest[key].clone(),
    };
    let mut keys = setup.as_object().into_iter().flatten().map(|(key, _)| key);
    if let Some(key) = keys.find(|key| compared(&before, key) != compared(&setup, key)) {
        let (found, value) = (compared(&before, key), compared(&setup, key));
        bail!(
            "{}: holds another run: its `{key}` is {found}, not {value}; expected another folder, \
                or no --resume",
            path.display()
        );
    }
    Ok(Some(before))
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(selection: &GameSelection, arguments: &Arguments, point_value: f64) -> String {
    let list = |flag: &str, names: &[String]| match names {
        [] => String::new(),
        names => format!(" {flag} {}", shell_quote(&names.join(","))),
    };
    format!(
        "watershed tune {} --profile {}{}{} --games {} --evaluations {} --point-value \
            {point_value} --step {} --runs {} --playoff-games {} --seed {}",
        selection.flags(),
        shell_quote(&arguments.profile),
        list("--keys", &arguments.keys),
        list("--against", &arguments.against),
        arguments.games,
        arguments.evaluations,
        arguments.step,
        arguments.runs,
        arguments.playoff_games,
        arguments.seed
    )
}

fn json(manifest: &Manifest<'_>) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(manifest)?;
    json.push(b'\n');
    Ok(json)
}

fn heading(begins: &[&str], space: &ParameterSpace) -> Vec<String> {
    let names = begins.iter().copied().chain(space.parameters.iter().map(|key| key.name.as_str()));
    names
        .chain(["games", "wins", "win_rate", "ci_low", "ci_high", "mean_score", "provenance"])
        .map(str::to_owned)
        .collect()
}

/// The fields of a row that say how a bot did; without its scores, the mean is left out.
fn result(wins: &Ratio, scores: Option<&Ratio>, provenance: &str) -> Vec<String> {
    let Estimate { n, value, low, high } = wins.rate(UNITS_PER_WIN);
    let mut fields = vec![n.to_string(), format!("{:.4}", wins.x as f64 / UNITS_PER_WIN as f64)];
    fields.extend([value, low, high].map(|share| format!("{share:.6}")));
    fields.extend([
        scores.map(|scores| format!("{:.4}", scores.value(1))).unwrap_or_default(),
        provenance.to_owned(),
    ]);
    fields
}

/// The win share and the mean score in a row, the very numbers it was written with.
fn outcome(fields: &[String]) -> Option<[f64; 2]> {
    let [games, wins, .., mean_score, _] = fields else { return None };
    let (games, wins) = (games.parse::<u64>().ok()?, wins.parse::<f64>().ok()?);
    Some([
        (wins * UNITS_PER_WIN as f64).round() / (games as f64 * UNITS_PER_WIN as f64),
        mean_score.parse().ok()?,
    ])
}

fn percent(Estimate { n, value, low, high }: Estimate) -> String {
    format!("{:.1} % [{:.1}, {:.1}] of {n} games", 100.0 * value, 100.0 * low, 100.0 * high)
}

/// Where a bot meets others.
struct Table<'a, G> {
    game: &'a G,
    stop: &'a AtomicBool,
    bar: ProgressBar,
}

/// Bots around a table: one in one seat, others in the other seats.
fn seated(bot: Profile, others: &[Profile]) -> Vec<Profile> {
    std::iter::once(bot).chain(others.iter().cloned()).collect()
}

impl<G: FullGame> Table<'_, G> {
    /// How the first bot does; nothing if interrupted.
    fn results(&self, bots: &[Profile], seed: u64, blocks: Range<u64>) -> Option<BotTally> {
        let total = Experiment::new(self.game, bots, seed, blocks.clone())
            .tally(self.stop, &|games| self.bar.inc(games));
        (total.blocks == blocks.end - blocks.start).then(|| total.bots[0][ALL_SEATS])
    }

    /// The wins of the first bot of one table and of the other, on the same deals; nothing if
    /// interrupted.
    fn paired_wins(
        &self,
        tables: [&[Profile]; 2],
        seed: u64,
        blocks: Range<u64>,
    ) -> Option<PairedSums> {
        let experiments =
            tables.map(|bots| Experiment::new(self.game, bots, seed, blocks.clone())).into();
        let tally =
            ComparisonExperiment { experiments, metrics: &ComparedMetrics::first_bot_win_rate() }
                .run(self.stop, &|games| self.bar.inc(games));
        (tally.blocks == blocks.end - blocks.start).then(|| tally.differences[0][0])
    }
}

/// The bot in the candidate's seat; no profile has this name.
const CANDIDATE: &str = "the candidate";

struct Tuning<'a, G> {
    arguments: &'a Arguments,
    library: &'a BotLibrary<'a>,
    space: &'a ParameterSpace,
    setup: &'a Setup<'a>,
    opponents: &'a [Profile],
    table: &'a Table<'a, G>,
    log: EvaluationLog,
    /// The best win share of a candidate so far.
    best: f64,
}

impl<G: FullGame> Tuning<'_, G> {
    /// The blocks that make at least this many games: the candidate is like no other bot and so
    /// sits once in every seat.
    fn blocks(&self, games: u64) -> u64 {
        games.div_ceil(self.setup.players as u64)
    }

    /// The master seed of the games of a part: a run, or after all runs the play-off and the
    /// confirmation.
    fn game_seed(&self, part: u64) -> u64 {
        stream(self.arguments.seed, part, 0, Purpose::GameSeed).random()
    }

    /// What each run ends with; nothing if interrupted.
    fn finalists(&mut self) -> anyhow::Result<Option<Vec<Vec<f64>>>> {
        let Setup { runs, generations, candidates_per_generation, .. } = *self.setup;
        let blocks = self.blocks(self.arguments.games);
        let games = blocks * self.setup.players as u64;
        let playoff_games = self.blocks(self.arguments.playoff_games) * self.setup.players as u64;
        self.table.bar.set_length(
            runs * generations * candidates_per_generation as u64 * games
                + (runs + 3) * playoff_games,
        );
        let mut finalists = Vec::new();
        for run in 0..runs {
            let mut evolution = Evolution::new(
                self.space.start_point(),
                self.setup.step,
                stream(self.arguments.seed, run, 0, Purpose::Candidates),
            );
            for generation in 0..generations {
                let candidates = evolution.ask();
                let mut worths = Vec::new();
                for (index, candidate) in candidates.iter().enumerate() {
                    let begins = [run, generation, index as u64];
                    let fresh = generation * blocks..(generation + 1) * blocks;
                    let Some(worth) = self.evaluate(begins, candidate, games, fresh)? else {
                        return Ok(None);
                    };
                    worths.push(worth);
                }
                evolution.tell(&candidates, &worths);
            }
            finalists.push(self.space.values(evolution.mean()));
        }
        Ok(Some(finalists))
    }

    /// What a candidate is worth, from the log if it has it; nothing if interrupted.
    fn evaluate(
        &mut self,
        begins: [u64; 3],
        place: &[f64],
        games: u64,
        blocks: Range<u64>,
    ) -> anyhow::Result<Option<f64>> {
        let values = self.space.values(place);
        let mut fields: Vec<String> =
            begins.iter().map(u64::to_string).chain(values.iter().map(f64::to_string)).collect();
        let outcome = match self.log.read_next(&fields) {
            LogEntry::Match(result) => {
                self.table.bar.inc(games);
                self.table.bar.reset_eta();
                outcome(&result)
            }
            LogEntry::Mismatch => None,
            LogEntry::End => {
                let candidate = self.space.profile(self.library, CANDIDATE, &values)?;
                let bots = seated(candidate, self.opponents);
                let Some(tally) = self.table.results(&bots, self.game_seed(begins[0]), blocks)
                else {
                    return Ok(None);
                };
                let result = result(&tally.wins, Some(&tally.scores.ratio), self.setup.provenance);
                let outcome = outcome(&result);
                fields.extend(result);
                self.log.append(&fields).map_err(|error| {
                    OutputError::Unwritable(self.arguments.out.join(EVALUATIONS), error)
                })?;
                outcome
            }
        };
        let Some([share, mean_score]) = outcome else {
            let file = self.arguments.out.join(EVALUATIONS);
            bail!(
                "{}:{}: expected an evaluation of {}; expected the log of this run, or no --resume",
                file.display(),
                self.log.line_number(),
                fields.join(",")
            );
        };
        self.best = self.best.max(share);
        let best = 100.0 * self.best;
        let [run, generation, _] = begins.map(|number| number + 1);
        let Setup { runs, generations, .. } = self.setup;
        self.table.bar.set_message(format!(
            "run {run} of {runs}, generation {generation} of {generations}, best so far {best:.1} %"
        ));
        Ok(Some(share + self.setup.point_value * mean_score))
    }
}

/// What the last stages brought.
struct PlayOff {
    /// `playoff.csv`.
    table: Vec<u8>,
    /// The same for the terminal.
    summary: String,
    /// The values that came first, and how the profile as it was and they win; none if that came
    /// first itself.
    winner: Option<(Vec<f64>, PairedSums)>,
}

impl PlayOff {
    /// The values of a profile that is better beyond doubt.
    fn improvement(&self) -> Option<&[f64]> {
        let (values, wins) = self.winner.as_ref()?;
        (wins.difference_of_rates(UNITS_PER_WIN).estimate().low > 0.0).then_some(values)
    }

    /// What speaks for the winner, or against it, in words.
    fn evidence(&self, profile: &str, players: usize) -> String {
        let Some((_, wins)) = &self.winner else {
            return format!("{profile} as it was came first in the play-off");
        };
        let Estimate { value, low, high, .. } = wins.difference_of_rates(UNITS_PER_WIN).estimate();
        let others = if players > 1 {
            format!(", with {profile} as it was in all other seats")
        } else {
            String::new()
        };
        format!(
            "wins {} on fresh deals{others}; {profile} as it was in its place wins {:.1} %, that \
                is {:+.1} percentage points [{:.1}, {:.1}]",
            percent(wins.treatment.rate(UNITS_PER_WIN)),
            100.0 * wins.control.value(UNITS_PER_WIN),
            100.0 * value,
            100.0 * low,
            100.0 * high
        )
    }
}

impl<G: FullGame> Tuning<'_, G> {
    /// Lets the finalists and the profile as it was meet the opponents, and then the first of them
    /// and the profile as it was in its place meet the profile as it was, each stage on fresh
    /// deals; nothing if interrupted.
    fn play_off(
        &self,
        profile: &Profile,
        finalists: &[Vec<f64>],
    ) -> anyhow::Result<Option<PlayOff>> {
        let runs = self.setup.runs;
        let provenance = self.setup.provenance;
        let heading = heading(&["stage", "bot"], self.space);
        let mut play_off =
            PlayOff { table: log::csv_line(&heading), summary: String::new(), winner: None };
        let texts = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
        let mut row =
            |stage: &str, bot: &str, values: &[String], wins: &Ratio, scores: Option<&Ratio>| {
                let mut fields = vec![stage.to_owned(), bot.to_owned()];
                fields.extend_from_slice(values);
                fields.extend(result(wins, scores, provenance));
                play_off.table.extend(log::csv_line(&fields));
                play_off.summary +=
                    &format!("{stage:12}  {bot:8}  {}\n", percent(wins.rate(UNITS_PER_WIN)));
            };

        self.table.bar.set_message("play-off");
        let blocks = self.blocks(self.arguments.playoff_games);
        let as_it_was = Profile { name: CANDIDATE.to_owned(), ..profile.clone() };
        let start: Vec<_> = self
            .space
            .parameters
            .iter()
            .map(|key| key.start.map(|value| value.to_string()).unwrap_or_default())
            .collect();
        let bots = seated(as_it_was.clone(), self.opponents);
        let Some(tally) = self.table.results(&bots, self.game_seed(runs), 0..blocks) else {
            return Ok(None);
        };
        row("play-off", "start", &start, &tally.wins, Some(&tally.scores.ratio));
        let mut first = (None, tally.wins.value(UNITS_PER_WIN));
        for (run, values) in finalists.iter().enumerate() {
            let bots = seated(self.space.profile(self.library, CANDIDATE, values)?, self.opponents);
            let Some(tally) = self.table.results(&bots, self.game_seed(runs), 0..blocks) else {
                return Ok(None);
            };
            row(
                "play-off",
                &format!("run {run}"),
                &texts(values),
                &tally.wins,
                Some(&tally.scores.ratio),
            );
            let share = tally.wins.value(UNITS_PER_WIN);
            if share > first.1 {
                first = (Some((run, values)), share);
            }
        }

        if let (Some((run, values)), _) = first {
            self.table.bar.set_message("confirmation");
            let others = vec![profile.clone(); self.opponents.len()];
            let winner = seated(self.space.profile(self.library, CANDIDATE, values)?, &others);
            let Some(wins) = self.table.paired_wins(
                [&seated(as_it_was, &others), &winner],
                self.game_seed(runs + 1),
                0..blocks,
            ) else {
                return Ok(None);
            };
            row("confirmation", "start", &start, &wins.control, None);
            row("confirmation", &format!("run {run}"), &texts(values), &wins.treatment, None);
            play_off.winner = Some((values.clone(), wins));
        }
        Ok(Some(play_off))
    }
}
