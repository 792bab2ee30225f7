//! `run.json`: all that is needed to make a run again, and what kind of run it was.

use std::{ops::Range, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    arena::{
        schedule::{Shard, distinct},
        tally::Tally,
    },
    bots::profile::Profile,
    config::{MAX_FILE_BYTES, read_at_most, sha256},
    identity::Build,
    stats::{confidence_sequence::Goal, ratio::MeanSums},
};

/// What decides a run's results: two runs with equal setups find the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunSetup {
    /// Version of the program.
    pub version: String,
    /// The build of the program.
    pub build: Build,
    /// The game's name.
    pub game: String,
    /// The data file.
    pub config: String,
    /// SHA-256 of its bytes.
    pub config_sha256: String,
    /// SHA-256 of its values that affect play, as [`crate::config::Document::values_sha256`]
    /// computes it.
    pub data_sha256: String,
    /// Where its values come from.
    pub provenance: String,
    /// Number of players.
    pub players: usize,
    /// The bots in the seats of a block's first game, with all their parameters.
    pub bots: Vec<BotDescription>,
    /// The master seed.
    pub seed: u64,
    /// How many placements after the first make an opening.
    pub opening_depth: usize,
    /// Games asked for, rounded up to whole blocks; in all parts together if the run is shared out,
    /// and at most so many if it has a goal.
    pub games_planned: u64,
    /// Games per block.
    pub games_per_block: u64,
    /// Which part of the run this is, if it is shared out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What it is to show before it may stop, if it need not play all games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
}

/// The keys that every manifest begins with.
#[derive(Clone, Debug, Serialize)]
pub struct ManifestHeader<'a> {
    /// Name and version of the format.
    pub format: &'static str,
    /// The command of the program that plays such runs, such as `simulate` or `balance luck`.
    pub kind: &'static str,
    /// The command, quoted for a POSIX shell, that makes the results again, on any number of
    /// threads and in any folder.
    pub command: &'a str,
    /// The arguments of `command`, without the program's name.
    pub arguments: Vec<String>,
}

impl<'a> ManifestHeader<'a> {
    /// The heading of a manifest in the format [`FORMAT`].
    pub fn new(kind: &'static str, command: &'a str) -> Self {
        let arguments = shlex::Shlex::new(command).skip(1).collect();
        Self { format: FORMAT, kind, command, arguments }
    }
}

/// A run as its manifest describes it. What differs between two equal runs stands in `timing` and
/// nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest<'a> {
    /// The keys that every manifest begins with.
    #[serde(flatten)]
    pub heading: ManifestHeader<'a>,
    /// What was asked for.
    #[serde(flatten)]
    pub setup: &'a RunSetup,
    /// Whether all of it was played, or as much as the goal took.
    pub complete: bool,
    /// Whether the goal is reached, if there is one. The intervals of win rates hold at all looks
    /// together then: they are those of a confidence sequence
    /// ([`crate::stats::confidence_sequence`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_reached: Option<bool>,
    /// What the intervals of win rates are, if they are not those of a run of fixed length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win_rate_intervals: Option<&'static str>,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped_games: i64,
    /// Games that several seats won.
    pub shared_wins: i64,
    /// Rounds per game.
    pub rounds_per_game: MeanEstimate,
    /// Events of all games together, chance and decisions.
    pub events: u64,
    /// Decisions of all games together.
    pub decisions: i64,
    /// The tables beside the manifest.
    pub files: Vec<String>,
    /// What differs between two equal runs.
    pub timing: Timing,
}

/// What a manifest says of a run whose files lie beside it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SavedManifest {
    /// What was asked for.
    #[serde(flatten)]
    pub setup: RunSetup,
    /// Whether all of it was played.
    pub complete: bool,
    /// The tables.
    pub files: Vec<String>,
}

impl SavedManifest {
    /// Reads the manifest of a folder; nothing if there is none of this version.
    pub fn read(folder: &Path) -> Option<Self> {
        read_at_most(&folder.join(FILE), MAX_FILE_BYTES)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
    }
}

/// A bot of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BotDescription {
    /// Its name.
    pub name: String,
    /// All its parameters.
    pub parameters: serde_json::Value,
    /// SHA-256 of all that it plays by, the numbers of the profiles that its parameters name
    /// included.
    pub sha256: String,
}

