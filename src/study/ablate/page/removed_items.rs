//! The section of games without items.

use crate::{
    report::{chart::elide_middle, study_page::significance_summary},
    study::{
        ablate::removed_items::RemovedItemsAnalysis,
        shared::{
            comparison::analysis::{DifferenceRow, metric_title},
            prelude::*,
        },
    },
};

/// The columns of the terminal.
const SHORT: [&str; 4] = ["item", "change", "lineup", "difference"];

impl RemovedItemsAnalysis<'_> {
    /// Adds the section of the page and the table.
    pub(crate) fn add_section(&self, provenance: &Claim, report: &mut StudyReport) {
        let table = self.table(provenance);
        let metrics = self.rows.chunk_by(|one, other| one.metric == other.metric);
        let size = self.items.len() * self.results.len();
        let keys = [
            "item",
            "change",
            "lineup",
            "baseline",
            "baseline_n",
            "variant",
            "variant_n",
            "difference",
            "p_holm",
        ];
        let keys: Vec<_> =
            keys.into_iter().filter(|key| self.results.len() > 1 || *key != "lineup").collect();
        report.section("Without an item");
        for metric in Self::SHOWN {
            report.page(self.chart(metric));
        }
        for (index, rows) in metrics.enumerate() {
            let metric = rows[0].metric;
            let title = capitalize(&metric_title(metric, rows[0].result));
            let view = table.view().rows(index * size..(index + 1) * size);
            if Self::SHOWN.into_iter().map(ComparedMetric::of_game).any(|one| one == metric) {
                let short: Vec<_> =
                    keys.iter().copied().filter(|key| SHORT.contains(key)).collect();
                let text = view.clone().select(&short).text();
                report.terminal(&format!("\n{title}, without an item\n{text}"));
            }
            report.page_table(&view.select(&keys), title);
        }
        report.explanation(
            "The same deals were played with the data file and with each of these changes. A \
             difference is the mean with the change minus the mean with the data file.",
        );
        report.file(table, "");
    }

    fn chart(&self, metric: Metric) -> IntervalChart {
        let mut rows = self.rows_of(metric);
        let mut sentence = format!(
            "Difference in {} of whole games. {}",
            metric.title(),
            significance_summary(rows.iter().map(|(_, row)| &row.difference))
        );
        rows.sort_by(|(_, one), (_, other)| {
            other.difference.effect.value.total_cmp(&one.difference.effect.value)
        });
        sentence += &elide_middle(&mut rows);
        let chart_row = |(_, row): &(usize, &DifferenceRow<'_>)| {
            let label = self.label(row) + &lineup_suffix(&row.result.lineup, self.results.len());
            IntervalRow::new((label, effect_estimate(row.difference.effect)))
        };
        let series = format!("difference in {}", metric.title());
        let rows = rows.iter().map(chart_row);
        difference_chart(sentence, difference_unit(metric), &[&series], rows)
    }
}
