//! The data files that bots play on.

use crate::config::{ConfigError, Document, difference::Difference};

/// Largest number of changed values of components of a small edit.
const MAX_SMALL_EDITS: usize = 3;

/// Data file that bots play on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedData {
    /// Name of the file.
    pub name: String,
    /// Hash of the values that affect play, by [`Document::values_sha256`].
    pub values_sha256: String,
    /// Hash of the built-in data file if this one differs from it in few values of components,
    /// which hardly changes good play.
    pub small_edit_of: Option<String>,
}

impl PlayedData {
    /// Describes a data file.
    ///
    /// # Errors
    /// Returns an error if one of the files is not TOML.
    pub(super) fn new(document: &Document, built_in: &Document) -> Result<Self, ConfigError> {
        // Most commands use the built-in file, whose text need not be compared.
        let is_small = document.text != built_in.text && is_small_edit(built_in, document)?;
        Ok(Self {
            name: document.name.clone(),
            values_sha256: document.values_sha256()?,
            small_edit_of: is_small.then(|| built_in.values_sha256()).transpose()?,
        })
    }

    /// Returns true if a bot that was learned on data with this hash may play worse on the file.
    pub(super) fn is_other_than(&self, learned_on: &str) -> bool {
        self.values_sha256 != learned_on && self.small_edit_of.as_deref() != Some(learned_on)
    }
}

/// Returns true if a file differs from an old one in few values of list entries, such as the cost
/// of a building, and in nothing else.
fn is_small_edit(old: &Document, new: &Document) -> Result<bool, ConfigError> {
    let file = old.table()?;
    let is_of_entry = |key: &str| {
        let list = key.split_once('.').and_then(|(list, _)| file.get(list));
        list.is_some_and(toml::Value::is_array)
    };
    let is_label = |key: &str| ["name", "provenance"].contains(&key) || key.starts_with("targets");
    let differences = new.differences_from(old)?;
    let edits: Vec<_> = differences.iter().filter(|edit| !is_label(&edit.key)).collect();
    let is_small =
        |edit: &&Difference| edit.old.is_some() && edit.new.is_some() && is_of_entry(&edit.key);
    Ok(edits.len() <= MAX_SMALL_EDITS && edits.iter().all(is_small))
}
