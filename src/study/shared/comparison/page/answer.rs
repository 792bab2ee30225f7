//! The edits, and the rows that the bots are asked about.

use crate::study::shared::{
    comparison::{
        analysis::{ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow},
        edits::Edit,
        tables::sort_order,
    },
    prelude::*,
};

impl<'a> DataComparison<'a> {
    /// States the edited keys with their old and new values.
    pub(crate) fn edits_sentence(&self) -> Option<String> {
        let catalog = &self.metrics.catalog;
        if let ComparisonLayout::ByValue { key: None, values } = self.layout {
            let changes = self.edits.iter().zip(&values[1..]);
            let changes = changes.map(|(edits, file)| {
                format!("{file}: {}", Edit::list(edits, catalog).unwrap_or("no change".to_owned()))
            });
            let changes = changes.collect::<Vec<_>>().join(". ");
            return Some(format!("Compared with {}. {changes}.", values[0]));
        }
        if let ComparisonLayout::ByValue { key: Some(key), values } = self.layout {
            let label = self.edited_items().first().map(|&item| &catalog.item(item).label);
            let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
            let order = sort_order(values).into_iter();
            let shown = order.map(|index| {
                let file = if index == 0 { " (the data file)" } else { "" };
                format!("{}{file}", values[index])
            });
            return Some(format!("{key}{label} at {}.", join_with_and(shown)));
        }
        let edits = self.edits.first()?;
        let texts = Edit::list(edits, catalog)?;
        Some(format!("{}: {texts}.", format_count(edits.len(), "change")))
    }

    /// Returns the differences of a lineup that the answer states, as far as they are observed.
    pub(crate) fn answered_rows(&self, result: &ComparisonResult) -> Vec<&DifferenceRow<'a>> {
        let items = self.edited_items().into_iter();
        let of_items = items.flat_map(|item| self.rows_of_item(result, item));
        let of_game = self.families.first().map(|game| game.rows_of(result)).unwrap_or_default();
        let is_shown = |row: &&DifferenceRow<'_>| {
            row.is_answered && row.estimates.iter().all(|estimate| estimate.n > 0)
        };
        of_items.chain(of_game).filter(is_shown).collect()
    }

    /// Returns the label of an item with its name.
    pub(crate) fn item_label(&self, item: ItemId) -> String {
        let item = self.metrics.catalog.item(item);
        if item.label == item.name {
            item.label.clone()
        } else {
            format!("{} ({})", item.label, item.name)
        }
    }

    /// Returns the rows of an item with a lineup, by metric and variant.
    pub(crate) fn rows_of_item(
        &self,
        result: &ComparisonResult,
        item: ItemId,
    ) -> Vec<&DifferenceRow<'a>> {
        let rows = self.families.iter().flat_map(|family| family.rows_of(result));
        rows.filter(|row| row.metric.item() == Some(item)).collect()
    }
}
