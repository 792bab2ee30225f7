//! Paired rollouts: a position played to the end after each of several actions, on the same chance.

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    arena::{
        play::{Decision, play_from},
        players::Players,
    },
    bots::{Bot, BotFactory},
    game::{FullGame, Game, Outcome, Seat, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, stream},
    stats::{
        mean::MeanSums,
        paired::{Effect, MIN_BLOCKS, mean_of_differences},
        ratio::{Estimate, Ratio},
    },
};

/// The rollouts of a position.
///
/// A block is a determinization for the seat that decides, the streams of all chance sources, and
/// the streams of the bots. All actions are played in the same blocks, so the difference between
/// two of them is a paired observation: chance that they share cancels.
///
/// ```
/// use watershed::{
///     Game as _, BuiltInGame as _, GameDefinition as _, Turn,
///     analysis::rollout::{Rollouts, difference},
///     game::{ActionSet as _, Notation as _},
///     games::the_river::TheRiver,
/// };
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let policy = game.bot_library().read("balanced")?;
/// let mut state = game.initial();
/// let (seat, actions) = loop {
///     let actions: Vec<_> = match game.turn(&state) {
///         Turn::Chance(_) => game.chance_outcomes(&state)[..1].iter().map(|o| o.0).collect(),
///         _ => game.legal_actions(&state).iter().collect(),
///     };
///     match game.turn(&state) {
///         Turn::Seat(seat) if actions.len() > 1 => break (seat, actions),
///         _ => game.apply(&mut state, actions[0]),
///     }
/// };
///
/// let rollouts = Rollouts { game: &game, state: &state, seat, policy: &policy, seed: 1 };
/// let results = rollouts.play(&actions, 0..100);
/// let gain = difference(&results[0], &results[1], seat).estimate();
/// assert!(gain.low < gain.value && gain.value < gain.high);
/// # Ok::<(), watershed::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Rollouts<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The position, in which `seat` decides.
    pub state: &'a G::State,
    /// The seat from whose view hidden information is dealt.
    pub seat: Seat,
    /// The bot that plays all seats after the first action.
    pub policy: &'a BotFactory,
    /// The seed of all streams.
    pub seed: u64,
}

/// The results of an action in consecutive blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ActionRollouts {
    /// The outcome of each block.
    pub outcomes: Vec<Outcome>,
}

impl<G: FullGame> Rollouts<'_, G> {
    /// Plays the blocks on the threads of the current pool and returns the results of each action.
    /// They do not depend on the number of threads, nor on the other actions.
    pub fn play(&self, actions: &[G::Action], blocks: Range<u64>) -> Vec<ActionRollouts> {
        let seats = self.game.seats();
        let build = || (0..seats).map(|_| self.policy.build()).collect::<Vec<_>>();
        let ends: Vec<Vec<G::State>> = blocks
            .into_par_iter()
            .map_init(build, |bots, block| self.play_block(bots, actions, block))
            .collect();
        let mut results = vec![ActionRollouts::default(); actions.len()];
        for ends in &ends {
            for (result, end) in results.iter_mut().zip(ends) {
                result.outcomes.push(self.game.outcome(end));
            }
        }
        results
    }

    /// Plays one block and returns the final position after each action.
    fn play_block(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        actions: &[G::Action],
        block: u64,
    ) -> Vec<G::State> {
        let Self { game, seed, .. } = *self;
        let mut hidden = stream(seed, block, 0, Purpose::Determinization);
        let start = game.determinize(self.state, self.seat, &mut hidden);
        let play = |&action: &G::Action| {
            for bot in bots.iter_mut() {
                bot.reset();
            }
            let mut players = Players {
                bots,
                bot_in: std::array::from_fn(|seat| seat),
                streams: std::array::from_fn(|seat| {
                    stream(seed, block, 0, Purpose::Bot(seat as u8))
                }),
            };
            let choose = |decision: &Decision<'_, G>| {
                let action = players.choose(game, decision, decision.legal);
                players.observe(decision.seat, action);
                action
            };
            let mut state = start;
            game.apply(&mut state, action);
            let mut chance = ChanceStreams::new(seed, block, game.chance_sources().len());
            play_from(game, state, &mut chance, choose, ())
        };
        actions.iter().map(play).collect()
    }
}

impl ActionRollouts {
    /// Appends the results of the blocks that follow.
    pub(super) fn append(&mut self, mut next: Self) {
        self.outcomes.append(&mut next.outcomes);
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.outcomes.len() as u64
    }

    /// Returns the win share of a seat.
    pub fn win_share(&self, seat: Seat) -> Estimate {
        let mut wins = Ratio::default();
        self.outcomes.iter().for_each(|outcome| wins.add_block(1, outcome.win_share(seat)));
        wins.rate(UNITS_PER_WIN)
    }

    /// Returns the mean final score of a seat.
    pub fn score(&self, seat: Seat) -> Estimate {
        let mut scores = MeanSums::default();
        let points = self.outcomes.iter().map(|outcome| outcome.scores[seat.index()]);
        points.for_each(|points| scores.add_block(1, i64::from(points)));
        scores.mean()
    }
}

/// Returns the win share of a seat after one action minus that after another, in the same blocks.
///
/// After two similar actions most blocks end alike, and the variance between the few others is
/// uncertain. So the standard error is that of the differences and two more, −1 and 1 (Bonett and
/// Price, *Journal of Educational and Behavioral Statistics* 37, 2012). It is never 0.
pub fn difference(one: &ActionRollouts, other: &ActionRollouts, seat: Seat) -> Effect {
    let mut sums = Ratio::default();
    for (one, other) in one.outcomes.iter().zip(&other.outcomes) {
        sums.add_block(1, one.win_share(seat) - other.win_share(seat));
    }
    let effect = mean_of_differences(&sums, UNITS_PER_WIN);
    if sums.blocks < MIN_BLOCKS {
        return effect;
    }
    sums.add_block(1, -UNITS_PER_WIN);
    sums.add_block(1, UNITS_PER_WIN);
    let Effect { standard_error, .. } = mean_of_differences(&sums, UNITS_PER_WIN);
    Effect { standard_error, ..effect }
}
