//! Flags of `watershed tune`.

use clap::ArgAction;

use crate::{run::arguments::number, study::shared::prelude::*};

#[derive(Args, Debug)]
#[command(
    after_help = "An evolution strategy (separable CMA-ES) moves a distribution of profiles \
towards those that win more. The candidates of a generation take one seat on the same deals; a \
point counts as 0.001 wins in games that can end without a winner. Without a range, a weight can \
change by its own size, at least by the mean of all, and another parameter by half its value. The \
mean of the last distribution is written to best.toml if it wins more often than the initial \
profile on new deals, with the whole 95 % interval; else the exit code is 1.

Examples:
  watershed tune --profile balanced --keys weights.tokens,weights.tiles=0..2 \\
      --out results/tuned
  watershed tune --profile mcts:iterations=200 --games 100 --evaluations 100 \\
      --keys exploration=0.05..1,margin_weight=0..1
  watershed simulate --bots results/tuned/best.toml,balanced"
)]
pub(crate) struct TuneArguments {
    /// Start from this bot: a profile, a path or a kind, optionally with :key=value
    #[arg(long, value_name = "BOT")]
    pub(super) profile: String,
    /// Tune these parameters, optionally in a range; `weights.*` selects the weights of all
    /// features
    #[arg(long, value_name = "KEY[=LOW..HIGH],…", value_delimiter = ',', action = ArgAction::Set,
        default_value = "weights.*")]
    pub(super) keys: Vec<String>,
    /// Play against these bots, one per other seat or one for all [default: the initial profile]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    pub(super) against: Vec<String>,
    /// Set the number of games per candidate, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Set the number of candidates, rounded up to whole generations
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = count(1..=100_000_u64))]
    pub(super) evaluations: u64,
    /// Set the initial standard deviation of the candidates, in widths of the ranges
    #[arg(long, value_name = "S", default_value_t = 0.1, alias = "step",
        value_parser = |text: &str| number(text, 1e-4..=1.0))]
    pub(super) step_size: f64,
    /// Set the number of games of the result and of the initial profile on new deals, rounded up
    /// to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count(1..=MAX_GAMES))]
    pub(super) confirmation_games: u64,
}
