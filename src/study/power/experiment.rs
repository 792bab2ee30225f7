//! The pilot of `power`: the block sums of the rates that a question compares.

use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        run::JobPlayer,
    },
    experiments::turn_order::TurnOrderTallies,
    stats::{
        Merge,
        equivalence::PowerGoal,
        joint::{JointEstimates, JointSums},
        tally,
    },
    study::shared::prelude::*,
};

/// Results of a pilot.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pilot {
    /// Completed blocks.
    pub(crate) blocks: u64,
    /// Games of one data file.
    pub(crate) games: u64,
    /// Games of all data files.
    pub(crate) all_games: u64,
    /// Games that the round limit ended.
    pub(crate) capped: u64,
    /// Number of differences that are tested.
    pub(crate) tests: usize,
    /// Largest variance of a block's difference; none if no difference varies.
    pub(crate) block_variance: Option<f64>,
}

/// Returns the largest variance of the difference of a block.
fn largest_variance(differences: impl Iterator<Item = Effect>, blocks: u64) -> Option<f64> {
    let testable = differences.filter(Effect::is_testable);
    let variances = testable.map(|effect| effect.standard_error.powi(2) * blocks as f64);
    variances.max_by(f64::total_cmp)
}

/// Returns the largest variance of a block's difference of two rates.
fn variance_of_rates(rates: &JointEstimates, pairs: &[(usize, usize)]) -> Option<f64> {
    let differences = pairs.iter().map(|&(one, other)| rates.difference(one, other));
    largest_variance(differences, rates.blocks)
}

tally! {
    /// Block sums of a match.
    pub(super) struct MatchSums {
        games: u64,
        capped: u64,
        /// Win shares of the first bot, and of the others.
        wins: JointSums,
    }
}

/// A match in which the first bot is compared with the others.
pub(super) struct MatchPilot<'a> {
    pub(super) game: &'a BoundGame,
    pub(super) experiment: Experiment<'a>,
}

impl BlockExperiment for MatchPilot<'_> {
    type Tally = MatchSums;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn player(&self) -> JobPlayer<'_, MatchSums> {
        let mut player = self.game.block_player(self.experiment.clone());
        play_by_block(self, move |block, on_games_finished, sums| {
            let tally = player(block..block + 1, on_games_finished).tally;
            let mut wins = tally.bots.iter().map(|seats| seats[ALL_SEATS].wins.totals());
            let first = wins.next().unwrap_or_default();
            let others = wins.fold((0, 0), |mut sum, next| {
                sum.merge(&next);
                sum
            });
            sums.wins.add_block(&[first, others]);
            sums.games += tally.games;
            sums.capped += tally.health.capped.x as u64;
        })
    }
}

impl Pilot {
    /// Analyses a match.
    pub(super) fn of_match(sums: &MatchSums) -> Self {
        let rates = sums.wins.estimates(UNITS_PER_WIN);
        let &MatchSums { games, capped, .. } = sums;
        Self {
            blocks: rates.blocks,
            games,
            all_games: games,
            capped,
            tests: 1,
            block_variance: variance_of_rates(&rates, &[(0, 1)]),
        }
    }

    /// Analyses turn positions, or with `is_comparison` the first player under two data files.
    pub(super) fn of_turn_order(
        tallies: &TurnOrderTallies,
        is_comparison: bool,
        seats: usize,
    ) -> Self {
        let TurnOrderTallies { files, first_player } = tallies;
        let [blocks, games] = files.first().map_or([0; 2], |file| [file.blocks, file.games]);
        let rates = if is_comparison {
            // A tally counts the first player minus the mean, times the number of seats. The mean
            // varies with the number of games without a winner only.
            first_player.estimates(UNITS_PER_WIN * seats as i64)
        } else {
            files.first().cloned().unwrap_or_default().joint_wins().estimates(seats, UNITS_PER_WIN)
        };
        let pairs: Vec<_> = rates.pairs().collect();
        Self {
            blocks,
            games,
            all_games: files.iter().map(|file| file.games).sum(),
            capped: files.iter().map(|file| file.capped).sum(),
            tests: pairs.len(),
            block_variance: variance_of_rates(&rates, &pairs),
        }
    }

    /// Analyses the access to items in games without intervention.
    pub(super) fn of_items(
        catalog: &ItemCatalog,
        is_selected: &[bool],
        tally: &ItemEffectsTally,
    ) -> Self {
        let &ItemEffectsTally { blocks, games, capped, .. } = tally;
        let items = catalog.tables().iter().flat_map(|table| table.ids().iter());
        let effects = items.filter(|item| is_selected[item.index()]).map(|item| {
            let sums = tally.forks.get(&(item, Stratum::All)).copied().unwrap_or_default();
            sums.effect(Estimand::Access, SeatMetric::WinShare)
        });
        let effects: Vec<_> = effects.collect();
        Self {
            blocks,
            games,
            all_games: games,
            capped,
            tests: effects.iter().filter(|effect| effect.is_testable()).count(),
            block_variance: largest_variance(effects.into_iter(), blocks),
        }
    }

    /// Returns the number of games of each data file for a goal, given the variance of a block.
    pub(super) fn games_needed(&self, goal: PowerGoal, power: f64, variance: f64) -> f64 {
        let games_per_block = self.games as f64 / self.blocks as f64;
        (goal.blocks(variance, power, self.tests) * games_per_block).ceil()
    }
}
