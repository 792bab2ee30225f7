//! The command line: types that clap reads, and one file per subcommand.

mod balance;
mod bench;
mod matches;
mod merge;
mod outputs;
mod perft;
mod progress;
mod replay;
mod selection;
mod shell;
mod simulate;
mod train;
mod tune;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
    sync::OnceLock,
};

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::{
    identity,
    report::text::{one_line, printable},
};

/// Plays river board games against itself and says what it learned.
#[derive(Parser, Debug)]
#[command(
    name = "watershed",
    version = identity::VERSION,
    long_version = identity::LONG_VERSION,
    after_help = "Example: watershed simulate --players 2 --bots balanced,builder --games 100000 --seed 1 --out results/mine"
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
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// How the program ends; scripts rely on the codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Done = 0,
    /// The answer is no: a failed test, a mismatch, a run that was interrupted.
    No = 1,
    /// Bad usage, configuration or input.
    Refused = 2,
}

/// The arguments that the program was started with, without its name.
static ARGUMENTS: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the arguments that the program was started with, without its name.
fn arguments() -> &'static [String] {
    ARGUMENTS.get().map(Vec::as_slice).unwrap_or_default()
}

/// Runs the program with these arguments, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.into_iter().collect();
    ARGUMENTS.get_or_init(|| arguments.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect());
    let ending = match Cli::try_parse_from(arguments) {
        Err(error) => usage_error(&error),
        Ok(cli) => dispatch(cli.command).unwrap_or_else(|error| {
            complain(&format!("{error:#}"));
            Ending::Refused
        }),
    };
    let Some(error) = STDOUT_ERROR.get() else { return ExitCode::from(ending as u8) };
    complain(&format!("stdout: can't be written: {error}"));
    ExitCode::from(Ending::Refused as u8)
}

fn dispatch(command: Command) -> anyhow::Result<Ending> {
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
            Ok(Ending::Done)
        }
    }
}

/// Help goes to stdout as clap writes it; a mistake is told in one line.
fn usage_error(error: &clap::Error) -> Ending {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        print(&error.to_string());
        return Ending::Done;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let commands: Vec<_> = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        complain(&format!("expected a command: {}; see --help", commands.join(", ")));
        return Ending::Refused;
    }
    let text = error.to_string();
    let message = text.split("\n\nUsage").next().unwrap_or(&text).split("\n\nFor more").next().unwrap_or(&text);
    let message = message.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    complain(&format!("{message}; see --help"));
    Ending::Refused
}

/// The first error of writing to stdout.
static STDOUT_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Writes to stdout. An error is reported when the program ends; a reader that has gone away is none.
fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(printable(text).as_bytes()).and_then(|()| stdout.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // Only the first error is kept.
        let _ = STDOUT_ERROR.set(error);
    }
}

/// Writes an error to stderr, as one line.
fn complain(message: &str) {
    note(&format!("error: {message}"));
}

/// Writes a message to stderr, as one line.
fn note(message: &str) {
    // There is no place left to report an error to.
    let _ = writeln!(io::stderr(), "{}", one_line(message));
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
