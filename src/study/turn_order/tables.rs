//! `turn_positions.csv`, `added_points.csv` and `verdicts.csv`.

use super::{
    analysis::{LineupTurnOrder, TurnOrderAnalysis},
    points::AddedPoints,
};
use crate::study::shared::prelude::*;

/// An estimate without observations.
const NONE: Estimate = Estimate { n: 0, value: f64::NAN, low: 0.0, high: 1.0 };

/// The names of the verdicts: fair within the margin, significantly unfair, and neither.
const VERDICTS: [&str; 3] = ["fair", "unfair", "open"];

/// A lineup of an analysis with a turn position.
type PositionRow<'a> = (&'a LineupTurnOrder<'a>, usize);

/// Returns the columns of `turn_positions.csv`.
pub(super) fn positions_columns<'a>() -> Columns<PositionRow<'a>> {
    let turn_position = "Turn position, 0 for the first player.";
    let difference = "Win rate minus the mean of all turn positions.";
    let even_points = "Points in addition to the final score that make the win rates as equal as \
                       possible, computed from all games. Empty if a game is not won by score \
                       alone.";
    let even_win_rate = "Share of games won with these points, computed from the final scores and \
                         not played.";
    Columns::<PositionRow<'_>>::new("turn_positions", "Results at a turn position.")
        .text("lineup", "Bots in the seats.", |(row, _)| row.lineup)
        .integer(("turn_position", "position"), turn_position, |(_, position)| *position)
        .counted_from_1()
        .percent("win rate", "Share of games won.", |(row, position)| {
            row.order.win_rates[*position]
        })
        .n(("n", "games"))
        .percentage_points(("difference", "from mean"), difference, |(row, position)| {
            row.order.differences_from_mean[*position].estimate()
        })
        .estimate("mean score", Unit::Decimals(2), "Final score.", |(row, position)| {
            row.tally.scores[*position].mean()
        })
        .measured_in("points")
        .integer("even points", even_points, |(row, position)| {
            row.points.as_ref().map(|points| i64::from(points.best.points[*position]))
        })
        .percent(("even_win_rate", "win rate with them"), even_win_rate, |(row, position)| {
            row.points.as_ref().map_or(NONE, |points| points.best.win_rates[*position])
        })
        .n(("even_n", "games with them"))
        .provenance()
}

/// Points that are added for the turn positions of a lineup.
pub(super) struct PointRow<'a> {
    lineup: &'a str,
    added: &'a AddedPoints,
    position: usize,
    is_best: bool,
}

/// Returns the columns of `added_points.csv`.
pub(super) fn points_columns<'a>() -> Columns<PointRow<'a>> {
    let title = "Results that the final scores would give with points for turn positions.";
    let win_rate = "Share of games won with these points, computed from the final scores and not \
                    played.";
    let sd_of_win_rates = "Standard deviation of the win rates of all turn positions.";
    let largest = "Largest number of points of a turn position. Its rows have the points with the \
                   smallest spread of win rates.";
    Columns::<PointRow<'_>>::new("added_points", title)
        .text("lineup", "Bots in the seats.", |row| row.lineup)
        .integer(("largest_points", "largest"), largest, |row| i64::from(row.added.largest()))
        .integer(("turn_position", "position"), "Turn position, 0 for the first player.", |row| {
            row.position
        })
        .counted_from_1()
        .integer("points", "Points of the turn position.", |row| {
            i64::from(row.added.points[row.position])
        })
        .percent("win rate", win_rate, |row| row.added.win_rates[row.position])
        .n(("n", "games"))
        .number(("sd_of_win_rates", "spread"), 6, sd_of_win_rates, |row| row.added.spread())
        .integer("best", "1 for the points with the smallest spread.", |row| u64::from(row.is_best))
        .provenance()
}

/// A lineup of an analysis with the margin of a fair game.
type VerdictRow<'a> = (&'a LineupTurnOrder<'a>, f64);

