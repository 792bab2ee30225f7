//! Games that are bound to their data files once for all who use them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use watershed_cold::game_list::{GameEntry, GameList};

use crate::{
    analysis::puzzle::line::PuzzleLine, arena::record::Record, bound::BoundGame, config::Document,
};

/// Number of edits that the provenance of edited data names.
const NAMED: usize = 3;

/// The rules of a recorded game, a puzzle or a position.
#[derive(Clone, Copy, Debug)]
pub struct RecordedRules<'a> {
    /// Name of the game.
    pub game: &'a str,
    /// Number of players.
    pub players: usize,
    /// SHA-256 of the data file; `None` if it may be any.
    pub config_sha256: Option<&'a str>,
}

impl<'a> From<&'a Record> for RecordedRules<'a> {
    fn from(Record { game, players, config_sha256, .. }: &'a Record) -> Self {
        Self { game, players: *players, config_sha256: Some(config_sha256) }
    }
}

impl<'a> From<&'a PuzzleLine> for RecordedRules<'a> {
    fn from(PuzzleLine { game, players, config_sha256, .. }: &'a PuzzleLine) -> Self {
        Self { game, players: *players, config_sha256: Some(config_sha256) }
    }
}

impl<'a> RecordedRules<'a> {
    /// Returns the game and the number of players with which the notation of a position begins.
    ///
    /// # Errors
    /// Returns a message if it begins otherwise.
    pub fn of_position(position: &'a str) -> Result<Self, &'static str> {
        let head = position.split_ascii_whitespace().next().and_then(|head| head.split_once('/'));
        let head = head.and_then(|(game, players)| Some((game, players.parse().ok()?)));
        let (game, players) = head.ok_or(
            "expected a position, a line that begins with a game and the number of players, as in \
             the_river/2",
        )?;
        Ok(Self { game, players, config_sha256: None })
    }

    /// Returns an error if a data file is not that of the rules.
    ///
    /// # Errors
    /// As described: a message on what has these rules.
    pub fn check(&self, document: &Document) -> Result<(), String> {
        match self.config_sha256 {
            Some(sha256) if document.sha256() != sha256 => {
                Err(format!("was made with a data file other than {}", document.name))
            }
            _ => Ok(()),
        }
    }
}

/// A game on a data file, bound to a number of players.
#[derive(Clone, Debug)]
pub struct OpenedGame {
    /// The game.
    pub entry: &'static GameEntry,
    /// The data file.
    pub document: Document,
    /// The provenance of its values.
    pub provenance: String,
    /// True if a person has edited the data file.
    pub is_edited: bool,
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
    /// The games on edited data files that are in use.
    edited: Mutex<Vec<Weak<OpenedGame>>>,
}

impl OpenGames {
    /// Creates the games of a list on their built-in data files.
    pub fn new(list: GameList) -> Self {
        Self { list, documents: BTreeMap::new(), open: Mutex::default(), edited: Mutex::default() }
    }

    /// Puts a data file in place of the built-in one of a game.
    pub fn replace(&mut self, game: &'static GameEntry, document: Document, provenance: String) {
        self.documents.insert(game.id, (document, provenance));
    }

    /// Returns the game of this name.
    ///
    /// # Errors
    /// Returns a message with the names if there is no such game.
    pub fn entry(&self, game: &str) -> Result<&'static GameEntry, String> {
        self.list.require(game)
    }

    /// Opens a game on an edited data file for a number of players. Those who use the same file
    /// share it.
    ///
    /// # Errors
    /// Returns a message if the data file is invalid or is not for this number of players, or if
    /// the rules are of another data file.
    pub fn open_edited(
        &self,
        entry: &'static GameEntry,
        rules: RecordedRules<'_>,
        document: Document,
    ) -> Result<Arc<OpenedGame>, String> {
        rules.check(&document).map_err(|problem| format!("the game {problem}"))?;
        let mut edited = self.edited.lock().unwrap_or_else(PoisonError::into_inner);
        edited.retain(|game| game.strong_count() > 0);
        let is_same = |game: &Arc<OpenedGame>| {
            let is_same = game.entry.id == entry.id && game.game.seats() == rules.players;
            is_same && game.document.text == document.text
        };
        if let Some(known) = edited.iter().filter_map(Weak::upgrade).find(is_same) {
            return Ok(known);
        }
        let game = entry.open(&document, rules.players).map_err(|error| error.to_string())?;
        let changes = document.differences_from(&entry.default_document());
        let changes = changes.map_err(|error| error.to_string())?;
        let named: Vec<_> = changes.iter().take(NAMED).map(ToString::to_string).collect();
        let more = match changes.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let provenance = format!("edited, {}{more}", named.join("; "));
        let opened = Arc::new(OpenedGame { entry, document, provenance, is_edited: true, game });
        edited.push(Arc::downgrade(&opened));
        Ok(opened)
    }

    /// Opens a game for a number of players.
    ///
    /// # Errors
    /// Returns a message if there is no such game, if its data file is invalid or is not for this
    /// number of players, or if the rules are of another data file.
    pub fn open(&self, rules: RecordedRules<'_>) -> Result<Arc<OpenedGame>, String> {
        let RecordedRules { game, players, .. } = rules;
        let entry = self.list.require(game)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = if let Some(known) = open.get(&(entry.id, players)) {
            Arc::clone(known)
        } else {
            let replaced = self.documents.get(entry.id).cloned();
            let (document, provenance) = replaced.unwrap_or_else(|| {
                let document = entry.default_document();
                let provenance = claimed_provenance(&document);
                (document, provenance)
            });
            let game = entry.open(&document, players).map_err(|error| error.to_string())?;
            let opened =
                Arc::new(OpenedGame { entry, document, provenance, is_edited: false, game });
            open.insert((entry.id, players), Arc::clone(&opened));
            opened
        };
        rules.check(&opened.document).map_err(|problem| format!("the game {problem}"))?;
        Ok(opened)
    }
}

/// Returns the provenance that a data file claims.
pub fn claimed_provenance(document: &Document) -> String {
    let table = document.table().unwrap_or_default();
    let claim = table.get("provenance").and_then(toml::Value::as_str);
    claim.unwrap_or("unknown").to_owned()
}
