//! Monte Carlo tree search: open loop, one determinization an iteration, one value per seat (max^n), UCT.
//!
//! A node stands for a sequence of decisions; chance is drawn anew in every iteration, so a node's value is a mean over what chance may
//! bring, and the actions legal there may differ between iterations. UCT therefore counts how often an action was available instead of how
//! often its parent was visited (Cowling, Powley and Whitehouse 2012). Each seat maximises its own value (Luckhardt and Irani 1986).
//! With a tree of depth 1 this is flat Monte Carlo with UCB1 at the root (Auer, Cesa-Bianchi and Fischer 2002).

use super::{
    playout::{Policy, Uniform, play_out},
    reward::Reward,
};
use crate::{
    game::{ActionSet, Game, MAX_SEATS, PerSeat, Seat, Turn},
    rng::Rng,
};

/// What a search does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Iterations per decision.
    pub iterations: u32,
    /// The constant c of UCT: greater explores more.
    pub exploration: f32,
    /// How many decisions from the root on the tree may hold.
    pub depth: u32,
    /// What is maximised.
    pub reward: Reward,
}

/// An action and what the search found out about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Node<A> {
    /// The action that leads here; none at the root.
    pub action: Option<A>,
    /// The seat that chose it.
    pub mover: Seat,
    /// How many iterations went through here.
    pub visits: u32,
    /// How many iterations could have.
    pub available: u32,
    /// The mean reward of each seat over the visits.
    pub value: PerSeat<f32>,
    first_child: u32,
    next_sibling: u32,
}

const NONE: u32 = u32::MAX;

impl<A> Node<A> {
    fn new(action: Option<A>, mover: Seat, next_sibling: u32) -> Self {
        Self { action, mover, visits: 0, available: 0, value: [0.0; MAX_SEATS], first_child: NONE, next_sibling }
    }

    #[inline]
    fn update(&mut self, rewards: &PerSeat<f32>) {
        self.visits += 1;
        let visits = self.visits as f32;
        for (value, reward) in self.value.iter_mut().zip(rewards) {
            *value += (reward - *value) / visits;
        }
    }
}

/// A search tree; its memory is reused from decision to decision and never grows beyond one node per iteration.
#[derive(Clone, Debug)]
pub struct Search<A> {
    settings: Settings,
    nodes: Vec<Node<A>>,
    path: Vec<u32>,
}

impl<A: Copy + Eq> Search<A> {
    /// A search that has not run yet.
    pub fn new(settings: Settings) -> Self {
        let capacity = settings.iterations as usize + 1;
        Self {
            settings,
            nodes: Vec::with_capacity(capacity),
            path: Vec::with_capacity(settings.depth.min(settings.iterations) as usize + 1),
        }
    }

    /// Searches from a position in which a seat decides. `determinize` gives a position to start from for each iteration.
    pub fn run<G, P>(&mut self, game: &G, policy: &P, rng: &mut Rng, mut determinize: impl FnMut(&mut Rng) -> G::State)
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        self.nodes.clear();
        self.nodes.push(Node::new(None, Seat::new(0), NONE));
        for _ in 0..self.settings.iterations {
            let mut state = determinize(rng);
            self.iterate(game, policy, &mut state, rng);
        }
    }

    /// One iteration: down the tree, one node more, a playout, and the rewards back up.
    fn iterate<G, P>(&mut self, game: &G, policy: &P, state: &mut G::State, rng: &mut Rng)
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        self.path.clear();
        self.path.push(0);
        let mut node = 0;
        let mut depth = 0;
        loop {
            match game.turn(state) {
                Turn::Over => break,
                Turn::Chance(_) => {
                    let outcome = game.sample_chance(state, rng);
                    game.apply(state, outcome);
                }
                Turn::Seat(seat) => {
                    if depth == self.settings.depth {
                        break;
                    }
                    let legal = game.legal_actions(state);
                    let (best, untried) = self.select(node, seat, legal);
                    depth += 1;
                    if untried.is_empty() {
                        node = best;
                        self.path.push(node);
                        if let Some(action) = self.nodes[node as usize].action {
                            game.apply(state, action);
                        }
                    } else {
                        let action = Uniform.choose(game, state, seat, &untried, rng);
                        node = self.expand(node, action, seat);
                        self.path.push(node);
                        game.apply(state, action);
                        break;
                    }
                }
            }
        }
        play_out(game, state, policy, rng);
        let rewards = self.settings.reward.of(&game.outcome(state), game.seats());
        for &node in &self.path {
            self.nodes[node as usize].update(&rewards);
        }
    }

    /// The child of greatest upper confidence bound among the legal ones, and the legal actions that have no child yet.
    #[inline]
    fn select<S: ActionSet<Action = A>>(&mut self, node: u32, seat: Seat, legal: S) -> (u32, S) {
        let mut untried = legal;
        let (mut best, mut best_bound) = (NONE, f32::NEG_INFINITY);
        let mut index = self.nodes[node as usize].first_child;
        while index != NONE {
            let child = &mut self.nodes[index as usize];
            if let Some(action) = child.action
                && child.mover == seat
                && legal.contains(action)
            {
                untried.remove(action);
                child.available += 1;
                let exploration = ((child.available as f32).ln() / child.visits as f32).sqrt();
                let bound = child.value[seat.index()] + self.settings.exploration * exploration;
                if bound > best_bound {
                    (best, best_bound) = (index, bound);
                }
            }
            index = child.next_sibling;
        }
        (best, untried)
    }

    #[inline]
    fn expand(&mut self, parent: u32, action: A, mover: Seat) -> u32 {
        let index = self.nodes.len() as u32;
        let mut node = Node::new(Some(action), mover, self.nodes[parent as usize].first_child);
        node.available = 1;
        self.nodes.push(node);
        self.nodes[parent as usize].first_child = index;
        index
    }

    /// The value of the root and its visits.
    pub fn root(&self) -> &Node<A> {
        &self.nodes[0]
    }

    /// The actions tried at the root, in the order they were first tried.
    pub fn root_actions(&self) -> impl Iterator<Item = &Node<A>> {
        let mut actions: Vec<&Node<A>> = Vec::new();
        let mut index = self.nodes[0].first_child;
        while index != NONE {
            actions.push(&self.nodes[index as usize]);
            index = self.nodes[index as usize].next_sibling;
        }
        actions.into_iter().rev()
    }

    /// The action visited most often at the root; of several, the one of greatest value.
    pub fn best_action(&self) -> Option<A> {
        let key = |node: &Node<A>| (node.visits, node.value[node.mover.index()]);
        let mut best: Option<&Node<A>> = None;
        let mut index = self.nodes[0].first_child;
        while index != NONE {
            let node = &self.nodes[index as usize];
            if best.is_none_or(|best| key(node) > key(best)) {
                best = Some(node);
            }
            index = node.next_sibling;
        }
        best.and_then(|node| node.action)
    }
}
