//! A sample of seats: the number of items of each family that each took in both halves of a game.

use serde::{Deserialize, Serialize};

use crate::{
    bits::ones,
    game::{ItemCatalog, ItemId, MAX_FAMILIES, Seat},
    stats::Merge,
};

/// Largest number of seats of a [`SeatsSample`].
pub const SAMPLED_SEATS: usize = 8192;

/// The items and the result of a seat in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SeatSample {
    /// The number of items of each [family](ItemCatalog::families) that it took in the first half
    /// of the rounds, rounded down, and in the second one.
    pub taken: [[u8; MAX_FAMILIES]; 2],
    /// Win share, in units of 1/[`UNITS_PER_WIN`](crate::game::UNITS_PER_WIN).
    pub wins: i64,
}

/// The seats of the first blocks, game by game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeatsSample {
    /// The seats of whole blocks, at most [`SAMPLED_SEATS`].
    pub seats: Vec<SeatSample>,
}

impl Merge for SeatsSample {
    /// Adds the seats of later blocks.
    fn merge(&mut self, later: &Self) {
        let free = SAMPLED_SEATS - self.seats.len();
        self.seats.extend(later.seats.iter().take(free));
    }
}

/// Samples seats.
pub(super) struct SampleCounter {
    /// For each item, its families; bit f stands for family f.
    families: Vec<u16>,
    /// The seats, families and rounds of the items that were taken in the current game.
    taken: Vec<(Seat, u16, u32)>,
    /// The seats of the current block.
    block: Vec<SeatSample>,
    sample: SeatsSample,
}

impl SampleCounter {
    pub(super) fn new(catalog: &ItemCatalog) -> Self {
        Self {
            families: catalog.family_bits(),
            taken: Vec::new(),
            block: Vec::new(),
            sample: SeatsSample::default(),
        }
    }

    /// Counts an item that a seat takes.
    #[inline]
    pub(super) fn count_taken(&mut self, seat: Seat, item: ItemId, round: u32) {
        let families = self.families[item.index()];
        if families != 0 {
            self.taken.push((seat, families, round));
        }
    }

    /// Adds the seats of a game of `rounds` rounds.
    pub(super) fn end_game(&mut self, wins: &[i64], rounds: u32) {
        let first = self.block.len();
        let seat = |&wins| SeatSample { wins, ..SeatSample::default() };
        self.block.extend(wins.iter().map(seat));
        for (seat, families, round) in self.taken.drain(..) {
            let half = usize::from(round > rounds / 2);
            let taken = &mut self.block[first + seat.index()].taken[half];
            for family in ones(families.into()) {
                let count = &mut taken[family as usize];
                *count = count.saturating_add(1);
            }
        }
    }

    /// Ends a block. After the first that does not fit, none does.
    pub(super) fn end_block(&mut self) {
        if self.sample.seats.len() + self.block.len() <= SAMPLED_SEATS {
            self.sample.seats.append(&mut self.block);
        }
        self.block.clear();
    }

    /// Returns the seats of the blocks that have ended.
    pub(super) fn into_sample(self) -> SeatsSample {
        self.sample
    }
}
