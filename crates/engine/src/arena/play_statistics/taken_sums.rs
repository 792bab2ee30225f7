//! Sums over blocks of the win shares of seats that took something and of those that did not.

use super::TakenTally;
use crate::arena::block_sum::BlockSum;

/// The win shares of a number of slots. A block costs time in proportion to the slots that it uses.
#[derive(Default)]
pub(super) struct TakenSums {
    /// For each slot, the sums of the current block: of the seats that did not take it, and of
    /// those that did.
    block: Vec<[BlockSum; 2]>,
    /// The slots with sums of the current block.
    used: Vec<u32>,
    /// For each slot, the completed blocks.
    tallies: Vec<TakenTally>,
}

impl TakenSums {
    /// Adds slots until there are `slots`.
    pub(super) fn resize(&mut self, slots: usize) {
        if slots > self.block.len() {
            self.block.resize(slots, Default::default());
            self.tallies.resize(slots, TakenTally::default());
        }
    }

    /// Adds the win share of a seat to a slot.
    #[inline]
    pub(super) fn add(&mut self, slot: usize, is_taken: bool, wins: i64) {
        let sums = &mut self.block[slot];
        if sums.iter().all(BlockSum::is_empty) {
            self.used.push(slot as u32);
        }
        sums[usize::from(is_taken)].add(1, wins);
    }

    /// Ends a block.
    pub(super) fn end_block(&mut self) {
        for slot in self.used.drain(..) {
            let [others, taken] = self.block[slot as usize].each_mut().map(BlockSum::take);
            self.tallies[slot as usize].add_block(taken, others);
        }
    }

    /// Returns the tallies of the slots.
    pub(super) fn into_tallies(self) -> Vec<TakenTally> {
        self.tallies
    }
}
