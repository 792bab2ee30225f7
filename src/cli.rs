//! The command line: subcommands, dispatch and exit codes.

mod balance;
mod definition;
mod experiment;
#[cfg(test)]
mod reference;
mod repeat;
mod usage;

use std::{ffi::OsString, process::ExitCode, sync::atomic::AtomicBool};

use anyhow::{Context as _, anyhow, bail};
use clap::{FromArgMatches as _, Parser, Subcommand, error::ErrorKind};

use crate::{
    games::{GameList, built_in_games},
    identity,
    report::terminal::{collect_output, print, print_error, stdout_error},
    run::{
        ExitStatus,
        command::{RepeatCommand, program_name, set_program_name},
        files::set_command_files,
        parts::PartArguments,
        process_groups::kill_groups,
        programs::{self, ensure_no_forfeits, ensure_started, forget_games, take_forfeits},
        progress_bar::leave_interrupts_to_program,
    },
    study::{
        self, analyze, bench, calibrate, data, engine, exploit, list, loss, matches, merge,
        openings, perft, play, puzzles, replay, report,
        search::fix::find_fix,
        serve,
        shared::{planned_study::StudyArguments, several_players::SeveralPlayers},
        simulate, train, tune, verify,
    },
    web::CommandTools,
};
use definition::definition;
use usage::{refuse_several_data_files, usage_error, usage_message};

/// Simulates board games between AI players and reports win rates, card statistics and openings.
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
    command: CommandOrFile,
}

/// A command, or a file with one.
#[allow(clippy::large_enum_variant, reason = "a process has one value of it")]
#[derive(Subcommand, Debug)]
enum CommandOrFile {
    #[command(flatten)]
    Command(Command),
    /// Run a command with the flags of an experiment file
    Run(experiment::ExperimentArguments),
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play games between bots: verdict, win rates, items, openings
    Simulate(StudyArguments<simulate::SimulateArguments>),
    /// Rate bots, test which is stronger, or measure how much is skill
    Match(StudyArguments<matches::MatchArguments>),
    /// Merge the shards that commands played with `--shard`
    Merge(merge::MergeArguments),
    /// Put finished runs side by side on one page
    Report(report::ReportArguments),
    /// Play finished runs again and compare their files
    Verify(verify::VerifyArguments),
    /// Compare the win chances of a search with the results of games, and fit a map to them
    Calibrate(StudyArguments<calibrate::arguments::CalibrateArguments>),
    /// Measure what decisions of bots lose, as a deep search judges them
    Loss(StudyArguments<loss::arguments::LossArguments>),
    /// Train a network to beat a bot, and measure how far it gets
    Exploit(StudyArguments<exploit::ExploitArguments>),
    /// Optimise bot parameters by self-play
    Tune(StudyArguments<tune::arguments::TuneArguments>),
    /// Measure the balance of a game and of its components
    #[command(subcommand, arg_required_else_help = false)]
    Balance(balance::BalanceCommand),
    /// Count the sequences of decisions per depth, a fingerprint of the rules
    Perft(perft::PerftArguments),
    /// Measure speed and print the signature of behaviour
    Bench(bench::BenchArguments),
    /// Check records against the rules, or show one game event by event
    Replay(replay::ReplayArguments),
    /// Find the best actions of a position, with win chances and intervals
    Analyze(analyze::AnalyzeArguments),
    /// Analyse positions for other programs, by requests and answers in JSON lines
    Engine(engine::EngineArguments),
    /// Play a game against bots or other people in the terminal
    Play(play::PlayArguments),
    /// Play games in a browser, and read pages of results there
    Serve(serve::ServeArguments),
    /// Find and solve puzzles: positions with one best action
    #[command(subcommand, arg_required_else_help = false)]
    Puzzles(puzzles::PuzzlesCommand),
    /// Grow and show books of openings: the effects of first decisions
    #[command(subcommand, arg_required_else_help = false)]
    Openings(openings::OpeningsCommand),
    /// Train a network by self-play with search and write it as a profile
    Train(train::arguments::TrainArguments),
    /// Print a built-in data file, or check one
    Data(data::DataArguments),
    /// List bots, items, keys of the data file, or features of heuristics
    #[command(subcommand, arg_required_else_help = false)]
    List(list::ListCommand),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  watershed completions bash")]
    Completions {
        /// Select the shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands
    #[cfg(feature = "packaging")]
    #[command(after_help = "Example:\n  watershed man --out man\n  man man/watershed-simulate.1")]
    Man {
        /// Write the pages to this folder
        #[arg(long, value_name = "DIR")]
        out: std::path::PathBuf,
    },
}

/// Runs the program `watershed` with these arguments, of which the first is ignored. Returns the
/// code of an [`ExitStatus`]; an error is one line on stderr.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    run_games("watershed", built_in_games(), arguments)
}

