//! What stands between the rules and a bot in an experiment: it leaves some of the legal actions,
//! and at least one.

use rand::RngExt;
use rustc_hash::FxHashMap;

use crate::{
    game::{ActionSet, FullGame, Game, ItemId, Seat, Statistics},
    rng::{Rng, random_below},
};

/// A filter of what a seat may choose. The rules, and the search of a bot beyond the decision at
/// hand, know nothing of it.
pub trait Intervention<G: Game> {
    /// What is offered to a seat of its legal actions, at least one of them.
    fn filter_actions(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions;
}

/// No intervention.
impl<G: Game> Intervention<G> for () {
    #[inline]
    fn filter_actions(&mut self, _game: &G, _seat: Seat, legal: &G::Actions) -> G::Actions {
        *legal
    }
}

impl<G: Game, I: Intervention<G>> Intervention<G> for &mut I {
    fn filter_actions(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        (**self).filter_actions(game, seat, legal)
    }
}

/// A seat and an item of a randomised experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AssignedItem {
    /// The seat.
    pub seat: Seat,
    /// The item.
    pub item: ItemId,
    /// Whether it had to take the item at once; else it might not for the rest of the game.
    pub granted: bool,
}

/// Random assignment. When an item can be taken by a seat for the first time in a game, and can be
/// left as well, the seat is enrolled with a fixed chance, and a fair coin grants it the item (it
/// must take it now) or refuses it (it may not take it in this game, except where nothing else is
/// legal). Of several items that come up together at most one is enrolled. Who is enrolled is
/// settled before the coin is thrown, so that those granted and those refused differ by nothing
/// else.
#[derive(Clone, Debug)]
pub struct RandomAssignment {
    rate: f64,
    rng: Rng,
    /// For each item, the seats to which it has been available, and those to which it is refused,
    /// bit s for seat s.
    seen: Vec<u8>,
    refused: Vec<u8>,
    assigned: Vec<AssignedItem>,
}

impl RandomAssignment {
    /// An assignment for one game with this many items.
    pub fn new(items: usize, rate: f64, rng: Rng) -> Self {
        Self { rate, rng, seen: vec![0; items], refused: vec![0; items], assigned: Vec::new() }
    }

    /// What was assigned so far.
    pub fn assigned(&self) -> &[AssignedItem] {
        &self.assigned
    }

    /// What is legal without the items that are refused, or all if there is nothing else.
    fn without_refused<G: Statistics>(
        &self,
        game: &G,
        seat: Seat,
        legal: &G::Actions,
    ) -> G::Actions {
        let is_refused = |item: ItemId| self.refused[item.index()] >> seat.index() & 1 == 1;
        let mut concerned = false;
        game.items_available(legal, |item| concerned |= is_refused(item));
        let left = if concerned { without(game, legal, is_refused) } else { *legal };
        if left.is_empty() { *legal } else { left }
    }

    /// One of the items that are available to the seat for the first time, drawn from those that
    /// are to be enrolled.
    fn draw<G: Statistics>(
        &mut self,
        game: &G,
        seat: Seat,
        offered: &G::Actions,
    ) -> Option<ItemId> {
        let mut drawn = None;
        let mut candidates = 0;
        game.items_available(offered, |item| {
            let seen = &mut self.seen[item.index()];
            let first = *seen >> seat.index() & 1 == 0;
            *seen |= 1 << seat.index();
            if first && self.rng.random::<f64>() < self.rate {
                candidates += 1;
                if random_below(&mut self.rng, candidates) == 0 {
                    drawn = Some(item);
                }
            }
        });
        drawn
    }
}

impl<G: Statistics> Intervention<G> for RandomAssignment {
    fn filter_actions(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        let offered = self.without_refused(game, seat, legal);
        let Some(item) = self.draw(game, seat, &offered) else { return offered };
        let others = without(game, &offered, |other| other == item);
        let mut takers = offered;
        others.iter().for_each(|action| takers.remove(action));
        if others.is_empty() || takers.is_empty() {
            return offered;
        }
        let granted = self.rng.random();
        self.assigned.push(AssignedItem { seat, item, granted });
        if granted {
            return takers;
        }
        self.refused[item.index()] |= 1 << seat.index();
        others
    }
}

