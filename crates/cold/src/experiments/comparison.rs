//! Plays the same blocks under several data files or with several lineups and sums their paired
//! differences.

use std::ops::Range;

use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        compared_metrics::ComparedMetrics,
        run::{Experiment, JobPlayer},
    },
    erased::AnyGame,
    stats::{paired::PairedSums, tally},
};

/// An experiment that plays the same deals under several data files or with several lineups.
#[derive(Clone, Debug)]
pub struct ComparisonExperiment<'a> {
    /// The baseline and its variants, with the same seed, blocks and number of distinct bots.
    pub experiments: Vec<Experiment<'a>>,
    /// The game of each.
    pub games: Vec<&'a AnyGame>,
    /// The metrics that are compared.
    pub metrics: &'a ComparedMetrics,
}

tally! {
    /// Results of a comparison, summed over blocks.
    pub struct ComparisonTally {
        /// Completed blocks.
        pub blocks: u64,
        /// Games of the baseline, and of each variant.
        pub games: u64,
        /// Games of all experiments that the round limit ended.
        pub capped: u64,
        /// For each variant and metric, the paired observations of baseline and variant.
        pub differences: Vec<Vec<PairedSums>>,
    }
}

impl ComparisonTally {
    /// Creates an empty tally for a baseline and its variants, `experiments` in total.
    pub fn new(experiments: usize, metrics: usize) -> Self {
        Self {
            differences: vec![vec![PairedSums::default(); metrics]; experiments.saturating_sub(1)],
            ..Self::default()
        }
    }
}

impl BlockExperiment for ComparisonExperiment<'_> {
    type Tally = ComparisonTally;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiments[0]
    }

    fn blocks(&self) -> Range<u64> {
        self.experiments.first().map_or(0..0, |one| one.blocks.clone())
    }

    fn games_per_block(&self) -> u64 {
        self.experiments.iter().map(|one| one.rotations().games_per_block()).sum()
    }

    fn empty_tally(&self) -> ComparisonTally {
        ComparisonTally::new(self.experiments.len(), self.metrics.metrics.len())
    }

    fn player(&self) -> JobPlayer<'_, ComparisonTally> {
        let games = self.games.iter().zip(&self.experiments);
        let players = games.map(|(game, experiment)| game.hot().block_player(experiment.clone()));
        let mut players: Vec<_> = players.collect();
        play_by_block(self, move |block, on_games_finished, tally| {
            let mut baseline = Vec::new();
            for (index, player) in players.iter_mut().enumerate() {
                let batch = player(block..block + 1, on_games_finished);
                tally.capped += batch.tally.health.capped.x as u64;
                let observations = self.metrics.block_observations(index, &batch.tally);
                if let Some(variant) = index.checked_sub(1) {
                    tally.differences[variant]
                        .iter_mut()
                        .zip(baseline.iter().zip(observations))
                        .for_each(|(sums, (&baseline, variant))| sums.add_block(baseline, variant));
                } else {
                    baseline = observations.collect();
                    tally.games += batch.tally.games;
                }
            }
            tally.blocks += 1;
        })
    }
}
