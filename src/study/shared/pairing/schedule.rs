//! The games of a match: the pairings, each with blocks of its own.

use super::{MatchTally, Pairing};
use crate::{
    arena::{
        block_experiment::{BlockExperiment, BoxedExperiment},
        run::JobPlayer,
    },
    run::command::program_name,
    stats::{confidence_sequence::look_schedule, sprt::Sprt},
    study::shared::prelude::*,
};

/// Largest number of blocks in a job, which keeps its games in memory.
const MAX_BLOCKS_PER_JOB: u64 = 8;

/// Returns an error if no bot can win more games than another.
pub(crate) fn ensure_competitive(
    game: &BoundGame,
    selection: &GameSelection,
) -> anyhow::Result<()> {
    if selection.players < 2 {
        bail!(
            "--players: expected 2 or more for games between bots, found {}; \
             `{} simulate --game {} --players {} --panel BOT,BOT` compares how often bots win \
             alone",
            selection.players,
            program_name(),
            selection.game.id,
            selection.players
        );
    }
    if game.is_cooperative() {
        bail!(
            "{}: all seats win or lose together, so a match cannot compare bots; expected a \
             competitive game, or `{} simulate --panel BOT,BOT`, which compares how often games \
             are won",
            selection.document.name,
            program_name()
        );
    }
    Ok(())
}

/// The end of a pairing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum PairingEnd {
    /// All games are played.
    AllGames,
    /// The games up to the decision of a sequential test are played.
    Test(Hypotheses),
    /// The games up to the look at which the intervals of this sequence decide which bot is
    /// stronger are played.
    Decided(ConfidenceSequence),
}

impl PairingEnd {
    /// Returns the hypotheses of the sequential test.
    const fn hypotheses(&self) -> Option<&Hypotheses> {
        match self {
            Self::Test(hypotheses) => Some(hypotheses),
            Self::AllGames | Self::Decided(_) => None,
        }
    }

    /// Returns the intervals of games that end with a decision.
    pub(crate) const fn sequence(self) -> Option<ConfidenceSequence> {
        match self {
            Self::Decided(sequence) => Some(sequence),
            Self::AllGames | Self::Test(_) => None,
        }
    }
}

/// The pairings of a match with the blocks of each.
pub(crate) struct Schedule {
    /// The pairings with their blocks. No two pairings share a deal, so their results are
    /// independent.
    pub(crate) pairings: Vec<(Pairing, Range<u64>)>,
    /// Maximum number of blocks of a pairing.
    pub(crate) blocks_per_pairing: u64,
    /// Number of games of a block: one for each rotation.
    pub(crate) games_per_block: u64,
    /// Number of games of all pairings.
    pub(crate) games: u64,
}

impl Schedule {
    /// Creates the schedule of a match with at least `games_per_pairing` games of each pairing, or
    /// as many as the limit of the pairing.
    ///
    /// # Errors
    /// If there are more games than can be counted.
    pub(crate) fn new(
        pairings: &[(Pairing, Option<u64>)],
        players: usize,
        games_per_pairing: u64,
    ) -> anyhow::Result<Self> {
        let is_first_bot: Vec<bool> = (0..players).map(|seat| seat == 0).collect();
        let rotations = Rotations::new(&is_first_bot);
        let blocks_per_pairing = rotations.blocks_for_games(games_per_pairing);
        let count = pairings.len() as u64;
        let games_per_block = rotations.games_per_block();
        let max_games = blocks_per_pairing.checked_mul(games_per_block);
        if max_games.and_then(|games| games.checked_mul(count)).is_none() {
            bail!(
                "--games: expected fewer than {}, found {games_per_pairing}",
                u64::MAX / count - games_per_block
            );
        }
        let blocks = |(index, &(pairing, limit)): (u64, &(Pairing, Option<u64>))| {
            let start = index * blocks_per_pairing;
            let limit = limit.map_or(u64::MAX, |games| rotations.blocks_for_games(games));
            (pairing, start..start + blocks_per_pairing.min(limit))
        };
        let pairings: Vec<_> = (0..).zip(pairings).map(blocks).collect();
        let blocks: u64 = pairings.iter().map(|(_, blocks)| blocks.end - blocks.start).sum();
        Ok(Self { pairings, blocks_per_pairing, games_per_block, games: blocks * games_per_block })
    }

