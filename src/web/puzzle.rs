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
        hint::{Advisor, HINT_BOT},
        named::NamedAction,
        puzzle::line::{Posed, PuzzleLine},
        watch::AnalysisWatch,
    },
    games::open_games::{OpenGames, OpenedGame, RecordedRules},
    protocol::{analysis::Suggestions, problem::Problem},
};

/// Describes the position of a puzzle and its answers, without the solution.
pub(super) fn pose(games: &OpenGames, line: &str, step: usize) -> Result<PuzzleView, Problem> {
    let line = PuzzleLine::parse(line)?;
    let PuzzleLine { provenance, index, event, players, rating, .. } = &line;
    let (opened, posed) = posed(games, &line, step)?;
    let visible: BTreeSet<&str> = posed.scene.ids().collect();
    let actions = posed.answers.iter().map(|answer| {
        let cells = answer.cells.iter().filter(|cell| visible.contains(&***cell)).cloned();
        let NamedAction { notation: action, label } = answer.action.clone();
        ActionView { action, label, cells: cells.collect() }
    });
    Ok(PuzzleView {
        game: line.game.clone(),
        title: opened.entry.title,
        players: *players,
        steps: line.steps.len(),
        rating: *rating,
        heading: posed.scene.title.clone(),
        question: posed.question(),
        about: format!(
            "Game {index} of self-play, event {event}. Answers are judged by the search that gives \
             hints. Data: {provenance}."
        ),
        seat: posed.seat.index(),
        actions: actions.collect(),
        board: draw(&posed.scene),
    })
}

/// Judges an answer by the search that gives hints; without one, names the solution and why it is.
pub(super) fn solve(
    games: &OpenGames,
    (line, step): (&str, usize),
    action: Option<&str>,
    watch: &AnalysisWatch,
) -> Result<SolutionView, Problem> {
    let line = PuzzleLine::parse(line)?;
    let (opened, posed) = posed(games, &line, step)?;
    let answers = &posed.answers;
    let solution = answers.iter().find(|answer| answer.is_solution);
    let solution = &solution.ok_or("the puzzle has no solution")?.action;
    let answer = |action: &str| {
        let answer = answers.iter().find(|answer| answer.action.notation == action);
        answer.ok_or_else(|| format!("{action:?} is no answer"))
    };
    let chosen = action.map(answer).transpose()?;
    let advisor = Advisor::read(opened.game.library(), HINT_BOT)?;
    let asked = chosen.map_or(solution, |answer| &answer.action);
    let hint = opened.game.judge_answer(&posed, Some(&asked.notation), &advisor, watch);
    let hint = hint.map_err(|error| error.to_string())?.ok_or("the search was stopped")?;
    let judgement = hint.judgement(|action| NamedAction::new(opened.game.rules(), action).label);
    let verdict = chosen.map(|answer| answer.verdict(judgement.as_ref()));
    let hint = Suggestions::new(opened.game.rules(), hint, &advisor);
    let of_solution = hint.actions.into_iter().find(|row| row.action == solution.notation);
    Ok(SolutionView {
        is_right: verdict.as_ref().is_some_and(|(is_right, _)| *is_right),
        verdict: verdict.map(|(_, text)| text),
        action: solution.notation.clone(),
        label: solution.label.clone(),
        why: of_solution.and_then(|row| row.reason),
    })
}

/// Returns the game of a puzzle, and its position and actions.
fn posed<'a>(
    games: &OpenGames,
    line: &'a PuzzleLine,
    step: usize,
) -> Result<(Arc<OpenedGame>, Posed<'a>), Problem> {
    let opened = games.open(RecordedRules::from(line))?;
    let posed = opened.game.pose(line, step)?;
    Ok((opened, posed))
}
