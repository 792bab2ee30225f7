//! Positions, recorded games and puzzles.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Bound;
use crate::{
    analysis::{
        judge::{Analyst, PartialReceiver, PositionAnalysis},
        ledger::{Annotation, Annotator},
        named::{NamedAction, NamedPosition},
        perft::{Sequences, count_sequences},
        puzzle::{
            Puzzle, PuzzleFinder,
            line::{Posed, PuzzleLine},
        },
        reason::distinct_reasons,
        watch::AnalysisWatch,
    },
    arena::record::{Decider, Record, replay, replay_events},
    bots::BotFactory,
    game::{ActionEffects, ActionSet as _, NotationError, Seat, Turn},
    games::GameDefinition,
    scene::Scene,
};

/// A position of a game, whichever game it is.
pub trait GamePosition: Sync {
    /// Returns who decides.
    fn turn(&self) -> Turn;

    /// Returns the round.
    fn round(&self) -> u32;

    /// Returns the notation of the whole position.
    fn text(&self) -> String;

    /// Returns the notation of the position as a seat sees it.
    fn view_text(&self, seat: Seat) -> String;

    /// Returns the picture of the position from the view of a seat, or of everything.
    fn scene(&self, viewer: Option<Seat>) -> Scene;

    /// Returns the legal actions.
    fn legal_actions(&self) -> Vec<NamedAction>;

    /// Returns the action with this notation, legal or not.
    ///
    /// # Errors
    /// If it is no notation of the game.
    fn parse_action(&self, text: &str) -> Result<NamedAction, NotationError>;

    /// Analyses the decision of a seat, as [`Analyst::analyse_in_steps`]. `named` are legal
    /// actions.
    fn analyse(
        &self,
        analyst: &Analyst<'_>,
        seat: Seat,
        named: &[NamedAction],
        on_search: &mut dyn FnMut(&PositionAnalysis<NamedAction>),
    ) -> PositionAnalysis<NamedAction>;

    /// Analyses the decision of a seat, as [`Analyst::analyse_watched`]. `named` are legal actions.
    fn analyse_watched(
        &self,
        analyst: &Analyst<'_>,
        seat: Seat,
        named: &[NamedAction],
        watch: &AnalysisWatch,
        on_report: &PartialReceiver<'_, NamedAction>,
    ) -> Option<PositionAnalysis<NamedAction>>;

    /// Analyses the decision of a seat, as [`Analyst::analyse_until_stable`]. `named` are legal
    /// actions.
    fn analyse_until_stable(
        &self,
        analyst: &Analyst<'_>,
        searches: &[BotFactory],
        seat: Seat,
        named: &[NamedAction],
    ) -> (PositionAnalysis<NamedAction>, usize);

    /// Returns the consequences of legal actions that not all of them share, as
    /// [`distinct_reasons`].
    fn reasons(&self, actions: &[NamedAction]) -> Vec<ActionEffects>;
}

/// A position with its game.
struct PositionOf<'a, G: GameDefinition> {
    game: &'a G,
    state: G::State,
}

impl<G: GameDefinition> PositionOf<'_, G> {
    /// Returns the action of a name.
    fn action(&self, named: &NamedAction) -> G::Action {
        self.game.parse_action(&named.notation).expect("the notation of an action is read again")
    }
}

