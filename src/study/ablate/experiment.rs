//! The experiment of `ablate`. It estimates 3 effects of each item from the same deals:
//!
//! - *association*: seats that took the item against seats to which it was available and that did
//!   not take it;
//! - *adjusted*: the association after linear adjustment for the circumstances of the first offer;
//! - *forced now*: the effect of a forced pick: seats that must take the item when it is first
//!   offered against seats that cannot take it in that game, by random assignment.
//!
//! None of these is the value of an item to a seat that can choose whether and when to take it.
//!
//! Each game is played twice: without intervention for the first 2 effects, and with a random
//! assignment of items for the third.

use std::{ops::Range, sync::atomic::AtomicBool};

use crate::{
    arena::{
        intervention::{AssignedItem, RandomAssignment},
        metric::SeatMetric,
        play::{Event, Observer},
        run::{Experiment, Seating, run_and_merge},
    },
    bots::{Bot, profile::EvaluatorSpec},
    game::{FullGame, ItemEvent, ItemId, MAX_SEATS, Outcome, Seat, Turn},
    rng::{Purpose, stream},
    stats::{
        merge_fields,
        paired::{Effect, PairedProducts, PairedSums},
        regression::RegressionSums,
    },
};

/// Number of metrics.
const METRICS: usize = SeatMetric::ALL.len();

/// The sums from which the effects of an item follow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemEffectSums {
    /// Seats to which it was available and that did not take it, and seats that took it.
    pub association: [PairedSums; METRICS],
    /// The regression on the circumstances of the first offer to a seat.
    pub regression: RegressionSums,
    /// Seats to which it was refused, and seats to which it was granted.
    pub forced_now: [PairedSums; METRICS],
    /// Products of `association` and `forced_now` within blocks.
    pub products: [PairedProducts; METRICS],
}

/// The estimated effects of an item on a metric, in units of the metric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ItemEffects {
    /// Takers minus non-takers.
    pub association: Effect,
    /// Taking it at the first offer, adjusted by linear regression.
    pub adjusted: Effect,
    /// Granted minus refused: the causal effect of a forced pick.
    pub forced_now: Effect,
    /// `forced_now` minus `association`.
    pub disagreement: Effect,
}

impl ItemEffectSums {
    /// Returns the effects on each of [`SeatMetric::ALL`].
    pub fn effects(&self) -> [ItemEffects; METRICS] {
        let adjusted = self.regression.treatment_effects(METRICS);
        SeatMetric::ALL.map(|metric| {
            let index = metric as usize;
            let [association, forced_now] = [&self.association[index], &self.forced_now[index]];
            ItemEffects {
                association: metric.difference(association),
                adjusted: adjusted[index].in_units_of(metric.unit() as f64),
                forced_now: metric.difference(forced_now),
                disagreement: self.products[index].difference(
                    association,
                    forced_now,
                    metric.unit(),
                ),
            }
        })
    }
}

/// Results of the experiment, summed over blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemEffectsTally {
    /// Completed blocks.
    pub blocks: u64,
    /// Games with and without assignment.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Sums of each item.
    pub items: Vec<ItemEffectSums>,
}

impl ItemEffectsTally {
    /// Creates an empty tally for this many items.
    pub fn new(items: usize) -> Self {
        Self { items: vec![ItemEffectSums::default(); items], ..Self::default() }
    }
}

merge_fields!(ItemEffectSums { association, regression, forced_now, products });
merge_fields!(ItemEffectsTally { blocks, games, capped, items });

/// The experiment: the games, and the parameters of adjustment and assignment.
#[derive(Clone, Debug)]
pub struct ItemEffectsExperiment<'a, G> {
    /// The games. The output switches are ignored.
    pub experiment: &'a Experiment<'a, G>,
    /// The evaluator of the position before the first offer, a covariate of the regression.
    pub evaluator: &'a EvaluatorSpec,
    /// Probability that a seat is enrolled at the first offer of an item.
    pub rate: f64,
}

