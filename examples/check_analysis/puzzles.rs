//! Puzzles of a file, solved again.

use std::{fs, path::Path};

use rayon::prelude::*;
use watershed::BuiltInGame;
use watershed::{
    analysis::{puzzle::line::PuzzleLine, successors::Successors},
    game::{Notation as _, Seat},
    games::{GameDefinition as _, the_river::TheRiver},
    stats::ratio::Ratio,
};

use crate::{Fallible, percent};

/// Iterations of the search after each answer.
const ITERATIONS: u32 = 10_000;
/// Samples of these searches.
const SAMPLES: u64 = 4;
/// Share of the puzzles that keep their solution.
const MARK: f64 = 0.97;

/// Solves the first puzzles of a file of The River by searches after all answers. Returns true if
/// enough of them keep their solution.
pub(crate) fn check(file: &Path, count: usize) -> Fallible<bool> {
    let text = fs::read_to_string(file)?;
    let puzzles = text.lines().take(count).map(PuzzleLine::parse);
    let puzzles: Vec<_> = puzzles.collect::<Result<_, _>>()?;
    let kept: Vec<_> = puzzles.par_iter().map(keeps_solution).collect::<Fallible<_>>()?;
    let mut rate = Ratio::default();
    for (puzzle, (number, &kept)) in puzzles.iter().zip((1..).zip(&kept)) {
        rate.add_block(1, kept.into());
        if !kept {
            println!(
                "puzzle {number}: another action than {} is better",
                puzzle.steps[0].solution[0]
            );
        }
    }
    let rate = rate.rate(1);
    println!("{} % of {} puzzles keep their solution", percent(rate), rate.n);
    Ok(rate.value >= MARK)
}

/// Returns true if no other action wins more than the solution.
fn keeps_solution(puzzle: &PuzzleLine) -> Fallible<bool> {
    let game = TheRiver::bind(&TheRiver::default_document(), puzzle.players)?;
    let bot = game.bot_library().read(&format!("mcts:iterations={ITERATIONS}"))?;
    let seat = Seat::new(puzzle.seat);
    let step = &puzzle.steps[0];
    let state = game.parse_view(&step.position)?;
    let texts = [&step.solution[0]].into_iter();
    let texts = texts.chain(step.wrong.iter().map(|actions| &actions[0]));
    let actions: Vec<_> = texts.map(|text| game.parse_action(text)).collect::<Result<_, _>>()?;
    let successors = Successors { game: &game, state: &state, seat, bot: &bot, seed: 2807 };
    let chances = successors.search(&actions, 0..SAMPLES);
    Ok(chances[1..].iter().all(|after| after.of(seat) < chances[0].of(seat)))
}
