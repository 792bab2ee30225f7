//! What the studies of a game's balance have in common: their flags, and how they end.

use std::{path::PathBuf, time::Instant};

use clap::Args;
use serde::Serialize;

use super::super::{
    Ending, note, print,
    selection::{DEFAULT_OUT, DEFAULT_SEED, GameArguments, Selection},
};
use crate::{
    arena::run::Experiment,
    bots::profile::Profile,
    report::{
        manifest::{self, Bot, Timing},
        output::{OutputError, RunFolder},
        study::StudyManifest,
    },
};

#[derive(Args, Debug)]
pub(super) struct StudyArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    pub(super) quiet: bool,
}

/// So many games that no sum of squares overflows.
pub(super) const MOST_GAMES: u64 = 1_000_000_000;

/// What a study found.
pub(super) struct Findings<'a, Q> {
    /// The command that makes it again.
    pub(super) command: String,
    pub(super) bots: Vec<Bot>,
    /// What was asked for beyond game, data, players, bots and seed.
    pub(super) question: &'a Q,
    pub(super) games_planned: u64,
    pub(super) blocks: u64,
    pub(super) games: u64,
    pub(super) capped: u64,
    /// The tables by the names of their files.
    pub(super) tables: Vec<(&'static str, Vec<u8>)>,
    /// What is printed.
    pub(super) text: String,
    pub(super) started: Instant,
}

impl StudyArguments {
    pub(super) fn folder(&self) -> Result<RunFolder, OutputError> {
        RunFolder::create(&self.out.clone().unwrap_or_else(|| DEFAULT_OUT.into()), self.force || self.out.is_none())
    }

    /// Games between these bots of which nothing is written down.
    pub(super) fn experiment<'a, G>(
        &self,
        game: &'a G,
        selection: &'a Selection,
        sha256: &'a str,
        bots: &'a [Profile],
    ) -> Experiment<'a, G> {
        Experiment {
            game,
            game_name: selection.game.as_str(),
            config_sha256: sha256,
            bots,
            seed: self.seed,
            blocks: 0..0,
            opening_steps: 0,
            records: false,
            legal: false,
            games: false,
            trace: false,
        }
    }

    /// Writes the tables and the manifest, and prints what is to be seen.
    pub(super) fn finish<Q: Serialize>(
        &self,
        selection: &Selection,
        folder: &RunFolder,
        findings: &Findings<'_, Q>,
    ) -> anyhow::Result<Ending> {
        let Findings { games, games_planned, .. } = *findings;
        let wall_seconds = findings.started.elapsed().as_secs_f64();
        let games_per_second = games as f64 / wall_seconds.max(1e-9);
        let manifest = StudyManifest {
            format: manifest::FORMAT,
            command: &findings.command,
            version: env!("CARGO_PKG_VERSION"),
            game: selection.game.as_str(),
            config: &selection.document.name,
            config_sha256: &selection.document.sha256(),
            provenance: &selection.provenance,
            players: selection.players,
            bots: &findings.bots,
            seed: self.seed,
            question: findings.question,
            games_planned,
            complete: games == games_planned,
            blocks: findings.blocks,
            games,
            capped_games: findings.capped,
            files: findings.tables.iter().map(|(name, _)| *name).collect(),
            timing: Timing { threads: rayon::current_num_threads(), wall_seconds, games_per_second },
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        for (name, contents) in &findings.tables {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest.to_json()?)?;

        print(&format!("{}\n{}", findings.command, findings.text));
        if !self.quiet {
            note(&format!("{games} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to {}", folder.path().display()));
        }
        if manifest.complete {
            return Ok(Ending::Done);
        }
        note(&format!("interrupted: {games} of {games_planned} games are done and written, marked as incomplete"));
        Ok(Ending::No)
    }
}
