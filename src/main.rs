//! The program: see [`watershed::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    watershed::cli::run(std::env::args_os())
}
