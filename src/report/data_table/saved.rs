//! Data tables that are read back from CSV by their schema.

use ::csv::{ReaderBuilder, StringRecord};

use super::{ColumnKind, Field, LABEL, PROVENANCE, Schema, ValuePart};
use crate::{
    report::{csv_format::plain_csv, html::Unit},
    stats::ratio::Estimate,
};

/// A table of a run, read from its CSV file.
#[derive(Clone, Debug)]
pub(crate) struct SavedTable {
    /// The file name without `.csv`.
    pub(crate) name: String,
    /// True for a table of items.
    pub(crate) is_items: bool,
    pub(crate) columns: Vec<SavedColumn>,
    pub(crate) rows: Vec<StringRecord>,
    /// Position of the column `label`.
    label: Option<usize>,
    provenance: Option<usize>,
}

/// A column of a saved table. An estimate is one column here and several in CSV.
#[derive(Clone, Debug)]
pub(crate) struct SavedColumn {
    /// The key in the schema, with its placeholder if it has one.
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// True if the values name the row.
    pub(crate) is_key: bool,
    /// True if the values are numbers from 0 that people read from 1.
    pub(crate) is_counted_from_1: bool,
    is_estimate: bool,
    value: usize,
    n: Option<usize>,
    low: Option<usize>,
    high: Option<usize>,
}

/// Columns of text that describe a row and do not name it.
const NOT_KEYS: [&str; 3] = ["properties", LABEL, PROVENANCE];

/// Columns with the number of observations of all estimates of a row, the first that is present.
const SHARED_N: [&str; 4] = ["n", "games", "forks", "blocks"];

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

    /// Reads a table of this schema. `name` is the file name without `.csv`. Returns `None` if the
    /// file is not a table of the schema.
    pub(crate) fn read_csv(&self, name: &str, bytes: &[u8]) -> Option<SavedTable> {
        let plain = plain_csv(bytes);
        let mut reader = ReaderBuilder::new().from_reader(&*plain);
        let header = reader.headers().ok()?.clone();
        let rows = reader.records().collect::<Result<Vec<_>, _>>().ok()?;
        let find = |wanted: &Field| {
            header
                .iter()
                .position(|key| self.field(key).is_some_and(|field| field.key == wanted.key))
        };
        let shared_n = SHARED_N.iter().find_map(|key| header.iter().position(|name| name == *key));
        let first_estimate =
            self.columns.iter().position(|column| column.kind == ColumnKind::Estimate);
        let mut columns = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            let part = |part: ValuePart| {
                let mut fields = self.fields.iter();
                fields.find(|field| field.column == index && field.part == part).and_then(find)
            };
            let is_name =
                matches!(column.kind, ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_));
            let is_key = (is_name || column.is_counted_from_1)
                && first_estimate.is_none_or(|first| index < first)
                && !NOT_KEYS.contains(&column.key.as_str())
                && column.key != "<property>";
            // The name of an item is the first column.
            let is_item = index == 0 && column.key == "<item>";
            let Some(value) = part(ValuePart::Value).or(is_item.then_some(0)) else { continue };
            let (before, after) = column.key.split_once('<').unwrap_or((&column.key, ""));
            let after = after.split_once('>').map_or("", |(_, after)| after);
            let word = header[value].strip_prefix(before).and_then(|key| key.strip_suffix(after));
            columns.push(SavedColumn {
                key: column.key.clone(),
                title: replace_placeholder(&column.title, word.unwrap_or_default()),
                unit: column.unit,
                is_key,
                is_counted_from_1: column.is_counted_from_1,
                is_estimate: column.kind == ColumnKind::Estimate,
                value,
                n: part(ValuePart::N).or(shared_n),
                low: part(ValuePart::Low),
                high: part(ValuePart::High),
            });
        }
        let position = |key: &str| header.iter().position(|name| name == key);
        let is_complete =
            first_estimate.is_none() || columns.iter().any(|column| column.is_estimate);
        is_complete.then(|| SavedTable {
            name: name.to_owned(),
            is_items: self.name.starts_with('<'),
            label: position(LABEL),
            provenance: position(PROVENANCE),
            columns,
            rows,
        })
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
}

