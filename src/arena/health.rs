//! The course of games: length, number of choices, leads, and differences between seats and turn
//! positions.

use std::{collections::BTreeMap, ops::AddAssign};

use serde::{Deserialize, Serialize};

use super::block_sum::BlockSum;
use crate::{
    game::{MAX_SEATS, Outcome, PerSeat, Seat, highest_scoring_seats},
    stats::{
        ratio::{MeanSums, Ratio},
        spread::{MAX_RATES, RateSums},
    },
};

const _: () = assert!(MAX_SEATS == MAX_RATES, "one rate for each seat");

/// Statistics on the course of the games of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Health {
    /// Games that several seats won.
    pub shared_wins: Ratio,
    /// Games without a winner.
    pub nobody_won: Ratio,
    /// Games that the round limit ended.
    pub capped: Ratio,
    /// Rounds played.
    pub rounds: MeanSums,
    /// Number of games by number of rounds.
    pub games_by_rounds: BTreeMap<u64, u64>,
    /// Decisions per game.
    pub decisions: MeanSums,
    /// Number of games by number of decisions.
    pub games_by_decisions: BTreeMap<u64, u64>,
    /// Legal actions per decision.
    pub branching: MeanSums,
    /// Action kinds that were legal at least once, as a bit set.
    pub legal_kinds: u32,
    /// Final scores of winners.
    pub winning_scores: MeanSums,
    /// Scores of winners minus the best score of the others.
    pub winning_margins: MeanSums,
    /// Changes of the leading seat, in games of 2 or more players.
    pub lead_changes: MeanSums,
    /// Win shares of the only leader after half the rounds.
    pub leaders_at_half: Ratio,
    /// Win shares by seat.
    pub seats: RateSums,
    /// Win shares by turn position.
    pub turn_positions: RateSums,
}

impl AddAssign<&Self> for Health {
    fn add_assign(&mut self, other: &Self) {
        self.shared_wins += other.shared_wins;
        self.nobody_won += other.nobody_won;
        self.capped += other.capped;
        self.rounds += other.rounds;
        add_counts(&mut self.games_by_rounds, &other.games_by_rounds);
        self.decisions += other.decisions;
        add_counts(&mut self.games_by_decisions, &other.games_by_decisions);
        self.branching += other.branching;
        self.legal_kinds |= other.legal_kinds;
        self.winning_scores += other.winning_scores;
        self.winning_margins += other.winning_margins;
        self.lead_changes += other.lead_changes;
        self.leaders_at_half += other.leaders_at_half;
        self.seats += other.seats;
        self.turn_positions += other.turn_positions;
    }
}

fn add_counts(mine: &mut BTreeMap<u64, u64>, theirs: &BTreeMap<u64, u64>) {
    for (&value, &count) in theirs {
        *mine.entry(value).or_default() += count;
    }
}

/// Counts the course of the games of a block.
#[derive(Clone, Default)]
pub(crate) struct HealthCounter {
    // State of the current game.
    decisions: u64,
    /// The seats with the highest score after each round.
    leaders: Vec<u8>,
    // Sums of the current block.
    shared_wins: BlockSum,
    nobody_won: BlockSum,
    capped: BlockSum,
    rounds: BlockSum,
    decisions_per_game: BlockSum,
    branching: BlockSum,
    winning_scores: BlockSum,
    winning_margins: BlockSum,
    lead_changes: BlockSum,
    leaders_at_half: BlockSum,
    seats: PerSeat<BlockSum>,
    turn_positions: PerSeat<BlockSum>,
}

impl HealthCounter {
    /// Starts a game.
    pub(crate) fn begin_game(&mut self) {
        self.decisions = 0;
        self.leaders.clear();
    }

    /// Counts a decision among `legal` actions.
    #[inline]
    pub(crate) fn count_decision(&mut self, legal: usize) {
        self.decisions += 1;
        self.branching.add(1, legal as i64);
    }

    /// Counts the end of a round; `standing` is the outcome if the game ended now.
    pub(crate) fn end_round(&mut self, standing: &Outcome, seats: usize) {
        self.leaders.push(highest_scoring_seats(&standing.scores, seats));
    }

    /// Counts the results of a seat.
    pub(crate) fn end_seat(
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
            self.winning_scores.add(1, score);
            self.winning_margins.add(1, margin);
        }
    }

    /// Counts the end of a game.
    pub(crate) fn end_game(&mut self, health: &mut Health, outcome: &Outcome, seats: usize) {
        let winners = outcome.winners.count_ones();
        self.shared_wins.add(1, i64::from(winners > 1));
        self.nobody_won.add(1, i64::from(winners == 0));
        self.capped.add(1, i64::from(outcome.hit_round_limit));
        self.rounds.add(1, outcome.rounds.into());
        self.decisions_per_game.add(1, self.decisions as i64);
        *health.games_by_rounds.entry(outcome.rounds.into()).or_default() += 1;
        *health.games_by_decisions.entry(self.decisions).or_default() += 1;
        if seats > 1 {
            self.end_round(outcome, seats);
            self.lead_changes.add(1, lead_changes(&self.leaders));
            if let Some(leader) = leader_at_half(&self.leaders) {
                self.leaders_at_half.add(1, outcome.win_share(leader));
            }
        }
    }

    /// Ends a block: adds its sums to `health`.
    pub(crate) fn end_block(&mut self, health: &mut Health) {
        health.seats.add_block(&self.seats.map(BlockSum::totals));
        health.turn_positions.add_block(&self.turn_positions.map(BlockSum::totals));
        self.seats = PerSeat::default();
        self.turn_positions = PerSeat::default();
        self.shared_wins.flush_into(&mut health.shared_wins);
        self.nobody_won.flush_into(&mut health.nobody_won);
        self.capped.flush_into(&mut health.capped);
        self.rounds.flush_into(&mut health.rounds);
        self.decisions_per_game.flush_into(&mut health.decisions);
        self.branching.flush_into(&mut health.branching);
        self.winning_scores.flush_into(&mut health.winning_scores);
        self.winning_margins.flush_into(&mut health.winning_margins);
        self.lead_changes.flush_into(&mut health.lead_changes);
        self.leaders_at_half.flush_into(&mut health.leaders_at_half);
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
