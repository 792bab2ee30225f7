//! The progress bar of long commands, and their interruption.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::{
    report::{terminal::print_info, text::escape_name},
    run::{ExitStatus, process_groups::kill_groups},
};

/// Creates a progress bar with a count of things such as `games`, rate, time left and a message.
pub(crate) fn progress_bar(count: u64, things: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    // Short, so that 80 columns have room for the message.
    let style = ProgressStyle::with_template(&format!(
        "{{bar:8}} {{human_pos}}/{{human_len}} {things}, {{rate}}/s, {{eta}} left  {{wide_msg}}",
    ));
    let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        // An incomplete progress bar does no harm.
        let _ = write!(text, "{:.0}", state.per_sec());
    };
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
    ProgressBar::with_draw_target(Some(count), target).with_style(style)
}

/// Shows a message beside a progress bar. It is computed only if the bar is visible.
pub(crate) fn show_message(bar: &ProgressBar, message: impl FnOnce() -> String) {
    if !bar.is_hidden() {
        bar.set_message(escape_name(&message()).into_owned());
    }
}

/// The flag of a program that handles interrupts itself.
static PROGRAM_FLAG: OnceLock<&'static AtomicBool> = OnceLock::new();

/// Leaves interrupts to the calling program, which sets the flag to stop a command. Only the first
/// call has an effect.
pub(crate) fn leave_interrupts_to_program(flag: &'static AtomicBool) {
    PROGRAM_FLAG.get_or_init(|| flag);
}

/// Returns a flag that the first Ctrl-C sets. The second ends the program.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    static IS_HANDLED: AtomicBool = AtomicBool::new(false);
    static FIRST: OnceLock<Instant> = OnceLock::new();
    if let Some(flag) = PROGRAM_FLAG.get() {
        return Ok(flag);
    }
    let stop_or_exit = || {
        if STOP.swap(true, Ordering::Relaxed) {
            // Programs such as `timeout` signal a process and its group, which is one interrupt.
            if FIRST.get().is_some_and(|first| first.elapsed() >= Duration::from_secs(1)) {
                let _groups = kill_groups();
                std::process::exit(ExitStatus::Negative as i32);
            }
            return;
        }
        let _ = FIRST.set(Instant::now());
        print_info("stopping after the current games; press Ctrl-C again to stop now");
    };
    if !IS_HANDLED.swap(true, Ordering::Relaxed) {
        ctrlc::set_handler(stop_or_exit).context("can't listen for interrupts")?;
    }
    Ok(&STOP)
}
