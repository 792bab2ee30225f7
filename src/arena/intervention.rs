//! What stands between the rules and a bot in an experiment: it leaves some of the legal actions, and at least one.

use rand::RngExt;

use crate::{
    game::{ActionSet, Game, Item, ItemEvent, Seat, Statistics},
    rng::{Rng, below},
};

/// A filter of what a seat may choose. The rules, and the search of a bot beyond the decision at hand, know nothing of it.
pub trait Intervention<G: Game> {
    /// What is offered to a seat of its legal actions, at least one of them.
    fn offer(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions;
}

/// No intervention.
impl<G: Game> Intervention<G> for () {
    #[inline]
    fn offer(&mut self, _game: &G, _seat: Seat, legal: &G::Actions) -> G::Actions {
        *legal
    }
}

impl<G: Game, I: Intervention<G>> Intervention<G> for &mut I {
    fn offer(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        (**self).offer(game, seat, legal)
    }
}

/// A seat and an item of a randomised experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// The seat.
    pub seat: Seat,
    /// The item.
    pub item: Item,
    /// Whether it had to take the item at once; else it might not for the rest of the game.
    pub granted: bool,
}

/// Random assignment. When an item can be taken by a seat for the first time in a game, and can be left as well, the seat is enrolled with a
/// fixed chance, and a fair coin grants it the item (it must take it now) or refuses it (it may not take it in this game, except where nothing
/// else is legal). Of several items that come up together at most one is enrolled. Who is enrolled is settled before the coin is thrown, so
/// that those granted and those refused differ by nothing else.
#[derive(Clone, Debug)]
pub struct Assignment {
    rate: f64,
    rng: Rng,
    /// For each item, the seats to which it has been available, and those to which it is refused, bit s for seat s.
    seen: Vec<u8>,
    refused: Vec<u8>,
    assigned: Vec<Assigned>,
}

impl Assignment {
    /// An assignment for one game with this many items.
    pub fn new(items: usize, rate: f64, rng: Rng) -> Self {
        Self { rate, rng, seen: vec![0; items], refused: vec![0; items], assigned: Vec::new() }
    }

    /// What was assigned so far.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// What is legal without the items that are refused, or all if there is nothing else.
    fn without_refused<G: Statistics>(&self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        let is_refused = |item: Item| self.refused[usize::from(item.0)] >> seat.index() & 1 == 1;
        let mut concerned = false;
        game.available_items(seat, legal, |event| concerned |= matches!(event, ItemEvent::Available(_, item) if is_refused(item)));
        let left = if concerned { without(game, legal, is_refused) } else { *legal };
        if left.is_empty() { *legal } else { left }
    }

    /// One of the items that are available to the seat for the first time, drawn from those that are to be enrolled.
    fn draw<G: Statistics>(&mut self, game: &G, seat: Seat, offered: &G::Actions) -> Option<Item> {
        let mut drawn = None;
        let mut candidates = 0;
        game.available_items(seat, offered, |event| {
            let ItemEvent::Available(_, item) = event else { return };
            let seen = &mut self.seen[usize::from(item.0)];
            let first = *seen >> seat.index() & 1 == 0;
            *seen |= 1 << seat.index();
            if first && self.rng.random::<f64>() < self.rate {
                candidates += 1;
                if below(&mut self.rng, candidates) == 0 {
                    drawn = Some(item);
                }
            }
        });
        drawn
    }
}

impl<G: Statistics> Intervention<G> for Assignment {
    fn offer(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions {
        let offered = self.without_refused(game, seat, legal);
        let Some(item) = self.draw(game, seat, &offered) else { return offered };
        let others = without(game, &offered, |other| other == item);
        let mut takers = offered;
        others.iter().for_each(|action| takers.remove(action));
        if others.is_empty() || takers.is_empty() {
            return offered;
        }
        let granted = self.rng.random();
        self.assigned.push(Assigned { seat, item, granted });
        if granted {
            return takers;
        }
        self.refused[usize::from(item.0)] |= 1 << seat.index();
        others
    }
}

/// The actions that take no such item.
fn without<G: Statistics>(game: &G, actions: &G::Actions, unwanted: impl Fn(Item) -> bool) -> G::Actions {
    let mut left = *actions;
    for action in actions.iter() {
        let mut takes = false;
        game.taken_by(actions, action, |item| takes |= unwanted(item));
        if takes {
            left.remove(action);
        }
    }
    left
}
