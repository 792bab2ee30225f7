//! The answer, and sections for each lineup and item table: effects and rounds.

use crate::{
    report::{html::HtmlTable, origin::with_marks, study_page::metric_label},
    study::{ablate::analysis::ItemEffectsAnalysis, shared::prelude::*},
};

impl ItemEffectsAnalysis<'_> {
    /// Adds the sections of the page and the table.
    pub(crate) fn add_sections(
        &self,
        marks: &Provenance,
        provenance: &Claim,
        report: &mut StudyReport,
    ) {
        let forks = self.table(provenance);
        for lineup in 0..self.results.len() {
            for items in self.item_tables() {
                self.add_effects(lineup, items, &forks, marks, report);
            }
        }
        Self::add_reading(report);
        report.file(forks, " with all p-values, and rows for each round and turn position");
    }

    /// Returns the name of an item table, with the lineup if there are several.
    fn title(&self, lineup: usize, items: &ItemTable) -> String {
        items.name.replace('_', " ")
            + &lineup_suffix(&self.results[lineup].lineup, self.results.len())
    }

    fn add_effects(
        &self,
        lineup: usize,
        items: &ItemTable,
        forks: &DataTable,
        marks: &Provenance,
        report: &mut StudyReport,
    ) {
        report.section(&self.title(lineup, items)).is_folded = true;
        for metric in SeatMetric::ALL {
            report.page(self.html_table(lineup, items, metric, forks, marks));
        }
    }

    fn add_reading(report: &mut StudyReport) {
        report.section("How to read the effects").is_folded = true;
        report.explanation(
            "The fork of a seat and an item is the first decision at which the seat can take the \
             item and can also do something else. From there the same game is continued with the \
             same bots, the same deal and the same random choices in several arms: free; never \
             (the seat never takes the item); gone (no seat takes it); must (the seat takes it \
             now); not now.",
        );
        report.explanation(
            "Access is the mean of free minus never. Seats that do not take the item count as 0. \
             Takers is the same over the seats that take it. Worth (free minus gone) and denial \
             (gone minus never) add up to access. Now (must minus not now) says how well the bot \
             times the item: above 0, it takes the item too late or too seldom.",
        );
    }

    fn html_table(
        &self,
        lineup: usize,
        items: &ItemTable,
        metric: SeatMetric,
        forks: &DataTable,
        provenance: &Provenance,
    ) -> HtmlTable {
        let keys = [
            "item",
            "taken_share",
            "access_estimate",
            "flag",
            "worth_estimate",
            "denial_estimate",
            "properties",
            "access_p_holm",
            "takers_estimate",
            "takers_n",
            "now_estimate",
            "equal_independent_games",
        ];
        let rows = self.ranking(lineup, items, metric);
        let caption = format!(
            "All {} {} by access: {}",
            rows.len(),
            items.name.replace('_', " "),
            metric_label(metric).0
        );
        let view = forks.view().select(&keys).rows(rows.iter().map(|&(index, _)| index));
        let items = rows.iter().map(|(_, row)| self.item(row.item));
        with_marks(view.html(caption), items, provenance)
    }
}
