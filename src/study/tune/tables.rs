//! Tables of `tune`: the evaluations of candidates, and the play-off.

use super::space::ParameterSpace;
use crate::{
    arena::tally::BotTally,
    game::UNITS_PER_WIN,
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        provenance::Claim,
    },
    stats::ratio::Ratio,
};

/// Returns the description of `evaluations.csv`.
pub(super) fn evaluations_schema(space: &ParameterSpace) -> Schema {
    let numbers = [
        ("restart", "Number of the restart, from 0."),
        ("generation", "Number of the generation in the restart, from 0."),
        ("candidate", "Number of the candidate in the generation, from 0."),
    ];
    let numbers = numbers.map(|(key, description)| Column::integer(key, key, description));
    let schema = Schema::new("evaluations", "Evaluation of a candidate.").columns(numbers);
    with_parameters_and_results(schema, space)
}

/// Returns the description of `playoff.csv`.
pub(super) fn playoff_schema(space: &ParameterSpace) -> Schema {
    let schema = Schema::new("playoff", "Result of a finalist in a stage after the restarts.")
        .column(Column::word(
            "stage",
            "stage",
            &["play-off", "confirmation"],
            "`play-off` against the opponents, or `confirmation` against the initial profile.",
        ))
        .column(Column::text(
            "bot",
            "bot",
            "`start` for the initial profile, or `restart` and the number of the restart.",
        ));
    with_parameters_and_results(schema, space)
}

fn with_parameters_and_results(schema: Schema, space: &ParameterSpace) -> Schema {
    let parameters = space.parameters.iter().map(|parameter| {
        // With all digits, so that a resumed run continues with equal numbers.
        Column::label(&parameter.name, &parameter.name, "Value of a tuned parameter.")
    });
    schema
        .columns(parameters)
        .column(Column::integer("games", "games", "Games of the bot."))
        .column(Column::number("wins", "wins", 4, "Wins; a shared win counts its share."))
        .column(Column::estimate("win_rate", "win rate", Unit::Percent, "Share of wins.").ci("ci"))
        .column(Column::number("mean_score", "mean score", 4, "Mean score of the bot."))
        .provenance()
}

/// Returns the line of an evaluation. `position` is restart, generation and candidate.
pub(super) fn evaluation_line(
    space: &ParameterSpace,
    position: [u64; 3],
    values: &[f64],
    tally: &BotTally,
    provenance: &Claim,
) -> Vec<u8> {
    let mut table = DataTable::new(evaluations_schema(space), provenance);
    let results = result_values(&tally.wins, Some(&tally.scores.ratio));
    let values = values.iter().map(|value| value.to_string().into());
    table.push(position.into_iter().map(Value::from).chain(values).chain(results));
    table.csv_rows()
}

/// Returns the values of the columns from `games` to `mean_score`.
pub(super) fn result_values(wins: &Ratio, scores: Option<&Ratio>) -> [Value; 4] {
    let win_rate = wins.rate(UNITS_PER_WIN);
    [
        win_rate.n.into(),
        Value::Number(wins.x as f64 / UNITS_PER_WIN as f64),
        win_rate.into(),
        scores.map_or(Value::Missing, |scores| Value::Number(scores.value(1))),
    ]
}

/// Parses the results at the end of an evaluation's line: win rate and mean score, as precisely as
/// they were written, so that a resumed run continues with equal numbers.
pub(super) fn parse_results(fields: &[String]) -> Option<[f64; 2]> {
    let [games, wins, .., mean_score, _] = fields else { return None };
    let (games, wins) = (games.parse::<u64>().ok()?, wins.parse::<f64>().ok()?);
    let units = UNITS_PER_WIN as f64;
    Some([(wins * units).round() / (games as f64 * units), mean_score.parse().ok()?])
}
