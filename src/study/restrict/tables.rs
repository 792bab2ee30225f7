//! `restricted.csv`.

use super::analysis::{RestrictAnalysis, RestrictRow};
use crate::study::shared::prelude::*;

/// Values of the column `flag`.
const FLAGS: [&str; 2] = [Flag::Flips.name(), Flag::Constant.name()];
/// Maximum width of a lineup in terminal text.
pub(super) const LINEUP_WIDTH: usize = 72;

/// Returns the columns of `restricted.csv`.
pub(super) fn columns<'a>() -> Columns<&'a RestrictRow<'a>> {
    let title = "Effect of a restriction on a metric of the restricted seat.";
    let binding_decisions = "Decisions at which the restriction excluded a legal action.";
    let difference = "Restricted minus baseline, paired within blocks.";
    let p_holm = "`p` adjusted by Holm's method for all restrictions of the lineup.";
    let flag = "`flips`: significant with opposite signs for two lineups. `constant`: the \
                difference does not vary between blocks.";
    Columns::<&RestrictRow<'_>>::new("restricted", title)
        .text("lineup", "Bot in all seats.", |row| row.lineup)
        .text("restriction", "Restriction of one seat.", |row| row.restriction)
        .integer(("binding_decisions", "binding"), binding_decisions, |row| {
            row.tally.binding_decisions
        })
        .word("metric", &SeatMetric::NAMES, "Metric of the restricted seat.", |row| {
            row.metric.name()
        })
        .integer("n", "Games with the restriction.", |row| {
            row.tally.sums[row.metric as usize].treatment.n
        })
        .mean(("baseline", "unrestricted"), "Mean of the same seats without restriction.", |row| {
            (row.estimates[0], row.metric.metric())
        })
        .mean("restricted", "Mean with the restriction.", |row| {
            (row.estimates[1], row.metric.metric())
        })
        .difference("difference", difference, |row| {
            (row.difference.effect.estimate(), row.metric.metric())
        })
        .p_value("p", "Test of no difference.", |row| row.difference.effect.p_value())
        .p_value(("p_holm", "p (Holm)"), p_holm, |row| row.difference.p_holm)
        .word("flag", &FLAGS, flag, |row| row.flag().map(Flag::name))
        .provenance()
}

impl RestrictAnalysis<'_> {
    /// Returns the rows of `restricted.csv`.
    pub fn table(&self, provenance: &Claim) -> DataTable {
        columns().table(provenance, &self.rows)
    }
}
