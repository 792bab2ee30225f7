//! Points by turn position that would make a game even, computed from final scores: their search,
//! `added_points.csv` and their section of the report.
//!
//! Points are whole numbers with the smallest spread of the win rates of all games. The games are
//! not played again: a bot that knew of the points could play differently.

use crate::{
    experiments::turn_order::TurnOrderTally,
    game::{MAX_SEATS, PerSeat, highest_scoring_seats},
    stats::ratio::MIN_BLOCKS_OF_MEAN,
    study::shared::prelude::*,
};

/// Largest number of points of a turn position.
const MAX_POINTS: i32 = 1000;

/// Largest number of points up to which every whole number has a row.
const MAX_SINGLE_STEPS: i32 = 3;

/// Points by turn position, with the win rates that they would give.
#[derive(Clone, PartialEq, Debug)]
pub struct AddedPoints {
    /// Points of each turn position; the smallest is 0.
    pub points: Vec<i32>,
    /// Win rates of the turn positions with these points.
    pub win_rates: Vec<Estimate>,
}

impl AddedPoints {
    /// Returns the largest number of points.
    pub fn largest(&self) -> i32 {
        self.points.iter().copied().max().unwrap_or(0)
    }

    /// Returns the standard deviation of the win rates as they are, without a correction.
    pub fn spread(&self) -> f64 {
        let rates: Vec<_> = self.win_rates.iter().map(|rate| rate.value).collect();
        (sum_of_squares(&rates) / rates.len().max(1) as f64).sqrt()
    }
}

/// Returns the sum of the squared deviations from the mean.
pub(super) fn sum_of_squares(rates: &[f64]) -> f64 {
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    rates.iter().map(|rate| (rate - mean).powi(2)).sum()
}

/// Points with the smallest spread of win rates, beside smaller and larger ones.
#[derive(Clone, PartialEq, Debug)]
pub struct EvenPoints {
    /// The points with the smallest spread.
    pub best: AddedPoints,
    /// Rows by the largest number of points, from 0: for each, the points with the smallest spread.
    /// One of them is the best.
    pub rows: Vec<AddedPoints>,
}

impl EvenPoints {
    /// States the best points; `None` if they are none.
    pub(super) fn sentence(&self) -> Option<String> {
        let AddedPoints { points, win_rates } = &self.best;
        let given = TURN_POSITION_NAMES.iter().zip(points).filter(|(_, points)| **points > 0);
        let given = given.map(|(name, &n)| format!("{} for the {name}", format_count(n, "point")));
        let given: Vec<_> = given.collect();
        let rates = join_with_and(win_rates.iter().map(|&rate| format_percent(rate)));
        (!given.is_empty()).then(|| {
            format!(
                "With {} in addition, the final scores of these games give {rates}, the smallest \
                 spread. Bots that know of the points play otherwise; `balance search` plays \
                 edits.",
                join_with_and(given),
            )
        })
    }

    /// Returns the best points of a turn position, with its win rate.
    pub(super) fn at(&self, position: usize) -> (i32, Estimate) {
        (self.best.points[position], self.best.win_rates[position])
    }

    /// Finds the whole points with the smallest spread of win rates; none if some games are not won
    /// by score alone, or if there are too few games.
    pub fn find(tally: &TurnOrderTally, players: usize) -> Option<Self> {
        let games_per_block = (tally.games / tally.blocks.max(1)).max(1) as usize;
        let games = tally.final_scores.games();
        let blocks: Vec<_> = games.chunks_exact(games_per_block).collect();
        let has_enough = blocks.len() as u64 >= MIN_BLOCKS_OF_MEAN;
        if tally.not_won_by_score > 0 || players < 2 || !has_enough {
            return None;
        }
        let search = PointSearch::new(games, players);
        let best = search.best();
        let with_rates = |points: PerSeat<i32>| {
            let wins = win_shares(&blocks, players, &points);
            AddedPoints {
                points: points[..players].to_vec(),
                win_rates: wins[..players].iter().map(|wins| wins.rate(UNITS_PER_WIN)).collect(),
            }
        };
        let largest = largest_points(&best);
        let row = |points| if points == largest { best } else { search.near(&best, points) };
        let rows = row_points(largest).into_iter().map(|points| with_rates(row(points)));
        Some(Self { rows: rows.collect(), best: with_rates(best) })
    }
}

/// The points of a lineup, a row of them, and a turn position.
type PointRow<'a> = (&'a str, &'a EvenPoints, &'a AddedPoints, usize);

