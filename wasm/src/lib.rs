//! The application of the page as a WebAssembly module without imports.
//!
//! The script writes a request in UTF-8 to the memory that [`allocate`] returns and calls
//! [`answer`]. The answer is at the address that it returns, has the length that
//! [`answer_length`] returns, and stays there until the next request.
#![warn(missing_docs)]

use std::sync::{Mutex, OnceLock, PoisonError};

use watershed::{games::built_in_games, web::Application};

static APPLICATION: OnceLock<Application> = OnceLock::new();
/// The request that is being written.
static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The last answer.
static ANSWER: Mutex<String> = Mutex::new(String::new());

/// Reserves memory for a request of this length in bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    let mut request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    *request = vec![0; length];
    request.as_mut_ptr()
}

/// Creates the application from the bytes in the memory of the request, which nobody can guess.
/// Only the first call has an effect.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    let secret = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    APPLICATION.get_or_init(|| Application::new(built_in_games(), &secret));
}

/// Answers the request and returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    let application = APPLICATION.get_or_init(|| Application::new(built_in_games(), &[]));
    let request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    let mut answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner);
    *answer = application.call(&String::from_utf8_lossy(&request));
    answer.as_ptr()
}

/// Returns the length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    ANSWER.lock().unwrap_or_else(PoisonError::into_inner).len()
}
