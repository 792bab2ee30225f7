//! Puzzles: positions with one clearly best action that is not the obvious one.
//!
//! A search proposes the solution. Rollouts compare it with all other actions; blocks that select
//! are not those that estimate, and a second bot plays rollouts of its own to confirm it. Searches
//! after the solution and after the answers that come nearest to it decide.

pub mod line;

use super::{
    judge::{CLOSE, MIN_VISITS},
    reason::{ScoreReason, score_reasons},
    rollout::{ActionRollouts, Rollouts, difference},
    searched_position::{SearchedAction, SearchedPosition},
    successors::{ChancesAfter, Successors},
};
use crate::{
    bots::{BotFactory, View},
    game::{ActionSet as _, FullGame, Seat},
    rng::{Purpose, stream},
    stats::{paired::Effect, ratio::Estimate},
};

/// Smallest number of actions that lead to different positions.
const MIN_ANSWERS: usize = 4;
/// Win chances of the solution between which a position is open enough.
const CHANCES: std::ops::RangeInclusive<f64> = 0.15..=0.85;
/// Blocks that reject most positions.
const SCREENING: u64 = 80;
/// Share of the blocks of the estimates that every answer gets; the best ones get all.
const COMMON_SHARE: u64 = 5;
/// Samples of the searches after the solution and the close answers.
const SEARCHES: u64 = 4;
/// Number of wrong answers that are compared with all blocks, and by the second bot.
const CLOSE_ANSWERS: usize = 3;

/// The bots and the criteria of puzzles.
#[derive(Debug)]
pub struct PuzzleFinder<'a> {
    /// The bot that proposes the solution by search.
    pub search: &'a BotFactory,
    /// The bot that plays the rollouts.
    pub policy: &'a BotFactory,
    /// The bot that plays the rollouts which confirm the solution.
    pub second: &'a BotFactory,
    /// The bot whose choice is the obvious one, which is not the solution.
    pub obvious: &'a BotFactory,
    /// Smallest loss of win share by every wrong answer: the whole interval is beyond it.
    pub margin: f64,
    /// Number of blocks of the estimates.
    pub rollouts: u64,
    /// The seed.
    pub seed: u64,
}

/// A position with one best action.
#[derive(Clone, Debug)]
pub struct Puzzle<A> {
    /// The seat that decides.
    pub seat: Seat,
    /// The best action, and others that lead to the same position.
    pub solution: Vec<A>,
    /// Win share after the solution, by the rollouts.
    pub win: Estimate,
    /// The other actions, the best of them first.
    pub wrong: Vec<WrongAnswer<A>>,
}

/// An action that is not the solution.
#[derive(Clone, Debug)]
pub struct WrongAnswer<A> {
    /// The action, and others that lead to the same position.
    pub actions: Vec<A>,
    /// Win share less that of the solution, in the same blocks.
    pub difference: Effect,
    /// Parts of the final scores that differ significantly from those after the solution.
    pub reasons: Vec<ScoreReason>,
}

