//! The edited values of a data file, and the items that they belong to.

use crate::{config::difference::Difference, study::shared::prelude::*};

/// Maximum number of characters of a value in a sentence.
const MAX_VALUE: usize = 40;
/// Maximum number of edits in a sentence.
const MAX_EDITS: usize = 3;

/// An edited value of a data file.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    /// Key, old and new value.
    pub(crate) difference: Difference,
    /// The item that the value belongs to, if it belongs to one.
    pub(crate) item: Option<ItemId>,
}

impl Edit {
    /// Creates the edit of a key.
    pub(crate) fn new(difference: Difference, catalog: &ItemCatalog) -> Self {
        Self { item: catalog.item_of_key(&difference.key), difference }
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

    /// States the first of some edits; `None` if there are none.
    pub(crate) fn list(edits: &[Self], catalog: &ItemCatalog) -> Option<String> {
        let shown = &edits[..edits.len().min(MAX_EDITS)];
        let text = |(index, edit): (usize, &Self)| {
            // Several edits of an item name it once, and their list.
            let parent = |edit: &Self| {
                let parts = edit.difference.key.rsplit_once('.');
                parts.map(|(parent, _)| parent.to_owned())
            };
            let previous = index.checked_sub(1).map(|index| &shown[index]);
            let is_sibling = previous.is_some_and(|previous| {
                edit.item.is_some()
                    && edit.item == previous.item
                    && parent(edit) == parent(previous)
            });
            let key = edit.difference.key.as_str();
            let key = key.rsplit('.').next().filter(|_| is_sibling).unwrap_or(key);
            let next = shown.get(index + 1).and_then(|next| next.item);
            let item = edit.item.filter(|_| edit.item != next);
            let label = item.map(|item| format!(" ({})", catalog.item(item).label));
            format!("{key}: {}{}", edit.change(), label.unwrap_or_default())
        };
        let mut texts: Vec<_> = shown.iter().enumerate().map(text).collect();
        if edits.len() > MAX_EDITS {
            texts.push(format!("and {} more", edits.len() - MAX_EDITS));
        }
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// Returns the edits of the built-in data that lead to a data file.
    pub(crate) fn of_built_in(data: &Document, game: &BoundGame) -> Vec<Self> {
        let built_in = Document::embedded(game.id(), game.library().profiles.built_in);
        Self::between(&built_in, data, game.catalog()).unwrap_or_default()
    }

    /// States the old and the new value.
    fn change(&self) -> String {
        let Difference { old, new, .. } = &self.difference;
        match (old, new) {
            (Some(old), Some(new)) => format!("{} → {}", shorten(old), shorten(new)),
            // The parts of a new item say little in a sentence.
            (None, Some(_)) if self.item.is_some() => "added".to_owned(),
            (None, Some(new)) => format!("added, {}", shorten(new)),
            (Some(_), None) => "removed".to_owned(),
            (None, None) => String::new(),
        }
    }
}

fn shorten(value: &str) -> String {
    if value.chars().count() <= MAX_VALUE {
        return value.to_owned();
    }
    value.chars().take(MAX_VALUE - 1).chain(['…']).collect()
}
