//! The tables of `compare` and `sweep`, and their terminal text.

use std::fmt::Write;

use super::analysis::{
    Comparison, ComparisonResult, DifferenceRow, Family, Layout, metric_subject,
};
use crate::{
    arena::comparison::ComparisonTally,
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
        study_page::{difference_column, difference_value, mean_column, mean_value},
        text::truncate,
    },
    run::lineups::SIGN_FLIP_MARK,
    stats::{
        flags::{Flag, TestedEffect},
        ratio::Estimate,
    },
};

/// Maximum number of items in terminal text.
const MAX_SHOWN: usize = 10;
/// Maximum width of a lineup or item in terminal text.
const NAME_WIDTH: usize = 60;
/// Values of the column `flag`.
const FLAGS: [&str; 5] = [
    Flag::Significant.as_str(),
    Flag::Flips.as_str(),
    Flag::Constant.as_str(),
    Flag::Removed.as_str(),
    Flag::Added.as_str(),
];

/// Describes the table of the game's metrics, or that of an item table with this name and singular.
pub fn schema(layout: &Layout, items: Option<(&str, &str)>) -> Schema {
    let (game, title) = match layout {
        Layout::SideBySide => {
            ("differences", "Difference of a metric between the baseline and the variant.")
        }
        Layout::ByValue { .. } => {
            ("sweep", "Metric at a value of the key; the baseline is the value of the data file.")
        }
    };
    let mut schema = Schema::new(items.map_or(game, |(name, _)| name), title);
    if let Some((_, singular)) = items {
        schema = schema.column(Column::text(singular, singular, "Item."));
    }
    if let Layout::ByValue { .. } = layout {
        schema = schema.column(Column::label("value", "value", "Value of the key."));
    }
    schema = schema
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::text("metric", "metric", "Metric whose mean is compared."));
    if items.is_none() {
        let description = "Seat, turn position or bot of the metric; empty for the whole game.";
        schema = schema.column(Column::text("of", "of", description));
    }
    schema = match layout {
        Layout::SideBySide => schema.columns(side_columns()),
        Layout::ByValue { .. } => schema
            .column(mean_column("estimate", "mean", "Mean at the value.").n("n", "n").ci("ci")),
    };
    let schema = schema
        .columns(test_columns(
            "`p` adjusted by Holm's method for all rows of the table with the same lineup.",
        ))
        .column(Column::word(
            "flag",
            "flag",
            &FLAGS,
            "`significant`: `p_holm` < 0.05. `flips`: significant with opposite signs for two \
             lineups. `constant`: the difference does not vary between blocks. `removed`, `added`: \
             only the baseline or only the variant has the item.",
        ))
        .provenance();
    if items.is_some() { schema.label() } else { schema }
}

/// Describes the means under the baseline and the variant.
pub(crate) fn side_columns() -> [Column; 2] {
    [("baseline", "Mean in the baseline."), ("variant", "Mean in the variant.")].map(
        |(side, description)| {
            mean_column(side, side, description).n(format!("{side}_n"), format!("n {side}"))
        },
    )
}

/// Describes the values of [`DifferenceRow::test_values`]. `family` describes the family of tests.
pub(crate) fn test_columns(family: &str) -> [Column; 3] {
    let description = "Variant minus baseline, paired within blocks.";
    [
        difference_column("difference", "difference", description).n("difference_n", "n"),
        Column::p_value("p", "p", "Test of no difference."),
        Column::p_value("p_holm", "p (Holm)", family),
    ]
}

/// Describes the rows of the terminal text.
fn text_schema(layout: &Layout) -> Schema {
    let [baseline, variant] = layout.side_titles();
    let estimate = |title, unit| Column::estimate(title, title, unit, "");
    Schema::new("", "")
        .column(Column::text("metric", "metric", ""))
        .column(estimate(baseline, Unit::Decimals(2)))
        .column(estimate(variant, Unit::Decimals(2)))
        .column(estimate("difference", Unit::Signed(2)))
        .column(Column::text("mark", "", ""))
}

impl Layout {
    /// Returns the titles of the compared means.
    pub(crate) const fn side_titles(&self) -> [&'static str; 2] {
        match self {
            Self::SideBySide => ["baseline", "variant"],
            Self::ByValue { .. } => ["file", "value"],
        }
    }
}

impl DifferenceRow<'_> {
    /// Returns the values of [`side_columns`].
    pub(crate) fn side_values(&self) -> [Value; 2] {
        self.estimates.map(|estimate| mean_value(estimate, self.metric.metric))
    }

    /// Returns the values of [`test_columns`].
    pub(crate) fn test_values(&self) -> [Value; 3] {
        let TestedEffect { effect, p_holm, .. } = self.difference;
        let difference = difference_value(effect.estimate(), self.metric.metric);
        [difference, Value::P(effect.p_value()), Value::P(p_holm)]
    }
}

