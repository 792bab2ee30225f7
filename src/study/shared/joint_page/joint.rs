//! Estimates of several runs, joined by the names of their rows.

use maud::{Markup, Render as _, html};

use super::{main_tables::MainTable, saved_run::SavedRun};
use crate::{
    arena::metric::Metric,
    game::TURN_POSITION_NAMES,
    report::{
        chart::{IntervalChart, IntervalRow, MIN_OBSERVATIONS, elide_middle},
        data_table::saved::{SavedColumn, SavedTable},
        html::{HtmlTable, TableCell, Unit, capitalize, item_label},
        study_page::{difference_unit, metric_unit},
    },
    stats::ratio::Estimate,
    study::shared::health_questions,
};

/// Maximum number of series of a chart.
const MAX_SERIES: usize = 3;

/// The estimates of one column of one table in several runs.
#[derive(Clone, Debug)]
pub(super) struct JointColumn {
    /// Name of the table.
    pub(super) table: String,
    /// Key of the estimate in the schema.
    pub(super) key: String,
    /// Name for people.
    pub(super) title: String,
    has_chart: bool,
    /// Titles of the columns that name a row.
    names: Vec<String>,
    pub(super) rows: Vec<JointRow>,
}

/// A row of a table with its estimate in each run.
#[derive(Clone, Debug)]
pub(super) struct JointRow {
    /// The values that identify the row.
    id: Vec<String>,
    /// The values for people, with the name of the item beside its label.
    names: Vec<(String, Markup)>,
    unit: Unit,
    /// An estimate for each run; `None` if the run does not have the row.
    pub(super) estimates: Vec<Option<Estimate>>,
    /// Words beside the estimate of each run, such as a verdict.
    remarks: Vec<String>,
}

impl JointColumn {
    /// Joins the estimates of a main table. The runs are of the same command.
    pub(super) fn join(runs: &[&SavedRun], name: &str, main: &MainTable) -> Vec<Self> {
        let tables: Vec<_> = runs.iter().map(|run| run.table(name)).collect();
        let mut joined = Vec::new();
        for key in main.columns {
            let mut column = Self {
                table: name.to_owned(),
                key: (*key).to_owned(),
                title: String::new(),
                has_chart: main.has_chart,
                names: Vec::new(),
                rows: Vec::new(),
            };
            for (run, table) in tables.iter().enumerate() {
                if let Some((table, estimate)) =
                    table.and_then(|table| Some((table, table.column(key)?)))
                {
                    column.title.clone_from(&estimate.title);
                    column.add_run(table, estimate, main, run, runs.len());
                }
            }
            column.remove_constant_names();
            if main.is_by_metric {
                joined.extend(column.split_by_metric());
            } else {
                joined.push(column);
            }
        }
        joined.retain(|column| !column.rows.is_empty());
        joined
    }

