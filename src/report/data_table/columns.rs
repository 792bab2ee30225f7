//! Columns of a data table with their values.

use super::{Column, ColumnKind, DataTable, LABEL, PROVENANCE, Schema, Value, csv_decimals};
use crate::report::html::Unit;

/// The key of a column in CSV, and its title in terminal text and pages. A text alone is the title,
/// and the key has `_` for its spaces.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(super) key: String,
    pub(super) title: String,
}

impl From<&str> for Heading {
    fn from(title: &str) -> Self {
        Self { key: title.replace(' ', "_"), title: title.to_owned() }
    }
}

impl From<String> for Heading {
    fn from(title: String) -> Self {
        Self { key: title.replace(' ', "_"), title }
    }
}

impl<K: Into<String>, T: Into<String>> From<(K, T)> for Heading {
    fn from((key, title): (K, T)) -> Self {
        Self { key: key.into(), title: title.into() }
    }
}

/// Function that returns the value of a column for a row. It is boxed where it enters, so that the
/// rest is compiled once for all columns.
type ValueOf<R> = Box<dyn Fn(&R) -> Value>;

fn value_of<R, V: Into<Value>>(value: impl Fn(&R) -> V + 'static) -> ValueOf<R> {
    Box::new(move |row| value(row).into())
}

