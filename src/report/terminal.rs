//! Output to stdout and stderr.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::text::{escape_message, escape_text};

/// The first error of writing to stdout.
static STDOUT_ERROR: OnceLock<io::Error> = OnceLock::new();

/// True if the reader of stdout has closed it.
static IS_STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if nothing is written to stdout.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// The text for stdout that is collected instead of being written.
static COLLECTED: Mutex<Option<String>> = Mutex::new(None);

/// Calls a function and returns its output to stdout, which is not written.
pub(crate) fn collect_output<T>(call: impl FnOnce() -> T) -> (T, String) {
    let collected = || COLLECTED.lock().unwrap_or_else(PoisonError::into_inner);
    *collected() = Some(String::new());
    let result = call();
    let text = collected().take().unwrap_or_default();
    (result, text)
}

/// Calls a function without its output to stdout.
pub(crate) fn without_output<T>(call: impl FnOnce() -> T) -> T {
    IS_SILENT.store(true, Ordering::Relaxed);
    let result = call();
    IS_SILENT.store(false, Ordering::Relaxed);
    result
}

/// Returns true during [`without_output`].
pub(crate) fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// Writes to stdout. An error is reported when the program ends, except a closed pipe.
pub(crate) fn print(text: &str) {
    print_styled(&escape_text(text));
}

/// Writes text of the program itself to stdout, with its codes for colours; otherwise as [`print`].
pub(crate) fn print_styled(text: &str) {
    if is_silent() {
        return;
    }
    if let Some(collected) = &mut *COLLECTED.lock().unwrap_or_else(PoisonError::into_inner) {
        collected.push_str(text);
        return;
    }
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_STDOUT_CLOSED.store(true, Ordering::Relaxed);
        }
        Err(error) => {
            // Only the first error is kept.
            let _ = STDOUT_ERROR.set(error);
        }
    }
}

/// Returns true if stdout shows colours.
pub(crate) fn has_colours() -> bool {
    io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none()
}

/// Writes an error to stderr on one line.
pub(crate) fn print_error(message: &str) {
    print_info(&format!("error: {message}"));
}

/// Writes a message to stderr on one line.
pub(crate) fn print_info(message: &str) {
    // There is no place left to report an error to.
    let _ = writeln!(io::stderr(), "{}", escape_message(message));
}

/// Writes lines to stderr.
pub(crate) fn print_lines(text: &str) {
    // There is no place left to report an error to.
    let _ = write!(io::stderr(), "{}", escape_text(text));
}

/// Returns the first error of writing to stdout.
pub(crate) fn stdout_error() -> Option<&'static io::Error> {
    STDOUT_ERROR.get()
}

/// Returns true if nothing can be written to stdout any more: its reader has closed it, or writing
/// has failed. A command that asks questions ends then.
pub(crate) fn is_stdout_closed() -> bool {
    IS_STDOUT_CLOSED.load(Ordering::Relaxed) || stdout_error().is_some()
}
