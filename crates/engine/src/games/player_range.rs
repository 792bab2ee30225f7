//! The numbers of players that a data file is for.

use std::{borrow::Borrow, collections::BTreeMap, ops::RangeInclusive};

use crate::{
    config::{BoundedInteger, ConfigError, Document, KeyType, Value},
    keys,
};

keys! {
    /// A range of numbers of players.
    pub struct CountRange<T> {
        /// Minimum number of players.
        pub min: T,
        /// Maximum number of players.
        pub max: T,
    }
}

/// A range of numbers of players within `MIN` to `MAX`.
pub type PlayerRange<const MIN: i64, const MAX: i64> = CountRange<BoundedInteger<MIN, MAX>>;

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

/// A number of players from `MIN` to `MAX`, as the key of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlayerCount<const MIN: i64, const MAX: i64>(usize);

impl<const MIN: i64, const MAX: i64> PlayerCount<MIN, MAX> {
    /// Returns the number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> Borrow<usize> for PlayerCount<MIN, MAX> {
    fn borrow(&self) -> &usize {
        &self.0
    }
}

impl<const MIN: i64, const MAX: i64> KeyType for PlayerCount<MIN, MAX> {
    fn accepted() -> String {
        format!("a number of players from {MIN} to {MAX}")
    }

    fn from_value(value: &Value) -> Option<Self> {
        BoundedInteger::<MIN, MAX>::from_value(value).map(|players| Self(players.get() as usize))
    }
}

/// Values by number of players, from `MIN` to `MAX`, as in the tables `[setup.2]` and `[setup.3]`.
pub type ByPlayers<T, const MIN: i64, const MAX: i64> = BTreeMap<PlayerCount<MIN, MAX>, T>;

/// Checks that the list `setup.<players>.start` has at most one entry for each turn position.
///
/// # Errors
/// Returns an error if more are found.
pub fn check_start(document: &Document, players: usize, found: usize) -> Result<(), ConfigError> {
    let message =
        format!("expected at most {players} entries, one for each turn position, found {found}");
    document.check(found <= players, &format!("setup.{players}.start"), message)
}
