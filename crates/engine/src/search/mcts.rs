//! Monte Carlo tree search for any number of seats, with chance and hidden information.
//!
//! By default the search builds one open-loop tree: a node stands for a sequence of decisions;
//! chance and hidden information are drawn again in every iteration. The value of a node is
//! therefore a mean over both, and its legal actions can differ between iterations. Bounds count
//! the iterations in which an action was available instead of the visits of its parent:
//! single-observer information-set search (Cowling, Powley and Whitehouse 2012). Each seat
//! maximises its own reward: max^n (Luckhardt and Irani 1986). A tree of depth 1 is flat Monte
//! Carlo.

mod children;
mod halving;
mod iteration;
mod settings;

use std::{hash::Hash, ops::ControlFlow, time::Instant};

pub(super) use halving::run_divided;
use halving::{Candidates, halve};
pub use settings::{Branching, Budget, FinalChoice, Opponents, Settings, Widening};

use super::{
    Evaluator,
    clock::thread_cpu_time,
    mast::Mast,
    playout::Policy,
    tree::{MAX_VISITS, Node, NodeId, Tree},
};
use crate::{
    game::{ActionSet, Game, MAX_SEATS, Seat, Turn},
    rng::Rng,
};

/// Policy and evaluators that a search uses.
#[derive(Clone, Copy)]
pub struct SearchModel<'a, G: Game, P> {
    /// Policy of playouts.
    pub playout_policy: &'a P,
    /// Evaluator that gives the priors of actions.
    pub prior: Option<&'a dyn Evaluator<G>>,
    /// Evaluator of positions, for cut-offs.
    pub evaluator: Option<&'a dyn Evaluator<G>>,
    /// True if the policies of the evaluator are those of the prior.
    pub shares_policy: bool,
    /// Actions to search at the root, if not all legal ones.
    pub legal_at_root: Option<&'a G::Actions>,
    /// Receiver of the search in progress.
    pub on_progress: Option<&'a ProgressReceiver<'a, G::Action>>,
}

/// Receives a search every few iterations, and can end it.
pub type ProgressReceiver<'a, A> = dyn Fn(&Search<A>) -> ControlFlow<()> + Sync + 'a;

impl<'a, G: Game, P: Policy<G>> SearchModel<'a, G, P> {
    /// Returns a model with a playout policy and no evaluators.
    pub const fn playouts_only(playout: &'a P) -> Self {
        Self {
            playout_policy: playout,
            prior: None,
            evaluator: None,
            shares_policy: false,
            legal_at_root: None,
            on_progress: None,
        }
    }
}

/// Root of a tree.
#[derive(Clone, Copy, Debug)]
struct Root {
    seat: Seat,
    private_info: u32,
    node: NodeId,
}

/// Search and its memory, which is reused between decisions.
///
/// A search needs only the trait [`Game`]. This one plays Nim, the example of the module
/// [`game`](crate::game), with 10 pieces. The only winning move takes 2 and leaves a multiple of 4.
///
/// ```
/// # use watershed::{Game, Outcome, Seat, Turn, game::BitActions};
/// # struct Nim;
/// # impl Game for Nim {
/// #     type State = (u8, u8);
/// #     type Action = u8;
/// #     type Actions = BitActions;
/// #     fn seats(&self) -> usize { 2 }
/// #     fn initial(&self) -> (u8, u8) { (10, 0) }
/// #     fn turn(&self, &(pieces, moves): &(u8, u8)) -> Turn {
/// #         if pieces == 0 { Turn::Over } else { Turn::Seat(Seat::new(usize::from(moves % 2))) }
/// #     }
/// #     fn legal_actions(&self, &(pieces, _): &(u8, u8)) -> BitActions {
/// #         (1..=pieces.min(3)).collect()
/// #     }
/// #     fn apply(&self, (pieces, moves): &mut (u8, u8), taken: u8) {
/// #         *pieces -= taken;
/// #         *moves += 1;
/// #     }
/// #     fn round(&self, &(_, moves): &(u8, u8)) -> u32 { moves.into() }
/// #     fn outcome(&self, &(_, moves): &(u8, u8)) -> Outcome {
/// #         let winner = usize::from((moves + 1) % 2);
/// #         let mut scores = [0; 5];
/// #         scores[winner] = 1;
/// #         Outcome::highest_score_wins(scores, 2, moves.into())
/// #     }
/// # }
/// use watershed::{
///     rng::{Purpose, stream},
///     search::{mcts::{Search, SearchModel, Settings}, playout::Uniform},
/// };
///
/// let mut search = Search::new(Settings::uct(2000, 1.0));
/// let mut rng = stream(1, 0, 0, Purpose::Playout);
/// search.run(&Nim, &SearchModel::playouts_only(&Uniform), &mut rng, |_| Nim.initial());
///
/// let best = search.root_children().iter().max_by_key(|node| node.visits);
/// assert_eq!(best.map(|node| node.action), Some(2));
/// ```
#[derive(Clone, Debug)]
pub struct Search<A> {
    settings: Settings,
    tree: Tree<A>,
    spare: Option<Tree<A>>,
    roots: Vec<Root>,
    path: Vec<NodeId>,
    /// Indices of the children that are legal, at the beginning of the list.
    legal_children: Vec<u16>,
    legal_count: usize,
    mast: Option<Mast>,
    /// True if children are selected by plain UCB1.
    is_plain: bool,
    /// Seat to move at the root.
    seat: Seat,
    candidates: Candidates<A>,
    iterations: u32,
    steps: u64,
    /// Decisions of this iteration in the tree.
    depth: u32,
}

