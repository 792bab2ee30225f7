//! Games in a browser: an application that answers requests in JSON, without a transport.
//!
//! A page sends a [`Request`] and gets an [`Answer`]. The server
//! of `watershed serve` passes them over HTTP, and the module for WebAssembly between a page and
//! its worker. The page itself is in [`assets`]; it shows answers and has no rules.
//!
//! A request that makes an event has the number of events that the page has seen, so that a late
//! click does not act on another position. Long computations work on a copy of the game: other
//! requests, for the same game too, are answered meanwhile.

pub mod answer;
pub mod assets;
mod book;
mod bots;
mod catalog;
mod components;
mod copy;
mod estimate;
pub mod fix;
mod game;
pub(crate) mod names;
mod open;
mod puzzle;
pub mod request;
mod shared;
pub mod table;
mod versions;
pub(crate) mod view;
mod workbench;
mod worth;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use answer::{Answer, GameOffer, Invitation, WorkProgress};
use fix::{FixJobs, FixRequest, FixSearcher, FixTask};
use game::GameInProgress;
use request::{GameChange, GameMoment, GameRequest, Request};
use sha2::{Digest as _, Sha256};
use shared::{Access, SharedSeats, may_decide, may_go_back};
use table::{ImportedTable, TableReader, TableRequest};
use versions::LastVersions;

use crate::{
    analysis::watch::AnalysisWatch,
    arena::record::Record,
    bound::{BoundGame, GameSession},
    game::Seat,
    games::{GameList, open_games::OpenGames},
    protocol::problem::{Problem, ProblemKind},
    session::Player,
};

/// Maximum number of games that an application keeps.
pub const MAX_GAMES: usize = 256;
/// Seconds after its last request for which a finished game is kept.
pub const KEEP_FINISHED: u64 = 2 * 3600;
/// Seconds after its last request for which an unfinished game is kept.
pub const KEEP_UNFINISHED: u64 = 24 * 3600;
/// Maximum length of a request in bytes. A record of a long game has about 50 kB.
pub const MAX_REQUEST: usize = 1 << 18;
/// Maximum length of a request for books of openings in bytes. A book of 1000 games has some 3 MB.
pub const MAX_BOOKS_REQUEST: usize = 1 << 24;

/// Games in progress, by their identifiers.
///
/// ```
/// use watershed::{games::built_in_games, web::Application};
///
/// let application = Application::new(built_in_games(), b"a secret");
/// let answer = application.call(
///     r#"{"request": "new", "game": "the_river", "players": 2, "seats": ["human", "random"],
///         "seed": 1}"#,
/// );
/// let answer: serde_json::Value = serde_json::from_str(&answer)?;
/// assert_eq!(answer["view"]["title"], "The River");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Application {
    /// The origin of identifiers and of seeds that nobody chose.
    secret: Vec<u8>,
    /// Number of secrets that were drawn.
    drawn: AtomicU64,
    /// Seconds since the start, as the transport says.
    clock: AtomicU64,
    /// Number of requests about games.
    requests: AtomicU64,
    games: Mutex<BTreeMap<String, OpenGame>>,
    /// Locked after `games` where both are.
    shared: Mutex<SharedSeats>,
    /// The searches that the reviews in progress have done, by their games.
    reviews: Mutex<BTreeMap<String, Arc<AtomicUsize>>>,
    fixes: FixJobs,
    versions: LastVersions,
    offers: OnceLock<Vec<GameOffer>>,
    list: GameList,
    open_games: OpenGames,
    on_finished: Option<FinishedReceiver>,
    tools: Option<CommandTools>,
}

/// The functions of the commands that an application without them does not have.
#[derive(Clone, Copy, Debug)]
pub struct CommandTools {
    /// Searches for edits.
    pub find_fix: FixSearcher,
    /// Reads a table of components.
    pub read_table: TableReader,
}

/// Receiver of finished games with their records.
pub type FinishedReceiver = Box<dyn Fn(&BoundGame, &Record) + Send + Sync>;

