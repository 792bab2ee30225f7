//! `watershed report`: finished runs side by side on one page, or as a certificate.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use crate::{
    games::GameList,
    report::{note::Note, terminal::print_info},
    run::{ExitStatus, append_file::PartialFile, page::FILE as REPORT, paths::resolve_path},
    study::shared::{
        certificate::{Certificate, MAX_BYTES},
        joint_page::write_page,
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
The page opens with the first finding of the report of each run. For the runs of one command, each \
main table has a column for each run, with interval and number of observations.

With --brief, the page prints on one A4 sheet: the answer, the health card or the main chart, and \
the highest and lowest rows of the main tables.

With --certificate, one file has all that a repetition of the runs needs and must yield: for each \
run its first finding, its manifest, the text of the data files and bots that it read, and the \
SHA-256 of each file that it wrote, except the page. `watershed verify` runs them again.

Examples:
  watershed report results/two results/three --out results/both.html
  watershed report results/latest --brief --out results/brief.html
  watershed report results/search --certificate results/fair.json")]
pub(crate) struct ReportArguments {
    /// Read the runs of these folders
    #[arg(value_name = "DIR", required = true)]
    runs: Vec<PathBuf>,
    /// Set the file of the page
    #[arg(long, value_name = "FILE", required_unless_present = "certificate")]
    out: Option<PathBuf>,
    /// Write a certificate of all runs, which `watershed verify` checks
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Make a page that prints on one A4 sheet
    #[arg(long)]
    brief: bool,
    /// Show the notes of this file, in Markdown, on the page
    #[arg(long, value_name = "FILE", value_parser = Note::read, requires = "out")]
    note: Option<Note>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print no messages
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(games: GameList, arguments: &ReportArguments) -> anyhow::Result<ExitStatus> {
    let ReportArguments { runs, out, certificate, brief, note, force, quiet } = arguments;
    for (flag, file) in [("--out", out), ("--certificate", certificate)] {
        let Some(file) = file else { continue };
        ensure_own_file(flag, file, runs)?;
    }
    if let Some(out) = out {
        write_page(games, runs, out, *brief, note.as_ref(), *force)?;
    }
    if let Some(path) = certificate {
        let content = Certificate::new(games, runs)?.to_json();
        ensure!(
            content.len() as u64 <= MAX_BYTES,
            "--certificate: expected runs whose certificate has at most {} MiB; name fewer",
            MAX_BYTES >> 20
        );
        PartialFile::write_for_user(path, &content, *force)?;
    }
    if !quiet {
        for file in out.iter().chain(certificate) {
            print_info(&format!("written to {}", file.display()));
        }
    }
    Ok(ExitStatus::Success)
}

/// Ensures that an output file is no folder and no file of a run.
fn ensure_own_file(flag: &str, out: &Path, runs: &[PathBuf]) -> anyhow::Result<()> {
    ensure!(!out.is_dir(), "{flag}: expected a file, as in page.html, found {}", out.display());
    let resolved = resolve_path(out);
    let is_of_run = |run: &PathBuf| resolved.parent() == Some(&resolve_path(run));
    let is_table = resolved.extension().is_some_and(|end| end == "csv" || end == "json");
    let is_report = resolved.file_name().is_some_and(|name| name == REPORT);
    ensure!(
        !(is_table || is_report) || !runs.iter().any(is_of_run),
        "{flag}: {} has the name of a file of the run; expected another name",
        out.display()
    );
    Ok(())
}
