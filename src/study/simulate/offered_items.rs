//! The components of the data file that are offered to seats or dealt to them, for the health card.

use super::analysis::RunAnalysis;
use crate::{
    report::chart::MIN_OBSERVATIONS,
    study::shared::{judged::is_dealt, prelude::*},
};

/// Share of the offers from which an item is a must-take.
const MUST_TAKE: f64 = 0.99;
/// Share of the offers below which an item is dead.
const DEAD: f64 = 0.15;
/// Returns a number of items that is certain, of all of them.
pub(super) fn certain_count(all: usize, count: usize) -> Estimate {
    let count = count as f64;
    Estimate { n: all as i64, value: count, low: count, high: count }
}

/// A component of the data file that is offered to seats or dealt to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfferedItem<'a> {
    pub(super) label: &'a str,
    /// Share of the offers at which it is taken.
    taken: Estimate,
    /// Win rate of the seats that took it.
    pub(super) wins: Estimate,
}

/// Returns the components of the data file in some tables. Groups of components are left out, which
/// would count twice.
fn components<'a>(
    game: &'a BoundGame,
    analysis: &RunAnalysis<'_>,
    is_included: impl Fn(&ItemTable) -> bool,
) -> Vec<OfferedItem<'a>> {
    let tables = game.catalog().tables().iter();
    let tables = tables.filter(|table| table.data_key.is_some() && is_included(table));
    let items = tables.flat_map(|table| table.items.iter().zip(analysis.item_tallies(table)));
    let item = |(item, tally): (&'a Item, &ItemTally)| OfferedItem {
        label: &item.label,
        taken: tally.taken.rate(1),
        wins: tally.wins_with.rate(UNITS_PER_WIN),
    };
    items.map(item).collect()
}

/// Returns the components that are offered to seats.
pub(super) fn offered_items<'a>(
    game: &'a BoundGame,
    analysis: &RunAnalysis<'_>,
) -> Vec<OfferedItem<'a>> {
    components(game, analysis, |table| table.offered)
}

/// Returns the component that is dealt to seats with which they win most, and that with which they
/// win least; nothing if there are fewer than 2.
pub(super) fn dealt<'a>(game: &'a BoundGame, analysis: &RunAnalysis<'_>) -> Vec<OfferedItem<'a>> {
    let mut items = components(game, analysis, is_dealt);
    items.retain(|item| item.wins.n >= MIN_OBSERVATIONS);
    items.sort_by(|one, other| other.wins.value.total_cmp(&one.wins.value));
    match &items[..] {
        [best, .., worst] => vec![*best, *worst],
        _ => Vec::new(),
    }
}

/// Counts and names the items that are taken at few of their offers, and those at nearly all.
pub(super) fn extreme_items(items: &[OfferedItem<'_>]) -> [(Estimate, Vec<String>); 2] {
    let dead = count_items(items, |share| share.high < DEAD, |share| share.low < DEAD);
    let must_take =
        count_items(items, |share| share.low >= MUST_TAKE, |share| share.high >= MUST_TAKE);
    [(dead.0, name_taken(dead.1, 1.0)), (must_take.0, name_taken(must_take.1, -1.0))]
}

/// Counts the items whose share has a property with its whole interval, and returns them. The
/// interval of the count reaches to those that can have it: a part of the interval has it, or
/// there are too few offers to tell.
fn count_items<'a, 'b>(
    items: &'b [OfferedItem<'a>],
    surely_has: impl Fn(Estimate) -> bool,
    can_have: impl Fn(Estimate) -> bool,
) -> (Estimate, Vec<&'b OfferedItem<'a>>) {
    let is_rare = |item: &OfferedItem<'_>| item.taken.n < MIN_OBSERVATIONS;
    let counted: Vec<_> =
        items.iter().filter(|item| !is_rare(item) && surely_has(item.taken)).collect();
    let possible = items.iter().filter(|item| is_rare(item) || can_have(item.taken)).count();
    let high = possible.max(counted.len()) as f64;
    (Estimate { high, ..certain_count(items.len(), counted.len()) }, counted)
}

/// Names items with the shares of the offers at which they are taken, in the order of the shares
/// multiplied by `sign`.
fn name_taken(mut items: Vec<&OfferedItem<'_>>, sign: f64) -> Vec<String> {
    items.sort_by(|one, other| {
        let [first, second] = [one, other].map(|item| sign * item.taken.value);
        first.total_cmp(&second).then(one.label.cmp(other.label))
    });
    let name = |OfferedItem { label, taken, .. }: &OfferedItem<'_>| {
        format!("{label} {} (n {})", format_percent(*taken), group_digits(taken.n))
    };
    items.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, high: f64) -> Estimate {
        Estimate { n: 100, value: f64::midpoint(low, high), low, high }
    }

    #[test]
    fn items_are_counted_with_their_whole_interval() {
        let item = |label, n, low, high| {
            let taken = Estimate { n, ..estimate(low, high) };
            OfferedItem { label, taken, wins: estimate(0.5, 0.6) }
        };
        let items = [
            item("dead", 100, 0.05, 0.10),
            item("nearly", 100, 0.10, 0.18),
            item("alive", 100, 0.50, 0.60),
            item("rare", 5, 0.40, 0.90),
        ];
        let (count, counted) =
            count_items(&items, |share| share.high < DEAD, |share| share.low < DEAD);
        assert_eq!((count.n, count.value, count.low, count.high), (4, 1.0, 1.0, 3.0));
        assert_eq!(name_taken(counted, 1.0), ["dead 7.5 % [5.0, 10.0] (n 100)"]);
        let (count, _) = count_items(&items, |share| share.low >= 0.4, |share| share.high >= 0.4);
        assert_eq!((count.low, count.high), (1.0, 2.0));
    }
}
