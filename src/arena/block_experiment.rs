//! Experiments whose results are sums over blocks, which can be played in parts.

use std::{convert::Infallible, ops::Range, sync::atomic::AtomicBool};

use super::run::{MAX_BLOCKS, run_jobs_in_order};
use crate::stats::Merge;

/// An experiment whose results are sums over blocks.
pub trait BlockExperiment: Sync {
    /// Sums over blocks.
    type Tally: Merge + Send;
    /// The state of a thread, such as its bots.
    type Worker;

    /// Returns all blocks.
    fn blocks(&self) -> Range<u64>;

    /// Returns the number of games in a block.
    fn games_per_block(&self) -> u64;

    /// Returns the sums over no blocks.
    fn empty_tally(&self) -> Self::Tally;

    /// Creates the state of a thread.
    fn build_worker(&self) -> Self::Worker;

    /// Plays contiguous blocks. `on_games_finished` receives the number of games just finished.
    fn play_job(
        &self,
        worker: &mut Self::Worker,
        blocks: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Self::Tally;

    /// Returns the largest number of blocks whose sums are added at once.
    fn max_blocks_per_job(&self) -> u64 {
        MAX_BLOCKS
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
        let mut total = self.empty_tally();
        let add = |_, next: Self::Tally| {
            total.merge(&next);
            Ok::<_, Infallible>(())
        };
        let Ok(()) = play_in_order(self, self.blocks(), stop, on_games_finished, add);
        total
    }
}

/// Plays some blocks of an experiment, as [`BlockExperiment::run`]. `on_result` receives the end of
/// the blocks of each job and their sums, in block order.
///
/// # Errors
/// Returns the first error of `on_result`.
pub(crate) fn play_in_order<X: BlockExperiment, E: Send>(
    experiment: &X,
    blocks: Range<u64>,
    stop: &AtomicBool,
    on_games_finished: &(dyn Fn(u64) + Sync),
    mut on_result: impl FnMut(u64, X::Tally) -> Result<(), E> + Send,
) -> Result<(), E> {
    let play = |worker: &mut X::Worker, job: Range<u64>| {
        (job.end, experiment.play_job(worker, job, on_games_finished))
    };
    let worker = || experiment.build_worker();
    let max_blocks = experiment.max_blocks_per_job();
    run_jobs_in_order(blocks, max_blocks, stop, worker, play, |(end, tally)| on_result(end, tally))
}
