//! The data files that bots play on.

use crate::config::{ConfigError, Document, difference::Difference, vary::EditRanges};

/// Data file that bots play on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedData {
    /// Name of the file.
    pub name: String,
    /// Hash of the values that affect play, by [`Document::values_sha256`].
    pub values_sha256: String,
    /// Hash of the built-in data file.
    built_in_sha256: String,
    /// Keys of the differences from the built-in file that its random edits do not cover.
    unusual_keys: Vec<String>,
}

/// The data files on which a bot was trained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Learned<'a> {
    /// Hash of the values of the data file.
    pub(super) values_sha256: &'a str,
    /// True if it has also learned from files with the random edits of the game.
    pub(super) with_edits: bool,
}

impl PlayedData {
    /// Describes a data file of a game whose data files vary by these edits.
    ///
    /// # Errors
    /// Returns an error if one of the files is not TOML.
    pub(super) fn new(
        document: &Document,
        built_in: &Document,
        ranges: Option<&EditRanges>,
    ) -> Result<Self, ConfigError> {
        let is_label =
            |key: &str| ["name", "provenance"].contains(&key) || key.starts_with("targets");
        let is_unusual = |difference: &Difference| {
            !is_label(&difference.key) && !ranges.is_some_and(|ranges| ranges.cover(difference))
        };
        // Most commands use the built-in file, whose text need not be compared.
        let differences = if document.text == built_in.text {
            Vec::new()
        } else {
            document.differences_from(built_in)?
        };
        Ok(Self {
            name: document.name.clone(),
            values_sha256: document.values_sha256()?,
            built_in_sha256: built_in.values_sha256()?,
            unusual_keys: differences.into_iter().filter(is_unusual).map(|one| one.key).collect(),
        })
    }

    /// Returns the keys of the file whose values are not in the training of a bot, none if they are
    /// not known; `None` if the bot was trained on such a file.
    pub(super) fn unknown_to(&self, learned: Learned<'_>) -> Option<&[String]> {
        let Self { values_sha256, built_in_sha256, unusual_keys, .. } = self;
        let knows_edits = learned.with_edits && learned.values_sha256 == built_in_sha256;
        if values_sha256 == learned.values_sha256 || (knows_edits && unusual_keys.is_empty()) {
            return None;
        }
        Some(if knows_edits { unusual_keys } else { &[] })
    }
}
