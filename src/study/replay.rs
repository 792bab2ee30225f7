//! `watershed replay`: checks records against the rules, shows one game event by event, or steps
//! through it.

mod annotate;
mod step;

use crate::{
    analysis::named::NamedAction,
    bound::GamePosition,
    game::Turn,
    report::terminal::print_error,
    run::records::{no_game, read_recorded_game, read_records},
    study::shared::{playtest_writer, prelude::*},
};

#[derive(Args, Debug)]
#[command(
    after_help = "Exit code 0: all records agree with the rules; 1: a record disagrees; 2: a \
record cannot be read, or there is none.

Examples:
  watershed simulate --games 100 --records games.jsonl
  watershed replay games.jsonl
  watershed replay games.jsonl --game-index 12
  watershed replay games.jsonl --game-index 12 --step
  watershed replay games.jsonl --game-index 12 --annotate --html game12.html
  watershed replay games.jsonl --annotate --summary --csv evening
  watershed replay games.jsonl --playtests playtests.csv"
)]
pub(crate) struct ReplayArguments {
    /// Read records from a file, as `simulate --records` writes them, compressed or not
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show the game with this index in the run, with the position before every event
    #[arg(long, value_name = "K", value_parser = count(0..=u64::MAX))]
    game_index: Option<u64>,
    /// Read the data file of the games [default: the built-in one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Step through a game with its boards, by commands on standard input
    ///
    /// Enter shows the next event, `u` the one before, a number that event, `b` the boards of all
    /// players, `q` ends. Without --game-index, the first game of the file.
    #[arg(long, conflicts_with = "annotate")]
    step: bool,
    /// Append the finished games to a log that `simulate --playtests` reads, one row for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["step", "annotate"])]
    playtests: Option<PathBuf>,
    #[command(flatten)]
    annotation: annotate::AnnotationArguments,
}

pub(crate) fn run(games: GameList, arguments: &ReplayArguments) -> anyhow::Result<ExitStatus> {
    if arguments.annotation.annotate {
        return annotate::run(games, arguments);
    }
    if arguments.step {
        let record = read_recorded_game(&arguments.file, arguments.game_index, None)?;
        return step::run(games, arguments, &record);
    }
    let wanted = |record: &Record| arguments.game_index.is_none_or(|index| record.index == index);
    let (mut checked, mut opened) = (0_u64, None::<(Record, BoundGame)>);
    for record in read_records(&arguments.file)? {
        let record = record?;
        if !wanted(&record) {
            continue;
        }
        let game = match opened.take() {
            Some((first, game)) if has_same_rules(&first, &record) => game,
            _ => select_game(games, arguments, &record)?.open()?,
        };
        if let Err(disagreement) = replay(&game, &record, arguments.game_index.is_some()) {
            let file = arguments.file.display();
            print_error(&format!("{file}: game {}: {disagreement}", record.index));
            return Ok(ExitStatus::Negative);
        }
        if let Some(log) = arguments.playtests.as_deref().filter(|_| !record.unfinished) {
            playtest_writer::append(log, &game, &record).context("--playtests")?;
        }
        checked += 1;
        opened = Some((record, game));
    }
    if checked == 0 {
        return Err(no_game(&arguments.file, arguments.game_index, None));
    }
    print(&format!("{checked} games agree with the rules\n"));
    Ok(ExitStatus::Success)
}

/// Reads the data file of the game of a record.
fn select_game(
    games: GameList,
    arguments: &ReplayArguments,
    record: &Record,
) -> anyhow::Result<GameSelection> {
    let name = format!("{}: game {}", arguments.file.display(), record.index);
    RecordedRules::from(record).select(games, arguments.config.as_deref(), &name)
}

/// Returns true if two records are of the same game, number of players and data.
fn has_same_rules(one: &Record, other: &Record) -> bool {
    (&one.game, one.players, &one.config_sha256)
        == (&other.game, other.players, &other.config_sha256)
}

/// Checks a record, and shows it if `show` is set.
fn replay(game: &BoundGame, record: &Record, show: bool) -> Result<(), String> {
    if !show {
        return game.check_record(record);
    }
    let mut on_event = |number: usize, position: &GamePosition<'_>, action: NamedAction| {
        let decider = match position.turn() {
            Turn::Seat(seat) => format!("seat {seat}"),
            _ => "chance".to_owned(),
        };
        let (position, action) = (position.text(), action.notation);
        print(&format!("{position}\n{number:>4} {decider}: {action}\n"));
    };
    let end = game.replay_record(record, &mut on_event)?;
    let results = match (&record.scores, &record.winners) {
        (Some(scores), Some(winners)) => format!("scores {scores:?}, winners {winners:?}"),
        _ => "unfinished".to_owned(),
    };
    print(&format!("{}\n{results}\n", end.text()));
    Ok(())
}
