//! Output to stdout and stderr.

use std::{
    io::{self, Write as _},
    sync::OnceLock,
};

use super::text::{escape_message, escape_text};

/// The first error of writing to stdout.
static STDOUT_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Writes to stdout. An error is reported when the program ends, except a closed pipe.
pub(crate) fn print(text: &str) {
    print_styled(&escape_text(text));
}

/// Writes text of the program itself to stdout, with its codes for colours; otherwise as [`print`].
pub(crate) fn print_styled(text: &str) {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // Only the first error is kept.
        let _ = STDOUT_ERROR.set(error);
    }
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
