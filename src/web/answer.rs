//! Answers to a page.
//!
//! Seats are counted from 0 in JSON and from 1 in texts.

use serde::Serialize;

pub use super::{
    estimate::EstimateView,
    fix::FixProgress,
    table::ImportedTable,
    workbench::{ComparisonView, VersionView},
    worth::WorthView,
};
use crate::{
    bots::opponents::OpponentRating,
    protocol::{analysis::Suggestions, problem::Problem, review::GameReview},
    session::Results,
};

/// An answer: an object with one key, the name of the variant.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The games that can be played.
    Games(Vec<GameOffer>),
    /// A game.
    View(Box<GameView>),
    /// Suggested actions.
    Hint(Suggestions),
    /// The review of a finished game.
    Review(Box<GameReview>),
    /// The progress of the review of a game.
    Progress(WorkProgress),
    /// The position of a decision of a puzzle.
    Puzzle(PuzzleView),
    /// The solution of a puzzle.
    Solution(SolutionView),
    /// Books of openings.
    Book(BookView),
    /// The effects of the actions of a decision in a book; none if it has too few games of it.
    Opening(Option<OpeningView>),
    /// The values of a version of the data of a game.
    Values(Box<VersionView>),
    /// A version with the components of a table.
    Table(ImportedTable),
    /// The differences between two versions.
    Comparison(Box<ComparisonView>),
    /// The worth of items in two versions.
    Worth(Box<WorthView>),
    /// A search for edits, which has started.
    Search(String),
    /// The progress of a search for edits, or the edits that meet goals.
    Fix(Box<FixProgress>),
    /// The record of a game, one line.
    Record(String),
    /// A copy of a game, a text that only [`Request::Load`] reads.
    ///
    /// [`Request::Load`]: super::request::Request::Load
    Copy(String),
    /// The notation of a position.
    Position(String),
    /// The seats of a game that nobody has joined yet.
    Invitations(Vec<Invitation>),
    /// The game was dropped.
    Closed {},
    /// The request was refused: an object with the keys `error`, `kind` and `field`.
    #[serde(untagged)]
    Error(Problem),
}

impl Answer {
    /// Returns the answer as JSON. All keys are text, which is all that JSON demands.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The progress of a review.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct WorkProgress {
    /// Number of events that have been searched.
    pub done: usize,
    /// Number of events.
    pub total: usize,
}

/// An invitation to a seat of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Invitation {
    /// The seat.
    pub seat: usize,
    /// The key by which a person joins.
    pub key: String,
}

/// A game that can be played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameOffer {
    /// Name in requests and records.
    pub id: String,
    /// Title.
    pub title: String,
    /// Sentences about the game.
    pub description: String,
    /// The provenance of the data, as the data file claims it.
    pub provenance: String,
    /// The numbers of players, ascending.
    pub players: Vec<PlayersOffer>,
    /// The puzzles and books that come with the page.
    pub files: Vec<FileOffer>,
}

/// A file that comes with the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct FileOffer {
    /// Path beside the page.
    pub path: &'static str,
    /// Short description.
    pub title: &'static str,
}

/// A bot that can be chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BotOffer {
    /// Name in requests and records.
    pub name: String,
    /// Short description.
    pub title: String,
    /// Sentences about the way in which the bot decides and about its strength.
    pub description: String,
    /// The rating, if it was measured with this number of players.
    pub rating: Option<OpponentRating>,
}

/// A number of players with its bots.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayersOffer {
    /// Number of players.
    pub players: usize,
    /// The bots among which most people choose.
    pub bots: Vec<BotOffer>,
    /// The other bots of the game.
    pub more_bots: Vec<BotOffer>,
    /// The index of the bot that a new game proposes, among `bots`.
    pub proposed_bot: usize,
    /// The modes that can be chosen; chance draws one otherwise.
    pub modes: Vec<&'static str>,
}

/// A game as the person who decides sees it, or as all see it after its end.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct GameView {
    /// The game in requests.
    pub id: String,
    /// Name of the game.
    pub game: String,
    /// Title of the game.
    pub title: &'static str,
    /// The provenance of the data, as the data file claims it.
    pub provenance: String,
    /// True if a person has edited the data.
    pub is_edited: bool,
    /// The seed, a number that a page need not represent exactly; empty while it would tell a
    /// person what is hidden.
    pub seed: String,
    /// True if the game began from a position that was set up. It has no record and no review.
    pub is_set_up: bool,
    /// True if each person has a page of their own.
    pub is_shared: bool,
    /// False if the host of a shared game refuses hints until its end.
    pub allows_hints: bool,
    /// True if people enter chance outcomes.
    pub enters_chance: bool,
    /// The players.
    pub seats: Vec<SeatView>,
    /// The game, the number of players and the round.
    pub heading: String,
    /// Sentence about the event that comes next.
    pub turn: String,
    /// Number of events so far.
    pub events: usize,
    /// Number of choices of a combination that are not events yet.
    pub pending: usize,
    /// The event before which the game is shown; now if there is none.
    pub at: Option<usize>,
    /// The origin of the next event: `person` if a person decides on this page, `other_person` if
    /// one decides on another page, `entered_chance` if a person enters a chance outcome, `bot`,
    /// `drawn_chance`, or `over`.
    pub next: &'static str,
    /// The seat that decides.
    pub decider: Option<usize>,
    /// The seat from whose view the game is shown; none if nothing is hidden.
    pub viewer: Option<usize>,
    /// The rules of the game in some sentences, if the whole log was asked for.
    pub rules: Vec<String>,
    /// The board as HTML: a figure of SVG. Cells have their identifier as `data-cell`.
    pub board: String,
    /// The actions of the person who decides now.
    pub actions: Vec<ActionView>,
    /// The first event of the log here.
    pub log_from: usize,
    /// The events so far, from this one on.
    pub log: Vec<LogEntry>,
    /// True if a decision of a person can be taken back.
    pub can_undo: bool,
    /// True if there are decisions that were taken back.
    pub can_redo: bool,
    /// True if a hint can be asked for in the position shown.
    pub can_analyse: bool,
    /// The results, after the end of the game.
    pub results: Option<ResultsView>,
}

