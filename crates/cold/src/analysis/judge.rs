//! Analysis of a position: a search proposes candidates, and searches of equal budget after each of
//! them decide between them.
//!
//! Mean rewards of a search are no measure of an action with few visits. So each candidate is
//! searched again from the position after it ([`super::successors`]). The best action is that of
//! the first search, unless another one is better by more than 2 percentage points, in fresh
//! samples, too. Rollouts by a bot without a search estimate final scores, and judge nothing.

use std::ops::Range;

use super::{
    rollout::{ActionRollouts, Rollouts},
    searched_position::SearchedPosition,
    successors::{ChancesAfter, Successors},
    watch::AnalysisWatch,
};
use crate::{
    bots::BotFactory,
    game::{ActionSet as _, FullGame, PerSeat, Seat},
    search::ensemble::{SearchResult, SearchWatch},
    stats::paired::Effect,
};

/// Smallest number of visits with which an action is a candidate by itself.
pub const MIN_VISITS: u64 = 10;
/// Smallest share of the visits with which an action is a candidate by itself, as its inverse.
const MIN_VISITS_SHARE: u64 = 100;
/// Difference of two win chances up to which the searches after two actions do not decide.
pub const CLOSE: f64 = 0.02;
/// Samples after each candidate.
const SAMPLES: u64 = 4;

/// Returns true if an action has enough of all visits of a search to be named: at least 10 and 1 %.
pub fn is_visited_enough(visits: u64, all: u64) -> bool {
    visits >= MIN_VISITS.max(all.div_ceil(MIN_VISITS_SHARE))
}

/// The bots and the budget of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Analyst<'a> {
    /// The bot that searches.
    pub search: &'a BotFactory,
    /// The search after each candidate; `None` to compare none.
    pub after: Option<&'a BotFactory>,
    /// The bot that plays the rollouts.
    pub policy: &'a BotFactory,
    /// Number of rollouts of each candidate; 0 for none.
    pub rollouts: u64,
    /// Maximum number of candidates of the search.
    pub candidates: usize,
    /// The seed.
    pub seed: u64,
}

/// The analysis of a position.
#[derive(Clone, Debug)]
pub struct PositionAnalysis<A> {
    /// The seat that decides.
    pub seat: Seat,
    /// The result of the search; `None` if there is only one legal action.
    pub search: Option<SearchResult<A>>,
    /// True if the chances are calibrated: mapped to the results of games of this search.
    pub is_calibrated: bool,
    /// All actions that were visited or named: the best one, the other candidates in descending
    /// order of their chances, and the others in descending order of their visits.
    pub actions: Vec<JudgedAction<A>>,
    /// Number of legal actions.
    pub legal: usize,
    /// The action that the first search chose, if the searches after it and another one reject it.
    pub rejected: Option<A>,
    /// True if two analyses with different seeds have the same best action; `None` without a second
    /// one.
    pub is_stable: Option<bool>,
}

/// An action with what is known of it.
#[derive(Clone, Debug)]
pub struct JudgedAction<A> {
    /// The action.
    pub action: A,
    /// Number of visits of the search.
    pub visits: u64,
    /// Win chance of each seat by the search of the position; `None` without visits.
    pub chances: Option<PerSeat<f64>>,
    /// The searches after the action; `None` if it is not a candidate.
    pub after: Option<ChancesAfter>,
    /// Rollouts; `None` if there are none.
    pub rollouts: Option<ActionRollouts>,
}

impl<A> JudgedAction<A> {
    /// Returns the win chance of each seat: by the searches after the action if it is a candidate,
    /// else by the search of the position.
    pub fn best_chances(&self) -> Option<PerSeat<f64>> {
        self.after.as_ref().map(ChancesAfter::mean).or(self.chances)
    }
}

