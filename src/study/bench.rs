//! `watershed bench`: measures speed with fixed work, and prints a signature of behaviour that is
//! equal on every machine.

mod arguments;
mod experiment;
mod machine;
mod speeds;
mod tables;
mod workload;

use rustc_stable_hash::StableSipHasher128;

use self::{
    experiment::{BenchTask, format_signature},
    machine::{Clock, Machine, MeasuredBuild},
    speeds::{GameReport, busy_warning},
    workload::Workload,
};
use crate::{run::arguments::find_game, study::shared::prelude::*};

pub(crate) use self::arguments::BenchArguments;

/// Format of the report.
const FORMAT: &str = "watershed.bench/1";

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
}

pub(crate) fn run(games: GameList, arguments: &BenchArguments) -> anyhow::Result<ExitStatus> {
    let &BenchArguments { scale: work, repetitions, .. } = arguments;
    let workloads = arguments.workloads();
    let games = arguments.games(games)?;
    let mut hasher = StableSipHasher128::new();
    let reports = arguments.measure(&games, &workloads, &mut hasher)?;
    let is_empty = |report: &GameReport| report.signature.is_none() && report.workloads.is_empty();
    if reports.values().all(is_empty) {
        bail!("--workload: expected a game with a network for `network`, found none");
    }
    let machine = Machine::current();
    let wall = (Clock::available() == Clock::Wall).then(|| {
        "warning: the CPU time of a thread is not known here; speeds are by wall time".to_owned()
    });
    let warnings = busy_warning(&reports).into_iter().chain(wall);
    for warning in warnings.filter(|_| !arguments.quiet) {
        print_info(&warning);
    }
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
    };
    print(&if arguments.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        report.text()
    });
    Ok(ExitStatus::Success)
}

impl BenchArguments {
    /// Measures all games.
    fn measure(
        &self,
        games: &[(&'static GameEntry, usize)],
        workloads: &[Workload],
        hasher: &mut StableSipHasher128,
    ) -> anyhow::Result<BTreeMap<String, GameReport>> {
        let mut reports = BTreeMap::new();
        for &(game, players) in games {
            let task =
                BenchTask { workloads, work: self.scale, repetitions: self.repetitions, hasher };
            let report = task.run(&game.open(&game.default_document(), players)?)?;
            reports.insert(game.id.to_owned(), report);
        }
        Ok(reports)
    }

    fn workloads(&self) -> Vec<Workload> {
        if !self.workload.is_empty() {
            return self.workload.clone();
        }
        Workload::ALL.into()
    }

    /// Returns the selected games with their numbers of players.
    fn games(&self, games: GameList) -> anyhow::Result<Vec<(&'static GameEntry, usize)>> {
        let Some(name) = &self.game else {
            ensure!(self.players.is_none(), "--players: expected --game with it");
            return Ok(games.all().iter().map(|game| (game, game.min_players)).collect());
        };
        let game = find_game(games, name).context("--game")?;
        let (min, max) = (game.min_players, game.max_players);
        let players = self.players.unwrap_or(min);
        ensure!(
            (min..=max).contains(&players),
            "--players: expected {min} to {max} for {}, found {players}",
            game.id
        );
        Ok(vec![(game, players)])
    }
}
