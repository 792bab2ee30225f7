//! Limits of connections, so that nobody can keep the places of all others.
//!
//! If there is no place for a new connection, the oldest one that waits for a request is closed.

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::task::AbortHandle;

/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 128;
/// Maximum number of connections from another machine.
const MAX_OF_ADDRESS: usize = 16;
/// Maximum number of connections from this machine.
const MAX_OF_LOOPBACK: usize = 64;

/// The open connections, the oldest first.
#[derive(Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Arc<Connection>>>,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    address: IpAddr,
    /// Number of requests that are being answered.
    requests: AtomicUsize,
    task: Mutex<Option<AbortHandle>>,
}

impl Connection {
    fn is_waiting(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0
    }

    fn task(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the task that is ended if the connection gives way to another one.
    pub(super) fn set_task(&self, task: AbortHandle) {
        *self.task() = Some(task);
    }

    /// Keeps the connection until the value is dropped.
    pub(super) fn answer(self: &Arc<Self>) -> AnswerInProgress {
        self.requests.fetch_add(1, Ordering::Relaxed);
        AnswerInProgress(Arc::clone(self))
    }
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection until the place is dropped. Returns `None` if there is no place, and all
    /// connections that could give way are answering requests.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = address.to_canonical();
        let limit = if address.is_loopback() { MAX_OF_LOOPBACK } else { MAX_OF_ADDRESS };
        let mut open = self.lock();
        let of_address = open.iter().filter(|other| other.address == address).count();
        let gives_way = |other: &Arc<Connection>| {
            other.is_waiting() && (of_address < limit || other.address == address)
        };
        if of_address >= limit || open.len() >= MAX_CONNECTIONS {
            let index = open.iter().position(gives_way)?;
            let closed = open.remove(index);
            if let Some(task) = closed.task().take() {
                task.abort();
            }
        }
        let connection =
            Connection { address, requests: AtomicUsize::new(0), task: Mutex::default() };
        let connection = Arc::new(connection);
        open.push(Arc::clone(&connection));
        drop(open);
        Some(Place { connections: Arc::clone(self), connection })
    }
}

/// The place of an open connection. It is free when the value is dropped, also by a task that fails
/// or is ended.
pub(super) struct Place {
    connections: Arc<Connections>,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().retain(|other| !Arc::ptr_eq(other, &self.connection));
    }
}

/// A request that is being answered.
pub(super) struct AnswerInProgress(Arc<Connection>);

impl Drop for AnswerInProgress {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    #[test]
    fn waiting_connections_give_way() {
        let connections = Arc::new(Connections::default());
        let near = IpAddr::from([127, 0, 0, 1]);
        let far = IpAddr::from([192, 0, 2, 1]);
        let open = |address| connections.open(address);
        let first = open(far).unwrap();
        let answer = first.connection.answer();
        let mut places = Vec::new();
        for _ in 0..100 {
            places.extend([open(far).unwrap(), open(near).unwrap()]);
        }
        let is_open = |place: &Place| {
            connections.lock().iter().any(|other| Arc::ptr_eq(other, &place.connection))
        };
        assert_eq!(connections.lock().len(), MAX_OF_ADDRESS + MAX_OF_LOOPBACK);
        assert!(is_open(&first), "it answers a request");
        drop(answer);
        places.push(open(far).unwrap());
        assert!(!is_open(&first));
        drop(places);
        assert!(connections.lock().is_empty());
        let mut busy: Vec<_> = (0..MAX_OF_ADDRESS)
            .map(|_| {
                let place = open(far).unwrap();
                (place.connection.answer(), place)
            })
            .collect();
        assert!(open(far).is_none());
        busy.pop();
        assert!(open(far).is_some());
    }
}
