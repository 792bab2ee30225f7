//! `watershed report`: finished runs side by side on one page.

use crate::{
    report::note::Note,
    run::{page::FILE as REPORT, paths::resolve_path},
    study::shared::{joint_report::write_page, prelude::*},
};

#[derive(Args, Debug)]
#[command(after_help = "\
The page opens with the first finding of the report of each run, and has the tiles and the picture \
of each, and all figures that the verdicts judge beside each other.

With --brief, the page is the screen on one A4 sheet: the answer, its tiles and picture, the cards \
that it names, and what to try.

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
    /// Show the notes of this file, in Markdown, on the page
    #[arg(long, value_name = "FILE", value_parser = Note::read)]
    note: Option<Note>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print no messages
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(games: GameList, arguments: &ReportArguments) -> anyhow::Result<ExitStatus> {
    let ReportArguments { runs, out, brief, note, force, quiet } = arguments;
    ensure_own_file(out, runs)?;
    write_page(games, runs, out, *brief, note.as_ref(), *force)?;
    if !quiet {
        print_info(&format!("written to {}", out.display()));
    }
    Ok(ExitStatus::Success)
}

/// Ensures that an output file is no folder and no file of a run.
fn ensure_own_file(out: &Path, runs: &[PathBuf]) -> anyhow::Result<()> {
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
    Ok(())
}
