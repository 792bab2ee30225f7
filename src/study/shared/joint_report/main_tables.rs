//! The tables and columns of each command that pages of several runs show.

use crate::report::data_table::DataTable;

/// A table of a command whose estimates are compared between runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MainTable {
    /// Name of the table; `<items>` for each table of items.
    pub(super) name: &'static str,
    /// Keys of the estimates, the most important one first.
    pub(super) columns: &'static [&'static str],
    /// Keys of other columns with the values of the rows that are shown.
    rows: &'static [(&'static str, &'static str)],
    /// The metric of the rows that are shown; empty for all.
    pub(super) metric: &'static str,
    /// Key of the column whose words are shown beside the first estimate; empty for none.
    pub(super) remark: &'static str,
}

impl MainTable {
    /// Returns true if a row is shown.
    pub(super) fn shows(&self, table: &DataTable, row: usize) -> bool {
        let of_metric = Some(("metric", self.metric)).filter(|(_, metric)| !metric.is_empty());
        let mut values = self.rows.iter().copied().chain(of_metric);
        values.all(|(key, value)| table.text(row, key) == value)
    }

    const fn rows(self, rows: &'static [(&'static str, &'static str)]) -> Self {
        Self { rows, ..self }
    }

    const fn of(self, metric: &'static str) -> Self {
        Self { metric, ..self }
    }

    const fn remark(self, remark: &'static str) -> Self {
        Self { remark, ..self }
    }
}

const fn table(name: &'static str, columns: &'static [&'static str]) -> MainTable {
    MainTable { name, columns, rows: &[], metric: "", remark: "" }
}

/// Name of the tables of items in schemas.
pub(super) const ITEMS: &str = "<items>";

const SIMULATE: &[MainTable] = &[
    table("turn_order", &["win_rate", "mean_score"]),
    table(ITEMS, &["with_win_rate", "<taken>_per_offer"]),
    table("panel", &["rate"]),
    table("win_rates", &["difference"]).rows(&[("scope", "overall")]),
    table("health", &["value"]),
    table("rounds", &["mean"]),
];

const COMPARE: &[MainTable] = &[
    table("differences", &["difference"]).remark("flag"),
    table("files", &["difference"]).remark("flag"),
    table(ITEMS, &["difference"]).of("takers_win_share").remark("flag"),
    table(ITEMS, &["difference"]).of("taken_per_game").remark("flag"),
];

const SWEEP: &[MainTable] = &[
    table("sweep", &["estimate"]).of("win_share"),
    table("sweep", &["estimate"]).of("score"),
    table("sweep", &["estimate"]).of("rounds"),
    table(ITEMS, &["estimate"]).of("takers_win_share"),
    table(ITEMS, &["estimate"]).of("taken_per_game"),
];

const ABLATE: &[MainTable] = &[
    table(
        "forks",
        &["access_estimate", "worth_estimate", "denial_estimate", "takers_estimate", "taken_share"],
    )
    .rows(&[("round", ""), ("turn_position", "")])
    .of("win_share")
    .remark("flag"),
    table("removed_items", &["difference"]),
    table("remedy", &["access"]).remark("verdict"),
];

const MATCH: &[MainTable] = &[
    table("ladder", &["upset_share"]),
    table("ratings", &["elo_wins"]),
    table("crosstable", &["win_rate"]),
];

const RESTRICT: &[MainTable] = &[
    table("restricted", &["difference"]).of("win_share"),
    table("restricted", &["difference"]).of("score"),
];

const TURN_ORDER: &[MainTable] = &[
    table("turn_positions", &["win_rate", "difference", "mean_score"]),
    table("verdicts", &["largest_difference", "sd_of_turn_positions"]).remark("verdict"),
];

/// Returns the main tables of a command.
pub(super) fn main_tables(kind: &str) -> &'static [MainTable] {
    match kind {
        "simulate" => SIMULATE,
        "match" => MATCH,
        "balance compare" => COMPARE,
        "balance sweep" => SWEEP,
        "balance ablate" => ABLATE,
        "balance restrict" => RESTRICT,
        "balance turn-order" => TURN_ORDER,
        "balance power" => const { &[table("power", &["games_needed"])] },
        "tune" => const { &[table("confirmation", &["tuned", "difference"])] },
        _ => &[],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::study::{tables_by_command, tables_of_command};

    #[test]
    fn main_tables_are_tables_of_their_commands() {
        for (names, _) in tables_by_command() {
            let kind = names.split('`').next().unwrap();
            let schemas = tables_of_command(kind).unwrap();
            for table in main_tables(kind) {
                let remark = Some(&table.remark).filter(|key| !key.is_empty());
                let schema = schemas.iter().find(|schema| schema.name() == table.name);
                let schema = schema.unwrap_or_else(|| panic!("{kind}: no table {}", table.name));
                for key in
                    table.columns.iter().chain(table.rows.iter().map(|(key, _)| key)).chain(remark)
                {
                    assert!(schema.has_column(key), "{kind}: {}: no column {key}", table.name);
                }
            }
        }
    }
}
