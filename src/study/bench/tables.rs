//! Terminal text of `watershed bench`.

use std::fmt::Write;

use super::{
    BenchReport,
    analysis::{BaselineComparison, ComparedWorkload, SpeedVerdict, Summary, named_reports},
};
use crate::{
    report::{
        data_table::{Column, DataTable, Schema, Value},
        html::Unit,
        text::truncate,
    },
    stats::ratio::Estimate,
};

/// Maximum width of the name of the earlier report.
const NAME_WIDTH: usize = 40;

/// Returns a median with the range of the repetitions; without it if there is one repetition.
fn with_range(summary: Summary) -> Estimate {
    let Summary { median: value, min, max } = summary;
    let (low, high) = if min < max { (min, max) } else { (f64::NEG_INFINITY, f64::INFINITY) };
    Estimate { n: 1, value, low, high }
}

fn number(key: &str, title: &str, decimals: usize, description: &str) -> Column {
    Column::number(key, title, decimals, description).unit(Unit::Decimals(decimals))
}

impl BenchReport {
    /// Returns the report for the terminal, at most 80 columns wide.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "Median speeds of one thread by {} [slowest and fastest repetition of {}].\n\n",
            self.clock.as_str(),
            self.repetitions
        );
        text += &self.speeds_text();
        if let Some(signature) = &self.signature {
            let _ = write!(text, "\nsignature {signature}\n{}", self.signatures_text());
        }
        if let Some(comparison) = &self.comparison {
            let _ = write!(text, "\n{}", comparison.text());
        }
        text
    }

    fn speeds_text(&self) -> String {
        let schema = Schema::new("bench", "One row for each game and workload.")
            .column(Column::text("game", "game", "Game."))
            .column(Column::text("workload", "workload", "Workload."))
            .column(Column::estimate("speed", "speed", Unit::Decimals(0), "Median speed."))
            .column(Column::text("unit", "", "Unit of the speed."))
            .column(number("cpu", "CPU", 2, "CPU time relative to wall time."));
        let mut table = DataTable::new(schema, "");
        for (game, report) in &named_reports(&self.games) {
            for (workload, report) in &report.workloads {
                table.push([
                    game.into(),
                    workload.as_str().into(),
                    with_range(report.per_s).into(),
                    format!("{}/s", report.unit).into(),
                    report.cpu_per_wall.map(Value::Number).into(),
                ]);
                if let Some(time) = report.ns_per_event() {
                    table.push([
                        game.into(),
                        workload.as_str().into(),
                        Value::EstimateIn(with_range(time), Unit::Decimals(1)),
                        "ns/event".into(),
                        Value::Missing,
                    ]);
                }
            }
        }
        table.view().text()
    }

    fn signatures_text(&self) -> String {
        let schema = Schema::new("signatures", "One row for each game.")
            .column(Column::text("game", "game", "Game."))
            .column(Column::integer("players", "players", "Number of players."))
            .column(Column::text("signature", "signature", "Hash of behaviour."));
        let mut table = DataTable::new(schema, "");
        for (game, report) in &self.games {
            table.push([game.into(), report.players.into(), report.signature.as_ref().into()]);
        }
        table.view().text()
    }
}

impl BaselineComparison {
    /// Returns the comparison for the terminal.
    fn text(&self) -> String {
        let compared = self.workloads.len();
        let baseline = truncate(&self.baseline, NAME_WIDTH);
        let mut text = match (self.max_slowdown, self.count(SpeedVerdict::TooSlow)) {
            (Some(percent), 0) => {
                format!(
                    "No workload of {compared} is slower than in {baseline} by more than \
                     {percent} %.\n"
                )
            }
            (Some(percent), slow) => {
                format!(
                    "{slow} of {compared} workloads are slower than in {baseline} by more than \
                     {percent} %.\n"
                )
            }
            (None, _) => format!(
                "Compared with {baseline}, {} of {compared} workloads are slower and {} faster.\n",
                self.count(SpeedVerdict::Slower),
                self.count(SpeedVerdict::Faster)
            ),
        };
        text += "Speed per second, and its ratio to the old one [95 % interval].\n\n";
        let schema = Schema::new("comparison", "One row for each game and workload.")
            .column(Column::text("game", "game", "Game."))
            .column(Column::text("workload", "workload", "Workload."))
            .column(number("old", "old", 0, "Old speed."))
            .column(number("new", "new", 0, "New speed."))
            .column(Column::estimate("ratio", "new / old", Unit::Decimals(3), "Ratio of speeds."))
            .column(Column::text("verdict", "", "Verdict."));
        let mut table = DataTable::new(schema, "");
        for compared in &self.workloads {
            let &ComparedWorkload { ratio, ratio_ci_low: low, ratio_ci_high: high, .. } = compared;
            table.push([
                (&compared.game).into(),
                compared.workload.as_str().into(),
                Value::Number(compared.old_per_s),
                Value::Number(compared.new_per_s),
                Value::Estimate(Estimate { n: 1, value: ratio, low, high }),
                compared.verdict.as_str().into(),
            ]);
        }
        text + &table.view().text()
    }
}
