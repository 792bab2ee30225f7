//! Data tables: described once, rendered as CSV, JSON, terminal text and HTML.
//!
//! A [`Schema`] describes the columns. It needs no data, so the column reference of the
//! documentation is generated from it. A [`DataTable`] is a schema with rows of typed values, and a
//! [`TableView`] is a selection of its columns and rows for the terminal or a page.

mod columns;
mod csv;
mod html;
mod markdown;
mod text;

use super::html::Unit;
use crate::{game::Item, stats::ratio::Estimate};
pub(crate) use columns::{Columns, Heading};
pub(crate) use csv::tables_json;
pub(crate) use text::terminal_estimate;

/// Decimals of rates and of their differences in CSV.
const RATE_DECIMALS: usize = 6;
/// Decimals of other estimates in CSV.
const MEAN_DECIMALS: usize = 4;
/// The key of the column with the provenance of the data file.
const PROVENANCE: &str = "provenance";
/// The key of the column with the name of an item for people.
const LABEL: &str = "label";

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ColumnKind {
    Text,
    /// Text that is sorted as a number where it is one.
    Label,
    /// One of these words, or several joined by `+`.
    Word(&'static [&'static str]),
    Integer,
    Number,
    Estimate,
    PValue,
}

/// The description of a column. An estimate is one column here and several in CSV.
#[derive(Clone, Debug)]
struct Column {
    key: String,
    title: String,
    description: String,
    kind: ColumnKind,
    unit: Unit,
    unit_name: &'static str,
    decimals: usize,
    ci_prefix: String,
    /// The CSV column with the number of observations of an estimate.
    n: Option<Heading>,
    is_n_after_value: bool,
    /// True if numbers are from 0 in CSV and from 1 elsewhere.
    is_counted_from_1: bool,
}

impl Column {
    fn new(heading: impl Into<Heading>, kind: ColumnKind, description: &str) -> Self {
        let Heading { key, title } = heading.into();
        Self {
            ci_prefix: format!("{key}_ci"),
            key,
            title,
            description: description.to_owned(),
            kind,
            unit: Unit::Decimals(2),
            unit_name: "",
            decimals: MEAN_DECIMALS,
            n: None,
            is_n_after_value: false,
            is_counted_from_1: false,
        }
    }

    /// Returns the number of a seat or a turn position for people, in a column of these.
    fn number_from_1(&self, value: &Value) -> Option<i64> {
        let number = match value {
            &Value::Integer(number) => Some(number),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|_| self.is_counted_from_1).map(|number| number + 1)
    }

    /// Returns the heading of a part in terminal text and pages.
    fn heading(&self, part: ValuePart) -> &str {
        match (part, &self.n) {
            (ValuePart::N, Some(Heading { title, .. })) => title,
            _ => &self.title,
        }
    }
}

/// The part of a value that a CSV column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValuePart {
    Value,
    N,
    Low,
    High,
}

/// A column of CSV.
#[derive(Clone, Debug)]
struct Field {
    key: String,
    /// Index into the columns of the schema.
    column: usize,
    part: ValuePart,
}

/// The description of a data table.
#[derive(Clone, Debug)]
pub struct Schema {
    name: String,
    title: String,
    columns: Vec<Column>,
    /// The columns of CSV in their order.
    fields: Vec<Field>,
}

impl Schema {
    fn new(name: String, title: String) -> Self {
        Self { name, title, columns: Vec::new(), fields: Vec::new() }
    }

    fn column(mut self, column: Column) -> Self {
        let index = self.columns.len();
        let mut add = |key: String, part| self.fields.push(Field { key, column: index, part });
        add(column.key.clone(), ValuePart::Value);
        if column.kind == ColumnKind::Estimate {
            add(format!("{}_low", column.ci_prefix), ValuePart::Low);
            add(format!("{}_high", column.ci_prefix), ValuePart::High);
        }
        if let Some(Heading { key, .. }) = &column.n {
            let field = Field { key: key.clone(), column: index, part: ValuePart::N };
            let value = self.fields.iter().rposition(|field| field.part == ValuePart::Value);
            let position = value.unwrap_or(0) + usize::from(column.is_n_after_value);
            self.fields.insert(position, field);
        }
        self.columns.push(column);
        self
    }

    /// Moves the interval of an earlier column to this position in CSV.
    fn interval_of(mut self, key: &str) -> Self {
        let is_interval = |field: &Field| {
            self.columns[field.column].key == key
                && matches!(field.part, ValuePart::Low | ValuePart::High)
        };
        let (interval, mut fields): (Vec<_>, Vec<_>) =
            self.fields.into_iter().partition(is_interval);
        fields.extend(interval);
        self.fields = fields;
        self
    }

    /// Returns the name of the CSV file.
    pub fn file_name(&self) -> String {
        format!("{}.csv", self.name)
    }
}

