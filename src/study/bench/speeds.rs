//! The speeds of workloads and games.

use super::workload::Workload;
use crate::{benchmark::WorkDone, study::shared::prelude::*};

/// Share of a core below which a measurement is disturbed.
const MIN_CPU_SHARE: f64 = 0.9;

/// Measurement of a repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    pub(super) done: WorkDone,
    pub(super) wall: Duration,
    /// CPU time of the thread, if it is known.
    pub(super) cpu: Option<Duration>,
}

/// Median and range of the repetitions.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Summary {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Summary {
    /// Summarises the values of all repetitions.
    pub(super) fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<_> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        Self { median: median(&sorted), min: end(sorted.first()), max: end(sorted.last()) }
    }
}

/// Returns the median of sorted values; not a number if there is none.
fn median(sorted: &[f64]) -> f64 {
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => f64::NAN,
        (half, 1) => sorted[half],
        (half, _) => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// Measurements of a workload.
#[derive(Clone, Debug, Serialize)]
pub(super) struct WorkloadReport {
    pub(super) unit: &'static str,
    /// Size of a repetition: playouts, iterations, searches, games or evaluations.
    size: u32,
    /// Units of a repetition.
    units: u64,
    /// Events of a repetition, of workloads that play games.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bot: Option<String>,
    /// Units per second of one thread by the clock of the report.
    pub(super) per_s: Summary,
    /// Median share of a core that the thread got.
    pub(super) cpu_per_wall: Option<f64>,
    /// CPU time of each repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<Vec<f64>>,
    /// Wall time of each repetition.
    wall_seconds: Vec<f64>,
}

impl WorkloadReport {
    /// Creates the report from the repetitions.
    pub(super) fn new(
        workload: Workload,
        size: u32,
        bot: Option<&str>,
        repetitions: &[Repetition],
    ) -> Self {
        let done = repetitions.first().map(|repetition| repetition.done).unwrap_or_default();
        let cpu_seconds: Option<Vec<_>> =
            repetitions.iter().map(|repetition| Some(repetition.cpu?.as_secs_f64())).collect();
        let wall_seconds: Vec<_> =
            repetitions.iter().map(|repetition| repetition.wall.as_secs_f64()).collect();
        let seconds = cpu_seconds.as_ref().unwrap_or(&wall_seconds);
        Self {
            unit: workload.unit(),
            size,
            units: done.units,
            events: (done.events > 0).then_some(done.events),
            bot: bot.map(str::to_owned),
            per_s: Summary::new(seconds.iter().map(|seconds| done.units as f64 / seconds)),
            cpu_per_wall: cpu_per_wall(repetitions),
            cpu_seconds,
            wall_seconds,
        }
    }

    /// Returns the times of the repetitions by the clock of the report.
    fn seconds(&self) -> &[f64] {
        self.cpu_seconds.as_ref().unwrap_or(&self.wall_seconds)
    }

    pub(super) fn ns_per_event(&self) -> Option<Summary> {
        let events = self.events? as f64;
        Some(Summary::new(self.seconds().iter().map(|seconds| seconds * 1e9 / events)))
    }

    fn events_per_unit(&self) -> Option<f64> {
        Some(self.events? as f64 / self.units as f64)
    }
}

/// Returns the median share of a core that the thread got.
fn cpu_per_wall(repetitions: &[Repetition]) -> Option<f64> {
    let share = |one: &Repetition| Some(one.cpu?.as_secs_f64() / one.wall.as_secs_f64());
    let shares: Option<Vec<_>> = repetitions.iter().map(share).collect();
    Some(Summary::new(shares?.into_iter()).median).filter(|share| share.is_finite())
}

/// Signature and speeds of one game.
#[derive(Clone, Debug, Serialize)]
pub(super) struct GameReport {
    pub(super) players: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playout_ns_per_event: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playouts_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events_per_playout: Option<f64>,
    /// Speed of the workload `uct`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcts_iterations_per_s: Option<f64>,
    /// Speed of the workload `network`, if the game has a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    network_evaluations_per_s: Option<f64>,
    pub(super) workloads: BTreeMap<Workload, WorkloadReport>,
}

impl GameReport {
    pub(super) fn new(
        players: usize,
        signature: Option<String>,
        workloads: BTreeMap<Workload, WorkloadReport>,
    ) -> Self {
        let playouts = workloads.get(&Workload::Playouts);
        let uct = workloads.get(&Workload::Uct);
        let network = workloads.get(&Workload::Network);
        Self {
            players,
            signature,
            playout_ns_per_event: playouts
                .and_then(WorkloadReport::ns_per_event)
                .map(|summary| summary.median),
            playouts_per_s: playouts.map(|report| report.per_s.median),
            events_per_playout: playouts.and_then(WorkloadReport::events_per_unit),
            mcts_iterations_per_s: uct.map(|report| report.per_s.median),
            network_evaluations_per_s: network.map(|report| report.per_s.median),
            workloads,
        }
    }
}

/// Returns the warning about measurements whose thread did not get a core; `None` if there is none.
pub(super) fn busy_warning(games: &BTreeMap<String, GameReport>) -> Option<String> {
    let mut measured = Vec::new();
    for (game, report) in games {
        for (workload, report) in &report.workloads {
            let name = || format!("{game} {}", workload.name());
            measured.extend(report.cpu_per_wall.map(|share| (share, name())));
        }
    }
    let disturbed = measured.iter().filter(|(share, _)| *share < MIN_CPU_SHARE);
    let count = disturbed.clone().count();
    let (share, name) = disturbed.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(format!(
        "warning: the machine is busy: a thread got less than {:.0} % of a core in {count} of {} \
         measurements, {:.0} % in {name}; repeat on an idle machine",
        100.0 * MIN_CPU_SHARE,
        measured.len(),
        100.0 * share,
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    /// Relative times of seven repetitions, as a machine with some noise has them.
    const NOISE: [f64; 7] = [1.0, 1.004, 0.997, 1.012, 1.001, 0.995, 1.006];

    /// Returns the report of a game whose repetitions take 0.1 s times `factor`, on a machine that
    /// gives this share of a core.
    fn games(factor: f64, share: f64) -> BTreeMap<String, GameReport> {
        let repetitions = NOISE.map(|noise| {
            let cpu = Duration::from_secs_f64(0.1 * factor * noise);
            let done = WorkDone { units: 1000, events: 50_000 };
            Repetition { done, wall: cpu.div_f64(share), cpu: Some(cpu) }
        });
        let report = WorkloadReport::new(Workload::Playouts, 1000, None, &repetitions);
        let workloads = BTreeMap::from([(Workload::Playouts, report)]);
        let signature = Some(format!("{:016x}", 7));
        BTreeMap::from([("nim".to_owned(), GameReport::new(2, signature, workloads))])
    }

    #[test]
    fn speeds_are_medians_with_their_range() {
        let games = games(1.0, 0.5);
        let report = &games["nim"].workloads[&Workload::Playouts];
        let Summary { median, min, max } = report.per_s;
        for (found, seconds) in [(median, 0.1001), (min, 0.1012), (max, 0.0995)] {
            assert!((found * seconds / 1000.0 - 1.0).abs() < 1e-6, "{found} {seconds}");
        }
        assert!((report.ns_per_event().unwrap().median - 2002.0).abs() < 0.01);
        assert!((games["nim"].events_per_playout.unwrap() - 50.0).abs() < 1e-12);
        assert!((report.cpu_per_wall.unwrap() - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_busy_machine_is_a_warning() {
        assert_eq!(busy_warning(&games(1.0, 0.95)), None);
        let warning = busy_warning(&games(1.0, 0.6)).unwrap();
        assert!(warning.contains("1 of 1 measurements, 60 % in nim playouts"), "{warning}");
    }
}
