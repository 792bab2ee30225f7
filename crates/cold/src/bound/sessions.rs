//! Games in progress.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, atomic::AtomicBool},
};

use super::BoundGame;
use crate::{
    analysis::{
        hint::{Advisor, Hint},
        named::NamedAction,
        watch::AnalysisWatch,
    },
    arena::record::{Record, replay},
    erased::{AnyAction, AnyGame},
    game::{ActionSet as _, Game as _, Notation as _, NotationError, Seat, Turn},
    scene::Scene,
    session::{Session, SessionEvent, Setup},
};

/// A game in progress: a [`Session`] whose actions have names and numbers.
#[derive(Clone, Debug)]
pub struct GameSession(Session<AnyGame>);

impl Deref for GameSession {
    type Target = Session<AnyGame>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for GameSession {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl GameSession {
    /// Returns the game as it was before an event; `None` if there is no such event.
    pub fn before(&self, event: usize) -> Option<Self> {
        self.0.before(event).map(Self)
    }

    /// Returns the notation of the present position, or of it as a seat sees it.
    pub fn position_text(&self, viewer: Option<Seat>) -> String {
        match viewer {
            None => self.game().position_text(self.state()),
            Some(viewer) => self.game().view_text(self.state(), viewer),
        }
    }

    /// Returns the number of events so far.
    pub fn events(&self) -> usize {
        self.0.events().len()
    }

    /// Returns who decided an event, `None` for chance, and the event in words.
    pub fn event(&self, index: usize) -> (Option<Seat>, String) {
        let SessionEvent { seat, action } = self.0.events()[index];
        (seat, self.game().action_label(action))
    }

    /// Returns the automatic steps of the rules after an event, in sentences that address `person`.
    pub fn rule_steps(&self, event: usize, person: Option<Seat>) -> Vec<String> {
        let before = self.state_before(event);
        let after = self.state_before(event + 1).unwrap_or_else(|| self.state());
        before.map_or_else(Vec::new, |before| self.game().rule_steps(before, after, person))
    }

    /// Returns the rules of the game in some sentences.
    pub fn rules_in_short(&self) -> Vec<String> {
        self.game().rules_in_short()
    }

    /// Returns who decides next.
    pub fn turn(&self) -> Turn {
        self.game().turn(self.state())
    }

    /// Returns the picture of the position from the view of a seat.
    pub fn scene(&self, viewer: Option<Seat>) -> Scene {
        self.game().scene(self.state(), viewer)
    }

    /// Returns the actions of the person who makes the next event.
    pub fn actions(&self) -> Vec<NamedAction> {
        let actions = self.0.actions().into_iter();
        actions.map(|action| NamedAction::new(&**self.game(), action)).collect()
    }

    /// Returns the cells of the picture that each of the actions concerns.
    pub fn action_cells(&self) -> Vec<Vec<String>> {
        let cells = |action| self.game().action_cells(self.state(), action);
        self.0.actions().into_iter().map(cells).collect()
    }

    /// Makes the next event, which a person decides, or adds a choice to a combination: the action
    /// with this notation. Returns the number of events that did not change.
    ///
    /// # Errors
    /// Returns a message if a person does not make the next event, or not this one.
    pub fn act(&mut self, notation: &str) -> Result<usize, String> {
        let action = self.game().parse_action(notation).map_err(|error| error.to_string())?;
        self.0.act(action)
    }

    /// Returns the legal action with this notation in the present position.
    ///
    /// # Errors
    /// Returns a message if there is none.
    pub fn legal_action(&self, notation: &str) -> Result<AnyAction, String> {
        let action = self.game().parse_action(notation).map_err(|error| error.to_string())?;
        let legal = self.game().legal_actions(self.state());
        let is_legal = legal.contains(action);
        is_legal.then_some(action).ok_or_else(|| format!("{notation} is not legal"))
    }

    /// Returns the choices of a combination that are not events yet, in words.
    pub fn pending(&self) -> Vec<String> {
        self.0.pending().iter().map(|&action| self.game().action_label(action)).collect()
    }

    /// Makes the next event if a bot or chance decides it; returns false otherwise. When `stop`
    /// becomes true, a bot ends its search and may choose any action.
    pub fn step(&mut self, stop: &AtomicBool) -> bool {
        self.0.step(stop).is_some()
    }

    /// Returns a hint for the decision of a seat in the present position; `None` if the watch stops
    /// the searches. A legal action that is asked for is judged with the others.
    pub fn hint(
        &self,
        advisor: &Advisor,
        seat: Seat,
        asked: Option<AnyAction>,
        watch: &AnalysisWatch,
    ) -> Option<Hint<AnyAction>> {
        let searches = (self.setup().seed, watch);
        advisor.hint(&**self.game(), self.state(), seat, asked, searches)
    }
}

impl BoundGame {
    /// Begins a game.
    pub fn new_session(&self, setup: Setup) -> GameSession {
        GameSession(Session::new(Arc::new(self.rules.clone()), setup))
    }

    /// Begins a game from a position.
    ///
    /// # Errors
    /// Returns an error if the text is no position of the game.
    pub fn set_up_session(
        &self,
        setup: Setup,
        position: &str,
    ) -> Result<GameSession, NotationError> {
        let state = self.rules.parse_position(position)?;
        Ok(GameSession(Session::from_position(Arc::new(self.rules.clone()), setup, state)))
    }

    /// Continues the game of a record, which is verified against the rules.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn load_session(&self, setup: Setup, record: &Record) -> Result<GameSession, String> {
        Ok(GameSession(Session::load(Arc::new(self.rules.clone()), setup, record)?))
    }

    /// Verifies all fields of a record against the rules.
    ///
    /// # Errors
    /// Returns the first difference.
    pub fn check_record(&self, record: &Record) -> Result<(), String> {
        replay(&self.rules, record, |_, _, _| ()).map(drop)
    }
}
