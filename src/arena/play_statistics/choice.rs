//! Choices between two items of a table, of which one was taken and the other could have been.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::TakenTally;
use crate::{game::ItemId, stats::Merge};

/// A choice between two items of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The items, in ascending order.
    pub items: [ItemId; 2],
    /// Round and turn position of the seat; `None` for all together.
    pub situation: Option<(u8, u8)>,
}

/// Choices by their items and situation. The first item is the one that is taken or not; the others
/// are the seats that took the second one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChoiceTallies(pub(super) FxHashMap<Choice, TakenTally>);

impl ChoiceTallies {
    /// Returns true if there is no choice.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all choices in ascending order.
    pub fn sorted(&self) -> Vec<(Choice, &TakenTally)> {
        let mut choices: Vec<_> = self.0.iter().map(|(choice, sums)| (*choice, sums)).collect();
        choices.sort_unstable_by_key(|(choice, _)| *choice);
        choices
    }
}

impl Merge for ChoiceTallies {
    fn merge(&mut self, other: &Self) {
        for (choice, sums) in &other.0 {
            self.0.entry(*choice).or_default().merge(sums);
        }
    }
}

impl Serialize for ChoiceTallies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.sorted())
    }
}

impl<'de> Deserialize<'de> for ChoiceTallies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let choices: Vec<(Choice, TakenTally)> = Vec::deserialize(deserializer)?;
        Ok(Self(choices.into_iter().collect()))
    }
}
