//! Requests of a page.

use serde::Deserialize;

use super::{MAX_BOOKS_REQUEST, MAX_REQUEST};
pub use super::{
    fix::FixRequest, table::TableRequest, versions::GameVersion, workbench::VersionComparison,
    worth::WorthRequest,
};
use crate::{protocol::problem::Problem, session::ChanceOrigin};

/// A request, an object whose key `request` has the name of the variant, as in
/// `{"request": "act", "id": "…", "action": 0, "events": 12}`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Lists the games, with the numbers of players and the bots for each.
    Games {},
    /// Begins a game.
    New(NewGame),
    /// Continues the game of a record or of a copy.
    Load(LoadGame),
    /// Begins a game from a position.
    SetUp {
        /// The position, as `analyze` reads it.
        position: String,
        /// The bot of all seats but the one that decides; people play all seats if there is none.
        #[serde(default)]
        bot: Option<String>,
    },
    /// Returns the notation of the present position of a game, or of the one before an event.
    Position(GameMoment),
    /// Shows a game, now or as it was before an event.
    View {
        /// The game.
        id: String,
        /// The event before which the game is shown, from 0; now if there is none.
        #[serde(default)]
        at: Option<usize>,
        /// The first event of the log in the answer.
        #[serde(default)]
        log_from: usize,
    },
    /// Makes the next event, which a person decides, or adds a choice to a combination.
    Act {
        /// The game.
        id: String,
        /// The action.
        action: String,
        /// The number of events in the view.
        events: usize,
        /// The number of pending choices in the view.
        #[serde(default)]
        pending: usize,
        /// The first event of the log in the answer.
        #[serde(default)]
        log_from: usize,
    },
    /// Makes the next event, which a bot decides or chance draws.
    Step(GameChange),
    /// Takes the last decision of a person back.
    Undo(GameChange),
    /// Makes a decision again that was taken back.
    Redo(GameChange),
    /// Suggests actions to the person who decides.
    Hint {
        /// The game.
        id: String,
        /// The event before which it is asked for, from 0; now if there is none.
        #[serde(default)]
        at: Option<usize>,
        /// An action to judge with the others.
        #[serde(default)]
        action: Option<String>,
    },
    /// Shows the chances of all seats in a finished game, and the decisions that cost some of them.
    Review {
        /// The game.
        id: String,
        /// Iterations of the searches of each decision; up to 16 times as many where two differ.
        iterations: u32,
        /// The events of decisions for which a hint was given.
        #[serde(default)]
        hinted: Vec<usize>,
    },
    /// Returns the progress of the review of a game.
    Progress(GameRequest),
    /// Begins a game from the position before an event of a finished game, with the same players.
    Branch {
        /// The finished game.
        id: String,
        /// The event, from 0.
        at: usize,
    },
    /// Makes a game one in which each person has a page of their own, and returns the keys by which
    /// the others join. The game's identifier becomes that of the first person.
    Invite {
        /// The game.
        id: String,
        /// False to refuse hints to all seats until the end, true to allow them; unchanged if there
        /// is none.
        #[serde(default)]
        hints: Option<bool>,
    },
    /// Gives the seat of a person who has left a shared game to a bot.
    Substitute {
        /// The game.
        id: String,
        /// The seat.
        seat: usize,
    },
    /// Joins a game as an invited person.
    Join {
        /// The key of the invitation.
        key: String,
    },
    /// Shows the position of a decision of a puzzle.
    Puzzle {
        /// The puzzle, a line of a file of `watershed puzzles find`.
        puzzle: String,
        /// The decision, from 0.
        #[serde(default)]
        step: usize,
    },
    /// Judges an answer to a puzzle.
    Solve {
        /// The puzzle.
        puzzle: String,
        /// The decision, from 0.
        #[serde(default)]
        step: usize,
        /// The answer; only the solution is named if there is none.
        #[serde(default)]
        action: Option<String>,
    },
    /// Shows books of openings.
    Book {
        /// The contents of files `book.json`, all of one game; the rows are those of the first one.
        books: Vec<String>,
    },
    /// Returns the effects of the actions of the present decision in a book of openings.
    Opening {
        /// The game.
        id: String,
        /// The content of a file `book.json`.
        book: String,
    },
    /// Shows the values of a version of the data of a game.
    Values {
        /// Name of the game.
        game: String,
        /// Number of players.
        players: usize,
        /// The version.
        version: GameVersion,
    },
    /// Returns a version with the components of a table that a spreadsheet saved.
    Table(TableRequest),
    /// Plays two versions of a game on the same deals.
    Compare(VersionComparison),
    /// Plays forks of two versions of a game, which tell what items are worth.
    Worth(WorthRequest),
    /// Starts a search for edits of a version that meet goals.
    Fix(FixRequest),
    /// Returns the progress of a search for edits, with the edits at its end.
    FixProgress {
        /// The search.
        id: String,
        /// True to end the search without an answer.
        #[serde(default)]
        stop: bool,
    },
    /// Returns the record of a game, with everything that is hidden.
    Save(GameRequest),
    /// Returns a copy of a game in which nothing hidden is read by accident, for the storage of the
    /// page.
    Store(GameRequest),
    /// Drops a game.
    Close(GameRequest),
}

