//! Flags of `watershed train`.

use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};

use super::training::Start;
use crate::{
    arena::schedule::Shard,
    bound::BoundGame,
    run::{
        arguments::{GameArguments, RunArguments, number},
        count::count,
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
The network plays games against itself by search, learns from them what the searches found out, and
plays the next generation of games. A generation replaces the last one if it wins a sequential test.
One network serves all numbers of players, unless --players names one.

Each generation is kept in the folder --work, with its report. `--resume` continues an interrupted
training there. With --shard, machines play the games of one generation together: copy the files
games-* of all shards into one folder, and `--resume` learns from them.

Examples:
  watershed train --out river.toml
  watershed train --out river.toml --resume
  watershed train --out river.toml --resume --shard 3/8
  watershed train --start expert --config cheaper.toml --out adapted.toml
  watershed match --bots mcts:value=river.toml:prior=river.toml,mcts --games 200")]
pub(crate) struct TrainArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Write the profile to this file, and the weights beside it
    #[arg(long, value_name = "FILE.toml")]
    pub(super) out: PathBuf,
    /// Keep the games and the network of each generation in this folder [default: the name of --out
    /// with the extension .training]
    #[arg(long, value_name = "DIR")]
    pub(super) work: Option<PathBuf>,
    /// Continue the training in --work, or begin one if there is none
    #[arg(long)]
    pub(super) resume: bool,
    /// Play shard I of N, from 1 to N, of the games of the next generation into --work, and stop
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Overwrite an existing profile
    #[arg(long)]
    pub(super) force: bool,
    /// Begin with games of this bot, a heuristic or a network; `none` begins without knowledge
    /// [default: the strongest heuristic of the game for each number of players, or `none`]
    #[arg(long, value_name = "BOT")]
    pub(super) start: Option<String>,
    /// Set the number of generations of games by search [default: 6, or 3 if --start is a network]
    #[arg(long, value_name = "N", value_parser = count::<u32>(0..=1000))]
    generations: Option<u32>,
    /// Set the number of games per generation [default: 6000, or 1000 if --start is a network]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=10_000_000))]
    games: Option<u64>,
    #[command(flatten)]
    parameters: NetworkTrainingParameters,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

impl TrainArguments {
    /// Reads the beginning of the training.
    pub(super) fn read_start(&self, games: &[&dyn BoundGame]) -> anyhow::Result<Start> {
        Ok(match Start::read(games, self.start.as_deref())? {
            Start::Heuristics(_) if self.parameters.start_games == 0 => Start::Nothing,
            start => start,
        })
    }

    /// Returns the parameters of a training from this start.
    pub(super) fn parameters(&self, start: &Start) -> NetworkTrainingParameters {
        let (generations, games) = match start {
            Start::Network(_) => (ADAPTED_GENERATIONS, ADAPTED_GAMES),
            Start::Nothing | Start::Heuristics(_) => (6, 6000),
        };
        NetworkTrainingParameters {
            generations: self.generations.unwrap_or(generations),
            games: self.games.unwrap_or(games),
            ..self.parameters
        }
    }
}

/// Default number of generations that continue from a network.
pub(crate) const ADAPTED_GENERATIONS: u32 = 3;
/// Default number of games of each of them.
pub(crate) const ADAPTED_GAMES: u64 = 1000;

/// Parameters of the training. They are part of its result.
#[derive(Args, Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct NetworkTrainingParameters {
    #[arg(skip)]
    pub(crate) generations: u32,
    #[arg(skip)]
    pub(crate) games: u64,
    /// Set the number of games of the bot --start, before the first generation
    #[arg(long, value_name = "N", default_value_t = 12_000,
        value_parser = count::<u64>(0..=10_000_000))]
    pub(crate) start_games: u64,
    /// Set the iterations of a full search, from which the policy is learned
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = count::<u32>(2..=100_000))]
    pub(crate) iterations: u32,
    /// Set the iterations of the other searches
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = count::<u32>(2..=100_000))]
    pub(crate) fast_iterations: u32,
    /// Set the share of the decisions with a full search, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.25, value_parser = share)]
    pub(crate) full_share: f64,
    /// Set the share of noise in the priors at the root of a full search, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.25, value_parser = share)]
    pub(crate) root_noise: f64,
    /// Set the temperature of the choice among the visited actions; 0 for the most visited one
    #[arg(long, value_name = "T", default_value_t = 0.5,
        value_parser = |text: &str| number(text, 0.0..=10.0))]
    pub(crate) temperature: f64,
    /// Begin each game by search with 0 to N random decisions, from which nothing is learned
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(0..=1000))]
    pub(crate) random_moves: u32,
    /// Set the exploration constant of the searches
    #[arg(long, value_name = "C", default_value_t = 0.3,
        value_parser = |text: &str| number(text, 0.0..=100.0))]
    pub(crate) exploration: f64,
    /// Set the probability of a random choice in the games of the bot --start, from 0 to 1
    #[arg(long, value_name = "E", default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// Set λ of the λ-returns, from 0 (learn the next search) to 1 (learn the outcome of the game)
    #[arg(long, value_name = "L", default_value_t = 0.9, value_parser = share)]
    pub(crate) lambda: f64,
    /// Set the share of the positions after decisions that become samples, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.6, value_parser = share)]
    pub(crate) sample: f64,
    /// Learn from the games of the last N generations
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count::<u32>(1..=1000))]
    pub(crate) window: u32,
    /// Set the number of passes over the samples in each generation
    #[arg(long = "passes", alias = "epochs", value_name = "N", default_value_t = 3,
        value_parser = count::<u32>(1..=1000))]
    pub(crate) epochs: u32,
    /// Set the learning rate at the beginning of a generation; it falls to a tenth
    #[arg(long, value_name = "R", default_value_t = 0.001,
        value_parser = |text: &str| number(text, 1e-6..=1.0))]
    pub(crate) learning_rate: f64,
    /// Set the maximum number of games of the test of a generation; 0 accepts every generation
    #[arg(long, value_name = "N", default_value_t = 400,
        value_parser = count::<u64>(0..=1_000_000))]
    pub(crate) test_games: u64,
}

impl Default for NetworkTrainingParameters {
    /// Returns the defaults of the flags, and no games.
    fn default() -> Self {
        let flags = Self::augment_args(clap::Command::new("train").no_binary_name(true));
        let matches = flags.get_matches_from([""; 0]);
        Self::from_arg_matches(&matches).expect("all parameters have defaults")
    }
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}
