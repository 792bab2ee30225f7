//! A game bound to a data file and a number of players, with its bots: what commands, the server
//! and other programs work with.
//!
//! [`GameEntry::open`](crate::game_list::GameEntry::open) returns a [`BoundGame`]. There is one
//! dynamic call for each job of blocks of an experiment, and none for an event of a game that is
//! simulated; analyses and people's games ask the rules by dynamic calls ([`crate::erased`]).

mod experiments;
mod positions;
mod sessions;
mod training;

pub use positions::{EventReceiver, FoundPuzzle, GamePosition, PuzzleSearch};
pub use sessions::GameSession;

use crate::game::Features as _;
use crate::{
    bots::profile::BotLibrary,
    erased::AnyGame,
    game::{Game as _, ItemCatalog, Notation as _, ResourceFlow, RoundMetric, Statistics as _},
    games::GameDefinition,
};

/// A game bound to a data file and a number of players, with its bots.
#[derive(Clone, Debug)]
pub struct BoundGame {
    id: &'static str,
    title: &'static str,
    /// The rules.
    rules: AnyGame,
    library: BotLibrary,
}

impl BoundGame {
    /// Binds bots to a game.
    pub(crate) fn new<G: GameDefinition>(game: G, library: BotLibrary) -> Self {
        Self { id: G::ID, title: G::TITLE, rules: AnyGame::new(game), library }
    }

    /// Returns the name in files and on the command line.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the title.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the rules.
    pub fn rules(&self) -> &AnyGame {
        &self.rules
    }

    /// Returns the bots.
    pub fn library(&self) -> &BotLibrary {
        &self.library
    }

    /// Returns the number of players.
    pub fn seats(&self) -> usize {
        self.rules.seats()
    }

    /// Returns the items of the statistics.
    pub fn catalog(&self) -> &ItemCatalog {
        self.rules.catalog()
    }

    /// Returns the names of the sources of chance.
    pub fn chance_sources(&self) -> &'static [&'static str] {
        self.rules.chance_sources()
    }

    /// Returns the names of the kinds of action.
    pub fn action_kinds(&self) -> &'static [&'static str] {
        self.rules.action_kinds()
    }

    /// Returns the names of the features of heuristics.
    pub fn feature_names(&self) -> &'static [&'static str] {
        self.rules.feature_names()
    }

    /// Returns the names of the reasons for which games end, in the order of their counts.
    pub fn end_reasons(&self) -> &'static [&'static str] {
        self.rules.end_reasons()
    }

    /// Returns the resources whose flow is counted, and the sources of their changes.
    pub fn resource_flow(&self) -> ResourceFlow {
        self.rules.resource_flow()
    }

    /// Returns the metrics that are observed at the end of each round.
    pub fn round_metrics(&self) -> &'static [RoundMetric] {
        self.rules.round_metrics()
    }

    /// Returns the names of the modes that can be chosen; empty if there is no choice.
    pub fn modes(&self) -> Vec<&'static str> {
        self.rules.modes().iter().map(|(mode, _)| mode.name).collect()
    }

    /// Returns true if each seat wins or loses by itself.
    pub fn wins_are_independent(&self) -> bool {
        self.rules.wins_are_independent()
    }

    /// Returns true if all seats win or lose together.
    pub fn is_cooperative(&self) -> bool {
        self.rules.is_cooperative()
    }

    /// Returns the notations of all decisions.
    pub fn decision_notations(&self) -> Vec<String> {
        let decisions = self.rules.all_decisions().into_iter();
        decisions.map(|action| self.rules.action_text(action)).collect()
    }

    /// Returns the name of a step of an opening.
    pub fn opening_step_text(&self, step: u8) -> String {
        self.rules.opening_step_text(step)
    }

    /// Returns the name of an opening step of a book; empty if the game has none.
    pub fn book_step_name(&self, index: usize) -> String {
        self.rules.book_step_name(index)
    }

    /// Returns the notation of an action of a book.
    pub fn book_action_text(&self, code: u8) -> String {
        self.rules.book_action_text(code)
    }

    /// Returns an action of a book in words.
    pub fn book_action_label(&self, code: u8) -> String {
        self.rules.book_action_label(code)
    }
}
