//! Search of one position in several trees whose root statistics are summed: independent ones, or
//! one for each part of the candidates of sequential halving.

use std::{
    cmp::Ordering,
    fmt,
    hash::Hash,
    ops::ControlFlow,
    sync::atomic::{self, AtomicBool},
};

use rand::RngExt;
use rayon::prelude::*;

use super::{
    mcts::{Budget, FinalChoice, Search, SearchModel, Settings, run_divided},
    playout::Policy,
    tree::{Node, REWARD_SCALE},
};
use crate::{
    game::{Game, MAX_SEATS, PerSeat, Seat},
    rng::{Purpose, Rng, stream},
};

/// Statistics of an action at the root, summed over all searches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionResult<A> {
    /// Action.
    pub action: A,
    /// Iterations that started with the action.
    pub visits: u64,
    /// Mean reward of each seat in these iterations, from 0 to 1.
    pub values: PerSeat<f64>,
}

/// Result of the searches of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult<A> {
    /// Seat to move.
    pub seat: Seat,
    /// Iterations, summed over all searches.
    pub iterations: u64,
    /// Nodes, summed over all trees.
    pub nodes: usize,
    /// Maximum number of decisions between a root and a node.
    pub depth: u32,
    /// Mean reward of each seat, from 0 to 1; with sequential halving, of the actions that remain.
    pub values: PerSeat<f64>,
    /// Visited actions, in the order of the first search.
    pub actions: Vec<ActionResult<A>>,
    /// Most visited line of the first search, or of that with the last candidate of halving, with
    /// the seats to move.
    pub principal_variation: Vec<(Seat, A)>,
}

impl<A> SearchResult<A> {
    /// Returns the result with a function of its actions.
    pub fn map_actions<B>(self, mut name: impl FnMut(A) -> B) -> SearchResult<B> {
        let mut action = |ActionResult { action, visits, values }| ActionResult {
            action: name(action),
            visits,
            values,
        };
        let actions = self.actions.into_iter().map(&mut action).collect();
        let line = self.principal_variation.into_iter();
        SearchResult {
            seat: self.seat,
            iterations: self.iterations,
            nodes: self.nodes,
            depth: self.depth,
            values: self.values,
            actions,
            principal_variation: line.map(|(seat, action)| (seat, name(action))).collect(),
        }
    }
}

/// Control of a search from outside.
#[derive(Clone, Copy)]
pub struct SearchWatch<'a, A> {
    /// Ends the search when it becomes true.
    pub stop: &'a AtomicBool,
    /// Returns true if a report is due. It is called every few iterations.
    pub is_due: &'a (dyn Fn() -> bool + Sync),
    /// Receives the result so far whenever a report is due; of one tree only.
    pub on_report: &'a (dyn Fn(SearchResult<A>) + Sync),
}

impl<'a, A> SearchWatch<'a, A> {
    /// Creates a watch without reports.
    pub fn of_flag(stop: &'a AtomicBool) -> Self {
        Self { stop, is_due: &|| false, on_report: &|_| () }
    }
}

impl<A> fmt::Debug for SearchWatch<'_, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SearchWatch").field("stop", self.stop).finish_non_exhaustive()
    }
}

impl<A: Copy + Eq + Hash> SearchWatch<'_, A> {
    /// Receives a search in progress: reports if a report is due, and ends it if it is stopped.
    pub fn receive(&self, search: &Search<A>) -> ControlFlow<()> {
        if self.stop.load(atomic::Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if (self.is_due)() {
            (self.on_report)(SearchResult::new(std::slice::from_ref(search)));
        }
        ControlFlow::Continue(())
    }
}

/// Sums over the visits of an action at the root, in units of 1 / [`REWARD_SCALE`].
struct RootStatistics<A> {
    action: A,
    visits: u64,
    rewards: PerSeat<u64>,
    /// Squared rewards of the seat to move.
    squares: u64,
}

