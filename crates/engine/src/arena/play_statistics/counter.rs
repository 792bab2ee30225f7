//! The counter of [`PlayStatistics`].

use super::{
    PlayStatistics,
    lead::{LEADS, lead_class},
    owners::OwnersCounter,
    taken_sums::{TakenSeats, TakenSums},
};
use crate::{
    arena::{
        block_sum::BlockSum,
        touched::{TouchedItems, sums_by_seats},
    },
    game::{ItemCatalog, ItemId, MAX_SEATS, Outcome, PerSeat, ReportedSeats, Seat, Statistics},
    stats::ratio::Ratio,
};

/// An item that was available in a round of the current game. Bit s stands for seat s.
#[derive(Clone, Copy)]
struct ItemRound {
    item: usize,
    round: usize,
    /// The seats that took it, and the others to which it was available.
    seats: [u8; 2],
}

/// Counts the statistics of the games of complete blocks.
pub(in crate::arena) struct PlayCounter {
    /// For each item, the index of its table; `None` if its seats are not compared.
    tables: Vec<Option<u8>>,
    // State of the current game.
    items: Vec<ItemRound>,
    leads: Vec<[usize; MAX_SEATS]>,
    /// The items that were available or taken in the current round.
    touched: TouchedItems,
    /// For each item, the seats to which it was available in the current round.
    available: Vec<u8>,
    /// For each item, the seats that took it in the current round.
    taken: Vec<u8>,
    /// For each seat, the bits of [`Statistics::available_bits`] that are in `available`.
    available_bits: PerSeat<u128>,
    // Results of the current block and of the completed ones.
    /// By round and item.
    item_sums: TakenSums,
    lead_sums: Vec<[BlockSum; LEADS]>,
    lead_tallies: Vec<[Ratio; LEADS]>,
    owners: OwnersCounter,
}

impl PlayCounter {
    pub(in crate::arena) fn new(catalog: &ItemCatalog) -> Self {
        let table = |item: ItemId| {
            let index = catalog.table_index(item);
            let is_compared =
                catalog.tables()[index].reported_seats == ReportedSeats::TakersAndNonTakers;
            is_compared.then_some(index as u8)
        };
        Self {
            tables: catalog.ids().map(table).collect(),
            items: Vec::new(),
            leads: Vec::new(),
            touched: TouchedItems::new(catalog.len()),
            available: vec![0; catalog.len()],
            taken: vec![0; catalog.len()],
            available_bits: Default::default(),
            item_sums: TakenSums::default(),
            lead_sums: Vec::new(),
            lead_tallies: Vec::new(),
            owners: OwnersCounter::new(catalog),
        }
    }

    /// Starts a game.
    pub(in crate::arena) fn begin_game(&mut self) {
        self.items.clear();
        self.leads.clear();
        self.available_bits.fill(0);
        self.owners.begin_game();
    }

    /// Counts the items that are available at a decision. The legal actions come with their
    /// [`Statistics::available_bits`].
    #[inline]
    pub(in crate::arena) fn count_decision<G: Statistics>(
        &mut self,
        game: &G,
        seat: Seat,
        (legal, bits): (&G::Actions, Option<u128>),
    ) {
        let Self { available, touched, .. } = self;
        let report = |item: ItemId| {
            touched.insert(item.index());
            available[item.index()] |= 1 << seat.index();
        };
        let Some(bits) = bits else {
            return game.items_available(legal, report);
        };
        let reported = &mut self.available_bits[seat.index()];
        if bits & !*reported != 0 {
            game.items_of_bits(bits & !*reported, report);
            *reported |= bits;
        }
    }

    /// Counts an item that a seat takes.
    #[inline]
    pub(in crate::arena) fn count_taken(&mut self, seat: Seat, item: ItemId) {
        self.touched.insert(item.index());
        self.taken[item.index()] |= 1 << seat.index();
        self.owners.count_taken(seat, item);
    }

    /// Ends a round; `standing` is the outcome if the game ended now, without a single player.
    pub(in crate::arena) fn end_round(
        &mut self,
        round: u32,
        seats: usize,
        standing: Option<&Outcome>,
    ) {
        self.touched.drain(|item| {
            let available = std::mem::take(&mut self.available[item]);
            let taken = std::mem::take(&mut self.taken[item]);
            if available != 0 && self.tables[item].is_some() {
                let seats = [available & taken, available & !taken];
                self.items.push(ItemRound { item, round: round as usize, seats });
            }
        });
        self.available_bits.fill(0);
        if let Some(standing) = standing {
            let scores = &standing.scores[..seats];
            let lead = |seat: usize| {
                let others = scores.iter().enumerate().filter(|&(other, _)| other != seat);
                let best = others.map(|(_, &score)| score).max().unwrap_or(0);
                lead_class(scores.get(seat).map_or(0, |score| score - best))
            };
            self.leads.push(std::array::from_fn(|seat| if seat < seats { lead(seat) } else { 0 }));
        }
    }

    /// Adds the results of the game. Its last round has ended.
    pub(in crate::arena) fn end_game(&mut self, wins: &PerSeat<i64>, seats: usize) {
        self.owners.end_game(&wins[..seats]);
        let items = self.tables.len();
        let rounds = self.items.last().map_or(0, |last| last.round + 1);
        self.item_sums.resize(rounds * items);
        let sums = sums_by_seats(wins);
        for &ItemRound { item, round, seats } in &self.items {
            let [taken, others] =
                seats.map(|seats| (seats.count_ones().into(), sums[usize::from(seats)]));
            self.item_sums.add(round * items + item, TakenSeats::new(taken, others));
        }
        if self.lead_sums.len() < self.leads.len() {
            self.lead_sums.resize(self.leads.len(), [BlockSum::default(); LEADS]);
        }
        for (sums, classes) in self.lead_sums.iter_mut().zip(&self.leads) {
            for (&class, &wins) in classes[..seats].iter().zip(wins) {
                sums[class].add(1, wins);
            }
        }
    }

    /// Ends a block.
    pub(in crate::arena) fn end_block(&mut self) {
        self.item_sums.end_block();
        self.owners.end_block();
        self.lead_tallies.resize(self.lead_sums.len(), Default::default());
        let sums = self.lead_sums.as_flattened_mut().iter_mut();
        let tallies = self.lead_tallies.as_flattened_mut();
        for (sum, tally) in sums.zip(tallies).filter(|(sum, _)| !sum.is_empty()) {
            let (n, wins) = sum.take();
            tally.add_block(n, wins);
        }
    }

    /// Returns the statistics of the blocks that have ended.
    pub(in crate::arena) fn into_statistics(self) -> PlayStatistics {
        let items = self.item_sums.into_tallies();
        PlayStatistics {
            items: items.chunks(self.tables.len().max(1)).map(<[_]>::to_vec).collect(),
            leads: self.lead_tallies,
            owners: self.owners.into_tally(),
        }
    }
}
