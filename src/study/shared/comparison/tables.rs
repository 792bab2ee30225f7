//! The tables of `compare` and `sweep`.

use super::analysis::{ComparisonLayout, DataComparison, DifferenceRow, Family, metric_subject};
use crate::study::shared::prelude::*;

/// Values of the column `flag`.
const FLAGS: [&str; 6] = [
    Flag::Significant.name(),
    Flag::Flips.name(),
    Flag::Constant.name(),
    Flag::Complement.name(),
    Flag::Removed.name(),
    Flag::Added.name(),
];

/// A difference of an analysis. In a sweep, also the index of the value; the first one is that of
/// the data file, without a difference.
type ComparedRow<'a> = (&'a DataComparison<'a>, &'a DifferenceRow<'a>, Option<usize>);

/// Returns the columns of the table of the game's metrics, or of that of an item table with this
/// name and singular.
pub(crate) fn columns<'a>(
    layout: &ComparisonLayout,
    items: Option<(&str, &str)>,
) -> Columns<ComparedRow<'a>> {
    let flag = "`significant`: `p_holm` < 0.05. `flips`: significant with opposite signs for two \
                lineups. `constant`: the difference does not vary between blocks. `complement`: \
                the opposite of another row, not tested again. `removed`, `added`: only the \
                baseline or only the variant has the item.";
    let (game, title) = match layout {
        ComparisonLayout::SideBySide => {
            ("differences", "Difference of a metric between the baseline and the variant.")
        }
        ComparisonLayout::ByValue { key: Some(_), .. } => {
            ("sweep", "Metric at a value of the key; the baseline is the value of the data file.")
        }
        ComparisonLayout::ByValue { key: None, .. } => {
            ("files", "Metric with one of several data files; the first is the baseline.")
        }
    };
    let (value, of_value) = match layout {
        ComparisonLayout::ByValue { key: None, .. } => ("file", "Data file."),
        _ => ("value", "Value of the key."),
    };
    let is_sweep = matches!(layout, ComparisonLayout::ByValue { .. });
    let (name, singular) = items.unwrap_or((game, ""));
    let of = "Seat, turn position or bot of the metric; empty for the whole game.";
    let columns = Columns::<ComparedRow<'_>>::new(name, title)
        .text(singular, "Item.", |(all, row, _)| all.item(row))
        .only_if(items.is_some())
        .text_or_number(value, of_value, |(all, _, value)| all.layout.values().get((*value)?))
        .only_if(is_sweep)
        .text("lineup", "Bots in the seats.", |(_, row, _)| &row.result.lineup)
        .text("metric", "Metric whose mean is compared.", |(_, row, _)| row.metric.metric.name())
        .text("of", of, |(_, row, _)| metric_subject(row.metric, row.result))
        .only_if(items.is_none());
    let columns = if is_sweep {
        let mean = |(_, row, value): &ComparedRow<'_>| {
            let side = usize::from(*value != Some(0));
            (row.estimates[side], row.metric.metric)
        };
        columns.mean(("estimate", "mean"), "Mean at the value.", mean).n("n").ci("ci")
    } else {
        with_sides(columns, |(_, row, _)| row)
    };
    let family = "`p` adjusted by Holm's method for all rows of all tables with the same lineup: \
                  one family of the differences that the answer states, one of all others.";
    with_tests(columns, family, compared)
        .word("flag", &FLAGS, flag, |row| compared(row).and_then(|row| row.flag).map(Flag::name))
        .provenance()
        .label()
        .only_if(items.is_some())
}

/// Returns the difference of a row; none at the value of the data file.
fn compared<'a, 'b>((_, row, value): &'b ComparedRow<'a>) -> Option<&'b DifferenceRow<'a>> {
    (*value != Some(0)).then_some(*row)
}

/// Adds the means under the baseline and the variant.
pub(crate) fn with_sides<'a, R>(
    columns: Columns<R>,
    row: impl Fn(&R) -> &DifferenceRow<'a> + Copy + 'static,
) -> Columns<R> {
    let sides = [("baseline", "Mean in the baseline."), ("variant", "Mean in the variant.")];
    sides.into_iter().enumerate().fold(columns, |columns, (index, (side, description))| {
        let mean = move |of: &R| (row(of).estimates[index], row(of).metric.metric);
        columns.mean(side, description, mean).n((format!("{side}_n"), format!("n {side}")))
    })
}

/// Adds the difference of a row, if it has one, and its tests. `family` describes the family of
/// tests.
pub(crate) fn with_tests<'a, R>(
    columns: Columns<R>,
    family: &str,
    row: impl Fn(&R) -> Option<&DifferenceRow<'a>> + Copy + 'static,
) -> Columns<R> {
    columns
        .difference("difference", "Variant minus baseline, paired within blocks.", move |of| {
            row(of).map(|row| (row.difference.effect.estimate(), row.metric.metric))
        })
        .n(("difference_n", "n"))
        .p_value("p", "Test of no difference.", move |of| {
            let row = row(of).filter(|row| !row.is_complement);
            row.map(|row| row.difference.effect.p_value())
        })
        .p_value(("p_holm", "p (Holm)"), family, move |of| row(of).map(|row| row.difference.p_holm))
}

impl ComparisonLayout {
    /// Returns the values of a sweep.
    fn values(&self) -> &[String] {
        match self {
            Self::SideBySide => &[],
            Self::ByValue { values, .. } => values,
        }
    }

    /// Returns the word before a value of the key or the name of a file.
    pub(crate) const fn preposition(&self) -> &'static str {
        match self {
            Self::ByValue { key: Some(_), .. } => "at",
            _ => "with",
        }
    }

    /// Returns the titles of the compared means.
    pub(crate) const fn side_titles(&self) -> [&'static str; 2] {
        match self {
            Self::ByValue { key: Some(_), .. } => ["file", "value"],
            _ => ["baseline", "variant"],
        }
    }
}

impl DataComparison<'_> {
    /// Returns the tables: metrics of the game, then those of each item table.
    pub fn tables(&self, provenance: &Claim) -> Vec<DataTable> {
        self.families.iter().map(|family| self.table(family, provenance)).collect()
    }

    fn table(&self, family: &Family<'_>, provenance: &Claim) -> DataTable {
        let columns = columns(self.layout, family.items.map(|table| (table.name, table.singular)));
        let ComparisonLayout::ByValue { values, .. } = self.layout else {
            return columns.table(provenance, family.rows.iter().map(|row| (self, row, None)));
        };
        let order = &sort_order(values);
        let rows = self.results.iter().flat_map(|result| {
            // A metric at all values in a row reads as a curve.
            let rows = family.rows_of(result);
            let curves = rows.chunks(values.len() - 1).map(<[_]>::to_vec).collect::<Vec<_>>();
            curves.into_iter().flat_map(move |curve| {
                order.iter().map(move |&value| (self, curve[value.saturating_sub(1)], Some(value)))
            })
        });
        columns.table(provenance, rows)
    }
}

/// Returns the indices of values in the order of the tables: numbers by size, others as given.
pub(super) fn sort_order(values: &[String]) -> Vec<usize> {
    let number = |value: &String| value.parse().ok().filter(|number: &f64| number.is_finite());
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    if let Some(numbers) = numbers {
        order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    }
    order
}
