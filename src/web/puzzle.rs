//! Puzzles: their positions, and the answers to them.
//!
//! The page keeps the lines of the file and sends the one that it shows, so nothing is kept here.

use std::collections::BTreeSet;

use super::{
    answer::{ActionView, Problem, PuzzleView, SolutionView},
    open,
    view::draw,
};
use crate::{
    analysis::puzzle::line::{Posed, PuzzleLine},
    bots::profile::BotLibrary,
    games::{GameDefinition, GameList, GameTask},
};

/// Describes the position of a puzzle and its answers, without the solution.
pub(super) fn pose<L: GameList>(line: &str) -> Result<PuzzleView, Problem> {
    let line = read(line)?;
    let document = open::built_in_rules::<L>(&line.game, &line.config_sha256)?;
    open::bind::<L, _>(&line.game, &document, line.players, PoseTask { line: &line })?
}

/// Judges an answer; without one, names the solution only.
pub(super) fn solve<L: GameList>(
    line: &str,
    answer: Option<usize>,
) -> Result<SolutionView, Problem> {
    let line = read(line)?;
    let document = open::built_in_rules::<L>(&line.game, &line.config_sha256)?;
    open::bind::<L, _>(&line.game, &document, line.players, SolveTask { line: &line, answer })?
}

fn read(line: &str) -> Result<PuzzleLine, Problem> {
    PuzzleLine::parse(line).map_err(Problem::invalid)
}

struct PoseTask<'a> {
    line: &'a PuzzleLine,
}

impl GameTask for PoseTask<'_> {
    type Output = Result<PuzzleView, Problem>;

    fn run<G: GameDefinition>(self, game: &G, _: &BotLibrary<G>) -> Self::Output {
        let PuzzleLine { provenance, index, event, policies, .. } = self.line;
        let posed = Posed::read(game, self.line).map_err(Problem::invalid)?;
        let scene = game.scene(&posed.state, Some(posed.seat));
        let cells: BTreeSet<&str> = scene.ids().collect();
        let actions = posed.answers(game).into_iter().map(|answer| {
            let of_answer = answer.actions.iter();
            let of_answer = of_answer.flat_map(|&action| game.action_cells(&posed.state, action));
            let of_answer: BTreeSet<_> = of_answer.filter(|cell| cells.contains(&**cell)).collect();
            ActionView {
                notation: game.action_text(answer.actions[0]),
                label: answer.label,
                cells: of_answer.into_iter().collect(),
            }
        });
        let [policy, second] = policies;
        Ok(PuzzleView {
            title: G::TITLE.to_owned(),
            players: game.seats(),
            heading: scene.title.clone(),
            question: posed.question(),
            about: format!(
                "Game {index}, event {event}. Losses are differences of win shares between \
                 rollouts of {policy} on the same chance, with 95 % intervals; rollouts of \
                 {second} confirm the solution. Data: {provenance}."
            ),
            actions: actions.collect(),
            board: draw(&scene),
        })
    }
}

struct SolveTask<'a> {
    line: &'a PuzzleLine,
    answer: Option<usize>,
}

impl GameTask for SolveTask<'_> {
    type Output = Result<SolutionView, Problem>;

    fn run<G: GameDefinition>(self, game: &G, _: &BotLibrary<G>) -> Self::Output {
        let posed = Posed::read(game, self.line).map_err(Problem::invalid)?;
        let answers = posed.answers(game);
        let solution = answers.iter().position(|answer| answer.refutation.is_none());
        let solution = solution.ok_or_else(|| Problem::invalid("the puzzle has no solution"))?;
        let chosen = match self.answer {
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
            is_right: self.answer == Some(solution),
            solution,
            label: answers[solution].label.clone(),
        })
    }
}
