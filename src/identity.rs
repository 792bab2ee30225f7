//! Identity of this build of the program.

use serde::{Deserialize, Serialize};

/// SHA-256 of the sources, in hexadecimal.
pub const SOURCE_SHA256: &str = env!("WATERSHED_SOURCE_SHA256");

/// The behaviour signature on record, which `watershed bench` computes anew.
pub const BEHAVIOUR_SIGNATURE: &str = include_str!("../tests/signature.txt").trim_ascii();

/// Version, commit and hash of the sources, in short.
pub const VERSION: &str = env!("WATERSHED_VERSION");

/// The same in full, with the platform, the processor features that the compiler was allowed to
/// use, and the behaviour signature.
pub const LONG_VERSION: &str = concat!(
    env!("WATERSHED_VERSION"),
    "\ncommit: ",
    env!("WATERSHED_COMMIT"),
    "\nsources (SHA-256): ",
    env!("WATERSHED_SOURCE_SHA256"),
    "\nbehaviour signature: ",
    // The file ends with the end of a line.
    include_str!("../tests/signature.txt"),
    "target: ",
    env!("WATERSHED_TARGET"),
    "\ntarget features: ",
    env!("WATERSHED_TARGET_FEATURES"),
);

/// The build that played a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Build {
    /// The commit it was compiled from, if that is known.
    pub commit: Option<String>,
    /// True if its sources differed from those of the commit.
    pub modified: bool,
    /// SHA-256 of its sources. Runs can be resumed and merged by builds of the same sources only.
    pub source_sha256: String,
    /// The behaviour signature on record, for information.
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
