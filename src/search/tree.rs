//! The nodes of a search tree in one allocation that is used again and again; the children of a
//! node lie side by side.

use crate::game::{MAX_SEATS, PerSeat, Seat};

/// The reward 1 in the units in which nodes add up rewards.
pub const REWARD_SCALE: f32 = 1024.0;

/// The most visits of a node: beyond, sums of rewards could overflow.
pub const MAX_VISITS: u32 = (1 << 22) - 1;

/// An action and what the search found out about it. One cache line.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub struct Node<A> {
    /// The action or chance outcome that leads here; at a root it has no meaning.
    pub action: A,
    /// The seat that chose it; [`Node::CHANCE`] for chance.
    pub mover: u8,
    /// How many iterations went through here.
    pub visits: u32,
    /// How many iterations could have.
    pub available: u32,
    /// 1 / √visits, on which bounds depend; infinite without visits.
    pub inv_sqrt_visits: f32,
    /// What the prior thinks of the action: e to the power of its gain.
    pub prior: f32,
    /// The sum of each seat's rewards, in units of 1 / [`REWARD_SCALE`].
    sums: PerSeat<u32>,
    /// The sum of the mover's squared rewards, in the same units.
    squares: u32,
    /// What each seat can expect by the evaluator if all choose the best children, from 0 to
    /// `u16::MAX`.
    minimax: PerSeat<u16>,
    first_child: u32,
    children: u16,
    /// The children's block has room for two to the power of this many; meaningless without
    /// children.
    room: u8,
}

/// The rewards of an iteration in the units of the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScaledRewards {
    rewards: PerSeat<u32>,
    /// The square of the reward of each mover; chance has none.
    squares: [u32; MAX_SEATS + 1],
}

impl ScaledRewards {
    /// Rewards from 0 to 1, rounded.
    #[inline]
    pub fn new(rewards: &PerSeat<f32>) -> Self {
        let rewards = rewards.map(|reward| (reward * REWARD_SCALE + 0.5) as u32);
        let mut squares = [0; MAX_SEATS + 1];
        for (square, reward) in squares.iter_mut().zip(rewards) {
            *square = reward * reward / REWARD_SCALE as u32;
        }
        Self { rewards, squares }
    }
}

impl<A: Copy> Node<A> {
    /// The mover of what chance brings.
    pub const CHANCE: u8 = MAX_SEATS as u8;

    /// A node without visits.
    pub fn new(action: A, mover: u8, prior: f32) -> Self {
        Self {
            action,
            mover,
            visits: 0,
            available: 0,
            inv_sqrt_visits: f32::INFINITY,
            prior,
            sums: [0; MAX_SEATS],
            squares: 0,
            minimax: [0; MAX_SEATS],
            first_child: 0,
            children: 0,
            room: 0,
        }
    }

    /// The mean reward of a seat over the visits, from 0 to 1; 0 without visits.
    pub fn value(&self, seat: Seat) -> f32 {
        self.reward_sum(seat) / (self.visits.max(1) as f32)
    }

    /// The sum of each seat's rewards, in units of 1 / [`REWARD_SCALE`].
    pub fn reward_sums(&self) -> &PerSeat<u32> {
        &self.sums
    }

    /// The sum of a seat's rewards.
    #[inline]
    pub fn reward_sum(&self, seat: Seat) -> f32 {
        self.sums[seat.index()] as f32 * (1.0 / REWARD_SCALE)
    }

    /// The sum of the mover's squared rewards.
    #[inline]
    pub fn squared_reward_sum(&self) -> f32 {
        self.squares as f32 * (1.0 / REWARD_SCALE)
    }

    /// What a seat can expect by the evaluator, from 0 to 1.
    #[inline]
    pub fn minimax(&self, seat: Seat) -> f32 {
        f32::from(self.minimax[seat.index()]) / f32::from(u16::MAX)
    }