impl<A: Copy> RootStatistics<A> {
    const fn new(action: A) -> Self {
        Self { action, visits: 0, rewards: [0; MAX_SEATS], squares: 0 }
    }

    fn add(&mut self, node: &Node<A>) {
        self.visits += u64::from(node.visits);
        self.squares += u64::from(node.squares());
        for (sum, reward) in self.rewards.iter_mut().zip(node.reward_sums()) {
            *sum += u64::from(*reward);
        }
    }

    /// Returns the mean reward of a seat, from 0 to 1.
    fn mean(&self, seat: usize) -> f64 {
        self.rewards[seat] as f64 / f64::from(REWARD_SCALE) / self.visits as f64
    }

    /// Returns the standard error of the mean reward of the seat to move.
    fn standard_error(&self, seat: usize) -> f64 {
        let (visits, mean) = (self.visits as f64, self.mean(seat));
        let mean_square = self.squares as f64 / f64::from(REWARD_SCALE) / visits;
        ((mean_square - mean * mean).max(MIN_VARIANCE) / visits).sqrt()
    }
}

/// Factor between the most visits and those that an action needs for [`FinalChoice::Bound`].
const BOUND_VISITS: u64 = 5;
/// Minimum variance of the rewards of an action.
const MIN_VARIANCE: f64 = 1e-4;

/// Returns true if an action may be the choice of a search.
fn is_candidate<A: Copy + Eq + Hash>(search: &Search<A>, action: A) -> bool {
    let is_halving = search.settings().final_choice == FinalChoice::Halving;
    !is_halving || search.candidates().contains(&action)
}

/// Searches that run in parallel. Their results are merged in a fixed order, so they do not depend
/// on the number of threads. With [`FinalChoice::Halving`], the candidates are divided among them,
/// unless each keeps one determinization.
#[derive(Clone, Debug)]
pub struct Ensemble<A> {
    searches: Vec<Search<A>>,
    /// True if each search keeps one determinization.
    determinize_once: bool,
    final_choice: FinalChoice,
}

impl<A: Copy + Eq + Hash + Send + Sync> Ensemble<A> {
    /// Creates at least one search. The iterations and steps of the budget are divided among the
    /// searches; each may use the whole time. With `determinize_once`, each search keeps one
    /// determinization: perfect-information Monte Carlo with a vote at the root (Ginsberg 2001).
    pub fn new(settings: Settings, trees: u32, determinize_once: bool) -> Self {
        let trees = trees.max(1);
        let Budget { iterations, steps, .. } = settings.budget;
        let budget = Budget {
            iterations: iterations.div_ceil(trees),
            steps: steps.div_ceil(trees.into()),
            ..settings.budget
        };
        let searches = vec![Search::new(Settings { budget, ..settings }); trees as usize];
        Self { searches, determinize_once, final_choice: settings.final_choice }
    }

