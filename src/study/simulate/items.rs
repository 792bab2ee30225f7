//! The items that are shown, and their owners compared with those of the other items of the table.

use super::analysis::RunAnalysis;
use crate::{
    stats::stratified::StratifiedDifference,
    study::shared::{judged::compare_owners, prelude::*},
};

/// Items of a table that are shown, with their counts.
#[derive(Clone, Debug)]
pub(crate) struct ShownItems {
    /// The table, with these items only; its identifiers are those of all items.
    pub(crate) items: ItemTable,
    /// The counts of each item.
    pub(crate) tallies: Vec<ItemTally>,
    /// The owners of each item, compared with those of all others; empty if the game does not
    /// report them.
    pub(crate) comparisons: Vec<StratifiedDifference>,
}

impl RunAnalysis<'_> {
    /// Returns the items of the families to show, table by table.
    pub(crate) fn shown_items(&self, catalog: &ItemCatalog) -> Vec<ShownItems> {
        let only = &self.setup.question.only;
        // The settings of a run have existing families only.
        let families: Vec<_> =
            only.iter().filter_map(|family| find_family(catalog, family).ok()).collect();
        let is_shown =
            |id: &ItemId| only.is_empty() || families.iter().flatten().any(|one| one == id);
        let shown = catalog.tables().iter().map(|table| {
            let ids = table.ids();
            let shown: Vec<_> = (0..table.items.len()).filter(|&i| is_shown(&ids.get(i))).collect();
            let (tallies, comparisons) =
                (self.item_tallies(table), compare_owners(self.tally, table, self.players()));
            let mut items = table.clone();
            items.items = shown.iter().map(|&item| table.items[item].clone()).collect();
            ShownItems {
                items,
                tallies: shown.iter().map(|&item| tallies[item]).collect(),
                comparisons: shown
                    .iter()
                    .filter_map(|&item| comparisons.get(item).copied())
                    .collect(),
            }
        });
        shown.filter(|shown| only.is_empty() || !shown.tallies.is_empty()).collect()
    }
}
