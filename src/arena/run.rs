//! Playing the blocks of an experiment on all cores, in bounded memory.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{
    intervention::Intervention,
    play::{Observer, play_game},
    record::{FORMAT, Record, Recorder},
    rounds::RoundsCounter,
    schedule::{Rotations, distinct},
    tally::{Counter, Tally},
    trace,
};
use crate::{
    bots::{self, Bot, profile::Profile},
    game::{FullGame, ItemTable, MAX_SEATS, Outcome, Seat},
    rng::{ChanceStreams, Purpose, Rng, stream},
};

/// A run: which games, between whom, and what to write down of them.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Experiment<'a, G> {
    /// The rules.
    pub game: &'a G,
    /// The game's name.
    pub game_name: &'a str,
    /// SHA-256 of the data file's bytes.
    pub config_sha256: &'a str,
    /// The bots in the seats of a block's first game.
    pub lineup: &'a [Profile],
    /// The master seed.
    pub seed: u64,
    /// The blocks to play.
    pub blocks: Range<u64>,
    /// How many opening steps are told apart.
    pub opening_steps: usize,
    /// Whether to write records.
    pub records: bool,
    /// Whether records list the legal actions.
    pub legal_actions: bool,
    /// Whether to write a line for each game.
    pub game_rows: bool,
    /// Whether to write a line for each search.
    pub trace: bool,
}

/// A finished game in the line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRow {
    /// The game's number in the run.
    pub index: u64,
    /// Its block.
    pub block: u64,
    /// Its rotation within the block.
    pub rotation: u64,
    /// The bot in each seat, as an index into the experiment's.
    pub bot_in: [usize; MAX_SEATS],
    /// How it ended.
    pub outcome: Outcome,
    /// Events, chance and decisions together.
    pub events: u64,
}

/// What some consecutive blocks brought.
#[derive(Clone, Debug)]
pub struct BlockBatch {
    /// The blocks.
    pub blocks: Range<u64>,
    /// What was counted.
    pub tally: Tally,
    /// For each block the records of its games, one JSON object a line; empty if none are wanted.
    pub records: Vec<String>,
    /// The games one by one.
    pub game_rows: Vec<GameRow>,
    /// What bots found by searching, one JSON object a line.
    pub traces: String,
}

/// Jobs that are handed out together; the next are when all of them are done.
const JOBS: u64 = 96;
/// How long the jobs handed out together should take.
const TARGET: Duration = Duration::from_millis(700);
/// The most blocks a job may have while it keeps text in memory.
const MOST_BLOCKS_WITH_TEXT: u64 = 8;
const MOST_BLOCKS: u64 = 4096;

impl<'a, G> Experiment<'a, G> {
    /// These blocks, of which nothing is written down, not even the name of the game and its data.
    pub const fn new(game: &'a G, bots: &'a [Profile], seed: u64, blocks: Range<u64>) -> Self {
        Self {
            game,
            game_name: "",
            config_sha256: "",
            lineup: bots,
            seed,
            blocks,
            opening_steps: 0,
            records: false,
            legal_actions: false,
            game_rows: false,
            trace: false,
        }
    }
}

