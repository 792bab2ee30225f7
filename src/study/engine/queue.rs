//! The requests that wait for their analysis or are being analysed.

use std::{
    cmp::Reverse,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use super::{
    answer::AnsweredPosition,
    request::{EngineRequest, RequestId},
};
use crate::study::shared::prelude::*;

/// Maximum number of bytes of the lines of waiting requests.
const MAX_BYTES: usize = 16 << 20;

/// Queue of limited size, ordered by priority and then by arrival.
pub(super) struct RequestQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    max_waiting: usize,
}

#[derive(Default)]
struct QueueState {
    waiting: BTreeMap<(Reverse<i64>, u64), WaitingRequest>,
    /// Lengths of the lines of the waiting requests.
    bytes: usize,
    running: BTreeMap<u64, (AnsweredPosition, Arc<AnalysisWatch>)>,
    /// Number of requests so far.
    received: u64,
    is_closed: bool,
}

struct WaitingRequest {
    request: Arc<EngineRequest>,
    of: AnsweredPosition,
    bytes: usize,
}

/// A position of a request that is being analysed.
pub(super) struct RunningRequest {
    number: u64,
    pub(super) request: Arc<EngineRequest>,
    pub(super) of: AnsweredPosition,
    pub(super) watch: Arc<AnalysisWatch>,
}

impl RequestQueue {
    /// Creates a queue in which this many requests can wait.
    pub(super) fn new(max_waiting: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), max_waiting }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, QueueState>) -> MutexGuard<'a, QueueState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds each position of a request of a line with this many bytes. Waits while the queue is
    /// full.
    pub(super) fn push(&self, request: EngineRequest, bytes: usize) {
        let (moves, request) = (request.moves(), Arc::new(request));
        let bytes = bytes.div_ceil(moves.len());
        for move_index in moves {
            let of = AnsweredPosition { id: Some(request.id.clone()), move_index };
            self.push_position(WaitingRequest { request: Arc::clone(&request), of, bytes });
        }
    }

    fn push_position(&self, waiting: WaitingRequest) {
        let mut state = self.state();
        // A request may always wait alone.
        while state.waiting.len() >= self.max_waiting
            || !state.waiting.is_empty() && state.bytes + waiting.bytes > MAX_BYTES
        {
            state = self.wait(state);
        }
        let key = (Reverse(waiting.request.priority), state.received);
        state.received += 1;
        state.bytes += waiting.bytes;
        state.waiting.insert(key, waiting);
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the next request. Waits while there is none; returns `None` after the last one.
    pub(super) fn pop(&self) -> Option<RunningRequest> {
        let mut state = self.state();
        loop {
            if let Some(((_, number), waiting)) = state.waiting.pop_first() {
                let WaitingRequest { request, of, bytes } = waiting;
                let watch = Arc::new(AnalysisWatch::new(request.report_interval()));
                state.bytes -= bytes;
                state.running.insert(number, (of.clone(), Arc::clone(&watch)));
                drop(state);
                self.changed.notify_all();
                return Some(RunningRequest { number, request, of, watch });
            }
            if state.is_closed {
                return None;
            }
            state = self.wait(state);
        }
    }

    /// Removes a request whose analysis has ended.
    pub(super) fn finish(&self, running: &RunningRequest) {
        self.state().running.remove(&running.number);
    }

    /// Removes the waiting requests with this identifier, or all, and stops those that are being
    /// analysed. Returns the positions of the former and the number of the latter.
    pub(super) fn terminate(&self, id: Option<&RequestId>) -> (Vec<AnsweredPosition>, usize) {
        let is_meant = |of: &AnsweredPosition| id.is_none() || id == of.id.as_ref();
        let mut state = self.state();
        let mut removed = Vec::new();
        let mut removed_bytes = 0;
        state.waiting.retain(|_, waiting| {
            let is_kept = !is_meant(&waiting.of);
            if !is_kept {
                removed.push(waiting.of.clone());
                removed_bytes += waiting.bytes;
            }
            is_kept
        });
        state.bytes -= removed_bytes;
        let running = state.running.values();
        let running = running.filter(|(of, watch)| is_meant(of) && !watch.is_stopped());
        let running = running.map(|(_, watch)| watch.stop()).count();
        drop(state);
        self.changed.notify_all();
        (removed, running)
    }

    /// Declares that no more requests follow. With `is_abandoned`, nobody waits for the answers.
    pub(super) fn close(&self, is_abandoned: bool) {
        if is_abandoned {
            self.terminate(None);
        }
        self.state().is_closed = true;
        self.changed.notify_all();
    }
}
