//! The identity of a run: the program, the game, the number of players and the seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{config::Document, identity::Build, report::html::format_count};

/// The properties that every run has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RunIdentity {
    /// Version of the program.
    pub version: String,
    /// Build of the program.
    pub build: Build,
    /// Identifier of the game.
    pub game: String,
    /// Number of players; 0 for all numbers of the game.
    pub players: usize,
    /// Random seed.
    pub seed: u64,
    /// The values in which the data files differ from the built-in one, by key; empty if they were
    /// removed. They say which values differ between two runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub edits: BTreeMap<String, String>,
}

impl RunIdentity {
    /// Creates the identity of a run of this program.
    pub(crate) fn new(game: &str, players: usize, seed: u64) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (build, edits) = (Build::current(), BTreeMap::new());
        Self { version, build, game: game.to_owned(), players, seed, edits }
    }

    /// Adds the edits of the built-in data that lead to data files.
    pub(crate) fn with_data(mut self, documents: &[&Document], built_in: &str) -> Self {
        let built_in = Document::embedded(&self.game, built_in);
        // Other names and targets are no other run.
        let is_value = |key: &str| !["name", "provenance", "targets"].contains(&key);
        for document in documents {
            let edits = document.differences_from(&built_in).unwrap_or_default();
            // A file of goals has no name.
            if edits.iter().any(|edit| edit.key == "name" && edit.new.is_none()) {
                continue;
            }
            let edits = edits
                .into_iter()
                .filter(|edit| is_value(edit.key.split('.').next().unwrap_or_default()));
            self.edits.extend(edits.map(|edit| (edit.key, edit.new.unwrap_or_default())));
        }
        self
    }

    /// Returns the number of players, as in `2 players`.
    pub(crate) fn players_text(&self) -> String {
        if self.players == 0 {
            return "all numbers of players".to_owned();
        }
        format_count(self.players, "player")
    }
}
