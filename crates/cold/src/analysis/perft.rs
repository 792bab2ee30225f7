//! Counting sequences of decisions, with sampled chance.

use crate::{
    game::{ActionSet, Game, Notation, Turn},
    rng::ChanceStreams,
};
use rayon::prelude::*;

/// Counts of the sequences of a number of decisions from the start of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequences {
    /// All sequences; [`u64::MAX`] also stands for more.
    pub total: u64,
    /// The sequences by the notation of their first action.
    pub by_first_action: Vec<(String, u64)>,
}

/// Counts the sequences of `depth` decisions, at least 1, on the threads of the current pool.
/// A sequence that ends the game earlier counts once. Chance is drawn from the streams of the seed
/// along each line of play.
pub fn count_sequences<G: Notation>(game: &G, seed: u64, depth: u32) -> Sequences {
    let mut chance = ChanceStreams::new(seed, 0, game.chance_sources().len());
    let mut start = game.initial();
    if skip_chance(game, &mut start, &mut chance) == Turn::Over {
        return Sequences { total: 1, by_first_action: Vec::new() };
    }
    let actions: Vec<_> = game.legal_actions(&start).iter().collect();
    let count = |&action: &G::Action| {
        let mut after = start;
        game.apply(&mut after, action);
        (game.action_text(action), count_from(game, &after, &chance, depth - 1))
    };
    let by_first_action: Vec<_> = actions.par_iter().map(count).collect();
    let counts = by_first_action.iter().map(|(_, count)| *count);
    Sequences { total: counts.fold(0, u64::saturating_add), by_first_action }
}

/// Draws chance outcomes until a seat decides or the game ends.
fn skip_chance<G: Game>(game: &G, state: &mut G::State, chance: &mut ChanceStreams) -> Turn {
    loop {
        match game.turn(state) {
            Turn::Chance(source) => {
                let outcome = game.draw_chance(state, source, chance);
                game.apply(state, outcome);
            }
            turn => return turn,
        }
    }
}

fn count_from<G: Game>(game: &G, state: &G::State, chance: &ChanceStreams, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut state, mut chance) = (*state, chance.clone());
    if skip_chance(game, &mut state, &mut chance) == Turn::Over {
        return 1;
    }
    let legal = game.legal_actions(&state);
    if depth == 1 {
        return legal.len() as u64;
    }
    let after = |action| {
        let mut after = state;
        game.apply(&mut after, action);
        count_from(game, &after, &chance, depth - 1)
    };
    legal.iter().map(after).fold(0, u64::saturating_add)
}
