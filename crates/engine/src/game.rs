//! The traits by which search, bots, arena and statistics use a game.
//!
//! A *game* is a set of rules bound to one data file. It is immutable and shared by all threads. A
//! *state* is a position: a small value without pointers. Chance is explicit: [`Game::turn`]
//! returns whether chance or a seat decides, and chance outcomes are actions, so that records,
//! replays and search use the same [`Game::apply`].
//!
//! A game without chance, hidden information, items or openings leaves all of these to default
//! methods:
//!
//! ```
//! use watershed::game::{BitActions, Game, Outcome, Seat, Turn};
//!
//! /// Nim with one heap: take 1 to 3 pieces; the seat that takes the last piece wins.
//! struct Nim;
//!
//! impl Game for Nim {
//!     /// Pieces that are left, and the number of moves made.
//!     type State = (u8, u8);
//!     type Action = u8;
//!     type Actions = BitActions;
//!
//!     fn seats(&self) -> usize {
//!         2
//!     }
//!
//!     fn initial(&self) -> (u8, u8) {
//!         (10, 0)
//!     }
//!
//!     fn turn(&self, &(pieces, moves): &(u8, u8)) -> Turn {
//!         if pieces == 0 { Turn::Over } else { Turn::Seat(Seat::new(usize::from(moves % 2))) }
//!     }
//!
//!     fn legal_actions(&self, &(pieces, _): &(u8, u8)) -> BitActions {
//!         (1..=pieces.min(3)).collect()
//!     }
//!
//!     fn apply(&self, (pieces, moves): &mut (u8, u8), taken: u8) {
//!         *pieces -= taken;
//!         *moves += 1;
//!     }
//!
//!     fn round(&self, &(_, moves): &(u8, u8)) -> u32 {
//!         moves.into()
//!     }
//!
//!     fn outcome(&self, &(_, moves): &(u8, u8)) -> Outcome {
//!         let winner = usize::from((moves + 1) % 2);
//!         let mut scores = [0; 5];
//!         scores[winner] = 1;
//!         Outcome::highest_score_wins(scores, 2, moves.into())
//!     }
//! }
//!
//! let mut state = Nim.initial();
//! for taken in [2, 3, 1, 3, 1] {
//!     Nim.apply(&mut state, taken);
//! }
//! assert_eq!(Nim.turn(&state), Turn::Over);
//! assert_eq!(Nim.outcome(&state).winners, 0b01);
//! ```

mod actions;
pub mod conformance;
pub mod facts;
mod features;
mod gains;
mod items;
mod notation;
mod situation;
mod statistics;

use std::{
    any::Any,
    fmt::{self, Debug},
    hash::Hash,
    sync::Arc,
};

pub use actions::{ActionList, ActionSet, BitActions};
use facts::{FactList, FactTable, PositionFacts};
pub use gains::{Gain, enumerate};
pub use items::{Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, ReportedSeats};
pub use notation::{Notation, NotationError};
pub use situation::{Situation, SituationPart};
pub use statistics::{
    MAX_END_REASONS, MAX_RESOURCES, ResourceAmounts, ResourceFlow, RoundMetric, Statistics,
};

use crate::rng::{ChanceStreams, Rng, random_below};
pub use crate::{named_features, read_action_words};

/// Maximum number of seats of a game.
pub const MAX_SEATS: usize = 5;

/// The names of the turn positions for people.
pub const TURN_POSITION_NAMES: [&str; MAX_SEATS] =
    ["first player", "second player", "third player", "fourth player", "fifth player"];

/// Maximum number of features of a game.
pub const MAX_FEATURES: usize = 32;

/// Units of a win. A win can be shared by 2, 3, 4 or 5 seats without a fraction.
pub const UNITS_PER_WIN: i64 = 60;

/// One value for each seat. Entries from the number of seats on are zero.
pub type PerSeat<T> = [T; MAX_SEATS];

/// A fixed position at the table, numbered clockwise from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Seat(u8);

impl Seat {
    /// Creates the seat with this index, from 0 to [`MAX_SEATS`] − 1.
    #[inline]
    pub const fn new(index: usize) -> Self {
        Self(index as u8)
    }

