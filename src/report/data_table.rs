//! Data tables: described once, rendered as CSV, JSON, terminal text and HTML.
//!
//! A [`Schema`] describes the columns. It needs no data, so the column reference of the documentation
//! is generated from it. A [`DataTable`] is a schema with rows of typed values, and a [`View`] is a
//! selection of its columns and rows for the terminal or a page.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::{
    html::{Cell, HtmlTable, Unit},
    text::{format_with_interval, truncate},
};
use crate::stats::ratio::Estimate;

/// Maximum width of terminal output.
const MAX_WIDTH: usize = 80;
/// Minimum width to which the first column of terminal output shrinks.
const MIN_NAME_WIDTH: usize = 12;
/// Decimals of rates and of their differences in CSV.
const RATE_DECIMALS: usize = 6;
/// Decimals of other estimates in CSV.
const MEAN_DECIMALS: usize = 4;
/// P-values below this are shown as an upper bound in terminal text.
const MIN_P: f64 = 0.0001;
/// The key of the last column of most tables.
const PROVENANCE: &str = "provenance";

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    /// Text that is sorted as a number where it is one.
    Label,
    /// One of these words, or several joined by `+`.
    Word(&'static [&'static str]),
    Integer,
    Number,
    Estimate,
    PValue,
    /// The provenance of the data, equal in all rows.
    Provenance,
}

/// The position of an estimate's interval in CSV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interval {
    BesideValue,
    /// At the position of [`Schema::interval_of`].
    Elsewhere,
}

/// The description of a column. An estimate is one column here and several in CSV.
#[derive(Clone, Debug)]
pub struct Column {
    key: String,
    title: String,
    short: Option<String>,
    description: String,
    kind: Kind,
    unit: Unit,
    unit_name: &'static str,
    decimals: usize,
    n: Option<NColumn>,
    ci_prefix: String,
    interval: Interval,
}

/// The CSV column with an estimate's number of observations.
#[derive(Clone, Debug)]
struct NColumn {
    key: String,
    title: String,
    after_value: bool,
}

impl Column {
    fn new(
        key: impl Into<String>,
        title: impl Into<String>,
        kind: Kind,
        description: &str,
    ) -> Self {
        let key = key.into();
        Self {
            ci_prefix: format!("{key}_ci"),
            key,
            title: title.into(),
            short: None,
            description: description.to_owned(),
            kind,
            unit: Unit::Decimals(2),
            unit_name: "",
            decimals: MEAN_DECIMALS,
            n: None,
            interval: Interval::BesideValue,
        }
    }

    /// Creates a column of text.
    pub fn text(key: impl Into<String>, title: impl Into<String>, description: &str) -> Self {
        Self::new(key, title, Kind::Text, description)
    }

    /// Creates a column of text that pages sort as a number where it is one.
    pub fn label(key: impl Into<String>, title: impl Into<String>, description: &str) -> Self {
        Self::new(key, title, Kind::Label, description)
    }

