//! `watershed simulate`: plays many games between bots and reports win rates, item statistics and
//! openings.

mod analysis;
mod columns;
mod conclusion;
mod experiment;
mod game_rows;
mod health_metrics;
mod items;
mod last_run;
mod levels;
mod panel;
mod panel_table;
mod play_tables;
mod playtest_file;
mod playtest_game;
mod playtest_log;
mod playtests;
mod report;
mod results;
mod sections;
mod settings;
mod setup;
mod tables;

use clap::builder::ArgPredicate;
use experiment::play;
use playtest_file::PlaytestFile;
use results::write_results;
use settings::parse_percentage_points;
use setup::SimulateSetup;

use crate::{
    arena::tally::{MAX_OPENING_DEPTH, opening_steps},
    run::{panel::GAMES_WITH_BUDGETS, spreadsheet::Spreadsheet, validation::check_start},
    study::shared::{planned_study::StudyArguments, prelude::*, several_players::SeveralPlayers},
};

/// Default of `--games` with a stopping criterion, as text.
const MAX_GAMES_OF_GOAL: &str = "1000000";

#[derive(Args, Debug)]
#[command(after_help = "All tables but panel.csv are those of the first bot of a panel.

Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced --out results/seats
  watershed simulate --players 2..4 --games 5k --out results/players
  watershed simulate --bots mcts:iterations=1000,expert --games 200 \\
      --records games.jsonl.gz --legal --out results/search
  watershed simulate --bots balanced,builder --precision 0.5pp
  watershed simulate --games 10M --out results/long --resume
  watershed simulate --games 1M --shard 3/24 --out shards/3")]
pub(crate) struct SimulateArguments {
    /// The experiment file with these flags, which no output may overwrite.
    #[arg(skip)]
    pub(crate) experiment: Option<PathBuf>,
    #[command(flatten)]
    lineups: LineupArguments,
    /// Set the number of games, rounded up to whole blocks
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4_000,
        default_value_ifs([
            ("budgets", ArgPredicate::IsPresent, Some(GAMES_WITH_BUDGETS)),
            ("precision", ArgPredicate::IsPresent, Some(MAX_GAMES_OF_GOAL)),
            ("until_significant", "true".into(), Some(MAX_GAMES_OF_GOAL)),
        ]),
        value_parser = count::<u64>(1..=u64::MAX)
    )]
    games: u64,
    /// Stop when all win-rate intervals are within ± X percentage points [default for --games:
    /// 1000000]
    #[arg(long, value_name = "Xpp", value_parser = parse_percentage_points,
          conflicts_with = "until_significant")]
    precision: Option<f64>,
    /// Stop when the win rate of a bot differs significantly from the other seats [default for
    /// --games: 1000000]
    #[arg(long)]
    until_significant: bool,
    /// Look at the results N times at most, after equal numbers of games, so that shards can stop
    /// early, too [default: at numbers of games that grow by 1/8]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=1_000_000))]
    looks: Option<u64>,
    /// Measure the worth of items in the first N games by forks: games that are continued without
    /// an item [default: 1000 with 1 or 2 players, 300 with 3, 150 with 4, 80 with 5; 0 if a bot
    /// searches]
    #[arg(long, value_name = "N", conflicts_with = "position",
        value_parser = count::<u64>(0..=MAX_GAMES))]
    forks: Option<u64>,
    /// Start all games from this position, in the notation of docs/rules; chance after it differs
    #[arg(long, value_name = "TEXT", conflicts_with = "records")]
    position: Option<String>,
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
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = count(0..=MAX_OPENING_DEPTH))]
    opening_depth: usize,
    /// Show the items of a family only: a table, as in `tiles`, or a property, as in `meadow`; may
    /// be repeated
    #[arg(long, value_name = "FAMILY")]
    only: Vec<String>,
    /// Read games of people from a data file in CSV, and compare them with those of the bot
    ///
    /// One row for each game with the columns `seats` and `scores` in turn order, separated by
    /// `;`; or one for each player with `game`, `player` and `score`; or `Player1`, `Score1`, …
    /// Optionally `winner`, `start` (the first player, or ?), `items` and `date`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    playtests: Option<PathBuf>,
}

