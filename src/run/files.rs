//! The folder of a run. Each file is written under a partial name and then renamed.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use anyhow::{bail, ensure};

use super::{
    append_file::PartialFile,
    file_names::{CHECKPOINT, MANIFEST, PAGE},
    paths::{NewFolders, OutputError, is_same_file, partial_name, resolve_path},
};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    game::ItemCatalog,
};

/// The beginning of every checkpoint.
const CHECKPOINT_BEGIN: &[u8; 21] = b"{\"format\":\"watershed.";

/// Returns the names of the files that commands write, if it is set.
static COMMAND_FILES: OnceLock<fn() -> Vec<String>> = OnceLock::new();

/// Sets the function that returns the names of the files that commands write to their folders,
/// besides those of every run and the tables of items.
pub(crate) fn set_command_files(names: fn() -> Vec<String>) {
    // All callers set the same function.
    let _ = COMMAND_FILES.set(names);
}

/// Returns the names of all files that commands write for a game with these items.
pub(crate) fn run_file_names(catalog: &ItemCatalog) -> Vec<String> {
    let tables = catalog.tables().iter().map(|table| format!("{}.csv", table.name));
    let of_commands = COMMAND_FILES.get().map(|names| names()).unwrap_or_default();
    let of_runs = [MANIFEST, CHECKPOINT, PAGE].map(str::to_owned);
    of_runs.into_iter().chain(of_commands).chain(tables).collect()
}

/// The locked folder of a run. The lock is held until all clones of this value are dropped.
#[derive(Clone, Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    /// The names of all files that a run may write to the folder.
    names: Arc<[String]>,
    hold: Arc<Hold>,
}

/// A lock on a folder. New folders that stay empty are removed before the lock is released.
#[derive(Debug)]
struct Hold {
    _new_folders: NewFolders,
    /// The open folder; `None` if the platform can't open folders.
    lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder if it is missing, and locks it. `names` are the names of the files that
    /// may be written to it.
    ///
    /// # Errors
    /// If another run is writing it, or it can't be created.
    pub(crate) fn lock(path: &Path, names: Vec<String>) -> Result<Self, OutputError> {
        let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
        if fs::symlink_metadata(path).is_ok() && !path.is_dir() {
            let kind = io::ErrorKind::NotADirectory;
            return Err(unwritable(io::Error::new(kind, "is not a folder")));
        }
        let mut new_folders = NewFolders::create(path)
            .map_err(|error| OutputError::Uncreatable(path.to_owned(), error))?;
        let lock = match File::open(path) {
            Ok(folder) if is_busy(|| folder.try_lock()) => None,
            // Another run has just removed its empty folder.
            Ok(folder) if !is_same_file(&folder, path) => None,
            Ok(folder) => Some(Some(folder)),
            Err(_) => Some(None),
        };
        let Some(lock) = lock else {
            // The folder belongs to the other run, even if it is empty.
            new_folders.0.clear();
            return Err(OutputError::Busy(path.to_owned()));
        };
        Ok(Self {
            path: path.to_owned(),
            names: names.into(),
            hold: Arc::new(Hold { _new_folders: new_folders, lock }),
        })
    }

    /// Ensures that a new run may be written to the folder.
    ///
    /// # Errors
    /// If files can't be created there; unless `overwrite` is set, also if the folder holds a
    /// finished or an interrupted run, or files that no run wrote.
    pub(crate) fn ensure_writable(&self, overwrite: bool) -> Result<(), OutputError> {
        if !overwrite {
            let manifest =
                read_manifest(&self.path.join(MANIFEST)).filter(is_manifest).unwrap_or_default();
            if manifest["complete"] == true {
                return Err(OutputError::Finished(self.path.clone()));
            }
            if self.holds_interrupted_run() {
                return Err(OutputError::Interrupted(self.path.clone()));
            }
            let of_run = |name: &str| {
                let named = manifest["files"].as_array().into_iter().flatten();
                manifest.is_object() && name == MANIFEST
                    || named.into_iter().any(|file| file == name)
            };
            let foreign = self
                .names
                .iter()
                .find(|name| !of_run(name) && fs::symlink_metadata(self.path.join(name)).is_ok());
            if let Some(name) = foreign {
                return Err(OutputError::Foreign(self.path.join(name)));
            }
        }
        let probe = partial_name(&self.path.join(MANIFEST));
        let created = File::create(&probe).and_then(|_| fs::remove_file(&probe));
        created.map_err(|error| OutputError::Unwritable(self.path.clone(), error))
    }

