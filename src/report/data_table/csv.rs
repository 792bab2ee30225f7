//! Data tables as CSV and JSON.

use serde::ser::{Serialize, Serializer};

use super::{ColumnKind, DataTable, Field, Schema, Value, ValuePart, csv_decimals};
use crate::{report::csv_format::CsvFormat, stats::ratio::Estimate};

impl Schema {
    /// Returns the beginning of the CSV file with its header line.
    pub(crate) fn csv_header(&self, format: CsvFormat) -> Vec<u8> {
        format.file([self.fields.iter().map(|field| field.key.clone()).collect()])
    }

    /// Returns the types of the columns of the CSV file in their order: `text`, `integer` or
    /// `number`, separated by commas.
    pub(crate) fn column_types(&self) -> String {
        let kind = |field: &Field| match (field.part, self.columns[field.column].kind) {
            (ValuePart::N, _) | (ValuePart::Value, ColumnKind::Integer) => "integer",
            (_, ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_)) => "text",
            _ => "number",
        };
        self.fields.iter().map(kind).collect::<Vec<_>>().join(",")
    }
}

impl DataTable {
    /// Returns the CSV file in the plain format.
    pub fn csv(&self) -> Vec<u8> {
        self.csv_in(CsvFormat::Plain)
    }

    /// Returns the CSV file.
    pub(crate) fn csv_in(&self, format: CsvFormat) -> Vec<u8> {
        [self.schema.csv_header(format), self.csv_rows(format)].concat()
    }

    /// Returns the lines of the CSV file after its header.
    pub(crate) fn csv_rows(&self, format: CsvFormat) -> Vec<u8> {
        format.lines(self.csv_texts(format))
    }

    fn csv_texts(&self, format: CsvFormat) -> Vec<Vec<String>> {
        let text = |field: &Field, row: &[Value]| {
            let text = self.csv_text(field, row);
            let is_text = matches!(row[field.column], Value::Text(_) | Value::Item(..));
            if is_text { text } else { format.number(text) }
        };
        let row = |row: &Vec<Value>| self.schema.fields.iter().map(|f| text(f, row)).collect();
        self.rows.iter().map(row).collect()
    }

    fn csv_text(&self, field: &Field, row: &[Value]) -> String {
        let (column, value) = (&self.schema.columns[field.column], &row[field.column]);
        if let Some((Estimate { n, value, low, high }, unit)) = value.estimate(column) {
            let decimals = if unit == column.unit {
                column.decimals
            } else {
                column.decimals.max(csv_decimals(unit))
            };
            return match field.part {
                ValuePart::N => n.to_string(),
                _ if value.is_nan() => String::new(),
                ValuePart::Value => format_number(value, decimals),
                ValuePart::Low => format_number(low, decimals),
                ValuePart::High => format_number(high, decimals),
            };
        }
        match (value, field.part) {
            (Value::Text(text) | Value::Item(text, _), ValuePart::Value) => text.clone(),
            (Value::Integer(value), ValuePart::Value) => value.to_string(),
            (&Value::P(p), ValuePart::Value) => format_p_value(p),
            _ => String::new(),
        }
    }

    fn json_value(&self, field: &Field, row: &[Value]) -> serde_json::Value {
        let text = self.csv_text(field, row);
        if let Value::Text(_) | Value::Item(..) = row[field.column] {
            return text.into();
        }
        // The numbers are those of the CSV file, with as many digits.
        text.parse::<i64>()
            .map(serde_json::Value::from)
            .or_else(|_| text.parse::<f64>().map(serde_json::Value::from))
            .unwrap_or_default()
    }
}

/// A table as JSON is a list of objects with the keys of the CSV file.
impl Serialize for DataTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows.iter().map(|row| JsonRow { table: self, row }))
    }
}

struct JsonRow<'a> {
    table: &'a DataTable,
    row: &'a [Value],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.table.schema.fields.iter();
        serializer
            .collect_map(fields.map(|field| (&field.key, self.table.json_value(field, self.row))))
    }
}

/// Returns tables as one JSON object with a list of rows for each table, on one line.
pub(crate) fn tables_json(tables: &[DataTable]) -> String {
    let entry = |table: &DataTable| {
        let [name, rows] =
            [serde_json::to_string(&table.schema.name), serde_json::to_string(table)]
                // All keys are text, which is all that JSON demands.
                .map(Result::unwrap_or_default);
        format!("{name}:{rows}")
    };
    format!("{{{}}}\n", tables.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// Formats a number for CSV: empty if it is not finite.
fn format_number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { String::new() }
}

/// Formats a p-value for CSV with four significant digits, as in `2.171e-10`; empty without a test.
fn format_p_value(p: f64) -> String {
    let rounded = format!("{p:.3e}").parse().unwrap_or(p);
    if p.is_nan() { String::new() } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::format_p_value;

    #[test]
    fn p_values_keep_four_significant_digits() {
        let p_values =
            [(2.170_9e-10, "2.171e-10"), (0.05, "5e-2"), (0.123_456, "1.235e-1"), (1.0, "1e0")];
        for (p, expected) in p_values {
            assert_eq!(format_p_value(p), expected);
        }
        assert_eq!(format_p_value(f64::NAN), "");
    }
}
