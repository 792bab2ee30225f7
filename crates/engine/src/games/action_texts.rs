//! Actions by their notation.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::game::{Notation, NotationError};

/// The actions of a game by their notation, which are listed when one is first read.
#[derive(Clone, Debug)]
pub struct ActionTexts<A>(Arc<OnceLock<FxHashMap<String, A>>>);

impl<A> Default for ActionTexts<A> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<A: Copy> ActionTexts<A> {
    /// Returns the decision, or the outcome among all `outcomes` of chance, with this notation.
    ///
    /// # Errors
    /// If there is none. `expected` names the notation of the game.
    pub fn parse<G: Notation<Action = A>>(
        &self,
        game: &G,
        outcomes: impl FnOnce() -> Vec<A>,
        text: &str,
        expected: &str,
    ) -> Result<A, NotationError> {
        let list = || {
            let actions = game.all_decisions().into_iter().chain(outcomes());
            actions.map(|action| (game.action_text(action), action)).collect()
        };
        let found = self.0.get_or_init(list).get(text);
        found.copied().ok_or_else(|| NotationError::new(text, "action", expected))
    }
}
