//! Workloads of fixed size, and their measurement.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    hint::black_box,
    sync::{Arc, Barrier},
    time::{Duration, Instant},
};

use clap::ValueEnum;
use rayon::ThreadPool;
use rustc_stable_hash::StableSipHasher128;
use serde::{Deserialize, Serialize};

use super::analysis::{GameReport, WorkloadReport};
use crate::{
    arena::run::Experiment,
    bots::{Bot, BotFactory, View, profile::BotLibrary},
    game::{Features, FullGame, Game, Turn},
    games::GameTask,
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{
        clock::thread_cpu_time,
        mcts::{Search, SearchModel, Settings},
        network::{BoundNetwork, NetworkBot},
        playout::{Policy, Uniform, UniformKind, play_out},
    },
};

/// Playouts of each policy whose positions are hashed.
const SIGNATURE_PLAYOUTS: u64 = 200;
/// Seed of the games of bots.
const SEED: u64 = 1;
/// Placements of an opening that `simulate` counts by default.
const OPENING_STEPS: usize = 3;
/// Games whose positions a network evaluates.
const EVALUATED_GAMES: u64 = 4;
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

    /// Unit of the speed.
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

/// Work that a thread did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct WorkDone {
    /// Playouts, iterations, games or evaluations.
    pub(super) units: u64,
    /// Events of playouts and games; 0 for the others.
    pub(super) events: u64,
}

/// Measurement of a repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    /// Work of each thread.
    pub(super) done: WorkDone,
    /// Time from the common start of the threads to the end of the last one.
    pub(super) wall: Duration,
    /// CPU time of all threads together, if it is known.
    pub(super) cpu: Option<Duration>,
}

/// The measurement of one game.
pub(super) struct BenchTask<'a> {
    pub(super) workloads: &'a [Workload],
    pub(super) work: f64,
    pub(super) repetitions: usize,
    /// Pools of 1, 2, 3, … threads.
    pub(super) pools: &'a [ThreadPool],
    /// Hasher of the positions of all games.
    pub(super) hasher: &'a mut StableSipHasher128,
}

impl GameTask for BenchTask<'_> {
    type Output = anyhow::Result<GameReport>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<G>) -> anyhow::Result<GameReport> {
        let Self { workloads, work, repetitions, pools, hasher } = self;
        let signature = workloads.contains(&Workload::Signature).then(|| {
            let mut own = StableSipHasher128::new();
            for hasher in [&mut own, hasher] {
                hash_playouts(game, &Uniform, hasher);
                hash_playouts(game, &UniformKind, hasher);
            }
            format_signature(&own)
        });
        let heuristic = library.profiles.default_heuristic.unwrap_or(library.default_bot());
        let network = library.profiles.first_network()?;
        let network_name = network.as_ref().map(|(name, _)| *name);
        let bench = GameBench {
            game,
            heuristic: lineup(game, library, heuristic)?,
            evaluations: network.map(|(_, bot)| Evaluations::new(game, bot)),
            search: lineup(game, library, SEARCH_BOT)?,
            work,
        };
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
                for (pool, threads) in pools.iter().zip(1..) {
                    let measurement = bench.measure(workload, pool);
                    // The first repetition warms up caches and processor.
                    if repetition > 0 {
                        found.entry((workload, threads)).or_default().push(measurement);
                    }
                }
            }
        }
        let reports = measured.into_iter().map(|workload| {
            let by_threads: Vec<_> =
                (1..=pools.len()).map(|threads| &found[&(workload, threads)][..]).collect();
            let bot = match workload {
                Workload::Heuristic => Some(heuristic),
                Workload::Network => network_name,
                Workload::Mcts => Some(SEARCH_BOT),
                _ => None,
            };
            (workload, WorkloadReport::new(workload, bench.size(workload), bot, &by_threads))
        });
        Ok(GameReport::new(game.seats(), signature, reports.collect()))
    }
}

pub(super) fn format_signature(hasher: &StableSipHasher128) -> String {
    format!("{:016x}", Hasher::finish(hasher))
}

/// Reads one bot for all seats.
fn lineup<G: FullGame>(
    game: &G,
    library: &BotLibrary<G>,
    name: &str,
) -> anyhow::Result<Vec<BotFactory<G>>> {
    Ok(vec![library.read(name)?; game.seats()])
}

/// A network, and positions that it evaluates.
struct Evaluations<G: Game> {
    network: Arc<BoundNetwork>,
    /// Positions in which a seat decides, of games in which the network plays in all seats.
    positions: Vec<G::State>,
}

impl<G: Features> Evaluations<G> {
    fn new(game: &G, bot: NetworkBot) -> Self {
        let mut positions = Vec::new();
        for index in 0..EVALUATED_GAMES {
            let mut rng = stream(4, index, 0, Purpose::Playout);
            let mut state = game.initial();
            loop {
                let action = match game.turn(&state) {
                    Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                    Turn::Seat(seat) => {
                        positions.push(state);
                        bot.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                    }
                    Turn::Over => break,
                };
                game.apply(&mut state, action);
            }
        }
        Self { network: bot.network, positions }
    }

    /// Computes the win shares of positions, one after the other and from the first again.
    fn evaluate(&self, game: &G, evaluations: u32) -> WorkDone {
        for position in self.positions.iter().cycle().take(evaluations as usize) {
            black_box(self.network.win_shares(game, black_box(position)));
        }
        WorkDone { units: evaluations.into(), events: 0 }
    }
}

