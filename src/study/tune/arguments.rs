//! Flags of `watershed tune`.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use crate::run::{
    arguments::{GameArguments, RunArguments, number},
    count::count,
};

/// Maximum numbers of games, so that the games of all candidates can be counted.
const MAX_GAMES: u64 = 1_000_000_000;

#[derive(Args, Debug)]
#[command(after_help = "\
The optimiser is an evolution strategy (separable CMA-ES), restarted several times. The objective \
of a candidate is its win rate in one seat against the opponents in the others, plus --point-value \
times its mean score. All candidates of a generation play the same deals; each generation has new \
deals. The result of a restart is the final mean of its distribution.

These results and the initial profile play a play-off on new deals against the same opponents. The \
one with the most wins is confirmed on new deals: it and the initial profile take the same seats \
against copies of the initial profile. If the 95 % confidence interval of the difference of win \
rates lies above 0, the profile is written to best.toml. Otherwise the exit code is 1.

Without a range, a weight can change by its own size, but at least by the mean size of all \
weights. Another parameter can become half to twice its value, or up to 1 if that is its upper \
limit.

Examples:
  watershed tune --profile balanced --out results/tuned
  watershed tune --profile balanced --games 1k --out results/two \\
      --keys weights.tokens,weights.production=0..2
  watershed tune --game common_river --profile steward --step-size 0.02 \\
      --keys 'weights.*,weights_at_end.*' --out results/alone
  watershed tune --profile mcts:iterations=200 --games 100 \\
      --keys exploration=0.05..1,margin_weight=0..1 --evaluations 60 \\
      --out results/search
  watershed simulate --bots results/tuned/best.toml,balanced")]
pub(crate) struct TuneArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Start from this bot: a profile, a path or a kind, optionally with :key=value
    #[arg(long, value_name = "BOT")]
    pub(super) profile: String,
    /// Tune these parameters, optionally in a range; `weights.*` selects the weights of all
    /// features [default: all weights in the profile]
    #[arg(long, value_name = "KEY[=LOW..HIGH],…", value_delimiter = ',',
        action = ArgAction::Set)]
    pub(super) keys: Vec<String>,
    /// Play against these bots, one per other seat or one for all [default: the initial profile]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', action = ArgAction::Set)]
    pub(super) against: Vec<String>,
    /// Set the number of games per candidate, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 400,
        value_parser = count::<u64>(1..=MAX_GAMES))]
    pub(super) games: u64,
    /// Set the number of candidates per restart, rounded up to whole generations
    #[arg(long, value_name = "N", default_value_t = 300,
        value_parser = count::<u64>(1..=1_000_000))]
    pub(super) evaluations: u64,
    /// Set the weight of the mean score in the objective, in wins per point [default: 0.001 if a
    /// game can end without a winner, else 0]
    #[arg(long, value_name = "V",
        value_parser = |text: &str| number(text, 0.0..=1.0))]
    pub(super) point_value: Option<f64>,
    /// Set the initial standard deviation of the candidates, in widths of the ranges
    #[arg(long, value_name = "S", default_value_t = 0.1, alias = "step",
        value_parser = |text: &str| number(text, 1e-4..=1.0))]
    pub(super) step_size: f64,
    /// Set the number of restarts
    #[arg(long, value_name = "R", default_value_t = 3, alias = "runs",
        value_parser = count::<u64>(1..=1000))]
    pub(super) restarts: u64,
    /// Set the number of games per bot in the play-off and in the confirmation, rounded up to
    /// whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = count::<u64>(1..=MAX_GAMES))]
    pub(super) playoff_games: u64,
    /// Set the output folder
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Overwrite a finished run
    #[arg(long, conflicts_with = "resume")]
    pub(super) force: bool,
    /// Resume an interrupted run
    #[arg(long)]
    pub(super) resume: bool,
    #[command(flatten)]
    pub(super) run: RunArguments,
}
