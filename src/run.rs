//! Runs: their settings, output files, checkpoints and pages.

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
pub mod page;
pub mod progress_bar;
pub mod shell;
pub mod validation;
pub mod writer;

/// The exit status of the program; scripts rely on the codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// The work is done.
    Success = 0,
    /// The answer is no: a failed test, a mismatch, a run that was interrupted.
    Negative = 1,
    /// Bad usage, configuration or input.
    UsageError = 2,
}
