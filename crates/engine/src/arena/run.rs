//! Plays the blocks of an experiment on all cores, in bounded memory.

use std::{
    cell::Cell,
    collections::BTreeMap,
    convert::Infallible,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{
    counter::Counter,
    forfeit::{ForfeitedSeats, WithForfeits},
    intervention::Intervention,
    play::{Decision, DecisionSearch, FirstPlayer, Observer, SearchObserver, play_from},
    players::Players,
    record::{FORMAT, Record},
    resources::{ResourcesCounter, is_counted},
    rounds::RoundsCounter,
    schedule::{Rotations, distinct},
    tally::Tally,
    trace,
};
use crate::{
    bots::{Bot, BotFactory},
    game::{FullGame, MAX_SEATS, Outcome, Seat, Turn},
    rng::{ChanceStreams, Purpose, stream},
    stats::Merge,
};

/// The games to play, the lineup, and the output to keep, for any game.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use watershed::{
///     BuiltInGame as _, Experiment, GameDefinition as _, games::glassworks::Glassworks,
/// };
///
/// let game = Glassworks::bind(&Glassworks::default_document(), 2)?;
/// let lineup = [game.bot_library().read("random")?, game.bot_library().read("random-kind")?];
/// let experiment = Experiment { game_rows: true, ..Experiment::new(&lineup, 7, 0..20) };
///
/// // Both bots take both seats, so a block has 2 games.
/// let (played, mut rows) = (AtomicU64::new(0), Vec::new());
/// let on_games_finished = |games| drop(played.fetch_add(games, Ordering::Relaxed));
/// experiment.run(&game, &false.into(), &on_games_finished, |batch| {
///     rows.extend(batch.game_rows);
///     Ok::<_, watershed::ConfigError>(())
/// })?;
/// assert_eq!(played.into_inner(), 40);
/// assert!(rows.iter().map(|row| row.index).eq(0..40));
/// # Ok::<(), watershed::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent output switches")]
pub struct Experiment<'a> {
    /// Name of the game.
    pub game_name: &'a str,
    /// SHA-256 of the data file.
    pub config_sha256: &'a str,
    /// The bots in the seats of the first game of a block, one for each seat.
    pub lineup: &'a [BotFactory],
    /// The master seed.
    pub seed: u64,
    /// Blocks to play.
    pub blocks: Range<u64>,
    /// Position from which all games start, in its notation; `None` for that before the setup. The
    /// seat that decides in it is the first player.
    pub position: Option<&'a str>,
    /// Steps of an opening that are counted; 0 for none. See [`super::tally::opening_steps`].
    pub opening_steps: usize,
    /// True to keep records.
    pub records: bool,
    /// True to list the legal actions in records.
    pub legal_actions: bool,
    /// True to keep a row for each game.
    pub game_rows: bool,
    /// True to keep a line for each search.
    pub trace: bool,
    /// True to count choices between items, items by round, and leads ([`Tally::play`]), and the
    /// flow of resources ([`Tally::resources`]).
    pub play_statistics: bool,
}

/// A finished game as a row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRow {
    /// Index of the game in the run.
    pub index: u64,
    /// Index of the block.
    pub block: u64,
    /// Rotation within the block.
    pub rotation: u64,
    /// The bot in each seat, as an index into the lineup.
    pub bot_in: [usize; MAX_SEATS],
    /// The seat that begins.
    pub first_player: Seat,
    /// Scores, winners and length.
    pub outcome: Outcome,
    /// The seats that forfeited the game.
    pub forfeits: ForfeitedSeats,
    /// Number of chance outcomes and decisions.
    pub events: u64,
}

impl GameRow {
    /// Returns the turn position of a seat at the start of the game, 0 for the first player.
    pub fn turn_position(&self, seat: Seat, seats: usize) -> usize {
        (seats + seat.index() - self.first_player.index()) % seats
    }
}

/// Results of a contiguous range of blocks.
#[derive(Clone, Debug)]
pub struct BlockBatch {
    /// The range.
    pub blocks: Range<u64>,
    /// Statistics summed over the blocks.
    pub tally: Tally,
    /// For each block, the records of its games, one JSON object per line; empty without
    /// [`Experiment::records`].
    pub records: Vec<String>,
    /// The finished games; empty without [`Experiment::game_rows`].
    pub game_rows: Vec<GameRow>,
    /// For each block, the search statistics of its games, one JSON object per line; empty without
    /// [`Experiment::trace`].
    pub traces: Vec<String>,
}

