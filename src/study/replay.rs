//! `watershed replay`: checks records against the rules, or shows a game move by move.

use std::{iter::Peekable, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::report::terminal::print_error;
use crate::{
    arena::record::{self, Record},
    bots::profile::BotLibrary,
    config::ConfigError,
    game::{FullGame, Turn},
    games::{GameName, GameTask},
    report::terminal::print,
    run::{ExitStatus, arguments::GameArguments},
};

#[derive(Args, Debug)]
#[command(
    after_help = "Exit code 0: all records agree with the rules; 1: one does not; 2: one can't be \
read.

Example:
  watershed replay games.jsonl.gz --game-index 12"
)]
pub(crate) struct Arguments {
    /// A file of records, .jsonl or .jsonl.gz
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show this game, by its index in the run, with the position before every event
    #[arg(long, value_name = "K")]
    game_index: Option<u64>,
    /// The data file the games were played on [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let wanted = |record: &Record| arguments.game_index.is_none_or(|index| record.index == index);
    let mut records = record::read_records(&arguments.file)?
        .filter(|record| record.as_ref().map_or(true, wanted))
        .peekable();
    let mut checked = 0_u64;
    while let Some(first) = records.next().transpose()? {
        let name = format!("{}: game {}", arguments.file.display(), first.index);
        let game = GameName::from_name(&first.game)
            .with_context(|| format!("{name}: there is no game {:?}", first.game))?;
        let selected =
            GameArguments { game: Some(game), config: arguments.config.clone(), players: None };
        let selection = selected.resolve_with_players(Some(first.players), Some(&name))?;
        if selection.document.sha256() != first.config_sha256 {
            bail!(
                "{name}: was played on other data than {}; give its file with --config",
                selection.document.name
            );
        }
        let task = Replay {
            first,
            rest: &mut records,
            show: arguments.game_index.is_some(),
            checked: &mut checked,
        };
        if let Err((index, disagreement)) =
            game.bind_and_run(&selection.document, selection.players, task)?
        {
            print_error(&format!("{}: game {index}: {disagreement}", arguments.file.display()));
            return Ok(ExitStatus::Negative);
        }
    }
    if let (Some(index), 0) = (arguments.game_index, checked) {
        bail!("--game-index: {} has no game {index}", arguments.file.display());
    }
    print(&format!("{checked} games agree with the rules\n"));
    Ok(ExitStatus::Success)
}

/// Replays a record and those that follow it for as long as they are of the same rules.
struct Replay<'a, I: Iterator> {
    first: Record,
    rest: &'a mut Peekable<I>,
    show: bool,
    checked: &'a mut u64,
}

impl<I: Iterator<Item = Result<Record, ConfigError>>> GameTask for Replay<'_, I> {
    /// The index of the game that does not agree, and in what.
    type Output = Result<(), (u64, String)>;

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<'_>) -> Self::Output {
        let same_rules = |one: &Record, other: &Record| {
            (&one.game, one.players, &one.config_sha256)
                == (&other.game, other.players, &other.config_sha256)
        };
        let mut record = self.first;
        loop {
            replay(game, &record, self.show)
                .map_err(|disagreement| (record.index, disagreement))?;
            *self.checked += 1;
            match self
                .rest
                .next_if(|next| next.as_ref().is_ok_and(|next| same_rules(&record, next)))
            {
                Some(Ok(next)) => record = next,
                _ => return Ok(()),
            }
        }
    }
}

fn replay<G: FullGame>(game: &G, record: &Record, show: bool) -> Result<(), String> {
    let step = |number: usize, state: &G::State, action: G::Action| {
        if show {
            let decider = match game.turn(state) {
                Turn::Seat(seat) => format!("seat {seat}"),
                _ => "chance".to_owned(),
            };
            print(&format!(
                "{}\n{number:>4} {decider}: {}\n",
                game.position_text(state),
                game.action_text(action)
            ));
        }
    };
    let end = record::replay(game, record, step)?;
    if show {
        print(&format!(
            "{}\nscores {:?}, winners {:?}\n",
            game.position_text(&end),
            record.scores,
            record.winners
        ));
    }
    Ok(())
}
