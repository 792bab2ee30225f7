//! The search for edits with which figures of a game lie in given ranges, for a page. The commands
//! have it as `balance search`; an application without them refuses it.
//!
//! A search can take longer than a connection lives. It is a job on a thread of its own, which the
//! page asks for its progress, and which ends soon after a page has gone.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde::{Deserialize, Serialize};

use super::versions::GameVersion;
use crate::{config::Document, games::GameEntry, protocol::problem::Problem};

/// Seconds after the last request about a search for which it goes on. A page in the background
/// asks once a minute.
pub const KEEP_SEARCH: u64 = 150;

/// A search for edits, as `balance search` by the default bot of the game.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixRequest {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The version to edit.
    pub version: GameVersion,
    /// The keys that may be edited, with their values, as `--keys`.
    pub keys: Vec<String>,
    /// The goals, as the file of `--goal`.
    pub goals: String,
    /// Maximum number of edits, from 1 to 5.
    pub max_edits: usize,
    /// Number of games on fresh and on sealed deals, as `--games`.
    pub games: u64,
    /// The seed of the deals.
    pub seed: u64,
}

/// A search and its games so far.
#[derive(Debug)]
pub struct FixTask {
    /// The request.
    pub request: FixRequest,
    /// The game.
    pub game: &'static GameEntry,
    /// The data file to edit.
    pub document: Document,
    /// Games that have been played.
    pub done: AtomicUsize,
    /// Games that have been planned so far.
    pub total: AtomicUsize,
    /// Ends the search, which then fails.
    pub stop: AtomicBool,
}

/// A function that searches.
pub type FixSearcher = fn(&FixTask) -> Result<FixView, Problem>;

/// The searches in progress, by their identifiers.
#[derive(Default)]
pub(super) struct FixJobs(Mutex<BTreeMap<String, FixJob>>);

struct FixJob {
    task: Arc<FixTask>,
    thread: JoinHandle<Result<FixView, Problem>>,
    /// The time of the last request about it.
    asked: u64,
}

impl FixJobs {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, FixJob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a search, unless there are as many as cores.
    pub(super) fn start(
        &self,
        id: String,
        time: u64,
        task: FixTask,
        search: FixSearcher,
    ) -> Result<(), Problem> {
        let mut jobs = self.lock();
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let running = jobs.values().filter(|job| !job.thread.is_finished()).count();
        if running >= cores {
            return Err(format!("{running} searches are in progress; try again later").into());
        }
        let task = Arc::new(task);
        let own = Arc::clone(&task);
        let thread = thread::Builder::new().spawn(move || search(&own))?;
        jobs.insert(id, FixJob { task, thread, asked: time });
        Ok(())
    }

    /// Returns the progress of a search, with its answer at the end, after which it is dropped.
    /// `stop` ends it.
    pub(super) fn progress(&self, id: &str, time: u64, stop: bool) -> Result<FixProgress, Problem> {
        let mut jobs = self.lock();
        let job = jobs.get_mut(id).ok_or("there is no such search; it has ended")?;
        job.asked = time;
        job.task.stop.fetch_or(stop, Ordering::Relaxed);
        let is_finished = job.thread.is_finished();
        let [done, total] =
            [&job.task.done, &job.task.total].map(|count| count.load(Ordering::Relaxed));
        let ended = if is_finished || stop { jobs.remove(id) } else { None };
        drop(jobs);
        let mut progress = FixProgress { done, total, found: None };
        if let Some(job) = ended.filter(|_| is_finished) {
            let found = job.thread.join();
            progress.found = Some(found.map_err(|_| "the search failed; this is a bug")??);
        }
        Ok(progress)
    }

    /// Ends the searches whose pages have gone.
    pub(super) fn stop_abandoned(&self, time: u64) {
        self.lock().retain(|_, job| {
            let is_abandoned = job.asked + KEEP_SEARCH < time;
            job.task.stop.fetch_or(is_abandoned, Ordering::Relaxed);
            !is_abandoned
        });
    }
}

/// The games of a search, and its answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FixProgress {
    /// Games that have been played.
    pub done: usize,
    /// Games that have been planned so far.
    pub total: usize,
    /// The answer; none before the end.
    pub found: Option<FixView>,
}

/// The answer of a search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FixView {
    /// The answer in sentences.
    pub sentences: Vec<String>,
    /// The sets of edits that were played on sealed deals: those that meet all goals, then the
    /// nearest.
    pub proposals: Vec<FixProposal>,
    /// Number of games of all sets together.
    pub games: u64,
}

/// A set of edits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FixProposal {
    /// The keys with their values.
    pub edits: Vec<(String, String)>,
    /// The edits in words.
    pub text: String,
    /// True if all estimates lie in their ranges, on fresh and on sealed deals.
    pub is_met: bool,
    /// Number of sealed games.
    pub games: u64,
    /// The figures, in the order of the goals.
    pub figures: Vec<GoalView>,
}

/// A figure of a set of edits, in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GoalView {
    /// Name of the figure.
    pub title: String,
    /// The range.
    pub range: String,
    /// The value of the version to edit.
    pub before: String,
    /// The value with the edits, with half of the interval.
    pub after: String,
    /// `met`, `near`, `open` or `missed`.
    pub verdict: &'static str,
}
