//! Monte Carlo tree search for any number of seats, with chance and hidden information.
//!
//! By default one tree, open loop: a node stands for a sequence of decisions; chance and what is hidden are drawn anew in every iteration, so
//! a node's value is a mean over what they may bring, and the actions legal there may differ between iterations. Bounds therefore count how often
//! an action was available instead of how often its parent was visited: single-observer information-set search (Cowling, Powley and
//! Whitehouse 2012). Each seat maximises its own value: max^n (Luckhardt and Irani 1986). With a tree of depth 1 this is flat Monte Carlo.

use std::{
    hash::Hash,
    time::{Duration, Instant},
};

use super::{
    Evaluator,
    mast::Mast,
    playout::{Policy, Uniform},
    reward::Reward,
    select::{Arm, Bound},
    tree::{MAX_VISITS, Node, Rewards, Tree},
};
use crate::{
    game::{ActionSet, Game, MAX_SEATS, PerSeat, Seat, Turn},
    rng::Rng,
};

/// When a search ends: at the first of these that is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Iterations, at most [`MAX_VISITS`].
    pub iterations: u32,
    /// Events carried out on positions, chance and decisions together, in the tree and in playouts.
    pub steps: u64,
    /// Wall-clock time; a search under it can't be repeated exactly.
    pub time: Option<Duration>,
}

impl Budget {
    /// So many iterations and no other limit.
    pub const fn iterations(iterations: u32) -> Self {
        Self { iterations, steps: u64::MAX, time: None }
    }
}

/// Which decisions a tree branches on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branching {
    /// One tree with the decisions of all seats.
    Shared,
    /// A tree for each seat and each secret it may have, all with the decisions of all seats: multiple-observer information-set search
    /// (Cowling, Powley and Whitehouse 2012).
    PerSeat,
    /// A tree for each seat with its own decisions only: opponent-move abstraction (Baier and Kaisers 2020).
    OwnMoves,
}

/// Whose value the others' decisions serve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponents {
    /// Each seat maximises its own value.
    MaxN,
    /// All others minimise the value of the seat that searches (Sturtevant and Korf 2000).
    Paranoid,
}

/// Which of the actions tried is chosen in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalChoice {
    /// The one visited most often; of several, that of greatest value.
    Visits,
    /// The one of greatest value.
    Value,
    /// The root visits all candidates equally and drops the worse half of them again and again (Karnin, Koren and Somekh 2013).
    Halving,
}

/// How many children a node may have after so many visits: `factor` · visits ^ `exponent`, at least one (Coulom 2007; Chaslot et al. 2008).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Widening {
    /// Children after the first visit, at least 1.
    pub factor: f32,
    /// From 0, no more ever, to 1.
    pub exponent: f32,
}

impl Widening {
    fn limit(self, visits: u32) -> usize {
        (self.factor * (visits.max(1) as f32).powf(self.exponent)) as usize
    }
}

/// What a search does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// When it ends.
    pub budget: Budget,
    /// How many nodes there may be at most; when they are used up, iterations go on in the tree there is.
    pub nodes: u32,
    /// How many decisions from the root on the tree may hold.
    pub depth: u32,
    /// What is maximised.
    pub reward: Reward,
    /// How a child is selected.
    pub bound: Bound,
    /// With a prior, by what share less than its parent a child without visits is thought to be worth.
    pub first_play_reduction: f32,
    /// With a prior, how many of the best children by it may be selected; none for all.
    pub widening: Option<Widening>,
    /// Chance outcomes are nodes of their own, as many as this allows; none for an open loop. Only for games in which what is hidden does not
    /// change what chance may bring.
    pub chance_nodes: Option<Widening>,
    /// Which decisions the trees branch on.
    pub branching: Branching,
    /// Whose value the others' decisions serve.
    pub opponents: Opponents,
    /// After how many rounds a playout stops and is evaluated; none for never.
    pub cut_off: Option<u32>,
    /// The share of the evaluator's minimax value in a child's mean, from 0 to 1: implicit minimax backups (Lanctot et al. 2014). Only with
    /// [`Branching::Shared`].
    pub implicit_minimax: f32,
    /// Playouts choose by MAST, with this chance of any action; none for the playout policy.
    pub mast: Option<f32>,
    /// Which action is chosen in the end.
    pub final_choice: FinalChoice,
}

