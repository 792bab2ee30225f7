//! The end of a study: its files, its terminal output and its exit status.

use std::fs;

use maud::html;
use serde::Serialize;
use serde_json::Value;

use super::{
    ExitStatus,
    arguments::{CsvFormat, OutputArguments},
    files::{RunFolder, read_manifest},
    manifest::{self, GameCounts, Manifest, Timing},
    page::{self, StudyEnd, StudyPage},
    paths::OutputError,
};
use crate::report::{
    data_table::{DataTable, tables_json},
    html::answer_of_page,
    terminal::{is_silent, print, print_info},
    text::paragraph,
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
}

impl<Q: Serialize> FinishedStudy<'_, Q> {
    /// Replaces the text and the answer of the page by a sentence.
    pub(super) fn replace_answer(&mut self, sentence: &str) {
        self.text = format!("\n{}", paragraph(sentence));
        if let Some(StudyPage { body, .. }) = &mut self.page {
            body.lead = html! { (sentence) };
            body.labels = html! {};
            body.picture = html! {};
        }
    }

    /// Renders the page.
    pub(super) fn render(self, end: &StudyEnd) -> StudyResults<Q> {
        let Self { question, counts, tables, text, page } = self;
        let page = page.map(|page| page.render(end, counts));
        StudyResults { question, games: counts.games, tables, text, page }
    }
}

impl<Q: Serialize> StudyResults<Q> {
    /// Writes tables, page and manifest, and prints the results. The folder has no manifest, which
    /// is written last, so that all files beside it are of its run.
    pub(super) fn write(
        self,
        end: StudyEnd,
        output: &OutputArguments,
        folder: &RunFolder,
    ) -> anyhow::Result<ExitStatus> {
        let Self { question, games, tables, text, page } = self;
        let StudyEnd { complete, status, games_planned, .. } = end;
        let timing = Timing::new(end.threads, end.seconds, games);
        let mut files = write_tables_and_page(folder, &tables, page.as_deref(), output.csv)?;
        files.extend(end.further_files);
        let players = end.identity.players;
        let manifest = Manifest {
            complete,
            exit_code: (complete && status != ExitStatus::Success).then_some(status as u8),
            files,
            note: end.note.as_ref().map(|note| note.markdown().to_owned()),
            timing: Some(timing),
            ..Manifest::new(&end.command, end.identity, question)
        };
        folder.write(manifest::FILE, &manifest.to_json())?;
        let printed = if output.json {
            tables_json(&tables)
        } else if output.only_answer {
            answer_text(players, page.as_deref().unwrap_or_default(), text)
        } else {
            format!("{}\n{text}", end.command)
        };
        print(&printed);
        // The folder of a study without output may be removed when it is read.
        if !output.run.quiet && !is_silent() {
            print_info(&format!(
                "{games} games in {timing}, written to {}",
                folder.path().display()
            ));
        }
        if complete {
            return Ok(status);
        }
        if !is_silent() {
            print_info(&format!(
                "interrupted: {games} of {games_planned} games are written, marked as incomplete; \
                 continue with --resume"
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

/// The first character of CSV for Excel.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

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
        let mark = if format == CsvFormat::Excel { BYTE_ORDER_MARK } else { "" };
        folder.write(&name, &[mark.as_bytes(), &table.csv()].concat())?;
        files.push(name);
    }
    if let Some(page) = page {
        folder.write(page::FILE, page)?;
        files.push(page::FILE.to_owned());
    }
    Ok(files)
}
