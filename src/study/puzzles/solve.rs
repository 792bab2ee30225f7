//! Solving puzzles in the terminal, in plain lines.

use std::{collections::btree_map, io::IsTerminal as _};

use super::{arguments::SolveArguments, file::read};
use crate::{
    analysis::{
        hint::{Advisor, HINT_BOT},
        named::NamedAction,
        puzzle::{
            line::{PuzzleAnswer, PuzzleLine},
            rating::of_results,
        },
        watch::AnalysisWatch,
    },
    report::terminal::is_stdout_closed,
    run::lines::read_entered,
    study::shared::prelude::*,
};

pub(super) fn run(games: GameList, arguments: &SolveArguments) -> anyhow::Result<ExitStatus> {
    let puzzles = read(&arguments.file)?;
    let first = usize::try_from(arguments.first).unwrap_or(usize::MAX) - 1;
    ensure!(first < puzzles.len(), "--first: expected 1 to {}", puzzles.len());
    let file = arguments.file.display().to_string();
    let mut opened: BTreeMap<usize, (BoundGame, Advisor)> = BTreeMap::new();
    for line in &puzzles {
        if let btree_map::Entry::Vacant(entry) = opened.entry(line.players) {
            let rules = RecordedRules::from(line);
            let game = rules.select(games, arguments.config.as_deref(), &file)?.open()?;
            let advisor = Advisor::read(game.library(), HINT_BOT)?;
            entry.insert((game, advisor));
        }
        let game = &opened[&line.players].0;
        for step in 0..line.steps.len() {
            game.pose(line, step).map_err(anyhow::Error::msg)?;
        }
    }
    let mut input = Input { is_echoed: !io::stdin().is_terminal() };
    let mut results = Vec::new();
    for (index, line) in puzzles.iter().enumerate().skip(first) {
        print(&format!("Puzzle {} of {}, rating {:.0}\n", index + 1, puzzles.len(), line.rating));
        let (game, advisor) = &opened[&line.players];
        let Some(is_solved) = solve(game, advisor, line, &mut input)? else { break };
        results.push((line.rating, is_solved));
        if index + 1 < puzzles.len() {
            print("Enter for the next puzzle, q to quit.\n");
            match input.read()?.as_deref() {
                None | Some("q") => break,
                Some(_) => {}
            }
        }
    }
    let solved = results.iter().filter(|(_, is_solved)| *is_solved).count();
    print(&format!("{solved} of {} solved.", results.len()));
    if !results.is_empty() {
        print(&format!(" You solved as a player with the rating {:.0}.", of_results(&results)));
    }
    print("\n");
    Ok(ExitStatus::Success)
}

/// Poses the decisions of a puzzle up to the first wrong answer. Returns true if all are right;
/// `None` at the end of the input.
fn solve(
    game: &BoundGame,
    advisor: &Advisor,
    line: &PuzzleLine,
    input: &mut Input,
) -> anyhow::Result<Option<bool>> {
    let watch = AnalysisWatch::new(None);
    for step in 0..line.steps.len() {
        let posed = game.pose(line, step).map_err(anyhow::Error::msg)?;
        print(&format!("\n{}\n", posed.scene.text(TEXT_WIDTH)));
        let answers = &posed.answers;
        for (number, answer) in (1..).zip(answers) {
            print(&paragraph(&format!("{number:>3}  {}", answer.action.label)));
        }
        print(&format!("\n{}", paragraph(&posed.question())));
        let chosen = loop {
            let Some(text) = input.read()? else { return Ok(None) };
            let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            match (text.as_str(), number.and_then(|number| answers.get(number))) {
                ("q", _) => return Ok(None),
                ("s", _) => break None,
                (_, Some(chosen)) => break Some(chosen),
                _ => print(&format!("Expected 1 to {}, s or q.\n", answers.len())),
            }
        };
        let Some(chosen) = chosen else {
            print(&solution(answers));
            return Ok(Some(false));
        };
        let answer = Some(&*chosen.action.notation);
        let hint = game.judge_answer(&posed, answer, advisor, &watch)?;
        let judgement = hint
            .and_then(|hint| hint.judgement(|action| NamedAction::new(game.rules(), action).label));
        let (is_right, verdict) = chosen.verdict(judgement.as_ref());
        print(&paragraph(&verdict));
        if !is_right {
            print(&solution(answers));
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Lines of standard input, which are printed if it is not a terminal.
struct Input {
    is_echoed: bool,
}

impl Input {
    /// Returns the next line; `None` at the end of the input, or if nobody reads the output.
    fn read(&mut self) -> anyhow::Result<Option<String>> {
        print("> ");
        if is_stdout_closed() {
            return Ok(None);
        }
        let line = read_entered(&mut io::stdin().lock())?;
        match &line {
            None => print("\n"),
            Some(line) if self.is_echoed => print(&format!("{line}\n")),
            Some(_) => {}
        }
        Ok(line)
    }
}

fn solution(answers: &[PuzzleAnswer]) -> String {
    let solution = answers.iter().find(|answer| answer.is_solution);
    paragraph(&format!("Solution: {}.", solution.map_or("", |answer| &answer.action.label)))
}