impl<G: FullGame> ItemEffectsExperiment<'_, G> {
    /// Plays all blocks, as [`Experiment::run`], and returns the sums.
    pub fn run(
        &self,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> ItemEffectsTally {
        let items = self.experiment.game.catalog().len();
        let play = |bots: &mut Vec<_>, job| self.play_blocks(bots, items, job, on_games_finished);
        let bots = || self.experiment.build_bots();
        let (empty, blocks) = (ItemEffectsTally::new(items), self.experiment.blocks.clone());
        run_and_merge(empty, blocks, stop, bots, play)
    }

    fn play_blocks(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        items: usize,
        job: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> ItemEffectsTally {
        let experiment = self.experiment;
        let rotations = experiment.rotations();
        let (distinct, distinct_index) = experiment.distinct_bots();
        let mut tally = ItemEffectsTally::new(items);
        for block in job {
            let mut sums = vec![ItemBlockSums::default(); items];
            for rotation in 0..rotations.games_per_block() {
                let bot_in = experiment.bot_in(&rotations, rotation);
                let seating = Seating { block, rotation, bot_in };
                let mut observer = FirstOfferObserver {
                    evaluator: self.evaluator,
                    distinct_bots: distinct.len(),
                    bot_in: bot_in.map(|bot| distinct_index[bot]),
                    first_player: Seat::new(0),
                    taken_seats: vec![0; items],
                    available_seats: vec![0; items],
                    offers: Vec::new(),
                };
                let end = experiment.play_one(bots, &seating, &mut (), Some(&mut observer), None);
                let outcome = experiment.game.outcome(&end);
                tally.capped += u64::from(outcome.hit_round_limit);
                let seats = experiment.game.seats();
                observer.count_game(block, &outcome, seats, &mut tally.items, &mut sums);

                let rng = stream(experiment.seed, block, rotation, Purpose::Assignment);
                let mut assignment = RandomAssignment::new(items, self.rate, rng);
                let end = experiment.play_one(bots, &seating, &mut assignment, (), None);
                let outcome = experiment.game.outcome(&end);
                tally.capped += u64::from(outcome.hit_round_limit);
                for &AssignedItem { seat, item, granted } in &assignment.assigned {
                    sums[item.index()].forced_now.add(granted, &outcome, seat);
                }
            }
            tally.blocks += 1;
            tally.games += 2 * rotations.games_per_block();
            for (sums, item) in sums.iter().zip(&mut tally.items) {
                for metric in 0..METRICS {
                    let association = sums.association.groups(metric);
                    let forced_now = sums.forced_now.groups(metric);
                    item.association[metric].add_block(association[0], association[1]);
                    item.forced_now[metric].add_block(forced_now[0], forced_now[1]);
                    item.products[metric].add_block(association, forced_now);
                }
            }
            on_games_finished(2 * rotations.games_per_block());
        }
        tally
    }
}

/// Sums over the games of one block for 2 groups of seats: those without an item and those with it.
#[derive(Clone, Copy, Default)]
struct GroupSums {
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

    /// Returns the number of seats and the sum of a metric in each group.
    fn groups(&self, metric: usize) -> [(i64, i64); 2] {
        let [without, with] = self.x[metric];
        [(self.n[0], without), (self.n[1], with)]
    }
}

/// Sums of an item over the games of one block.
#[derive(Clone, Copy, Default)]
struct ItemBlockSums {
    association: GroupSums,
    forced_now: GroupSums,
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
struct FirstOfferObserver<'a> {
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

impl FirstOfferObserver<'_> {
    fn count_item_event(&mut self, event: ItemEvent) {
        if let ItemEvent::Taken(seat, item) = event {
            self.taken_seats[item.index()] |= 1 << seat.index();
        }
    }

    /// Adds the game that has ended to the regressions and to the sums of the block.
    fn count_game(
        &self,
        block: u64,
        outcome: &Outcome,
        seats: usize,
        items: &mut [ItemEffectSums],
        sums: &mut [ItemBlockSums],
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
                    sums.association.add(has_item, outcome, seat);
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
        let turn_position = (seat + seats - self.first_player.index()) % seats;
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