/// A player of contiguous blocks with a state of its own, such as bots. The function gets a
/// receiver of the number of games just finished.
pub type JobPlayer<'a, T> = Box<dyn FnMut(Range<u64>, &(dyn Fn(u64) + Sync)) -> T + 'a>;

/// A player with all results of the blocks.
pub type BlockPlayer<'a> = JobPlayer<'a, BlockBatch>;

/// Intended duration of a job.
const JOB_DURATION: Duration = Duration::from_millis(100);
/// Largest number of games in a job that keeps records or game rows, which need memory, and
/// smallest maximum of its blocks.
const MAX_GAMES_WITH_OUTPUT: u64 = 64;
const MIN_BLOCKS_WITH_OUTPUT: u64 = 8;
/// Largest number of blocks in a job.
pub(super) const MAX_BLOCKS: u64 = 4096;

impl<'a> Experiment<'a> {
    /// Creates an experiment without records, game rows, trace or metadata.
    pub const fn new(lineup: &'a [BotFactory], seed: u64, blocks: Range<u64>) -> Self {
        Self {
            game_name: "",
            config_sha256: "",
            lineup,
            seed,
            blocks,
            position: None,
            opening_steps: 0,
            records: false,
            legal_actions: false,
            game_rows: false,
            trace: false,
            play_statistics: false,
        }
    }

    /// Returns the rotations of the lineup over the seats.
    pub fn rotations(&self) -> Rotations {
        Rotations::new(self.lineup)
    }

    /// Returns the largest number of blocks in a job.
    pub fn max_blocks_per_job(&self) -> u64 {
        if self.records || self.game_rows {
            let blocks = MAX_GAMES_WITH_OUTPUT / self.rotations().games_per_block();
            blocks.max(MIN_BLOCKS_WITH_OUTPUT)
        } else {
            MAX_BLOCKS
        }
    }

    /// Returns the first seat of each distinct bot, and for each seat the index of its bot among
    /// the distinct ones.
    pub fn distinct_bots(&self) -> (Vec<usize>, Vec<usize>) {
        let names: Vec<_> = self.lineup.iter().map(BotFactory::name).collect();
        distinct(&names)
    }

    /// Plays all blocks on the threads of the current pool. `on_batch` receives the results in
    /// block order. `on_games_finished` receives the number of games just finished, in any order.
    /// When `stop` becomes true, running jobs are finished and no other starts.
    ///
    /// # Errors
    /// Returns the first error of `on_batch`.
    ///
    /// # Panics
    /// If the lineup has another number of bots than the game has seats.
    pub fn run<G: FullGame, E: Send>(
        &self,
        game: &G,
        stop: &AtomicBool,
        on_games_finished: &(dyn Fn(u64) + Sync),
        on_batch: impl FnMut(BlockBatch) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let max_blocks = self.max_blocks_per_job();
        let play = |bots: &mut Vec<Box<dyn Bot<G>>>, job| {
            self.play_blocks(game, bots, job, on_games_finished)
        };
        let blocks = self.blocks.clone();
        run_jobs_in_order(blocks, max_blocks, stop, || self.build_bots(), play, on_batch)
    }

    /// Plays all blocks on the threads of the current pool and returns the merged statistics.
    ///
    /// # Panics
    /// If the lineup has another number of bots than the game has seats.
    pub fn play<G: FullGame>(&self, game: &G) -> Tally {
        let empty = Tally::for_game(game.catalog(), self.distinct_bots().0.len());
        let play =
            |bots: &mut Vec<Box<dyn Bot<G>>>, job| self.play_blocks(game, bots, job, &|_| ()).tally;
        let stop = AtomicBool::new(false);
        run_and_merge(empty, self.blocks.clone(), &stop, || self.build_bots(), play)
    }

    /// Builds the bots of the lineup.
    pub fn build_bots<G: FullGame>(&self) -> Vec<Box<dyn Bot<G>>> {
        self.lineup.iter().map(BotFactory::build).collect()
    }

