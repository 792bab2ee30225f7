//! Forks: continuations of one past in which an item is allowed, refused, gone or taken.
//!
//! The *fork* of a seat and an item is the first decision at which the seat can take the item and
//! can also do something else. From there the game is continued in 5 arms:
//!
//! - *free*: without intervention;
//! - *never*: the seat never takes the item;
//! - *gone*: no seat takes the item;
//! - *must*: the seat takes the item now;
//! - *not now*: the seat does not take the item now.
//!
//! An arm that forbids an item is the free game until a seat would take it. There the seat chooses
//! again, from the same position with the same random streams, without the actions that take it. It
//! still takes the item if all legal actions do. A choice that does not take the item is not
//! changed by the ban, so an arm in which nobody it binds would take the item *is* the free game.
//! This saves most continuations, and the difference of such arms is exactly 0.
//!
//! With [`ForkArms::Never`] the arms *gone*, *must* and *not now* are not played: they count as
//! the free game.

use std::mem;

use crate::{
    arena::{
        intervention::{or_all, without_actions, without_items},
        play::Decision,
        players::{Players, SavedGame},
    },
    game::{ActionSet, FullGame, ItemId, MAX_SEATS, Outcome, Seat},
};

/// The arms that are played from forks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForkArms {
    /// All arms.
    All,
    /// The arm *never* only, which tells the access to an item.
    Never,
}

/// The arms of a fork.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fork {
    /// The seat.
    pub seat: Seat,
    /// The item.
    pub item: ItemId,
    /// The round of the fork.
    pub round: u32,
    /// True if the seat takes the item at the fork, in the free arm.
    pub is_taken_at_once: bool,
    /// True if the seat takes the item at the fork or later, by choice, in the free arm.
    pub is_taken: bool,
    /// Decisions of the arm *never* at which all legal actions took the item.
    pub forced: i64,
    /// The arm *free*.
    pub free: Outcome,
    /// The arm *never*.
    pub never: Outcome,
    /// The arm *gone*.
    pub gone: Outcome,
    /// The arm *must*.
    pub must: Outcome,
    /// The arm *not now*.
    pub not_now: Outcome,
}

/// A fork of the game in progress. The arms without an outcome are the free game so far.
struct OpenFork {
    seat: Seat,
    item: ItemId,
    round: u32,
    is_taken_at_once: bool,
    forced: i64,
    /// The arm *must* or *not now*, whichever the bot did not choose.
    other_now: Option<Outcome>,
    never: Option<Outcome>,
    gone: Option<Outcome>,
}

/// Finds the forks of a game and plays their arms.
pub(super) struct ForkFinder<'a, G: FullGame> {
    game: &'a G,
    /// For each item, true if its forks are played.
    is_selected: &'a [bool],
    arms_played: ForkArms,
    forks: Vec<OpenFork>,
    /// For each item and seat, the index of the fork.
    fork_of: Vec<[Option<usize>; MAX_SEATS]>,
    /// The items at stake in the current decision: available, with arms that may begin here.
    at_stake: Vec<ItemId>,
    /// Games played from forks.
    pub(super) arms: u64,
    /// Games played from forks that the round limit ended.
    pub(super) capped: u64,
}

impl<'a, G: FullGame> ForkFinder<'a, G> {
    /// Creates a finder for one game.
    pub(super) fn new(game: &'a G, is_selected: &'a [bool], arms_played: ForkArms) -> Self {
        Self {
            game,
            is_selected,
            arms_played,
            forks: Vec::new(),
            fork_of: vec![[None; MAX_SEATS]; is_selected.len()],
            at_stake: Vec::new(),
            arms: 0,
            capped: 0,
        }
    }

    /// Asks the bot that decides in the free game, and plays the arms that begin at the decision.
    pub(super) fn choose(
        &mut self,
        players: &mut Players<'_, G>,
        decision: &Decision<'_, G>,
    ) -> G::Action {
        self.find_items_at_stake(decision);
        if self.at_stake.is_empty() {
            return players.choose(self.game, decision, decision.legal);
        }
        let saved = players.save(decision);
        let action = players.choose(self.game, decision, decision.legal);
        self.play_arms(&saved, decision, action);
        action
    }

    /// Lists the selected items that the seat can take, except those whose arms have all begun.
    fn find_items_at_stake(&mut self, decision: &Decision<'_, G>) {
        let Self { is_selected, forks, fork_of, at_stake, arms_played, .. } = self;
        at_stake.clear();
        self.game.items_available(decision.legal, |item| {
            if !is_selected[item.index()] || at_stake.contains(&item) {
                return;
            }
            let of_item = &fork_of[item.index()];
            let is_open = match of_item[decision.seat.index()] {
                None => true,
                Some(own) => {
                    let has_gone = *arms_played == ForkArms::All;
                    forks[own].never.is_none()
                        || has_gone
                            && of_item.iter().flatten().any(|&fork| forks[fork].gone.is_none())
                }
            };
            if is_open {
                at_stake.push(item);
            }
        });
    }

