//! `watershed bench`: measures speed with fixed work, and prints a signature of behaviour that is
//! equal on every machine.

mod analysis;
mod arguments;
mod experiment;
mod machine;
mod speeds;
mod tables;
mod workload;

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use rustc_stable_hash::StableSipHasher128;
use serde::Serialize;

pub(crate) use self::arguments::BenchArguments;
use self::{
    analysis::{Baseline, BaselineComparison, FORMAT, PlannedWork, SpeedVerdict},
    arguments::PlayerCount,
    experiment::{BenchTask, format_signature},
    machine::{Clock, Machine, MeasuredBuild},
    speeds::{GameReport, busy_warning},
    workload::Workload,
};
use crate::{
    games::{GameEntry, GameList},
    report::terminal::{print, print_info},
    run::{ExitStatus, arguments::find_game},
};

#[derive(Serialize)]
struct BenchReport {
    format: &'static str,
    /// Hash of the positions of all games in the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    machine: Machine,
    build: MeasuredBuild,
    clock: Clock,
    work: f64,
    repetitions: usize,
    games: BTreeMap<String, GameReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<BaselineComparison>,
}

pub(crate) fn run(games: GameList, arguments: &BenchArguments) -> anyhow::Result<ExitStatus> {
    let &BenchArguments { scale: work, repetitions, max_slowdown, .. } = arguments;
    let workloads = arguments.workloads();
    let games = arguments.games(games)?;
    let baseline = arguments.read_baseline(&games, &workloads)?;
    let mut hasher = StableSipHasher128::new();
    let reports = arguments.measure(&games, &workloads, &mut hasher)?;
    let is_empty = |report: &GameReport| report.signature.is_none() && report.workloads.is_empty();
    if reports.values().all(is_empty) {
        bail!("--workload: expected a game with a network for `network`, found none");
    }
    let machine = Machine::current();
    let warnings = baseline.iter().flat_map(|baseline| baseline.warnings(&reports));
    let wall = (Clock::available() == Clock::Wall).then(|| {
        "warning: the CPU time of a thread is not known here; speeds are by wall time".to_owned()
    });
    let warnings = busy_warning(&reports).into_iter().chain(warnings).chain(wall);
    for warning in warnings.filter(|_| !arguments.quiet) {
        print_info(&warning);
    }
    let comparison = baseline.map(|baseline| baseline.compare(&reports, max_slowdown));
    let is_too_slow =
        comparison.as_ref().is_some_and(|found| found.count(SpeedVerdict::TooSlow) > 0);
    let has_signature = workloads.contains(&Workload::Signature);
    let report = BenchReport {
        format: FORMAT,
        signature: has_signature.then(|| format_signature(&hasher)),
        machine,
        build: MeasuredBuild::current(),
        clock: Clock::available(),
        work,
        repetitions,
        games: reports,
        comparison,
    };
    print(&if arguments.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        report.text()
    });
    Ok(if is_too_slow { ExitStatus::Negative } else { ExitStatus::Success })
}

impl BenchArguments {
    /// Reads the benchmark of `--compare`, and checks that it did the same work.
    fn read_baseline(
        &self,
        games: &[(&'static GameEntry, usize)],
        workloads: &[Workload],
    ) -> anyhow::Result<Option<Baseline>> {
        let Some(path) = &self.compare else { return Ok(None) };
        let baseline = Baseline::read(path)?;
        if matches!(self.players, Some(PlayerCount::All)) {
            bail!("--players: expected a number with --compare, found `all`");
        }
        let planned = |&(game, players): &(&'static GameEntry, usize)| PlannedWork {
            game: game.id,
            players,
            workloads,
            work: self.scale,
        };
        let planned: Vec<_> = games.iter().map(planned).collect();
        baseline.ensure_comparable(&planned, self.repetitions)?;
        Ok(Some(baseline))
    }

    /// Measures all games. The report of a game with its smallest number of players holds those
    /// with more.
    fn measure(
        &self,
        games: &[(&'static GameEntry, usize)],
        workloads: &[Workload],
        hasher: &mut StableSipHasher128,
    ) -> anyhow::Result<BTreeMap<String, GameReport>> {
        let mut reports: BTreeMap<String, GameReport> = BTreeMap::new();
        for &(game, players) in games {
            // A signature is of one number of players.
            let mut workloads = workloads.to_vec();
            if reports.contains_key(game.id) {
                workloads.retain(|&workload| workload != Workload::Signature);
            }
            let task = BenchTask {
                workloads: &workloads,
                work: self.scale,
                repetitions: self.repetitions,
                hasher,
            };
            let report = task.run(&game.open(&game.default_document(), players)?)?;
            if let Some(first) = reports.get_mut(game.id) {
                first.by_players.insert(players, report);
            } else {
                reports.insert(game.id.to_owned(), report);
            }
        }
        Ok(reports)
    }

    fn workloads(&self) -> Vec<Workload> {
        if !self.workload.is_empty() {
            return self.workload.clone();
        }
        [Workload::Signature].into_iter().chain(Workload::MEASURED).collect()
    }

    /// Returns the selected games with their numbers of players, the smallest first.
    fn games(&self, games: GameList) -> anyhow::Result<Vec<(&'static GameEntry, usize)>> {
        let games = match &self.game {
            Some(name) => std::slice::from_ref(find_game(games, name).context("--game")?),
            None => games.all(),
        };
        let mut selected = Vec::new();
        for game in games {
            let (min, max) = (game.min_players, game.max_players);
            let players = match self.players {
                None => min..=min,
                Some(PlayerCount::All) => min..=max,
                Some(PlayerCount::Number(_)) if self.game.is_none() => {
                    bail!("--players: expected `all`, or a number with --game");
                }
                Some(PlayerCount::Number(players)) if !(min..=max).contains(&players) => {
                    bail!("--players: expected {min} to {max} for {}, found {players}", game.id);
                }
                Some(PlayerCount::Number(players)) => players..=players,
            };
            selected.extend(players.map(|players| (game, players)));
        }
        Ok(selected)
    }
}
