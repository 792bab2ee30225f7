//! `book.json`: the integers of a book, from which all its tables follow.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::tally::{BookTally, SituationKey};
use crate::{game::TURN_POSITION_NAMES, scene::capitalize};

/// Name and version of the format.
const FORMAT: &str = "watershed.book/1";

/// The name of an action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ActionName {
    /// Notation.
    pub id: String,
    /// Name for people.
    pub label: String,
}

/// A book, or a part of one. The settings are everything that decides its content, or the
/// [`BookHeader`] of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book<S> {
    /// Name and version of the format.
    format: String,
    /// Settings.
    pub settings: S,
    /// The games of the book: first game, and the one after the last, of each range.
    pub played: Vec<[u64; 2]>,
    /// Names of the opening steps, by index.
    pub step_names: Vec<String>,
    /// Names of the actions, by code.
    pub action_names: BTreeMap<u8, ActionName>,
    /// Sums over the games.
    pub tally: BookTally,
}

/// The settings of a book that name its game and its bot.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct BookHeader {
    /// Game and players.
    pub identity: BookIdentity,
    /// Title of the game.
    pub title: String,
    /// The data file.
    pub data: BookData,
    /// The bot in all seats.
    pub policy: BookPolicy,
}

/// The game of a book.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct BookIdentity {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// Seed.
    pub seed: u64,
}

/// The data file of a book.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct BookData {
    /// SHA-256 of the file.
    pub config_sha256: String,
    /// The provenance that the file claims.
    pub provenance: String,
}

/// The bot of a book.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct BookPolicy {
    /// Name.
    pub name: String,
    /// All parameters.
    #[serde(default)]
    pub parameters: Value,
}

impl<S: DeserializeOwned> Book<S> {
    /// Parses the file.
    ///
    /// # Errors
    /// If the text is no book in this format.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let book: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("expected a book in the format {FORMAT}: {error}"))?;
        if book.format != FORMAT {
            return Err(format!("expected the format {FORMAT}, found {:?}", book.format));
        }
        Ok(book)
    }
}

impl<S: Serialize> Book<S> {
    /// Returns the file.
    pub fn to_json(&self) -> Vec<u8> {
        // All keys are text, which is all that JSON demands.
        let mut json = serde_json::to_vec(self).unwrap_or_default();
        json.push(b'\n');
        json
    }
}

impl<S> Book<S> {
    /// Creates a book of these games, with this number of opening steps of each seat.
    pub fn new(
        settings: S,
        step_names: Vec<String>,
        action_name: impl Fn(u8) -> ActionName,
        played: Vec<[u64; 2]>,
        tally: BookTally,
    ) -> Self {
        let codes = tally.situations.values().flat_map(|sums| sums.actions.keys().copied());
        let action = |code| (code, action_name(code));
        Self {
            format: FORMAT.to_owned(),
            step_names,
            action_names: codes.map(action).collect(),
            settings,
            played,
            tally,
        }
    }

    /// Returns the records of the first games, one on each line.
    pub fn examples(&self) -> Vec<u8> {
        self.tally.records.values().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
    }

    /// Returns the name of the opening step of a group of situations.
    pub fn step_name(&self, key: &SituationKey) -> &str {
        self.step_names.get(usize::from(key.step)).map_or("", String::as_str)
    }

    /// Returns the name of an identifier of a situation for people.
    pub fn label<'a>(&'a self, id: &'a str) -> &'a str {
        self.tally.labels.get(id).map_or(id, String::as_str)
    }

    /// Returns the name of an action.
    pub fn action(&self, code: u8) -> ActionName {
        self.action_names.get(&code).cloned().unwrap_or_else(|| {
            let id = format!("step {code}");
            ActionName { label: id.clone(), id }
        })
    }

    /// Returns the turn position and the opening step of a group of situations for people.
    pub fn decision_name(&self, key: &SituationKey) -> String {
        let place = TURN_POSITION_NAMES.get(usize::from(key.turn_position)).unwrap_or(&"player");
        format!("{}, {}", capitalize(place), self.step_name(key))
    }

    /// Returns the starter of a group of situations and what lies open, for people; empty for all.
    pub fn detail_name(&self, key: &SituationKey) -> String {
        let mut name = String::new();
        if let Some(starter) = &key.starter {
            let _ = write!(name, "after {}", self.label(starter));
        }
        for open in &key.open {
            let separator = if name.is_empty() { "" } else { "; " };
            let _ = write!(name, "{separator}{}", self.label(open));
        }
        name
    }
}
