//! The games of a lineup: their statistics, and records and rows as they are played.

use crate::{
    arena::{
        block_experiment::{BlockExperiment, BoxedExperiment},
        run::{BlockBatch, JobPlayer},
    },
    stats::Merge,
    study::shared::prelude::*,
};

/// Sums over blocks.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TalliedBlocks {
    pub(crate) tally: Tally,
    /// The rest of the results of blocks that were just played.
    #[serde(skip)]
    pub(crate) output: Option<BlockBatch>,
}

impl Merge for TalliedBlocks {
    fn merge(&mut self, other: &Self) {
        self.tally.merge(&other.tally);
    }
}

/// A condition that ends the games of a lineup before all are played.
pub(crate) trait RunGoal: Sync {
    /// Returns the first look after this number of blocks.
    fn next_look(&self, blocks: u64) -> Option<u64>;

    /// Returns true if the goal is reached after the blocks of a look.
    fn is_decided(&self, tally: &Tally) -> bool;
}

/// The games of a lineup.
pub(crate) struct TalliedGames<'a> {
    pub(crate) game: &'a BoundGame,
    pub(crate) experiment: Experiment<'a>,
    pub(crate) goal: Option<&'a dyn RunGoal>,
}

impl<'a> TalliedGames<'a> {
    /// Describes games without a goal.
    pub(crate) fn new(game: &'a BoundGame, experiment: Experiment<'a>) -> Self {
        Self { game, experiment, goal: None }
    }

    /// Returns the experiment that plays them.
    pub(crate) fn boxed(&self) -> BoxedExperiment<'_, TalliedBlocks> {
        Box::new(self)
    }

    /// Plays games, and returns their statistics. `message` has the text beside the progress bar.
    ///
    /// # Errors
    /// If a checkpoint can't be read or written.
    pub(crate) fn play(
        study: &mut StudyRun<'_>,
        games: impl Iterator<Item = Self>,
        message: impl Fn(usize) -> String + Sync,
    ) -> anyhow::Result<Vec<Tally>> {
        let games: Vec<_> = games.collect();
        let experiments: Vec<_> = games.iter().map(TalliedGames::boxed).collect();
        let played = study.play(&experiments, |index, _| message(index))?;
        Ok(played.into_iter().map(|blocks| blocks.tally).collect())
    }
}

impl BlockExperiment for &TalliedGames<'_> {
    type Tally = TalliedBlocks;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn empty_tally(&self) -> TalliedBlocks {
        let bots = self.experiment.distinct_bots().0.len();
        TalliedBlocks { tally: Tally::for_game(self.game.catalog(), bots), output: None }
    }

    fn player(&self) -> JobPlayer<'_, TalliedBlocks> {
        let mut player = self.game.block_player(self.experiment.clone());
        Box::new(move |blocks, on_games_finished| {
            let mut batch = player(blocks, on_games_finished);
            TalliedBlocks { tally: std::mem::take(&mut batch.tally), output: Some(batch) }
        })
    }

    fn max_blocks_per_job(&self) -> u64 {
        self.experiment.max_blocks_per_job()
    }

    fn next_look(&self, blocks: u64) -> Option<u64> {
        self.goal.and_then(|goal| goal.next_look(blocks))
    }

    fn is_decided(&self, tally: &TalliedBlocks) -> bool {
        self.goal.is_some_and(|goal| goal.is_decided(&tally.tally))
    }
}
