//! What search maximises: one value per seat, each from 0 to 1.

use crate::game::{MAX_SEATS, Outcome, PerSeat, Seat, WIN};

/// A mixture of the win, the rank, and the score margin to the best opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reward {
    /// The share of the margin in the mixture, from 0 to 1.
    pub margin_weight: f32,
    /// The margin, in points, at which the margin's part is at its limit; positive.
    pub margin_scale: f32,
    /// The share of the rank in the mixture of the other two and the rank, from 0 to 1.
    pub rank_weight: f32,
}

impl Reward {
    /// The win alone.
    pub const WIN: Self = Self { margin_weight: 0.0, margin_scale: 1.0, rank_weight: 0.0 };

    /// The reward of each of the first `seats` seats.
    #[inline]
    pub fn of(&self, outcome: &Outcome, seats: usize) -> PerSeat<f32> {
        let mut rewards = [0.0; MAX_SEATS];
        for (seat, reward) in rewards.iter_mut().enumerate().take(seats) {
            *reward = outcome.win_share(Seat::new(seat)) as f32 / WIN as f32;
            if self.margin_weight > 0.0 {
                *reward += self.margin_weight * (self.margin(outcome, seat, seats) - *reward);
            }
            if self.rank_weight > 0.0 {
                *reward += self.rank_weight * (rank(outcome, seat, seats) - *reward);
            }
        }
        rewards
    }

    /// The margin to the best opponent, from 0 to 1.
    fn margin(&self, outcome: &Outcome, seat: usize, seats: usize) -> f32 {
        let others = outcome.scores[..seats].iter().enumerate().filter(|&(other, _)| other != seat);
        let best_other = others.map(|(_, &score)| score).max().unwrap_or(0);
        let margin = (outcome.scores[seat] - best_other) as f32 / self.margin_scale;
        0.5 + 0.5 * margin.clamp(-1.0, 1.0)
    }
}

/// The share of the opponents whose score is lower, an equal one counting half.
fn rank(outcome: &Outcome, seat: usize, seats: usize) -> f32 {
    let own = outcome.scores[seat];
    let halves = outcome.scores[..seats].iter().map(|&score| u32::from(score < own) + u32::from(score <= own)).sum::<u32>();
    // The seat itself is one of those with its score.
    (halves - 1) as f32 / (2 * seats.max(2) - 2) as f32
}