    /// Creates a column of one of these words, or of several joined by `+`.
    pub fn word(
        key: impl Into<String>,
        title: impl Into<String>,
        words: &'static [&'static str],
        description: &str,
    ) -> Self {
        Self::new(key, title, Kind::Word(words), description)
    }

    /// Creates a column of integers, such as counts.
    pub fn integer(key: impl Into<String>, title: impl Into<String>, description: &str) -> Self {
        Self::new(key, title, Kind::Integer, description)
    }

    /// Creates a column of numbers without intervals, with this many decimals in CSV.
    pub fn number(
        key: impl Into<String>,
        title: impl Into<String>,
        decimals: usize,
        description: &str,
    ) -> Self {
        Self { decimals, ..Self::new(key, title, Kind::Number, description) }
    }

    /// Creates a column of estimates with their 95 % confidence intervals.
    ///
    /// In CSV it has the columns `key`, `key_ci_low` and `key_ci_high`; rates have 6 decimals there and
    /// other values 4. `unit` is how terminal text and pages format the values.
    pub fn estimate(
        key: impl Into<String>,
        title: impl Into<String>,
        unit: Unit,
        description: &str,
    ) -> Self {
        let is_rate = matches!(unit, Unit::Percent | Unit::PercentagePoints);
        let decimals = if is_rate { RATE_DECIMALS } else { MEAN_DECIMALS };
        Self { unit, decimals, ..Self::new(key, title, Kind::Estimate, description) }
    }

    /// Creates a column of p-values.
    pub fn p_value(key: impl Into<String>, title: impl Into<String>, description: &str) -> Self {
        Self::new(key, title, Kind::PValue, description)
    }

    /// Sets the number of decimals in CSV.
    #[must_use]
    pub fn decimals(self, decimals: usize) -> Self {
        Self { decimals, ..self }
    }

    /// Sets the format of a number in terminal text and pages.
    #[must_use]
    pub fn unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Sets the unit of the values in CSV for the column reference, such as `points`.
    #[must_use]
    pub fn measured_in(self, unit_name: &'static str) -> Self {
        Self { unit_name, ..self }
    }

    /// Sets a shorter title for terminal text.
    #[must_use]
    pub fn short(self, title: impl Into<String>) -> Self {
        Self { short: Some(title.into()), ..self }
    }

    /// Sets the keys of the interval to `prefix_low` and `prefix_high` (default: `key_ci`).
    #[must_use]
    pub fn ci(self, prefix: impl Into<String>) -> Self {
        Self { ci_prefix: prefix.into(), ..self }
    }

    /// Adds a CSV column with the number of observations before the value.
    #[must_use]
    pub fn n(self, key: impl Into<String>, title: impl Into<String>) -> Self {
        let n = NColumn { key: key.into(), title: title.into(), after_value: false };
        Self { n: Some(n), ..self }
    }

    /// Adds a CSV column with the number of observations after the value.
    #[must_use]
    pub fn n_after(self, key: impl Into<String>, title: impl Into<String>) -> Self {
        let n = NColumn { key: key.into(), title: title.into(), after_value: true };
        Self { n: Some(n), ..self }
    }

    /// Moves the interval in CSV to the position of [`Schema::interval_of`].
    #[must_use]
    pub fn interval_elsewhere(self) -> Self {
        Self { interval: Interval::Elsewhere, ..self }
    }

    fn type_name(&self) -> String {
        match self.kind {
            Kind::Text | Kind::Label | Kind::Provenance => "text".to_owned(),
            Kind::Word(words) => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            }
            Kind::Integer => "integer".to_owned(),
            Kind::Number | Kind::Estimate => format!("decimal ({})", self.decimals),
            Kind::PValue => "p-value".to_owned(),
        }
    }

    fn unit_text(&self) -> &'static str {
        match (self.unit_name, self.kind, self.unit) {
            ("", Kind::Estimate | Kind::Number, Unit::Percent) => "share of 1",
            ("", Kind::Estimate | Kind::Number, Unit::PercentagePoints) => "difference of shares",
            (name, ..) => name,
        }
    }
}