impl StudyArguments<SimulateArguments> {
    /// Returns the flags of a simulation of several numbers of players.
    pub(crate) fn simulations(&mut self) -> SeveralPlayers<'_> {
        let SimulateArguments { records, trace, playtests, .. } = &self.own;
        let files = [("--records", records), ("--trace", trace), ("--playtests", playtests)];
        let refused = files.into_iter().find(|(_, file)| file.is_some()).map(|(flag, _)| flag);
        SeveralPlayers { refused, ..self.several_players(|own| own.lineups.named_bots()) }
    }
}

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    tables::schemas()
}

/// Plays a run.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<SimulateArguments>,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    arguments.check()?;
    let StudyArguments { own, parts, output, .. } = arguments;
    let given = arguments.game.resolve(games)?;
    // Names and comments of the data file may have changed since the run started.
    let mut selection = given.clone();
    if let Some(text) = parts.saved_data(output).filter(|text| *text != given.document.text) {
        let saved = Document { text, ..given.document.clone() };
        // Other values are those of another run, which is refused below.
        if saved.values_sha256().ok() == given.document.values_sha256().ok() {
            selection.replace_data(saved.text)?;
        }
    }
    let playtests = own.playtests.as_deref().map(Spreadsheet::read).transpose()?;
    let game = selection.open()?;
    let run = &output.run;
    let (bots, panel) =
        own.lineups.read_lineup_and_panel(game.library(), selection.players, own.games)?;
    check_start(&[&game], own.position.as_deref())?;
    let setup = arguments.setup(&selection, &game, &bots, &panel, playtests.as_ref())?;
    let panel: Vec<_> = panel.into_iter().map(|(bot, _)| bot).collect();
    let all = bots.iter().chain(&panel);
    let mut plan = arguments.plan(&selection, &game, command, all, setup.blocks()).growing();
    // The data file may change in its names and comments.
    plan.documents = playtests.iter().map(|log| &log.document).collect();
    plan.extras = own.extras(&given, setup.question.rows_format);
    plan.inputs.extend([
        ("EXPERIMENT.toml", own.experiment.as_deref()),
        ("--playtests", own.playtests.as_deref()),
    ]);
    plan.outputs = vec![("--records", own.records.as_deref()), ("--trace", own.trace.as_deref())];
    plan.begin(|mut study, described| {
        let SimulateSetup { games_planned, games_per_block, .. } = setup.question;
        if games_planned != own.games && !run.quiet {
            let blocks = games_planned / games_per_block;
            print_info(&format!(
                "{} games rounded up to {games_planned}: {blocks} blocks of {games_per_block}",
                own.games
            ));
        }
        let playtests = setup.question.playtests.iter().filter(|_| !run.quiet);
        playtests
            .flat_map(PlaytestFile::notes)
            .for_each(|note| print_info(&format!("note: {note}")));
        let experiment = Experiment {
            game_name: selection.game.id,
            config_sha256: &setup.question.data.config_sha256,
            opening_steps: opening_steps(own.opening_depth),
            records: own.records.is_some(),
            legal_actions: own.legal,
            game_rows: own.games_csv,
            position: own.position.as_deref(),
            trace: own.trace.is_some(),
            play_statistics: true,
            ..Experiment::new(&bots, run.seed, 0..setup.blocks())
        };
        let played = play(&mut study, &setup, &game, experiment, &panel, run.quiet)?;
        let is_complete = study.is_complete();
        let goal_reached = setup.goal_reached(&played.tallies[0]);
        let status = write_results(study, &game, &setup, &selection, described, &played)?;
        if is_complete && goal_reached == Some(false) && !run.quiet {
            print_info("all games are played; the stopping criterion was not reached");
        }
        Ok(status)
    })
}
