//! Selection and expansion: the child that an iteration continues with.

use std::hash::Hash;

use super::{Opponents, Search, SearchModel, Settings, Widening};
use crate::{
    game::{ActionSet, Game, Seat},
    rng::{Rng, random_below},
    search::{
        playout::{Policy, Uniform},
        select::Arm,
        tree::Node,
    },
};

/// Limit of logit differences, so that their exponential is finite.
const MOST_GAIN: f32 = 40.0;

impl<A: Copy + Eq + Hash> Search<A> {
    /// Returns the child with the highest bound among the legal actions, after adding one if
    /// needed; `None` if there is no memory for any.
    #[inline]
    pub(super) fn select_child<G, P>(
        &mut self,
        game: &G,
        guide: &SearchModel<'_, G, P>,
        state: &G::State,
        place: u32,
        seat: Seat,
        rng: &mut Rng,
    ) -> Option<u32>
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let legal = match guide.legal_at_root {
            Some(offered) if self.depth == 0 => *offered,
            _ => game.legal_actions(state),
        };
        if !self.candidates.is_empty()
            && self.roots.iter().any(|root| root.place == place)
            && seat == self.seat
        {
            return self.least_visited_candidate(place, seat);
        }
        let (known, best) = self.best_child(place, seat, &legal);
        let index = if known == legal.len() {
            best
        } else {
            self.add_untried(game, guide, state, place, seat, &legal, rng).or(best)
        };
        index.map(|index| self.tree.child_id(place, index))
    }

    /// Adds children for untried legal actions, all of them with a prior and one without, and
    /// returns the child to continue with; `None` if there is no memory for any.
    #[expect(clippy::too_many_arguments, reason = "it is the second half of `select`")]
    fn add_untried<G, P>(
        &mut self,
        game: &G,
        guide: &SearchModel<'_, G, P>,
        state: &G::State,
        place: u32,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> Option<usize>
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let mover = seat.index() as u8;
        let mut untried = *legal;
        for child in self.tree.children(place) {
            if child.mover == mover {
                untried.remove(child.action);
            }
        }
        let Some(prior) = guide.prior else {
            let mut child = Node::new(Uniform.choose(game, state, seat, &untried, rng), mover, 1.0);
            child.available = 1;
            return self.tree.add_child(place, child);
        };
        // `best_child_general` counts all children as available once more.
        for child in self.tree.children_mut(place) {
            child.available -= u32::from(child.mover == mover && legal.contains(child.action));
        }
        let before = prior.logit(game, state, seat);
        for action in untried.iter() {
            let mut after = *state;
            game.apply(&mut after, action);
            let gain = prior.logit(game, &after, seat) - before;
            if self
                .tree
                .add_child(place, Node::new(action, mover, gain.clamp(-MOST_GAIN, MOST_GAIN).exp()))
                .is_none()
            {
                break;
            }
        }
        self.best_child_of_any_search(place, seat, legal).1
    }

    /// Returns the number of legal actions with a child, and the child with the highest bound.
    #[inline]
    fn best_child<S: ActionSet<Action = A>>(
        &mut self,
        place: u32,
        seat: Seat,
        legal: &S,
    ) -> (usize, Option<usize>) {
        if self.is_plain {
            self.best_child_of_plain_uct(place, seat, legal)
        } else {
            self.best_child_of_any_search(place, seat, legal)
        }
    }

    /// Fast path of [`Self::best_child_general`] for plain UCB1.
    #[inline]
    fn best_child_of_plain_uct<S: ActionSet<Action = A>>(
        &mut self,
        place: u32,
        seat: Seat,
        legal: &S,
    ) -> (usize, Option<usize>) {
        let bound = self.settings.selection;
        self.greatest(place, seat, legal, usize::MAX, |child| {
            let mean = child.reward_sum(seat) * (child.inv_sqrt_visits * child.inv_sqrt_visits);
            if child.visits == 0 {
                f32::INFINITY
            } else {
                bound.ucb1(mean, child.inv_sqrt_visits, child.available)
            }
        })
    }

    fn best_child_of_any_search<S: ActionSet<Action = A>>(
        &mut self,
        place: u32,
        seat: Seat,
        legal: &S,
    ) -> (usize, Option<usize>) {
        let Settings {
            selection: bound,
            widening,
            implicit_minimax,
            opponents,
            first_play_reduction,
            ..
        } = self.settings;
        let eye = if opponents == Opponents::Paranoid { self.seat } else { seat };
        let node = self.tree.node(place);
        let limit = widening.map_or(usize::MAX, |widening| widening.limit(node.visits).max(1));
        let worth = if eye == seat { node.value(eye) } else { 1.0 - node.value(eye) };
        let first_play = worth * (1.0 - first_play_reduction);
        let all = if bound.uses_prior() {
            let open = |child: &&Node<A>| {
                child.mover == seat.index() as u8 && legal.contains(child.action)
            };
            self.tree
                .children(place)
                .iter()
                .filter(open)
                .take(limit)
                .map(|child| child.prior)
                .sum::<f32>()
        } else {
            1.0
        };
        self.greatest(place, seat, legal, limit, |child| {
            let per_visit = 1.0 / child.visits.max(1) as f32;
            let mut mean = child.reward_sum(eye) * per_visit;
            mean += implicit_minimax * (child.minimax(eye) - mean);
            if eye != seat {
                mean = 1.0 - mean;
            }
            if child.visits == 0 {
                mean = first_play;
            }
            let mean_square = child.squared_reward_sum() * per_visit;
            bound.score(&Arm {
                visits: child.visits,
                available: child.available,
                mean,
                mean_square,
                prior: child.prior / all,
            })
        })
    }

    /// Returns the number of legal actions with a child, and among the first `limit` of these
    /// children the one with the highest `bound`. Counts all of them as available.
    #[inline]
    fn greatest<S: ActionSet<Action = A>>(
        &mut self,
        place: u32,
        seat: Seat,
        legal: &S,
        limit: usize,
        bound: impl Fn(&Node<A>) -> f32,
    ) -> (usize, Option<usize>) {
        let mover = seat.index() as u8;
        let mut known = 0;
        let (mut best, mut greatest) = (usize::MAX, f32::NEG_INFINITY);
        for (index, child) in self.tree.children_mut(place).iter_mut().enumerate() {
            if child.mover != mover || !legal.contains(child.action) {
                continue;
            }
            known += 1;
            child.available += 1;
            if known > limit {
                continue;
            }
            let value = bound(child);
            let better = value > greatest;
            best = if better { index } else { best };
            greatest = if better { value } else { greatest };
        }
        (known, (best != usize::MAX).then_some(best))
    }

    /// Returns the least visited of the remaining candidates.
    fn least_visited_candidate(&mut self, place: u32, seat: Seat) -> Option<u32> {
        let mover = seat.index() as u8;
        // Candidates without memory for a node are never visited.
        for index in 0..self.candidates.len() {
            self.find_or_add_child(place, self.candidates[index], mover);
        }
        let candidates =
            self.candidates.iter().filter_map(|&action| self.tree.find_child(place, action, mover));
        let child = candidates.min_by_key(|&child| self.tree.node(child).visits)?;
        self.tree.node_mut(child).available += 1;
        Some(child)
    }

    /// Returns the child for this action, after adding it if needed; `None` if there is no memory
    /// for it.
    pub(super) fn find_or_add_child(&mut self, place: u32, action: A, mover: u8) -> Option<u32> {
        if let Some(child) = self.tree.find_child(place, action, mover) {
            return Some(child);
        }
        let index = self.tree.add_child(place, Node::new(action, mover, 1.0))?;
        Some(self.tree.child_id(place, index))
    }

    /// Returns the child for a chance outcome. If the node has its maximum number of children, an
    /// existing child replaces a new outcome, drawn in proportion to the frequency of its outcome
    /// so far.
    pub(super) fn select_chance_child(
        &mut self,
        place: u32,
        outcome: A,
        widening: Widening,
        rng: &mut Rng,
    ) -> Option<u32> {
        if let Some(child) = self.tree.find_child(place, outcome, Node::<A>::CHANCE) {
            self.tree.node_mut(child).available += 1;
            return Some(child);
        }
        let limit = widening.limit(self.tree.node(place).visits).max(1);
        let of_chance = |node: &Node<A>| node.mover == Node::<A>::CHANCE;
        let children = self.tree.children(place).iter().filter(|node| of_chance(node)).count();
        if children < limit
            && let Some(child) = self.find_or_add_child(place, outcome, Node::<A>::CHANCE)
        {
            self.tree.node_mut(child).available = 1;
            return Some(child);
        }
        let drawn: u32 = self
            .tree
            .children(place)
            .iter()
            .filter(|node| of_chance(node))
            .map(|node| node.available)
            .sum();
        if drawn == 0 {
            return None;
        }
        let mut left = random_below(rng, drawn);
        let index = self.tree.children(place).iter().position(|node| {
            let found = of_chance(node) && left < node.available;
            left = left.saturating_sub(if of_chance(node) { node.available } else { 0 });
            found
        })?;
        Some(self.tree.child_id(place, index))
    }
}
