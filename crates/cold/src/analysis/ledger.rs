//! The ledger of a game: for each event, by how much it changed the win chances, and why.
//!
//! Let v(s) be the win chances of all seats: at the end of the game the result, where a seat
//! decides between several actions those of a pair of searches ([`super::pair_search`]), and before
//! a chance event v after it less its *luck*. The luck of an event is the chance after it less the
//! mean over all outcomes, by their probabilities, both by a quick search; its mean is 0, whatever
//! the search is (AIVAT, Burch, Schmid, Moravcik and Bowling, *AAAI* 2018). The change v(t) − v(s)
//! of a decision that leads from s to t is its *cost*, as far as another action is better, and a
//! *revision* for the rest: the searches changed their mind. So v(end) = v(start) + luck − costs +
//! revisions for each seat.
//!
//! The cost is v(s) − v(t) if searches of equal budget after the best action and the one that was
//! played ([`super::successors`]) confirm at least half of it, and else what these find. A mistake
//! is named if the next own decision of the seat still shows a quarter of its loss, less luck and
//! costs of others. Where the revisions of a game are large, all its searches are deepened.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use rand::RngExt as _;
use rayon::prelude::*;

use super::{
    endgame::result,
    pair_search::{PairSearch, PairedSearches},
    reason::Reasoner,
    searched_position::SearchedPosition,
    successors::Successors,
};
use crate::{
    arena::record::{Record, replay_events},
    bots::BotFactory,
    game::{ActionSet as _, FullGame, MAX_SEATS, PerSeat, Seat, Turn},
    rng::{ChanceStreams, Purpose, stream},
    stats::ratio::{Estimate, Ratio},
};

/// Annotates games.
#[derive(Debug)]
pub struct Annotator<'a> {
    /// The searches of decisions.
    pub searches: PairedSearches<'a>,
    /// The quick bot whose searches estimate luck.
    pub luck_search: &'a BotFactory,
    /// The seed.
    pub seed: u64,
    /// Decisions for which a hint was given, by their events: they are searched deeper, and the
    /// loss of a mistake is the lower end of its interval.
    pub hinted: &'a [usize],
    /// Explains mistakes.
    pub reasoner: &'a Reasoner,
    /// Ends the annotation when it becomes true.
    pub stop: &'a AtomicBool,
}

/// An annotated game.
#[derive(Clone, Debug)]
pub struct Annotation<S, A> {
    /// Number of seats.
    pub seats: usize,
    /// Win chance of each seat before the first event.
    pub start: PerSeat<f64>,
    /// The events in order.
    pub events: Vec<AnnotatedEvent<S, A>>,
    /// Win share of each seat.
    pub end: PerSeat<f64>,
    /// The final position.
    pub end_state: S,
}

/// An event of a game.
#[derive(Clone, Debug)]
pub struct AnnotatedEvent<S, A> {
    /// The position before the event.
    pub state: S,
    /// Who decided.
    pub turn: Turn,
    /// Round of the position before the event.
    pub round: u32,
    /// The outcome or the action.
    pub action: A,
    /// Number of legal actions or outcomes.
    pub choices: usize,
    /// Win chances before the event.
    pub before: PerSeat<f64>,
    /// Win chances after the event.
    pub after: PerSeat<f64>,
    /// Cost of a decision, if another action is better.
    pub cost: Option<Cost<A>>,
    /// Win chance that a random action of the decision loses, at least 0.
    pub stake: f64,
    /// The next best action, if the search of the position has the decision clearly before it.
    pub second: Option<A>,
    /// The merit of a decision, if searches after it and the next best action confirm that.
    pub merit: Option<Merit>,
    /// Why another action is better than a mistake, as in `because it keeps the place to produce
    /// stone from player 2`.
    pub reason: Option<String>,
}

/// Cost of a decision against the best action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost<A> {
    /// The best action.
    pub best: A,
    /// Win chance that the decision costs the seat that decides, above 0.
    pub loss: f64,
    /// The mistake that the loss is, if any.
    pub mistake: Option<Mistake>,
}

/// Merit of the best action: what the next best one loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merit {
    /// More than 5 percentage points of win chance, as a mistake does.
    Best,
    /// More than 10 points, as a blunder does.
    Only,
}

