//! The figures of `compare` and `sweep` with each lineup, in the terminal and on the page.

use super::analysis::{ComparisonResult, DataComparison, DifferenceRow, Family};
use crate::{run::lineups::SIGN_FLIP_MARK, study::shared::prelude::*};

/// Maximum number of differences of an item table.
const MAX_SHOWN: usize = 10;
/// Maximum width of a lineup or item.
const NAME_WIDTH: usize = 60;

impl DataComparison<'_> {
    /// Adds the results of each lineup: the edited items, the game, and other items.
    pub(super) fn add_results(&self, report: &mut StudyReport) {
        for (lineup, result) in self.results.iter().enumerate() {
            self.add_result(lineup, result, report);
        }
        let flips = format!("{SIGN_FLIP_MARK} opposite signs with two bots");
        report.terminal(&format!("\n[95 % CI]; * significant (Holm, 5 %); {flips}\n"));
    }

    fn add_result(&self, lineup: usize, result: &ComparisonResult, report: &mut StudyReport) {
        let ComparisonTally { blocks, games, .. } = result.tally;
        let name = truncate(&result.lineup, NAME_WIDTH);
        report.terminal(&format!(
            "\nlineup: {name}\n{games} games in {blocks} blocks under each data file\n"
        ));
        let by = lineup_suffix(&result.lineup, self.results.len());
        report.section(&format!("The edit{by}")).is_folded = lineup > 0;
        report.explanation(&format!(
            "Figures with a star differ significantly (Holm, 5 %); {SIGN_FLIP_MARK} marks opposite \
             signs with two bots."
        ));
        // The terminal leaves the figures of the other bots to the page and the tables.
        let place = if lineup == 0 { ReportPlace::Everywhere } else { ReportPlace::Page };
        let edited = self.edited_items();
        let of_items = edited.iter().flat_map(|&item| self.rows_of_item(result, item));
        self.add_edit_charts(&of_items.collect::<Vec<_>>(), report);
        for &item in &edited {
            let table = self.differences_table(&self.rows_of_item(result, item), false);
            let label = truncate(&self.item_label(item), TEXT_WIDTH);
            report.captioned_table(place, &label, &table.view());
        }
        for family in &self.families {
            if family.items.is_none() {
                let table = self.differences_table(&family.rows_of(result), false);
                report.captioned_table(place, "the game", &table.view());
            } else {
                self.add_items(place, family, result, report);
            }
        }
    }

    /// Returns one difference in a line, which names its item if `names_items`.
    fn differences_table(&self, rows: &[&DifferenceRow<'_>], names_items: bool) -> DataTable {
        /// An analysis with one of its differences.
        type Row<'a> = (&'a DataComparison<'a>, &'a DifferenceRow<'a>);
        let side = |side: usize| {
            move |(_, row): &Row<'_>| {
                let Estimate { n, value, .. } = row.estimates[side];
                (Estimate::unbounded(n, value), row.metric.metric)
            }
        };
        let [baseline, variant] = self.layout.side_titles();
        Columns::<Row<'_>>::new("", "")
            .text("metric", "", move |(all, row)| {
                if names_items { all.label(row) } else { all.metric_and_value(row) }
            })
            .mean(baseline, "", side(0))
            .mean(variant, "", side(1))
            .difference("difference", "", |(_, row)| {
                (row.difference.effect.estimate(), row.metric.metric)
            })
            .text(("mark", ""), "", |(_, row)| mark(row))
            .table("", rows.iter().map(|row| (self, *row)))
    }

    /// Adds the significant differences of the items that are not edited, those with the smallest
    /// p-values first.
    fn add_items(
        &self,
        place: ReportPlace,
        family: &Family<'_>,
        result: &ComparisonResult,
        report: &mut StudyReport,
    ) {
        let edited = self.edited_items();
        let mut rows = family.rows_of(result);
        rows.retain(|row| row.metric.item().is_none_or(|item| !edited.contains(&item)));
        let mut significant: Vec<_> =
            rows.iter().copied().filter(|row| row.difference.is_significant()).collect();
        let tested = rows.iter().filter(|row| !row.difference.p_holm.is_nan()).count();
        let other = if rows.len() < family.rows_of(result).len() { "other " } else { "" };
        let title = format!("{other}{}", family.title());
        let count = significant.len();
        let mut caption = match tested {
            0 => format!("{title}: nothing to test (too few games, or no variation)"),
            _ => format!("{title}: {count} of {tested} differences are significant"),
        };
        if count > MAX_SHOWN {
            caption += &format!(", of which {MAX_SHOWN} are shown");
        }
        significant.sort_by(|one, other| {
            one.difference.effect.p_value().total_cmp(&other.difference.effect.p_value())
        });
        significant.truncate(MAX_SHOWN);
        if significant.is_empty() {
            report.sentence(place, &format!("{caption}."));
        } else {
            let table = self.differences_table(&significant, true);
            report.captioned_table(place, &caption, &table.view());
        }
        for (flag, side) in [(Flag::Removed, "baseline"), (Flag::Added, "variant")] {
            let names = family.items_with_flag(self.metrics, flag);
            if !names.is_empty() {
                let (title, names) = (capitalize(&family.title()), join_with_and(&names));
                report.sentence(place, &format!("{title} only in the {side}: {names}."));
            }
        }
    }
}

/// Returns the mark of a significant difference in terminal text.
fn mark(row: &DifferenceRow<'_>) -> &'static str {
    match row.flag {
        Some(Flag::Flips) => SIGN_FLIP_MARK,
        Some(Flag::Significant) => "*",
        _ => "",
    }
}
