//! What a bot loses by keeping a rule: one copy that keeps it among copies that don't, and the same games with none that does.

use std::{ops::Range, sync::atomic::AtomicBool};

use crate::{
    arena::{
        intervention::{Restriction, Rule},
        measure::Measure,
        play::End,
        run::{Experiment, Table, add_up},
    },
    bots::Bot,
    game::{FullGame, MAX_SEATS, Outcome, Seat},
    stats::paired::Paired,
};

/// What was counted of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlanTally {
    /// A seat of the games in which none keeps the plan, and the same seat keeping it, for each of [`Measure::ALL`].
    pub differences: [Paired; Measure::ALL.len()],
    /// Decisions at which the plan withheld something.
    pub applied: u64,
}

/// What was counted of all plans.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlansTally {
    /// Whole blocks.
    pub blocks: u64,
    /// Games, those without a plan included.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Per plan.
    pub plans: Vec<PlanTally>,
}

impl PlansTally {
    /// A tally of nothing, for this many plans.
    fn new(plans: usize) -> Self {
        Self { plans: vec![PlanTally::default(); plans], ..Self::default() }
    }

    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.games += other.games;
        self.capped += other.capped;
        for (mine, theirs) in self.plans.iter_mut().zip(&other.plans) {
            mine.differences.iter_mut().zip(theirs.differences).for_each(|(mine, theirs)| *mine += theirs);
            mine.applied += theirs.applied;
        }
    }
}

/// Plans, each a list of rules that one seat keeps.
#[derive(Clone, Debug)]
pub struct RestrictedPlay<'a, G> {
    /// The games; the bots in all seats are the same. What it wishes to be written down is not.
    pub experiment: &'a Experiment<'a, G>,
    /// The plans.
    pub plans: &'a [Vec<Rule>],
}

impl<G: FullGame> RestrictedPlay<'_, G> {
    /// Games of a block: for each seat one without a plan and one with each.
    pub fn games_per_block(&self) -> u64 {
        (self.experiment.game.seats() * (1 + self.plans.len())) as u64
    }

    /// Plays all blocks on the threads of the current pool and adds up what they bring. `played` hears of games as they end. When `stop`
    /// becomes true, the blocks in flight are finished.
    pub fn run(&self, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> PlansTally {
        let play = |bots: &mut Vec<_>, job| self.play_job(bots, job, played);
        let bots = || self.experiment.bots_of_thread();
        add_up(PlansTally::new(self.plans.len()), PlansTally::add, self.experiment.blocks.clone(), stop, bots, play)
    }

    fn play_job(&self, bots: &mut [Box<dyn Bot<G>>], job: Range<u64>, played: &(dyn Fn(u64) + Sync)) -> PlansTally {
        let seats = self.experiment.game.seats();
        let mut tally = PlansTally::new(self.plans.len());
        // They remember which actions their rules are about from one game to the next.
        let mut restrictions: Vec<_> = self.plans.iter().map(|rules| Restriction::new(Seat::new(0), rules)).collect();
        for block in job {
            let mut sums = vec![[[0; 2]; Measure::ALL.len()]; self.plans.len()];
            for seat in (0..seats).map(Seat::new) {
                let table = Table { block, rotation: seat.index() as u64, bot_in: std::array::from_fn(|seat| seat.min(MAX_SEATS - 1)) };
                let mut free = End(None);
                self.experiment.play_one(bots, &table, (), &mut free, None);
                for (restriction, sums) in restrictions.iter_mut().zip(&mut sums) {
                    restriction.pass_to(seat);
                    let mut kept = End(None);
                    self.experiment.play_one(bots, &table, restriction, &mut kept, None);
                    if let (Some(kept), Some(free)) = (&kept.0, &free.0) {
                        tally.capped += u64::from(kept.capped);
                        add(sums, [free, kept], seat);
                    }
                }
                tally.capped += free.0.map_or(0, |outcome| u64::from(outcome.capped));
            }
            tally.blocks += 1;
            tally.games += self.games_per_block();
            for (plan, sums) in tally.plans.iter_mut().zip(&sums) {
                for (difference, &[free, kept]) in plan.differences.iter_mut().zip(sums) {
                    difference.add_block((seats as i64, free), (seats as i64, kept));
                }
            }
            played(self.games_per_block());
        }
        for (plan, restriction) in tally.plans.iter_mut().zip(&restrictions) {
            plan.applied = restriction.applied;
        }
        tally
    }
}

fn add(sums: &mut [[i64; 2]; Measure::ALL.len()], outcomes: [&Outcome; 2], seat: Seat) {
    for (sums, measure) in sums.iter_mut().zip(Measure::ALL) {
        sums.iter_mut().zip(outcomes).for_each(|(sum, outcome)| *sum += measure.of(outcome, seat));
    }
}
