//! Correlations of taking an item with the result of the seat, in games without intervention.

use serde::{Deserialize, Serialize};

use crate::{
    arena::{
        metric::SeatMetric,
        play::{Event, Observer},
    },
    bots::profile::EvaluatorSpec,
    game::{FullGame, ItemEvent, ItemId, MAX_SEATS, Outcome, Seat, Turn},
    stats::{merge_fields, paired::PairedSums, regression::RegressionSums},
};

use super::METRICS;

/// Sums over blocks for the correlations of an item.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CorrelationSums {
    /// Seats to which it was available and that did not take it, and seats that took it.
    pub association: [PairedSums; METRICS],
    /// The regression on the circumstances of the first offer to a seat.
    pub regression: RegressionSums,
}

merge_fields!(CorrelationSums { association, regression });

/// Sums over the games of one block for 2 groups of seats: those without an item and those with it.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupSums {
    /// Number of seats in each group.
    n: [i64; 2],
    /// Sum of each metric in each group.
    x: [[i64; 2]; METRICS],
}

impl GroupSums {
    fn add(&mut self, has_item: bool, outcome: &Outcome, seat: Seat) {
        let group = usize::from(has_item);
        self.n[group] += 1;
        for (sums, metric) in self.x.iter_mut().zip(SeatMetric::ALL) {
            sums[group] += metric.scaled_value(outcome, seat);
        }
    }

    /// Adds a block to the association with each metric.
    pub(super) fn end_block(&self, association: &mut [PairedSums; METRICS]) {
        for (paired, [without, with]) in association.iter_mut().zip(self.x) {
            paired.add_block((self.n[0], without), (self.n[1], with));
        }
    }
}

/// The first decision of a seat at which an item was available.
#[derive(Clone, Copy)]
struct FirstOffer {
    seat: Seat,
    item: ItemId,
    taken: bool,
    round: i64,
    /// Log-odds of winning before the decision, in 1 / [`LOGIT_UNIT`].
    logit: i64,
}

/// Log-odds are multiplied by this and rounded, because the regression sums integers.
const LOGIT_UNIT: f32 = 64.0;
/// Largest absolute value of the log-odds.
const MAX_LOGIT: f32 = 64.0;
/// Largest number of columns of the regression: constant, seat, turn position and bot (one
/// indicator for each but the first), round and its square, log-odds, treatment, metrics.
const MAX_COLUMNS: usize = 1 + 3 * (MAX_SEATS - 1) + 4 + METRICS;

/// An observer of the first offer of each item to each seat in a game.
pub(super) struct FirstOfferObserver<'a> {
    evaluator: &'a EvaluatorSpec,
    distinct_bots: usize,
    /// The bots in the seats, as indices into the distinct bots.
    bot_in: [usize; MAX_SEATS],
    first_player: Seat,
    /// For each item, the seats that took it; bit s stands for seat s.
    taken_seats: Vec<u8>,
    /// For each item, the seats to which it was available.
    available_seats: Vec<u8>,
    offers: Vec<FirstOffer>,
}

impl<'a> FirstOfferObserver<'a> {
    fn count_item_event(&mut self, event: ItemEvent) {
        if let ItemEvent::Taken(seat, item) = event {
            self.taken_seats[item.index()] |= 1 << seat.index();
        }
    }

    /// Creates an observer for a game with these bots in the seats, as indices into the distinct
    /// bots.
    pub(super) fn new(
        evaluator: &'a EvaluatorSpec,
        distinct_bots: usize,
        bot_in: [usize; MAX_SEATS],
        items: usize,
    ) -> Self {
        Self {
            evaluator,
            distinct_bots,
            bot_in,
            first_player: Seat::new(0),
            taken_seats: vec![0; items],
            available_seats: vec![0; items],
            offers: Vec::new(),
        }
    }

    /// Returns the turn position of a seat.
    pub(super) fn turn_position(&self, seat: Seat, seats: usize) -> usize {
        (seat.index() + seats - self.first_player.index()) % seats
    }

    /// Adds the game that has ended to the regressions and to the sums of the block.
    pub(super) fn count_game(
        &self,
        block: u64,
        outcome: &Outcome,
        seats: usize,
        items: &mut [CorrelationSums],
        sums: &mut [GroupSums],
    ) {
        for offer in &self.offers {
            let mut row = [0; MAX_COLUMNS];
            let columns = self.fill_row(offer, outcome, seats, &mut row);
            items[offer.item.index()].regression.add(block, &row[..columns]);
        }
        for ((sums, taken), available) in
            sums.iter_mut().zip(&self.taken_seats).zip(&self.available_seats)
        {
            for seat in (0..seats).map(Seat::new) {
                let has_item = taken >> seat.index() & 1 == 1;
                if has_item || available >> seat.index() & 1 == 1 {
                    sums.add(has_item, outcome, seat);
                }
            }
        }
    }

    /// Fills a row of the regression: covariates, treatment and metrics. Returns its length.
    fn fill_row(
        &self,
        offer: &FirstOffer,
        outcome: &Outcome,
        seats: usize,
        row: &mut [i64; MAX_COLUMNS],
    ) -> usize {
        let mut columns = 0;
        let mut push = |value: i64| {
            row[columns] = value;
            columns += 1;
        };
        push(1);
        let seat = offer.seat.index();
        let turn_position = self.turn_position(offer.seat, seats);
        let bot = self.bot_in[seat];
        for (own, count) in [(seat, seats), (turn_position, seats), (bot, self.distinct_bots)] {
            (1..count).for_each(|value| push(i64::from(own == value)));
        }
        push(offer.round);
        push(offer.round * offer.round);
        push(offer.logit);
        push(i64::from(offer.taken));
        for metric in SeatMetric::ALL {
            push(metric.scaled_value(outcome, offer.seat));
        }
        columns
    }
}

impl<G: FullGame> Observer<G> for FirstOfferObserver<'_> {
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        let (seat, legal, action) = match *event {
            Event::Chance(outcome) => {
                if let Some(seat) = game.first_player(outcome) {
                    self.first_player = seat;
                }
                game.item_events(state, outcome, |event| self.count_item_event(event));
                return;
            }
            Event::Decision { seat, legal, action } => (seat, legal, action),
        };
        debug_assert_eq!(game.turn(state), Turn::Seat(seat));
        let first = self.offers.len();
        game.items_available(legal, |item| {
            let seats = &mut self.available_seats[item.index()];
            if *seats >> seat.index() & 1 == 0 {
                *seats |= 1 << seat.index();
                let round = game.round(state).into();
                self.offers.push(FirstOffer { seat, item, taken: false, round, logit: 0 });
            }
        });
        if first < self.offers.len() {
            let offers = &mut self.offers[first..];
            let logit = self.evaluator.log_odds(game, state, seat);
            let logit = (logit.clamp(-MAX_LOGIT, MAX_LOGIT) * LOGIT_UNIT).round() as i64;
            for offer in offers.iter_mut() {
                offer.logit = logit;
            }
            game.items_chosen(legal, action, |item| {
                let taken = offers.iter_mut().filter(|offer| offer.item == item);
                taken.for_each(|offer| offer.taken = true);
            });
        }
        game.decision_events(state, seat, legal, action, |event| self.count_item_event(event));
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        game.final_events(state, |event| self.count_item_event(event));
    }
}
