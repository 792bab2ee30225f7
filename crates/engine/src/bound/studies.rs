//! The experiments of single studies.

use std::ops::Range;

use super::{Bound, BoundGame};
use crate::{
    arena::{
        block_experiment::BoxedExperiment,
        intervention::Restriction,
        run::{BlockBatch, Experiment},
    },
    benchmark::{Benchmark, GameBenchmark},
    experiments::{
        calibration::{CalibrationExperiment, SearchedGames},
        decision_loss::{JudgedGames, LossExperiment, LossSettings},
        restrict::{RestrictExperiment, RestrictTally, RestrictionPair},
        turn_order::{TurnOrderExperiment, TurnOrderTallies},
    },
    games::GameDefinition,
    search::network::NetworkBot,
};

/// A player of contiguous blocks with bots of its own. The function gets the number of games just
/// finished.
pub type BlockPlayer<'a> = Box<dyn FnMut(Range<u64>, &(dyn Fn(u64) + Sync)) -> BlockBatch + 'a>;

/// Playing the experiments of single studies with a game.
pub trait PlayStudies {
    /// Returns a player of the blocks of an experiment, for one thread.
    fn block_player<'a>(&'a self, experiment: &'a Experiment<'a>) -> BlockPlayer<'a>;

    /// Returns the experiment that keeps the searches behind all decisions, of the games for which
    /// chance draws this mode.
    fn calibration<'a>(
        &'a self,
        experiment: Experiment<'a>,
        mode: Option<&str>,
    ) -> BoxedExperiment<'a, SearchedGames>;

    /// Returns the experiment that judges the decisions of bots in positions of the games.
    fn decision_loss<'a>(
        &'a self,
        experiment: Experiment<'a>,
        settings: LossSettings<'a>,
    ) -> BoxedExperiment<'a, JudgedGames>;

    /// Returns the experiment that plays all deals without restrictions and with each set, and
    /// compares the joint effects of pairs of sets with their sums.
    fn restriction<'a>(
        &'a self,
        experiment: Experiment<'a>,
        restrictions: &'a [Vec<Restriction>],
        pairs: &'a [RestrictionPair],
    ) -> BoxedExperiment<'a, RestrictTally>;

    /// Returns the experiment that plays the same deals with several data files, of which this game
    /// is one of `games`.
    fn turn_order<'a>(
        &'a self,
        games: &[&'a dyn BoundGame],
        experiment: Experiment<'a>,
    ) -> BoxedExperiment<'a, TurnOrderTallies>;

    /// Returns the kinds of work that measure speed, with a network whose evaluations are measured.
    fn benchmark<'a>(&'a self, network: Option<NetworkBot>) -> Box<dyn Benchmark + 'a>;

    /// Returns the notations of all decisions.
    fn decision_notations(&self) -> Vec<String>;
}

impl<G: GameDefinition> PlayStudies for Bound<G> {
    fn block_player<'a>(&'a self, experiment: &'a Experiment<'a>) -> BlockPlayer<'a> {
        let mut bots = experiment.build_bots();
        Box::new(move |blocks, on_games_finished| {
            experiment.play_blocks(&self.game, &mut bots, blocks, on_games_finished)
        })
    }

    fn calibration<'a>(
        &'a self,
        experiment: Experiment<'a>,
        mode: Option<&str>,
    ) -> BoxedExperiment<'a, SearchedGames> {
        let mode = mode.map(str::to_owned);
        Box::new(CalibrationExperiment { game: &self.game, experiment, mode })
    }

    fn decision_loss<'a>(
        &'a self,
        experiment: Experiment<'a>,
        settings: LossSettings<'a>,
    ) -> BoxedExperiment<'a, JudgedGames> {
        Box::new(LossExperiment { game: &self.game, experiment, settings })
    }

    fn restriction<'a>(
        &'a self,
        experiment: Experiment<'a>,
        restrictions: &'a [Vec<Restriction>],
        pairs: &'a [RestrictionPair],
    ) -> BoxedExperiment<'a, RestrictTally> {
        Box::new(RestrictExperiment { game: &self.game, experiment, restrictions, pairs })
    }

    fn turn_order<'a>(
        &'a self,
        games: &[&'a dyn BoundGame],
        experiment: Experiment<'a>,
    ) -> BoxedExperiment<'a, TurnOrderTallies> {
        Box::new(TurnOrderExperiment { experiment, games: Self::games_of(games) })
    }

    fn benchmark<'a>(&'a self, network: Option<NetworkBot>) -> Box<dyn Benchmark + 'a> {
        Box::new(GameBenchmark::new(&self.game, network))
    }

    fn decision_notations(&self) -> Vec<String> {
        let decisions = self.game.all_decisions();
        decisions.into_iter().map(|action| self.game.action_text(action)).collect()
    }
}
