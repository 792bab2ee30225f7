//! Flags of `watershed puzzles`.

use crate::study::shared::prelude::*;

#[derive(Args, Debug)]
#[command(after_help = "\
A puzzle is a decision between at least 4 actions of which one is best, and the bot of --obvious
chooses another one: searches after it and after the 3 best others differ by the margin. A puzzle
goes on with the next decision of the player if that has one best action, too, for at most 3
decisions. Its rating follows from the answers of the opponents of the game.
There is at most one puzzle of each game, and none is nearly equal to another. An interrupted
command keeps the puzzles of the games that it has examined; with --resume and the same flags it
goes on.

Examples:
  watershed simulate --games 200 --records games.jsonl
  watershed puzzles find games.jsonl --count 10 --out puzzles.jsonl
  watershed puzzles solve puzzles.jsonl")]
pub(crate) struct FindArguments {
    /// Read games from a .jsonl or .jsonl.gz file, all of one game with one number of players
    #[arg(value_name = "RECORDS")]
    pub(super) records: PathBuf,
    /// Write the puzzles to this file
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Stop after this number of puzzles
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count(1..=100_000_usize))]
    pub(super) count: usize,
    /// Read the data file of the games [default: the built-in one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Set the smallest loss of win chance by a wrong answer
    #[arg(long, value_name = "M", default_value = "8pp")]
    pub(super) margin: Margin,
    /// Set the number of iterations of the search that proposes the solution
    #[arg(long, value_name = "N", default_value_t = 300,
          value_parser = count(10..=10_000_000_u64))]
    pub(super) iterations: u64,
    /// Set the number of iterations of the searches that decide
    #[arg(long, value_name = "N", default_value_t = 4000,
          value_parser = count(10..=10_000_000_u64))]
    pub(super) judge_iterations: u64,
    /// Set the maximum number of puzzles of a round [default: no limit]
    #[arg(long, value_name = "N", value_parser = count(1..=100_000_usize))]
    pub(super) per_round: Option<usize>,
    /// Set the maximum number of puzzles whose solutions are of one kind [default: no limit]
    #[arg(long, value_name = "N", value_parser = count(1..=100_000_usize))]
    pub(super) per_kind: Option<usize>,
    /// Set the bot whose choice must not be the solution
    #[arg(long, value_name = "BOT", default_value = "balanced")]
    pub(super) obvious: String,
    /// Set the random seed; equal seeds give identical results
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED,
          value_parser = count(0..=u64::MAX))]
    pub(super) seed: u64,
    /// Set the number of threads, at most 4 per core [default: all cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) threads: Option<usize>,
    /// Continue after the last puzzle of an interrupted command with the same flags; the puzzles
    /// are the same
    #[arg(long)]
    pub(super) resume: bool,
    /// Overwrite the file
    #[arg(long, conflicts_with = "resume")]
    pub(super) force: bool,
    /// Print no progress
    #[arg(long)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Answer with the number of an action. `s` shows the solution, Enter goes on, `q` quits.

Example:
  watershed puzzles solve puzzles.jsonl --first 3")]
pub(crate) struct SolveArguments {
    /// Read the puzzles from this file
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Begin with the puzzle of this number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=usize::MAX as u64))]
    pub(super) first: u64,
    /// Read the data file of the game [default: the built-in one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}
