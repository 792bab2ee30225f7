//! The flags of `engine`.

use crate::{search::tree::MAX_VISITS, study::shared::prelude::*};

#[derive(Args, Debug)]
#[command(after_help = "\
Requests and answers are JSON objects, one on a line: {\"id\": 1, \"position\": \"…\"}. Requests
are analysed in the order of their priorities, several at once. Each answer has the id of its
request. The end of stdin ends the program after the last answer. docs/engine.md describes all
requests and answers.

Examples:
  cat requests.jsonl | watershed engine > answers.jsonl
  watershed engine --threads 8 --config configs/the_river.toml")]
pub(crate) struct EngineArguments {
    /// Select the game of the data file of --config [default: the_river]
    #[arg(long, requires = "config")]
    pub(super) game: Option<String>,
    /// Read the data file of a game [default: the built-in ones]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Set the bot that searches, of requests without `bot`; it may be a file
    #[arg(long, value_name = "BOT", default_value = "mcts")]
    pub(super) bot: String,
    /// Set the maximum number of iterations of a search
    #[arg(long, value_name = "N", default_value = "1e6",
          value_parser = count(1..=u64::from(MAX_VISITS)))]
    pub(super) max_iterations: u64,
    /// Set the number of requests that wait before no more are read
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count(1..=100_000_usize))]
    pub(super) queue: usize,
    /// Set the number of requests that are analysed at once, at most 4 per core [default: all
    /// cores]
    #[arg(long, value_name = "N", value_parser = count(1..=usize::MAX))]
    pub(super) threads: Option<usize>,
    /// Print no messages
    #[arg(long)]
    pub(super) quiet: bool,
}