/// A game with the time of its last request and the number of that request.
struct OpenGame {
    game: Arc<GameInProgress>,
    last_request: (u64, u64),
}

impl Application {
    /// Creates an application for a list of games, without games in progress. Identifiers of games
    /// follow from `secret`; they can be guessed by those who know it.
    pub fn new(list: GameList, secret: &[u8]) -> Self {
        Self {
            secret: secret.to_vec(),
            drawn: AtomicU64::new(0),
            clock: AtomicU64::new(0),
            games: Mutex::default(),
            shared: Mutex::default(),
            reviews: Mutex::default(),
            fixes: FixJobs::default(),
            versions: LastVersions::default(),
            offers: OnceLock::new(),
            list,
            open_games: OpenGames::new(list),
            requests: AtomicU64::new(0),
            on_finished: None,
            tools: None,
        }
    }

    /// Sets the functions of the commands.
    #[must_use]
    pub fn with_tools(self, tools: CommandTools) -> Self {
        Self { tools: Some(tools), ..self }
    }

    /// Sets a receiver of all games that are played to their end, except from a position that was
    /// set up, or on data that a person edited.
    #[must_use]
    pub fn on_finished(self, receiver: Option<FinishedReceiver>) -> Self {
        Self { on_finished: receiver, ..self }
    }

    /// Answers a request in JSON with an answer in JSON.
    pub fn call(&self, request: &str) -> String {
        match Request::parse(request) {
            Ok(request) => self.answer(request, &AnalysisWatch::new(None)),
            Err(problem) => Answer::Error(problem),
        }
        .to_json()
    }

    /// Answers a request. When `watch` is stopped, a hint, a review or a step ends soon with an
    /// error and without a change; other requests do not look at it.
    pub fn answer(&self, request: Request, watch: &AnalysisWatch) -> Answer {
        self.try_answer(request, watch).unwrap_or_else(Answer::Error)
    }

    /// Returns the identifier of a game by an identifier that may be that of a person's seat.
    pub fn key(&self, id: &str) -> String {
        self.lock_shared().find(id).map_or(id, |(key, _)| key).to_owned()
    }