/// A value of a data table.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// No value: an empty field of CSV, `null` in JSON.
    Missing,
    /// Text, or the words of a flag.
    Text(String),
    /// An item: its name in CSV, and its label.
    Item(String, String),
    /// An integer.
    Integer(i64),
    /// A number; not finite if it is missing.
    Number(f64),
    /// An estimate. One whose value is not a number is missing, but has its number of observations.
    Estimate(Estimate),
    /// An estimate in another unit than its column, for tables whose rows have different units.
    EstimateIn(Estimate, Unit),
    /// A p-value; not a number if there is no test.
    P(f64),
}

impl Value {
    /// Returns a number or an estimate with its unit; `None` for other values.
    fn estimate(&self, column: &Column) -> Option<(Estimate, Unit)> {
        match *self {
            Self::Number(value) => {
                let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
                Some((Estimate { n: 1, value, low, high }, column.unit))
            }
            Self::Estimate(estimate) => Some((estimate, column.unit)),
            Self::EstimateIn(estimate, unit) => Some((estimate, unit)),
            _ => None,
        }
    }
}

/// Implements the conversions of the values that columns have.
macro_rules! values_from {
    ($($type:ty: $value:ident => $converted:expr;)+) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $converted
            }
        }
    )+};
}
values_from! {
    &str: text => Self::Text(text.to_owned());
    String: text => Self::Text(text);
    &String: text => Self::Text(text.clone());
    &Item: item => Self::Item(item.name.clone(), item.label.clone());
    i64: integer => Self::Integer(integer);
    bool: flag => Self::Integer(flag.into());
    i32: integer => Self::Integer(integer.into());
    u32: integer => Self::Integer(integer.into());
    u64: integer => Self::Integer(i64::try_from(integer).unwrap_or(i64::MAX));
    usize: integer => Self::from(integer as u64);
    Estimate: estimate => Self::Estimate(estimate);
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A data table: columns and rows of output.
#[derive(Clone, Debug)]
pub struct DataTable {
    schema: Schema,
    rows: Vec<Vec<Value>>,
}

impl DataTable {
    fn new(schema: Schema, rows: Vec<Vec<Value>>) -> Self {
        let Schema { name, columns, .. } = &schema;
        for row in &rows {
            debug_assert!(
                columns.iter().zip(row).all(|(column, value)| match (column.kind, value) {
                    (ColumnKind::Word(words), Value::Text(text)) =>
                        text.is_empty() || text.split('+').all(|word| words.contains(&word)),
                    _ => true,
                }),
                "{name}: a word that its column does not list: {row:?}"
            );
        }
        Self { schema, rows }
    }

    /// Returns the description of the table.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Returns a view of all columns but intervals, `provenance` and `label`, and of all rows.
    pub fn view(&self) -> TableView<'_> {
        let is_shown = |field: &&Field| {
            matches!(field.part, ValuePart::Value | ValuePart::N)
                && ![PROVENANCE, LABEL].contains(&field.key.as_str())
        };
        let fields = self.schema.fields.iter().filter(is_shown).collect();
        TableView { table: self, fields, rows: self.rows.iter().collect() }
    }
}

/// Some columns and rows of a table, to be shown to people.
#[derive(Clone, Debug)]
pub struct TableView<'a> {
    table: &'a DataTable,
    fields: Vec<&'a Field>,
    rows: Vec<&'a Vec<Value>>,
}

impl<'a> TableView<'a> {
    /// Selects columns by their keys in CSV. The key of an estimate's value stands for the value
    /// with its interval.
    #[must_use]
    pub fn select(self, keys: &[&str]) -> Self {
        let Schema { name, fields, .. } = &self.table.schema;
        let find = |key: &&str| {
            let found = fields.iter().find(|field| field.key == **key);
            debug_assert!(found.is_some(), "{name}: no column {key}");
            found
        };
        Self { fields: keys.iter().filter_map(find).collect(), ..self }
    }

    /// Moves these columns, as far as the table has them, to the places after the first column.
    #[must_use]
    pub fn with_first(mut self, keys: &[&str]) -> Self {
        let position = |field: &&Field| keys.iter().position(|key| field.key == *key);
        if let Some(others) = self.fields.get_mut(1..) {
            others.sort_by_key(|field| position(field).unwrap_or(keys.len()));
        }
        self
    }

    /// Selects rows.
    #[must_use]
    pub fn filter(mut self, is_shown: impl Fn(&[Value]) -> bool) -> Self {
        self.rows.retain(|row| is_shown(row));
        self
    }

    /// Shows these rows in this order, by their indices in the table.
    #[must_use]
    pub fn rows(self, rows: impl IntoIterator<Item = usize>) -> Self {
        let all = &self.table.rows;
        Self { rows: rows.into_iter().filter_map(|row| all.get(row)).collect(), ..self }
    }

    fn column(&self, field: &Field) -> &'a Column {
        &self.table.schema.columns[field.column]
    }
}

/// Returns the default number of decimals in CSV.
const fn csv_decimals(unit: Unit) -> usize {
    match unit {
        Unit::Percent | Unit::PercentagePoints => RATE_DECIMALS,
        Unit::Decimals(_) | Unit::Signed(_) => MEAN_DECIMALS,
    }
}

