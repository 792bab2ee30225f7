//! The course of games: length, number of choices, leads, and differences between seats and turn
//! positions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::block_sum::{BlockSum, block_sums};
use crate::{
    bits::ones,
    game::{ActionSet, MAX_END_REASONS, MAX_SEATS, Outcome, PerSeat, Seat, highest_scoring_seats},
    stats::{
        Merge,
        mean::MeanSums,
        ratio::Ratio,
        spread::{MAX_RATES, RateSums},
        tally,
    },
};

const _: () = assert!(MAX_SEATS == MAX_RATES, "one rate for each seat");

tally! {
    /// Statistics on the course of the games of a run. Unless a field names another unit, an
    /// observation is a game; sums of win shares are in units of
    /// 1/[`UNITS_PER_WIN`](crate::game::UNITS_PER_WIN).
    pub struct Health {
        /// Games that several seats won.
        pub shared_wins: Ratio,
        /// Games without a winner.
        pub nobody_won: Ratio,
        /// Games that the round limit ended.
        pub capped: Ratio,
        /// Games that ended for each reason of
        /// [`Statistics::end_reasons`](crate::game::Statistics::end_reasons), which may be several.
        pub ends: [Ratio; MAX_END_REASONS],
        /// Rounds played.
        pub rounds: MeanSums,
        /// Number of games by number of rounds.
        pub games_by_rounds: BTreeMap<u64, u64>,
        /// Decisions per game.
        pub decisions: MeanSums,
        /// Number of games by number of decisions.
        pub games_by_decisions: BTreeMap<u64, u64>,
        /// Legal actions of a decision; an observation is a decision.
        pub branching: MeanSums,
        /// Action kinds that were legal at least once.
        pub legal_kinds: KindSet,
        /// Number of seats by final score.
        pub seats_by_score: BTreeMap<i64, u64>,
        /// Final scores of winners, in points; an observation is a winning seat.
        pub winning_scores: MeanSums,
        /// Scores of winners minus the best score of the others, in points; an observation is a
        /// winning seat.
        pub winning_margins: MeanSums,
        /// Changes of the leading seat, in games of 2 or more players.
        pub lead_changes: MeanSums,
        /// Win shares of the only leader after half the rounds; an observation is a game that has
        /// one.
        pub leaders_at_half: Ratio,
        /// Win shares by seat.
        pub seats: RateSums,
        /// Win shares by turn position.
        pub turn_positions: RateSums,
    }
}

/// A set of action kinds; bit k stands for kind k.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KindSet(u32);

impl KindSet {
    /// Adds the kinds of some actions, of a game with this number of kinds.
    #[inline]
    pub fn insert_kinds_of(&mut self, actions: &impl ActionSet, kinds: usize) {
        // Soon nearly all kinds have occurred.
        let missing = !u64::from(self.0) & ((1 << kinds) - 1);
        for kind in ones(missing).filter(|&kind| actions.has_kind(kind)) {
            self.0 |= 1 << kind;
        }
    }

    /// Returns true if the set contains a kind.
    pub fn contains(self, kind: usize) -> bool {
        self.0 >> kind & 1 == 1
    }
}

impl Merge for KindSet {
    fn merge(&mut self, other: &Self) {
        self.0 |= other.0;
    }
}

block_sums! {
    HealthSums => Health {
        shared_wins, nobody_won, capped, rounds, decisions, branching, winning_scores,
        winning_margins, lead_changes, leaders_at_half,
    }
}

/// Counts the course of the games of a block.
#[derive(Clone, Default)]
pub struct HealthCounter {
    // State of the current game.
    decisions: u64,
    /// The seats with the highest score after each round.
    leaders: Vec<u8>,
    // Sums of the current block.
    sums: HealthSums,
    seats: PerSeat<BlockSum>,
    turn_positions: PerSeat<BlockSum>,
    ends: [BlockSum; MAX_END_REASONS],
}

impl HealthCounter {
    /// Starts a game.
    pub fn begin_game(&mut self) {
        self.decisions = 0;
        self.leaders.clear();
    }

    /// Counts a decision among `legal` actions.
    #[inline]
    pub fn count_decision(&mut self, legal: usize) {
        self.decisions += 1;
        self.sums.branching.add(1, legal as i64);
    }

