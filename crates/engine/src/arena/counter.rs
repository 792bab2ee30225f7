//! An observer that counts the statistics of games into a [`Tally`].

use super::{
    block_sum::{BlockSum, block_sums},
    forfeit::ForfeitedSeats,
    health::HealthCounter,
    play::{Event, Observer},
    play_statistics::PlayCounter,
    tally::{
        ALL_SEATS, BotTally, ItemTally, MAX_OPENING_STEPS, Opening, OpeningSteps, OpeningTally,
        ResultTally, Tally,
    },
    touched::{TouchedItems, sums_by_seats},
};
use crate::{
    bits::ones,
    game::{
        ActionSet, ItemCatalog, ItemEvent, ItemId, MAX_SEATS, Outcome, PerSeat, Seat, Statistics,
        UNITS_PER_WIN,
    },
};

block_sums! {
    BotSums => BotTally { wins, split_wins, scores, ranks, margins }
    ResultSums => ResultTally { wins, scores }
    ItemSums => ItemTally { taken, rounds, positions, wins_with, wins_without, scores_with, points }
}

/// The opening of a seat in the current game.
#[derive(Clone, Copy, Default)]
struct SeatOpening {
    steps: OpeningSteps,
    len: usize,
}

/// A seat's opening in one game, with its results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OpeningResult {
    turn_position: u8,
    steps: OpeningSteps,
    wins: i64,
    score: i64,
}

/// Counts the games of complete blocks into a [`Tally`].
pub struct Counter {
    tally: Tally,
    /// Steps of an opening that are counted.
    opening_steps: usize,
    /// The table of each item.
    table_of: Vec<u8>,
    // State of the current game.
    bot_in: [usize; MAX_SEATS],
    events: u64,
    forfeits: ForfeitedSeats,
    /// The items with sums of the current block.
    touched: TouchedItems,
    /// For each item, the seats that took it; bit s stands for seat s.
    taken_seats: Vec<u8>,
    /// For each item, the seats to which it was available.
    available_seats: Vec<u8>,
    /// For each seat, the bits of [`Statistics::available_bits`] that are in `available_seats`.
    available_bits: [u128; MAX_SEATS],
    first_player: Seat,
    round: u32,
    /// For each table, the items taken in the current round.
    taken_this_round: Vec<i64>,
    /// The tables of the items taken in the current event; bit t stands for table t.
    tables_taken_from: u32,
    seat_openings: [SeatOpening; MAX_SEATS],
    // Sums of the current block.
    bots: Vec<[BotSums; MAX_SEATS + 1]>,
    turn_order: Vec<[ResultSums; MAX_SEATS]>,
    items: Vec<ItemSums>,
    health: HealthCounter,
    openings: Vec<OpeningResult>,
    /// Statistics for players, if they are counted.
    play: Option<PlayCounter>,
}

impl Counter {
    /// Creates a counter for games with these items between this many distinct bots.
    pub fn new(catalog: &ItemCatalog, bots: usize, opening_steps: usize) -> Self {
        let table_of: Vec<u8> = catalog.ids().map(|item| catalog.table_index(item) as u8).collect();
        let items = table_of.len();
        Self {
            tally: Tally::new(bots, items),
            opening_steps: opening_steps.min(MAX_OPENING_STEPS),
            table_of,
            bot_in: [0; MAX_SEATS],
            events: 0,
            forfeits: ForfeitedSeats::default(),
            touched: TouchedItems::new(items),
            taken_seats: vec![0; items],
            available_seats: vec![0; items],
            available_bits: [0; MAX_SEATS],
            first_player: Seat::new(0),
            round: 0,
            taken_this_round: vec![0; catalog.tables().len()],
            tables_taken_from: 0,
            seat_openings: Default::default(),
            bots: vec![Default::default(); bots],
            turn_order: vec![Default::default(); bots],
            items: vec![ItemSums::default(); items],
            health: HealthCounter::default(),
            openings: Vec::new(),
            play: None,
        }
    }

    /// Counts the statistics for players, too.
    #[must_use]
    pub fn with_play_statistics(self, catalog: &ItemCatalog) -> Self {
        Self { play: Some(PlayCounter::new(catalog)), ..self }
    }

