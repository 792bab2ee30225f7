//! Files of goals.

use std::collections::BTreeMap;

use watershed_engine::keys;

use crate::{
    config::{KeyType, Value},
    games::targets::TargetRange,
};

/// A goal in a file: a range, or a table with a range and a weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoalEntry {
    pub(super) range: TargetRange,
    pub(super) weight: f64,
}

impl KeyType for GoalEntry {
    fn accepted() -> String {
        "the minimum and the maximum, as in [4, 6], or a table with a weight above 0, as in \
         { range = [4, 6], weight = 2 }"
            .to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let (range, weight) = match value {
            Value::Table(table) => {
                let is_known = |key: &String| ["range", "weight"].contains(&key.as_str());
                let weight = table.get("weight").map_or(Some(1.0), f64::from_value)?;
                (table.keys().all(is_known).then(|| table.get("range"))??, weight)
            }
            range => (range, 1.0),
        };
        // Differences have goals below 0, which targets have not.
        let [low, high] = &range.as_array()?[..] else { return None };
        let (low, high) = (f64::from_value(low)?, f64::from_value(high)?);
        let is_range = low < high && high - low < f64::INFINITY;
        let range = TargetRange { low, high };
        (is_range && 0.0 < weight && weight < 1e6).then_some(Self { range, weight })
    }
}

keys! {
    /// A file of goals.
    #[derive(Default)]
    pub(super) struct GoalFile {
        pub(super) first_player: Option<GoalEntry>,
        pub(super) second_player: Option<GoalEntry>,
        pub(super) third_player: Option<GoalEntry>,
        pub(super) fourth_player: Option<GoalEntry>,
        pub(super) fifth_player: Option<GoalEntry>,
        pub(super) games_won: Option<GoalEntry>,
        pub(super) rounds: Option<GoalEntry>,
        pub(super) leader_at_half_wins: Option<GoalEntry>,
        pub(super) lead_changes: Option<GoalEntry>,
        pub(super) shared_wins: Option<GoalEntry>,
        pub(super) nobody_won: Option<GoalEntry>,
        pub(super) item: BTreeMap<String, ItemGoals> = BTreeMap::new(),
        pub(super) family: BTreeMap<String, ItemGoals> = BTreeMap::new(),
        /// Figures of the game below the header that they have in a data file.
        pub(super) targets: Option<Box<GoalFile>>,
    }
}

impl GoalFile {
    /// Returns the goals of the game, in the order of the fields.
    pub(super) const fn of_game(&self) -> [Option<GoalEntry>; 11] {
        [
            self.first_player,
            self.second_player,
            self.third_player,
            self.fourth_player,
            self.fifth_player,
            self.games_won,
            self.rounds,
            self.leader_at_half_wins,
            self.lead_changes,
            self.shared_wins,
            self.nobody_won,
        ]
    }

    /// Returns true if the file has other goals than those of the game.
    pub(super) fn has_others(&self) -> bool {
        !(self.item.is_empty() && self.family.is_empty()) || self.targets.is_some()
    }
}

keys! {
    /// The goals of an item, or of each item of a family.
    #[derive(Copy, Default)]
    pub(super) struct ItemGoals {
        pub(super) win_rate: Option<GoalEntry>,
        pub(super) taken: Option<GoalEntry>,
        pub(super) access: Option<GoalEntry>,
        pub(super) access_difference: Option<GoalEntry>,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use super::*;
    use crate::config::Document;

    #[test]
    fn entries_have_a_range_and_may_have_a_weight() {
        let read = |text: &str| {
            let text = text.to_owned();
            Document { name: String::new(), text }.parse::<GoalFile>().map(|file| file.rounds)
        };
        for (text, expected) in
            [("{ range = [4, 4.5], weight = 2 }", (4.0, 4.5, 2.0)), ("[4, 4.5]", (4.0, 4.5, 1.0))]
        {
            let entry = read(&format!("rounds = {text}")).unwrap().unwrap();
            assert_eq!((entry.range.low, entry.range.high, entry.weight), expected);
        }
        for wrong in ["[6, 4]", "[4, 4]", "[4]", "{ range = [4, 6], weights = 2 }", "5", "['a', 2]"]
        {
            assert!(read(&format!("rounds = {wrong}")).is_err(), "{wrong}");
        }
    }
}
