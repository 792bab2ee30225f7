//! The kinds of work.

use clap::ValueEnum;
use serde::Serialize;

/// A kind of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum, Serialize)]
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
    /// Games of random bots in all seats, with the statistics of `simulate`
    Simulate,
    /// Games of the default heuristic in all seats
    Heuristic,
    /// Games of the default bot in all seats
    Expert,
    /// Evaluations of positions by the network of the game, if it has one
    Network,
    /// Iterations of the bot `mcts` with its default options
    Mcts,
    /// Iterations of the bot `mcts` with 100 iterations a decision, in whole games
    MctsGames,
}

impl Workload {
    /// All workloads that are measured.
    pub(super) const MEASURED: [Self; 9] = [
        Self::Playouts,
        Self::KindPlayouts,
        Self::Uct,
        Self::Simulate,
        Self::Heuristic,
        Self::Expert,
        Self::Network,
        Self::Mcts,
        Self::MctsGames,
    ];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Playouts => "playouts",
            Self::KindPlayouts => "kind_playouts",
            Self::Uct => "uct",
            Self::Simulate => "simulate",
            Self::Heuristic => "heuristic",
            Self::Expert => "expert",
            Self::Network => "network",
            Self::Mcts => "mcts",
            Self::MctsGames => "mcts_games",
        }
    }

    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Signature => "positions",
            Self::Playouts | Self::KindPlayouts => "playouts",
            Self::Simulate | Self::Heuristic | Self::Expert => "games",
            Self::Network => "evaluations",
            Self::Uct | Self::Mcts | Self::MctsGames => "iterations",
        }
    }

    /// Returns the size of a repetition: playouts, iterations, games, evaluations or, for `mcts`,
    /// searches.
    pub(super) fn size(self, work: f64) -> u32 {
        let size = match self {
            Self::Signature => 0.0,
            Self::Playouts | Self::KindPlayouts => 20_000.0,
            Self::Uct => 10_000.0,
            Self::Simulate => 4000.0,
            Self::Heuristic => 1000.0,
            Self::Expert => 400.0,
            Self::Network => 50_000.0,
            Self::Mcts => 40.0,
            Self::MctsGames => 10.0,
        };
        f64::max(size * work, 1.0) as u32
    }
}
