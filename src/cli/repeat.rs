//! Commands that repeat a finished run.

use std::ffi::OsString;

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::parser::ValueSource;

use super::{dispatch, matches, parse_command, usage_message};
use crate::{
    games::GameList,
    run::{ExitStatus, command::FLAGS_OF_OUTPUT, programs::ensure_no_program},
};

/// The commands whose runs can be verified.
const STUDIES: [&str; 7] = ["simulate", "match", "calibrate", "loss", "exploit", "tune", "balance"];

/// Runs the command of a study that a manifest records, with further flags. The manifest may be of
/// a stranger: its command names no output, and starts programs only if this is allowed.
pub(super) fn repeat_study(
    games: GameList,
    recorded: &[String],
    flags: &[String],
    may_start_programs: bool,
) -> anyhow::Result<ExitStatus> {
    let words = |words: &[String]| -> Vec<_> { words.iter().map(OsString::from).collect() };
    let usage = |error| anyhow!(usage_message(&error));
    let (parsed, _) = matches(games, &words(recorded)).map_err(usage)?;
    let mut own = &parsed;
    while let Some((_, inner)) = own.subcommand() {
        own = inner;
    }
    let is_given = |flag: &&str| {
        // The source of an argument that the command does not have can't be asked for.
        own.try_contains_id(flag).is_ok()
            && own.value_source(flag) == Some(ValueSource::CommandLine)
    };
    if !may_start_programs {
        let mut words = recorded.iter();
        words.try_for_each(|word| ensure_no_program(word)).context("arguments")?;
    }
    if let Some(flag) = FLAGS_OF_OUTPUT.iter().copied().find(|flag| is_given(flag)) {
        bail!("arguments: expected no --{flag}");
    }
    // After it, the further flags would be values.
    ensure!(!recorded.iter().any(|word| word == "--"), "arguments: expected no \"--\"");
    let is_study = parsed.subcommand_name().is_some_and(|name| STUDIES.contains(&name));
    ensure!(is_study, "arguments: expected a command that writes a finished run");
    dispatch(games, parse_command(games, &words(&[recorded, flags].concat())).map_err(usage)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use clap::CommandFactory as _;

    use super::{
        super::{Cli, definition::tests::commands},
        FLAGS_OF_OUTPUT, STUDIES,
    };

    /// A manifest must not make a command write to a file.
    #[test]
    fn repeated_commands_have_known_flags_with_paths() {
        const READ: [&str; 7] =
            ["baseline", "config", "files", "goal", "playtests", "variant", "profile"];
        let root = Cli::command();
        let mut paths = 0;
        for kind in STUDIES {
            for (name, command) in commands(root.find_subcommand(kind).unwrap(), kind) {
                for argument in command.get_arguments() {
                    let is_path = |value: &clap::builder::Str| {
                        ["FILE", "DIR", ".toml", "BOOK"].iter().any(|part| value.contains(part))
                    };
                    let id = argument.get_id().as_str();
                    if argument.get_value_names().unwrap_or_default().iter().any(is_path) {
                        let is_known = READ.contains(&id) || FLAGS_OF_OUTPUT.contains(&id);
                        assert!(is_known, "{name}: {id}");
                        paths += 1;
                    }
                }
            }
        }
        assert!(paths > 30, "{paths}");
    }
}