impl Merit {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Best => "best move",
            Self::Only => "only move",
        }
    }

    /// Returns the merit of the best action by the lead of its win chance.
    fn of_lead(lead: f64) -> Option<Self> {
        match Mistake::of_loss(lead)? {
            Mistake::Inaccuracy => None,
            Mistake::Mistake => Some(Self::Best),
            Mistake::Blunder => Some(Self::Only),
        }
    }
}

/// Size of a mistake: the largest one that the loss exceeds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mistake {
    /// More than 3 percentage points of win chance.
    Inaccuracy,
    /// More than 5 points.
    Mistake,
    /// More than 10 points.
    Blunder,
}

impl Mistake {
    /// All sizes, in ascending order.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// Returns the loss of win chance that it exceeds.
    pub const fn threshold(self) -> f64 {
        match self {
            Self::Inaccuracy => 0.03,
            Self::Mistake => 0.05,
            Self::Blunder => 0.1,
        }
    }

    /// Returns the size of a loss.
    pub(super) fn of_loss(loss: f64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|size| loss > size.threshold())
    }
}

/// Number of completions over which the win chances of a position are averaged if chance decides.
const COMPLETIONS: u64 = 4;
/// Loss above which an action that is not the best one is compared with it.
const SUSPICIOUS_LOSS: f64 = 0.005;
/// Share of a loss that searches after both actions must confirm.
const CHECKED_SHARE: f64 = 0.5;
/// Share of the loss of a mistake that the next own decision of the seat must confirm.
const KEPT_SHARE: f64 = 0.25;
/// Samples after two actions for the interval of what one loses.
const INTERVAL_SAMPLES: u64 = 8;
/// Sum of the revisions of a seat above which the searches are deepened.
pub const LARGE_REVISION: f64 = 0.15;
/// Number of times that the budget of a decision with a hint is doubled.
const HINTED_LEVELS: usize = 2;
/// Number of times that the searches of a game are deepened.
const DEEPENINGS: usize = 2;
/// Loss from which a decision matters.
const MATTERS: f64 = 0.01;
/// Mean loss of a decision that halves the skill.
const HALVING_LOSS: f64 = 0.05;
/// Units of a win chance in sums.
const UNITS: f64 = 1e4;

