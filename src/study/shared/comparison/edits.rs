//! The edited values of a data file, and the items that they belong to.

use crate::{
    config::{ConfigError, Document, difference::Difference},
    game::{Item, ItemCatalog, ItemId},
};

/// Maximum number of characters of a value in a sentence.
const MAX_VALUE: usize = 40;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Edit {
    /// Key, old and new value.
    pub(crate) difference: Difference,
    /// The item that the value belongs to, if it belongs to one.
    pub(crate) item: Option<ItemId>,
}

impl Edit {
    /// Creates the edit of a key.
    pub(crate) fn new(difference: Difference, catalog: &ItemCatalog) -> Self {
        Self { item: edited_item(&difference.key, catalog), difference }
    }

    /// Returns the edits that lead from one data file to another, without those of names and of
    /// the provenance.
    ///
    /// # Errors
    /// Returns an error if a text is not TOML.
    pub(crate) fn between(
        old: &Document,
        new: &Document,
        catalog: &ItemCatalog,
    ) -> Result<Vec<Self>, ConfigError> {
        let differences = new.differences_from(old)?.into_iter();
        let is_played = |edit: &Self| {
            let key = edit.difference.key.as_str();
            let is_name = edit.item.is_some() && key.rsplit('.').next() == Some("name");
            let is_target = key == "targets" || key.starts_with("targets.");
            !(is_name || is_target || ["name", "provenance"].contains(&key))
        };
        Ok(differences.map(|difference| Self::new(difference, catalog)).filter(is_played).collect())
    }

    /// States key, old and new value, with the label of the item.
    pub(crate) fn text(&self, catalog: &ItemCatalog) -> String {
        let Difference { key, old, new } = &self.difference;
        let change = match (old, new) {
            (Some(old), Some(new)) => format!("{} → {}", shorten(old), shorten(new)),
            (None, Some(new)) => format!("added, {}", shorten(new)),
            (Some(_), None) => "removed".to_owned(),
            (None, None) => String::new(),
        };
        let label = self.item.map(|item| format!(" ({})", catalog.item(item).label));
        format!("{key}: {change}{}", label.unwrap_or_default())
    }
}

fn shorten(value: &str) -> String {
    if value.chars().count() <= MAX_VALUE {
        return value.to_owned();
    }
    value.chars().take(MAX_VALUE - 1).chain(['…']).collect()
}

/// Returns the item of a key such as `building.w2c1.cost.wood`.
pub(crate) fn edited_item(key: &str, catalog: &ItemCatalog) -> Option<ItemId> {
    let (list, rest) = key.split_once('.')?;
    let name = rest.split_once('.').map_or(rest, |(name, _)| name);
    let is_edited = |&id: &ItemId| {
        let Item { name: other, .. } = catalog.item(id);
        catalog.table(id).data_key == Some(list) && other == name
    };
    catalog.ids().find(is_edited)
}
