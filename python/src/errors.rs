//! Errors as exceptions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::{create_exception, exceptions::PyValueError, prelude::*};
use watershed::ConfigError;

create_exception!(
    watershed,
    WatershedError,
    PyValueError,
    "An error in a data file, a bot, an action or a flag. `file`, `line` and `key` name the place, \
     as far as it is known."
);

/// Returns an exception with a place.
fn exception(
    py: Python<'_>,
    message: String,
    (file, line, key): (Option<&str>, Option<usize>, Option<&str>),
) -> PyErr {
    let error = WatershedError::new_err(message);
    let value = error.value(py);
    let set = value.setattr("file", file);
    let set = set.and_then(|()| value.setattr("line", line));
    set.and_then(|()| value.setattr("key", key)).err().unwrap_or(error)
}

/// Returns an exception without a place.
pub(crate) fn refusal(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, message.into(), (None, None, None))
}

/// Returns an error for a size that could exceed the memory, which would end the interpreter.
pub(crate) fn check_size(py: Python<'_>, key: &str, size: usize, limit: usize) -> PyResult<()> {
    if size <= limit {
        return Ok(());
    }
    Err(refusal(py, format!("{key}: expected at most {limit}, found {size}")))
}

/// Calls a function. A panic becomes an exception that `except Exception` catches.
pub(crate) fn catch_panic<T>(py: Python<'_>, call: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|_| refusal(py, "the call failed; stderr has the reason"))
}

/// Returns the exception for an error in a data file or a bot.
pub(crate) fn config_exception(py: Python<'_>, error: &ConfigError) -> PyErr {
    config_exception_in(py, error.to_string(), error)
}

/// Returns the exception for an error of a command, whose message names an error in a file.
pub(crate) fn config_exception_in(py: Python<'_>, message: String, error: &ConfigError) -> PyErr {
    let key = Some(error.key.as_str()).filter(|key| !key.is_empty());
    exception(py, message, (Some(&error.file), error.line, key))
}
