//! `watershed report`: finished runs side by side on one page.

mod joint;
mod main_tables;
mod page;
mod saved_run;
pub(crate) mod several;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::ensure;
use clap::Args;

use crate::{
    games::GameList,
    report::terminal::print_info,
    run::{ExitStatus, append_file::PartialFile, page::FILE as REPORT, paths::resolve_path},
};
use page::JointPage;
use saved_run::SavedRun;

#[derive(Args, Debug)]
#[command(after_help = "\
The page opens with the first finding of the report of each run. For the runs of one command, each \
main table has a column for each run, with interval and number of observations.

With --brief, the page prints on one A4 sheet: the answer, the health card or the main chart, and \
the highest and lowest rows of the main tables.

Examples:
  watershed report results/two results/three --out results/both.html
  watershed report results/latest --brief --out results/brief.html")]
pub(crate) struct ReportArguments {
    /// Read the runs of these folders
    #[arg(value_name = "DIR", required = true)]
    runs: Vec<PathBuf>,
    /// Set the file of the page
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Make a page that prints on one A4 sheet
    #[arg(long)]
    brief: bool,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print no messages
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn run(games: GameList, arguments: &ReportArguments) -> anyhow::Result<ExitStatus> {
    let ReportArguments { runs, out, brief, force, quiet } = arguments;
    ensure!(!out.is_dir(), "--out: expected a file, as in page.html, found {}", out.display());
    let resolved = resolve_path(out);
    let is_of_run = |run: &PathBuf| resolved.parent() == Some(&resolve_path(run));
    let is_table = resolved.extension().is_some_and(|end| end == "csv" || end == "json");
    let is_report = resolved.file_name().is_some_and(|name| name == REPORT);
    ensure!(
        !(is_table || is_report) || !runs.iter().any(is_of_run),
        "--out: {} has the name of a file of the run; expected another name",
        out.display()
    );
    write_page(games, runs, out, *brief, *force)?;
    if !quiet {
        print_info(&format!("written to {}", out.display()));
    }
    Ok(ExitStatus::Success)
}

/// Writes the page of the runs of some folders.
///
/// # Errors
/// If a folder holds no finished run, or the page can't be written.
pub(crate) fn write_page(
    games: GameList,
    folders: &[PathBuf],
    out: &Path,
    is_brief: bool,
    overwrite: bool,
) -> anyhow::Result<()> {
    for (index, folder) in folders.iter().enumerate() {
        let same = |other: &PathBuf| resolve_path(other) == resolve_path(folder);
        ensure!(
            !folders[..index].iter().any(same),
            "{}: is given twice; expected each run once",
            folder.display()
        );
    }
    let read = |folder: &PathBuf| SavedRun::read(games, folder);
    let runs = folders.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let page = JointPage::new(&runs, out).render(is_brief);
    let mut file = PartialFile::create_for_user(out, overwrite)?;
    file.file().write_all(&page).map_err(|error| file.unwritable(error))?;
    file.finish()?;
    Ok(())
}
