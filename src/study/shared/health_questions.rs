//! The questions of the health card of a simulation, which pages of several runs show too.

use crate::report::html::Unit;

/// The format of a mean number.
const POINTS: Unit = Unit::Decimals(2);

/// The questions of the card: the name in tables, the name for people, and the format of the
/// figure.
const QUESTIONS: [(&str, &str, Unit); 14] = [
    ("first_player", "Turn order: the first player wins", Unit::Percent),
    ("games_won", "Difficulty: games won", Unit::Percent),
    ("rounds", "Length: rounds", POINTS),
    ("ends_by_bonus_tokens", "Ends: a row of bonus spots is full", Unit::Percent),
    ("ends_by_tiles", "Ends: a seat has its last tile", Unit::Percent),
    ("ends_by_pioneers", "Ends: no pioneer is left", Unit::Percent),
    ("leader_at_half_wins", "Decided early: leader at half time wins", Unit::Percent),
    ("lead_changes", "Lead changes a game", POINTS),
    ("best_dealt_item", "Best deal: its seats win", Unit::Percent),
    ("worst_dealt_item", "Worst deal: its seats win", Unit::Percent),
    ("dead_items", "Dead: taken at < 15 % of offers", Unit::Decimals(0)),
    ("must_take_items", "Must-take: at 99 % of offers or more", Unit::Decimals(0)),
    ("shared_wins", "Ties: games with several winners", Unit::Percent),
    ("nobody_won", "Games without a winner", Unit::Percent),
];

/// Returns the name of a question for people and the format of its figure.
pub(crate) fn question(key: &str) -> Option<(&'static str, Unit)> {
    let found = QUESTIONS.into_iter().find(|(name, ..)| *name == key);
    found.map(|(_, title, unit)| (title, unit))
}
