//! The tree of the search, with its children in blocks, compared with a simple map.

use std::collections::{BTreeMap, HashMap};

use proptest::{prelude::*, sample::Index, test_runner::RngSeed};
use watershed::{
    game::{MAX_SEATS, Seat},
    search::tree::{Node, ScaledRewards, Tree},
};

/// An action and the seat that chose it.
type Step = (u8, u8);
/// The steps from the root to a node.
type Path = Vec<Step>;

/// The content of a node.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Counts {
    visits: u32,
    sum: f32,
    prior: f32,
}

/// A tree as a map from paths to counts, with the children in the order of their creation.
#[derive(Clone, Debug)]
struct Model {
    counts: HashMap<Path, Counts>,
    order: Vec<Path>,
}

impl Model {
    fn new() -> Self {
        Self {
            counts: HashMap::from([(Vec::new(), Counts { prior: 1.0, ..Counts::default() })]),
            order: vec![Vec::new()],
        }
    }

    fn keep(&mut self, keep: impl Fn(&Path) -> bool) {
        self.order.retain(|path| keep(path));
        self.counts.retain(|path, _| keep(path));
    }

    /// Returns the children of a node by descending prior, equal ones by creation.
    fn children(&self, parent: &Path) -> Vec<(Step, Counts)> {
        let children = self
            .order
            .iter()
            .filter(|path| path.len() == parent.len() + 1 && path.starts_with(parent));
        let mut children: Vec<_> =
            children.map(|path| (path[parent.len()], self.counts[path])).collect();
        children.sort_by(|(_, one), (_, other)| other.prior.total_cmp(&one.prior));
        children
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Add(Index, Step, u8),
    Visit(Index, bool),
    Retain(Index, u8),
    CopyFrom(Index),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        60 => (any::<Index>(), (0..40_u8, 0..=5_u8), 0..4_u8)
            .prop_map(|(node, step, prior)| Operation::Add(node, step, prior)),
        30 => (any::<Index>(), any::<bool>()).prop_map(|(node, win)| Operation::Visit(node, win)),
        1 => (any::<Index>(), 0..=5_u8).prop_map(|(node, mover)| Operation::Retain(node, mover)),
        1 => any::<Index>().prop_map(Operation::CopyFrom),
    ]
}

fn place(tree: &Tree<u8>, root: u32, path: &Path) -> u32 {
    path.iter().fold(root, |place, &(action, mover)| tree.find_child(place, action, mover).unwrap())
}

/// Returns all nodes below a node, each with its steps.
fn compare(tree: &Tree<u8>, place: u32, model: &Model, path: &Path) {
    let seat = Seat::new(0);
    let node = tree.node(place);
    let counts = model.counts[path];
    assert_eq!(
        (node.visits, node.reward_sum(seat), node.prior),
        (counts.visits, counts.sum, counts.prior),
        "{path:?}"
    );
    let children: Vec<_> =
        tree.children(place).iter().map(|child| (child.action, child.mover)).collect();
    assert_eq!(
        children,
        model.children(path).iter().map(|(step, _)| *step).collect::<Vec<_>>(),
        "{path:?}"
    );
    for (index, step) in children.into_iter().enumerate() {
        assert_eq!(tree.find_child(place, step.0, step.1), Some(tree.child_id(place, index)));
        compare(tree, tree.child_id(place, index), model, &[&path[..], &[step]].concat());
    }
}

