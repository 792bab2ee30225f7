//! Beginning and loading games.

use super::{
    answer::Problem,
    bots::{HINT_BOT, read_bot, read_player},
    catalog::provenance,
    copy,
    game::GameInProgress,
    request::{LoadGame, NewGame},
};
use crate::{
    arena::record::Record,
    bound::BoundGame,
    config::Document,
    games::{GameEntry, GameList},
    session::{ChanceOrigin, Setup},
};

/// Begins a game.
pub(super) fn new_game(
    games: GameList,
    new: &NewGame,
    seed: u64,
) -> Result<GameInProgress, Problem> {
    let entry = find(games, &new.game)?;
    let document = entry.default_document();
    let task =
        OpenTask { document: &document, seats: &new.seats, seed, chance: new.chance, record: None };
    task.open(entry, new.players)
}

/// Continues the game of a record or of a copy, which is verified against the rules.
pub(super) fn load(games: GameList, load: &LoadGame) -> Result<GameInProgress, Problem> {
    let text = copy::to_record(load.record.trim())?;
    let record = Record::parse(text.as_bytes())
        .map_err(|error| Problem::invalid(format!("not a saved game: {error}")))?;
    let (entry, document) = built_in_rules(games, &record.game, &record.config_sha256)?;
    let task = OpenTask {
        document: &document,
        seats: load.seats.as_ref().unwrap_or(&record.bots),
        seed: record.seed,
        chance: load.chance,
        record: Some(&record),
    };
    task.open(entry, record.players)
}

fn find(games: GameList, id: &str) -> Result<&'static GameEntry, Problem> {
    let names = || games.all().iter().map(|game| game.id).collect::<Vec<_>>().join(", ");
    games.find(id).ok_or_else(|| Problem::invalid(format!("no game {id:?}; expected {}", names())))
}

/// Returns a game and its built-in data file, if that has this hash.
pub(super) fn built_in_rules(
    games: GameList,
    game: &str,
    config_sha256: &str,
) -> Result<(&'static GameEntry, Document), Problem> {
    let entry = find(games, game)?;
    let document = entry.default_document();
    if document.sha256() != config_sha256 {
        return Err(Problem::invalid(
            "the game was played on a data file other than the built-in one",
        ));
    }
    Ok((entry, document))
}

/// Opens a new or a loaded game.
struct OpenTask<'a> {
    document: &'a Document,
    /// The names of the players.
    seats: &'a [String],
    seed: u64,
    chance: ChanceOrigin,
    record: Option<&'a Record>,
}

impl OpenTask<'_> {
    fn open(self, entry: &GameEntry, players: usize) -> Result<GameInProgress, Problem> {
        let game = &*bind(entry, self.document, players)?;
        let library = game.library();
        let expected = game.seats();
        if self.seats.len() != expected {
            return Err(Problem::invalid(format!(
                "expected the players of {expected} seats, found {}",
                self.seats.len()
            )));
        }
        let players = self.seats.iter().map(|name| read_player(library, name));
        let setup = Setup {
            game: entry.id.to_owned(),
            config_sha256: self.document.sha256(),
            players: players.collect::<Result<_, _>>()?,
            seed: self.seed,
            chance: self.chance,
        };
        let session = match self.record {
            None => game.new_session(setup),
            Some(record) => {
                let differs = |difference| Problem::invalid(format!("saved game: {difference}"));
                game.check_record(record).map_err(differs)?;
                game.load_session(setup, record).map_err(differs)?
            }
        };
        Ok(GameInProgress {
            session,
            title: entry.title,
            provenance: provenance(self.document),
            search: read_bot(library, HINT_BOT)?,
            policy: read_bot(library, library.default_bot())?,
        })
    }
}

/// Binds a game to a data file.
pub(super) fn bind(
    entry: &GameEntry,
    document: &Document,
    players: usize,
) -> Result<Box<dyn BoundGame>, Problem> {
    entry.open(document, players).map_err(|error| Problem::invalid(error.to_string()))
}
