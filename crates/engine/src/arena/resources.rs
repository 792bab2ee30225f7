//! The flow of the resources of seats: gains and payments by kind, source, seat and round.

use super::play::{Event, Observer};
use crate::{
    game::{MAX_SEATS, PerSeat, ResourceAmounts, ResourceFlow, Seat, Statistics},
    stats::{mean::MeanSums, tally},
};

/// Index of the changes of round 0, the setup, in the scopes of a [`ResourcesTally`].
pub const FIRST_ROUND: usize = 1 + MAX_SEATS;

/// Returns true if the resources of a block are counted: those of the first 1,000 blocks and of
/// each eighth after them, as counting takes up to a quarter of the time of random games, and
/// these blocks say enough.
pub const fn is_counted(block: u64) -> bool {
    block < 1000 || block.is_multiple_of(8)
}

tally! {
    /// Changes of the resources of seats in completed blocks that [are counted](is_counted).
    pub struct ResourcesTally {
        /// The changes in all rounds: of all seats at 0, and of seat s at 1 + s; then those of all
        /// seats in each round from [`FIRST_ROUND`] on, over the games that have the round. The
        /// first entry counts seats. The others are the changes by kind and source, over the
        /// blocks that have some.
        scopes: Vec<Vec<MeanSums>>,
        /// For each kind, the seats at the beginning of each round after the first, and those
        /// without the resource.
        pub without: Vec<(i64, i64)>,
    }
}

impl ResourcesTally {
    /// Returns the changes of a seat, by scope and then by kind and source.
    pub fn changes(&self) -> impl Iterator<Item = impl Iterator<Item = MeanSums>> {
        self.scopes.iter().map(|scope| {
            scope.iter().skip(1).map(|changes| changes.with_observations_of(&scope[0]))
        })
    }
}

/// An observer that counts a [`ResourcesTally`].
#[derive(Debug)]
pub struct ResourcesCounter {
    flow: ResourceFlow,
    tally: ResourcesTally,
    // State of the current game.
    round: u32,
    /// The resources of each seat after all changes that were counted.
    counted: PerSeat<ResourceAmounts>,
    /// The seats of the current block in each scope of a [`ResourcesTally`].
    seats: Vec<i64>,
    /// The changes of the current block, one scope after the other.
    sums: Vec<i64>,
    /// The sums that are not 0, and perhaps others: most changes do not occur in a block.
    touched: Vec<u32>,
}

impl ResourcesCounter {
    /// Creates a counter, or none for a game without resources.
    pub fn new(flow: ResourceFlow) -> Option<Self> {
        let without = vec![(0, 0); flow.kinds.len()];
        let tally = ResourcesTally { scopes: Vec::new(), without };
        let counted = PerSeat::default();
        let is_counted = !flow.kinds.is_empty();
        let mut counter = Self {
            flow,
            tally,
            round: 0,
            counted,
            seats: Vec::new(),
            sums: Vec::new(),
            touched: Vec::new(),
        };
        counter.set_round(0);
        is_counted.then_some(counter)
    }

    /// Ends a block: adds its sums to the tally.
    pub fn end_block(&mut self) {
        let (changes, scopes) = (self.changes(), &mut self.tally.scopes);
        scopes.resize_with(self.seats.len(), || vec![MeanSums::default(); 1 + changes]);
        for index in self.touched.drain(..) {
            let (index, scope) = (index as usize, index as usize / changes);
            let sum = std::mem::take(&mut self.sums[index]);
            if sum != 0 {
                scopes[scope][1 + index % changes].add_block(self.seats[scope], sum);
            }
        }
        for (scope, seats) in scopes.iter_mut().zip(&mut self.seats) {
            scope[0].add_block(*seats, *seats);
            *seats = 0;
        }
    }

    /// Returns the tally of the blocks that have ended.
    pub fn into_tally(self) -> ResourcesTally {
        self.tally
    }

    /// Returns the number of changes by kind and source.
    const fn changes(&self) -> usize {
        self.flow.kinds.len() * self.flow.sources.len()
    }

    #[inline]
    fn add(&mut self, seat: Seat, kind: usize, source: usize, amount: i32) {
        self.counted[seat.index()][kind] += amount;
        let change = kind * self.flow.sources.len() + source;
        for scope in [0, 1 + seat.index(), FIRST_ROUND + self.round as usize] {
            let index = scope * self.changes() + change;
            if self.sums[index] == 0 {
                self.touched.push(index as u32);
            }
            self.sums[index] += i64::from(amount);
        }
    }

    /// Counts the changes of a round, up to a position, that the game did not report.
    fn settle<G: Statistics>(&mut self, game: &G, state: &G::State) {
        let source = usize::from(self.round > 0);
        for seat in (0..game.seats()).map(Seat::new) {
            let (held, counted) = (game.held_resources(state, seat), self.counted[seat.index()]);
            if held != counted {
                let changed =
                    (0..self.flow.kinds.len()).filter(|&kind| held[kind] != counted[kind]);
                changed.for_each(|kind| self.add(seat, kind, source, held[kind] - counted[kind]));
            }
        }
    }

    /// Begins a round, and counts the seats without a resource.
    fn begin_round(&mut self, round: u32, seats: usize) {
        if self.round > 0 {
            for (kind, (all, without)) in self.tally.without.iter_mut().enumerate() {
                *all += seats as i64;
                let missing = self.counted[..seats].iter().filter(|held| held[kind] == 0);
                *without += missing.count() as i64;
            }
        }
        self.set_round(round);
    }

    /// Sets the current round, and makes room for its changes.
    fn set_round(&mut self, round: u32) {
        self.round = round;
        let scopes = FIRST_ROUND + round as usize + 1;
        if scopes > self.seats.len() {
            self.seats.resize(scopes, 0);
            self.sums.resize(scopes * self.changes(), 0);
        }
    }
}

impl<G: Statistics> Observer<G> for ResourcesCounter {
    #[inline]
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        let round = game.round(state);
        if round != self.round {
            self.settle(game, state);
            self.begin_round(round, game.seats());
        }
        let (Event::Chance(action) | Event::Decision { action, .. }) = *event;
        game.resource_changes(state, action, |seat, kind, source, amount| {
            self.add(seat, kind, source, amount);
        });
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.settle(game, state);
        let (seats, last) = (game.seats(), FIRST_ROUND + self.round as usize);
        for scope in 0..=last {
            let is_seat = (1..FIRST_ROUND).contains(&scope);
            let counted = if is_seat { i64::from(scope <= seats) } else { seats as i64 };
            self.seats[scope] += counted;
        }
        (self.round, self.counted) = (0, PerSeat::default());
    }
}