impl Analyst<'_> {
    /// Analyses a position in which a seat decides. `named` are legal actions that become
    /// candidates whatever the search finds.
    ///
    /// # Panics
    /// If no seat decides.
    pub fn analyse<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
    ) -> PositionAnalysis<G::Action> {
        let watch = AnalysisWatch::new(None);
        let analysis = self.analyse_watched(game, state, seat, named, &watch, &|_| ());
        analysis.expect("nobody stops the analysis")
    }

    /// Analyses a position, as [`Analyst::analyse`], under a watch. `on_report` receives the
    /// analysis so far whenever a report is due. Returns `None` if the analysis is stopped.
    ///
    /// # Panics
    /// If no seat decides.
    pub fn analyse_watched<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
        watch: &AnalysisWatch,
        on_report: &PartialReceiver<'_, G::Action>,
    ) -> Option<PositionAnalysis<G::Action>> {
        let on_result = |result: SearchResult<G::Action>| {
            // Of equal visits, those of the first action count.
            let best = result.actions.iter().rev().max_by_key(|one| one.visits);
            let Some(best) = best.map(|one| one.action) else { return };
            let found = SearchedPosition::describe(self.search, game, state, best, Some(result));
            on_report(&judge(game, state, seat, named, found));
        };
        let is_due = || watch.is_due();
        let control = SearchWatch { stop: watch.flag(), is_due: &is_due, on_report: &on_result };
        let found = SearchedPosition::search_watched(
            self.search,
            game,
            state,
            seat,
            self.seed,
            Some(&control),
        );
        let mut analysis = judge(game, state, seat, named, found);
        if let Some(bot) = self.after.filter(|_| !watch.is_stopped()) {
            let successors = Successors { game, state, seat, bot, seed: self.seed };
            self.compare(&successors, named, &mut analysis, (watch, on_report));
        }
        if !watch.is_stopped() {
            self.add_rollouts(game, state, &mut analysis, watch);
        }
        (!watch.is_stopped()).then_some(analysis)
    }

    /// Analyses a position with each of several searches, in ascending order of their budgets,
    /// until two analyses with different seeds have the same best action or find several within 2
    /// percentage points. Returns both together, and the index of the search. `on_report` receives
    /// those of the smaller budgets.
    ///
    /// # Panics
    /// If no seat decides, or without a search.
    pub fn analyse_until_stable<G: FullGame>(
        &self,
        searches: &[BotFactory],
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
        on_report: &PartialReceiver<'_, G::Action>,
    ) -> (PositionAnalysis<G::Action>, usize) {
        let last = searches.len() - 1;
        let mut level = 0;
        loop {
            let analyse = |seed| {
                let search = &searches[level];
                let analyst = Analyst { search, seed, rollouts: 0, after: Some(search), ..*self };
                analyst.analyse(game, state, seat, named)
            };
            let seeds = [self.seed, self.seed.wrapping_add(SECOND_SEED)];
            let (one, other) = rayon::join(|| analyse(seeds[0]), || analyse(seeds[1]));
            let is_same = one.actions[0].action == other.actions[0].action;
            let mut both = one.merge(other);
            both.is_stable = Some(is_same);
            if level == last || is_same || both.leaders().len() > 1 {
                self.add_rollouts(game, state, &mut both, &AnalysisWatch::new(None));
                return (both, level);
            }
            on_report(&both);
            level += 1;
        }
    }

    /// Searches after the candidates, and orders them by their chances after the best one.
    fn compare<G: FullGame>(
        &self,
        successors: &Successors<'_, G>,
        named: &[G::Action],
        analysis: &mut PositionAnalysis<G::Action>,
        watched: Watched<'_, G::Action>,
    ) {
        let Successors { game, state, seat, .. } = *successors;
        let candidates = self.candidates(game, state, named, &analysis.actions);
        let (mut candidates, others): (Vec<_>, Vec<_>) =
            analysis.actions.drain(..).partition(|judged| candidates.contains(&judged.action));
        let so_far = |candidates: &[JudgedAction<G::Action>]| PositionAnalysis {
            actions: candidates.iter().chain(&others).cloned().collect(),
            ..analysis.clone()
        };
        search_after(successors, &mut candidates, 0..SAMPLES, watched, so_far);
        let chance = |judged: &JudgedAction<G::Action>| judged.chance(seat);
        candidates[1..].sort_by(|one, other| chance(other).total_cmp(&chance(one)));
        if candidates.len() > 1 && chance(&candidates[1]) > chance(&candidates[0]) + CLOSE {
            // Fresh samples, so that the highest of several chances is not taken for the best.
            let both = [candidates[0].action, candidates[1].action];
            let fresh = successors.search_until(&both, SAMPLES..2 * SAMPLES, watched.0.flag());
            for (judged, fresh) in candidates.iter_mut().zip(&fresh) {
                judged.after.iter_mut().for_each(|after| after.samples.extend(&fresh.samples));
            }
            if fresh[1].of(seat) > fresh[0].of(seat) + CLOSE {
                analysis.rejected = Some(candidates[0].action);
                candidates.swap(0, 1);
            }
            candidates[1..].sort_by(|one, other| chance(other).total_cmp(&chance(one)));
        }
        analysis.actions = candidates;
        analysis.actions.extend(others);
    }

    /// Plays the rollouts of the candidates.
    fn add_rollouts<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        analysis: &mut PositionAnalysis<G::Action>,
        watch: &AnalysisWatch,
    ) {
        if self.rollouts == 0 {
            return;
        }
        let Self { policy, seed, .. } = *self;
        let rollouts = Rollouts { game, state, seat: analysis.seat, policy, seed };
        let is_candidate =
            |(index, judged): &(usize, &JudgedAction<_>)| *index == 0 || judged.after.is_some();
        let candidates = analysis.actions.iter().enumerate().filter(is_candidate);
        let candidates: Vec<_> = candidates.map(|(_, judged)| judged.action).collect();
        let mut results = vec![ActionRollouts::default(); candidates.len()];
        for first in (0..self.rollouts).step_by(ROLLOUTS_PER_STEP as usize) {
            if watch.is_stopped() {
                return;
            }
            let next =
                rollouts.play(&candidates, first..(first + ROLLOUTS_PER_STEP).min(self.rollouts));
            results.iter_mut().zip(next).for_each(|(result, next)| result.append(next));
        }
        for (judged, result) in analysis.actions.iter_mut().zip(results) {
            judged.rollouts = Some(result);
        }
    }

    /// Returns the actions to compare: the first, the most visited ones, and the named ones.
    /// Several actions that lead to the same position are one candidate.
    fn candidates<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        named: &[G::Action],
        actions: &[JudgedAction<G::Action>],
    ) -> Vec<G::Action> {
        let after = |action| {
            let mut after = *state;
            game.apply(&mut after, action);
            after
        };
        let all: u64 = actions.iter().map(|judged| judged.visits).sum();
        let mut candidates: Vec<G::Action> = Vec::new();
        for (index, judged) in actions.iter().enumerate() {
            let is_named = named.contains(&judged.action);
            let is_searched = index == 0
                || is_visited_enough(judged.visits, all)
                    && candidates.len() < self.candidates
                    && candidates.iter().all(|&other| after(other) != after(judged.action));
            if is_named || is_searched {
                candidates.push(judged.action);
            }
        }
        candidates
    }
}