/// Returns the columns of `added_points.csv`.
pub(super) fn columns<'a>() -> Columns<PointRow<'a>> {
    let title = "Results that the final scores would give with points for turn positions.";
    let win_rate = "Share of games won with these points, computed from the final scores and not \
                    played.";
    let spread = "Standard deviation of the win rates of all turn positions.";
    let largest = "Largest number of points of a turn position. Its rows have the points with the \
                   smallest spread of win rates.";
    let is_best = "1 for the points with the smallest spread.";
    Columns::<PointRow<'_>>::new("added_points", title)
        .text("lineup", "Bots in the seats.", |(lineup, ..)| *lineup)
        .integer(("largest_points", "largest"), largest, |(.., added, _)| added.largest())
        .turn_position(|(.., position)| *position)
        .integer("points", "Points of the turn position.", |(.., added, p)| added.points[*p])
        .percent("win rate", win_rate, |(.., added, position)| added.win_rates[*position])
        .n(("n", "games"))
        .number(("sd_of_win_rates", "spread"), 6, spread, |(.., added, _)| added.spread())
        .integer("best", is_best, |(_, all, added, _)| all.best == **added)
        .provenance()
}

/// Adds columns of the best points of a turn position, with its win rate.
pub(super) fn with_best<R>(
    columns: Columns<R>,
    best: impl Fn(&R) -> Option<(i32, Estimate)> + Copy + 'static,
) -> Columns<R> {
    let even_points = "Points in addition to the final score that make the win rates as equal as \
                       possible, computed from all games. Empty if a game is not won by score \
                       alone.";
    let even_win_rate = "Share of games won with these points, computed from the final scores and \
                         not played.";
    columns
        .integer("even points", even_points, move |row| best(row).map(|(points, _)| points))
        .percent(("even_win_rate", "win rate with them"), even_win_rate, move |row| {
            best(row).map_or(Estimate::unbounded(0, f64::NAN), |(_, win_rate)| win_rate)
        })
        .n(("even_n", "games with them"))
}

/// Adds the points of lineups to a report, below the sentence of the first one; nothing if no
/// lineup has points.
pub(super) fn add_to<'a>(
    report: &mut StudyReport,
    lineups: impl Iterator<Item = (&'a str, &'a EvenPoints)>,
    sentence: &str,
    provenance: &Claim,
) {
    let rows = lineups.flat_map(|(lineup, all)| {
        all.rows.iter().flat_map(move |added| {
            (0..added.points.len()).map(move |position| (lineup, all, added, position))
        })
    });
    let table = columns().table(provenance, rows);
    if table.rows().is_empty() {
        return;
    }
    report.section("Points in addition");
    if !sentence.is_empty() {
        report.explanation(sentence);
    }
    report.explanation(
        "Win rates if turn positions had points in addition to the final score. The best points \
         are those with the smallest spread of the win rates. They are computed from the final \
         scores of all games and not played: a bot that knew of the points could play differently.",
    );
    report.data(table, &[], "Points in addition", "");
}

fn largest_points(points: &PerSeat<i32>) -> i32 {
    points.iter().copied().max().unwrap_or(0)
}

