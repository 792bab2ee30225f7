//! Analysis of a position: a search proposes candidates, and rollouts compare them.
//!
//! The best action is that of the search. If rollouts of a weaker bot prefer another candidate,
//! both are searched with equal budgets, and the searches decide. The blocks of rollouts that raise
//! the doubt are not those by which the differences are estimated, so the difference to the best of
//! many is not overestimated.

use super::{
    rollout::{ActionRollouts, Rollouts, difference},
    successors::{SuccessorCheck, SuccessorVerdict, Successors},
};
use crate::{
    bots::{BotFactory, View},
    game::{ActionSet as _, FullGame, PerSeat, Seat},
    rng::{Purpose, stream},
    search::ensemble::{ActionResult, SearchResult},
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust},
        paired::Effect,
    },
};

/// Smallest number of visits with which an action is a candidate by itself.
pub const MIN_VISITS: u64 = 10;

/// Smallest lead of another action in rollouts for which the choice of the search is checked.
const MIN_LEAD: f64 = 0.05;
/// Blocks that decide whether the choice of the search is checked, as a share of the blocks of the
/// estimates.
const SELECTION_SHARE: u64 = 4;

/// The bots and the budget of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Analyst<'a> {
    /// The bot that searches.
    pub search: &'a BotFactory,
    /// The bot that plays the rollouts.
    pub policy: &'a BotFactory,
    /// Number of blocks of the estimates; 0 for none.
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
    /// Win chance of each seat with the best action, by the search.
    pub chances: Option<PerSeat<f64>>,
    /// All actions that were visited or named: the best one, the other candidates in the order of
    /// their rollouts, and the others in the order of their visits.
    pub actions: Vec<JudgedAction<A>>,
    /// Number of legal actions.
    pub legal: usize,
    /// The searches after two actions, if rollouts prefer another action than the search by more
    /// than 5 percentage points.
    pub check: Option<SuccessorCheck<A>>,
}

/// Significance of the difference between an action and the best one, by Holm's correction over all
/// candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionVerdict {
    /// The rollouts show that the action is worse.
    Worse,
    /// The rollouts show no difference, or there are none.
    Open,
    /// The rollouts show that the action is better than the one that the search prefers: the two
    /// disagree.
    Better,
}

