//! The answer, and sections for each lineup and item table: effects and rounds.

use crate::{
    report::{
        chart::elide_middle,
        html::HtmlTable,
        origin::{item_badge, with_marks},
        study_page::{metric_label, significance_summary},
    },
    study::{
        ablate::analysis::{EffectRow, ItemEffectsAnalysis},
        shared::prelude::*,
    },
};

const SERIES: [&str; 3] = [
    "access (free minus never): being allowed to take it",
    "worth (free minus gone): the item itself",
    "denial (gone minus never): keeping it from the others",
];
/// Metrics of charts. The tables have all metrics.
const CHARTED: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];

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
        for metric in CHARTED {
            match self.chart(lineup, items, metric, marks) {
                Ok(chart) => report.page(chart),
                Err(sentence) => report.explanation(&sentence),
            }
        }
        for metric in SeatMetric::ALL {
            report.page(self.html_table(lineup, items, metric, forks, marks));
        }
        self.add_rounds(lineup, items, forks, report);
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

    /// Draws the effects of the items of a table; without any estimate, it says so.
    fn chart(
        &self,
        lineup: usize,
        items: &ItemTable,
        metric: SeatMetric,
        provenance: &Provenance,
    ) -> Result<IntervalChart, String> {
        let (name, unit) = metric_label(metric);
        let rows: Vec<_> =
            self.ranking(lineup, items, metric).into_iter().map(|(_, row)| row).collect();
        let access = |row: &EffectRow| *row.effect(Estimand::Access);
        let tested: Vec<_> = rows.iter().map(|row| access(row)).collect();
        let summary = significance_summary(tested.iter());
        let has_interval = |row: &&EffectRow| access(row).effect.is_testable();
        let (mut rows, left_out): (Vec<_>, Vec<_>) = rows.into_iter().partition(has_interval);
        if rows.is_empty() {
            let item = items.singular;
            return Err(format!("No {item} is taken in enough deals for an estimate ({name})."));
        }
        let mut sentence =
            format!("Access of {}, effect on the {name}. {summary}", items.name.replace('_', " "));
        if !left_out.is_empty() {
            let names = left_out.iter().map(|row| self.item(row.item).label.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            sentence += &format!(" Left out, because they are taken in too few deals: {names}.");
        }
        sentence += &elide_middle(&mut rows);
        let chart_row = |row: &&EffectRow| {
            let item = self.item(row.item);
            let estimands = [Estimand::Access, Estimand::Worth, Estimand::Denial];
            let estimates =
                estimands.map(|estimand| effect_estimate(row.effect(estimand).effect)).to_vec();
            let badge = item_badge(item, provenance);
            let row_of_item =
                IntervalRow { badge, ..IntervalRow::of_series(&item.label, estimates) };
            row_of_item.with_note(&row.flag_text())
        };
        Ok(difference_chart(sentence, unit, &SERIES, rows.iter().map(chart_row)))
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
            "heterogeneity_p_holm",
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

    /// Adds the access by round of the items whose access depends on the round.
    fn add_rounds(
        &self,
        lineup: usize,
        items: &ItemTable,
        forks: &DataTable,
        report: &mut StudyReport,
    ) {
        let metric = SeatMetric::WinShare;
        let varies = |row: &EffectRow| {
            [Flag::Varies, Flag::SignByRound].iter().any(|flag| row.flags().contains(flag))
        };
        let varying: Vec<_> = self
            .ranking(lineup, items, metric)
            .into_iter()
            .filter(|(_, row)| varies(row))
            .map(|(_, row)| row.item)
            .collect();
        let is_included = |row: &EffectRow| {
            (row.lineup, row.metric) == (lineup, metric)
                && matches!(row.stratum, Stratum::Round(_))
                && varying.contains(&row.item)
        };
        let rows = self.rows.iter().enumerate().filter(|(_, row)| is_included(row));
        let keys = ["item", "round", "forks", "taken_share", "access_estimate", "access_p_holm"];
        let view = forks.view().select(&keys).rows(rows.map(|(index, _)| index));
        if !varying.is_empty() {
            let items = items.name.replace('_', " ");
            let caption =
                format!("Access by round of the {items} whose access depends on it: win share");
            report.page_table(&view, caption);
        }
    }
}
