//! Games in progress.

use std::sync::{Arc, atomic::AtomicBool};

use super::Bound;
use crate::{
    analysis::{
        book::BookDecision,
        hint::{Advisor, Hint},
        judge::{Analyst, PositionAnalysis},
        named::NamedAction,
        watch::AnalysisWatch,
    },
    arena::record::{Record, replay},
    game::{NotationError, Seat, Turn},
    games::GameDefinition,
    scene::Scene,
    session::{Next, Results, Session, SessionEvent, Setup},
};

/// A game in progress, whichever game it is.
pub trait GameSession: Send + Sync {
    /// Returns a copy, which shares the rules.
    fn copy(&self) -> Box<dyn GameSession>;

    /// Returns the game as it was before an event; `None` if there is no such event.
    fn before(&self, event: usize) -> Option<Box<dyn GameSession>>;

    /// Returns the data file, seed and players of the game.
    fn setup(&self) -> &Setup;

    /// Returns true if the game began from another position than games do. It has no record then.
    fn is_set_up(&self) -> bool;

    /// Returns the notation of the present position, or of it as a seat sees it.
    fn position_text(&self, viewer: Option<Seat>) -> String;

    /// Returns the number of events so far.
    fn events(&self) -> usize;

    /// Returns who decided an event, `None` for chance, and the event in words.
    fn event(&self, index: usize) -> (Option<Seat>, String);

    /// Returns true if an event is hidden from a seat.
    fn is_secret(&self, event: usize, viewer: Seat) -> bool;

    /// Returns the automatic steps of the rules after an event, in sentences that address `person`.
    fn rule_steps(&self, event: usize, person: Option<Seat>) -> Vec<String>;

    /// Returns the rules of the game in some sentences.
    fn rules_in_short(&self) -> Vec<String>;

    /// Returns the first words of notations of which several in succession are one combination.
    fn combined_words(&self) -> &'static [&'static str];

    /// Returns the present decision as a book of openings groups it; `None` if it is none of an
    /// opening.
    fn book_decision(&self) -> Option<BookDecision>;

    /// Returns the origin of the next event.
    fn next(&self) -> Next;

    /// Returns who decides next.
    fn turn(&self) -> Turn;

    /// Returns the seat from whose view the game is shown; `None` if nothing is hidden.
    fn viewer(&self) -> Option<Seat>;

    /// Returns the picture of the position from the view of a seat.
    fn scene(&self, viewer: Option<Seat>) -> Scene;

    /// Returns the actions of the person who makes the next event.
    fn actions(&self) -> Vec<NamedAction>;

    /// Returns the cells of the picture that each of the actions concerns.
    fn action_cells(&self) -> Vec<Vec<String>>;

    /// Returns the index of the action with this notation among the actions.
    fn find_action(&self, notation: &str) -> Option<usize>;

    /// Makes the next event, which a person decides, or adds a choice to a combination: the action
    /// with this index. Returns the number of events that did not change.
    ///
    /// # Errors
    /// Returns a message if a person does not make the next event.
    fn act(&mut self, index: usize) -> Result<usize, String>;

    /// Returns the choices of a combination that are not events yet, in words.
    fn pending(&self) -> Vec<String>;

    /// Chooses the mode of a game that has not begun.
    ///
    /// # Errors
    /// Returns a message if the game has no such mode.
    fn choose_mode(&mut self, name: &str) -> Result<(), String>;

    /// Begins the game again in its mode, with another seed; returns false if a person has decided.
    fn begin_again(&mut self, seed: u64) -> bool;

    /// Makes the next event if a bot or chance decides it; returns false otherwise. If `stop`
    /// becomes true, a bot chooses soon, and any action.
    fn step(&mut self, stop: &AtomicBool) -> bool;

    /// Makes the events that no person decides.
    fn advance(&mut self);

    /// Takes the last decision of a person back; returns false if there is none.
    fn undo(&mut self) -> bool;

    /// Makes a decision again that was taken back; returns false if there is none.
    fn redo(&mut self) -> bool;

    /// Returns true if a decision can be taken back.
    fn can_undo(&self) -> bool;

    /// Returns true if a decision was taken back.
    fn can_redo(&self) -> bool;

    /// Analyses the decision of a seat in the present position.
    fn analyse(&self, analyst: &Analyst<'_>, seat: Seat) -> PositionAnalysis<NamedAction>;

    /// Returns a hint for the decision of a seat in the present position; `None` if the watch stops
    /// the searches.
    fn hint(
        &self,
        advisor: &Advisor,
        seat: Seat,
        watch: &AnalysisWatch,
    ) -> Option<Hint<NamedAction>>;

    /// Returns the results after the end of the game.
    fn results(&self) -> Option<Results>;

    /// Returns the record of the game so far.
    fn record(&self) -> Record;
}

impl Clone for Box<dyn GameSession> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl<G: GameDefinition> GameSession for Session<G> {
    fn copy(&self) -> Box<dyn GameSession> {
        Box::new(self.clone())
    }

    fn before(&self, event: usize) -> Option<Box<dyn GameSession>> {
        Some(Box::new(Self::before(self, event)?))
    }

    fn setup(&self) -> &Setup {
        self.setup()
    }

    fn is_set_up(&self) -> bool {
        self.is_set_up()
    }

    fn position_text(&self, viewer: Option<Seat>) -> String {
        match viewer {
            None => self.game().position_text(self.state()),
            Some(viewer) => self.game().view_text(self.state(), viewer),
        }
    }

