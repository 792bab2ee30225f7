//! `watershed simulate`: many games between bots, and what they show.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Deserialize;

use super::{
    Ending, note,
    outputs::Outputs,
    print,
    selection::{DEFAULT_SEED, GameArguments, Selection, read_bots, thread_pool},
};
use crate::{
    arena::{
        record::RecordEncoder,
        run::Experiment,
        schedule::Shard,
        tally::{ALL_SEATS, MAX_OPENING, Tally},
    },
    bots::profile::{Library, Profile},
    config::Document,
    game::{FullGame, WIN},
    games::{GameName, Task},
    report::{
        manifest::{self, Setup},
        output::{OutputError, RunFolder},
        progress::{Progress, Records},
        results::{GAMES, Results},
    },
    stats::anytime::{FIRST_LOOK, Goal},
};

/// Where runs go that name no folder; it is always overwritten.
const DEFAULT_OUT: &str = "results/latest";
const DEFAULT_GAMES: u64 = 20_000;
/// The most games of runs that stop at a goal.
const DEFAULT_MOST_GAMES: u64 = 1_000_000;
const DEFAULT_OPENING_DEPTH: usize = 2;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced* --games 30000 --out results/seats
  watershed simulate --bots mcts:iterations=1000,balanced --games 200 --records games.jsonl.zst --legal
  watershed simulate configs/experiments/plans.toml
  watershed simulate --bots balanced,builder --precision 0.5pp --out results/precise
  watershed simulate --games 100000000 --out results/long --resume
  watershed simulate --games 1000000 --shard 3/24 --out shards/3")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// An experiment file; flags override what it says
    #[arg(value_name = "EXPERIMENT.toml")]
    experiment: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
    /// One bot per seat: names of profiles, paths, or kind:key=value:key=value; `name*` fills all seats
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    bots: Option<Vec<String>>,
    /// How many games, rounded up to whole blocks [default: 20000]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// The master seed; with the same seed everything is the same [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// Go on with the run in the folder if it was interrupted; the end is the same as without the interrupt
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Play part I of N, from 1 to N, of the run; `watershed merge` makes one run of all parts
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Stop when the win rates are known to this half-width, in percentage points; --games is the most then [default: 1000000]
    #[arg(long, value_name = "Xpp", value_parser = precision, conflicts_with_all = ["shard", "until_significant"])]
    precision: Option<f64>,
    /// Stop when a bot's win rate differs from 1 in as many as there are players; --games is the most then [default: 1000000]
    #[arg(long, conflicts_with = "shard")]
    until_significant: bool,
    /// Write whole games, one JSON object a line; compressed if the name ends in .zst
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// List all legal actions in the records
    #[arg(long, requires = "records")]
    legal: bool,
    /// Write games.csv, one line a game
    #[arg(long)]
    games_csv: bool,
    /// How many placements after the starter tile make an opening, 0 to 4 [default: 2]
    #[arg(long, value_name = "N")]
    opening_depth: Option<usize>,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

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
struct Plan {
    selection: Selection,
    bots: Option<Vec<String>>,
    games: u64,
    seed: u64,
    out: PathBuf,
    overwrite: bool,
    opening_depth: usize,
    goal: Option<Goal>,
}