impl PuzzleFinder<'_> {
    /// Returns the puzzle of a position in which a seat decides; `None` if the position is not
    /// suited.
    pub fn examine<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
    ) -> Option<Puzzle<G::Action>> {
        let answers = distinct_actions(game, state);
        if answers.len() < MIN_ANSWERS {
            return None;
        }
        let index_of = |action| answers.iter().position(|actions| actions.contains(&action));
        let obvious = index_of(self.obvious_choice(game, state, seat))?;
        let searched = SearchedPosition::search(self.search, game, state, seat, self.seed);
        let best = index_of(searched.chosen()).filter(|&best| best != obvious)?;
        let chance = searched.chances()[seat.index()];
        // A loss at half the margin is still possible by chance, in the search and in the
        // screening.
        let is_close = |judged: &SearchedAction<G::Action>| {
            judged.visits >= MIN_VISITS
                && index_of(judged.action) != Some(best)
                && judged
                    .chances
                    .is_some_and(|other| chance - other[seat.index()] < self.margin / 2.0)
        };
        if !CHANCES.contains(&chance) || searched.actions.iter().any(is_close) {
            return None;
        }

        // The solution first.
        let mut order: Vec<usize> = (0..answers.len()).collect();
        order.swap(0, best);
        let actions =
            |order: &[usize]| order.iter().map(|&index| answers[index][0]).collect::<Vec<_>>();
        let rollouts = Rollouts { game, state, seat, policy: self.policy, seed: self.seed };
        let screened = rollouts.play(&actions(&order), 0..SCREENING);
        let loss = |result: &ActionRollouts| -difference(result, &screened[0], seat).value;
        if screened[1..].iter().any(|result| loss(result) < self.margin / 2.0) {
            return None;
        }
        let common = SCREENING..SCREENING + self.rollouts.div_ceil(COMMON_SHARE);
        let results = rollouts.play(&actions(&order), common.clone());
        let mut wrong: Vec<_> = order[1..]
            .iter()
            .zip(&results[1..])
            .map(|(&index, result)| wrong_answer(&answers[index], result, &results[0], seat))
            .collect();
        wrong.sort_by(|one, other| other.difference.value.total_cmp(&one.difference.value));

        // Fresh blocks estimate the answers that come nearest to the solution.
        let close: Vec<_> =
            wrong.iter().take(CLOSE_ANSWERS).map(|answer| answer.actions[0]).collect();
        let played: Vec<_> = [answers[best][0]].into_iter().chain(close).collect();
        let fresh = rollouts.play(&played, common.end..common.end + self.rollouts);
        for (answer, result) in wrong.iter_mut().zip(&fresh[1..]) {
            *answer = wrong_answer(&answer.actions, result, &fresh[0], seat);
        }
        let is_beyond = |answer: &WrongAnswer<_>| answer.difference.estimate().high <= -self.margin;
        if !wrong.iter().take(CLOSE_ANSWERS).all(is_beyond)
            || wrong.iter().any(|answer| answer.difference.estimate().high >= 0.0)
        {
            return None;
        }
        // The second bot and the search confirm that the solution is best, though not by how much.
        let second = Rollouts { policy: self.second, ..rollouts };
        let confirmed = second.play(&played, 0..self.rollouts);
        let is_worse = |result| difference(result, &confirmed[0], seat).estimate().high < 0.0;
        let successors = Successors { game, state, seat, bot: self.search, seed: self.seed };
        let chances = successors.search(&played, 0..SEARCHES);
        let is_behind = |after: &ChancesAfter| after.of(seat) < chances[0].of(seat) - CLOSE;
        let is_confirmed =
            confirmed[1..].iter().all(is_worse) && chances[1..].iter().all(is_behind);
        is_confirmed.then(|| Puzzle {
            seat,
            solution: answers[best].clone(),
            win: fresh[0].win_share(seat),
            wrong,
        })
    }

    fn obvious_choice<G: FullGame>(&self, game: &G, state: &G::State, seat: Seat) -> G::Action {
        let mut bot = self.obvious.build();
        bot.reset();
        let mut rng = stream(self.seed, 0, 0, Purpose::Bot(seat.index() as u8));
        bot.choose(&View::new(game, state, seat), &game.legal_actions(state), &mut rng)
    }
}

/// Returns the legal actions; those that lead to the same position are together.
fn distinct_actions<G: FullGame>(game: &G, state: &G::State) -> Vec<Vec<G::Action>> {
    let mut positions = Vec::new();
    let mut answers: Vec<Vec<G::Action>> = Vec::new();
    for action in game.legal_actions(state).iter() {
        let mut after = *state;
        game.apply(&mut after, action);
        if let Some(known) = positions.iter().position(|&position| position == after) {
            answers[known].push(action);
        } else {
            positions.push(after);
            answers.push(vec![action]);
        }
    }
    answers
}

fn wrong_answer<A: Copy>(
    actions: &[A],
    result: &ActionRollouts,
    best: &ActionRollouts,
    seat: Seat,
) -> WrongAnswer<A> {
    WrongAnswer {
        actions: actions.to_vec(),
        difference: difference(result, best, seat),
        reasons: score_reasons(result, best),
    }
}
