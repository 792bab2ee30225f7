//! Running the commands of the program.

use std::{
    ffi::OsString,
    sync::{
        Arc, Mutex, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use watershed::{ConfigError, cli::run_command_inside};

use crate::{
    bots::{STOP, games, set_python_bots, take_failure},
    errors::{config_exception_in, refusal},
};

/// Time between two looks at the signals of the process.
const LOOK: Duration = Duration::from_millis(50);
/// Size of the stack of a command, as that of the main thread of the program.
const STACK_BYTES: usize = 8 << 20;

/// Held by the command that runs.
static RUNNING: Mutex<()> = Mutex::new(());

/// Runs a command with these arguments and bots, and returns its exit status and its text. Ctrl-C
/// stops it after the current games and raises KeyboardInterrupt.
#[pyfunction]
pub(crate) fn run_command(
    py: Python<'_>,
    arguments: Vec<OsString>,
    bots: Vec<(String, Py<PyAny>)>,
) -> PyResult<(u8, String)> {
    let _running = match RUNNING.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => {
            let message = "a command runs already; expected one at a time in a process";
            return Err(PyRuntimeError::new_err(message));
        }
    };
    STOP.store(false, Ordering::Relaxed);
    set_python_bots(bots);
    let (caller, is_done) = (thread::current(), Arc::new(AtomicBool::new(false)));
    let done = Arc::clone(&is_done);
    let command = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let result = run_command_inside(games(), &arguments, &STOP);
        done.store(true, Ordering::Release);
        caller.unpark();
        result
    })?;
    let mut interrupt = None;
    // A command that panics is not done, but finished.
    while !is_done.load(Ordering::Acquire) && !command.is_finished() {
        py.detach(|| thread::park_timeout(LOOK));
        if let Err(error) = py.check_signals() {
            STOP.store(true, Ordering::Relaxed);
            interrupt.get_or_insert(error);
        }
    }
    let result = py.detach(|| command.join());
    if let Some(error) = interrupt.or_else(take_failure) {
        take_failure();
        return Err(error);
    }
    let panicked = |_| refusal(py, "the command failed; stderr has the reason");
    match result.map_err(panicked)? {
        Ok((status, text)) => Ok((status as u8, text)),
        Err(error) => {
            let message = format!("{error:#}");
            let located = error.chain().find_map(|cause| cause.downcast_ref::<ConfigError>());
            Err(match located {
                Some(located) => config_exception_in(py, message, located),
                None => refusal(py, message),
            })
        }
    }
}
