//! Puzzles as lines of JSON.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Puzzle;
use crate::{
    analysis::{hint::Judgement, named::NamedAction},
    game::{ActionSet as _, FullGame, Seat, Turn},
    games::labels::player,
    scene::{Scene, capitalize},
};

/// The name and version of the format.
pub const FORMAT: &str = "watershed.puzzle/2";

/// A puzzle with its solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleLine {
    /// [`FORMAT`].
    pub format: String,
    /// Name of the game.
    pub game: String,
    /// SHA-256 of the data file.
    pub config_sha256: String,
    /// The provenance that the data file claims.
    pub provenance: String,
    /// Number of players.
    pub players: usize,
    /// Index of the game in the run.
    pub index: u64,
    /// Number of events before the first position.
    pub event: usize,
    /// Round of the first position.
    pub round: u32,
    /// The seat that decides.
    pub seat: usize,
    /// The rating on the scale of the opponents, by their answers.
    pub rating: f64,
    /// The decisions, at least one.
    pub steps: Vec<PuzzleStep>,
    /// The bot whose searches decided.
    pub judge: String,
}

/// A decision of a puzzle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleStep {
    /// The events since the solution of the decision before it, in words.
    pub events: Vec<String>,
    /// The position as the seat that decides sees it.
    pub position: String,
    /// The kind of action of the solution, as in the notation.
    pub kind: String,
    /// The best action, and others that lead to the same position.
    pub solution: Vec<String>,
    /// Win chance after the solution.
    pub chance: f64,
    /// Win chance that the next best answer loses.
    pub lead: f64,
    /// The other actions, those that lead to the same position together.
    pub wrong: Vec<Vec<String>>,
}

impl PuzzleStep {
    /// Describes a decision of a puzzle.
    pub fn new<G: FullGame>(game: &G, seat: Seat, puzzle: &Puzzle<G::State, G::Action>) -> Self {
        let texts = |actions: &Vec<G::Action>| -> Vec<_> {
            actions.iter().map(|&action| game.action_text(action)).collect()
        };
        let event = |&(decider, action): &(Option<Seat>, G::Action)| {
            let label = game.action_label(action);
            decider.map_or(label.clone(), |seat| capitalize(&format!("{}: {label}", player(seat))))
        };
        let rounded = |chance: f64| (chance * 1e4).round() / 1e4;
        let solution = texts(&puzzle.solution);
        Self {
            events: puzzle.events.iter().map(event).collect(),
            position: game.view_text(&puzzle.state, seat),
            kind: kind_of(&solution[0]).to_owned(),
            solution,
            chance: rounded(puzzle.chance),
            lead: rounded(puzzle.lead),
            wrong: puzzle.wrong.iter().map(texts).collect(),
        }
    }
}

/// Returns the kind of an action by its notation.
pub fn kind_of(action: &str) -> &str {
    action.split(':').next().unwrap_or_default()
}

impl PuzzleLine {
    /// Parses a line.
    ///
    /// # Errors
    /// If the text is no puzzle in this format.
    pub fn parse(line: &str) -> Result<Self, String> {
        let puzzle: Self = serde_json::from_str(line)
            .map_err(|error| format!("expected a puzzle in the format {FORMAT}: {error}"))?;
        if puzzle.format != FORMAT {
            return Err(format!("expected the format {FORMAT}, found {:?}", puzzle.format));
        }
        if puzzle.steps.is_empty() {
            return Err("steps: expected at least one".to_owned());
        }
        Ok(puzzle)
    }

    /// Returns true if the first positions differ in fewer than 4 words.
    pub fn is_near(&self, other: &Self) -> bool {
        const MIN_DISTANCE: usize = 4;
        let [one, two] = [self, other].map(|line| line.steps[0].position.split_whitespace());
        let lengths = one.clone().count().abs_diff(two.clone().count());
        lengths + one.zip(two).filter(|(one, two)| one != two).count() < MIN_DISTANCE
    }
}