    /// Plays all pairings of these bots as parts of a study and returns their results.
    ///
    /// # Errors
    /// If the checkpoint of the study can't be read or written.
    pub(crate) fn play(
        &self,
        study: &mut StudyRun<'_>,
        game: &BoundGame,
        bots: &[BotFactory],
        seed: u64,
        end: PairingEnd,
    ) -> anyhow::Result<MatchTally> {
        let players = game.seats();
        let lineups = self.pairings.iter().map(|(pairing, _)| pairing.lineup(bots, players));
        let lineups: Vec<_> = lineups.collect();
        let experiment = |((pairing, blocks), lineup): (&(Pairing, Range<u64>), _)| {
            let experiment = Experiment::new(lineup, seed, blocks.clone());
            let experiment = Experiment { game_rows: true, ..experiment };
            PairingExperiment { game, pairing: *pairing, bots, experiment, end }
        };
        let experiments: Vec<_> =
            self.pairings.iter().zip(lineups.iter().map(Vec::as_slice)).map(experiment).collect();
        let boxed = experiments.iter().map(|one| Box::new(one) as BoxedExperiment<'_, _>);
        let boxed: Vec<_> = boxed.collect();
        let tallies = study.play(&boxed, |index, tally| experiments[index].message(tally))?;
        let mut tally = MatchTally::new(bots.len(), players);
        for of_pairing in &tallies {
            tally.merge(of_pairing);
        }
        study.set_forfeits(tally.forfeits.values().sum());
        Ok(tally)
    }
}

/// Returns the sequential test of the first pairing, if one is run.
pub(crate) fn sequential_test(hypotheses: Option<&Hypotheses>, tally: &MatchTally) -> Option<Sprt> {
    let units_per_block = UNITS_PER_WIN * tally.players.0 as i64;
    let mut sprt = Sprt::new(hypotheses?, tally.players.0, units_per_block);
    for (&(score, won), &blocks) in &tally.scores {
        sprt.add_blocks(score, won, blocks);
    }
    Some(sprt)
}

/// The games of a pairing.
struct PairingExperiment<'a> {
    game: &'a BoundGame,
    pairing: Pairing,
    /// The bots in the order of the command line.
    bots: &'a [BotFactory],
    /// The games, with game rows.
    experiment: Experiment<'a>,
    end: PairingEnd,
}

impl PairingExperiment<'_> {
    /// Returns a message with the win rate so far.
    fn message(&self, tally: &MatchTally) -> String {
        let Pairing { bot, opponent } = self.pairing;
        let results = tally.results.get(&(bot, opponent)).copied().unwrap_or_default();
        let wins = results.win_shares();
        let wins = match self.end.sequence() {
            Some(sequence) => sequence.rate(wins, UNITS_PER_WIN),
            None => wins.rate(UNITS_PER_WIN),
        };
        let [bot, opponent] = [bot, opponent].map(|index| self.bots[index].name());
        let llr = sequential_test(self.end.hypotheses(), tally)
            .map(|sprt| format!(", LLR {:+.2}", sprt.llr()));
        format!(
            "{bot} against {opponent} {:.1} ± {:.1} %{}",
            100.0 * wins.value,
            50.0 * (wins.high - wins.low),
            llr.unwrap_or_default()
        )
    }
}

impl BlockExperiment for &PairingExperiment<'_> {
    type Tally = MatchTally;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn empty_tally(&self) -> MatchTally {
        MatchTally::new(self.bots.len(), self.game.seats())
    }

    fn player(&self) -> JobPlayer<'_, MatchTally> {
        let mut player = self.game.block_player(self.experiment.clone());
        Box::new(move |blocks, on_games_finished| {
            let batch = player(blocks, on_games_finished);
            let mut tally = self.empty_tally();
            for games in batch.game_rows.chunk_by(|one, other| one.block == other.block) {
                tally.add_block(self.pairing, games);
            }
            tally
        })
    }

    /// Returns 1 if the games may end early: a test looks at each block, and the few blocks between
    /// two looks of a sequence are divided among many threads.
    fn max_blocks_per_job(&self) -> u64 {
        if self.end == PairingEnd::AllGames { MAX_BLOCKS_PER_JOB } else { 1 }
    }

    fn next_look(&self, blocks: u64) -> Option<u64> {
        self.end.sequence()?;
        let first = self.experiment.blocks.start;
        look_schedule().map(|look| first + look).find(|&look| look > blocks)
    }

    fn is_decided(&self, tally: &MatchTally) -> bool {
        if let Some(sequence) = self.end.sequence() {
            let mut looks = look_schedule().skip_while(|&look| look < tally.blocks);
            let is_look = looks.next() == Some(tally.blocks);
            return is_look && self.pairing.is_decided(&sequence, tally);
        }
        sequential_test(self.end.hypotheses(), tally).is_some_and(|sprt| sprt.verdict().is_some())
    }
}
