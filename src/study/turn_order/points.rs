//! Points by turn position that would make a game even, computed from final scores.
//!
//! Points are chosen with the games of even blocks and judged with those of odd blocks, so that the
//! choice does not bias the win rates. The games are not played again: a bot that knew of the
//! points could play differently.

use crate::{
    experiments::turn_order::TurnOrderTally,
    game::{MAX_SEATS, PerSeat, UNITS_PER_WIN, highest_scoring_seats},
    stats::ratio::{Estimate, Ratio},
};

/// Largest number of points of a turn position.
const MAX_POINTS: i32 = 1000;

/// Points by turn position, with the win rates that they would give.
#[derive(Clone, PartialEq, Debug)]
pub struct EvenPoints {
    /// Points of each turn position; the smallest is 0.
    pub points: Vec<i32>,
    /// Win rates of the turn positions with these points.
    pub win_rates: Vec<Estimate>,
}

impl EvenPoints {
    /// Finds the whole points with the smallest spread of win rates; none if some games are not won
    /// by score alone, or if there are too few games.
    pub fn find(tally: &TurnOrderTally, players: usize) -> Option<Self> {
        let games_per_block = (tally.games / tally.blocks.max(1)).max(1) as usize;
        let blocks: Vec<_> = tally.final_scores.games().chunks_exact(games_per_block).collect();
        if tally.not_won_by_score > 0 || players < 2 || blocks.len() < 4 {
            return None;
        }
        let even: Vec<_> = blocks.iter().step_by(2).copied().collect();
        let odd: Vec<_> = blocks.iter().skip(1).step_by(2).copied().collect();
        let points = choose_points(&even, players);
        let win_rates = win_shares(&odd, players, &points);
        let win_rates = win_rates[..players].iter().map(|wins| wins.rate(UNITS_PER_WIN)).collect();
        Some(Self { points: points[..players].to_vec(), win_rates })
    }
}

/// Steps of the search for points. Scores of some games are multiples of a number above 1.
const STEPS: [i32; 6] = [1, 2, 3, 4, 8, 16];

/// Searches for the points with the smallest spread, by steps of one turn position at a time.
fn choose_points(blocks: &[&[PerSeat<i32>]], players: usize) -> PerSeat<i32> {
    let mut points = PerSeat::default();
    let mut best = spread(blocks, players, &points);
    loop {
        let steps = || STEPS.into_iter().flat_map(|step| [step, -step]);
        let neighbours =
            (0..players).flat_map(|position| steps().map(move |step| (position, step)));
        let neighbours = neighbours.map(|(position, step)| {
            let mut changed: PerSeat<i32> = points;
            changed[position] += step;
            (spread(blocks, players, &changed), changed)
        });
        let nearest = neighbours.min_by(|one, other| one.0.total_cmp(&other.0));
        match nearest {
            Some((spread, changed))
                if spread < best && changed.iter().all(|points| points.abs() < MAX_POINTS) =>
            {
                (best, points) = (spread, changed);
            }
            _ => break,
        }
    }
    let smallest = points[..players].iter().copied().min().unwrap_or(0);
    std::array::from_fn(|position| if position < players { points[position] - smallest } else { 0 })
}

/// Returns the sum of the squared deviations of the win shares from their mean.
fn spread(blocks: &[&[PerSeat<i32>]], players: usize, points: &PerSeat<i32>) -> f64 {
    let wins = win_shares(blocks, players, points);
    let rates: Vec<_> = wins[..players].iter().map(|wins| wins.value(UNITS_PER_WIN)).collect();
    let mean = rates.iter().sum::<f64>() / players as f64;
    rates.iter().map(|rate| (rate - mean).powi(2)).sum()
}

/// Counts the win shares of each turn position if it had these points in addition.
fn win_shares(
    blocks: &[&[PerSeat<i32>]],
    players: usize,
    points: &PerSeat<i32>,
) -> [Ratio; MAX_SEATS] {
    let mut shares = [Ratio::default(); MAX_SEATS];
    for block in blocks {
        let mut wins: PerSeat<i64> = PerSeat::default();
        for scores in *block {
            let total = std::array::from_fn(|position| scores[position] + points[position]);
            let winners = highest_scoring_seats(&total, players);
            let share = UNITS_PER_WIN / i64::from(winners.count_ones());
            for position in (0..players).filter(|position| winners >> position & 1 == 1) {
                wins[position] += share;
            }
        }
        let totals = shares.iter_mut().zip(wins).take(players);
        totals.for_each(|(share, wins)| share.add_block(block.len() as i64, wins));
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores of 2 players: the first has a random advantage around 3 points.
    fn tally(games: i32) -> TurnOrderTally {
        let mut tally = TurnOrderTally {
            blocks: games as u64,
            games: games as u64,
            ..TurnOrderTally::default()
        };
        for game in 0..games {
            // −7 to 13 in steps of 1: the median is 3.
            let mut scores: PerSeat<i32> = PerSeat::default();
            scores[0] = game * 13 % 21 - 7;
            tally.final_scores.add_game(scores);
        }
        tally
    }

    #[test]
    fn points_compensate_a_known_advantage() {
        let found = EvenPoints::find(&tally(21 * 40), 2).expect("points");
        assert_eq!(found.points, [0, 3]);
        assert!(found.win_rates[0].low < 0.5 && 0.5 < found.win_rates[0].high, "{found:?}");
    }

    #[test]
    fn games_that_are_not_won_by_score_have_no_points() {
        let tally = TurnOrderTally { not_won_by_score: 1, ..tally(100) };
        assert_eq!(EvenPoints::find(&tally, 2), None);
        assert_eq!(EvenPoints::find(&TurnOrderTally::default(), 2), None);
    }
}
