//! Speeds of a report, and the comparison of two reports.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::{
    arguments::MIN_COMPARED_REPETITIONS,
    experiment::{Repetition, Workload},
    machine::{Clock, Machine},
};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    stats::{
        ratio::Estimate,
        shift::{median, shift},
    },
};

/// Format of the report.
pub(super) const FORMAT: &str = "watershed.bench/1";

/// Share of a core below which a measurement is disturbed.
const MIN_CPU_SHARE: f64 = 0.9;

/// Median and range of the repetitions.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Summary {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Summary {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<_> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        Self { median: median(&sorted), min: end(sorted.first()), max: end(sorted.last()) }
    }
}

/// Measurements of a workload.
#[derive(Clone, Debug, Serialize)]
pub(super) struct WorkloadReport {
    pub(super) unit: &'static str,
    /// Size of a repetition: playouts, iterations, searches, games or evaluations.
    size: u32,
    /// Units of a repetition.
    pub(super) units: u64,
    /// Events of a repetition, of workloads that play games.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bot: Option<String>,
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
    /// Reports with the other numbers of players, if all were asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) by_players: BTreeMap<usize, Self>,
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
            by_players: BTreeMap::new(),
        }
    }
}

/// Returns the reports of all games and numbers of players. The name is that of the game, with the
/// number of players if there are several.
pub(super) fn named_reports(games: &BTreeMap<String, GameReport>) -> Vec<(String, &GameReport)> {
    let mut named = Vec::new();
    for (game, report) in games {
        let mut all = vec![report];
        all.extend(report.by_players.values());
        let has_several = all.len() > 1;
        named.extend(all.into_iter().map(|report| {
            let name =
                if has_several { format!("{game} {}", report.players) } else { game.clone() };
            (name, report)
        }));
    }
    named
}

/// Returns the warning about measurements whose thread did not get a core; `None` if there is none.
pub(super) fn busy_warning(games: &BTreeMap<String, GameReport>) -> Option<String> {
    let mut measured = Vec::new();
    for (game, report) in named_reports(games) {
        for (workload, report) in &report.workloads {
            let name = || format!("{game} {}", workload.as_str());
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

/// An earlier report, as far as it is compared.
#[derive(Debug, Deserialize)]
pub(super) struct Baseline {
    /// Name of the file.
    #[serde(skip)]
    pub(super) name: String,
    clock: Clock,
    machine: Machine,
    games: BTreeMap<String, BaselineGame>,
}

#[derive(Debug, Deserialize)]
struct BaselineGame {
    players: usize,
    signature: Option<String>,
    workloads: BTreeMap<Workload, BaselineWorkload>,
}

#[derive(Debug, Deserialize)]
struct BaselineWorkload {
    size: u32,
    units: u64,
    bot: Option<String>,
    cpu_seconds: Option<Vec<f64>>,
    wall_seconds: Vec<f64>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let name = path.display().to_string();
        let bytes = read_at_most(path, MAX_FILE_BYTES);
        let bytes = bytes.with_context(|| format!("--compare: {name}: can't be read"))?;
        let expected =
            || format!("--compare: {name}: expected a report of `watershed bench --json`");
        let head: Head = serde_json::from_slice(&bytes).with_context(expected)?;
        if head.format != FORMAT {
            bail!("{} in the format {FORMAT:?}, found {:?}", expected(), head.format);
        }
        let baseline: Self = serde_json::from_slice(&bytes).with_context(expected)?;
        let seconds = baseline.games.values().flat_map(|game| game.workloads.values());
        let mut seconds = seconds.flat_map(BaselineWorkload::seconds);
        if let Some(wrong) = seconds.find(|&&seconds| seconds <= 0.0) {
            bail!("{} with times above 0, found {wrong}", expected());
        }
        Ok(Self { name, ..baseline })
    }

    /// Returns the differences of the environment that make the comparison doubtful.
    pub(super) fn warnings(&self, games: &BTreeMap<String, GameReport>) -> Vec<String> {
        let Self { name, machine, .. } = self;
        let mut warnings = Vec::new();
        let current = Machine::current();
        if *machine != current {
            let cpu = |machine: &Machine| {
                let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
                format!("{cpu}, {} cores", machine.cores)
            };
            warnings.push(format!(
                "warning: {name} is from another machine: {}; this one: {}",
                cpu(machine),
                cpu(&current)
            ));
        }
        for (game, report) in games {
            let Some(old) = self.games.get(game) else { continue };
            if let (Some(old), Some(new)) = (&old.signature, &report.signature)
                && old != new
            {
                warnings.push(format!(
                    "warning: {game} behaves differently than in {name}: signature {new} instead \
                     of {old}; the speeds are not of the same work"
                ));
            }
            for (workload, report) in &report.workloads {
                let old = old.workloads.get(workload).and_then(|old| old.bot.as_ref());
                if let (Some(old), Some(new)) = (old, &report.bot)
                    && old != new
                {
                    warnings.push(format!(
                        "warning: {game}: {}: the bot is {new}, and {old} in {name}; the speeds \
                         are not of the same work",
                        workload.as_str()
                    ));
                }
            }
        }
        warnings
    }
}

impl BaselineWorkload {
    fn seconds(&self) -> &[f64] {
        self.cpu_seconds.as_ref().unwrap_or(&self.wall_seconds)
    }
}

/// Speed of a workload compared with an earlier report.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ComparedWorkload {
    pub(super) game: String,
    pub(super) workload: Workload,
    pub(super) old_per_s: f64,
    pub(super) new_per_s: f64,
    /// Speed relative to the earlier one.
    pub(super) ratio: f64,
    pub(super) ratio_ci_low: f64,
    pub(super) ratio_ci_high: f64,
    pub(super) verdict: SpeedVerdict,
}

/// The verdict on the ratio of two speeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SpeedVerdict {
    /// The interval contains 1.
    Equal,
    /// The interval lies above 1.
    Faster,
    /// The interval lies below 1.
    Slower,
    /// The interval lies below the accepted ratio.
    TooSlow,
}

