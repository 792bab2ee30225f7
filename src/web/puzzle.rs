//! Puzzles: their positions, and the answers to them.
//!
//! The page keeps the lines of the file and sends the one that it shows, so nothing is kept here.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    answer::{ActionView, PuzzleView, SolutionView},
    view::draw,
};
use crate::{
    analysis::{
        named::NamedAction,
        puzzle::line::{Posed, PuzzleLine},
    },
    games::open_games::{OpenGames, OpenedGame, RecordedRules},
    protocol::problem::Problem,
};

/// Describes the position of a puzzle and its answers, without the solution.
pub(super) fn pose(games: &OpenGames, line: &str) -> Result<PuzzleView, Problem> {
    let line = PuzzleLine::parse(line)?;
    let PuzzleLine { provenance, index, event, policies, players, .. } = &line;
    let (opened, posed) = posed(games, &line)?;
    let visible: BTreeSet<&str> = posed.scene.ids().collect();
    let actions = posed.answers.iter().map(|answer| {
        let cells = answer.cells.iter().filter(|cell| visible.contains(&***cell)).cloned();
        let NamedAction { notation: action, label } = answer.action.clone();
        ActionView { action, label, cells: cells.collect() }
    });
    let [policy, second] = policies;
    Ok(PuzzleView {
        title: opened.entry.title,
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
    games: &OpenGames,
    line: &str,
    action: Option<&str>,
) -> Result<SolutionView, Problem> {
    let line = PuzzleLine::parse(line)?;
    let (_, Posed { answers, .. }) = posed(games, &line)?;
    let solution = answers.iter().find(|answer| answer.refutation.is_none());
    let solution = &solution.ok_or("the puzzle has no solution")?.action;
    let answer = |action: &str| {
        let answer = answers.iter().find(|answer| answer.action.notation == action);
        answer.ok_or_else(|| format!("{action:?} is no answer"))
    };
    let chosen = action.map(answer).transpose()?;
    Ok(SolutionView {
        verdict: chosen.map(|answer| match &answer.refutation {
            None => "Right.".to_owned(),
            Some(refutation) => format!("Wrong. {refutation}"),
        }),
        is_right: chosen.is_some_and(|answer| answer.refutation.is_none()),
        action: solution.notation.clone(),
        label: solution.label.clone(),
    })
}

/// Returns the game of a puzzle, and its position and actions.
fn posed<'a>(
    games: &OpenGames,
    line: &'a PuzzleLine,
) -> Result<(Arc<OpenedGame>, Posed<'a>), Problem> {
    let opened = games.open(RecordedRules::from(line))?;
    let posed = opened.game.pose(line)?;
    Ok((opened, posed))
}
