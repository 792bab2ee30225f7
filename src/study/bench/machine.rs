//! The machine and the build that were measured.

use std::{env::consts, num::NonZero, thread};

use crate::{
    identity::{Build, Compiler},
    search::clock::thread_cpu_time,
    study::shared::prelude::*,
};

/// The machine that ran a benchmark.
#[derive(Serialize)]
pub(super) struct Machine {
    /// Model of the processor, if the operating system names it.
    pub(super) cpu: Option<String>,
    /// Cores that the program may use.
    pub(super) cores: usize,
    pub(super) os: String,
    pub(super) arch: String,
    /// Instruction sets of the processor beyond the oldest of its kind.
    pub(super) instruction_sets: Vec<String>,
}

impl Machine {
    /// Returns the machine that runs this program.
    pub(super) fn current() -> Self {
        let cpu = fs::read_to_string("/proc/cpuinfo").ok();
        Self {
            cpu: cpu.as_deref().and_then(cpu_model).map(str::to_owned),
            cores: thread::available_parallelism().map_or(1, NonZero::get),
            os: consts::OS.to_owned(),
            arch: consts::ARCH.to_owned(),
            instruction_sets: instruction_sets(),
        }
    }
}

/// Returns the model of the first processor of `/proc/cpuinfo`.
fn cpu_model(text: &str) -> Option<&str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, model) = lines.find(|(key, _)| key.trim() == "model name")?;
    Some(model.trim()).filter(|model| !model.is_empty())
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<String> {
    macro_rules! found {
        ($($name:tt),+) => {
            [$(($name, is_x86_feature_detected!($name))),+]
        };
    }
    let sets = found![
        "sse4.2", "popcnt", "lzcnt", "bmi1", "bmi2", "avx", "avx2", "fma", "avx512f", "avx512bw",
        "avx512vl"
    ];
    sets.into_iter().filter(|(_, found)| *found).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn instruction_sets() -> Vec<String> {
    Vec::new()
}

/// The build that was measured.
#[derive(Serialize)]
pub(super) struct MeasuredBuild {
    #[serde(flatten)]
    build: Build,
    #[serde(flatten)]
    compiler: Compiler,
}

impl MeasuredBuild {
    /// Returns the build of this program.
    pub(super) fn current() -> Self {
        Self { build: Build::current(), compiler: Compiler::current() }
    }
}

watershed_engine::named! {
    /// The clock of the speeds.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Clock {
        /// CPU time of the thread.
        Cpu = "CPU time",
        /// Time that passed, where the operating system does not give the CPU time of a thread.
        Wall = "wall time",
    }
}

impl Clock {
    /// Returns the clock of this machine.
    pub(super) fn available() -> Self {
        if thread_cpu_time().is_some() { Self::Cpu } else { Self::Wall }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_a_processor_is_read() {
        let text =
            "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Example CPU @ 2.00GHz\nflags: fpu\n";
        assert_eq!(cpu_model(text), Some("Example CPU @ 2.00GHz"));
        assert_eq!(cpu_model("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
    }
}
