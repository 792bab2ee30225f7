//! Beginning and loading games.

use std::sync::Arc;

use super::{
    bots::read_player,
    copy,
    game::GameInProgress,
    request::{GameVersion, LoadGame, NewGame},
};
use crate::{
    analysis::hint::{Advisor, HINT_BOT},
    arena::record::{HUMAN, Record},
    bound::GameSession,
    game::Turn,
    games::open_games::{OpenGames, OpenedGame, RecordedRules},
    protocol::problem::Problem,
    session::{ChanceOrigin, Setup},
};

/// Begins a game.
pub(super) fn new_game(
    games: &OpenGames,
    new: &NewGame,
    seed: u64,
) -> Result<GameInProgress, Problem> {
    let rules = RecordedRules { game: &new.game, players: new.players, config_sha256: None };
    let opened = open_rules(games, rules, new.version.as_ref())?;
    let begin = |setup| {
        let mut session = opened.game.new_session(setup);
        new.mode.iter().try_for_each(|mode| session.choose_mode(mode))?;
        Ok(session)
    };
    open(&opened, &new.seats, seed, new.chance, begin)
}

/// Begins a game from a position, which names its game and the number of players. A bot plays all
/// seats but the one that decides.
pub(super) fn set_up(
    games: &OpenGames,
    position: &str,
    bot: Option<&str>,
    seed: u64,
) -> Result<GameInProgress, Problem> {
    let rules = RecordedRules::of_position(position)?;
    let opened = games.open(rules)?;
    let with_seats = |seats: &[String]| {
        let begin = |setup| Ok(opened.game.set_up_session(setup, position)?);
        open(&opened, seats, seed, ChanceOrigin::Drawn, begin)
    };
    let game = with_seats(&vec![HUMAN.to_owned(); rules.players])?;
    let (Some(bot), Turn::Seat(person)) = (bot, game.session.turn()) else { return Ok(game) };
    let mut seats = vec![bot.to_owned(); rules.players];
    HUMAN.clone_into(&mut seats[person.index()]);
    with_seats(&seats)
}

/// Continues the game of a record or of a copy, which is verified against the rules.
pub(super) fn load(games: &OpenGames, load: &LoadGame) -> Result<GameInProgress, Problem> {
    let text = copy::to_record(load.record.trim())?;
    let record = Record::parse(text.as_bytes());
    let record = record.map_err(|error| format!("not a saved game: {error}"))?;
    let opened = open_rules(games, RecordedRules::from(&record), load.version.as_ref())?;
    let begin = |setup| {
        let game = &opened.game;
        let session = game.check_record(&record).and_then(|()| game.load_session(setup, &record));
        Ok(session.map_err(|difference| format!("saved game: {difference}"))?)
    };
    let seats = load.seats.as_ref().unwrap_or(&record.bots);
    open(&opened, seats, record.seed, load.chance, begin)
}

/// Opens a game on the data of the application, or of a version.
fn open_rules(
    games: &OpenGames,
    rules: RecordedRules<'_>,
    version: Option<&GameVersion>,
) -> Result<Arc<OpenedGame>, Problem> {
    let version = version.filter(|version| **version != GameVersion::default());
    let Some(version) = version else { return Ok(games.open(rules)?) };
    let entry = games.entry(rules.game)?;
    let document = version.document(entry, rules.players)?;
    Ok(games.open_edited(entry, rules, document)?)
}

/// Opens a new or a loaded game. `seats` has the names of the players.
fn open(
    opened: &Arc<OpenedGame>,
    seats: &[String],
    seed: u64,
    chance: ChanceOrigin,
    begin: impl FnOnce(Setup) -> Result<GameSession, Problem>,
) -> Result<GameInProgress, Problem> {
    let library = opened.game.library();
    let (expected, found) = (opened.game.seats(), seats.len());
    if found != expected {
        return Err(format!("expected the players of {expected} seats, found {found}").into());
    }
    let players = seats.iter().map(|name| read_player(library, name));
    let session = begin(Setup {
        game: opened.entry.id.to_owned(),
        config_sha256: opened.document.sha256(),
        players: players.collect::<Result<_, _>>()?,
        seed,
        chance,
    })?;
    let advisor = Advisor::read(library, HINT_BOT)?;
    Ok(GameInProgress { opened: Arc::clone(opened), session, advisor, allows_hints: true })
}
