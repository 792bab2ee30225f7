//! Puzzles as lines of JSON.

use std::{fs, path::Path};

use anyhow::{Context as _, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    game::{FullGame, Seat, Turn},
    games::GameList,
    report::text::wrap,
    run::{
        arguments::{GameSelection, RecordedRules},
        files::partial_name,
    },
    stats::ratio::Estimate,
};

/// The name and version of the format.
pub(super) const FORMAT: &str = "watershed.puzzle/1";

/// A puzzle with its solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PuzzleLine {
    /// [`FORMAT`].
    pub(super) format: String,
    pub(super) game: String,
    /// SHA-256 of the data file.
    pub(super) config_sha256: String,
    pub(super) provenance: String,
    pub(super) players: usize,
    /// Index of the game in the run, and the number of events before the position.
    pub(super) index: u64,
    pub(super) event: usize,
    /// The kind of action of the solution, as in the notation.
    pub(super) theme: String,
    /// The position as the seat that decides sees it.
    pub(super) position: String,
    pub(super) seat: usize,
    /// The best action, and others that lead to the same position.
    pub(super) solution: Vec<String>,
    /// Win share after the solution.
    pub(super) win: Interval,
    /// The other actions, the best of them first.
    pub(super) wrong: Vec<WrongLine>,
    /// The bots that played the rollouts, the one that confirmed the solution last.
    pub(super) policies: [String; 2],
}

/// An action that is not the solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrongLine {
    /// The action, and others that lead to the same position.
    pub(super) actions: Vec<String>,
    /// Win share less that of the solution.
    pub(super) difference: Interval,
    /// Parts of the final scores that differ from those after the solution.
    pub(super) reasons: Vec<ReasonLine>,
}

/// A part of the score of a seat, less that after the solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReasonLine {
    pub(super) seat: usize,
    pub(super) part: String,
    pub(super) difference: Interval,
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interval {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) n: i64,
}

impl From<Estimate> for Interval {
    /// Rounds to 6 decimals, as tables do.
    fn from(Estimate { n, value, low, high }: Estimate) -> Self {
        let rounded = |number: f64| (number * 1e6).round() / 1e6;
        Self { value: rounded(value), low: rounded(low), high: rounded(high), n }
    }
}

/// Reads the puzzles of a file, of which there is at least one, all of one game.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name}: can't be read"))?;
    let puzzles = parse(&text, path)?;
    ensure!(!puzzles.is_empty(), "{name}: has no puzzle");
    Ok(puzzles)
}

/// Reads the puzzles of an interrupted command: of the unfinished file if there is one. It may end
/// within a line.
pub(super) fn read_interrupted(path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let partial = partial_name(path);
    let path = if partial.exists() { partial.as_path() } else { path };
    let text =
        fs::read_to_string(path).with_context(|| format!("{}: can't be read", path.display()))?;
    parse(text.rfind('\n').map_or("", |end| &text[..end]), path)
}

/// Parses puzzles, all of one game.
fn parse(text: &str, path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let name = path.display();
    let mut puzzles: Vec<PuzzleLine> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let puzzle: PuzzleLine = serde_json::from_str(line).map_err(|error| {
            anyhow!("{name}:{number}: expected a puzzle in the format {FORMAT}: {error}")
        })?;
        if puzzle.format != FORMAT {
            bail!("{name}:{number}: expected the format {FORMAT}, found {:?}", puzzle.format);
        }
        let rules = |puzzle: &PuzzleLine| {
            (puzzle.game.clone(), puzzle.players, puzzle.config_sha256.clone())
        };
        if puzzles.first().is_some_and(|first| rules(first) != rules(&puzzle)) {
            bail!("{name}:{number}: expected the game, players and data of the first puzzle");
        }
        puzzles.push(puzzle);
    }
    Ok(puzzles)
}

/// Reads the data file of the game of puzzles.
pub(super) fn select_game<L: GameList>(
    puzzle: &PuzzleLine,
    config: Option<&Path>,
    path: &Path,
) -> anyhow::Result<GameSelection> {
    let PuzzleLine { game, players, config_sha256, .. } = puzzle;
    let rules = RecordedRules { game, players: *players, config_sha256 };
    rules.select::<L>(config, &path.display().to_string())
}

/// A puzzle whose texts are read.
pub(super) struct Posed<'a, G: FullGame> {
    pub(super) line: &'a PuzzleLine,
    pub(super) state: G::State,
    pub(super) seat: Seat,
}

impl<'a, G: FullGame> Posed<'a, G> {
    /// Reads the position and all actions.
    pub(super) fn read(game: &G, line: &'a PuzzleLine) -> anyhow::Result<Self> {
        let name = || format!("puzzle of game {}, event {}", line.index, line.event);
        let state = game.parse_view(&line.position).with_context(name)?;
        let Turn::Seat(seat) = game.turn(&state) else { bail!("{}: nobody decides", name()) };
        ensure!(seat.index() == line.seat, "{}: seat: expected {seat}", name());
        let legal = game.legal_actions(&state);
        let wrong = line.wrong.iter().flat_map(|answer| &answer.actions);
        for text in line.solution.iter().chain(wrong) {
            let action = game.parse_action(text).with_context(name)?;
            let is_legal = crate::game::ActionSet::contains(&legal, action);
            ensure!(is_legal, "{}: {text} is not legal", name());
        }
        ensure!(!line.solution.is_empty(), "{}: solution: expected an action", name());
        Ok(Self { line, state, seat })
    }

    /// Returns the question.
    pub(super) fn question(&self) -> String {
        let win = self.line.win;
        format!(
            "Player {} decides. The best action wins {:.0} % [{:.0}, {:.0}] of {} rollouts; which \
             is it?",
            self.seat.index() + 1,
            100.0 * win.value,
            100.0 * win.low,
            100.0 * win.high,
            win.n
        )
    }
}

impl WrongLine {
    /// Returns the loss and its reasons in words.
    pub(super) fn refutation(&self, decider: Seat) -> String {
        let Interval { value, low, high, n } = self.difference;
        let mut text = format!(
            "It wins {:.1} points less [{:.1}, {:.1}], n = {n}.",
            -100.0 * value,
            -100.0 * high,
            -100.0 * low
        );
        let reasons: Vec<_> = self
            .reasons
            .iter()
            .take(3)
            .map(|reason| {
                let who = if reason.seat == decider.index() {
                    "own".to_owned()
                } else {
                    format!("player {}", reason.seat + 1)
                };
                format!(
                    "{who} {} {:+.1} [{:+.1}, {:+.1}]",
                    reason.part.replace('_', " "),
                    reason.difference.value,
                    reason.difference.low,
                    reason.difference.high
                )
            })
            .collect();
        if !reasons.is_empty() {
            text += &format!(" Points at the end: {}.", reasons.join("; "));
        }
        text
    }
}

/// Returns an action in words. Its text has been read before.
pub(super) fn label<G: FullGame>(game: &G, text: &str) -> String {
    game.parse_action(text).map_or_else(|_| text.to_owned(), |action| game.action_label(action))
}

/// Wraps a paragraph for the terminal.
pub(super) fn wrapped(text: &str) -> String {
    wrap(text, 80).iter().map(|line| format!("{line}\n")).collect()
}
