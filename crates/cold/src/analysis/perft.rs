//! Counting sequences, with sampled or enumerated chance.

use std::{
    ops::AddAssign,
    time::{Duration, Instant},
};

use crate::{
    game::{ActionSet, Game, Notation, Turn},
    rng::ChanceStreams,
};
use rayon::prelude::*;

/// The chance outcomes that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChanceTreatment {
    /// The seed of the chance streams.
    pub seed: u64,
    /// True if all chance outcomes are enumerated with their probabilities.
    pub all_chance: bool,
    /// True if the outcomes before the first decision are sampled nevertheless.
    pub sample_setup: bool,
    /// Maximum number of enumerated positions.
    pub max_positions: u64,
}

/// The reason for which sequences cannot be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooMany {
    /// There are more positions than [`ChanceTreatment::max_positions`].
    #[error("more positions than the maximum")]
    Positions,
    /// There are 2^64 sequences or more.
    #[error("2^64 sequences or more")]
    Sequences,
}

/// Counts of the sequences from the start of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Sequences {
    /// The counts of 1, 2, 3, … decisions.
    pub by_depth: Vec<SequenceCount>,
    /// Sequences of the greatest length by the notation of their first action.
    pub first_actions: Vec<(String, u64)>,
    /// Time in which the longest sequences were counted.
    pub duration: Duration,
}

/// Counts the sequences of up to `depth` decisions, on the threads of the current pool.
///
/// # Errors
/// If there are too many positions or sequences.
pub fn count_sequences<G: Notation>(
    game: &G,
    chance: &ChanceTreatment,
    depth: u32,
) -> Result<Sequences, TooMany> {
    let mut counter = SequenceCounter::new(game, chance);
    let start = counter.start();
    let mut by_depth = Vec::new();
    for depth in 1..depth {
        by_depth.push(counter.count(&start, depth)?);
    }
    let mut first_actions = Vec::new();
    let started = Instant::now();
    let deepest = if let Turn::Seat(_) = game.turn(&start.state) {
        let legal = game.legal_actions(&start.state);
        let mut sum = SequenceCount::NONE;
        let after = |counter: &mut SequenceCounter<'_, G>, action| {
            counter.count(&counter.after(&start, action), depth - 1)
        };
        let actions: Vec<_> = legal.iter().collect();
        let counts: Vec<_> = if chance.all_chance {
            // All share the maximum of positions.
            actions.iter().map(|&action| after(&mut counter, action)).collect()
        } else {
            let count = |&action| after(&mut SequenceCounter::new(game, chance), action);
            actions.par_iter().map(count).collect()
        };
        for (action, count) in actions.into_iter().zip(counts) {
            let count = count?;
            first_actions.push((game.action_text(action), count.sequences));
            sum += count;
        }
        sum.averaged(legal.len())
    } else {
        counter.count(&start, depth)?
    };
    let duration = started.elapsed();
    by_depth.push(deepest);
    Ok(Sequences { by_depth, first_actions, duration })
}

/// Number of sequences from a position, and sums over them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequenceCount {
    /// Sequences of decisions, and of chance outcomes if they are enumerated; at most [`u64::MAX`].
    pub sequences: u64,
    /// Expected number of sequences of decisions; equal to `sequences` if chance is sampled.
    pub expected: f64,
    /// Sum of the probabilities of the sequences under uniformly random decisions.
    pub probability: f64,
}

impl SequenceCount {
    /// The count of no sequence.
    pub const NONE: Self = Self { sequences: 0, expected: 0.0, probability: 0.0 };
    const ONE: Self = Self { sequences: 1, expected: 1.0, probability: 1.0 };

    /// Returns the count of a decision from the sum over its legal actions, which are equally
    /// likely.
    #[must_use]
    pub fn averaged(self, actions: usize) -> Self {
        Self { probability: self.probability / actions as f64, ..self }
    }

    /// Returns the count weighted by the probability of a chance outcome.
    fn weighted(self, probability: f64) -> Self {
        Self {
            expected: self.expected * probability,
            probability: self.probability * probability,
            ..self
        }
    }
}

impl AddAssign for SequenceCount {
    fn add_assign(&mut self, other: Self) {
        self.sequences = self.sequences.saturating_add(other.sequences);
        self.expected += other.expected;
        self.probability += other.probability;
    }
}

