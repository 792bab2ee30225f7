//! The end of a study: its files, its terminal output and its exit status.

use std::{collections::BTreeMap, fs};

use serde::Serialize;
use serde_json::Value;

use super::{
    ExitStatus,
    arguments::OutputArguments,
    files::{RunFolder, read_manifest},
    manifest::{self, Manifest, Timing},
    page,
    paths::OutputError,
    sealed,
    study_run::StudyRun,
};
use crate::report::{
    csv_format::CsvFormat,
    data_table::{DataTable, tables_json},
    html::answer_of_page,
    screen::Screen,
    terminal::{has_colours, is_silent, print, print_info, print_styled},
    text::paragraph,
};

/// The results of a study, with its page.
pub(crate) struct StudyResults<Q> {
    /// The part of the manifest that only this study has.
    pub(crate) question: Q,
    /// Games played.
    pub(crate) games: u64,
    pub(crate) tables: Vec<DataTable>,
    /// The terminal output after the command.
    pub(crate) text: String,
    pub(crate) page: Option<Vec<u8>>,
    /// The screen that is printed instead of the text, or after it.
    pub(crate) screen: Screen,
}

impl StudyRun<'_> {
    /// Writes the results of the games so far.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn write_results<Q: Serialize>(
        &mut self,
        results: &StudyResults<Q>,
    ) -> anyhow::Result<()> {
        let StudyResults { question, games, tables, page, .. } = results;
        let complete = self.is_complete();
        self.checkpoint.complete = complete;
        // The manifest is written last, so that all files beside it are of its run.
        self.folder.remove_run()?;
        self.save()?;
        let appended = std::mem::take(&mut self.files).finish()?;
        let Self { output, folder, status, .. } = &*self;
        let mut files = write_tables_and_page(folder, tables, page.as_deref(), output.csv)?;
        files.extend(self.further_files.iter().cloned().chain(appended));
        let manifest = Manifest {
            complete,
            exit_code: (complete && *status != ExitStatus::Success).then_some(*status as u8),
            files,
            columns: column_types(tables),
            note: self.note().map(|note| note.markdown().to_owned()),
            timing: Some(self.timing(*games)),
            ..Manifest::new(self.command(), self.identity.clone(), question)
        };
        folder.write(manifest::FILE, &manifest.to_json())?;
        Ok(())
    }

    fn timing(&self, games: u64) -> Timing {
        Timing::new(self.checkpoint.threads, self.checkpoint.seconds, games)
    }

    /// Writes and prints the results of the games so far. Removes the checkpoint unless it is
    /// needed to resume the study, to let it grow or to merge a shard.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn finish<Q: Serialize>(
        mut self,
        results: StudyResults<Q>,
    ) -> anyhow::Result<ExitStatus> {
        self.write_results(&results)?;
        let StudyResults { games, tables, text, page, screen, .. } = results;
        let complete = self.checkpoint.complete;
        let timing = self.timing(games);
        let Self { output, folder, status, .. } = &self;
        let players = self.identity.players;
        let path = folder.path().join(page::FILE).display().to_string();
        let path = page.is_some().then_some(path.as_str());
        if output.json {
            print(&tables_json(&tables));
        } else if output.only_answer {
            print(&answer_text(players, page.as_deref().unwrap_or_default(), text));
        } else {
            if output.full {
                print(&format!("{}\n{text}", self.command()));
            }
            // The texts of trainings have no screen.
            if !screen.title.is_empty() {
                print(if output.full { "\n" } else { "" });
                print_styled(&screen.text(path, has_colours()));
            }
        }
        // The folder of a study without output may be removed when it is read.
        if !output.run.quiet && !is_silent() {
            print_info(&format!(
                "{games} games in {timing}, written to {}",
                folder.path().display()
            ));
        }
        if complete {
            if self.shard().is_none() && !self.grows {
                folder.remove(sealed::FILE)?;
            }
            return Ok(*status);
        }
        if !is_silent() {
            print_info(&format!(
                "interrupted: {games} of {} games are written, marked as incomplete; continue with \
                 --resume",
                self.games_planned()
            ));
        }
        Ok(ExitStatus::Negative)
    }
}

/// Prints the answer of a finished study if nothing else is printed, and returns its exit status.
pub(crate) fn finished_status(
    folder: &RunFolder,
    players: usize,
    output: &OutputArguments,
) -> ExitStatus {
    let page = fs::read(folder.path().join(page::FILE)).unwrap_or_default();
    if output.only_answer && !page.is_empty() {
        print(&answer_text(players, &page, String::new()));
    }
    let saved = read_manifest::<Value>(&folder.path().join(manifest::FILE)).unwrap_or_default();
    match saved["exit_code"].as_u64() {
        None => ExitStatus::Success,
        Some(3) => ExitStatus::ProgramFailed,
        Some(_) => ExitStatus::Negative,
    }
}

/// Returns the answer of a page as a paragraph, or `text` if the page has none.
fn answer_text(players: usize, page: &[u8], text: String) -> String {
    let answer = answer_of_page(&String::from_utf8_lossy(page)).unwrap_or(text);
    format!("\n{}", paragraph(&format!("{players} players: {answer}")))
}

/// Returns the types of the columns of tables by file.
pub(crate) fn column_types(tables: &[DataTable]) -> BTreeMap<String, String> {
    let schemas = tables.iter().map(DataTable::schema);
    schemas.map(|schema| (schema.file_name(), schema.column_types())).collect()
}

/// Writes tables as CSV and the page, and returns the names of the files.
pub(crate) fn write_tables_and_page(
    folder: &RunFolder,
    tables: &[DataTable],
    page: Option<&[u8]>,
    format: CsvFormat,
) -> Result<Vec<String>, OutputError> {
    let mut files = Vec::new();
    for table in tables {
        let name = table.schema().file_name();
        folder.write(&name, &table.csv_in(format))?;
        files.push(name);
    }
    if let Some(page) = page {
        folder.write(page::FILE, page)?;
        files.push(page::FILE.to_owned());
    }
    Ok(files)
}
