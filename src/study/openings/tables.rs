//! `book.csv` and `pairs.csv`.

use super::file::OpeningBook;
use crate::{
    analysis::book::{BookRow, BookVerdict, PairRow, PairVerdict, SituationKey, pair_rows, rows},
    report::data_table::Value,
    study::shared::prelude::*,
};

/// A book with a row.
type OfBook<'a, T> = (&'a OpeningBook, &'a T);

/// Returns the columns of a group of situations.
fn situation_columns<'a, T: 'static>(
    name: &str,
    title: &str,
    key: fn(&T) -> &SituationKey,
) -> Columns<OfBook<'a, T>> {
    let level = "Level of the situation, 1 for the coarsest.";
    let step = "Opening step of the seat, such as `first placement`.";
    let starter = "Starter of the seat; empty for all starters and before there is one.";
    Columns::<OfBook<'_, T>>::new(name, title)
        .integer("level", level, move |(_, row)| key(row).level())
        .integer("players", "Number of players.", |(book, _)| book.settings.identity.players)
        .integer("place", "Turn position, counted from 1.", move |(_, row)| {
            u64::from(key(row).turn_position) + 1
        })
        .text("step", step, move |(book, row)| book.step_name(key(row)))
        .text("starter", starter, move |(_, row)| key(row).starter.clone().unwrap_or_default())
        .text("situation", "What lies open; empty for all.", move |(_, row)| {
            key(row).open.join("; ")
        })
}

/// Returns the columns of `book.csv`.
pub(super) fn book_columns<'a>() -> Columns<OfBook<'a, BookRow>> {
    let verdict = "By the interval of `effect`: above -2 points is `good`, below is `bad`, and one \
                   that contains -2 points is `playable`, or `too rare` if it is wider than 4 \
                   points on each side. Without an interval, or if that of `mean` alone is below \
                   -2 points, `too rare`.";
    let effect = "Win share with the action minus the mean over what the policy would choose: the \
                  plausible actions of the decision, weighted with their priors. The mean is \
                  shrunk towards the effect one level above, 0 at level 1, where this predicts \
                  fresh games better.";
    let win_rate = "Win share of the seats that chose the action by themselves; no effect.";
    situation_columns(
        "book",
        "An action in a group of situations, the best of each group first.",
        |row: &BookRow| &row.key,
    )
    .text(("action", "notation"), "Opening step, in the notation.", |(book, row)| {
        let name = book.action(row.code);
        Value::Item(name.id, name.label)
    })
    .text(("label", "action"), "Opening step, in words.", |(book, row)| book.action(row.code).label)
    .integer("rank", "Rank by the lower end of the interval.", |(_, row)| row.rank)
    .word("verdict", &BookVerdict::NAMES, verdict, |(_, row)| row.verdict.name())
    .percentage_points("effect", effect, |(_, row)| row.effect.estimate())
    .n(("n", "forks"))
    .ci("ci")
    .percentage_points(("mean", "mean effect"), "Effect without shrinkage.", |(_, row)| {
        row.mean.estimate()
    })
    .percent("win share", "Win share with the action, over the forks.", |(_, row)| row.with_action)
    .percent(("win_rate", "win rate of those who chose it"), win_rate, |(_, row)| known(row.chosen))
    .n(("n_seen", "chosen"))
    .integer("decisions", "Decisions in the group.", |(_, row)| row.decisions)
    .text("policy", "Bot in all seats.", |(book, _)| &book.settings.policy.name)
    .provenance()
}

/// Returns the columns of `pairs.csv`.
pub(super) fn pairs_columns<'a>() -> Columns<OfBook<'a, PairRow>> {
    let verdict = "`level` if the interval of `difference` lies within 2 points of 0, else \
                   `better` if it lies above 0, else `unclear`.";
    let difference = "Win share with `action` minus that with `other`, in the same forks.";
    situation_columns(
        "pairs",
        "Two actions of a group of situations that were plausible together.",
        |row: &PairRow| &row.key,
    )
    .text(("action", "notation"), "Better opening step, in the notation.", |(book, row)| {
        book.action(row.codes[0]).id
    })
    .text(("label", "better action"), "Better opening step, in words.", |(book, row)| {
        book.action(row.codes[0]).label
    })
    .text(("other", "other notation"), "Other opening step, in the notation.", |(book, row)| {
        book.action(row.codes[1]).id
    })
    .text(("other_label", "other action"), "Other opening step, in words.", |(book, row)| {
        book.action(row.codes[1]).label
    })
    .word("verdict", &PairVerdict::NAMES, verdict, |(_, row)| row.verdict().name())
    .percentage_points("difference", difference, |(_, row)| row.difference.estimate())
    .n(("n", "forks"))
    .ci("ci")
    .text("policy", "Bot in all seats.", |(book, _)| &book.settings.policy.name)
    .provenance()
}

/// Returns all tables of a book.
pub(super) fn of_book(book: &OpeningBook) -> Vec<DataTable> {
    let provenance = &book.settings.data.provenance;
    let pairs = pair_rows(&book.tally);
    // The pairs of the finest groups are many, and each has few forks.
    let pairs = pairs.iter().filter(|row| row.key.level() <= 2).map(|row| (book, row));
    let pairs = pairs_columns().table(provenance, pairs);
    vec![book_table(book, &rows(&book.tally)), pairs]
}

/// Returns `book.csv` with these rows.
pub(super) fn book_table(book: &OpeningBook, rows: &[BookRow]) -> DataTable {
    book_columns().table(&book.settings.data.provenance, rows.iter().map(|row| (book, row)))
}

/// Returns an estimate, without a value if it has no observations.
fn known(estimate: Estimate) -> Estimate {
    if estimate.n == 0 { Estimate { value: f64::NAN, ..estimate } } else { estimate }
}
