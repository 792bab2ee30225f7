//! A check that the processor has every instruction set that this program was compiled for.
//!
//! Without it, a program from another machine would stop with SIGILL and no message. The detection
//! macros of the standard library do not help: they are constant `true` for enabled instruction
//! sets. This module is compiled for the same instruction sets, so it must not need them: it only
//! compares bits and writes constant texts.

use std::{
    arch::x86_64::{__cpuid, __cpuid_count},
    io::Write,
};

/// An instruction set that the build may enable.
struct Feature {
    name: &'static str,
    /// True if this build may contain its instructions.
    enabled: bool,
    /// Index into the registers of [`read_registers`].
    register: usize,
    /// The bit in that register, as a mask.
    mask: u32,
}

macro_rules! feature {
    ($name:tt, $register:expr, $bit:expr) => {
        feature!($name, $name, $register, $bit)
    };
    ($title:tt, $name:tt, $register:expr, $bit:expr) => {
        Feature {
            name: $title,
            enabled: cfg!(target_feature = $name),
            register: $register,
            mask: 1 << $bit,
        }
    };
}

/// Index of ECX of CPUID leaf 1.
const BASIC_ECX: usize = 0;
/// Index of EBX of CPUID leaf 7.
const EXTENDED_EBX: usize = 1;
/// Index of ECX of CPUID leaf 8000_0001h.
const AMD_ECX: usize = 2;

/// The instruction sets of x86-64-v3 beyond the oldest x86-64, and those of AVX-512 that
/// `target-cpu=native` may add.
const FEATURES: [Feature; 19] = [
    feature!("sse3", BASIC_ECX, 0),
    feature!("ssse3", BASIC_ECX, 9),
    feature!("fma", BASIC_ECX, 12),
    feature!("sse4.1", BASIC_ECX, 19),
    feature!("sse4.2", BASIC_ECX, 20),
    feature!("movbe", BASIC_ECX, 22),
    feature!("popcnt", BASIC_ECX, 23),
    // OSXSAVE: the operating system saves the AVX registers.
    feature!("avx (by the operating system)", "avx", BASIC_ECX, 27),
    feature!("avx", BASIC_ECX, 28),
    feature!("f16c", BASIC_ECX, 29),
    feature!("bmi1", EXTENDED_EBX, 3),
    feature!("avx2", EXTENDED_EBX, 5),
    feature!("bmi2", EXTENDED_EBX, 8),
    feature!("avx512f", EXTENDED_EBX, 16),
    feature!("avx512dq", EXTENDED_EBX, 17),
    feature!("avx512cd", EXTENDED_EBX, 28),
    feature!("avx512bw", EXTENDED_EBX, 30),
    feature!("avx512vl", EXTENDED_EBX, 31),
    feature!("lzcnt", AMD_ECX, 5),
];

/// Reads the CPUID registers that [`FEATURES`] refers to: 0 for leaves that the processor lacks.
fn read_registers() -> [u32; 3] {
    const AMD_LEAF: u32 = 0x8000_0001;
    let highest = __cpuid(0).eax;
    let extended = if highest >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let amd = if __cpuid(0x8000_0000).eax >= AMD_LEAF { __cpuid(AMD_LEAF).ecx } else { 0 };
    [__cpuid(1).ecx, extended, amd]
}

/// Returns true if the processor can run this build. Otherwise lists the missing instruction sets
/// on stderr.
pub(crate) fn check_instruction_sets() -> bool {
    let registers = read_registers();
    let mut complete = true;
    let mut stderr = std::io::stderr();
    // There is no other channel to report a failed write on.
    let mut write = |text: &str| drop(stderr.write_all(text.as_bytes()));
    for Feature { name, enabled, register, mask } in &FEATURES {
        if *enabled && registers[*register] & mask == 0 {
            write(if complete {
                "error: this program was compiled for instructions that this processor lacks: "
            } else {
                ", "
            });
            write(name);
            complete = false;
        }
    }
    if !complete {
        write("; compile it with RUSTFLAGS=\"-C target-cpu=x86-64\"\n");
    }
    complete
}

/// Continues as the program that a release has beside this one for the processors of the last ten
/// years, if there is one and the processor can run it: `watershed-v3` for x86-64-v3. Both give the
/// same results; bit operations and vectors of the rules, bots and networks take 0.57 to 0.88 of
/// the time there.
#[cfg(all(unix, not(target_feature = "avx2")))]
pub(crate) fn continue_as_faster_program() {
    use std::{env, os::unix::process::CommandExt as _, process::Command};

    if !(is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe"))
    {
        return;
    }
    let Ok(faster) = env::current_exe().map(|path| path.with_file_name("watershed-v3")) else {
        return;
    };
    let mut arguments = env::args_os();
    if let Some(name) = arguments.next()
        && faster.is_file()
    {
        // Returns only if the program cannot be started; then this one goes on.
        let _ = Command::new(faster).arg0(name).args(arguments).exec();
    }
}

#[cfg(test)]
mod tests {
    // Tests run on the processor they were compiled for, so this must succeed.
    #[test]
    fn accepts_the_processor_that_runs_the_tests() {
        assert!(super::check_instruction_sets());
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let has = |name: &str| {
            let feature =
                super::FEATURES.iter().find(|feature| feature.name == name).expect("in the table");
            super::read_registers()[feature.register] & feature.mask != 0
        };
        assert_eq!(has("avx512f"), is_x86_feature_detected!("avx512f"));
        assert_eq!(has("avx512bw"), is_x86_feature_detected!("avx512bw"));
        assert_eq!(has("avx2"), is_x86_feature_detected!("avx2"));
        assert_eq!(has("lzcnt"), is_x86_feature_detected!("lzcnt"));
        assert_eq!(has("bmi2"), is_x86_feature_detected!("bmi2"));
    }
}
