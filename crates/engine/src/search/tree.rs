//! Search trees in one reusable allocation. The children of a node are contiguous, so that
//! selection reads memory sequentially.

use super::KeptPolicy;
use crate::game::{ActionSet, MAX_SEATS, PerSeat, Seat};

/// Integer that represents the reward 1. With 2^10 units and 2^22 visits, sums of rewards fit in 32
/// bits.
pub const REWARD_SCALE: f32 = 1024.0;

/// Maximum number of visits of a node; with more, reward sums could overflow.
pub const MAX_VISITS: u32 = (1 << 22) - 1;

/// Id of a node: its index in the allocation.
pub type NodeId = u32;

/// Action and its statistics. A node fills one cache line, so that a visit costs one memory access.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub struct Node<A> {
    /// Action or chance outcome that leads to the node; not meaningful at a root.
    pub action: A,
    /// Number of the action, by [`ActionSet::number`]; not meaningful at a chance outcome.
    pub number: u16,
    /// Seat that chose the action; [`Node::CHANCE`] for chance.
    pub mover: u8,
    /// Number of iterations through the node.
    pub visits: u32,
    /// Number of iterations in which the node was available, without the [`Self::selections`] of
    /// its parent.
    pub available: u32,
    /// Number of iterations that chose among the children since the node is complete. All children
    /// were available in these, which are counted here because that is one write instead of many.
    pub selections: u32,
    /// 1 / √visits, stored because bounds read it more often than visits change; infinite without
    /// visits.
    pub inv_sqrt_visits: f32,
    /// Unnormalised prior: e to the power of the logit difference.
    pub prior: f32,
    /// Reward sum of each seat, in units of 1 / [`REWARD_SCALE`].
    sums: PerSeat<u32>,
    /// Sum of the mover's squared rewards, in the same units.
    squares: u32,
    /// Index of the policy that was kept for the node, or [`NO_POLICY`].
    policy: u32,
    first_child: NodeId,
    children: u16,
    /// Binary logarithm of the capacity of the block of children, not meaningful without children,
    /// and [`COMPLETE`].
    block: u8,
}

/// Index of no policy.
const NO_POLICY: u32 = u32::MAX;

/// A policy that was kept for the actions of a node that become legal later.
#[derive(Clone, Copy, Debug)]
struct NodePolicy {
    mover: u8,
    /// Visits of the node when the policy was computed.
    visits: u32,
    policy: KeptPolicy,
}

/// Bit of [`Node::block`] of a node that is complete.
const COMPLETE: u8 = 1 << 7;

// An action has at most 4 bytes.
const _: () = assert!(size_of::<Node<u32>>() == 64);

/// Rewards of an iteration in the units of the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScaledRewards {
    rewards: PerSeat<u32>,
    /// Squared reward of each mover; 0 for chance.
    squares: [u32; MAX_SEATS + 1],
}

impl ScaledRewards {
    /// Rounds rewards from 0 to 1.
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
    /// Mover of chance outcomes.
    pub const CHANCE: u8 = MAX_SEATS as u8;

    /// Creates a node without visits for a decision in a set of actions of the type `S`.
    pub fn decision<S: ActionSet<Action = A>>(action: A, mover: u8, prior: f32) -> Self {
        Self { number: S::number(action), ..Self::new(action, mover, prior) }
    }

    /// Creates a node without visits and without the number of an action.
    pub fn new(action: A, mover: u8, prior: f32) -> Self {
        Self {
            action,
            number: 0,
            mover,
            visits: 0,
            available: 0,
            selections: 0,
            inv_sqrt_visits: f32::INFINITY,
            prior,
            sums: [0; MAX_SEATS],
            squares: 0,
            policy: NO_POLICY,
            first_child: 0,
            children: 0,
            block: 0,
        }
    }

