//! The types of data tables in SQL, so that an empty column of a run has the type of the others.

use super::{ColumnKind, Field, Schema, ValuePart};

impl Schema {
    /// Returns the description of a row.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the type in SQL of a column of CSV with this header. Columns with the names of items
    /// and their properties, which the schema does not name, are text.
    pub(crate) fn sql_type(&self, key: &str, header: &[&str]) -> &'static str {
        let of_other_seat = || {
            let (start, number) = key.rsplit_once('_')?;
            let is_number = number.chars().all(|digit| digit.is_ascii_digit());
            let first = ["0", "1"].map(|first| format!("{start}_{first}"));
            first.iter().filter(|_| is_number).find_map(|key| self.field(key))
        };
        let field = self.field(key).or_else(of_other_seat);
        let field = field.or_else(|| self.bare_placeholder(key, header));
        let Some(field) = field else { return "VARCHAR" };
        match (field.part, self.columns[field.column].kind) {
            (ValuePart::N, _) => "BIGINT",
            (ValuePart::Low | ValuePart::High, _) => "DOUBLE",
            (ValuePart::Value, kind) => match kind {
                ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_) => "VARCHAR",
                ColumnKind::Integer => "BIGINT",
                ColumnKind::Number | ColumnKind::Estimate | ColumnKind::PValue => "DOUBLE",
            },
        }
    }

    /// Returns the field whose key is a placeholder for `key`, such as `<taken>` if the header has
    /// `built_per_offer` for `<taken>_per_offer`.
    fn bare_placeholder(&self, key: &str, header: &[&str]) -> Option<&Field> {
        let has_other = |placeholder: &str| {
            let ends = self.fields.iter().filter_map(|field| field.key.strip_prefix(placeholder));
            let mut ends = ends.filter(|end| !end.is_empty());
            ends.any(|end| header.contains(&format!("{key}{end}").as_str()))
        };
        self.fields.iter().find(|field| {
            field.key.starts_with('<') && field.key.ends_with('>') && has_other(&field.key)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Columns;
    use crate::{report::html::Unit, stats::ratio::Estimate};

    #[test]
    fn columns_have_the_types_of_their_values() {
        let estimate = Estimate { n: 1, value: 0.5, low: 0.0, high: 1.0 };
        let schema = Columns::<()>::new("things", "One row for each thing.")
            .text("thing", "thing", "Name.", |()| "a")
            .integer("<taken>", "taken", "", |()| 3_i64)
            .estimate("<taken>_per_offer", "", Unit::Percent, "", move |()| estimate)
            .n("offers", "offers")
            .p_value("p", "p", "", |()| 0.5)
            .number("score_0", "score", 2, "", |()| 1.0)
            .schema();
        let keys = ["thing", "built", "built_per_offer", "offers", "p", "size", "score_1"];
        let types = keys.map(|key| schema.sql_type(key, &keys));
        let expected = ["VARCHAR", "BIGINT", "DOUBLE", "BIGINT", "DOUBLE", "VARCHAR", "DOUBLE"];
        assert_eq!(types, expected);
    }
}