    /// Returns the index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the seat `steps` steps clockwise at a table with `seats` seats.
    #[must_use]
    pub const fn clockwise(self, steps: usize, seats: usize) -> Self {
        let index = self.0 as usize + steps;
        Self(if index >= seats { index - seats } else { index } as u8)
    }

    /// Returns the turn position of the seat, from 0, if `first` is the first player.
    #[must_use]
    pub const fn turn_position(self, first: Self, seats: usize) -> usize {
        (self.0 as usize + seats - first.0 as usize) % seats
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// An offer of the seat that decides, which another seat accepts or refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer<A> {
    /// The seat that answers.
    pub partner: Seat,
    /// The actions that make the offer, up to the answer.
    pub actions: Vec<A>,
    /// The answer that accepts it.
    pub accept: A,
    /// The answer that refuses it.
    pub refuse: A,
}

/// A chance source of a game, as an index into [`Game::chance_sources`]. Each source has its own
/// random number stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChanceSource(pub u8);

/// The next event of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// A chance outcome, drawn from this source.
    Chance(ChanceSource),
    /// A decision of this seat among its legal actions.
    Seat(Seat),
    /// None: the game has ended.
    Over,
}

/// Scores and winners of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Final score of each seat, in points.
    pub scores: PerSeat<i32>,
    /// The winners, bit s for seat s.
    pub winners: u8,
    /// True if each winner has a win of its own; false if the winners share one.
    pub wins_are_independent: bool,
    /// Number of rounds, the last one included.
    pub rounds: u32,
    /// True if the round limit of the simulation ended the game.
    pub hit_round_limit: bool,
}

impl Outcome {
    /// Creates the outcome of a game in which the seats with the highest of the first `seats`
    /// scores win, after this number of rounds.
    pub fn highest_score_wins(scores: PerSeat<i32>, seats: usize, rounds: u32) -> Self {
        let winners = highest_scoring_seats(&scores, seats);
        Self { scores, winners, wins_are_independent: false, rounds, hit_round_limit: false }
    }

    /// Returns the win share of each of `seats` seats, as [`Self::win_share`], and 0 beyond them.
    pub fn win_shares(&self, seats: usize) -> PerSeat<i64> {
        std::array::from_fn(|seat| if seat < seats { self.win_share(Seat::new(seat)) } else { 0 })
    }

    /// Returns the win share of a seat, in units of 1/[`UNITS_PER_WIN`]: 1 for each winner if wins
    /// are independent, otherwise an equal part of 1.
    pub fn win_share(&self, seat: Seat) -> i64 {
        match self.winners.count_ones() {
            _ if self.winners >> seat.0 & 1 == 0 => 0,
            _ if self.wins_are_independent => UNITS_PER_WIN,
            winners => UNITS_PER_WIN / i64::from(winners),
        }
    }
}

/// A mode: rules that chance or people choose at the beginning of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameMode {
    /// The name, as in notations.
    pub name: &'static str,
    /// True if all seats win or lose together.
    pub is_cooperative: bool,
    /// True if at most one seat wins.
    pub has_one_winner: bool,
}

/// Returns the seats with the highest of the first `seats` scores, bit s for seat s.
pub fn highest_scoring_seats(scores: &PerSeat<i32>, seats: usize) -> u8 {
    let best = scores[..seats].iter().max();
    (0..seats).filter(|&seat| Some(&scores[seat]) == best).fold(0, |set, seat| set | 1 << seat)
}

