//! The report of `balance restrict`.

use super::{
    analysis::{RestrictAnalysis, RestrictRow},
    pairs::PairAnalysis,
    tables::LINEUP_WIDTH,
};
use crate::{
    arena::restrict::RestrictTally,
    report::study_page::{metric_label, significance_summary},
    study::shared::prelude::*,
};

/// Maximum number of restrictions that the answer names.
const MAX_NAMED: usize = 4;

impl RestrictAnalysis<'_> {
    /// Returns the report.
    pub(super) fn report(&self, pairs: &PairAnalysis<'_>, provenance: &Claim) -> StudyReport {
        let mut report = StudyReport::new("Effects of restrictions");
        pairs.add_to(&mut report, provenance);
        report.answer(&self.lead());
        self.agreement().add_to(&mut report, provenance);
        let table = self.table(provenance);
        self.add_lineups(&table, &mut report);
        for metric in SeatMetric::ALL {
            self.add_metric(&table, metric, &mut report);
        }
        report.file(table, "");
        report
    }

    /// Adds the effects of the restrictions, lineup by lineup, for the terminal.
    fn add_lineups(&self, table: &DataTable, report: &mut StudyReport) {
        for LineupResult { lineup, tally, .. } in self.results {
            let RestrictTally { games, blocks, capped, .. } = tally;
            report.terminal(&format!(
                "\n{}\n{games} games in {blocks} blocks; {capped} ended by the round limit",
                truncate(lineup, LINEUP_WIDTH)
            ));
            let keys = ["restriction", "metric", "binding_decisions", "difference", "flag"];
            let is_shown = |index: &usize| self.rows[*index].lineup == lineup;
            let rows = (0..self.rows.len()).filter(is_shown);
            report.terminal_table(&table.view().select(&keys).rows(rows));
        }
        if self.results.len() > 1 {
            let legend = "flips: significant with opposite signs for two bots (Holm, 5 %)";
            report.terminal(&format!("\n{legend}\n"));
        }
    }

    /// Returns the rows of a metric and a lineup, with their indices in the table.
    fn rows_of(&self, metric: SeatMetric, lineup: &str) -> Vec<(usize, &RestrictRow<'_>)> {
        let is_shown = |row: &RestrictRow<'_>| row.metric == metric && row.lineup == lineup;
        self.rows.iter().enumerate().filter(|(_, row)| is_shown(row)).collect()
    }

    /// States the effects of the restrictions on the first bot. The labels of a panel have the
    /// others.
    pub(super) fn lead(&self) -> String {
        let Some(LineupResult { lineup, .. }) = self.results.first() else { return String::new() };
        let metric = SeatMetric::WinShare;
        let (name, unit) = metric_label(metric);
        let change = |(_, row): (usize, &RestrictRow<'_>)| {
            let difference = unit.format_estimate(effect_estimate(row.difference.effect));
            format!("{difference} with “{}”", row.restriction)
        };
        let mut rows = self.rows_of(metric, lineup);
        let others = rows.len().saturating_sub(MAX_NAMED);
        // Unknown effects, which are not numbers, come last.
        let size = |row: &RestrictRow<'_>| row.difference.effect.value.abs().max(0.0);
        if others > 0 {
            rows.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
            rows.truncate(MAX_NAMED);
        }
        let changes = join_with_and(rows.into_iter().map(change));
        let rest = match others {
            0 => String::new(),
            1 => " The other restriction changes it less.".to_owned(),
            _ => format!(" The other {others} restrictions change it less."),
        };
        let player = player_text(lineup);
        format!("The {name} of {player} changes by {changes}.{rest}")
    }

    fn add_metric(&self, table: &DataTable, metric: SeatMetric, report: &mut StudyReport) {
        let keys = [
            "restriction",
            "binding_decisions",
            "n",
            "baseline",
            "restricted",
            "difference",
            "p_holm",
            "flag",
        ];
        let (name, view) = (metric_label(metric).0, table.view().select(&keys));
        report.section(name);
        for LineupResult { lineup, .. } in self.results {
            let rows = self.rows_of(metric, lineup);
            let suffix = lineup_suffix(lineup, self.results.len());
            report.page(self.chart(metric, lineup, &rows));
            let numbers = view.clone().rows(rows.iter().map(|&(index, _)| index));
            report.page_table(&numbers, format!("All restrictions: {name}{suffix}"));
        }
        report.explanation("A decision is binding if the restriction excluded a legal action.");
    }

    fn chart(
        &self,
        metric: SeatMetric,
        lineup: &str,
        rows: &[(usize, &RestrictRow<'_>)],
    ) -> IntervalChart {
        let (name, unit) = metric_label(metric);
        let sentence = format!(
            "Difference of each restriction for the restricted seat{}, from the same seat on the \
             same deals without it. {}",
            lineup_suffix(lineup, self.results.len()),
            significance_summary(rows.iter().map(|(_, row)| &row.difference))
        );
        let row = |(_, row): &(usize, &RestrictRow<'_>)| {
            let never = if row.tally.binding_decisions == 0 { "never binding " } else { "" };
            let note = format!("{never}{}", row.flag().map_or("", Flag::name));
            let difference = effect_estimate(row.difference.effect);
            IntervalRow::new((row.restriction.to_owned(), difference)).with_note(&note)
        };
        let series = format!("difference in {name}");
        difference_chart(sentence, unit, &[&series], rows.iter().map(row))
    }
}
