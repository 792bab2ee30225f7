//! What search maximises: one value per seat, each from 0 to 1.

use crate::game::{MAX_SEATS, Outcome, PerSeat, Seat, WIN};

/// A mixture of the win and of the score margin to the best opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reward {
    /// The share of the margin in the mixture, from 0 (only the win counts) to 1.
    pub margin_weight: f32,
    /// The margin, in points, at which the margin's part is at its limit.
    pub margin_scale: f32,
}

impl Reward {
    /// The reward of each of the first `seats` seats.
    #[inline]
    pub fn of(&self, outcome: &Outcome, seats: usize) -> PerSeat<f32> {
        let mut rewards = [0.0; MAX_SEATS];
        for (seat, reward) in rewards.iter_mut().enumerate().take(seats) {
            let win = outcome.win_share(Seat::new(seat)) as f32 / WIN as f32;
            let others = outcome.scores[..seats].iter().enumerate().filter(|&(other, _)| other != seat);
            let best_other = others.map(|(_, &score)| score).max().unwrap_or(0);
            let margin = (outcome.scores[seat] - best_other) as f32 / self.margin_scale;
            *reward = win + self.margin_weight * (0.5 + 0.5 * margin.clamp(-1.0, 1.0) - win);
        }
        rewards
    }
}
