//! The same blocks played under several variants of a game or by other bots, and how they differ.

use std::{ops::Range, sync::atomic::AtomicBool};

use super::{
    compared_metrics::ComparedMetrics,
    run::{Experiment, run_and_fold},
};
use crate::{
    bots::Bot,
    game::{FullGame, ItemTable},
    stats::paired::PairedSums,
};

/// A game under several data files or with several sets of bots, with the same seed and blocks.
#[derive(Clone, Debug)]
pub struct ComparisonExperiment<'a, G> {
    /// One experiment per data file or set of bots, with as many different bots in each; the others
    /// are compared to the first.
    pub experiments: Vec<Experiment<'a, G>>,
    /// What is compared.
    pub metrics: &'a ComparedMetrics,
}

/// What was counted of some blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ComparisonTally {
    /// Whole blocks.
    pub blocks: u64,
    /// Games of each experiment.
    pub games: u64,
    /// For each experiment but the first, each figure in the first and in this one.
    pub differences: Vec<Vec<PairedSums>>,
}

impl ComparisonTally {
    /// A tally of nothing.
    pub fn new(variants: usize, figures: usize) -> Self {
        Self {
            differences: vec![vec![PairedSums::default(); figures]; variants.saturating_sub(1)],
            ..Self::default()
        }
    }

    /// Adds the tally of other blocks.
    pub fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.games += other.games;
        for (mine, theirs) in
            self.differences.iter_mut().flatten().zip(other.differences.iter().flatten())
        {
            *mine += *theirs;
        }
    }
}

impl<G: FullGame> ComparisonExperiment<'_, G> {
    /// Plays all blocks of all experiments, on the threads of the current pool. `played` hears of
    /// games as they end, in any order. When `stop` becomes true, the jobs in flight are finished
    /// and no other is begun.
    pub fn run(&self, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> ComparisonTally {
        let Some(first) = self.experiments.first() else { return self.nothing() };
        let tables: Vec<_> =
            self.experiments.iter().map(|experiment| experiment.game.tables()).collect();
        let play = |bots: &mut Vec<_>, job: Range<u64>| {
            let mut part = self.nothing();
            job.for_each(|block| self.play_block(bots, &tables, block, played, &mut part));
            part
        };
        let bots = || self.experiments.iter().map(Experiment::build_bots).collect();
        run_and_fold(self.nothing(), ComparisonTally::add, first.blocks.clone(), stop, bots, play)
    }

    fn nothing(&self) -> ComparisonTally {
        ComparisonTally::new(self.experiments.len(), self.metrics.metrics.len())
    }

    /// Plays a block of all experiments; bots and tables are those of each.
    fn play_block(
        &self,
        bots: &mut [Vec<Box<dyn Bot<G>>>],
        tables: &[Vec<ItemTable>],
        block: u64,
        played: &(dyn Fn(u64) + Sync),
        tally: &mut ComparisonTally,
    ) {
        let mut first = Vec::new();
        for (file, ((experiment, bots), tables)) in
            self.experiments.iter().zip(bots).zip(tables).enumerate()
        {
            let counted = experiment.play_blocks(bots, tables, block..block + 1, played).tally;
            let observed = self.metrics.block_observations(file, &counted);
            if let Some(other) = file.checked_sub(1) {
                let sides = first.iter().zip(observed);
                tally.differences[other]
                    .iter_mut()
                    .zip(sides)
                    .for_each(|(paired, (&a, b))| paired.add_block(a, b));
            } else {
                first = observed.collect();
                tally.games += counted.games;
            }
        }
        tally.blocks += 1;
    }
}
