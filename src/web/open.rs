//! Beginning and loading games.

use std::sync::Arc;

use super::{
    answer::Problem,
    bots::{HINT_BOT, read_bot, read_player},
    catalog::provenance,
    copy,
    request::{Chance, LoadGame, NewGame},
    table::{SessionTable, Table},
};
use crate::{
    arena::record::{Record, replay},
    bots::profile::BotLibrary,
    config::Document,
    games::{GameDefinition, GameInfo, GameList, GameTask},
    session::{ChanceOrigin, Session, Setup},
};

/// Begins a game.
pub(super) fn new_game<L: GameList>(new: &NewGame, seed: u64) -> Result<Arc<dyn Table>, Problem> {
    let document = find::<L>(&new.game)?.default_document();
    let task =
        OpenTask { document: &document, seats: &new.seats, seed, chance: new.chance, record: None };
    bind::<L, _>(&new.game, &document, new.players, task)?
}

/// Continues the game of a record or of a copy, which is verified against the rules.
pub(super) fn load<L: GameList>(load: &LoadGame) -> Result<Arc<dyn Table>, Problem> {
    let text = copy::to_record(load.record.trim())?;
    let record = Record::parse(text.as_bytes())
        .map_err(|error| Problem::invalid(format!("not a saved game: {error}")))?;
    let document = built_in_rules::<L>(&record.game, &record.config_sha256)?;
    let task = OpenTask {
        document: &document,
        seats: load.seats.as_ref().unwrap_or(&record.bots),
        seed: record.seed,
        chance: load.chance,
        record: Some(&record),
    };
    bind::<L, _>(&record.game, &document, record.players, task)?
}

fn find<L: GameList>(id: &str) -> Result<&'static GameInfo, Problem> {
    let games = || L::GAMES.iter().map(|game| game.id).collect::<Vec<_>>().join(", ");
    L::find(id).ok_or_else(|| Problem::invalid(format!("no game {id:?}; expected {}", games())))
}

/// Returns the built-in data file of a game, if it has this hash.
pub(super) fn built_in_rules<L: GameList>(
    game: &str,
    config_sha256: &str,
) -> Result<Document, Problem> {
    let document = find::<L>(game)?.default_document();
    if document.sha256() != config_sha256 {
        return Err(Problem::invalid(
            "the game was played on a data file other than the built-in one",
        ));
    }
    Ok(document)
}

/// Runs a computation for a game of the list.
pub(super) fn bind<L: GameList, T: GameTask>(
    game: &str,
    document: &Document,
    players: usize,
    task: T,
) -> Result<T::Output, Problem> {
    L::bind_and_run(game, document, players, task)
        .map_err(|error| Problem::invalid(error.to_string()))
}

/// Opens a table with a new or a loaded game.
struct OpenTask<'a> {
    document: &'a Document,
    /// The names of the players.
    seats: &'a [String],
    seed: u64,
    chance: Chance,
    record: Option<&'a Record>,
}

impl GameTask for OpenTask<'_> {
    type Output = Result<Arc<dyn Table>, Problem>;

    fn run<G: GameDefinition>(self, game: &G, library: &BotLibrary<G>) -> Self::Output {
        let expected = game.seats();
        if self.seats.len() != expected {
            return Err(Problem::invalid(format!(
                "expected the players of {expected} seats, found {}",
                self.seats.len()
            )));
        }
        let players = self.seats.iter().map(|name| read_player(library, name));
        let setup = Setup {
            game: G::ID.to_owned(),
            config_sha256: self.document.sha256(),
            players: players.collect::<Result<_, _>>()?,
            seed: self.seed,
            chance: match self.chance {
                Chance::Drawn => ChanceOrigin::Drawn,
                Chance::Entered => ChanceOrigin::Entered,
            },
        };
        let game = Arc::new(game.clone());
        let session = match self.record {
            None => Session::new(game, setup),
            Some(record) => {
                let differs = |difference| Problem::invalid(format!("saved game: {difference}"));
                replay(&*game, record, |_, _, _| ()).map_err(differs)?;
                Session::load(game, setup, record).map_err(differs)?
            }
        };
        Ok(Arc::new(SessionTable {
            session,
            provenance: provenance(self.document),
            search: read_bot(library, HINT_BOT)?,
            policy: read_bot(library, library.default_bot())?,
        }))
    }
}
