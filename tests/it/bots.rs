//! Tests of the bots that start the program.

mod parameters;
#[cfg(unix)]
mod programs;
