//! Settings of a search: budget, trees and selection.

use std::time::Duration;

use crate::search::{
    reward::RewardFunction,
    select::{ChildSelection, SelectionRule},
    tree::MAX_VISITS,
};

/// Limits of a search, which stops at the first one it reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Iterations, at most [`MAX_VISITS`].
    pub iterations: u32,
    /// Events: decisions and chance, in the tree and in playouts.
    pub steps: u64,
    /// Wall-clock time; a search with this limit is not reproducible.
    pub time: Option<Duration>,
    /// CPU time of the thread; a search with this limit is not reproducible. No limit where
    /// [`thread_cpu_time`](crate::search::clock::thread_cpu_time) returns `None`.
    pub cpu_time: Option<Duration>,
}

impl Budget {
    /// Returns a limit of iterations only.
    pub const fn iterations(iterations: u32) -> Self {
        Self { iterations, steps: u64::MAX, time: None, cpu_time: None }
    }
}

crate::names! {
    /// Decisions that a tree branches on.
    #[derive(serde::Serialize)]
    #[serde(into = "&'static str")]
    pub enum Branching {
        /// One tree with the decisions of all seats.
        Shared = "shared",
        /// A tree for each seat and each private information it can have, with the decisions of all
        /// seats: multiple-observer information-set search (Cowling, Powley and Whitehouse 2012).
        PerSeat = "per-seat",
        /// A tree for each seat with its own decisions only: opponent-move abstraction (Baier and
        /// Kaisers 2020).
        OwnMoves = "own-moves",
    }

    /// Model of the opponents.
    #[derive(serde::Serialize)]
    #[serde(into = "&'static str")]
    pub enum Opponents {
        /// Each seat maximises its own reward (Luckhardt and Irani 1986).
        MaxN = "max-n",
        /// All opponents minimise the reward of the searching seat (Sturtevant and Korf 2000).
        Paranoid = "paranoid",
    }

    /// Rule for the final choice among the root actions.
    #[derive(serde::Serialize)]
    #[serde(into = "&'static str")]
    pub enum FinalChoice {
        /// The most visited action; ties are broken by the mean reward.
        Visits = "visits",
        /// The action with the highest mean reward.
        Value = "value",
        /// The action whose mean reward, less its standard error, is the highest, among those with
        /// at least a fifth of the most visits (the lower confidence bound of KataGo).
        Bound = "bound",
        /// Sequential halving: the root visits all candidates equally often and repeatedly drops
        /// the worse half (Karnin, Koren and Somekh 2013). With a prior, the candidates are the
        /// actions with the highest priors, and the better half is that of ln(prior) + (50 + n) ·
        /// mean, where n is the largest number of visits (Danihelka et al. 2022, without random
        /// numbers).
        Halving = "halving",
    }
}

/// Progressive widening: a node with n visits has at most `factor` · n^`exponent` children, at
/// least one (Coulom 2007; Chaslot et al. 2008).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Widening {
    /// Children after the first visit, at least 1.
    pub factor: f32,
    /// Exponent from 0 (constant) to 1.
    pub exponent: f32,
}

impl Widening {
    pub(super) fn limit(self, visits: u32) -> usize {
        (self.factor * (visits.max(1) as f32).powf(self.exponent)) as usize
    }
}

/// Settings of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Limits.
    pub budget: Budget,
    /// Maximum number of nodes; when it is reached, the search continues without adding nodes.
    pub max_nodes: u32,
    /// Maximum number of decisions between the root and a node.
    pub max_depth: u32,
    /// Reward to maximise.
    pub reward: RewardFunction,
    /// Rule for selecting a child.
    pub selection: ChildSelection,
    /// Share by which the assumed value of an unvisited child is below its parent's; only with a
    /// prior.
    pub first_play_reduction: f32,
    /// Limit on selectable children, in the order of their priors; `None` for all.
    pub widening: Option<Widening>,
    /// Limit on chance outcomes that have nodes; `None` for an open loop. Only for games in which
    /// hidden information does not change the chance outcomes.
    pub chance_nodes: Option<Widening>,
    /// Decisions that the trees branch on.
    pub branching: Branching,
    /// Model of the opponents.
    pub opponents: Opponents,
    /// Rounds after which a playout stops and is evaluated; `None` for never.
    pub cut_off: Option<u32>,
    /// Factor by which the visits of a node grow before the policy of its new actions is computed
    /// again; 1 computes it for each new action.
    pub policy_refresh: f32,
    /// Probability of a random action in playouts by MAST; `None` for playouts by the policy.
    pub mast_epsilon: Option<f32>,
    /// Rule for the final choice.
    pub final_choice: FinalChoice,
    /// Maximum number of candidates of [`FinalChoice::Halving`] with a prior.
    pub candidates: u32,
    /// Share of the exploration constant that is in proportion to the standard deviation of the
    /// rewards of a node's children, from 0 to 1; only with PUCT.
    pub deviation_share: f32,
    /// Share of random noise in the priors at the root, from 0 to 1, for self-play.
    pub root_noise: f32,
}

impl Settings {
    /// Returns plain UCT: UCB1, playouts to the end of the game, and a reward for winning only
    /// (Kocsis and Szepesvári 2006).
    pub const fn uct(iterations: u32, exploration: f32) -> Self {
        Self {
            budget: Budget::iterations(iterations),
            max_nodes: MAX_VISITS,
            max_depth: u32::MAX,
            reward: RewardFunction::WIN,
            selection: ChildSelection { rule: SelectionRule::Ucb1, exploration, bias: 0.0 },
            first_play_reduction: 0.0,
            widening: None,
            chance_nodes: None,
            branching: Branching::Shared,
            opponents: Opponents::MaxN,
            cut_off: None,
            policy_refresh: 1.0,
            mast_epsilon: None,
            root_noise: 0.0,
            final_choice: FinalChoice::Visits,
            candidates: u32::MAX,
            deviation_share: 0.0,
        }
    }

    /// Returns true if children are selected by UCB1 without extensions.
    pub(super) fn is_plain_ucb1(&self) -> bool {
        self.selection.rule == SelectionRule::Ucb1
            && self.selection.bias == 0.0
            && self.widening.is_none()
            && self.opponents == Opponents::MaxN
    }
}