/// Counts sequences, with sampled or enumerated chance.
struct SequenceCounter<'a, G> {
    game: &'a G,
    arguments: &'a ChanceTreatment,
    /// Positions that may still be enumerated.
    positions_left: u64,
}

/// A position, and the streams from which its chance outcomes are drawn if they are sampled.
struct Position<G: Game> {
    state: G::State,
    streams: ChanceStreams,
}

impl<'a, G: Game> SequenceCounter<'a, G> {
    fn new(game: &'a G, arguments: &'a ChanceTreatment) -> Self {
        Self { game, arguments, positions_left: arguments.max_positions }
    }

    /// Returns the position before the first event, or before the first decision if the setup is
    /// sampled.
    fn start(&self) -> Position<G> {
        let &ChanceTreatment { seed, all_chance, sample_setup, .. } = self.arguments;
        let mut streams = ChanceStreams::new(seed, 0, self.game.chance_sources().len());
        let mut state = self.game.initial();
        if !all_chance || sample_setup {
            skip_chance(self.game, &mut state, &mut streams);
        }
        Position { state, streams }
    }

    /// Returns the position after an action.
    fn after(&self, position: &Position<G>, action: G::Action) -> Position<G> {
        let Position { mut state, ref streams } = *position;
        self.game.apply(&mut state, action);
        Position { state, streams: streams.clone() }
    }

    /// Counts the sequences of `depth` decisions. A sequence that ends the game earlier counts
    /// once.
    ///
    /// # Errors
    /// Returns an error if there are too many positions or sequences.
    fn count(&mut self, position: &Position<G>, depth: u32) -> Result<SequenceCount, TooMany> {
        let count = if self.arguments.all_chance {
            let left = &mut self.positions_left;
            let count = count_enumerated(self.game, &position.state, depth, left);
            count.ok_or(TooMany::Positions)?
        } else {
            let sequences = count_sampled(self.game, &position.state, &position.streams, depth);
            SequenceCount { sequences, expected: sequences as f64, probability: 1.0 }
        };
        if count.sequences == u64::MAX {
            return Err(TooMany::Sequences);
        }
        Ok(count)
    }
}

/// Draws chance outcomes until a seat decides or the game ends.
fn skip_chance<G: Game>(game: &G, state: &mut G::State, chance: &mut ChanceStreams) -> Turn {
    loop {
        match game.turn(state) {
            Turn::Chance(source) => {
                let outcome = game.sample_chance(state, chance.source_stream(source.0));
                game.apply(state, outcome);
            }
            turn => return turn,
        }
    }
}

fn count_sampled<G: Game>(game: &G, state: &G::State, chance: &ChanceStreams, depth: u32) -> u64 {
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
        count_sampled(game, &after, &chance, depth - 1)
    };
    legal.iter().map(after).fold(0, u64::saturating_add)
}

