//! The command line: types that clap reads, and one file per subcommand.

mod balance;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::{
    identity,
    report::terminal::{print, print_error, stdout_error},
    run::{ExitStatus, merge},
    study::{bench, matches, perft, replay, simulate, train, tune},
};

/// Plays river board games against itself and says what it learned.
#[derive(Parser, Debug)]
#[command(
    name = "watershed",
    version = identity::VERSION,
    long_version = identity::LONG_VERSION,
    args_override_self = true,
    after_help = "Examples:
  watershed simulate
  watershed simulate --players 3 --bots balanced --games 100k --out results/mine"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play many games between bots and write win rates and card statistics
    Simulate(simulate::Arguments),
    /// Play bots against each other and rate them, or test whether one is stronger
    Match(matches::Arguments),
    /// Make one run of the parts that `simulate --shard` played
    Merge(merge::Arguments),
    /// Find better numbers for a bot's profile by self-play
    Tune(tune::Arguments),
    /// Ask what tiles, buildings and plans are worth
    #[command(subcommand, arg_required_else_help = false)]
    Balance(balance::Command),
    /// Count the positions that decisions lead to, depth by depth
    Perft(perft::Arguments),
    /// Measure speed, and print a signature of behaviour
    Bench(bench::Arguments),
    /// Check records against the rules, or show a game move by move
    Replay(replay::Arguments),
    /// Learn a value function from self-play and write it as a profile
    Train(train::Arguments),
    /// Print a script that completes commands in a shell
    #[command(after_help = "Example:\n  watershed completions bash")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Runs the program with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let ending = match Cli::try_parse_from(arguments) {
        Err(error) => usage_error(&error),
        Ok(cli) => dispatch(cli.command).unwrap_or_else(|error| {
            print_error(&format!("{error:#}"));
            ExitStatus::UsageError
        }),
    };
    let Some(error) = stdout_error() else { return ExitCode::from(ending as u8) };
    print_error(&format!("stdout: can't be written: {error}"));
    ExitCode::from(ExitStatus::UsageError as u8)
}

fn dispatch(command: Command) -> anyhow::Result<ExitStatus> {
    match command {
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Match(arguments) => matches::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Balance(command) => balance::run(&command),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "watershed", &mut script);
            print(&String::from_utf8_lossy(&script));
            Ok(ExitStatus::Success)
        }
    }
}

/// Help goes to stdout as clap writes it; a mistake is told in one line.
fn usage_error(error: &clap::Error) -> ExitStatus {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        print(&error.to_string());
        return ExitStatus::Success;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let commands: Vec<_> =
            Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        print_error(&format!("expected a command: {}; see --help", commands.join(", ")));
        return ExitStatus::UsageError;
    }
    let text = error.to_string();
    let message = text
        .split("\n\nUsage")
        .next()
        .unwrap_or(&text)
        .split("\n\nFor more")
        .next()
        .unwrap_or(&text);
    let message =
        message.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    print_error(&format!("{message}; see --help"));
    ExitStatus::UsageError
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Cli;

    /// The widest line of an example that no terminal of 80 columns wraps.
    const WIDEST: usize = 80;

    /// All commands, with their names from the program's on.
    fn commands(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let mut all = vec![(name.to_owned(), command.clone())];
        for subcommand in command.get_subcommands() {
            all.extend(commands(subcommand, &format!("{name} {}", subcommand.get_name())));
        }
        all
    }

    /// The commands that a help text shows, as a shell reads them: lines that end in a backslash go
    /// on in the next.
    fn examples(help: &str) -> Vec<String> {
        let mut examples: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in help.lines() {
            let text = line.trim();
            if goes_on || text.starts_with("watershed ") {
                assert!(line.chars().count() <= WIDEST, "{line}");
                let end = text.strip_suffix('\\');
                if goes_on {
                    examples.last_mut().unwrap().push_str(end.unwrap_or(text));
                } else {
                    examples.push(end.unwrap_or(text).to_owned());
                }
                goes_on = end.is_some();
            }
        }
        assert!(!goes_on, "the last line goes on");
        examples
    }

    /// The words of a command line without variables and escapes. What a shell would replace must
    /// be between single quotes.
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
    fn every_example_of_every_help_can_be_run_as_printed() {
        let mut root = Cli::command().term_width(WIDEST);
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

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
