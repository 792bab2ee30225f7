//! The games of a generation: played in chunks, each of which is stored.

use indicatif::ProgressBar;
use rayon::prelude::*;

use super::{
    NetworkTraining, Start,
    edited::{BLOCKS_PER_GENERATION, OpenedGames},
};
use crate::{
    search::network::NetworkEvaluator,
    stats::heterogeneity::{adjusted_p_value, deviation_of_part},
    study::shared::prelude::*,
    training::self_play::{FrozenOpponents, GameRecord, Teacher},
};

/// Games that are stored together. An interrupted training loses at most the games of one chunk.
pub(crate) const GAMES_PER_CHUNK: u64 = 500;
/// Largest probability with which the games of a sound training are refused.
const ALPHA: f64 = 1e-6;

impl NetworkTraining<'_> {
    /// Plays the games of chunks of a generation that are not stored, and returns the games of
    /// these chunks; `None` if interrupted.
    pub(crate) fn play_chunks(
        &self,
        generation: u32,
        games: u64,
        chunks: Range<u64>,
        network: Option<&Network>,
    ) -> anyhow::Result<Option<Vec<GameRecord>>> {
        let range_of =
            |chunk: u64| chunk * GAMES_PER_CHUNK..games.min((chunk + 1) * GAMES_PER_CHUNK);
        let first = u64::from(generation) * BLOCKS_PER_GENERATION;
        let blocks_of = |games: Range<u64>| first + games.start..first + games.end;
        let planned = chunks.clone().map(|chunk| range_of(chunk).count() as u64).sum();
        let bar = progress_bar(planned, "games", self.plan.is_quiet);
        bar.set_message(format!("generation {generation}: self-play"));
        let (mut all, mut scores) = (Vec::new(), Vec::new());
        for chunk in chunks {
            let blocks = blocks_of(range_of(chunk));
            let opened = self.open(blocks.clone())?;
            let records = if let Some(records) = self.storage.read_games(generation, chunk)? {
                bar.set_position((all.len() + records.len()) as u64);
                // Stored games say nothing about the speed.
                bar.reset_eta();
                records
            } else {
                let records = self.play_chunk(blocks.clone(), &opened, network, &bar)?;
                if self.is_stopped() {
                    bar.finish_and_clear();
                    return Ok(None);
                }
                self.storage.write_games(generation, chunk, &records)?;
                records
            };
            scores.push((chunk, self.check_chunk(chunk, blocks, &opened, &records)?));
            all.extend(records);
        }
        bar.finish_and_clear();
        self.ensure_agreement(generation, &scores)?;
        Ok(Some(all))
    }

    /// Checks that the games of a chunk are those of its blocks and follow the rules, and returns
    /// the mean of their scores on the data file of the training.
    fn check_chunk(
        &self,
        chunk: u64,
        blocks: Range<u64>,
        opened: &OpenedGames<'_>,
        records: &[GameRecord],
    ) -> anyhow::Result<Ratio> {
        let generation = (blocks.start / BLOCKS_PER_GENERATION) as u32;
        let sum_of_scores = |record: &GameRecord| {
            let game = opened.game(record.block);
            let scores = game.final_scores(record, self.plan.seed)?;
            Some(scores.into_iter().take(game.seats()).map(i64::from).sum())
        };
        let sums: Option<Vec<i64>> = records.par_iter().map(sum_of_scores).collect();
        let (true, Some(sums)) = (blocks.eq(records.iter().map(|record| record.block)), sums)
        else {
            bail!("{}: expected games of a training", self.file_of(generation, chunk))
        };
        let mut scores = Ratio::default();
        for (record, sum) in records.iter().zip(sums) {
            if opened.is_default(record.block) {
                scores.add_block(1, sum);
            }
        }
        Ok(scores)
    }

    /// Checks that the mean score of each chunk is that of the others, up to chance: chunks may be
    /// from several machines, of which one may compute incorrectly.
    fn ensure_agreement(&self, generation: u32, scores: &[(u64, Ratio)]) -> anyhow::Result<()> {
        let mut all = Ratio::default();
        for (_, own) in scores {
            all.merge(own);
        }
        for (chunk, own) in scores {
            let Some(z) = deviation_of_part(own, &all) else { continue };
            ensure!(
                adjusted_p_value(z, scores.len()) >= ALPHA,
                "{}: deviates from the other games of the generation: its mean score lies {:.1} \
                 standard errors from that of all; remove it to play it again",
                self.file_of(generation, *chunk),
                z.abs()
            );
        }
        Ok(())
    }

    /// Returns the path of the games of a chunk for messages.
    fn file_of(&self, generation: u32, chunk: u64) -> String {
        self.storage.games_file(generation, chunk).display().to_string()
    }

    /// Plays the games of blocks in parallel.
    fn play_chunk(
        &self,
        blocks: Range<u64>,
        opened: &OpenedGames<'_>,
        network: Option<&Network>,
        bar: &ProgressBar,
    ) -> anyhow::Result<Vec<GameRecord>> {
        let networks = network.map(|network| opened.bind(network)).transpose()?;
        let play = |block: u64| {
            if self.is_stopped() {
                return GameRecord { block: 0, words: Vec::new() };
            }
            let network = networks.as_ref().map(|networks| networks.get(block).clone());
            let network = network.map(|network| NetworkEvaluator::new(network, 1.0));
            let teacher = match (&self.plan.start, &network) {
                (Start::Heuristics(heuristics), None) => Teacher::Heuristic {
                    heuristic: &heuristics[self.players_of(block)],
                    epsilon: self.plan.parameters.epsilon,
                },
                (_, Some(network)) => {
                    let (search, opponents) = (&self.search, self.opponents(block));
                    Teacher::Search { network, search, opponents }
                }
                (Start::Nothing | Start::Network(_), None) => {
                    unreachable!("games of these begin with a network")
                }
            };
            let record = opened.game(block).self_play(&teacher, self.plan.seed, block);
            bar.inc(1);
            record
        };
        Ok(blocks.into_par_iter().map(play).collect())
    }

    /// Returns the frozen bot of a block, if there is one, with the seat of the learner: all in
    /// turn.
    fn opponents(&self, block: u64) -> Option<FrozenOpponents<'_>> {
        let players = self.players_of(block);
        let bot = &self.plan.against.get(players)?.bot;
        let games = self.plan.games.len() as u64;
        let learner = learner_seat(block, games, self.plan.games[players].seats());
        Some(FrozenOpponents { bot, learner })
    }

    /// Returns the index of the game that is played in a block: all in turn.
    pub(crate) fn players_of(&self, block: u64) -> usize {
        (block % BLOCKS_PER_GENERATION % self.plan.games.len() as u64) as usize
    }
}

/// Returns the seat of the learner in a block of one of `games` numbers of players, which are
/// played in turn: each seat as often as the others.
fn learner_seat(block: u64, games: u64, seats: usize) -> Seat {
    let turn = block % BLOCKS_PER_GENERATION / games;
    Seat::new((turn % seats as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three numbers of players are played in turn, so the blocks of three players have every third
    /// number.
    #[test]
    fn the_learner_takes_every_seat() {
        let mut games_in = [0; 3];
        for turn in 0..30 {
            let block = 2 * BLOCKS_PER_GENERATION + 3 * turn + 1;
            games_in[learner_seat(block, 3, 3).index()] += 1;
        }
        assert_eq!(games_in, [10, 10, 10]);
    }
}
