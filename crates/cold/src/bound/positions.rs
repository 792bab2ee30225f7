//! Positions, recorded games and puzzles.

use std::sync::atomic::{AtomicBool, Ordering};

use super::BoundGame;
use crate::{
    analysis::{
        hint::{Advisor, Hint},
        judge::{Analyst, PartialReceiver, PositionAnalysis},
        ledger::{Annotation, Annotator},
        named::NamedAction,
        perft::{Sequences, count_sequences},
        puzzle::{
            PuzzleFinder,
            line::{Posed, PuzzleLine, PuzzleStep, kind_of},
        },
        reason::Reasoner,
        watch::AnalysisWatch,
    },
    arena::record::{Decider, Record, replay, replay_events},
    bots::BotFactory,
    erased::{AnyAction, AnyGame, AnyState},
    game::{ActionSet as _, Game as _, Notation as _, NotationError, Seat, Turn},
    scene::Scene,
};

/// A position with its game.
#[derive(Clone, Debug)]
pub struct GamePosition<'a> {
    game: &'a AnyGame,
    state: AnyState,
}

impl GamePosition<'_> {
    /// Returns the names of an action.
    pub fn name(&self, action: AnyAction) -> NamedAction {
        NamedAction::new(self.game, action)
    }

    /// Returns who decides.
    pub fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    /// Returns the round.
    pub fn round(&self) -> u32 {
        self.game.round(&self.state)
    }

    /// Returns the number of players.
    pub fn seats(&self) -> usize {
        self.game.seats()
    }

    /// Returns the notation of the whole position.
    pub fn text(&self) -> String {
        self.game.position_text(&self.state)
    }

    /// Returns the notation of the position as a seat sees it.
    pub fn view_text(&self, seat: Seat) -> String {
        self.game.view_text(&self.state, seat)
    }

    /// Returns the picture of the position from the view of a seat, or of everything.
    pub fn scene(&self, viewer: Option<Seat>) -> Scene {
        self.game.scene(&self.state, viewer)
    }

    /// Returns the legal actions.
    pub fn legal_actions(&self) -> Vec<AnyAction> {
        self.game.legal_actions(&self.state).iter().collect()
    }

    /// Returns the action with this notation, legal or not.
    ///
    /// # Errors
    /// If it is no notation of the game.
    pub fn parse_action(&self, text: &str) -> Result<AnyAction, NotationError> {
        self.game.parse_action(text)
    }

    /// Analyses the decision of a seat, as [`Analyst::analyse_watched`].
    pub fn analyse_watched(
        &self,
        analyst: &Analyst<'_>,
        seat: Seat,
        named: &[AnyAction],
        watch: &AnalysisWatch,
        on_report: &PartialReceiver<'_, AnyAction>,
    ) -> Option<PositionAnalysis<AnyAction>> {
        analyst.analyse_watched(self.game, &self.state, seat, named, watch, on_report)
    }

    /// Analyses the decision of a seat, as [`Analyst::analyse_until_stable`].
    pub fn analyse_until_stable(
        &self,
        analyst: &Analyst<'_>,
        searches: &[BotFactory],
        seat: Seat,
        named: &[AnyAction],
        on_report: &PartialReceiver<'_, AnyAction>,
    ) -> (PositionAnalysis<AnyAction>, usize) {
        analyst.analyse_until_stable(searches, self.game, &self.state, seat, named, on_report)
    }

    /// Returns the reasons for the best of some actions and against worse ones, as
    /// [`Reasoner::explain`].
    pub fn reasons(
        &self,
        reasoner: &Reasoner,
        seat: Seat,
        actions: (AnyAction, &[AnyAction]),
        search: (u64, &AtomicBool),
    ) -> Vec<Option<String>> {
        reasoner.explain(self.game, &self.state, seat, actions, search)
    }
}

/// The result of the search for a puzzle in a game.
#[derive(Clone, Debug)]
pub enum PuzzleSearch {
    /// The first puzzle of the game.
    Found(Box<FoundPuzzle>),
    /// The game has no puzzle.
    NoPuzzle,
    /// Not all positions were examined.
    Interrupted,
}

/// A puzzle of a game.
#[derive(Clone, Debug)]
pub struct FoundPuzzle {
    /// Number of events before the puzzle.
    pub event: usize,
    /// Round of the first position.
    pub round: u32,
    /// The seat that decides.
    pub seat: usize,
    /// The rating.
    pub rating: f64,
    /// The decisions.
    pub steps: Vec<PuzzleStep>,
}

/// Receiver of the events of a recorded game: index, position before the event, and action.
pub type EventReceiver<'a> = dyn FnMut(usize, &GamePosition<'_>, NamedAction) + 'a;

