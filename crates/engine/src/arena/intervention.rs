//! Interventions of an experiment: filters of the legal actions before a bot chooses.

use rustc_hash::FxHashMap;

use crate::game::{ActionSet, FullGame, Game, ItemId, Seat, Statistics};

/// A filter of the actions that a seat can choose. It does not change the rules, and the search of
/// a bot applies it to the current decision only.
pub trait Intervention<G: Game> {
    /// Returns the legal actions that are offered to the seat; at least one.
    fn filter_actions(&mut self, game: &G, seat: Seat, legal: &G::Actions) -> G::Actions;
}

/// No intervention.
impl<G: Game> Intervention<G> for () {
    #[inline]
    fn filter_actions(&mut self, _game: &G, _seat: Seat, legal: &G::Actions) -> G::Actions {
        *legal
    }
}

/// Returns the actions that take no unwanted item.
pub fn without_items<G: Statistics>(
    game: &G,
    actions: &G::Actions,
    unwanted: impl Fn(ItemId) -> bool,
) -> G::Actions {
    without_actions(actions, |action| {
        let mut is_unwanted = false;
        game.items_chosen(actions, action, |item| is_unwanted |= unwanted(item));
        is_unwanted
    })
}

/// Returns the actions without the unwanted ones.
pub fn without_actions<S: ActionSet>(actions: &S, mut unwanted: impl FnMut(S::Action) -> bool) -> S
where
    S::Action: Copy,
{
    let mut kept = *actions;
    actions.iter().filter(|&action| unwanted(action)).for_each(|action| kept.remove(action));
    kept
}

/// Returns the kept actions, or all if none are kept.
pub fn or_all<S: ActionSet>(kept: S, all: S) -> S {
    if kept.is_empty() { all } else { kept }
}

/// The actions to which a restriction applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RestrictionTarget {
    /// Actions that take this item.
    Item(ItemId),
    /// Actions of this kind.
    Kind(u32),
    /// Actions whose notation starts with this text.
    Notation(String),
}

/// A restriction of a seat in addition to the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Restriction {
    /// The seat never chooses these actions, unless nothing else is legal.
    Never(RestrictionTarget),
    /// The seat chooses one of these actions whenever one is legal.
    Always(RestrictionTarget),
}

/// Restricted play: one seat has additional restrictions (Jaffe et al. 2012).
/// [`Restriction::Never`] takes precedence over [`Restriction::Always`].
#[derive(Clone, Debug)]
pub struct RestrictedSeat<'a, A> {
    /// The seat that is restricted.
    pub seat: Seat,
    restrictions: &'a [Restriction],
    /// For each restriction by notation, the known actions and whether it applies to them.
    matches: Vec<FxHashMap<A, bool>>,
    /// Decisions at which at least one legal action was withheld.
    pub binding_decisions: u64,
}

impl<'a, A: Copy + Eq + std::hash::Hash> RestrictedSeat<'a, A> {
    /// Restricts a seat.
    pub fn new(seat: Seat, restrictions: &'a [Restriction]) -> Self {
        let matches = vec![FxHashMap::default(); restrictions.len()];
        Self { seat, restrictions, matches, binding_decisions: 0 }
    }

    /// Returns the actions to which a restriction does not apply.
    fn unaffected<G: FullGame<Action = A>>(
        &mut self,
        game: &G,
        actions: &G::Actions,
        index: usize,
    ) -> G::Actions {
        let (Restriction::Never(target) | Restriction::Always(target)) = &self.restrictions[index];
        match target {
            RestrictionTarget::Item(item) => without_items(game, actions, |other| other == *item),
            RestrictionTarget::Kind(kind) => {
                let of_kind = actions.subset_of_kind(*kind);
                without_actions(actions, |action| of_kind.contains(action))
            }
            RestrictionTarget::Notation(prefix) => {
                let matches = &mut self.matches[index];
                without_actions(actions, |action| {
                    *matches
                        .entry(action)
                        .or_insert_with(|| game.action_text(action).starts_with(prefix))
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
        let restrictions = self.restrictions;
        let mut offered = *legal;
        for (index, restriction) in restrictions.iter().enumerate() {
            if let Restriction::Never(_) = restriction {
                offered = or_all(self.unaffected(game, &offered, index), offered);
            }
        }
        let mut others = offered;
        for (index, restriction) in restrictions.iter().enumerate() {
            if let Restriction::Always(_) = restriction {
                others = self.unaffected(game, &others, index);
            }
        }
        // Actions to which at least one `Always` restriction applies.
        offered = or_all(without_actions(&offered, |action| others.contains(action)), offered);
        self.binding_decisions += u64::from(offered.len() < legal.len());
        offered
    }
}
