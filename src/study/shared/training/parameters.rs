//! Parameters of the training of networks.

use clap::FromArgMatches as _;

use crate::{run::arguments::number, study::shared::prelude::*};

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
    /// Set the share of the decisions by search in which a random other action is played, from 0 to
    /// 1
    #[arg(long, value_name = "S", default_value_t = 0.01, value_parser = share)]
    pub(crate) explored_share: f64,
    /// Learn the values of up to N actions that a full search has tried and not chosen
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count::<u32>(0..=100))]
    pub(crate) siblings: u32,
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
    // With two players, the standard error of the strength is below 10 Elo after all of them.
    #[arg(long, value_name = "N", default_value_t = 1400,
        value_parser = count::<u64>(0..=1_000_000))]
    pub(crate) test_games: u64,
    /// Learn without the inputs that cross two attributes: the network is smaller, plays nearly as
    /// well, and errs in other positions
    #[arg(long)]
    pub(crate) no_crossings: bool,
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
