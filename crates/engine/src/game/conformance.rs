//! Checks that a game keeps the contract of its traits.
//!
//! ```
//! use watershed::{BuiltInGame as _, game::conformance};
//! use watershed::games::{GameDefinition as _, the_river::TheRiver};
//!
//! let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
//! conformance::check(&game, 2, 1)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use super::{
    ActionSet, FullGame, ItemEvent, ItemId, MAX_FEATURES, MAX_SEATS, Seat, Turn, UNITS_PER_WIN,
    facts::{FactBlock, FactList, FactTable, MAX_FACTS, PositionFacts},
};
use crate::rng::{Purpose, Rng, random_below, stream};

/// Maximum number of events of a game. A longer game is taken for one that never ends.
pub const MAX_EVENTS: usize = 100_000;

/// Number of sets of actions between two in which all decisions of the game, which can be
/// thousands, are looked up.
const SETS_PER_FULL_CHECK: u64 = 16;

/// Number of times that each chance event is sampled.
const DRAWS: usize = 3;

/// Returns an error, as `ensure!(condition, "format", …)`, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

/// Plays `games` games with uniformly random decisions and checks every position: notations can be
/// read back, sets of actions are consistent, chance outcomes and determinizations are possible,
/// features, facts, items, metrics and outcomes are as the traits demand.
///
/// # Errors
/// Returns the first violation, with the events that lead to it.
pub fn check<G: FullGame>(game: &G, games: u64, seed: u64) -> Result<(), String> {
    let mut contract = Contract::new(game)?;
    for number in 0..games {
        let mut events = Vec::new();
        let mut rng = stream(seed, number, 0, Purpose::Playout);
        contract.play(&mut events, &mut rng).map_err(|violation| {
            format!("{violation}; game {number} of {} seats: {}", game.seats(), events.join(" "))
        })?;
    }
    contract.check_tables()
}

/// Checks that a list has room for all facts of a position or an action, and that these exist.
fn check_facts(list: &FactList, block: &FactBlock) -> Result<(), String> {
    let facts = list.as_slice();
    ensure!(facts.len() < MAX_FACTS, "{} facts; expected fewer than {MAX_FACTS}", facts.len());
    let unknown = facts.iter().find(|&&fact| usize::from(fact) >= block.facts().len());
    ensure!(unknown.is_none(), "fact {unknown:?} of {}", block.facts().len());
    Ok(())
}

/// The checks of one game bound to a data file, and the notes that they keep.
#[derive(Debug)]
pub struct Contract<'a, G: FullGame> {
    game: &'a G,
    /// All decisions of the game.
    decisions: HashSet<G::Action>,
    facts: Arc<FactTable>,
    /// Number of sets of legal actions that were checked.
    sets: u64,
    /// Items that an action chose.
    chosen: BTreeSet<ItemId>,
    /// Items that were available while no legal action chose them, with such a position.
    only_available: BTreeMap<ItemId, String>,
}

impl<'a, G: FullGame> Contract<'a, G> {
    /// Checks the properties of a game that do not depend on a position.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded, or if the notations of decisions are not unique.
    pub fn new(game: &'a G) -> Result<Self, String> {
        let seats = game.seats();
        ensure!((1..=MAX_SEATS).contains(&seats), "{seats} seats; expected 1 to {MAX_SEATS}");
        ensure!(size_of::<G::Action>() <= 4, "an action has more than 4 bytes");
        let kinds = game.action_kinds().len();
        ensure!((1..=32).contains(&kinds), "{kinds} kinds of action; expected 1 to 32");
        let features = game.feature_names().len();
        ensure!(features <= MAX_FEATURES, "{features} features; expected at most {MAX_FEATURES}");
        let listed = game.all_decisions();
        let decisions: HashSet<_> = listed.iter().copied().collect();
        ensure!(decisions.len() == listed.len(), "all_decisions repeats a decision");
        let texts: HashSet<_> = listed.iter().map(|&action| game.action_text(action)).collect();
        ensure!(texts.len() == listed.len(), "two decisions have the same notation");
        let contract = Self {
            game,
            decisions,
            facts: game.fact_table(),
            sets: 0,
            chosen: BTreeSet::new(),
            only_available: BTreeMap::new(),
        };
        listed.into_iter().try_for_each(|action| contract.check_notation(action))?;
        Ok(contract)
    }

