//! The ledger of a game: for each event, by how much it changed the win chances, and why.
//!
//! Let v(s) be the win chances of all seats in a position by searches, and the result at the end of
//! the game. The *backed-up* chances b(s) are
//!
//! - where chance decides, the mean of v over all outcomes, by their probabilities;
//! - where a seat decides, v after the action that was played, plus what the best action wins more
//!   than it: the smaller difference of paired rollouts ([`super::judge`]) and of searches after
//!   both actions.
//!
//! The change of an event that leads from s to t is v(t) − b(s): *luck* if chance decided, else the
//! (negative) cost of the *decision*. The *revision* of an event is b(s) − v(s): the evaluator
//! changed its mind. So v(end) = v(start) + luck + decisions + revisions for each seat, whatever v
//! is, and the mean of the luck of each event is 0. GNU Backgammon and AIVAT use the same
//! decomposition, without showing the revisions.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rayon::prelude::*;

use super::{
    judge::{Analyst, preferred},
    rollout::difference,
};
use crate::{
    arena::record::{Record, replay_events},
    bots::BotFactory,
    game::{ActionSet as _, FullGame, MAX_SEATS, PerSeat, Seat, Turn, UNITS_PER_WIN},
    rng::{ChanceStreams, Purpose, stream},
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust},
        paired::Effect,
        student,
    },
};

/// Annotates games.
#[derive(Debug)]
pub struct Annotator<'a> {
    /// The bot whose searches evaluate positions.
    pub evaluator: &'a BotFactory,
    /// The bots and the budget of the analysis of decisions. Its rollouts are those of the
    /// screening of a decision.
    pub analyst: Analyst<'a>,
    /// Number of rollouts that estimate the cost of a decision that may be a mistake.
    pub confirmation: u64,
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
    /// Backed-up win chances before the event.
    pub backed_up: PerSeat<f64>,
    /// Win chances after the event.
    pub after: PerSeat<f64>,
    /// Cost of a decision, if another action may be better.
    pub cost: Option<Cost<A>>,
}

/// Cost of a decision against the best action.
#[derive(Clone, Copy, Debug)]
pub struct Cost<A> {
    /// The best action.
    pub best: A,
    /// Win share of the seat that decides with the best action, minus that with the action that was
    /// played.
    pub loss: Effect,
    /// The same loss by searches after both actions.
    pub search_loss: f64,
    /// The mistake that the loss is, if any.
    pub mistake: Option<Mistake>,
}

/// Costs of decisions, each with the index of its event.
pub type DecisionCosts<A> = Vec<(usize, Cost<A>)>;

impl<A> Cost<A> {
    /// Returns the share of the loss in the rollouts that counts: the loss by search divided by it,
    /// from 0 to 1. Rollouts are played by a bot that does not search, which may be unable to use
    /// an action.
    pub fn counted_share(&self) -> f64 {
        if self.loss.value <= 0.0 {
            1.0
        } else {
            (self.search_loss / self.loss.value).clamp(0.0, 1.0)
        }
    }

    /// Returns the loss that counts: the smaller one of rollouts and search, if it is positive in
    /// the rollouts.
    pub fn counted_loss(&self) -> f64 {
        self.counted_share() * self.loss.value
    }
}

/// Size of a mistake. A loss has the largest size that it significantly exceeds in the rollouts, by
/// Holm's correction over all decisions of the game, and that it exceeds by search, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mistake {
    /// More than 2 percentage points of win chance.
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
            Self::Inaccuracy => 0.02,
            Self::Mistake => 0.05,
            Self::Blunder => 0.1,
        }
    }
}

/// Number of completions over which the win chances of a position are averaged if chance decides.
const COMPLETIONS: u64 = 16;
/// Number of completions in which searches give a second opinion on the cost of a decision.
const SECOND_OPINIONS: u64 = 8;

/// Estimated loss in the screening above which a decision is examined with more rollouts.
const SUSPICIOUS_LOSS: f64 = 0.02;

