//! `book.csv` and `pairs.csv`.

use super::file::OpeningBook;
use crate::{
    analysis::book::{BookRow, BookVerdict, PairRow, SituationKey, pair_rows, rows},
    report::{
        data_table::{Column, DataTable, Schema, Value},
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

/// Returns the columns of a group of situations.
fn situation_columns() -> Vec<Column> {
    vec![
        Column::integer("level", "level", "Level of the situation, 1 for the coarsest."),
        Column::integer("players", "players", "Number of players."),
        Column::integer("place", "place", "Turn position, counted from 1."),
        Column::text("step", "step", "Opening step of the seat, such as `first placement`."),
        Column::text(
            "starter",
            "starter",
            "Starter of the seat; empty for all starters and before there is one.",
        ),
        Column::text("situation", "situation", "What lies open; empty for all."),
    ]
}

/// Describes `book.csv`.
pub fn book_schema() -> Schema {
    Schema::new("book", "An action in a group of situations, the best of each group first.")
        .columns(situation_columns())
        .column(Column::text("action", "action", "Opening step, in the notation."))
        .label()
        .column(Column::integer("rank", "rank", "Rank by the lower end of the interval."))
        .column(Column::word(
            "verdict",
            "verdict",
            &VERDICTS,
            "`level` is not distinguished from the best action, `worse` is significantly worse \
             (Holm-adjusted p < 0.05), `unknown` has too few forks.",
        ))
        .column(Column::integer(
            "level_actions",
            "level actions",
            "Number of actions of the group that are `best` or `level`.",
        ))
        .column(
            Column::estimate(
                "effect",
                "effect",
                Unit::PercentagePoints,
                "Win share with the action minus the mean over what the policy would choose: the \
                 plausible actions of the decision, weighted with their priors.",
            )
            .n("n", "forks")
            .ci("ci"),
        )
        .column(
            Column::number(
                "shrunk",
                "shrunk effect",
                6,
                "Effect, shrunk towards that one level above where this predicts fresh games \
                 better.",
            )
            .unit(Unit::PercentagePoints),
        )
        .column(Column::estimate(
            "win_share",
            "win share",
            Unit::Percent,
            "Win share with the action, over the forks.",
        ))
        .column(
            Column::estimate(
                "win_rate",
                "win rate of those who chose it",
                Unit::Percent,
                "Win share of the seats that chose the action by themselves; no effect.",
            )
            .n("n_seen", "chosen"),
        )
        .column(Column::integer("decisions", "decisions", "Decisions in the group."))
        .column(Column::text("policy", "policy", "Bot in all seats."))
        .provenance()
}

/// Describes `pairs.csv`.
pub fn pairs_schema() -> Schema {
    Schema::new("pairs", "Two actions of a group of situations that were plausible together.")
        .columns(situation_columns())
        .column(Column::text("action", "better action", "Opening step, in the notation."))
        .column(Column::text("other", "other action", "Opening step, in the notation."))
        .column(
            Column::estimate(
                "difference",
                "difference",
                Unit::PercentagePoints,
                "Win share with `action` minus that with `other`, in the same forks.",
            )
            .n("n", "forks")
            .ci("ci"),
        )
        .column(Column::text("policy", "policy", "Bot in all seats."))
        .provenance()
}

impl OpeningBook {
    /// Returns all tables.
    pub(super) fn tables(&self) -> Vec<DataTable> {
        let pairs = pair_rows(&self.tally);
        // The pairs of the finest groups are many, and each has few forks.
        let pairs = pairs.iter().filter(|row| row.key.level() <= 2);
        vec![self.book_table(&rows(&self.tally)), self.pairs_table(pairs)]
    }

    /// Returns `book.csv` with these rows.
    pub(super) fn book_table<'a>(&self, rows: impl IntoIterator<Item = &'a BookRow>) -> DataTable {
        let mut table = DataTable::new(book_schema(), self.provenance());
        for row in rows {
            let name = self.action(row.code);
            table.push(self.situation_values(&row.key).into_iter().chain([
                Value::Item(name.id, name.label),
                row.rank.into(),
                row.verdict.as_str().into(),
                row.level_actions.into(),
                row.effect.estimate().into(),
                Value::Number(row.shrunk),
                row.with_action.into(),
                known(row.chosen).into(),
                row.decisions.into(),
                (&self.settings.policy.name).into(),
            ]));
        }
        table
    }

    /// Returns `pairs.csv` with these rows.
    fn pairs_table<'a>(&self, rows: impl IntoIterator<Item = &'a PairRow>) -> DataTable {
        let mut table = DataTable::new(pairs_schema(), self.provenance());
        for row in rows {
            let [one, other] = row.codes.map(|code| self.action(code).id);
            table.push(self.situation_values(&row.key).into_iter().chain([
                one.into(),
                other.into(),
                row.difference.estimate().into(),
                (&self.settings.policy.name).into(),
            ]));
        }
        table
    }

    /// Returns the values of the columns of a group of situations.
    fn situation_values(&self, key: &SituationKey) -> [Value; 6] {
        let text = |text: &str| Value::from(text);
        [
            key.level().into(),
            self.settings.identity.players.into(),
            (u64::from(key.turn_position) + 1).into(),
            text(self.step_name(key)),
            text(key.starter.as_deref().unwrap_or_default()),
            text(&key.open.join("; ")),
        ]
    }
}

/// Returns an estimate, without a value if it has no observations.
fn known(estimate: Estimate) -> Estimate {
    if estimate.n == 0 { Estimate { value: f64::NAN, ..estimate } } else { estimate }
}
