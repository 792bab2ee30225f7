//! Runs: their settings, output files, checkpoints and pages.

pub(crate) mod append_file;
pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod count;
pub(crate) mod file_names;
pub(crate) mod files;
pub(crate) mod finish;
pub(crate) mod growing_files;
pub(crate) mod lines;
#[doc(hidden)]
pub mod lineups;
pub(crate) mod manifest;
pub(crate) mod margin;
pub(crate) mod names;
pub(crate) mod new_study;
pub(crate) mod page;
pub(crate) mod panel;
pub(crate) mod parts;
pub(crate) mod paths;
pub(crate) mod players;
pub(crate) mod process_groups;
pub(crate) mod programs;
pub(crate) mod progress_bar;
pub(crate) mod records;
#[doc(hidden)]
pub(crate) mod run_identity;
pub(crate) mod sealed;
pub mod shell;
pub(crate) mod spreadsheet;
pub(crate) mod study_checkpoint;
pub(crate) mod study_run;
pub(crate) mod validation;

/// The exit status of the program; scripts rely on the codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// The work is done.
    Success = 0,
    /// The answer is no: a failed test, a mismatch, a run that was interrupted.
    Negative = 1,
    /// Bad usage, configuration or input.
    UsageError = 2,
    /// A bot that is a program failed in all its games.
    ProgramFailed = 3,
}