impl<G: FullGame> Experiment<'_, G> {
    /// The rotations of the bots over the seats.
    pub fn rotations(&self) -> Rotations {
        let parameters: Vec<_> = self.lineup.iter().map(|bot| (&bot.name, &bot.spec)).collect();
        Rotations::new(&parameters)
    }

    /// The different bots, each as the index of its first seat, and for each seat its place among
    /// them.
    pub fn distinct_bots(&self) -> (Vec<usize>, Vec<usize>) {
        let names: Vec<_> = self.lineup.iter().map(|bot| &bot.name).collect();
        distinct(&names)
    }

    /// Plays all blocks on the threads of the current pool. `merge` gets what the blocks brought in
    /// their order, as soon as all before them are there; `played` hears of games as they end, in
    /// any order. When `stop` becomes true, the jobs in flight are finished and no other is begun.
    ///
    /// # Errors
    /// If `merge` fails.
    pub fn run<E: Send>(
        &self,
        stop: &AtomicBool,
        played: &(dyn Fn(u64) + Sync),
        merge: impl FnMut(BlockBatch) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let tables = self.game.tables();
        let most = if self.records || self.game_rows { MOST_BLOCKS_WITH_TEXT } else { MOST_BLOCKS };
        let play =
            |bots: &mut Vec<Box<dyn Bot<G>>>, job| self.play_blocks(bots, &tables, job, played);
        run_jobs_in_order(self.blocks.clone(), most, stop, || self.build_bots(), play, merge)
    }

    /// Plays all blocks as [`Experiment::run`] does and adds up what is counted of them.
    pub fn tally(&self, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> Tally {
        let tables = self.game.tables();
        let nothing = Tally::for_game(self.game, self.distinct_bots().0.len());
        let play = |bots: &mut Vec<_>, job| self.play_blocks(bots, &tables, job, played).tally;
        run_and_fold(nothing, Tally::add, self.blocks.clone(), stop, || self.build_bots(), play)
    }

    pub(crate) fn build_bots(&self) -> Vec<Box<dyn Bot<G>>> {
        self.lineup.iter().map(|bot| bots::build(&bot.spec)).collect()
    }

    /// Plays consecutive blocks.
    pub(crate) fn play_blocks(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        tables: &[ItemTable],
        job: Range<u64>,
        played: &(dyn Fn(u64) + Sync),
    ) -> BlockBatch {
        let rotations = self.rotations();
        let (different, places) = self.distinct_bots();
        let mut counter = Counter::new(tables, different.len(), self.opening_steps);
        let mut gauges = RoundsCounter::new(self.game.round_metrics().len());
        let (mut records, mut games, mut traces) = (Vec::new(), Vec::new(), String::new());
        for block in job.clone() {
            let mut lines = String::new();
            for rotation in 0..rotations.games_per_block() {
                let index = block * rotations.games_per_block() + rotation;
                let bot_in = self.bot_in(&rotations, rotation);
                counter.begin_game(bot_in.map(|bot| places[bot]));
                let mut recorder = self
                    .records
                    .then(|| Recorder::new(self.heading(index, &bot_in), self.legal_actions));
                let trace = self.trace.then_some(&mut traces);
                let table = Seating { block, rotation, bot_in };
                self.play_one(
                    bots,
                    &table,
                    (),
                    ((&mut counter, gauges.as_mut()), recorder.as_mut()),
                    trace,
                );
                if let Some(recorder) = recorder {
                    // A record holds nothing that JSON can't.
                    lines += &serde_json::to_string(&recorder.into_record()).unwrap_or_default();
                    lines.push('\n');
                }
                if let (true, Some((outcome, events))) = (self.game_rows, counter.last_game()) {
                    games.push(GameRow { index, block, rotation, bot_in, outcome, events });
                }
            }
            if self.records {
                records.push(lines);
            }
            counter.end_block();
            if let Some(gauges) = &mut gauges {
                gauges.end_block();
            }
            played(rotations.games_per_block());
        }
        let gauges = gauges.map(RoundsCounter::into_tally).unwrap_or_default();
        BlockBatch {
            blocks: job,
            tally: Tally { round_metrics: gauges, ..counter.into_tally() },
            records,
            game_rows: games,
            traces,
        }
    }

    /// The bot in each seat in one of a block's games.
    pub(crate) fn bot_in(&self, rotations: &Rotations, rotation: u64) -> [usize; MAX_SEATS] {
        std::array::from_fn(|seat| {
            if seat < self.lineup.len() { rotations.bot_in(Seat::new(seat), rotation) } else { 0 }
        })
    }

    /// Plays one game. The bots choose among what the intervention leaves of the legal actions.
    pub(crate) fn play_one(
        &self,
        bots: &mut [Box<dyn Bot<G>>],
        table: &Seating,
        mut intervention: impl Intervention<G>,
        observer: impl Observer<G>,
        mut trace: Option<&mut String>,
    ) {
        let &Seating { block, rotation, bot_in } = table;
        let mut chance = ChanceStreams::new(self.seed, block, self.game.chance_sources().len());
        let mut streams: [Rng; MAX_SEATS] = std::array::from_fn(|seat| {
            stream(self.seed, block, rotation, Purpose::Bot(seat as u8))
        });
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let mut decision = 0;
        let choose = |view: &bots::View<'_, G>, legal: &G::Actions| {
            let seat = view.seat().index();
            let offered = intervention.filter_actions(self.game, view.seat(), legal);
            let action = bots[bot_in[seat]].choose(view, &offered, &mut streams[seat]);
            if let Some(trace) = &mut trace
                && let Some(findings) = bots[bot_in[seat]].last_search()
            {
                let index = block * self.rotations().games_per_block() + rotation;
                **trace += &trace::search_line(
                    self.game,
                    index,
                    decision,
                    &self.lineup[bot_in[seat]].name,
                    &findings,
                );
            }
            decision += 1;
            for bot in bots.iter_mut() {
                bot.observe(view.seat(), action);
            }
            action
        };
        play_game(self.game, &mut chance, choose, observer);
    }

    fn heading(&self, index: u64, bot_in: &[usize; MAX_SEATS]) -> Record {
        let seats = self.lineup.len();
        Record {
            format: FORMAT.to_owned(),
            game: self.game_name.to_owned(),
            config_sha256: self.config_sha256.to_owned(),
            players: seats,
            bots: bot_in[..seats].iter().map(|&bot| self.lineup[bot].name.clone()).collect(),
            seed: self.seed,
            index,
            events: Vec::new(),
            legal: None,
            scores: Vec::new(),
            winners: Vec::new(),
            rounds: 0,
            capped: false,
            breakdown: vec![BTreeMap::new(); seats],
        }
    }
}