    fn add_run(
        &mut self,
        table: &SavedTable,
        estimate: &SavedColumn,
        main: &MainTable,
        run: usize,
        runs: usize,
    ) {
        let is_shown = |row: &&csv::StringRecord| {
            let has = |(key, value): &(&str, &str)| {
                table.column(key).is_none_or(|column| column.text(row) == *value)
            };
            main.rows.iter().all(has)
        };
        // Runs with one bot each are compared whatever bots they are.
        let is_constant = |column: &&SavedColumn| {
            let mut values = table.rows.iter().map(|row| column.text(row));
            let first = values.next();
            values.all(|value| Some(value) == first)
        };
        let is_filter = |key: &str| main.rows.iter().any(|(name, _)| *name == key);
        let keys: Vec<_> = table
            .keys()
            .filter(|column| !is_filter(&column.key))
            .map(|column| {
                let is_bots = ["bot", "lineup"].contains(&column.key.as_str());
                (column, is_bots && is_constant(&column))
            })
            .collect();
        if self.names.is_empty() {
            self.names = keys.iter().map(|(column, _)| column.title.clone()).collect();
        }
        for row in table.rows.iter().filter(is_shown) {
            let Some(value) = estimate.estimate(row) else { continue };
            let id = keys.iter().map(|(column, is_hidden)| {
                if *is_hidden { String::new() } else { column.text(row).to_owned() }
            });
            let id: Vec<_> = id.collect();
            let index = self.rows.iter().position(|row| row.id == id).unwrap_or_else(|| {
                let label = table.label(row);
                let names = keys.iter().zip(&id).map(|((column, _), text)| {
                    let is_item = ["<item>", "item", "name"].contains(&column.key.as_str());
                    if let Some(label) = label.filter(|_| is_item) {
                        return (label.to_owned(), item_label(text, label));
                    }
                    let shown = name_for_people(column, text);
                    (shown.clone(), shown.render())
                });
                let names = names.collect();
                let unit = unit_of_row(table, estimate, row);
                self.rows.push(JointRow {
                    id,
                    names,
                    unit,
                    estimates: vec![None; runs],
                    remarks: vec![String::new(); runs],
                });
                self.rows.len() - 1
            });
            self.rows[index].estimates[run] = Some(value);
            let remark = table.column(main.remark).filter(|_| main.columns[0] == self.key);
            let words = remark.map_or("", |remark| remark.text(row));
            self.rows[index].remarks[run] = words.replace('+', ", ").replace('_', " ");
        }
    }

    /// Removes columns that have the same value in all rows.
    fn remove_constant_names(&mut self) {
        if self.rows.len() < 2 {
            return;
        }
        for index in (0..self.names.len()).rev() {
            let first = &self.rows[0].id[index];
            if self.rows.iter().all(|row| row.id[index] == *first) {
                self.names.remove(index);
                for row in &mut self.rows {
                    row.id.remove(index);
                    row.names.remove(index);
                }
            }
        }
    }

    /// Divides the rows by metric, in the order of their first rows.
    fn split_by_metric(self) -> Vec<Self> {
        let Some(index) = self.names.iter().position(|name| name == "metric") else {
            return vec![self];
        };
        let mut parts: Vec<Self> = Vec::new();
        for mut row in self.rows {
            let metric = row.id.remove(index);
            let (title, _) = row.names.remove(index);
            let table = format!("{} {metric}", self.table);
            let part = parts.iter().position(|part| part.table == table).unwrap_or_else(|| {
                let mut names = self.names.clone();
                names.remove(index);
                let title = match self.title.as_str() {
                    "mean" => title,
                    estimate => format!("{title}, {estimate}"),
                };
                parts.push(Self {
                    table,
                    title,
                    names,
                    key: self.key.clone(),
                    has_chart: self.has_chart,
                    rows: Vec::new(),
                });
                parts.len() - 1
            });
            parts[part].rows.push(row);
        }
        parts
    }

    /// Returns true if the rows are of one metric of several.
    pub(super) fn is_by_metric(&self) -> bool {
        self.table.contains(' ')
    }

    /// Returns true if the rows are of this metric.
    pub(super) fn is_of(&self, metric: Metric) -> bool {
        self.table.split(' ').nth(1) == Some(metric.name())
    }

    /// Returns the row with these values.
    pub(super) fn row(&self, id: &str) -> Option<&JointRow> {
        self.rows.iter().find(|row| row.id.iter().any(|value| value == id))
    }

    /// Returns true if the table has rows of an item.
    pub(super) fn has_item(&self, item: &str) -> bool {
        self.rows.iter().any(|row| row.is_of(item))
    }

    /// Keeps the rows of an item, if there are any, in their order.
    pub(super) fn keep_item(&mut self, item: &str) {
        let label = self.rows.iter().find(|row| row.is_of(item)).map(|row| row.names[0].0.clone());
        if let Some(label) = label {
            self.title = format!("{} of {label}", self.title);
            self.rows.retain(|row| row.is_of(item));
            self.remove_constant_names();
        }
    }

