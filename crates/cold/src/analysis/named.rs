//! Actions and positions without the types of a game.

use crate::{game::Notation, scene::Scene};

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

/// A position as text and as a picture, both without hiding anything.
#[derive(Clone, Debug)]
pub struct NamedPosition {
    /// The notation.
    pub text: String,
    /// The picture.
    pub scene: Scene,
}

impl NamedPosition {
    /// Describes a position of a game.
    pub fn new<G: Notation>(game: &G, state: &G::State) -> Self {
        Self { text: game.position_text(state), scene: game.scene(state, None) }
    }
}
