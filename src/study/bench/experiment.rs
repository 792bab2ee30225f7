//! Workloads of fixed size, and their measurement.

use std::{
    collections::BTreeMap,
    hash::Hasher,
    time::{Duration, Instant},
};

use clap::ValueEnum;
use rustc_stable_hash::StableSipHasher128;
use serde::{Deserialize, Serialize};

use super::analysis::{GameReport, WorkloadReport};
use crate::{
    benchmark::{Benchmark, WorkDone},
    bound::BoundGame,
    config::ConfigError,
    search::clock::thread_cpu_time,
};

/// Bot whose searches are measured.
const SEARCH_BOT: &str = "mcts";

/// A kind of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(super) enum Workload {
    /// Hash of all positions of random games
    Signature,
    /// Playouts, uniform over the legal actions
    Playouts,
    /// Playouts, uniform over the kinds of action
    KindPlayouts,
    /// Iterations of UCT with uniform playouts, from the first decision
    Uct,
    /// Games of the default heuristic in all seats
    Heuristic,
    /// Evaluations of positions by the network of the game, if it has one
    Network,
    /// Iterations of the bot `mcts` with its default options
    Mcts,
}

impl Workload {
    /// All workloads that are measured.
    pub(super) const MEASURED: [Self; 6] =
        [Self::Playouts, Self::KindPlayouts, Self::Uct, Self::Heuristic, Self::Network, Self::Mcts];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Playouts => "playouts",
            Self::KindPlayouts => "kind_playouts",
            Self::Uct => "uct",
            Self::Heuristic => "heuristic",
            Self::Network => "network",
            Self::Mcts => "mcts",
        }
    }

    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Signature => "positions",
            Self::Playouts | Self::KindPlayouts => "playouts",
            Self::Heuristic => "games",
            Self::Network => "evaluations",
            Self::Uct | Self::Mcts => "iterations",
        }
    }

    /// Returns the size of a repetition: playouts, iterations, games, evaluations or, for `mcts`,
    /// searches.
    pub(super) fn size(self, work: f64) -> u32 {
        let size = match self {
            Self::Signature => 0.0,
            Self::Playouts | Self::KindPlayouts => 20_000.0,
            Self::Uct => 10_000.0,
            Self::Heuristic => 1000.0,
            Self::Network => 50_000.0,
            Self::Mcts => 40.0,
        };
        f64::max(size * work, 1.0) as u32
    }
}

/// Measurement of a repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    pub(super) done: WorkDone,
    pub(super) wall: Duration,
    /// CPU time of the thread, if it is known.
    pub(super) cpu: Option<Duration>,
}

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