impl Annotator<'_> {
    /// Annotates the game of a record on the threads of the current pool. `on_event` is called
    /// after the search of the luck of each event and after that of its position, in any order.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules, or that the annotation was
    /// stopped.
    pub fn annotate<G: FullGame>(
        &self,
        game: &G,
        record: &Record,
        on_event: impl Fn() + Sync,
    ) -> Result<Annotation<G::State, G::Action>, String> {
        let mut steps = Vec::new();
        let events = record.events.len();
        let step = |_, state: &G::State, action| steps.push((*state, action));
        let end_state = replay_events(game, record, events, step)?;
        let luck = steps.par_iter().map(|(state, action)| {
            let luck = self.luck(game, state, *action);
            on_event();
            luck
        });
        let luck: Vec<_> = luck.collect();
        let mut level = 0;
        loop {
            let mut annotation =
                self.annotate_with(game, &steps, &end_state, &luck, level, &on_event);
            if self.is_stopped() {
                return Err("the review was stopped".to_owned());
            }
            if level == DEEPENINGS || annotation.largest_revision() <= LARGE_REVISION {
                self.explain(game, &mut annotation);
                return Ok(annotation);
            }
            level += 1;
        }
    }

    /// Annotates the steps of a game with searches of at least the budget of a level. `on_event` is
    /// called after the search of each event with the lowest budget.
    fn annotate_with<G: FullGame>(
        &self,
        game: &G,
        steps: &[(G::State, G::Action)],
        end_state: &G::State,
        luck: &[PerSeat<f64>],
        level: usize,
        on_event: &(impl Fn() + Sync),
    ) -> Annotation<G::State, G::Action> {
        let search = |(number, (state, _)): (usize, &(G::State, G::Action))| {
            let found = match game.turn(state) {
                Turn::Seat(seat) if !self.is_stopped() && game.legal_actions(state).len() > 1 => {
                    let seed = stream(self.seed, number as u64, 0, Purpose::Playout).random();
                    let deeper = HINTED_LEVELS * usize::from(self.hinted.contains(&number));
                    Some(self.searches.search(game, state, seat, level + deeper, seed, self.stop))
                }
                _ => None,
            };
            if level == 0 {
                on_event();
            }
            found
        };
        let searches: Vec<_> = steps.par_iter().enumerate().map(search).collect();
        let mut chances = vec![result(game, end_state); steps.len() + 1];
        for number in (0..steps.len()).rev() {
            chances[number] = match &searches[number] {
                Some(search) => search.chances,
                None => std::array::from_fn(|seat| chances[number + 1][seat] - luck[number][seat]),
            };
        }
        let event = |(number, &(state, action)): (usize, &(G::State, G::Action))| {
            let [before, after] = [chances[number], chances[number + 1]];
            let turn = game.turn(&state);
            AnnotatedEvent {
                turn,
                round: game.round(&state),
                choices: match turn {
                    Turn::Chance(_) => game.chance_outcomes(&state).len(),
                    _ => game.legal_actions(&state).len(),
                },
                cost: match (turn, &searches[number]) {
                    (Turn::Seat(seat), Some(search)) => {
                        let loss = before[seat.index()] - after[seat.index()];
                        let cost = self.cost(game, &state, seat, action, search, loss);
                        cost.and_then(|cost| match Mistake::of_loss(cost.loss) {
                            Some(_) if self.hinted.contains(&number) => {
                                self.lowest_cost(game, &state, seat, action, cost)
                            }
                            _ => Some(cost),
                        })
                    }
                    _ => None,
                },
                stake: searches[number].as_ref().map_or(0.0, |search| search.stake),
                second: searches[number].as_ref().and_then(|search| {
                    let (second, lead) = search.second.filter(|_| action == search.best)?;
                    Merit::of_lead(lead).map(|_| second)
                }),
                merit: None,
                state,
                action,
                before,
                after,
                reason: None,
            }
        };
        let mut annotation = Annotation {
            seats: game.seats(),
            start: chances[0],
            events: steps.par_iter().enumerate().map(event).collect(),
            end: chances[steps.len()],
            end_state: *end_state,
        };
        annotation.name_mistakes();
        annotation
    }

    /// Adds the reasons of the mistakes, and the merits.
    fn explain<G: FullGame>(&self, game: &G, annotation: &mut Annotation<G::State, G::Action>) {
        annotation.events.par_iter_mut().for_each(|event| {
            let Turn::Seat(seat) = event.turn else { return };
            if let Some(second) = event.second {
                let (state, bot) = (&event.state, &self.searches.bots[0]);
                let successors = Successors { game, state, seat, bot, seed: self.seed };
                let lead = successors.difference(event.action, second, 2, self.stop);
                event.merit = Merit::of_lead(lead);
            }
            let Some(Cost { best, mistake: Some(_), .. }) = event.cost else { return };
            let (actions, search) = ((best, &[event.action][..]), (self.seed, self.stop));
            let reasons = self.reasoner.explain(game, &event.state, seat, actions, search);
            let reason = reasons.into_iter().flatten().next();
            event.reason = reason.map(|reason| format!("because {reason}"));
        });
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the luck of an event for each seat; 0 for a decision.
    fn luck<G: FullGame>(&self, game: &G, state: &G::State, action: G::Action) -> PerSeat<f64> {
        let mut luck = [0.0; MAX_SEATS];
        let Turn::Chance(_) = game.turn(state) else { return luck };
        let outcomes = game.chance_outcomes(state);
        if outcomes.len() < 2 {
            return luck;
        }
        let total: f64 = outcomes.iter().map(|&(_, weight)| f64::from(weight)).sum();
        for (outcome, weight) in outcomes {
            let mut after = *state;
            game.apply(&mut after, outcome);
            let share = f64::from(u8::from(outcome == action)) - f64::from(weight) / total;
            for (sum, chance) in luck.iter_mut().zip(self.quick_chances(game, &after)) {
                *sum += share * chance;
            }
        }
        luck
    }

    /// Returns the win chances in a position: the result if the game is over, those of a quick
    /// search where a seat decides between several actions, and otherwise the mean over completions
    /// to such a position, with the same chance for all positions.
    fn quick_chances<G: FullGame>(&self, game: &G, state: &G::State) -> PerSeat<f64> {
        let mut sums = [0.0; MAX_SEATS];
        for block in (0..COMPLETIONS).take_while(|_| !self.is_stopped()) {
            let (chances, is_certain) = self.quick_chances_after(game, *state, block);
            if is_certain {
                return chances;
            }
            for (sum, chance) in sums.iter_mut().zip(chances) {
                *sum += chance / COMPLETIONS as f64;
            }
        }
        sums
    }

    /// Completes a position by forced decisions and chance until a seat decides between several
    /// actions. Returns the win chances there, and true if no chance was drawn.
    fn quick_chances_after<G: FullGame>(
        &self,
        game: &G,
        mut state: G::State,
        block: u64,
    ) -> (PerSeat<f64>, bool) {
        let mut chance = ChanceStreams::new(self.seed, block, game.chance_sources().len());
        let mut is_certain = true;
        loop {
            let action = match game.turn(&state) {
                Turn::Chance(source) => {
                    is_certain = false;
                    game.draw_chance(&state, source, &mut chance)
                }
                Turn::Over => return (result(game, &state), is_certain),
                Turn::Seat(seat) => {
                    let legal = game.legal_actions(&state);
                    if legal.len() > 1 {
                        let search = self.luck_search;
                        let found = SearchedPosition::search(search, game, &state, seat, self.seed);
                        return (found.chances(), is_certain);
                    }
                    legal.nth(0)
                }
            };
            game.apply(&mut state, action);
        }
    }

    /// Returns the cost of a decision that seems to lose some of the win chance; `None` if no
    /// better action is found.
    fn cost<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        played: G::Action,
        search: &PairSearch<G::Action>,
        loss: f64,
    ) -> Option<Cost<G::Action>> {
        if loss < SUSPICIOUS_LOSS || self.is_stopped() {
            return None;
        }
        let after = |action| {
            let mut after = *state;
            game.apply(&mut after, action);
            after
        };
        let last = self.searches.bots.len() - 1;
        let (mut best, mut level) = (search.best, search.level);
        loop {
            let is_chance = |action| matches!(game.turn(&after(action)), Turn::Chance(_));
            // A loss is checked deeper than it was found; after chance, in more samples instead.
            let (deeper, samples) = match Mistake::of_loss(loss) {
                None => (0, 2),
                Some(_) if is_chance(best) || is_chance(played) => (1, 8),
                Some(_) => (2, 2),
            };
            let checked = if after(best) == after(played) {
                0.0
            } else {
                let bot = &self.searches.bots[last.min(level + deeper)];
                let successors = Successors { game, state, seat, bot, seed: self.seed };
                successors.difference(best, played, samples, self.stop)
            };
            if checked >= CHECKED_SHARE * loss || self.is_stopped() {
                return Some(Cost { best, loss, mistake: None });
            }
            if level == last || Mistake::of_loss(loss).is_none() {
                return (checked > 0.0).then_some(Cost { best, loss: checked, mistake: None });
            }
            // A search that expects more of the position than those after its action has looked
            // too little at the others.
            let deeper = self.searches.search(game, state, seat, level + 1, self.seed, self.stop);
            (best, level) = (deeper.best, deeper.level);
        }
    }

    /// Returns the cost of a decision with at most the lower end of the 95 % confidence interval of
    /// its loss, by the deepest searches in new samples; `None` if that is not above 0.
    fn lowest_cost<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        played: G::Action,
        cost: Cost<G::Action>,
    ) -> Option<Cost<G::Action>> {
        let bot = self.searches.bots.last()?;
        let successors = Successors { game, state, seat, bot, seed: self.seed.wrapping_add(1) };
        let after = successors.search_until(&[cost.best, played], 0..INTERVAL_SAMPLES, self.stop);
        let difference = after[0].difference(&after[1], seat);
        // Exact chances do not vary.
        let low =
            if difference.is_constant() { difference.value } else { difference.estimate().low };
        (low > 0.0).then_some(Cost { loss: cost.loss.min(low), ..cost })
    }
}

