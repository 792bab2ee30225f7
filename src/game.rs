//! The contract between a game and everything else: search, bots, arena and statistics know a game
//! only through these traits.
//!
//! A *game* is rules bound to one data file: immutable, shared by all threads. A *state* is a small
//! value without pointers. Chance is explicit: [`Game::turn`] says whether chance, a seat or nobody
//! decides, and chance outcomes are actions too, so that records, replays, oracles and search share
//! one [`Game::apply`].

mod actions;
mod items;
mod statistics;

use std::{
    fmt::{self, Debug},
    hash::Hash,
};

pub use actions::{ActionList, ActionSet, BitActions};
pub use items::{Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, ReportedSeats};
pub use statistics::{RoundMetric, Statistics};

use crate::rng::Rng;

/// The most seats any game has.
pub const MAX_SEATS: usize = 5;

/// The most named features a game may show a heuristic.
pub const MAX_FEATURES: usize = 32;

/// A win is credited in these units, so that it can be shared by 2, 3, 4 or 5 seats without a
/// fraction.
pub const UNITS_PER_WIN: i64 = 60;

/// One value per seat; entries from the number of seats on are zero.
pub type PerSeat<T> = [T; MAX_SEATS];

/// A place at the table, counted clockwise from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this index.
    pub const fn new(index: usize) -> Self {
        Self(index as u8)
    }

    /// The index, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat `steps` places clockwise at a table of `seats`.
    #[must_use]
    pub const fn clockwise(self, steps: usize, seats: usize) -> Self {
        let index = self.0 as usize + steps;
        Self(if index >= seats { index - seats } else { index } as u8)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// A source of chance of a game, an index into [`Game::chance_sources`]. Each has a random stream
/// of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChanceSource(pub u8);

/// Who decides next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Chance: the outcome is drawn from this source.
    Chance(ChanceSource),
    /// This seat chooses one of the legal actions.
    Seat(Seat),
    /// Nobody: the game has ended.
    Over,
}

/// How a finished game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Final score of each seat, in points.
    pub scores: PerSeat<i32>,
    /// The winners, bit s for seat s. Several seats may share a win, or none may have it.
    pub winners: u8,
    /// Rounds played, the last one included.
    pub rounds: u32,
    /// Whether the simulator's round limit ended the game rather than its rules.
    pub hit_round_limit: bool,
}

impl Outcome {
    /// What this seat is credited, in units of [`UNITS_PER_WIN`]: a whole win, the same share as
    /// every other winner, or 0.
    pub fn win_share(&self, seat: Seat) -> i64 {
        if self.winners >> seat.0 & 1 == 0 {
            0
        } else {
            UNITS_PER_WIN / i64::from(self.winners.count_ones())
        }
    }
}

/// The seats with the highest of the first `seats` scores, as a bit set.
pub fn highest_scoring_seats(scores: &PerSeat<i32>, seats: usize) -> u8 {
    let best = scores[..seats].iter().max();
    (0..seats).filter(|&seat| Some(&scores[seat]) == best).fold(0, |set, seat| set | 1 << seat)
}

/// The rules of a game, bound to one data file and one number of players.
pub trait Game: Sync {
    /// A position: small, without pointers, equal and hashed by its bytes.
    type State: Copy + Eq + Hash + Debug + Send + Sync;
    /// A decision or a chance outcome, at most 4 bytes.
    type Action: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The legal actions of a position, held without heap.
    type Actions: ActionSet<Action = Self::Action> + Sync;

    /// Number of players, 1 to [`MAX_SEATS`].
    fn seats(&self) -> usize;

