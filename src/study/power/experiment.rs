//! The pilot of `power`: the block sums of the rates that a question compares.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::arguments::Question;
use crate::{
    arena::{block_experiment::BlockExperiment, run::Experiment, tally::ALL_SEATS},
    bots::Bot,
    game::{FullGame, ItemCatalog, UNITS_PER_WIN},
    run::lineups::LineupResult,
    stats::{
        Merge,
        equivalence::Goal,
        joint::{JointEstimates, JointSums},
        merge_fields,
        paired::Effect,
    },
    study::{
        ablate::{analysis::ItemEffectsAnalysis, experiment::ItemEffectsTally},
        turn_order::experiment::{TurnOrderExperiment, TurnOrderTallies},
    },
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

/// Block sums of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct MatchSums {
    games: u64,
    capped: u64,
    /// Win shares of the first bot, and of the others.
    wins: JointSums,
}

merge_fields!(MatchSums { games, capped, wins });

/// The games of a pilot.
pub(super) struct PilotExperiment<'a, G> {
    pub(super) question: Question,
    /// The games under each data file, with the same blocks.
    pub(super) games: TurnOrderExperiment<'a, G>,
}

/// Block sums of a pilot: of a match, or of turn positions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct PilotTally {
    wins: MatchSums,
    turn_order: TurnOrderTallies,
}

merge_fields!(PilotTally { wins, turn_order });

impl<G: FullGame> BlockExperiment for PilotExperiment<'_, G> {
    type Tally = PilotTally;
    type Worker = Vec<Vec<Box<dyn Bot<G>>>>;

    fn blocks(&self) -> Range<u64> {
        self.games.blocks()
    }

    fn games_per_block(&self) -> u64 {
        self.games.games_per_block()
    }

    fn empty_tally(&self) -> PilotTally {
        PilotTally { turn_order: self.games.empty_tally(), ..PilotTally::default() }
    }

    fn build_worker(&self) -> Self::Worker {
        self.games.build_worker()
    }

    fn play_job(
        &self,
        bots: &mut Self::Worker,
        job: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> PilotTally {
        if self.question == Question::Match {
            let wins = play_match(&self.games.experiments[0], &mut bots[0], job, on_games_finished);
            PilotTally { wins, ..PilotTally::default() }
        } else {
            let turn_order = self.games.play_job(bots, job, on_games_finished);
            PilotTally { turn_order, ..PilotTally::default() }
        }
    }
}

impl Pilot {
    /// Analyses the games of this many seats.
    pub(super) fn new(question: Question, seats: usize, tally: &PilotTally) -> Self {
        let PilotTally { wins: sums, turn_order: tallies } = tally;
        if question == Question::Match {
            let rates = sums.wins.estimates(UNITS_PER_WIN);
            let &MatchSums { games, capped, .. } = sums;
            return Self {
                blocks: rates.blocks,
                games,
                all_games: games,
                capped,
                tests: 1,
                block_variance: variance_of_rates(&rates, &[(0, 1)]),
            };
        }
        let TurnOrderTallies { files, first_player } = tallies;
        let [blocks, games] = files.first().map_or([0; 2], |file| [file.blocks, file.games]);
        let rates = if question == Question::Compare {
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
        result: &LineupResult<ItemEffectsTally>,
    ) -> Self {
        let &ItemEffectsTally { blocks, games, capped, .. } = &result.tally;
        let results = std::slice::from_ref(result);
        let analysis = ItemEffectsAnalysis::new(catalog, is_selected, results);
        let effects = analysis.win_share_access();
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
    pub(super) fn games_needed(&self, goal: Goal, power: f64, variance: f64) -> f64 {
        let games_per_block = self.games as f64 / self.blocks as f64;
        (goal.blocks(variance, power, self.tests) * games_per_block).ceil()
    }
}

/// Plays blocks in which the first bot is compared with the others.
fn play_match<G: FullGame>(
    experiment: &Experiment<'_, G>,
    bots: &mut [Box<dyn Bot<G>>],
    job: Range<u64>,
    on_games_finished: &(dyn Fn(u64) + Sync),
) -> MatchSums {
    let mut sums = MatchSums::default();
    for block in job {
        let tally = experiment.play_blocks(bots, block..block + 1, on_games_finished).tally;
        let mut wins = tally.bots.iter().map(|seats| seats[ALL_SEATS].wins.totals());
        let first = wins.next().unwrap_or_default();
        let others = wins.fold((0, 0), |mut sum, next| {
            sum.merge(&next);
            sum
        });
        sums.wins.add_block(&[first, others]);
        sums.games += tally.games;
        sums.capped += tally.health.capped.x as u64;
    }
    sums
}
