//! The kinds of work.

use clap::ValueEnum;
use serde::Serialize;

watershed_engine::named! {
    /// A kind of work.
    #[derive(ValueEnum, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[value(rename_all = "snake_case")]
    pub(super) enum Workload {
        /// Hash of all positions of random games
        Signature = "signature",
        /// Playouts, uniform over the legal actions
        Playouts = "playouts",
        /// Playouts, uniform over the kinds of action
        KindPlayouts = "kind_playouts",
        /// Iterations of UCT with uniform playouts, from the first decision
        Uct = "uct",
        /// Games of random bots in all seats, with the statistics of `simulate`
        Simulate = "simulate",
        /// Games of the default heuristic in all seats
        Heuristic = "heuristic",
        /// Games of the default bot in all seats
        Expert = "expert",
        /// Evaluations of positions by the network of the game, if it has one
        Network = "network",
        /// Iterations of the bot `mcts` with its default options
        Mcts = "mcts",
        /// Iterations of the bot `mcts` with 100 iterations a decision, in whole games
        MctsGames = "mcts_games",
    }
}

impl Workload {
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
