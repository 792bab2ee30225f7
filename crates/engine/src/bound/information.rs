//! Properties of a game with its data.

use super::Bound;
use crate::{
    bots::profile::BotLibrary,
    game::{ItemCatalog, RoundMetric},
    games::GameDefinition,
};

/// The properties of a game with its data, and its bots.
pub trait GameInformation {
    /// Returns the name in files and on the command line.
    fn id(&self) -> &'static str;

    /// Returns the title.
    fn title(&self) -> &'static str;

    /// Returns the number of players.
    fn seats(&self) -> usize;

    /// Returns the bots.
    fn library(&self) -> &BotLibrary;

    /// Returns the items of the statistics.
    fn catalog(&self) -> &ItemCatalog;

    /// Returns the names of the sources of chance.
    fn chance_sources(&self) -> &'static [&'static str];

    /// Returns the names of the kinds of action.
    fn action_kinds(&self) -> &'static [&'static str];

    /// Returns the names of the features of heuristics.
    fn feature_names(&self) -> &'static [&'static str];

    /// Returns the names of the reasons for which games end, in the order of their counts.
    fn end_reasons(&self) -> &'static [&'static str];

    /// Returns the metrics that are observed at the end of each round.
    fn round_metrics(&self) -> &'static [RoundMetric];

    /// Returns the names of the modes that can be chosen; empty if there is no choice.
    fn modes(&self) -> Vec<&'static str>;

    /// Returns true if each seat wins or loses by itself.
    fn wins_are_independent(&self) -> bool;

    /// Returns true if all seats win or lose together.
    fn is_cooperative(&self) -> bool;

    /// Returns the name of a step of an opening.
    fn opening_step_text(&self, step: u8) -> String;

    /// Returns the name of an opening step of a book; empty if the game has none.
    fn book_step_name(&self, index: usize) -> String;

    /// Returns the notation of an action of a book.
    fn book_action_text(&self, code: u8) -> String;

    /// Returns an action of a book in words.
    fn book_action_label(&self, code: u8) -> String;
}

impl<G: GameDefinition> GameInformation for Bound<G> {
    fn id(&self) -> &'static str {
        G::ID
    }

    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn seats(&self) -> usize {
        self.game.seats()
    }

    fn library(&self) -> &BotLibrary {
        &self.library
    }

    fn catalog(&self) -> &ItemCatalog {
        self.game.catalog()
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        self.game.chance_sources()
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        self.game.action_kinds()
    }

    fn feature_names(&self) -> &'static [&'static str] {
        self.game.feature_names()
    }

    fn end_reasons(&self) -> &'static [&'static str] {
        self.game.end_reasons()
    }

    fn round_metrics(&self) -> &'static [RoundMetric] {
        self.game.round_metrics()
    }

    fn modes(&self) -> Vec<&'static str> {
        self.game.modes().iter().map(|(mode, _)| mode.name).collect()
    }

    fn wins_are_independent(&self) -> bool {
        self.game.wins_are_independent()
    }

    fn is_cooperative(&self) -> bool {
        self.game.is_cooperative()
    }

    fn opening_step_text(&self, step: u8) -> String {
        self.game.opening_step_text(step)
    }

    fn book_step_name(&self, index: usize) -> String {
        self.game.book_step_name(index)
    }

    fn book_action_text(&self, code: u8) -> String {
        self.game.book_action_text(code)
    }

    fn book_action_label(&self, code: u8) -> String {
        self.game.book_action_label(code)
    }
}