    /// Plays a game to its end and checks every position. `events` receives the events.
    fn play(&mut self, events: &mut Vec<String>, rng: &mut Rng) -> Result<(), String> {
        let game = self.game;
        let mut state = game.initial();
        loop {
            self.check_position(&state, rng)?;
            let action = match game.turn(&state) {
                Turn::Chance(_) => self.check_chance(&state, rng)?,
                Turn::Seat(_) => {
                    let legal = game.legal_actions(&state);
                    self.check_legal(&state, &legal)?;
                    self.check_offers(&state, &legal)?;
                    let expected = random_below(&mut rng.clone(), legal.len() as u32) as usize;
                    let action = legal.sample(rng);
                    ensure!(
                        action == legal.nth(expected),
                        "sample returns {action:?} instead of the action of the random number"
                    );
                    action
                }
                Turn::Over => return self.check_outcome(&state),
            };
            events.push(game.action_text(action));
            let before = state;
            game.apply(&mut state, action);
            self.check_event(&before, action, &state)?;
            ensure!(events.len() < MAX_EVENTS, "the game has not ended after {MAX_EVENTS} events");
        }
    }

    fn check_notation(&self, action: G::Action) -> Result<(), String> {
        let text = self.game.action_text(action);
        let read = self.game.parse_action(&text);
        ensure!(read == Ok(action), "the notation {text:?} of {action:?} is read as {read:?}");
        Ok(())
    }

