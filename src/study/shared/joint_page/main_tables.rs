//! The tables and columns of each command that pages of several runs show.

/// A table of a command whose estimates are compared between runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MainTable {
    /// Name of the table; `<items>` for each table of items.
    pub(super) name: &'static str,
    /// Keys of the estimates, the most important one first.
    pub(super) columns: &'static [&'static str],
    /// Keys of other columns with the values of the rows that are shown.
    pub(super) rows: &'static [(&'static str, &'static str)],
    /// True if each metric has a table and a chart of its own.
    pub(super) is_by_metric: bool,
    /// True if all rows have the same unit, so that a chart can show them.
    pub(super) has_chart: bool,
    /// Key of the column whose words are shown beside the first estimate; empty for none.
    pub(super) remark: &'static str,
}

const fn table(name: &'static str, columns: &'static [&'static str]) -> MainTable {
    MainTable { name, columns, rows: &[], is_by_metric: false, has_chart: true, remark: "" }
}

impl MainTable {
    const fn rows(self, rows: &'static [(&'static str, &'static str)]) -> Self {
        Self { rows, ..self }
    }

    const fn by_metric(self) -> Self {
        Self { is_by_metric: true, ..self }
    }

    const fn remark(self, remark: &'static str) -> Self {
        Self { remark, ..self }
    }

    const fn without_chart(self) -> Self {
        Self { has_chart: false, ..self }
    }
}

/// Name of the tables of items in schemas.
pub(super) const ITEMS: &str = "<items>";

const ALL_FORKS: &[(&str, &str)] = &[("metric", "win_share"), ("round", ""), ("turn_position", "")];

const SIMULATE: &[MainTable] = &[
    table("turn_order", &["win_rate", "mean_score"]),
    table("card", &["value"]).without_chart().remark("verdict"),
    table("panel", &["rate"]),
    table("win_rates", &["difference"]).rows(&[("scope", "overall")]),
    table(ITEMS, &["with_win_rate", "<taken>_per_offer"]),
    table("health", &["value"]).without_chart(),
    table("rounds", &["mean"]).without_chart(),
];

const ITEM_DIFFERENCES: MainTable = table(ITEMS, &["difference"]).by_metric().remark("verdict");

const COMPARE: &[MainTable] = &[
    table("differences", &["difference"]).without_chart().remark("verdict"),
    table("files", &["difference"]).by_metric().remark("verdict"),
    ITEM_DIFFERENCES,
];

const SWEEP: &[MainTable] =
    &[table("sweep", &["estimate"]).by_metric(), table(ITEMS, &["estimate"]).by_metric()];

const ABLATE: &[MainTable] = &[
    table(
        "forks",
        &["access_estimate", "worth_estimate", "denial_estimate", "takers_estimate", "taken_share"],
    )
    .rows(ALL_FORKS)
    .remark("flag"),
    table("removed_items", &["difference"]).without_chart(),
    table("remedy", &["access"]).remark("verdict"),
];

const MATCH: &[MainTable] = &[
    table("ladder", &["upset_share"]),
    table("ratings", &["elo_wins"]),
    table("crosstable", &["win_rate"]),
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
        "balance restrict" => const { &[table("restricted", &["difference"]).by_metric()] },
        "balance turn-order" => TURN_ORDER,
        "balance power" => const { &[table("power", &["games_needed"])] },
        "tune" => const { &[table("confirmation", &["tuned", "difference"])] },
        "train" => const { &[table("training_tests", &["win_rate"])] },
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
