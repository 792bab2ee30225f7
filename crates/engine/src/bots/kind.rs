//! Kinds of bots.

use serde::Serialize;

crate::names! {
    /// Kind of a bot: the `kind` of a profile and the first word of `kind:key=value`.
    #[derive(Serialize)]
    #[serde(into = "&'static str")]
    pub enum BotKind {
        /// Uniform over the legal actions.
        Random = "random",
        /// Uniform over the kinds of legal action, then over the actions of that kind.
        RandomKind = "random-kind",
        /// One-ply choice by weighted features.
        Heuristic = "heuristic",
        /// One-ply choice by a network.
        Network = "network",
        /// Flat Monte Carlo: a search tree of depth 1.
        Flat = "flat",
        /// Textbook Monte Carlo tree search.
        Uct = "uct",
        /// Monte Carlo tree search with the game's network or trained value function.
        Mcts = "mcts",
    }
}

impl BotKind {
    /// Returns true if bots of this kind search.
    pub const fn searches(self) -> bool {
        matches!(self, Self::Flat | Self::Uct | Self::Mcts)
    }

    /// Returns the description in the reference of bots.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Random => "Chooses uniformly among the legal actions.",
            Self::RandomKind => {
                "Chooses a kind of legal action uniformly, then an action of that kind."
            }
            Self::Heuristic => {
                "Chooses the action whose resulting position has the highest value: a weighted sum \
                 of the game's features."
            }
            Self::Network => {
                "Chooses by the prior and the value of a network, one ply ahead: the action with \
                 the highest ln(prior) + `value_weight` · win share."
            }
            Self::Flat => {
                "Flat Monte Carlo: a bandit over the legal actions and playouts to the end of the \
                 game."
            }
            Self::Uct => {
                "Textbook Monte Carlo tree search (Kocsis and Szepesvári 2006): UCB1, uniform \
                 playouts to the end of the game, reward 1 for a win."
            }
            Self::Mcts => {
                "Monte Carlo tree search with PUCT. Leaves are evaluated by the game's network or \
                 trained value function. In a game without one, like `flat` but with a tree of any \
                 depth."
            }
        }
    }
}