impl Settings {
    /// Plain UCT: UCB1, whole playouts, and the win alone as reward (Kocsis and Szepesvári 2006).
    pub const fn uct(iterations: u32, exploration: f32) -> Self {
        Self {
            budget: Budget::iterations(iterations),
            nodes: MAX_VISITS,
            depth: u32::MAX,
            reward: Reward::WIN,
            bound: Bound { selection: super::select::Selection::Ucb1, exploration, bias: 0.0 },
            first_play_reduction: 0.0,
            widening: None,
            chance_nodes: None,
            branching: Branching::Shared,
            opponents: Opponents::MaxN,
            cut_off: None,
            implicit_minimax: 0.0,
            mast: None,
            final_choice: FinalChoice::Visits,
        }
    }
}

/// What a search knows of a game beyond its rules.
#[derive(Clone, Copy)]
pub struct Guide<'a, G: Game, P> {
    /// How playouts choose.
    pub playout: &'a P,
    /// What actions are expected to be good, by the worth of the position after them.
    pub prior: Option<&'a dyn Evaluator<G>>,
    /// What positions are worth: for cut-offs and implicit minimax, which need it.
    pub value: Option<&'a dyn Evaluator<G>>,
    /// What may be chosen at the root, if that is not all that is legal there.
    pub offered: Option<&'a G::Actions>,
}

impl<'a, G: Game, P: Policy<G>> Guide<'a, G, P> {
    /// Nothing but a way to play.
    pub const fn playouts(playout: &'a P) -> Self {
        Self { playout, prior: None, value: None, offered: None }
    }
}

/// The root of one of the trees.
#[derive(Clone, Copy, Debug)]
struct Root {
    seat: Seat,
    secret: u32,
    place: u32,
}

/// A search and its memory, which is used from decision to decision.
#[derive(Clone, Debug)]
pub struct Search<A> {
    settings: Settings,
    tree: Tree<A>,
    spare: Option<Tree<A>>,
    roots: Vec<Root>,
    path: Vec<u32>,
    mast: Option<Mast>,
    /// Who decides at the root.
    seat: Seat,
    /// What sequential halving has not dropped yet.
    candidates: Vec<A>,
    halvings: u32,
    iterations: u32,
    steps: u64,
    /// Decisions in the tree in this iteration.
    depth: u32,
}

/// Nodes that memory is taken for at once.
const EXPECTED_NODES: u32 = 1 << 16;
/// How many iterations pass between two looks at the clock.
const CLOCK_INTERVAL: u32 = 8;