/// Defines methods that add a column of a kind, with its value for a row.
macro_rules! columns_of_kinds {
    ($($(#[$doc:meta])+ $method:ident: $kind:ident $(in $unit:ident)?;)+) => {$(
        $(#[$doc])+
        #[must_use]
        pub(crate) fn $method<V: Into<Value>>(
            self,
            heading: impl Into<Heading>,
            description: &str,
            value: impl Fn(&R) -> V + 'static,
        ) -> Self {
            let column = Column::new(heading, ColumnKind::$kind, description);
            self.column(column, value_of(value))$(.estimates_in(Unit::$unit))?
        }
    )+};
}

/// The columns of a table, each with its value for a row of type `R`. The description of the table
/// and its rows are made from them.
///
/// `n`, `unit` and the other methods without a value change the column that was added last.
pub(crate) struct Columns<R> {
    list: ColumnList,
    values: Vec<ValueOf<R>>,
}

/// The columns of a table without their values.
struct ColumnList {
    name: String,
    title: String,
    columns: Vec<Column>,
    /// Keys of columns whose intervals come after this number of columns.
    moved_intervals: Vec<(usize, &'static str)>,
}

impl ColumnList {
    fn schema(self) -> Schema {
        let mut schema = Schema::new(self.name, self.title);
        let mut moved = self.moved_intervals.into_iter().peekable();
        for column in self.columns {
            schema = schema.column(column);
            while let Some((_, key)) = moved.next_if(|(count, _)| *count == schema.columns.len()) {
                schema = schema.interval_of(key);
            }
        }
        schema
    }

    /// Returns the table of these rows, with the values of `provenance` and `label`.
    fn table(self, provenance: &str, mut rows: Vec<Vec<Value>>) -> DataTable {
        for row in &mut rows {
            let label = row.iter().find_map(|value| match value {
                Value::Item(_, label) => Some(label.clone()),
                _ => None,
            });
            for (value, column) in row.iter_mut().zip(&self.columns) {
                match (column.key.as_str(), &value) {
                    (PROVENANCE, Value::Missing) => *value = provenance.into(),
                    (LABEL, Value::Missing) => *value = label.clone().into(),
                    _ => (),
                }
            }
        }
        DataTable::new(self.schema(), rows)
    }
}

impl<R> Columns<R> {
    /// Creates a table without columns. `name` is the file name without `.csv`; `title` is a
    /// sentence that states what a row is.
    pub(crate) fn new(name: impl Into<String>, title: impl Into<String>) -> Self {
        let (name, title) = (name.into(), title.into());
        let list = ColumnList { name, title, columns: Vec::new(), moved_intervals: Vec::new() };
        Self { list, values: Vec::new() }
    }

    fn column(mut self, column: Column, value: ValueOf<R>) -> Self {
        self.list.columns.push(column);
        self.values.push(value);
        self
    }

    columns_of_kinds! {
        /// Adds a column of text.
        text: Text;
        /// Adds a column of text that pages sort as a number where it is one.
        text_or_number: Label;
        /// Adds a column of integers, such as counts.
        integer: Integer;
        /// Adds a column of estimated shares.
        percent: Estimate in Percent;
        /// Adds a column of estimated differences of shares.
        percentage_points: Estimate in PercentagePoints;
    }

    /// Adds a column of one of these words, or of several joined by `+`.
    #[must_use]
    pub(crate) fn word<V: Into<Value>>(
        self,
        heading: impl Into<Heading>,
        words: &'static [&'static str],
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.column(Column::new(heading, ColumnKind::Word(words), description), value_of(value))
    }

    /// Adds the column of turn positions, which terminal text and pages count from 1.
    #[must_use]
    pub(crate) fn turn_position(self, position: impl Fn(&R) -> usize + 'static) -> Self {
        let description = "Turn position, 0 for the first player.";
        self.integer(("turn_position", "position"), description, position).counted_from_1()
    }

    /// Adds a column of numbers without intervals, with this many decimals in CSV.
    #[must_use]
    pub(crate) fn number<V: Into<Option<f64>>>(
        self,
        heading: impl Into<Heading>,
        decimals: usize,
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        let column = Column::new(heading, ColumnKind::Number, description);
        let value = value_of(move |row| value(row).into().map(Value::Number));
        self.column(column, value).decimals(decimals)
    }

    /// Adds a column of estimates with their 95 % confidence intervals.
    ///
    /// In CSV it has the columns `key`, `key_ci_low` and `key_ci_high`; rates have 6 decimals there
    /// and other values 4. `unit` is the format of the values in terminal text and pages.
    #[must_use]
    pub(crate) fn estimate<V: Into<Value>>(
        self,
        heading: impl Into<Heading>,
        unit: Unit,
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        let column = Column::new(heading, ColumnKind::Estimate, description);
        self.column(column, value_of(value)).estimates_in(unit)
    }

    fn estimates_in(self, unit: Unit) -> Self {
        self.unit(unit).decimals(csv_decimals(unit))
    }

    /// Adds a column of p-values; not a number or none without a test.
    #[must_use]
    pub(crate) fn p_value<V: Into<Option<f64>>>(
        self,
        heading: impl Into<Heading>,
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        let column = Column::new(heading, ColumnKind::PValue, description);
        self.column(column, value_of(move |row| value(row).into().map(Value::P)))
    }

    /// Adds the column `provenance` of the data file.
    #[must_use]
    pub(crate) fn provenance(self) -> Self {
        let description = "Provenance of the data file.";
        let column = Column::new(PROVENANCE, ColumnKind::Text, description);
        self.column(column, Box::new(|_| Value::Missing))
    }

    /// Adds the column `label`, the label of the item of a row.
    #[must_use]
    pub(crate) fn label(self) -> Self {
        let description = "Name of the item for people: that of the data file, or one made of its \
                           properties.";
        let column = Column::new(LABEL, ColumnKind::Text, description);
        self.column(column, Box::new(|_| Value::Missing))
    }

    /// Removes the column that was added last unless the table has it.
    #[must_use]
    pub(crate) fn only_if(mut self, has_column: bool) -> Self {
        if !has_column {
            self.list.columns.pop();
            self.values.pop();
        }
        self
    }

    /// Moves the interval of an earlier column to this position in CSV.
    #[must_use]
    pub(crate) fn interval_of(mut self, key: &'static str) -> Self {
        self.list.moved_intervals.push((self.values.len(), key));
        self
    }

    fn change_last(mut self, change: impl FnOnce(&mut Column)) -> Self {
        if let Some(column) = self.list.columns.last_mut() {
            change(column);
        }
        self
    }

    /// Sets the number of decimals in CSV.
    #[must_use]
    pub(crate) fn decimals(self, decimals: usize) -> Self {
        self.change_last(|column| column.decimals = decimals)
    }

    /// Sets the format of numbers in terminal text and pages.
    #[must_use]
    pub(crate) fn unit(self, unit: Unit) -> Self {
        self.change_last(|column| column.unit = unit)
    }

    /// Sets the unit of the values in CSV for the column reference, such as `points`.
    #[must_use]
    pub(crate) fn measured_in(self, unit_name: &'static str) -> Self {
        self.change_last(|column| column.unit_name = unit_name)
    }

    /// Counts seats or turn positions from 1 in terminal text and pages. In CSV they are counted
    /// from 0.
    #[must_use]
    pub(crate) fn counted_from_1(self) -> Self {
        self.change_last(|column| column.is_counted_from_1 = true)
    }

    /// Sets the keys of the interval to `prefix_low` and `prefix_high` (default: `key_ci`).
    #[must_use]
    pub(crate) fn ci(self, prefix: impl Into<String>) -> Self {
        self.change_last(|column| column.ci_prefix = prefix.into())
    }

    /// Adds a CSV column with the number of observations before the value.
    #[must_use]
    pub(crate) fn n(self, heading: impl Into<Heading>) -> Self {
        self.change_last(|column| column.n = Some(heading.into()))
    }

    /// Adds a CSV column with the number of observations after the value.
    #[must_use]
    pub(crate) fn n_after(self, heading: impl Into<Heading>) -> Self {
        self.n(heading).change_last(|column| column.is_n_after_value = true)
    }

    /// Returns the description of the table.
    pub(crate) fn schema(self) -> Schema {
        self.list.schema()
    }

    /// Returns the table of these rows.
    pub(crate) fn table(
        self,
        provenance: &(impl ToString + ?Sized),
        rows: impl IntoIterator<Item = R>,
    ) -> DataTable {
        let values = |row: R| self.values.iter().map(|value| value(&row)).collect();
        let rows = rows.into_iter().map(values).collect();
        self.list.table(&provenance.to_string(), rows)
    }
}
