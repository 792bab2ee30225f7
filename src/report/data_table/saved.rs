//! Data tables that are read back from CSV by their schema.

use ::csv::{ReaderBuilder, StringRecord};

use super::{Column, ColumnKind, DataTable, Field, LABEL, PROVENANCE, Schema, Value, ValuePart};
use crate::{report::csv_format::plain_csv, stats::ratio::Estimate};

/// Columns of text that describe a row and do not name it.
const NOT_NAMES: [&str; 4] = ["properties", "<property>", LABEL, PROVENANCE];

/// Columns with the number of observations of all estimates of a row, the first that is present.
const SHARED_N: [&str; 4] = ["n", "games", "forks", "blocks"];

/// The positions of the parts of a column in CSV.
struct SavedColumn {
    value: usize,
    n: Option<usize>,
    low: Option<usize>,
    high: Option<usize>,
    /// Position of the label of an item.
    label: Option<usize>,
}

impl Schema {
    /// Returns the name of the table.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the table has a column of this key.
    #[cfg(test)]
    pub(crate) fn has_column(&self, key: &str) -> bool {
        self.columns.iter().any(|column| column.key == key)
    }

    /// Returns the number of columns of a CSV file that are columns of this schema.
    pub(crate) fn known_columns(&self, csv: &[u8]) -> usize {
        let plain = plain_csv(csv);
        let mut reader = ReaderBuilder::new().from_reader(&*plain);
        let header = reader.headers().cloned().unwrap_or_default();
        header.iter().filter(|key| self.field(key).is_some()).count()
    }

    /// Reads a table of this schema, with the columns that the file has. `name` is the file name
    /// without `.csv`. Each estimate has its number of observations. Returns `None` if the file is
    /// not a table of the schema.
    pub(crate) fn read_csv(&self, name: &str, bytes: &[u8]) -> Option<DataTable> {
        let plain = plain_csv(bytes);
        let mut reader = ReaderBuilder::new().from_reader(&*plain);
        let header = reader.headers().ok()?.clone();
        let records = reader.records().collect::<Result<Vec<_>, _>>().ok()?;
        let find = |wanted: &Field| {
            header
                .iter()
                .position(|key| self.field(key).is_some_and(|field| field.key == wanted.key))
        };
        let position = |key: &&str| header.iter().position(|name| name == *key);
        let shared_n = SHARED_N.iter().find_map(position);
        let mut schema = Self::new(name.to_owned(), self.title.clone());
        let mut saved = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            let part = |part: ValuePart| {
                let mut fields = self.fields.iter();
                fields.find(|field| field.column == index && field.part == part).and_then(find)
            };
            // The name of an item is the first column.
            let is_item = index == 0 && column.key == "<item>";
            let Some(value) = part(ValuePart::Value).or(is_item.then_some(0)) else { continue };
            let (before, after) = column.key.split_once('<').unwrap_or((&column.key, ""));
            let after = after.split_once('>').map_or("", |(_, after)| after);
            let word = header[value].strip_prefix(before).and_then(|key| key.strip_suffix(after));
            let mut column = column.clone();
            column.title = replace_placeholder(&column.title, word.unwrap_or_default());
            let n = part(ValuePart::N).or(shared_n);
            if column.kind == ColumnKind::Estimate && n.is_some() {
                column.n = Some((format!("{}_n", column.key), "n").into());
                column.is_n_after_value = true;
            }
            let names_item = ["<item>", "item", "name"].contains(&column.key.as_str());
            saved.push(SavedColumn {
                value,
                n,
                low: part(ValuePart::Low),
                high: part(ValuePart::High),
                label: position(&LABEL).filter(|_| names_item),
            });
            schema = schema.column(column);
        }
        let has_estimate =
            |schema: &Self| schema.columns.iter().any(|column| column.kind == ColumnKind::Estimate);
        let row = |record: &StringRecord| {
            let columns = schema.columns.iter().zip(&saved);
            columns.map(|(column, saved)| saved.read(column, record)).collect()
        };
        let rows = records.iter().map(row).collect();
        (has_estimate(&schema) || !has_estimate(self)).then(|| DataTable::new(schema, rows))
    }

    /// Returns the field of a key of CSV: the one with this key, else one whose placeholder stands
    /// for a part of it.
    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        // The longest end is the most specific one: `_ci_low` before none.
        let match_length = |field: &Field| {
            let (before, rest) = field.key.split_once('<')?;
            let (_, after) = rest.split_once('>')?;
            let is_bare = before.is_empty() && after.is_empty();
            let is_match = key.strip_prefix(before).is_some_and(|key| key.ends_with(after));
            (is_match && !is_bare).then_some(after.len())
        };
        let exact = self.fields.iter().find(|field| field.key == key);
        exact.or_else(|| {
            let matching =
                self.fields.iter().filter_map(|field| Some((match_length(field)?, field)));
            matching.max_by_key(|(length, _)| *length).map(|(_, field)| field)
        })
    }

    /// Returns the indices of the columns that name a row.
    pub(super) fn name_columns(&self) -> Vec<usize> {
        let is_estimate = |column: &Column| column.kind == ColumnKind::Estimate;
        let end = self.columns.iter().position(is_estimate).unwrap_or(self.columns.len());
        let is_name = |&index: &usize| {
            let column = &self.columns[index];
            let is_text =
                matches!(column.kind, ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_));
            (is_text || column.is_counted_from_1) && !NOT_NAMES.contains(&column.key.as_str())
        };
        (0..end).filter(is_name).collect()
    }
}

