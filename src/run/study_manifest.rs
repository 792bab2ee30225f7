//! The manifest of a study of a game's balance.

use serde::Serialize;

use crate::{
    identity::Build,
    run::manifest::{BotDescription, ManifestHeader, Timing},
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
