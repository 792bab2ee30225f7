//! Tests of runs: their files, resuming, merging and reproducing them.

mod files;
mod identity;
mod interrupts;
mod reproducible;
pub(crate) mod resume;
mod shell;
mod study_parts;
