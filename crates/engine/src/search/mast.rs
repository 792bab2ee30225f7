//! Move-average sampling technique (MAST; Finnsson and Björnsson 2008): playouts that prefer
//! actions with a high mean reward.

use std::hash::{Hash, Hasher};

use rand::RngExt;
use rustc_hash::FxHasher;

use crate::{
    game::{ActionSet, MAX_SEATS, PerSeat, Seat},
    rng::{Rng, random_below},
};

/// Entries per seat, a power of two. Actions with the same hash share an entry.
const ENTRIES: usize = 1 << 12;

/// Mean reward of each seat and action over the iterations in which the seat chose the action, at
/// any point.
#[derive(Clone, Debug)]
pub struct Mast {
    /// Probability of a uniformly random choice.
    epsilon: f32,
    entries: Vec<MastEntry>,
    /// Entries of this iteration's actions, with their seats.
    chosen: Vec<(u32, Seat)>,
}

#[derive(Clone, Copy, Default, Debug)]
struct MastEntry {
    sum: f32,
    visits: f32,
}

impl MastEntry {
    /// Returns the mean reward; for unknown actions the maximum, so that they are tried first.
    fn mean(self) -> f32 {
        if self.visits == 0.0 { 1.0 } else { self.sum / self.visits }
    }
}

impl Mast {
    /// Creates an empty table.
    pub fn new(epsilon: f32) -> Self {
        let entries = vec![MastEntry::default(); ENTRIES * MAX_SEATS];
        Self { epsilon, entries, chosen: Vec::with_capacity(1024) }
    }

    /// Removes all statistics.
    pub fn clear(&mut self) {
        self.entries.fill(MastEntry::default());
        self.chosen.clear();
    }

    fn entry<A: Hash>(action: &A, seat: Seat) -> u32 {
        let mut hasher = FxHasher::default();
        action.hash(&mut hasher);
        let entry = hasher.finish() as usize % ENTRIES;
        (entry + ENTRIES * seat.index()) as u32
    }

    /// Returns the legal action with the highest mean, with random tie-breaking; with probability
    /// epsilon a uniformly random one.
    #[expect(clippy::float_cmp, reason = "ties are actions with exactly equal means")]
    pub fn choose<S: ActionSet<Action: Copy + Hash>>(
        &self,
        legal: &S,
        seat: Seat,
        rng: &mut Rng,
    ) -> S::Action {
        if rng.random::<f32>() < self.epsilon {
            return legal.sample(rng);
        }
        let mut best = legal.nth(0);
        let mut best_mean = f32::NEG_INFINITY;
        let mut ties = 0;
        for action in legal.iter() {
            let mean = self.entries[Self::entry(&action, seat) as usize].mean();
            if mean > best_mean {
                (best, best_mean, ties) = (action, mean, 1);
            } else if mean == best_mean {
                ties += 1;
                if random_below(rng, ties) == 0 {
                    best = action;
                }
            }
        }
        best
    }

    /// Records an action of this iteration, in the tree or in the playout.
    pub fn record<A: Hash>(&mut self, action: &A, seat: Seat) {
        self.chosen.push((Self::entry(action, seat), seat));
    }

    /// Ends the iteration and adds its rewards to the recorded actions.
    pub fn update(&mut self, rewards: &PerSeat<f32>) {
        for (entry, seat) in self.chosen.drain(..) {
            let entry = &mut self.entries[entry as usize];
            entry.sum += rewards[seat.index()];
            entry.visits += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::BitActions,
        rng::{Purpose, stream},
    };

    const SEAT: Seat = Seat::new(1);

    /// Counts the choices among five actions in 5000 draws.
    fn count_choices(mast: &Mast, seat: Seat) -> [u32; 5] {
        let mut counts = [0; 5];
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        for _ in 0..5000 {
            counts[usize::from(mast.choose(&BitActions::new(0b11111), seat, &mut rng))] += 1;
        }
        counts
    }

    /// Returns a table after one iteration per action and reward.
    fn trained(epsilon: f32, rewards_by_action: &[(u8, f32)]) -> Mast {
        let mut mast = Mast::new(epsilon);
        for (action, reward) in rewards_by_action {
            mast.record(action, SEAT);
            let mut rewards = [0.0; MAX_SEATS];
            rewards[SEAT.index()] = *reward;
            mast.update(&rewards);
        }
        mast
    }

    #[test]
    fn unknown_actions_come_first_and_are_equally_frequent() {
        let mast = trained(0.0, &[(0, 0.9), (3, 0.5)]);
        let counts = count_choices(&mast, SEAT);
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!([counts[1], counts[2], counts[4]].iter().all(|count| (1500..1840).contains(count)));
        // Another seat has no statistics.
        let others = count_choices(&mast, Seat::new(0));
        assert!(others.iter().all(|count| (870..1130).contains(count)));
    }

    #[test]
    fn highest_mean_is_chosen_except_with_probability_epsilon() {
        let rewards_by_action = [(0, 0.2), (1, 1.0), (1, 0.0), (2, 0.6), (3, 0.1), (4, 0.0)];
        assert_eq!(count_choices(&trained(0.0, &rewards_by_action), SEAT), [0, 0, 5000, 0, 0]);
        let counts = count_choices(&trained(0.5, &rewards_by_action), SEAT);
        assert!((2850..3150).contains(&counts[2]) && counts[4] > 400, "{counts:?}");
    }

    #[test]
    fn cleared_table_has_no_statistics() {
        let mut mast = trained(0.0, &[(0, 0.0), (1, 0.0)]);
        mast.record(&2_u8, SEAT);
        mast.clear();
        mast.update(&[0.0; MAX_SEATS]);
        assert!(count_choices(&mast, SEAT).iter().all(|count| (870..1130).contains(count)));
    }
}
