//! Three estimates about each item from the same deals: the results of seats that took it against
//! those that could have and did not (association), what is left of this when the circumstances of
//! the choice are taken into account (adjusted), and the effect of a forced pick: the results of
//! seats that must take it when it is first offered, drawn by chance, against those that may never
//! take it (forced now).
//!
//! None of these is what an item is worth to a seat that may choose whether and when to take it.
//!
//! Each game is played twice: as the bots like it, for the first two, and with a random assignment
//! of items, for the third.

use std::{ops::Range, sync::atomic::AtomicBool};

use crate::{
    arena::{
        intervention::{AssignedItem, RandomAssignment},
        metric::SeatMetric,
        play::{Observer, OutcomeObserver},
        run::{Experiment, Seating, run_and_fold},
    },
    game::{ChanceSource, FullGame, ItemEvent, ItemId, MAX_SEATS, Outcome, Seat, Turn},
    rng::{Purpose, stream},
    search::{Evaluator, heuristic::Heuristic},
    stats::{
        paired::{Effect, PairedProducts, PairedSums},
        ratio::Ratio,
        regression::RegressionSums,
    },
};

const MEASURES: usize = SeatMetric::ALL.len();

/// What was counted of an item.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemEffectSums {
    /// Seats that could have taken it and did not, and seats that took it.
    pub association: [PairedSums; MEASURES],
    /// Choices at which a seat could take it for the first time.
    pub regression: RegressionSums,
    /// Seats that might never take it, and seats that had to take it at the first offer.
    pub forced_now: [PairedSums; MEASURES],
    /// Products of the sums of both within blocks.
    pub products: [PairedProducts; MEASURES],
}

/// An item's effect on a measure by each kind of evidence, in units of the measure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ItemEffects {
    /// Of having taken it.
    pub association: Effect,
    /// Of taking it when it comes up, other things being equal.
    pub adjusted: Effect,
    /// Of having to take it at the first offer against never being allowed to.
    pub forced_now: Effect,
    /// The effect of a forced pick minus the association.
    pub disagreement: Effect,
}

impl ItemEffectSums {
    /// The values of the item, one per measure.
    pub fn effects(&self) -> Vec<ItemEffects> {
        let adjusted = self.regression.treatment_effects(MEASURES);
        let value = |(index, measure): (usize, &SeatMetric)| ItemEffects {
            association: measure.difference(&self.association[index]),
            adjusted: adjusted[index].in_units_of(measure.unit() as f64),
            forced_now: measure.difference(&self.forced_now[index]),
            disagreement: self.products[index].difference(
                &self.association[index],
                &self.forced_now[index],
                measure.unit(),
            ),
        };
        SeatMetric::ALL.iter().enumerate().map(value).collect()
    }
}

/// Everything an appraisal counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemEffectsTally {
    /// Whole blocks.
    pub blocks: u64,
    /// Games, with and without assignment.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Rounds of the games without assignment.
    pub rounds: Ratio,
    /// Per item.
    pub items: Vec<ItemEffectSums>,
}

impl ItemEffectsTally {
    /// An appraisal of this many items.
    pub fn new(items: usize) -> Self {
        Self { items: vec![ItemEffectSums::default(); items], ..Self::default() }
    }

    /// Adds the appraisal of other blocks.
    pub fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.games += other.games;
        self.capped += other.capped;
        self.rounds += other.rounds;
        for (mine, theirs) in self.items.iter_mut().zip(&other.items) {
            mine.association
                .iter_mut()
                .zip(theirs.association)
                .for_each(|(mine, theirs)| *mine += theirs);
            mine.regression += &theirs.regression;
            mine.forced_now
                .iter_mut()
                .zip(theirs.forced_now)
                .for_each(|(mine, theirs)| *mine += theirs);
            mine.products
                .iter_mut()
                .zip(theirs.products)
                .for_each(|(mine, theirs)| *mine += theirs);
        }
    }
}

/// An experiment that appraises items.
#[derive(Clone, Debug)]
pub struct ItemEffectsExperiment<'a, G> {
    /// The games. What it wishes to be written down is not.
    pub experiment: &'a Experiment<'a, G>,
    /// What a position is worth before a choice.
    pub evaluator: &'a Heuristic,
    /// The chance with which a seat is enrolled when an item comes up.
    pub rate: f64,
}

