//! The answer of `tune`, its tables and its report.

use super::{BEST, Confirmed, space::Parameter};
use crate::{stats::paired::PairedSums, study::shared::prelude::*};

/// Number of parameters that the terminal shows, those that changed most.
const MAX_SHOWN: usize = 16;

/// The wins of the initial profile of this name and of the result.
type ConfirmationRow<'a> = (&'a str, &'a PairedSums);

/// Returns the columns of `confirmation.csv`.
pub(super) fn confirmation_columns<'a>() -> Columns<ConfirmationRow<'a>> {
    let of_difference = "Win rate of the result minus that of the initial profile.";
    let title = "Wins of the initial profile and of the result in the same seats on new deals.";
    Columns::<ConfirmationRow<'_>>::new("confirmation", title)
        .text("profile", "The initial profile.", |row| row.0)
        .integer(
            ("n", "games"),
            "Games of the initial profile, and as many of the result.",
            |row| row.1.treatment.n,
        )
        .percent(("start", "initial"), "Win rate of the initial profile.", |row| {
            row.1.control.rate(UNITS_PER_WIN)
        })
        .ci("start_ci")
        .percent("tuned", "Win rate of the result.", |row| row.1.treatment.rate(UNITS_PER_WIN))
        .ci("tuned_ci")
        .percentage_points("difference", of_difference, |row| difference(row.1))
        .ci("difference_ci")
        .provenance()
}

/// A parameter with its value in the result.
type ParameterRow<'a> = (&'a Parameter, Option<f64>);

/// Returns the columns of `parameters.csv`.
pub(super) fn parameter_columns<'a>() -> Columns<ParameterRow<'a>> {
    let text = |value: Option<f64>| value.map(|value| value.to_string());
    Columns::<ParameterRow<'_>>::new("parameters", "A tuned parameter.")
        .text("parameter", "Key in the profile.", |row| &row.0.name)
        .text_or_number(("start", "initial"), "Initial value.", move |row| text(row.0.start))
        .text_or_number("tuned", "Value in the result.", move |row| text(row.1))
        .text_or_number("low", "Lower limit.", move |row| text(Some(row.0.low)))
        .text_or_number("high", "Upper limit.", move |row| text(Some(row.0.high)))
        .provenance()
}

/// Returns by how much the result wins more often than the initial profile.
pub(super) fn difference(wins: &PairedSums) -> Estimate {
    wins.difference_of_rates(UNITS_PER_WIN).estimate()
}

/// States the result and what to do next.
fn answer(profile: &str, wins: Option<&PairedSums>) -> String {
    let Some(wins) = wins else { return "Interrupted; --resume continues.".to_owned() };
    let (found, next) = if difference(wins).low > 0.0 {
        ("A better", format!("{BEST} has it; use its path as the name of a bot."))
    } else {
        ("No better", "More --evaluations or other --keys may find one.".to_owned())
    };
    format!(
        "{found} profile than {profile} was found: in {} on new deals, the result wins {} and \
         {profile} {} in the same seats; difference {}. {next}",
        format_count(wins.treatment.n.unsigned_abs(), "game"),
        format_percent(wins.treatment.rate(UNITS_PER_WIN)),
        format_percent(wins.control.rate(UNITS_PER_WIN)),
        Unit::PercentagePoints.format_estimate(difference(wins))
    )
}

/// Returns the report.
pub(super) fn report(
    profile: &str,
    parameters: &[Parameter],
    confirmed: Option<&Confirmed>,
    provenance: &Claim,
) -> StudyReport {
    let value = |index: usize| confirmed.map(|(values, _)| values[index]);
    let rows = parameters.iter().enumerate().map(|(index, one)| (one, value(index)));
    let mut rows: Vec<ParameterRow<'_>> = rows.collect();
    let change = |&(Parameter { start, low, high, .. }, value): &ParameterRow<'_>| {
        value.zip(*start).map_or(0.0, |(value, start)| (value - start).abs() / (high - low))
    };
    rows.sort_by(|one, other| change(other).total_cmp(&change(one)));
    let wins = confirmed.map(|(_, wins)| wins);
    let confirmation = confirmation_columns().table(provenance, wins.map(|wins| (profile, wins)));
    let values = parameter_columns().table(provenance, rows);
    let mut report = StudyReport::new(format!("Tuning of {profile}"));
    report.answer(&answer(profile, wins));
    report.terminal_table(&values.view().rows(0..MAX_SHOWN));
    report.section("Result");
    report.data(confirmation, &[], "Wins on new deals", "");
    report.data(values, &[], "Values of the tuned parameters", "");
    report
}
