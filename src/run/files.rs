//! A run's folder. Files come into being whole: each is written under another name and then
//! renamed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Read as _, Seek, SeekFrom, Write},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    config::{MAX_FILE_BYTES, read_at_most, sha256},
    game::ItemCatalog,
    report::study_page,
    run::{checkpoint, manifest},
    study::simulate::results,
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
    results::GAMES,
    "best.toml",
    "crosstable.csv",
    "differences.csv",
    "evaluations.csv",
    "health.csv",
    "luck.csv",
    "neutralised.csv",
    "never.csv",
    "openings.csv",
    "playoff.csv",
    "ratings.csv",
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
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Creates a folder and those above it, as far as there are none.
    fn create(path: &Path) -> io::Result<Self> {
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
        file.file.write_all(contents).map_err(|error| file.unwritable(error))?;
        file.finish()
    }

    /// Removes an earlier run: its manifest first, then the files that the manifest names.
    ///
    /// # Errors
    /// If one is there and can't be removed.
    pub fn remove_run(&self) -> Result<(), OutputError> {
        let manifest = read_manifest(&self.path.join(manifest::FILE)).unwrap_or_default();
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

fn read_manifest(path: &Path) -> Option<serde_json::Value> {
    read_at_most(path, MAX_FILE_BYTES).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

fn is_manifest(manifest: &serde_json::Value) -> bool {
    manifest["format"].as_str().is_some_and(|format| format.starts_with("watershed."))
}

fn partial_name(path: &Path) -> PathBuf {
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

/// Returns the file to write for a path that a user names, without links.
fn destination(path: &Path, overwrite: bool) -> Result<PathBuf, OutputError> {
    // A link there is to a standard stream, even if that is a regular file at the moment.
    let is_device = path.starts_with("/proc") || path.starts_with("/dev") && path.is_symlink();
    match fs::metadata(path) {
        Ok(file) if file.is_dir() => {
            Err(OutputError::Unwritable(path.to_owned(), io::ErrorKind::IsADirectory.into()))
        }
        Ok(file) if !file.is_file() || is_device => Err(OutputError::NotRegular(path.to_owned())),
        Ok(_) if !overwrite => Err(OutputError::Exists(path.to_owned())),
        Ok(_) => Ok(resolve_path(path)),
        Err(_) if path.is_symlink() => Err(OutputError::NotRegular(path.to_owned())),
        Err(_) => Ok(path.to_owned()),
    }
}

/// A file that appears under its name only when it is finished; one that is dropped before leaves
/// nothing.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    finished: bool,
}

impl PartialFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let partial = partial_name(path);
        let file = create(path, &partial)?;
        Ok(Self { path: path.to_owned(), partial, file, finished: false })
    }

    /// Begins a file that a user names.
    ///
    /// # Errors
    /// If it can't be created, is not a regular file, or exists and `overwrite` is not set.
    pub fn create_for_user(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let file = Self::create(&destination(path, overwrite)?)?;
        // Another run may have finished the file before this one locked it.
        destination(path, overwrite)?;
        Ok(file)
    }

    /// The file, to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// A failure to write to the file.
    pub fn unwritable(&self, error: io::Error) -> OutputError {
        OutputError::Unwritable(self.path.clone(), error)
    }

    /// Gives the file its name, once it is safe from a loss of power.
    ///
    /// # Errors
    /// If it can't be renamed.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.file
            .sync_all()
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|error| self.unwritable(error))?;
        self.finished = true;
        Ok(())
    }
}