    /// Checks a position: its notation, features, facts and metrics, and a determinization.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn check_position(&self, state: &G::State, rng: &mut Rng) -> Result<(), String> {
        let game = self.game;
        self.check_position_text(state)?;
        let progress = game.progress(state);
        ensure!((0.0..=1.0).contains(&progress), "the progress is {progress}; expected 0 to 1");
        for seat in (0..game.seats()).map(Seat::new) {
            let features = game.features(state, seat);
            let (named, others) = features.split_at(game.feature_names().len());
            ensure!(
                named.iter().all(|value| value.is_finite()),
                "a feature of {named:?} is not finite"
            );
            ensure!(others.iter().all(|&value| value == 0.0), "a feature without a name is not 0");
        }
        let mut metrics = Ok(());
        game.observe_round_metrics(state, |metric, count, sum| {
            let possible = game.round_metrics().get(metric).is_some_and(|metric| {
                count >= 0 && (!metric.is_share || (0..=count).contains(&sum))
            });
            if !possible {
                metrics = Err(format!("round metric {metric} has the sum {sum} of {count}"));
            }
        });
        metrics?;
        let seat = Seat::new(random_below(rng, game.seats() as u32) as usize);
        self.check_determinization(state, seat, rng)
    }

    fn check_position_text(&self, state: &G::State) -> Result<(), String> {
        let text = self.game.position_text(state);
        ensure!(!text.contains('\n'), "the text of a position has several lines: {text:?}");
        let read = self.game.parse_position(&text);
        ensure!(read.as_ref() == Ok(state), "the position {text:?} is read as {read:?}");
        Ok(())
    }

    /// Checks that a determinization keeps all information of a seat.
    fn check_determinization(
        &self,
        state: &G::State,
        seat: Seat,
        rng: &mut Rng,
    ) -> Result<(), String> {
        let game = self.game;
        let other = game.determinize(state, seat, rng);
        let context = format!("determinization {other:?} of {state:?} for seat {seat}");
        ensure!(game.turn(&other) == game.turn(state), "{context}: another turn");
        ensure!(game.round(&other) == game.round(state), "{context}: another round");
        let keys = [state, &other].map(|state| game.private_info_key(state, seat));
        ensure!(keys[0] == keys[1], "{context}: another private_info_key");
        let facts = self.position_facts(state).map_err(|list| format!("{context}: {list}"))?;
        let known = self.position_facts(&other).map_err(|list| format!("{context}: {list}"))?;
        let view = seat.index();
        let is_public = (facts.seats, facts.shared) == (known.seats, known.shared);
        ensure!(is_public, "{context}: other facts that all seats know");
        ensure!(facts.views[view] == known.views[view], "{context}: other facts of its view");
        self.check_position_text(&other).map_err(|violation| format!("{context}: {violation}"))?;
        if game.turn(state) == Turn::Seat(seat) {
            let [legal, kept] =
                [state, &other].map(|state| game.legal_actions(state).iter().collect::<Vec<_>>());
            ensure!(legal == kept, "{context}: legal actions {kept:?}; expected {legal:?}");
            let [facts, known] = [state, &other].map(|state| self.action_facts(state, seat));
            ensure!(facts? == known?, "{context}: other facts of actions");
        }
        Ok(())
    }

    /// Returns the facts of a position, of which a position at the end of the game has none.
    fn position_facts(&self, state: &G::State) -> Result<PositionFacts, String> {
        let mut facts = PositionFacts::default();
        if self.game.turn(state) != Turn::Over {
            self.game.position_facts(state, &mut facts);
        }
        check_facts(&facts.shared, &self.facts.shared)?;
        facts.seats.iter().try_for_each(|list| check_facts(list, &self.facts.seat))?;
        facts.views.iter().try_for_each(|list| check_facts(list, &self.facts.view))?;
        let mut others = [facts.seats, facts.views]
            .into_iter()
            .flat_map(|lists| lists.into_iter().skip(self.game.seats()));
        ensure!(
            others.all(|list| list.as_slice().is_empty()),
            "facts of a seat that does not play"
        );
        Ok(facts)
    }

    /// Returns the facts of each legal action.
    fn action_facts(
        &self,
        state: &G::State,
        seat: Seat,
    ) -> Result<Vec<(G::Action, FactList)>, String> {
        let mut facts = Vec::new();
        self.game.action_facts(
            state,
            seat,
            &self.game.legal_actions(state),
            &mut |action, list| {
                facts.push((action, *list));
            },
        );
        facts.iter().try_for_each(|(_, list)| check_facts(list, &self.facts.action))?;
        Ok(facts)
    }

    /// Checks the outcomes of the chance event that is due, and returns a sample.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn check_chance(&self, state: &G::State, rng: &mut Rng) -> Result<G::Action, String> {
        let game = self.game;
        let outcomes = game.chance_outcomes(state);
        let weights = outcomes.iter().map(|&(_, weight)| u64::from(weight)).sum();
        ensure!((1..=u64::from(u32::MAX)).contains(&weights), "the weights add up to {weights}");
        let distinct: HashSet<_> = outcomes.iter().map(|&(action, _)| action).collect();
        ensure!(distinct.len() == outcomes.len(), "chance_outcomes repeats one of {outcomes:?}");
        outcomes.iter().try_for_each(|&(action, _)| self.check_notation(action))?;
        let draws = [(); DRAWS].map(|()| game.sample_chance(state, rng));
        for draw in draws {
            let possible = outcomes.iter().any(|&(action, weight)| action == draw && weight > 0);
            ensure!(possible, "sample_chance draws {draw:?} of {outcomes:?}");
        }
        Ok(draws[0])
    }

    /// Checks that all offers are made of legal actions up to the answer of the partner, and that a
    /// search considers legal actions.
    fn check_offers(&self, state: &G::State, legal: &G::Actions) -> Result<(), String> {
        let game = self.game;
        let considered: Vec<_> = game.lookahead_actions(state).iter().collect();
        let are_legal = considered.iter().all(|&action| legal.contains(action));
        ensure!(are_legal && !considered.is_empty(), "lookahead_actions are {considered:?}");
        for offer in game.offers(state) {
            let mut after = *state;
            for &action in &offer.actions {
                let is_decider = game.turn(&after) == game.turn(state);
                let is_legal = is_decider && game.legal_actions(&after).contains(action);
                ensure!(is_legal, "{action:?} of {offer:?} is not legal");
                game.apply(&mut after, action);
            }
            let answers = game.legal_actions(&after);
            let is_answered = game.turn(&after) == Turn::Seat(offer.partner)
                && [offer.accept, offer.refuse].iter().all(|&answer| answers.contains(answer));
            ensure!(is_answered, "the partner does not answer {offer:?}");
        }
        Ok(())
    }

    /// Checks the legal actions of a position, the methods of their set, and their items.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn check_legal(&mut self, state: &G::State, legal: &G::Actions) -> Result<(), String> {
        let actions: Vec<_> = legal.iter().collect();
        ensure!(!actions.is_empty(), "no action is legal");
        ensure!(legal.len() == actions.len(), "len and iter of {legal:?} differ");
        ensure!(!legal.is_empty(), "is_empty of {legal:?} is true");
        for &action in &actions {
            let text = self.game.action_text(action);
            ensure!(self.decisions.contains(&action), "{text} is not one of all_decisions");
            ensure!(legal.contains(action), "{text} is listed and not contained");
        }
        if self.sets.is_multiple_of(SETS_PER_FULL_CHECK) {
            let contained = self.decisions.iter().filter(|action| legal.contains(**action)).count();
            ensure!(contained == actions.len(), "{legal:?} contains {contained} decisions");
            for &action in &self.decisions {
                let numbered = legal.contains_numbered(action, G::Actions::number(action));
                let agrees = numbered == legal.contains(action);
                ensure!(agrees, "contains_numbered of {action:?} in {legal:?} is {numbered}");
            }
        }
        self.sets += 1;
        let (mut kinds, mut of_kinds) = (0, 0);
        for kind in 0..self.game.action_kinds().len() as u32 {
            let of_kind: Vec<_> = legal.subset_of_kind(kind).iter().collect();
            let in_order: Vec<_> =
                actions.iter().copied().filter(|action| of_kind.contains(action)).collect();
            ensure!(of_kind == in_order, "kind {kind} has {of_kind:?} of {actions:?}");
            let occurs = legal.has_kind(kind);
            ensure!(occurs != of_kind.is_empty(), "has_kind({kind}) of {legal:?} is {occurs}");
            kinds |= u32::from(occurs) << kind;
            of_kinds += of_kind.len();
        }
        ensure!(legal.kinds() == kinds, "kinds of {legal:?} is {:b}", legal.kinds());
        ensure!(of_kinds == actions.len(), "the kinds of {actions:?} have {of_kinds} actions");
        let mut rest = *legal;
        for (index, &action) in actions.iter().enumerate() {
            let nth = legal.nth(index);
            ensure!(nth == action, "nth({index}) of {legal:?} is {nth:?}; expected {action:?}");
            rest.remove(action);
            let removed = !rest.contains(action) && rest.len() == actions.len() - index - 1;
            ensure!(removed, "remove({action:?}) leaves {rest:?}");
        }
        self.check_items(state, legal)
    }

    /// Checks that every item that a legal action takes or chooses is available.
    fn check_items(&mut self, state: &G::State, legal: &G::Actions) -> Result<(), String> {
        let game = self.game;
        let name = |item| game.catalog().full_name(item);
        let (mut available, mut chosen) = (BTreeSet::new(), BTreeSet::new());
        game.items_available(legal, |item| _ = available.insert(item));
        for action in legal.iter() {
            let (mut by_action, mut taken) = (BTreeSet::new(), BTreeSet::new());
            game.items_chosen(legal, action, |item| _ = by_action.insert(item));
            game.items_taken(legal, action, |item| _ = taken.insert(item));
            if let Some(&item) = taken.difference(&by_action).next() {
                return Err(format!("items_taken has {} and items_chosen has not", name(item)));
            }
            chosen.extend(by_action);
        }
        if let Some(&item) = chosen.difference(&available).next() {
            return Err(format!("{} is chosen and not available", name(item)));
        }
        for &item in available.difference(&chosen) {
            self.only_available.entry(item).or_insert_with(|| game.position_text(state));
        }
        self.chosen.extend(chosen);
        Ok(())
    }

    /// Checks an event between two positions: the effects on items, and the round.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn check_event(
        &self,
        before: &G::State,
        action: G::Action,
        after: &G::State,
    ) -> Result<(), String> {
        let game = self.game;
        let text = game.action_text(action);
        let (round, next) = (game.round(before), game.round(after));
        ensure!(next >= round, "{text} leads from round {round} to {next}");
        let mut features = game.cached_features();
        for seat in (0..game.seats()).map(Seat::new) {
            features(before, seat);
            let (cached, computed) = (features(after, seat), game.features(after, seat));
            let is_equal = cached.map(f64::to_bits) == computed.map(f64::to_bits);
            ensure!(is_equal, "{text}: cached_features and features differ after it");
        }
        let mut events = Vec::new();
        let Turn::Seat(seat) = game.turn(before) else {
            game.item_events(before, action, |event| events.push(event));
            return events.into_iter().try_for_each(|event| self.check_item_event(event));
        };
        let legal = game.legal_actions(before);
        let mut taken = BTreeSet::new();
        game.items_taken(&legal, action, |item| _ = taken.insert(item));
        game.item_events(before, action, |event| events.push(event));
        for event in events {
            let is_repeated = matches!(event, ItemEvent::Taken(_, item) if taken.contains(&item));
            ensure!(!is_repeated, "{text}: item_events and items_taken both have {event:?}");
        }
        let mut events = Vec::new();
        game.decision_events(before, seat, &legal, action, |event| events.push(event));
        let is_reported = |&item: &ItemId| events.contains(&ItemEvent::Taken(seat, item));
        ensure!(taken.iter().all(is_reported), "{text}: decision_events lacks a taken item");
        if let Some(step) = game.opening_step(before, action) {
            ensure!(step > 0, "{text}: the code of the opening step is 0");
            ensure!(!game.opening_step_text(step).is_empty(), "{text}: opening step without text");
        }
        events.into_iter().try_for_each(|event| self.check_item_event(event))
    }

    /// Checks that the item of an event is in a table with such events.
    fn check_item_event(&self, event: ItemEvent) -> Result<(), String> {
        let (ItemEvent::Offered(item)
        | ItemEvent::Reserved(_, item)
        | ItemEvent::Taken(_, item)
        | ItemEvent::Scored(_, item, _)) = event;
        let table = self.game.catalog().table(item);
        let is_declared = match event {
            ItemEvent::Offered(_) => table.offered,
            ItemEvent::Reserved(..) => table.reservable,
            ItemEvent::Taken(..) => true,
            ItemEvent::Scored(..) => table.scoring,
        };
        ensure!(is_declared, "the table {} does not declare {event:?}", table.name);
        Ok(())
    }

    /// Checks the outcome of a finished game.
    ///
    /// # Errors
    /// Returns the first violation.
    pub fn check_outcome(&self, state: &G::State) -> Result<(), String> {
        let game = self.game;
        let outcome = game.outcome(state);
        let seats = (0..game.seats()).map(Seat::new);
        for seat in seats.clone() {
            let score = outcome.scores[seat.index()];
            let parts = game.score_breakdown(state, seat);
            let sum: i32 = parts.iter().map(|(_, points)| points).sum();
            ensure!(sum == score, "seat {seat} has {score} points, and parts of {sum}: {parts:?}");
        }
        let unused = &outcome.scores[game.seats()..];
        ensure!(unused.iter().all(|&score| score == 0), "a seat that is not played has points");
        let winners = outcome.winners;
        ensure!(u32::from(winners) >> game.seats() == 0, "winners {winners:b} are not all seats");
        let won = winners != 0;
        let shares: i64 = seats.map(|seat| outcome.win_share(seat)).sum();
        let is_independent = game.wins_are_independent();
        ensure!(outcome.wins_are_independent == is_independent, "not as the game's wins");
        let wins = if is_independent { winners.count_ones().into() } else { i64::from(won) };
        ensure!(shares == wins * UNITS_PER_WIN, "win shares add up to {shares}");
        ensure!(won || is_independent, "the game has no winner");
        let together = !won || winners.count_ones() as usize == game.seats();
        ensure!(together || !game.is_cooperative(), "some seats of a co-operative game win");
        let mut events = Vec::new();
        game.final_events(state, |event| events.push(event));
        events.into_iter().try_for_each(|event| self.check_item_event(event))
    }

    /// Checks that in tables with chosen items every available item was chosen by some legal
    /// action.
    ///
    /// # Errors
    /// Returns an error that names an item and a position.
    pub fn check_tables(&self) -> Result<(), String> {
        let catalog = self.game.catalog();
        let tables: BTreeSet<_> =
            self.chosen.iter().map(|&item| catalog.table_index(item)).collect();
        for (&item, position) in &self.only_available {
            let name = catalog.full_name(item);
            let is_chosen = tables.contains(&catalog.table_index(item));
            ensure!(!is_chosen, "{name} is available and no action chooses it: {position}");
        }
        Ok(())
    }
}