    /// Counts an iteration that went through here.
    #[inline]
    pub fn update(&mut self, rewards: &ScaledRewards) {
        self.set_visits(self.visits + 1);
        for (sum, reward) in self.sums.iter_mut().zip(rewards.rewards) {
            *sum += reward;
        }
        self.squares += rewards.squares[usize::from(self.mover)];
    }

    #[inline]
    fn set_visits(&mut self, visits: u32) {
        self.visits = visits;
        self.inv_sqrt_visits = 1.0 / (visits as f32).sqrt();
    }

    /// Sets what each seat can expect, from 0 to 1.
    pub fn set_minimax(&mut self, values: &PerSeat<f32>) {
        self.minimax = values.map(|value| (value * f32::from(u16::MAX)) as u16);
    }

    /// Takes over what each seat can expect from another node.
    pub fn copy_minimax(&mut self, other: &Self) {
        self.minimax = other.minimax;
    }

    /// The places of the children in the tree.
    #[inline]
    pub fn child_range(&self) -> std::ops::Range<usize> {
        self.first_child as usize..self.first_child as usize + usize::from(self.children)
    }

    /// Keeps this share of the visits, rounded down, and the mean rewards as they are.
    fn decay(&mut self, share: f32) {
        let shrink = |count: u32, share: f64| (f64::from(count) * share) as u32;
        let visits = shrink(self.visits, share.into());
        let kept = f64::from(visits) / f64::from(self.visits.max(1));
        self.set_visits(visits);
        self.available = shrink(self.available, share.into()).max(visits);
        self.sums = self.sums.map(|sum| shrink(sum, kept));
        self.squares = shrink(self.squares, kept);
    }
}

/// A place that is none.
const NOWHERE: u32 = u32::MAX;
/// Blocks of up to two to the power of this many children.
const MOST_ROOM: usize = 15;

/// Nodes by their places. The memory is bounded: when all places are taken, nothing can be added.
#[derive(Clone, Debug)]
pub struct Tree<A> {
    nodes: Vec<Node<A>>,
    capacity: usize,
    /// For each size of block the first that is free; each has the next one as the first child of
    /// its first node.
    free: [u32; MOST_ROOM + 1],
    deepest: u32,
}

impl<A: Copy + Eq> Tree<A> {
    /// A tree of at most `capacity` nodes, with memory for `expected` of them.
    pub fn new(capacity: u32, expected: u32) -> Self {
        let nodes = Vec::with_capacity(expected.min(capacity) as usize);
        Self { nodes, capacity: capacity as usize, free: [NOWHERE; MOST_ROOM + 1], deepest: 0 }
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.free = [NOWHERE; MOST_ROOM + 1];
        self.deepest = 0;
    }