/// Creates the file that will be renamed to `path`.
fn create(path: &Path, partial: &Path) -> Result<File, OutputError> {
    let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
    if path.is_dir() {
        return Err(unwritable(io::ErrorKind::IsADirectory.into()));
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(partial)
        .map_err(unwritable)?;
    lock(path, partial, &file)?;
    file.set_len(0).map_err(unwritable)?;
    Ok(file)
}

/// Keeps other runs away from a file as long as it is open, where the file system can.
fn lock(path: &Path, partial: &Path, file: &File) -> Result<(), OutputError> {
    // A run that has just ended has taken the name from the file that was opened.
    let is_busy = matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !partial.exists();
    if is_busy { Err(OutputError::Busy(path.to_owned())) } else { Ok(()) }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing more can be done about a file that can't be removed.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// The length of a growing file when it was saved, and the hash of its last bytes, by which it is
/// recognised.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEnd {
    /// The length in bytes.
    pub length: u64,
    /// SHA-256 of the last 64 KiB, or of all bytes if there are fewer.
    pub tail_sha256: String,
}

impl FileEnd {
    /// Returns true if a file is at least as long and had this end when it was as long.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn matches(&self, file: &mut File) -> io::Result<bool> {
        Ok(file.metadata()?.is_file()
            && file.metadata()?.len() >= self.length
            && sha256(&tail_of(file, self.length)?) == self.tail_sha256)
    }
}

/// Number of bytes at the end of a growing file that are hashed.
const TAIL: u64 = 64 << 10;

/// The last bytes of the first `length` ones of a file.
fn tail_of(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    file.take(length.min(TAIL)).read_to_end(&mut tail)?;
    Ok(tail)
}

/// A file that grows while a run goes on and appears under its name when the run ends. One that is
/// dropped before stays as it is, for the run to go on with; if it was never saved, it is removed.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    length: u64,
    /// The last bytes: at least [`TAIL`] of them, if there are so many, and less than twice as
    /// many.
    tail: Vec<u8>,
    is_saved: bool,
    _new_folders: NewFolders,
}

impl AppendFile {
    /// Begins a file, and its folder if there is none.
    ///
    /// # Errors
    /// If it can't be created, is not a regular file or, unless `overwrite` is set, if it exists or
    /// another run began it.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let path = destination(path, overwrite)?;
        let partial = partial_name(&path);
        // A run that was killed as it began has left an empty file.
        if !overwrite && fs::metadata(&partial).is_ok_and(|file| file.len() > 0 || !file.is_file())
        {
            return Err(OutputError::Exists(partial));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let new_folders = NewFolders::create(folder)
            .map_err(|error| OutputError::Unwritable(path.clone(), error))?;
        let writer = BufWriter::new(create(&path, &partial)?);
        Ok(Self {
            path,
            partial,
            writer,
            length: 0,
            tail: Vec::new(),
            is_saved: false,
            _new_folders: new_folders,
        })
    }

    /// Makes sure that a file can be gone on with that had this end when the run was saved.
    ///
    /// # Errors
    /// If it is not there, shorter, or another file.
    pub fn ensure_unchanged(path: &Path, end: &FileEnd) -> Result<(), OutputError> {
        let given = path;
        let path = resolve_path(path);
        let partial = partial_name(&path);
        let matches = File::open(if partial.exists() { &partial } else { &path })
            .and_then(|mut file| end.matches(&mut file));
        if matches.is_ok_and(|matches| matches) {
            Ok(())
        } else {
            Err(OutputError::Changed(given.to_owned()))
        }
    }

    /// Goes on with a file that had this end when the run was saved; what came later is cut off.
    ///
    /// # Errors
    /// If it can't be written, or is another file.
    pub fn resume(path: &Path, end: &FileEnd) -> Result<Self, OutputError> {
        let path = resolve_path(path);
        let unwritable = |error| OutputError::Unwritable(path.clone(), error);
        let partial = partial_name(&path);
        // A run that ended by an interrupt has given the file its name.
        if !partial.exists() {
            fs::rename(&path, &partial).map_err(unwritable)?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).open(&partial).map_err(unwritable)?;
        lock(&path, &partial, &file)?;
        if !end.matches(&mut file).map_err(unwritable)? {
            return Err(OutputError::Changed(path));
        }
        let tail = tail_of(&mut file, end.length).map_err(unwritable)?;
        file.set_len(end.length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable)?;
        let (writer, length) = (BufWriter::new(file), end.length);
        Ok(Self {
            path,
            partial,
            writer,
            length,
            tail,
            is_saved: true,
            _new_folders: NewFolders::default(),
        })
    }

