//! The experiment of `luck`: Sobol indices of the chance sources, by the pick-freeze method.
//!
//! A block has two independent deals A and B. It is played with each deal, and for each source with
//! the stream of that source exchanged: A with the source from B, and B with the source from A.
//! Half the mean squared difference of two games that share all sources but one, as a share of the
//! variance V, estimates the *total* index of that source: its main effect and its interactions.
//! Half the mean squared difference of two games that share this source only estimates V minus the
//! variance explained by the source alone; the complement is its *first-order* index. These are
//! Jansen's estimators (*Computer Physics Communications* 117, 1999; Saltelli et al., *Computer
//! Physics Communications* 181, 2010, table 2). The random choices of the bots are the last source.

use std::ops::Range;

use serde::{Deserialize, Serialize};

mod shares;

use crate::{
    arena::{block_experiment::BlockExperiment, metric::SeatMetric, play::play_game},
    bots::{Bot, View},
    game::{Game, MAX_SEATS, Outcome, PerSeat, Seat},
    rng::{ChanceStreams, Purpose, Rng, stream},
    stats::{
        merge_fields,
        ratio::{Estimate, Ratio},
    },
};
use shares::SharePlayer;

/// The mean squared difference of pairs of games as a share of that of independent games, for each
/// seat and for all seats together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct VarianceShares {
    seats: PerSeat<Ratio>,
    all: Ratio,
}

impl VarianceShares {
    /// Adds the squared differences of one block, of independent pairs and of dependent pairs.
    fn add_block(&mut self, independent: &PerSeat<i64>, dependent: &PerSeat<i64>) {
        let squares = independent.iter().zip(dependent);
        for (ratio, (&independent, &dependent)) in self.seats.iter_mut().zip(squares) {
            ratio.add_block(independent, dependent);
        }
        self.all.add_block(independent.iter().sum(), dependent.iter().sum());
    }

    /// Returns the share of a seat, or of all seats together; not a number if nothing varies.
    fn estimate(&self, seat: Option<usize>) -> Estimate {
        seat.map_or(&self.all, |seat| &self.seats[seat]).ratio()
    }
}

/// Results of a chance source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceTally {
    /// Pairs of games that share this source only, by metric.
    shares_source: [VarianceShares; SeatMetric::ALL.len()],
    /// Pairs of games that share all sources but this one, by metric.
    shares_rest: [VarianceShares; SeatMetric::ALL.len()],
}

impl SourceTally {
    /// Returns the first-order Sobol index, of one seat or of all seats together: the share of the
    /// variance that this source explains alone.
    pub fn first_order_index(&self, metric: SeatMetric, seat: Option<usize>) -> Estimate {
        self.shares_source[metric as usize].estimate(seat).complement()
    }

    /// Returns true if pairs of games differ in this source only and all have the same results.
    pub fn has_no_effect(&self, metric: SeatMetric) -> bool {
        let all = &self.shares_rest[metric as usize].all;
        all.blocks > 0 && all.n > 0 && all.x == 0
    }

    /// Returns the total Sobol index, of one seat or of all seats together: the share of the
    /// variance to which this source contributes. If sources interact, the sum of their indices
    /// exceeds 1.
    pub fn total_index(&self, metric: SeatMetric, seat: Option<usize>) -> Estimate {
        self.shares_rest[metric as usize].estimate(seat)
    }
}

/// Results of the experiment, summed over blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LuckTally {
    /// Completed blocks, each of two deals.
    pub blocks: u64,
    /// Games.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Results of each chance source of the game, followed by the random choices of the bots.
    pub sources: Vec<SourceTally>,
    /// Additive shares of the variance of win shares, by source, and last that of the player; empty
    /// if they are not estimated.
    pub shares: Vec<Ratio>,
}

impl LuckTally {
    /// Returns the results of the random choices of the bots, the last source.
    pub fn bots_source(&self) -> Option<&SourceTally> {
        self.sources.last()
    }

    /// Returns the results of the deal, that is all chance sources of the game together. Games that
    /// share the deal only differ in the random choices of the bots only.
    pub fn deal(&self) -> Option<SourceTally> {
        self.bots_source().map(|bots| SourceTally {
            shares_source: bots.shares_rest,
            shares_rest: bots.shares_source,
        })
    }
}

merge_fields!(VarianceShares { seats, all });
merge_fields!(SourceTally { shares_source, shares_rest });
merge_fields!(LuckTally { blocks, games, capped, sources, shares });

/// The bot in each seat.
type SeatedBots<G> = Vec<Box<dyn Bot<G>>>;

