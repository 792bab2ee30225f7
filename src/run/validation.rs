//! Validation of data that was changed in memory, and of positions from which games start.

use anyhow::{Context as _, ensure};

use super::arguments::GameSelection;
use crate::{
    bound::BoundGame,
    config::{ConfigError, Document, edit::Scalar},
    game::Turn,
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

/// Returns the value with this key in the data file. An integer that the file does not have and the
/// game accepts is 0.
///
/// # Errors
/// If there is no such key.
pub(crate) fn find_scalar(selection: &GameSelection, key: &str) -> Result<Scalar, ConfigError> {
    let document = &selection.document;
    document.scalar(key).or_else(|error| {
        let absent = document.absent_integer(key);
        let is_accepted = |scalar: &Scalar| {
            validate_data(selection, &document.with_value(scalar, &scalar.value)).is_ok()
        };
        absent.filter(is_accepted).ok_or(error)
    })
}

/// A key of a data file.
pub(crate) struct DataKey {
    pub(crate) key: String,
    /// Its value, as TOML.
    pub(crate) value: String,
    /// True if the data file does not have the key, whose value is 0 then.
    pub(crate) is_absent: bool,
}

/// Returns the keys of all numbers, booleans and strings of the data file, then the integers that
/// it does not have and the game accepts.
///
/// # Errors
/// If the file is not TOML.
pub(crate) fn all_keys(selection: &GameSelection) -> Result<Vec<DataKey>, ConfigError> {
    let document = &selection.document;
    let scalars = document.scalars()?;
    let players = selection.game.player_range(document)?;
    let mut absent = Vec::new();
    for info in selection.game.keys() {
        if info.is_optional && info.accepts_zero() {
            absent.extend(document.matching_keys(&info.key, players.clone())?);
        }
    }
    absent.retain(|key| {
        scalars.iter().all(|[other, _]| other != key) && find_scalar(selection, key).is_ok()
    });
    let scalars = scalars.into_iter().map(|[key, value]| DataKey { key, value, is_absent: false });
    let absent =
        absent.into_iter().map(|key| DataKey { key, value: "0".to_owned(), is_absent: true });
    Ok(scalars.chain(absent).collect())
}