    /// Returns true if a run may write to this file. Links in the path are resolved.
    pub(crate) fn may_write(&self, path: &Path) -> bool {
        let (path, folder) = (resolve_path(path), resolve_path(&self.path));
        let name = path.file_name().unwrap_or_default();
        let is_own = |own: &String| name == own.as_str() || *name == *partial_name(Path::new(own));
        path.parent() == Some(&folder) && self.names.iter().any(is_own)
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it can't be written. An existing file of the name is then unchanged.
    pub(crate) fn write(&self, name: &str, contents: &[u8]) -> Result<(), OutputError> {
        debug_assert!(
            self.names.iter().any(|own| own == name),
            "{name} is missing in the list of files that runs write"
        );
        let lock = self.hold.lock.as_ref();
        if lock.is_some_and(|folder| !is_same_file(folder, &self.path)) {
            return Err(OutputError::Moved(self.path.clone()));
        }
        PartialFile::create(&self.path.join(name))?.write(contents)
    }

    /// Removes an earlier run: its manifest first, then the files that the manifest names.
    ///
    /// # Errors
    /// If a file can't be removed.
    pub(crate) fn remove_run(&self) -> Result<(), OutputError> {
        let manifest: serde_json::Value =
            read_manifest(&self.path.join(MANIFEST)).unwrap_or_default();
        let files = manifest["files"].as_array().into_iter().flatten();
        // A changed manifest must not name files outside the folder.
        let is_name = |name: &&str| Path::new(name).file_name().is_some_and(|last| last == *name);
        let names = files.filter_map(serde_json::Value::as_str).filter(is_name);
        [MANIFEST].into_iter().chain(names).try_for_each(|name| self.remove(name))
    }

    /// Returns true if the folder holds a run that is not finished: the manifest says so, or there
    /// is a checkpoint, of any version, without a manifest.
    pub(crate) fn holds_interrupted_run(&self) -> bool {
        let manifest = read_manifest(&self.path.join(MANIFEST)).filter(is_manifest);
        if let Some(manifest) = manifest {
            return manifest["complete"] == false;
        }
        let mut begin = [0; CHECKPOINT_BEGIN.len()];
        let file = File::open(self.path.join(CHECKPOINT));
        file.and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *CHECKPOINT_BEGIN
    }

    /// Removes the checkpoint and the partial files of a killed run.
    ///
    /// # Errors
    /// If a file can't be removed.
    pub(crate) fn remove_unfinished(&self) -> Result<(), OutputError> {
        self.remove(CHECKPOINT)?;
        let partial = |name: &String| partial_name(Path::new(name));
        self.names.iter().try_for_each(|name| self.remove(&partial(name).to_string_lossy()))
    }

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// If it can't be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(OutputError::Unwritable(path, error))
            }
            _ => Ok(()),
        }
    }
}

/// Returns true if a lock is held for longer than a moment: a process that another thread starts
/// has the locks of this one until it runs its own program.
fn is_busy(try_lock: impl Fn() -> Result<(), TryLockError>) -> bool {
    const ATTEMPTS: usize = 5;
    const PAUSE: Duration = Duration::from_millis(20);
    (0..ATTEMPTS).all(|attempt| {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        matches!(try_lock(), Err(TryLockError::WouldBlock))
    })
}

/// Locks a folder against writing runs until the returned file is closed. Returns `None` if the
/// platform can't open folders.
///
/// # Errors
/// If a run is writing to it.
pub(crate) fn lock_to_read(path: &Path) -> Result<Option<File>, OutputError> {
    match File::open(path) {
        Ok(folder) if is_busy(|| folder.try_lock_shared()) => {
            Err(OutputError::Busy(path.to_owned()))
        }
        folder => Ok(folder.ok()),
    }
}

/// Reads a manifest; `None` if there is none of this type.
pub(crate) fn read_manifest<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    read_at_most(path, MAX_FILE_BYTES).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

fn is_manifest(manifest: &serde_json::Value) -> bool {
    manifest["format"].as_str().is_some_and(|format| format.starts_with("watershed."))
}

/// Locks the folder of a run. `inputs` are the files that the run reads, with the flags that name
/// them.
///
/// # Errors
/// If the run would overwrite an input, or another run is writing to the folder.
pub(crate) fn lock_folder(
    out: &Path,
    catalog: &ItemCatalog,
    inputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<RunFolder> {
    let folder = RunFolder::lock(out, run_file_names(catalog))?;
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

/// Ensures that the output files that a user names are different from each other, from the inputs
/// and from the files of the folder.
pub(crate) fn ensure_distinct_outputs(
    folder: &RunFolder,
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> anyhow::Result<()> {
    let mut others: Vec<_> =
        inputs.iter().filter_map(|&(flag, path)| Some((flag, resolve_path(path?)))).collect();
    for (flag, path) in outputs.iter().filter_map(|&(flag, path)| Some((flag, path?))) {
        let (name, resolved) = (path.display(), resolve_path(path));
        // Another run may rename a file with this name at any time.
        let is_unfinished = resolved.extension().is_some_and(|ending| ending == "partial");
        ensure!(
            !is_unfinished,
            "{flag}: {name} has the name of an unfinished file; expected a name that does \
             not end in .partial"
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
        second.write(PAGE, b"")?;
        drop(second);
        assert!(path.join(PAGE).exists());
        let reader = lock_to_read(&path)?;
        assert!(matches!(lock(), Err(OutputError::Busy(_))));
        drop((lock_to_read(&path)?, reader));
        lock()?;
        Ok(())
    }
}