impl<G: FullGame> ItemEffectsExperiment<'_, G> {
    /// Plays all blocks on the threads of the current pool and adds up what they bring. `played`
    /// hears of games as they end. When `stop` becomes true, the blocks in flight are finished.
    pub fn run(&self, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> ItemEffectsTally {
        let items = self.experiment.game.catalog().len();
        let play = |bots: &mut Vec<_>, job| self.play_job(bots, items, job, played);
        let bots = || self.experiment.build_bots();
        run_and_fold(
            ItemEffectsTally::new(items),
            ItemEffectsTally::add,
            self.experiment.blocks.clone(),
            stop,
            bots,
            play,
        )
    }

    fn play_job(
        &self,
        bots: &mut [Box<dyn crate::bots::Bot<G>>],
        items: usize,
        job: Range<u64>,
        played: &(dyn Fn(u64) + Sync),
    ) -> ItemEffectsTally {
        let experiment = self.experiment;
        let rotations = experiment.rotations();
        let (different, places) = experiment.distinct_bots();
        let mut choices = Choices::new(self.evaluator, items, different.len());
        let mut appraisal = ItemEffectsTally::new(items);
        for block in job {
            let mut sums = vec![BlockSums::default(); items];
            let mut rounds = 0;
            for rotation in 0..rotations.games_per_block() {
                let table =
                    Seating { block, rotation, bot_in: experiment.bot_in(&rotations, rotation) };
                choices.begin_game(table.bot_in.map(|bot| places[bot]));
                experiment.play_one(bots, &table, (), &mut choices, None);
                if let Some(outcome) = choices.outcome {
                    rounds += i64::from(outcome.rounds);
                    appraisal.capped += u64::from(outcome.hit_round_limit);
                    choices.close(
                        block,
                        &outcome,
                        experiment.game.seats(),
                        &mut appraisal.items,
                        &mut sums,
                    );
                }

                let rng = stream(experiment.seed, block, rotation, Purpose::Assignment);
                let mut assignment = RandomAssignment::new(items, self.rate, rng);
                let mut end = OutcomeObserver(None);
                experiment.play_one(bots, &table, &mut assignment, &mut end, None);
                if let Some(outcome) = end.0 {
                    appraisal.capped += u64::from(outcome.hit_round_limit);
                    for &AssignedItem { seat, item, granted } in assignment.assigned() {
                        sums[item.index()].forced_now.add(granted, &outcome, seat);
                    }
                }
            }
            appraisal.blocks += 1;
            appraisal.games += 2 * rotations.games_per_block();
            appraisal.rounds.add_block(rotations.games_per_block() as i64, rounds);
            for (sums, item) in sums.iter().zip(&mut appraisal.items) {
                sums.association.close(&mut item.association);
                sums.forced_now.close(&mut item.forced_now);
                for (measure, products) in item.products.iter_mut().enumerate() {
                    products
                        .add_block(sums.association.sides(measure), sums.forced_now.sides(measure));
                }
            }
            played(2 * rotations.games_per_block());
        }
        appraisal
    }
}

/// What a block has brought of two groups of seats, those without an item and those with it: how
/// many, and sums of the measures.
#[derive(Clone, Copy, Default)]
struct TwoSums {
    n: [i64; 2],
    x: [[i64; 2]; MEASURES],
}

impl TwoSums {
    fn add(&mut self, with: bool, outcome: &Outcome, seat: Seat) {
        let side = usize::from(with);
        self.n[side] += 1;
        for (sums, measure) in self.x.iter_mut().zip(SeatMetric::ALL) {
            sums[side] += measure.scaled_value(outcome, seat);
        }
    }

    fn close(&self, differences: &mut [PairedSums; MEASURES]) {
        for (measure, difference) in differences.iter_mut().enumerate() {
            let [without, with] = self.sides(measure);
            difference.add_block(without, with);
        }
    }

    /// Both groups' numbers and sums of a measure.
    fn sides(&self, measure: usize) -> [(i64, i64); 2] {
        let [without, with] = self.x[measure];
        [(self.n[0], without), (self.n[1], with)]
    }
}

#[derive(Clone, Copy, Default)]
struct BlockSums {
    association: TwoSums,
    forced_now: TwoSums,
}

/// The first choice of a seat at which an item was available.
#[derive(Clone, Copy)]
struct Choice {
    seat: Seat,
    item: ItemId,
    taken: bool,
    round: i64,
    value: i64,
}

/// A value is counted in so many steps to the unit, and is at most as great as [`MOST_VALUE`]
/// units.
const VALUE_STEPS: f32 = 64.0;
const MOST_VALUE: f32 = 64.0;
/// Constant, seats, places in the turn order, bots, round and its square, value, taken, measures.
const MOST_COLUMNS: usize = 1 + 3 * (MAX_SEATS - 1) + 4 + MEASURES;

