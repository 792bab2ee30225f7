//! The clock of a thread.

use std::time::Duration;

/// Returns the CPU time that this thread has used; `None` where it is not known: without the
/// feature `cli`, and on systems other than Linux, Android, FreeBSD and those of Apple.
#[cfg(all(
    feature = "cpu_time",
    any(
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_vendor = "apple"
    )
))]
pub fn thread_cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(all(
    feature = "cpu_time",
    any(
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_vendor = "apple"
    )
)))]
/// Returns `None`: the CPU time that this thread has used is not known.
pub fn thread_cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Instant};

    use super::*;

    #[test]
    fn the_clock_of_a_thread_counts_work_and_not_sleep() {
        let Some(start) = thread_cpu_time() else { return };
        let used = || thread_cpu_time().unwrap_or_default().saturating_sub(start);
        thread::sleep(Duration::from_millis(50));
        assert!(used() < Duration::from_millis(25), "{:?}", used());
        let began = Instant::now();
        while used() < Duration::from_millis(30) {
            assert!(began.elapsed() < Duration::from_mins(1));
        }
    }
}
