//! The numbers of players that a data file is for.

use std::ops::RangeInclusive;

use serde::Deserialize;

use crate::config::{BoundedInteger, ConfigError, Document};

/// A range of numbers of players within `MIN` to `MAX`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerRange<const MIN: i64, const MAX: i64> {
    /// The minimum.
    pub min: BoundedInteger<MIN, MAX>,
    /// The maximum.
    pub max: BoundedInteger<MIN, MAX>,
}

impl<const MIN: i64, const MAX: i64> PlayerRange<MIN, MAX> {
    /// Checks that the minimum is not above the maximum.
    ///
    /// # Errors
    /// Returns an error about the key `players.min` if it is.
    pub fn check(&self, document: &Document) -> Result<(), ConfigError> {
        if self.min > self.max {
            return Err(document.error("players.min", "expected no more than `players.max`"));
        }
        Ok(())
    }

    /// Returns the numbers of players.
    pub fn range(&self) -> RangeInclusive<usize> {
        self.min.get() as usize..=self.max.get() as usize
    }
}

/// Returns the keys of what turn positions have at the start, such as `setup.2.start.1.food`, for
/// these numbers of players.
pub fn start_keys(players: RangeInclusive<usize>, names: &[&str]) -> Vec<String> {
    let positions = players.flat_map(|players| (0..players).map(move |place| (players, place)));
    let keys = positions.flat_map(|(players, position)| {
        names.iter().map(move |name| format!("setup.{players}.start.{position}.{name}"))
    });
    keys.collect()
}
