//! The manifest of a study of a game's balance.

use serde::Serialize;

use crate::{
    identity::Build,
    report::origin::BotDescription,
    run::manifest::{FORMAT, Timing},
};

/// A study as its manifest describes it. What differs between two equal studies stands in `timing`
/// and nowhere else.
#[derive(Clone, Debug, Serialize)]
pub struct StudyManifest<'a, Q> {
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
    /// The bots, with all their parameters.
    pub bots: &'a [BotDescription],
    /// The master seed.
    pub seed: u64,
    /// What else was asked for.
    #[serde(flatten)]
    pub question: &'a Q,
    /// Games asked for, of all kinds together, rounded up to whole blocks.
    pub games_planned: u64,
    /// Whether all of them were played.
    pub complete: bool,
    /// Whole blocks played.
    pub blocks: u64,
    /// Games played.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped_games: u64,
    /// The tables beside the manifest.
    pub files: Vec<&'a str>,
    /// What differs between two equal studies.
    pub timing: Timing,
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
