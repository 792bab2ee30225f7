//! `run.json`: the manifest of a run, from which the run can be repeated.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::command::RepeatCommand;
pub(crate) use super::{file_names::MANIFEST as FILE, run_identity::RunIdentity};
use crate::{config::Document, report::provenance::Claim, stats::mean::MeanSums};

/// Name and version of the format.
pub(crate) const FORMAT: &str = "watershed.run/3";

/// The manifest of a run. Two equal runs differ in `timing` only.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Manifest<'a, Q> {
    /// Name and version of the format.
    pub format: &'static str,
    /// Name of the command, such as `simulate` or `balance sweep`.
    pub kind: &'a str,
    /// The command that repeats the run on any number of threads and in any folder, quoted for a
    /// POSIX shell.
    pub command: String,
    /// The arguments of `command`, without the name of the program.
    pub arguments: Vec<String>,
    /// Program, game, players and seed.
    #[serde(flatten)]
    pub identity: RunIdentity,
    /// The part that differs between commands.
    #[serde(flatten)]
    pub question: Q,
    /// True if all games were played, or all up to the end by a stopping criterion.
    pub complete: bool,
    /// The exit code of the command if it is not 0: 1 if the answer of a complete run is negative,
    /// 3 if a program failed in all its games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// The other files of the run.
    pub files: Vec<String>,
    /// The types of the columns of each table in their order, as an empty column of numbers looks
    /// like one of text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// The notes of the user on the page, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Everything that differs between equal runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

impl<'a, Q: Serialize> Manifest<'a, Q> {
    /// Creates the manifest of a run that has just started.
    pub(crate) fn new(command: &'a RepeatCommand, identity: RunIdentity, question: Q) -> Self {
        Self {
            format: FORMAT,
            kind: command.kind(),
            command: command.to_string(),
            arguments: command.arguments(),
            identity,
            question,
            complete: false,
            exit_code: None,
            files: Vec::new(),
            columns: BTreeMap::new(),
            note: None,
            timing: None,
        }
    }

    /// Returns the file.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        // All keys are text, which is all that JSON demands.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }
}

/// The data file of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DataSource {
    /// Path of the file, or the name of the built-in one.
    pub config: String,
    /// SHA-256 of its bytes.
    pub config_sha256: String,
    /// Provenance of its values.
    pub provenance: Claim,
}

impl DataSource {
    /// Describes a data file.
    pub(crate) fn new(document: &Document, provenance: &Claim) -> Self {
        Self {
            config: document.name.clone(),
            config_sha256: document.sha256(),
            provenance: provenance.clone(),
        }
    }
}

/// Description of the intervals of a run that ends when its goal is reached.
pub(crate) const CONFIDENCE_SEQUENCE: &str =
    "95 % at all looks together (asymptotic confidence sequence, Waudby-Smith et al. 2024)";

/// Numbers of blocks and games of a study.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct GameCounts {
    /// Games asked for, rounded up to whole blocks.
    pub games_planned: u64,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games ended by the round limit.
    pub capped_games: u64,
}

impl GameCounts {
    /// Adds up the blocks, games and capped games of parts of a study.
    pub(crate) fn sum(games_planned: u64, parts: impl IntoIterator<Item = [u64; 3]>) -> Self {
        let add = |sums: [u64; 3], part: [u64; 3]| std::array::from_fn(|i| sums[i] + part[i]);
        let [blocks, games, capped_games] = parts.into_iter().fold([0; 3], add);
        Self { games_planned, blocks, games, capped_games }
    }
}

/// A mean with its 95 % confidence interval over blocks; the interval has no ends if there are too
/// few blocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MeanEstimate {
    pub n: i64,
    pub mean: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
}

impl From<&MeanSums> for MeanEstimate {
    fn from(sums: &MeanSums) -> Self {
        let estimate = sums.mean();
        let finite = |value: f64| value.is_finite().then_some((value * 1e6).round() / 1e6);
        Self {
            n: estimate.n,
            mean: finite(estimate.value),
            ci_low: finite(estimate.low),
            ci_high: finite(estimate.high),
        }
    }
}

/// Duration and speed of a run, all shards together.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Timing {
    /// Threads.
    pub threads: usize,
    /// Wall time in seconds, without the time between an interrupt and `--resume`.
    pub wall_seconds: f64,
    /// Games per second, if the command counts games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_per_second: Option<f64>,
}

impl Timing {
    /// Creates the timing of a run of this number of games.
    pub(crate) fn new(threads: usize, wall_seconds: f64, games: u64) -> Self {
        let games_per_second = Some(games as f64 / wall_seconds.max(1e-9));
        Self { threads, wall_seconds, games_per_second }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.1} s", self.wall_seconds)?;
        let mut rate = self.games_per_second.iter();
        rate.try_for_each(|rate| write!(formatter, " ({rate:.0} a second)"))
    }
}
