//! Plans: what the winners took, in clusters, and how a bot fares that plays by each of them.

pub(super) mod clusters;
mod matrix;
pub(super) mod page;
pub(super) mod tables;

use crate::{
    arena::{run::Experiment, tally::Tally},
    bots::BotFactory,
    bound::BoundGame,
    run::study_run::StudyRun,
    study::shared::tallied_games::{GAMES_OF_TEST, TalliedGames},
};
pub(crate) use clusters::PlanClusters;
pub(crate) use matrix::PlanMatrix;

/// The name of play without a plan.
const FREE: &str = "free play";

/// The plans of a run.
#[derive(Clone, Debug)]
pub(crate) struct PlanAnalysis {
    pub(crate) clusters: PlanClusters,
    /// The results of the plans against each other; `None` if they were not played.
    pub(crate) matrix: Option<PlanMatrix>,
}

impl PlanAnalysis {
    /// Analyses the games between plans.
    pub(crate) fn new(PlannedGames { clusters, tallies }: PlannedGames, players: usize) -> Self {
        let matrix = PlanMatrix::new(clusters.plans.len() + 1, players, &tallies);
        Self { clusters, matrix }
    }

    /// Returns the name of a plan; the first is free play.
    pub(crate) fn name(&self, plan: usize) -> String {
        match plan.checked_sub(1) {
            Some(plan) => self.clusters.plans[plan].name.clone(),
            None => FREE.to_owned(),
        }
    }
}

/// The clusters of the winners, and the games between their plans.
#[derive(Debug)]
pub(crate) struct PlannedGames {
    clusters: PlanClusters,
    /// The games of each pair; empty if no plans are played.
    tallies: Vec<Tally>,
}

impl PlannedGames {
    /// Divides winners without playing their plans.
    pub(crate) const fn unplayed(clusters: PlanClusters) -> Self {
        Self { clusters, tallies: Vec::new() }
    }

    /// Plays the plans of the winners of the run with its bot, and free play, against each other:
    /// one seat by one of them, the others by another. If the run has too few games, none are
    /// played.
    ///
    /// # Errors
    /// If a checkpoint can't be read or written.
    pub(crate) fn play(
        study: &mut StudyRun<'_>,
        game: &BoundGame,
        clusters: PlanClusters,
        bot: &BotFactory,
        (games, seed): (u64, u64),
    ) -> anyhow::Result<Self> {
        let games = GAMES_OF_TEST.of_run(games);
        if games == 0 || clusters.plans.len() < 2 {
            return Ok(Self::unplayed(clusters));
        }
        let planned = clusters.plans.iter().map(|plan| {
            let name = format!("{} ({})", bot.name(), plan.name);
            game.plan_bot(bot, &name, plan.targets)
        });
        let bots: Vec<_> = [bot.clone()].into_iter().chain(planned).collect();
        let seats = game.seats();
        let lineups: Vec<Vec<_>> = matrix::pairs(bots.len(), seats)
            .map(|(plan, other)| {
                let seat = |seat| bots[if seat == 0 { plan } else { other }].clone();
                (0..seats).map(seat).collect()
            })
            .collect();
        // Each pair has deals of its own, so that the pairs are independent.
        let blocks = games.div_ceil(seats as u64);
        let experiments: Vec<_> = (0..)
            .zip(&lineups)
            .map(|(pair, lineup): (u64, _)| TalliedGames {
                game,
                experiment: Experiment::new(lineup, seed, pair * blocks..(pair + 1) * blocks),
            })
            .collect();
        let experiments: Vec<_> = experiments.iter().map(TalliedGames::boxed).collect();
        let message = |pair: usize, _: &Tally| format!("plans: {}", lineups[pair][0].name());
        let tallies = study.play(&experiments, message)?;
        Ok(Self { clusters, tallies })
    }

    /// Returns the number of games.
    pub(crate) fn games(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.games).sum()
    }
}
