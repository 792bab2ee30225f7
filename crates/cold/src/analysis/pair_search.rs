//! Pairs of searches with different seeds, whose budget grows until they agree.

use std::sync::atomic::{AtomicBool, Ordering};

use super::searched_position::{SearchedAction, SearchedPosition};
use crate::{
    bots::BotFactory,
    game::{FullGame, MAX_SEATS, PerSeat, Seat},
    search::ensemble::SearchWatch,
};

/// Difference of two win chances of a seat up to which two searches agree.
const AGREEMENT: f64 = 0.03;

/// A search in several budgets.
#[derive(Clone, Copy, Debug)]
pub struct PairedSearches<'a> {
    /// The bot that searches, in ascending order of the budgets, at least one.
    pub bots: &'a [BotFactory],
}

/// The result of a pair of searches of a position.
#[derive(Clone, Debug)]
pub struct PairSearch<A> {
    /// Mean win chance of each seat.
    pub chances: PerSeat<f64>,
    /// The action that has the most visits of both searches.
    pub best: A,
    /// The budget, as an index.
    pub level: usize,
    /// Win chance of the seat that decides with the best action, less the mean over all actions
    /// that were visited: what a random choice loses.
    pub stake: f64,
    /// The most visited of the other actions, and what it loses.
    pub second: Option<(A, f64)>,
}

impl PairedSearches<'_> {
    /// Searches a position in which a seat decides twice, from the budget `level` on until the win
    /// chances differ by at most 3 percentage points, or with the largest budget. If `stop` becomes
    /// true, the search ends soon, and its result means nothing.
    pub(super) fn search<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        level: usize,
        seed: u64,
        stop: &AtomicBool,
    ) -> PairSearch<G::Action> {
        let last = self.bots.len() - 1;
        let mut level = level.min(last);
        loop {
            let (bot, watch) = (&self.bots[level], SearchWatch::of_flag(stop));
            let search =
                |seed| SearchedPosition::search_watched(bot, game, state, seat, seed, Some(&watch));
            let pair = [seed, seed.wrapping_add(1)].map(search);
            let [one, other] = pair.each_ref().map(SearchedPosition::chances);
            let is_near = |seat: usize| (one[seat] - other[seat]).abs() <= AGREEMENT;
            let is_stopped = stop.load(Ordering::Relaxed);
            if level == last || is_stopped || (0..MAX_SEATS).all(is_near) {
                let chances = std::array::from_fn(|seat| f64::midpoint(one[seat], other[seat]));
                let stake = pair.iter().map(|found| stake(found, seat)).sum::<f64>() / 2.0;
                let best = most_visited(&pair);
                let second = second(&pair[0], best, seat);
                return PairSearch { chances, best, level, stake, second };
            }
            level += 1;
        }
    }
}

/// Returns the most visited action of a search other than the best one, and what it loses.
fn second<A: Copy + PartialEq>(
    search: &SearchedPosition<A>,
    best: A,
    seat: Seat,
) -> Option<(A, f64)> {
    let chance = |one: &SearchedAction<A>| Some(one.chances?[seat.index()]);
    let best_chance = chance(search.actions.iter().find(|one| one.action == best)?)?;
    let others = search.actions.iter().filter(|one| one.action != best && one.visits > 0);
    let second = others.max_by_key(|one| one.visits)?;
    Some((second.action, best_chance - chance(second)?))
}

/// Returns what a random choice loses by a search, at least 0. Each action has a visit in searches
/// of some hundred iterations.
fn stake<A: Copy + PartialEq>(search: &SearchedPosition<A>, seat: Seat) -> f64 {
    let chances = search.actions.iter().filter_map(|one| Some(one.chances?[seat.index()]));
    let (sum, count) = chances.fold((0.0, 0.0), |(sum, count), chance| (sum + chance, count + 1.0));
    (search.chances()[seat.index()] - sum / f64::max(count, 1.0)).max(0.0)
}

/// Returns the choice of the searches that has more visits of both.
fn most_visited<A: Copy + PartialEq>(pair: &[SearchedPosition<A>; 2]) -> A {
    let visits = |action| -> u64 {
        let of_action = pair.iter().flat_map(|search| &search.actions);
        of_action.filter(|one| one.action == action).map(|one| one.visits).sum()
    };
    let [one, other] = pair.each_ref().map(SearchedPosition::chosen);
    if visits(other) > visits(one) { other } else { one }
}
