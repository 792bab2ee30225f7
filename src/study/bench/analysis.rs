//! The comparison with an earlier report.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::{
    machine::{Clock, Machine},
    speeds::{GameReport, Summary},
    workload::Workload,
};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    stats::{ratio::Estimate, shift::shift},
};

/// Minimum number of repetitions of both reports of a comparison: fewer have no 95 % interval.
const MIN_COMPARED_REPETITIONS: usize = 4;

/// Format of the report.
pub(super) const FORMAT: &str = "watershed.bench/1";

/// The work that is about to be measured.
pub(super) struct PlannedWork<'a> {
    pub(super) game: &'a str,
    pub(super) players: usize,
    pub(super) workloads: &'a [Workload],
    pub(super) work: f64,
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

impl BaselineComparison {
    /// Returns the number of workloads with a verdict.
    pub(super) fn count(&self, verdict: SpeedVerdict) -> usize {
        self.workloads.iter().filter(|compared| compared.verdict == verdict).count()
    }
}

fn log_speeds(units: u64, seconds: &[f64]) -> Vec<f64> {
    seconds.iter().map(|seconds| (units as f64 / seconds).ln()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use serde_json::json;

    use super::{super::speeds::tests::games, *};

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
    fn another_machine_and_other_behaviour_are_warnings() {
        let mut old = baseline(&games(1.0, 1.0));
        assert!(old.warnings(&games(2.0, 1.0)).is_empty());
        old.machine.cores += 1;
        old.games.get_mut("nim").unwrap().signature = Some("other".to_owned());
        let warnings = old.warnings(&games(2.0, 1.0));
        assert!(warnings[0].contains("another machine"), "{warnings:?}");
        assert!(warnings[1].contains("nim behaves differently"), "{warnings:?}");
    }
}
