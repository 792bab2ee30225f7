//! The measurement of workloads of fixed size.

use std::hash::Hasher;

use rustc_stable_hash::StableSipHasher128;

use super::{
    speeds::{GameReport, Repetition, WorkloadReport},
    workload::Workload,
};
use crate::{
    benchmark::{Benchmark, WorkDone},
    search::clock::thread_cpu_time,
    study::shared::prelude::*,
};

/// Bot of which some searches are measured.
const SEARCH_BOT: &str = "mcts";
/// Bot that searches in whole games.
const QUICK_SEARCH_BOT: &str = "mcts:iterations=100";

/// The measurement of one game.
pub(super) struct BenchTask<'a> {
    pub(super) workloads: &'a [Workload],
    pub(super) work: f64,
    pub(super) repetitions: usize,
    /// Hasher of the positions of all games.
    pub(super) hasher: &'a mut StableSipHasher128,
}

impl BenchTask<'_> {
    pub(super) fn run(self, game: &BoundGame) -> anyhow::Result<GameReport> {
        let Self { workloads, work, repetitions, hasher } = self;
        let library = game.library();
        let heuristic = library.profiles.default_heuristic.unwrap_or(library.default_bot());
        let network = library.profiles.first_network()?;
        let network_name = network.as_ref().map(|(name, _)| *name);
        let bot = |workload: Workload| match workload {
            Workload::Simulate => Some("random"),
            Workload::Heuristic => Some(heuristic),
            Workload::Expert => Some(library.default_bot()),
            Workload::Network => network_name,
            Workload::Mcts => Some(SEARCH_BOT),
            Workload::MctsGames => Some(QUICK_SEARCH_BOT),
            _ => None,
        };
        let mut lineups = BTreeMap::new();
        for &workload in workloads.iter().filter(|&&workload| workload != Workload::Network) {
            if let Some(name) = bot(workload) {
                lineups.insert(workload, vec![library.read(name)?; game.seats()]);
            }
        }
        let work_of_game = game.benchmark(network.map(|(_, bot)| bot));
        let bench = GameBench { game: &*work_of_game, work, lineups };
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
        let measured: Vec<_> = Workload::ALL[1..].iter().copied().filter(is_measured).collect();
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
            let (size, found) = (bench.size(workload), &found[&workload]);
            (workload, WorkloadReport::new(workload, size, bot(workload), found))
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
    /// The bots of the workloads that play games.
    lineups: BTreeMap<Workload, Vec<BotFactory>>,
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
            Workload::Simulate => self.game.play_games(&self.lineups[&workload], size, true),
            Workload::Heuristic | Workload::Expert => {
                self.game.play_games(&self.lineups[&workload], size, false)
            }
            Workload::Network => self.game.evaluate(size),
            Workload::Mcts => self.game.search_in_games(&self.lineups[&workload], size, size),
            Workload::MctsGames => {
                self.game.search_in_games(&self.lineups[&workload], size, u32::MAX)
            }
        }
    }
}
