//! The kinds of work.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A kind of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(super) enum Workload {
    /// Hash of all positions of random games
    Signature,
    /// Playouts, uniform over the legal actions
    Playouts,
    /// Playouts, uniform over the kinds of action
    KindPlayouts,
    /// Iterations of UCT with uniform playouts, from the first decision
    Uct,
    /// Games of the default heuristic in all seats
    Heuristic,
    /// Evaluations of positions by the network of the game, if it has one
    Network,
    /// Iterations of the bot `mcts` with its default options
    Mcts,
}

impl Workload {
    /// All workloads that are measured.
    pub(super) const MEASURED: [Self; 6] =
        [Self::Playouts, Self::KindPlayouts, Self::Uct, Self::Heuristic, Self::Network, Self::Mcts];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Playouts => "playouts",
            Self::KindPlayouts => "kind_playouts",
            Self::Uct => "uct",
            Self::Heuristic => "heuristic",
            Self::Network => "network",
            Self::Mcts => "mcts",
        }
    }

    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Signature => "positions",
            Self::Playouts | Self::KindPlayouts => "playouts",
            Self::Heuristic => "games",
            Self::Network => "evaluations",
            Self::Uct | Self::Mcts => "iterations",
        }
    }

    /// Returns the size of a repetition: playouts, iterations, games, evaluations or, for `mcts`,
    /// searches.
    pub(super) fn size(self, work: f64) -> u32 {
        let size = match self {
            Self::Signature => 0.0,
            Self::Playouts | Self::KindPlayouts => 20_000.0,
            Self::Uct => 10_000.0,
            Self::Heuristic => 1000.0,
            Self::Network => 50_000.0,
            Self::Mcts => 40.0,
        };
        f64::max(size * work, 1.0) as u32
    }
}
