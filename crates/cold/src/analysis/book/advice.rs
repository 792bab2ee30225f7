//! The advice of a book in words.

use serde_json::Value;

use super::{
    estimate::{BookRow, BookVerdict},
    file::Book,
};
use crate::{bots::kind::BotKind, game::TURN_POSITION_NAMES};

/// Maximum number of actions that a sentence names.
const MAX_NAMED: usize = 3;

/// Returns the name of a bot and the way in which it decides, by its parameters.
pub fn policy_text(name: &str, parameters: &Value) -> String {
    let kind = parameters["kind"].as_str().and_then(BotKind::from_name);
    match (kind.is_some_and(BotKind::searches), parameters["iterations"].as_u64()) {
        (true, Some(count)) => format!("{name}, a search of {count} iterations for each decision"),
        (true, None) => format!("{name}, a search"),
        (false, _) => format!("{name}, a bot without a search"),
    }
}

impl<S> Book<S> {
    /// Returns a sentence that names the good and the bad actions of the first opening step for
    /// each turn position, by the rows of the book and its bot in words.
    pub fn advice(&self, rows: &[BookRow], policy: &str) -> String {
        let first = rows.iter().filter(|row| row.key.level() == 1).map(|row| row.key.step).min();
        let groups = rows.chunk_by(|one, other| one.key == other.key);
        let groups =
            groups.filter(|group| group[0].key.level() == 1 && Some(group[0].key.step) == first);
        let clauses: Vec<_> = groups
            .map(|group| {
                let key = &group[0].key;
                let place = TURN_POSITION_NAMES.get(usize::from(key.turn_position));
                let choice = self.choice(group).unwrap_or_else(|| {
                    format!("no {} is good or bad by 2 points or more", self.step_name(key))
                });
                format!("as the {}, {choice}", place.unwrap_or(&"player"))
            })
            .collect();
        if clauses.is_empty() {
            return "No opening decision was played on.".to_owned();
        }
        format!("By {policy}: {}.", clauses.join("; "))
    }

    /// Returns the good and the bad actions of a group in words; `None` if there are none.
    pub fn choice(&self, rows: &[BookRow]) -> Option<String> {
        let with = |verdict| rows.iter().filter(move |row| row.verdict == verdict);
        let name = |row: &BookRow| format!("“{}”", self.action(row.code).label);
        let good: Vec<_> = with(BookVerdict::Good).map(name).collect();
        // Those that cost most if they are always chosen, so the usual ones before the rare ones.
        let mut bad: Vec<_> = with(BookVerdict::Bad).collect();
        let cost = |row: &BookRow| row.effect.value * row.effect.n as f64;
        bad.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
        // One to avoid is enough beside those to choose.
        let of_bad = if good.is_empty() { MAX_NAMED } else { 1 };
        let of_good = if bad.is_empty() { MAX_NAMED } else { MAX_NAMED - 1 };
        let bad = join(bad.into_iter().map(name).collect(), "and", of_bad);
        let good = join(good, "or", of_good);
        match (good, bad) {
            (Some(good), Some(bad)) => Some(format!("choose {good}, and avoid {bad}")),
            (Some(good), None) => Some(format!("choose {good}")),
            (None, Some(bad)) => Some(format!("avoid {bad}")),
            (None, None) => None,
        }
    }
}

/// Joins the first names of a list in words; `None` if there are none.
fn join(names: Vec<String>, word: &str, max: usize) -> Option<String> {
    let more = names.len().saturating_sub(max);
    let mut shown: Vec<_> = names.into_iter().take(max).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    let last = shown.pop()?;
    Some(if shown.is_empty() { last } else { format!("{} {word} {last}", shown.join(", ")) })
}