    /// Starts a game with these bots in the seats, as indices into the distinct bots.
    /// `first_player` holds until chance draws one.
    pub fn begin_game(&mut self, bot_in: [usize; MAX_SEATS], first_player: Seat) {
        (self.bot_in, self.first_player) = (bot_in, first_player);
        for item in self.touched.iter() {
            (self.taken_seats[item], self.available_seats[item]) = (0, 0);
        }
        self.available_bits.fill(0);
        self.round = 0;
        self.taken_this_round.fill(0);
        self.tables_taken_from = 0;
        self.seat_openings = Default::default();
        self.health.begin_game();
        if let Some(play) = &mut self.play {
            play.begin_game();
        }
        self.events = 0;
        self.forfeits = ForfeitedSeats::default();
    }

    /// Returns the number of events of the current game, or of the last one.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Ends a block: adds its sums to the tally.
    pub fn end_block(&mut self) {
        self.tally.blocks += 1;
        self.health.end_block(&mut self.tally.health);
        let Tally { bots, turn_order, items, .. } = &mut self.tally;
        for (sums, tally) in self.bots.as_flattened_mut().iter_mut().zip(bots.as_flattened_mut()) {
            sums.flush_into(tally);
        }
        let turn_order = turn_order.as_flattened_mut();
        for (sums, tally) in self.turn_order.as_flattened_mut().iter_mut().zip(turn_order) {
            sums.flush_into(tally);
        }
        self.touched.drain(|item| {
            self.items[item].flush_into(&mut items[item]);
            (self.taken_seats[item], self.available_seats[item]) = (0, 0);
        });
        self.end_block_of_openings();
        if let Some(play) = &mut self.play {
            play.end_block();
        }
    }

    fn end_block_of_openings(&mut self) {
        let mut positions: PerSeat<BlockSum> = PerSeat::default();
        for opening in &self.openings {
            positions[usize::from(opening.turn_position)].add(1, opening.wins);
        }
        let positions = positions.each_mut().map(BlockSum::take);
        self.openings.sort_unstable();
        let key = |opening: &OpeningResult| (opening.turn_position, opening.steps);
        for group in self.openings.chunk_by(|one, other| key(one) == key(other)) {
            let (position, steps) = key(&group[0]);
            let n = group.len() as i64;
            let wins = group.iter().map(|opening| opening.wins).sum();
            let mut results = OpeningTally::default();
            results.wins.add_block(n, wins);
            results.scores.add_block(n, group.iter().map(|opening| opening.score).sum());
            results.products.add_block((n, wins), positions[usize::from(position)]);
            self.tally.openings.add(Opening::new(position, steps), &results);
        }
        for ((n, wins), ratio) in positions.into_iter().zip(&mut self.tally.turn_positions) {
            ratio.add_block(n, wins);
        }
        self.openings.clear();
    }

    /// Returns the tally of the blocks that have ended.
    pub fn into_tally(self) -> Tally {
        let play = self.play.map(PlayCounter::into_statistics).unwrap_or_default();
        Tally { play, ..self.tally }
    }

    /// Ends a round before an event in `round`, the next one.
    #[inline(never)]
    fn end_round<G: Statistics>(&mut self, game: &G, state: &G::State, round: u32) {
        let standing = (self.round > 0 && game.seats() > 1).then(|| game.outcome(state));
        if let Some(standing) = &standing {
            self.health.end_round(standing, game.seats());
        }
        if let Some(play) = &mut self.play {
            play.end_round(self.round, game.seats(), standing.as_ref());
        }
        self.round = round;
        self.taken_this_round.fill(0);
    }

