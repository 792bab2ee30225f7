//! Flags of `watershed balance power`.

use clap::{ArgGroup, ValueEnum};

use crate::{run::arguments::number, stats::equivalence::PowerGoal, study::shared::prelude::*};

/// Maximum number of blocks of a pilot.
const MAX_BLOCKS: u64 = 1_000_000;

watershed_engine::named! {
    /// A question whose number of games is planned.
    #[derive(ValueEnum)]
    pub(crate) enum PlannedQuestion {
        /// Differences between the win rates of turn positions
        TurnOrder = "turn-order",
        /// Difference of the first player's win rate between two data files
        Compare = "compare",
        /// Difference between the win rate of the first bot and that of the others
        Match = "match",
        /// Access to items
        Ablate = "ablate",
    }
}

impl PlannedQuestion {
    /// Returns the figure whose difference is planned, after `a difference of a size`.
    pub(super) const fn figure(self) -> &'static str {
        match self {
            Self::TurnOrder => "between the win rates of turn positions",
            Self::Compare => "between the win rates of the first player",
            Self::Match => "between the win rates of the bots",
            Self::Ablate => "in win rate by the access to an item",
        }
    }
}

#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("goal").required(true),
    after_help = "A pilot of some blocks estimates the variance of the difference, with its 95 % \
confidence interval. The number of games follows from n = (z1 + z2)² · variance / size²: \
--detect finds a difference of this size, and --margin shows that there is no difference of this \
size, if there is none. The message at the end estimates how long these games take on this \
machine.

With `--question compare`, both data files are played: FILES as in `balance compare`, or that of \
--config and that of --variant. \
With `--question match`, --bots has one bot for each seat, and the first plays against the others. \
With `--question ablate`, the games are those of `balance ablate` without intervention, and all \
items of --item are decided: an item that is seldom offered needs many games.

power.csv has a row for each lineup.

Examples:
  watershed balance power --question turn-order --margin 1pp
  watershed balance power --question compare --detect 1pp river.toml mine.toml
  watershed balance power --question compare --variant mine.toml --detect 1pp
  watershed balance power --question match --bots expert,second --detect 2pp
  watershed balance power --question ablate --item meadow_swap --margin 1pp"
)]
pub(crate) struct PowerArguments {
    /// Read the two data files of `--question compare`
    #[arg(value_name = "FILES", num_args = 2, value_hint = ValueHint::FilePath,
        conflicts_with_all = ["config", "variant"])]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Select the question
    #[arg(long, value_name = "QUESTION")]
    pub(super) question: PlannedQuestion,
    /// Plan to find a difference of this many percentage points
    #[arg(long, value_name = "POINTS", group = "goal")]
    pub(super) detect: Option<Margin>,
    /// Plan to show that there is no difference of this many percentage points
    #[arg(long, value_name = "POINTS", group = "goal")]
    pub(super) margin: Option<Margin>,
    /// Set the probability that the run decides the question
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = power)]
    pub(super) power: f64,
    /// Read the second data file of `--question compare`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) variant: Option<PathBuf>,
    /// Plan for this item of `--question ablate`; may be repeated [default: all items]
    #[arg(long, value_name = "NAME")]
    pub(super) item: Vec<String>,
    /// Set the number of blocks of the pilot
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count(30..=MAX_BLOCKS))]
    pub(super) blocks: u64,
}

fn power(text: &str) -> Result<f64, String> {
    number(text, 0.5..=0.999)
}

impl PowerArguments {
    /// Returns the first and the second data file, if they are named.
    pub(super) fn data_files<'a>(&'a self, config: Option<&'a Path>) -> [Option<&'a Path>; 2] {
        match &self.files[..] {
            [first, second] => [Some(first), Some(second)],
            _ => [config, self.variant.as_deref()],
        }
    }

    /// Returns the name of the goal, its size and the goal.
    pub(super) fn goal(&self) -> (&'static str, Margin, PowerGoal) {
        match (self.detect, self.margin) {
            (Some(size), _) => ("detect", size, PowerGoal::Detect(size.share())),
            (None, size) => {
                let size = size.unwrap_or_default();
                ("margin", size, PowerGoal::Equivalence(size.share()))
            }
        }
    }
}
