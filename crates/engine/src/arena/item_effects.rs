//! The experiment of `ablate`. Every game is played once without intervention, and continued in
//! several arms from the *forks* of its seats and items ([`fork`]). The differences between the
//! arms of a fork are effects of the item.

pub mod fork;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::fork::{Fork, ForkArms, ForkFinder};
use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        metric::SeatMetric,
        play::{Decision, FirstPlayer, play_from},
        run::{Experiment, JobPlayer, Seating},
    },
    bots::Bot,
    game::{FullGame, ItemId},
    stats::{
        Merge as _, mean_difference::MeanDifference, paired::Effect, pairs, ratio::Ratio, tally,
    },
};

/// Number of metrics.
const METRICS: usize = SeatMetric::ALL.len();

crate::named! {
    /// An effect of an item, estimated from forks.
    pub enum Estimand {
        /// *Free* minus *never*: being allowed to take the item. Seats that do not take it count as
        /// 0.
        Access = "access",
        /// *Free* minus *never*, over the seats that take the item in the free arm.
        Takers = "takers",
        /// *Free* minus *gone*: the item itself, compared with its absence for all seats.
        Worth = "worth",
        /// *Gone* minus *never*: keeping the item from the other seats. Worth and denial add up to
        /// access.
        Denial = "denial",
        /// *Must* minus *not now*: taking the item at the fork instead of later or never.
        Now = "now",
    }
}

/// The forks of an item that are estimated together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Stratum {
    /// All forks.
    All,
    /// Forks in this round.
    Round(u32),
    /// Forks of the seat with this turn position.
    TurnPosition(usize),
}

tally! {
    /// Sums over blocks for the effects of an item in a stratum.
    #[derive(Copy)]
    pub struct ForkSums {
        /// Forks, and those at which or after which the seat takes the item by choice.
        pub taken: Ratio,
        /// Forks, and those at which the seat takes the item.
        pub taken_at_once: Ratio,
        /// Decisions of the arm *never* at which all legal actions took the item.
        pub forced: i64,
        /// Sums of each metric.
        pub metrics: [MetricSums; METRICS],
    }

    /// Sums over blocks of a metric.
    #[derive(Copy)]
    pub struct MetricSums {
        /// Sum over forks of the free arm.
        pub free: i64,
        /// Sum over forks of the square of the free arm.
        pub free_squares: i64,
        /// Sums of each of [`Estimand::ALL`].
        pub effects: [MeanDifference; Estimand::ALL.len()],
    }
}

impl ForkSums {
    /// Returns the number of forks.
    pub const fn forks(&self) -> i64 {
        self.taken.n
    }

    /// Returns the estimate of an effect on a metric.
    pub fn effect(&self, estimand: Estimand, metric: SeatMetric) -> Effect {
        let sums = &self.metrics[metric as usize].effects[estimand as usize];
        let effect = sums.effect(metric.unit());
        let limits = if metric.metric().is_rate() { [-1.0, 1.0] } else { effect.limits };
        Effect { limits, ..effect }
    }

    /// Returns the estimate of an effect on a metric, with an interval even if few blocks vary if
    /// the metric is a rate.
    pub fn effect_with_few_changes(&self, estimand: Estimand, metric: SeatMetric) -> Effect {
        if metric.metric().is_rate() {
            let sums = &self.metrics[metric as usize].effects[estimand as usize];
            sums.effect_of_rates(metric.unit())
        } else {
            self.effect(estimand, metric)
        }
    }

    /// Returns the number of independent games that would give the standard error of the access:
    /// half of them free, half of them without the item for one seat, each with a deal of its own.
    pub fn equal_independent_games(&self, metric: SeatMetric) -> Option<i64> {
        let access = self.effect(Estimand::Access, metric);
        let MetricSums { free, free_squares, .. } = self.metrics[metric as usize];
        let (forks, unit) = (self.forks() as f64, metric.unit() as f64);
        let mean = free as f64 / forks;
        let variance = (free_squares as f64 / forks - mean * mean) / unit.powi(2);
        let games = 4.0 * variance / access.standard_error.powi(2);
        access.is_testable().then_some(games.round() as i64)
    }
}

tally! {
    /// Results of the experiment, summed over blocks.
    pub struct ItemEffectsTally {
        /// Completed blocks.
        pub blocks: u64,
        /// Games without intervention.
        pub games: u64,
        /// Continuations played from forks.
        pub arms: u64,
        /// Games and continuations that the round limit ended.
        pub capped: u64,
        /// Sums of each item and stratum with a fork.
        #[serde(with = "pairs")]
        pub forks: BTreeMap<(ItemId, Stratum), ForkSums>,
    }
}