/// The actions that take no such item.
fn without<G: Statistics>(
    game: &G,
    actions: &G::Actions,
    unwanted: impl Fn(ItemId) -> bool,
) -> G::Actions {
    without_those(actions, |action| takes(game, actions, action, &unwanted))
}

fn without_those<S: ActionSet>(actions: &S, mut unwanted: impl FnMut(S::Action) -> bool) -> S
where
    S::Action: Copy,
{
    let mut left = *actions;
    actions.iter().filter(|&action| unwanted(action)).for_each(|action| left.remove(action));
    left
}

fn takes<G: Statistics>(
    game: &G,
    actions: &G::Actions,
    action: G::Action,
    wanted: impl Fn(ItemId) -> bool,
) -> bool {
    let mut takes = false;
    game.items_chosen(actions, action, |item| takes |= wanted(item));
    takes
}

/// What a rule is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RestrictionTarget {
    /// Actions that take this item.
    Item(ItemId),
    /// Actions of this kind.
    Kind(u32),
    /// Actions whose notation begins with this.
    Notation(String),
}

/// A rule that a seat keeps beyond those of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Restriction {
    /// It does no such thing, unless nothing else is legal.
    Never(RestrictionTarget),
    /// It does such a thing whenever that is legal.
    Always(RestrictionTarget),
}

/// Restricted play: one seat keeps rules of its own (Jaffe et al. 2012). What it must never do goes
/// before what it must always do.
#[derive(Clone, Debug)]
pub struct RestrictedSeat<'a, A> {
    seat: Seat,
    rules: &'a [Restriction],
    /// For each rule that is about notation, which actions it is about.
    known: Vec<FxHashMap<A, bool>>,
    /// Decisions at which something was withheld.
    pub binding_decisions: u64,
}

impl<'a, A: Copy + Eq + std::hash::Hash> RestrictedSeat<'a, A> {
    /// These rules for a seat.
    pub fn new(seat: Seat, rules: &'a [Restriction]) -> Self {
        Self { seat, rules, known: vec![FxHashMap::default(); rules.len()], binding_decisions: 0 }
    }

    /// Has another seat keep the rules from now on.
    pub fn set_seat(&mut self, seat: Seat) {
        self.seat = seat;
    }

    /// The actions that a rule is not about.
    fn others<G: FullGame<Action = A>>(
        &mut self,
        game: &G,
        actions: &G::Actions,
        rule: usize,
    ) -> G::Actions {
        let (Restriction::Never(subject) | Restriction::Always(subject)) = &self.rules[rule];
        match subject {
            RestrictionTarget::Item(item) => without(game, actions, |other| other == *item),
            RestrictionTarget::Kind(kind) => {
                let of_kind = actions.subset_of_kind(*kind);
                without_those(actions, |action| of_kind.contains(action))
            }
            RestrictionTarget::Notation(beginning) => {
                let known = &mut self.known[rule];
                without_those(actions, |action| {
                    *known
                        .entry(action)
                        .or_insert_with(|| game.action_text(action).starts_with(beginning))
                })
            }
        }
    }
}

impl<G: FullGame> Intervention<G> for RestrictedSeat<'_, G::Action> {
    fn filter_actions(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        if seat != self.seat {
            return *legal;
        }
        let rules = self.rules;
        let mut offered = *legal;
        for (index, _) in
            rules.iter().enumerate().filter(|(_, rule)| matches!(rule, Restriction::Never(_)))
        {
            let others = self.others(game, &offered, index);
            offered = if others.is_empty() { offered } else { others };
        }
        // What one rule or another is about is all that is not left when the actions of every rule
        // are taken away.
        let mut others = offered;
        for (index, _) in
            rules.iter().enumerate().filter(|(_, rule)| matches!(rule, Restriction::Always(_)))
        {
            others = self.others(game, &others, index);
        }
        let wanted = without_those(&offered, |action| others.contains(action));
        offered = if wanted.is_empty() { offered } else { wanted };
        self.binding_decisions += u64::from(offered.len() < legal.len());
        offered
    }
}
