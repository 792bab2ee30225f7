//! The counter of [`PlayStatistics`].

use super::{
    PlayStatistics,
    choice::{ChoiceCounter, ItemChoice},
    lead::{LEADS, lead_class},
    owners::OwnersCounter,
    taken_sums::TakenSums,
};
use crate::{
    arena::block_sum::BlockSum,
    game::{ItemCatalog, ItemId, MAX_SEATS, Outcome, PerSeat, ReportedSeats, Seat, Statistics},
    stats::ratio::Ratio,
};

/// A choice of a seat in the current game.
#[derive(Clone, Copy)]
struct SeatChoice {
    items: [ItemId; 2],
    is_first: bool,
    round: u8,
    seat: Seat,
}

/// An item that was available to a seat in a round of the current game.
#[derive(Clone, Copy)]
struct SeatItem {
    item: usize,
    is_taken: bool,
    round: usize,
    seat: Seat,
}

/// Counts the statistics of the games of complete blocks.
pub(in crate::arena) struct PlayCounter {
    /// For each item, the index of its table; `None` if its seats are not compared.
    tables: Vec<Option<u8>>,
    // State of the current game.
    choices: Vec<SeatChoice>,
    items: Vec<SeatItem>,
    leads: Vec<[usize; MAX_SEATS]>,
    /// For each item, the seats to which it was available in the current round; bit s stands for
    /// seat s.
    available: Vec<u8>,
    /// For each item, the seats that took it in the current round.
    taken: Vec<u8>,
    /// For each seat, the bits of [`Statistics::available_bits`] that are in `available`.
    available_bits: PerSeat<u128>,
    /// Items that the current action takes, and the available ones.
    chosen: Vec<ItemId>,
    offered: Vec<ItemId>,
    // Results of the current block and of the completed ones.
    choice_sums: ChoiceCounter,
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
            choices: Vec::new(),
            items: Vec::new(),
            leads: Vec::new(),
            available: vec![0; catalog.len()],
            taken: vec![0; catalog.len()],
            available_bits: Default::default(),
            chosen: Vec::new(),
            offered: Vec::new(),
            choice_sums: ChoiceCounter::default(),
            item_sums: TakenSums::default(),
            lead_sums: Vec::new(),
            lead_tallies: Vec::new(),
            owners: OwnersCounter::new(catalog),
        }
    }

    /// Starts a game.
    pub(in crate::arena) fn begin_game(&mut self) {
        self.choices.clear();
        self.items.clear();
        self.leads.clear();
        self.available.fill(0);
        self.taken.fill(0);
        self.available_bits.fill(0);
        self.owners.begin_game();
    }

    /// Counts the items that are available at a decision, and the choice between them.
    #[inline]
    pub(in crate::arena) fn count_decision<G: Statistics>(
        &mut self,
        game: &G,
        round: u32,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        let Self { available, chosen, offered, .. } = self;
        chosen.clear();
        offered.clear();
        game.items_chosen(legal, action, |item| chosen.push(item));
        let bits = game.available_bits(legal);
        let mut report = |item: ItemId| available[item.index()] |= 1 << seat.index();
        match bits {
            Some(bits) => {
                let reported = &mut self.available_bits[seat.index()];
                if bits & !*reported != 0 {
                    game.items_of_bits(bits & !*reported, report);
                    *reported |= bits;
                }
                if !chosen.is_empty() {
                    game.items_of_bits(bits, |item| offered.push(item));
                }
            }
            None if chosen.is_empty() => game.items_available(legal, report),
            None => game.items_available(legal, |item| {
                report(item);
                offered.push(item);
            }),
        }
        if !self.chosen.is_empty() {
            self.count_choices(round, seat);
        }
    }

    /// Counts a choice between the item that is chosen and each other one of its table, if it is
    /// the only one of its table.
    fn count_choices(&mut self, round: u32, seat: Seat) {
        self.offered.sort_unstable();
        self.offered.dedup();
        let table_of = |item: &ItemId| self.tables[item.index()];
        for chosen in &self.chosen {
            let Some(table) = table_of(chosen) else { continue };
            let of_table = |item: &&ItemId| table_of(item) == Some(table);
            if self.chosen.iter().filter(of_table).count() > 1 {
                continue;
            }
            for other in self.offered.iter().filter(of_table).filter(|other| *other != chosen) {
                let is_first = chosen < other;
                let items = if is_first { [*chosen, *other] } else { [*other, *chosen] };
                let round = u8::try_from(round).unwrap_or(u8::MAX);
                self.choices.push(SeatChoice { items, is_first, round, seat });
            }
        }
    }

    /// Counts an item that a seat takes.
    #[inline]
    pub(in crate::arena) fn count_taken(&mut self, seat: Seat, item: ItemId) {
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
        for item in 0..self.available.len() {
            let available = std::mem::take(&mut self.available[item]);
            let taken = std::mem::take(&mut self.taken[item]);
            if available == 0 || self.tables[item].is_none() {
                continue;
            }
            for seat in (0..seats).filter(|seat| available >> seat & 1 == 1) {
                let is_taken = taken >> seat & 1 == 1;
                let (round, seat) = (round as usize, Seat::new(seat));
                self.items.push(SeatItem { item, is_taken, round, seat });
            }
        }
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
    pub(in crate::arena) fn end_game(
        &mut self,
        outcome: &Outcome,
        seats: usize,
        first_player: Seat,
    ) {
        let wins: PerSeat<i64> =
            std::array::from_fn(
                |seat| {
                    if seat < seats { outcome.win_share(Seat::new(seat)) } else { 0 }
                },
            );
        self.owners.end_game(&wins[..seats]);
        for &SeatItem { item, is_taken, round, seat } in &self.items {
            let items = self.tables.len();
            self.item_sums.resize((round + 1) * items);
            self.item_sums.add(round * items + item, is_taken, wins[seat.index()]);
        }
        if self.lead_sums.len() < self.leads.len() {
            self.lead_sums.resize(self.leads.len(), [BlockSum::default(); LEADS]);
        }
        for (sums, classes) in self.lead_sums.iter_mut().zip(&self.leads) {
            for (&class, &wins) in classes[..seats].iter().zip(&wins) {
                sums[class].add(1, wins);
            }
        }
        for &SeatChoice { items, is_first, round, seat } in &self.choices {
            let position = seat.turn_position(first_player, seats);
            let choice = ItemChoice { items, situation: Some((round, position as u8)) };
            self.choice_sums.add(choice, is_first, wins[seat.index()]);
        }
    }

    /// Ends a block.
    pub(in crate::arena) fn end_block(&mut self) {
        self.choice_sums.end_block();
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
            choices: self.choice_sums.into_tallies(),
            items: items.chunks(self.tables.len().max(1)).map(<[_]>::to_vec).collect(),
            leads: self.lead_tallies,
            owners: self.owners.into_tally(),
        }
    }
}