impl<S, A> AnnotatedEvent<S, A> {
    /// Returns the change of the win chance of a seat by luck or by the cost of the decision.
    pub fn change(&self, seat: Seat) -> f64 {
        let change = self.after[seat.index()] - self.before[seat.index()];
        match (self.turn, &self.cost) {
            (Turn::Chance(_), _) => change,
            (Turn::Seat(decider), Some(cost)) => {
                let own = self.before[decider.index()] - self.after[decider.index()];
                change * (cost.loss / own).clamp(0.0, 1.0)
            }
            _ => 0.0,
        }
    }

    /// Returns the revision of the win chance of a seat: the searches changed their mind.
    pub fn revision(&self, seat: Seat) -> f64 {
        self.after[seat.index()] - self.before[seat.index()] - self.change(seat)
    }
}

/// The skill of a player: 100 % if the decisions cost nothing, halved for every 5 percentage points
/// that a decision costs on average. Only decisions that matter count, in which a random action, or
/// the one that was played, loses a point or more: neither forced ones nor those of a decided game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skill(Ratio);

impl Skill {
    /// Adds decisions, each with its loss and its stake, as one block.
    pub fn add_block(&mut self, decisions: &[(f64, f64)]) {
        let matter = decisions.iter().filter(|(loss, stake)| loss.max(*stake) >= MATTERS);
        let (count, sum) = matter.fold((0, 0.0), |(count, sum), (loss, _)| (count + 1, sum + loss));
        self.0.add_block(count, (sum * UNITS).round() as i64);
    }

