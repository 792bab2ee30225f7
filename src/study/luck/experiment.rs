//! How much of a game's outcome each source of chance decides: Sobol indices by pick and freeze.
//!
//! A block has two deals that share nothing. It is played under either, and for each source with
//! that source's stream from one deal and all other streams from the other, both ways round. Of two
//! games that share everything but one source, half the mean squared difference is the variance
//! that the source has a part in (its *total* index, as a share of all); of two that share that
//! source alone, what is missing to the whole variance is what the source explains by itself (its
//! *first-order* index). Both are Jansen's estimators (*Computer Physics Communications* 117, 1999;
//! Saltelli et al., *Computer Physics Communications* 181, 2010, table 2). The bots' own dice are
//! one more source.

use std::{ops::Range, sync::atomic::AtomicBool};

use crate::{
    arena::{
        metric::SeatMetric,
        play::{OutcomeObserver, play_game},
        run::run_and_fold,
    },
    bots::{Bot, View},
    game::{Game, MAX_SEATS, Outcome, PerSeat, Seat},
    rng::{ChanceStreams, Purpose, Rng, stream},
    stats::ratio::{Estimate, Ratio},
};

/// Squared differences of outcomes, in proportion to those of games that share nothing; for each
/// seat, and summed over all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VarianceShares {
    seats: PerSeat<Ratio>,
    all: Ratio,
}

impl VarianceShares {
    fn add_block(&mut self, whole: &PerSeat<i64>, part: &PerSeat<i64>) {
        for (ratio, (&whole, &part)) in self.seats.iter_mut().zip(whole.iter().zip(part)) {
            ratio.add_block(whole, part);
        }
        self.all.add_block(whole.iter().sum(), part.iter().sum());
    }

    fn add(&mut self, other: &Self) {
        self.seats.iter_mut().zip(other.seats).for_each(|(mine, theirs)| *mine += theirs);
        self.all += other.all;
    }

    /// The share of one seat's variance, or of that of all seats together, with its interval over
    /// blocks; not a number if nothing varies.
    fn estimate(&self, seat: Option<usize>) -> Estimate {
        seat.map_or(&self.all, |seat| &self.seats[seat]).ratio()
    }
}

/// What was found of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceTally {
    /// Games that share the source alone, by measure.
    alone: [VarianceShares; SeatMetric::ALL.len()],
    /// Games that share everything but the source, by measure.
    without: [VarianceShares; SeatMetric::ALL.len()],
}

impl SourceTally {
    /// The share of the variance that the source explains by itself, of one seat or of all
    /// together.
    pub fn first_order_index(&self, measure: SeatMetric, seat: Option<usize>) -> Estimate {
        self.alone[measure as usize].estimate(seat).complement()
    }

    /// True if games that differ in this source alone were played and none of them ended
    /// differently.
    pub fn has_no_effect(&self, measure: SeatMetric) -> bool {
        let all = &self.without[measure as usize].all;
        all.blocks > 0 && all.n > 0 && all.x == 0
    }

    /// The share of the variance that the source has a part in, of one seat or of all together. The
    /// shares of all sources add up to more than 1 where they interact.
    pub fn total_index(&self, measure: SeatMetric, seat: Option<usize>) -> Estimate {
        self.without[measure as usize].estimate(seat)
    }
}

/// What was counted of some blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LuckTally {
    /// Whole blocks, each of two deals.
    pub blocks: u64,
    /// Games.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// For each of the game's sources of chance, then for the bots' dice.
    pub sources: Vec<SourceTally>,
}

impl LuckTally {
    /// The bots' own dice, the last of the sources.
    pub fn bots_source(&self) -> Option<&SourceTally> {
        self.sources.last()
    }

    /// The share of the variance that the deal, which is all sources of the game together, explains
    /// by itself, of one seat or of all together: what the bots' dice have no part in.
    pub fn deal_first_order_index(
        &self,
        measure: SeatMetric,
        seat: Option<usize>,
    ) -> Option<Estimate> {
        self.bots_source().map(|bots| bots.total_index(measure, seat).complement())
    }

    /// The share of the variance that the deal has a part in, of one seat or of all together: what
    /// the bots' dice do not explain by themselves.
    pub fn deal_total_index(&self, measure: SeatMetric, seat: Option<usize>) -> Option<Estimate> {
        self.bots_source().map(|bots| bots.first_order_index(measure, seat).complement())
    }

    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.games += other.games;
        self.capped += other.capped;
        for (mine, theirs) in self.sources.iter_mut().zip(&other.sources) {
            mine.alone.iter_mut().zip(&theirs.alone).for_each(|(mine, theirs)| mine.add(theirs));
            mine.without
                .iter_mut()
                .zip(&theirs.without)
                .for_each(|(mine, theirs)| mine.add(theirs));
        }
    }
}

