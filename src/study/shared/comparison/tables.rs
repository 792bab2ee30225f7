//! The tables of `compare` and `sweep`.

use super::{
    analysis::{ComparisonLayout, DataComparison, DifferenceRow, Family, metric_subject},
    verdict::DifferenceVerdict,
};
use crate::{
    report::{
        data_table::{Column, DataTable, Schema, Value},
        provenance::Claim,
        study_page::{difference_column, difference_value, mean_column, mean_value},
    },
    stats::flags::{Flag, TestedEffect},
};

/// Values of the column `flag`.
const FLAGS: [&str; 7] = [
    Flag::Significant.as_str(),
    Flag::Flips.as_str(),
    Flag::Constant.as_str(),
    Flag::Blind.as_str(),
    Flag::Complement.as_str(),
    Flag::Removed.as_str(),
    Flag::Added.as_str(),
];

/// Describes the table of the game's metrics, or that of an item table with this name and singular.
pub fn schema(layout: &ComparisonLayout, items: Option<(&str, &str)>) -> Schema {
    let (game, title) = match layout {
        ComparisonLayout::SideBySide => {
            ("differences", "Difference of a metric between the baseline and the variant.")
        }
        ComparisonLayout::ByValue { .. } => {
            ("sweep", "Metric at a value of the key; the baseline is the value of the data file.")
        }
    };
    let mut schema = Schema::new(items.map_or(game, |(name, _)| name), title);
    if let Some((_, singular)) = items {
        schema = schema.column(Column::text(singular, singular, "Item."));
    }
    if let ComparisonLayout::ByValue { .. } = layout {
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
        ComparisonLayout::SideBySide => schema.columns(side_columns()),
        ComparisonLayout::ByValue { .. } => schema
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
             lineups. `constant`: the difference does not vary between blocks. `blind`: the bots \
             never used the edit. `complement`: the opposite of another row, not tested again. \
             `removed`, `added`: only the baseline or only the variant has the item.",
        ))
        .provenance();
    let schema = if items.is_some() { schema.label() } else { schema };
    schema.column(Column::word(
        "verdict",
        "verdict",
        &DifferenceVerdict::NAMES,
        "`matters`: significant, and the interval is beyond the smallest change that matters \
         (`--matters`). `differs`: significant, and it may be smaller, or the metric has no such \
         limit. `too_small`: significant, and the interval is within the limit. `equal`: not \
         significant, and within the limit. `open`: not significant, and a change beyond the limit \
         is possible.",
    ))
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

impl ComparisonLayout {
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
        let p = if self.is_complement { f64::NAN } else { effect.p_value() };
        [difference, Value::P(p), Value::P(p_holm)]
    }

    /// Returns the values of the columns `flag` and `verdict`.
    fn judgement(&self) -> [Value; 2] {
        [self.flag.map(Flag::as_str).into(), self.verdict.map(DifferenceVerdict::as_str).into()]
    }
}

impl DataComparison<'_> {
    /// Returns the tables: metrics of the game, then those of each item table.
    pub fn tables(&self, provenance: &Claim) -> Vec<DataTable> {
        self.families.iter().map(|family| self.table(family, provenance)).collect()
    }

    fn table(&self, family: &Family<'_>, provenance: &Claim) -> DataTable {
        let items = family.items.map(|table| (table.name, table.singular));
        let mut table = DataTable::new(schema(self.layout, items), provenance);
        match self.layout {
            ComparisonLayout::SideBySide => {
                for row in &family.rows {
                    let values = self.names(row, None).into_iter().chain(row.side_values());
                    table.push(values.chain(row.test_values()).chain(row.judgement()));
                }
            }
            ComparisonLayout::ByValue { values, .. } => {
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
            values.extend([const { Value::Missing }; 5]);
        } else {
            values.extend(row.test_values());
            values.extend(row.judgement());
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
