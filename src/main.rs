//! The program: see [`watershed::cli`].

#[cfg(target_arch = "x86_64")]
mod cpu;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !cpu::runs_this_build() {
        return ExitCode::from(2);
    }
    watershed::cli::run(std::env::args_os())
}