/// The player of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SeatView {
    /// `human` or the name of the bot.
    pub player: String,
    /// The name within sentences: `you`, that of an opponent, or as in `player 2`.
    pub name: String,
    /// True if the person has left a shared game, or has not joined it yet.
    pub is_open: bool,
}

/// An action that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ActionView {
    /// The action.
    pub action: String,
    /// The action in words.
    pub label: String,
    /// The identifiers of the cells of the board that it concerns.
    pub cells: Vec<String>,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LogEntry {
    /// The seat that decided; none for chance.
    pub seat: Option<usize>,
    /// The event in words.
    pub text: String,
    /// The automatic steps of the rules after it, in sentences.
    pub steps: Vec<String>,
    /// True if the outcome is hidden from the viewer.
    pub hidden: bool,
}

/// A part of the scores that made the difference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DecidingPart {
    /// Its name, as in the parts of the scores.
    pub part: String,
    /// The points of the person and of the rival, as in `8 : 13`.
    pub points: String,
}

/// The results of a finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ResultsView {
    /// Sentence about the winners, to the person if there is one.
    pub sentence: String,
    /// The part of the scores that made the difference for the person.
    pub decided: Option<DecidingPart>,
    /// Scores, winners and parts of the scores.
    #[serde(flatten)]
    pub results: Results,
}

/// The position of a decision of a puzzle with its answers, without the solution.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PuzzleView {
    /// The game in requests.
    pub game: String,
    /// Title of the game.
    pub title: &'static str,
    /// Number of players.
    pub players: usize,
    /// Number of decisions of the puzzle.
    pub steps: usize,
    /// The rating on the scale of the opponents.
    pub rating: f64,
    /// The game, the number of players and the round.
    pub heading: String,
    /// The events since the decision before it, and the question.
    pub question: String,
    /// Sentences about the origin of the puzzle.
    pub about: String,
    /// The seat that decides.
    pub seat: usize,
    /// The board as HTML, as in [`GameView::board`].
    pub board: String,
    /// The answers. Actions that lead to the same position are one answer.
    pub actions: Vec<ActionView>,
}

/// The solution of a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SolutionView {
    /// The answer in words: right, or what it costs; none if there is no answer.
    pub verdict: Option<String>,
    /// True if the answer is the solution.
    pub is_right: bool,
    /// The solution.
    pub action: String,
    /// The solution in words.
    pub label: String,
    /// The reason for the solution; none if the search did not rank it among the first.
    pub why: Option<String>,
}

/// Books of openings of the same game, data and number of players, side by side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BookView {
    /// The game in requests.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// Number of players.
    pub players: usize,
    /// The provenance of the data, as the data file claims it.
    pub provenance: String,
    /// The advice of the first book in a sentence.
    pub advice: String,
    /// The books; the situations and actions are those of the first one.
    pub books: Vec<BookSource>,
    /// The groups of situations, coarse ones before the finer ones that they contain.
    pub situations: Vec<BookSituation>,
}

/// The games of a book.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BookSource {
    /// The bot in all seats.
    pub bot: String,
    /// The seed, a number that a page need not represent exactly.
    pub seed: String,
    /// Number of games.
    pub games: u64,
    /// Number of decisions that were forked.
    pub forks: u64,
    /// Number of games that were played on from forks.
    pub continuations: u64,
}

/// The actions of a decision with their effects in a book of openings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OpeningView {
    /// The turn position and the opening step.
    pub decision: String,
    /// The starter and what lies open, as far as the book has enough games of them; empty for all.
    pub detail: String,
    /// The actions of the decision that the book knows, the best first.
    pub rows: Vec<BookAction>,
    /// The index of the row of each action of the game; none for those that the book does not know.
    pub row_of: Vec<Option<usize>>,
}

/// The actions of a group of situations, the best first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BookSituation {
    /// The turn position and the opening step.
    pub decision: String,
    /// The starter and what lies open; empty for all.
    pub detail: String,
    /// The level, 1 for the coarsest.
    pub level: usize,
    /// The actions.
    pub actions: Vec<BookAction>,
}

/// An action in a group of situations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BookAction {
    /// The action in words.
    pub label: String,
    /// The effect by each book, if it has one.
    pub effects: Vec<Option<BookEffect>>,
}

/// The effect of an action in a group of situations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct BookEffect {
    /// Number of forks with the action.
    pub forks: i64,
    /// Win share with the action minus the mean over what the bot would choose, shrunk.
    pub effect: EstimateView,
    /// Win share with the action.
    pub win: EstimateView,
    /// Number of seats that chose the action by themselves.
    pub chosen: i64,
    /// Number of decisions in the group.
    pub decisions: i64,
    /// The worth of the action: `good`, `playable`, `bad` or `too rare`.
    pub verdict: &'static str,
}