/// The experiment: a game, its bots and the blocks to play.
#[derive(Clone, Debug)]
pub struct LuckExperiment<'a, G, B> {
    /// The game.
    pub game: &'a G,
    /// Builds the bots of a thread, one per seat.
    pub build_bots: B,
    /// True if the additive shares are estimated, too.
    pub has_shares: bool,
    /// The master seed.
    pub seed: u64,
    /// Blocks to play.
    pub blocks: Range<u64>,
}

/// Returns the number of games in a block: two deals, and two exchanges of each source.
pub fn games_per_block<G: Game>(game: &G) -> u64 {
    2 + 2 * source_count(game) as u64
}

/// Returns the number of sources, including the random choices of the bots.
fn source_count<G: Game>(game: &G) -> usize {
    game.chance_sources().len() + 1
}

impl<G: Game, B: Fn() -> SeatedBots<G> + Sync> BlockExperiment for LuckExperiment<'_, G, B> {
    type Tally = LuckTally;
    type Worker = SeatedBots<G>;

    fn blocks(&self) -> Range<u64> {
        self.blocks.clone()
    }

    fn games_per_block(&self) -> u64 {
        games_per_block(self.game)
    }

    fn empty_tally(&self) -> LuckTally {
        let sources = vec![SourceTally::default(); source_count(self.game)];
        let share_count = if self.has_shares { source_count(self.game) + 1 } else { 0 };
        LuckTally { sources, shares: vec![Ratio::default(); share_count], ..LuckTally::default() }
    }

    fn build_worker(&self) -> SeatedBots<G> {
        (self.build_bots)()
    }

    fn play_job(
        &self,
        bots: &mut SeatedBots<G>,
        blocks: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> LuckTally {
        let mut tally = self.empty_tally();
        for block in blocks {
            self.play_block(bots, block, &mut tally);
            on_games_finished(games_per_block(self.game));
        }
        tally
    }
}

impl<G: Game, B> LuckExperiment<'_, G, B> {
    fn play_block(&self, bots: &mut SeatedBots<G>, block: u64, tally: &mut LuckTally) {
        let deals = [2 * block, 2 * block + 1];
        let mut play = |deal: usize, exchanged: Option<usize>| {
            self.play_one(bots, |source| {
                if exchanged == Some(source) { deals[1 - deal] } else { deals[deal] }
            })
        };
        let original = [play(0, None), play(1, None)];
        let exchanged: Vec<_> = (0..tally.sources.len())
            .map(|source| [play(0, Some(source)), play(1, Some(source))])
            .collect();
        let outcomes = original.iter().chain(exchanged.as_flattened());
        tally.capped += outcomes.filter(|outcome| outcome.hit_round_limit).count() as u64;
        for (source, exchanged) in tally.sources.iter_mut().zip(exchanged) {
            for metric in SeatMetric::ALL {
                let squares = |pairs: [(&Outcome, &Outcome); 2]| -> PerSeat<i64> {
                    std::array::from_fn(|seat| {
                        let value = |outcome| metric.scaled_value(outcome, Seat::new(seat));
                        pairs.map(|(one, other)| (value(one) - value(other)).pow(2)).iter().sum()
                    })
                };
                // The two games with the source exchanged are independent of each other too.
                let [a, b] = &original;
                let [a_exchanged, b_exchanged] = &exchanged;
                let independent = squares([(a, b), (a_exchanged, b_exchanged)]);
                let source_shared = squares([(a, b_exchanged), (b, a_exchanged)]);
                let rest_shared = squares([(a, a_exchanged), (b, b_exchanged)]);
                source.shares_source[metric as usize].add_block(&independent, &source_shared);
                source.shares_rest[metric as usize].add_block(&independent, &rest_shared);
            }
        }
        if self.has_shares {
            let player = SharePlayer { game: self.game, seed: self.seed };
            player.add_deals(bots, deals, &mut tally.shares);
        }
        tally.blocks += 1;
        tally.games += games_per_block(self.game);
    }

    /// Plays a game. `block_of` returns the block from whose stream a source draws.
    fn play_one(&self, bots: &mut SeatedBots<G>, block_of: impl Fn(usize) -> u64) -> Outcome {
        let sources = self.game.chance_sources().len();
        let mut chance = ChanceStreams::for_blocks(self.seed, (0..sources).map(&block_of));
        let bots_block = block_of(sources);
        let mut streams: [Rng; MAX_SEATS] =
            std::array::from_fn(|seat| stream(self.seed, bots_block, 0, Purpose::Bot(seat as u8)));
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let choose = |view: &View<'_, G>, legal: &G::Actions| {
            let seat = view.seat().index();
            let action = bots[seat].choose(view, legal, &mut streams[seat]);
            for bot in bots.iter_mut() {
                bot.observe(view.seat(), action);
            }
            action
        };
        self.game.outcome(&play_game(self.game, &mut chance, choose, ()))
    }
}
