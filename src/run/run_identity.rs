//! The identity of a run: the program, the game, the number of players and the seed.

use serde::{Deserialize, Serialize};

use crate::{identity::Build, report::html::format_count};

/// The properties that every run has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RunIdentity {
    /// Version of the program.
    pub version: String,
    /// Build of the program.
    pub build: Build,
    /// Identifier of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// Random seed.
    pub seed: u64,
}

impl RunIdentity {
    /// Creates the identity of a run of this program.
    pub(crate) fn new(game: &str, players: usize, seed: u64) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { version, build: Build::current(), game: game.to_owned(), players, seed }
    }

    /// Returns the number of players, as in `2 players`.
    pub(crate) fn players_text(&self) -> String {
        format_count(self.players as u64, "player")
    }
}