    /// Counts the end of a round; `standing` is the outcome if the game ended now.
    pub fn end_round(&mut self, standing: &Outcome, seats: usize) {
        self.leaders.push(highest_scoring_seats(&standing.scores, seats));
    }

    /// Counts the results of a seat.
    pub fn end_seat(
        &mut self,
        seat: usize,
        turn_position: usize,
        wins: i64,
        score: i64,
        margin: i64,
    ) {
        self.seats[seat].add(1, wins);
        self.turn_positions[turn_position].add(1, wins);
        if wins > 0 {
            self.sums.winning_scores.add(1, score);
            self.sums.winning_margins.add(1, margin);
        }
    }

    /// Counts the end of a game.
    pub fn end_game(&mut self, health: &mut Health, outcome: &Outcome, seats: usize) {
        let winners = outcome.winners.count_ones();
        self.sums.shared_wins.add(1, i64::from(winners > 1));
        self.sums.nobody_won.add(1, i64::from(winners == 0));
        self.sums.capped.add(1, i64::from(outcome.hit_round_limit));
        self.sums.rounds.add(1, outcome.rounds.into());
        self.sums.decisions.add(1, self.decisions as i64);
        *health.games_by_rounds.entry(outcome.rounds.into()).or_default() += 1;
        *health.games_by_decisions.entry(self.decisions).or_default() += 1;
        for &score in &outcome.scores[..seats] {
            *health.seats_by_score.entry(score.into()).or_default() += 1;
        }
        if seats > 1 {
            self.end_round(outcome, seats);
            self.sums.lead_changes.add(1, lead_changes(&self.leaders));
            if let Some(leader) = leader_at_half(&self.leaders) {
                self.sums.leaders_at_half.add(1, outcome.win_share(leader));
            }
        }
    }

    /// Counts the reasons for which a game ended. Bit r of `ended_by` stands for reason r of
    /// `reasons`.
    pub fn end_for(&mut self, ended_by: u8, reasons: usize) {
        for (reason, sum) in self.ends.iter_mut().enumerate().take(reasons) {
            sum.add(1, i64::from(ended_by >> reason & 1));
        }
    }

    /// Ends a block: adds its sums to `health`.
    pub fn end_block(&mut self, health: &mut Health) {
        health.seats.add_block(&self.seats.each_mut().map(BlockSum::take));
        health.turn_positions.add_block(&self.turn_positions.each_mut().map(BlockSum::take));
        for (ratio, sum) in health.ends.iter_mut().zip(&mut self.ends) {
            if !sum.is_empty() {
                let (n, x) = sum.take();
                ratio.add_block(n, x);
            }
        }
        self.sums.flush_into(health);
    }
}

/// Returns the number of times that the only leader differs from the only leader before.
fn lead_changes(leaders: &[u8]) -> i64 {
    let mut only_leaders: Vec<u8> =
        leaders.iter().copied().filter(|leaders| leaders.is_power_of_two()).collect();
    only_leaders.dedup();
    only_leaders.len().saturating_sub(1) as i64
}

/// Returns the only leader after half the rounds, rounded down.
fn leader_at_half(leaders: &[u8]) -> Option<Seat> {
    let half = leaders.len().checked_div(2)?.checked_sub(1)?;
    let leader = leaders[half];
    leader.is_power_of_two().then(|| Seat::new(leader.trailing_zeros() as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_changes_if_another_seat_is_the_only_leader() {
        assert_eq!(lead_changes(&[0b01, 0b11, 0b01, 0b10, 0b11, 0b10, 0b01]), 2);
        assert_eq!(lead_changes(&[0b11, 0b11, 0b10]), 0);
        assert_eq!(lead_changes(&[]), 0);
    }

    #[test]
    fn number_of_rounds_is_halved_and_rounded_down() {
        assert_eq!(leader_at_half(&[0b01, 0b10, 0b10]), Some(Seat::new(0)));
        assert_eq!(leader_at_half(&[0b01, 0b10, 0b10, 0b01]), Some(Seat::new(1)));
        assert_eq!(leader_at_half(&[0b11, 0b01]), None);
        assert_eq!(leader_at_half(&[0b01]), None);
    }
}