impl Plan {
    fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let mut file = File::default();
        let mut game = arguments.game.clone();
        if let Some(path) = &arguments.experiment {
            let document = Document::read(path)?;
            file = document.parse()?;
            if let Some(name) = &file.game {
                let all: Vec<_> = GameName::ALL.iter().map(|game| game.as_str()).collect();
                let named = GameName::from_name(name);
                let named = named.ok_or_else(|| document.error("game", format!("expected {}, found {name:?}", all.join(" or "))))?;
                game.game = game.game.or(Some(named));
            }
            game.config = game.config.or(file.config);
            game.players = game.players.or(file.players);
        }
        let goal = arguments.precision.map(Goal::Precision).or(arguments.until_significant.then_some(Goal::Significance));
        let games = arguments.games.or(file.games).unwrap_or(if goal.is_some() { DEFAULT_MOST_GAMES } else { DEFAULT_GAMES });
        if games == 0 {
            bail!("--games: expected at least 1, found 0");
        }
        let opening_depth = arguments.opening_depth.or(file.opening_depth).unwrap_or(DEFAULT_OPENING_DEPTH);
        if opening_depth >= MAX_OPENING {
            bail!("--opening-depth: expected 0 to {}, found {opening_depth}", MAX_OPENING - 1);
        }
        let out = arguments.out.clone().or(file.out);
        Ok(Self {
            selection: game.resolve()?,
            bots: arguments.bots.clone().or(file.bots),
            games,
            seed: arguments.seed.or(file.seed).unwrap_or(DEFAULT_SEED),
            overwrite: arguments.force || out.is_none(),
            out: out.unwrap_or_else(|| PathBuf::from(DEFAULT_OUT)),
            opening_depth,
            goal,
        })
    }
}

/// Reads a half-width in percentage points, as in `0.5pp`.
fn precision(text: &str) -> Result<f64, String> {
    let points = text.strip_suffix("pp").and_then(|points| points.parse().ok());
    points
        .filter(|points| (0.001..50.0).contains(points))
        .ok_or_else(|| "expected percentage points from 0.001 to 50, as in 0.5pp".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let plan = Plan::new(arguments)?;
    let pool = thread_pool(arguments.threads)?;
    let selection = plan.selection.clone();
    pool.install(|| selection.game.with(&selection.document, selection.players, Simulate { arguments, plan: &plan }))?
}

struct Simulate<'a> {
    arguments: &'a Arguments,
    plan: &'a Plan,
}

impl Task for Simulate<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { arguments, plan } = self;
        let selection = &plan.selection;
        let names = plan.bots.clone().unwrap_or_else(|| default_bots(library, selection.players));
        let bots = read_bots(library, selection.players, &names)?;
        let sha256 = selection.document.sha256();
        let mut experiment = Experiment {
            game,
            game_name: selection.game.as_str(),
            config_sha256: &sha256,
            bots: &bots,
            seed: plan.seed,
            blocks: 0..0,
            opening_steps: plan.opening_depth + 1,
            records: arguments.records.is_some(),
            legal: arguments.legal,
            games: arguments.games_csv,
        };
        let rotations = experiment.rotations();
        let blocks = rotations.blocks_for(plan.games);
        let Some(games_planned) = blocks.checked_mul(rotations.len()) else {
            bail!("--games: expected fewer than {}, found {}", u64::MAX - rotations.len(), plan.games);
        };
        if let Some(shard) = arguments.shard
            && shard.of > blocks
        {
            bail!("--shard: expected at most {blocks} parts for {blocks} blocks, found {shard}");
        }
        if plan.goal == Some(Goal::Significance) && experiment.different_bots().0.len() < 2 {
            bail!("--until-significant: expected two or more different bots, found {}", bots[0].name);
        }
        let setup = Setup {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: experiment.game_name.to_owned(),
            config: selection.document.name.clone(),
            config_sha256: sha256.clone(),
            provenance: selection.provenance.clone(),
            players: selection.players,
            bots: bots.iter().map(Into::into).collect(),
            seed: plan.seed,
            opening_depth: plan.opening_depth,
            games_planned,
            games_per_block: rotations.len(),
            shard: arguments.shard,
            goal: plan.goal,
        };
        let tally = Tally::for_game(game, setup.different_bots().len());
        let mut progress = Progress::new(command(plan, &bots, arguments), setup, selection.document.text.clone(), tally);
        progress.threads = rayon::current_num_threads();
        progress.games_csv = arguments.games_csv.then_some(0);
        progress.records = arguments.records.as_ref().map(|path| Records {
            file: path.display().to_string(),
            legal: arguments.legal,
            length: 0,
            encoder: RecordEncoder::new(path),
        });

        let mut outputs = match earlier(arguments, plan, &progress)? {
            Earlier::Finished => {
                if !arguments.quiet {
                    note(&format!("{}: holds this run, and it is finished", plan.out.display()));
                }
                return Ok(Ending::Done);
            }
            Earlier::Interrupted(earlier) => Outputs::go_on(
                RunFolder::create(&plan.out, true)?,
                Progress { command: progress.command, threads: progress.threads.max(earlier.threads), ..*earlier },
            )?,
            Earlier::None => Outputs::begin(RunFolder::create(&plan.out, plan.overwrite)?, progress)?,
        };
        if games_planned != plan.games && !arguments.quiet {
            note(&format!("{} games rounded up to {games_planned}: {blocks} blocks of {}", plan.games, rotations.len()));
        }
        play(&mut experiment, arguments.quiet, &mut outputs)?;
        let progress = outputs.finish(game)?;

        print(&Results { game, progress: &progress }.text());
        let Progress { tally, seconds, .. } = &progress;
        if !arguments.quiet {
            let games_per_second = tally.games as f64 / seconds.max(1e-9);
            note(&format!("{} games in {seconds:.1} s ({games_per_second:.0} a second), written to {}", tally.games, plan.out.display()));
        }
        if progress.is_complete() {
            if progress.goal_reached() == Some(false) && !arguments.quiet {
                note("all games are played, and what the run was to show has not shown");
            }
            return Ok(Ending::Done);
        }
        let planned = progress.setup.games();
        note(&format!("interrupted: {} of {planned} games are done and written, marked as incomplete; --resume goes on", tally.games));
        Ok(Ending::No)
    }
}