/// Returns the analysis of a searched position. The action that the search chooses is the
/// first.
fn judge<G: FullGame>(
    game: &G,
    state: &G::State,
    seat: Seat,
    named: &[G::Action],
    found: SearchedPosition<G::Action>,
) -> PositionAnalysis<G::Action> {
    let judged = found.actions.into_iter().map(|one| JudgedAction {
        visits: one.visits,
        chances: one.chances,
        ..JudgedAction::new(one.action)
    });
    let mut actions: Vec<_> = judged.collect();
    for &action in named {
        if actions.iter().all(|known| known.action != action) {
            actions.push(JudgedAction::new(action));
        }
    }
    PositionAnalysis {
        seat,
        search: found.result,
        is_calibrated: found.is_calibrated,
        actions,
        legal: game.legal_actions(state).len(),
        rejected: None,
        is_stable: None,
    }
}

/// Number of rollouts of each candidate after which an analysis can be stopped.
const ROLLOUTS_PER_STEP: u64 = 16;

/// Receives the analysis so far.
pub type PartialReceiver<'a, A> = dyn Fn(&PositionAnalysis<A>) + Sync + 'a;

/// The watch of an analysis, with the receiver of its reports.
type Watched<'a, A> = (&'a AnalysisWatch, &'a PartialReceiver<'a, A>);

/// Searches after candidates, one sample after the other if there are reports. `so_far` returns the
/// analysis with the candidates, for reports.
fn search_after<G: FullGame>(
    successors: &Successors<'_, G>,
    candidates: &mut [JudgedAction<G::Action>],
    samples: Range<u64>,
    (watch, on_report): Watched<'_, G::Action>,
    so_far: impl Fn(&[JudgedAction<G::Action>]) -> PositionAnalysis<G::Action>,
) {
    let actions: Vec<_> = candidates.iter().map(|judged| judged.action).collect();
    if !watch.has_reports() {
        return add_samples(candidates, successors.search_until(&actions, samples, watch.flag()));
    }
    for sample in samples {
        let chances = successors.search_until(&actions, sample..sample + 1, watch.flag());
        if watch.is_stopped() {
            return;
        }
        add_samples(candidates, chances);
        if watch.is_due() {
            on_report(&so_far(candidates));
        }
    }
}

