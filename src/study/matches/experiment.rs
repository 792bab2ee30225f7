//! The games of a match: the pairings, each with blocks of its own.

use std::ops::Range;

use anyhow::bail;

use super::pairing::{MatchMode, MatchTally, Pairing};
use crate::{
    arena::{block_experiment::BlockExperiment, run::Experiment, schedule::Rotations},
    bots::{Bot, BotFactory},
    game::{FullGame, UNITS_PER_WIN},
    stats::sprt::{Hypotheses, Sprt},
};

/// Largest number of blocks in a job, which keeps its games in memory.
const MAX_BLOCKS_PER_JOB: u64 = 8;

/// The pairings of a match with the blocks of each.
pub(super) struct Schedule {
    pairings: Vec<Pairing>,
    pub(super) blocks_per_pairing: u64,
    /// Number of games of a block: one for each rotation.
    pub(super) games_per_block: u64,
    /// Number of games of all pairings.
    pub(super) games: u64,
}

impl Schedule {
    /// Creates the schedule of a match with at least `games_per_pairing` games of each pairing.
    ///
    /// # Errors
    /// If there are more games than can be counted.
    pub(super) fn new(
        mode: MatchMode,
        bots: usize,
        players: usize,
        games_per_pairing: u64,
    ) -> anyhow::Result<Self> {
        let is_first_bot: Vec<bool> = (0..players).map(|seat| seat == 0).collect();
        let rotations = Rotations::new(&is_first_bot);
        let blocks_per_pairing = rotations.blocks_for_games(games_per_pairing);
        let pairings = mode.pairings(bots, players);
        let count = pairings.len() as u64;
        let games_per_block = rotations.games_per_block();
        let games = blocks_per_pairing.checked_mul(games_per_block);
        let Some(games) = games.and_then(|games| games.checked_mul(count)) else {
            bail!(
                "--games: expected fewer than {}, found {games_per_pairing}",
                u64::MAX / count - games_per_block
            );
        };
        Ok(Self { pairings, blocks_per_pairing, games_per_block, games })
    }

    /// Returns the pairings with their blocks. No two pairings share a deal, so their results are
    /// independent.
    pub(super) fn pairings(&self) -> impl Iterator<Item = (Pairing, Range<u64>)> {
        let blocks = self.blocks_per_pairing;
        let blocks_of = move |index: u64| index * blocks..(index + 1) * blocks;
        (0..).zip(&self.pairings).map(move |(index, &pairing)| (pairing, blocks_of(index)))
    }
}

/// The games of a pairing. With a sequential test they end when the test decides.
pub(super) struct PairingExperiment<'a, G> {
    pub(super) pairing: Pairing,
    /// The bots in the order of the command line.
    pub(super) bots: &'a [BotFactory<G>],
    /// The games, with game rows.
    pub(super) experiment: Experiment<'a, G>,
    /// The sequential test, if one is run.
    pub(super) sprt: Option<Hypotheses>,
}

impl<G: FullGame> PairingExperiment<'_, G> {
    /// Returns the sequential test of some blocks, if one is run.
    pub(super) fn sequential_test(&self, tally: &MatchTally) -> Option<Sprt> {
        let units_per_block = UNITS_PER_WIN * tally.players as i64;
        let mut sprt = Sprt::new(self.sprt.as_ref()?, tally.players, units_per_block);
        for (&(score, won), &blocks) in &tally.scores {
            sprt.add_blocks(score, won, blocks);
        }
        Some(sprt)
    }

    /// Returns a message with the win rate so far.
    pub(super) fn message(&self, tally: &MatchTally) -> String {
        let Pairing { bot, opponent } = self.pairing;
        let results = tally.results.get(&(bot, opponent)).copied().unwrap_or_default();
        let wins = results.win_shares().rate(UNITS_PER_WIN);
        let [bot, opponent] = [bot, opponent].map(|index| self.bots[index].name());
        let llr = self.sequential_test(tally).map(|sprt| format!(", LLR {:+.2}", sprt.llr()));
        format!(
            "{bot} against {opponent} {:.1} ± {:.1} %{}",
            100.0 * wins.value,
            50.0 * (wins.high - wins.low),
            llr.unwrap_or_default()
        )
    }
}

impl<G: FullGame> BlockExperiment for PairingExperiment<'_, G> {
    type Tally = MatchTally;
    type Worker = Vec<Box<dyn Bot<G>>>;

    fn blocks(&self) -> Range<u64> {
        self.experiment.blocks.clone()
    }

    fn games_per_block(&self) -> u64 {
        self.experiment.rotations().games_per_block()
    }

    fn empty_tally(&self) -> MatchTally {
        MatchTally::new(self.bots.len(), self.experiment.game.seats())
    }

    fn build_worker(&self) -> Self::Worker {
        self.experiment.build_bots()
    }

    fn play_job(
        &self,
        bots: &mut Self::Worker,
        blocks: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> MatchTally {
        let batch = self.experiment.play_blocks(bots, blocks, on_games_finished);
        let mut tally = self.empty_tally();
        for games in batch.game_rows.chunk_by(|one, other| one.block == other.block) {
            tally.add_block(self.pairing, games);
        }
        tally
    }

    /// Returns 1 for a sequential test, which looks at each block.
    fn max_blocks_per_job(&self) -> u64 {
        if self.sprt.is_some() { 1 } else { MAX_BLOCKS_PER_JOB }
    }

    fn is_decided(&self, tally: &MatchTally) -> bool {
        self.sequential_test(tally).is_some_and(|sprt| sprt.verdict().is_some())
    }
}