/// Returns the columns of `verdicts.csv`.
pub(super) fn verdicts_columns<'a>() -> Columns<VerdictRow<'a>> {
    let title = "Tests of the turn order with a lineup.";
    let mean_win_rate = "Mean win rate of all turn positions. It has no interval if every game is \
                         won.";
    let sd_of_turn_positions = "Standard deviation of the true win rates of the turn positions; \
                                negative if they differ less than expected by chance.";
    let largest_difference = "Largest difference between the win rates of two turn positions. \
                              Empty with more than 2 players unless both halves of the blocks have \
                              the same pair. The interval is that of the range of all win rates.";
    let q = "Wald's statistic of the test that all win rates are equal.";
    let columns = Columns::<VerdictRow<'_>>::new("verdicts", title)
        .text("lineup", "Bots in the seats.", |(row, _)| row.lineup)
        .integer("blocks", "Whole blocks played.", |(row, _)| row.tally.blocks)
        .integer("games", "Games played.", |(row, _)| row.tally.games)
        .integer(("without_winner", "nobody won"), "Games without a winner.", |(row, _)| {
            row.tally.without_winner
        })
        .percent("mean win rate", mean_win_rate, |(row, _)| row.order.mean)
        .percentage_points(("sd_of_turn_positions", "spread"), sd_of_turn_positions, |(row, _)| {
            row.order.sd
        })
        .percentage_points("largest difference", largest_difference, |(row, _)| {
            row.order.largest_difference
        })
        .number(("q", "Q"), 4, q, |(row, _)| row.order.equality.q)
        .integer(("degrees_of_freedom", "df"), "Its degrees of freedom.", |(row, _)| {
            row.order.equality.degrees_of_freedom
        });
    with_tests(columns).provenance()
}

fn with_tests(columns: Columns<VerdictRow<'_>>) -> Columns<VerdictRow<'_>> {
    let p_holm = "`p` adjusted by Holm's method for all lineups.";
    let margin = "Largest difference between two win rates that counts as fair.";
    let equivalence_p = "Test that all win rates are equal within the margin.";
    let verdict = "`fair`: equal within the margin (`equivalence_p` < 0.05). `unfair`: different \
                   (`p_holm` < 0.05) and not `fair`. `open`: neither.";
    let games_needed = "Games that show `fair` with a probability of 90 % if all win rates are \
                        equal; empty unless the verdict is `open`.";
    columns
        .p_value("p", "Test that all win rates are equal.", |(row, _)| row.order.equality.p)
        .p_value(("p_holm", "p (Holm)"), p_holm, |(row, _)| row.order.p_holm)
        .number("margin", 6, margin, |(_, margin)| *margin)
        .p_value(("equivalence_p", "p of equivalence"), equivalence_p, |(row, _)| {
            row.order.p_equivalence
        })
        .word("verdict", &VERDICTS, verdict, |(row, _)| VERDICTS[row.order.verdict as usize])
        .integer("games needed", games_needed, |(row, _)| row.order.games_needed())
}

impl TurnOrderAnalysis<'_> {
    /// Returns the rows of `turn_positions.csv`.
    pub fn positions_table(&self, provenance: &Claim) -> DataTable {
        let rows =
            self.lineups.iter().flat_map(|row| (0..self.players).map(move |place| (row, place)));
        positions_columns().table(provenance, rows)
    }

    /// Returns the rows of `added_points.csv`; none if no lineup has points.
    pub fn points_table(&self, provenance: &Claim) -> Option<DataTable> {
        let rows = self.lineups.iter().flat_map(|row| {
            let points = row.points.iter();
            points.flat_map(move |points| {
                points.rows.iter().flat_map(move |added| {
                    (0..self.players).map(move |position| PointRow {
                        lineup: row.lineup,
                        added,
                        position,
                        is_best: *added == points.best,
                    })
                })
            })
        });
        let table = points_columns().table(provenance, rows);
        (!table.rows().is_empty()).then_some(table)
    }

    /// Returns the rows of `verdicts.csv`.
    pub fn verdicts_table(&self, provenance: &Claim) -> DataTable {
        verdicts_columns().table(provenance, self.lineups.iter().map(|row| (row, self.margin)))
    }
}