/// Runs a program that has all commands for a list of games. `arguments` are those of the process,
/// of which the first is ignored; help texts and manifests call the program `name`.
///
/// ```no_run
/// use watershed::{BuiltInGame, GameEntry, GameList, games::the_river::TheRiver};
///
/// fn main() -> std::process::ExitCode {
///     let games = GameList::new(vec![GameEntry::new::<TheRiver>(TheRiver::FILES)]);
///     watershed::cli::run_games("one_game", games, std::env::args_os().collect())
/// }
/// ```
pub fn run_games(name: &'static str, games: GameList, arguments: Vec<OsString>) -> ExitCode {
    set_program_name(name);
    // A write beyond `ulimit -f` fails as on a full disk instead of ending the program. All threads
    // inherit the mask, programs of bots do not.
    #[cfg(unix)]
    let _ = nix::sys::signal::SigSet::from(nix::sys::signal::Signal::SIGXFSZ).thread_block();
    let games = games.with_programs(programs::read);
    let arguments: Vec<_> = arguments.into_iter().skip(1).collect();
    let status = match parse(games, &arguments) {
        Err(error) => usage_error(&error),
        Ok(command) => execute(games, command).unwrap_or_else(|error| {
            print_error(&format!("{error:#}"));
            ExitStatus::UsageError
        }),
    };
    drop(kill_groups());
    let Some(error) = stdout_error() else { return ExitCode::from(status as u8) };
    print_error(&format!("stdout: cannot be written: {error}"));
    ExitCode::from(ExitStatus::UsageError as u8)
}

/// Runs a command from code, with the arguments that follow the name of the program. The command
/// writes its files and prints its summary as on the command line. Manifests call the program
/// `watershed`, unless [`run_games`] has set another name.
///
/// ```
/// use watershed::{cli::run_command, games::built_in_games, run::ExitStatus};
///
/// # let folder = std::env::temp_dir().join(format!("watershed-doc-{}", std::process::id()));
/// # let out = folder.display().to_string();
/// let status = run_command(built_in_games(), [
///     "balance", "turn-order", "--bots", "random", "--games", "40", "--quiet", "--out", &out,
/// ])?;
/// assert_eq!(status, ExitStatus::Success);
/// assert!(folder.join("turn_positions.csv").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), anyhow::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the arguments are not those of a command, or if the input is invalid.
pub fn run_command(
    games: GameList,
    arguments: impl IntoIterator<Item = impl Into<OsString>>,
) -> anyhow::Result<ExitStatus> {
    let arguments: Vec<_> = arguments.into_iter().map(Into::into).collect();
    let games = games.with_programs(programs::read);
    execute(games, parse(games, &arguments)?)
}

