//! Errors as exceptions.

use pyo3::{create_exception, exceptions::PyValueError, prelude::*};
use watershed::ConfigError;

create_exception!(
    watershed,
    WatershedError,
    PyValueError,
    "An error in a data file, a bot, an action or a flag. `file`, `line` and `key` name the place, \
     as far as it is known."
);

/// The place of an error in a file.
#[derive(Default)]
struct Place<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    key: Option<&'a str>,
}

/// Returns an exception with a place.
fn exception(py: Python<'_>, message: String, place: Place<'_>) -> PyErr {
    let error = WatershedError::new_err(message);
    let value = error.value(py);
    let set = || {
        value.setattr("file", place.file)?;
        value.setattr("line", place.line)?;
        value.setattr("key", place.key)
    };
    match set() {
        Ok(()) => error,
        Err(failure) => failure,
    }
}

/// Returns an exception without a place.
pub(crate) fn refusal(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, message.into(), Place::default())
}

/// Returns the exception for an error in a data file or a bot.
pub(crate) fn config_exception(py: Python<'_>, error: &ConfigError) -> PyErr {
    config_exception_in(py, error.to_string(), error)
}

/// Returns the exception for an error of a command, whose message names an error in a file.
pub(crate) fn config_exception_in(py: Python<'_>, message: String, error: &ConfigError) -> PyErr {
    let key = Some(error.key.as_str()).filter(|key| !key.is_empty());
    exception(py, message, Place { file: Some(&error.file), line: error.line, key })
}
