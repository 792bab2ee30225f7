//! `book.csv` and `pairs.csv`.

use super::file::OpeningBook;
use crate::{
    analysis::book::{BookRow, BookVerdict, PairRow, SituationKey, pair_rows, rows},
    report::{
        data_table::{Columns, DataTable, Value},
        html::Unit,
    },
    stats::ratio::Estimate,
};

/// The words of the column `verdict`.
const VERDICTS: [&str; 4] = [
    BookVerdict::ALL[0].as_str(),
    BookVerdict::ALL[1].as_str(),
    BookVerdict::ALL[2].as_str(),
    BookVerdict::ALL[3].as_str(),
];

/// A book with a row.
type OfBook<'a, T> = (&'a OpeningBook, &'a T);

/// Returns the columns of a group of situations.
fn situation_columns<'a, T: 'static>(
    name: &str,
    title: &str,
    key: fn(&T) -> &SituationKey,
) -> Columns<OfBook<'a, T>> {
    Columns::<OfBook<'_, T>>::new(name, title)
        .integer(
            "level",
            "level",
            "Level of the situation, 1 for the coarsest.",
            move |(_, row)| key(row).level(),
        )
        .integer("players", "players", "Number of players.", |(book, _)| {
            book.settings.identity.players
        })
        .integer("place", "place", "Turn position, counted from 1.", move |(_, row)| {
            u64::from(key(row).turn_position) + 1
        })
        .text(
            "step",
            "step",
            "Opening step of the seat, such as `first placement`.",
            move |(book, row)| book.step_name(key(row)),
        )
        .text(
            "starter",
            "starter",
            "Starter of the seat; empty for all starters and before there is one.",
            move |(_, row)| key(row).starter.clone().unwrap_or_default(),
        )
        .text("situation", "situation", "What lies open; empty for all.", move |(_, row)| {
            key(row).open.join("; ")
        })
}

/// Returns the columns of `book.csv`.
pub(super) fn book_columns<'a>() -> Columns<OfBook<'a, BookRow>> {
    situation_columns(
        "book",
        "An action in a group of situations, the best of each group first.",
        |row: &BookRow| &row.key,
    )
    .text("action", "action", "Opening step, in the notation.", |(book, row)| {
        let name = book.action(row.code);
        Value::Item(name.id, name.label)
    })
    .label()
    .integer("rank", "rank", "Rank by the lower end of the interval.", |(_, row)| row.rank)
    .word(
        "verdict",
        "verdict",
        &VERDICTS,
        "`level` is not distinguished from the best action, `worse` is significantly worse \
             (Holm-adjusted p < 0.05), `unknown` has too few forks.",
        |(_, row)| row.verdict.as_str(),
    )
    .integer(
        "level_actions",
        "level actions",
        "Number of actions of the group that are `best` or `level`.",
        |(_, row)| row.level_actions,
    )
    .percentage_points(
        "effect",
        "effect",
        "Win share with the action minus the mean over what the policy would choose: the \
                 plausible actions of the decision, weighted with their priors.",
        |(_, row)| row.effect.estimate(),
    )
    .n("n", "forks")
    .ci("ci")
    .number(
        "shrunk",
        "shrunk effect",
        6,
        "Effect, shrunk towards that one level above where this predicts fresh games \
                 better.",
        |(_, row)| row.shrunk,
    )
    .unit(Unit::PercentagePoints)
    .percent("win_share", "win share", "Win share with the action, over the forks.", |(_, row)| {
        row.with_action
    })
    .percent(
        "win_rate",
        "win rate of those who chose it",
        "Win share of the seats that chose the action by themselves; no effect.",
        |(_, row)| known(row.chosen),
    )
    .n("n_seen", "chosen")
    .integer("decisions", "decisions", "Decisions in the group.", |(_, row)| row.decisions)
    .text("policy", "policy", "Bot in all seats.", |(book, _)| &book.settings.policy.name)
    .provenance()
}

/// Returns the columns of `pairs.csv`.
pub(super) fn pairs_columns<'a>() -> Columns<OfBook<'a, PairRow>> {
    situation_columns(
        "pairs",
        "Two actions of a group of situations that were plausible together.",
        |row: &PairRow| &row.key,
    )
    .text("action", "better action", "Opening step, in the notation.", |(book, row)| {
        book.action(row.codes[0]).id
    })
    .text("other", "other action", "Opening step, in the notation.", |(book, row)| {
        book.action(row.codes[1]).id
    })
    .percentage_points(
        "difference",
        "difference",
        "Win share with `action` minus that with `other`, in the same forks.",
        |(_, row)| row.difference.estimate(),
    )
    .n("n", "forks")
    .ci("ci")
    .text("policy", "policy", "Bot in all seats.", |(book, _)| &book.settings.policy.name)
    .provenance()
}

impl OpeningBook {
    /// Returns all tables.
    pub(super) fn tables(&self) -> Vec<DataTable> {
        let pairs = pair_rows(&self.tally);
        // The pairs of the finest groups are many, and each has few forks.
        let pairs = pairs.iter().filter(|row| row.key.level() <= 2);
        let pairs = pairs_columns().table(self.provenance(), pairs.map(|row| (self, row)));
        vec![self.book_table(&rows(&self.tally)), pairs]
    }

    /// Returns `book.csv` with these rows.
    pub(super) fn book_table<'a>(&self, rows: impl IntoIterator<Item = &'a BookRow>) -> DataTable {
        book_columns().table(self.provenance(), rows.into_iter().map(|row| (self, row)))
    }
}

/// Returns an estimate, without a value if it has no observations.
fn known(estimate: Estimate) -> Estimate {
    if estimate.n == 0 { Estimate { value: f64::NAN, ..estimate } } else { estimate }
}
