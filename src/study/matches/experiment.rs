//! The games of a match, pairing by pairing, until all are played or the sequential test stops.

use std::{ops::Range, sync::atomic::AtomicBool};

use anyhow::bail;
use indicatif::ProgressBar;

use super::pairing::{MatchMode, MatchTally, Pairing};
use crate::{
    arena::{
        run::{BlockBatch, Experiment},
        schedule::Rotations,
    },
    bots::BotFactory,
    game::{FullGame, UNITS_PER_WIN},
    run::progress_bar::show_message,
    stats::sprt::{Hypotheses, Sprt, Verdict},
};

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
    fn pairings(&self) -> impl Iterator<Item = (Pairing, Range<u64>)> {
        let blocks = self.blocks_per_pairing;
        let blocks_of = move |index: u64| index * blocks..(index + 1) * blocks;
        (0..).zip(&self.pairings).map(move |(index, &pairing)| (pairing, blocks_of(index)))
    }
}

/// A match in progress.
pub(super) struct MatchExperiment<'a, G> {
    /// The bots in the order of the command line.
    pub(super) bots: &'a [BotFactory<G>],
    /// The results so far.
    pub(super) tally: MatchTally,
    /// The sequential test, if one is run.
    pub(super) sprt: Option<Sprt>,
    /// The verdict of the sequential test, once it has stopped.
    pub(super) verdict: Option<Verdict>,
    bar: &'a ProgressBar,
}

/// The sequential test has stopped; results of later blocks do not count.
struct TestStopped;

impl<'a, G: FullGame> MatchExperiment<'a, G> {
    /// Creates a match that has not begun.
    pub(super) fn new(
        bots: &'a [BotFactory<G>],
        players: usize,
        sprt: Option<&Hypotheses>,
        bar: &'a ProgressBar,
    ) -> Self {
        let units_per_block = UNITS_PER_WIN * players as i64;
        Self {
            bots,
            tally: MatchTally::new(bots.len(), players),
            sprt: sprt.map(|hypotheses| Sprt::new(hypotheses, players, units_per_block)),
            verdict: None,
            bar,
        }
    }

    /// Plays all pairings on the threads of the current pool, until `stop` becomes true or the
    /// sequential test stops.
    pub(super) fn run(&mut self, game: &G, schedule: &Schedule, seed: u64, stop: &AtomicBool) {
        for (pairing, blocks) in schedule.pairings() {
            let lineup = pairing.lineup(self.bots, self.tally.players);
            let experiment =
                Experiment { game_rows: true, ..Experiment::new(game, &lineup, seed, blocks) };
            self.play_pairing(pairing, &experiment, stop);
        }
    }

    fn play_pairing(
        &mut self,
        pairing: Pairing,
        experiment: &Experiment<'_, G>,
        stop: &AtomicBool,
    ) {
        let bar = self.bar;
        let merge = |batch: BlockBatch| {
            for games in batch.game_rows.chunk_by(|one, other| one.block == other.block) {
                let (score, won) = self.tally.add_block(pairing, games);
                if let Some(sprt) = &mut self.sprt {
                    sprt.add_block(score, won);
                    self.verdict = sprt.verdict();
                }
                if self.verdict.is_some() {
                    return Err(TestStopped);
                }
            }
            show_message(bar, || self.message(pairing));
            Ok(())
        };
        // An error means that the test has stopped, which `verdict` records.
        let _ = experiment.run(stop, &|games| bar.inc(games), merge);
    }

    fn message(&self, pairing: Pairing) -> String {
        let [bot, opponent] = [pairing.bot, pairing.opponent].map(|index| self.bots[index].name());
        let results = self.tally.results.get(&(pairing.bot, pairing.opponent));
        let wins = results.copied().unwrap_or_default().win_shares().rate(UNITS_PER_WIN);
        let llr = self.sprt.as_ref().map(|sprt| format!(", LLR {:+.2}", sprt.llr()));
        format!(
            "{bot} against {opponent} {:.1} ± {:.1} %{}",
            100.0 * wins.value,
            50.0 * (wins.high - wins.low),
            llr.unwrap_or_default()
        )
    }
}