/// Runs a command as [`run_command`], for a program that handles interrupts and shows texts itself.
/// `stop` ends a long command as Ctrl-C does; the program resets it. It is the same flag in all
/// calls, one call at a time. Returns the status with the text that the command would print.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use watershed::{cli::run_command_inside, games::built_in_games, run::ExitStatus};
///
/// static STOP: AtomicBool = AtomicBool::new(false);
/// let arguments = ["list", "bots", "--game", "glassworks"].map(Into::into);
/// let (status, text) = run_command_inside(built_in_games(), &arguments, &STOP)?;
/// assert_eq!(status, ExitStatus::Success);
/// assert!(text.contains("expert"));
/// # Ok::<(), anyhow::Error>(())
/// ```
///
/// # Errors
/// Returns an error, on one line, if the arguments are not those of a command, or if the input is
/// invalid.
pub fn run_command_inside(
    games: GameList,
    arguments: &[OsString],
    stop: &'static AtomicBool,
) -> anyhow::Result<(ExitStatus, String)> {
    leave_interrupts_to_program(stop);
    let (status, text) = collect_output(|| match parse(games, arguments) {
        Ok(command) => execute(games, command),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(usage_error(&error)),
        Err(error) => Err(anyhow!(usage_message(&error))),
    });
    Ok((status?, text))
}

/// A command, and the one that repeats its run.
struct Parsed<C> {
    command: C,
    repeat: RepeatCommand,
}

/// Parses the arguments of the program, without its name.
fn parse(games: GameList, arguments: &[OsString]) -> Result<Parsed<CommandOrFile>, clap::Error> {
    refuse_several_data_files(arguments)?;
    let (matches, repeat) = matches(games, arguments)?;
    Ok(Parsed { command: Cli::from_arg_matches(&matches)?.command, repeat })
}

/// Parses the arguments of a command, which is no experiment file.
fn parse_command(games: GameList, arguments: &[OsString]) -> Result<Parsed<Command>, clap::Error> {
    let (matches, repeat) = matches(games, arguments)?;
    Ok(Parsed { command: Command::from_arg_matches(&matches)?, repeat })
}

fn matches(
    games: GameList,
    arguments: &[OsString],
) -> Result<(clap::ArgMatches, RepeatCommand), clap::Error> {
    let name = OsString::from(program_name());
    let arguments = std::iter::once(&name).chain(arguments);
    let mut program = definition(program_name(), games.all());
    let matches = program.try_get_matches_from_mut(arguments)?;
    let repeat = RepeatCommand::new(&program, &matches);
    Ok((matches, repeat))
}

/// Runs a command, or that of an experiment file.
fn execute(games: GameList, parsed: Parsed<CommandOrFile>) -> anyhow::Result<ExitStatus> {
    let Parsed { command, repeat } = parsed;
    let of_file = match command {
        CommandOrFile::Run(of_file) => of_file,
        CommandOrFile::Command(command) => return dispatch(games, Parsed { command, repeat }),
    };
    let expansion = of_file.expand(&definition(program_name(), games.all()))?;
    let file = of_file.experiment;
    let mut parsed = match parse_command(games, &expansion.arguments) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => return Ok(usage_error(&error)),
        Err(error) => {
            let in_file = || format!("{}: {}", file.display(), usage_message(&error));
            bail!(expansion.locate_usage(&error).unwrap_or_else(in_file))
        }
    };
    if let Command::Simulate(arguments) = &mut parsed.command {
        // No output overwrites it.
        arguments.own.experiment = Some(file);
    }
    dispatch(games, parsed).map_err(|error| anyhow!(expansion.locate(&format!("{error:#}"))))
}

/// Runs a command, once for each number of players if it has several.
fn dispatch(games: GameList, parsed: Parsed<Command>) -> anyhow::Result<ExitStatus> {
    set_command_files(study::file_names);
    let Parsed { mut command, repeat } = parsed;
    let run = |command: &Command| run_once(games, command, &repeat);
    let plan = several_players(&mut command).map(|flags| flags.plan(games)).transpose()?;
    match plan.flatten() {
        Some(plan) => plan.run(games, &mut command, several_players, run),
        None => run(&command),
    }
}

/// Returns the flags of a study of several numbers of players.
fn several_players(command: &mut Command) -> Option<SeveralPlayers<'_>> {
    match command {
        Command::Simulate(arguments) => Some(arguments.simulations()),
        Command::Match(arguments) => Some(arguments.several_players(|_| 0)),
        Command::Balance(command) => Some(command.several_players()),
        _ => None,
    }
}

