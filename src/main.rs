//! The command-line program, implemented in [`watershed::cli`].

#[cfg(target_arch = "x86_64")]
mod cpu;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !cpu::check_instruction_sets() {
        return ExitCode::from(2);
    }
    watershed::cli::run(std::env::args_os().collect())
}