    /// Returns the skill with the number of decisions that matter; `None` without any.
    pub fn estimate(&self) -> Option<Estimate> {
        let Estimate { n, value, low, high } = self.lost()?;
        let [value, low, high] = [value, high, low].map(|lost| (-lost / HALVING_LOSS).exp2());
        Some(Estimate { n, value, low, high })
    }

    /// Returns the mean loss of a decision that matters; `None` without any.
    pub fn lost(&self) -> Option<Estimate> {
        (self.0.n > 0).then(|| self.0.rate(UNITS as i64))
    }
}

/// A row of the ledger: the changes of the win chances of all seats from one source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LedgerRow {
    /// The source.
    pub source: LedgerSource,
    /// Number of events.
    pub events: u64,
    /// Sum of the changes of the win chance of each seat.
    pub changes: PerSeat<f64>,
}

/// A source of changes of win chances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LedgerSource {
    /// Luck of a chance source, as an index.
    Luck(u8),
    /// Costs of the decisions of a seat.
    Decisions(Seat),
    /// Revisions by the searches.
    Revisions,
}

impl<S, A: Copy> Annotation<S, A> {
    /// Names the mistakes among the costs.
    fn name_mistakes(&mut self) {
        for number in 0..self.events.len() {
            let is_confirmed = self.is_confirmed(number);
            if let Some(cost) = &mut self.events[number].cost {
                cost.mistake = Mistake::of_loss(cost.loss).filter(|_| is_confirmed);
            }
        }
    }

    /// Returns true if the chance of a seat at its next own decision after a costly one, less luck
    /// and the costs of others, has kept at least a quarter of the loss.
    fn is_confirmed(&self, number: usize) -> bool {
        let (event, later) = (&self.events[number], &self.events[number + 1..]);
        let (Turn::Seat(seat), Some(cost)) = (event.turn, &event.cost) else { return false };
        let is_own = |later: &AnnotatedEvent<S, A>| later.turn == event.turn && later.choices > 1;
        let until = later.iter().position(is_own).unwrap_or(later.len());
        let chances = later.get(until).map_or(&self.end, |next| &next.before);
        let gains: f64 = later[..until].iter().map(|event| event.change(seat)).sum();
        event.before[seat.index()] - chances[seat.index()] + gains >= KEPT_SHARE * cost.loss
    }
}

impl<S, A> Annotation<S, A> {
    /// Returns the rows between start and end, in the order of the sources.
    pub fn ledger(&self) -> Vec<LedgerRow> {
        let mut rows: BTreeMap<LedgerSource, LedgerRow> = BTreeMap::new();
        let mut add = |source, change: &dyn Fn(Seat) -> f64| {
            let empty = LedgerRow { source, events: 0, changes: [0.0; MAX_SEATS] };
            let row = rows.entry(source).or_insert(empty);
            row.events += 1;
            for seat in 0..self.seats {
                row.changes[seat] += change(Seat::new(seat));
            }
        };
        for event in &self.events {
            let source = match event.turn {
                Turn::Chance(source) => LedgerSource::Luck(source.0),
                Turn::Seat(seat) => LedgerSource::Decisions(seat),
                Turn::Over => continue,
            };
            add(source, &|seat| event.change(seat));
            if matches!(event.turn, Turn::Seat(_)) {
                add(LedgerSource::Revisions, &|seat| event.revision(seat));
            }
        }
        rows.into_values().collect()
    }

    /// Returns the largest absolute sum of the revisions of a seat.
    pub fn largest_revision(&self) -> f64 {
        let rows = self.ledger();
        let revisions = rows.iter().filter(|row| row.source == LedgerSource::Revisions);
        revisions.flat_map(|row| row.changes).fold(0.0, |max, change| f64::max(max, change.abs()))
    }
}
