//! The terminal text of `compare` and `sweep`, at most 80 columns wide.

use std::fmt::Write as _;

use super::{
    analysis::{ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow, Family},
    tables::sort_order,
    verdict::DifferenceVerdict,
};
use crate::{
    experiments::comparison::ComparisonTally,
    report::{
        data_table::Columns,
        study_page::metric_unit,
        text::{TEXT_WIDTH, paragraph, truncate},
    },
    run::lineups::{SIGN_FLIP_MARK, player_text},
    stats::{flags::Flag, ratio::Estimate},
};

/// Maximum number of differences of an item table.
const MAX_SHOWN: usize = 10;
/// Maximum number of values of a sweep that are shown side by side.
const MAX_VALUES: usize = 5;
/// Maximum width of a lineup or item.
const NAME_WIDTH: usize = 60;

impl DataComparison<'_> {
    /// Returns the lineup whose answer is given before those of all bots. With several files or
    /// values, their verdicts name many figures without their sizes.
    fn stated_first(&self) -> Option<&ComparisonResult> {
        self.results.first().filter(|_| *self.layout != ComparisonLayout::SideBySide)
    }

    /// Returns the answer in sentences for the terminal.
    pub(super) fn answer_text(&self) -> String {
        let mut text = String::new();
        if let Some(edits) = self.edits_sentence() {
            write_sentence(&mut text, &edits);
        }
        if let Some(first) = self.stated_first() {
            let _ = writeln!(text, "\nWith {}:", player_text(&first.lineup));
            for sentence in self.answer(first) {
                write_sentence(&mut text, &sentence);
            }
        }
        text
    }

    /// Returns the differences for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (lineup, result) in self.results.iter().enumerate() {
            let ComparisonTally { blocks, games, .. } = result.tally;
            let name = truncate(&result.lineup, NAME_WIDTH);
            let _ = writeln!(
                text,
                "\nlineup: {name}\n{games} games in {blocks} blocks under each data file\n"
            );
            let is_stated = self.stated_first().is_some() && lineup == 0;
            let answer = if is_stated { Vec::new() } else { self.answer(result) };
            for sentence in answer.into_iter().chain(self.notes(result)) {
                write_sentence(&mut text, &sentence);
            }
            // The page and the tables have the differences of the other bots.
            if lineup > 0 {
                continue;
            }
            let edited = self.edited_items();
            for &item in &edited {
                let rows = self.rows_of_item(result, item);
                let label = self.item_label(item);
                let _ = writeln!(text, "\n{}", truncate(&label, TEXT_WIDTH));
                text += &self.rows_text(&rows);
            }
            for family in &self.families {
                if family.items.is_none() {
                    let _ = writeln!(text, "\nthe game");
                    text += &self.rows_text(&family.rows_of(result));
                } else {
                    self.write_items(&mut text, family, result);
                }
            }
        }
        text + &format!(
            "\n[95 % CI]; * significant (Holm, 5 %), ** and larger than a change that matters\n\
             ({}); = smaller; {SIGN_FLIP_MARK} opposite signs with two bots\n",
            self.margins.text()
        )
    }

    /// Returns rows with all values of a key side by side, or with one difference in a line.
    fn rows_text(&self, rows: &[&DifferenceRow<'_>]) -> String {
        match self.layout {
            ComparisonLayout::ByValue { values, .. } if values.len() <= MAX_VALUES => {
                values_text(rows, values, self.layout.side_titles()[0])
            }
            _ => self.differences_text(rows),
        }
    }

    fn differences_text(&self, rows: &[&DifferenceRow<'_>]) -> String {
        /// An analysis with one of its differences.
        type Row<'a> = (&'a DataComparison<'a>, &'a DifferenceRow<'a>);
        let side = |side: usize| {
            move |(_, row): &Row<'_>| {
                let Estimate { n, value, .. } = row.estimates[side];
                let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
                (Estimate { n, value, low, high }, row.metric.metric)
            }
        };
        let mark = |(_, row): &Row<'_>| match (row.flag, row.verdict) {
            (Some(Flag::Flips), _) => SIGN_FLIP_MARK.to_string(),
            (_, Some(verdict)) => verdict.mark().to_owned(),
            (Some(Flag::Significant), None) => DifferenceVerdict::Differs.mark().to_owned(),
            _ => String::new(),
        };
        let [baseline, variant] = self.layout.side_titles();
        Columns::<Row<'_>>::new("", "")
            .text("metric", "metric", "", |(all, row)| all.metric_and_value(row))
            .mean(baseline, baseline, "", side(0))
            .mean(variant, variant, "", side(1))
            .difference("difference", "difference", "", |(_, row)| {
                (row.difference.effect.estimate(), row.metric.metric)
            })
            .text("mark", "", "", mark)
            .table("", rows.iter().map(|row| (self, *row)))
            .view()
            .text()
    }

    /// Writes the significant differences of the items that are not edited, those with the smallest
    /// p-values first.
    fn write_items(&self, text: &mut String, family: &Family<'_>, result: &ComparisonResult) {
        let edited = self.edited_items();
        let mut rows = family.rows_of(result);
        rows.retain(|row| row.metric.item().is_none_or(|item| !edited.contains(&item)));
        let mut significant: Vec<_> =
            rows.iter().copied().filter(|row| row.difference.is_significant()).collect();
        let tested = rows.iter().filter(|row| !row.difference.p_holm.is_nan()).count();
        let other = if rows.len() < family.rows_of(result).len() { "other " } else { "" };
        let title = format!("{other}{}", family.title());
        let _ = match tested {
            0 => writeln!(text, "\n{title}: nothing to test (too few games, or no variation)"),
            _ => writeln!(
                text,
                "\n{title}: {} of {tested} differences are significant",
                significant.len()
            ),
        };
        for (flag, side) in [(Flag::Removed, "baseline"), (Flag::Added, "variant")] {
            for name in family.items_with_flag(self.metrics, flag) {
                let _ = writeln!(text, "only in the {side}: {}", truncate(&name, NAME_WIDTH));
            }
        }
        significant.sort_by(|one, other| {
            one.difference.effect.p_value().total_cmp(&other.difference.effect.p_value())
        });
        let shown = &significant[..significant.len().min(MAX_SHOWN)];
        let mut items: Vec<_> = shown.iter().filter_map(|row| row.metric.item()).collect();
        let mut seen = Vec::new();
        items.retain(|item| {
            !seen.contains(item) && {
                seen.push(*item);
                true
            }
        });
        for item in items {
            let rows: Vec<_> =
                shown.iter().copied().filter(|row| row.metric.item() == Some(item)).collect();
            let _ = writeln!(text, "{}", truncate(&self.item_label(item), TEXT_WIDTH));
            *text += &self.differences_text(&rows);
        }
        if significant.len() > MAX_SHOWN {
            let _ = writeln!(text, "and {} more", significant.len() - MAX_SHOWN);
        }
    }
}

fn write_sentence(text: &mut String, sentence: &str) {
    *text += &paragraph(sentence);
}

/// Returns the means of metrics at all values of a key, of which the first is that of the file.
fn values_text(rows: &[&DifferenceRow<'_>], values: &[String], baseline: &str) -> String {
    let columns = Columns::<&[&DifferenceRow<'_>]>::new("", "").text("", "metric", "", |rows| {
        super::analysis::metric_title(rows[0].metric, rows[0].result)
    });
    let columns = sort_order(values).into_iter().fold(columns, |columns, value| {
        let note = if value == 0 { format!(" ({baseline})") } else { String::new() };
        columns.integer("", format!("{}{note}", values[value]), "", move |rows| {
            let row = rows.iter().find(|row| row.variant + 1 == value);
            let estimate = row.map_or(rows[0].estimates[0], |row| row.estimates[1]);
            let mark = row.and_then(|row| row.verdict).map_or("", DifferenceVerdict::mark);
            if estimate.value.is_nan() {
                return "-".to_owned();
            }
            let mean = metric_unit(rows[0].metric.metric).format_value(estimate);
            format!("{mean}{mark:<2}")
        })
    });
    columns.table("", rows.chunk_by(|one, other| one.metric == other.metric)).view().text()
}
