//! A run's folder. Files come into being whole: each is written under another name and then
//! renamed.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use anyhow::{bail, ensure};

use super::{append_file::PartialFile, checkpoint, manifest};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    game::{FullGame, ItemCatalog},
    report::study_page,
};

/// A folder or file that can't be used for output.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder holds a finished run.
    #[error("{}: holds a finished run; expected a new folder, or --force to overwrite it", .0.display())]
    Finished(PathBuf),
    /// The folder holds a file that a run would overwrite and that no run wrote.
    #[error("{}: exists and was written by no run of this folder; expected another folder, or \
        --force to overwrite it", .0.display())]
    Foreign(PathBuf),
    /// It can't be written.
    #[error("{}: can't be written: {}", .0.display(), .1)]
    Unwritable(PathBuf, io::Error),
    /// Another run is writing it.
    #[error("{}: another run is writing it; expected a folder or file of its own for each run", .0.display())]
    Busy(PathBuf),
    /// It is not as an interrupted run left it.
    #[error("{}: is not as the interrupted run left it; expected that file, or --force to begin \
        again", .0.display())]
    Changed(PathBuf),
    /// The file exists.
    #[error("{}: exists; expected a new file, or --force to overwrite it", .0.display())]
    Exists(PathBuf),
    /// It is a device, a pipe or a link to nothing.
    #[error("{}: is not a regular file; expected a new file", .0.display())]
    NotRegular(PathBuf),
}

/// The files that commands write to their folders, except the tables of a game's items.
const FILES: [&str; 21] = [
    manifest::FILE,
    checkpoint::FILE,
    study_page::FILE,
    checkpoint::GAMES,
    "best.toml",
    "crosstable.csv",
    "differences.csv",
    "evaluations.csv",
    "health.csv",
    "luck.csv",
    "never.csv",
    "openings.csv",
    "playoff.csv",
    "ratings.csv",
    "removed_items.csv",
    "restricted.csv",
    "rounds.csv",
    "sweep.csv",
    "turn_order.csv",
    "values.csv",
    "win_rates.csv",
];

/// Returns the names of all files that commands write for a game with these items.
pub fn run_file_names(catalog: &ItemCatalog) -> Vec<String> {
    FILES
        .into_iter()
        .map(str::to_owned)
        .chain(catalog.tables().iter().map(|table| format!("{}.csv", table.name)))
        .collect()
}

/// Folders that were created for a run. Those that are still empty in the end are removed.
#[derive(Debug, Default)]
pub(crate) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Creates a folder and those above it, as far as there are none.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let folders = Self(missing);
        fs::create_dir_all(path)?;
        Ok(folders)
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // A folder that is not empty stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A folder that will hold a run. Other runs are kept away from it as long as a copy of this value
/// exists.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The names of all files that a run may write to the folder.
    names: Arc<[String]>,
    _hold: Arc<Hold>,
}

/// Empty folders are removed before the lock is released.
#[derive(Debug)]
struct Hold {
    _new_folders: NewFolders,
    /// The open folder; none where the platform can't open or lock folders.
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder if there is none, and keeps other runs away from it. `names` are those of
    /// the files that may be written to it.
    ///
    /// # Errors
    /// If another run is writing it, or it can't be created.
    pub fn lock(path: &Path, names: Vec<String>) -> Result<Self, OutputError> {
        let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
        if fs::symlink_metadata(path).is_ok() && !path.is_dir() {
            return Err(unwritable(io::Error::new(
                io::ErrorKind::NotADirectory,
                "is not a folder",
            )));
        }
        let mut new_folders = NewFolders::create(path).map_err(unwritable)?;
        let lock = match File::open(path) {
            Ok(folder) if matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) => None,
            // A run that was refused has just removed the folder.
            Ok(folder) if !is_same_folder(&folder, path) => None,
            Ok(folder) => Some(Some(folder)),
            Err(_) => Some(None),
        };
        let Some(lock) = lock else {
            // The folder is the other run's now, even if it is empty.
            new_folders.0.clear();
            return Err(OutputError::Busy(path.to_owned()));
        };
        Ok(Self {
            path: path.to_owned(),
            names: names.into(),
            _hold: Arc::new(Hold { _new_folders: new_folders, _lock: lock }),
        })
    }

    /// Makes sure that a new run may be written to the folder.
    ///
    /// # Errors
    /// If files can't be created there or, unless `overwrite` is set, if it holds a finished run or
    /// files of somebody else.
    pub fn ensure_writable(&self, overwrite: bool) -> Result<(), OutputError> {
        if !overwrite {
            let manifest = read_manifest(&self.path.join(manifest::FILE))
                .filter(is_manifest)
                .unwrap_or_default();
            if manifest["complete"] == true {
                return Err(OutputError::Finished(self.path.clone()));
            }
            // A run that is killed while it writes its tables leaves them without a manifest.
            if !checkpoint::has_checkpoint(&self.path) {
                let of_run = |name: &str| {
                    let named = manifest["files"].as_array().into_iter().flatten();
                    manifest.is_object() && name == manifest::FILE
                        || named.into_iter().any(|file| file == name)
                };
                let foreign = self.names.iter().find(|name| {
                    !of_run(name) && fs::symlink_metadata(self.path.join(name)).is_ok()
                });
                if let Some(name) = foreign {
                    return Err(OutputError::Foreign(self.path.join(name)));
                }
            }
        }
        let probe = partial_name(&self.path.join(manifest::FILE));
        let created = File::create(&probe).and_then(|_| fs::remove_file(&probe));
        created.map_err(|error| OutputError::Unwritable(self.path.clone(), error))
    }

    /// Returns true if a run may write to a file of this name, whatever the folder and the links by
    /// which it is named.
    pub fn may_write(&self, path: &Path) -> bool {
        let (path, folder) = (resolve_path(path), resolve_path(&self.path));
        let name = path.file_name().unwrap_or_default();
        path.parent() == Some(&folder)
            && self
                .names
                .iter()
                .any(|own| name == own.as_str() || *name == *partial_name(Path::new(own)))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// If it can't be written; then a file of that name is as it was before.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), OutputError> {
        debug_assert!(
            self.names.iter().any(|own| own == name),
            "{name} is missing in the list of files that runs write"
        );
        let mut file = PartialFile::create(&self.path.join(name))?;
        file.file().write_all(contents).map_err(|error| file.unwritable(error))?;
        file.finish()
    }

    /// Removes an earlier run: its manifest first, then the files that the manifest names.
    ///
    /// # Errors
    /// If one is there and can't be removed.
    pub fn remove_run(&self) -> Result<(), OutputError> {
        let manifest: serde_json::Value =
            read_manifest(&self.path.join(manifest::FILE)).unwrap_or_default();
        let files = manifest["files"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_str);
        // A manifest that was tampered with reaches no file outside its folder.
        for name in [manifest::FILE]
            .into_iter()
            .chain(files)
            .filter(|name| Path::new(name).file_name().is_some_and(|last| last == *name))
        {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Removes the files that a killed run began and did not finish.
    ///
    /// # Errors
    /// If one is there and can't be removed.
    pub fn remove_partial_files(&self) -> Result<(), OutputError> {
        self.names
            .iter()
            .try_for_each(|name| self.remove(&partial_name(Path::new(name)).to_string_lossy()))
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// If it is there and can't be removed.
    pub fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OutputError::Unwritable(path, error))
            }
            _ => Ok(()),
        }
    }
}

