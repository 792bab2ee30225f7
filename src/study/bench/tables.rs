//! Terminal text of `watershed bench`.

use std::fmt::Write;

use super::{
    BenchReport,
    analysis::{BaselineComparison, ComparedWorkload, SpeedVerdict},
    speeds::{GameReport, Summary, named_reports},
    workload::Workload,
};
use crate::{
    report::{
        data_table::{Columns, Value},
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
        struct SpeedRow<'a> {
            game: &'a str,
            workload: Workload,
            speed: Value,
            unit: String,
            cpu: Option<f64>,
        }
        let reports = named_reports(&self.games);
        let rows = reports
            .iter()
            .flat_map(|(game, report)| report.workloads.iter().map(move |of| (game, of)));
        let rows = rows.flat_map(|(game, (&workload, report))| {
            let (speed, unit) = (with_range(report.per_s).into(), format!("{}/s", report.unit));
            let speed = SpeedRow { game, workload, speed, unit, cpu: report.cpu_per_wall };
            let time = report.ns_per_event().map(|time| {
                let speed = Value::EstimateIn(with_range(time), Unit::Decimals(1));
                SpeedRow { game, workload, speed, unit: "ns/event".to_owned(), cpu: None }
            });
            std::iter::once(speed).chain(time)
        });
        Columns::<SpeedRow<'_>>::new("", "")
            .text("game", "game", "", |row| row.game)
            .text("workload", "workload", "", |row| row.workload.as_str())
            .estimate("speed", "speed", Unit::Decimals(0), "", |row| row.speed.clone())
            .text("unit", "", "", |row| row.unit.clone())
            .number("cpu", "CPU", 2, "", |row| row.cpu)
            .table("", rows)
            .view()
            .text()
    }

    fn signatures_text(&self) -> String {
        Columns::<(&String, &GameReport)>::new("", "")
            .text("game", "game", "", |(game, _)| *game)
            .integer("players", "players", "", |(_, report)| report.players)
            .text("signature", "signature", "", |(_, report)| report.signature.as_ref())
            .table("", &self.games)
            .view()
            .text()
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
        let ratio = |compared: &&ComparedWorkload| {
            let &&ComparedWorkload { ratio: value, ratio_ci_low, ratio_ci_high, .. } = compared;
            Estimate { n: 1, value, low: ratio_ci_low, high: ratio_ci_high }
        };
        let table = Columns::<&ComparedWorkload>::new("", "")
            .text("game", "game", "", |compared| &compared.game)
            .text("workload", "workload", "", |compared| compared.workload.as_str())
            .number("old", "old", 0, "", |compared| compared.old_per_s)
            .unit(Unit::Decimals(0))
            .number("new", "new", 0, "", |compared| compared.new_per_s)
            .unit(Unit::Decimals(0))
            .estimate("ratio", "new / old", Unit::Decimals(3), "", ratio)
            .text("verdict", "", "", |compared| compared.verdict.as_str())
            .table("", &self.workloads);
        text + &table.view().text()
    }
}
