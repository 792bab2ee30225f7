//! Data tables as HTML.

use super::{Column, Kind, Part, TableView, Value};
use crate::{
    report::html::{Cell, HtmlTable},
    stats::ratio::Estimate,
};

impl TableView<'_> {
    /// Returns the view as an HTML table. Columns without values are left out when it is rendered.
    pub fn html(&self, caption: impl Into<String>) -> HtmlTable {
        let fields = || self.fields.iter().map(|field| (self.column(field), field));
        let cells = |row: &&Vec<Value>| {
            fields().map(|(column, field)| cell(column, field.part, &row[field.column])).collect()
        };
        HtmlTable {
            caption: caption.into(),
            headings: fields().map(|(column, field)| column.heading(field.part).into()).collect(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }
}

fn cell(column: &Column, part: Part, value: &Value) -> Cell {
    if let Some((estimate, unit)) = value.estimate(column) {
        return match part {
            Part::N => Cell::count(estimate.n),
            _ if estimate.value.is_nan() => Cell::empty(),
            _ => Cell::estimate(Estimate { n: estimate.n.max(1), ..estimate }, unit),
        };
    }
    if let Some(number) = column.number_from_1(value) {
        return Cell::count(number);
    }
    match value {
        Value::Item(name, label) => Cell::item(name, label),
        Value::Text(text) if column.kind == Kind::Label => Cell::text_or_number(text),
        Value::Text(text) => Cell::text(text),
        &Value::Integer(count) => Cell::count(count),
        &Value::P(p) => Cell::p_value(p),
        _ => Cell::empty(),
    }
}