/// What a folder holds of the run that is asked for.
enum Earlier {
    /// Nothing, or nothing that is to be gone on with.
    None,
    /// Some of it.
    Interrupted(Box<Progress>),
    /// All of it.
    Finished,
}

/// Looks for a run to go on with.
///
/// # Errors
/// If there is one, and it is another than the one that is asked for.
fn earlier(arguments: &Arguments, plan: &Plan, asked: &Progress) -> anyhow::Result<Earlier> {
    if !arguments.resume {
        return Ok(Earlier::None);
    }
    let same = |earlier: &Progress| match asked.difference(earlier) {
        None => Ok(()),
        Some(difference) => {
            bail!("{}: holds another run: its {difference}; expected another folder, or --force in place of --resume", plan.out.display())
        }
    };
    let progress = Progress::read(&plan.out)?;
    if let Some(progress) = progress.as_ref() {
        same(progress)?;
        if !progress.tally.fits(&asked.tally) {
            bail!("{}: its tally is not of this game", plan.out.display());
        }
    }
    let written = manifest::Written::read(&plan.out).filter(|written| written.complete);
    match (progress, written) {
        (Some(progress), written) if written.is_none() || !progress.is_complete() => Ok(Earlier::Interrupted(Box::new(progress))),
        (_, None) => Ok(Earlier::None),
        (_, Some(written)) => {
            let games_csv = written.files.iter().any(|file| file == GAMES).then_some(0);
            same(&Progress { setup: written.setup, games_csv, ..asked.clone() })?;
            match &arguments.records {
                Some(records) if !records.exists() => {
                    bail!("{}: does not exist, and the run is finished; --force plays it again", records.display())
                }
                _ => Ok(Earlier::Finished),
            }
        }
    }
}

