//! `watershed simulate`: many games between bots, and what they show.

pub mod csv;
pub mod even;
pub mod existing_run;
pub mod health;
pub mod page;
pub mod play;
pub mod results;
pub mod settings;
pub mod text;

use std::path::PathBuf;

use clap::{ArgAction, Args};

use crate::{
    arena::{run::Experiment, schedule::Shard, tally::opening_steps},
    bots::profile::BotLibrary,
    game::FullGame,
    games::GameTask,
    report::terminal::{print, print_info},
    run::{
        ExitStatus,
        arguments::{GameArguments, build_thread_pool, max_parallel_tasks, read_bots},
        checkpoint::Checkpoint,
        count::count,
        manifest::SimulateSetup,
        outputs::{RunWriter, ensure_distinct_outputs, lock_folder},
    },
    study::simulate::results::Results,
};
use existing_run::{ExistingRun, find_existing_run};
use play::play;
use settings::{SimulateSettings, precision};

/// Name of the command.
pub(crate) const KIND: &str = "simulate";

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced --out results/seats
  watershed simulate --bots mcts:iterations=1000,network2 --games 200 \\
      --records games.jsonl.gz --legal --out results/search
  watershed simulate configs/experiments/plans.toml
  watershed simulate --bots balanced,builder --precision 0.5pp
  watershed simulate --games 10M --out results/long --resume
  watershed simulate --games 1M --shard 3/24 --out shards/3")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// An experiment file; flags override what it says, and the path of a data file in it is
    /// relative to it
    #[arg(value_name = "EXPERIMENT.toml")]
    experiment: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
    /// One bot per seat, or one bot for all seats: names of profiles, paths, or
    /// kind:key=value:key=value [default: networkN for N players if the game has it, else learnedN]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    bots: Option<Vec<String>>,
    /// How many games, rounded up to whole blocks [default: 20000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::MAX))]
    games: Option<u64>,
    /// The master seed; with the same seed everything is the same [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run and existing files of records and traces
    #[arg(long)]
    force: bool,
    /// Go on with the run in the folder if it was interrupted; the end is the same as without the
    /// interrupt
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Play part I of N, from 1 to N, of the run; `watershed merge` makes one run of all parts
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Stop when the win rates are known to this half-width, in percentage points; --games is the
    /// most then [default: 1000000]
    #[arg(long, value_name = "Xpp", value_parser = precision, conflicts_with_all = ["shard", "until_significant"])]
    precision: Option<f64>,
    /// Stop when a bot wins more or less often than the other seats at its table; --games is the
    /// most then [default: 1000000]
    #[arg(long, conflicts_with = "shard")]
    until_significant: bool,
    /// Write whole games, one JSON object a line; compressed if the name ends in .gz
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// List all legal actions in the records
    #[arg(long, requires = "records")]
    legal: bool,
    /// Write what bots find by searching, one JSON object a search: visits and values of all
    /// actions, and the line expected
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "shard"])]
    trace: Option<PathBuf>,
    /// Write games.csv, one line a game
    #[arg(long)]
    games_csv: bool,
    /// How many placements after the starter tile make an opening, 0 to 4 [default: 2]
    #[arg(long, value_name = "N")]
    opening_depth: Option<usize>,
    /// Number of threads; no more are used than there are blocks, nor more than 4 for each core
    /// [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let plan = SimulateSettings::new(arguments)?;
    plan.selection.run_on_this_thread(Simulate { arguments, plan: &plan })
}

struct Simulate<'a> {
    arguments: &'a Arguments,
    plan: &'a SimulateSettings,
}

impl GameTask for Simulate<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, plan } = self;
        let selection = &plan.selection;
        let default = [library.default_bot.to_owned()];
        let bots = read_bots(
            library,
            selection.players,
            plan.bots.as_deref().unwrap_or(&default),
            &plan.bots_source,
        )?;
        let mut experiment = Experiment {
            game,
            game_name: selection.game.as_str(),
            config_sha256: "",
            lineup: &bots,
            seed: plan.seed,
            blocks: 0..0,
            opening_steps: opening_steps(plan.opening_depth),
            records: arguments.records.is_some(),
            legal_actions: arguments.legal,
            game_rows: arguments.games_csv,
            trace: arguments.trace.is_some(),
        };
        let rotations = experiment.rotations();
        let mut progress = plan.new_checkpoint(game, &bots, &rotations, arguments)?;
        let blocks = progress.setup.blocks();
        let pool = build_thread_pool(
            arguments.threads,
            max_parallel_tasks(blocks.end - blocks.start, &bots),
            arguments.quiet,
        )?;
        progress.threads = pool.current_num_threads();
        let SimulateSetup { games_planned, games_per_block, .. } = progress.setup.question;
        let inputs = [
            ("EXPERIMENT.toml", arguments.experiment.as_deref()),
            ("--config", selection.config.as_deref()),
        ];
        let folder = lock_folder(&plan.out, game, &inputs)?;
        ensure_distinct_outputs(
            &folder,
            &inputs,
            &[("--records", arguments.records.as_deref()), ("--trace", arguments.trace.as_deref())],
        )?;
        let found = if arguments.resume {
            find_existing_run(&plan.out, &progress)?
        } else {
            ExistingRun::None
        };
        let mut outputs = match found {
            ExistingRun::Finished => {
                if !arguments.quiet {
                    print_info(&format!(
                        "{}: holds this run, and it is finished",
                        plan.out.display()
                    ));
                }
                return Ok(ExitStatus::Success);
            }
            ExistingRun::Interrupted(earlier) => RunWriter::resume(
                folder,
                Checkpoint { threads: progress.threads.max(earlier.threads), ..*earlier },
            )?,
            ExistingRun::None => {
                folder.ensure_writable(plan.overwrite)?;
                RunWriter::create(folder, progress, arguments.trace.as_deref(), arguments.force)?
            }
        };
        if games_planned != plan.games && !arguments.quiet {
            let blocks = games_planned / games_per_block;
            print_info(&format!(
                "{} games rounded up to {games_planned}: {blocks} blocks of {games_per_block}",
                plan.games
            ));
        }
        // Comments of the data file may have changed since the run began.
        let sha256 = outputs.checkpoint().setup.question.data.config_sha256.clone();
        experiment.config_sha256 = &sha256;
        pool.install(|| play(&mut experiment, arguments.quiet, &mut outputs))?;
        let progress = outputs.finish(game)?;

        print(&Results { game, progress: &progress }.text());
        let Checkpoint { tally, seconds, .. } = &progress;
        if !arguments.quiet {
            let games_per_second = tally.games as f64 / seconds.max(1e-9);
            print_info(&format!(
                "{} games in {seconds:.1} s ({games_per_second:.0} a second), written to {}; \
                    report.html shows it",
                tally.games,
                plan.out.display()
            ));
        }
        if progress.is_complete() {
            if progress.goal_reached() == Some(false) && !arguments.quiet {
                print_info("all games are played, and what the run was to show has not shown");
            }
            return Ok(ExitStatus::Success);
        }
        let planned = progress.setup.games();
        print_info(&format!(
            "interrupted: {} of {planned} games are done and written, marked as incomplete; \
                --resume goes on",
            tally.games
        ));
        Ok(ExitStatus::Negative)
    }
}
