//! Selection and expansion: the child that an iteration continues with.

use std::hash::Hash;

use rand::RngExt as _;

use super::{Opponents, Search, SearchModel, Settings, Widening};
use crate::{
    game::{ActionSet, Game, Seat},
    rng::{Rng, random_below},
    search::{
        playout::{Policy, Uniform},
        select::Arm,
        tree::{Node, NodeId, REWARD_SCALE},
    },
};

/// Forced playouts (Wu 2019): with PUCT, each of n children has at least √(v / (n · this)) visits
/// after v visits of the node. All of them are at most 2 % of its visits.
const FORCED_SHARE: f32 = 64.0;

impl<A: Copy + Eq + Hash> Search<A> {
    /// Returns the child with the highest bound among the legal actions, after adding one if
    /// needed; `None` if there is no memory for any.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "what an iteration knows of a position")]
    pub(super) fn select_child<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &G::State,
        is_fixed: bool,
        parent: NodeId,
        seat: Seat,
        rng: &mut Rng,
    ) -> Option<NodeId> {
        if !self.candidates.actions.is_empty()
            && self.roots.iter().any(|root| root.node == parent)
            && seat == self.seat
        {
            return self.least_visited_candidate::<G::Actions>(parent, seat);
        }
        if is_fixed && self.tree.node(parent).is_complete() {
            let best = self.best_child(parent, seat);
            return best.map(|index| self.tree.child_id(parent, index));
        }
        self.select_or_add_child(game, model, state, is_fixed, parent, seat, rng)
    }

    /// Continues [`Self::select_child`] at a node that is not complete for the position.
    // As a function of its own, it leaves the registers to the selection in complete nodes.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "what an iteration knows of a position")]
    fn select_or_add_child<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &G::State,
        is_fixed: bool,
        parent: NodeId,
        seat: Seat,
        rng: &mut Rng,
    ) -> Option<NodeId> {
        self.tree.reopen(parent);
        let legal = match model.legal_at_root {
            Some(legal) if self.depth == 0 => *legal,
            _ => game.lookahead_actions(state),
        };
        self.find_legal_children(parent, seat, &legal);
        let index = if self.legal_count == legal.len() {
            let best = self.best_child(parent, seat);
            if self.is_plain && is_fixed && self.legal_count == self.tree.children(parent).len() {
                self.tree.complete(parent);
            }
            best
        } else {
            self.expand(game, model, state, is_fixed, parent, seat, &legal, rng)
        };
        index.map(|index| self.tree.child_id(parent, index))
    }

    /// Adds children for untried legal actions, all of them with a prior and one without, and
    /// returns the child to continue with; `None` if there is no memory for any.
    #[expect(clippy::too_many_arguments, reason = "second half of `select_child`")]
    fn expand<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &G::State,
        is_fixed: bool,
        parent: NodeId,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> Option<usize> {
        let mover = seat.index() as u8;
        let mut untried = *legal;
        for &index in &self.legal_children[..self.legal_count] {
            let child = self.tree.children(parent)[usize::from(index)];
            untried.remove_numbered(child.action, child.number);
        }
        let Some(prior) = model.prior else {
            let action = Uniform.choose(game, state, seat, &untried, rng);
            if !self.tree.has_room_for_child(parent) {
                return self.best_child(parent, seat);
            }
            let children = self.tree.children_mut(parent);
            for &index in &self.legal_children[..self.legal_count] {
                children[usize::from(index)].available += 1;
            }
            let mut child = Node::decision::<G::Actions>(action, mover, 1.0);
            child.available = 1;
            return self.tree.add_child(parent, child);
        };
        if self.tree.has_room_for_child(parent) {
            let refresh = self.settings.policy_refresh;
            let known = self.tree.kept_policy(parent, mover, refresh);
            let mut kept = known;
            let tree = &mut self.tree;
            let noise = if self.depth == 0 { self.settings.root_noise } else { 0.0 };
            let actions = legal.len() as f32;
            let mut add_child = |action, mut prior| {
                if noise > 0.0 {
                    prior = (1.0 - noise) * prior + noise * random_prior(rng) / actions;
                }
                tree.add_child(parent, Node::decision::<G::Actions>(action, mover, prior));
            };
            prior.action_priors(game, state, seat, &untried, legal, &mut kept, &mut add_child);
            let is_new = !known.is_some_and(|known| known.is_complete());
            if let Some(policy) = kept.filter(|_| is_new && refresh > 1.0) {
                self.tree.keep_policy(parent, mover, policy);
            }
            let was_childless = self.legal_count == 0;
            self.find_legal_children(parent, seat, legal);
            let children = self.tree.children(parent).len();
            let has_all = children == legal.len() && children == self.legal_count;
            if is_fixed && was_childless && has_all {
                self.tree.complete(parent);
            }
        }
        self.best_child(parent, seat)
    }

    /// Finds the children that are legal decisions of a seat.
    #[inline]
    fn find_legal_children<S: ActionSet<Action = A>>(
        &mut self,
        parent: NodeId,
        seat: Seat,
        legal: &S,
    ) {
        let mover = seat.index() as u8;
        let children = self.tree.children(parent);
        // Chance and other seats change the legal actions, so most children of a node are not
        // legal. Their indices are collected without a branch, which could not be predicted.
        if self.legal_children.len() < children.len() {
            self.legal_children.resize(children.len(), 0);
        }
        let mut found = 0;
        for (index, child) in children.iter().enumerate() {
            self.legal_children[found] = index as u16;
            found += usize::from(child.is_decision_in(mover, legal));
        }
        self.legal_count = found;
    }

    /// Returns the legal child with the highest bound, and counts all legal children as available.
    /// They are those of [`Self::find_legal_children`], or all children of a complete node.
    #[inline]
    fn best_child(&mut self, parent: NodeId, seat: Seat) -> Option<usize> {
        if self.is_plain {
            self.best_child_ucb1(parent, seat)
        } else {
            self.best_child_general(parent, seat)
        }
    }

    /// Fast path of [`Self::best_child_general`] for plain UCB1.
    #[inline]
    fn best_child_ucb1(&mut self, parent: NodeId, seat: Seat) -> Option<usize> {
        let selection = self.settings.selection;
        self.best_by_bound::<false>(parent, seat, usize::MAX, |child, available, _| {
            let mean = child.reward_sum(seat) * (child.inv_sqrt_visits * child.inv_sqrt_visits);
            if child.visits == 0 {
                f32::INFINITY
            } else {
                selection.ucb1(mean, child.inv_sqrt_visits, available)
            }
        })
    }

    fn best_child_general(&mut self, parent: NodeId, seat: Seat) -> Option<usize> {
        let Settings { selection, widening, opponents, first_play_reduction, .. } = self.settings;
        let valued_seat = if opponents == Opponents::Paranoid { self.seat } else { seat };
        let node = self.tree.node(parent);
        let limit = widening.map_or(usize::MAX, |widening| widening.limit(node.visits).max(1));
        let parent_value = if valued_seat == seat {
            node.value(valued_seat)
        } else {
            1.0 - node.value(valued_seat)
        };
        let first_play = parent_value * (1.0 - first_play_reduction);
        // A prior near 0 can be wrong, so no action stays without visits for ever.
        let share = FORCED_SHARE * self.tree.children(parent).len() as f32;
        let is_forced = |child: &Node<A>, available: u32| {
            let visits = child.visits as f32 + 1.0;
            visits * visits * share < available as f32
        };
        if selection.is_plain_puct() && valued_seat == seat {
            return self.best_by_bound::<true>(parent, seat, limit, |child, available, priors| {
                if is_forced(child, available) {
                    return f32::INFINITY;
                }
                let per_visit = 1.0 / child.visits.max(1) as f32;
                let mean = child.reward_sum(seat) * per_visit;
                let mean = if child.visits == 0 { first_play } else { mean };
                selection.puct(mean, child.prior / priors, child.visits, available)
            });
        }
        let bound = |child: &Node<A>, available, priors| {
            let per_visit = 1.0 / child.visits.max(1) as f32;
            let mut mean = child.reward_sum(valued_seat) * per_visit;
            if valued_seat != seat {
                mean = 1.0 - mean;
            }
            if child.visits == 0 {
                mean = first_play;
            }
            let mean_square = child.squared_reward_sum() * per_visit;
            selection.score(&Arm {
                visits: child.visits,
                available,
                mean,
                mean_square,
                prior: child.prior / priors,
            })
        };
        if selection.uses_prior() {
            self.best_by_bound::<true>(parent, valued_seat, limit, bound)
        } else {
            self.best_by_bound::<false>(parent, valued_seat, limit, bound)
        }
    }

    /// Returns the child with the highest bound among the first `limit` of the legal children, and
    /// counts all of them as available.
    ///
    /// `bound` takes a child, its availability and, if `USES_PRIOR`, the sum of the priors of these
    /// children, divided by the factor of the exploration constant. It gives a child without visits
    /// no higher value than another one without visits that has at least its prior and at least its
    /// availability.
    #[inline]
    fn best_by_bound<const USES_PRIOR: bool>(
        &mut self,
        parent: NodeId,
        seat: Seat,
        limit: usize,
        bound: impl Fn(&Node<A>, u32, f32) -> f32,
    ) -> Option<usize> {
        let Settings { deviation_share, .. } = self.settings;
        let mut prior_sum = 0.0;
        let mut rewards = RewardSums::default();
        let mut add = |child: &Node<A>| {
            if USES_PRIOR {
                prior_sum += child.prior;
                rewards.add(child, seat);
            }
        };
        let (mut best, mut best_bound) = (None, f32::NEG_INFINITY);
        let node = self.tree.node_mut(parent);
        if node.is_complete() {
            node.selections += 1;
            let selections = node.selections;
            let children = self.tree.children(parent);
            let children = &children[..limit.min(children.len())];
            children.iter().for_each(add);
            prior_sum = rewards.divided_priors(prior_sum, deviation_share);
            for (index, child) in children.iter().enumerate() {
                let bound = bound(child, child.available + selections, prior_sum);
                if bound > best_bound {
                    (best, best_bound) = (Some(index), bound);
                }
                // Children are in descending order of their priors and equally available, so they
                // are tried in order, and the first untried one has the highest bound of these.
                if child.visits == 0 {
                    break;
                }
            }
            return best;
        }
        let children = self.tree.children_mut(parent);
        let legal_children = &self.legal_children[..self.legal_count];
        for (rank, &index) in legal_children.iter().enumerate() {
            let child = &mut children[usize::from(index)];
            child.available += 1;
            if rank < limit {
                add(child);
            }
        }
        prior_sum = rewards.divided_priors(prior_sum, deviation_share);
        let mut untried_available = 0;
        for &index in legal_children.iter().take(limit) {
            let child = &children[usize::from(index)];
            if child.visits == 0 {
                // Children are in descending order of their priors.
                if child.available <= untried_available {
                    continue;
                }
                untried_available = child.available;
            }
            let bound = bound(child, child.available, prior_sum);
            if bound > best_bound {
                (best, best_bound) = (Some(usize::from(index)), bound);
            }
        }
        best
    }

    /// Returns the least visited of the remaining candidates.
    fn least_visited_candidate<S: ActionSet<Action = A>>(
        &mut self,
        parent: NodeId,
        seat: Seat,
    ) -> Option<NodeId> {
        let mover = seat.index() as u8;
        // Candidates without memory for a node are never visited.
        for index in 0..self.candidates.actions.len() {
            let candidate = Node::decision::<S>(self.candidates.actions[index], mover, 1.0);
            self.find_or_add_child(parent, candidate);
        }
        let find = |&action: &A| self.tree.find_child(parent, action, mover);
        let candidates = self.candidates.actions.iter().filter_map(find);
        let child = candidates.min_by_key(|&child| self.tree.node(child).visits)?;
        self.tree.node_mut(child).available += 1;
        Some(child)
    }

    /// Returns the child for the action of a node, which is added if there is none; `None` if there
    /// is no memory for it.
    pub(super) fn find_or_add_child(&mut self, parent: NodeId, node: Node<A>) -> Option<NodeId> {
        if let Some(child) = self.tree.find_child(parent, node.action, node.mover) {
            return Some(child);
        }
        let index = self.tree.add_child(parent, node)?;
        Some(self.tree.child_id(parent, index))
    }

    /// Returns the child for a chance outcome. If the node has its maximum number of children, an
    /// existing child replaces a new outcome, drawn with a probability proportional to the
    /// frequency of its outcome so far.
    pub(super) fn select_chance_child(
        &mut self,
        parent: NodeId,
        outcome: A,
        widening: Widening,
        rng: &mut Rng,
    ) -> Option<NodeId> {
        if let Some(child) = self.tree.find_child(parent, outcome, Node::<A>::CHANCE) {
            self.tree.node_mut(child).available += 1;
            return Some(child);
        }
        let limit = widening.limit(self.tree.node(parent).visits).max(1);
        let is_chance = |node: &&Node<A>| node.mover == Node::<A>::CHANCE;
        if self.tree.children(parent).iter().filter(is_chance).count() < limit
            && let Some(child) =
                self.find_or_add_child(parent, Node::new(outcome, Node::<A>::CHANCE, 1.0))
        {
            self.tree.node_mut(child).available = 1;
            return Some(child);
        }
        let children = self.tree.children(parent);
        let frequency = |node| if is_chance(&node) { node.available } else { 0 };
        let total = children.iter().map(frequency).sum();
        if total == 0 {
            return None;
        }
        let mut remaining = random_below(rng, total);
        let index =
            children.iter().position(|node| match remaining.checked_sub(frequency(node)) {
                Some(rest) => {
                    remaining = rest;
                    false
                }
                None => true,
            })?;
        Some(self.tree.child_id(parent, index))
    }
}