    /// Returns true if every legal action has a child and every child is legal, in each iteration
    /// so far through the node.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.block & COMPLETE != 0
    }

    /// Returns the binary logarithm of the capacity of the block of children.
    fn block_log2(&self) -> u8 {
        self.block & !COMPLETE
    }

    /// Returns true if the node is a decision of `mover` that is in a set of actions.
    #[inline]
    pub fn is_decision_in<S: ActionSet<Action = A>>(&self, mover: u8, legal: &S) -> bool {
        self.mover == mover && legal.contains_numbered(self.action, self.number)
    }

    /// Returns the mean reward of a seat, from 0 to 1; 0 without visits.
    pub fn value(&self, seat: Seat) -> f32 {
        self.reward_sum(seat) / (self.visits.max(1) as f32)
    }

    /// Returns the reward sum of each seat, in units of 1 / [`REWARD_SCALE`].
    pub fn reward_sums(&self) -> &PerSeat<u32> {
        &self.sums
    }

    /// Returns the reward sum of a seat.
    #[inline]
    pub fn reward_sum(&self, seat: Seat) -> f32 {
        self.sums[seat.index()] as f32 * (1.0 / REWARD_SCALE)
    }

    /// Returns the sum of the mover's squared rewards, in units of 1 / [`REWARD_SCALE`].
    #[inline]
    pub fn squares(&self) -> u32 {
        self.squares
    }

    /// Returns the sum of the mover's squared rewards.
    #[inline]
    pub fn squared_reward_sum(&self) -> f32 {
        self.squares as f32 * (1.0 / REWARD_SCALE)
    }

    /// Adds the rewards of an iteration through the node.
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

    /// Returns the range of the children's ids.
    #[inline]
    pub fn child_range(&self) -> std::ops::Range<usize> {
        self.first_child as usize..self.first_child as usize + usize::from(self.children)
    }

    /// Reduces the visits to this share, rounded down, and keeps the mean rewards.
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

/// Id of no node.
const NO_NODE: NodeId = u32::MAX;
/// Binary logarithm of the maximum number of children.
const MAX_BLOCK_LOG2: usize = 15;

/// Nodes by id. Memory is bounded: at capacity, no node can be added.
///
/// Children live in blocks of 2^k nodes. A block that is full is copied to one of twice the size,
/// and the old block joins the free list of its size.
#[derive(Clone, Debug)]
pub struct Tree<A> {
    nodes: Vec<Node<A>>,
    capacity: usize,
    policies: Vec<NodePolicy>,
    /// First free block of each size; the first node of a free block refers to the next one by
    /// `first_child`.
    free: [NodeId; MAX_BLOCK_LOG2 + 1],
    max_depth: u32,
}

impl<A: Copy + Eq> Tree<A> {
    /// Creates a tree of at most `capacity` nodes, with memory for `expected` of them.
    pub fn new(capacity: u32, expected: u32) -> Self {
        let nodes = Vec::with_capacity(expected.min(capacity) as usize);
        let free = [NO_NODE; MAX_BLOCK_LOG2 + 1];
        Self { nodes, capacity: capacity as usize, policies: Vec::new(), free, max_depth: 0 }
    }

