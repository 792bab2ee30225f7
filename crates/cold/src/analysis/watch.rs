//! Control of an analysis in progress: it can be stopped, and reports when a report is due.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Control of an analysis in progress, shared with the thread that may stop it.
#[derive(Debug)]
pub struct AnalysisWatch {
    stop: AtomicBool,
    /// The start, with the time between reports; `None` without reports.
    reports: Option<(Instant, Duration)>,
    /// Microseconds from the start to the next report.
    next_report: AtomicU64,
}

impl AnalysisWatch {
    /// Creates the watch of an analysis that starts now. `interval` is the time between reports;
    /// without it, there are none.
    pub fn new(interval: Option<Duration>) -> Self {
        let next_report = AtomicU64::new(interval.map_or(u64::MAX, microseconds));
        // WebAssembly has no clock.
        let reports = interval.map(|interval| (Instant::now(), interval));
        Self { stop: AtomicBool::new(false), reports, next_report }
    }

    /// Ends the analysis soon, without a result.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns true if the analysis was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the flag that stops the analysis.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Returns true if there are reports.
    pub(super) fn has_reports(&self) -> bool {
        self.reports.is_some()
    }

    /// Returns true if a report is due; the next one is then due after the interval.
    pub(super) fn is_due(&self) -> bool {
        let Some((started, interval)) = self.reports else { return false };
        let now = microseconds(started.elapsed());
        let next = self.next_report.load(Ordering::Relaxed);
        // Of several threads that find a report due, one reports.
        now >= next
            && self
                .next_report
                .compare_exchange(
                    next,
                    now.saturating_add(microseconds(interval)),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