/// A decision of a puzzle whose texts are read.
#[derive(Clone, Debug)]
pub struct Posed<'a> {
    /// The puzzle.
    pub line: &'a PuzzleLine,
    /// The decision.
    pub step: &'a PuzzleStep,
    /// The position as the seat sees it.
    pub scene: Scene,
    /// The seat that decides.
    pub seat: Seat,
    /// All actions in the order of the rules, those that lead to the same position together.
    pub answers: Vec<PuzzleAnswer>,
}

/// An answer to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleAnswer {
    /// The first action; all others lead to the same position.
    pub action: NamedAction,
    /// The cells of the picture that these actions concern.
    pub cells: BTreeSet<String>,
    /// True if it is the solution.
    pub is_solution: bool,
}

impl<'a> Posed<'a> {
    /// Reads the position and all actions of a decision, counted from 0.
    ///
    /// # Errors
    /// If there is no such decision, if a text cannot be read, or if an action is not legal.
    pub fn read<G: FullGame>(game: &G, line: &'a PuzzleLine, step: usize) -> Result<Self, String> {
        let PuzzleLine { index, event, steps, .. } = line;
        let named = |problem: String| format!("puzzle of game {index}, event {event}: {problem}");
        let step = steps.get(step).ok_or_else(|| named(format!("there is no decision {step}")))?;
        let state = game.parse_view(&step.position).map_err(|error| named(error.to_string()))?;
        let Turn::Seat(seat) = game.turn(&state) else {
            return Err(named("nobody decides".into()));
        };
        if seat.index() != line.seat {
            return Err(named(format!("seat: expected {seat}")));
        }
        let legal = game.legal_actions(&state);
        for text in step.solution.iter().chain(step.wrong.iter().flatten()) {
            match game.parse_action(text) {
                Ok(action) if legal.contains(action) => {}
                Ok(_) => return Err(named(format!("{text} is not legal"))),
                Err(error) => return Err(named(error.to_string())),
            }
        }
        if step.solution.is_empty() || step.wrong.iter().any(Vec::is_empty) {
            return Err(named("expected actions".into()));
        }
        let answers = answers(game, step, &state);
        Ok(Self { line, step, scene: game.scene(&state, Some(seat)), seat, answers })
    }

    /// Returns the events since the solution of the decision before it, and the question.
    pub fn question(&self) -> String {
        let player = self.seat.index() + 1;
        let question = format!("You are player {player}. One action is clearly best: which one?");
        let events = self.step.events.iter().map(|event| format!("{event}. "));
        events.chain([question]).collect()
    }
}

impl PuzzleAnswer {
    /// Returns true if the answer is right by the judgement of a search, and the judgement in
    /// words. The games in which the puzzle was found were searched deeper, so the solution is
    /// right whatever a hint says.
    pub fn verdict(&self, judgement: Option<&Judgement>) -> (bool, String) {
        match judgement {
            Some(judgement) if judgement.is_good => (true, format!("Right. {}", judgement.text)),
            _ if self.is_solution => (true, "Right.".to_owned()),
            Some(judgement) => (false, format!("Wrong. {}", judgement.text)),
            None => (false, "Wrong.".to_owned()),
        }
    }
}

/// Returns all actions in the order of the rules, those that lead to the same position together.
fn answers<G: FullGame>(game: &G, step: &PuzzleStep, state: &G::State) -> Vec<PuzzleAnswer> {
    let legal = game.legal_actions(state);
    let legal: Vec<_> = legal.iter().map(|action| (game.action_text(action), action)).collect();
    let answers = legal.iter().filter_map(|(text, action)| {
        let wrong = step.wrong.iter().find(|actions| actions.contains(text));
        let texts = wrong.unwrap_or(&step.solution);
        let same = legal.iter().filter(|(other, _)| texts.contains(other));
        (texts[0] == *text).then(|| PuzzleAnswer {
            action: NamedAction::new(game, *action),
            cells: same.flat_map(|(_, action)| game.action_cells(state, *action)).collect(),
            is_solution: wrong.is_none(),
        })
    });
    answers.collect()
}
