//! Puzzles: decisions with one clearly best action that is not the obvious one, alone or as the
//! first of a series.
//!
//! A quick search proposes the solution, and searches after all answers exclude those to which no
//! answer loses enough. Deeper searches after the solution and after the answers that come nearest
//! to it decide, as for hints. After the solution, the quick search plays on in all seats; if the
//! next decision of the seat has one best action, too, the puzzle is a series.

pub mod line;
pub mod rating;

use super::{
    judge::MIN_VISITS,
    searched_position::{SearchedAction, SearchedPosition},
    successors::Successors,
};
use crate::{
    bots::{BotFactory, View},
    game::{ActionSet as _, FullGame, Seat, Turn},
    rng::{ChanceStreams, Purpose, stream},
};

/// Smallest number of actions that lead to different positions, in the first decision.
const MIN_ANSWERS: usize = 4;
/// Smallest number of such actions in later decisions of a series.
const MIN_LATER_ANSWERS: usize = 3;
/// Win chances of the first solution between which a position is open enough.
const CHANCES: std::ops::RangeInclusive<f64> = 0.15..=0.85;
/// Share of the margin by which later solutions are better.
const LATER_MARGIN: f64 = 0.5;
/// Samples of the quick searches after all answers.
const QUICK_SAMPLES: u64 = 2;
/// Samples of the deep searches after the solution and the close answers.
const DEEP_SAMPLES: u64 = 4;
/// Number of wrong answers that are searched deeply.
const CLOSE_ANSWERS: usize = 3;
/// Maximum number of decisions of a series.
const MAX_STEPS: usize = 3;
/// Number of times that each bot of a panel answers.
const TRIALS: u64 = 4;

/// The bots and the criteria of puzzles.
#[derive(Debug)]
pub struct PuzzleFinder<'a> {
    /// The bot that proposes the solution by search.
    pub search: &'a BotFactory,
    /// The bot whose searches decide.
    pub judge: &'a BotFactory,
    /// The bot whose choice is the obvious one, which is not the first solution.
    pub obvious: &'a BotFactory,
    /// The bots whose answers rate a puzzle, with their ratings.
    pub panel: &'a [(BotFactory, f64)],
    /// Smallest loss of win chance by every wrong answer.
    pub margin: f64,
    /// The seed.
    pub seed: u64,
}

/// An event, with the seat that decided; `None` for chance.
pub type PuzzleEvent<A> = (Option<Seat>, A);

/// A decision with one best action.
#[derive(Clone, Debug)]
pub struct Puzzle<S, A> {
    /// The position.
    pub state: S,
    /// The events since the decision before it; empty for the first decision.
    pub events: Vec<PuzzleEvent<A>>,
    /// The best action, and others that lead to the same position.
    pub solution: Vec<A>,
    /// Win chance after the solution.
    pub chance: f64,
    /// Win chance that the next best answer loses.
    pub lead: f64,
    /// The other actions, those that lead to the same position together.
    pub wrong: Vec<Vec<A>>,
}