/// Sums over the rewards of children.
#[derive(Default)]
struct RewardSums {
    visits: u32,
    rewards: u32,
    squares: u32,
}

impl RewardSums {
    /// Standard deviation for which the exploration constant is meant.
    const USUAL_DEVIATION: f32 = 0.1;
    /// Number of visits for which [`Self::USUAL_DEVIATION`] counts.
    const PRIOR_VISITS: f32 = 4.0;

    #[inline]
    fn add<A: Copy>(&mut self, child: &Node<A>, seat: Seat) {
        self.visits += child.visits;
        self.rewards += child.reward_sums()[seat.index()];
        self.squares += child.squares();
    }

    /// Returns `prior_sum` divided by the factor of the exploration constant, a share of which is
    /// in proportion to the standard deviation of the rewards.
    #[inline]
    fn divided_priors(&self, prior_sum: f32, deviation_share: f32) -> f32 {
        if deviation_share == 0.0 {
            return prior_sum;
        }
        let [rewards, squares] = [self.rewards, self.squares].map(|sum| sum as f32 / REWARD_SCALE);
        let mean = rewards / self.visits.max(1) as f32;
        let usual = Self::USUAL_DEVIATION;
        let sum_of_squares =
            (squares - rewards * mean).max(0.0) + Self::PRIOR_VISITS * usual * usual;
        let deviation = (sum_of_squares / (self.visits as f32 + Self::PRIOR_VISITS)).sqrt();
        prior_sum / (1.0 + deviation_share * (deviation / usual - 1.0))
    }
}

/// Returns a random number with mean 1 that is seldom large: the cube of an exponential variate,
/// similar to an entry of a Dirichlet distribution that prefers few actions (Silver et al. 2017).
fn random_prior(rng: &mut Rng) -> f32 {
    let exponential = -(1.0 - rng.random::<f32>()).ln();
    exponential.powi(3) / 6.0
}
