//! Actions, positions and analyses without the types of a game.

use super::{
    judge::{JudgedAction, PositionAnalysis},
    ledger::{AnnotatedEvent, Annotation, Cost},
    puzzle::{Puzzle, WrongAnswer},
};
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

impl<A> PositionAnalysis<A> {
    /// Returns the analysis with a function of its actions.
    pub fn map_actions<B>(self, mut name: impl FnMut(A) -> B) -> PositionAnalysis<B> {
        let Self { seat, search, is_calibrated, chances, actions, legal } = self;
        let mut judged = |one: JudgedAction<A>| {
            let JudgedAction { action, visits, chances, rollouts, difference, verdict } = one;
            let action = name(action);
            JudgedAction { action, visits, chances, rollouts, difference, verdict }
        };
        let actions = actions.into_iter().map(&mut judged).collect();
        let search = search.map(|search| search.map_actions(name));
        PositionAnalysis { seat, search, is_calibrated, chances, actions, legal }
    }
}

impl<A> Puzzle<A> {
    /// Returns the puzzle with a function of its actions.
    pub fn map_actions<B>(self, mut name: impl FnMut(A) -> B) -> Puzzle<B> {
        let Self { seat, solution, win, wrong } = self;
        let solution = solution.into_iter().map(&mut name).collect();
        let wrong = wrong.into_iter().map(|WrongAnswer { actions, difference, reasons }| {
            let actions = actions.into_iter().map(&mut name).collect();
            WrongAnswer { actions, difference, reasons }
        });
        let wrong = wrong.collect();
        Puzzle { seat, solution, win, wrong }
    }
}

impl<S, A> Annotation<S, A> {
    /// Returns the annotation with functions of its positions and actions.
    pub fn map<P, B>(self, position: impl Fn(S) -> P, name: impl Fn(A) -> B) -> Annotation<P, B> {
        let events = self.events.into_iter().map(|event| {
            let AnnotatedEvent { state, turn, round, action, choices, .. } = event;
            let (before, backed_up, after) = (event.before, event.backed_up, event.after);
            let cost = event.cost.map(|Cost { best, loss, search_loss, mistake }| {
                let best = name(best);
                Cost { best, loss, search_loss, mistake }
            });
            AnnotatedEvent {
                state: position(state),
                turn,
                round,
                action: name(action),
                choices,
                before,
                backed_up,
                after,
                cost,
            }
        });
        Annotation {
            seats: self.seats,
            start: self.start,
            events: events.collect(),
            end: self.end,
            end_state: position(self.end_state),
        }
    }
}