impl PuzzleFinder<'_> {
    /// Returns the puzzle of a position in which a seat decides, as the decisions of a series of at
    /// least one; `None` if the position is not suited, or if the solution is not wanted.
    pub fn examine<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        is_wanted: impl Fn(G::Action) -> bool,
    ) -> Option<Vec<Puzzle<G::State, G::Action>>> {
        let obvious = self.choice(self.obvious, game, state, seat, 0);
        let is_first =
            |solution: &[G::Action]| !solution.contains(&obvious) && is_wanted(solution[0]);
        let mut steps = vec![self.step(game, state, seat, self.margin, is_first)?];
        while steps.len() < MAX_STEPS {
            let last = &steps[steps.len() - 1];
            let mut events = Vec::new();
            let later = self.play_on(game, last.state, last.solution[0], seat, &mut events);
            let Some(state) = later else { break };
            let margin = LATER_MARGIN * self.margin;
            let Some(step) = self.step(game, &state, seat, margin, |_| true) else { break };
            steps.push(Puzzle { events, ..step });
        }
        Some(steps)
    }

    /// Returns a decision with one best action if `is_suited` is true for the solution.
    fn step<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        margin: f64,
        is_suited: impl Fn(&[G::Action]) -> bool,
    ) -> Option<Puzzle<G::State, G::Action>> {
        let is_first = margin >= self.margin;
        let is_open = |chance: f64| !is_first || CHANCES.contains(&chance);
        let mut answers = distinct_actions(game, state);
        if answers.len() < if is_first { MIN_ANSWERS } else { MIN_LATER_ANSWERS } {
            return None;
        }
        let searched = SearchedPosition::search(self.search, game, state, seat, self.seed);
        let best = answers.iter().position(|actions| actions.contains(&searched.chosen()))?;
        let chance = searched.chances()[seat.index()];
        // A loss of half the margin is still possible by chance.
        let is_close = |one: &SearchedAction<G::Action>| {
            one.visits >= MIN_VISITS
                && !answers[best].contains(&one.action)
                && one.chances.is_some_and(|other| chance - other[seat.index()] < margin / 2.0)
        };
        if !is_open(chance) || searched.actions.iter().any(is_close) || !is_suited(&answers[best]) {
            return None;
        }
        let solution = answers.remove(best);
        let first = |answers: &[Vec<G::Action>]| -> Vec<_> {
            [&solution].into_iter().chain(answers).map(|actions| actions[0]).collect()
        };
        let quick = Successors { game, state, seat, bot: self.search, seed: self.seed };
        let chances = quick.search(&first(&answers), 0..QUICK_SAMPLES);
        let mut wrong: Vec<_> = answers
            .into_iter()
            .zip(&chances[1..])
            .map(|(actions, after)| (after.of(seat), actions))
            .collect();
        wrong.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        if wrong[0].0 > chances[0].of(seat) - margin / 2.0 {
            return None;
        }
        let wrong: Vec<_> = wrong.into_iter().map(|(_, actions)| actions).collect();
        let deep = Successors { bot: self.judge, ..quick };
        let close = &wrong[..CLOSE_ANSWERS.min(wrong.len())];
        let chances = deep.search(&first(close), 0..DEEP_SAMPLES);
        let chance = chances[0].of(seat);
        let second = chances[1..].iter().map(|after| after.of(seat)).fold(0.0, f64::max);
        let lead = chance - second;
        (lead >= margin && is_open(chance)).then(|| Puzzle {
            state: *state,
            events: Vec::new(),
            solution,
            chance,
            lead,
            wrong,
        })
    }

    /// Plays a solution and on to the next decision of the seat, and adds the events between them;
    /// `None` if the game ends before.
    fn play_on<G: FullGame>(
        &self,
        game: &G,
        mut state: G::State,
        solution: G::Action,
        seat: Seat,
        events: &mut Vec<PuzzleEvent<G::Action>>,
    ) -> Option<G::State> {
        let mut chance = ChanceStreams::new(self.seed, 0, game.chance_sources().len());
        game.apply(&mut state, solution);
        loop {
            let (decider, action) = match game.turn(&state) {
                Turn::Over => return None,
                Turn::Chance(source) => (None, game.draw_chance(&state, source, &mut chance)),
                Turn::Seat(decider) => {
                    let legal = game.legal_actions(&state);
                    let action = match legal.len() {
                        1 => legal.nth(0),
                        _ if decider == seat => return Some(state),
                        _ => self.choice(self.search, game, &state, decider, 0),
                    };
                    (Some(decider), action)
                }
            };
            events.push((decider, action));
            game.apply(&mut state, action);
        }
    }

    /// Returns the rating of a puzzle by the answers of the panel.
    pub fn rating<G: FullGame>(
        &self,
        game: &G,
        seat: Seat,
        steps: &[Puzzle<G::State, G::Action>],
    ) -> f64 {
        let mut results = Vec::new();
        for (bot, rating) in self.panel {
            for trial in 0..TRIALS {
                let is_solved = steps.iter().all(|step| {
                    step.solution.contains(&self.choice(bot, game, &step.state, seat, trial))
                });
                results.push((*rating, !is_solved));
            }
        }
        rating::of_results(&results)
    }

    fn choice<G: FullGame>(
        &self,
        bot: &BotFactory,
        game: &G,
        state: &G::State,
        seat: Seat,
        trial: u64,
    ) -> G::Action {
        let mut bot = bot.build();
        bot.reset();
        let mut rng = stream(self.seed, trial, 0, Purpose::Bot(seat.index() as u8));
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