/// The experiment: the games and the items.
#[derive(Clone, Debug)]
pub struct ItemEffectsExperiment<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The games. The output switches are ignored.
    pub experiment: Experiment<'a>,
    /// For each item, true if its forks are played.
    pub is_selected: &'a [bool],
    /// The arms that are played from forks. All effects but the access need all.
    pub arms: ForkArms,
}

impl<G: FullGame> BlockExperiment for ItemEffectsExperiment<'_, G> {
    type Tally = ItemEffectsTally;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn player(&self) -> JobPlayer<'_, ItemEffectsTally> {
        let mut bots = self.experiment.build_bots();
        play_by_block(self, move |block, on_games_finished, tally| {
            let rotations = self.experiment.rotations();
            let mut forks = BTreeMap::new();
            for rotation in 0..rotations.games_per_block() {
                let bot_in = self.experiment.bot_in(&rotations, rotation);
                let seating = Seating { block, rotation, bot_in };
                self.play_game(&mut bots, &seating, tally, &mut forks);
            }
            for (key, block) in forks {
                block.end_block(tally.forks.entry(key).or_default());
            }
            tally.blocks += 1;
            tally.games += rotations.games_per_block();
            on_games_finished(rotations.games_per_block());
        })
    }
}

impl<G: FullGame> ItemEffectsExperiment<'_, G> {
    /// Plays a game with the arms of its forks.
    fn play_game(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        seating: &Seating,
        tally: &mut ItemEffectsTally,
        sums: &mut BTreeMap<(ItemId, Stratum), BlockForks>,
    ) {
        let (game, seats) = (self.game, self.game.seats());
        let mut first_player = FirstPlayer::default();
        let mut finder = ForkFinder::new(game, self.is_selected, self.arms);
        let mut players = self.experiment.seat_players(bots, seating);
        let mut chance = self.experiment.chance_streams(game, seating.block);
        let choose = |decision: &Decision<'_, G>| {
            let action = finder.choose(&mut players, decision);
            players.observe(decision.seat, action);
            action
        };
        let end = play_from(game, game.initial(), &mut chance, choose, Some(&mut first_player));
        let free = game.outcome(&end);
        tally.arms += finder.arms;
        tally.capped += finder.capped + u64::from(free.hit_round_limit);
        for fork in finder.into_forks(free) {
            let turn_position = fork.seat.turn_position(first_player.0, seats);
            for stratum in
                [Stratum::All, Stratum::Round(fork.round), Stratum::TurnPosition(turn_position)]
            {
                sums.entry((fork.item, stratum)).or_default().add(&fork);
            }
        }
    }
}

/// Sums of an item and a stratum over the forks of one block.
#[derive(Clone, Copy, Default)]
struct BlockForks {
    forks: i64,
    taken: i64,
    taken_at_once: i64,
    forced: i64,
    metrics: [BlockMetric; METRICS],
}

/// Sums of a metric over the forks of one block.
#[derive(Clone, Copy, Default)]
struct BlockMetric {
    free: i64,
    free_squares: i64,
    differences: [i64; Estimand::ALL.len()],
}

impl BlockForks {
    fn add(&mut self, fork: &Fork) {
        self.forks += 1;
        self.taken += i64::from(fork.is_taken);
        self.taken_at_once += i64::from(fork.is_taken_at_once);
        self.forced += fork.forced;
        for (sums, metric) in self.metrics.iter_mut().zip(SeatMetric::ALL) {
            let arms = [fork.free, fork.never, fork.gone, fork.must, fork.not_now];
            let [free, never, gone, must, not_now] =
                arms.map(|outcome| metric.scaled_value(&outcome, fork.seat));
            let of_takers = if fork.is_taken { free - never } else { 0 };
            sums.free += free;
            sums.free_squares += free * free;
            let differences = [free - never, of_takers, free - gone, gone - never, must - not_now];
            sums.differences.merge(&differences);
        }
    }

    /// Adds the block to the sums over blocks.
    fn end_block(&self, total: &mut ForkSums) {
        total.taken.add_block(self.forks, self.taken);
        total.taken_at_once.add_block(self.forks, self.taken_at_once);
        total.forced += self.forced;
        for (block, total) in self.metrics.iter().zip(&mut total.metrics) {
            total.free += block.free;
            total.free_squares += block.free_squares;
            for (estimand, &difference) in Estimand::ALL.into_iter().zip(&block.differences) {
                let n = if estimand == Estimand::Takers { self.taken } else { self.forks };
                total.effects[estimand as usize].add_block(n, difference);
            }
        }
    }
}