/// A study of a game's luck.
#[derive(Clone, Debug)]
pub struct LuckExperiment<'a, G> {
    /// The rules.
    pub game: &'a G,
    /// The master seed.
    pub seed: u64,
    /// The blocks to play.
    pub blocks: Range<u64>,
}

/// The bots in the seats of a table.
type Table<G> = Vec<Box<dyn Bot<G>>>;

impl<G: Game> LuckExperiment<'_, G> {
    /// Games per block: two deals, and each source exchanged both ways.
    pub fn games_per_block(game: &G) -> u64 {
        2 + 2 * Self::sources(game) as u64
    }

    /// The sources of chance, the bots' dice the last.
    fn sources(game: &G) -> usize {
        game.chance_sources().len() + 1
    }

    /// Plays all blocks on the threads of the current pool, with the bots that `bots` makes for a
    /// thread, one per seat. `played` hears of games as they end, in any order. When `stop` becomes
    /// true, the jobs in flight are finished and no other is begun.
    pub fn run(
        &self,
        stop: &AtomicBool,
        bots: impl Fn() -> Table<G> + Sync + Send,
        played: &(dyn Fn(u64) + Sync),
    ) -> LuckTally {
        let nothing = || LuckTally {
            sources: vec![SourceTally::default(); Self::sources(self.game)],
            ..LuckTally::default()
        };
        let play = |bots: &mut Table<G>, job: Range<u64>| {
            let mut part = nothing();
            for block in job {
                self.play_block(bots, block, &mut part);
                played(Self::games_per_block(self.game));
            }
            part
        };
        run_and_fold(nothing(), LuckTally::add, self.blocks.clone(), stop, bots, play)
    }

    fn play_block(&self, bots: &mut Table<G>, block: u64, tally: &mut LuckTally) {
        let deals = [2 * block, 2 * block + 1];
        // `exchanged` says which source is not from the deal that the others are from.
        let mut game = |deal: usize, exchanged: Option<usize>| {
            self.play_one(bots, |source| {
                if exchanged == Some(source) { deals[1 - deal] } else { deals[deal] }
            })
        };
        let whole = [game(0, None), game(1, None)];
        let mixed: Vec<_> = (0..tally.sources.len())
            .map(|source| [game(0, Some(source)), game(1, Some(source))])
            .collect();
        tally.capped += whole
            .iter()
            .chain(mixed.as_flattened())
            .map(|outcome| u64::from(outcome.hit_round_limit))
            .sum::<u64>();
        for (source, mixed) in tally.sources.iter_mut().zip(mixed) {
            for measure in SeatMetric::ALL {
                let squares = |pairs: [(&Outcome, &Outcome); 2]| -> PerSeat<i64> {
                    std::array::from_fn(|seat| {
                        let difference = |(one, other)| {
                            measure.scaled_value(one, Seat::new(seat))
                                - measure.scaled_value(other, Seat::new(seat))
                        };
                        pairs.map(|pair| difference(pair).pow(2)).iter().sum()
                    })
                };
                // The games with a source exchanged share nothing with each other either.
                let nothing_shared = squares([(&whole[0], &whole[1]), (&mixed[0], &mixed[1])]);
                let source_shared = squares([(&whole[0], &mixed[1]), (&whole[1], &mixed[0])]);
                let rest_shared = squares([(&whole[0], &mixed[0]), (&whole[1], &mixed[1])]);
                source.alone[measure as usize].add_block(&nothing_shared, &source_shared);
                source.without[measure as usize].add_block(&nothing_shared, &rest_shared);
            }
        }
        tally.blocks += 1;
        tally.games += Self::games_per_block(self.game);
    }

    /// Plays a game in which each source draws as in the block named for it.
    fn play_one(&self, bots: &mut Table<G>, block_of: impl Fn(usize) -> u64) -> Outcome {
        let sources = self.game.chance_sources().len();
        let mut chance = ChanceStreams::for_blocks(self.seed, (0..sources).map(&block_of));
        let dice = block_of(sources);
        let mut streams: [Rng; MAX_SEATS] =
            std::array::from_fn(|seat| stream(self.seed, dice, 0, Purpose::Bot(seat as u8)));
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
        let mut end = OutcomeObserver(None);
        play_game(self.game, &mut chance, choose, &mut end);
        end.0.unwrap_or_else(|| self.game.outcome(&self.game.initial()))
    }
}
