//! `compensation.csv`, its terminal text and its section of the page.

use maud::html;

use super::{
    analysis::FairnessVerdict,
    compensation::{CompensationRow, KeyCompensation, LineupCompensation},
};
use crate::{
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::{Columns, DataTable},
        html::{Section, Unit, format_count, format_percent, join_with_and},
        provenance::Claim,
        study_page::effect_estimate,
        text::paragraph,
    },
    run::lineups::lineup_suffix,
    stats::ratio::Estimate,
};

/// Values of the column `deals`.
const DEALS: [&str; 2] = ["common", "fresh"];

/// A lineup with its results at a value of a key.
type CompensationOf<'a> = (&'a str, &'a KeyCompensation, &'a CompensationRow);

/// Returns the columns of `compensation.csv`.
pub(super) fn columns<'a>() -> Columns<CompensationOf<'a>> {
    Columns::<CompensationOf<'_>>::new(
        "compensation",
        "Results with a value of a key of the data file.",
    )
    .text("lineup", "lineup", "Bots in the seats.", |(lineup, ..)| *lineup)
    .text("key", "key", "Key, or several keys joined by `+`.", |(_, key, _)| &key.key)
    .integer("value", "value", "Value of the key.", |(.., row)| row.value)
    .word(
        "deals",
        "deals",
        &DEALS,
        "`common`: all values on the same deals. `fresh`: other deals, to confirm a value.",
        |(.., row)| DEALS[usize::from(row.is_fresh)],
    )
    .percent(
        "first_player_win_rate",
        "first player",
        "Win rate of the first player.",
        |(.., row)| row.order.win_rates[0],
    )
    .n("n", "games")
    .percentage_points(
        "difference",
        "from mean",
        "Win rate of the first player minus the mean of all turn positions.",
        |(.., row)| row.difference.estimate(),
    )
    .percentage_points(
        "sd_of_turn_positions",
        "spread",
        "Standard deviation of the true win rates of the turn positions.",
        |(.., row)| row.order.sd,
    )
    .estimate("rounds", "rounds", Unit::Decimals(2), "Rounds of a game.", |(.., row)| row.rounds)
    .estimate(
        "fair_value",
        "fair value",
        Unit::Decimals(2),
        "Value at which the first player wins as often as the mean, from all values on the \
             common deals. Empty if there is none between the values.",
        |(_, key, row)| key.fair_value.estimate(row.games as i64),
    )
    .p_value("p", "p", "Test that all win rates are equal.", |(.., row)| row.order.equality.p)
    .p_value(
        "p_holm",
        "p (Holm)",
        "`p` adjusted by Holm's method for the values on fresh deals; empty for others.",
        |(.., row)| row.is_fresh.then_some(row.order.p_holm),
    )
    .p_value(
        "equivalence_p",
        "p of equivalence",
        "Test that all win rates are equal within the margin.",
        |(.., row)| row.order.p_equivalence,
    )
    .word(
        "verdict",
        "verdict",
        &FairnessVerdict::NAMES,
        "As in `verdicts.csv`; empty on the common deals.",
        |(.., row)| row.is_fresh.then(|| row.order.verdict.as_str()),
    )
    .provenance()
}

/// Returns the results of all lineups at all values of all keys.
fn rows(lineups: &[LineupCompensation]) -> impl Iterator<Item = CompensationOf<'_>> {
    lineups.iter().flat_map(|LineupCompensation { lineup, keys }| {
        keys.iter().flat_map(move |key| key.rows.iter().map(move |row| (&**lineup, key, row)))
    })
}

/// Returns the rows of `compensation.csv`.
pub(super) fn table(lineups: &[LineupCompensation], provenance: &Claim) -> DataTable {
    columns().table(provenance, rows(lineups))
}

/// Returns the results of all values for the terminal.
pub(super) fn text(lineups: &[LineupCompensation], table: &DataTable) -> String {
    let mut text = String::from("\n");
    for sentence in fair_values(lineups) {
        text += &paragraph(&sentence);
    }
    let has_several_keys = lineups.iter().any(|lineup| lineup.keys.len() > 1);
    let all = ["lineup", "key", "value", "deals", "first_player_win_rate", "rounds", "verdict"];
    let is_shown = |column: &&str| match *column {
        "lineup" => lineups.len() > 1,
        "key" => has_several_keys,
        // There is no room beside the key.
        "rounds" => !has_several_keys,
        _ => true,
    };
    let columns: Vec<_> = all.into_iter().filter(is_shown).collect();
    text + "\n" + &table.view().select(&columns).text()
}

