//! Validation of data that was changed in memory, and of positions from which games start.

use anyhow::{Context as _, ensure};

use super::arguments::GameSelection;
use crate::{
    bound::BoundGame,
    config::{ConfigError, Document, edit::Scalar},
    game::Turn,
    games::DataKey,
};

/// Ensures that a data file is valid.
///
/// # Errors
/// If the game rejects it.
pub(crate) fn validate_data(
    selection: &GameSelection,
    document: &Document,
) -> Result<(), ConfigError> {
    selection.game.validate(document, selection.players)
}

/// Ensures that data which was changed in memory is valid.
///
/// # Errors
/// If the game rejects it. The message names the key in the format of [`Document::scalar`], but no
/// file, because the change is only in memory.
pub(crate) fn validate_changed_data(
    selection: &GameSelection,
    changed: &Document,
) -> Result<(), String> {
    validate_data(selection, changed).map_err(|ConfigError { key, message, .. }| {
        let key = changed.key_with_names(&key);
        if key.is_empty() { message } else { format!("key `{key}`: {message}") }
    })
}

/// Checks the position of `--position` by the rules of each game.
///
/// # Errors
/// If it is no position of a game, or a game is over in it.
pub(crate) fn check_start(games: &[&BoundGame], position: Option<&str>) -> anyhow::Result<()> {
    for (game, text) in games.iter().zip(position.iter().cycle()) {
        let position = game.parse_position(text).context("--position")?;
        ensure!(position.turn() != Turn::Over, "--position: expected a game that is not over");
    }
    Ok(())
}

impl GameSelection {
    /// Returns the value with a key in the data file, as [`GameEntry::find_scalar`].
    ///
    /// [`GameEntry::find_scalar`]: crate::games::GameEntry::find_scalar
    pub(crate) fn find_scalar(&self, key: &str) -> Result<Scalar, ConfigError> {
        self.game.find_scalar(&self.document, self.players, key)
    }

    /// Returns the keys of the data file, as [`GameEntry::data_keys`].
    ///
    /// [`GameEntry::data_keys`]: crate::games::GameEntry::data_keys
    pub(crate) fn data_keys(&self) -> Result<Vec<DataKey>, ConfigError> {
        self.game.data_keys(&self.document, self.players)
    }
}