/// A game with its bots and the amount of work.
struct GameBench<'a, G: Game> {
    game: &'a G,
    heuristic: Vec<BotFactory<G>>,
    evaluations: Option<Evaluations<G>>,
    search: Vec<BotFactory<G>>,
    work: f64,
}

impl<G: FullGame> GameBench<'_, G> {
    fn size(&self, workload: Workload) -> u32 {
        workload.size(self.work)
    }

    /// Lets each thread of a pool do the same work at the same time.
    fn measure(&self, workload: Workload, pool: &ThreadPool) -> Repetition {
        let start = Barrier::new(pool.current_num_threads());
        let threads = pool.broadcast(|_| {
            start.wait();
            let (cpu, wall) = (thread_cpu_time(), Instant::now());
            let done = self.work(workload);
            let wall = wall.elapsed();
            let cpu = thread_cpu_time().zip(cpu).map(|(end, start)| end.saturating_sub(start));
            Repetition { done, wall, cpu }
        });
        let done = threads.first().map(|thread| thread.done).unwrap_or_default();
        let wall = threads.iter().map(|thread| thread.wall).max().unwrap_or_default();
        let cpu = threads.iter().map(|thread| thread.cpu).sum();
        Repetition { done, wall, cpu }
    }

    /// Does the work of a repetition on this thread.
    fn work(&self, workload: Workload) -> WorkDone {
        let size = self.size(workload);
        match workload {
            Workload::Signature => WorkDone::default(),
            Workload::Playouts => self.play_out(&Uniform, size),
            Workload::KindPlayouts => self.play_out(&UniformKind, size),
            Workload::Uct => self.search_first_decision(size),
            Workload::Heuristic => self.play_games(size),
            Workload::Network => {
                let evaluate = |all: &Evaluations<G>| all.evaluate(self.game, size);
                self.evaluations.as_ref().map(evaluate).unwrap_or_default()
            }
            Workload::Mcts => self.play_searches(size),
        }
    }

    /// Plays out the initial position.
    fn play_out(&self, policy: &impl Policy<G>, playouts: u32) -> WorkDone {
        let mut rng = stream(2, 0, 0, Purpose::Playout);
        let play = |_| play_out(self.game, &mut self.game.initial(), policy, &mut rng);
        WorkDone { units: playouts.into(), events: (0..playouts).map(play).sum() }
    }

    /// Searches the first decision by UCT with uniform playouts.
    fn search_first_decision(&self, iterations: u32) -> WorkDone {
        let game = self.game;
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        let mut state = game.initial();
        while let Turn::Chance(_) = game.turn(&state) {
            let outcome = game.sample_chance(&state, &mut rng);
            game.apply(&mut state, outcome);
        }
        let mut search = Search::new(Settings::uct(iterations, 1.0));
        search.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| state);
        WorkDone { units: iterations.into(), events: 0 }
    }

    /// Plays games of the default heuristic as `simulate` does, with its statistics.
    fn play_games(&self, games: u32) -> WorkDone {
        let experiment = Experiment {
            opening_steps: OPENING_STEPS,
            ..Experiment::new(self.game, &self.heuristic, SEED, 0..games.into())
        };
        let mut bots = experiment.build_bots();
        let tally = experiment.play_blocks(&mut bots, experiment.blocks.clone(), &|_| {}).tally;
        WorkDone { units: tally.games, events: tally.events }
    }

    /// Plays games of the search bot until it has searched this number of times.
    fn play_searches(&self, searches: u32) -> WorkDone {
        let mut bots = Experiment::new(self.game, &self.search, SEED, 0..1).build_bots();
        let mut left = searches;
        let mut iterations = 0;
        // A game in which no seat has a choice has no search.
        for block in 0..u64::from(searches) {
            iterations += self.play_game_with_searches(&mut bots, block, &mut left);
            if left == 0 {
                break;
            }
        }
        WorkDone { units: iterations, events: 0 }
    }

    /// Plays a game until it ends or no search is left. Returns the number of iterations.
    fn play_game_with_searches(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        block: u64,
        left: &mut u32,
    ) -> u64 {
        let game = self.game;
        let mut chance = ChanceStreams::new(SEED, block, game.chance_sources().len());
        let mut streams: Vec<Rng> =
            (0..bots.len()).map(|seat| stream(SEED, block, 0, Purpose::Bot(seat as u8))).collect();
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let mut state = game.initial();
        let mut iterations = 0;
        while *left > 0 {
            let action = match game.turn(&state) {
                Turn::Chance(source) => game.sample_chance(&state, chance.source_stream(source.0)),
                Turn::Seat(seat) => {
                    let legal = game.legal_actions(&state);
                    let view = View::new(game, &state, seat);
                    let bot = &mut bots[seat.index()];
                    let action = bot.choose(&view, &legal, &mut streams[seat.index()]);
                    if let Some(result) = bot.last_search() {
                        iterations += result.iterations;
                        *left -= 1;
                    }
                    for bot in bots.iter_mut() {
                        bot.observe(seat, action);
                    }
                    action
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        iterations
    }
}

/// Hashes the text of every position of some playouts. Text does not depend on how a state is
/// packed.
fn hash_playouts<G: FullGame>(game: &G, policy: &impl Policy<G>, hasher: &mut StableSipHasher128) {
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    for _ in 0..SIGNATURE_PLAYOUTS {
        let mut state = game.initial();
        loop {
            game.position_text(&state).hash(hasher);
            let action = match game.turn(&state) {
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(seat) => {
                    policy.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        game.outcome(&state).scores.hash(hasher);
    }
}