/// Who plays: one of the games of a block, with the bot in each seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seating {
    pub(crate) block: u64,
    pub(crate) rotation: u64,
    pub(crate) bot_in: [usize; MAX_SEATS],
}

/// What [`run_jobs_in_order`] brings where `add` adds up the parts.
pub(crate) fn run_and_fold<W, T: Send>(
    nothing: T,
    add: fn(&mut T, &T),
    blocks: Range<u64>,
    stop: &AtomicBool,
    worker: impl Fn() -> W + Sync + Send,
    play: impl Fn(&mut W, Range<u64>) -> T + Sync + Send,
) -> T {
    let mut total = nothing;
    let merge = |part: T| {
        add(&mut total, &part);
        Ok::<_, Infallible>(())
    };
    let Ok(()) = run_jobs_in_order(blocks, MOST_BLOCKS, stop, worker, play, merge);
    total
}

/// Does jobs of consecutive blocks, at most so many blocks each, on the threads of the current
/// pool. `worker` makes what a thread needs, `play` does a job, and `merge` gets what the jobs
/// brought in the order of their blocks. When `stop` becomes true, the jobs in flight are finished
/// and no other is begun.
fn run_jobs_in_order<W, T: Send, E: Send>(
    blocks: Range<u64>,
    most_blocks: u64,
    stop: &AtomicBool,
    worker: impl Fn() -> W + Sync + Send,
    play: impl Fn(&mut W, Range<u64>) -> T + Sync + Send,
    merge: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let merger =
        Mutex::new(Merger { next: blocks.start, waiting: BTreeMap::new(), merge, failure: None });
    let merger = || merger.lock().unwrap_or_else(PoisonError::into_inner);
    let done = || stop.load(Ordering::Relaxed) || merger().failure.is_some();
    let mut next = blocks.start;
    let mut blocks_per_job = 1;
    while next < blocks.end && !done() {
        let started = Instant::now();
        let end = blocks.end.min(next.saturating_add(JOBS * blocks_per_job));
        // Jobs are handed out one by one in the order of their blocks and always finished, so that
        // what was played when `stop` becomes true has no gap.
        let jobs = (next..end).step_by(blocks_per_job as usize).take_while(|_| !done());
        jobs.par_bridge().for_each_init(&worker, |worker, start| {
            let job = start..end.min(start.saturating_add(blocks_per_job));
            let brought = play(worker, job.clone());
            merger().add(job, brought);
        });
        let rate = (end - next) as f64 / started.elapsed().as_secs_f64().max(1e-6);
        blocks_per_job = ((rate * TARGET.as_secs_f64() / JOBS as f64) as u64).clamp(1, most_blocks);
        next = end;
    }
    let failure = merger().failure.take();
    failure.map_or(Ok(()), Err)
}

/// Puts what jobs brought, which comes in any order, into that of their blocks.
struct Merger<T, M, E> {
    /// The block that is to be merged next.
    next: u64,
    /// What came before its turn, by its first block, with the end of its blocks.
    waiting: BTreeMap<u64, (u64, T)>,
    merge: M,
    /// The first failure; nothing is merged after it.
    failure: Option<E>,
}

impl<T, E, M: FnMut(T) -> Result<(), E>> Merger<T, M, E> {
    fn add(&mut self, job: Range<u64>, brought: T) {
        self.waiting.insert(job.start, (job.end, brought));
        while self.failure.is_none()
            && let Some((end, brought)) = self.waiting.remove(&self.next)
        {
            self.next = end;
            self.failure = (self.merge)(brought).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_blocks_there_can_be_are_done_once() {
        for first in [u64::MAX - 1, u64::MAX - 1000, 0] {
            let blocks = first..first.saturating_add(1000);
            let add = |total: &mut Vec<Range<u64>>, part: &Vec<Range<u64>>| {
                total.extend(part.iter().cloned())
            };
            let done = run_and_fold(
                Vec::new(),
                add,
                blocks.clone(),
                &AtomicBool::new(false),
                || (),
                |(), job| vec![job],
            );
            assert_eq!((done[0].start, done[done.len() - 1].end), (blocks.start, blocks.end));
            assert!(done.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
