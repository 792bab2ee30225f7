//! Flags of `watershed train-heuristic`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    run::{
        arguments::{GameArguments, RunArguments, number},
        count::count,
    },
    search::hidden::MAX_UNITS,
    training::heuristic::Parameters,
};

#[derive(Args, Debug)]
#[command(after_help = "\
The profile is a heuristic. Searches use it as their `value` or `prior`. An interrupted training \
writes the profile of the last generation that is finished; --start goes on from it.

Examples:
  watershed train-heuristic --players 2 --out learned.toml
  watershed match --bots learned.toml,learned2 --games 10k
  watershed match --bots mcts:value=learned.toml:prior=learned.toml,learned2 \\
      --games 200
  watershed train-heuristic --players 2 --start learned.toml --generations 0 \\
      --hidden 32 --out network.toml")]
pub(crate) struct TrainHeuristicArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Write the profile to this file
    #[arg(long, value_name = "FILE.toml")]
    pub(super) out: PathBuf,
    /// Overwrite an existing profile
    #[arg(long)]
    pub(super) force: bool,
    /// Start from this heuristic, and compare the result with it [default: the strongest
    /// heuristic of the game]
    #[arg(long, value_name = "BOT")]
    pub(super) start: Option<String>,
    #[command(flatten)]
    pub(super) parameters: HeuristicTrainingParameters,
    /// Set the number of units of the hidden layer, fitted after the generations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = count::<u32>(0..=MAX_UNITS as u32))]
    pub(super) hidden: u32,
    /// Fit the hidden layer N times, each time to new games played with the previous layer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count::<u32>(1..=1000))]
    pub(super) hidden_generations: u32,
    /// Set the number of games against `--start` at the end, on new deals; 0 for none
    #[arg(long, value_name = "N", default_value_t = 4000,
        value_parser = count::<u64>(0..=1_000_000_000))]
    pub(super) check_games: u64,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

/// Parameters of the training.
#[derive(Args, Clone, Copy, PartialEq, Debug)]
pub(super) struct HeuristicTrainingParameters {
    /// Set the number of games per generation
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = count::<u64>(1..=10_000_000))]
    pub(super) games: u64,
    /// Set the number of generations; 0 trains only a hidden layer
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = count::<u32>(0..=10_000))]
    pub(super) generations: u32,
    /// Set λ of TD(λ), from 0 (learn the next prediction) to 1 (learn the outcome of the game)
    #[arg(long, value_name = "L", default_value_t = 0.8, value_parser = share)]
    pub(super) lambda: f64,
    /// Set the probability of a random choice in training games, from 0 to 1
    #[arg(long, value_name = "E", default_value_t = 0.25, value_parser = share)]
    pub(super) epsilon: f64,
    /// Set the share of positions that become training samples, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.05, value_parser = share)]
    pub(super) sample: f64,
    /// Set the replay window in generations: train on the positions of the last N generations
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count::<u32>(1..=1000))]
    pub(super) memory: u32,
    /// Set the ridge penalty on the weights
    #[arg(long, value_name = "R", default_value_t = 1e-4,
        value_parser = |text: &str| number(text, 1e-9..=1e3))]
    pub(super) ridge: f64,
}

impl HeuristicTrainingParameters {
    /// Returns the parameters of the training.
    pub(super) const fn parameters(&self) -> Parameters {
        let Self { games, generations, lambda, epsilon, sample, memory, ridge } = *self;
        Parameters { games, generations, lambda, epsilon, sample, memory, ridge }
    }
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}