#[cfg(test)]
mod tests {
    use maud::Render as _;

    use super::*;
    use crate::report::csv_format::CsvFormat;

    type Thing = (&'static str, Estimate, Option<f64>, f64, Option<&'static str>);

    const RATE: Estimate = Estimate { n: 20, value: 0.5, low: 0.25, high: 0.75 };
    const UNKNOWN: Estimate = Estimate { n: 3, value: f64::NAN, low: 0.0, high: 1.0 };

    fn table_of(rows: &[Thing]) -> DataTable {
        let points = |&(_, rate, points, ..): &Thing| {
            let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            points.map(|value| Estimate { n: rate.n, value, low, high })
        };
        Columns::new("things", "One row for each thing.")
            .text("thing", "Name.", |row: &Thing| row.0)
            .estimate(("rate", "win rate"), Unit::Percent, "Rate.", |row| row.1)
            .n("n")
            .ci("ci")
            .estimate(("points", "mean score"), Unit::Decimals(2), "Mean.", points)
            .measured_in("points")
            .p_value("p", "Test of the rate.", |row| row.3)
            .word("flag", &["small", "large"], "Size.", |row| row.4)
            .interval_of("points")
            .provenance()
            .table("stated", rows.iter().copied())
    }

    fn table() -> DataTable {
        table_of(&[
            ("a", RATE, Some(7.0), 2.170_9e-10, Some("small+large")),
            ("b,c", UNKNOWN, None, f64::NAN, None),
        ])
    }

    #[test]
    fn csv_has_the_columns_in_the_described_order() {
        let expected = "thing,n,rate,ci_low,ci_high,points,p,flag,points_ci_low,points_ci_high,\
                        provenance\n\
                        a,20,0.500000,0.250000,0.750000,7.0000,2.171e-10,small+large,,,stated\n\
                        \"b,c\",3,,,,,,,,,stated\n";
        assert_eq!(String::from_utf8_lossy(&table().csv()), expected);
    }

    #[test]
    fn an_empty_column_keeps_its_type() {
        let types = table_of(&[("b", UNKNOWN, None, f64::NAN, None)]).schema().column_types();
        assert!(types.starts_with("text,integer,number,number,number,"), "{types}");
        assert!(types.ends_with(",text"), "{types}");
    }

    #[test]
    fn spreadsheets_of_europe_have_semicolons_and_decimal_commas() {
        let csv = String::from_utf8_lossy(&table().csv_in(CsvFormat::ExcelEu)).into_owned();
        assert!(csv.contains("\na;20;0,500000;0,250000;"), "{csv}");
        assert!(csv.contains("\nb,c;3;;;;;;;;;stated\n"), "{csv}");
    }

    #[test]
    fn json_has_the_keys_and_numbers_of_csv() {
        let json = tables_json(&[table()]);
        let start = r#"{"things":[{"thing":"a","n":20,"rate":0.5,"ci_low":0.25,"ci_high":0.75,"#;
        assert!(json.starts_with(start), "{json}");
        assert!(
            json.contains(r#""p":2.171e-10,"flag":"small+large","points_ci_low":null,"#),
            "{json}"
        );
    }

    #[test]
    fn text_is_aligned() {
        let table = table();
        let text = table.view().select(&["thing", "n", "rate", "points"]).text();
        let expected = "\
thing   n            win rate %  mean score
a      20  50.00 [25.00, 75.00]        7.00
b,c     3                     -
";
        assert_eq!(text, expected);
        assert_eq!(table.view().rows([1]).text().lines().count(), 2);
    }

    #[test]
    fn names_that_are_too_long_have_a_line_of_their_own() {
        let name = "a_name_of_more_than_half_of_the_columns_of_a_terminal";
        let rate = ("a", RATE, Some(7.0), 1.0, None);
        let table =
            table_of(&[rate, ("b", UNKNOWN, None, 1.0, None), (name, RATE, None, f64::NAN, None)]);
        let text = table.view().select(&["thing", "n", "rate", "points"]).text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[3], name);
        assert!(lines[4].trim_start().starts_with("20  50.00 [25.00, 75.00]"), "{text}");
        assert_eq!(lines[1].find("20 "), lines[4].find("20 "), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn html_leaves_out_the_provenance() {
        let html = table().view().html("All things").render().into_string();
        assert!(html.contains("50.0 % <span class=\"interval\">[25.0, 75.0]</span>"), "{html}");
        assert!(!html.contains("provenance"), "{html}");
    }

    #[test]
    fn reference_describes_every_csv_column() {
        let text = table().schema().markdown();
        for row in [
            "| `rate` | decimal (6) | share of 1 | Rate. |",
            "| `n` | integer |  | Number of observations of `rate`. |",
            "| `points_ci_low` | decimal (4) | points | Lower end of the 95 % confidence interval \
             of `points`. |",
            "| `flag` | `small`, `large` |  | Size. |",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }
}