/// Adds samples of the searches after candidates.
fn add_samples<A>(candidates: &mut [JudgedAction<A>], chances: Vec<ChancesAfter>) {
    for (judged, after) in candidates.iter_mut().zip(chances) {
        let known = judged.after.get_or_insert_with(|| ChancesAfter { samples: Vec::new() });
        known.samples.extend(after.samples);
    }
}

/// Distance of the seed of the second of two analyses.
const SECOND_SEED: u64 = 1 << 32;

impl<A> PositionAnalysis<A> {
    /// Returns the actions to name: the best one, the candidates, and those that the search visits
    /// at least 10 times and with 1 % of all visits.
    pub fn ranked(&self) -> impl Iterator<Item = &JudgedAction<A>> {
        let all: u64 = self.actions.iter().map(|judged| judged.visits).sum();
        self.actions.iter().enumerate().filter_map(move |(index, judged)| {
            let is_ranked =
                index == 0 || judged.after.is_some() || is_visited_enough(judged.visits, all);
            is_ranked.then_some(judged)
        })
    }

    /// Returns the win chance of each seat with the best action.
    pub fn chances(&self) -> Option<PerSeat<f64>> {
        self.actions[0].best_chances()
    }

    /// Returns the best action and the other candidates within 2 percentage points of it.
    pub fn leaders(&self) -> Vec<&JudgedAction<A>> {
        let best = self.actions[0].chance(self.seat);
        let is_close = |judged: &&JudgedAction<A>| {
            judged.after.is_some() && judged.chance(self.seat) >= best - CLOSE
        };
        let others = self.actions[1..].iter().filter(is_close);
        [&self.actions[0]].into_iter().chain(others).collect()
    }

    /// Returns the candidates that are worse than the best action by more than 2 percentage points.
    pub fn worse(&self) -> Vec<&JudgedAction<A>> {
        let best = self.actions[0].chance(self.seat);
        let is_worse = |judged: &&JudgedAction<A>| {
            judged.after.is_some() && judged.chance(self.seat) < best - CLOSE
        };
        self.actions[1..].iter().filter(is_worse).collect()
    }

    /// Returns the win chance of the seat that decides after an action, less that after the best
    /// one, in the same samples; `None` unless both were searched.
    pub fn difference(&self, judged: &JudgedAction<A>) -> Option<Effect> {
        let best = self.actions[0].after.as_ref()?;
        Some(judged.after.as_ref()?.difference(best, self.seat))
    }
}

impl<A: Copy + PartialEq> PositionAnalysis<A> {
    /// Returns this analysis together with another one of the same position. The best action is
    /// that of both, or else the one with the highest chance.
    fn merge(mut self, other: Self) -> Self {
        let second = other.actions[0].action;
        let is_same = self.actions[0].action == second;
        let first = self.actions[0].action;
        for judged in other.actions {
            match self.actions.iter_mut().find(|known| known.action == judged.action) {
                Some(known) => known.merge(judged),
                None => self.actions.push(judged),
            }
        }
        let seat = self.seat;
        let rank = |judged: &JudgedAction<A>| {
            let is_best = is_same && judged.action == first;
            (
                is_best,
                judged.after.is_some(),
                judged.after.as_ref().map_or(judged.visits as f64, |after| after.of(seat)),
            )
        };
        self.actions.sort_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            (other.0, other.1).cmp(&(one.0, one.1)).then(other.2.total_cmp(&one.2))
        });
        let best = self.actions[0].action;
        self.rejected = self.rejected.filter(|_| is_same).filter(|action| *action != best);
        self
    }
}

impl<A> JudgedAction<A> {
    const fn new(action: A) -> Self {
        Self { action, visits: 0, chances: None, after: None, rollouts: None }
    }

    /// Returns the win chance of a seat; 0 if nothing is known.
    fn chance(&self, seat: Seat) -> f64 {
        self.best_chances().map_or(0.0, |chances| chances[seat.index()])
    }

    /// Adds the searches of another analysis.
    fn merge(&mut self, other: Self) {
        self.chances = match (self.chances, other.chances) {
            (Some(one), Some(two)) => {
                Some(std::array::from_fn(|seat| f64::midpoint(one[seat], two[seat])))
            }
            (one, two) => one.or(two),
        };
        self.visits += other.visits;
        match (&mut self.after, other.after) {
            (Some(after), Some(other)) => after.samples.extend(other.samples),
            (after, other) => *after = after.take().or(other),
        }
    }
}
