//! Comparison of actions by searches of equal budget after each of them.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

use super::{endgame::result, searched_position::SearchedPosition};
use crate::{
    bots::BotFactory,
    game::{ActionSet as _, FullGame, PerSeat, Seat, Turn},
    rng::{ChanceStreams, Purpose, stream},
    search::ensemble::SearchWatch,
    stats::{paired::Effect, ratio::Estimate},
};

/// Searches after actions of a position.
///
/// A sample is a determinization for the seat that decides, the streams of all chance sources, and
/// the seed of the searches. All actions are searched in the same samples, each with the whole
/// budget of the bot.
#[derive(Debug)]
pub struct Successors<'a, G: FullGame> {
    /// The rules.
    pub game: &'a G,
    /// The position, in which `seat` decides.
    pub state: &'a G::State,
    /// The seat from whose view hidden information is dealt.
    pub seat: Seat,
    /// The bot that searches.
    pub bot: &'a BotFactory,
    /// The seed of all samples.
    pub seed: u64,
}

/// The win chances after an action.
#[derive(Clone, PartialEq, Debug)]
pub struct ChancesAfter {
    /// The chances of all seats in each sample.
    pub samples: Vec<PerSeat<f64>>,
}

impl ChancesAfter {
    /// Returns the mean win chance of each seat.
    pub fn mean(&self) -> PerSeat<f64> {
        let count = self.samples.len() as f64;
        let sum = |seat| self.samples.iter().map(|chances| chances[seat]).sum::<f64>();
        std::array::from_fn(|seat| sum(seat) / count)
    }

    /// Returns the mean win chance of a seat with its 95 % confidence interval over the samples.
    pub fn estimate(&self, seat: Seat) -> Estimate {
        let chances = self.samples.iter().map(|chances| chances[seat.index()]);
        let Estimate { n, value, low, high } = mean(chances).estimate();
        Estimate { n, value, low: low.max(0.0), high: high.min(1.0) }
    }

    /// Returns the win chance of a seat less that after another action, in the same samples.
    pub fn difference(&self, other: &Self, seat: Seat) -> Effect {
        let pairs = self.samples.iter().zip(&other.samples);
        mean(pairs.map(|(one, other)| one[seat.index()] - other[seat.index()]))
    }

    /// Returns the mean win chance of a seat.
    pub fn of(&self, seat: Seat) -> f64 {
        self.mean()[seat.index()]
    }
}

impl<G: FullGame> Successors<'_, G> {
    /// Searches after each action, on the threads of the current pool. The results do not depend on
    /// the number of threads, nor on the other actions.
    pub fn search(&self, actions: &[G::Action], samples: Range<u64>) -> Vec<ChancesAfter> {
        self.search_until(actions, samples, &AtomicBool::new(false))
    }

    /// Searches after each action, as [`Successors::search`], until `stop` becomes true. Then the
    /// chances mean nothing.
    pub fn search_until(
        &self,
        actions: &[G::Action],
        samples: Range<u64>,
        stop: &AtomicBool,
    ) -> Vec<ChancesAfter> {
        let count = samples.clone().count();
        let pairs: Vec<_> = actions
            .iter()
            .flat_map(|&action| samples.clone().map(move |sample| (action, sample)))
            .collect();
        let chances =
            pairs.par_iter().map(|&(action, sample)| self.chances_after(action, sample, stop));
        let chances: Vec<_> = chances.collect();
        chances.chunks(count).map(|samples| ChancesAfter { samples: samples.to_vec() }).collect()
    }

    /// Returns the win chance of the seat that decides after an action, less that after another
    /// one, in the first samples, until `stop` becomes true. Then it means nothing.
    pub fn difference(
        &self,
        one: G::Action,
        other: G::Action,
        samples: u64,
        stop: &AtomicBool,
    ) -> f64 {
        let chances = self.search_until(&[one, other], 0..samples, stop);
        chances[0].of(self.seat) - chances[1].of(self.seat)
    }

    /// Returns the win chances in a sample after an action, by a search at the next decision, or
    /// the win shares if the game ends before.
    fn chances_after(&self, action: G::Action, sample: u64, stop: &AtomicBool) -> PerSeat<f64> {
        if stop.load(Ordering::Relaxed) {
            return PerSeat::default();
        }
        let watch = SearchWatch::of_flag(stop);
        let Self { game, seat, bot, seed, .. } = *self;
        let mut hidden = stream(seed, sample, 0, Purpose::Determinization);
        let mut after = game.determinize(self.state, seat, &mut hidden);
        game.apply(&mut after, action);
        let mut chance = ChanceStreams::new(seed, sample, game.chance_sources().len());
        loop {
            let action = match game.turn(&after) {
                Turn::Over => return result(game, &after),
                Turn::Chance(source) => game.draw_chance(&after, source, &mut chance),
                Turn::Seat(decider) => {
                    let legal = game.legal_actions(&after);
                    if legal.len() > 1 {
                        let seed = seed.wrapping_add(sample);
                        let watch = Some(&watch);
                        return SearchedPosition::search_watched(
                            bot, game, &after, decider, seed, watch,
                        )
                        .chances();
                    }
                    legal.nth(0)
                }
            };
            game.apply(&mut after, action);
        }
    }
}

/// Returns the mean of independent values with its standard error.
fn mean(values: impl Iterator<Item = f64>) -> Effect {
    let values: Vec<_> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Effect::new(values.len() as i64, mean, (squares / (n - 1.0) / n).sqrt(), n - 1.0)
}