    /// Removes all nodes and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.policies.clear();
        self.free = [NO_NODE; MAX_BLOCK_LOG2 + 1];
        self.max_depth = 0;
    }

    /// Returns the number of allocated nodes, including free ones.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns true if the tree is at capacity.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.capacity
    }

    /// Adds a root and returns its id.
    pub fn add_root(&mut self, action: A) -> NodeId {
        self.nodes.push(Node::new(action, Node::<A>::CHANCE, 1.0));
        self.nodes.len() as u32 - 1
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node<A> {
        &self.nodes[id as usize]
    }

    /// Returns a node for modification.
    #[inline]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node<A> {
        &mut self.nodes[id as usize]
    }

    /// Returns the children of a node.
    #[inline]
    pub fn children(&self, id: NodeId) -> &[Node<A>] {
        &self.nodes[self.node(id).child_range()]
    }

    /// Returns the children of a node for modification.
    #[inline]
    pub fn children_mut(&mut self, id: NodeId) -> &mut [Node<A>] {
        let children = self.node(id).child_range();
        &mut self.nodes[children]
    }

    /// Returns the id of the child with this index.
    #[inline]
    pub fn child_id(&self, id: NodeId, index: usize) -> NodeId {
        self.node(id).first_child + index as u32
    }

    /// Returns the id of the child for this action of this mover.
    pub fn find_child(&self, id: NodeId, action: A, mover: u8) -> Option<NodeId> {
        let index = self
            .children(id)
            .iter()
            .position(|child| child.action == action && child.mover == mover)?;
        Some(self.child_id(id, index))
    }

    /// Returns the policy that was kept for the decisions of `mover` at a node, unless the visits
    /// of the node have grown by the factor `refresh` since.
    pub fn kept_policy(&self, id: NodeId, mover: u8, refresh: f32) -> Option<KeptPolicy> {
        let node = self.node(id);
        let kept = self.policies.get(node.policy as usize)?;
        let is_recent = (node.visits as f32) < kept.visits.max(1) as f32 * refresh;
        (kept.mover == mover && is_recent).then_some(kept.policy)
    }

    /// Keeps a policy for the decisions of `mover` at a node, in place of the last one.
    pub fn keep_policy(&mut self, id: NodeId, mover: u8, policy: KeptPolicy) {
        let Node { policy: index, visits, .. } = *self.node(id);
        let kept = NodePolicy { mover, visits, policy };
        if let Some(slot) = self.policies.get_mut(index as usize) {
            *slot = kept;
        } else {
            self.node_mut(id).policy = self.policies.len() as u32;
            self.policies.push(kept);
        }
    }

    /// Returns true if [`Self::add_child`] can add a child.
    pub fn has_room_for_child(&self, parent: NodeId) -> bool {
        let Node { children, .. } = *self.node(parent);
        let block_log2 = self.node(parent).block_log2();
        let is_block_full = children == 0 || children == 1 << block_log2;
        !is_block_full || self.next_block_log2(parent).is_some()
    }

    /// Inserts a child after those with at least its prior, and returns its index; `None` at
    /// capacity.
    pub fn add_child(&mut self, parent: NodeId, child: Node<A>) -> Option<usize> {
        let Node { children, .. } = *self.node(parent);
        let block_log2 = self.node(parent).block_log2();
        if children == 0 || children == 1 << block_log2 {
            self.move_children(parent)?;
        }
        let siblings = self.children(parent);
        let position = siblings
            .iter()
            .rposition(|other| other.prior >= child.prior)
            .map_or(0, |index| index + 1);
        self.reopen(parent);
        self.node_mut(parent).children += 1;
        let siblings = self.children_mut(parent);
        siblings.copy_within(position..siblings.len() - 1, position + 1);
        siblings[position] = child;
        Some(position)
    }

    /// Makes a node [complete](Node::is_complete).
    #[inline]
    pub fn complete(&mut self, id: NodeId) {
        self.node_mut(id).block |= COMPLETE;
    }

    /// Makes a node not [complete](Node::is_complete), and counts its selections at its children.
    pub fn reopen(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        if node.is_complete() {
            node.block &= !COMPLETE;
            let selections = std::mem::take(&mut node.selections);
            self.children_mut(id).iter_mut().for_each(|child| child.available += selections);
        }
    }

    /// Removes the children that do not satisfy `keep`.
    pub fn retain_children(&mut self, parent: NodeId, keep: impl Fn(&Node<A>) -> bool) {
        let all = self.node(parent).child_range();
        let mut end = all.start;
        for index in all.clone() {
            if keep(&self.nodes[index]) {
                self.nodes[end] = self.nodes[index];
                end += 1;
            }
        }
        self.node_mut(parent).children = (end - all.start) as u16;
    }

    /// Returns the size of the next block for the children of a node, as a binary logarithm: twice
    /// the present one, at first two children. `None` if there is no memory for it.
    fn next_block_log2(&self, parent: NodeId) -> Option<usize> {
        let Node { children, .. } = *self.node(parent);
        let block_log2 = self.node(parent).block_log2();
        let new_log2 = if children == 0 { 1 } else { usize::from(block_log2) + 1 };
        let free = *self.free.get(new_log2)?;
        let has_room = free != NO_NODE || self.nodes.len() + (1 << new_log2) <= self.capacity;
        has_room.then_some(new_log2)
    }

    /// Moves the children of a node to its next block.
    fn move_children(&mut self, parent: NodeId) -> Option<()> {
        let new_log2 = self.next_block_log2(parent)?;
        let Node { first_child, children, .. } = *self.node(parent);
        let block_log2 = self.node(parent).block_log2();
        let block = self.free[new_log2];
        let new = if block == NO_NODE {
            let end = self.nodes.len() + (1 << new_log2);
            let filler = *self.node(parent);
            self.nodes.resize(end, filler);
            (end - (1 << new_log2)) as u32
        } else {
            self.free[new_log2] = self.node(block).first_child;
            block
        };
        if children > 0 {
            let old = self.node(parent).child_range();
            self.nodes.copy_within(old, new as usize);
            self.node_mut(first_child).first_child = self.free[usize::from(block_log2)];
            self.free[usize::from(block_log2)] = first_child;
        }
        let node = self.node_mut(parent);
        (node.first_child, node.block) = (new, new_log2 as u8);
        Some(())
    }

    /// Returns the maximum recorded depth.
    pub fn max_depth(&self) -> u32 {
        self.max_depth
    }

    /// Records a node at this depth.
    #[inline]
    pub fn record_depth(&mut self, depth: u32) {
        self.max_depth = self.max_depth.max(depth);
    }

    /// Replaces this tree with the subtree of another tree at `root`, which becomes node 0. Counts
    /// are reduced to this share.
    pub fn copy_subtree(&mut self, other: &Self, root: NodeId, share: f32) -> NodeId {
        self.clear();
        self.nodes.push(*other.node(root));
        self.node_mut(0).decay(share);
        let mut next = 0;
        // Copied nodes refer to the other tree until they are processed. Blocks shrink to the
        // number of children.
        while next < self.nodes.len() {
            let Node { children, policy, .. } = self.nodes[next];
            let selections = std::mem::take(&mut self.nodes[next].selections);
            if let Some(&kept) = other.policies.get(policy as usize) {
                self.nodes[next].policy = self.policies.len() as u32;
                let visits = self.nodes[next].visits;
                self.policies.push(NodePolicy { visits, ..kept });
            }
            if children > 0 {
                let first = self.nodes.len();
                let old = self.nodes[next].child_range();
                let block = usize::from(children).next_power_of_two().max(2);
                self.nodes.extend_from_slice(&other.nodes[old]);
                let used = self.nodes.len();
                for node in &mut self.nodes[first..used] {
                    node.available += selections;
                    node.decay(share);
                }
                let node = &mut self.nodes[next];
                (node.first_child, node.block) = (first as u32, block.ilog2() as u8);
                // Unused nodes of a block are never read, so that any value will do.
                let filler = Node::new(other.node(root).action, Node::<A>::CHANCE, 1.0);
                self.nodes.resize(first + block, filler);
            }
            next += 1;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BitActions;

    fn policy(max_logit: i32) -> KeptPolicy {
        KeptPolicy { units: [0; _], scale: Some((max_logit, 1)) }
    }

    fn max_logit(tree: &Tree<u8>, id: NodeId, mover: u8) -> Option<i32> {
        tree.kept_policy(id, mover, 4.0)?.scale.map(|(max_logit, _)| max_logit)
    }

    #[test]
    fn a_policy_is_kept_for_its_seat_until_the_visits_have_grown() {
        let mut tree = Tree::new(100, 10);
        let root = tree.add_root(0);
        let rewards = ScaledRewards::new(&[0.0; MAX_SEATS]);
        tree.node_mut(root).update(&rewards);
        assert_eq!(max_logit(&tree, root, 1), None);
        tree.keep_policy(root, 1, policy(7));
        for visits in 2..6 {
            tree.node_mut(root).update(&rewards);
            assert_eq!(max_logit(&tree, root, 1), (visits < 4).then_some(7), "{visits} visits");
            assert_eq!(max_logit(&tree, root, 2), None);
        }
        tree.keep_policy(root, 2, policy(9));
        assert_eq!([1, 2].map(|mover| max_logit(&tree, root, mover)), [None, Some(9)]);
    }

    #[test]
    fn selections_of_a_complete_node_count_for_its_children() {
        let mut tree = Tree::new(100, 10);
        let root = tree.add_root(0);
        for action in [3, 5] {
            tree.add_child(root, Node::decision::<BitActions>(action, 0, 1.0));
        }
        tree.complete(root);
        tree.node_mut(root).selections = 4;
        let mut copy = Tree::new(100, 10);
        let copied = copy.copy_subtree(&tree, root, 1.0);
        tree.reopen(root);
        for (tree, root) in [(&tree, root), (&copy, copied)] {
            assert_eq!((tree.node(root).selections, tree.node(root).is_complete()), (0, false));
            let available: Vec<_> = tree.children(root).iter().map(|node| node.available).collect();
            assert_eq!(available, [4, 4]);
        }
    }

    #[test]
    fn a_copied_subtree_keeps_its_policies() {
        let mut tree = Tree::new(100, 10);
        let root = tree.add_root(0);
        tree.keep_policy(root, 0, policy(1));
        for action in [3, 5] {
            let child = Node::decision::<BitActions>(action, 0, 1.0);
            let index = tree.add_child(root, child).expect("there is room");
            let id = tree.child_id(root, index);
            tree.keep_policy(id, 1, policy(action.into()));
        }
        let five = tree.find_child(root, 5, 0).expect("it was added");
        let mut copy = Tree::new(100, 10);
        let copied = copy.copy_subtree(&tree, five, 1.0);
        assert_eq!(max_logit(&copy, copied, 1), Some(5));
    }
}
