//! The pilot of `power`: the block sums of the rates that a question compares.

use std::sync::atomic::AtomicBool;

use super::arguments::Question;
use crate::{
    arena::{
        run::{Experiment, run_and_merge},
        tally::ALL_SEATS,
    },
    game::{FullGame, UNITS_PER_WIN},
    stats::{
        Merge,
        equivalence::Goal,
        joint::{JointEstimates, JointSums},
        merge_fields,
        paired::Effect,
    },
    study::turn_order::experiment::{TurnOrderExperiment, TurnOrderTallies},
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
    /// The compared rates.
    pub(crate) rates: JointEstimates,
    /// The pairs of rates whose differences are tested.
    pub(crate) pairs: Vec<(usize, usize)>,
}

/// Block sums of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct MatchSums {
    games: u64,
    capped: u64,
    /// Win shares of the first bot, and of the others.
    wins: JointSums,
}

merge_fields!(MatchSums { games, capped, wins });

impl Pilot {
    /// Plays a pilot. `experiments` are those of the data files, with the same blocks.
    pub(super) fn play<G: FullGame>(
        question: Question,
        experiments: Vec<Experiment<'_, G>>,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> Self {
        if question == Question::Match {
            let sums = play_match(&experiments[0], stop, on_games_finished);
            let rates = sums.wins.estimates(UNITS_PER_WIN);
            let blocks = rates.blocks;
            let MatchSums { games, capped, .. } = sums;
            return Self { blocks, games, all_games: games, capped, rates, pairs: vec![(0, 1)] };
        }
        let seats = experiments[0].game.seats();
        let tallies = TurnOrderExperiment { experiments }.run(stop, on_games_finished);
        let TurnOrderTallies { files, first_player } = &tallies;
        let [blocks, games] = files.first().map_or([0; 2], |file| [file.blocks, file.games]);
        let rates = if question == Question::Compare {
            // A tally counts the first player minus the mean, times the number of seats. The mean
            // varies with the number of games without a winner only.
            first_player.estimates(UNITS_PER_WIN * seats as i64)
        } else {
            files.first().cloned().unwrap_or_default().joint_wins().estimates(seats, UNITS_PER_WIN)
        };
        Self {
            blocks,
            games,
            all_games: files.iter().map(|file| file.games).sum(),
            capped: files.iter().map(|file| file.capped).sum(),
            pairs: rates.pairs().collect(),
            rates,
        }
    }

    /// Returns the largest variance of a block's difference of two rates, or nothing if none
    /// varies.
    pub(super) fn block_variance(&self) -> Option<f64> {
        let differences = self.pairs.iter().map(|&(one, other)| self.rates.difference(one, other));
        let testable = differences.filter(Effect::is_testable);
        let variances = testable.map(|effect| effect.standard_error.powi(2) * self.blocks as f64);
        variances.max_by(f64::total_cmp)
    }

    /// Returns the number of games of each data file for a goal, given the variance of a block.
    pub(super) fn games_needed(&self, goal: Goal, power: f64, variance: f64) -> f64 {
        let games_per_block = self.games as f64 / self.blocks as f64;
        (goal.blocks(variance, power, self.pairs.len()) * games_per_block).ceil()
    }
}

fn play_match<G: FullGame>(
    experiment: &Experiment<'_, G>,
    stop: &AtomicBool,
    on_games_finished: &(dyn Fn(u64) + Sync),
) -> MatchSums {
    let play = |bots: &mut Vec<_>, job: std::ops::Range<u64>| {
        let mut sums = MatchSums::default();
        for block in job {
            let tally = experiment.play_blocks(bots, block..block + 1, on_games_finished).tally;
            let wins = tally.bots.iter().map(|seats| seats[ALL_SEATS].wins.totals());
            let mut wins = wins;
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
    };
    let blocks = experiment.blocks.clone();
    run_and_merge(MatchSums::default(), blocks, stop, || experiment.build_bots(), play)
}
