//! Sequential halving of the root actions, in one tree or divided among several.

use std::{
    hash::Hash,
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{Budget, Search, SearchModel};
use crate::{
    game::Game,
    rng::{Purpose, Rng, stream},
    search::{
        clock::thread_cpu_time,
        playout::Policy,
        tree::{MAX_VISITS, Node},
    },
};

/// Weight of the mean reward against ln(prior), without visits.
const WEIGHT: f32 = 50.0;
/// Maximum number of iterations of a candidate between two readings of the clock.
const CLOCK_INTERVAL: u64 = 128;

/// Root actions that are still searched; none without sequential halving.
#[derive(Clone, Debug)]
pub(super) struct Candidates<A> {
    pub(super) actions: Vec<A>,
    /// Halvings so far.
    done: u32,
    /// Halvings that leave one of all actions.
    total: u32,
}

impl<A> Candidates<A> {
    pub(super) fn new(actions: Vec<A>) -> Self {
        let total = actions.len().next_power_of_two().ilog2();
        Self { actions, done: 0, total }
    }

    /// Returns true if the next half is to be dropped after this share of the budget.
    fn is_halving_due(&self, spent: f64) -> bool {
        f64::from(self.done + 1) <= spent * f64::from(self.total)
    }

    /// Returns the share of the budget after which the next half is dropped.
    fn next_share(&self) -> f64 {
        f64::from(self.done + 1) / f64::from(self.total.max(1))
    }
}

impl<A: Copy + Eq + Hash> Search<A> {
    /// Makes the actions with the highest priors the candidates.
    pub(super) fn find_candidates(&mut self) {
        let mut children: Vec<_> = self.root_children().iter().collect();
        children.sort_by(|one, other| other.prior.total_cmp(&one.prior));
        let actions = children.iter().take(self.settings.candidates as usize);
        self.candidates = Candidates::new(actions.map(|child| child.action).collect());
    }

    /// Runs iterations among the candidates, and returns their CPU time if that is limited.
    fn visit_candidates<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        rng: &mut Rng,
        determinize: &impl Fn(&mut Rng) -> G::State,
        first_state: &G::State,
        iterations: u64,
    ) -> Duration {
        let is_limited = self.settings.budget.cpu_time.is_some();
        let cpu_time = || is_limited.then(thread_cpu_time).flatten().unwrap_or_default();
        let started = cpu_time();
        for _ in 0..iterations {
            let state = determinize(rng);
            let is_fixed = state == *first_state;
            self.step(game, model, state, is_fixed, rng);
        }
        cpu_time().saturating_sub(started)
    }

    fn root_child(&self, action: A) -> Option<&Node<A>> {
        self.root_children().iter().find(|child| child.action == action)
    }
}

/// Drops the worse half of the candidates of searches of one position as often as the spent share
/// of the budget requires. The first search has the priors of all.
pub(super) fn halve<A: Copy + Eq + Hash>(searches: &mut [Search<A>], spent: f64, has_prior: bool) {
    while searches[0].candidates.is_halving_due(spent) && remaining(searches) > 1 {
        let (first, seat) = (&searches[0], searches[0].seat);
        let visits = searches.iter().flat_map(Search::root_children).map(|child| child.visits);
        let weight = WEIGHT + visits.max().unwrap_or(0) as f32;
        let score = |search: &Search<A>, action| {
            let Some(child) = search.root_child(action) else { return f32::NEG_INFINITY };
            let value = child.value(seat);
            let prior = first.root_child(action).map_or(child.prior, |child| child.prior);
            if has_prior { prior.ln() + weight * value } else { value }
        };
        let mut scores = Vec::new();
        for search in &*searches {
            let actions = search.candidates.actions.iter();
            scores.extend(actions.map(|&action| (action, score(search, action))));
        }
        scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        scores.truncate(scores.len().div_ceil(2));
        for search in &mut *searches {
            let own = std::mem::take(&mut search.candidates.actions);
            let kept = scores.iter().map(|&(action, _)| action);
            search.candidates.actions = kept.filter(|action| own.contains(action)).collect();
            search.candidates.done += 1;
        }
    }
}

fn remaining<A>(searches: &[Search<A>]) -> usize {
    searches.iter().map(|search| search.candidates.actions.len()).sum()
}

/// Searches a position by sequential halving in several trees, among which the candidates are
/// divided. The budget is that of each tree. The trees are searched in parallel; the result does
/// not depend on the number of threads.
pub(in crate::search) fn run_divided<G: Game, P: Policy<G>>(
    searches: &mut [Search<G::Action>],
    game: &G,
    model: &SearchModel<'_, G, P>,
    seed: u64,
    determinize: &(impl Fn(&mut Rng) -> G::State + Sync),
) where
    G::Action: Send + Sync,
{
    let trees = searches.len();
    let mut rngs: Vec<_> =
        (0..trees as u64).map(|tree| stream(seed, 0, tree, Purpose::Tree)).collect();
    let Budget { iterations, steps, time, cpu_time } = searches[0].settings.budget;
    let iterations = (u64::from(iterations) * trees as u64).min(MAX_VISITS.into());
    let steps = steps as f64 * trees as f64;
    // WebAssembly has no clock.
    let started = time.map(|_| Instant::now());
    let mut used = Duration::ZERO;
    let first_state = determinize(&mut rngs[0]);
    for search in &mut *searches {
        search.clear();
        search.start(game, model, &first_state);
    }
    searches[0].step(game, model, first_state, true, &mut rngs[0]);
    let Candidates { actions, total, .. } = searches[0].candidates.clone();
    for (tree, search) in searches.iter_mut().enumerate() {
        let own = actions.iter().skip(tree).step_by(trees).copied().collect();
        search.candidates = Candidates { actions: own, done: 0, total };
    }
    let has_prior = model.prior.is_some();
    let mut spent = 0.0;
    while spent < 1.0 {
        let visits = searches.iter().map(|search| u64::from(search.iterations)).sum::<u64>();
        let candidates = remaining(searches) as u64;
        let is_stopped = model.on_progress.is_some_and(|receive| receive(&searches[0]).is_break());
        // Without memory for a child of the root, there is no candidate.
        if candidates == 0 || is_stopped {
            break;
        }
        // Equally many for each candidate, and the rest for the first ones.
        let next_halving = (searches[0].candidates.next_share() * iterations as f64).ceil() as u64;
        let next = next_halving.saturating_sub(visits).clamp(1, CLOCK_INTERVAL * candidates);
        let next = next.min(iterations - visits);
        let (each, mut rest) = (next / candidates, next % candidates);
        let shares = searches.iter().map(|search| {
            let own = search.candidates.actions.len() as u64;
            let of_rest = rest.min(own);
            rest -= of_rest;
            own * each + of_rest
        });
        let shares: Vec<_> = shares.collect();
        let visit = |((search, rng), share): ((&mut Search<_>, &mut Rng), u64)| {
            search.visit_candidates(game, model, rng, determinize, &first_state, share)
        };
        let all = searches.par_iter_mut().zip(&mut rngs).zip(shares);
        used += all.map(visit).max().unwrap_or_default();
        let events = searches.iter().map(|search| search.steps).sum::<u64>();
        let elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
        let share = |limit: Option<Duration>, used: Duration| {
            limit.map_or(0.0, |limit| used.div_duration_f64(limit))
        };
        spent = ((visits + next) as f64 / iterations as f64)
            .max(events as f64 / steps)
            .max(share(time, elapsed))
            .max(share(cpu_time, used));
        halve(searches, spent, has_prior);
    }
    halve(searches, 1.0, has_prior);
}
