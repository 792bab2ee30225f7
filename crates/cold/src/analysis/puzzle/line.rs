//! Puzzles as lines of JSON.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    analysis::{hint::Judgement, named::NamedAction},
    game::{ActionSet as _, FullGame, Seat, Turn},
    scene::Scene,
    stats::ratio::Estimate,
};

/// The name and version of the format.
pub const FORMAT: &str = "watershed.puzzle/1";

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
    /// Number of events before the position.
    pub event: usize,
    /// The kind of action of the solution, as in the notation.
    pub theme: String,
    /// The position as the seat that decides sees it.
    pub position: String,
    /// The seat that decides.
    pub seat: usize,
    /// The best action, and others that lead to the same position.
    pub solution: Vec<String>,
    /// Win share after the solution.
    pub win: PuzzleEstimate,
    /// The other actions, the best of them first.
    pub wrong: Vec<WrongLine>,
    /// The bots that played the rollouts, the one that confirmed the solution last.
    pub policies: [String; 2],
}

/// An action that is not the solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongLine {
    /// The action, and others that lead to the same position.
    pub actions: Vec<String>,
    /// Win share less that of the solution.
    pub difference: PuzzleEstimate,
    /// Parts of the final scores that differ from those after the solution.
    pub reasons: Vec<ReasonLine>,
}

/// A part of the score of a seat, less that after the solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasonLine {
    /// The seat.
    pub seat: usize,
    /// Name of the part.
    pub part: String,
    /// Difference in points.
    pub difference: PuzzleEstimate,
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleEstimate {
    /// Estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of observations.
    pub n: i64,
}

impl From<Estimate> for PuzzleEstimate {
    /// Rounds to 6 decimals, as tables do.
    fn from(Estimate { n, value, low, high }: Estimate) -> Self {
        let rounded = |number: f64| (number * 1e6).round() / 1e6;
        Self { value: rounded(value), low: rounded(low), high: rounded(high), n }
    }
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
        Ok(puzzle)
    }
}

/// A puzzle whose texts are read.
#[derive(Clone, Debug)]
pub struct Posed<'a> {
    /// The puzzle.
    pub line: &'a PuzzleLine,
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
    /// Reads the position and all actions.
    ///
    /// # Errors
    /// If a text cannot be read, or if an action is not legal.
    pub fn read<G: FullGame>(game: &G, line: &'a PuzzleLine) -> Result<Self, String> {
        let PuzzleLine { index, event, .. } = line;
        let named = |problem: String| format!("puzzle of game {index}, event {event}: {problem}");
        let state = game.parse_view(&line.position).map_err(|error| named(error.to_string()))?;
        let Turn::Seat(seat) = game.turn(&state) else {
            return Err(named("nobody decides".into()));
        };
        if seat.index() != line.seat {
            return Err(named(format!("seat: expected {seat}")));
        }
        let legal = game.legal_actions(&state);
        let wrong = line.wrong.iter().flat_map(|answer| &answer.actions);
        for text in line.solution.iter().chain(wrong) {
            match game.parse_action(text) {
                Ok(action) if legal.contains(action) => {}
                Ok(_) => return Err(named(format!("{text} is not legal"))),
                Err(error) => return Err(named(error.to_string())),
            }
        }
        if line.solution.is_empty() || line.wrong.iter().any(|answer| answer.actions.is_empty()) {
            return Err(named("expected actions".into()));
        }
        let answers = answers(game, line, &state);
        Ok(Self { line, scene: game.scene(&state, Some(seat)), seat, answers })
    }

    /// Returns the question.
    pub fn question(&self) -> String {
        let player = self.seat.index() + 1;
        format!("You are player {player}. One action is clearly best: which one?")
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
fn answers<G: FullGame>(game: &G, line: &PuzzleLine, state: &G::State) -> Vec<PuzzleAnswer> {
    let legal = game.legal_actions(state);
    let legal: Vec<_> = legal.iter().map(|action| (game.action_text(action), action)).collect();
    let answers = legal.iter().filter_map(|(text, action)| {
        let wrong = line.wrong.iter().find(|answer| answer.actions.contains(text));
        let texts = wrong.map_or(&line.solution, |answer| &answer.actions);
        let same = legal.iter().filter(|(other, _)| texts.contains(other));
        (texts[0] == *text).then(|| PuzzleAnswer {
            action: NamedAction::new(game, *action),
            cells: same.flat_map(|(_, action)| game.action_cells(state, *action)).collect(),
            is_solution: wrong.is_none(),
        })
    });
    answers.collect()
}