proptest! {
    // The seed is fixed and failures are not saved, so that a run depends on the sources only.
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn node_blocks_agree_with_a_map(
        operations in prop::collection::vec(operation(), 1..400),
        // Few nodes, so that many children have the same parent; little memory, so that it is
        // exhausted.
        spread in 1..40_usize,
        capacity in prop_oneof![Just(64_u32), Just(300), Just(100_000)],
    ) {
        let mut tree = Tree::new(capacity, 8);
        let mut root = tree.add_root(0);
        let mut model = Model::new();
        let mut refusals = 0;
        for operation in operations {
            let pick = |index: Index, model: &Model| {
                model.order[index.index(model.order.len().min(spread))].clone()
            };
            match operation {
                Operation::Add(index, step, prior) => {
                    let mut path = pick(index, &model);
                    let parent = place(&tree, root, &path);
                    path.push(step);
                    if model.counts.contains_key(&path) {
                        continue;
                    }
                    let prior = f32::from(prior);
                    match tree.add_child(parent, Node::new(step.0, step.1, prior)) {
                        Some(child) => {
                            prop_assert_eq!(tree.children(parent)[child].action, step.0);
                            let counts = Counts { prior, ..Counts::default() };
                            model.counts.insert(path.clone(), counts);
                            model.order.push(path);
                        }
                        None => refusals += 1,
                    }
                }
                Operation::Visit(index, win) => {
                    let path = pick(index, &model);
                    let mut rewards = [0.0; MAX_SEATS];
                    rewards[0] = f32::from(u8::from(win));
                    let place = place(&tree, root, &path);
                    tree.node_mut(place).update(&ScaledRewards::new(&rewards));
                    let counts = model.counts.get_mut(&path).unwrap();
                    counts.visits += 1;
                    counts.sum += rewards[0];
                }
                Operation::Retain(index, mover) => {
                    let path = pick(index, &model);
                    let place = place(&tree, root, &path);
                    tree.retain_children(place, |child| child.mover != mover);
                    let depth = path.len();
                    model.keep(|other| {
                        other.len() <= depth || !other.starts_with(&path) || other[depth].1 != mover
                    });
                }
                Operation::CopyFrom(index) => {
                    let path = pick(index, &model);
                    let mut copy = Tree::new(capacity, 8);
                    root = copy.copy_subtree(&tree, place(&tree, root, &path), 1.0);
                    prop_assert!(copy.len() <= tree.len());
                    tree = copy;
                    model.keep(|other| other.starts_with(&path));
                    model.order.iter_mut().for_each(|other| *other = other.split_off(path.len()));
                    let counts = model.counts.drain();
                    model.counts = counts
                        .map(|(mut other, counts)| (other.split_off(path.len()), counts))
                        .collect();
                }
            }
            prop_assert!(tree.len() <= capacity as usize);
        }
        compare(&tree, root, &model, &Vec::new());
        prop_assert!(capacity < 100_000 || refusals == 0);
    }

    /// Means stay equal up to rounding for any share that is kept, and no node has more visits than
    /// iterations that can have reached it.
    #[test]
    fn a_copy_with_fewer_visits_keeps_means(
        wins in prop::collection::vec(any::<bool>(), 1..200),
        share in 0.0..=1.0_f32,
    ) {
        let mut tree = Tree::new(100, 8);
        let root = tree.add_root(0);
        for &win in &wins {
            tree.node_mut(root).update(&ScaledRewards::new(&[f32::from(u8::from(win)); MAX_SEATS]));
        }
        let mut copy = Tree::new(100, 8);
        let place = copy.copy_subtree(&tree, root, share);
        let (before, after) = (tree.node(root), copy.node(place));
        prop_assert_eq!(after.visits, (wins.len() as f64 * f64::from(share)) as u32);
        let seat = Seat::new(0);
        let error = (after.value(seat) - before.value(seat)).abs();
        prop_assert!(after.visits == 0 || error <= 1e-3, "{:?} {:?}", before, after);
        prop_assert!(after.available >= after.visits);
        prop_assert!(after.reward_sums()[0] <= after.visits * 1024);
    }
}

/// Freed blocks are used again before new memory.
#[test]
fn outgrown_blocks_are_reused() {
    let mut tree: Tree<u8> = Tree::new(1000, 1000);
    let root = tree.add_root(0);
    for action in 0..33 {
        tree.add_child(root, Node::new(action, 0, 1.0)).unwrap();
    }
    // 1 + 2 + 4 + 8 + 16 + 32 + 64 nodes; the children occupy the last block.
    assert_eq!(tree.len(), 127);
    let mut used = BTreeMap::new();
    for index in 0..4 {
        let parent = tree.child_id(root, index);
        for action in 0..2 {
            tree.add_child(parent, Node::new(action, 1, 1.0)).unwrap();
        }
        used.insert(index, tree.len());
    }
    assert_eq!(
        used.into_values().collect::<Vec<_>>(),
        [127, 129, 131, 133],
        "one block for two was free"
    );
    let first = tree.child_id(root, 0);
    for action in 2..32 {
        tree.add_child(first, Node::new(action, 1, 1.0)).unwrap();
    }
    assert_eq!(tree.len(), 133, "blocks for 4, 8, 16 and 32 were free");
}
