//! The games of a lineup, of which only the statistics are kept.

use std::ops::Range;

use crate::{
    arena::{
        block_experiment::{BlockExperiment, BoxedExperiment},
        run::Experiment,
        tally::Tally,
    },
    bound::{BlockPlayer, BoundGame},
};

/// The games of a lineup.
pub(crate) struct TalliedGames<'a> {
    pub(crate) game: &'a dyn BoundGame,
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
        self.game.block_player(&self.experiment)
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
