//! The picture and the table of items with which a page begins, from the verdict on a game.

use super::verdict::{
    GameVerdict, ItemRating, ItemWord, MeasuredValue, RatedGame, RatedItem,
    words::{percent, whole, with_half_width},
};
use crate::{
    report::{
        chart::{Dot, DotChart},
        data_table::{Columns, DataTable, Value},
        html::Unit,
    },
    stats::ratio::Estimate,
};

/// Returns the picture: each item a dot, its worth by how often it is taken; `None` if the worth
/// of no item that is offered is known.
pub(crate) fn worth_chart(game: &RatedGame, verdict: &GameVerdict) -> Option<DotChart> {
    let items = game.items.iter().zip(&verdict.ratings).enumerate();
    let dot = |(index, (item, rating)): (usize, (&RatedItem, &Option<ItemRating>))| {
        let (worth, taken) = rating.map(|rating| rating.worth).zip(item.now.taken)?;
        let size = with_half_width(worth.value, worth.half_width());
        let tip = format!(
            "{}: worth {size} (n {}), taken at {} of {} offers",
            item.name,
            worth.n,
            percent(taken.value),
            taken.n
        );
        let is_named = matches!(
            verdict.word(index),
            ItemWord::Strong | ItemWord::Weak | ItemWord::Blind | ItemWord::Unused
        );
        Some(Dot { x: worth.value, y: taken.value, series: item.table, tip, is_named })
    };
    let dots: Vec<_> = items.filter_map(dot).collect();
    let tables: Vec<_> = game.tables.iter().map(|table| table.plural.replace('_', " ")).collect();
    (!dots.is_empty()).then(|| DotChart {
        sentence: "Each dot is a card: the wins of 100 games that a player loses who may not take \
                   it, by how often it is taken when it is offered."
            .to_owned(),
        x_label: "worth, wins of 100".to_owned(),
        y_label: "taken, % of offers".to_owned(),
        series: tables,
        dots,
    })
}

/// Returns the table of the items, which pages sort and filter.
pub(crate) fn cards_table(game: &RatedGame, verdict: &GameVerdict) -> DataTable {
    let has_cards = |index: &usize| {
        let now = &game.items[*index].now;
        now.taken.is_some() || now.worth.is_some() || now.owners.is_some()
    };
    let mut order: Vec<_> = (0..game.items.len()).filter(has_cards).collect();
    let distance = |index: &usize| verdict.ratings[*index].map_or(f64::MIN, |one| one.distance);
    order.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    let rows = order.into_iter().map(|index| (game, verdict, index));
    Columns::<(&RatedGame, &GameVerdict, usize)>::new("", "")
        .text("card", "", |&(game, _, index)| game.items[index].name.clone())
        .text("verdict", "", |&(_, verdict, index)| verdict.word(index).name())
        .estimate("worth", Unit::Decimals(0), "", |&(_, verdict, index)| {
            verdict.ratings[index].map(|rating| Value::Estimate(estimate(rating.worth)))
        })
        .estimate("taken", Unit::Decimals(0), "", |&(game, _, index)| {
            game.items[index].now.taken.map(|taken| {
                let taken = estimate(taken);
                let (low, high) = (taken.low.max(0.0), taken.high.min(100.0));
                Value::Estimate(Estimate { low, high, ..taken })
            })
        })
        .text_or_number("owners win", "", |&(game, _, index)| {
            game.items[index].now.owners.map_or_else(String::new, |owners| whole(owners.value))
        })
        .text("kind", "", |&(game, _, index)| game.tables[game.items[index].table].singular.clone())
        .table("", rows)
}

/// Returns a value with its 95 % interval.
pub(super) fn estimate(value: MeasuredValue) -> Estimate {
    let half_width = value.half_width();
    let MeasuredValue { value, n, .. } = value;
    let half_width = if half_width.is_finite() { half_width } else { f64::INFINITY };
    Estimate { n, value, low: value - half_width, high: value + half_width }
}
