//! One page of several finished runs: of `report`, and of a study of several numbers of players.

mod joint;
mod main_tables;
mod page;
pub(crate) mod saved_run;

use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::{
    games::GameList,
    report::note::Note,
    run::{append_file::PartialFile, paths::resolve_path},
};
use page::JointPage;
use saved_run::SavedRun;

/// Writes the page of the runs of some folders, as one sheet if it is brief, with notes of the
/// user. Returns the sentence that sums them up, if there is one.
///
/// # Errors
/// If a folder holds no finished run, or the page can't be written.
pub(crate) fn write_page(
    games: GameList,
    folders: &[PathBuf],
    out: &Path,
    is_brief: bool,
    note: Option<&Note>,
    overwrite: bool,
) -> anyhow::Result<Option<String>> {
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
    let page = JointPage::new(&runs, out);
    let summary = page.first_player_sentence();
    let page = page.render(is_brief, note);
    PartialFile::write_for_user(out, &page, overwrite)?;
    Ok(summary)
}
