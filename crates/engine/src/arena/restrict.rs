//! The paired experiment of `restrict`: a bot with restrictions in one seat against unrestricted
//! copies of itself, and the same games without restrictions.

use std::mem::take;

use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        intervention::{RestrictedSeat, Restriction},
        metric::SeatMetric,
        run::{Experiment, JobPlayer, Seating},
    },
    game::{FullGame, MAX_SEATS, Seat},
    stats::{paired::PairedSums, tally},
};

tally! {
    /// Results of one set of restrictions.
    #[derive(Copy)]
    pub struct RestrictionTally {
        /// The seat without and with the restrictions, for each of [`SeatMetric::ALL`].
        pub sums: [PairedSums; SeatMetric::ALL.len()],
        /// Decisions at which the restrictions withheld at least one legal action.
        pub binding_decisions: u64,
    }

    /// Results of all sets of restrictions.
    pub struct RestrictTally {
        /// Completed blocks.
        pub blocks: u64,
        /// Games, including those without restrictions.
        pub games: u64,
        /// Games that the round limit ended.
        pub capped: u64,
        /// Results of each set.
        pub restrictions: Vec<RestrictionTally>,
        /// Results of each pair of sets, for each of [`SeatMetric::ALL`]: the sum with one set and
        /// with the other one (control), and the sum with neither and with both (treatment).
        pub pairs: Vec<[PairedSums; SeatMetric::ALL.len()]>,
    }
}

/// A pair of sets of restrictions that is played together as well: their indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RestrictionPair {
    /// The sets of the pair.
    pub each: [usize; 2],
    /// The set with the restrictions of both.
    pub both: usize,
}

/// An experiment that plays every deal without restrictions and once for each set of restrictions
/// and each seat.
#[derive(Clone, Debug)]
pub struct RestrictExperiment<'a, G> {
    /// The games. All seats have the same bot. The output switches are ignored.
    pub experiment: Experiment<'a>,
    /// The game.
    pub game: &'a G,
    /// The sets of restrictions, each tested separately.
    pub restrictions: &'a [Vec<Restriction>],
    /// The pairs of sets whose joint effect is compared with the sum of their effects.
    pub pairs: &'a [RestrictionPair],
}

/// Returns the number of games in a block: for each seat, one without restrictions and one with
/// each set.
pub const fn games_per_block(players: usize, sets: usize) -> u64 {
    (players * (1 + sets)) as u64
}

impl<G: FullGame> BlockExperiment for RestrictExperiment<'_, G> {
    type Tally = RestrictTally;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn games_per_block(&self) -> u64 {
        games_per_block(self.game.seats(), self.restrictions.len())
    }

    fn empty_tally(&self) -> RestrictTally {
        let restrictions = vec![RestrictionTally::default(); self.restrictions.len()];
        let pairs = vec![Default::default(); self.pairs.len()];
        RestrictTally { restrictions, pairs, ..RestrictTally::default() }
    }

    fn player(&self) -> JobPlayer<'_, RestrictTally> {
        let mut bots = self.experiment.build_bots();
        // One value for all games, because it caches the actions to which restrictions apply.
        let restrictions = self.restrictions.iter();
        let mut restricted_seats: Vec<_> =
            restrictions.map(|set| RestrictedSeat::new(Seat::new(0), set)).collect();
        play_by_block(self, move |block, on_games_finished, tally| {
            let seats = self.game.seats();
            let games_per_block = self.games_per_block();
            let mut sums = vec![[[0; 2]; SeatMetric::ALL.len()]; self.restrictions.len()];
            for seat in (0..seats).map(Seat::new) {
                let seating = Seating {
                    block,
                    rotation: seat.index() as u64,
                    bot_in: std::array::from_fn(|seat| seat.min(MAX_SEATS - 1)),
                };
                let end =
                    self.experiment.play_one(self.game, &mut bots, &seating, &mut (), (), None);
                let baseline = self.game.outcome(&end);
                tally.capped += u64::from(baseline.hit_round_limit);
                for (restricted_seat, sums) in restricted_seats.iter_mut().zip(&mut sums) {
                    restricted_seat.seat = seat;
                    let end = self.experiment.play_one(
                        self.game,
                        &mut bots,
                        &seating,
                        restricted_seat,
                        (),
                        None,
                    );
                    let restricted = self.game.outcome(&end);
                    tally.capped += u64::from(restricted.hit_round_limit);
                    for (sums, metric) in sums.iter_mut().zip(SeatMetric::ALL) {
                        sums[0] += metric.scaled_value(&baseline, seat);
                        sums[1] += metric.scaled_value(&restricted, seat);
                    }
                }
            }
            tally.blocks += 1;
            tally.games += games_per_block;
            for (results, &RestrictionPair { each: [one, other], both }) in
                tally.pairs.iter_mut().zip(self.pairs)
            {
                for (metric, paired) in results.iter_mut().enumerate() {
                    let [neither, with_one] = sums[one][metric];
                    let (with_other, with_both) = (sums[other][metric][1], sums[both][metric][1]);
                    let apart = (seats as i64, with_one + with_other);
                    paired.add_block(apart, (seats as i64, neither + with_both));
                }
            }
            for ((results, sums), seat) in
                tally.restrictions.iter_mut().zip(&sums).zip(&mut restricted_seats)
            {
                results.binding_decisions += take(&mut seat.binding_decisions);
                for (paired, &[baseline, restricted]) in results.sums.iter_mut().zip(sums) {
                    paired.add_block((seats as i64, baseline), (seats as i64, restricted));
                }
            }
            on_games_finished(games_per_block);
        })
    }
}