    /// Keeps the rows of the first lineup if there are several.
    pub(super) fn keep_first_lineup(&mut self) {
        let Some(index) = self.names.iter().position(|name| name == "lineup") else { return };
        let Some(first) = self.rows.first().map(|row| row.id[index].clone()) else { return };
        self.rows.retain(|row| row.id[index] == first);
        self.title = format!("{}, by {first}", self.title);
        self.remove_constant_names();
    }

    /// Keeps the rows at both ends, of those with enough observations.
    pub(super) fn keep_ends(&mut self, max_rows: usize) {
        if self.rows.len() <= max_rows {
            return;
        }
        self.rows.retain(JointRow::has_enough_observations);
        self.sort();
        if self.rows.len() <= max_rows {
            return;
        }
        let removed = self.rows.len() - max_rows;
        self.rows.drain(max_rows.div_ceil(2)..max_rows.div_ceil(2) + removed);
        self.title = format!("{}, highest and lowest {max_rows}", self.title);
    }

    /// Sorts the rows by the estimates of the first run that has them, the highest first.
    fn sort(&mut self) {
        self.rows.sort_by(|one, other| other.first_value().total_cmp(&one.first_value()));
    }

    /// Returns the table and the title, as in `Buildings: win rate with`.
    pub(super) fn full_title(&self) -> String {
        let table = section_title(&self.table);
        match self.title.as_str() {
            title if table.eq_ignore_ascii_case(title) => table,
            title => format!("{table}: {title}"),
        }
    }

    /// Renders the chart: a series for each run or, if there are too many, a row.
    pub(super) fn chart(&self, runs: &[String]) -> Option<Markup> {
        let [first, ..] = &self.rows[..] else { return None };
        let same_unit = self.rows.iter().all(|row| row.unit == first.unit);
        if !self.has_chart || !same_unit {
            return None;
        }
        let empty = Estimate { n: 0, value: 0.0, low: 0.0, high: 0.0 };
        let mut column = self.clone();
        if self.is_item_table() {
            column.rows.retain(JointRow::has_enough_observations);
            column.sort();
        }
        let rows = column.rows.iter().map(|row| {
            let names: Vec<_> = row.names.iter().map(|(name, _)| name.as_str()).collect();
            let label = match names.join(", ") {
                label if label.is_empty() => self.title.clone(),
                label => capitalize(&label),
            };
            let badge = match (&row.names[..], &row.id[..]) {
                ([(name, _), ..], [id, ..]) if name != id && self.is_item_table() => {
                    html! { small.id { (id) } }
                }
                _ => html! {},
            };
            let estimates = row.estimates.iter().map(|estimate| {
                estimate.map_or(empty, |estimate| Estimate { n: estimate.n.max(1), ..estimate })
            });
            IntervalRow { label, badge, estimates: estimates.collect() }
        });
        let (mut rows, series) = if runs.len() > MAX_SERIES {
            (rows.flat_map(|row| rows_by_run(row, runs)).collect(), vec![self.title.clone()])
        } else {
            (rows.collect::<Vec<_>>(), runs.to_vec())
        };
        let elided = elide_middle(&mut rows);
        let sentence = format!("{}.{elided}", self.full_title());
        let chart = IntervalChart { sentence, unit: first.unit, series, reference: None, rows };
        Some(chart.render())
    }

