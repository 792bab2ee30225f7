//! Experiments over blocks.

use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

use super::BoundGame;
use crate::{
    analysis::book::{BookExperiment, BookPlan, BookTally},
    arena::{
        block_experiment::BoxedExperiment,
        compared_metrics::ComparedMetrics,
        intervention::Restriction,
        item_effects::{ItemEffectsTally, fork::ForkArms},
        restrict::{RestrictTally, RestrictionPair},
        run::{BlockBatch, BlockPlayer, Experiment, run_jobs_in_order},
    },
    benchmark::Benchmark,
    experiments::{
        calibration::{CalibrationExperiment, SearchedGames},
        comparison::{ComparisonExperiment, ComparisonTally},
        decision_loss::{JudgedGames, LossExperiment, LossSettings},
        turn_order::{TurnOrderExperiment, TurnOrderTallies},
    },
    search::network::NetworkBot,
    states::StateTable,
};

impl BoundGame {
    /// Returns a player of the blocks of an experiment, for one thread.
    pub fn block_player<'a>(&'a self, experiment: Experiment<'a>) -> BlockPlayer<'a> {
        self.rules.hot().block_player(experiment)
    }

    /// Plays all blocks of an experiment, as [`Experiment::run`]. A break of `on_batch` ends it.
    pub fn run(
        &self,
        experiment: &Experiment<'_>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_batch: &mut (dyn FnMut(BlockBatch) -> ControlFlow<()> + Send),
    ) {
        let worker = || self.block_player(experiment.clone());
        let play = |player: &mut BlockPlayer<'_>, job| player(job, on_games_finished);
        let on_batch = |batch| match on_batch(batch) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(()),
        };
        let (blocks, max_blocks) = (experiment.blocks.clone(), experiment.max_blocks_per_job());
        // The receiver knows why it ended the experiment.
        let _ = run_jobs_in_order(blocks, max_blocks, stop, worker, play, on_batch);
    }

    /// Returns the experiment that compares several data files, of which this game is the baseline.
    /// `variants` and the experiments after the first belong together.
    pub fn comparison<'a>(
        &'a self,
        variants: &[&'a Self],
        experiments: Vec<Experiment<'a>>,
        metrics: &'a ComparedMetrics,
    ) -> BoxedExperiment<'a, ComparisonTally> {
        let games = [&[self], variants].concat().into_iter().map(Self::rules).collect();
        Box::new(ComparisonExperiment { experiments, games, metrics })
    }

    /// Returns the experiment that estimates the effects of the selected items from forks.
    pub fn item_effects<'a>(
        &'a self,
        experiment: Experiment<'a>,
        is_selected: &'a [bool],
        arms: ForkArms,
    ) -> BoxedExperiment<'a, ItemEffectsTally> {
        self.rules.hot().item_effects(experiment, is_selected, arms)
    }

    /// Returns the experiment that grows a book of openings by an epoch.
    pub fn book<'a>(&'a self, plan: BookPlan<'a>) -> BoxedExperiment<'a, BookTally> {
        Box::new(BookExperiment { game: &self.rules, plan })
    }

    /// Returns the experiment that keeps the searches behind all decisions, of the games for which
    /// chance draws this mode.
    pub fn calibration<'a>(
        &'a self,
        experiment: Experiment<'a>,
        mode: Option<&str>,
    ) -> BoxedExperiment<'a, SearchedGames> {
        let mode = mode.map(str::to_owned);
        Box::new(CalibrationExperiment { game: &self.rules, experiment, mode })
    }

    /// Returns the experiment that judges the decisions of bots in positions of the games.
    pub fn decision_loss<'a>(
        &'a self,
        experiment: Experiment<'a>,
        settings: LossSettings<'a>,
    ) -> BoxedExperiment<'a, JudgedGames> {
        Box::new(LossExperiment { game: &self.rules, experiment, settings })
    }

    /// Returns the experiment that plays all deals without restrictions and with each set, and
    /// compares the joint effects of pairs of sets with their sums.
    pub fn restriction<'a>(
        &'a self,
        experiment: Experiment<'a>,
        restrictions: &'a [Vec<Restriction>],
        pairs: &'a [RestrictionPair],
    ) -> BoxedExperiment<'a, RestrictTally> {
        self.rules.hot().restriction(experiment, restrictions, pairs)
    }

    /// Returns the experiment that plays the same deals with several data files, of which this game
    /// is one of `games`.
    pub fn turn_order<'a>(
        &'a self,
        games: &[&'a Self],
        experiment: Experiment<'a>,
    ) -> BoxedExperiment<'a, TurnOrderTallies> {
        let games = games.iter().map(|game| game.rules()).collect();
        Box::new(TurnOrderExperiment { experiment, games })
    }

    /// Returns the kinds of work that measure speed, with a network whose evaluations are measured.
    pub fn benchmark<'a>(&'a self, network: Option<NetworkBot>) -> Box<dyn Benchmark + 'a> {
        self.rules.hot().benchmark(network)
    }

    /// Returns the positions of the game, with a copy of its rules.
    ///
    /// ```
    /// use watershed::{games::built_in_games, rng::ChanceStreams};
    ///
    /// let entry = built_in_games().default_game();
    /// let states = entry.open(&entry.default_document(), 2)?.states();
    /// let mut state = states.initial();
    /// state.draw_chance(&mut ChanceStreams::new(1, 0, states.chance_sources()));
    /// let mut legal = Vec::new();
    /// state.list_numbers(&mut legal);
    /// let first = state.name(legal[0]).expect("a legal action has a name");
    /// assert_eq!(state.find(&first.notation), Ok(Some(legal[0])));
    /// assert!(!state.apply(states.decisions().len() as u32), "no action has this number");
    /// assert!(state.apply(legal[0]));
    /// # Ok::<(), watershed::ConfigError>(())
    /// ```
    pub fn states(&self) -> Arc<dyn StateTable> {
        self.rules.hot().states()
    }
}
