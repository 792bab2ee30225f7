//! `power.csv` and its terminal text.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{
    arguments::{PlannedQuestion, PowerArguments},
    experiment::Pilot,
};
use crate::study::shared::prelude::*;

/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 26;
/// Values of the column `goal`.
const GOALS: [&str; 2] = ["detect", "margin"];

/// The arguments with the pilot of a lineup.
type PilotOf<'a> = (&'a PowerArguments, &'a LineupResult<Pilot>);

/// Returns the columns of `power.csv`.
pub(super) fn columns<'a>() -> Columns<PilotOf<'a>> {
    let goal = "`detect`: find a difference of this size. `margin`: show that there is none.";
    let power = "Probability that the question is decided.";
    let of_variance = "Largest variance of a block's difference; its interval assumes a normal \
                       distribution.";
    let of_games_needed = "Games of the lineup under each data file; the interval is that of the \
                           variance.";
    Columns::<PilotOf<'_>>::new("power", "Games that a question needs with a lineup.")
        .text("lineup", "Bots in the seats.", |(_, pilot)| &pilot.lineup)
        .word("question", &PlannedQuestion::NAMES, "The question.", |(arguments, _)| {
            arguments.question.name()
        })
        .word("goal", &GOALS, goal, |(arguments, _)| arguments.goal().0)
        .number("size", 6, "Size of the difference.", |(arguments, _)| arguments.goal().1.share())
        .number("power", 4, power, |(arguments, _)| arguments.power)
        .integer("tests", "Differences that are tested.", |(_, pilot)| pilot.tally.tests)
        .integer("blocks", "Blocks of the pilot.", |(_, pilot)| pilot.tally.blocks)
        .estimate("variance", Unit::Decimals(3), of_variance, |(_, pilot)| variance(&pilot.tally))
        .n(("n", "games of the pilot"))
        .estimate("games needed", Unit::Decimals(0), of_games_needed, |(arguments, pilot)| {
            games_needed(arguments, &pilot.tally)
        })
        .provenance()
}

/// Returns the variance of a block with its 95 % interval.
fn variance(pilot: &Pilot) -> Estimate {
    let freedom = pilot.blocks as f64 - 1.0;
    let value = pilot.block_variance.unwrap_or(f64::NAN);
    let end = |probability: f64| {
        let quantile = ChiSquared::new(freedom).map(|chi| chi.inverse_cdf(probability));
        quantile.map_or(f64::NAN, |quantile| value * freedom / quantile)
    };
    let n = if value.is_finite() { pilot.games as i64 } else { 0 };
    Estimate { n, value, low: end(0.975), high: end(0.025) }
}

/// Returns the games needed with their 95 % interval.
pub(super) fn games_needed(arguments: &PowerArguments, pilot: &Pilot) -> Estimate {
    let (_, _, goal) = arguments.goal();
    variance(pilot).map(|variance| pilot.games_needed(goal, arguments.power, variance))
}

/// Returns the report: the answer for the first lineup, and a row for each if there are several.
pub(super) fn report(
    arguments: &PowerArguments,
    results: &[LineupResult<Pilot>],
    provenance: &Claim,
) -> StudyReport {
    let mut report = StudyReport::without_page();
    if let Some(first) = results.first() {
        report.answer(&answer(arguments, first));
    }
    if results.len() > 1 {
        report.terminal_table(&lineups_table(arguments, results).view());
    } else if arguments.question != PlannedQuestion::Match {
        // A match asks for the difference between the bots of its lineup.
        let label = results.first().map(|only| LabelledSentence::of_one_lineup(&only.lineup));
        report.labels(ReportPlace::Terminal, label);
    }
    let rows = results.iter().map(|pilot| (arguments, pilot));
    report.file(columns().table(provenance, rows), "");
    report
}

/// States the games that the question needs with a lineup.
fn answer(arguments: &PowerArguments, result: &LineupResult<Pilot>) -> String {
    let LineupResult { lineup, tally: pilot, .. } = result;
    let player = player_text(lineup);
    let (goal, size, _) = arguments.goal();
    let size = margin_words(size.share());
    let Estimate { n, value, low, high } = games_needed(arguments, pilot);
    let pilot_games = group_digits(pilot.games);
    if n == 0 {
        return format!(
            "With {player}, the difference does not vary in {pilot_games} games of a pilot."
        );
    }
    let [games, low, high] = [value, low, high].map(|games| group_digits(games as i64));
    let of = arguments.question.figure();
    let result = match goal {
        "detect" => format!("find a difference of {size} {of}"),
        _ => format!("show that no difference {of} is as large as {size}, if there is none,"),
    };
    let each = match arguments.question {
        PlannedQuestion::Compare => " under each data file",
        PlannedQuestion::Ablate => " without intervention",
        _ => "",
    };
    format!(
        "With {player}, {games} games [{low}, {high}]{each} {result} with a probability of {} % \
         (pilot of {pilot_games} games).",
        arguments.power * 100.0
    )
}

/// Returns a row for each lineup.
fn lineups_table(arguments: &PowerArguments, results: &[LineupResult<Pilot>]) -> DataTable {
    let needed = |(arguments, pilot): &PilotOf<'_>| {
        let Estimate { n, value, low, high } = games_needed(arguments, &pilot.tally);
        let [games, low, high] = [value, low, high].map(|games| group_digits(games as i64));
        if n == 0 { "-".to_owned() } else { format!("{games} [{low}, {high}]") }
    };
    Columns::<PilotOf<'_>>::new("", "")
        .text("lineup", "", |(_, pilot)| truncate(&pilot.lineup, LINEUP_WIDTH))
        .integer("games of the pilot", "", |(_, pilot)| pilot.tally.games)
        .text("games needed [95 % CI]", "", needed)
        .table("", results.iter().map(|pilot| (arguments, pilot)))
}