/// The part of a value that a CSV column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
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
    part: Part,
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
    /// Creates a table without columns. `name` is the file name without `.csv`; `title` is a sentence
    /// that states what a row is.
    pub fn new(name: impl Into<String>, title: impl Into<String>) -> Self {
        Self { name: name.into(), title: title.into(), columns: Vec::new(), fields: Vec::new() }
    }

    /// Adds a column.
    #[must_use]
    pub fn column(mut self, column: Column) -> Self {
        let index = self.columns.len();
        let is_estimate = column.kind == Kind::Estimate;
        let n = column.n.as_ref().map(|n| (n.key.clone(), n.after_value));
        let mut add = |key: String, part| self.fields.push(Field { key, column: index, part });
        if let Some((key, false)) = &n {
            add(key.clone(), Part::N);
        }
        add(column.key.clone(), Part::Value);
        if let Some((key, true)) = &n {
            add(key.clone(), Part::N);
        }
        if is_estimate && column.interval == Interval::BesideValue {
            add(format!("{}_low", column.ci_prefix), Part::Low);
            add(format!("{}_high", column.ci_prefix), Part::High);
        }
        self.columns.push(column);
        self
    }

    /// Adds columns.
    #[must_use]
    pub fn columns(self, columns: impl IntoIterator<Item = Column>) -> Self {
        columns.into_iter().fold(self, Self::column)
    }

    /// Places the interval of an earlier column here in CSV, see [`Column::interval_elsewhere`].
    #[must_use]
    pub fn interval_of(mut self, key: &str) -> Self {
        if let Some(column) = self.columns.iter().position(|column| column.key == key) {
            let prefix = &self.columns[column].ci_prefix;
            let ends = [("low", Part::Low), ("high", Part::High)];
            let fields =
                ends.map(|(end, part)| Field { key: format!("{prefix}_{end}"), column, part });
            self.fields.extend(fields);
        }
        self
    }

    /// Adds the column `provenance`, which the table fills.
    #[must_use]
    pub fn provenance(self) -> Self {
        let description = "Provenance of the data file.";
        self.column(Column::new(PROVENANCE, PROVENANCE, Kind::Provenance, description))
    }

    /// Returns the name of the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the CSV file.
    pub fn file_name(&self) -> String {
        format!("{}.csv", self.name)
    }

    /// Returns the header line of the CSV file.
    pub fn csv_header(&self) -> Vec<u8> {
        to_csv([self.fields.iter().map(|field| field.key.clone()).collect()])
    }

    /// Returns the description of the columns as Markdown, for the reference.
    pub fn markdown(&self) -> String {
        let mut text = format!("### `{}`\n\n{}\n\n", self.file_name(), self.title);
        text += "| column | type | unit | description |\n|---|---|---|---|\n";
        for field in &self.fields {
            let column = &self.columns[field.column];
            let (key, unit) = (&column.key, column.unit_text());
            let cells = match field.part {
                Part::Value => [column.type_name(), unit.to_owned(), column.description.clone()],
                Part::N => ["integer", "", &format!("Number of observations of `{key}`.")]
                    .map(str::to_owned),
                Part::Low | Part::High => {
                    let end = if field.part == Part::Low { "Lower" } else { "Upper" };
                    let end = format!("{end} end of the 95 % confidence interval of `{key}`.");
                    [column.type_name(), unit.to_owned(), end]
                }
            };
            let _ = writeln!(text, "| `{}` | {} |", field.key, cells.join(" | "));
        }
        text
    }
}

/// A format other than that of the column, for tables whose rows have different units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Format {
    /// The format in terminal text and pages.
    pub unit: Unit,
    /// The number of decimals in CSV.
    pub decimals: usize,
}

