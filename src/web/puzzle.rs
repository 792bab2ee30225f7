//! Puzzles: their positions, and the answers to them.
//!
//! The page keeps the lines of the file and sends the one that it shows, so nothing is kept here.

use std::collections::BTreeSet;

use super::{
    answer::{ActionView, Problem, PuzzleView, SolutionView},
    open::BoundGames,
    view::draw,
};
use crate::analysis::{
    named::NamedAction,
    puzzle::line::{Posed, PuzzleLine},
};

/// Describes the position of a puzzle and its answers, without the solution.
pub(super) fn pose(games: &BoundGames, line: &str) -> Result<PuzzleView, Problem> {
    let line = read(line)?;
    let PuzzleLine { provenance, index, event, policies, players, .. } = &line;
    let (title, posed) = posed(games, &line)?;
    let visible: BTreeSet<&str> = posed.scene.ids().collect();
    let actions = posed.answers.iter().map(|answer| {
        let cells = answer.cells.iter().filter(|cell| visible.contains(&***cell)).cloned();
        let NamedAction { notation, label } = answer.action.clone();
        ActionView { notation, label, cells: cells.collect() }
    });
    let [policy, second] = policies;
    Ok(PuzzleView {
        title: title.to_owned(),
        players: *players,
        heading: posed.scene.title.clone(),
        question: posed.question(),
        about: format!(
            "Game {index}, event {event}. Losses are differences of win shares between rollouts \
             of {policy} on the same chance, with 95 % intervals; rollouts of {second} confirm the \
             solution. Data: {provenance}."
        ),
        actions: actions.collect(),
        board: draw(&posed.scene),
    })
}

/// Judges an answer; without one, names the solution only.
pub(super) fn solve(
    games: &BoundGames,
    line: &str,
    answer: Option<usize>,
) -> Result<SolutionView, Problem> {
    let line = read(line)?;
    let (_, Posed { answers, .. }) = posed(games, &line)?;
    let solution = answers.iter().position(|answer| answer.refutation.is_none());
    let solution = solution.ok_or_else(|| Problem::invalid("the puzzle has no solution"))?;
    let chosen = match answer {
        None => None,
        Some(index) => Some(answers.get(index).ok_or_else(|| {
            Problem::invalid(format!("no answer {index}; there are {}", answers.len()))
        })?),
    };
    Ok(SolutionView {
        verdict: chosen.map(|answer| match &answer.refutation {
            None => "Right.".to_owned(),
            Some(refutation) => format!("Wrong. {refutation}"),
        }),
        is_right: answer == Some(solution),
        solution,
        label: answers[solution].action.label.clone(),
    })
}

fn read(line: &str) -> Result<PuzzleLine, Problem> {
    PuzzleLine::parse(line).map_err(Problem::invalid)
}

/// Returns the title of the game of a puzzle, and its position and actions.
fn posed<'a>(
    games: &BoundGames,
    line: &'a PuzzleLine,
) -> Result<(&'static str, Posed<'a>), Problem> {
    let built_in = games.of_record(&line.game, line.players, &line.config_sha256)?;
    Ok((built_in.entry.title, built_in.game.pose(line).map_err(Problem::invalid)?))
}
