//! What a bot loses by keeping a rule: one copy that keeps it among copies that don't, and the same
//! games with none that does.

use std::{ops::Range, sync::atomic::AtomicBool};

use crate::{
    arena::{
        intervention::{RestrictedSeat, Restriction},
        metric::SeatMetric,
        play::OutcomeObserver,
        run::{Experiment, Seating, run_and_fold},
    },
    bots::Bot,
    game::{FullGame, MAX_SEATS, Outcome, Seat},
    stats::paired::PairedSums,
};

/// What was counted of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RestrictionTally {
    /// A seat of the games in which none keeps the plan, and the same seat keeping it, for each of
    /// [`SeatMetric::ALL`].
    pub sums: [PairedSums; SeatMetric::ALL.len()],
    /// Decisions at which the plan withheld something.
    pub binding_decisions: u64,
}

/// What was counted of all plans.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RestrictTally {
    /// Whole blocks.
    pub blocks: u64,
    /// Games, those without a plan included.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Per plan.
    pub restrictions: Vec<RestrictionTally>,
}

impl RestrictTally {
    /// A tally of nothing, for this many plans.
    fn new(plans: usize) -> Self {
        Self { restrictions: vec![RestrictionTally::default(); plans], ..Self::default() }
    }

    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.games += other.games;
        self.capped += other.capped;
        for (mine, theirs) in self.restrictions.iter_mut().zip(&other.restrictions) {
            mine.sums.iter_mut().zip(theirs.sums).for_each(|(mine, theirs)| *mine += theirs);
            mine.binding_decisions += theirs.binding_decisions;
        }
    }
}

/// Plans, each a list of rules that one seat keeps.
#[derive(Clone, Debug)]
pub struct RestrictExperiment<'a, G> {
    /// The games; the bots in all seats are the same. What it wishes to be written down is not.
    pub experiment: &'a Experiment<'a, G>,
    /// The plans.
    pub restrictions: &'a [Vec<Restriction>],
}

impl<G: FullGame> RestrictExperiment<'_, G> {
    /// Games of a block: for each seat one without a plan and one with each.
    pub fn games_per_block(&self) -> u64 {
        (self.experiment.game.seats() * (1 + self.restrictions.len())) as u64
    }

    /// Plays all blocks on the threads of the current pool and adds up what they bring. `played`
    /// hears of games as they end. When `stop` becomes true, the blocks in flight are finished.
    pub fn run(&self, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> RestrictTally {
        let play = |bots: &mut Vec<_>, job| self.play_job(bots, job, played);
        let bots = || self.experiment.build_bots();
        run_and_fold(
            RestrictTally::new(self.restrictions.len()),
            RestrictTally::add,
            self.experiment.blocks.clone(),
            stop,
            bots,
            play,
        )
    }

    fn play_job(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        job: Range<u64>,
        played: &(dyn Fn(u64) + Sync),
    ) -> RestrictTally {
        let seats = self.experiment.game.seats();
        let mut tally = RestrictTally::new(self.restrictions.len());
        // They remember which actions their rules are about from one game to the next.
        let mut restrictions: Vec<_> = self
            .restrictions
            .iter()
            .map(|rules| RestrictedSeat::new(Seat::new(0), rules))
            .collect();
        for block in job {
            let mut sums = vec![[[0; 2]; SeatMetric::ALL.len()]; self.restrictions.len()];
            for seat in (0..seats).map(Seat::new) {
                let table = Seating {
                    block,
                    rotation: seat.index() as u64,
                    bot_in: std::array::from_fn(|seat| seat.min(MAX_SEATS - 1)),
                };
                let mut free = OutcomeObserver(None);
                self.experiment.play_one(bots, &table, (), &mut free, None);
                for (restriction, sums) in restrictions.iter_mut().zip(&mut sums) {
                    restriction.set_seat(seat);
                    let mut kept = OutcomeObserver(None);
                    self.experiment.play_one(bots, &table, restriction, &mut kept, None);
                    if let (Some(kept), Some(free)) = (&kept.0, &free.0) {
                        tally.capped += u64::from(kept.hit_round_limit);
                        add(sums, [free, kept], seat);
                    }
                }
                tally.capped += free.0.map_or(0, |outcome| u64::from(outcome.hit_round_limit));
            }
            tally.blocks += 1;
            tally.games += self.games_per_block();
            for (plan, sums) in tally.restrictions.iter_mut().zip(&sums) {
                for (difference, &[free, kept]) in plan.sums.iter_mut().zip(sums) {
                    difference.add_block((seats as i64, free), (seats as i64, kept));
                }
            }
            played(self.games_per_block());
        }
        for (plan, restriction) in tally.restrictions.iter_mut().zip(&restrictions) {
            plan.binding_decisions = restriction.binding_decisions;
        }
        tally
    }
}

fn add(sums: &mut [[i64; 2]; SeatMetric::ALL.len()], outcomes: [&Outcome; 2], seat: Seat) {
    for (sums, measure) in sums.iter_mut().zip(SeatMetric::ALL) {
        sums.iter_mut()
            .zip(outcomes)
            .for_each(|(sum, outcome)| *sum += measure.scaled_value(outcome, seat));
    }
}
