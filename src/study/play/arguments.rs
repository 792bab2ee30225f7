//! The flags of `play`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::{analysis::hint::HINT_BOT, study::shared::prelude::*};

#[derive(Args, Debug)]
#[command(after_help = "\
Commands are lines: the number of an action or its notation, `?` for help, `h` for a hint, `b` for
all boards, `u` to take back, `q` to quit. Bots answer at once.

Examples:
  watershed play
  watershed play --players 3 --bots human,mcts --save evening.jsonl
  watershed play --load evening.jsonl --save evening.jsonl
  watershed play --bots human --enter-chance
  watershed play --bots mcts --seed 3
  watershed play --game common_river --players 2 --mode coop")]
pub(crate) struct PlayArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Set the player of each seat: `human`, a bot, or an opponent by its name, as Otter; the last
    /// one is for all further seats [default: human and an opponent that a beginner can beat]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) bots: Option<Vec<String>>,
    /// Set the seed of chance and of the bots [default: the time]
    #[arg(long, value_name = "N", conflicts_with = "load", value_parser = count(0..=u64::MAX))]
    seed: Option<u64>,
    /// Set the mode of a game that has several [default: chance draws it]
    #[arg(long, value_name = "MODE", conflicts_with = "load")]
    pub(super) mode: Option<String>,
    /// Enter the outcomes of chance, to follow a game at a table
    #[arg(long)]
    pub(super) enter_chance: bool,
    /// Continue a game of a file of records
    #[arg(long, value_name = "FILE")]
    pub(super) load: Option<PathBuf>,
    /// Select the game of the file with this index in the run [default: the first]
    #[arg(long, value_name = "K", requires = "load", value_parser = count(0..=u64::MAX))]
    pub(super) game_index: Option<u64>,
    /// Write the game as a record when the program ends
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// Overwrite the file of --save
    #[arg(long, requires = "save")]
    pub(super) force: bool,
    /// Append the game, if it is finished when the program ends, to a log that
    /// `simulate --playtests` reads
    #[arg(long, value_name = "FILE")]
    pub(super) playtests: Option<PathBuf>,
    /// Set the bot that gives hints
    #[arg(long, value_name = "BOT", default_value = HINT_BOT)]
    pub(super) hint_bot: String,
    /// Print no introduction
    #[arg(long)]
    pub(super) quiet: bool,
}

impl PlayArguments {
    /// Returns the seed, or one from the time.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // Short enough to be typed.
            time.as_millis() as u64 % 1_000_000_000
        })
    }
}
