//! Bots with all their parameters.

use crate::{
    game::{Features, Seat},
    search::{
        Evaluator,
        heuristic::Heuristic,
        mcts,
        network::{NetworkBot, NetworkEvaluator},
    },
};

/// Bot with all its parameters, ready to be built.
#[derive(Clone, PartialEq, Debug)]
pub enum BotSpec {
    /// Uniform over the legal actions.
    Random,
    /// Uniform over the kinds of legal action, then over the actions of that kind.
    RandomKind,
    /// One-ply choice by weighted features.
    Heuristic(Box<Heuristic>),
    /// One-ply choice by a network.
    Network(NetworkBot),
    /// Flat Monte Carlo or Monte Carlo tree search.
    Search(Box<SearchSpec>),
}

impl BotSpec {
    /// Returns true if the bot searches.
    pub const fn searches(&self) -> bool {
        matches!(self, Self::Search(_))
    }

    /// Returns the heuristic or the network of the bot as an evaluator; `None` if it has none.
    /// `temperature` replaces that of the heuristic, or 1 for a network.
    pub fn into_evaluator(self, temperature: Option<f64>) -> Option<EvaluatorSpec> {
        match self {
            Self::Heuristic(mut heuristic) => {
                heuristic.temperature = temperature.unwrap_or(heuristic.temperature);
                Some(EvaluatorSpec::Heuristic(heuristic))
            }
            Self::Network(bot) => {
                let evaluator = NetworkEvaluator::new(bot.networks, temperature.unwrap_or(1.0));
                Some(EvaluatorSpec::Network(evaluator))
            }
            _ => None,
        }
    }
}

/// Evaluator of positions and actions.
#[derive(Clone, PartialEq, Debug)]
pub enum EvaluatorSpec {
    /// Weighted features.
    Heuristic(Box<Heuristic>),
    /// Network.
    Network(NetworkEvaluator),
}

impl EvaluatorSpec {
    /// Returns the evaluator for a game.
    pub fn evaluator<G: Features>(&self) -> &dyn Evaluator<G> {
        match self {
            Self::Heuristic(heuristic) => &**heuristic,
            Self::Network(network) => network,
        }
    }

    /// Returns the log-odds of `seat` winning, up to a constant: only differences between positions
    /// matter.
    pub fn log_odds<G: Features>(&self, game: &G, state: &G::State, seat: Seat) -> f32 {
        match self {
            Self::Heuristic(heuristic) => heuristic.log_odds(game, state, seat),
            Self::Network(network) => network.log_odds(game, state, seat),
        }
    }
}

/// Bot that searches.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSpec {
    /// Settings of each search, with the total budget of all.
    pub settings: mcts::Settings,
    /// Number of trees.
    pub trees: u32,
    /// True if each tree keeps one determinization.
    pub determinize_once: bool,
    /// Policy of playouts: a bot that does not search.
    pub playout: BotSpec,
    /// Evaluator that gives the prior of actions.
    pub prior: Option<EvaluatorSpec>,
    /// Evaluator of positions.
    pub value: Option<EvaluatorSpec>,
    /// Share of the visits that the tree keeps from one decision to the next; `None` if each
    /// search starts with an empty tree.
    pub reuse: Option<f32>,
}

impl SearchSpec {
    /// Returns true if value and prior are by the same network.
    pub fn shares_policy(&self) -> bool {
        match (&self.value, &self.prior) {
            (Some(EvaluatorSpec::Network(value)), Some(EvaluatorSpec::Network(prior))) => {
                value.shares_policy(prior)
            }
            _ => false,
        }
    }
}
