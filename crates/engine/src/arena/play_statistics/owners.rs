//! Results of the seats that took an item, by the number of items of its table that they took.

use crate::{
    arena::block_sum::BlockSum,
    game::{ItemCatalog, ItemId, MAX_SEATS, PerSeat, Seat},
    stats::{ratio::Ratio, tally},
};

/// Number of classes of seats by the number of items that they took: 0, 1, … and, in the last
/// class, all larger numbers.
pub const OWNER_CLASSES: usize = 16;

tally! {
    /// Seats by the number of items of a table that they took. An item that is taken twice counts
    /// twice.
    pub struct OwnersTally {
        /// For each table, the win shares of all seats by class.
        pub tables: Vec<[Ratio; OWNER_CLASSES]>,
        /// For each item, the number of seats that took it and the sum of their win shares, by
        /// class.
        pub items: Vec<[(i64, i64); OWNER_CLASSES]>,
    }
}

/// Counts the owners of items.
pub(super) struct OwnersCounter {
    /// The table of each item.
    table_of: Vec<u8>,
    // State of the current game.
    /// For each table, the number of items that each seat took.
    taken: Vec<PerSeat<usize>>,
    /// For each item, the seats that took it; bit s stands for seat s.
    owners: Vec<u8>,
    /// Sums of the current block.
    sums: Vec<[BlockSum; OWNER_CLASSES]>,
    tally: OwnersTally,
}

impl OwnersCounter {
    pub(super) fn new(catalog: &ItemCatalog) -> Self {
        let (tables, items) = (catalog.tables().len(), catalog.len());
        Self {
            table_of: catalog.ids().map(|item| catalog.table_index(item) as u8).collect(),
            taken: vec![[0; MAX_SEATS]; tables],
            owners: vec![0; items],
            sums: vec![Default::default(); tables],
            tally: OwnersTally {
                tables: vec![Default::default(); tables],
                items: vec![Default::default(); items],
            },
        }
    }

    /// Starts a game.
    pub(super) fn begin_game(&mut self) {
        self.taken.fill([0; MAX_SEATS]);
        self.owners.fill(0);
    }

    /// Counts an item that a seat takes.
    #[inline]
    pub(super) fn count_taken(&mut self, seat: Seat, item: ItemId) {
        self.taken[usize::from(self.table_of[item.index()])][seat.index()] += 1;
        self.owners[item.index()] |= 1 << seat.index();
    }

    /// Adds the win shares of the seats of a game.
    pub(super) fn end_game(&mut self, wins: &[i64]) {
        for (taken, sums) in self.taken.iter().zip(&mut self.sums) {
            for (&taken, &wins) in taken.iter().zip(wins) {
                sums[taken.min(OWNER_CLASSES - 1)].add(1, wins);
            }
        }
        for (item, &owners) in self.owners.iter().enumerate().filter(|(_, owners)| **owners > 0) {
            let taken = &self.taken[usize::from(self.table_of[item])];
            for (seat, &wins) in wins.iter().enumerate().filter(|(seat, _)| owners >> seat & 1 == 1)
            {
                let class = taken[seat].min(OWNER_CLASSES - 1);
                let (n, sum) = &mut self.tally.items[item][class];
                *n += 1;
                *sum += wins;
            }
        }
    }

    /// Ends a block.
    pub(super) fn end_block(&mut self) {
        let tallies = self.tally.tables.as_flattened_mut();
        let sums = self.sums.as_flattened_mut().iter_mut().zip(tallies);
        for (sum, tally) in sums.filter(|(sum, _)| !sum.is_empty()) {
            let (n, wins) = sum.take();
            tally.add_block(n, wins);
        }
    }

    /// Returns the tally of the blocks that have ended.
    pub(super) fn into_tally(self) -> OwnersTally {
        self.tally
    }
}
