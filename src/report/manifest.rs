//! `run.json`: all that is needed to make a run again, and what kind of run it was.

use serde::Serialize;

use crate::{arena::tally::Tally, bots::profile::Profile, stats::ratio::Ratio};

/// A run as its manifest describes it. What differs between two equal runs stands in `timing` and nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest<'a> {
    /// Name and version of the format.
    pub format: &'static str,
    /// The command that makes the run again.
    pub command: String,
    /// Version of the program.
    pub version: &'static str,
    /// The game's name.
    pub game: &'a str,
    /// The data file.
    pub config: &'a str,
    /// SHA-256 of its bytes.
    pub config_sha256: &'a str,
    /// Where its values come from.
    pub provenance: &'a str,
    /// Number of players.
    pub players: usize,
    /// The bots in the seats of a block's first game, with all their parameters.
    pub bots: Vec<Bot<'a>>,
    /// The master seed.
    pub seed: u64,
    /// Games asked for, rounded up to whole blocks.
    pub games_planned: u64,
    /// Games per block.
    pub games_per_block: u64,
    /// Whether all of them were played.
    pub complete: bool,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped_games: u64,
    /// Games that several seats won.
    pub shared_wins: u64,
    /// Rounds per game.
    pub rounds_per_game: Mean,
    /// Events of all games together, chance and decisions.
    pub events: u64,
    /// Decisions of all games together.
    pub decisions: u64,
    /// The tables beside the manifest.
    pub files: Vec<String>,
    /// What differs between two equal runs.
    pub timing: Timing,
}

/// A bot of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Bot<'a> {
    /// Its name.
    pub name: &'a str,
    /// All its parameters.
    pub parameters: &'a serde_json::Value,
}

impl<'a> From<&'a Profile> for Bot<'a> {
    fn from(profile: &'a Profile) -> Self {
        Self { name: &profile.name, parameters: &profile.parameters }
    }
}

/// A mean with its 95 % interval over blocks; no ends where there are too few blocks.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(missing_docs, reason = "the names are those of every table")]
pub struct Mean {
    pub n: i64,
    pub mean: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
}

impl From<&Ratio> for Mean {
    fn from(ratio: &Ratio) -> Self {
        let estimate = ratio.mean();
        let finite = |value: f64| value.is_finite().then_some((value * 1e6).round() / 1e6);
        Self { n: estimate.n, mean: finite(estimate.value), ci_low: finite(estimate.low), ci_high: finite(estimate.high) }
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Threads.
    pub threads: usize,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// Games per second.
    pub games_per_second: f64,
}

impl Manifest<'_> {
    /// The manifest as JSON.
    ///
    /// # Errors
    /// Never: a manifest holds nothing that JSON can't.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }
}

/// The name of the file; a folder that has it holds a run.
pub const FILE: &str = "run.json";

/// The name and version of the format.
pub const FORMAT: &str = "watershed.run/1";

impl Timing {
    /// What a run of these games took.
    pub fn new(threads: usize, wall_seconds: f64, tally: &Tally) -> Self {
        Self { threads, wall_seconds, games_per_second: tally.games as f64 / wall_seconds.max(1e-9) }
    }
}

/// A match between bots as its manifest describes it. What differs between two equal matches stands in `timing` and nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct MatchManifest<'a> {
    /// Name and version of the format.
    pub format: &'static str,
    /// The command that makes the match again.
    pub command: String,
    /// Version of the program.
    pub version: &'static str,
    /// The game's name.
    pub game: &'a str,
    /// The data file.
    pub config: &'a str,
    /// SHA-256 of its bytes.
    pub config_sha256: &'a str,
    /// Where its values come from.
    pub provenance: &'a str,
    /// Number of players.
    pub players: usize,
    /// Who meets whom.
    pub mode: &'static str,
    /// The bots, with all their parameters.
    pub bots: Vec<Bot<'a>>,
    /// The master seed.
    pub seed: u64,
    /// Games of all pairings together, rounded up to whole blocks; at most so many if a test ends the match.
    pub games_planned: u64,
    /// Games per block.
    pub games_per_block: u64,
    /// Whether all of them were played, or as many as the test took.
    pub complete: bool,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped_games: u64,
    /// Games that several seats won.
    pub shared_wins: u64,
    /// Rounds per game.
    pub rounds_per_game: Mean,
    /// Events of all games together, chance and decisions.
    pub events: u64,
    /// The sequential test, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SequentialTest>,
    /// The tables beside the manifest.
    pub files: Vec<String>,
    /// What differs between two equal matches.
    pub timing: Timing,
}

/// A sequential test of two hypotheses about the first bot's strength, in Elo points.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(missing_docs, reason = "the names are those of the test")]
pub struct SequentialTest {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub llr: f64,
    pub lower_bound: f64,
    pub upper_bound: f64,
    pub verdict: &'static str,
}

impl MatchManifest<'_> {
    /// The manifest as JSON.
    ///
    /// # Errors
    /// Never: a manifest holds nothing that JSON can't.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }
}