impl Annotator<'_> {
    /// Annotates the game of a record on the threads of the current pool. `on_event` is called
    /// after each event, in any order.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
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
        let annotated = steps.par_iter().enumerate().map(|(number, (state, action))| {
            let event = self.annotate_event(game, number, state, *action);
            on_event();
            event
        });
        let mut events: Vec<_> = annotated.collect();
        name_mistakes(events.iter_mut().filter_map(|event| event.cost.as_mut()).collect());
        Ok(Annotation {
            seats: game.seats(),
            start: self.chances(game, &game.initial()),
            end: self.chances(game, &end_state),
            end_state,
            events,
        })
    }

    /// Examines the decisions of the game of a record, without evaluating its chance events, on the
    /// threads of the current pool. Returns the costs of [`Annotator::annotate`] with the index of
    /// their event.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules.
    pub fn costs<G: FullGame>(
        &self,
        game: &G,
        record: &Record,
    ) -> Result<DecisionCosts<G::Action>, String> {
        let mut decisions = Vec::new();
        let step = |number, state: &G::State, action| {
            if let Turn::Seat(seat) = game.turn(state)
                && game.legal_actions(state).len() > 1
            {
                decisions.push((number, *state, seat, action));
            }
        };
        replay_events(game, record, record.events.len(), step)?;
        let costs = decisions.par_iter().filter_map(|(number, state, seat, action)| {
            let (_, cost) = self.examine(game, *number, state, *seat, *action);
            Some((*number, cost?))
        });
        let mut costs: Vec<_> = costs.collect();
        name_mistakes(costs.iter_mut().map(|(_, cost)| cost).collect());
        Ok(costs)
    }

    /// Returns the win chances in a position: the result if the game is over, those of a search
    /// where a seat decides between several actions, and otherwise the mean over completions to
    /// such a position, with the same chance for all positions.
    fn chances<G: FullGame>(&self, game: &G, state: &G::State) -> PerSeat<f64> {
        let mut sums = [0.0; MAX_SEATS];
        for block in 0..COMPLETIONS {
            let (chances, is_certain) = self.chances_after(game, *state, block, self.analyst.seed);
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
    /// actions. Returns the win chances there by a search with a seed, and true if no chance was
    /// drawn.
    fn chances_after<G: FullGame>(
        &self,
        game: &G,
        mut state: G::State,
        block: u64,
        seed: u64,
    ) -> (PerSeat<f64>, bool) {
        let sources = game.chance_sources().len();
        let mut chance = ChanceStreams::new(self.analyst.seed, block, sources);
        let mut is_certain = true;
        loop {
            let action = match game.turn(&state) {
                Turn::Chance(source) => {
                    is_certain = false;
                    game.sample_chance(&state, chance.source_stream(source.0))
                }
                Turn::Over => {
                    let outcome = game.outcome(&state);
                    let share = |seat| outcome.win_share(Seat::new(seat)) as f64;
                    let unit = UNITS_PER_WIN as f64;
                    return (std::array::from_fn(|seat| share(seat) / unit), is_certain);
                }
                Turn::Seat(seat) => {
                    let legal = game.legal_actions(&state);
                    if legal.len() > 1 {
                        let analyst = Analyst { search: self.evaluator, seed, ..self.analyst };
                        let found = analyst.search(game, &state, seat, &[]);
                        let mut chances = found.chances.unwrap_or_default();
                        chances[game.seats()..].fill(0.0);
                        return (chances, is_certain);
                    }
                    legal.nth(0)
                }
            };
            game.apply(&mut state, action);
        }
    }

    fn annotate_event<G: FullGame>(
        &self,
        game: &G,
        number: usize,
        state: &G::State,
        action: G::Action,
    ) -> AnnotatedEvent<G::State, G::Action> {
        let chances_after = |action| {
            let mut after = *state;
            game.apply(&mut after, action);
            self.chances(game, &after)
        };
        let after = chances_after(action);
        let turn = game.turn(state);
        let mut backed_up = after;
        let (mut cost, mut choices) = (None, 1);
        match turn {
            Turn::Chance(_) => {
                let outcomes = game.chance_outcomes(state);
                choices = outcomes.len();
                backed_up = [0.0; MAX_SEATS];
                let total: f64 = outcomes.iter().map(|&(_, weight)| f64::from(weight)).sum();
                for (outcome, weight) in outcomes {
                    let share = f64::from(weight) / total;
                    for (sum, chance) in backed_up.iter_mut().zip(chances_after(outcome)) {
                        *sum += share * chance;
                    }
                }
            }
            Turn::Seat(seat) => {
                choices = game.legal_actions(state).len();
                if choices > 1 {
                    let gains;
                    (gains, cost) = self.examine(game, number, state, seat, action);
                    for (chance, gain) in backed_up.iter_mut().zip(gains) {
                        *chance += gain;
                    }
                }
            }
            Turn::Over => {}
        }
        AnnotatedEvent {
            state: *state,
            turn,
            round: game.round(state),
            action,
            choices,
            before: self.chances(game, state),
            backed_up,
            after,
            cost,
        }
    }

    /// Examines a decision. Returns what each seat would win more with the best action, and the
    /// cost of the decision; nothing if the action that was played is the best one.
    ///
    /// Rollouts choose the best action, and others estimate the cost, so it is not overestimated
    /// because it happened to look large.
    fn examine<G: FullGame>(
        &self,
        game: &G,
        number: usize,
        state: &G::State,
        seat: Seat,
        played: G::Action,
    ) -> (PerSeat<f64>, Option<Cost<G::Action>>) {
        let none = ([0.0; MAX_SEATS], None);
        let seed = stream(self.analyst.seed, number as u64, 0, Purpose::Playout).random();
        let analyst = Analyst { seed, ..self.analyst };
        let found = analyst.search(game, state, seat, &[played]);
        if found.actions[0].action == played {
            return none;
        }
        let candidates = analyst.candidates(game, state, &[played], &found.actions);
        let rollouts = analyst.rollouts(game, state, seat);
        let screening = 0..analyst.rollouts;
        let results = rollouts.play(&candidates, screening.clone());
        let best = candidates[preferred(&results, seat)];
        let of = |action| candidates.iter().position(|&other| other == action);
        let (Some(of_best), Some(of_played)) = (of(best), of(played)) else { return none };
        let suspicion = difference(&results[of_best], &results[of_played], seat).value;
        if best == played || suspicion <= 0.0 {
            return none;
        }
        let count = if suspicion > SUSPICIOUS_LOSS { self.confirmation } else { analyst.rollouts };
        let blocks = screening.end..screening.end + count;
        let results = rollouts.play(&[best, played], blocks);
        let loss = difference(&results[0], &results[1], seat);
        let loss_of_block = |block| {
            let mut hidden = stream(seed, block, 1, Purpose::Determinization);
            let state = game.determinize(state, seat, &mut hidden);
            let [best, played] = [best, played].map(|action| {
                let mut after = state;
                game.apply(&mut after, action);
                let seed = seed.wrapping_add(block);
                self.chances_after(game, after, block, seed).0[seat.index()]
            });
            best - played
        };
        let losses = (0..SECOND_OPINIONS).map(loss_of_block);
        let search_loss = losses.sum::<f64>() / SECOND_OPINIONS as f64;
        let cost = Cost { best, loss, search_loss, mistake: None };
        let gain = |of| difference(&results[0], &results[1], Seat::new(of)).value;
        let gains = std::array::from_fn(|of| {
            if of < game.seats() { cost.counted_share() * gain(of) } else { 0.0 }
        });
        (gains, Some(cost))
    }
}

/// Names the mistakes among the costs of a game.
fn name_mistakes<A>(mut costs: Vec<&mut Cost<A>>) {
    for mistake in Mistake::ALL {
        let p_values: Vec<_> =
            costs.iter().map(|cost| p_of_excess(&cost.loss, mistake.threshold())).collect();
        for (cost, p) in costs.iter_mut().zip(holm_adjust(&p_values)) {
            if p < SIGNIFICANCE_LEVEL && cost.search_loss > mistake.threshold() {
                cost.mistake = Some(mistake);
            }
        }
    }
}

/// Returns the p-value of the one-sided test that an effect exceeds a threshold; not a number if
/// there is no test.
fn p_of_excess(effect: &Effect, threshold: f64) -> f64 {
    if !effect.is_testable() {
        return f64::NAN;
    }
    let t = (effect.value - threshold) / effect.standard_error;
    let tail = student::two_sided_p(t, effect.degrees_of_freedom) / 2.0;
    if t > 0.0 { tail } else { 1.0 - tail }
}

impl<S, A> AnnotatedEvent<S, A> {
    /// Returns the change of the win chance of a seat by luck or by the decision.
    pub fn change(&self, seat: Seat) -> f64 {
        self.after[seat.index()] - self.backed_up[seat.index()]
    }

    /// Returns the revision of the win chance of a seat: the evaluator changed its mind.
    pub fn revision(&self, seat: Seat) -> f64 {
        self.backed_up[seat.index()] - self.before[seat.index()]
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
    /// Standard error of the change of the seat that decides, from its rollouts; 0 for the others.
    pub standard_error: f64,
}

/// A source of changes of win chances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LedgerSource {
    /// Luck of a chance source, as an index.
    Luck(u8),
    /// Decisions of a seat.
    Decisions(Seat),
    /// Revisions of the evaluator.
    Revisions,
}

impl<S, A> Annotation<S, A> {
    /// Returns the annotation with functions of its positions and actions.
    pub fn map<P, B>(self, position: impl Fn(S) -> P, name: impl Fn(A) -> B) -> Annotation<P, B> {
        let events = self.events.into_iter().map(|event| {
            let AnnotatedEvent { state, turn, round, action, choices, .. } = event;
            let (before, backed_up, after) = (event.before, event.backed_up, event.after);
            let cost = event.cost.map(|Cost { best, loss, search_loss, mistake }| {
                let best = name(best);
                Cost { best, loss, search_loss, mistake }
            });
            AnnotatedEvent {
                state: position(state),
                turn,
                round,
                action: name(action),
                choices,
                before,
                backed_up,
                after,
                cost,
            }
        });
        Annotation {
            seats: self.seats,
            start: self.start,
            events: events.collect(),
            end: self.end,
            end_state: position(self.end_state),
        }
    }

    /// Returns the rows between start and end, in the order of the sources.
    pub fn ledger(&self) -> Vec<LedgerRow> {
        let mut rows: BTreeMap<LedgerSource, LedgerRow> = BTreeMap::new();
        let mut variances: BTreeMap<LedgerSource, f64> = BTreeMap::new();
        let mut add = |source, change: &dyn Fn(Seat) -> f64, variance: f64| {
            let empty =
                LedgerRow { source, events: 0, changes: [0.0; MAX_SEATS], standard_error: 0.0 };
            let row = rows.entry(source).or_insert(empty);
            row.events += 1;
            for seat in 0..self.seats {
                row.changes[seat] += change(Seat::new(seat));
            }
            *variances.entry(source).or_default() += variance;
        };
        for event in &self.events {
            let source = match event.turn {
                Turn::Chance(source) => LedgerSource::Luck(source.0),
                Turn::Seat(seat) => LedgerSource::Decisions(seat),
                Turn::Over => continue,
            };
            let variance = event.cost.as_ref().map_or(0.0, |cost| {
                let error = cost.counted_share() * cost.loss.standard_error;
                if error.is_finite() { error * error } else { 0.0 }
            });
            add(source, &|seat| event.change(seat), variance);
            add(LedgerSource::Revisions, &|seat| event.revision(seat), 0.0);
        }
        let with_error = |mut row: LedgerRow| {
            row.standard_error = variances[&row.source].sqrt();
            row
        };
        rows.into_values().map(with_error).collect()
    }

    /// Returns the mistakes: index of the event and cost, in order.
    pub fn mistakes(&self) -> impl Iterator<Item = (usize, &AnnotatedEvent<S, A>, &Cost<A>)> {
        self.events.iter().enumerate().filter_map(|(index, event)| {
            let cost = event.cost.as_ref()?;
            cost.mistake.map(|_| (index, event, cost))
        })
    }
}
