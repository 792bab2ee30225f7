//! `restricted.csv` and its terminal text.

use std::fmt::Write;

use super::analysis::RestrictAnalysis;
use crate::{
    arena::metric::SeatMetric,
    experiments::restrict::RestrictTally,
    report::{
        data_table::{Column, DataTable, Schema, Value},
        provenance::Claim,
        study_page::{difference_column, difference_value, mean_column, mean_value},
        text::{paragraph, truncate},
    },
    run::lineups::LineupResult,
    stats::flags::Flag,
};

/// Values of the column `flag`.
const FLAGS: [&str; 2] = [Flag::Flips.as_str(), Flag::Constant.as_str()];
/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 72;

/// Describes `restricted.csv`.
pub fn schema() -> Schema {
    Schema::new("restricted", "Effect of a restriction on a metric of the restricted seat.")
        .column(Column::text("lineup", "lineup", "Bot in all seats."))
        .column(Column::text("restriction", "restriction", "Restriction of one seat."))
        .column(Column::integer(
            "binding_decisions",
            "binding",
            "Decisions at which the restriction excluded a legal action.",
        ))
        .column(Column::word(
            "metric",
            "metric",
            &SeatMetric::NAMES,
            "Metric of the restricted seat.",
        ))
        .column(Column::integer("n", "n", "Games with the restriction."))
        .column(mean_column(
            "baseline",
            "unrestricted",
            "Mean of the same seats without restriction.",
        ))
        .column(mean_column("restricted", "restricted", "Mean with the restriction."))
        .column(difference_column(
            "difference",
            "difference",
            "Restricted minus baseline, paired within blocks.",
        ))
        .column(Column::p_value("p", "p", "Test of no difference."))
        .column(Column::p_value(
            "p_holm",
            "p (Holm)",
            "`p` adjusted by Holm's method for all restrictions of the lineup.",
        ))
        .column(Column::word(
            "flag",
            "flag",
            &FLAGS,
            "`flips`: significant with opposite signs for two lineups. `constant`: the difference \
             does not vary between blocks.",
        ))
        .provenance()
}

impl RestrictAnalysis<'_> {
    /// Returns the rows of `restricted.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(schema(), provenance);
        for row in &self.rows {
            let metric = row.metric.metric();
            let [baseline, restricted] = row.estimates.map(|mean| mean_value(mean, metric));
            table.push([
                row.lineup.into(),
                row.restriction.into(),
                row.tally.binding_decisions.into(),
                row.metric.as_str().into(),
                row.tally.sums[row.metric as usize].treatment.n.into(),
                baseline,
                restricted,
                difference_value(row.difference.effect.estimate(), metric),
                Value::P(row.difference.effect.p_value()),
                Value::P(row.difference.p_holm),
                row.flag().map(Flag::as_str).into(),
            ]);
        }
        table
    }

    /// Returns the answer and the effects of the restrictions, lineup by lineup, for the terminal.
    pub fn text(&self, table: &DataTable) -> String {
        let mut text = String::from("\n");
        text += &paragraph(&self.lead());
        text += &self.agreement().text();
        for LineupResult { lineup, tally, .. } in self.results {
            let RestrictTally { games, blocks, capped, .. } = tally;
            let _ = writeln!(
                text,
                "\n{}\n{games} games in {blocks} blocks; {capped} ended by the round limit",
                truncate(lineup, LINEUP_WIDTH)
            );
            let keys = ["restriction", "metric", "binding_decisions", "difference", "flag"];
            let is_shown = |index: &usize| self.rows[*index].lineup == lineup;
            text += &table.view().select(&keys).rows((0..self.rows.len()).filter(is_shown)).text();
        }
        if self.results.len() > 1 {
            text += "\nflips: significant with opposite signs for two bots (Holm, 5 %)\n";
        }
        text
    }
}