/// Runs a command. Only studies have a place for games that a bot lost by a failure.
fn run_once(
    games: GameList,
    command: &Command,
    repeat: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    forget_games();
    let status = run_command_of(games, command, repeat);
    ensure_started()?;
    let status = status?;
    if matches!(command, Command::Play(_)) {
        // The person has seen them.
        take_forfeits();
    }
    ensure_no_forfeits()?;
    Ok(status)
}

fn run_command_of(
    games: GameList,
    command: &Command,
    repeat: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    match command {
        Command::Simulate(arguments) => simulate::run(games, arguments, repeat),
        Command::Match(arguments) => matches::run(&arguments.open(games, repeat)?),
        Command::Merge(arguments) => {
            let run_study = |command: &[OsString], parts| run_study(games, command, parts);
            merge::run(arguments, &run_study)
        }
        Command::Report(arguments) => report::run(games, arguments),
        Command::Verify(arguments) => {
            let repeat_study = |recorded: &[String], flags: &[String], may_start_programs| {
                repeat::repeat_study(games, recorded, flags, may_start_programs)
            };
            verify::run(arguments, &repeat_study)
        }
        Command::Calibrate(arguments) => calibrate::run(&arguments.open(games, repeat)?),
        Command::Loss(arguments) => loss::run(&arguments.open(games, repeat)?),
        Command::Exploit(arguments) => exploit::run(&arguments.open(games, repeat)?),
        Command::Tune(arguments) => tune::run(&arguments.open(games, repeat)?),
        Command::Balance(command) => balance::run(games, command, repeat),
        Command::Perft(arguments) => perft::run(games, arguments),
        Command::Bench(arguments) => bench::run(games, arguments),
        Command::Replay(arguments) => replay::run(games, arguments),
        Command::Analyze(arguments) => analyze::run(games, arguments),
        Command::Engine(arguments) => engine::run(games, arguments),
        Command::Play(arguments) => play::run(games, arguments),
        Command::Serve(arguments) => {
            serve::run(games, arguments, CommandTools { find_fix, read_table: data::read_table })
        }
        Command::Puzzles(command) => puzzles::run(games, command),
        Command::Openings(command) => openings::run(games, command, repeat),
        Command::Train(arguments) => train::run(games, arguments, repeat),
        Command::Data(arguments) => data::run(games, arguments),
        Command::List(command) => list::run(games, command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            let mut command = definition(program_name(), games.all());
            clap_complete::generate(*shell, &mut command, program_name(), &mut script);
            print(&String::from_utf8_lossy(&script));
            Ok(ExitStatus::Success)
        }
        #[cfg(feature = "packaging")]
        Command::Man { out } => {
            let unwritable = || format!("--out: {}: cannot be written", out.display());
            std::fs::create_dir_all(out).with_context(unwritable)?;
            let pages = definition(program_name(), games.all());
            clap_mangen::generate_to(pages, out).with_context(unwritable)?;
            Ok(ExitStatus::Success)
        }
    }
}

/// Runs the command of a study with parts that were played before. `arguments` are without the name
/// of the program.
fn run_study(
    games: GameList,
    arguments: &[OsString],
    parts: PartArguments,
) -> anyhow::Result<ExitStatus> {
    let parsed = parse_command(games, arguments);
    let mut parsed = parsed.map_err(|error| anyhow!(usage_message(&error)))?;
    let flags = match &mut parsed.command {
        Command::Calibrate(arguments) => Some(&mut arguments.parts),
        Command::Loss(arguments) => Some(&mut arguments.parts),
        Command::Openings(command) => command.parts(),
        command => several_players(command).map(|flags| flags.parts),
    };
    *flags.context(
        "expected shards of `simulate`, `match`, `calibrate`, `loss`, `openings grow` or a \
         `balance` command",
    )? = parts;
    dispatch(games, parsed)
}