/// An action with what is known of it.
#[derive(Clone, Debug)]
pub struct JudgedAction<A> {
    /// The action.
    pub action: A,
    /// Number of visits of the search.
    pub visits: u64,
    /// Win chance of each seat, by the search; `None` without visits.
    pub chances: Option<PerSeat<f64>>,
    /// Rollouts; `None` if the action is not a candidate.
    pub rollouts: Option<ActionRollouts>,
    /// Win share of the seat that decides, less that of the best action, in the same blocks; `None`
    /// for the best action and without rollouts.
    pub difference: Option<Effect>,
    /// Significance of the difference.
    pub verdict: ActionVerdict,
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
        self.analyse_in_steps(game, state, seat, named, |_| ())
    }

    /// Analyses a position, as [`Analyst::analyse`]. `on_search` receives the result of the search
    /// before the rollouts are played.
    ///
    /// # Panics
    /// If no seat decides.
    pub fn analyse_in_steps<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
        on_search: impl FnOnce(&PositionAnalysis<G::Action>),
    ) -> PositionAnalysis<G::Action> {
        let mut analysis = self.search(game, state, seat, named);
        on_search(&analysis);
        if self.rollouts > 0 {
            analysis.check = self.compare(game, state, seat, named, &mut analysis.actions);
            analysis.chances = analysis.actions[0].chances;
        }
        analysis
    }

    /// Searches a position, without rollouts. The action that the search chooses is the first.
    pub(super) fn search<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
    ) -> PositionAnalysis<G::Action> {
        let legal = game.legal_actions(state);
        let mut bot = self.search.build();
        bot.reset();
        let mut rng = stream(self.seed, 0, 0, Purpose::Bot(seat.index() as u8));
        let chosen = bot.choose(&View::new(game, state, seat), &legal, &mut rng);
        let search = bot.last_search();
        let calibration = search.as_ref().and_then(|search| {
            let is_known = self.search.notes().is_empty();
            let calibration = self.search.calibration().of_mode(game.mode(state));
            calibration.at(search.iterations).filter(|_| is_known)
        });
        let chances_of = |values: &PerSeat<f64>| match calibration {
            Some(maps) => maps.action.chances(&values[..game.seats()], seat.index()),
            None => *values,
        };
        let mut actions: Vec<_> = search.iter().flat_map(|search| &search.actions).collect();
        actions.sort_by_key(|result| (result.action != chosen, std::cmp::Reverse(result.visits)));
        let judged = |result: &ActionResult<G::Action>| JudgedAction {
            visits: result.visits,
            chances: Some(chances_of(&result.values)),
            ..JudgedAction::new(result.action)
        };
        let mut actions: Vec<_> = actions.into_iter().map(judged).collect();
        for &action in [chosen].iter().chain(named) {
            if actions.iter().all(|known| known.action != action) {
                actions.push(JudgedAction::new(action));
            }
        }
        PositionAnalysis {
            seat,
            is_calibrated: calibration.is_some(),
            chances: actions[0].chances,
            search,
            actions,
            legal: legal.len(),
            check: None,
        }
    }

    /// Plays the rollouts of the candidates and orders all but the best one by them. Returns the
    /// searches that decided between the action of the search, which is the first before, and one
    /// that wins more in rollouts.
    fn compare<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        named: &[G::Action],
        actions: &mut Vec<JudgedAction<G::Action>>,
    ) -> Option<SuccessorCheck<G::Action>> {
        let candidates = self.candidates(game, state, named, actions);
        let (mut candidates, others): (Vec<_>, Vec<_>) =
            actions.drain(..).partition(|judged| candidates.contains(&judged.action));
        let texts: Vec<_> = candidates.iter().map(|judged| judged.action).collect();
        let rollouts = self.rollouts(game, state, seat);
        let selection = self.rollouts.div_ceil(SELECTION_SHARE);
        let results = rollouts.play(&texts, 0..selection);
        let other = preferred(&results, seat);
        let is_doubtful = difference(&results[other], &results[0], seat).value > MIN_LEAD;
        let check = (other > 0 && is_doubtful).then(|| {
            let successors = Successors { game, state, seat, seed: self.seed };
            successors.check([texts[0], texts[other]], |after, decider, seed| {
                Analyst { seed, ..*self }.search(game, after, decider, &[]).chances
            })
        });
        if check.as_ref().is_some_and(|check| check.verdict() == SuccessorVerdict::Corrected) {
            candidates.swap(0, other);
        }

        let texts: Vec<_> = candidates.iter().map(|judged| judged.action).collect();
        let results = rollouts.play(&texts, selection..selection + self.rollouts);
        let (differences, p_values) = compare_with_first(&results, seat);
        for (index, judged) in candidates.iter_mut().enumerate() {
            judged.rollouts = Some(results[index].clone());
            if index > 0 {
                judged.difference = Some(differences[index]);
                judged.verdict = match differences[index].value {
                    _ if p_values[index].is_nan() || p_values[index] >= SIGNIFICANCE_LEVEL => {
                        ActionVerdict::Open
                    }
                    value if value < 0.0 => ActionVerdict::Worse,
                    _ => ActionVerdict::Better,
                };
            }
        }
        let value = |judged: &JudgedAction<_>| judged.difference.map_or(0.0, |effect| effect.value);
        candidates[1..].sort_by(|one, other| value(other).total_cmp(&value(one)));
        *actions = candidates;
        actions.extend(others);
        check
    }

    /// Returns the rollouts of a position.
    pub(super) fn rollouts<'a, G: FullGame>(
        &'a self,
        game: &'a G,
        state: &'a G::State,
        seat: Seat,
    ) -> Rollouts<'a, G> {
        Rollouts { game, state, seat, policy: self.policy, seed: self.seed }
    }

    /// Returns the actions to compare: the first, the most visited ones, and the named ones.
    /// Several actions that lead to the same position are one candidate.
    pub(super) fn candidates<G: FullGame>(
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
        let mut candidates: Vec<G::Action> = Vec::new();
        for (index, judged) in actions.iter().enumerate() {
            let is_named = named.contains(&judged.action);
            let is_searched = index == 0
                || judged.visits >= MIN_VISITS
                    && candidates.len() < self.candidates
                    && candidates.iter().all(|&other| after(other) != after(judged.action));
            if is_named || is_searched {
                candidates.push(judged.action);
            }
        }
        candidates
    }
}

impl<A> PositionAnalysis<A> {
    /// Returns the analysis with a function of its actions.
    pub fn map_actions<B>(self, mut name: impl FnMut(A) -> B) -> PositionAnalysis<B> {
        let Self { seat, search, is_calibrated, chances, actions, legal, check } = self;
        let check = check.map(|check| check.map(&mut name));
        let mut judged = |one: JudgedAction<A>| {
            let JudgedAction { action, visits, chances, rollouts, difference, verdict } = one;
            let action = name(action);
            JudgedAction { action, visits, chances, rollouts, difference, verdict }
        };
        let actions = actions.into_iter().map(&mut judged).collect();
        let search = search.map(|search| search.map_actions(name));
        PositionAnalysis { seat, search, is_calibrated, chances, actions, legal, check }
    }
}

impl<A> JudgedAction<A> {
    const fn new(action: A) -> Self {
        Self {
            action,
            visits: 0,
            chances: None,
            rollouts: None,
            difference: None,
            verdict: ActionVerdict::Open,
        }
    }
}

/// Returns the index of the best candidate: the first, which the search chose, unless another is
/// significantly better.
pub(super) fn preferred(results: &[ActionRollouts], seat: Seat) -> usize {
    let (differences, p_values) = compare_with_first(results, seat);
    let is_better =
        |&index: &usize| p_values[index] < SIGNIFICANCE_LEVEL && differences[index].value > 0.0;
    let value =
        |&one: &usize, &other: &usize| differences[one].value.total_cmp(&differences[other].value);
    (0..results.len()).filter(is_better).max_by(value).unwrap_or(0)
}

/// Returns the differences of all results to the first, and their p-values by Holm's correction;
/// not a number where there is no test.
fn compare_with_first(results: &[ActionRollouts], seat: Seat) -> (Vec<Effect>, Vec<f64>) {
    let differences = results.iter().map(|result| difference(result, &results[0], seat));
    let differences: Vec<_> = differences.collect();
    let p_values: Vec<_> = differences.iter().map(Effect::p_value).collect();
    (differences, holm_adjust(&p_values))
}
