//! The requests that wait for their analysis or are being analysed.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::{refusal::RequestId, request::EngineRequest};
use crate::analysis::watch::AnalysisWatch;

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
    running: BTreeMap<u64, (RequestId, Arc<AnalysisWatch>)>,
    /// Number of requests so far.
    received: u64,
    is_closed: bool,
}

struct WaitingRequest {
    request: EngineRequest,
    bytes: usize,
}

/// A request that is being analysed.
pub(super) struct RunningRequest {
    number: u64,
    pub(super) request: EngineRequest,
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

    /// Adds a request of a line with this many bytes. Waits while the queue is full.
    pub(super) fn push(&self, request: EngineRequest, bytes: usize) {
        let mut state = self.state();
        // A request may always wait alone.
        while state.waiting.len() >= self.max_waiting
            || !state.waiting.is_empty() && state.bytes + bytes > MAX_BYTES
        {
            state = self.wait(state);
        }
        let key = (Reverse(request.priority), state.received);
        state.received += 1;
        state.bytes += bytes;
        state.waiting.insert(key, WaitingRequest { request, bytes });
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the next request. Waits while there is none; returns `None` after the last one.
    pub(super) fn pop(&self) -> Option<RunningRequest> {
        let mut state = self.state();
        loop {
            if let Some(((_, number), WaitingRequest { request, bytes })) =
                state.waiting.pop_first()
            {
                let watch = Arc::new(AnalysisWatch::new(request.report_interval()));
                state.bytes -= bytes;
                state.running.insert(number, (request.id.clone(), Arc::clone(&watch)));
                drop(state);
                self.changed.notify_all();
                return Some(RunningRequest { number, request, watch });
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
    /// analysed. Returns the identifiers of the former and the number of the latter.
    pub(super) fn terminate(&self, id: Option<&RequestId>) -> (Vec<RequestId>, usize) {
        let is_meant = |own: &RequestId| id.is_none_or(|id| id == own);
        let mut state = self.state();
        let mut removed = Vec::new();
        let mut removed_bytes = 0;
        state.waiting.retain(|_, waiting| {
            let is_kept = !is_meant(&waiting.request.id);
            if !is_kept {
                removed.push(waiting.request.id.clone());
                removed_bytes += waiting.bytes;
            }
            is_kept
        });
        state.bytes -= removed_bytes;
        let running = state.running.values();
        let running = running.filter(|(own, watch)| is_meant(own) && !watch.is_stopped());
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