/// Counts with all chance outcomes. `positions` is reduced by the number of positions; `None` if it
/// is used up.
fn count_enumerated<G: Game>(
    game: &G,
    state: &G::State,
    depth: u32,
    positions: &mut u64,
) -> Option<SequenceCount> {
    if depth == 0 {
        return Some(SequenceCount::ONE);
    }
    *positions = positions.checked_sub(1)?;
    let after = |action| {
        let mut after = *state;
        game.apply(&mut after, action);
        after
    };
    match game.turn(state) {
        Turn::Over => Some(SequenceCount::ONE),
        Turn::Chance(_) => {
            let outcomes = game.chance_outcomes(state);
            let weights: u64 = outcomes.iter().map(|(_, weight)| u64::from(*weight)).sum();
            let mut sum = SequenceCount::NONE;
            for (outcome, weight) in outcomes {
                let count = count_enumerated(game, &after(outcome), depth, positions)?;
                sum += count.weighted(f64::from(weight) / weights as f64);
            }
            Some(sum)
        }
        Turn::Seat(_) => {
            let legal = game.legal_actions(state);
            let mut sum = SequenceCount::NONE;
            for action in legal.iter() {
                sum += match depth {
                    1 => SequenceCount::ONE,
                    _ => count_enumerated(game, &after(action), depth - 1, positions)?,
                };
            }
            Some(sum.averaged(legal.len()))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::game::{BitActions, ChanceSource, Outcome, Seat};

    /// A coin that falls on 1 with a probability of 1/4 or on 2, and then as many times a choice
    /// among two more actions than the coin shows. The first coin is followed by a second, which a
    /// game with missing outcomes does not list.
    struct Coins {
        is_complete: bool,
    }

    impl Game for Coins {
        /// The coins that have fallen, what the last one shows, and the decisions that are left.
        type State = (u8, u8, u8);
        type Action = u8;
        type Actions = BitActions;

        fn seats(&self) -> usize {
            1
        }

        fn chance_sources(&self) -> &'static [&'static str] {
            &["coin"]
        }

        fn initial(&self) -> (u8, u8, u8) {
            (0, 0, 0)
        }

        fn turn(&self, &(coins, _, decisions): &(u8, u8, u8)) -> Turn {
            match (coins, decisions) {
                (0 | 1, 0) => Turn::Chance(ChanceSource(0)),
                (_, 0) => Turn::Over,
                _ => Turn::Seat(Seat::new(0)),
            }
        }

        fn legal_actions(&self, &(_, shown, _): &(u8, u8, u8)) -> BitActions {
            (0..shown + 2).collect()
        }

        fn chance_outcomes(&self, &(coins, ..): &(u8, u8, u8)) -> Vec<(u8, u32)> {
            if coins == 0 || self.is_complete { vec![(1, 1), (2, 3)] } else { Vec::new() }
        }

        fn apply(&self, state: &mut (u8, u8, u8), action: u8) {
            match self.turn(state) {
                Turn::Chance(_) => *state = (state.0 + 1, action, action),
                _ => state.2 -= 1,
            }
        }

        fn round(&self, _: &(u8, u8, u8)) -> u32 {
            1
        }

        fn outcome(&self, _: &(u8, u8, u8)) -> Outcome {
            Outcome {
                scores: [0; 5],
                winners: 1,
                wins_are_independent: false,
                rounds: 1,
                hit_round_limit: false,
            }
        }
    }

    fn count_all(is_complete: bool, depth: u32) -> SequenceCount {
        let arguments =
            ChanceTreatment { seed: 1, all_chance: true, sample_setup: false, max_positions: 1000 };
        let game = Coins { is_complete };
        let mut counter = SequenceCounter::new(&game, &arguments);
        counter.count(&counter.start(), depth).unwrap()
    }

    #[test]
    fn chance_outcomes_are_counted_and_weighted() {
        let expected = [
            // 3 actions or 4 actions.
            (3 + 4, 0.25 * 3.0 + 0.75 * 4.0),
            // After 1: a second coin and 3 or 4 actions each; after 2: 4 more actions.
            (3 * (3 + 4) + 4 * 4, 0.25 * 3.0 * 3.75 + 0.75 * 16.0),
        ];
        for (depth, (sequences, mean)) in (1..).zip(expected) {
            let count = count_all(true, depth);
            assert_eq!(count.sequences, sequences);
            assert!((count.expected - mean).abs() < 1e-12, "{count:?}");
            assert!((count.probability - 1.0).abs() < 1e-12, "{count:?}");
        }
        // The second coin shows 1 in the shortest game, which is over after 2 decisions.
        let shortest = 3 * 3;
        let others = 3 * 4 * 4 + 4 * 4 * (3 + 4);
        assert_eq!(count_all(true, 3).sequences, shortest + others);
    }

    #[test]
    fn missing_chance_outcomes_lower_the_probability() {
        assert!((count_all(false, 1).probability - 1.0).abs() < 1e-12);
        let count = count_all(false, 2);
        assert_eq!(count.sequences, 16);
        assert!((count.probability - 0.75).abs() < 1e-12, "{count:?}");
    }

    #[test]
    fn too_many_positions_are_an_error() {
        let arguments =
            ChanceTreatment { seed: 1, all_chance: true, sample_setup: false, max_positions: 2 };
        let game = Coins { is_complete: true };
        let mut counter = SequenceCounter::new(&game, &arguments);
        assert_eq!(counter.count(&counter.start(), 1), Err(TooMany::Positions));
    }
}
