//! Terminal text of `watershed bench`.

use std::fmt::Write;

use super::{
    BenchReport,
    speeds::{GameReport, Summary},
    workload::Workload,
};
use crate::{report::data_table::Value, study::shared::prelude::*};

/// Returns a median with the range of the repetitions; without it if there is one repetition.
fn with_range(summary: Summary) -> Estimate {
    let Summary { median: value, min, max } = summary;
    let known = Estimate { n: 1, value, low: min, high: max };
    if min < max { known } else { Estimate::unbounded(1, value) }
}

impl BenchReport {
    /// Returns the report for the terminal, at most 80 columns wide.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "Median speeds of one thread by {} [slowest and fastest repetition of {}].\n\n",
            self.clock.name(),
            self.repetitions
        );
        text += &self.speeds_text();
        if let Some(signature) = &self.signature {
            let _ = write!(text, "\nsignature {signature}\n{}", self.signatures_text());
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
        let rows = self
            .games
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
            .text("game", "", |row| row.game)
            .text("workload", "", |row| row.workload.name())
            .estimate("speed", Unit::Decimals(0), "", |row| row.speed.clone())
            .text(("unit", ""), "", |row| row.unit.clone())
            .number(("cpu", "CPU"), 2, "", |row| row.cpu)
            .table("", rows)
            .view()
            .text()
    }

    fn signatures_text(&self) -> String {
        Columns::<(&String, &GameReport)>::new("", "")
            .text("game", "", |(game, _)| *game)
            .integer("players", "", |(_, report)| report.players)
            .text("signature", "", |(_, report)| report.signature.as_ref())
            .table("", &self.games)
            .view()
            .text()
    }
}