    /// How many nodes there is memory in use for.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether all places are taken.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.capacity
    }

    /// Adds a node that is nobody's child.
    pub fn add_root(&mut self, action: A) -> u32 {
        self.nodes.push(Node::new(action, Node::<A>::CHANCE, 1.0));
        self.nodes.len() as u32 - 1
    }

    /// The node at a place.
    #[inline]
    pub fn node(&self, place: u32) -> &Node<A> {
        &self.nodes[place as usize]
    }

    /// The node at a place, to change.
    #[inline]
    pub fn node_mut(&mut self, place: u32) -> &mut Node<A> {
        &mut self.nodes[place as usize]
    }

    /// The children of a node.
    #[inline]
    pub fn children(&self, place: u32) -> &[Node<A>] {
        &self.nodes[self.node(place).child_range()]
    }

    /// The children of a node, to change.
    #[inline]
    pub fn children_mut(&mut self, place: u32) -> &mut [Node<A>] {
        let children = self.node(place).child_range();
        &mut self.nodes[children]
    }

    /// The place of a node's child with this index.
    #[inline]
    pub fn child_id(&self, place: u32, index: usize) -> u32 {
        self.node(place).first_child + index as u32
    }

    /// The place of the child by this action of this mover.
    pub fn find_child(&self, place: u32, action: A, mover: u8) -> Option<u32> {
        let index = self
            .children(place)
            .iter()
            .position(|child| child.action == action && child.mover == mover)?;
        Some(self.child_id(place, index))
    }

    /// Adds a child behind those of at least its prior and gives its index; none if all places are
    /// taken.
    pub fn add_child(&mut self, parent: u32, child: Node<A>) -> Option<usize> {
        let Node { children, room, .. } = *self.node(parent);
        if children == 0 || children == 1 << room {
            self.move_children(parent)?;
        }
        let siblings = self.children(parent);
        let behind = siblings
            .iter()
            .rposition(|other| other.prior >= child.prior)
            .map_or(0, |index| index + 1);
        let node = self.node_mut(parent);
        node.children += 1;
        let siblings = self.children_mut(parent);
        siblings.copy_within(behind..siblings.len() - 1, behind + 1);
        siblings[behind] = child;
        Some(behind)
    }

    /// Forgets the children of a node for which this does not hold.
    pub fn retain_children(&mut self, parent: u32, keep: impl Fn(&Node<A>) -> bool) {
        let all = self.node(parent).child_range();
        let mut end = all.start;
        for place in all.clone() {
            if keep(&self.nodes[place]) {
                self.nodes[end] = self.nodes[place];
                end += 1;
            }
        }
        self.node_mut(parent).children = (end - all.start) as u16;
    }

    /// Gives the children of a node a block of twice the room, or of room for two.
    fn move_children(&mut self, parent: u32) -> Option<()> {
        let Node { first_child, children, room, .. } = *self.node(parent);
        let new_room = if children == 0 { 1 } else { usize::from(room) + 1 };
        if new_room > MOST_ROOM {
            return None;
        }
        let block = self.free[new_room];
        let new = if block == NOWHERE {
            let end = self.nodes.len() + (1 << new_room);
            if end > self.capacity {
                return None;
            }
            let filler = *self.node(parent);
            self.nodes.resize(end, filler);
            (end - (1 << new_room)) as u32
        } else {
            self.free[new_room] = self.node(block).first_child;
            block
        };
        if children > 0 {
            let old = self.node(parent).child_range();
            self.nodes.copy_within(old, new as usize);
            self.node_mut(first_child).first_child = self.free[usize::from(room)];
            self.free[usize::from(room)] = first_child;
        }
        let node = self.node_mut(parent);
        (node.first_child, node.room) = (new, new_room as u8);
        Some(())
    }

    /// The longest way from a root that was noted.
    pub fn max_depth(&self) -> u32 {
        self.deepest
    }

    /// Notes a node so many steps from a root.
    #[inline]
    pub fn record_depth(&mut self, depth: u32) {
        self.deepest = self.deepest.max(depth);
    }

    /// Fills this tree with the part of another below one of its nodes, which becomes the root;
    /// counts keep this share of theirs.
    pub fn copy_subtree(&mut self, other: &Self, root: u32, share: f32) -> u32 {
        self.clear();
        self.nodes.push(*other.node(root));
        self.node_mut(0).decay(share);
        let mut place = 0;
        // Copied nodes still point into the other tree until their turn comes; blocks shrink to
        // what they hold.
        while place < self.nodes.len() {
            let Node { children, .. } = self.nodes[place];
            if children > 0 {
                let first = self.nodes.len();
                let old = self.nodes[place].child_range();
                let block = usize::from(children).next_power_of_two().max(2);
                self.nodes.extend_from_slice(&other.nodes[old]);
                let used = self.nodes.len();
                self.nodes[first..used].iter_mut().for_each(|node| node.decay(share));
                let node = &mut self.nodes[place];
                (node.first_child, node.room) = (first as u32, block.ilog2() as u8);
                // Room that holds no child is never read; it must have none to be copied.
                let filler = Node::new(other.node(root).action, Node::<A>::CHANCE, 1.0);
                self.nodes.resize(first + block, filler);
            }
            place += 1;
        }
        0
    }
}
