//! The identity of this build of the program.

#[cfg(test)]
#[path = "../build/sha256.rs"]
mod build_sha256;

use serde::{Deserialize, Serialize};

/// The SHA-256 hash of the sources, in hexadecimal.
pub const SOURCE_SHA256: &str = env!("WATERSHED_SOURCE_SHA256");

/// The recorded behaviour signature. `watershed bench` computes it from games.
pub const BEHAVIOUR_SIGNATURE: &str = include_str!("../tests/signature.txt").trim_ascii();

/// Version, commit and hash of the sources, abbreviated.
pub const VERSION: &str = env!("WATERSHED_VERSION");

/// Version, commit, hash of the sources, behaviour signature, target platform, and the processor
/// features that the compiler may use.
pub const LONG_VERSION: &str = concat!(
    env!("WATERSHED_VERSION"),
    "\ncommit: ",
    env!("WATERSHED_COMMIT"),
    "\nsources (SHA-256): ",
    env!("WATERSHED_SOURCE_SHA256"),
    "\nbehaviour signature: ",
    // The file ends with a line break.
    include_str!("../tests/signature.txt"),
    "target: ",
    env!("WATERSHED_TARGET"),
    "\ntarget features: ",
    env!("WATERSHED_TARGET_FEATURES"),
);

/// The identity of the build that made a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Build {
    /// The commit of the sources, if it is known.
    pub commit: Option<String>,
    /// True if the sources differed from those of the commit.
    pub modified: bool,
    /// The SHA-256 hash of the sources. Only a build with the same hash can resume or merge a run.
    pub source_sha256: String,
    /// The recorded behaviour signature, for information.
    pub behaviour_signature: String,
}

impl Build {
    /// Returns the identity of this program.
    pub fn current() -> Self {
        let commit = env!("WATERSHED_COMMIT");
        Self {
            commit: (!commit.is_empty()).then(|| commit.to_owned()),
            modified: env!("WATERSHED_MODIFIED") == "true",
            source_sha256: SOURCE_SHA256.to_owned(),
            behaviour_signature: BEHAVIOUR_SIGNATURE.to_owned(),
        }
    }
}

/// The compiler of this program and its settings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Compiler {
    /// Version of rustc, if it is known.
    pub rustc: Option<String>,
    /// Cargo profile.
    pub profile: String,
    /// Target platform.
    pub target: String,
    /// Processor features that the compiler may use.
    pub target_features: Vec<String>,
}

impl Compiler {
    /// Returns the compiler of this program.
    pub fn current() -> Self {
        let rustc = env!("WATERSHED_RUSTC");
        let features = env!("WATERSHED_TARGET_FEATURES").split_whitespace();
        Self {
            rustc: (!rustc.is_empty()).then(|| rustc.to_owned()),
            profile: env!("WATERSHED_PROFILE").to_owned(),
            target: env!("WATERSHED_TARGET").to_owned(),
            target_features: features.map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::build_sha256::sha256;
    use crate::config;

    #[test]
    fn the_hash_of_the_build_script_is_that_of_the_program() {
        for length in (0..200).chain([1 << 16]) {
            let bytes: Vec<_> =
                (0..length).map(|index: u32| ((index * index) >> 3) as u8).collect();
            assert_eq!(sha256(&bytes), config::sha256(&bytes), "{length}");
        }
    }
}