impl Comparison<'_> {
    /// Returns the tables: metrics of the game, then those of each item table.
    pub fn tables(&self, provenance: &Claim) -> Vec<DataTable> {
        self.families.iter().map(|family| self.table(family, provenance)).collect()
    }

    fn table(&self, family: &Family<'_>, provenance: &Claim) -> DataTable {
        let items = family.items.map(|table| (table.name, table.singular));
        let mut table = DataTable::new(schema(self.layout, items), provenance);
        match self.layout {
            Layout::SideBySide => {
                for row in &family.rows {
                    let values = self.names(row, None).into_iter().chain(row.side_values());
                    let flag = row.flag.map(Flag::as_str).into();
                    table.push(values.chain(row.test_values()).chain([flag]));
                }
            }
            Layout::ByValue { values, .. } => {
                let order = sort_order(values);
                for rows in self.results.iter().map(|result| family.rows_of(result)) {
                    // A metric at all values in a row reads as a curve.
                    for rows in rows.chunks(values.len() - 1) {
                        for &value in &order {
                            table.push(self.value_row(rows, value, &values[value]));
                        }
                    }
                }
            }
        }
        table
    }

    /// Returns the row of a value of a sweep, given the differences at all values but the first.
    fn value_row(&self, rows: &[&DifferenceRow<'_>], index: usize, value: &str) -> Vec<Value> {
        let row = rows[index.saturating_sub(1)];
        let mut values = self.names(row, Some(value));
        values.push(mean_value(row.estimates[index.min(1)], row.metric.metric));
        if index == 0 {
            values.extend([const { Value::Missing }; 4]);
        } else {
            values.extend(row.test_values());
            values.push(row.flag.map(Flag::as_str).into());
        }
        values
    }

    fn names(&self, row: &DifferenceRow<'_>, value: Option<&str>) -> Vec<Value> {
        let item = self.item(row).map(Value::from);
        let value = value.map(Value::from);
        let of = item.is_none().then(|| metric_subject(row.metric, row.result).into());
        let names = [Value::from(&row.result.lineup), row.metric.metric.as_str().into()];
        item.into_iter().chain(value).chain(names).chain(of).collect()
    }

    /// Returns the differences for the terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for result in self.results {
            let ComparisonTally { blocks, games, .. } = result.tally;
            let lineup = truncate(&result.lineup, NAME_WIDTH);
            let _ = writeln!(
                text,
                "\nlineup: {lineup}\n{games} games in {blocks} blocks under each data file\n"
            );
            for family in &self.families {
                if family.items.is_none() {
                    text += &self.text_rows(&family.rows_of(result));
                } else {
                    self.write_items(&mut text, family, result);
                }
            }
        }
        text + &format!(
            "\n[95 % CI]; * significant (Holm, 5 %); {SIGN_FLIP_MARK} with opposite signs for two \
             bots\n"
        )
    }

    fn text_rows(&self, rows: &[&DifferenceRow<'_>]) -> String {
        let mut table = DataTable::new(text_schema(self.layout), "");
        for row in rows {
            let metric = row.metric.metric;
            let point = |Estimate { n, value, .. }: Estimate| {
                let estimate = Estimate { n, value, low: f64::NEG_INFINITY, high: f64::INFINITY };
                mean_value(estimate, metric)
            };
            let [baseline, variant] = row.estimates.map(point);
            let mark = match row.flag {
                Some(Flag::Flips) => SIGN_FLIP_MARK.to_string(),
                Some(Flag::Significant) => "*".to_owned(),
                _ => String::new(),
            };
            let difference = difference_value(row.difference.effect.estimate(), metric);
            let name = self.item(row).map(|item| format!("{}: ", item.name)).unwrap_or_default();
            let name = name + &self.metric_and_value(row);
            table.push([name.into(), baseline, variant, difference, mark.into()]);
        }
        table.view().text()
    }

    /// Writes the items of a table with the smallest p-values.
    fn write_items(&self, text: &mut String, family: &Family<'_>, result: &ComparisonResult) {
        let rows = family.rows_of(result);
        let mut significant: Vec<_> =
            rows.iter().copied().filter(|row| row.difference.is_significant()).collect();
        let tested = rows.iter().filter(|row| !row.difference.p_holm.is_nan()).count();
        let title = family.title();
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
        if !significant.is_empty() {
            *text += &self.text_rows(&significant[..significant.len().min(MAX_SHOWN)]);
        }
        if significant.len() > MAX_SHOWN {
            let _ = writeln!(text, "and {} more", significant.len() - MAX_SHOWN);
        }
    }
}

/// Returns the indices of values in the order of the tables: numbers by size, others as given.
fn sort_order(values: &[String]) -> Vec<usize> {
    let number = |value: &String| value.parse().ok().filter(|number: &f64| number.is_finite());
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    if let Some(numbers) = numbers {
        order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    }
    order
}