    /// Makes the file longer.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.length += bytes.len() as u64;
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL as usize)..]);
        if self.tail.len() >= 2 * TAIL as usize {
            self.tail.drain(..self.tail.len() - TAIL as usize);
        }
        self.writer.write_all(bytes).map_err(|error| self.unwritable(error))
    }

    /// Makes what there is safe from a loss of power, and returns its end.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(&mut self) -> Result<FileEnd, OutputError> {
        self.writer
            .flush()
            .and_then(|()| self.writer.get_ref().sync_data())
            .map_err(|error| self.unwritable(error))?;
        self.is_saved = true;
        let tail = &self.tail[self.tail.len().saturating_sub(TAIL as usize)..];
        Ok(FileEnd { length: self.length, tail_sha256: sha256(tail) })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If it can't be written or renamed.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.save()?;
        fs::rename(&self.partial, &self.path).map_err(|error| self.unwritable(error))
    }

    /// A failure to write to the file.
    pub fn unwritable(&self, error: io::Error) -> OutputError {
        OutputError::Unwritable(self.path.clone(), error)
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        if !self.is_saved {
            // Nothing more can be done about a file that can't be removed.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_do_not_write_into_one_file() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("games.csv");
        let mut first = AppendFile::create(&path, false)?;
        first.append(b"one")?;
        let end = first.save()?;
        assert!(matches!(PartialFile::create(&path), Err(OutputError::Busy(_))));
        assert!(matches!(AppendFile::create(&path, false), Err(OutputError::Exists(_))));
        assert!(matches!(AppendFile::create(&path, true), Err(OutputError::Busy(_))));
        assert!(matches!(AppendFile::resume(&path, &end), Err(OutputError::Busy(_))));
        first.finish()?;
        assert_eq!(fs::read(&path)?, b"one");
        AppendFile::resume(&path, &end)?.finish()?;
        assert_eq!(fs::read(&path)?, b"one");
        assert!(matches!(AppendFile::create(&path, false), Err(OutputError::Exists(_))));
        Ok(())
    }

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
        second.write(results::GAMES, b"")?;
        drop(second);
        assert!(path.join(results::GAMES).exists());
        let reader = lock_to_read(&path)?;
        assert!(matches!(lock(), Err(OutputError::Busy(_))));
        drop((lock_to_read(&path)?, reader));
        lock()?;
        Ok(())
    }

    #[test]
    fn another_file_is_not_gone_on_with() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("records.jsonl");
        // Longer than what is hashed, in pieces that do not fit into it evenly.
        let mut file = AppendFile::create(&path, false)?;
        let piece: Vec<u8> = (0..50_000_u32).map(|byte| byte as u8).collect();
        for _ in 0..5 {
            file.append(&piece)?;
        }
        let end = file.save()?;
        file.append(b"lost")?;
        drop(file);
        let contents = fs::read(partial_name(&path))?;
        assert_eq!(contents.len(), 250_004);
        for (place, found) in [(249_999, false), (250_000 - TAIL as usize, false), (250_001, true)]
        {
            let mut changed = contents.clone();
            changed[place] ^= 1;
            fs::write(partial_name(&path), changed)?;
            assert_eq!(AppendFile::ensure_unchanged(&path, &end).is_ok(), found, "{place}");
        }
        fs::write(partial_name(&path), &contents)?;
        let mut file = AppendFile::resume(&path, &end)?;
        assert_eq!(file.save()?, end);
        file.append(b"more")?;
        file.finish()?;
        assert!(fs::read(&path)? == [&contents[..250_000], b"more"].concat());
        Ok(())
    }

    #[test]
    fn what_is_refused_leaves_no_file() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("new/records.jsonl");
        drop(AppendFile::create(&path, false)?);
        assert!(!folder.path().join("new").exists());
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
