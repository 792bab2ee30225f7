//! Statistics of play: items by round, win rates by lead, and owners of items.

mod counter;
mod lead;
mod owners;
mod taken_sums;

use crate::stats::{paired::PairedSums, ratio::Ratio, tally};
pub(super) use counter::PlayCounter;
pub use lead::{LEADS, lead_limits};
pub use owners::{OWNER_CLASSES, OwnersTally};

tally! {
    /// The statistics of completed blocks; empty without
    /// [`Experiment::play_statistics`](super::run::Experiment::play_statistics). The unit of win
    /// shares is 1/[`UNITS_PER_WIN`](crate::game::UNITS_PER_WIN).
    pub struct PlayStatistics {
        /// Results of items by round, from 0 for the setup, and by
        /// [`ItemId::index`](crate::game::ItemId::index).
        pub items: Vec<Vec<TakenTally>>,
        /// Win shares by round, from the first, and by [class of the lead](lead_limits) at its end,
        /// over the rounds after which the game goes on.
        pub leads: Vec<[Ratio; LEADS]>,
        /// Results of the seats that took an item, by the number of items that they took.
        pub owners: OwnersTally,
    }
}

impl PlayStatistics {
    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

tally! {
    /// Observations in which an item could be taken, and the results of the seats.
    #[derive(Copy)]
    pub struct TakenTally {
        /// The observations, and those in which it was taken.
        pub taken: Ratio,
        /// Win shares of the seats that took it (treatment) and of the others (control).
        pub wins: PairedSums,
    }
}

impl TakenTally {
    /// Adds equal blocks: numbers and win shares of the seats that took it and of the others.
    fn add_blocks(&mut self, blocks: i64, [taken, others]: [(i64, i64); 2]) {
        self.taken.add_blocks(blocks, taken.0 + others.0, taken.0);
        self.wins.add_blocks(blocks, others, taken);
    }
}
