//! Experiments whose results are sums over blocks, which can be played in parts.

use std::{
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

use super::run::{Experiment, MAX_BLOCKS, run_jobs_in_order};
use crate::stats::Merge;

/// An experiment whose results are sums over blocks.
pub trait BlockExperiment: Sync {
    /// Sums over blocks.
    type Tally: Merge + Default + Send;
    /// The state of a thread, such as its bots.
    type Worker;

    /// Returns the games of a lineup of which the blocks are a part.
    fn experiment(&self) -> &Experiment<'_>;

    /// Returns all blocks.
    fn blocks(&self) -> Range<u64> {
        self.experiment().blocks.clone()
    }

    /// Returns the number of games in a block.
    fn games_per_block(&self) -> u64 {
        self.experiment().rotations().games_per_block()
    }

    /// Returns the sums over no blocks.
    fn empty_tally(&self) -> Self::Tally {
        Self::Tally::default()
    }

    /// Creates the state of a thread.
    fn build_worker(&self) -> Self::Worker;

    /// Plays a block and adds its sums. `on_games_finished` receives the number of games just
    /// finished.
    fn play_block(
        &self,
        worker: &mut Self::Worker,
        block: u64,
        on_games_finished: &(dyn Fn(u64) + Sync),
        tally: &mut Self::Tally,
    ) {
        tally.merge(&self.play_job(worker, block..block + 1, on_games_finished));
    }

    /// Plays contiguous blocks and returns their sums. An experiment has a function of its own for
    /// a block or for this.
    fn play_job(
        &self,
        worker: &mut Self::Worker,
        blocks: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Self::Tally {
        let mut tally = self.empty_tally();
        blocks.for_each(|block| self.play_block(worker, block, on_games_finished, &mut tally));
        tally
    }

    /// Returns the largest number of blocks whose sums are added at once.
    fn max_blocks_per_job(&self) -> u64 {
        MAX_BLOCKS
    }

    /// Returns the first look at the results after this number of blocks, for experiments that look
    /// after certain numbers of blocks only. No job has blocks before and after a look.
    fn next_look(&self, _blocks: u64) -> Option<u64> {
        None
    }

    /// Returns true if the sums over the first blocks decide that no more are played.
    fn is_decided(&self, _tally: &Self::Tally) -> bool {
        false
    }

    /// Plays all blocks on the threads of the current pool, and returns the sums.
    /// `on_games_finished` receives the number of games just finished, in any order. When `stop`
    /// becomes true, running jobs are finished and no other starts.
    fn run(&self, stop: &AtomicBool, on_games_finished: &(dyn Fn(u64) + Sync)) -> Self::Tally
    where
        Self: Sized,
    {
        let mut total = BlockExperiment::empty_tally(self);
        let mut add = |_, next: Self::Tally| {
            total.merge(&next);
            ControlFlow::Continue(())
        };
        self.play_in_order(BlockExperiment::blocks(self), stop, on_games_finished, &mut add);
        total
    }
}

/// A [`BlockExperiment`] whose game and bots are not known to the caller: studies play it with one
/// dynamic call for each part.
pub trait PlayBlocks<T>: Sync {
    /// Returns all blocks.
    fn blocks(&self) -> Range<u64>;

    /// Returns the number of games in a block.
    fn games_per_block(&self) -> u64;

    /// Returns the sums over no blocks.
    fn empty_tally(&self) -> T;

    /// Returns true if the sums over the first blocks decide that no more are played.
    fn is_decided(&self, tally: &T) -> bool;

    /// Plays some blocks on the threads of the current pool. `on_games_finished` receives the
    /// number of games just finished, in any order. `on_result` receives the end of the blocks of
    /// each job and their sums, in block order, and ends the experiment by a break. When `stop`
    /// becomes true, running jobs are finished and no other starts.
    fn play_in_order(
        &self,
        blocks: Range<u64>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_result: &mut (dyn FnMut(u64, T) -> ControlFlow<()> + Send),
    );
}

/// An experiment over a game of any type.
pub type BoxedExperiment<'a, T> = Box<dyn PlayBlocks<T> + 'a>;

impl<X: BlockExperiment> PlayBlocks<X::Tally> for X {
    fn blocks(&self) -> Range<u64> {
        BlockExperiment::blocks(self)
    }

    fn games_per_block(&self) -> u64 {
        BlockExperiment::games_per_block(self)
    }

    fn empty_tally(&self) -> X::Tally {
        BlockExperiment::empty_tally(self)
    }

    fn is_decided(&self, tally: &X::Tally) -> bool {
        BlockExperiment::is_decided(self, tally)
    }

    fn play_in_order(
        &self,
        blocks: Range<u64>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_result: &mut (dyn FnMut(u64, X::Tally) -> ControlFlow<()> + Send),
    ) {
        let play = |worker: &mut X::Worker, job: Range<u64>| {
            (job.end, self.play_job(worker, job, on_games_finished))
        };
        let mut on_result = |(end, tally)| match on_result(end, tally) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(()),
        };
        let worker = || self.build_worker();
        let max = self.max_blocks_per_job();
        let mut next = blocks.start;
        while next < blocks.end && !stop.load(Ordering::Relaxed) {
            let end = self.next_look(next).map_or(blocks.end, |look| look.min(blocks.end));
            // The receiver knows why it ended the experiment.
            if run_jobs_in_order(next..end, max, stop, worker, play, &mut on_result).is_err() {
                return;
            }
            next = end;
        }
    }
}
