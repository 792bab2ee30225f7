//! The end of a study: its files, its terminal output and its exit status.

use serde::Serialize;

use super::{
    ExitStatus,
    arguments::OutputArguments,
    command::RepeatCommand,
    files::{OutputError, RunFolder},
    manifest::{self, GameCounts, Manifest, RunIdentity, Timing},
    page::{self, StudyPage},
};
use crate::{
    arena::schedule::Shard,
    report::{
        data_table::{DataTable, tables_json},
        terminal::{print, print_info},
    },
};

/// A study that was played to its end or interrupted.
pub(crate) struct FinishedStudy<'a, Q> {
    /// The part of the manifest that only this study has.
    pub(crate) question: Q,
    pub(crate) counts: GameCounts,
    pub(crate) tables: Vec<DataTable>,
    /// The terminal output after the command.
    pub(crate) text: String,
    pub(crate) page: Option<StudyPage<'a>>,
}

/// The end of a study: which one, and how much of it was played.
pub(crate) struct StudyEnd {
    /// The command that repeats it.
    pub(crate) command: RepeatCommand,
    pub(crate) identity: RunIdentity,
    /// The part of the study that was played, if it is divided.
    pub(crate) shard: Option<Shard>,
    /// True if all games were played, or all up to the end by a stopping criterion.
    pub(crate) complete: bool,
    /// Number of games to play, of this shard only if the study is divided.
    pub(crate) games_planned: u64,
    pub(crate) threads: usize,
    /// Wall time in seconds.
    pub(crate) seconds: f64,
    /// Further files that the study wrote.
    pub(crate) further_files: Vec<&'static str>,
}

impl<Q: Serialize> FinishedStudy<'_, Q> {
    /// Writes tables, page and manifest, and prints the results.
    pub(crate) fn finish(
        self,
        end: StudyEnd,
        output: &OutputArguments,
        folder: &RunFolder,
    ) -> anyhow::Result<ExitStatus> {
        let GameCounts { games, .. } = self.counts;
        let StudyEnd { complete, games_planned, .. } = end;
        let timing = Timing::new(end.threads, end.seconds, games);
        let page = self.page.map(|page| page.render(&end, self.counts));
        // The manifest is removed first and written last, so that all files beside it are of its
        // run.
        folder.remove_run()?;
        let mut files = write_tables_and_page(folder, &self.tables, page.as_deref())?;
        files.extend(end.further_files.iter().map(|&name| name.to_owned()));
        let manifest = Manifest {
            complete,
            files,
            timing: Some(timing),
            ..Manifest::new(&end.command, end.identity, self.question)
        };
        folder.write(manifest::FILE, &manifest.to_json())?;
        print_results(output.json, &self.tables, &end.command, &self.text);
        if !output.run.quiet {
            print_info(&format!(
                "{games} games in {timing}, written to {}",
                folder.path().display()
            ));
        }
        if complete {
            return Ok(ExitStatus::Success);
        }
        print_info(&format!(
            "interrupted: {games} of {games_planned} games are written, marked as incomplete; \
             continue with --resume"
        ));
        Ok(ExitStatus::Negative)
    }
}

/// Writes tables as CSV and the page, and returns the names of the files.
pub(crate) fn write_tables_and_page(
    folder: &RunFolder,
    tables: &[DataTable],
    page: Option<&[u8]>,
) -> Result<Vec<String>, OutputError> {
    let mut files = Vec::new();
    for table in tables {
        let name = table.schema().file_name();
        folder.write(&name, &table.csv())?;
        files.push(name);
    }
    if let Some(page) = page {
        folder.write(page::FILE, page)?;
        files.push(page::FILE.to_owned());
    }
    Ok(files)
}

/// Prints the command and the main results, or the tables as JSON.
pub(crate) fn print_results(json: bool, tables: &[DataTable], command: &RepeatCommand, text: &str) {
    print(&if json { tables_json(tables) } else { format!("{command}\n{text}") });
}