    /// Names of the sources of chance.
    fn chance_sources(&self) -> &'static [&'static str];

    /// Names of the kinds of action, at most 32.
    fn action_kinds(&self) -> &'static [&'static str];

    /// The position before anything has happened.
    fn initial(&self) -> Self::State;

    /// Who decides next.
    fn turn(&self, state: &Self::State) -> Turn;

    /// The legal actions of the seat whose turn it is; never empty then. Unspecified on a chance
    /// turn or after the end.
    fn legal_actions(&self, state: &Self::State) -> Self::Actions;

    /// All outcomes of the chance event that is due, each with its weight (chances are in
    /// proportion to weights).
    fn chance_outcomes(&self, state: &Self::State) -> Vec<(Self::Action, u32)>;

    /// One outcome of the chance event that is due, drawn with the chances of
    /// [`Game::chance_outcomes`].
    fn sample_chance(&self, state: &Self::State, rng: &mut Rng) -> Self::Action;

    /// Carries out a legal action or a possible chance outcome.
    fn apply(&self, state: &mut Self::State, action: Self::Action);

    /// The round a position is in, 0 during setup; it never falls.
    fn round(&self, state: &Self::State) -> u32;

    /// How the game stands; final once the turn is [`Turn::Over`].
    fn outcome(&self, state: &Self::State) -> Outcome;

    /// Whether a game may end without a winner, so that the game itself is an opponent of all
    /// seats.
    fn can_end_without_winner(&self) -> bool {
        self.seats() == 1
    }

    /// True if in every game all seats win or all lose, so that no seat can win more than another.
    fn is_cooperative(&self) -> bool {
        false
    }

    /// A position that `seat` can't tell from this one, drawn uniformly from all such positions.
    fn determinize(&self, state: &Self::State, seat: Seat, rng: &mut Rng) -> Self::State;

    /// What only `seat` knows, as a number that differs between positions that `seat` can tell
    /// apart and the others can't. Always 0 in a game without secrets.
    fn private_info_key(&self, _state: &Self::State, _seat: Seat) -> u32 {
        0
    }
}

/// A text that is not the notation of an action or a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is no {notation}: expected {expected}")]
pub struct NotationError {
    /// The text as read, shortened if long.
    pub text: String,
    /// What it was read as.
    pub notation: &'static str,
    /// What would have been right.
    pub expected: String,
}

impl NotationError {
    /// An error about `text`, which was read as `what`.
    pub fn new(text: &str, what: &'static str, expected: impl Into<String>) -> Self {
        const LONGEST: usize = 60;
        let text = match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Self { text, notation: what, expected: expected.into() }
    }
}

/// Text forms of actions and positions.
pub trait Notation: Game {
    /// The notation of an action, as the rules write it.
    fn action_text(&self, action: Self::Action) -> String;

    /// Reads the notation of an action.
    ///
    /// # Errors
    /// If the text names no action of this game. Whether the action is legal somewhere is not
    /// checked.
    fn parse_action(&self, text: &str) -> Result<Self::Action, NotationError>;

    /// All decisions that seats can ever have with this data, each once; some may be legal in no
    /// position.
    fn all_decisions(&self) -> Vec<Self::Action>;

    /// The whole position in one line.
    fn position_text(&self, state: &Self::State) -> String;

    /// Reads a whole position.
    ///
    /// # Errors
    /// If the text is no position of this game, or one that breaks its conservation of components.
    fn parse_position(&self, text: &str) -> Result<Self::State, NotationError>;

    /// Parts of a seat's score by name; they add up to its score in [`Outcome::scores`].
    fn score_breakdown(&self, state: &Self::State, seat: Seat) -> Vec<(&'static str, i32)>;
}

/// One value per named feature; entries beyond the game's features are zero.
pub type FeatureVector = [f64; MAX_FEATURES];

/// What a heuristic can see of a position.
pub trait Features: Game {
    /// Names of the features, at most [`MAX_FEATURES`].
    fn feature_names(&self) -> &'static [&'static str];

    /// The features of a position from the point of view of one seat.
    fn features(&self, state: &Self::State, seat: Seat) -> FeatureVector;

    /// How near the end the game is, from 0 at the beginning to 1.
    fn progress(&self, state: &Self::State) -> f64;
}

/// Everything the program needs of a game.
pub trait FullGame: Notation + Features + Statistics {}

impl<G: Notation + Features + Statistics> FullGame for G {}