impl SavedColumn {
    /// Reads the value of a row.
    fn read(&self, column: &Column, record: &StringRecord) -> Value {
        let text = |position: Option<usize>| record.get(position?).filter(|text| !text.is_empty());
        let number = |position: Option<usize>| text(position)?.parse::<f64>().ok();
        let Some(value) = text(Some(self.value)) else { return Value::Missing };
        match column.kind {
            ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_) => match text(self.label) {
                Some(label) => Value::Item(value.to_owned(), label.to_owned()),
                None => value.into(),
            },
            ColumnKind::Integer => value.parse::<i64>().ok().into(),
            ColumnKind::Number => Value::Number(value.parse().unwrap_or(f64::NAN)),
            ColumnKind::PValue => Value::P(value.parse().unwrap_or(f64::NAN)),
            ColumnKind::Estimate => {
                let n = text(self.n).and_then(|n| n.parse().ok()).unwrap_or(0);
                let low = number(self.low).unwrap_or(f64::NEG_INFINITY);
                let high = number(self.high).unwrap_or(f64::INFINITY);
                let value = value.parse().unwrap_or(f64::NAN);
                Value::Estimate(Estimate { n, value, low, high })
            }
        }
    }
}

/// Replaces the placeholder of a title by a word.
fn replace_placeholder(title: &str, word: &str) -> String {
    let Some((before, rest)) = title.split_once('<') else { return title.to_owned() };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    format!("{before}{word}{after}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
#[allow(clippy::float_cmp, reason = "numbers that are written exactly")]
mod tests {
    use super::{super::Columns, *};
    use crate::report::html::Unit;

    #[test]
    fn written_tables_are_read_back() {
        let columns = |item: &str, taken: &str| {
            let key = |end: &str| format!("{taken}{end}");
            let estimate = |n, value, low, high| Estimate { n, value, low, high };
            let name = Value::Item("a".to_owned(), "A thing".to_owned());
            let property = if item == "<item>" { "<property>" } else { "size" };
            Columns::new("things", "One row for each thing.")
                .text(item, "Name.", move |()| name.clone())
                .text_or_number((property, ""), "", |()| "big")
                .integer("offered", "", |()| 9_i64)
                .integer(taken, "", |()| 3_i64)
                .estimate((key("_per_offer"), key(" per offer")), Unit::Percent, "", move |()| {
                    estimate(9, 0.125, 0.0, 0.25)
                })
                .estimate("with", Unit::Percent, "", move |()| estimate(7, 0.5, 0.25, 0.75))
                .n(("with_n", "n"))
                .provenance()
                .label()
        };
        let schema = |item: &str, taken: &str| columns(item, taken).schema();
        let table = columns("thing", "built").table("stated", [()]);
        let read = schema("<item>", "<taken>").read_csv("things", &table.csv()).unwrap();
        assert_eq!((read.schema.name_columns(), read.text(0, "<item>")), (vec![0], "a".to_owned()));
        assert_eq!(read.rows[0][0], Value::Item("a".to_owned(), "A thing".to_owned()));
        let title = |key| &read.schema.columns[read.position(key).unwrap()].title;
        assert_eq!(title("<taken>_per_offer"), "built per offer");
        let Estimate { value, low, high, .. } = read.estimate(0, "<taken>_per_offer").unwrap();
        assert_eq!([value, low, high], [0.125, 0.0, 0.25]);
        let with = read.estimate(0, "with").unwrap();
        assert_eq!((with.n, with.value), (7, 0.5));
        assert!(schema("thing", "built").read_csv("things", b"other\n1\n").is_none());
    }
}