/// Returns the largest number of points of each row: 0, 1, 2, 3, or larger steps if the best points
/// are many.
fn row_points(best: i32) -> Vec<i32> {
    if best <= MAX_SINGLE_STEPS {
        return (0..=MAX_SINGLE_STEPS.max(best + 1)).collect();
    }
    let step = (best + MAX_SINGLE_STEPS - 1) / MAX_SINGLE_STEPS;
    let mut rows: Vec<_> = (0..=MAX_SINGLE_STEPS + 1).map(|row| row * step).collect();
    rows.push(best);
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Steps of the search for points. Scores of some games are multiples of a number above 1.
const STEPS: [i32; 6] = [1, 2, 3, 4, 8, 16];

/// The differences between final scores of all games, with the number of games of each.
struct PointSearch {
    players: usize,
    games: BTreeMap<PerSeat<i32>, i64>,
}

impl PointSearch {
    fn new(games: &[PerSeat<i32>], players: usize) -> Self {
        let mut counts = BTreeMap::new();
        for scores in games {
            let mut relative = PerSeat::default();
            for position in 0..players {
                relative[position] = scores[position] - scores[0];
            }
            *counts.entry(relative).or_default() += 1;
        }
        Self { players, games: counts }
    }

    /// Returns the points with the smallest spread; the smallest of them is 0.
    fn best(&self) -> PerSeat<i32> {
        let all: Vec<_> = (0..self.players).collect();
        let mut points = self.descend(PerSeat::default(), &all, -MAX_POINTS..MAX_POINTS);
        let smallest = points[..self.players].iter().copied().min().unwrap_or(0);
        points[..self.players].iter_mut().for_each(|points| *points -= smallest);
        points
    }

    /// Returns the points with the smallest spread among those whose largest is `largest`, which
    /// the turn position with the most of the best points has.
    fn near(&self, best: &PerSeat<i32>, largest: i32) -> PerSeat<i32> {
        let most = largest_points(best);
        // Without points, the position with the fewest wins gets them.
        let wins = self.wins(&PerSeat::default());
        let rank = |&position: &usize| (best[position], -wins[position]);
        let high = (0..self.players).max_by_key(rank).unwrap_or(0);
        let low = (0..self.players).min_by_key(rank).unwrap_or(0);
        let mut points: PerSeat<i32> = PerSeat::default();
        for position in 0..self.players {
            points[position] = best[position] * largest / most.max(1);
        }
        points[high] = largest;
        points[low] = 0;
        let free: Vec<_> = (0..self.players).filter(|&p| p != high && p != low).collect();
        self.descend(points, &free, 0..largest + 1)
    }

    /// Changes the points of one position at a time while the spread becomes smaller.
    fn descend(&self, mut points: PerSeat<i32>, free: &[usize], range: Range<i32>) -> PerSeat<i32> {
        let mut best = self.spread(&points);
        loop {
            let steps = || STEPS.into_iter().flat_map(|step| [step, -step]);
            let changes =
                free.iter().flat_map(|&position| steps().map(move |step| (position, step)));
            let neighbours = changes.filter_map(|(position, step)| {
                let mut changed: PerSeat<i32> = points;
                changed[position] += step;
                let is_allowed = range.contains(&changed[position]);
                is_allowed.then(|| (self.spread(&changed), changed))
            });
            match neighbours.min_by(|one, other| one.0.total_cmp(&other.0)) {
                Some((spread, changed)) if spread < best => (best, points) = (spread, changed),
                _ => return points,
            }
        }
    }

    /// Returns the sum of the squared deviations of the win shares from their mean.
    fn spread(&self, points: &PerSeat<i32>) -> f64 {
        let games: i64 = self.games.values().sum();
        let unit = (games * UNITS_PER_WIN) as f64;
        let wins = self.wins(points);
        let rates: Vec<_> = wins[..self.players].iter().map(|&wins| wins as f64 / unit).collect();
        sum_of_squares(&rates)
    }

    /// Returns the win shares of each turn position if it had these points in addition.
    fn wins(&self, points: &PerSeat<i32>) -> PerSeat<i64> {
        let mut wins: PerSeat<i64> = PerSeat::default();
        for (scores, games) in &self.games {
            add_win_shares(&mut wins, scores, points, self.players, *games);
        }
        wins
    }
}

/// Adds the win shares of a number of games with these scores, if each turn position had these
/// points in addition.
fn add_win_shares(
    wins: &mut PerSeat<i64>,
    scores: &PerSeat<i32>,
    points: &PerSeat<i32>,
    players: usize,
    games: i64,
) {
    let total = std::array::from_fn(|position| scores[position] + points[position]);
    let winners = highest_scoring_seats(&total, players);
    let share = UNITS_PER_WIN / i64::from(winners.count_ones());
    for position in (0..players).filter(|position| winners >> position & 1 == 1) {
        wins[position] += games * share;
    }
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
            add_win_shares(&mut wins, scores, points, players, 1);
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
        assert_eq!(found.best.points, [0, 3]);
        let first = found.best.win_rates[0];
        assert!(first.low < 0.5 && 0.5 < first.high, "{found:?}");
        let rows: Vec<_> = found.rows.iter().map(|row| row.points.clone()).collect();
        assert_eq!(rows, [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4]]);
        let spreads = found.rows.iter().map(AddedPoints::spread);
        let smallest = spreads.min_by(f64::total_cmp);
        assert_eq!(smallest, Some(found.best.spread()));
        // 13 of 21 games without points: 4 to 13 and 0 to 3 are won, and 0 is shared.
        assert!((found.rows[0].win_rates[0].value - 13.5 / 21.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn rows_have_larger_steps_if_many_points_are_best() {
        assert_eq!(row_points(0), [0, 1, 2, 3]);
        assert_eq!(row_points(2), [0, 1, 2, 3]);
        assert_eq!(row_points(3), [0, 1, 2, 3, 4]);
        assert_eq!(row_points(9), [0, 3, 6, 9, 12]);
        assert_eq!(row_points(10), [0, 4, 8, 10, 12, 16]);
    }

    #[test]
    fn games_that_are_not_won_by_score_have_no_points() {
        let tally = TurnOrderTally { not_won_by_score: 1, ..tally(100) };
        assert_eq!(EvenPoints::find(&tally, 2), None);
        assert_eq!(EvenPoints::find(&TurnOrderTally::default(), 2), None);
    }
}