/// A value of a data table.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// No value: an empty field of CSV, `null` in JSON.
    Missing,
    /// Text, or the words of a flag.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A number; not finite if it is missing.
    Number(f64),
    /// An estimate. One whose value is not a number is missing, but has its number of observations.
    Estimate(Estimate),
    /// An estimate in a format of its own.
    EstimateIn(Estimate, Format),
    /// A p-value; not a number if there is no test.
    P(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<Estimate> for Value {
    fn from(estimate: Estimate) -> Self {
        Self::Estimate(estimate)
    }
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
    provenance: String,
    /// Rows with a value for each column but `provenance`.
    rows: Vec<Vec<Value>>,
}

impl DataTable {
    /// Creates a table without rows.
    pub fn new(schema: Schema, provenance: impl ToString) -> Self {
        Self { schema, provenance: provenance.to_string(), rows: Vec::new() }
    }

    /// Adds a row: a value for each column but `provenance`, in the order of the schema.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) {
        let row: Vec<_> = row.into_iter().collect();
        let columns = &self.schema.columns;
        let expected = columns.iter().filter(|column| column.kind != Kind::Provenance).count();
        debug_assert_eq!(row.len(), expected, "{}: wrong number of values", self.schema.name);
        debug_assert!(
            columns.iter().zip(&row).all(|(column, value)| match (column.kind, value) {
                (Kind::Word(words), Value::Text(text)) =>
                    text.is_empty() || text.split('+').all(|word| words.contains(&word)),
                _ => true,
            }),
            "{}: a word that its column does not list: {row:?}",
            self.schema.name
        );
        self.rows.push(row);
    }

    /// Returns the description of the table.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the rows, each with a value for each column but `provenance`.
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Returns the CSV file.
    pub fn csv(&self) -> Vec<u8> {
        [self.schema.csv_header(), self.csv_rows()].concat()
    }

    /// Returns the lines of the CSV file after its header.
    pub fn csv_rows(&self) -> Vec<u8> {
        let fields = &self.schema.fields;
        to_csv(
            self.rows.iter().map(|row| {
                fields.iter().map(|field| self.csv_text(field, row)).collect::<Vec<_>>()
            }),
        )
    }

    /// Returns a view of all columns but `provenance`, and of all rows.
    pub fn view(&self) -> View<'_> {
        let is_shown = |field: &&Field| {
            let kind = self.schema.columns[field.column].kind;
            matches!(field.part, Part::Value | Part::N) && kind != Kind::Provenance
        };
        let fields = self.schema.fields.iter().filter(is_shown).collect();
        View { table: self, fields, rows: self.rows.iter().collect() }
    }

    fn csv_text(&self, field: &Field, row: &[Value]) -> String {
        let column = &self.schema.columns[field.column];
        if column.kind == Kind::Provenance {
            return self.provenance.clone();
        }
        let estimate = |Estimate { n, value, low, high }: Estimate, decimals| match field.part {
            Part::N => n.to_string(),
            _ if value.is_nan() => String::new(),
            Part::Value => format_number(value, decimals),
            Part::Low => format_number(low, decimals),
            Part::High => format_number(high, decimals),
        };
        match (row.get(field.column), field.part) {
            (Some(&Value::Estimate(value)), _) => estimate(value, column.decimals),
            (Some(&Value::EstimateIn(value, format)), _) => estimate(value, format.decimals),
            (Some(Value::Text(text)), Part::Value) => text.clone(),
            (Some(Value::Integer(value)), Part::Value) => value.to_string(),
            (Some(&Value::Number(value)), Part::Value) => format_number(value, column.decimals),
            (Some(&Value::P(p)), Part::Value) => format_p_value(p),
            _ => String::new(),
        }
    }

    fn json_value(&self, field: &Field, row: &[Value]) -> serde_json::Value {
        let text = self.csv_text(field, row);
        let column = &self.schema.columns[field.column];
        let is_text = matches!(row.get(field.column), Some(Value::Text(_)));
        if is_text || column.kind == Kind::Provenance {
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
        let mut list = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            list.serialize_element(&JsonRow { table: self, row })?;
        }
        list.end()
    }
}

struct JsonRow<'a> {
    table: &'a DataTable,
    row: &'a [Value],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = &self.table.schema.fields;
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for field in fields {
            map.serialize_entry(&field.key, &self.table.json_value(field, self.row))?;
        }
        map.end()
    }
}

/// All tables of a command as one JSON object, by their names.
struct JsonTables<'a>(&'a [DataTable]);

impl Serialize for JsonTables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|table| (table.schema.name(), table)))
    }
}

/// Returns tables as one JSON object with a list of rows for each table, on one line.
pub fn tables_json(tables: &[DataTable]) -> String {
    // All keys are text, which is all that JSON demands.
    serde_json::to_string(&JsonTables(tables)).unwrap_or_default() + "\n"
}

/// Some columns and rows of a table, to be shown to people.
#[derive(Clone, Debug)]
pub struct View<'a> {
    table: &'a DataTable,
    fields: Vec<&'a Field>,
    rows: Vec<&'a Vec<Value>>,
}

