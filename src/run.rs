//! A run: what was asked for, its output files, its checkpoint, and merging the shards of a run.

pub mod append_file;
pub mod arguments;
pub mod checkpoint;
pub mod command;
pub mod count;
pub mod files;
pub mod finish;
pub mod lineups;
pub mod manifest;
pub mod names;
pub mod progress_bar;
pub mod shell;
pub mod validation;
pub mod writer;

/// How the program ends; scripts rely on the codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// The work is done.
    Success = 0,
    /// The answer is no: a failed test, a mismatch, a run that was interrupted.
    Negative = 1,
    /// Bad usage, configuration or input.
    UsageError = 2,
}
