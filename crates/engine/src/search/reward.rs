//! Rewards: what a search maximises, one value from 0 to 1 per seat.

use crate::game::{MAX_SEATS, Outcome, PerSeat, Seat, UNITS_PER_WIN};

/// Mixture of the win, the rank, and the score margin to the best opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RewardFunction {
    /// Share of the margin in the mixture, from 0 to 1.
    pub margin_weight: f32,
    /// Score margin, in points, at which the margin's part reaches 0 or 1; positive.
    pub margin_scale: f32,
    /// Share of the rank in the mixture of all three, from 0 to 1.
    pub rank_weight: f32,
}

impl RewardFunction {
    /// Reward for winning only.
    pub const WIN: Self = Self { margin_weight: 0.0, margin_scale: 1.0, rank_weight: 0.0 };

    /// Returns the reward of each of the first `seats` seats.
    #[inline]
    pub fn evaluate(&self, outcome: &Outcome, seats: usize) -> PerSeat<f32> {
        self.evaluate_for(outcome, seats, false)
    }

    /// Returns the reward of each of the first `seats` seats. If the seats win or lose together,
    /// the margin is that to a score of 0.
    #[inline]
    pub(super) fn evaluate_for(
        &self,
        outcome: &Outcome,
        seats: usize,
        is_shared: bool,
    ) -> PerSeat<f32> {
        let mut rewards = [0.0; MAX_SEATS];
        for (seat, reward) in rewards.iter_mut().enumerate().take(seats) {
            *reward = outcome.win_share(Seat::new(seat)) as f32 / UNITS_PER_WIN as f32;
        }
        if self.margin_weight > 0.0 {
            let scores = outcome.scores.map(|score| score as f32);
            self.add_margins(&mut rewards, &scores[..seats], is_shared);
        }
        if self.rank_weight > 0.0 {
            for (seat, reward) in rewards.iter_mut().enumerate().take(seats) {
                *reward += self.rank_weight * (rank(outcome, seat, seats) - *reward);
            }
        }
        rewards
    }

    /// Mixes the margin to the best opponent, from 0 to 1, into the reward of each seat.
    pub(super) fn add_margins(&self, rewards: &mut PerSeat<f32>, scores: &[f32], is_shared: bool) {
        for (seat, &score) in scores.iter().enumerate() {
            let others =
                scores.iter().enumerate().filter(|&(other, _)| other != seat && !is_shared);
            let best_other = others.map(|(_, &score)| score).reduce(f32::max).unwrap_or(0.0);
            let margin = ((score - best_other) / self.margin_scale).clamp(-1.0, 1.0);
            rewards[seat] += self.margin_weight * (0.5 + 0.5 * margin - rewards[seat]);
        }
    }
}

/// Returns the share of opponents with a lower score; an equal score counts half.
fn rank(outcome: &Outcome, seat: usize, seats: usize) -> f32 {
    let own = outcome.scores[seat];
    let half_points = |&score: &i32| u32::from(score < own) + u32::from(score <= own);
    let halves = outcome.scores[..seats].iter().map(half_points).sum::<u32>();
    // The seat itself is counted among the equal scores.
    (halves - 1) as f32 / (2 * seats.max(2) - 2) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an outcome in which the highest score wins.
    fn outcome(scores: &[i32]) -> Outcome {
        let mut all = [0; MAX_SEATS];
        all[..scores.len()].copy_from_slice(scores);
        Outcome {
            scores: all,
            winners: crate::game::highest_scoring_seats(&all, scores.len()),
            wins_are_independent: false,
            rounds: 1,
            hit_round_limit: false,
        }
    }

    #[track_caller]
    fn check(reward: RewardFunction, scores: &[i32], expected: &[f32]) {
        let rewards = reward.evaluate(&outcome(scores), scores.len());
        for (seat, reward) in rewards.iter().enumerate() {
            let expected = expected.get(seat).copied().unwrap_or(0.0);
            assert!((reward - expected).abs() < 1e-6, "{scores:?}: {rewards:?}");
        }
    }

    const RANK: RewardFunction = RewardFunction { rank_weight: 1.0, ..RewardFunction::WIN };
    const MARGIN: RewardFunction =
        RewardFunction { margin_weight: 1.0, margin_scale: 10.0, ..RewardFunction::WIN };

    #[test]
    fn shared_wins_split_the_reward() {
        check(RewardFunction::WIN, &[5, 7], &[0.0, 1.0]);
        check(RewardFunction::WIN, &[7, 3, 7], &[0.5, 0.0, 0.5]);
        check(RewardFunction::WIN, &[2, 2, 2, 2, 2], &[0.2; 5]);
    }

    #[test]
    fn rank_is_the_share_of_opponents_with_a_lower_score() {
        check(RANK, &[5, 7], &[0.0, 1.0]);
        check(RANK, &[4, 1, 3, 2], &[1.0, 0.0, 2.0 / 3.0, 1.0 / 3.0]);
        check(RANK, &[7, 3, 7], &[0.75, 0.0, 0.75]);
        check(RANK, &[2, 2, 2, 2, 2], &[0.5; 5]);
        check(RANK, &[-1, 0, 0], &[0.0, 0.75, 0.75]);
    }

    #[test]
    fn margin_is_to_the_best_opponent_and_is_clamped() {
        check(MARGIN, &[5, 7], &[0.4, 0.6]);
        check(MARGIN, &[10, 0, 8], &[0.6, 0.0, 0.4]);
        check(MARGIN, &[3, 3], &[0.5, 0.5]);
        check(MARGIN, &[100, -100], &[1.0, 0.0]);
    }

    #[test]
    fn single_player_is_compared_with_a_score_of_0() {
        check(MARGIN, &[5], &[0.75]);
        check(MARGIN, &[-20], &[0.0]);
        check(RewardFunction::WIN, &[5], &[1.0]);
        check(RANK, &[5], &[0.0]);
    }

    #[test]
    fn mixture_is_the_weighted_mean_of_its_parts() {
        check(RewardFunction { margin_weight: 0.5, ..MARGIN }, &[5, 7], &[0.2, 0.8]);
        check(
            RewardFunction { margin_weight: 0.5, rank_weight: 0.5, ..MARGIN },
            &[7, 3, 7],
            &[0.625, 0.075, 0.625],
        );
    }
}
