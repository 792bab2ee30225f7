//! The column reference of data tables in Markdown.

use std::fmt::Write as _;

use super::{Column, ColumnKind, Schema, ValuePart};
use crate::report::html::Unit;

impl Schema {
    /// Returns the description of the columns as Markdown.
    pub fn markdown(&self) -> String {
        let title = self.title.replace('<', "\\<");
        let mut text = format!("### `{}`\n\n{title}\n\n", self.file_name());
        text += "| column | type | unit | description |\n|---|---|---|---|\n";
        for field in &self.fields {
            let column = &self.columns[field.column];
            let (key, unit) = (&column.key, column.unit_text().to_owned());
            let end = |end: &str| format!("{end} end of the 95 % confidence interval of `{key}`.");
            let cells = match field.part {
                ValuePart::Value => [column.type_name(), unit, column.description.clone()],
                ValuePart::N => ["integer", "", &format!("Number of observations of `{key}`.")]
                    .map(str::to_owned),
                ValuePart::Low => [column.type_name(), unit, end("Lower")],
                ValuePart::High => [column.type_name(), unit, end("Upper")],
            };
            let _ = writeln!(text, "| `{}` | {} |", field.key, cells.join(" | "));
        }
        text
    }
}

impl Column {
    fn type_name(&self) -> String {
        match self.kind {
            ColumnKind::Text | ColumnKind::Label => "text".to_owned(),
            ColumnKind::Word(words) => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            }
            ColumnKind::Integer => "integer".to_owned(),
            ColumnKind::Number | ColumnKind::Estimate => format!("decimal ({})", self.decimals),
            ColumnKind::PValue => "p-value".to_owned(),
        }
    }

    fn unit_text(&self) -> &'static str {
        match (self.unit_name, self.unit) {
            ("", Unit::Percent) => "share of 1",
            ("", Unit::PercentagePoints) => "difference of shares",
            (name, _) => name,
        }
    }
}