    fn events(&self) -> usize {
        self.events().len()
    }

    fn event(&self, index: usize) -> (Option<Seat>, String) {
        let SessionEvent { seat, action } = self.events()[index];
        (seat, self.game().action_label(action))
    }

    fn is_secret(&self, event: usize, viewer: Seat) -> bool {
        self.is_secret(event, viewer)
    }

    fn rule_steps(&self, event: usize, person: Option<Seat>) -> Vec<String> {
        let before = self.state_before(event);
        let after = self.state_before(event + 1).unwrap_or_else(|| self.state());
        before.map_or_else(Vec::new, |before| self.game().rule_steps(before, after, person))
    }

    fn rules_in_short(&self) -> Vec<String> {
        self.game().rules_in_short()
    }

    fn combined_words(&self) -> &'static [&'static str] {
        self.game().combined_words()
    }

    fn book_decision(&self) -> Option<BookDecision> {
        self.book_decision()
    }

    fn next(&self) -> Next {
        self.next()
    }

    fn turn(&self) -> Turn {
        self.game().turn(self.state())
    }

    fn viewer(&self) -> Option<Seat> {
        self.viewer()
    }

    fn scene(&self, viewer: Option<Seat>) -> Scene {
        self.game().scene(self.state(), viewer)
    }

    fn actions(&self) -> Vec<NamedAction> {
        let actions = self.actions().into_iter();
        actions.map(|action| NamedAction::new(&**self.game(), action)).collect()
    }

    fn action_cells(&self) -> Vec<Vec<String>> {
        let cells = |action| self.game().action_cells(self.state(), action);
        self.actions().into_iter().map(cells).collect()
    }

    fn find_action(&self, notation: &str) -> Option<usize> {
        let action = self.game().parse_action(notation).ok()?;
        self.actions().iter().position(|&one| one == action)
    }

    fn act(&mut self, index: usize) -> Result<usize, String> {
        let actions = self.actions();
        let action = actions
            .get(index)
            .ok_or_else(|| format!("no action {index}; there are {}", actions.len()))?;
        self.act(*action)
    }

    fn pending(&self) -> Vec<String> {
        self.pending().iter().map(|&action| self.game().action_label(action)).collect()
    }

    fn choose_mode(&mut self, name: &str) -> Result<(), String> {
        self.choose_mode(name)
    }

    fn begin_again(&mut self, seed: u64) -> bool {
        self.begin_again(seed)
    }

    fn step(&mut self, stop: &AtomicBool) -> bool {
        self.step(stop).is_some()
    }

    fn advance(&mut self) {
        self.advance();
    }

    fn undo(&mut self) -> bool {
        self.undo()
    }

    fn redo(&mut self) -> bool {
        self.redo()
    }

    fn can_undo(&self) -> bool {
        self.can_undo()
    }

    fn can_redo(&self) -> bool {
        self.can_redo()
    }

    fn analyse(&self, analyst: &Analyst<'_>, seat: Seat) -> PositionAnalysis<NamedAction> {
        let game = &**self.game();
        let analysis = analyst.analyse(game, self.state(), seat, &[]);
        analysis.map_actions(|action| NamedAction::new(game, action))
    }

    fn hint(
        &self,
        advisor: &Advisor,
        seat: Seat,
        watch: &AnalysisWatch,
    ) -> Option<Hint<NamedAction>> {
        let game = &**self.game();
        let hint = advisor.hint(game, self.state(), seat, self.setup().seed, watch)?;
        Some(hint.map_actions(|action| NamedAction::new(game, action)))
    }

    fn results(&self) -> Option<Results> {
        self.results()
    }

    fn record(&self) -> Record {
        self.record()
    }
}

/// Opening games in progress.
pub trait OpenSessions {
    /// Begins a game.
    fn new_session(&self, setup: Setup) -> Box<dyn GameSession>;

    /// Begins a game from a position.
    ///
    /// # Errors
    /// Returns an error if the text is no position of the game.
    fn set_up_session(
        &self,
        setup: Setup,
        position: &str,
    ) -> Result<Box<dyn GameSession>, NotationError>;

    /// Continues the game of a record, which is verified against the rules.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn load_session(&self, setup: Setup, record: &Record) -> Result<Box<dyn GameSession>, String>;

    /// Verifies all fields of a record against the rules.
    ///
    /// # Errors
    /// Returns the first difference.
    fn check_record(&self, record: &Record) -> Result<(), String>;
}

impl<G: GameDefinition> OpenSessions for Bound<G> {
    fn new_session(&self, setup: Setup) -> Box<dyn GameSession> {
        Box::new(Session::new(Arc::new(self.game.clone()), setup))
    }

    fn set_up_session(
        &self,
        setup: Setup,
        position: &str,
    ) -> Result<Box<dyn GameSession>, NotationError> {
        let state = self.game.parse_position(position)?;
        Ok(Box::new(Session::from_position(Arc::new(self.game.clone()), setup, state)))
    }

    fn load_session(&self, setup: Setup, record: &Record) -> Result<Box<dyn GameSession>, String> {
        Ok(Box::new(Session::load(Arc::new(self.game.clone()), setup, record)?))
    }

    fn check_record(&self, record: &Record) -> Result<(), String> {
        replay(&self.game, record, |_, _, _| ()).map(drop)
    }
}
