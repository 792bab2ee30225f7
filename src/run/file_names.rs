//! The names of the files that every run has.

/// The manifest. A folder with this file holds a run.
pub(crate) const MANIFEST: &str = "run.json";
/// The checkpoint.
pub(crate) const CHECKPOINT: &str = "tally.json";
/// The page.
pub(crate) const PAGE: &str = "report.html";
