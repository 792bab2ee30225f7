//! Puzzles of a file, solved again.

use std::{fs, path::Path};

use rayon::prelude::*;
use serde::Deserialize;
use watershed::BuiltInGame;
use watershed::{
    analysis::rollout::{Rollouts, difference},
    game::{Notation as _, Seat},
    games::{GameDefinition as _, the_river::TheRiver},
    stats::ratio::Ratio,
};

use crate::{Fallible, percent};

/// Rollouts of all answers.
const ALL: u64 = 2000;
/// Rollouts of the solution and of the answers that come nearest to it: ten times those of
/// `puzzles find`.
const MANY: u64 = 20_000;
/// Number of answers that get many rollouts.
const CLOSE: usize = 2;
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

/// Solves the first puzzles of a file of The River by rollouts with another seed. Returns true if
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
    let policy = game.bot_library().read("expert")?;
    let seat = Seat::new(puzzle.seat);
    let state = game.parse_view(&puzzle.position)?;
    let rollouts = Rollouts { game: &game, state: &state, seat, policy: &policy, seed: 2807 };
    let texts = [&puzzle.solution[0]].into_iter();
    let texts = texts.chain(puzzle.wrong.iter().map(|answer| &answer.actions[0]));
    let actions: Vec<_> = texts.map(|text| game.parse_action(text)).collect::<Result<_, _>>()?;
    let results = rollouts.play(&actions, 0..ALL);
    let mut losses: Vec<_> = actions
        .iter()
        .zip(&results)
        .skip(1)
        .map(|(&action, result)| (difference(&results[0], result, seat).value, action))
        .collect();
    losses.sort_by(|one, other| one.0.total_cmp(&other.0));
    let close = losses.iter().take(CLOSE).map(|&(_, action)| action);
    let played: Vec<_> = [actions[0]].into_iter().chain(close).collect();
    let results = rollouts.play(&played, ALL..ALL + MANY);
    Ok(results[1..].iter().all(|result| difference(&results[0], result, seat).value > 0.0))
}