/// Replaces the placeholder of a title by a word.
fn replace_placeholder(title: &str, word: &str) -> String {
    let Some((before, rest)) = title.split_once('<') else { return title.to_owned() };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    format!("{before}{word}{after}")
}

impl SavedTable {
    /// Returns the column of a key of the schema.
    pub(crate) fn column(&self, key: &str) -> Option<&SavedColumn> {
        self.columns.iter().find(|column| column.key == key)
    }

    /// Returns the columns that name a row.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &SavedColumn> {
        self.columns.iter().filter(|column| column.is_key)
    }

    /// Returns the label of the item of a row.
    pub(crate) fn label<'a>(&self, row: &'a StringRecord) -> Option<&'a str> {
        self.label.and_then(|label| row.get(label)).filter(|label| !label.is_empty())
    }

    /// Returns the provenance of the data, as the first row states it.
    pub(crate) fn provenance(&self) -> Option<&str> {
        self.rows.first()?.get(self.provenance?)
    }
}

impl SavedColumn {
    /// Returns the value of a row as in CSV.
    pub(crate) fn text<'a>(&self, row: &'a StringRecord) -> &'a str {
        row.get(self.value).unwrap_or_default()
    }

    /// Returns the estimate of a row, if it has one.
    pub(crate) fn estimate(&self, row: &StringRecord) -> Option<Estimate> {
        let number = |position: Option<usize>| {
            row.get(position?)?.parse::<f64>().ok().filter(|number| number.is_finite())
        };
        let n = self.n.and_then(|n| row.get(n)?.parse().ok()).unwrap_or(0);
        let value = number(Some(self.value)).filter(|_| self.is_estimate)?;
        let low = number(self.low).unwrap_or(f64::NEG_INFINITY);
        let high = number(self.high).unwrap_or(f64::INFINITY);
        Some(Estimate { n, value, low, high })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
#[allow(clippy::float_cmp, reason = "numbers that are written exactly")]
mod tests {
    use super::super::{Columns, Value};
    use super::*;

    #[test]
    fn written_tables_are_read_back() {
        let columns = |item: &str, taken: &str| {
            let key = |end: &str| format!("{taken}{end}");
            let estimate = |n, value, low, high| Estimate { n, value, low, high };
            let name = Value::Item("a".to_owned(), "A thing".to_owned());
            let property = if item == "<item>" { "<property>" } else { "size" };
            Columns::new("things", "One row for each thing.")
                .text(item, item, "Name.", move |()| name.clone())
                .text_or_number(property, "", "", |()| "big")
                .integer("offered", "offered", "", |()| 9_i64)
                .integer(taken, taken, "", |()| 3_i64)
                .estimate(key("_per_offer"), key(" per offer"), Unit::Percent, "", move |()| {
                    estimate(9, 0.125, 0.0, 0.25)
                })
                .estimate("with", "with", Unit::Percent, "", move |()| estimate(7, 0.5, 0.25, 0.75))
                .n("with_n", "n")
                .provenance()
                .label()
        };
        let schema = |item: &str, taken: &str| columns(item, taken).schema();
        let table = columns("thing", "built").table("stated", [()]);
        let read = schema("<item>", "<taken>").read_csv("things", &table.csv()).unwrap();
        let keys: Vec<_> = read.keys().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["<item>"]);
        let row = &read.rows[0];
        assert_eq!(read.column("<item>").unwrap().text(row), "a");
        assert_eq!((read.label(row), read.provenance()), (Some("A thing"), Some("stated")));
        let column = read.column("<taken>_per_offer").unwrap();
        assert_eq!(column.title, "built per offer");
        let Estimate { value, low, high, .. } = column.estimate(row).unwrap();
        assert_eq!([value, low, high], [0.125, 0.0, 0.25]);
        let with = read.column("with").unwrap().estimate(row).unwrap();
        assert_eq!((with.n, with.value), (7, 0.5));
        assert!(schema("thing", "built").read_csv("things", b"other\n1\n").is_none());
    }
}