    /// Plays the arms that begin at a decision at which the seat chose `action`.
    fn play_arms(&mut self, saved: &SavedGame<G>, decision: &Decision<'_, G>, action: G::Action) {
        let &Decision { seat, legal, .. } = decision;
        // The arms *must* and *not now* depend only on the actions that are offered now.
        let mut now_arms: Vec<(G::Actions, Outcome)> = Vec::new();
        let at_stake = mem::take(&mut self.at_stake);
        for &item in &at_stake {
            let others = without_items(self.game, legal, |other| other == item);
            if others.is_empty() || others.len() == legal.len() {
                continue;
            }
            let takes = !others.contains(action);
            if self.fork_of[item.index()][seat.index()].is_none() {
                let has_others = self.arms_played == ForkArms::All;
                let mut play_other = || {
                    let offered = if takes {
                        others
                    } else {
                        without_actions(legal, |action| others.contains(action))
                    };
                    let known =
                        now_arms.iter().find(|(actions, _)| have_same_actions(actions, &offered));
                    if let Some((_, outcome)) = known {
                        return *outcome;
                    }
                    let outcome = self.play_now(saved, &offered);
                    now_arms.push((offered, outcome));
                    outcome
                };
                let other_now = has_others.then(&mut play_other);
                self.fork_of[item.index()][seat.index()] = Some(self.forks.len());
                self.forks.push(OpenFork {
                    seat,
                    item,
                    round: self.game.round(decision.state),
                    is_taken_at_once: takes,
                    forced: 0,
                    other_now,
                    never: None,
                    gone: None,
                });
            }
            if takes {
                self.play_bans(saved, seat, item);
            }
        }
        self.at_stake = at_stake;
    }

    /// Plays the arms that forbid an item, from a decision at which the seat takes it by choice.
    fn play_bans(&mut self, saved: &SavedGame<G>, seat: Seat, item: ItemId) {
        let of_item = self.fork_of[item.index()];
        let open_gone = |forks: &[OpenFork]| -> Vec<usize> {
            of_item.iter().flatten().copied().filter(|&fork| forks[fork].gone.is_none()).collect()
        };
        let mut gone = None;
        if let Some(own) = of_item[seat.index()]
            && self.forks[own].never.is_none()
        {
            let (never, gone_later, forced) = self.play_never(saved, seat, item);
            self.forks[own].never = Some(never);
            self.forks[own].forced = forced;
            // Until another seat would take the item, no seat takes it.
            gone = Some(gone_later.unwrap_or(never));
        }
        let open = open_gone(&self.forks);
        if !open.is_empty() && self.arms_played == ForkArms::All {
            let gone = gone.unwrap_or_else(|| self.play_gone(saved, item));
            for fork in open {
                self.forks[fork].gone = Some(gone);
            }
        }
    }

    /// Plays the game with these actions offered now, then freely.
    fn play_now(&mut self, saved: &SavedGame<G>, offered: &G::Actions) -> Outcome {
        let game = self.game;
        let mut is_first = true;
        let end = saved.play(game, |players, decision| {
            let offered = if mem::take(&mut is_first) { offered } else { decision.legal };
            players.choose(game, decision, offered)
        });
        self.end_arm(&end)
    }

    /// Plays the arm *never* from a decision at which the seat takes the item in the free game.
    /// Returns its outcome, that of the arm *gone* if another seat takes the item by choice, and
    /// the number of decisions at which all legal actions took the item.
    fn play_never(
        &mut self,
        saved: &SavedGame<G>,
        seat: Seat,
        item: ItemId,
    ) -> (Outcome, Option<Outcome>, i64) {
        let game = self.game;
        let (mut gone, mut forced) = (None, 0);
        let end = saved.play(game, |players, decision| {
            let legal = decision.legal;
            let others = without_item(game, legal, item);
            if decision.seat == seat {
                forced += i64::from(others.is_empty());
                return players.choose(game, decision, &or_all(others, *legal));
            }
            let is_skipped = gone.is_some() || self.arms_played == ForkArms::Never;
            if is_skipped || others.is_empty() || others.len() == legal.len() {
                return players.choose(game, decision, legal);
            }
            let saved = players.save(decision);
            let action = players.choose(game, decision, legal);
            if !others.contains(action) {
                gone = Some(self.play_gone(&saved, item));
            }
            action
        });
        (self.end_arm(&end), gone, forced)
    }

    /// Plays the game on while no seat takes the item.
    fn play_gone(&mut self, saved: &SavedGame<G>, item: ItemId) -> Outcome {
        let game = self.game;
        let end = saved.play(game, |players, decision| {
            let others = without_item(game, decision.legal, item);
            players.choose(game, decision, &or_all(others, *decision.legal))
        });
        self.end_arm(&end)
    }

    fn end_arm(&mut self, end: &G::State) -> Outcome {
        let outcome = self.game.outcome(end);
        self.arms += 1;
        self.capped += u64::from(outcome.hit_round_limit);
        outcome
    }

    /// Returns the forks of the game that has ended.
    pub(super) fn into_forks(self, free: Outcome) -> impl Iterator<Item = Fork> {
        self.forks.into_iter().map(move |fork| {
            let OpenFork { seat, item, round, is_taken_at_once, forced, other_now, .. } = fork;
            let other_now = other_now.unwrap_or(free);
            let (must, not_now) =
                if is_taken_at_once { (free, other_now) } else { (other_now, free) };
            Fork {
                seat,
                item,
                round,
                is_taken_at_once,
                is_taken: fork.never.is_some(),
                forced,
                free,
                never: fork.never.unwrap_or(free),
                gone: fork.gone.unwrap_or(free),
                must,
                not_now,
            }
        })
    }
}

/// Returns the legal actions that do not take an item.
fn without_item<G: FullGame>(game: &G, legal: &G::Actions, item: ItemId) -> G::Actions {
    let mut is_available = false;
    game.items_available(legal, |other| is_available |= other == item);
    if is_available { without_items(game, legal, |other| other == item) } else { *legal }
}

/// Returns true if two sets have the same actions.
fn have_same_actions<S: ActionSet>(one: &S, other: &S) -> bool {
    one.len() == other.len() && one.iter().all(|action| other.contains(action))
}
