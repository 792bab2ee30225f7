//! Usage errors: what the command line must not have, and messages of one line.

use std::ffi::OsString;

use clap::{CommandFactory as _, error::ErrorKind};

use super::Cli;
use crate::{
    report::terminal::{has_colours, print_error, print_styled},
    run::{ExitStatus, command::program_name},
};

/// Returns an error if `--config` is given twice: two data files are two variants, of which other
/// flags that are repeated would play the last one only.
pub(super) fn refuse_several_data_files(arguments: &[OsString]) -> Result<(), clap::Error> {
    let flags = arguments.iter().take_while(|argument| *argument != "--");
    let is_config = |argument: &&OsString| {
        let text = argument.to_string_lossy();
        text == "--config" || text.starts_with("--config=")
    };
    if flags.filter(is_config).count() < 2 {
        return Ok(());
    }
    let message = format!(
        "--config: expected one data file, found several; `{} balance compare A.toml B.toml` \
         compares two",
        program_name()
    );
    Err(Cli::command().error(ErrorKind::ArgumentConflict, message))
}

/// Prints help to stdout as clap writes it, in colours on a terminal, and a usage error to stderr
/// as one line.
pub(super) fn usage_error(error: &clap::Error) -> ExitStatus {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let text = error.render();
        print_styled(&if has_colours() { text.ansi().to_string() } else { text.to_string() });
        return ExitStatus::Success;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let commands: Vec<_> =
            Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        print_error(&format!(
            "expected a command, as in `watershed simulate`: {}; see --help",
            commands.join(", ")
        ));
        return ExitStatus::UsageError;
    }
    print_error(&format!("{}; see --help", usage_message(error)));
    ExitStatus::UsageError
}

/// Returns a usage error on one line.
pub(super) fn usage_message(error: &clap::Error) -> String {
    let text = error.to_string();
    let message = text.split("\n\nUsage").next().unwrap_or(&text);
    let message = message.split("\n\nFor more").next().unwrap_or(message);
    let words: Vec<_> = message.trim_start_matches("error: ").split_whitespace().collect();
    let message = words.join(" ");
    // As in `tip: a similar subcommand exists: 'match'`.
    match message.split_once(" tip: ").map(|(message, tip)| (message, tip.split_once(": "))) {
        Some((message, Some((_, names)))) => {
            // The most similar name is the last one.
            let names: Vec<_> = names.split(", ").collect();
            let names: Vec<_> = names.iter().rev().map(|name| name.replace('\'', "`")).collect();
            format!("{message}; did you mean {}?", names.join(", "))
        }
        _ => message,
    }
}
