//! Plays several data files of one game on the same deals, for `compare` and `sweep`.

use std::path::PathBuf;

use anyhow::Context as _;
use indicatif::ProgressBar;

use super::{
    analysis::{ComparisonResult, Layout},
    arguments::ComparisonArguments,
};
use crate::{
    arena::{
        compared_metrics::ComparedMetrics, comparison::ComparisonExperiment, schedule::Rotations,
    },
    bots::profile::Profile,
    config::Document,
    game::FullGame,
    games::GameName,
    report::provenance::Claim,
    run::{
        arguments::GameSelection,
        command::RepeatCommand,
        lineups::{LineupResult, bot_names},
        progress_bar::{show_message, stop_on_interrupt},
    },
};

/// A comparison as the command line asks for it.
pub(crate) struct ComparisonSpec {
    pub(crate) game: GameName,
    pub(crate) players: usize,
    /// The command without the flags of [`ComparisonArguments`].
    pub(crate) command: RepeatCommand,
    pub(crate) layout: Layout,
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

/// Returns the number of games of all lineups under all data files.
pub(super) fn count_games(
    lineups: &[Vec<Profile>],
    files: usize,
    games: u64,
) -> anyhow::Result<u64> {
    let add = |sum: u64, lineup: &Vec<Profile>| {
        let rotations = Rotations::of_lineup(lineup);
        let blocks = rotations.blocks_for_games(games);
        sum.checked_add(blocks.checked_mul(rotations.games_per_block())?.checked_mul(files as u64)?)
    };
    let total = lineups.iter().try_fold(0, add);
    total.with_context(|| format!("--games: expected fewer, found {games}"))
}

/// Plays all data files with each lineup, on the threads of the current pool.
pub(super) fn play<G: FullGame>(
    games: &[G],
    lineups: &[Vec<Profile>],
    arguments: &ComparisonArguments,
    metrics: &ComparedMetrics,
    bar: &ProgressBar,
) -> anyhow::Result<Vec<ComparisonResult>> {
    let stop = stop_on_interrupt()?;
    let results = lineups.iter().map(|lineup| {
        show_message(bar, || bot_names(lineup));
        let run = &arguments.output.run;
        let experiments =
            games.iter().map(|game| run.new_experiment(game, lineup, arguments.games)).collect();
        let experiment = ComparisonExperiment { experiments, metrics };
        LineupResult::new(lineup, experiment.run(stop, &|games| bar.inc(games)))
    });
    Ok(results.collect())
}
