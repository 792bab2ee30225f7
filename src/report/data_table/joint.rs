//! The tables of several runs as one: rows with the same names follow each other.

use maud::html;

use super::{Column, ColumnKind, DataTable, Schema, Value};
use crate::{
    report::{
        chart::{IntervalChart, IntervalRow, MIN_OBSERVATIONS, elide_middle},
        html::{Unit, capitalize},
    },
    stats::ratio::Estimate,
};

/// Rows of a chart that shows estimates of few observations, too.
const SHORT: usize = 20;

impl DataTable {
    /// Returns the name of the table.
    pub(crate) fn name(&self) -> &str {
        &self.schema.name
    }

    /// Returns the position of the column of a key.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.schema.columns.iter().position(|column| column.key == key)
    }

    /// Returns the text of a value; empty if it has none.
    pub(crate) fn text(&self, row: usize, key: &str) -> String {
        match self.position(key).map(|column| &self.rows[row][column]) {
            Some(Value::Text(text) | Value::Item(text, _)) => text.clone(),
            Some(Value::Integer(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Returns an estimate, if the table has it.
    pub(crate) fn estimate(&self, row: usize, key: &str) -> Option<Estimate> {
        let column = self.position(key)?;
        let (estimate, _) = self.rows[row][column].estimate(&self.schema.columns[column])?;
        Some(estimate)
    }

    /// Sets the format of estimates of one column, which may depend on the row.
    pub(crate) fn set_units(&mut self, key: &str, unit: impl Fn(&Self, usize, Unit) -> Unit) {
        let Some(column) = self.position(key) else { return };
        let given = self.schema.columns[column].unit;
        let units: Vec<_> = (0..self.rows.len()).map(|row| unit(self, row, given)).collect();
        for (row, unit) in self.rows.iter_mut().zip(units) {
            if let Value::Estimate(estimate) = row[column] {
                row[column] = Value::EstimateIn(estimate, unit);
            }
        }
    }

    /// Keeps the rows for which a condition holds.
    pub(crate) fn retain_rows(&mut self, is_kept: impl Fn(&Self, usize) -> bool) {
        let kept: Vec<_> = (0..self.rows.len()).map(|row| is_kept(self, row)).collect();
        let mut kept = kept.into_iter();
        self.rows.retain(|_| kept.next().unwrap_or_default());
    }

    /// Returns the rows with their names, the label of a run and the values of some columns. Bots
    /// that fill all seats are not named: the label has them.
    fn rows_of_run(&self, run: &str, names: &[Column], keys: &[Column]) -> Vec<Vec<Value>> {
        let value = |row: &[Value], column: &Column| {
            self.position(&column.key).map_or(Value::Missing, |column| row[column].clone())
        };
        let is_only_bot = |column: &Column| {
            let is_bot = ["bot", "lineup"].contains(&column.key.as_str());
            is_bot && self.rows.iter().all(|row| value(row, column) == value(&self.rows[0], column))
        };
        let names: Vec<_> = names.iter().map(|column| (column, is_only_bot(column))).collect();
        let row = |row: &Vec<Value>| {
            let named =
                names.iter().map(
                    |&(column, is_hidden)| {
                        if is_hidden { Value::Missing } else { value(row, column) }
                    },
                );
            let values = keys.iter().map(|column| value(row, column));
            named.chain([run.into()]).chain(values).collect()
        };
        self.rows.iter().map(row).collect()
    }

    /// Joins these columns of the tables of several runs, which have labels. Names that are the
    /// same in all rows are left out. Ranked rows begin with the highest estimates of the first
    /// run. Returns `None` if there is no row.
    pub(crate) fn joined(
        tables: &[(String, Self)],
        keys: &[&str],
        is_ranked: bool,
    ) -> Option<Self> {
        let (_, Self { schema: first, .. }) = tables.first()?;
        let names = first.name_columns().into_iter().map(|index| first.columns[index].clone());
        let names: Vec<_> = names.collect();
        let find = |key: &&str| first.columns.iter().find(|column| column.key == *key).cloned();
        let keys: Vec<_> = keys.iter().filter_map(find).collect();
        let (end, run) = (names.len(), Column::new("run", ColumnKind::Text, ""));
        let rows = tables.iter().flat_map(|(run, table)| table.rows_of_run(run, &names, &keys));
        let mut rows: Vec<_> = rows.collect();
        rows.retain(|row| row.get(end + 1).is_some_and(|value| *value != Value::Missing));
        let mut order: Vec<&Vec<Value>> = Vec::new();
        for row in &rows {
            if order.iter().all(|other| other[..end] != row[..end]) {
                order.push(row);
            }
        }
        if is_ranked {
            let estimate = |row: &[Value]| {
                row[end + 1].estimate(&keys[0]).map_or(f64::NAN, |known| known.0.value)
            };
            order.sort_by(|one, other| estimate(other).total_cmp(&estimate(one)));
        }
        let order: Vec<_> = order.into_iter().map(|row| row[..end].to_vec()).collect();
        rows.sort_by_key(|row| order.iter().position(|names| *names == row[..end]));
        let columns: Vec<_> = names.into_iter().chain([run]).chain(keys).collect();
        let differs = |column| rows.iter().any(|row: &Vec<Value>| row[column] != rows[0][column]);
        let is_shown =
            |&column: &usize| column > end || differs(column) || rows.len() == 1 && column < end;
        let shown: Vec<_> = (0..columns.len()).filter(is_shown).collect();
        let mut schema = Schema::new(first.name.clone(), first.title.clone());
        for &column in &shown {
            let mut column = columns[column].clone();
            // Words have names for people here.
            if matches!(column.kind, ColumnKind::Word(_)) {
                column.kind = ColumnKind::Text;
            }
            schema = schema.column(column);
        }
        let row = |row: &Vec<Value>| shown.iter().map(|&column| row[column].clone()).collect();
        let rows: Vec<_> = rows.iter().map(row).collect();
        (!rows.is_empty()).then(|| Self::new(schema, rows))
    }

    /// Keeps the first and the last rows.
    pub(crate) fn keep_ends(&mut self, max_rows: usize) {
        let removed = self.rows.len().saturating_sub(max_rows);
        let middle = max_rows.min(self.rows.len()) / 2;
        self.rows.drain(middle..middle + removed);
    }

    /// Returns the title of the first estimate.
    pub(crate) fn estimate_title(&self) -> &str {
        let mut columns = self.schema.columns.iter();
        let found = columns.find(|column| column.kind == ColumnKind::Estimate);
        found.map_or("", |column| &column.title)
    }

    /// Returns a chart of the first estimate of each row with enough observations, if they have the
    /// same unit.
    pub(crate) fn chart(&self, sentence: &str) -> Option<IntervalChart> {
        let is_estimate = |column: &Column| column.kind == ColumnKind::Estimate;
        let estimated = self.schema.columns.iter().position(is_estimate)?;
        let column = &self.schema.columns[estimated];
        let mut units = Vec::new();
        let mut rows = Vec::new();
        for row in &self.rows {
            let Some((estimate, unit)) = row[estimated].estimate(column) else { continue };
            units.push(unit);
            let mut badge = html! {};
            let names = self.schema.columns.iter().zip(&row[..estimated]);
            let names = names.filter_map(|(column, value)| match value {
                Value::Item(name, label) => {
                    badge = html! { @if name != label { small.id { (name) } } };
                    Some(label.clone())
                }
                Value::Text(text) => Some(text.clone()),
                value => Some(format!("{} {}", column.title, column.number_from_1(value)?)),
            });
            let names = names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
            let label = capitalize(if names.is_empty() { &column.title } else { &names });
            if estimate.n >= MIN_OBSERVATIONS || self.rows.len() <= SHORT {
                let estimate = Estimate { n: estimate.n.max(1), ..estimate };
                rows.push(IntervalRow { label, badge, estimates: vec![estimate] });
            }
        }
        let unit = *units.first().filter(|first| units.iter().all(|unit| unit == *first))?;
        let elided = elide_middle(&mut rows);
        let sentence = format!("{sentence}.{elided}");
        Some(IntervalChart::new(sentence, unit, &[&column.title], rows))
    }
}
