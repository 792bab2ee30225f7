//! `watershed simulate`: plays many games between bots and reports win rates, item statistics and
//! openings.

pub(crate) mod analysis;
pub(crate) mod card;
pub(crate) mod existing_run;
pub(crate) mod page;
pub(crate) mod panel;
pub(crate) mod play;
mod play_tables;
pub(crate) mod results;
pub(crate) mod settings;
pub(crate) mod tables;
pub(crate) mod text;

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};

use crate::{
    arena::{run::Experiment, tally::opening_steps},
    games::GameList,
    report::{data_table::Schema, terminal::print_info},
    run::{
        ExitStatus,
        arguments::{GameArguments, OutputArguments},
        checkpoint::Checkpoint,
        count::count,
        files::{RunFolder, ensure_distinct_outputs, lock_folder},
        manifest::{SimulateSetup, Timing},
        panel::PanelEntry,
        parts::PartArguments,
        writer::RunWriter,
    },
    study::report::several::SeveralPlayers,
};
use existing_run::{ExistingRun, find_existing_run};
use play::play;
use results::write_results;
use settings::{SimulateSettings, parse_percentage_points};
use tables::games_header;

/// Name of the command.
pub(crate) const KIND: &str = "simulate";

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced --out results/seats
  watershed simulate --players 2..4 --games 5k --out results/players
  watershed simulate --bots mcts:iterations=1000,expert --games 200 \\
      --records games.jsonl.gz --legal --out results/search
  watershed simulate configs/experiments/plans.toml
  watershed simulate --bots balanced,builder --precision 0.5pp
  watershed simulate --games 10M --out results/long --resume
  watershed simulate --games 1M --shard 3/24 --out shards/3")]
pub(crate) struct SimulateArguments {
    /// Read flags from an experiment file, as `run` does; other flags override it
    #[arg(value_name = "EXPERIMENT.toml")]
    pub(crate) experiment: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
    /// Set the bot of each seat, or one bot for all seats, instead of a panel
    ///
    /// A bot is a profile, a path or a kind, optionally with :key=value:key=value.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        action = ArgAction::Set,
        conflicts_with = "panel"
    )]
    bots: Option<Vec<String>>,
    /// Set the bots of the panel, the main one first [default: the panel of the game, see
    /// docs/bots.md]
    ///
    /// Each bot plays all seats on the same deals. All tables but panel.csv are those of the
    /// first. NAME@GAMES plays the first GAMES games only.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    panel: Option<Vec<PanelEntry>>,
    /// Set the number of games, rounded up to whole blocks [default: 20000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::MAX))]
    games: Option<u64>,
    #[command(flatten)]
    parts: PartArguments,
    /// Stop when all win-rate intervals are within ± X percentage points [default for --games:
    /// 1000000]
    #[arg(
        long,
        value_name = "Xpp",
        value_parser = parse_percentage_points,
        conflicts_with_all = ["shard", "until_significant"]
    )]
    precision: Option<f64>,
    /// Stop when the win rate of a bot differs significantly from the other seats [default for
    /// --games: 1000000]
    #[arg(long, conflicts_with = "shard")]
    until_significant: bool,
    /// Write whole games, one JSON object a line; compressed if the name ends in .gz
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Add the legal actions of each decision to the records
    #[arg(long, requires = "records")]
    legal: bool,
    /// Write the search statistics of bots, one JSON object a search: visits and values of all
    /// actions, and the expected line; compressed if the name ends in .gz
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "shard"])]
    trace: Option<PathBuf>,
    /// Write games.csv, one row a game
    #[arg(long)]
    games_csv: bool,
    /// Set the number of placements after the starter tile that make an opening, 0 to 4
    /// [default: 2]
    #[arg(long, value_name = "N", value_parser = count(0..=usize::MAX))]
    opening_depth: Option<usize>,
    /// Show the items of a family only: a table, as in `tiles`, or a property, as in `meadow`; may
    /// be repeated
    #[arg(long, value_name = "FAMILY")]
    only: Vec<String>,
    /// Add the share of the games that the better bot wins to the health card, from a folder of
    /// `balance skill` with the same data and number of players
    #[arg(long, value_name = "DIR")]
    skill: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
}

impl SimulateArguments {
    /// Returns the flags of a study of several numbers of players.
    pub(crate) fn several_players(&mut self) -> SeveralPlayers<'_> {
        let refused = [
            ("--records", self.records.is_some()),
            ("--trace", self.trace.is_some()),
            ("--skill", self.skill.is_some()),
        ];
        let refused = refused.into_iter().find(|(_, is_set)| *is_set).map(|(flag, _)| flag);
        SeveralPlayers {
            game: self.game.clone(),
            players: &mut self.game.players,
            output: &mut self.output,
            bots: self.bots.as_ref().map_or(0, Vec::len),
            resume: self.parts.resume,
            is_shard: self.parts.shard.is_some(),
            refused,
        }
    }
}

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    tables::schemas()
}

