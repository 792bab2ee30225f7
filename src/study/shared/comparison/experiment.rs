//! The data files and the number of games of a comparison, for `compare` and `sweep`.

use super::analysis::ComparisonLayout;
use crate::study::shared::prelude::*;

/// A comparison as the command line asks for it.
pub(crate) struct ComparisonSpec<'a> {
    pub(crate) game: &'static GameEntry,
    pub(crate) players: usize,
    pub(crate) command: &'a RepeatCommand,
    pub(crate) layout: ComparisonLayout,
    /// The baseline, then its variants.
    pub(crate) data: Vec<ComparedData>,
}

/// A data file of a comparison.
pub(crate) struct ComparedData {
    pub(crate) document: Document,
    /// Path of the file; none for the built-in one.
    pub(crate) config: Option<PathBuf>,
    pub(crate) provenance: Claim,
}

impl From<GameSelection> for ComparedData {
    fn from(GameSelection { document, config, provenance, .. }: GameSelection) -> Self {
        Self { document, config, provenance }
    }
}

/// Returns the number of games of all lineups under all data files. `games` has the games of each
/// lineup.
pub(crate) fn count_games(
    lineups: &[Vec<BotFactory>],
    files: usize,
    games: &[u64],
) -> anyhow::Result<u64> {
    let add = |sum: u64, (lineup, &games): (&Vec<BotFactory>, &u64)| {
        let rotations = Rotations::new(lineup);
        let blocks = rotations.blocks_for_games(games);
        sum.checked_add(blocks.checked_mul(rotations.games_per_block())?.checked_mul(files as u64)?)
    };
    let total = lineups.iter().zip(games).try_fold(0, add);
    total.with_context(|| format!("--games: expected fewer, found {}", games[0]))
}
