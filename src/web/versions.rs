//! Versions of the data of a game: the edits of a page, and the games that are opened for them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::components::{edit_component, is_component_edit};
use crate::{
    BotFactory,
    bots::profile::{BotLibrary, ProfileLibrary},
    bound::BoundGame,
    config::{ConfigError, Document},
    games::{GameEntry, GameList},
    protocol::{
        panel::{COMPARED_GAMES, scaled_games},
        problem::Problem,
    },
};

/// Maximum number of edits of a version. Each is checked with the whole data file.
const MAX_EDITS: usize = 1000;
/// Maximum number of pairs of versions that stay open.
const MAX_OPENED: usize = 4;

/// A version of the data of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameVersion {
    /// The data file; the built-in one if there is none.
    #[serde(default)]
    pub data: Option<String>,
    /// The keys whose values are edited, with their values. The key of a component, as in
    /// `building.w2c1`, has `remove` as its value, or as in `copy of w2`, which adds it.
    #[serde(default)]
    pub edits: Vec<(String, String)>,
}

/// A bot of the default panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct BotOfPanel {
    /// Name.
    pub bot: &'static str,
    /// Number of games of each version that `balance compare` plays.
    pub games: u64,
}

/// An edit that is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RefusedEdit {
    /// The key; that of the whole file is empty.
    pub key: String,
    /// The accepted values, and the value that was found.
    pub message: String,
}

impl GameVersion {
    /// Returns the data file with the edits that are accepted, and the others.
    pub(super) fn read(
        &self,
        game: &GameEntry,
        players: usize,
    ) -> Result<(Document, Vec<RefusedEdit>), Problem> {
        if self.edits.len() > MAX_EDITS {
            let found = self.edits.len();
            return Err(format!("expected at most {MAX_EDITS} edits, found {found}").into());
        }
        let own = |text: &String| Document { name: "the data file".to_owned(), text: text.clone() };
        let file = self.data.as_ref().map_or_else(|| game.default_document(), own);
        game.validate(&file, players)?;
        let (mut edited, mut refused) = (file.clone(), Vec::new());
        let (components, values): (Vec<_>, Vec<_>) =
            self.edits.iter().partition(|(_, value)| is_component_edit(value));
        for (key, value) in components {
            let changed = edit_component(&edited, key, value);
            let changed = changed.and_then(|file| game.validate(&file, players).map(|()| file));
            match changed {
                Ok(changed) => edited = changed,
                Err(ConfigError { key: at, message, .. }) => {
                    let message = if at == *key { message } else { format!("{at}: {message}") };
                    refused.push(RefusedEdit { key: key.clone(), message });
                }
            }
        }
        for (key, value) in values {
            let changed = game.find_scalar(&edited, players, key);
            let changed = changed.map_err(|error| error.message).and_then(|scalar| {
                let values = scalar.parse_values(value, 1)?;
                Ok(Document { name: file.name.clone(), ..edited.with_value(&scalar, &values[0]) })
            });
            // A value can be invalid only beside another one, so that all are checked together.
            match changed {
                Ok(changed) => edited = changed,
                Err(message) => refused.push(RefusedEdit { key: key.clone(), message }),
            }
        }
        if let Err(ConfigError { key, message, .. }) = game.validate(&edited, players) {
            refused.push(RefusedEdit { key: edited.key_with_names(&key), message });
        }
        Ok((edited, refused))
    }

    /// Returns the version without edits of values, and without edits that are refused.
    pub(super) fn without_values(&self, refused: &[RefusedEdit]) -> Self {
        let is_accepted = |key: &String| refused.iter().all(|edit| edit.key != *key);
        let mut edits = self.edits.clone();
        edits.retain(|(key, value)| is_component_edit(value) && is_accepted(key));
        Self { edits, ..self.clone() }
    }

    /// Returns the data file with all edits.
    ///
    /// # Errors
    /// Returns an error if an edit is refused.
    pub(super) fn document(&self, game: &GameEntry, players: usize) -> Result<Document, Problem> {
        let (document, refused) = self.read(game, players)?;
        match refused.into_iter().next() {
            None => Ok(document),
            Some(RefusedEdit { key, message }) => Err(format!("key `{key}`: {message}").into()),
        }
    }
}

/// Returns the default panel of a game; the default bot alone if the game has none.
pub(super) fn panel(library: &BotLibrary) -> Vec<BotOfPanel> {
    let ProfileLibrary { default_bot, panel, .. } = &library.profiles;
    let others = panel.iter().skip(1);
    let others =
        others.map(|bot| BotOfPanel { bot: bot.bot, games: scaled_games(bot, COMPARED_GAMES) });
    let first = BotOfPanel { bot: default_bot, games: COMPARED_GAMES };
    [first].into_iter().chain(others).collect()
}

/// Returns a bot of the panel in all seats, the default one without a name, with notes on values of
/// the data file that it has not learned.
fn read_lineup(
    game: &BoundGame,
    document: &Document,
    bot: Option<&str>,
) -> Result<Vec<BotFactory>, Problem> {
    let library = game.library().with_data([document])?;
    let names: Vec<_> = panel(&library).iter().map(|member| member.bot).collect();
    let bot = bot.unwrap_or(names[0]);
    if !names.contains(&bot) {
        return Err(format!("bot: expected one of {}, found `{bot}`", names.join(", ")).into());
    }
    Ok(vec![library.read(bot)?; game.seats()])
}

/// The game, the number of players, two versions and the name of the bot.
pub(super) type VersionsKey = (String, usize, [GameVersion; 2], Option<String>);

/// A version that was read, with the bots that play it.
pub(super) struct OpenedVersion {
    /// The data file.
    pub(super) document: Document,
    /// The game.
    pub(super) game: BoundGame,
    /// The bots in all seats.
    pub(super) lineup: Vec<BotFactory>,
}

impl OpenedVersion {
    fn open(
        version: &GameVersion,
        (entry, players): (&GameEntry, usize),
        bot: Option<&str>,
    ) -> Result<Self, Problem> {
        let document = version.document(entry, players)?;
        let game = entry.open(&document, players)?;
        let lineup = read_lineup(&game, &document, bot)?;
        Ok(Self { document, game, lineup })
    }
}

/// The versions of the last requests. A page asks for blocks of the same two many times, and to
/// open them takes as long as some hundred games.
#[derive(Default)]
pub(super) struct LastVersions(Mutex<VecDeque<(VersionsKey, Arc<[OpenedVersion; 2]>)>>);

impl LastVersions {
    /// Returns two versions, opened before or now.
    pub(super) fn open(
        &self,
        list: GameList,
        key: VersionsKey,
    ) -> Result<Arc<[OpenedVersion; 2]>, Problem> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lock().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(known));
        }
        let (game, players, versions, bot) = &key;
        let game = (list.require(game)?, *players);
        let open = |version| OpenedVersion::open(version, game, bot.as_deref());
        let [baseline, version] = versions.each_ref().map(open);
        let opened = Arc::new([baseline?, version?]);
        let mut last = lock();
        last.push_back((key, Arc::clone(&opened)));
        if last.len() > MAX_OPENED {
            last.pop_front();
        }
        Ok(opened)
    }
}
