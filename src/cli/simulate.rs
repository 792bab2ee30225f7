//! `watershed simulate`: many games between bots, and what they show.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context as _, bail};
use clap::Args;
use serde::Deserialize;

use super::{
    Ending, note, print,
    progress::{progress_bar, stop_on_interrupt},
    selection::{DEFAULT_OUT, DEFAULT_SEED, GameArguments, Selection, read_bots, thread_pool},
};
use crate::{
    arena::{
        record::RecordWriter,
        run::{Batch, Experiment},
        tally::{ALL_SEATS, MAX_OPENING, Tally},
    },
    bots::profile::{Library, Profile},
    config::Document,
    game::{FullGame, WIN},
    games::{GameName, Task},
    report::{
        csv::{self, Context},
        manifest::{self, Manifest, Timing},
        output::{OutputError, PartialFile, RunFolder},
        table,
    },
};

/// The table with a line for each game.
const GAMES: &str = "games.csv";
const DEFAULT_GAMES: u64 = 20_000;
const DEFAULT_OPENING_DEPTH: usize = 2;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced* --games 30000 --out results/seats
  watershed simulate --bots mcts:iterations=1000,balanced --games 200 --records games.jsonl.zst --legal
  watershed simulate configs/experiments/plans.toml")]
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
        let games = arguments.games.or(file.games).unwrap_or(DEFAULT_GAMES);
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
        })
    }
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
        experiment.blocks = 0..rotations.blocks_for(plan.games);
        let Some(planned) = experiment.blocks.end.checked_mul(rotations.len()) else {
            bail!("--games: expected fewer than {}, found {}", u64::MAX - rotations.len(), plan.games);
        };
        if planned != plan.games && !arguments.quiet {
            note(&format!("{} games rounded up to {planned}: {} blocks of {}", plan.games, experiment.blocks.end, rotations.len()));
        }

        let mut outputs = Outputs::open(arguments, plan)?;
        let started = Instant::now();
        let tally = play(&experiment, planned, arguments.quiet, &mut outputs)?;
        let wall_seconds = started.elapsed().as_secs_f64();

        let (different, _) = experiment.different_bots();
        let context = Context { bots: &bots, different: &different, provenance: &selection.provenance };
        let tables = tables(game, &context, experiment.opening_steps, &tally);
        let complete = tally.games == planned;
        let manifest = Manifest {
            format: manifest::FORMAT,
            command: command(plan, &bots, arguments),
            version: env!("CARGO_PKG_VERSION"),
            game: experiment.game_name,
            config: &selection.document.name,
            config_sha256: &sha256,
            provenance: &selection.provenance,
            players: selection.players,
            bots: bots.iter().map(Into::into).collect(),
            seed: plan.seed,
            games_planned: planned,
            games_per_block: rotations.len(),
            complete,
            blocks: tally.blocks,
            games: tally.games,
            capped_games: tally.capped,
            shared_wins: tally.shared_wins,
            rounds_per_game: (&tally.rounds).into(),
            events: tally.events,
            decisions: tally.decisions,
            files: tables.iter().map(|(name, _)| name.clone()).chain(arguments.games_csv.then(|| GAMES.to_owned())).collect(),
            timing: Timing::new(rayon::current_num_threads(), wall_seconds, &tally),
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        let folder = outputs.folder.clone();
        folder.remove_run()?;
        outputs.finish()?;
        for (name, contents) in &tables {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest.to_json()?)?;

        print(&format!("{}\n", manifest.command));
        print(&table::text(&context, &game.tables(), &tally));
        if !arguments.quiet {
            let games_per_second = manifest.timing.games_per_second;
            note(&format!(
                "{} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to {}",
                tally.games,
                folder.path().display()
            ));
        }
        if complete {
            return Ok(Ending::Done);
        }
        note(&format!("interrupted: {} of {planned} games are done and written, marked as incomplete", tally.games));
        Ok(Ending::No)
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
    if arguments.games_csv {
        command += " --games-csv";
    }
    command
}

