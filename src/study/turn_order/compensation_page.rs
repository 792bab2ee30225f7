//! `compensation.csv`, its terminal text and its section of the page.

use maud::html;

use super::{
    analysis::FairnessVerdict,
    compensation::{CompensationRow, LineupCompensation},
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

/// A lineup with its results at a value, and the key.
type CompensationOf<'a> = (&'a str, &'a LineupCompensation, &'a CompensationRow);

/// Returns the columns of `compensation.csv`.
pub(super) fn columns<'a>() -> Columns<CompensationOf<'a>> {
    Columns::<CompensationOf<'_>>::new(
        "compensation",
        "Results with a value of a key of the data file.",
    )
    .text("lineup", "lineup", "Bots in the seats.", |(_, lineup, _)| &lineup.lineup)
    .text("key", "key", "Key, or several keys joined by `+`.", |(key, ..)| *key)
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
        |(_, lineup, row)| lineup.fair_value.estimate(row.games as i64),
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

/// Returns the rows of `compensation.csv`.
pub(super) fn table(key: &str, lineups: &[LineupCompensation], provenance: &Claim) -> DataTable {
    let rows =
        lineups.iter().flat_map(|lineup| lineup.rows.iter().map(move |row| (key, lineup, row)));
    columns().table(provenance, rows)
}

/// Returns the results of all values for the terminal.
pub(super) fn text(key: &str, lineups: &[LineupCompensation], table: &DataTable) -> String {
    let mut text = String::from("\n");
    for lineup in lineups {
        text += &paragraph(&sentences(key, lineup, lineups.len()));
    }
    let all = ["lineup", "value", "deals", "first_player_win_rate", "rounds", "verdict"];
    let is_shown = |key: &&str| lineups.len() > 1 || *key != "lineup";
    let keys: Vec<_> = all.into_iter().filter(is_shown).collect();
    text + "\n" + &table.view().select(&keys).text()
}

/// States which value makes the first player win as often as the mean, and the results on fresh
/// deals. `lineups` is the number of lineups.
fn sentences(key: &str, lineup: &LineupCompensation, lineups: usize) -> String {
    let LineupCompensation { lineup: name, rows, fair_value } = lineup;
    let common: Vec<_> = rows.iter().filter(|row| !row.is_fresh).collect();
    let by = lineup_suffix(name, lineups);
    let games = common.first().map_or(0, |row| row.games);
    let games = format_count(games, "game");
    let found = if fair_value.value.is_finite() {
        let value = Unit::Decimals(2).format_estimate(fair_value.estimate(1));
        format!(
            "The first player wins as often as the mean at {key} = {value}{by} ({games} for each \
             value)."
        )
    } else {
        let [first, last] =
            [common.first(), common.last()].map(|row| row.map_or(0, |row| row.value));
        format!(
            "No value of {key} from {first} to {last} makes the first player win as often as the \
             mean{by} ({games} for each value)."
        )
    };
    let confirmed = lineup.confirmed().map(|CompensationRow { value, order, .. }| {
        let rates: Vec<_> = order.win_rates.iter().map(|&rate| format_percent(rate)).collect();
        format!("{value} gives {} ({})", join_with_and(&rates), order.verdict.as_str())
    });
    let confirmed: Vec<_> = confirmed.collect();
    if confirmed.is_empty() {
        return found;
    }
    format!("{found} On fresh deals {}.", confirmed.join("; "))
}

/// Returns the section on the values of a key.
pub(super) fn section(key: &str, lineups: &[LineupCompensation], table: &DataTable) -> Section {
    let rows = lineups.iter().flat_map(|lineup| {
        let by = lineup_suffix(&lineup.lineup, lineups.len());
        lineup.rows.iter().map(move |row| {
            let deals = if row.is_fresh { " (fresh deals)" } else { "" };
            let label = format!("{}{deals}{by}", row.value);
            let difference = effect_estimate(row.difference);
            IntervalRow::new((label, Estimate { n: row.games as i64, ..difference }))
        })
    });
    let chart = IntervalChart {
        sentence: html! {
            @for lineup in lineups { (sentences(key, lineup, lineups.len())) " " }
        },
        unit: Unit::PercentagePoints,
        series: vec!["win rate of the first player minus the mean".to_owned()],
        reference: Some(ReferenceLine { value: 0.0, name: "as often as the mean".to_owned() }),
        rows: rows.collect(),
    };
    let body = html! {
        (chart)
        (table.view().html(format!("All values of {key}")))
        p.note {
            "The values are compared on the same deals. The value between whole ones follows from \
             a monotone curve through the differences. "
            code { (table.schema().file_name()) } " has the same numbers."
        }
    };
    Section::new("Compensation", body)
}