impl Request {
    /// Parses a request.
    ///
    /// # Errors
    /// Returns an error if the text is too long or no request.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let not_a_request = |error| format!("not a request: {error}");
        if text.len() <= MAX_REQUEST {
            return Ok(serde_json::from_str(text).map_err(not_a_request)?);
        }
        if text.len() > MAX_BOOKS_REQUEST {
            return Err(format!("expected at most {MAX_BOOKS_REQUEST} bytes").into());
        }
        // Only books are long. Read as such, other contents do not fill the memory.
        let LongRequest { request: RequestName::Book, books } =
            serde_json::from_str(text).map_err(not_a_request)?;
        Ok(Self::Book { books })
    }

    /// Returns true if the answer can take longer than a moment, because a bot thinks or a whole
    /// game is replayed.
    pub const fn may_take_long(&self) -> bool {
        matches!(
            self,
            Self::Load(_)
                | Self::Step(_)
                | Self::Hint { .. }
                | Self::Review { .. }
                | Self::Book { .. }
                | Self::Opening { .. }
                | Self::Solve { .. }
                | Self::Values { .. }
                | Self::Table(_)
                | Self::Compare(_)
                | Self::Worth(_)
                | Self::Fix(_)
        )
    }

    /// Returns true if the answer takes as much time as the request asks for.
    pub const fn is_job(&self) -> bool {
        matches!(self, Self::Compare(_) | Self::Worth(_) | Self::Fix(_))
    }
}

/// [`Request::Book`] with its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongRequest {
    request: RequestName,
    books: Vec<String>,
}

/// The name of a request that may be long.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RequestName {
    Book,
}

/// A request about a game without further values.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    /// The game.
    pub id: String,
}

/// A game, now or before an event.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameMoment {
    /// The game.
    pub id: String,
    /// The event, from 0; now if there is none.
    #[serde(default)]
    pub at: Option<usize>,
}

/// A change of a game that the page has seen.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameChange {
    /// The game.
    pub id: String,
    /// The number of events in the view.
    pub events: usize,
    /// The first event of the log in the answer.
    #[serde(default)]
    pub log_from: usize,
}

/// A game to begin.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The player of each seat: `human`, or a bot of the list of games.
    pub seats: Vec<String>,
    /// The seed of chance and of the bots; drawn if there is none.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The origin of chance outcomes.
    #[serde(default)]
    pub chance: ChanceOrigin,
    /// The mode; chance draws it if there is none.
    #[serde(default)]
    pub mode: Option<String>,
    /// The version of the data; the data of the application if there is none.
    #[serde(default)]
    pub version: Option<GameVersion>,
}

/// A saved or stored game to continue.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadGame {
    /// The record, one JSON object, or the copy that [`Request::Store`] returns.
    pub record: String,
    /// The player of each seat; those of the record if there are none.
    #[serde(default)]
    pub seats: Option<Vec<String>>,
    /// The origin of chance outcomes.
    #[serde(default)]
    pub chance: ChanceOrigin,
    /// The version of the data; the data of the application if there is none.
    #[serde(default)]
    pub version: Option<GameVersion>,
}
