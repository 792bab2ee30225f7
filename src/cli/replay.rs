//! `watershed replay`: checks records against the rules, or shows a game move by move.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::{Ending, print, selection::GameArguments};
use crate::{
    arena::record::{self, Record},
    bots::profile::Library,
    game::{FullGame, Turn},
    games::{GameName, Task},
};

#[derive(Args, Debug)]
#[command(after_help = "Exit code 0: all records agree with the rules; 1: one does not; 2: one can't be read.

Example: watershed replay games.jsonl.zst --game-index 12")]
pub(super) struct Arguments {
    /// A file of records, .jsonl or .jsonl.zst
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show this game, by its index in the run, with the position before every event
    #[arg(long, value_name = "K")]
    game_index: Option<u64>,
    /// The data file the games were played on [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let records: Vec<Record> = record::read(&arguments.file)?.collect::<Result<_, _>>()?;
    let chosen: Vec<&Record> = records.iter().filter(|record| arguments.game_index.is_none_or(|index| record.index == index)).collect();
    if let (Some(index), []) = (arguments.game_index, chosen.as_slice()) {
        bail!("--game-index: {} has no game {index}", arguments.file.display());
    }
    for record in &chosen {
        let name = format!("{}: game {}", arguments.file.display(), record.index);
        let game = GameName::from_name(&record.game).with_context(|| format!("{name}: there is no game {:?}", record.game))?;
        let selection = GameArguments { game: Some(game), config: arguments.config.clone(), players: Some(record.players) }.resolve()?;
        if selection.document.sha256() != record.config_sha256 {
            bail!("{name}: was played on other data than {}; give its file with --config", selection.document.name);
        }
        let task = Replay { record, show: arguments.game_index.is_some() };
        if let Err(disagreement) = game.with(&selection.document, record.players, task)? {
            super::complain(&format!("{name}: {disagreement}"));
            return Ok(Ending::No);
        }
    }
    print(&format!("{} games agree with the rules\n", chosen.len()));
    Ok(Ending::Done)
}

struct Replay<'a> {
    record: &'a Record,
    show: bool,
}

impl Task for Replay<'_> {
    type Output = Result<(), String>;

    fn run<G: FullGame>(self, game: &G, _library: &Library<'_>) -> Result<(), String> {
        let step = |number: usize, state: &G::State, action: G::Action| {
            if self.show {
                let decider = match game.turn(state) {
                    Turn::Seat(seat) => format!("seat {seat}"),
                    _ => "chance".to_owned(),
                };
                print(&format!("{}\n{number:>4} {decider}: {}\n", game.position_text(state), game.action_text(action)));
            }
        };
        let end = record::replay(game, self.record, step)?;
        if self.show {
            print(&format!("{}\nscores {:?}, winners {:?}\n", game.position_text(&end), self.record.scores, self.record.winners));
        }
        Ok(())
    }
}