impl BoundGame {
    /// Reads a position in the notation of a view.
    ///
    /// # Errors
    /// If the text is no position of the game.
    pub fn parse_view<'a>(&'a self, text: &str) -> Result<GamePosition<'a>, NotationError> {
        let state = self.rules.parse_view(text)?;
        Ok(GamePosition { game: &self.rules, state })
    }

    /// Reads a position with all that is hidden, from which games can start.
    ///
    /// # Errors
    /// If the text is no position of the game.
    pub fn parse_position<'a>(&'a self, text: &str) -> Result<GamePosition<'a>, NotationError> {
        let state = self.rules.parse_position(text)?;
        Ok(GamePosition { game: &self.rules, state })
    }

    /// Returns the position after the first `events` events of a record, and the next action.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn recorded_position<'a>(
        &'a self,
        record: &Record,
        events: usize,
    ) -> Result<(GamePosition<'a>, Option<AnyAction>), String> {
        let game = &self.rules;
        let (mut before, mut played) = (None, None);
        let after = |number: usize, state: &AnyState, action| {
            if number == events {
                (before, played) = (Some(*state), Some(action));
            }
        };
        let end = replay_events(game, record, events + 1, after)?;
        Ok((GamePosition { game, state: before.unwrap_or(end) }, played))
    }

    /// Replays a record, verifies all its fields, and returns the final position.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn replay_record<'a>(
        &'a self,
        record: &Record,
        on_event: &mut EventReceiver<'_>,
    ) -> Result<GamePosition<'a>, String> {
        let game = &self.rules;
        let step = |number: usize, state: &AnyState, action| {
            on_event(number, &GamePosition { game, state: *state }, NamedAction::new(game, action));
        };
        let state = replay(game, record, step)?;
        Ok(GamePosition { game, state })
    }

    /// Returns the positions before the events of a record, and the final one.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn recorded_positions<'a>(
        &'a self,
        record: &Record,
    ) -> Result<Vec<GamePosition<'a>>, String> {
        let mut states = Vec::new();
        let end = replay(&self.rules, record, |_, state: &AnyState, _| states.push(*state))?;
        states.push(end);
        let position = |state| -> GamePosition<'a> { GamePosition { game: &self.rules, state } };
        Ok(states.into_iter().map(position).collect())
    }

    /// Annotates the game of a record, as [`Annotator::annotate`].
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn annotate(
        &self,
        annotator: &Annotator<'_>,
        record: &Record,
        on_event: &(dyn Fn() + Sync),
    ) -> Result<Annotation<AnyState, AnyAction>, String> {
        annotator.annotate(&self.rules, record, on_event)
    }

    /// Searches for the first puzzle of a recorded game until `stop` is set, in a round and with a
    /// kind of solution of which `is_wanted` is true.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn find_puzzle(
        &self,
        finder: &PuzzleFinder<'_>,
        record: &Record,
        is_wanted: &(dyn Fn(u32, Option<&str>) -> bool + Sync),
        stop: &AtomicBool,
    ) -> Result<PuzzleSearch, String> {
        let game = &self.rules;
        let mut states = Vec::new();
        replay_events(game, record, record.events.len(), |_, state, _| states.push(*state))?;
        for ((event, state), (decider, _)) in (0..).zip(&states).zip(&record.events) {
            let Decider::Seat(seat) = decider else { continue };
            if stop.load(Ordering::Relaxed) {
                return Ok(PuzzleSearch::Interrupted);
            }
            let round = game.round(state);
            if !is_wanted(round, None) {
                continue;
            }
            let is_kind = |action| is_wanted(round, Some(kind_of(&game.action_text(action))));
            let seat = Seat::new(*seat);
            if let Some(steps) = finder.examine(game, state, seat, is_kind) {
                return Ok(PuzzleSearch::Found(Box::new(FoundPuzzle {
                    event,
                    round,
                    seat: seat.index(),
                    rating: finder.rating(game, seat, &steps),
                    steps: steps.iter().map(|step| PuzzleStep::new(game, seat, step)).collect(),
                })));
            }
        }
        Ok(PuzzleSearch::NoPuzzle)
    }

    /// Reads the position and the actions of a decision of a puzzle, counted from 0.
    ///
    /// # Errors
    /// If a text cannot be read, or if an action is not legal.
    pub fn pose<'a>(&self, line: &'a PuzzleLine, step: usize) -> Result<Posed<'a>, String> {
        Posed::read(&self.rules, line, step)
    }

    /// Judges an answer to a puzzle, or suggests actions if there is none, by the searches of hints
    /// from the position that the seat sees; `None` if the watch stops them.
    ///
    /// # Errors
    /// If a text cannot be read.
    pub fn judge_answer(
        &self,
        posed: &Posed<'_>,
        answer: Option<&str>,
        advisor: &Advisor,
        watch: &AnalysisWatch,
    ) -> Result<Option<Hint<AnyAction>>, NotationError> {
        let state = self.rules.parse_view(&posed.step.position)?;
        let answer = answer.map(|text| self.rules.parse_action(text)).transpose()?;
        let searches = (posed.line.index, watch);
        Ok(advisor.hint(&self.rules, &state, posed.seat, answer, searches))
    }

    /// Counts the sequences of `depth` decisions, on the threads of the current pool.
    pub fn count_sequences(&self, seed: u64, depth: u32) -> Sequences {
        count_sequences(&self.rules, seed, depth)
    }
}
