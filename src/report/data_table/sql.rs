//! The types of data tables in SQL, so that an empty column of a run has the type of the others.

use super::{ColumnKind, Schema, ValuePart};

impl Schema {
    /// Returns the description of a row.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the type in SQL of a column of CSV. Columns with the names of items and their
    /// properties, which the schema does not name, are text.
    pub(crate) fn sql_type(&self, key: &str) -> &'static str {
        let Some(field) = self.field(key) else { return "VARCHAR" };
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
            .schema();
        let keys = ["thing", "built_per_offer", "built_per_offer_ci_low", "offers", "p", "size"];
        let types = keys.map(|key| schema.sql_type(key));
        assert_eq!(types, ["VARCHAR", "DOUBLE", "DOUBLE", "BIGINT", "DOUBLE", "VARCHAR"]);
    }
}