/// Sees what could be taken and was, and under what circumstances.
struct Choices<'a> {
    value: &'a Heuristic,
    different_bots: usize,
    bot_in: [usize; MAX_SEATS],
    first_player: Seat,
    /// For each item, the seats that took it and those that could have, bit s for seat s.
    took: Vec<u8>,
    could: Vec<u8>,
    made: Vec<Choice>,
    outcome: Option<Outcome>,
}

impl<'a> Choices<'a> {
    fn new(value: &'a Heuristic, items: usize, different_bots: usize) -> Self {
        let (took, could) = (vec![0; items], vec![0; items]);
        Self {
            value,
            different_bots,
            bot_in: [0; MAX_SEATS],
            first_player: Seat::new(0),
            took,
            could,
            made: Vec::new(),
            outcome: None,
        }
    }

    fn begin_game(&mut self, bot_in: [usize; MAX_SEATS]) {
        self.bot_in = bot_in;
        self.first_player = Seat::new(0);
        self.took.fill(0);
        self.could.fill(0);
        self.made.clear();
        self.outcome = None;
    }

    /// Counts the game that has ended.
    fn close(
        &self,
        block: u64,
        outcome: &Outcome,
        seats: usize,
        items: &mut [ItemEffectSums],
        sums: &mut [BlockSums],
    ) {
        for choice in &self.made {
            let mut row = [0; MOST_COLUMNS];
            let columns = self.row(choice, outcome, seats, &mut row);
            items[choice.item.index()].regression.add(block, &row[..columns]);
        }
        for ((sums, took), could) in sums.iter_mut().zip(&self.took).zip(&self.could) {
            for seat in (0..seats).map(Seat::new) {
                let with = took >> seat.index() & 1 == 1;
                if with || could >> seat.index() & 1 == 1 {
                    sums.association.add(with, outcome, seat);
                }
            }
        }
    }

    /// A row for the regression: circumstances, whether it was taken, and what came of it. Returns
    /// its length.
    fn row(
        &self,
        choice: &Choice,
        outcome: &Outcome,
        seats: usize,
        row: &mut [i64; MOST_COLUMNS],
    ) -> usize {
        let mut columns = 0;
        let mut push = |value: i64| {
            row[columns] = value;
            columns += 1;
        };
        push(1);
        let seat = choice.seat.index();
        let place = (seat + seats - self.first_player.index()) % seats;
        for (own, kinds) in
            [(seat, seats), (place, seats), (self.bot_in[seat], self.different_bots)]
        {
            (1..kinds).for_each(|kind| push(i64::from(own == kind)));
        }
        push(choice.round);
        push(choice.round * choice.round);
        push(choice.value);
        push(i64::from(choice.taken));
        for measure in SeatMetric::ALL {
            push(measure.scaled_value(outcome, choice.seat));
        }
        columns
    }
}

impl<G: FullGame> Observer<G> for Choices<'_> {
    fn on_chance(&mut self, game: &G, state: &G::State, _source: ChanceSource, outcome: G::Action) {
        if let Some(seat) = game.first_player(outcome) {
            self.first_player = seat;
        }
        game.item_events(state, outcome, |event| self.note(event));
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        debug_assert_eq!(game.turn(state), Turn::Seat(seat));
        let first = self.made.len();
        game.items_available(legal, |item| {
            let could = &mut self.could[item.index()];
            if *could >> seat.index() & 1 == 0 {
                *could |= 1 << seat.index();
                self.made.push(Choice {
                    seat,
                    item,
                    taken: false,
                    round: game.round(state).into(),
                    value: 0,
                });
            }
        });
        if first < self.made.len() {
            let worth = Evaluator::<G>::logit(self.value, game, state, seat);
            let value = (worth.clamp(-MOST_VALUE, MOST_VALUE) * VALUE_STEPS).round() as i64;
            self.made[first..].iter_mut().for_each(|choice| choice.value = value);
            game.items_chosen(legal, action, |item| {
                let choices = self.made[first..].iter_mut();
                choices.filter(|choice| choice.item == item).for_each(|choice| choice.taken = true);
            });
        }
        game.decision_events(state, seat, legal, action, |event| self.note(event));
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        game.final_events(state, |event| self.note(event));
        self.outcome = Some(game.outcome(state));
    }
}

impl Choices<'_> {
    fn note(&mut self, event: ItemEvent) {
        if let ItemEvent::Taken(seat, item) = event {
            self.took[item.index()] |= 1 << seat.index();
        }
    }
}
