//! What all questions of balance have in common: their flags, and how they end.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use serde::Serialize;

use crate::report::study_page;
use crate::{
    arena::run::Experiment,
    bots::profile::Profile,
    game::FullGame,
    identity::Build,
    report::{
        origin::BotDescription,
        terminal::{print, print_info},
    },
    run::{
        ExitStatus,
        arguments::{
            DEFAULT_OUT, DEFAULT_SEED, GameSelection, build_thread_pool, max_parallel_tasks,
        },
        files::RunFolder,
        files::lock_folder,
        manifest::{self, Timing},
        study_manifest::{ManifestHeader, StudyManifest, manifest_json},
    },
};

/// How a question is to be answered, whatever it is.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(crate) seed: u64,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// So many games that no sum of squares overflows.
pub(crate) const MAX_GAMES: u64 = 1_000_000_000;

/// What was found.
pub(crate) struct StudyOutput {
    /// The command of the program.
    pub(crate) kind: &'static str,
    /// The command that makes it again, whatever its threads and folders were.
    pub(crate) command: String,
    pub(crate) games_planned: u64,
    pub(crate) games: u64,
    /// The threads that played.
    pub(crate) threads: usize,
    /// The tables by the names of their files.
    pub(crate) tables: Vec<(String, Vec<u8>)>,
    /// What is printed.
    pub(crate) text: String,
    pub(crate) started: Instant,
}

impl StudyOutput {
    pub(crate) fn is_complete(&self) -> bool {
        self.games == self.games_planned
    }

    pub(crate) fn heading(&self) -> ManifestHeader<'_> {
        ManifestHeader::new(self.kind, &self.command)
    }

    pub(crate) fn files(&self) -> Vec<&str> {
        self.tables.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// What the manifest of a study says beyond its findings.
pub(crate) struct StudySummary<'a, Q> {
    pub(crate) selection: &'a GameSelection,
    pub(crate) bots: Vec<BotDescription>,
    /// What was asked for beyond game, data, players, bots and seed.
    pub(crate) question: Q,
    pub(crate) blocks: u64,
    pub(crate) capped: u64,
    /// What its page says.
    pub(crate) page: study_page::ReportBody,
}

impl RunArguments {
    /// Locks the folder to write to. `inputs` are the files that are read, with the flags that name
    /// them.
    pub(crate) fn lock_folder<G: FullGame>(
        &self,
        game: &G,
        inputs: &[(&str, Option<&Path>)],
    ) -> anyhow::Result<RunFolder> {
        let folder =
            lock_folder(self.out.as_deref().unwrap_or(Path::new(DEFAULT_OUT)), game, inputs)?;
        folder.ensure_writable(self.force || self.out.is_none())?;
        Ok(folder)
    }

    /// Sets up the threads, of which there is no use for more than these bots have blocks.
    pub(crate) fn thread_pool<'a>(
        &self,
        blocks: u64,
        bots: impl IntoIterator<Item = &'a Profile>,
    ) -> anyhow::Result<rayon::ThreadPool> {
        build_thread_pool(self.threads, max_parallel_tasks(blocks, bots), self.quiet)
    }

    /// At least so many games between these bots, of which nothing is written down.
    pub(crate) fn new_experiment<'a, G: FullGame>(
        &self,
        game: &'a G,
        bots: &'a [Profile],
        games: u64,
    ) -> Experiment<'a, G> {
        let experiment = Experiment::new(game, bots, self.seed, 0..0);
        Experiment { blocks: 0..experiment.rotations().blocks_for_games(games), ..experiment }
    }

    /// Writes the tables and the manifest of a study, and prints what is to be seen.
    pub(crate) fn finish_study<Q: Serialize>(
        &self,
        folder: &RunFolder,
        mut findings: StudyOutput,
        study: StudySummary<'_, Q>,
    ) -> anyhow::Result<ExitStatus> {
        let StudySummary { selection, bots, question, blocks, capped, page } = study;
        let about = study_page::StudyPage {
            command: &findings.command,
            game: selection.game.as_str(),
            players: selection.players,
            seed: self.seed,
            bots: &bots,
            data: &[("", &selection.document)],
            provenance: &selection.provenance,
            blocks,
            games: findings.games,
            games_planned: findings.games_planned,
        };
        let report = about.render(page);
        findings.tables.push((study_page::FILE.to_owned(), report));
        self.write_and_print(folder, &findings, |timing| {
            manifest_json(&StudyManifest {
                heading: findings.heading(),
                version: env!("CARGO_PKG_VERSION"),
                build: Build::current(),
                game: selection.game.as_str(),
                config: &selection.document.name,
                config_sha256: &selection.document.sha256(),
                provenance: selection.provenance.as_str(),
                players: selection.players,
                bots: &bots,
                seed: self.seed,
                question: &question,
                games_planned: findings.games_planned,
                complete: findings.is_complete(),
                blocks,
                games: findings.games,
                capped_games: capped,
                files: findings.files(),
                timing,
            })
        })
    }

    /// Writes the tables and a manifest, and prints what is to be seen.
    pub(crate) fn write_and_print(
        &self,
        folder: &RunFolder,
        findings: &StudyOutput,
        manifest: impl FnOnce(Timing) -> Vec<u8>,
    ) -> anyhow::Result<ExitStatus> {
        let StudyOutput { command, games_planned, games, threads, tables, text, started, .. } =
            findings;
        let wall_seconds = started.elapsed().as_secs_f64();
        let games_per_second = *games as f64 / wall_seconds.max(1e-9);
        let manifest = manifest(Timing {
            threads: *threads,
            wall_seconds,
            games_per_second: Some(games_per_second),
        });
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        for (name, contents) in tables {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest)?;

        print(&format!("{command}\n{text}"));
        if !self.quiet {
            print_info(&format!(
                "{games} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to \
                    {}",
                folder.path().display()
            ));
        }
        if findings.is_complete() {
            return Ok(ExitStatus::Success);
        }
        print_info(&format!(
            "interrupted: {games} of {games_planned} games are done and written, marked as \
                incomplete"
        ));
        Ok(ExitStatus::Negative)
    }
}
