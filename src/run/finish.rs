//! The end of a study: its files, its terminal output and its exit status.

use std::time::Instant;

use serde::Serialize;

use super::{
    ExitStatus,
    arguments::OutputArguments,
    command::RepeatCommand,
    files::{OutputError, RunFolder},
    manifest::{self, GameCounts, Manifest, RunIdentity, Timing},
    page::{self, StudyPage},
};
use crate::report::{
    data_table::{DataTable, tables_json},
    terminal::{print, print_info},
};

/// A study that was played to its end or interrupted.
pub(crate) struct FinishedStudy<'a, Q> {
    pub(crate) command: RepeatCommand,
    pub(crate) identity: RunIdentity,
    /// The part of the manifest that only this study has.
    pub(crate) question: Q,
    pub(crate) counts: GameCounts,
    /// True if all games were played, or all up to the end by a stopping criterion.
    pub(crate) complete: bool,
    pub(crate) threads: usize,
    pub(crate) started: Instant,
    pub(crate) tables: Vec<DataTable>,
    /// The terminal output after the command.
    pub(crate) text: String,
    pub(crate) page: Option<StudyPage<'a>>,
}

impl<Q: Serialize> FinishedStudy<'_, Q> {
    /// Writes tables, page and manifest, and prints the results.
    pub(crate) fn finish(
        self,
        output: &OutputArguments,
        folder: &RunFolder,
    ) -> anyhow::Result<ExitStatus> {
        let Self { counts: GameCounts { games_planned, games, .. }, complete, .. } = self;
        let timing = Timing::new(self.threads, self.started.elapsed().as_secs_f64(), games);
        let command = self.command.to_string();
        let page = self.page.map(|page| page.render(&command, &self.identity, self.counts));
        // The manifest is removed first and written last, so that all files beside it are of its
        // run.
        folder.remove_run()?;
        let files = write_tables_and_page(folder, &self.tables, page.as_deref())?;
        let manifest = Manifest {
            complete,
            files,
            timing: Some(timing),
            ..Manifest::new(&self.command, self.identity, self.question)
        };
        folder.write(manifest::FILE, &manifest.to_json())?;
        print_results(output.json, &self.tables, &self.command, &self.text);
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
            "interrupted: {games} of {games_planned} games are written, marked as incomplete"
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