    #[inline]
    fn count_available_items<G: Statistics>(
        &mut self,
        game: &G,
        seat: Seat,
        legal: &G::Actions,
        bits: Option<u128>,
    ) {
        let Self { available_seats, touched, .. } = self;
        let report = |item: ItemId| {
            touched.insert(item.index());
            available_seats[item.index()] |= 1 << seat.index();
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

    fn count_item_event(&mut self, event: ItemEvent) {
        let (ItemEvent::Offered(item)
        | ItemEvent::Reserved(_, item)
        | ItemEvent::Taken(_, item)
        | ItemEvent::Scored(_, item, _)) = event;
        self.touched.insert(item.index());
        match event {
            ItemEvent::Offered(item) => self.items[item.index()].taken.add(1, 0),
            ItemEvent::Reserved(_, item) => self.tally.items[item.index()].reserved += 1,
            ItemEvent::Taken(seat, item) => {
                let position = self.taken_this_round[usize::from(self.table_of[item.index()])] + 1;
                let sums = &mut self.items[item.index()];
                sums.taken.add(0, 1);
                self.tally.items[item.index()].times_taken += 1;
                sums.rounds.add(1, self.round.into());
                sums.positions.add(1, position);
                self.taken_seats[item.index()] |= 1 << seat.index();
                self.tables_taken_from |= 1 << self.table_of[item.index()];
                if let Some(play) = &mut self.play {
                    play.count_taken(seat, item);
                }
            }
            ItemEvent::Scored(_, item, points) => {
                self.items[item.index()].points.add(1, points.into());
            }
        }
    }

    /// Counts the results of the seats that took the items of the game, and of those that did not.
    fn end_items(&mut self, wins: &PerSeat<i64>, scores: &PerSeat<i64>) {
        let (wins, scores) = (sums_by_seats(wins), sums_by_seats(scores));
        for item in self.touched.iter() {
            let taken = self.taken_seats[item];
            let others = self.available_seats[item] & !taken;
            let sums = &mut self.items[item];
            sums.wins_with.add(taken.count_ones().into(), wins[usize::from(taken)]);
            sums.scores_with.add(taken.count_ones().into(), scores[usize::from(taken)]);
            sums.wins_without.add(others.count_ones().into(), wins[usize::from(others)]);
        }
    }

    /// Counts the results of a seat.
    fn end_seat(&mut self, outcome: &Outcome, seats: usize, seat: Seat) {
        let index = seat.index();
        let (scores, own) = (&outcome.scores[..seats], outcome.scores[index]);
        let score = i64::from(own);
        let wins = outcome.win_share(seat);
        let all_wins: i64 = outcome.win_shares(seats).iter().sum();
        let split_wins = wins + (UNITS_PER_WIN - all_wins) / seats as i64;
        // Those who forfeit are ranked below all others.
        let forfeits = |seat| self.forfeits.contains(Seat::new(seat));
        let key = |(seat, &score): (usize, &i32)| (!forfeits(seat), score);
        let own_key = key((index, &own));
        let keys = || scores.iter().enumerate().map(key);
        let better = keys().filter(|&other| other > own_key).count() as i64;
        let equal = keys().filter(|&other| other == own_key).count() as i64;
        let doubled_rank = 2 + 2 * better + (equal - 1);
        let others = scores.iter().enumerate().filter(|&(other, _)| other != index);
        let margin = others.map(|(_, &other)| score - i64::from(other)).min().unwrap_or(0);
        let bot = self.bot_in[index];
        for cell in [index, ALL_SEATS] {
            let sums = &mut self.bots[bot][cell];
            sums.wins.add(1, wins);
            sums.split_wins.add(1, split_wins);
            sums.scores.add(1, score);
            sums.ranks.add(1, doubled_rank);
            sums.margins.add(1, margin);
            let tally = &mut self.tally.bots[bot][cell];
            tally.squared_scores += score * score;
            tally.forfeits += u64::from(self.forfeits.contains(seat));
        }
        let turn_position = Seat::new(index).turn_position(self.first_player, seats);
        self.turn_order[bot][turn_position].wins.add(1, wins);
        self.turn_order[bot][turn_position].scores.add(1, score);
        self.health.end_seat(index, turn_position, wins, score, margin);
        if self.opening_steps > 0 {
            let steps = self.seat_openings[index].steps;
            let turn_position = turn_position as u8;
            self.openings.push(OpeningResult { turn_position, steps, wins, score });
        }
    }
}

impl<G: Statistics> Observer<G> for Counter {
    #[inline]
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        self.events += 1;
        let round = game.round(state);
        if round != self.round {
            self.end_round(game, state, round);
        }
        match *event {
            Event::Chance(outcome) => {
                if let Some(seat) = game.first_player(outcome) {
                    self.first_player = seat;
                }
                game.item_events(state, outcome, |event| self.count_item_event(event));
            }
            Event::Decision { seat, legal, action } => {
                self.health.count_decision(legal.len());
                let kinds = game.action_kinds().len();
                self.tally.health.legal_kinds.insert_kinds_of(legal, kinds);
                let bits = game.available_bits(legal);
                self.count_available_items(game, seat, legal, bits);
                if let Some(play) = &mut self.play {
                    play.count_decision(game, seat, (legal, bits));
                }
                let opening = &mut self.seat_openings[seat.index()];
                if opening.len < self.opening_steps
                    && let Some(step) = game.opening_step(state, action)
                {
                    opening.steps[opening.len] = step;
                    opening.len += 1;
                }
                let report = |event| self.count_item_event(event);
                game.decision_events(state, seat, legal, action, report);
            }
        }
        if self.tables_taken_from != 0 {
            for table in ones(self.tables_taken_from.into()) {
                self.taken_this_round[table as usize] += 1;
            }
            self.tables_taken_from = 0;
        }
    }

    fn on_forfeit(&mut self, seat: Seat) {
        self.forfeits.insert(seat);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        let outcome = self.forfeits.apply(game.outcome(state), game.seats());
        game.final_events(state, |event| self.count_item_event(event));
        self.tally.games += 1;
        self.tally.events += self.events;
        self.health.end_game(&mut self.tally.health, &outcome, game.seats());
        self.health.end_for(game.ended_by(state), game.end_reasons().len());
        for seat in (0..game.seats()).map(Seat::new) {
            self.end_seat(&outcome, game.seats(), seat);
        }
        let wins = outcome.win_shares(game.seats());
        self.end_items(&wins, &outcome.scores.map(i64::from));
        if let Some(play) = &mut self.play {
            play.end_round(self.round, game.seats(), None);
            play.end_game(&wins, game.seats());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue should fail at once")]
mod tests {
    use super::{super::tally::MAX_OPENINGS, *};
    use crate::stats::Merge;

    /// Returns the tally of one block with a game for each of these openings of the first player.
    fn block(openings: impl IntoIterator<Item = u32>) -> Tally {
        let mut counter = Counter::new(&ItemCatalog::new(), 0, MAX_OPENING_STEPS);
        for opening in openings {
            let [a, b, c, d] = opening.to_be_bytes();
            let steps = [a, b, c, d, 0];
            counter.openings.push(OpeningResult { turn_position: 0, steps, wins: 0, score: 1 });
        }
        counter.end_block();
        counter.into_tally()
    }

    fn sum<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Tally {
        let mut sum = Tally::new(0, 0);
        tallies.into_iter().for_each(|tally| sum.merge(tally));
        sum
    }

    #[test]
    fn kept_openings_do_not_depend_on_grouping_or_order() {
        let max = MAX_OPENINGS as u32;
        let blocks = [
            block(10..max),
            block([max + 8, 0]),
            block((1..10).chain([max + 8, max + 9])),
            block([max, 9, 20]),
        ];
        let in_order = sum(&blocks);
        assert_eq!(in_order.openings.kept.len(), MAX_OPENINGS);
        let kept: i64 = in_order.openings.kept.values().map(|results| results.wins.n).sum();
        assert_eq!(kept + in_order.openings.others[0].wins.n, i64::from(max) - 10 + 2 + 11 + 3);
        assert!(in_order.openings.others[0].wins.n >= 3, "max + 3 openings exceed the limit by 3");
        for cut in 1..blocks.len() {
            let (early, late) = blocks.split_at(cut);
            assert!(sum(&[sum(late), sum(early)]) == in_order);
        }
    }

    #[test]
    fn tally_round_trips_through_json() {
        let tally = block([7, 3, 500]);
        let json = serde_json::to_string(&tally).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&json).unwrap(), tally);
    }
}
