//! Sums over blocks of the win shares of seats that took something and of those that did not.

use super::TakenTally;

/// Seats of a block: those that took something and those that did not, each as their number in the
/// high bits and the sum of their win shares in the low ones.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TakenSeats([u64; 2]);

impl TakenSeats {
    /// Bits of the sum of win shares.
    const WINS: u32 = 40;

    /// Creates the value for the numbers and sums of the seats that took it, and of the others.
    #[inline]
    pub(super) fn new(taken: (i64, i64), others: (i64, i64)) -> Self {
        Self([taken, others].map(|(n, wins)| (n << Self::WINS | wins) as u64))
    }

    /// Returns the numbers and sums.
    fn unpack(self) -> [(i64, i64); 2] {
        let mask = (1 << Self::WINS) - 1;
        self.0.map(|bits| ((bits >> Self::WINS) as i64, (bits & mask) as i64))
    }
}

/// Number of different blocks that are counted. Blocks with few games have few different results,
/// so that nearly all blocks are counted, and their powers are computed once for each of these.
const CLASSES: usize = 16;

/// The win shares of a number of slots. A block costs time in proportion to the slots that it uses.
#[derive(Default)]
pub(super) struct TakenSums {
    /// For each slot, the sums of the current block.
    block: Vec<TakenSeats>,
    /// The slots with sums of the current block.
    used: Vec<u32>,
    /// The different completed blocks, at most [`CLASSES`].
    classes: Vec<TakenSeats>,
    /// For each slot, the number of completed blocks of each class.
    counts: Vec<[u32; CLASSES]>,
    /// For each slot, the other completed blocks.
    tallies: Vec<TakenTally>,
}

impl TakenSums {
    /// Adds slots until there are `slots`.
    pub(super) fn resize(&mut self, slots: usize) {
        if slots > self.block.len() {
            self.block.resize(slots, TakenSeats::default());
            self.counts.resize(slots, [0; CLASSES]);
            self.tallies.resize(slots, TakenTally::default());
        }
    }

    /// Adds seats to a slot.
    #[inline]
    pub(super) fn add(&mut self, slot: usize, seats: TakenSeats) {
        let sum = &mut self.block[slot];
        if *sum == TakenSeats::default() {
            self.used.push(slot as u32);
        }
        sum.0.iter_mut().zip(seats.0).for_each(|(sum, seats)| *sum += seats);
    }

    /// Ends a block.
    pub(super) fn end_block(&mut self) {
        let Self { block, used, classes, counts, tallies } = self;
        for slot in used.drain(..) {
            let slot = slot as usize;
            let seats = std::mem::take(&mut block[slot]);
            let known = classes.iter().position(|known| *known == seats);
            if known.is_none() && classes.len() < CLASSES {
                classes.push(seats);
                counts[slot][classes.len() - 1] += 1;
            } else if let Some(class) = known {
                counts[slot][class] += 1;
            } else {
                tallies[slot].add_blocks(1, seats.unpack());
            }
        }
    }

    /// Returns the tallies of the slots.
    pub(super) fn into_tallies(self) -> Vec<TakenTally> {
        let Self { classes, counts, mut tallies, .. } = self;
        for (tally, counts) in tallies.iter_mut().zip(counts) {
            for (&seats, count) in classes.iter().zip(counts).filter(|(_, count)| *count > 0) {
                tally.add_blocks(count.into(), seats.unpack());
            }
        }
        tallies
    }
}
