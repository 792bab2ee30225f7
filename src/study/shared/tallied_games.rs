//! The games of a lineup, of which only the statistics are kept.

use std::ops::Range;

use crate::{
    arena::{
        block_experiment::{BlockExperiment, BoxedExperiment},
        run::{BlockPlayer, Experiment},
        tally::Tally,
    },
    bound::BoundGame,
};

/// The games of one bot that plays otherwise against another: of each pair of plans, and of each
/// ranking.
pub(crate) const GAMES_OF_TEST: TestGames = TestGames { part: 10, limits: [100, 2000] };

/// A number of games that follows from those of the run.
pub(crate) struct TestGames {
    /// The games of the run for one game.
    part: u64,
    /// Limits of the games. With fewer, none are played.
    limits: [u64; 2],
}

impl TestGames {
    /// Returns the number of games for a run of this many; 0 if that is too few.
    pub(crate) fn of_run(&self, games: u64) -> u64 {
        let [least, most] = self.limits;
        Some((games / self.part).min(most)).filter(|&games| games >= least).unwrap_or(0)
    }
}

/// The games of a lineup.
pub(crate) struct TalliedGames<'a> {
    pub(crate) game: &'a BoundGame,
    pub(crate) experiment: Experiment<'a>,
}

impl TalliedGames<'_> {
    /// Returns the experiment that plays them.
    pub(crate) fn boxed(&self) -> BoxedExperiment<'_, Tally> {
        Box::new(self)
    }
}

impl<'a> BlockExperiment for &'a TalliedGames<'_> {
    type Tally = Tally;
    type Worker = BlockPlayer<'a>;

    fn blocks(&self) -> Range<u64> {
        self.experiment.blocks.clone()
    }

    fn games_per_block(&self) -> u64 {
        self.experiment.rotations().games_per_block()
    }

    fn empty_tally(&self) -> Tally {
        let bots = self.experiment.distinct_bots().0.len();
        Tally::for_game(self.game.catalog(), bots)
    }

    fn build_worker(&self) -> Self::Worker {
        self.game.block_player(self.experiment.clone())
    }

    fn play_job(
        &self,
        player: &mut Self::Worker,
        blocks: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Tally {
        player(blocks, on_games_finished).tally
    }

    fn max_blocks_per_job(&self) -> u64 {
        self.experiment.max_blocks_per_job()
    }
}
