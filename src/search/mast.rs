//! Playouts that learn as they go: the move-average sampling technique, MAST (Finnsson and Björnsson 2008).

use std::hash::{Hash, Hasher};

use rand::RngExt;
use rustc_hash::FxHasher;

use crate::{
    game::{ActionSet, MAX_SEATS, PerSeat, Seat},
    rng::{Rng, below},
};

/// Entries per seat, a power of two; actions that fall on the same entry share it.
const ENTRIES: usize = 1 << 12;

/// For each seat and action the mean reward of the iterations in which the seat chose it, anywhere.
#[derive(Clone, Debug)]
pub struct Mast {
    /// The chance of a uniform choice.
    epsilon: f32,
    entries: Vec<Entry>,
    /// The entries of the actions of this iteration, with their seats.
    chosen: Vec<(u32, Seat)>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    sum: f32,
    visits: f32,
}

impl Entry {
    /// The mean reward; the greatest possible if nothing is known.
    fn mean(self) -> f32 {
        if self.visits == 0.0 { 1.0 } else { self.sum / self.visits }
    }
}

impl Mast {
    /// A table in which nothing is known.
    pub fn new(epsilon: f32) -> Self {
        Self { epsilon, entries: vec![Entry::default(); ENTRIES * MAX_SEATS], chosen: Vec::with_capacity(1024) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
        self.chosen.clear();
    }

    fn entry<A: Hash>(action: &A, seat: Seat) -> u32 {
        let mut hasher = FxHasher::default();
        action.hash(&mut hasher);
        let entry = hasher.finish() as usize % ENTRIES;
        (entry + ENTRIES * seat.index()) as u32
    }

    /// The legal action of greatest mean, equals by chance; with probability epsilon, any.
    #[expect(clippy::float_cmp, reason = "only actions of the very same mean are left to chance")]
    pub fn choose<S: ActionSet<Action: Copy + Hash>>(&self, legal: &S, seat: Seat, rng: &mut Rng) -> S::Action {
        if rng.random::<f32>() < self.epsilon {
            return legal.nth(below(rng, legal.len() as u32) as usize);
        }
        let mut best = legal.nth(0);
        let mut greatest = f32::NEG_INFINITY;
        let mut equals = 0;
        for action in legal.iter() {
            let mean = self.entries[Self::entry(&action, seat) as usize].mean();
            if mean > greatest {
                (best, greatest, equals) = (action, mean, 1);
            } else if mean == greatest {
                equals += 1;
                if below(rng, equals) == 0 {
                    best = action;
                }
            }
        }
        best
    }

    /// Notes an action of this iteration, in the tree or in the playout.
    pub fn note<A: Hash>(&mut self, action: &A, seat: Seat) {
        self.chosen.push((Self::entry(action, seat), seat));
    }

    /// Ends the iteration with these rewards.
    pub fn learn(&mut self, rewards: &PerSeat<f32>) {
        for (entry, seat) in self.chosen.drain(..) {
            let entry = &mut self.entries[entry as usize];
            entry.sum += rewards[seat.index()];
            entry.visits += 1.0;
        }
    }
}
