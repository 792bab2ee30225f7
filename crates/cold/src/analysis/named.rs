//! Actions without the types of a game.

use crate::game::Notation;

/// An action by its notation and in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedAction {
    /// The notation.
    pub notation: String,
    /// The action in words.
    pub label: String,
}

impl NamedAction {
    /// Names an action of a game.
    pub fn new<G: Notation>(game: &G, action: G::Action) -> Self {
        Self { notation: game.action_text(action), label: game.action_label(action) }
    }
}