/// Nodes allocated at the start.
const EXPECTED_NODES: u32 = 1 << 16;
/// Iterations between two readings of the clock.
const CLOCK_INTERVAL: u32 = 8;

impl<A: Copy + Eq + Hash> Search<A> {
    /// Creates a search.
    pub fn new(settings: Settings) -> Self {
        let expected = settings.budget.iterations.saturating_mul(2);
        Self {
            settings,
            tree: Tree::new(settings.max_nodes, expected.min(EXPECTED_NODES)),
            spare: None,
            roots: Vec::with_capacity(MAX_SEATS),
            path: Vec::with_capacity(256),
            legal_children: Vec::new(),
            legal_count: 0,
            mast: settings.mast_epsilon.map(Mast::new),
            is_plain: settings.is_plain_ucb1(),
            seat: Seat::new(0),
            candidates: Candidates::new(Vec::new()),
            iterations: 0,
            steps: 0,
            depth: 0,
        }
    }

    /// Searches a position in which a seat is to move. `determinize` returns the starting position
    /// of an iteration: the position itself if nothing is hidden. The results of the previous
    /// search are discarded.
    pub fn run<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        rng: &mut Rng,
        mut determinize: impl FnMut(&mut Rng) -> G::State,
    ) {
        self.clear();
        self.search(game, model, rng, &mut determinize);
    }

    /// Discards the results of the previous search.
    fn clear(&mut self) {
        self.tree.clear();
        self.roots.clear();
    }

    /// Continues the previous search from a later position. `since` lists the decisions from the
    /// previous root to this position, with their seats. Nodes keep `share` of their visits. Chance
    /// events in between are not distinguished.
    pub fn continue_from<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        rng: &mut Rng,
        mut determinize: impl FnMut(&mut Rng) -> G::State,
        since: &[(Seat, A)],
        share: f32,
    ) {
        let new_root = self.roots.first().and_then(|root| {
            let step = |node, &(seat, action): &(Seat, A)| {
                self.tree.find_child(node, action, seat.index() as u8)
            };
            since.iter().try_fold(root.node, step)
        });
        let Some(new_root) = new_root else { return self.run(game, model, rng, determinize) };
        // Half of the maximum visit count is reserved for new visits.
        let visits = self.tree.node(new_root).visits.max(1);
        let share = share.min((MAX_VISITS / 2) as f32 / visits as f32);
        let mut tree =
            self.spare.take().unwrap_or_else(|| Tree::new(self.settings.max_nodes, EXPECTED_NODES));
        let node = tree.copy_subtree(&self.tree, new_root, share);
        self.spare = Some(std::mem::replace(&mut self.tree, tree));
        self.roots.clear();
        self.roots.push(Root { seat: Seat::new(0), private_info: 0, node });
        self.search(game, model, rng, &mut determinize);
    }

    fn search<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        rng: &mut Rng,
        determinize: &mut impl FnMut(&mut Rng) -> G::State,
    ) {
        (self.iterations, self.steps) = (0, 0);
        let Budget { iterations, steps, time, cpu_time } = self.settings.budget;
        let iterations = iterations.min(MAX_VISITS - self.root().map_or(0, |root| root.visits));
        let started = time.map(|_| Instant::now());
        let cpu_started = cpu_time.and_then(|_| thread_cpu_time());
        let mut first_state = None;
        while self.iterations < iterations && self.steps < steps {
            let state = determinize(rng);
            let is_fixed = *first_state.get_or_insert(state) == state;
            if self.iterations == 0 && !self.start(game, model, &state) {
                return;
            }
            self.step(game, model, state, is_fixed, rng);
            let mut spent = (f64::from(self.iterations) / f64::from(iterations))
                .max(self.steps as f64 / steps as f64);
            if self.iterations.is_multiple_of(CLOCK_INTERVAL) {
                if model.on_progress.is_some_and(|receive| receive(self).is_break()) {
                    break;
                }
                let mut spent_time: f64 = 0.0;
                if let (Some(time), Some(started)) = (time, started) {
                    spent_time = started.elapsed().div_duration_f64(time);
                }
                if let (Some(time), Some(started)) = (cpu_time, cpu_started) {
                    let used = thread_cpu_time().unwrap_or_default().saturating_sub(started);
                    spent_time = spent_time.max(used.div_duration_f64(time));
                }
                if spent_time >= 1.0 {
                    break;
                }
                spent = spent.max(spent_time);
            }
            if self.settings.final_choice == FinalChoice::Halving {
                halve(std::slice::from_mut(self), spent, model.prior.is_some());
            }
        }
        // Readers of the children of the root find their whole availability.
        if let Some(root) = self.root_id() {
            self.tree.reopen(root);
        }
    }

    /// Prepares a search for its first iteration; false if no seat is to move.
    fn start<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &G::State,
    ) -> bool {
        if let Some(mast) = &mut self.mast {
            mast.clear();
        }
        (self.iterations, self.steps) = (0, 0);
        self.candidates = Candidates::new(Vec::new());
        let Turn::Seat(seat) = game.turn(state) else { return false };
        self.seat = seat;
        let legal = model.legal_at_root.copied().unwrap_or_else(|| game.lookahead_actions(state));
        self.prune_root(&legal);
        if self.settings.final_choice == FinalChoice::Halving && model.prior.is_none() {
            self.candidates = Candidates::new(legal.iter().collect());
        }
        true
    }

    /// Runs an iteration and counts it.
    fn step<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: G::State,
        is_fixed: bool,
        rng: &mut Rng,
    ) {
        self.iterate(game, model, state, is_fixed, rng);
        self.iterations += 1;
        let is_halving = self.settings.final_choice == FinalChoice::Halving;
        if is_halving && self.candidates.actions.is_empty() {
            self.find_candidates();
        }
    }

    /// After tree reuse, removes root children that are no longer legal: chance events in between
    /// can change the legal actions or the seat to move.
    fn prune_root(&mut self, legal: &impl ActionSet<Action = A>) {
        let mover = self.seat.index() as u8;
        if let Some(root) = self.root_id() {
            let is_legal = |child: &Node<A>| child.mover == mover && legal.contains(child.action);
            self.tree.retain_children(root, is_legal);
        }
    }

    /// Returns the root of the searching seat.
    fn root_id(&self) -> Option<NodeId> {
        let root = match self.settings.branching {
            Branching::Shared => self.roots.first(),
            _ => self.roots.iter().find(|root| root.seat == self.seat),
        };
        root.map(|root| root.node)
    }

    /// Returns the children of the root.
    pub fn root_children(&self) -> &[Node<A>] {
        self.root_id().map_or(&[], |node| self.tree.children(node))
    }

    /// Returns the root: visits and rewards of the position.
    pub fn root(&self) -> Option<&Node<A>> {
        self.root_id().map(|node| self.tree.node(node))
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of iterations of the last search.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Returns the tree with the nodes of all seats.
    pub fn tree(&self) -> &Tree<A> {
        &self.tree
    }

    /// Returns the remaining candidates of sequential halving; empty without it.
    pub fn candidates(&self) -> &[A] {
        &self.candidates.actions
    }

    /// Returns the searching seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the most visited decisions from the root, with their seats; with
    /// [`Branching::OwnMoves`] only those of the searching seat.
    pub fn principal_variation(&self) -> Vec<(Seat, A)> {
        let mut line = Vec::new();
        let mut next = self.root_id();
        while let Some(node) = next {
            let children = self.tree.children(node).iter().enumerate();
            let best = children
                .filter(|(_, child)| child.visits > 0)
                .max_by_key(|(index, child)| (child.visits, usize::MAX - index));
            next = best.map(|(index, child)| {
                if child.mover != Node::<A>::CHANCE {
                    line.push((Seat::new(usize::from(child.mover)), child.action));
                }
                self.tree.child_id(node, index)
            });
        }
        line
    }
}
