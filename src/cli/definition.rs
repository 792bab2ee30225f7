//! The definition of the command line: its help and what the flags of all commands share.

use clap::{
    CommandFactory as _,
    builder::{PossibleValue, PossibleValuesParser, Styles},
};

use super::Cli;
use crate::games::GameEntry;

/// Returns the definition of the command line of a program with these games.
pub(super) fn definition(name: &'static str, games: &'static [GameEntry]) -> clap::Command {
    let mut command = Cli::command().name(name).bin_name(name);
    complete_arguments(&mut command, games);
    let template = help_template(&command);
    command.help_template(template)
}

/// The flags with a short form, the same in all commands.
const SHORT_FLAGS: [(&str, char); 7] = [
    ("game", 'g'),
    ("games", 'n'),
    ("out", 'o'),
    ("players", 'p'),
    ("quiet", 'q'),
    ("seed", 's'),
    ("threads", 'j'),
];

/// The commands that the help lists, in groups by purpose.
pub(super) const GROUPS: [(&str, &[&str]); 4] = [
    ("Play and study a game", &["play", "serve", "puzzles", "analyze", "replay", "openings"]),
    ("Check the balance of a game", &["simulate", "balance", "data", "list", "report"]),
    ("Compare and train bots", &["match", "train", "loss", "bench"]),
    ("Runs and files", &["run", "merge", "verify"]),
];
/// The other commands, which the help names.
pub(super) const FURTHER: &[&str] =
    &["calibrate", "exploit", "tune", "perft", "engine", "completions"];

/// Returns the template of the help of the program.
fn help_template(program: &clap::Command) -> String {
    let header = Styles::styled().get_header().to_owned();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, names) in GROUPS {
        text += &format!("\n{header}{heading}:{header:#}\n");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            text += &format!("  {:<8}  {about}\n", command.get_name());
        }
    }
    let further = FURTHER.join(", ");
    text += &format!("\nFurther commands: {further}\n\n{header}Options:{header:#}\n");
    text + "{options}{after-help}"
}

/// Adds the short forms to the flags of a command and of all its subcommands, and the accepted
/// values of `--game`.
fn complete_arguments(command: &mut clap::Command, games: &'static [GameEntry]) {
    *command = std::mem::take(command).mut_args(|argument| {
        let short = SHORT_FLAGS.iter().find(|(long, _)| argument.get_long() == Some(long));
        let argument = match short {
            Some(&(_, short)) => argument.short(short),
            None => argument,
        };
        if argument.get_id() != "game" {
            return argument;
        }
        let values = games.iter().map(|game| {
            let GameEntry { id, title, min_players, max_players, .. } = game;
            PossibleValue::new(id).help(format!("{title}, {min_players} to {max_players} players"))
        });
        // The texts name the first game of `watershed`.
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let values = PossibleValuesParser::new(values.collect::<Vec<_>>());
        argument.value_parser(values).help(help.replace("the_river", games[0].id))
    });
    for subcommand in command.get_subcommands_mut() {
        complete_arguments(subcommand, games);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
pub(super) mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::{games::built_in_games, report::text::TEXT_WIDTH};

    /// Returns all commands with their full names.
    pub(in crate::cli) fn commands(
        command: &clap::Command,
        name: &str,
    ) -> Vec<(String, clap::Command)> {
        let mut all = vec![(name.to_owned(), command.clone())];
        for subcommand in command.get_subcommands() {
            all.extend(commands(subcommand, &format!("{name} {}", subcommand.get_name())));
        }
        all
    }

    /// Returns the example commands of a help text. Lines that end in a backslash are joined.
    fn examples(help: &str) -> Vec<String> {
        let mut examples: Vec<String> = Vec::new();
        let mut is_continued = false;
        for line in help.lines() {
            let text = line.trim();
            let is_usage = text.contains('<') || text.contains('[');
            if is_continued || (text.starts_with("watershed ") && !is_usage) {
                assert!(line.chars().count() <= TEXT_WIDTH, "{line}");
                // The output of a command may go to a file or to another program.
                let end = [text.find(" > "), text.find(" | ")].into_iter().flatten().min();
                let text = &text[..end.unwrap_or(text.len())];
                let end = text.strip_suffix('\\');
                if is_continued {
                    examples.last_mut().unwrap().push_str(end.unwrap_or(text));
                } else {
                    examples.push(end.unwrap_or(text).to_owned());
                }
                is_continued = end.is_some();
            }
        }
        assert!(!is_continued, "the last line ends in a backslash");
        examples
    }

    /// Splits a command line without variables and escapes into words. Characters that are special
    /// to a shell must be in single quotes.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        for (index, part) in line.split('\'').enumerate() {
            let quoted = index % 2 == 1;
            assert!(
                quoted
                    || !part.contains([
                        '*', '?', '[', ']', '{', '}', '$', '`', '"', '\\', '~', '<', '>', '|', '&',
                        ';', '(', ')', '#', '!'
                    ]),
                "{line}"
            );
            let mut pieces =
                if quoted { vec![part] } else { part.split(' ').collect() }.into_iter();
            words.last_mut().unwrap().push_str(pieces.next().unwrap());
            words.extend(pieces.map(str::to_owned));
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn examples_of_help_texts_parse_as_printed() {
        let mut root = Cli::command().term_width(TEXT_WIDTH);
        root.build();
        for (name, mut command) in commands(&root, "watershed") {
            let help = command.render_long_help().to_string();
            let examples = examples(&help);
            if !command.has_subcommands() && !name.contains(" help") {
                assert!(examples.iter().any(|example| example.starts_with(&name)), "{name}");
            }
            for example in examples {
                let parsed = Cli::try_parse_from(words(&example));
                assert!(parsed.is_ok(), "{name}: {example}: {}", parsed.unwrap_err());
            }
        }
    }

    /// Paths in experiment files are relative to them if they name data files.
    #[test]
    fn data_files_have_the_hint_of_a_file() {
        let mut root = Cli::command();
        root.build();
        let mut data_files = 0;
        for (name, command) in commands(&root, "watershed") {
            for argument in command.get_arguments() {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let is_data_file = help.contains("data file") && help.starts_with("Read");
                let has_hint = argument.get_value_hint() == clap::ValueHint::FilePath;
                assert_eq!(has_hint, is_data_file, "{name}: {}: {help}", argument.get_id());
                data_files += usize::from(has_hint);
            }
        }
        assert!(data_files > 20, "{data_files}");
    }

    #[test]
    fn the_help_lists_or_names_every_command_once() {
        let listed = GROUPS.iter().flat_map(|(_, names)| *names);
        assert!(listed.clone().count() <= 18);
        let mut named: Vec<_> = listed.chain(FURTHER).copied().collect();
        named.sort_unstable();
        let program = Cli::command();
        let mut all: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
        all.retain(|name| *name != "man");
        all.sort_unstable();
        assert_eq!(named, all);
        let help = definition("watershed", built_in_games().all()).render_help().to_string();
        let mut lines = help.lines().filter(|line| line.starts_with("  "));
        assert!(lines.all(|line| line.chars().count() <= TEXT_WIDTH), "{help}");
    }

    #[test]
    fn command_line_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