/// The files that grow while a run goes on.
struct Outputs {
    folder: RunFolder,
    records: Option<(PartialFile, RecordWriter)>,
    games: Option<(PartialFile, io::BufWriter<fs::File>)>,
}

impl Outputs {
    fn open(arguments: &Arguments, plan: &Plan) -> anyhow::Result<Self> {
        let folder = RunFolder::create(&plan.out, plan.overwrite)?;
        let records = arguments.records.as_ref().map(|path| open_records(path)).transpose().inspect_err(|_| folder.remove_if_empty())?;
        let games = arguments.games_csv.then(|| open_games(&folder, plan.selection.players)).transpose()?;
        Ok(Self { folder, records, games })
    }

    fn write(&mut self, context: &Context<'_>, batch: &Batch) -> Result<(), OutputError> {
        if let Some((file, writer)) = &mut self.records {
            writer.write(&batch.records).map_err(|error| file.unwritable(error))?;
        }
        if let Some((file, writer)) = &mut self.games {
            writer.write_all(&csv::games(context, &batch.games)).map_err(|error| file.unwritable(error))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), OutputError> {
        if let Some((file, writer)) = self.records {
            writer.finish().map_err(|error| file.unwritable(error))?;
            file.finish()?;
        }
        if let Some((file, mut writer)) = self.games {
            writer.flush().map_err(|error| file.unwritable(error))?;
            drop(writer);
            file.finish()?;
        }
        Ok(())
    }
}

fn open_records(path: &Path) -> anyhow::Result<(PartialFile, RecordWriter)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| OutputError::Unwritable(path.to_owned(), error))?;
    }
    let mut file = PartialFile::create(path)?;
    let writer = RecordWriter::new(file.file().try_clone()?, path).with_context(|| path.display().to_string())?;
    Ok((file, writer))
}

fn open_games(folder: &RunFolder, players: usize) -> anyhow::Result<(PartialFile, io::BufWriter<fs::File>)> {
    let mut file = PartialFile::create(&folder.path().join(GAMES))?;
    let mut writer = io::BufWriter::new(file.file().try_clone()?);
    writer.write_all(&csv::games_heading(players))?;
    Ok((file, writer))
}

/// Plays the experiment, showing progress, until it is done or interrupted.
fn play<G: FullGame>(experiment: &Experiment<'_, G>, planned: u64, quiet: bool, outputs: &mut Outputs) -> anyhow::Result<Tally> {
    let bar = progress_bar(planned, quiet);
    let stop = stop_on_interrupt()?;
    let (different, _) = experiment.different_bots();
    let context = Context { bots: experiment.bots, different: &different, provenance: "" };
    let items = experiment.game.tables().iter().map(|table| table.items.len()).sum();
    let mut total = Tally::new(different.len(), items);
    experiment.run(stop, &|games| bar.inc(games), |batch| {
        outputs.write(&context, &batch)?;
        total.add(&batch.tally);
        bar.set_message(running_win_rates(&context, &total));
        Ok::<_, OutputError>(())
    })?;
    bar.finish_and_clear();
    Ok(total)
}

fn running_win_rates(context: &Context<'_>, tally: &Tally) -> String {
    let rates = context.different.iter().zip(&tally.bots).map(|(&bot, cells)| {
        let wins = cells[ALL_SEATS].wins.rate(WIN);
        format!("{} {:.1} ± {:.1} %", context.bots[bot].name, 100.0 * wins.value, 50.0 * (wins.high - wins.low))
    });
    rates.collect::<Vec<_>>().join(", ")
}

/// The tables of a run by the names of their files.
fn tables<G: FullGame>(game: &G, context: &Context<'_>, steps: usize, tally: &Tally) -> Vec<(String, Vec<u8>)> {
    let mut tables =
        vec![("win_rates.csv".to_owned(), csv::win_rates(context, tally)), ("turn_order.csv".to_owned(), csv::turn_order(context, tally))];
    let mut first_item = 0;
    for items in game.tables() {
        tables.push((format!("{}.csv", items.name), csv::items(context, &items, tally, first_item)));
        first_item += items.items.len();
    }
    tables.push(("openings.csv".to_owned(), csv::openings(context, game, steps, tally)));
    tables
}