    /// Plays a contiguous range of blocks.
    ///
    /// # Panics
    /// If the lineup has another number of bots than the game has seats.
    pub fn play_blocks<G: FullGame>(
        &self,
        game: &G,
        bots: &mut [Box<dyn Bot<G>>],
        job: Range<u64>,
        on_games_finished: &(dyn Fn(u64) + Sync),
    ) -> BlockBatch {
        assert_eq!(self.lineup.len(), game.seats(), "expected one bot for each seat");
        let rotations = self.rotations();
        let (distinct, distinct_index) = self.distinct_bots();
        let catalog = game.catalog();
        let mut counter = Counter::new(catalog, distinct.len(), self.opening_steps);
        if self.play_statistics {
            counter = counter.with_play_statistics(catalog);
        }
        let mut rounds = RoundsCounter::new(game.round_metrics().len());
        let mut resources = ResourcesCounter::new(game.resource_flow());
        resources = resources.filter(|_| self.play_statistics);
        let (mut records, mut game_rows, mut traces) = (Vec::new(), Vec::new(), Vec::new());
        let first_player = self.first_player(game);
        for block in job.clone() {
            let (mut lines, mut searches) = (String::new(), String::new());
            let mut resources = resources.as_mut().filter(|_| is_counted(block));
            for rotation in 0..rotations.games_per_block() {
                let index = block * rotations.games_per_block() + rotation;
                let bot_in = self.bot_in(&rotations, rotation);
                counter.begin_game(bot_in.map(|bot| distinct_index[bot]), first_player);
                let mut record = self.records.then(|| self.empty_record(index, &bot_in));
                let mut trace = |search: DecisionSearch<'_, G>| {
                    let bot = &self.lineup[search.bot];
                    searches += &trace::search_line(game, index, bot, &search);
                };
                let on_search = self.trace.then_some(&mut trace as &mut SearchObserver<'_, G>);
                let seating = Seating { block, rotation, bot_in };
                let mut first = self.game_rows.then_some(FirstPlayer(first_player));
                let mut forfeits = ForfeitedSeats::default();
                let counters = (Some(&mut counter), (rounds.as_mut(), resources.as_deref_mut()));
                let facts = (first.as_mut(), Some(&mut forfeits));
                let observer = (counters, (record.as_mut(), facts));
                let end = self.play_one(game, bots, &seating, &mut (), observer, on_search);
                if let Some(record) = record {
                    // Serialising numbers and text cannot fail.
                    lines += &serde_json::to_string(&record).unwrap_or_default();
                    lines.push('\n');
                }
                if let Some(FirstPlayer(first_player)) = first {
                    game_rows.push(GameRow {
                        index,
                        block,
                        rotation,
                        bot_in,
                        first_player,
                        outcome: forfeits.apply(game.outcome(&end), game.seats()),
                        forfeits,
                        events: counter.events(),
                    });
                }
            }
            if self.records {
                records.push(lines);
            }
            if self.trace {
                traces.push(searches);
            }
            counter.end_block();
            rounds.iter_mut().for_each(RoundsCounter::end_block);
            resources.into_iter().for_each(ResourcesCounter::end_block);
            on_games_finished(rotations.games_per_block());
        }
        let round_metrics = rounds.map(RoundsCounter::into_tally).unwrap_or_default();
        let resources = resources.map(ResourcesCounter::into_tally).unwrap_or_default();
        BlockBatch {
            blocks: job,
            tally: Tally { round_metrics, resources, ..counter.into_tally() },
            records,
            game_rows,
            traces,
        }
    }

    /// Returns the bot in each seat in one rotation, as an index into the lineup.
    pub fn bot_in(&self, rotations: &Rotations, rotation: u64) -> [usize; MAX_SEATS] {
        std::array::from_fn(|seat| {
            if seat < self.lineup.len() { rotations.bot_in(Seat::new(seat), rotation) } else { 0 }
        })
    }