    /// Searches a position in which a seat is to move. `since` holds the decisions since the
    /// previous search and the share of its visits to keep, as in [`Search::continue_from`]; with
    /// `None`, each search starts with an empty tree.
    pub fn run<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        rng: &mut Rng,
        determinize: impl Fn(&mut Rng) -> G::State + Sync,
        since: Option<(&[(Seat, A)], f32)>,
    ) {
        let determinize_once = self.determinize_once;
        let run = |search: &mut Search<A>, rng: &mut Rng| {
            let determinization = determinize_once.then(|| determinize(rng));
            let determinize = |rng: &mut Rng| determinization.unwrap_or_else(|| determinize(rng));
            match since {
                Some((since, share)) => {
                    search.continue_from(game, model, rng, determinize, since, share);
                }
                None => search.run(game, model, rng, determinize),
            }
        };
        match &mut self.searches[..] {
            [search] => run(search, rng),
            searches if self.final_choice == FinalChoice::Halving && !determinize_once => {
                run_divided(searches, game, model, rng.random(), &determinize);
            }
            searches => {
                let seed = rng.random();
                searches.par_iter_mut().enumerate().for_each(|(index, search)| {
                    run(search, &mut stream(seed, 0, index as u64, Purpose::Tree));
                });
            }
        }
    }

    /// Returns the best action by the summed statistics; `None` before the first search.
    pub fn best_action(&self) -> Option<A> {
        let seat = self.searches[0].seat().index();
        let actions = self.root_statistics(is_candidate);
        let most_visits = actions.iter().map(|one| one.visits).max()?;
        let key = |one: &RootStatistics<A>| {
            let (visits, mean) = (one.visits as f64, one.mean(seat));
            match self.final_choice {
                FinalChoice::Value => [mean, visits],
                FinalChoice::Bound if one.visits * BOUND_VISITS >= most_visits => {
                    [mean - one.standard_error(seat), visits]
                }
                FinalChoice::Bound => [f64::NEG_INFINITY, visits],
                FinalChoice::Visits | FinalChoice::Halving => [visits, mean],
            }
        };
        // Reversed, because of equal elements `max_by` returns the last one.
        let best = actions
            .iter()
            .rev()
            .max_by(|&one, &other| key(one).partial_cmp(&key(other)).unwrap_or(Ordering::Equal));
        best.map(|one| one.action)
    }

    /// Returns the statistics of the root actions of which `is_counted` is true, over all searches.
    fn root_statistics(
        &self,
        is_counted: impl Fn(&Search<A>, A) -> bool,
    ) -> Vec<RootStatistics<A>> {
        root_statistics(&self.searches, is_counted)
    }

    /// Returns the result of all searches.
    pub fn result(&self) -> SearchResult<A> {
        SearchResult::new(&self.searches)
    }
}

/// Returns the statistics of the root actions of which `is_counted` is true, over all searches.
fn root_statistics<A: Copy + Eq + Hash>(
    searches: &[Search<A>],
    is_counted: impl Fn(&Search<A>, A) -> bool,
) -> Vec<RootStatistics<A>> {
    let mut sums: Vec<RootStatistics<A>> = Vec::new();
    for search in searches {
        let children = search.root_children().iter();
        for node in children.filter(|node| node.visits > 0 && is_counted(search, node.action)) {
            let known = sums.iter().position(|one| one.action == node.action);
            let index = known.unwrap_or_else(|| {
                sums.push(RootStatistics::new(node.action));
                sums.len() - 1
            });
            sums[index].add(node);
        }
    }
    sums
}

impl<A: Copy + Eq + Hash> SearchResult<A> {
    /// Sums the results of searches of one position, of which there is at least one.
    fn new(searches: &[Search<A>]) -> Self {
        let mean = |sums: PerSeat<u64>, visits: u64| {
            sums.map(|sum| sum as f64 / f64::from(REWARD_SCALE) / visits.max(1) as f64)
        };
        let actions = root_statistics(searches, |_, _| true);
        // Halving visits actions that it drops as often as others at first: they say nothing of
        // the position.
        let candidates = root_statistics(searches, is_candidate);
        let visits = candidates.iter().map(|one| one.visits).sum();
        let chosen = searches.iter().find(|search| !search.candidates().is_empty());
        let totals = candidates.iter().fold([0; MAX_SEATS], |totals, one| {
            std::array::from_fn(|seat| totals[seat] + one.rewards[seat])
        });
        let action_result = |one: RootStatistics<A>| ActionResult {
            action: one.action,
            visits: one.visits,
            values: mean(one.rewards, one.visits),
        };
        Self {
            seat: searches[0].seat(),
            iterations: searches.iter().map(|search| u64::from(search.iterations())).sum(),
            nodes: searches.iter().map(|search| search.tree().len()).sum(),
            depth: searches.iter().map(|search| search.tree().max_depth()).max().unwrap_or(0),
            values: mean(totals, visits),
            actions: actions.into_iter().map(action_result).collect(),
            principal_variation: chosen.unwrap_or(&searches[0]).principal_variation(),
        }
    }
}