/// The rules of a game, bound to one data file and one number of players.
///
/// Chance outcomes and decisions are applied in the same way, so a function over all games needs
/// no more than this trait:
///
/// ```
/// use watershed::{
///     BuiltInGame as _, Game, GameDefinition as _, Turn, game::ActionSet as _,
///     games::the_river::TheRiver,
/// };
///
/// /// Returns the number of sequences of `depth` events from a position, chance included.
/// fn count_sequences<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
///     if depth == 0 {
///         return 1;
///     }
///     let count_after = |action| {
///         let mut after = *state;
///         game.apply(&mut after, action);
///         count_sequences(game, &after, depth - 1)
///     };
///     match game.turn(state) {
///         Turn::Over => 0,
///         Turn::Chance(_) => {
///             let outcomes = game.chance_outcomes(state).into_iter();
///             outcomes.map(|(outcome, _)| count_after(outcome)).sum()
///         }
///         Turn::Seat(_) => game.legal_actions(state).iter().map(count_after).sum(),
///     }
/// }
///
/// let river = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// // Drawn are the first player, one of 4 boards, and one of the other 3.
/// let counts = [1, 2, 3].map(|depth| count_sequences(&river, &river.initial(), depth));
/// assert_eq!(counts, [2, 8, 24]);
/// # Ok::<(), watershed::ConfigError>(())
/// ```
pub trait Game: Sync + 'static {
    /// A position: small, without pointers, equal and hashed by its bytes.
    type State: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// A decision or a chance outcome of at most 4 bytes.
    type Action: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The legal actions of a position, held without heap.
    type Actions: ActionSet<Action = Self::Action> + Send + Sync + 'static;

    /// The [`BotBuilder`](crate::bots::BotBuilder) of a type that stands for games of other types,
    /// whose bots are those of these games; `None` for all other games.
    const BOT_BUILDER: Option<&'static (dyn Any + Send + Sync)> = None;

    /// Returns the game and the position of the type that this one stands for; `None` for all
    /// games without a [`BOT_BUILDER`](Self::BOT_BUILDER).
    fn typed_position<'a>(&'a self, _state: &'a Self::State) -> Option<(&'a dyn Any, &'a dyn Any)> {
        None
    }

    /// Returns the number of players, 1 to [`MAX_SEATS`].
    fn seats(&self) -> usize;

    /// Returns the names of the chance sources, in the order of [`ChanceSource`]. By default the
    /// game has no chance.
    fn chance_sources(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the names of the kinds of action, at most 32.
    fn action_kinds(&self) -> &'static [&'static str] {
        &["action"]
    }

    /// Returns the position before the first event.
    fn initial(&self) -> Self::State;

    /// Returns who decides next.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Returns the legal actions of the seat that decides, at least one. Unspecified if no seat
    /// decides.
    fn legal_actions(&self, state: &Self::State) -> Self::Actions;

    /// Returns all outcomes of the chance event that is due, with positive weights in proportion to
    /// their probabilities. By default the game has no chance.
    fn chance_outcomes(&self, _state: &Self::State) -> Vec<(Self::Action, u32)> {
        Vec::new()
    }

    /// Draws an outcome of the chance event that is due, with the probabilities of
    /// [`Game::chance_outcomes`].
    ///
    /// # Panics
    /// The default may panic if no chance event is due.
    fn sample_chance(&self, state: &Self::State, rng: &mut Rng) -> Self::Action {
        let outcomes = self.chance_outcomes(state);
        let mut rank = random_below(rng, outcomes.iter().map(|(_, weight)| weight).sum());
        for (action, weight) in outcomes {
            if rank < weight {
                return action;
            }
            rank -= weight;
        }
        unreachable!("the rank is below the sum of the weights")
    }

    /// Draws the outcome of the chance event that is due in a game of a block, from this source. By
    /// default it is [`Game::sample_chance`] with the stream of the source. A game with components
    /// draws them by [`ChanceStreams::draw`].
    fn draw_chance(
        &self,
        state: &Self::State,
        source: ChanceSource,
        chance: &mut ChanceStreams,
    ) -> Self::Action {
        self.sample_chance(state, chance.source_stream(source.0))
    }

    /// Returns the offers among which a bot that searches chooses, if the seat that decides can
    /// make one; empty in all other positions, which is the default.
    fn offers(&self, _state: &Self::State) -> Vec<Offer<Self::Action>> {
        Vec::new()
    }

    /// Returns the legal actions that a search considers in positions after its root. By default
    /// they are all legal actions. Where a seat can make [`offers`](Self::offers), it is the action
    /// that makes none.
    fn lookahead_actions(&self, state: &Self::State) -> Self::Actions {
        self.legal_actions(state)
    }

    /// Applies a legal action or a possible chance outcome. Other actions may panic or give a
    /// position that cannot occur.
    fn apply(&self, state: &mut Self::State, action: Self::Action);

    /// Returns the round of a position, 0 during setup. It never decreases.
    fn round(&self, state: &Self::State) -> u32;

    /// Returns the outcome if the game ended in this position; final when the turn is
    /// [`Turn::Over`].
    fn outcome(&self, state: &Self::State) -> Outcome;

    /// Returns true if each seat wins or loses by itself, so that several can win, or none. False
    /// if there is always one win, which seats share after a tie.
    fn wins_are_independent(&self) -> bool {
        self.seats() == 1
    }

    /// Returns true if in every game either all seats win or none does.
    fn is_cooperative(&self) -> bool {
        false
    }

    /// Returns the mode of a position; `None` if the game has none, or if none is chosen yet.
    fn mode(&self, _state: &Self::State) -> Option<GameMode> {
        None
    }

    /// Returns true if from this position on all seats win or lose together, or if there is one
    /// seat.
    fn is_shared(&self, state: &Self::State) -> bool {
        let is_cooperative = |mode: GameMode| mode.is_cooperative;
        self.seats() == 1 || self.mode(state).map_or(self.is_cooperative(), is_cooperative)
    }

    /// Returns the modes among which the first event of a game chooses, with the outcome of each;
    /// empty if it chooses none.
    fn modes(&self) -> Vec<(GameMode, Self::Action)> {
        let initial = self.initial();
        if !matches!(self.turn(&initial), Turn::Chance(_)) {
            return Vec::new();
        }
        let chosen = |(outcome, _)| {
            let mut state = initial;
            self.apply(&mut state, outcome);
            Some((self.mode(&state)?, outcome))
        };
        match self.mode(&initial) {
            Some(_) => Vec::new(),
            None => self.chance_outcomes(&initial).into_iter().filter_map(chosen).collect(),
        }
    }

    /// Returns a position that `seat` cannot distinguish from this one, drawn uniformly. By default
    /// nothing is hidden.
    fn determinize(&self, state: &Self::State, _seat: Seat, _rng: &mut Rng) -> Self::State {
        *state
    }

    /// Returns a key of the information that only `seat` has: equal for positions that `seat`
    /// cannot distinguish, different for positions that only `seat` can. 0 if nothing is hidden.
    fn private_info_key(&self, _state: &Self::State, _seat: Seat) -> u32 {
        0
    }
}

