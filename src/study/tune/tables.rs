//! Tables of `tune`: the evaluations of candidates, and the play-off.

use super::space::ParameterSpace;
use crate::{game::UNITS_PER_WIN, report::data_table::Columns, stats::ratio::Ratio};

/// A bot, named by its first value, with its tuned parameters, its wins and its scores.
pub(super) type TunedRow<T> = (T, Vec<Option<f64>>, Ratio, Option<Ratio>);

/// Returns the columns of `evaluations.csv`. A candidate is named by its restart, its generation
/// and its number.
pub(super) fn evaluations_columns(space: &ParameterSpace) -> Columns<TunedRow<[u64; 3]>> {
    let columns = Columns::<TunedRow<[u64; 3]>>::new("evaluations", "Evaluation of a candidate.")
        .integer("restart", "restart", "Number of the restart, from 0.", |row| row.0[0])
        .integer(
            "generation",
            "generation",
            "Number of the generation in the restart, from 0.",
            |row| row.0[1],
        )
        .integer(
            "candidate",
            "candidate",
            "Number of the candidate in the generation, from 0.",
            |row| row.0[2],
        );
    with_parameters_and_results(columns, space)
}

/// Returns the columns of `playoff.csv`. A finalist is named by the stage and its name.
pub(super) fn playoff_columns(space: &ParameterSpace) -> Columns<TunedRow<(&'static str, String)>> {
    let title = "Result of a finalist in a stage after the restarts.";
    let columns = Columns::<TunedRow<(&str, String)>>::new("playoff", title)
        .word(
            "stage",
            "stage",
            &["play-off", "confirmation"],
            "`play-off` against the opponents, or `confirmation` against the initial profile.",
            |row| row.0.0,
        )
        .text(
            "bot",
            "bot",
            "`start` for the initial profile, or `restart` and the number of the restart.",
            |row| row.0.1.clone(),
        );
    with_parameters_and_results(columns, space)
}

fn with_parameters_and_results<T>(
    columns: Columns<TunedRow<T>>,
    space: &ParameterSpace,
) -> Columns<TunedRow<T>> {
    let parameters = space.parameters.iter().map(|parameter| &parameter.name);
    let columns = parameters.enumerate().fold(columns, |columns, (index, name)| {
        // With all digits, so that a resumed run continues with equal numbers.
        columns.text_or_number(name, name, "Value of a tuned parameter.", move |row| {
            row.1[index].map(|value| value.to_string())
        })
    });
    columns
        .integer("games", "games", "Games of the bot.", |row| row.2.n)
        .number("wins", "wins", 4, "Wins; a shared win counts its share.", |row| {
            row.2.x as f64 / UNITS_PER_WIN as f64
        })
        .percent("win_rate", "win rate", "Share of wins.", |row| row.2.rate(UNITS_PER_WIN))
        .ci("ci")
        .number("mean_score", "mean score", 4, "Mean score of the bot.", |row| {
            row.3.as_ref().map(|scores| scores.value(1))
        })
        .provenance()
}

/// Parses the results at the end of an evaluation's line: win rate and mean score, as precisely as
/// they were written, so that a resumed run continues with equal numbers.
pub(super) fn parse_results(fields: &[String]) -> Option<[f64; 2]> {
    let [games, wins, .., mean_score, _] = fields else { return None };
    let (games, wins) = (games.parse::<u64>().ok()?, wins.parse::<f64>().ok()?);
    let units = UNITS_PER_WIN as f64;
    Some([(wins * units).round() / (games as f64 * units), mean_score.parse().ok()?])
}
