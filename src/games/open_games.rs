//! Games that are bound to their data files once for all who use them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use watershed_cold::game_list::{GameEntry, GameList};

use crate::{bound::BoundGame, config::Document};

/// A game on a data file, bound to a number of players.
#[derive(Clone, Debug)]
pub struct OpenedGame {
    /// The game.
    pub entry: &'static GameEntry,
    /// The data file.
    pub document: Document,
    /// The provenance of its values.
    pub provenance: String,
    /// The rules and bots.
    pub game: BoundGame,
}

/// The games of a list on their data files, each bound once for all who use it, so that its
/// networks are in memory once.
#[derive(Debug)]
pub struct OpenGames {
    list: GameList,
    /// The data files in place of the built-in ones, with the provenance of their values.
    documents: BTreeMap<&'static str, (Document, String)>,
    open: Mutex<BTreeMap<(&'static str, usize), Arc<OpenedGame>>>,
}

impl OpenGames {
    /// Creates the games of a list on their built-in data files.
    pub fn new(list: GameList) -> Self {
        Self { list, documents: BTreeMap::new(), open: Mutex::default() }
    }

    /// Puts a data file in place of the built-in one of a game.
    pub fn replace(&mut self, game: &'static GameEntry, document: Document, provenance: String) {
        self.documents.insert(game.id, (document, provenance));
    }

    /// Opens a game for a number of players.
    ///
    /// # Errors
    /// Returns a message if there is no such game, or if its data file is invalid or is not for
    /// this number of players.
    pub fn open(&self, game: &str, players: usize) -> Result<Arc<OpenedGame>, String> {
        let entry = self.list.require(game)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(&(entry.id, players)) {
            return Ok(Arc::clone(known));
        }
        let replaced = self.documents.get(entry.id).cloned();
        let (document, provenance) = replaced.unwrap_or_else(|| {
            let document = entry.default_document();
            let provenance = claimed_provenance(&document);
            (document, provenance)
        });
        let game = entry.open(&document, players).map_err(|error| error.to_string())?;
        let opened = Arc::new(OpenedGame { entry, document, provenance, game });
        open.insert((entry.id, players), Arc::clone(&opened));
        Ok(opened)
    }

    /// Opens the game of a record or a puzzle, which was made with a data file of this hash.
    ///
    /// # Errors
    /// As [`OpenGames::open`], and if the data file is another one.
    pub fn of_record(
        &self,
        game: &str,
        players: usize,
        config_sha256: &str,
    ) -> Result<Arc<OpenedGame>, String> {
        let opened = self.open(game, players)?;
        if opened.document.sha256() != config_sha256 {
            let name = &opened.document.name;
            return Err(format!("the game was played on a data file other than {name}"));
        }
        Ok(opened)
    }
}

/// Returns the provenance that a data file claims.
pub fn claimed_provenance(document: &Document) -> String {
    let table = document.table().unwrap_or_default();
    let claim = table.get("provenance").and_then(toml::Value::as_str);
    claim.unwrap_or("unknown").to_owned()
}

/// Returns the game and the number of players with which the notation of a position begins.
///
/// # Errors
/// Returns a message if it begins otherwise.
pub fn position_head(position: &str) -> Result<(&str, usize), &'static str> {
    let head = position.split_ascii_whitespace().next().and_then(|head| head.split_once('/'));
    let head = head.and_then(|(game, players)| Some((game, players.parse().ok()?)));
    head.ok_or(
        "expected a position, a line that begins with a game and the number of players, as in \
         the_river/2",
    )
}