impl<G: GameDefinition> GamePosition for PositionOf<'_, G> {
    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn round(&self) -> u32 {
        self.game.round(&self.state)
    }

    fn text(&self) -> String {
        self.game.position_text(&self.state)
    }

    fn view_text(&self, seat: Seat) -> String {
        self.game.view_text(&self.state, seat)
    }

    fn scene(&self, viewer: Option<Seat>) -> Scene {
        self.game.scene(&self.state, viewer)
    }

    fn legal_actions(&self) -> Vec<NamedAction> {
        let legal = self.game.legal_actions(&self.state);
        legal.iter().map(|action| NamedAction::new(self.game, action)).collect()
    }

    fn parse_action(&self, text: &str) -> Result<NamedAction, NotationError> {
        self.game.parse_action(text).map(|action| NamedAction::new(self.game, action))
    }

    fn analyse(
        &self,
        analyst: &Analyst<'_>,
        seat: Seat,
        named: &[NamedAction],
        on_search: &mut dyn FnMut(&PositionAnalysis<NamedAction>),
    ) -> PositionAnalysis<NamedAction> {
        let name = |action| NamedAction::new(self.game, action);
        let named: Vec<_> = named.iter().map(|named| self.action(named)).collect();
        let on_search =
            |found: &PositionAnalysis<G::Action>| on_search(&found.clone().map_actions(name));
        let analysis = analyst.analyse_in_steps(self.game, &self.state, seat, &named, on_search);
        analysis.map_actions(name)
    }

    fn analyse_watched(
        &self,
        analyst: &Analyst<'_>,
        seat: Seat,
        named: &[NamedAction],
        watch: &AnalysisWatch,
        on_report: &PartialReceiver<'_, NamedAction>,
    ) -> Option<PositionAnalysis<NamedAction>> {
        let name = |action| NamedAction::new(self.game, action);
        let named: Vec<_> = named.iter().map(|named| self.action(named)).collect();
        let on_report =
            |found: &PositionAnalysis<G::Action>| on_report(&found.clone().map_actions(name));
        let analyse = Analyst::analyse_watched;
        let analysis = analyse(analyst, self.game, &self.state, seat, &named, watch, &on_report)?;
        Some(analysis.map_actions(name))
    }

    fn analyse_until_stable(
        &self,
        analyst: &Analyst<'_>,
        searches: &[BotFactory],
        seat: Seat,
        named: &[NamedAction],
    ) -> (PositionAnalysis<NamedAction>, usize) {
        let named: Vec<_> = named.iter().map(|named| self.action(named)).collect();
        let (analysis, level) =
            analyst.analyse_until_stable(searches, self.game, &self.state, seat, &named);
        (analysis.map_actions(|action| NamedAction::new(self.game, action)), level)
    }

    fn reasons(&self, actions: &[NamedAction]) -> Vec<ActionEffects> {
        let actions: Vec<_> = actions.iter().map(|named| self.action(named)).collect();
        distinct_reasons(self.game, &self.state, &actions)
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
    /// The position as the seat sees it.
    pub position: String,
    /// The puzzle.
    pub puzzle: Puzzle<NamedAction>,
}

/// Receiver of the events of a recorded game: index, position before the event, and action.
pub type EventReceiver<'a> = dyn FnMut(usize, &dyn GamePosition, NamedAction) + 'a;

/// Positions, recorded games and puzzles of a game.
pub trait Positions {
    /// Reads a position in the notation of a view.
    ///
    /// # Errors
    /// If the text is no position of the game.
    fn parse_view<'a>(&'a self, text: &str) -> Result<Box<dyn GamePosition + 'a>, NotationError>;

    /// Returns the position after the first `events` events of a record, and the next action.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn recorded_position<'a>(
        &'a self,
        record: &Record,
        events: usize,
    ) -> Result<(Box<dyn GamePosition + 'a>, Option<NamedAction>), String>;

    /// Replays a record, verifies all its fields, and returns the final position.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn replay_record<'a>(
        &'a self,
        record: &Record,
        on_event: &mut EventReceiver<'_>,
    ) -> Result<Box<dyn GamePosition + 'a>, String>;

    /// Returns the positions before the events of a record, and the final one.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn recorded_positions<'a>(
        &'a self,
        record: &Record,
    ) -> Result<Vec<Box<dyn GamePosition + 'a>>, String>;

    /// Annotates the game of a record, as [`Annotator::annotate`].
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn annotate(
        &self,
        annotator: &Annotator<'_>,
        record: &Record,
        on_event: &(dyn Fn() + Sync),
    ) -> Result<Annotation<NamedPosition, NamedAction>, String>;

    /// Searches for the first puzzle of a recorded game until `stop` is set.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    fn find_puzzle(
        &self,
        finder: &PuzzleFinder<'_>,
        record: &Record,
        stop: &AtomicBool,
    ) -> Result<PuzzleSearch, String>;

    /// Reads the position and the actions of a puzzle.
    ///
    /// # Errors
    /// If a text cannot be read, or if an action is not legal.
    fn pose<'a>(&self, line: &'a PuzzleLine) -> Result<Posed<'a>, String>;

    /// Counts the sequences of `depth` decisions, on the threads of the current pool.
    fn count_sequences(&self, seed: u64, depth: u32) -> Sequences;
}