/// The first profiles of the game, one per seat.
fn default_bots(library: &Library<'_>, players: usize) -> Vec<String> {
    library.profiles.iter().cycle().take(players).map(|(name, _)| (*name).to_owned()).collect()
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(plan: &Plan, bots: &[Profile], arguments: &Arguments) -> String {
    let names: Vec<_> = bots.iter().map(|bot| bot.name.as_str()).collect();
    let mut command = format!(
        "watershed simulate {} --bots {} --games {} --seed {} --opening-depth {}",
        plan.selection.flags(),
        names.join(","),
        plan.games,
        plan.seed,
        plan.opening_depth
    );
    match plan.goal {
        Some(Goal::Precision(points)) => command += &format!(" --precision {points}pp"),
        Some(Goal::Significance) => command += " --until-significant",
        None => {}
    }
    if arguments.games_csv {
        command += " --games-csv";
    }
    command
}

/// Plays the experiment, showing progress, until it is done or interrupted.
fn play<G: FullGame>(experiment: &mut Experiment<'_, G>, quiet: bool, outputs: &mut Outputs) -> anyhow::Result<()> {
    let bar = progress_bar(outputs.progress().setup.games(), quiet).with_position(outputs.progress().tally.games);
    bar.reset_eta();
    let stop = stop_on_interrupt()?;
    while !outputs.progress().is_complete() && !stop.load(Ordering::Relaxed) {
        experiment.blocks = outputs.progress().next_blocks();
        experiment.run(stop, &|games| bar.inc(games), |batch| {
            outputs.add(&batch)?;
            bar.set_message(running_win_rates(outputs.progress()));
            Ok::<_, OutputError>(())
        })?;
        if let (Some(goal), FIRST_LOOK) = (outputs.progress().setup.goal, outputs.progress().tally.blocks) {
            let expected = goal.expected_blocks(&outputs.progress().win_rates(), outputs.progress().setup.blocks().end);
            bar.set_length(expected.unwrap_or(outputs.progress().setup.blocks().end) * outputs.progress().setup.games_per_block);
            if !quiet {
                bar.suspend(|| note(&expectation(outputs, expected)));
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// How long a run to a goal will take, as far as its first blocks can tell.
fn expectation(outputs: &Outputs, expected: Option<u64>) -> String {
    let Progress { setup, tally, .. } = outputs.progress();
    let games_per_second = tally.games as f64 / outputs.seconds().max(1e-9);
    let seconds = |games: u64| games as f64 / games_per_second;
    match expected {
        Some(blocks) => {
            let games = blocks * setup.games_per_block;
            format!("some {games} games are expected to be needed, {:.0} s at {games_per_second:.0} a second", seconds(games))
        }
        None => format!(
            "more than --games {} are expected to be needed, {:.0} s at {games_per_second:.0} a second",
            setup.games_planned,
            seconds(setup.games_planned)
        ),
    }
}

fn progress_bar(games: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:20} {human_pos}/{human_len} games, {rate} a second, {eta} left  {wide_msg}");
    let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        // A progress bar that can't be drawn is no reason to stop.
        let _ = write!(text, "{:.0}", state.per_sec());
    };
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
    ProgressBar::with_draw_target(Some(games), target).with_style(style)
}

fn running_win_rates(progress: &Progress) -> String {
    let Progress { setup, tally, .. } = progress;
    let intervals = progress.intervals();
    let rates = setup.different_bots().into_iter().zip(&tally.bots).map(|(bot, cells)| {
        let wins = &cells[ALL_SEATS].wins;
        let wins = intervals.map_or_else(|| wins.rate(WIN), |intervals| intervals.rate(wins, WIN));
        format!("{} {:.1} ± {:.1} %", setup.bots[bot].name, 100.0 * wins.value, 50.0 * (wins.high - wins.low))
    });
    rates.collect::<Vec<_>>().join(", ")
}

/// A flag that becomes true at the first Ctrl-C; the second ends the program at once.
fn stop_on_interrupt() -> anyhow::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    let stop_or_exit = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(Ending::No as i32);
        }
        note("stopping when the games in flight are finished; once more to stop at once");
    };
    ctrlc::set_handler(stop_or_exit).context("can't listen for interrupts")?;
    Ok(&STOP)
}
