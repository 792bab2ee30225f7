//! The sums of a book: integers that add up over games, epochs and shards.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    game::{Situation, UNITS_PER_WIN},
    stats::{Merge, pairs, ratio::Ratio, tally},
};

/// The games with the lowest numbers, whose records a book keeps as examples.
pub const EXAMPLE_GAMES: u64 = 100;

/// Units of the sum of the priors of the plausible actions.
pub const PRIOR_UNITS: i64 = 1000;

/// Units of an effect of 1: those of a win share, times those of priors.
pub const EFFECT_UNIT: i64 = UNITS_PER_WIN * PRIOR_UNITS;

/// Maximum number of examples of an action in a situation.
const MAX_EXAMPLES: usize = 3;

/// A group of situations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SituationKey {
    /// Turn position, 0 for the first player.
    pub turn_position: u8,
    /// Index of the opening step of the seat, from 0.
    pub step: u8,
    /// Identifier of the starter; `None` in groups of all starters and before there is one.
    pub starter: Option<String>,
    /// Identifiers of what lies open, from coarse to fine; empty in groups of all.
    pub open: Vec<String>,
}

impl SituationKey {
    /// Returns the finest group of a situation. `step` is that of the seat.
    pub fn new(turn_position: usize, step: usize, situation: &Situation) -> Self {
        Self {
            turn_position: turn_position as u8,
            step: step as u8,
            starter: situation.starter.as_ref().map(|part| part.id.clone()),
            open: situation.open.iter().map(|part| part.id.clone()).collect(),
        }
    }

    /// Returns the number of groups that contain this one, itself included.
    pub fn level(&self) -> usize {
        1 + usize::from(self.starter.is_some()) + self.open.len()
    }

    /// Returns the next coarser group; `None` for the coarsest.
    pub fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        if parent.open.pop().is_none() && parent.starter.take().is_none() {
            return None;
        }
        Some(parent)
    }

    /// Returns this group and all coarser ones, the finest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), Self::parent)
    }
}

/// Sums over the decisions of a group of situations at which an action was plausible.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSums {
    /// Win share with the action minus the mean over what the policy would choose, in units of
    /// [`EFFECT_UNIT`], over the forks of even and of odd games. Each fork counts as often as its
    /// weight.
    pub effect: [Ratio; 2],
    /// Win share with the action, over the same forks.
    pub with_action: Ratio,
    /// Win share of the seats that chose the action by themselves, over all games.
    pub chosen: Ratio,
    /// The first games in which a seat chose the action.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub examples: BTreeSet<u64>,
}

impl Merge for ActionSums {
    fn merge(&mut self, other: &Self) {
        let Self { effect, with_action, chosen, examples } = other;
        self.effect.merge(effect);
        self.with_action.merge(with_action);
        self.chosen.merge(chosen);
        self.examples.extend(examples);
        while self.examples.len() > MAX_EXAMPLES {
            self.examples.pop_last();
        }
    }
}

impl ActionSums {
    /// Returns the sums of effects over all forks.
    pub fn all_effects(&self) -> Ratio {
        let mut all = self.effect[0];
        all.merge(&self.effect[1]);
        all
    }
}

tally! {
    /// Sums over the decisions of a group of situations.
    #[serde(deny_unknown_fields)]
    pub struct SituationSums {
        /// Win share of the seat that decides, over all games.
        pub wins: Ratio,
        /// The actions by the code of their opening step.
        pub actions: BTreeMap<u8, ActionSums>,
        /// For two actions, the lower code first: win share with the first minus that with the
        /// second, over the forks at which both are plausible.
        #[serde(with = "pairs")]
        pub pairs: BTreeMap<(u8, u8), Ratio>,
    }

    /// The sums of a book over some of its games.
    #[serde(deny_unknown_fields)]
    pub struct BookTally {
        /// Games of the policy.
        pub games: u64,
        /// Games that the round limit ended, continuations included.
        pub capped: u64,
        /// Decisions that were forked.
        pub forks: u64,
        /// Games that were played on from forks.
        pub continuations: u64,
        /// The groups of situations.
        #[serde(with = "pairs")]
        pub situations: BTreeMap<SituationKey, SituationSums>,
        /// Names for people of the identifiers of situations.
        pub labels: BTreeMap<String, String>,
        /// Records of the first [`EXAMPLE_GAMES`] games, by the index of the game.
        pub records: BTreeMap<u64, String>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarser_groups_lose_what_is_open_first() {
        let key = SituationKey {
            turn_position: 1,
            step: 2,
            starter: Some("forest".to_owned()),
            open: vec!["2 meadows".to_owned()],
        };
        let levels: Vec<_> = key.clone().ancestors().map(|key| key.level()).collect();
        assert_eq!(levels, [3, 2, 1]);
        let second = key.parent();
        assert!(second.is_some_and(|key| key.open.is_empty() && key.starter.is_some()));
    }
}
