//! What a search does: its budget, its trees, and how it chooses.

use std::time::Duration;

use crate::search::{
    reward::RewardFunction,
    select::{ChildSelection, SelectionRule},
    tree::MAX_VISITS,
};

/// When a search ends: at the first of these that is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Iterations, at most [`MAX_VISITS`].
    pub iterations: u32,
    /// Events carried out on positions, chance and decisions together, in the tree and in playouts.
    pub steps: u64,
    /// Wall-clock time; a search under it can't be repeated exactly.
    pub time: Option<Duration>,
}

impl Budget {
    /// So many iterations and no other limit.
    pub const fn iterations(iterations: u32) -> Self {
        Self { iterations, steps: u64::MAX, time: None }
    }
}

/// Which decisions a tree branches on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branching {
    /// One tree with the decisions of all seats.
    Shared,
    /// A tree for each seat and each secret it may have, all with the decisions of all seats:
    /// multiple-observer information-set search (Cowling, Powley and Whitehouse 2012).
    PerSeat,
    /// A tree for each seat with its own decisions only: opponent-move abstraction (Baier and
    /// Kaisers 2020).
    OwnMoves,
}

/// Whose value the others' decisions serve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponents {
    /// Each seat maximises its own value.
    MaxN,
    /// All others minimise the value of the seat that searches (Sturtevant and Korf 2000).
    Paranoid,
}

/// Which of the actions tried is chosen in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalChoice {
    /// The one visited most often; of several, that of greatest value.
    Visits,
    /// The one of greatest value.
    Value,
    /// The root visits all candidates equally and drops the worse half of them again and again
    /// (Karnin, Koren and Somekh 2013).
    Halving,
}

/// How many children a node may have after so many visits: `factor` · visits ^ `exponent`, at least
/// one (Coulom 2007; Chaslot et al. 2008).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Widening {
    /// Children after the first visit, at least 1.
    pub factor: f32,
    /// From 0, no more ever, to 1.
    pub exponent: f32,
}

impl Widening {
    pub(super) fn limit(self, visits: u32) -> usize {
        (self.factor * (visits.max(1) as f32).powf(self.exponent)) as usize
    }
}

/// What a search does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// When it ends.
    pub budget: Budget,
    /// How many nodes there may be at most; when they are used up, iterations go on in the tree
    /// there is.
    pub max_nodes: u32,
    /// How many decisions from the root on the tree may hold.
    pub max_depth: u32,
    /// What is maximised.
    pub reward: RewardFunction,
    /// How a child is selected.
    pub selection: ChildSelection,
    /// With a prior, by what share less than its parent a child without visits is thought to be
    /// worth.
    pub first_play_reduction: f32,
    /// With a prior, how many of the best children by it may be selected; none for all.
    pub widening: Option<Widening>,
    /// Chance outcomes are nodes of their own, as many as this allows; none for an open loop. Only
    /// for games in which what is hidden does not change what chance may bring.
    pub chance_nodes: Option<Widening>,
    /// Which decisions the trees branch on.
    pub branching: Branching,
    /// Whose value the others' decisions serve.
    pub opponents: Opponents,
    /// After how many rounds a playout stops and is evaluated; none for never.
    pub cut_off: Option<u32>,
    /// The share of the evaluator's minimax value in a child's mean, from 0 to 1: implicit minimax
    /// backups (Lanctot et al. 2014). Only with [`Branching::Shared`].
    pub implicit_minimax: f32,
    /// Playouts choose by MAST, with this chance of any action; none for the playout policy.
    pub mast_epsilon: Option<f32>,
    /// Which action is chosen in the end.
    pub final_choice: FinalChoice,
}

impl Settings {
    /// Plain UCT: UCB1, whole playouts, and the win alone as reward (Kocsis and Szepesvári 2006).
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
            implicit_minimax: 0.0,
            mast_epsilon: None,
            final_choice: FinalChoice::Visits,
        }
    }

    /// Whether children are selected as in plain UCT.
    pub(super) fn is_plain_ucb1(&self) -> bool {
        self.selection.rule == SelectionRule::Ucb1
            && self.selection.bias == 0.0
            && self.widening.is_none()
            && self.implicit_minimax == 0.0
            && self.opponents == Opponents::MaxN
    }
}