/// States the value with the smallest spread of win rates on fresh deals, by the first lineup, and
/// the win rates of the other lineups with it.
pub(super) fn remedy(lineups: &[LineupCompensation]) -> Option<String> {
    let first = lineups.first()?;
    let (key, best) = first.best()?;
    // All keys have the value of the file in common.
    let other_values = first.keys.iter().map(|key| key.common().count().saturating_sub(1));
    let values = 1 + other_values.sum::<usize>();
    let others = lineups[1..].iter().filter_map(|lineup| {
        let row = lineup.confirmed_value(key, best.value)?;
        Some(format!("{} with {}", win_rates(row), lineup.lineup))
    });
    let others: Vec<_> = others.collect();
    let others = if others.is_empty() { String::new() } else { format!("; {}", others.join("; ")) };
    Some(format!(
        "Best of {values} values: {key} = {} gives {} on {} of fresh deals ({}){others}.",
        best.value,
        win_rates(best),
        format_count(best.games, "game"),
        best.order.verdict.as_str()
    ))
}

/// Returns the win rates by turn position.
fn win_rates(row: &CompensationRow) -> String {
    let rates: Vec<_> = row.order.win_rates.iter().map(|&rate| format_percent(rate)).collect();
    join_with_and(&rates)
}

/// States for each lineup and key which value makes the first player win as often as the mean.
fn fair_values(lineups: &[LineupCompensation]) -> Vec<String> {
    let sentences = lineups.iter().flat_map(|LineupCompensation { lineup, keys }| {
        let by = lineup_suffix(lineup, lineups.len());
        keys.iter().filter_map(move |key| fair_value(key, &by))
    });
    sentences.collect()
}

/// States which value makes the first player win as often as the mean; nothing without games.
fn fair_value(compensation: &KeyCompensation, by: &str) -> Option<String> {
    let KeyCompensation { key, fair_value, .. } = compensation;
    let mut common = compensation.common();
    let first = common.next()?;
    let last = common.last().unwrap_or(first);
    let games = format_count(first.games, "game");
    Some(if fair_value.value.is_finite() {
        let value = Unit::Decimals(2).format_estimate(fair_value.estimate(1));
        format!(
            "The first player wins as often as the mean at {key} = {value}{by} ({games} for each \
             value)."
        )
    } else {
        format!(
            "No value of {key} from {} to {} makes the first player win as often as the mean{by} \
             ({games} for each value).",
            first.value, last.value
        )
    })
}

/// Returns the section on the values of keys.
pub(super) fn section(lineups: &[LineupCompensation], table: &DataTable) -> Section {
    let has_several_keys = lineups.iter().any(|lineup| lineup.keys.len() > 1);
    let chart_row = |(lineup, key, row): CompensationOf<'_>| {
        let by = lineup_suffix(lineup, lineups.len());
        let deals = if row.is_fresh { " (fresh deals)" } else { "" };
        let name = if has_several_keys { format!("{} = ", key.key) } else { String::new() };
        let label = format!("{name}{}{deals}{by}", row.value);
        let difference = effect_estimate(row.difference);
        IntervalRow::new((label, Estimate { n: row.games as i64, ..difference }))
    };
    let chart = IntervalChart {
        sentence: html! {
            @for sentence in remedy(lineups).into_iter().chain(fair_values(lineups)) {
                (sentence) " "
            }
        },
        unit: Unit::PercentagePoints,
        series: vec!["win rate of the first player minus the mean".to_owned()],
        reference: Some(ReferenceLine { value: 0.0, name: "as often as the mean".to_owned() }),
        rows: rows(lineups).map(chart_row).collect(),
    };
    let body = html! {
        (chart)
        (table.view().html("All values".to_owned()))
        p.note {
            "The values are compared on the same deals. The value between whole ones follows from \
             a monotone curve through the differences. "
            code { (table.schema().file_name()) } " has the same numbers."
        }
    };
    Section::new("Compensation", body)
}
