//! The paths of output files, and the errors of files that can't be written.

use std::{
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
};

use anyhow::bail;

/// A folder or file that can't be used for output.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// The folder holds a finished run.
    #[error("{}: holds a finished run; expected a new folder, or --force to overwrite it",
        .0.display())]
    Finished(PathBuf),
    /// The folder holds an interrupted run.
    #[error("{}: holds an interrupted run; --resume continues it, --force begins again",
        .0.display())]
    Interrupted(PathBuf),
    /// The folder holds a file that a run would overwrite and that no run wrote.
    #[error("{}: exists and was written by no run of this folder; expected another folder, or \
        --force to overwrite it", .0.display())]
    Foreign(PathBuf),
    /// The folder or file can't be written.
    #[error("{}: can't be written: {}", .0.display(), reason(.1))]
    Unwritable(PathBuf, io::Error),
    /// The folder can't be created.
    #[error("{}: can't be created: {}; expected a new folder in one that you may write to",
        .0.display(), reason(.1))]
    Uncreatable(PathBuf, io::Error),
    /// Another run is writing the folder or file.
    #[error("{}: another run is writing it; expected a folder or file of its own for each run",
        .0.display())]
    Busy(PathBuf),
    /// The folder was moved or replaced while the run wrote to it.
    #[error("{}: was moved or replaced while the run wrote to it; the run is where the folder is \
        now, and --resume continues it there", .0.display())]
    Moved(PathBuf),
    /// The file was changed after the run was interrupted.
    #[error("{}: was changed after the run was interrupted; expected the file as the run wrote it, \
        or --force to start again", .0.display())]
    Changed(PathBuf),
    /// The file exists.
    #[error("{}: exists; expected a new file, or --force to overwrite it", .0.display())]
    Exists(PathBuf),
    /// The path is a device, a pipe or a broken link.
    #[error("{}: is not a regular file; expected a new file", .0.display())]
    NotRegular(PathBuf),
}

/// Returns the reason of an error without the number that the system gives it.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error ").unwrap_or(text.len());
    let text = &text[..end];
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Folders that were created for a run. Empty ones are removed when this value is dropped.
#[derive(Debug, Default)]
pub(super) struct NewFolders(pub(super) Vec<PathBuf>);

impl NewFolders {
    /// Creates a folder and its missing parents.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let folders = Self(path.ancestors().take_while(is_missing).map(Path::to_owned).collect());
        fs::create_dir_all(path)?;
        Ok(folders)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // A folder that is not empty is kept.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Returns true if an open file or folder still has this path.
#[cfg(unix)]
pub(super) fn is_same_file(open: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let [open, named] = [open.metadata(), fs::metadata(path)]
        .map(|data| data.map(|file| (file.dev(), file.ino())).ok());
    open == named
}

#[cfg(not(unix))]
pub(super) fn is_same_file(_open: &File, path: &Path) -> bool {
    path.exists()
}

pub(crate) fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    path.with_file_name(name)
}

/// Returns the path of a file without links. The file and its folder need not exist.
pub(crate) fn resolve_path(path: &Path) -> PathBuf {
    if let Ok(path) = fs::canonicalize(path) {
        return path;
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing =
        path.ancestors().find_map(|folder| Some((folder, fs::canonicalize(folder).ok()?)));
    let Some((folder, mut resolved)) = existing else { return path };
    for part in path.strip_prefix(folder).into_iter().flat_map(Path::components) {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
    }
    resolved
}

/// Checks that the folder of `--out` is none of the `kind` that a command joins.
pub(crate) fn ensure_other_folder(
    out: &Path,
    folders: &[PathBuf],
    kind: &str,
) -> anyhow::Result<()> {
    let is_output =
        |folder: &&PathBuf| folder.exists() && resolve_path(folder) == resolve_path(out);
    if let Some(folder) = folders.iter().find(is_output) {
        bail!("--out: expected a folder other than the {kind}, found {}", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_and_missing_paths_are_resolved() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let real = fs::canonicalize(folder.path())?;
        fs::create_dir(real.join("run"))?;
        for (path, expected) in [
            ("run/../run/run.json", "run/run.json"),
            ("run/new/../run.json", "run/run.json"),
            ("a/b/../c", "a/c"),
            ("run/.", "run"),
        ] {
            assert_eq!(resolve_path(&folder.path().join(path)), real.join(expected), "{path}");
        }
        Ok(())
    }
}
