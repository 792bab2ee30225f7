//! The groups of processes that bots have started, so that no way out leaves them running.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The groups of the running processes, by the identifiers of their first processes.
static GROUPS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The running groups, which no thread can add to while this value lives.
pub(crate) type RunningGroups = MutexGuard<'static, BTreeSet<u32>>;

/// Locks the list of running groups.
pub(super) fn running_groups() -> RunningGroups {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all groups of processes.
pub(crate) fn kill_groups() -> RunningGroups {
    let mut groups = running_groups();
    std::mem::take(&mut *groups).into_iter().for_each(kill_group);
    groups
}

/// Kills a process with those that it has started. They may have ended.
pub(super) fn kill_group(id: u32) {
    #[cfg(unix)]
    let _ = nix::sys::signal::killpg(
        nix::unistd::Pid::from_raw(id.cast_signed()),
        nix::sys::signal::Signal::SIGKILL,
    );
    #[cfg(not(unix))]
    let _ = id;
}