impl<A: Copy + Eq + Hash> Search<A> {
    /// A search that has not run yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            tree: Tree::new(settings.nodes, settings.budget.iterations.saturating_mul(2).min(EXPECTED_NODES)),
            spare: None,
            roots: Vec::with_capacity(MAX_SEATS),
            path: Vec::with_capacity(256),
            mast: settings.mast.map(Mast::new),
            seat: Seat::new(0),
            candidates: Vec::new(),
            halvings: 0,
            iterations: 0,
            steps: 0,
            depth: 0,
        }
    }

    /// Searches from a position in which a seat decides. `determinize` gives a position to start from for each iteration.
    pub fn run<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, rng: &mut Rng, mut determinize: impl FnMut(&mut Rng) -> G::State)
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        self.tree.clear();
        self.roots.clear();
        self.search(game, guide, rng, &mut determinize);
    }

    /// Searches on with what an earlier search found out about this position: `since` lists the decisions from that search's root to here,
    /// with their seats. Visits keep this share of their weight. Chance between then and now is not told apart.
    pub fn run_on<G, P>(
        &mut self,
        game: &G,
        guide: &Guide<'_, G, P>,
        rng: &mut Rng,
        mut determinize: impl FnMut(&mut Rng) -> G::State,
        since: &[(Seat, A)],
        share: f32,
    ) where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let kept = self.roots.first().and_then(|root| {
            let step = |place, &(seat, action): &(Seat, A)| self.tree.find(place, action, seat.index() as u8);
            since.iter().try_fold(root.place, step)
        });
        let Some(kept) = kept else { return self.run(game, guide, rng, determinize) };
        // Half of what a node can count is left for the visits to come.
        let share = share.min((MAX_VISITS / 2) as f32 / self.tree.node(kept).visits.max(1) as f32);
        let mut tree = self.spare.take().unwrap_or_else(|| Tree::new(self.settings.nodes, EXPECTED_NODES));
        let place = tree.copy_from(&self.tree, kept, share);
        self.spare = Some(std::mem::replace(&mut self.tree, tree));
        self.roots.clear();
        self.roots.push(Root { seat: Seat::new(0), secret: 0, place });
        self.search(game, guide, rng, &mut determinize);
    }

    fn search<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, rng: &mut Rng, determinize: &mut impl FnMut(&mut Rng) -> G::State)
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        if let Some(mast) = &mut self.mast {
            mast.clear();
        }
        self.candidates.clear();
        (self.halvings, self.iterations, self.steps) = (0, 0, 0);
        let Budget { iterations, steps, time } = self.settings.budget;
        let iterations = iterations.min(MAX_VISITS - self.root().map_or(0, |root| root.visits));
        let started = time.map(|_| Instant::now());
        while self.iterations < iterations && self.steps < steps {
            let state = determinize(rng);
            if self.iterations == 0 {
                let Turn::Seat(seat) = game.turn(&state) else { return };
                self.seat = seat;
                let offered = guide.offered.copied().unwrap_or_else(|| game.legal_actions(&state));
                self.forget_what_is_not_offered(&offered);
                if self.settings.final_choice == FinalChoice::Halving {
                    self.candidates.extend(offered.iter());
                }
            }
            self.iterate(game, guide, state, rng);
            self.iterations += 1;
            let mut spent = (f64::from(self.iterations) / f64::from(iterations)).max(self.steps as f64 / steps as f64);
            if let (Some(time), Some(started)) = (time, started)
                && self.iterations.is_multiple_of(CLOCK_INTERVAL)
            {
                spent = spent.max(started.elapsed().as_secs_f64() / time.as_secs_f64());
                if spent >= 1.0 {
                    break;
                }
            }
            if self.settings.final_choice == FinalChoice::Halving {
                self.halve(spent);
            }
        }
    }

    /// At a root that is kept from an earlier search, chance may have brought other actions then, or let another seat decide.
    fn forget_what_is_not_offered(&mut self, offered: &impl ActionSet<Action = A>) {
        let mover = self.seat.index() as u8;
        if let Some(root) = self.root_place() {
            self.tree.retain_children(root, |child| child.mover == mover && offered.contains(child.action));
        }
    }

    /// One iteration: down the tree, one node more, a playout, and the rewards back up.
    fn iterate<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, mut state: G::State, rng: &mut Rng)
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        self.path.clear();
        self.depth = 0;
        let leaf = if self.settings.branching == Branching::Shared {
            self.descend(game, guide, &mut state, rng)
        } else {
            self.descend_all(game, guide, &mut state, rng)
        };
        if self.settings.implicit_minimax > 0.0
            && let Some(value) = guide.value
        {
            let values = match game.turn(&state) {
                Turn::Over => self.settings.reward.of(&game.outcome(&state), game.seats()),
                _ => value.win_shares(game, &state),
            };
            self.back_up_minimax(leaf, &values);
        }
        let rewards = self.play_out(game, guide, &mut state, rng);
        if let Some(mast) = &mut self.mast {
            mast.learn(&rewards);
        }
        self.tree.note_depth(self.depth);
        let rewards = Rewards::new(&rewards);
        for &place in &self.path {
            self.tree.node_mut(place).update(&rewards);
        }
    }

    /// Goes down the one tree to a new node, or to where it ends, and gives the last node.
    fn descend<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, state: &mut G::State, rng: &mut Rng) -> u32
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let mut place = match self.roots.first() {
            Some(root) => root.place,
            None => self.add_root(game, state, Seat::new(0), 0),
        };
        self.path.push(place);
        let mut depth = 0;
        loop {
            match game.turn(state) {
                Turn::Over => return place,
                Turn::Chance(_) => {
                    let outcome = game.sample_chance(state, rng);
                    match self.settings.chance_nodes {
                        None => game.apply(state, outcome),
                        Some(widening) => {
                            let Some(child) = self.chance_child(place, outcome, widening, rng) else { return place };
                            place = child;
                            self.path.push(place);
                            game.apply(state, self.tree.node(place).action);
                        }
                    }
                    self.steps += 1;
                }
                Turn::Seat(seat) => {
                    if depth == self.settings.depth {
                        return place;
                    }
                    let Some(child) = self.select(game, guide, state, place, seat, rng) else { return place };
                    place = child;
                    self.path.push(place);
                    depth += 1;
                    let Node { action, visits, .. } = *self.tree.node(place);
                    self.carry_out(game, state, action, seat);
                    if visits == 0 {
                        return place;
                    }
                }
            }
        }
    }

    /// Goes down the trees of all seats at once until one has a new node, and gives the last node of the one that decided last.
    fn descend_all<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, state: &mut G::State, rng: &mut Rng) -> u32
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let mut places = [0; MAX_SEATS];
        for (index, place) in places.iter_mut().enumerate().take(game.seats()) {
            let seat = Seat::new(index);
            let secret = if self.settings.branching == Branching::PerSeat { game.secret(state, seat) } else { 0 };
            *place = match self.root_of(seat, secret) {
                Some(root) => root.place,
                None => self.add_root(game, state, seat, secret),
            };
            self.path.push(*place);
        }
        let mut last = places[self.seat.index()];
        let mut depth = 0;
        loop {
            match game.turn(state) {
                Turn::Over => return last,
                Turn::Chance(_) => {
                    let outcome = game.sample_chance(state, rng);
                    game.apply(state, outcome);
                    self.steps += 1;
                }
                Turn::Seat(seat) => {
                    if depth == self.settings.depth {
                        return last;
                    }
                    let Some(child) = self.select(game, guide, state, places[seat.index()], seat, rng) else { return last };
                    depth += 1;
                    let Node { action, visits, .. } = *self.tree.node(child);
                    let mut ended = visits == 0;
                    for (other, place) in places.iter_mut().enumerate().take(game.seats()) {
                        let next = if other == seat.index() {
                            Some(child)
                        } else if self.settings.branching == Branching::PerSeat {
                            self.child_by(*place, action, seat.index() as u8)
                        } else {
                            continue;
                        };
                        match next {
                            Some(next) => {
                                *place = next;
                                self.path.push(next);
                            }
                            None => ended = true,
                        }
                    }
                    last = child;
                    self.carry_out(game, state, action, seat);
                    if ended {
                        return last;
                    }
                }
            }
        }
    }

    /// The root of a seat with this secret; when there is no memory for another, the first that the seat has.
    fn root_of(&self, seat: Seat, secret: u32) -> Option<&Root> {
        let full = self.tree.is_full();
        let mut roots = self.roots.iter().filter(|root| root.seat == seat);
        let first = roots.clone().next().filter(|_| full);
        roots.find(|root| root.secret == secret).or(first)
    }

    fn add_root<G: Game<Action = A>>(&mut self, game: &G, state: &G::State, seat: Seat, secret: u32) -> u32 {
        // A search begins where a seat decides, so there is a legal action; at a root it means nothing.
        let place = self.tree.add_root(game.legal_actions(state).nth(0));
        self.roots.push(Root { seat, secret, place });
        place
    }

    #[inline]
    fn carry_out<G: Game<Action = A>>(&mut self, game: &G, state: &mut G::State, action: A, seat: Seat) {
        if let Some(mast) = &mut self.mast {
            mast.note(&action, seat);
        }
        game.apply(state, action);
        self.steps += 1;
        self.depth += 1;
    }

    /// The child by this action, if need be a new one; none if there is no memory for it.
    fn child_by(&mut self, place: u32, action: A, mover: u8) -> Option<u32> {
        if let Some(child) = self.tree.find(place, action, mover) {
            return Some(child);
        }
        let index = self.tree.add_child(place, Node::new(action, mover, 1.0))?;
        Some(self.tree.child(place, index))
    }

    /// The child for a chance outcome. When a node has as many as it may have, one of them takes the place of an outcome that has none, each with the
    /// frequency with which chance brought it.
    fn chance_child(&mut self, place: u32, outcome: A, widening: Widening, rng: &mut Rng) -> Option<u32> {
        if let Some(child) = self.tree.find(place, outcome, Node::<A>::CHANCE) {
            self.tree.node_mut(child).available += 1;
            return Some(child);
        }
        let limit = widening.limit(self.tree.node(place).visits).max(1);
        let of_chance = |node: &Node<A>| node.mover == Node::<A>::CHANCE;
        let children = self.tree.children(place).iter().filter(|node| of_chance(node)).count();
        if children < limit
            && let Some(child) = self.child_by(place, outcome, Node::<A>::CHANCE)
        {
            self.tree.node_mut(child).available = 1;
            return Some(child);
        }
        let drawn: u32 = self.tree.children(place).iter().filter(|node| of_chance(node)).map(|node| node.available).sum();
        if drawn == 0 {
            return None;
        }
        let mut left = crate::rng::below(rng, drawn);
        let index = self.tree.children(place).iter().position(|node| {
            let found = of_chance(node) && left < node.available;
            left = left.saturating_sub(if of_chance(node) { node.available } else { 0 });
            found
        })?;
        Some(self.tree.child(place, index))
    }

    /// The child of greatest bound among the legal ones, if need be a new one; none if there is no memory for any.
    #[inline]
    fn select<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, state: &G::State, place: u32, seat: Seat, rng: &mut Rng) -> Option<u32>
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let legal = match guide.offered {
            Some(offered) if self.depth == 0 => *offered,
            _ => game.legal_actions(state),
        };
        if !self.candidates.is_empty() && self.roots.iter().any(|root| root.place == place) && seat == self.seat {
            return self.least_visited_candidate(place, seat);
        }
        let (known, best) = self.best_child(place, seat, &legal);
        if known == legal.len() {
            return best.map(|index| self.tree.child(place, index));
        }
        let mover = seat.index() as u8;
        let mut untried = legal;
        for child in self.tree.children(place) {
            if child.mover == mover {
                untried.remove(child.action);
            }
        }
        let new = if let Some(prior) = guide.prior {
            // All children are counted as available once more below.
            for child in self.tree.children_mut(place) {
                child.available -= u32::from(child.mover == mover && legal.contains(child.action));
            }
            let before = prior.worth(game, state, seat);
            for action in untried.iter() {
                let mut after = *state;
                game.apply(&mut after, action);
                let gain = prior.worth(game, &after, seat) - before;
                if self.tree.add_child(place, Node::new(action, mover, gain.clamp(-MOST_GAIN, MOST_GAIN).exp())).is_none() {
                    break;
                }
            }
            self.best_child(place, seat, &legal).1
        } else {
            let action = Uniform.choose(game, state, seat, &untried, rng);
            self.tree.add_child(place, Node::new(action, mover, 1.0))
        };
        let index = new.or(best)?;
        let child = self.tree.child(place, index);
        let node = self.tree.node_mut(child);
        node.available = node.available.max(1);
        Some(child)
    }

    /// How many of the legal actions have a child, and which child has the greatest bound.
    #[inline]
    fn best_child<S: ActionSet<Action = A>>(&mut self, place: u32, seat: Seat, legal: &S) -> (usize, Option<usize>) {
        let Settings { bound, widening, implicit_minimax, opponents, first_play_reduction, .. } = self.settings;
        let eye = if opponents == Opponents::Paranoid { self.seat } else { seat };
        // Plain UCT on its own, because it is told from the rest once and not for every child.
        if bound.is_plain() && widening.is_none() && implicit_minimax == 0.0 && eye == seat {
            return self.greatest(place, seat, legal, usize::MAX, |child| bound.plain(child.sum(seat), child.visits, child.available));
        }
        let node = self.tree.node(place);
        let limit = widening.map_or(usize::MAX, |widening| widening.limit(node.visits).max(1));
        let worth = if eye == seat { node.value(eye) } else { 1.0 - node.value(eye) };
        let first_play = worth * (1.0 - first_play_reduction);
        let all = if bound.uses_prior() {
            let open = |child: &&Node<A>| child.mover == seat.index() as u8 && legal.contains(child.action);
            self.tree.children(place).iter().filter(open).take(limit).map(|child| child.prior).sum::<f32>()
        } else {
            1.0
        };
        self.greatest(place, seat, legal, limit, |child| {
            let per_visit = 1.0 / child.visits.max(1) as f32;
            let mut mean = child.sum(eye) * per_visit;
            mean += implicit_minimax * (child.minimax(eye) - mean);
            if eye != seat {
                mean = 1.0 - mean;
            }
            if child.visits == 0 {
                mean = first_play;
            }
            let mean_square = child.sum_of_squares() * per_visit;
            bound.of(&Arm { visits: child.visits, available: child.available, mean, mean_square, share: child.prior / all })
        })
    }

    /// How many of the legal actions have a child, and of the first `limit` of these children the one for which `bound` is greatest.
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

    /// Plays on to the end or to the cut-off, and gives what that is worth to each seat.
    #[inline]
    fn play_out<G, P>(&mut self, game: &G, guide: &Guide<'_, G, P>, state: &mut G::State, rng: &mut Rng) -> PerSeat<f32>
    where
        G: Game<Action = A>,
        P: Policy<G>,
    {
        let cut_off = self.settings.cut_off.map(|rounds| game.round(state) + rounds);
        loop {
            let turn = game.turn(state);
            if turn == Turn::Over {
                return self.settings.reward.of(&game.outcome(state), game.seats());
            }
            if let (Some(round), Some(value)) = (cut_off, guide.value)
                && game.round(state) >= round
            {
                return value.win_shares(game, state);
            }
            let action = match (turn, &mut self.mast) {
                (Turn::Seat(seat), Some(mast)) => {
                    let action = mast.choose(&game.legal_actions(state), seat, rng);
                    mast.note(&action, seat);
                    action
                }
                (Turn::Seat(seat), None) => guide.playout.choose(game, state, seat, &game.legal_actions(state), rng),
                _ => game.sample_chance(state, rng),
            };
            game.apply(state, action);
            self.steps += 1;
        }
    }

    /// Sets the last node's expectation and takes the best child's on the way back up.
    fn back_up_minimax(&mut self, leaf: u32, values: &PerSeat<f32>) {
        self.tree.node_mut(leaf).set_minimax(values);
        for step in (1..self.path.len()).rev() {
            let (parent, child) = (self.path[step - 1], self.path[step]);
            let mover = self.tree.node(child).mover;
            if mover == Node::<A>::CHANCE {
                continue;
            }
            let seat = Seat::new(usize::from(mover));
            let tried = self
                .tree
                .children(parent)
                .iter()
                .filter(|node| node.mover == mover && (node.visits > 0 || node.action == self.tree.node(child).action));
            let worth = |node: &&Node<A>| {
                if self.settings.opponents == Opponents::Paranoid && seat != self.seat {
                    1.0 - node.minimax(self.seat)
                } else {
                    node.minimax(seat)
                }
            };
            let best = tried.max_by(|one, other| worth(one).total_cmp(&worth(other))).copied();
            if let Some(best) = best {
                self.tree.node_mut(parent).copy_minimax(&best);
            }
        }
    }

    /// Of the candidates that are left, the one visited least.
    fn least_visited_candidate(&mut self, place: u32, seat: Seat) -> Option<u32> {
        let mover = seat.index() as u8;
        // Those for which there is no memory are never visited.
        for index in 0..self.candidates.len() {
            self.child_by(place, self.candidates[index], mover);
        }
        let candidates = self.candidates.iter().filter_map(|&action| self.tree.find(place, action, mover));
        let child = candidates.min_by_key(|&child| self.tree.node(child).visits)?;
        self.tree.node_mut(child).available += 1;
        Some(child)
    }

    /// Drops the worse half of the candidates as often as the share of the budget that is spent asks for.
    fn halve(&mut self, spent: f64) {
        let halvings = self.root_actions().len().next_power_of_two().ilog2();
        while self.candidates.len() > 1 && f64::from(self.halvings + 1) <= spent * f64::from(halvings) {
            self.halvings += 1;
            let values: Vec<_> = self.root_actions().iter().map(|node| (node.action, node.value(self.seat))).collect();
            let value = |action: A| values.iter().find(|(other, _)| *other == action).map_or(0.0, |(_, value)| *value);
            self.candidates.sort_by(|&one, &other| value(other).total_cmp(&value(one)));
            self.candidates.truncate(self.candidates.len().div_ceil(2));
        }
    }

    /// The place of the root of the seat that searches.
    fn root_place(&self) -> Option<u32> {
        let root = match self.settings.branching {
            Branching::Shared => self.roots.first(),
            _ => self.roots.iter().find(|root| root.seat == self.seat),
        };
        root.map(|root| root.place)
    }

    /// The actions tried at the root.
    pub fn root_actions(&self) -> &[Node<A>] {
        self.root_place().map_or(&[], |place| self.tree.children(place))
    }

    /// The root: the value of the position for each seat.
    pub fn root(&self) -> Option<&Node<A>> {
        self.root_place().map(|place| self.tree.node(place))
    }

    /// Iterations of the last search.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The nodes of all trees.
    pub fn tree(&self) -> &Tree<A> {
        &self.tree
    }

    /// What sequential halving has left; empty without it.
    pub fn candidates(&self) -> &[A] {
        &self.candidates
    }

    /// The seat that searched.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The decisions that are visited most often, from the root on, with their seats.
    pub fn line(&self) -> Vec<(Seat, A)> {
        let mut line = Vec::new();
        let mut next = self.root_place();
        while let Some(place) = next {
            let children = self.tree.children(place).iter().enumerate();
            let most = children.filter(|(_, node)| node.visits > 0).max_by_key(|(index, node)| (node.visits, usize::MAX - index));
            next = most.map(|(index, node)| {
                if node.mover != Node::<A>::CHANCE {
                    line.push((Seat::new(usize::from(node.mover)), node.action));
                }
                self.tree.child(place, index)
            });
        }
        line
    }
}

/// Greater gains are taken as this: e to their power is a number still.
const MOST_GAIN: f32 = 40.0;
