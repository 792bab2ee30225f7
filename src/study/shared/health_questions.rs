//! The questions of the health card of a simulation, which pages of several runs show too.

use std::borrow::Cow;

use crate::report::html::Unit;

/// The format of a mean number.
const POINTS: Unit = Unit::Decimals(2);

/// The questions of the card: the name in tables, the name for people, and the format of the
/// figure.
const QUESTIONS: [(&str, &str, Unit); 15] = [
    ("first_player", "Turn order: the first player wins", Unit::Percent),
    ("games_won", "Difficulty: games won", Unit::Percent),
    ("rounds", "Length: rounds", POINTS),
    ("ends_by_bonus_tokens", "Ends: a row of bonus spots is full", Unit::Percent),
    ("ends_by_tiles", "Ends: a seat has its last tile", Unit::Percent),
    ("ends_by_pioneers", "Ends: no pioneer is left", Unit::Percent),
    ("leader_at_half_wins", "Decided early: leader at half time wins", Unit::Percent),
    ("lead_changes", "Lead changes a game", POINTS),
    ("outliers", "Outliers: owners win far more or less", Unit::Decimals(0)),
    ("best_dealt_item", "Best deal: its seats win", Unit::Percent),
    ("worst_dealt_item", "Worst deal: its seats win", Unit::Percent),
    ("dead_items", "Dead: taken at < 15 % of offers", Unit::Decimals(0)),
    ("must_take_items", "Must-take: at 99 % of offers or more", Unit::Decimals(0)),
    ("shared_wins", "Ties: games with several winners", Unit::Percent),
    ("nobody_won", "Games without a winner", Unit::Percent),
];

/// Prefix of the names of questions on edited items, before the name of the item.
const OWNERS: &str = "owners_of_";

/// Returns the name in tables of the question on an edited item.
pub(crate) fn question_on_item(name: &str) -> String {
    format!("{OWNERS}{name}")
}

/// Returns the question on an edited item for people.
pub(crate) fn title_on_item(item: &str) -> String {
    format!("Edited: owners of {item} win")
}

/// Returns the name of a question for people and the format of its figure.
pub(crate) fn question(key: &str) -> Option<(Cow<'static, str>, Unit)> {
    if let Some(name) = key.strip_prefix(OWNERS) {
        return Some((title_on_item(name).into(), Unit::Percent));
    }
    let found = QUESTIONS.into_iter().find(|(name, ..)| *name == key);
    found.map(|(_, title, unit)| (title.into(), unit))
}
