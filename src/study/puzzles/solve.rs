//! Solving puzzles in the terminal, in plain lines.

use std::io::IsTerminal as _;

use super::{
    arguments::SolveArguments,
    file::{pose, read, select_game},
};
use crate::{
    analysis::{
        hint::{Advisor, HINT_BOT},
        named::NamedAction,
        puzzle::line::{PuzzleAnswer, PuzzleLine},
        watch::AnalysisWatch,
    },
    report::terminal::is_stdout_closed,
    run::lines::read_entered,
    study::shared::prelude::*,
};

pub(super) fn run(games: GameList, arguments: &SolveArguments) -> anyhow::Result<ExitStatus> {
    let puzzles = read(&arguments.file)?;
    let selection = select_game(games, &puzzles[0], arguments.config.as_deref(), &arguments.file)?;
    let first = usize::try_from(arguments.first).unwrap_or(usize::MAX) - 1;
    ensure!(first < puzzles.len(), "--first: expected 1 to {}", puzzles.len());
    solve(&selection.open()?, &puzzles, first)
}

/// Poses the puzzles from the one with this index.
fn solve(game: &BoundGame, puzzles: &[PuzzleLine], first: usize) -> anyhow::Result<ExitStatus> {
    let posed = pose(game, puzzles)?;
    let advisor = Advisor::read(game.library(), HINT_BOT)?;
    let watch = AnalysisWatch::new(None);
    let (mut solved, mut answered) = (0, 0);
    let mut input = Input { is_echoed: !io::stdin().is_terminal() };
    'puzzles: for (index, posed) in posed.iter().enumerate().skip(first) {
        print(&format!(
            "Puzzle {} of {}\n\n{}\n",
            index + 1,
            puzzles.len(),
            posed.scene.text(TEXT_WIDTH)
        ));
        let answers = &posed.answers;
        for (number, answer) in (1..).zip(answers) {
            print(&paragraph(&format!("{number:>3}  {}", answer.action.label)));
        }
        print(&format!("\n{}", paragraph(&posed.question())));
        loop {
            let Some(line) = input.read()? else { break 'puzzles };
            match line.as_str() {
                "q" => break 'puzzles,
                "s" => {
                    answered += 1;
                    print(&solution(answers));
                    break;
                }
                number => {
                    let chosen: Option<usize> = number.parse().ok();
                    let chosen = chosen.and_then(|number| answers.get(number.checked_sub(1)?));
                    let Some(chosen) = chosen else {
                        print(&format!("Expected 1 to {}, s or q.\n", answers.len()));
                        continue;
                    };
                    answered += 1;
                    let answer = Some(&*chosen.action.notation);
                    let hint = game.judge_answer(posed.line, answer, &advisor, &watch)?;
                    let judgement = hint.and_then(|hint| {
                        hint.judgement(|action| NamedAction::new(game.rules(), action).label)
                    });
                    let (is_right, verdict) = chosen.verdict(judgement.as_ref());
                    solved += usize::from(is_right);
                    print(&paragraph(&verdict));
                    if !is_right {
                        print(&solution(answers));
                    }
                    break;
                }
            }
        }
        if index + 1 < puzzles.len() {
            print("Enter for the next puzzle, q to quit.\n");
            match input.read()?.as_deref() {
                None | Some("q") => break,
                Some(_) => {}
            }
        }
    }
    print(&format!("{solved} of {answered} solved.\n"));
    Ok(ExitStatus::Success)
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