impl SpeedVerdict {
    fn new(ratio: Estimate, max_slowdown: Option<f64>) -> Self {
        let accepted = max_slowdown.map(|percent| 1.0 - percent / 100.0);
        if accepted.is_some_and(|accepted| ratio.high < accepted) {
            Self::TooSlow
        } else if ratio.high < 1.0 {
            Self::Slower
        } else if ratio.low > 1.0 {
            Self::Faster
        } else {
            Self::Equal
        }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::TooSlow => "too slow",
        }
    }
}

/// The comparison with an earlier report.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BaselineComparison {
    pub(super) baseline: String,
    pub(super) max_slowdown: Option<f64>,
    pub(super) workloads: Vec<ComparedWorkload>,
}

/// The work that is about to be measured.
pub(super) struct PlannedWork<'a> {
    pub(super) game: &'a str,
    pub(super) players: usize,
    pub(super) workloads: &'a [Workload],
    pub(super) work: f64,
}

impl Baseline {
    /// Ensures that the planned work can be compared with the report.
    ///
    /// # Errors
    /// Returns an error if the workloads differ or if there are too few repetitions.
    pub(super) fn ensure_comparable(
        &self,
        planned: &[PlannedWork<'_>],
        repetitions: usize,
    ) -> anyhow::Result<()> {
        let name = &self.name;
        if repetitions < MIN_COMPARED_REPETITIONS {
            bail!(
                "--repetitions: expected at least {MIN_COMPARED_REPETITIONS} with --compare, found \
                 {repetitions}"
            );
        }
        if self.clock != Clock::available() {
            bail!(
                "--compare: {name}: expected speeds by {}, found {}",
                Clock::available().as_str(),
                self.clock.as_str()
            );
        }
        for PlannedWork { game, players, workloads, work } in planned {
            let of_game = |what: &str| format!("--compare: {name}: {game}: {what}");
            let old = self.games.get(*game);
            let old = old.ok_or_else(|| anyhow!(of_game("expected this game, found no report")))?;
            if old.players != *players {
                bail!("{}", of_game(&format!("expected {players} players, found {}", old.players)));
            }
            for workload in workloads.iter().filter(|workload| **workload != Workload::Signature) {
                let of_work = |what: &str| of_game(&format!("{}: {what}", workload.as_str()));
                let old = old.workloads.get(workload);
                // Not all games have networks, nor do reports of version 0.1 have this workload.
                if old.is_none() && *workload == Workload::Network {
                    continue;
                }
                let old =
                    old.ok_or_else(|| anyhow!(of_work("expected this workload, found none")))?;
                let size = workload.size(*work);
                if old.size != size {
                    let message = format!(
                        "expected a size of {size}, found {}; repeat with the same --scale",
                        old.size
                    );
                    bail!("{}", of_work(&message));
                }
                if old.seconds().len() < MIN_COMPARED_REPETITIONS {
                    let message = format!(
                        "expected at least {MIN_COMPARED_REPETITIONS} repetitions, found {}",
                        old.seconds().len()
                    );
                    bail!("{}", of_work(&message));
                }
            }
        }
        Ok(())
    }

    /// Compares the measured speeds with those of the report.
    pub(super) fn compare(
        &self,
        games: &BTreeMap<String, GameReport>,
        max_slowdown: Option<f64>,
    ) -> BaselineComparison {
        let mut compared = Vec::new();
        for (game, report) in games {
            let Some(old_game) = self.games.get(game) else { continue };
            for (&workload, new) in &report.workloads {
                let Some(old) = old_game.workloads.get(&workload) else { continue };
                let old_speeds = log_speeds(old.units, old.seconds());
                let new_speeds = log_speeds(new.units, new.seconds());
                let logs = shift(&old_speeds, &new_speeds);
                let [ratio, ratio_ci_low, ratio_ci_high] =
                    [logs.value, logs.low, logs.high].map(f64::exp);
                let verdict = SpeedVerdict::new(
                    Estimate { value: ratio, low: ratio_ci_low, high: ratio_ci_high, ..logs },
                    max_slowdown,
                );
                let old_per_s = old.seconds().iter().map(|seconds| old.units as f64 / seconds);
                compared.push(ComparedWorkload {
                    game: game.clone(),
                    workload,
                    old_per_s: Summary::new(old_per_s).median,
                    new_per_s: new.per_s.median,
                    ratio,
                    ratio_ci_low,
                    ratio_ci_high,
                    verdict,
                });
            }
        }
        BaselineComparison { baseline: self.name.clone(), max_slowdown, workloads: compared }
    }
}

fn log_speeds(units: u64, seconds: &[f64]) -> Vec<f64> {
    seconds.iter().map(|seconds| (units as f64 / seconds).ln()).collect()
}

impl BaselineComparison {
    /// Returns the number of workloads with a verdict.
    pub(super) fn count(&self, verdict: SpeedVerdict) -> usize {
        self.workloads.iter().filter(|compared| compared.verdict == verdict).count()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::benchmark::WorkDone;

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

    fn baseline(games: &BTreeMap<String, GameReport>) -> Baseline {
        let report = json!({"clock": "cpu", "machine": Machine::current(), "games": games});
        Baseline { name: "old.json".to_owned(), ..serde_json::from_value(report).unwrap() }
    }

    /// Returns the ratio and the verdict of a build that needs `factor` times as long.
    fn compare(factor: f64, max_slowdown: Option<f64>) -> (f64, SpeedVerdict) {
        let comparison = baseline(&games(1.0, 1.0)).compare(&games(factor, 1.0), max_slowdown);
        let [ComparedWorkload { ratio, ratio_ci_low, ratio_ci_high, verdict, .. }] =
            comparison.workloads[..]
        else {
            panic!("one workload: {comparison:?}")
        };
        assert!(ratio_ci_low < ratio && ratio < ratio_ci_high && ratio_ci_high < 1.03 * ratio);
        (ratio, verdict)
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
    fn equal_speeds_have_no_verdict_and_planted_changes_are_found() {
        assert_eq!(compare(1.0, Some(0.0)).1, SpeedVerdict::Equal);
        let (ratio, verdict) = compare(1.10, Some(5.0));
        assert!((ratio * 1.10 - 1.0).abs() < 1e-6, "{ratio}");
        assert_eq!(verdict, SpeedVerdict::TooSlow);
        assert_eq!(compare(1.10, None).1, SpeedVerdict::Slower);
        // Slower, but not surely by more than the accepted 5 %.
        assert_eq!(compare(1.05, Some(5.0)).1, SpeedVerdict::Slower);
        assert_eq!(compare(0.97, Some(5.0)).1, SpeedVerdict::Faster);
    }

    #[test]
    fn a_busy_machine_and_other_behaviour_are_warnings() {
        assert_eq!(busy_warning(&games(1.0, 0.95)), None);
        let warning = busy_warning(&games(1.0, 0.6)).unwrap();
        assert!(warning.contains("1 of 1 measurements, 60 % in nim playouts"), "{warning}");

        let mut old = baseline(&games(1.0, 1.0));
        assert!(old.warnings(&games(2.0, 1.0)).is_empty());
        old.machine.cores += 1;
        old.games.get_mut("nim").unwrap().signature = Some("other".to_owned());
        let warnings = old.warnings(&games(2.0, 1.0));
        assert!(warnings[0].contains("another machine"), "{warnings:?}");
        assert!(warnings[1].contains("nim behaves differently"), "{warnings:?}");
    }
}