    fn is_item_table(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.names.iter().any(|(_, markup)| markup.0.contains("class=\"id\"")))
    }

    /// Returns the table with a column for each run.
    pub(super) fn table(&self, runs: &[String]) -> HtmlTable {
        let names = if self.names.is_empty() { vec![String::new()] } else { self.names.clone() };
        let cells = |row: &JointRow| {
            let mut cells: Vec<_> =
                row.names.iter().map(|(_, markup)| TableCell::text(markup.clone())).collect();
            if cells.is_empty() {
                cells.push(TableCell::text(&self.title));
            }
            let estimates = row.estimates.iter().zip(&row.remarks);
            cells.extend(estimates.map(|(estimate, remark)| match *estimate {
                Some(estimate) => TableCell::estimate_with_n(estimate, row.unit, remark),
                None => TableCell::empty(),
            }));
            cells
        };
        HtmlTable {
            caption: self.full_title(),
            headings: names.into_iter().chain(runs.iter().cloned()).collect(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }
}

impl JointRow {
    /// Returns true if the row is that of an item.
    fn is_of(&self, item: &str) -> bool {
        self.id.first().is_some_and(|id| id == item)
    }

    /// Returns true if a run has the minimum number of observations for a chart of many estimates.
    fn has_enough_observations(&self) -> bool {
        self.estimates.iter().flatten().any(|estimate| estimate.n >= MIN_OBSERVATIONS)
    }

    /// Returns the estimate of the first run that has one.
    fn first_value(&self) -> f64 {
        self.estimates.iter().flatten().next().map_or(f64::NAN, |estimate| estimate.value)
    }
}

/// Divides a row with an estimate of each run into a row for each run that has one.
fn rows_by_run(row: IntervalRow, runs: &[String]) -> Vec<IntervalRow> {
    let IntervalRow { label, badge, estimates } = row;
    let of_run = |(estimate, run): (Estimate, &String)| IntervalRow {
        label: format!("{label}, {run}"),
        badge: badge.clone(),
        estimates: vec![estimate],
    };
    // A run without the row has an estimate without observations.
    let is_missing = |estimate: &Estimate| estimate.n == 0;
    let estimates = estimates.into_iter().zip(runs);
    estimates.filter(|(estimate, _)| !is_missing(estimate)).map(of_run).collect()
}

/// Returns the name of a table that may be divided by metric.
pub(super) fn table_name(table: &str) -> &str {
    table.split(' ').next().unwrap_or(table)
}

/// Returns the title of a table.
pub(super) fn section_title(table: &str) -> String {
    match table_name(table) {
        "card" => "Health card".to_owned(),
        "forks" => "Effects of items".to_owned(),
        name => capitalize(&name.replace('_', " ")),
    }
}

/// Returns a value of a column for people.
fn name_for_people(column: &SavedColumn, text: &str) -> String {
    let number = text.parse::<usize>().ok();
    match column.key.as_str() {
        "turn_position" => number
            .and_then(|index| TURN_POSITION_NAMES.get(index))
            .map_or(text, |name| name)
            .to_owned(),
        "of" => {
            let position = text.strip_prefix("turn position ").and_then(|text| text.parse().ok());
            let name = position.and_then(|index: usize| TURN_POSITION_NAMES.get(index));
            let seat = text.strip_prefix("seat ").and_then(|text| text.parse::<usize>().ok());
            match (name, seat) {
                (Some(name), _) => (*name).to_owned(),
                (None, Some(seat)) => format!("player {}", seat + 1),
                (None, None) => text.to_owned(),
            }
        }
        "metric" => Metric::from_name(text).map_or(text, |metric| metric.title()).to_owned(),
        "question" => match health_questions::question(text) {
            Some((title, _)) => title.into_owned(),
            None => text.to_owned(),
        },
        _ => match number.filter(|_| column.is_counted_from_1) {
            Some(number) => (number + 1).to_string(),
            None => text.to_owned(),
        },
    }
}

/// Returns the format of the estimate of a row, which may depend on the metric or the question.
fn unit_of_row(table: &SavedTable, estimate: &SavedColumn, row: &csv::StringRecord) -> Unit {
    let text = |key: &str| table.column(key).map(|column| column.text(row));
    let metric = text("metric").and_then(Metric::from_name);
    match (metric, estimate.unit) {
        (Some(metric), Unit::Signed(_)) => difference_unit(metric),
        (Some(metric), Unit::Decimals(_)) => metric_unit(metric),
        (None, Unit::Decimals(_)) if table.name == "card" => text("question")
            .and_then(health_questions::question)
            .map_or(estimate.unit, |(_, unit)| unit),
        (_, unit) => unit,
    }
}
