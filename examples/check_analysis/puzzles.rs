//! Puzzles of a file, solved again.

use std::{fs, path::Path};

use rayon::prelude::*;
use serde::Deserialize;
use watershed::BuiltInGame;
use watershed::{
    analysis::successors::Successors,
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

/// A puzzle, as `puzzles find` writes it.
#[derive(Deserialize)]
struct Puzzle {
    players: usize,
    position: String,
    seat: usize,
    solution: Vec<String>,
    wrong: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    actions: Vec<String>,
}

/// Solves the first puzzles of a file of The River by searches after all answers. Returns true if
/// enough of them keep their solution.
pub(crate) fn check(file: &Path, count: usize) -> Fallible<bool> {
    let text = fs::read_to_string(file)?;
    let puzzles = text.lines().take(count).map(serde_json::from_str);
    let puzzles: Vec<Puzzle> = puzzles.collect::<Result<_, _>>()?;
    let kept: Vec<_> = puzzles.par_iter().map(keeps_solution).collect::<Fallible<_>>()?;
    let mut rate = Ratio::default();
    for (puzzle, (number, &kept)) in puzzles.iter().zip((1..).zip(&kept)) {
        rate.add_block(1, kept.into());
        if !kept {
            println!("puzzle {number}: another action than {} is better", puzzle.solution[0]);
        }
    }
    let rate = rate.rate(1);
    println!("{} % of {} puzzles keep their solution", percent(rate), rate.n);
    Ok(rate.value >= MARK)
}

/// Returns true if no other action wins more than the solution.
fn keeps_solution(puzzle: &Puzzle) -> Fallible<bool> {
    let game = TheRiver::bind(&TheRiver::default_document(), puzzle.players)?;
    let bot = game.bot_library().read(&format!("mcts:iterations={ITERATIONS}"))?;
    let seat = Seat::new(puzzle.seat);
    let state = game.parse_view(&puzzle.position)?;
    let texts = [&puzzle.solution[0]].into_iter();
    let texts = texts.chain(puzzle.wrong.iter().map(|answer| &answer.actions[0]));
    let actions: Vec<_> = texts.map(|text| game.parse_action(text)).collect::<Result<_, _>>()?;
    let successors = Successors { game: &game, state: &state, seat, bot: &bot, seed: 2807 };
    let chances = successors.search(&actions, 0..SAMPLES);
    Ok(chances[1..].iter().all(|after| after.of(seat) < chances[0].of(seat)))
}
