//! Beginning and loading games.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    answer::Problem,
    bots::{HINT_BOT, read_player},
    catalog::provenance,
    copy,
    game::GameInProgress,
    request::{LoadGame, NewGame},
};
use crate::{
    analysis::hint::Advisor,
    arena::record::{HUMAN, Record},
    bound::BoundGame,
    config::Document,
    game::Turn,
    games::{GameEntry, GameList},
    session::{ChanceOrigin, Setup},
};

/// A game by its name, with a number of players.
type GameKey = (&'static str, usize);

/// The games of a list on their built-in data files, each bound once for all who play it, so that
/// its networks are in memory once.
pub(super) struct BoundGames {
    list: GameList,
    bound: Mutex<BTreeMap<GameKey, Arc<BoundGame>>>,
}

impl BoundGames {
    pub(super) fn new(list: GameList) -> Self {
        Self { list, bound: Mutex::default() }
    }

    /// Binds a game to its built-in data file, if that has this hash.
    pub(super) fn of_record(
        &self,
        game: &str,
        players: usize,
        config_sha256: &str,
    ) -> Result<BoundEntry, Problem> {
        let built_in = self.bind(game, players)?;
        if built_in.document.sha256() != config_sha256 {
            return Err(Problem::invalid(
                "the game was played on a data file other than the built-in one",
            ));
        }
        Ok(built_in)
    }

    /// Binds a game to its built-in data file.
    fn bind(&self, game: &str, players: usize) -> Result<BoundEntry, Problem> {
        let entry = self.list.find(game).ok_or_else(|| {
            let names: Vec<_> = self.list.all().iter().map(|game| game.id).collect();
            Problem::invalid(format!("no game {game:?}; expected {}", names.join(", ")))
        })?;
        let document = entry.default_document();
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        let game = if let Some(game) = bound.get(&(entry.id, players)) {
            Arc::clone(game)
        } else {
            let game = entry.open(&document, players);
            let game: Arc<BoundGame> =
                game.map_err(|error| Problem::invalid(error.to_string()))?.into();
            bound.insert((entry.id, players), Arc::clone(&game));
            game
        };
        Ok(BoundEntry { entry, document, game })
    }
}

/// A game on its built-in data file.
pub(super) struct BoundEntry {
    pub(super) entry: &'static GameEntry,
    document: Document,
    pub(super) game: Arc<BoundGame>,
}

/// Begins a game.
pub(super) fn new_game(
    games: &BoundGames,
    new: &NewGame,
    seed: u64,
) -> Result<GameInProgress, Problem> {
    let built_in = games.bind(&new.game, new.players)?;
    let task = OpenTask { seats: &new.seats, seed, chance: new.chance, begin: Begin::Initial };
    let mut game = task.open(&built_in)?;
    if let Some(mode) = &new.mode {
        game.session.choose_mode(mode).map_err(Problem::invalid)?;
    }
    Ok(game)
}

/// Begins a game from a position, which names its game and the number of players. A bot plays all
/// seats but the one that decides.
pub(super) fn set_up(
    games: &BoundGames,
    position: &str,
    bot: Option<&str>,
    seed: u64,
) -> Result<GameInProgress, Problem> {
    let head = position.split_ascii_whitespace().next().and_then(|head| head.split_once('/'));
    let head = head.and_then(|(game, players)| Some((game, players.parse().ok()?)));
    let (game, players): (&str, usize) = head.ok_or_else(|| {
        Problem::invalid(
            "expected a position, which begins with a game and the number of players, as in \
             the_river/2",
        )
    })?;
    let built_in = games.bind(game, players)?;
    let people = vec![HUMAN.to_owned(); players];
    let task = |seats: &[String]| {
        let begin = Begin::Position(position);
        OpenTask { seats, seed, chance: ChanceOrigin::Drawn, begin }.open(&built_in)
    };
    let game = task(&people)?;
    let (Some(bot), Turn::Seat(person)) = (bot, game.session.turn()) else { return Ok(game) };
    let mut seats = vec![bot.to_owned(); players];
    HUMAN.clone_into(&mut seats[person.index()]);
    task(&seats)
}

/// Continues the game of a record or of a copy, which is verified against the rules.
pub(super) fn load(games: &BoundGames, load: &LoadGame) -> Result<GameInProgress, Problem> {
    let text = copy::to_record(load.record.trim())?;
    let record = Record::parse(text.as_bytes())
        .map_err(|error| Problem::invalid(format!("not a saved game: {error}")))?;
    let built_in = games.of_record(&record.game, record.players, &record.config_sha256)?;
    let task = OpenTask {
        seats: load.seats.as_ref().unwrap_or(&record.bots),
        seed: record.seed,
        chance: load.chance,
        begin: Begin::Record(&record),
    };
    task.open(&built_in)
}

/// The position from which a game is opened.
enum Begin<'a> {
    /// The beginning of the game.
    Initial,
    /// A position, in the notation of the game.
    Position(&'a str),
    /// The last position of a record.
    Record(&'a Record),
}

/// Opens a new or a loaded game.
struct OpenTask<'a> {
    /// The names of the players.
    seats: &'a [String],
    seed: u64,
    chance: ChanceOrigin,
    begin: Begin<'a>,
}

impl OpenTask<'_> {
    fn open(self, built_in: &BoundEntry) -> Result<GameInProgress, Problem> {
        let BoundEntry { entry, document, game } = built_in;
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
            config_sha256: document.sha256(),
            players: players.collect::<Result<_, _>>()?,
            seed: self.seed,
            chance: self.chance,
        };
        let session = match self.begin {
            Begin::Initial => game.new_session(setup),
            Begin::Position(text) => {
                let session = game.set_up_session(setup, text);
                session.map_err(|error| Problem::invalid(error.to_string()))?
            }
            Begin::Record(record) => {
                let differs = |difference| Problem::invalid(format!("saved game: {difference}"));
                game.check_record(record).map_err(differs)?;
                game.load_session(setup, record).map_err(differs)?
            }
        };
        Ok(GameInProgress {
            game: Arc::clone(game),
            session,
            title: entry.title,
            provenance: provenance(document),
            advisor: Advisor::read(library, HINT_BOT)
                .map_err(|error| Problem::invalid(error.to_string()))?,
        })
    }
}