impl<G: GameDefinition> Positions for Bound<G> {
    fn parse_view<'a>(&'a self, text: &str) -> Result<Box<dyn GamePosition + 'a>, NotationError> {
        let state = self.game.parse_view(text)?;
        Ok(Box::new(PositionOf { game: &self.game, state }))
    }

    fn recorded_position<'a>(
        &'a self,
        record: &Record,
        events: usize,
    ) -> Result<(Box<dyn GamePosition + 'a>, Option<NamedAction>), String> {
        let game = &self.game;
        let (mut before, mut played) = (None, None);
        let after = |number: usize, state: &G::State, action| {
            if number == events {
                (before, played) = (Some(*state), Some(NamedAction::new(game, action)));
            }
        };
        let end = replay_events(game, record, events + 1, after)?;
        Ok((Box::new(PositionOf { game, state: before.unwrap_or(end) }), played))
    }

    fn replay_record<'a>(
        &'a self,
        record: &Record,
        on_event: &mut EventReceiver<'_>,
    ) -> Result<Box<dyn GamePosition + 'a>, String> {
        let game = &self.game;
        let step = |number: usize, state: &G::State, action| {
            on_event(number, &PositionOf { game, state: *state }, NamedAction::new(game, action));
        };
        let state = replay(game, record, step)?;
        Ok(Box::new(PositionOf { game, state }))
    }

    fn recorded_positions<'a>(
        &'a self,
        record: &Record,
    ) -> Result<Vec<Box<dyn GamePosition + 'a>>, String> {
        let mut states = Vec::new();
        let end = replay(&self.game, record, |_, state: &G::State, _| states.push(*state))?;
        states.push(end);
        let position = |state| -> Box<dyn GamePosition + 'a> {
            Box::new(PositionOf { game: &self.game, state })
        };
        Ok(states.into_iter().map(position).collect())
    }

    fn annotate(
        &self,
        annotator: &Annotator<'_>,
        record: &Record,
        on_event: &(dyn Fn() + Sync),
    ) -> Result<Annotation<NamedPosition, NamedAction>, String> {
        let annotation = annotator.annotate(&self.game, record, on_event)?;
        let position = |state| NamedPosition::new(&self.game, &state);
        Ok(annotation.map(position, |action| NamedAction::new(&self.game, action)))
    }

    fn find_puzzle(
        &self,
        finder: &PuzzleFinder<'_>,
        record: &Record,
        stop: &AtomicBool,
    ) -> Result<PuzzleSearch, String> {
        let game = &self.game;
        let mut states = Vec::new();
        replay_events(game, record, record.events.len(), |_, state, _| states.push(*state))?;
        for ((event, state), (decider, _)) in (0..).zip(&states).zip(&record.events) {
            let Decider::Seat(seat) = decider else { continue };
            if stop.load(Ordering::Relaxed) {
                return Ok(PuzzleSearch::Interrupted);
            }
            let seat = Seat::new(*seat);
            if let Some(puzzle) = finder.examine(game, state, seat) {
                let position = game.view_text(state, seat);
                let puzzle = puzzle.map_actions(|action| NamedAction::new(game, action));
                return Ok(PuzzleSearch::Found(Box::new(FoundPuzzle { event, position, puzzle })));
            }
        }
        Ok(PuzzleSearch::NoPuzzle)
    }

    fn pose<'a>(&self, line: &'a PuzzleLine) -> Result<Posed<'a>, String> {
        Posed::read(&self.game, line)
    }

    fn count_sequences(&self, seed: u64, depth: u32) -> Sequences {
        count_sequences(&self.game, seed, depth)
    }
}
