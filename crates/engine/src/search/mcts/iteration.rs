//! Iterations: selection, expansion, playout and backup.

use std::hash::Hash;

use super::{Branching, Root, Search, SearchModel};
use crate::{
    game::{ActionSet, Game, MAX_SEATS, PerSeat, Seat, Turn},
    rng::Rng,
    search::{
        Evaluator,
        playout::{Policy, play_out},
        tree::{Node, NodeId, ScaledRewards},
    },
};

impl<A: Copy + Eq + Hash> Search<A> {
    /// Runs an iteration: selection and expansion, playout or evaluation, and backup. `is_fixed` is
    /// true if `state` is the starting position of the first iteration.
    pub(super) fn iterate<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        mut state: G::State,
        is_fixed: bool,
        rng: &mut Rng,
    ) {
        self.path.clear();
        self.depth = 0;
        if self.settings.branching == Branching::Shared {
            self.descend(game, model, &mut state, is_fixed, rng);
        } else {
            self.descend_per_seat(game, model, &mut state, is_fixed, rng);
        }
        let rewards = self.evaluate(game, model, &mut state, rng);
        if let Some(mast) = &mut self.mast {
            mast.update(&rewards);
        }
        self.tree.record_depth(self.depth);
        let rewards = ScaledRewards::new(&rewards);
        for &node in &self.path {
            self.tree.node_mut(node).update(&rewards);
        }
    }

    /// Descends the shared tree to a new node or to its end.
    fn descend<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &mut G::State,
        mut is_fixed: bool,
        rng: &mut Rng,
    ) {
        let mut node = match self.roots.first() {
            Some(root) => root.node,
            None => self.add_root(game, state, Seat::new(0), 0),
        };
        self.path.push(node);
        let mut depth = 0;
        loop {
            match game.turn(state) {
                Turn::Over => return,
                Turn::Chance(_) => {
                    // A sequence of decisions leads to one position until chance decides.
                    is_fixed = false;
                    let outcome = game.sample_chance(state, rng);
                    match self.settings.chance_nodes {
                        None => game.apply(state, outcome),
                        Some(widening) => {
                            let Some(child) =
                                self.select_chance_child(node, outcome, widening, rng)
                            else {
                                return;
                            };
                            node = child;
                            self.path.push(node);
                            game.apply(state, self.tree.node(node).action);
                        }
                    }
                    self.steps += 1;
                }
                Turn::Seat(seat) => {
                    if depth == self.settings.max_depth {
                        return;
                    }
                    let Some(child) =
                        self.select_child(game, model, state, is_fixed, node, seat, rng)
                    else {
                        return;
                    };
                    node = child;
                    self.path.push(node);
                    depth += 1;
                    let Node { action, visits, .. } = *self.tree.node(node);
                    self.apply_action(game, state, action, seat);
                    if visits == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Descends the trees of all seats in parallel until one of them has a new node.
    fn descend_per_seat<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &mut G::State,
        is_fixed: bool,
        rng: &mut Rng,
    ) {
        let mut nodes = [0; MAX_SEATS];
        for (index, node) in nodes.iter_mut().enumerate().take(game.seats()) {
            let seat = Seat::new(index);
            let private_info = if self.settings.branching == Branching::PerSeat {
                game.private_info_key(state, seat)
            } else {
                0
            };
            *node = match self.find_root(seat, private_info) {
                Some(root) => root.node,
                None => self.add_root(game, state, seat, private_info),
            };
            self.path.push(*node);
        }
        // The nodes of a seat do not tell chance, and maybe not the decisions of other seats. So
        // only those before the first of both stand for one position.
        let mut fixed_seat = Some(self.seat).filter(|_| is_fixed);
        let mut depth = 0;
        loop {
            match game.turn(state) {
                Turn::Over => return,
                Turn::Chance(_) => {
                    fixed_seat = None;
                    let outcome = game.sample_chance(state, rng);
                    game.apply(state, outcome);
                    self.steps += 1;
                }
                Turn::Seat(seat) => {
                    if depth == self.settings.max_depth {
                        return;
                    }
                    fixed_seat = fixed_seat.filter(|&fixed| fixed == seat);
                    let is_fixed = fixed_seat.is_some();
                    let parent = nodes[seat.index()];
                    let Some(child) =
                        self.select_child(game, model, state, is_fixed, parent, seat, rng)
                    else {
                        return;
                    };
                    depth += 1;
                    let Node { action, visits, .. } = *self.tree.node(child);
                    let mut is_new = visits == 0;
                    for (other, node) in nodes.iter_mut().enumerate().take(game.seats()) {
                        let next = if other == seat.index() {
                            Some(child)
                        } else if self.settings.branching == Branching::PerSeat {
                            let mover = seat.index() as u8;
                            let child = Node::decision::<G::Actions>(action, mover, 1.0);
                            self.find_or_add_child(*node, child)
                        } else {
                            continue;
                        };
                        match next {
                            Some(next) => {
                                *node = next;
                                self.path.push(next);
                            }
                            None => is_new = true,
                        }
                    }
                    self.apply_action(game, state, action, seat);
                    if is_new {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the root of a seat with this private information. If there is no memory for another
    /// root, the seat's first one stands in.
    fn find_root(&self, seat: Seat, private_info: u32) -> Option<&Root> {
        let mut roots = self.roots.iter().filter(|root| root.seat == seat);
        let first = roots.clone().next().filter(|_| self.tree.is_full());
        roots.find(|root| root.private_info == private_info).or(first)
    }

    fn add_root<G: Game<Action = A>>(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        private_info: u32,
    ) -> NodeId {
        // The search starts where a seat is to move, so there is a legal action. A root's action is
        // never read.
        let node = self.tree.add_root(game.legal_actions(state).nth(0));
        self.roots.push(Root { seat, private_info, node });
        node
    }

    #[inline]
    fn apply_action<G: Game<Action = A>>(
        &mut self,
        game: &G,
        state: &mut G::State,
        action: A,
        seat: Seat,
    ) {
        if let Some(mast) = &mut self.mast {
            mast.record(&action, seat);
        }
        game.apply(state, action);
        self.steps += 1;
        self.depth += 1;
    }

    /// Plays to the end or to the cut-off, and returns the reward of each seat.
    #[inline]
    fn evaluate<G: Game<Action = A>, P: Policy<G>>(
        &mut self,
        game: &G,
        model: &SearchModel<'_, G, P>,
        state: &mut G::State,
        rng: &mut Rng,
    ) -> PerSeat<f32> {
        if self.mast.is_none() && self.settings.cut_off.is_none() {
            self.steps += play_out(game, state, model.playout_policy, rng);
            return self.reward(game, state);
        }
        let cut_off = self.settings.cut_off.map(|rounds| game.round(state) + rounds);
        let mut leaf = self.leaf_of_policy(model, game.turn(state));
        loop {
            let turn = game.turn(state);
            if turn == Turn::Over {
                return self.reward(game, state);
            }
            if let (Some(round), Some(evaluator)) = (cut_off, model.evaluator)
                && game.round(state) >= round
            {
                return self.expected_reward(game, evaluator, state, leaf);
            }
            let action = match (turn, &mut self.mast) {
                (Turn::Seat(seat), Some(mast)) => {
                    let action = mast.choose(&game.legal_actions(state), seat, rng);
                    mast.record(&action, seat);
                    action
                }
                (Turn::Seat(seat), None) => {
                    model.playout_policy.choose(game, state, seat, &game.legal_actions(state), rng)
                }
                _ => game.sample_chance(state, rng),
            };
            game.apply(state, action);
            self.steps += 1;
            // The position is no longer that of the leaf.
            leaf = None;
        }
    }

    /// Returns the reward of each seat at the end of a game.
    #[inline]
    fn reward<G: Game>(&self, game: &G, state: &G::State) -> PerSeat<f32> {
        let is_shared = self.settings.reward.margin_weight > 0.0 && game.is_shared(state);
        self.settings.reward.evaluate_for(&game.outcome(state), game.seats(), is_shared)
    }

    /// Returns the last node and the seat to move in its position, if the node will have the
    /// decisions of that seat as children, and the evaluator has the policy for them.
    #[inline]
    fn leaf_of_policy<G: Game<Action = A>, P>(
        &self,
        model: &SearchModel<'_, G, P>,
        turn: Turn,
    ) -> Option<(NodeId, Seat)> {
        let (Turn::Seat(seat), Some(&leaf)) = (turn, self.path.last()) else { return None };
        let is_own = match self.settings.branching {
            Branching::Shared => true,
            Branching::OwnMoves => usize::from(self.tree.node(leaf).mover) == seat.index(),
            Branching::PerSeat => false,
        };
        let keeps = model.shares_policy && self.settings.policy_refresh > 1.0;
        (keeps && is_own).then_some((leaf, seat))
    }

    /// Returns the reward of each seat that an evaluator expects, and keeps the policy of a seat
    /// for a leaf without children. Without expected scores, the margin does not count.
    #[inline]
    fn expected_reward<G: Game<Action = A>>(
        &mut self,
        game: &G,
        evaluator: &dyn Evaluator<G>,
        state: &G::State,
        leaf: Option<(NodeId, Seat)>,
    ) -> PerSeat<f32> {
        let mut rewards = match leaf {
            Some((leaf, seat)) if self.tree.children(leaf).is_empty() => {
                let (rewards, policy) = evaluator.win_probabilities_and_policy(game, state, seat);
                if let Some(policy) = policy {
                    self.tree.keep_policy(leaf, seat.index() as u8, policy);
                }
                rewards
            }
            _ => evaluator.win_probabilities(game, state),
        };
        if self.settings.reward.margin_weight > 0.0
            && let Some(scores) = evaluator.expected_scores(game, state)
        {
            let scores = &scores[..game.seats()];
            self.settings.reward.add_margins(&mut rewards, scores, game.is_shared(state));
        }
        rewards
    }
}