    /// Plays one game and returns its final position. The bots choose among the legal actions that
    /// the intervention keeps. `on_search` receives the search behind each decision.
    pub fn play_one<G: FullGame>(
        &self,
        game: &G,
        bots: &mut [Box<dyn Bot<G>>],
        seating: &Seating,
        intervention: &mut impl Intervention<G>,
        observer: impl Observer<G>,
        mut on_search: Option<&mut SearchObserver<'_, G>>,
    ) -> G::State {
        let mut players = self.seat_players(bots, seating);
        let can_forfeit = self.lineup.iter().any(BotFactory::can_forfeit);
        let forfeits = Cell::default();
        let mut decisions = 0;
        let choose = |decision: &Decision<'_, G>| {
            let seat = decision.seat;
            let offered = intervention.filter_actions(game, seat, decision.legal);
            let action = players.choose(game, decision, &offered);
            let bot = seating.bot_in[seat.index()];
            if let Some(on_search) = &mut on_search
                && let Some(result) = players.bots[bot].last_search()
            {
                on_search(DecisionSearch {
                    decision: decisions,
                    bot,
                    legal: &offered,
                    action,
                    result,
                });
            }
            decisions += 1;
            if can_forfeit && players.bots[bot].has_forfeited() {
                let mut seats: ForfeitedSeats = forfeits.get();
                seats.insert(seat);
                forfeits.set(seats);
            }
            players.observe(seat, action);
            action
        };
        let mut chance = self.chance_streams(game, seating.block);
        let observer = WithForfeits { observer, forfeits: &forfeits };
        play_from(game, self.start(game), &mut chance, choose, observer)
    }

    /// Returns the position from which games start.
    ///
    /// # Panics
    /// If the text of the position is not one of the game.
    fn start<G: FullGame>(&self, game: &G) -> G::State {
        let read = |text| game.parse_position(text).expect("the position was read before");
        self.position.map_or_else(|| game.initial(), read)
    }

    /// Returns the first player until chance draws one.
    fn first_player<G: FullGame>(&self, game: &G) -> Seat {
        match game.turn(&self.start(game)) {
            Turn::Seat(seat) => seat,
            _ => Seat::default(),
        }
    }

    /// Returns the random streams of chance at the beginning of a block.
    pub fn chance_streams<G: FullGame>(&self, game: &G, block: u64) -> ChanceStreams {
        ChanceStreams::new(self.seed, block, game.chance_sources().len())
    }

    /// Prepares the bots for a game.
    pub fn seat_players<'b, G: FullGame>(
        &self,
        bots: &'b mut [Box<dyn Bot<G>>],
        seating: &Seating,
    ) -> Players<'b, G> {
        let &Seating { block, rotation, bot_in } = seating;
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let streams = std::array::from_fn(|seat| {
            stream(self.seed, block, rotation, Purpose::Bot(seat as u8))
        });
        Players { bots, bot_in, streams }
    }

    /// Returns the record of a game that has not started.
    pub fn empty_record(&self, index: u64, bot_in: &[usize; MAX_SEATS]) -> Record {
        let bots = bot_in[..self.lineup.len()].iter();
        Record {
            format: FORMAT.to_owned(),
            game: self.game_name.to_owned(),
            config_sha256: self.config_sha256.to_owned(),
            players: self.lineup.len(),
            bots: bots.map(|&bot| self.lineup[bot].name().to_owned()).collect(),
            seed: self.seed,
            index,
            legal: self.legal_actions.then(Vec::new),
            ..Record::default()
        }
    }
}

/// A game of a block, with the bot in each seat as an index into the lineup.
#[derive(Clone, Copy, Debug)]
pub struct Seating {
    /// Number of the block.
    pub block: u64,
    /// Number of the game within its block.
    pub rotation: u64,
    /// The bot in each seat.
    pub bot_in: [usize; MAX_SEATS],
}

/// Plays blocks in jobs on the threads of the current pool, and merges their results into `total`.
pub fn run_and_merge<W, T: Merge + Send>(
    mut total: T,
    blocks: Range<u64>,
    stop: &AtomicBool,
    worker: impl Fn() -> W + Sync + Send,
    play: impl Fn(&mut W, Range<u64>) -> T + Sync + Send,
) -> T {
    let on_result = |result: T| {
        total.merge(&result);
        Ok::<_, Infallible>(())
    };
    let Ok(()) = run_jobs_in_order(blocks, MAX_BLOCKS, stop, worker, play, on_result);
    total
}

