//! Data tables as HTML.

use super::{Column, ColumnKind, TableView, Value, ValuePart};
use crate::{
    report::html::{HtmlTable, TableCell},
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
            is_open: false,
        }
    }
}

fn cell(column: &Column, part: ValuePart, value: &Value) -> TableCell {
    if let Some((estimate, unit)) = value.estimate(column) {
        return match part {
            ValuePart::N => TableCell::count(estimate.n),
            _ if estimate.value.is_nan() => TableCell::empty(),
            _ => TableCell::estimate(Estimate { n: estimate.n.max(1), ..estimate }, unit),
        };
    }
    if let Some(number) = column.number_from_1(value) {
        return TableCell::count(number);
    }
    match value {
        Value::Item(name, label) => TableCell::item(name, label),
        Value::Text(text) if column.kind == ColumnKind::Label => TableCell::text_or_number(text),
        Value::Text(text) => TableCell::text(text),
        &Value::Integer(count) => TableCell::count(count),
        &Value::P(p) => TableCell::p_value(p),
        _ => TableCell::empty(),
    }
}
