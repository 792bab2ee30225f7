//! The terminal text of `compare` and `sweep`, at most 80 columns wide.

use std::fmt::Write as _;

use super::{
    analysis::{ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow, Family},
    tables::sort_order,
    verdict::DifferenceVerdict,
};
use crate::{
    arena::comparison::ComparisonTally,
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        study_page::{difference_value, mean_value, metric_unit},
        text::{TEXT_WIDTH, paragraph, truncate},
    },
    run::lineups::SIGN_FLIP_MARK,
    stats::{flags::Flag, ratio::Estimate},
};

/// Maximum number of differences of an item table.
const MAX_SHOWN: usize = 10;
/// Maximum number of values of a sweep that are shown side by side.
const MAX_VALUES: usize = 5;
/// Maximum width of a lineup or item.
const NAME_WIDTH: usize = 60;

/// Describes the rows of differences.
fn schema(layout: &ComparisonLayout) -> Schema {
    let [baseline, variant] = layout.side_titles();
    let estimate = |title, unit| Column::estimate(title, title, unit, "");
    Schema::new("", "")
        .column(Column::text("metric", "metric", ""))
        .column(estimate(baseline, Unit::Decimals(2)))
        .column(estimate(variant, Unit::Decimals(2)))
        .column(estimate("difference", Unit::Signed(2)))
        .column(Column::text("mark", "", ""))
}

impl DataComparison<'_> {
    /// Returns the answer in sentences and the differences for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(edits) = self.edits_sentence() {
            write_sentence(&mut text, &edits);
        }
        text += &self.agreement().text();
        for (lineup, result) in self.results.iter().enumerate() {
            let ComparisonTally { blocks, games, .. } = result.tally;
            let name = truncate(&result.lineup, NAME_WIDTH);
            let _ = writeln!(
                text,
                "\nlineup: {name}\n{games} games in {blocks} blocks under each data file\n"
            );
            for sentence in self.answer(result).into_iter().chain(self.notes(result)) {
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
            "\n[95 % CI]; * significant (Holm, 5 %); = smaller than a change that matters\n\
             ({}); {SIGN_FLIP_MARK} with opposite signs for two bots\n",
            self.margins.text()
        )
    }

    /// Returns rows with all values of a key side by side, or with one difference in a line.
    fn rows_text(&self, rows: &[&DifferenceRow<'_>]) -> String {
        match self.layout {
            ComparisonLayout::ByValue { values, .. } if values.len() <= MAX_VALUES => {
                values_text(rows, values)
            }
            _ => self.differences_text(rows),
        }
    }

    fn differences_text(&self, rows: &[&DifferenceRow<'_>]) -> String {
        let mut table = DataTable::new(schema(self.layout), "");
        for row in rows {
            let metric = row.metric.metric;
            let point = |Estimate { n, value, .. }: Estimate| {
                let estimate = Estimate { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY };
                mean_value(estimate, metric)
            };
            let [baseline, variant] = row.estimates.map(point);
            let mark = match (row.flag, row.verdict) {
                (Some(Flag::Flips), _) => SIGN_FLIP_MARK.to_string(),
                (_, Some(verdict)) => verdict.mark().to_owned(),
                (Some(Flag::Significant), None) => DifferenceVerdict::Differs.mark().to_owned(),
                _ => String::new(),
            };
            let difference = difference_value(row.difference.effect.estimate(), metric);
            table.push([
                self.metric_and_value(row).into(),
                baseline,
                variant,
                difference,
                mark.into(),
            ]);
        }
        table.view().text()
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
fn values_text(rows: &[&DifferenceRow<'_>], values: &[String]) -> String {
    let order = sort_order(values);
    let headings = order.iter().map(|&value| {
        let file = if value == 0 { " (file)" } else { "" };
        Column::number("", format!("{}{file}", values[value]), 2, "")
    });
    let schema = Schema::new("", "").column(Column::text("", "metric", "")).columns(headings);
    let mut table = DataTable::new(schema, "");
    for rows in rows.chunk_by(|one, other| one.metric == other.metric) {
        let Some(first) = rows.first() else { continue };
        let cells = order.iter().map(|&value| {
            let row = rows.iter().find(|row| row.variant + 1 == value);
            let estimate = row.map_or(first.estimates[0], |row| row.estimates[1]);
            let mark = row.and_then(|row| row.verdict).map_or("", DifferenceVerdict::mark);
            if estimate.value.is_nan() {
                return Value::from("-");
            }
            Value::from(format!(
                "{}{mark:<2}",
                metric_unit(first.metric.metric).format_value(estimate)
            ))
        });
        let title = super::analysis::metric_title(first.metric, first.result);
        table.push(std::iter::once(title.into()).chain(cells));
    }
    table.view().text()
}