/// Keeps runs from writing to a folder that is read, as long as the file is open; none where the
/// platform can't open or lock folders.
///
/// # Errors
/// If a run is writing to it.
pub fn lock_to_read(path: &Path) -> Result<Option<File>, OutputError> {
    match File::open(path) {
        Ok(folder) if matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)) => {
            Err(OutputError::Busy(path.to_owned()))
        }
        folder => Ok(folder.ok()),
    }
}

#[cfg(unix)]
fn is_same_folder(open: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let [open, named] = [open.metadata(), fs::metadata(path)]
        .map(|folder| folder.map(|folder| (folder.dev(), folder.ino())).ok());
    open == named
}

#[cfg(not(unix))]
fn is_same_folder(_open: &File, path: &Path) -> bool {
    path.exists()
}

/// Reads a manifest; `None` if there is none of this type.
pub(crate) fn read_manifest<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    read_at_most(path, MAX_FILE_BYTES).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

fn is_manifest(manifest: &serde_json::Value) -> bool {
    manifest["format"].as_str().is_some_and(|format| format.starts_with("watershed."))
}

pub(crate) fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    path.with_file_name(name)
}

/// Returns the path of a file without links, also if the file, or its folder, does not exist yet.
pub fn resolve_path(path: &Path) -> PathBuf {
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

/// Locks the folder of a run, which may not overwrite a file that the run reads. `inputs` are the
/// files with the flags that name them.
pub(crate) fn lock_folder<G: FullGame>(
    out: &Path,
    game: &G,
    inputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<RunFolder> {
    let folder = RunFolder::lock(out, run_file_names(game.catalog()))?;
    for (flag, path) in inputs.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        ensure!(
            !folder.may_write(path),
            "{flag}: {} has the name of a file that the run writes; expected another folder for \
                the run",
            path.display()
        );
    }
    Ok(folder)
}

/// Makes sure that no file a user names for output is one that the run reads, one of its folder, or
/// another output.
pub(crate) fn ensure_distinct_outputs(
    folder: &RunFolder,
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<()> {
    let mut others: Vec<_> =
        inputs.iter().filter_map(|&(flag, path)| Some((flag, resolve_path(path?)))).collect();
    for (flag, path) in outputs.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        let (name, resolved) = (path.display(), resolve_path(path));
        // A file of this name may become another run's file at any time.
        let is_unfinished = resolved.extension().is_some_and(|ending| ending == "partial");
        ensure!(
            !is_unfinished,
            "{flag}: {name} has the name of an unfinished file; expected another ending than \
                .partial"
        );
        ensure!(
            !folder.may_write(path),
            "{flag}: {name} has the name of a file that the run writes to its folder; expected \
                another name"
        );
        if let Some((other, _)) = others.iter().find(|(_, other)| *other == resolved) {
            bail!("{flag}: {name} is also the file of {other}; expected another file");
        }
        others.push((flag, resolved));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_do_not_write_into_one_folder() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a/run");
        let lock = || RunFolder::lock(&path, run_file_names(&ItemCatalog::new()));
        let first = lock()?;
        assert!(matches!(lock(), Err(OutputError::Busy(_))));
        assert!(matches!(lock_to_read(&path), Err(OutputError::Busy(_))));
        drop(first);
        assert!(!folder.path().join("a").exists(), "nothing was written");
        let second = lock()?;
        second.write(checkpoint::GAMES, b"")?;
        drop(second);
        assert!(path.join(checkpoint::GAMES).exists());
        let reader = lock_to_read(&path)?;
        assert!(matches!(lock(), Err(OutputError::Busy(_))));
        drop((lock_to_read(&path)?, reader));
        lock()?;
        Ok(())
    }

    #[test]
    fn paths_are_resolved_whether_they_exist_or_not() -> anyhow::Result<()> {
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