/// One value for each named feature. Entries beyond the features of the game are zero.
pub type FeatureVector = [f64; MAX_FEATURES];

/// A game with features of positions for heuristics, and facts for networks. By default there are
/// none.
pub trait Features: Game {
    /// Returns the names of the features, at most [`MAX_FEATURES`].
    fn feature_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the features of a position from the point of view of one seat.
    fn features(&self, _state: &Self::State, _seat: Seat) -> FeatureVector {
        [0.0; MAX_FEATURES]
    }

    /// Returns a function with the results of [`Features::features`], for many positions. A game
    /// can keep in it the parts of the features that consecutive positions share.
    fn cached_features(&self) -> impl FnMut(&Self::State, Seat) -> FeatureVector {
        |state, seat| self.features(state, seat)
    }

    /// Returns the progress of the game, from 0 at the beginning to 1 at the end.
    fn progress(&self, _state: &Self::State) -> f64 {
        0.0
    }

    /// Returns all facts that the methods below can list, and the inputs that describe them. The
    /// inputs are the same for all data files and numbers of players.
    fn fact_table(&self) -> Arc<FactTable> {
        Arc::default()
    }

    /// Lists the facts of a position in which the game is not over. The lists are empty at first.
    fn position_facts(&self, _state: &Self::State, _facts: &mut PositionFacts) {}

    /// Returns a function that adds the facts of a legal action of `seat` to an empty list.
    fn action_lister<'a>(
        &'a self,
        _state: &'a Self::State,
        _seat: Seat,
    ) -> impl FnMut(Self::Action, &mut FactList) {
        |_, _| {}
    }

    /// Passes each of these legal actions of `seat` with the list of its facts, in the order of
    /// the set.
    fn action_facts(
        &self,
        state: &Self::State,
        seat: Seat,
        legal: &Self::Actions,
        receive: &mut dyn FnMut(Self::Action, &FactList),
    ) {
        let mut list_facts = self.action_lister(state, seat);
        let mut facts = FactList::new();
        for action in legal.iter() {
            facts.clear();
            list_facts(action, &mut facts);
            receive(action, &facts);
        }
    }
}

/// All that the program needs of a game.
pub trait FullGame: Notation + Features + Statistics {}

impl<G: Notation + Features + Statistics> FullGame for G {}
