//! Experiments whose results are sums over blocks, which can be played in parts.

use std::{
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

use super::run::{Experiment, JobPlayer, MAX_BLOCKS, run_jobs_in_order};
use crate::stats::Merge;

/// An experiment whose results are sums over blocks. Its game and bots are not known to studies,
/// which play it by dynamic calls.
pub trait BlockExperiment: Sync {
    /// Sums over blocks.
    type Tally: Merge + Default + Send;

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

    /// Creates the player of a thread, which returns the sums over the blocks that it plays.
    fn player(&self) -> JobPlayer<'_, Self::Tally>;

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
}

/// An experiment over a game of any type.
pub type BoxedExperiment<'a, T> = Box<dyn BlockExperiment<Tally = T> + 'a>;

/// Creates a player that adds the sums of block after block. `play` plays a block.
pub fn play_by_block<'a, X: BlockExperiment>(
    experiment: &'a X,
    mut play: impl FnMut(u64, &(dyn Fn(u64) + Sync), &mut X::Tally) + 'a,
) -> JobPlayer<'a, X::Tally> {
    Box::new(move |blocks, on_games_finished| {
        let mut tally = experiment.empty_tally();
        blocks.for_each(|block| play(block, on_games_finished, &mut tally));
        tally
    })
}

/// Plays some blocks on the threads of the current pool. `on_games_finished` receives the number of
/// games just finished, in any order. `on_result` receives the end of the blocks of each job and
/// their sums, in block order, and ends the experiment by a break. When `stop` becomes true,
/// running jobs are finished and no other starts.
pub fn play_in_order<T: Merge + Default + Send>(
    experiment: &dyn BlockExperiment<Tally = T>,
    blocks: Range<u64>,
    stop: &AtomicBool,
    on_games_finished: &(dyn Fn(u64) + Sync),
    on_result: &mut (dyn FnMut(u64, T) -> ControlFlow<()> + Send),
) {
    let play =
        |player: &mut JobPlayer<'_, T>, job: Range<u64>| (job.end, player(job, on_games_finished));
    let mut on_result = |(end, tally)| match on_result(end, tally) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(()),
    };
    let player = || experiment.player();
    let max = experiment.max_blocks_per_job();
    let mut next = blocks.start;
    while next < blocks.end && !stop.load(Ordering::Relaxed) {
        let end = experiment.next_look(next).map_or(blocks.end, |look| look.min(blocks.end));
        // The receiver knows why it ended the experiment.
        if run_jobs_in_order(next..end, max, stop, player, play, &mut on_result).is_err() {
            return;
        }
        next = end;
    }
}
