//! Experiments over blocks.

use std::{ops::ControlFlow, sync::atomic::AtomicBool};

use super::{Bound, BoundGame};
use crate::{
    analysis::book::{BookExperiment, BookPlan, BookTally},
    arena::{
        block_experiment::BoxedExperiment,
        compared_metrics::ComparedMetrics,
        comparison::{ComparisonExperiment, ComparisonTally},
        lockstep::{Lockstep, LockstepTally},
        run::{BlockBatch, Experiment},
        tally::Tally,
    },
    experiments::item_effects::{ItemEffectsExperiment, ItemEffectsTally},
    games::GameDefinition,
};

/// Playing experiments with a game.
pub trait PlayExperiments {
    /// Plays all blocks of an experiment, as [`Experiment::run`]. A break of `on_batch` ends it.
    fn run(
        &self,
        experiment: &Experiment<'_>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_batch: &mut (dyn FnMut(BlockBatch) -> ControlFlow<()> + Send),
    );

    /// Plays all blocks of an experiment and returns the merged statistics, as
    /// [`Experiment::tally`].
    fn tally(
        &self,
        experiment: &Experiment<'_>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Tally;

    /// Returns the experiment that compares several data files, of which this game is the baseline.
    /// `variants` and the experiments after the first belong together.
    fn comparison<'a>(
        &'a self,
        variants: &[&'a dyn BoundGame],
        experiments: Vec<Experiment<'a>>,
        metrics: &'a ComparedMetrics,
    ) -> BoxedExperiment<'a, ComparisonTally>;

    /// Plays the first game of each block with two data files in lockstep, of which this game is
    /// the baseline.
    fn lockstep(
        &self,
        variant: &dyn BoundGame,
        experiments: [Experiment<'_>; 2],
        stop: &AtomicBool,
    ) -> LockstepTally;

    /// Returns the experiment that estimates the effects of the selected items from forks.
    fn item_effects<'a>(
        &'a self,
        experiment: Experiment<'a>,
        is_selected: &'a [bool],
    ) -> BoxedExperiment<'a, ItemEffectsTally>;

    /// Returns the experiment that grows a book of openings by an epoch.
    fn book<'a>(&'a self, plan: BookPlan<'a>) -> BoxedExperiment<'a, BookTally>;
}

impl<G: GameDefinition> PlayExperiments for Bound<G> {
    fn run(
        &self,
        experiment: &Experiment<'_>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_batch: &mut (dyn FnMut(BlockBatch) -> ControlFlow<()> + Send),
    ) {
        let on_batch = |batch| match on_batch(batch) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(()),
        };
        // The receiver knows why it ended the experiment.
        let _ = experiment.run(&self.game, stop, on_games_finished, on_batch);
    }

    fn tally(
        &self,
        experiment: &Experiment<'_>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Tally {
        experiment.tally(&self.game, stop, on_games_finished)
    }

    fn comparison<'a>(
        &'a self,
        variants: &[&'a dyn BoundGame],
        experiments: Vec<Experiment<'a>>,
        metrics: &'a ComparedMetrics,
    ) -> BoxedExperiment<'a, ComparisonTally> {
        let games = [vec![&self.game], Self::games_of(variants)].concat();
        Box::new(ComparisonExperiment { experiments, games, metrics })
    }

    fn lockstep(
        &self,
        variant: &dyn BoundGame,
        [baseline, changed]: [Experiment<'_>; 2],
        stop: &AtomicBool,
    ) -> LockstepTally {
        let games = [&self.game, Self::games_of(&[variant])[0]];
        Lockstep { games, baseline, variant: changed }.run(stop)
    }

    fn item_effects<'a>(
        &'a self,
        experiment: Experiment<'a>,
        is_selected: &'a [bool],
    ) -> BoxedExperiment<'a, ItemEffectsTally> {
        Box::new(ItemEffectsExperiment { game: &self.game, experiment, is_selected })
    }

    fn book<'a>(&'a self, plan: BookPlan<'a>) -> BoxedExperiment<'a, BookTally> {
        Box::new(BookExperiment { game: &self.game, plan })
    }
}
