//! `compensation.csv`, its terminal text and its section of the page.

use maud::html;

use super::{
    analysis::FairnessVerdict,
    compensation::{CompensationRow, LineupCompensation},
};
use crate::{
    report::{
        chart::{IntervalChart, IntervalRow, ReferenceLine},
        data_table::{Column, DataTable, Schema, Value},
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

/// Describes `compensation.csv`.
pub(super) fn schema() -> Schema {
    Schema::new("compensation", "Results with a value of a key of the data file.")
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::text("key", "key", "Key, or several keys joined by `+`."))
        .column(Column::integer("value", "value", "Value of the key."))
        .column(Column::word(
            "deals",
            "deals",
            &DEALS,
            "`common`: all values on the same deals. `fresh`: other deals, to confirm a value.",
        ))
        .column(
            Column::estimate(
                "first_player_win_rate",
                "first player",
                Unit::Percent,
                "Win rate of the first player.",
            )
            .n("n", "games"),
        )
        .column(Column::estimate(
            "difference",
            "from mean",
            Unit::PercentagePoints,
            "Win rate of the first player minus the mean of all turn positions.",
        ))
        .column(Column::estimate(
            "sd_of_turn_positions",
            "spread",
            Unit::PercentagePoints,
            "Standard deviation of the true win rates of the turn positions.",
        ))
        .column(Column::estimate("rounds", "rounds", Unit::Decimals(2), "Rounds of a game."))
        .column(Column::estimate(
            "fair_value",
            "fair value",
            Unit::Decimals(2),
            "Value at which the first player wins as often as the mean, from all values on the \
             common deals. Empty if there is none between the values.",
        ))
        .column(Column::p_value("p", "p", "Test that all win rates are equal."))
        .column(Column::p_value(
            "p_holm",
            "p (Holm)",
            "`p` adjusted by Holm's method for the values on fresh deals; empty for others.",
        ))
        .column(Column::p_value(
            "equivalence_p",
            "p of equivalence",
            "Test that all win rates are equal within the margin.",
        ))
        .column(Column::word(
            "verdict",
            "verdict",
            &FairnessVerdict::NAMES,
            "As in `verdicts.csv`; empty on the common deals.",
        ))
        .provenance()
}

/// Returns the rows of `compensation.csv`.
pub(super) fn table(key: &str, lineups: &[LineupCompensation], provenance: &Claim) -> DataTable {
    let mut table = DataTable::new(schema(), provenance);
    for LineupCompensation { lineup, rows, fair_value } in lineups {
        for row in rows {
            let order = &row.order;
            let p_holm = if row.is_fresh { order.p_holm } else { f64::NAN };
            table.push([
                lineup.into(),
                key.into(),
                row.value.into(),
                DEALS[usize::from(row.is_fresh)].into(),
                order.win_rates[0].into(),
                row.difference.estimate().into(),
                order.sd.into(),
                row.rounds.into(),
                fair_value.estimate(row.games as i64).into(),
                Value::P(order.equality.p),
                Value::P(p_holm),
                Value::P(order.p_equivalence),
                row.is_fresh.then(|| order.verdict.as_str()).into(),
            ]);
        }
    }
    table
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
