//! Games with their data files, each opened once.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    bound::BoundGame,
    games::GameList,
    run::arguments::{GameArguments, GameSelection, RecordedRules, find_game},
};

/// The games of a list for all numbers of players, with one data file in place of the built-in one.
pub(super) struct OpenGames {
    games: GameList,
    /// The game that has a data file of its own.
    configured: Option<(String, PathBuf)>,
    open: Mutex<BTreeMap<(&'static str, usize), Arc<OpenedGame>>>,
}

/// A game with its data file and number of players.
pub(super) struct OpenedGame {
    pub(super) selection: GameSelection,
    pub(super) game: BoundGame,
}

impl OpenGames {
    /// Creates the games of a list. `config` is the data file of the named game, or of the first
    /// one.
    pub(super) fn new(
        games: GameList,
        game: Option<&str>,
        config: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let configured = match config {
            Some(config) => {
                let flags =
                    GameArguments { game: game.map(str::to_owned), config: None, players: None };
                let name = flags.resolve(games)?.game.id.to_owned();
                Some((name, config))
            }
            None => None,
        };
        let open = Mutex::default();
        let opened = Self { games, configured, open };
        // A data file that is not valid is refused at once.
        if let Some((name, _)) = &opened.configured {
            let players = opened.arguments(name).resolve(games)?.players;
            opened.open(name, players)?;
        }
        Ok(opened)
    }

    fn arguments(&self, game: &str) -> GameArguments {
        let configured = self.configured.as_ref().filter(|(name, _)| name == game);
        let config = configured.map(|(_, config)| config.clone());
        GameArguments { game: Some(game.to_owned()), config, players: None }
    }

    /// Opens a game for a number of players.
    pub(super) fn open(&self, game: &str, players: usize) -> anyhow::Result<Arc<OpenedGame>> {
        let entry = find_game(self.games, game)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(&(entry.id, players)) {
            return Ok(Arc::clone(known));
        }
        let arguments = self.arguments(game);
        let selection =
            arguments.resolve_with_players(self.games, Some(players), Some("players"))?;
        let game = selection.open()?;
        let opened = Arc::new(OpenedGame { selection, game });
        open.insert((entry.id, players), Arc::clone(&opened));
        Ok(opened)
    }

    /// Opens the game of a record, whose data file must be the same.
    pub(super) fn of_record(&self, rules: RecordedRules<'_>) -> anyhow::Result<Arc<OpenedGame>> {
        let opened = self.open(rules.game, rules.players)?;
        rules.check(&opened.selection.document, "record")?;
        Ok(opened)
    }
}
