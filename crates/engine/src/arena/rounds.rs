//! Means of a game's round metrics, at the end of each round and at the end of the game.

use super::{
    block_sum::BlockSum,
    play::{Event, Observer},
};
use crate::{
    game::Statistics,
    stats::{mean::MeanSums, tally},
};

tally! {
    /// Round metrics of completed blocks. The tallies of a run's shards add up to the tally of the
    /// run.
    pub struct RoundsTally {
        /// For each round from the first, the metrics before its last decision; in the last round
        /// of a game, at the end of the game.
        pub rounds: Vec<Vec<MeanSums>>,
        /// The metrics at the end of the game.
        pub end: Vec<MeanSums>,
    }
}

/// An observer that counts a [`RoundsTally`].
#[derive(Debug)]
pub struct RoundsCounter<S> {
    tally: RoundsTally,
    /// The round of the last decision and the position before it.
    last: Option<(u32, S)>,
    // Sums of the current block.
    rounds: Vec<Vec<BlockSum>>,
    end: Vec<BlockSum>,
}

impl<S: Copy> RoundsCounter<S> {
    /// Creates a counter for this many round metrics, or none for 0.
    pub fn new(metrics: usize) -> Option<Self> {
        let tally = RoundsTally { rounds: Vec::new(), end: vec![MeanSums::default(); metrics] };
        let end = vec![BlockSum::default(); metrics];
        (metrics > 0).then(|| Self { tally, last: None, rounds: Vec::new(), end })
    }

    /// Ends a block: adds its sums to the tally.
    pub fn end_block(&mut self) {
        let metrics = self.end.len();
        self.tally.rounds.resize(self.rounds.len(), vec![MeanSums::default(); metrics]);
        let sums = self.rounds.iter_mut().flatten().chain(&mut self.end);
        let means = self.tally.rounds.iter_mut().flatten().chain(&mut self.tally.end);
        for (sum, mean) in sums.zip(means) {
            let (n, x) = sum.take();
            mean.add_block(n, x);
        }
    }

    /// Returns the tally of the blocks that have ended.
    pub fn into_tally(self) -> RoundsTally {
        self.tally
    }

    /// Observes the position before the last decision if its round has ended.
    fn end_last_round<G: Statistics<State = S>>(&mut self, game: &G, round: u32) {
        if let Some((last, before)) = self.last.take()
            && last < round
        {
            self.observe(game, last, &before);
        }
    }

    /// Observes the position at the end of a round. Round 0 is the setup and is not counted.
    fn observe<G: Statistics<State = S>>(&mut self, game: &G, round: u32, state: &S) {
        let Some(index) = (round as usize).checked_sub(1) else { return };
        if self.rounds.len() <= index {
            self.rounds.resize(index + 1, vec![BlockSum::default(); self.end.len()]);
        }
        let sums = &mut self.rounds[index];
        game.observe_round_metrics(state, |metric, n, x| sums[metric].add(n, x));
    }
}

impl<G: Statistics> Observer<G> for RoundsCounter<G::State> {
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        if let Event::Chance(_) = event {
            return;
        }
        let round = game.round(state);
        self.end_last_round(game, round);
        self.last = Some((round, *state));
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        let round = game.round(state);
        self.end_last_round(game, round);
        self.observe(game, round, state);
        let sums = &mut self.end;
        game.observe_round_metrics(state, |metric, n, x| sums[metric].add(n, x));
    }
}
