//! Text forms of actions and positions.

use super::{Gain, Game, Seat};
use crate::scene::Scene;

/// A text that is not the notation of an action or a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is not a valid {notation}; expected {expected}")]
pub struct NotationError {
    /// The text as read, shortened if it is long.
    pub text: String,
    /// The kind of notation that was read, such as `action`.
    pub notation: &'static str,
    /// The accepted notation.
    pub expected: String,
}

impl NotationError {
    /// Creates an error about `text`, which was read as `notation`.
    pub fn new(text: &str, notation: &'static str, expected: impl Into<String>) -> Self {
        /// Maximum number of characters of a text in a message.
        const MAX_TEXT: usize = 60;
        let text = match text.char_indices().nth(MAX_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Self { text, notation, expected: expected.into() }
    }
}

/// A game with text forms of its actions and positions.
pub trait Notation: Game {
    /// Returns the notation of an action.
    fn action_text(&self, action: Self::Action) -> String;

    /// Returns an action in words for people: an instruction for a decision, and a statement for a
    /// chance outcome. By default the notation.
    fn action_label(&self, action: Self::Action) -> String {
        self.action_text(action)
    }

    /// Returns the first words of notations, up to `:`, of which several in succession are one
    /// combination: they are legal in one order only, and the order has no other meaning. By
    /// default there are none.
    fn combined_words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Parses the notation of an action.
    ///
    /// # Errors
    /// Returns an error if the text names no action of this game. The action need not be legal.
    fn parse_action(&self, text: &str) -> Result<Self::Action, NotationError>;

    /// Returns all decisions that can occur with this data, each once. Some may be legal in no
    /// position.
    fn all_decisions(&self) -> Vec<Self::Action>;

    /// Returns a line of text that describes the whole position.
    fn position_text(&self, state: &Self::State) -> String;

    /// Parses the text of a position.
    ///
    /// # Errors
    /// Returns an error if the text is not a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::State, NotationError>;

    /// Returns the text of a position as a seat sees it: information that is hidden from the seat
    /// is `?`. By default nothing is hidden.
    fn view_text(&self, state: &Self::State, _seat: Seat) -> String {
        self.position_text(state)
    }

    /// Parses the text of a position in which hidden information may be `?`, as
    /// [`Notation::view_text`] writes it. The position has any possible values for it, so it is to
    /// be used as the view of the seat that decides only.
    ///
    /// # Errors
    /// Returns an error if the text is not a position of this game, or if information of the seat
    /// that decides is missing.
    fn parse_view(&self, text: &str) -> Result<Self::State, NotationError> {
        self.parse_position(text)
    }

    /// Returns the position for people, as a picture or text shows it, seen by `viewer`, or by
    /// somebody who knows everything. By default it has the words of the text of the position.
    fn scene(&self, state: &Self::State, viewer: Option<Seat>) -> Scene {
        Scene::of_words(&match viewer {
            Some(seat) => self.view_text(state, seat),
            None => self.position_text(state),
        })
    }

    /// Returns the goal, the course, the end and the scoring of a game in some sentences, for a
    /// person who plays for the first time. By default none.
    fn rules_in_short(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the automatic steps of the rules after an event that led from a position to another
    /// one, such as income, in sentences that address `person`. By default none.
    fn rule_steps(
        &self,
        _before: &Self::State,
        _after: &Self::State,
        _person: Option<Seat>,
    ) -> Vec<String> {
        Vec::new()
    }

    /// Returns the identifiers of the cells and pieces of the scene that an action concerns, so
    /// that it can be chosen there. By default none.
    fn action_cells(&self, _state: &Self::State, _action: Self::Action) -> Vec<String> {
        Vec::new()
    }

    /// Returns what the seats of a finished game lacked to win together, in words; `None` if they
    /// won, or if they played for themselves.
    fn shortfall(&self, _state: &Self::State) -> Option<String> {
        None
    }

    /// Returns what the seats get by a legal decision, for the comparison of expected lines. By
    /// default nothing.
    fn gains(&self, _state: &Self::State, _action: Self::Action) -> Vec<Gain> {
        Vec::new()
    }

    /// Returns the named parts of a seat's score, whose sum is the score in
    /// [`Outcome::scores`](super::Outcome::scores). The default is one part.
    fn score_breakdown(&self, state: &Self::State, seat: Seat) -> Vec<(&'static str, i32)> {
        vec![("score", self.outcome(state).scores[seat.index()])]
    }
}
