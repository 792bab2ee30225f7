//! `watershed openings`: books of openings, with the effects of actions in situations by forks.

mod arguments;
pub(super) mod file;
mod grow;
mod show;
pub(crate) mod tables;

use clap::Subcommand;

use crate::study::shared::{planned_study::StudyArguments, prelude::*};

#[derive(Subcommand, Debug)]
pub(crate) enum OpeningsCommand {
    /// Play games and their forks, and write a book of openings
    Grow(Box<StudyArguments<arguments::GrowArguments>>),
    /// Print the actions of a book, the best of each situation first
    Show(arguments::ShowArguments),
}

impl OpeningsCommand {
    /// Returns the shards of the command, if it has any.
    pub(crate) fn parts(&mut self) -> Option<&mut PartArguments> {
        match self {
            Self::Grow(arguments) => Some(&mut arguments.parts),
            Self::Show(_) => None,
        }
    }
}

/// Describes all tables that the commands can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::book_columns().schema(), tables::pairs_columns().schema()]
}

/// Runs a command.
pub(crate) fn run(
    games: GameList,
    command: &OpeningsCommand,
    repeat: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    match command {
        OpeningsCommand::Grow(arguments) => grow::run(&arguments.open(games, repeat)?),
        OpeningsCommand::Show(arguments) => show::run(arguments),
    }
}
