//! The flags of `analyze`.

use crate::study::shared::{
    prelude::*,
    search_names::{DEFAULT_ITERATIONS, has_own_budget, with_iterations},
};

#[derive(Args, Debug)]
#[command(after_help = "\
A position is one line, as `replay --game-index` prints it; docs/rules has its notation. The search
finds candidates; searches of the same budget after each of them decide which one is best.

Examples:
  watershed simulate --games 100 --records games.jsonl
  watershed replay games.jsonl --game-index 12 | sed -n 21p | watershed analyze
  watershed analyze --record games.jsonl --game-index 12 --move 20
  watershed analyze --record games.jsonl --move 20 --until-stable
  watershed analyze --record games.jsonl --move 20 --also food --json
  watershed analyze --record games.jsonl --move 20 --board --svg board.svg")]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(crate) struct AnalyzeArguments {
    /// Analyse this position [default: a line of standard input]
    #[arg(long, value_name = "TEXT", conflicts_with = "record")]
    pub(super) position: Option<String>,
    /// Analyse a position of a game in a file of records
    #[arg(long, value_name = "FILE", requires = "move_index")]
    pub(super) record: Option<PathBuf>,
    /// Select the game of the file with this index in the run [default: the first]
    #[arg(long, value_name = "K", requires = "record", value_parser = count(0..=u64::MAX))]
    pub(super) game_index: Option<u64>,
    /// Select the position before the event with this number, from 0, as `replay` shows it
    #[arg(long = "move", id = "move_index", value_name = "M", requires = "record",
          value_parser = count(0..=usize::MAX))]
    pub(super) move_index: Option<usize>,
    /// Read the data file of the game [default: the built-in one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Set the bot that searches
    #[arg(long, value_name = "BOT", default_value = "mcts")]
    pub(super) bot: String,
    /// Set the number of iterations of the search [default: 2000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=u64::from(u32::MAX)))]
    pub(super) iterations: Option<u64>,
    /// Search for this many milliseconds instead; the result then depends on the machine
    #[arg(long, value_name = "T", conflicts_with = "iterations",
          value_parser = count::<u64>(1..=86_400_000))]
    pub(super) time_ms: Option<u64>,
    /// Double the budget until two analyses with different seeds have the same best action, or find
    /// several within 2 percentage points
    #[arg(long, conflicts_with = "time_ms")]
    pub(super) until_stable: bool,
    /// Set the number of rollouts of each candidate, which estimate the final scores; with 0, the
    /// search of the position answers alone
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(0..=1_000_000_u64))]
    pub(super) rollouts: u64,
    /// Set the number of candidates that the search proposes
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count(1..=100_usize))]
    pub(super) candidates: usize,
    /// Compare this action, too; repeatable
    #[arg(long, value_name = "ACTION")]
    pub(super) also: Vec<String>,
    /// Set the bot that plays the rollouts [default: the strongest profile without search]
    #[arg(long, value_name = "BOT")]
    pub(super) policy: Option<String>,
    /// Set the random seed; equal seeds give identical results
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED,
          value_parser = count(0..=u64::MAX))]
    pub(super) seed: u64,
    /// Set the number of threads, at most 4 per core [default: all cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) threads: Option<usize>,
    /// Print no first answer and no messages
    #[arg(long)]
    pub(super) quiet: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(super) json: bool,
    /// Print the boards above the answer
    #[arg(long, conflicts_with = "json")]
    pub(super) board: bool,
    /// Write a picture of the position
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Set the width of the picture in pixels; boards stand side by side as it allows
    #[arg(long, value_name = "N", default_value_t = 728, requires = "svg",
          value_parser = count(340..=10_000_usize))]
    pub(super) svg_width: usize,
    /// Overwrite the picture
    #[arg(long, requires = "svg")]
    pub(super) force: bool,
}

/// Number of times that `--until-stable` can double the iterations.
const DOUBLINGS: u32 = 5;
impl AnalyzeArguments {
    /// Returns the bot that searches, with its budget.
    ///
    /// # Errors
    /// If the name of the bot has a budget beside `--until-stable`.
    pub(super) fn search_name(&self) -> anyhow::Result<String> {
        let bot = &self.bot;
        ensure!(
            !(self.until_stable && has_own_budget(bot)),
            "--bot: expected no budget beside --until-stable, found {bot}"
        );
        Ok(match self.time_ms {
            Some(time) => format!("{bot}:time_ms={time}"),
            None => with_iterations(bot, self.iterations),
        })
    }

    /// Returns the bots that search with a budget that doubles.
    pub(super) fn search_names(&self) -> Vec<String> {
        let first = self.iterations.unwrap_or(DEFAULT_ITERATIONS);
        let budgets = (0..=DOUBLINGS).map(|doublings| (first << doublings).min(u32::MAX.into()));
        budgets.map(|budget| format!("{}:iterations={budget}", self.bot)).collect()
    }
}
