//! The command-line program, implemented in [`watershed::cli`].

#[cfg(target_arch = "x86_64")]
mod cpu;

#[cfg(not(any(feature = "the_river", feature = "glassworks", feature = "common_river")))]
compile_error!("the program needs a game: the feature `the_river`, `glassworks` or `common_river`");

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if !cpu::check_instruction_sets() {
        return ExitCode::from(2);
    }
    #[cfg(all(target_arch = "x86_64", unix, not(target_feature = "avx2")))]
    cpu::continue_as_faster_program();
    watershed::cli::run(std::env::args_os().collect())
}
