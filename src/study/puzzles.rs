//! `watershed puzzles`: positions with one best action, to find and to solve.

mod arguments;
mod file;
mod find;
mod solve;

use clap::Subcommand;

use crate::study::shared::prelude::*;

#[derive(Subcommand, Debug)]
pub(crate) enum PuzzlesCommand {
    /// Find puzzles in the games of a file of records
    Find(arguments::FindArguments),
    /// Solve puzzles in the terminal
    Solve(arguments::SolveArguments),
}

/// Runs a command.
pub(crate) fn run(games: GameList, command: &PuzzlesCommand) -> anyhow::Result<ExitStatus> {
    match command {
        PuzzlesCommand::Find(arguments) => find::run(games, arguments),
        PuzzlesCommand::Solve(arguments) => solve::run(games, arguments),
    }
}
