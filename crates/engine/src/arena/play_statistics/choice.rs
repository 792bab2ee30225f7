//! Choices between two items of a table, of which one was taken and the other could have been.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    TakenTally,
    taken_sums::{TakenSeats, TakenSums},
};
use crate::{
    game::{ItemId, MAX_SEATS},
    stats::Merge,
};

/// A choice between two items of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ItemChoice {
    /// The items, in ascending order.
    pub items: [ItemId; 2],
    /// Round and turn position of the seat; `None` for all together.
    pub situation: Option<(u8, u8)>,
}

/// Choices by their items and situation. The first item is the one that is taken or not; the others
/// are the seats that took the second one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChoiceTallies(pub(super) FxHashMap<ItemChoice, TakenTally>);

impl ChoiceTallies {
    /// Returns true if there is no choice.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all choices in ascending order.
    pub fn sorted(&self) -> Vec<(ItemChoice, &TakenTally)> {
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
        let choices: Vec<(ItemChoice, TakenTally)> = Vec::deserialize(deserializer)?;
        Ok(Self(choices.into_iter().collect()))
    }
}

/// Counts choices, by their situation and of all situations together.
#[derive(Default)]
pub(super) struct ChoiceCounter {
    pairs: FxHashMap<[ItemId; 2], PairSlots>,
    /// The choice of each slot of `sums`.
    choices: Vec<ItemChoice>,
    sums: TakenSums,
}

/// The slots of a pair of items.
#[derive(Default)]
struct PairSlots {
    /// The slot of all situations.
    all: u32,
    /// The slot of each situation, by round and turn position; 0 for those without one. The slot 0
    /// is that of all situations of the first pair.
    situations: Vec<u32>,
}

impl ChoiceCounter {
    /// Adds a choice in a situation with the win share of the seat.
    pub(super) fn add(&mut self, choice: ItemChoice, is_first: bool, wins: i64) {
        let Self { pairs, choices, sums } = self;
        let [taken, others] = if is_first { [(1, wins), (0, 0)] } else { [(0, 0), (1, wins)] };
        let result = TakenSeats::new(taken, others);
        let mut new_slot = |choice| {
            choices.push(choice);
            sums.resize(choices.len());
            choices.len() as u32 - 1
        };
        let pair = pairs.entry(choice.items).or_insert_with(|| PairSlots {
            all: new_slot(ItemChoice { situation: None, ..choice }),
            situations: Vec::new(),
        });
        if let Some((round, position)) = choice.situation {
            let index = usize::from(round) * MAX_SEATS + usize::from(position);
            if pair.situations.len() <= index {
                pair.situations.resize(index + 1, 0);
            }
            let slot = &mut pair.situations[index];
            if *slot == 0 {
                *slot = new_slot(choice);
            }
            sums.add(*slot as usize, result);
        }
        sums.add(pair.all as usize, result);
    }

    /// Ends a block.
    pub(super) fn end_block(&mut self) {
        self.sums.end_block();
    }

    /// Returns the tallies of the blocks that have ended.
    pub(super) fn into_tallies(self) -> ChoiceTallies {
        ChoiceTallies(self.choices.into_iter().zip(self.sums.into_tallies()).collect())
    }
}