impl From<&Profile> for BotDescription {
    fn from(profile: &Profile) -> Self {
        // Only builds of the same sources compare these hashes, and they write a bot in the same
        // way.
        let sha256 = sha256(format!("{:?}", profile.spec).as_bytes());
        Self { name: profile.name.clone(), parameters: profile.parameters.clone(), sha256 }
    }
}

impl RunSetup {
    /// The blocks to be played.
    pub fn blocks(&self) -> Range<u64> {
        let run = self.games_planned / self.games_per_block;
        self.shard.map_or(0..run, |shard| shard.blocks(run))
    }

    /// The games of these blocks.
    pub fn games(&self) -> u64 {
        let blocks = self.blocks();
        (blocks.end - blocks.start) * self.games_per_block
    }

    /// The different bots, each as the index of its first seat.
    pub fn distinct_bots(&self) -> Vec<usize> {
        let names: Vec<_> = self.bots.iter().map(|bot| &bot.name).collect();
        distinct(&names).0
    }

    /// The setup of the whole run that this is a part of.
    #[must_use]
    pub fn without_shard(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }
}

/// A mean with its 95 % interval over blocks; no ends where there are too few blocks.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(missing_docs, reason = "the names are those of every table")]
pub struct MeanEstimate {
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

/// What a run took, all its parts together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Threads.
    pub threads: usize,
    /// Wall time in seconds, without the time between an interrupt and going on.
    pub wall_seconds: f64,
    /// Games per second.
    pub games_per_second: f64,
}

impl Manifest<'_> {
    /// The manifest as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        manifest_json(self)
    }
}

/// The name of the file; a folder that has it holds a run.
pub const FILE: &str = "run.json";

/// The name and version of the format.
pub const FORMAT: &str = "watershed.run/1";

impl Timing {
    /// What a run of these games took.
    pub fn new(threads: usize, wall_seconds: f64, tally: &Tally) -> Self {
        Self {
            threads,
            wall_seconds,
            games_per_second: tally.games as f64 / wall_seconds.max(1e-9),
        }
    }
}

/// A match between bots as its manifest describes it. What differs between two equal matches stands
/// in `timing` and nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct MatchManifest<'a> {
    /// The keys that every manifest begins with.
    #[serde(flatten)]
    pub heading: ManifestHeader<'a>,
    /// Version of the program.
    pub version: &'static str,
    /// The build of the program.
    pub build: Build,
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
    pub bots: Vec<BotDescription>,
    /// The master seed.
    pub seed: u64,
    /// Games of all pairings together, rounded up to whole blocks; at most so many if a test ends
    /// the match.
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
    /// Games that nobody won.
    pub nobody_won: u64,
    /// Rounds per game.
    pub rounds_per_game: MeanEstimate,
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

/// A comparison of data files as its manifest describes it. What differs between two equal
/// comparisons stands in `timing` and nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonManifest<'a> {
    /// The keys that every manifest begins with.
    #[serde(flatten)]
    pub heading: ManifestHeader<'a>,
    /// Version of the program.
    pub version: &'static str,
    /// The build of the program.
    pub build: Build,
    /// The game's name.
    pub game: &'a str,
    /// The data files; the others are compared to the first.
    pub variants: Vec<Variant<'a>>,
    /// Number of players.
    pub players: usize,
    /// The sets of bots that played under all data files.
    pub rungs: Vec<RungOfComparison>,
    /// The master seed.
    pub seed: u64,
    /// Games of all data files and sets of bots together, rounded up to whole blocks.
    pub games_planned: u64,
    /// Whether all of them were played.
    pub complete: bool,
    /// The tables beside the manifest.
    pub files: Vec<&'a str>,
    /// What differs between two equal comparisons.
    pub timing: Timing,
}

/// A data file of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Variant<'a> {
    /// What it is called in the tables.
    pub label: &'a str,
    /// The data file.
    pub config: &'a str,
    /// SHA-256 of its bytes.
    pub config_sha256: String,
    /// Where its values come from.
    pub provenance: &'a str,
}

/// A set of bots of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct RungOfComparison {
    /// The bots in the seats of a block's first game, with all their parameters.
    pub bots: Vec<BotDescription>,
    /// Games per block under each data file.
    pub games_per_block: u64,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played under each data file.
    pub games: u64,
}

/// A manifest as JSON. It holds nothing that JSON can't.
pub fn manifest_json(manifest: &impl Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(manifest).unwrap_or_default();
    json.push(b'\n');
    json
}
