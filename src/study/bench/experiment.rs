//! The measurement of workloads of fixed size.

use std::{collections::BTreeMap, hash::Hasher, time::Instant};

use rustc_stable_hash::StableSipHasher128;

use super::{
    speeds::{GameReport, Repetition, WorkloadReport},
    workload::Workload,
};
use crate::{
    benchmark::{Benchmark, WorkDone},
    bound::BoundGame,
    config::ConfigError,
    search::clock::thread_cpu_time,
};

/// Bot whose searches are measured.
const SEARCH_BOT: &str = "mcts";

/// The measurement of one game.
pub(super) struct BenchTask<'a> {
    pub(super) workloads: &'a [Workload],
    pub(super) work: f64,
    pub(super) repetitions: usize,
    /// Hasher of the positions of all games.
    pub(super) hasher: &'a mut StableSipHasher128,
}

impl BenchTask<'_> {
    pub(super) fn run(self, game: &dyn BoundGame) -> anyhow::Result<GameReport> {
        let Self { workloads, work, repetitions, hasher } = self;
        let library = game.library();
        let heuristic = library.profiles.default_heuristic.unwrap_or(library.default_bot());
        let network = library.profiles.first_network()?;
        let network_name = network.as_ref().map(|(name, _)| *name);
        let lineup = |name| Ok::<_, ConfigError>(vec![library.read(name)?; game.seats()]);
        let network = network.map(|(_, bot)| bot);
        let work_of_game = game.benchmark(lineup(heuristic)?, network, lineup(SEARCH_BOT)?);
        let bench = GameBench { game: &*work_of_game, work };
        let signature = workloads.contains(&Workload::Signature).then(|| {
            let mut own = StableSipHasher128::new();
            for hasher in [&mut own, hasher] {
                bench.game.hash_playouts(hasher);
            }
            format_signature(&own)
        });
        let is_measured = |workload: &Workload| {
            workloads.contains(workload)
                && (*workload != Workload::Network || network_name.is_some())
        };
        let measured: Vec<_> = Workload::MEASURED.into_iter().filter(is_measured).collect();
        // The repetitions of the workloads alternate, so that a disturbance concerns a few
        // repetitions of each instead of all of one.
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for repetition in 0..=repetitions {
            for &workload in &measured {
                let measurement = bench.measure(workload);
                // The first repetition warms up caches and processor.
                if repetition > 0 {
                    found.entry(workload).or_default().push(measurement);
                }
            }
        }
        let reports = measured.into_iter().map(|workload| {
            let bot = match workload {
                Workload::Heuristic => Some(heuristic),
                Workload::Network => network_name,
                Workload::Mcts => Some(SEARCH_BOT),
                _ => None,
            };
            (workload, WorkloadReport::new(workload, bench.size(workload), bot, &found[&workload]))
        });
        Ok(GameReport::new(game.seats(), signature, reports.collect()))
    }
}

pub(super) fn format_signature(hasher: &StableSipHasher128) -> String {
    format!("{:016x}", Hasher::finish(hasher))
}

/// The work with a game, and its amount.
struct GameBench<'a> {
    game: &'a dyn Benchmark,
    work: f64,
}

impl GameBench<'_> {
    fn size(&self, workload: Workload) -> u32 {
        workload.size(self.work)
    }

    fn measure(&self, workload: Workload) -> Repetition {
        let (cpu, wall) = (thread_cpu_time(), Instant::now());
        let done = self.work(workload);
        let wall = wall.elapsed();
        let cpu = thread_cpu_time().zip(cpu).map(|(end, start)| end.saturating_sub(start));
        Repetition { done, wall, cpu }
    }

    /// Does the work of a repetition.
    fn work(&self, workload: Workload) -> WorkDone {
        let size = self.size(workload);
        match workload {
            Workload::Signature => WorkDone::default(),
            Workload::Playouts => self.game.playouts(size),
            Workload::KindPlayouts => self.game.kind_playouts(size),
            Workload::Uct => self.game.search_first_decision(size),
            Workload::Heuristic => self.game.play_games(size),
            Workload::Network => self.game.evaluate(size),
            Workload::Mcts => self.game.play_searches(size),
        }
    }
}