/// Runs jobs of contiguous blocks on the threads of the current pool. `worker` creates the state of
/// a thread, `play` runs a job, and `on_result` receives the results in block order. When `stop`
/// becomes true, running jobs are finished and no other starts.
///
/// The number of blocks in a job, at most `max_blocks`, follows from the speed of earlier jobs.
///
/// # Errors
/// Returns the first error of `on_result`.
pub fn run_jobs_in_order<W, T: Send, E: Send>(
    blocks: Range<u64>,
    max_blocks: u64,
    stop: &AtomicBool,
    worker: impl Fn() -> W + Sync + Send,
    play: impl Fn(&mut W, Range<u64>) -> T + Sync + Send,
    on_result: impl FnMut(T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let waiting = BTreeMap::new();
    let merger = Mutex::new(Merger { next: blocks.start, waiting, on_result, failure: None });
    let merger = || merger.lock().unwrap_or_else(PoisonError::into_inner);
    let done = || stop.load(Ordering::Relaxed) || merger().failure.is_some();
    let new_worker = || -> Worker<'_> {
        let mut worker = worker();
        let (play, merger) = (&play, &merger);
        Box::new(move |job: Range<u64>| {
            let result = play(&mut worker, job.clone());
            merger().add(job, result);
        })
    };
    run_jobs(blocks, max_blocks, &done, &new_worker);
    let failure = merger().failure.take();
    failure.map_or(Ok(()), Err)
}

/// A thread's function that plays a job.
type Worker<'a> = Box<dyn FnMut(Range<u64>) + 'a>;

/// Divides blocks into jobs and runs them, until `done` returns true. It has no type parameter, so
/// that the code of the thread pool is compiled once.
fn run_jobs<'a>(
    blocks: Range<u64>,
    max_blocks: u64,
    done: &(dyn Fn() -> bool + Sync),
    new_worker: &(dyn Fn() -> Worker<'a> + Sync),
) {
    // The module of the static page has one thread and no clock, which would panic.
    let started = (!cfg!(target_family = "wasm")).then(Instant::now);
    let finished = AtomicU64::new(0);
    let threads = rayon::current_num_threads() as u64;
    let mut next = blocks.start;
    // Jobs start in block order and are always finished, so the blocks that are played when `stop`
    // becomes true have no gap.
    let jobs = std::iter::from_fn(|| {
        let left = blocks.end - next;
        if left == 0 || done() {
            return None;
        }
        let blocks_per_thread = finished.load(Ordering::Relaxed) as f64 / threads as f64;
        let elapsed = started.map_or(0.0, |started| started.elapsed().as_secs_f64());
        let jobs = elapsed / JOB_DURATION.as_secs_f64();
        let size = (blocks_per_thread / jobs.max(1e-6)) as u64;
        // The last jobs are short, so that no thread waits long for another one.
        let size = size.min((size / 4).max(left.div_ceil(2 * threads))).clamp(1, max_blocks);
        let size = size.min(left);
        let job = next..next + size;
        next = job.end;
        Some(job)
    });
    jobs.par_bridge().for_each_init(new_worker, |play, job| {
        let size = job.end - job.start;
        play(job);
        finished.fetch_add(size, Ordering::Relaxed);
    });
}

/// Passes on the results of jobs, which arrive in any order, in block order.
struct Merger<T, M, E> {
    /// The first block whose result has not been passed on.
    next: u64,
    /// Results that arrived early, with the end of their blocks, by first block.
    waiting: BTreeMap<u64, (u64, T)>,
    on_result: M,
    /// The first error; no result is passed on after it.
    failure: Option<E>,
}

impl<T, E, M: FnMut(T) -> Result<(), E>> Merger<T, M, E> {
    fn add(&mut self, job: Range<u64>, result: T) {
        self.waiting.insert(job.start, (job.end, result));
        while self.failure.is_none()
            && let Some((end, result)) = self.waiting.remove(&self.next)
        {
            self.next = end;
            self.failure = (self.on_result)(result).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_possible_blocks_are_played_once() {
        for first in [u64::MAX - 1, u64::MAX - 1000, 0] {
            let blocks = first..first.saturating_add(1000);
            let mut done = Vec::new();
            let stop = AtomicBool::new(false);
            let on_result = |job: Range<u64>| {
                done.push(job);
                Ok::<_, Infallible>(())
            };
            let play = |(): &mut (), job| job;
            let Ok(()) =
                run_jobs_in_order(blocks.clone(), MAX_BLOCKS, &stop, || (), play, on_result);
            assert_eq!((done[0].start, done[done.len() - 1].end), (blocks.start, blocks.end));
            assert!(done.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