    /// Sets the time in seconds since the start, and drops the games and searches whose time has
    /// passed.
    pub fn set_time(&self, seconds: u64) {
        self.clock.store(seconds, Ordering::Relaxed);
        self.fixes.stop_abandoned(seconds);
        let mut games = self.lock();
        games.retain(|_, entry| {
            let kept = if entry.game.is_over() { KEEP_FINISHED } else { KEEP_UNFINISHED };
            entry.last_request.0 + kept >= seconds
        });
        self.lock_shared().retain(|game| games.contains_key(game));
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.lock().len()
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each kind of request")]
    fn try_answer(&self, request: Request, watch: &AnalysisWatch) -> Result<Answer, Problem> {
        Ok(match request {
            Request::Games {} => {
                let offers = self.offers.get_or_init(|| catalog::offers(self.list));
                Answer::Games(offers.clone())
            }
            Request::New(new) => {
                let seed = new.seed.unwrap_or_else(|| self.draw_seed());
                self.add(open::new_game(&self.open_games, &new, seed)?)?
            }
            Request::SetUp { position, bot } => {
                let (bot, seed) = (bot.as_deref(), self.draw_seed());
                self.add(open::set_up(&self.open_games, &position, bot, seed)?)?
            }
            Request::Load(load) => self.add(open::load(&self.open_games, &load)?)?,
            Request::Position(GameMoment { id, at }) => {
                let Access { game, own, .. } = self.find(&id)?;
                Answer::Position(game.position(at, own)?)
            }
            Request::Close(GameRequest { id }) => {
                let key = self.draw_id();
                if !self.lock_shared().leave(&id, key) {
                    self.lock().remove(&id).ok_or_else(unknown_game)?;
                }
                Answer::Closed {}
            }
            Request::View { id, at, log_from } => self.view(&id, &self.find(&id)?, at, log_from)?,
            Request::Act { id, action, events, pending, log_from } => {
                let change = GameChange { id, events, log_from };
                self.change(&change, |session, own| {
                    may_decide(session, own)?;
                    if session.pending().len() != pending {
                        return Err(stale());
                    }
                    Ok(session.act(&action)?)
                })?
            }
            Request::Step(change) => self.change(&change, |session, _| {
                match session.step(watch.flag()) {
                    // The bot may have chosen any action.
                    _ if watch.is_stopped() => Err("the choice of the bot was stopped".into()),
                    true => Ok(change.events),
                    false => Err("no bot and no chance decides the next event".into()),
                }
            })?,
            Request::Undo(change) => self.change(&change, |session, own| {
                may_go_back(session, own)?;
                let is_done = session.undo();
                is_done.then_some(change.events).ok_or("there is no decision to take back".into())
            })?,
            Request::Redo(change) => self.change(&change, |session, own| {
                may_go_back(session, own)?;
                let is_done = session.redo();
                is_done.then_some(change.events).ok_or("there is no decision to make again".into())
            })?,
            Request::Hint { id, at, action } => {
                let Access { game, own, .. } = self.find(&id)?;
                Answer::Hint(game.hint(at, action.as_deref(), own, watch)?)
            }
            Request::Review { id, iterations, hinted } => {
                let Access { game, own, .. } = self.find(&id)?;
                let done = Arc::new(AtomicUsize::new(0));
                self.lock_reviews().insert(id.clone(), Arc::clone(&done));
                let review = game.review((iterations, &hinted), own, &done, watch.flag());
                self.lock_reviews().remove(&id);
                Answer::Review(review?.into())
            }
            Request::Progress(GameRequest { id }) => {
                let total = self.find(&id)?.game.session.events();
                let done = self.lock_reviews().get(&id).map(|done| done.load(Ordering::Relaxed));
                let done = (done.unwrap_or_default() / 2).min(total);
                Answer::Progress(WorkProgress { done, total })
            }
            Request::Branch { id, at } => {
                let branch = self.find(&id)?.game.branch(at)?;
                self.add(branch)?
            }
            Request::Invite { id, hints } => self.invite(&id, hints)?,
            Request::Substitute { id, seat } => self.substitute(&id, seat)?,
            Request::Join { key } => {
                let id = self.draw_id();
                self.lock_shared().join(&key, &id)?;
                self.view(&id, &self.find(&id)?, None, 0)?
            }
            Request::Puzzle { puzzle, step } => {
                Answer::Puzzle(puzzle::pose(&self.open_games, &puzzle, step)?)
            }
            Request::Solve { puzzle, step, action } => Answer::Solution(puzzle::solve(
                &self.open_games,
                (&puzzle, step),
                action.as_deref(),
                watch,
            )?),
            Request::Book { books } => Answer::Book(book::show(&books)?),
            Request::Opening { id, book } => {
                let Access { game, .. } = self.find(&id)?;
                game.may_advise()?;
                Answer::Opening(book::opening(&game, &book)?)
            }
            Request::Values { game, players, version } => {
                Answer::Values(workbench::values(self.list, &game, players, &version)?.into())
            }
            Request::Table(request) => Answer::Table(self.read_table(&request)?),
            Request::Compare(comparison) => {
                let opened = self.versions.open(self.list, comparison.key())?;
                Answer::Comparison(workbench::compare(&opened, &comparison, watch.flag())?.into())
            }
            Request::Worth(request) => {
                let opened = self.versions.open(self.list, request.key())?;
                Answer::Worth(worth::worth(&opened, &request, watch.flag())?.into())
            }
            Request::Fix(request) => Answer::Search(self.start_fix(request)?),
            Request::FixProgress { id, stop } => {
                Answer::Fix(self.fixes.progress(&id, self.time().0, stop)?.into())
            }
            Request::Save(GameRequest { id }) => Answer::Record(self.record(&id)?),
            Request::Store(GameRequest { id }) => Answer::Copy(copy::of_record(&self.record(&id)?)),
        })
    }

    fn record(&self, id: &str) -> Result<String, Problem> {
        let access = self.find(id)?;
        access.may_save()?;
        Ok(access.game.record())
    }

    /// Reads a table of components into a version.
    fn read_table(&self, request: &TableRequest) -> Result<ImportedTable, Problem> {
        let Some(CommandTools { read_table, .. }) = self.tools else {
            return Err("no tables are read here; the command `data import` does".into());
        };
        let game = self.list.require(&request.game)?;
        let base = request.version.document(game, request.players)?;
        read_table(game, &base, &request.name, &request.bytes)
    }

    /// Starts a search for edits, and returns its identifier.
    fn start_fix(&self, request: FixRequest) -> Result<String, Problem> {
        let Some(CommandTools { find_fix, .. }) = self.tools else {
            return Err("nothing is searched here; the command `balance search` does".into());
        };
        let game = self.list.require(&request.game)?;
        let document = request.version.document(game, request.players)?;
        let [done, total] = [0, 0].map(AtomicUsize::new);
        let task = FixTask { request, game, document, done, total, stop: AtomicBool::new(false) };
        let id = self.draw_id();
        self.fixes.start(id.clone(), self.time().0, task, find_fix)?;
        Ok(id)
    }

    /// Gives each person of a game an identifier, and begins the game again, or returns the
    /// invitations that are still open. `hints` allows hints or refuses them.
    fn invite(&self, id: &str, hints: Option<bool>) -> Result<Answer, Problem> {
        let access = self.find(id)?;
        let people = access.people()?;
        let mut games = self.lock();
        let mut shared = self.lock_shared();
        if let Some(entry) = games.get_mut(id) {
            // The host may have seen or saved the seed and what is hidden.
            let mut again = GameInProgress::clone(&entry.game);
            if !again.session.begin_again(self.draw_seed()) {
                return Err("people are invited before the first decision".into());
            }
            entry.game = Arc::new(again);
        }
        access.may_invite(&people, &shared.open_seats(&access.key))?;
        let key = if let Some(entry) = games.remove(id) {
            let key = self.draw_id();
            games.insert(key.clone(), entry);
            shared.add(id.to_owned(), &key, people[0], false);
            for &seat in &people[1..] {
                shared.add(self.draw_id(), &key, seat, true);
            }
            key
        } else {
            access.key
        };
        if let (Some(entry), Some(allows_hints)) = (games.get_mut(&key), hints) {
            Arc::make_mut(&mut entry.game).allows_hints = allows_hints;
        }
        Ok(Answer::Invitations(shared.open_seats(&key)))
    }

    /// Gives a seat that nobody has to the default bot of the game.
    fn substitute(&self, id: &str, seat: usize) -> Result<Answer, Problem> {
        let access = self.find(id)?;
        let open = self.lock_shared().open_seats(&access.key);
        access.may_invite(&access.people()?, &open)?;
        if open.iter().all(|invitation| invitation.seat != seat) {
            return Err(format!("player {} has not left", seat + 1).into());
        }
        let library = access.game.opened.game.library();
        let bot = library.read(library.default_bot())?;
        let change =
            GameChange { id: id.to_owned(), events: access.game.session.events(), log_from: 0 };
        self.change(&change, |session, _| {
            session.set_player(Seat::new(seat), Player::Bot(bot));
            Ok(0)
        })?;
        self.lock_shared().close(&access.key, seat);
        self.view(id, &self.find(id)?, None, 0)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, OpenGame>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time with the number of the request.
    fn time(&self) -> (u64, u64) {
        (self.clock.load(Ordering::Relaxed), self.requests.fetch_add(1, Ordering::Relaxed))
    }

    fn lock_reviews(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AtomicUsize>>> {
        self.reviews.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_shared(&self) -> MutexGuard<'_, SharedSeats> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a game as it is now, by its identifier or that of a person.
    fn find(&self, id: &str) -> Result<Access, Problem> {
        let mut games = self.lock();
        let shared = self.lock_shared();
        let (key, own) = match shared.find(id) {
            Some((key, seat)) => (key, Some(seat)),
            None => (id, None),
        };
        let entry = games.get_mut(key).ok_or_else(unknown_game)?;
        entry.last_request = self.time();
        Ok(Access { key: key.to_owned(), game: Arc::clone(&entry.game), own })
    }

    /// Adds a game. If there is no place, the game that was used longest ago is dropped: a page
    /// keeps a copy, which it can load again.
    fn add(&self, game: GameInProgress) -> Result<Answer, Problem> {
        let id = self.draw_id();
        let mut games = self.lock();
        if games.len() >= MAX_GAMES {
            let oldest = games.iter().min_by_key(|(_, entry)| entry.last_request);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                games.remove(&oldest);
            }
        }
        let last_request = self.time();
        let game = Arc::new(game);
        games.insert(id.clone(), OpenGame { game: Arc::clone(&game), last_request });
        drop(games);
        self.view(&id, &Access { key: id.clone(), game, own: None }, None, 0)
    }

    /// Changes a copy of a game, and puts it into the place of the game if nothing else has changed
    /// the game meanwhile. `change` returns the first event that the page must show again.
    fn change(
        &self,
        GameChange { id, events, log_from }: &GameChange,
        change: impl FnOnce(&mut GameSession, Option<Seat>) -> Result<usize, Problem>,
    ) -> Result<Answer, Problem> {
        let Access { key, game: before, own } = self.find(id)?;
        if before.session.events() != *events {
            return Err(stale());
        }
        let mut after = GameInProgress::clone(&before);
        let log_from = (*log_from).min(change(&mut after.session, own)?);
        let after = Arc::new(after);
        let mut games = self.lock();
        let entry = games.get_mut(&key).ok_or_else(unknown_game)?;
        if !Arc::ptr_eq(&entry.game, &before) {
            return Err(stale());
        }
        entry.game = Arc::clone(&after);
        drop(games);
        let is_usual = !after.session.is_set_up() && !after.opened.is_edited;
        let is_finished = after.is_over() && !before.is_over() && is_usual;
        if let Some(receive) = self.on_finished.as_ref().filter(|_| is_finished) {
            receive(&after.opened.game, &after.session.record());
        }
        self.view(id, &Access { key, game: after, own }, None, log_from)
    }

    /// Returns the view of a game under an identifier.
    fn view(
        &self,
        id: &str,
        access: &Access,
        at: Option<usize>,
        log_from: usize,
    ) -> Result<Answer, Problem> {
        let mut view = access.game.view(at, log_from, access.own)?;
        id.clone_into(&mut view.id);
        for Invitation { seat, .. } in self.lock_shared().open_seats(&access.key) {
            view.seats[seat].is_open = true;
        }
        Ok(Answer::View(view.into()))
    }

    /// Draws bytes that only the secret determines.
    fn draw(&self) -> [u8; 32] {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        Sha256::new()
            .chain_update(&self.secret)
            .chain_update(number.to_le_bytes())
            .finalize()
            .into()
    }

    fn draw_seed(&self) -> u64 {
        let number =
            self.draw().iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
        number % SEEDS
    }

    fn draw_id(&self) -> String {
        self.draw().iter().take(ID_BYTES).fold(String::new(), |mut id, byte| {
            let _ = write!(id, "{byte:02x}");
            id
        })
    }
}

/// Number of seeds that are drawn: short enough to be typed.
const SEEDS: u64 = 1_000_000_000;
/// Number of bytes of an identifier.
const ID_BYTES: usize = 12;

fn unknown_game() -> Problem {
    let error = "this game is not kept here any more; load it from a file";
    Problem::new(ProblemKind::UnknownGame, error)
}

fn stale() -> Problem {
    Problem::new(ProblemKind::Stale, "the game has changed meanwhile")
}