/// Plays a run.
pub(crate) fn run(games: GameList, arguments: &SimulateArguments) -> anyhow::Result<ExitStatus> {
    let settings = &SimulateSettings::new(games, arguments)?;
    let game = &*settings.selection.open()?;
    let OutputArguments { run, json, .. } = &arguments.output;
    let selection = &settings.selection;
    let (bots, panel) = settings.read_bots(game.library())?;
    let mut experiment = Experiment {
        game_name: selection.game.id,
        config_sha256: "",
        lineup: &bots,
        seed: settings.seed,
        blocks: 0..0,
        opening_steps: opening_steps(settings.opening_depth),
        records: arguments.records.is_some(),
        legal_actions: arguments.legal,
        game_rows: arguments.games_csv,
        trace: arguments.trace.is_some(),
        play_statistics: true,
    };
    let rotations = experiment.rotations();
    let mut checkpoint = settings.new_checkpoint(game, &bots, &panel, &rotations, arguments)?;
    let blocks = checkpoint.setup.blocks();
    let panel: Vec<_> = panel.into_iter().map(|member| member.bot).collect();
    let pool = run.thread_pool(blocks.end - blocks.start, bots.iter().chain(&panel))?;
    checkpoint.threads = pool.current_num_threads();
    let SimulateSetup { games_planned, games_per_block, .. } = checkpoint.setup.question;
    let inputs = [
        ("EXPERIMENT.toml", arguments.experiment.as_deref()),
        ("--config", selection.config.as_deref()),
    ];
    let folder = lock_folder(&settings.out, game.catalog(), &inputs)?;
    let outputs =
        [("--records", arguments.records.as_deref()), ("--trace", arguments.trace.as_deref())];
    ensure_distinct_outputs(&folder, &inputs, &outputs)?;
    let writer = open_writer(settings, arguments, folder, checkpoint)?;
    let Some(mut writer) = writer else { return Ok(ExitStatus::Success) };
    if games_planned != settings.games && !run.quiet {
        let blocks = games_planned / games_per_block;
        print_info(&format!(
            "{} games rounded up to {games_planned}: {blocks} blocks of {games_per_block}",
            settings.games
        ));
    }
    // Comments of the data file may have changed since the run started.
    let sha256 = writer.checkpoint().setup.question.data.config_sha256.clone();
    experiment.config_sha256 = &sha256;
    pool.install(|| play(game, &mut experiment, &panel, run.quiet, &mut writer))?;
    let (folder, checkpoint) = writer.finish()?;
    write_results(game, &folder, &checkpoint, *json)?;
    Ok(report_end(&checkpoint, &settings.out, run.quiet))
}

/// Creates the files of the run, or continues those of an interrupted one. Returns `None` if the
/// run is finished, after a message.
fn open_writer(
    settings: &SimulateSettings,
    arguments: &SimulateArguments,
    folder: RunFolder,
    checkpoint: Checkpoint,
) -> anyhow::Result<Option<RunWriter>> {
    let OutputArguments { run, force, .. } = &arguments.output;
    let existing = if arguments.parts.resume {
        find_existing_run(&settings.out, &checkpoint)?
    } else {
        ExistingRun::None
    };
    let writer = match existing {
        ExistingRun::Finished => {
            if !run.quiet {
                let out = settings.out.display();
                print_info(&format!("{out}: holds this run, and it is finished"));
            }
            return Ok(None);
        }
        ExistingRun::Interrupted(saved) => {
            let threads = checkpoint.threads.max(saved.threads);
            RunWriter::resume(folder, Checkpoint { threads, ..*saved })?
        }
        ExistingRun::None => {
            folder.ensure_writable(settings.overwrite)?;
            let header = games_header(settings.selection.players);
            RunWriter::create(folder, checkpoint, &header, arguments.trace.as_deref(), *force)?
        }
    };
    Ok(Some(writer))
}

/// Says how many games were played, and if the run is complete. Returns the exit status.
fn report_end(checkpoint: &Checkpoint, out: &Path, quiet: bool) -> ExitStatus {
    let Checkpoint { threads, seconds, .. } = checkpoint;
    if !quiet {
        let timing = Timing::new(*threads, *seconds, checkpoint.games_played());
        print_info(&format!(
            "{} games in {timing}, written to {}; see report.html",
            checkpoint.games_played(),
            out.display()
        ));
    }
    if checkpoint.is_complete() {
        if checkpoint.goal_reached() == Some(false) && !quiet {
            print_info("all games are played; the stopping criterion was not reached");
        }
        return ExitStatus::Success;
    }
    print_info(&format!(
        "interrupted: {} of {} games are written, marked as incomplete; continue with --resume",
        checkpoint.games_played(),
        checkpoint.games_planned()
    ));
    ExitStatus::Negative
}