impl<'a> View<'a> {
    /// Selects columns by their keys in CSV. The key of an estimate's value stands for the value with
    /// its interval.
    #[must_use]
    pub fn select(self, keys: &[&str]) -> Self {
        let fields = &self.table.schema.fields;
        let named = |key: &&str| {
            let found = fields.iter().find(|field| field.key == **key);
            debug_assert!(found.is_some(), "{}: no column {key}", self.table.schema.name);
            found
        };
        Self { fields: keys.iter().filter_map(named).collect(), ..self }
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

    /// Returns the view as an HTML table. Columns without values are left out when it is rendered.
    pub fn html(&self, caption: impl Into<String>) -> HtmlTable {
        let heading = |field: &&Field| match (field.part, &self.column(field).n) {
            (Part::N, Some(n)) => n.title.clone(),
            _ => self.column(field).title.clone(),
        };
        let rows = self.rows.iter().map(|row| {
            self.fields
                .iter()
                .map(|field| cell(self.column(field), field.part, row.get(field.column)))
        });
        HtmlTable {
            caption: caption.into(),
            headings: self.fields.iter().map(heading).collect(),
            rows: rows.map(Iterator::collect).collect(),
        }
    }

    /// Returns the view as aligned text of at most 80 columns, with a line of headings.
    ///
    /// The first column is shortened as far as needed; other columns are never cut off.
    pub fn text(&self) -> String {
        let heading = |field: &&Field| {
            let column = self.column(field);
            let title = column.short.as_ref().unwrap_or(&column.title);
            let unit = if column.kind == Kind::Estimate { column.unit.suffix() } else { "" };
            match (field.part, &column.n) {
                (Part::N, Some(n)) => n.title.clone(),
                _ => format!("{title}{unit}"),
            }
        };
        let mut lines: Vec<Vec<String>> = vec![self.fields.iter().map(heading).collect()];
        lines.extend(self.rows.iter().map(|row| {
            let shown = |field: &&Field| {
                terminal_text(self.column(field), field.part, row.get(field.column))
            };
            self.fields.iter().map(shown).collect()
        }));
        let width = |index: usize| lines.iter().map(|line| line[index].chars().count()).max();
        let mut widths: Vec<_> =
            (0..self.fields.len()).map(|index| width(index).unwrap_or(0)).collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        if let Some(first) = widths.first_mut() {
            *first = (*first).min(MAX_WIDTH.saturating_sub(others)).max(MIN_NAME_WIDTH.min(*first));
        }
        let mut text = String::new();
        for line in &lines {
            let mut shown = String::new();
            for ((cell, &width), field) in line.iter().zip(&widths).zip(&self.fields) {
                let kind = self.column(field).kind;
                let is_text = matches!(kind, Kind::Text | Kind::Label | Kind::Word(_));
                let gap = if shown.is_empty() && width > 0 { "" } else { "  " };
                let cell = truncate(cell, width);
                let _ = if is_text {
                    write!(shown, "{gap}{cell:<width$}")
                } else {
                    write!(shown, "{gap}{cell:>width$}")
                };
            }
            let _ = writeln!(text, "{}", shown.trim_end());
        }
        text
    }
}

fn cell(column: &Column, part: Part, value: Option<&Value>) -> Cell {
    let estimate = |estimate: Estimate, unit| match part {
        Part::N => Cell::count(estimate.n),
        _ if estimate.value.is_nan() => Cell::empty(),
        _ => Cell::estimate(Estimate { n: estimate.n.max(1), ..estimate }, unit),
    };
    match value {
        None | Some(Value::Missing) => Cell::empty(),
        Some(Value::Text(text)) if column.kind == Kind::Label => Cell::text_or_number(text),
        Some(Value::Text(text)) => Cell::text(text),
        Some(&Value::Integer(count)) => Cell::count(count),
        Some(&Value::Number(value)) if value.is_finite() => {
            estimate(without_interval(value), column.unit)
        }
        Some(Value::Number(_)) => Cell::empty(),
        Some(&Value::Estimate(value)) => estimate(value, column.unit),
        Some(&Value::EstimateIn(value, format)) => estimate(value, format.unit),
        Some(&Value::P(p)) => Cell::p_value(p),
    }
}

fn terminal_text(column: &Column, part: Part, value: Option<&Value>) -> String {
    let estimate = |estimate: Estimate, unit: Unit| match part {
        Part::N => estimate.n.to_string(),
        _ => terminal_estimate(estimate, unit),
    };
    match value {
        None | Some(Value::Missing) => String::new(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(&Value::Number(value)) => estimate(without_interval(value), column.unit),
        Some(&Value::Estimate(value)) => estimate(value, column.unit),
        Some(&Value::EstimateIn(value, format)) => {
            let suffix = if format.unit == column.unit { "" } else { format.unit.suffix() };
            format!("{}{suffix}", estimate(value, format.unit))
        }
        Some(Value::P(p)) if p.is_nan() => String::new(),
        Some(&Value::P(p)) if p < MIN_P => format!("<{MIN_P}"),
        Some(Value::P(p)) => format!("{p:.4}"),
    }
}

/// Formats an estimate for the terminal, without the suffix of its unit.
pub fn terminal_estimate(estimate: Estimate, unit: Unit) -> String {
    let (scale, decimals, signed) = match unit {
        Unit::Percent => (100.0, 2, false),
        Unit::PercentagePoints => (100.0, 2, true),
        Unit::Decimals(decimals) => (1.0, decimals, false),
        Unit::Signed(decimals) => (1.0, decimals, true),
    };
    format_with_interval(estimate, decimals, |value, decimals| {
        let value = scale * value;
        if signed { format!("{value:+.decimals$}") } else { format!("{value:.decimals$}") }
    })
}

/// Returns a number as an estimate of unknown precision.
const fn without_interval(value: f64) -> Estimate {
    Estimate { n: 1, value, low: f64::NEG_INFINITY, high: f64::INFINITY }
}

fn to_csv(rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("all rows of a table have the same length");
    }
    writer.into_inner().expect("memory can always be flushed")
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
    use maud::Render as _;

    use super::*;

    fn table() -> DataTable {
        let schema = Schema::new("things", "One row for each thing.")
            .column(Column::text("thing", "thing", "Name."))
            .column(
                Column::estimate("rate", "win rate", Unit::Percent, "Rate.").n("n", "n").ci("ci"),
            )
            .column(
                Column::estimate("points", "mean score", Unit::Decimals(2), "Mean.")
                    .measured_in("points")
                    .interval_elsewhere(),
            )
            .column(Column::p_value("p", "p", "Test of the rate."))
            .column(Column::word("flag", "flag", &["small", "large"], "Size."))
            .interval_of("points")
            .provenance();
        let mut table = DataTable::new(schema, "stated");
        let rate = Estimate { n: 20, value: 0.5, low: 0.25, high: 0.75 };
        let points = Estimate { n: 20, value: 7.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        let flag = Value::from("small+large");
        table.push(["a".into(), rate.into(), points.into(), Value::P(2.170_9e-10), flag]);
        let unknown = Estimate { n: 3, value: f64::NAN, low: 0.0, high: 1.0 };
        table.push([
            "b,c".into(),
            unknown.into(),
            Value::Missing,
            Value::P(f64::NAN),
            Value::Missing,
        ]);
        table
    }

    #[test]
    fn csv_has_the_columns_in_the_described_order() {
        let expected = "thing,n,rate,ci_low,ci_high,points,p,flag,points_ci_low,points_ci_high,provenance\n\
                        a,20,0.500000,0.250000,0.750000,7.0000,2.171e-10,small+large,,,stated\n\
                        \"b,c\",3,,,,,,,,,stated\n";
        assert_eq!(String::from_utf8_lossy(&table().csv()), expected);
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
            "| `points_ci_low` | decimal (4) | points | Lower end of the 95 % confidence interval of \
             `points`. |",
            "| `flag` | `small`, `large` |  | Size. |",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }

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
