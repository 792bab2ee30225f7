//! How games stand round by round: means of a game's gauges as each round ends, and as games end.

use serde::{Deserialize, Serialize};

use super::{block_sum::BlockSum, play::Observer};
use crate::{
    game::{ChanceSource, Seat, Statistics},
    stats::ratio::MeanSums,
};

/// The gauges of games of whole blocks. Tallies of parts of a run add up to that of the whole.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RoundsTally {
    /// For each round from the first, the gauges before its last decision; in a game's last round,
    /// as the game ended.
    pub rounds: Vec<Vec<MeanSums>>,
    /// The gauges as games ended.
    pub end: Vec<MeanSums>,
}

impl RoundsTally {
    /// Adds the tally of other blocks of the same run.
    pub fn add(&mut self, other: &Self) {
        grow(&mut self.rounds, other.rounds.len());
        for (mine, theirs) in self.rounds.iter_mut().zip(&other.rounds) {
            add_row(mine, theirs);
        }
        add_row(&mut self.end, &other.end);
    }
}

fn add_row(mine: &mut Vec<MeanSums>, theirs: &[MeanSums]) {
    grow(mine, theirs.len());
    mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine += theirs);
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, length: usize) {
    list.resize(list.len().max(length), T::default());
}

/// Reads the gauges of the games of whole blocks into a [`RoundsTally`].
#[derive(Debug)]
pub struct RoundsCounter<S> {
    tally: RoundsTally,
    /// The position before the last decision, and its round.
    last: Option<(u32, S)>,
    /// For the block being played.
    rounds: Vec<Vec<BlockSum>>,
    end: Vec<BlockSum>,
}

impl<S: Copy> RoundsCounter<S> {
    /// A counter for this many gauges; none if there are none.
    pub fn new(gauges: usize) -> Option<Self> {
        let tally = RoundsTally { rounds: Vec::new(), end: vec![MeanSums::default(); gauges] };
        (gauges > 0).then(|| Self {
            tally,
            last: None,
            rounds: Vec::new(),
            end: vec![BlockSum::default(); gauges],
        })
    }

    /// Closes a block: its sums become one observation each.
    pub fn end_block(&mut self) {
        let gauges = self.end.len();
        self.tally.rounds.resize(self.rounds.len(), vec![MeanSums::default(); gauges]);
        let sums = self.rounds.iter_mut().flatten().chain(&mut self.end);
        let ratios = self.tally.rounds.iter_mut().flatten().chain(&mut self.tally.end);
        sums.zip(ratios).for_each(|(sum, ratio)| sum.flush_into(ratio));
    }

    /// What was read in the blocks that were closed.
    pub fn into_tally(self) -> RoundsTally {
        self.tally
    }

    /// Reads the gauges of the position that a round ended with; setup is no round.
    fn read<G: Statistics<State = S>>(&mut self, game: &G, round: u32, state: &S) {
        let Some(index) = round.checked_sub(1) else { return };
        while self.rounds.len() <= index as usize {
            self.rounds.push(vec![BlockSum::default(); self.end.len()]);
        }
        let sums = &mut self.rounds[index as usize];
        game.observe_round_metrics(state, |gauge, n, x| sums[gauge].add(n, x));
    }
}

impl<G: Statistics> Observer<G> for RoundsCounter<G::State> {
    fn on_chance(
        &mut self,
        _game: &G,
        _state: &G::State,
        _source: ChanceSource,
        _outcome: G::Action,
    ) {
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        _seat: Seat,
        _legal: &G::Actions,
        _action: G::Action,
    ) {
        let round = game.round(state);
        if let Some((last, before)) = self.last.take()
            && last < round
        {
            self.read(game, last, &before);
        }
        self.last = Some((round, *state));
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        if let Some((last, before)) = self.last.take()
            && last < game.round(state)
        {
            self.read(game, last, &before);
        }
        self.read(game, game.round(state), state);
        let sums = &mut self.end;
        game.observe_round_metrics(state, |gauge, n, x| sums[gauge].add(n, x));
    }
}
