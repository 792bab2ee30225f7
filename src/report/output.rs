//! A run's folder. Files come into being whole: each is written under another name and then renamed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::manifest;

/// A folder or file that can't be used for output.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder holds a finished run.
    #[error("{}: holds a finished run; expected a new folder, or --force to overwrite it", .0.display())]
    Finished(PathBuf),
    /// It can't be written.
    #[error("{}: can't be written: {}", .0.display(), .1)]
    Unwritable(PathBuf, io::Error),
    /// Another run is writing it.
    #[error("{}: another run is writing it; expected a folder or file of its own for each run", .0.display())]
    Busy(PathBuf),
    /// It is not as an interrupted run left it.
    #[error("{}: is not as the interrupted run left it; expected that file, or --force to begin again", .0.display())]
    Lost(PathBuf),
}

/// A folder that will hold a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder and makes sure that files can be written there.
    ///
    /// # Errors
    /// If it holds a finished run and `overwrite` is not set, or can't be written.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
        if !overwrite && is_finished(&path.join(manifest::FILE)) {
            return Err(OutputError::Finished(path.to_owned()));
        }
        fs::create_dir_all(path).map_err(unwritable)?;
        let probe = partial_name(&path.join(manifest::FILE));
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(unwritable)?;
        Ok(Self { path: path.to_owned() })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes back a folder that nothing was written to.
    pub fn remove_if_empty(&self) {
        // A folder that is not empty stays, and so does one that can't be removed.
        let _ = fs::remove_dir(&self.path);
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// If it can't be written; then a file of that name is as it was before.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), OutputError> {
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
        let files = manifest["files"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str);
        // A manifest that was tampered with reaches no file outside its folder.
        for name in [manifest::FILE].into_iter().chain(files).filter(|name| Path::new(name).file_name().is_some_and(|last| last == *name)) {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Removes what there is of a file that an interrupted run began.
    ///
    /// # Errors
    /// If it is there and can't be removed.
    pub fn remove_begun(&self, name: &str) -> Result<(), OutputError> {
        self.remove(&partial_name(Path::new(name)).to_string_lossy())
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// If it is there and can't be removed.
    pub fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::Unwritable(path, error)),
            _ => Ok(()),
        }
    }
}

/// Whether a manifest says that its run was completed.
fn is_finished(path: &Path) -> bool {
    read_manifest(path).is_some_and(|manifest| manifest["complete"] == true)
}

fn read_manifest(path: &Path) -> Option<serde_json::Value> {
    fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    path.with_file_name(name)
}

/// A file that appears under its name only when it is finished; one that is dropped before leaves nothing.
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
        self.file.sync_all().and_then(|()| fs::rename(&self.partial, &self.path)).map_err(|error| self.unwritable(error))?;
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
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(partial).map_err(unwritable)?;
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

/// A file that grows while a run goes on and appears under its name when the run ends. One that is dropped before stays as it is, for the run to
/// go on with.
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    length: u64,
}

impl GrowingFile {
    /// Begins a file, and its folder if there is none.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn begin(path: &Path) -> Result<Self, OutputError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| OutputError::Unwritable(path.to_owned(), error))?;
        }
        let partial = partial_name(path);
        let writer = BufWriter::new(create(path, &partial)?);
        Ok(Self { path: path.to_owned(), partial, writer, length: 0 })
    }

    /// Makes sure that a file which was this long when the run was saved can be gone on with.
    ///
    /// # Errors
    /// If it is not there or shorter.
    pub fn check(path: &Path, length: u64) -> Result<(), OutputError> {
        let partial = partial_name(path);
        let file = fs::metadata(if partial.exists() { &partial } else { path });
        if file.is_ok_and(|file| file.is_file() && file.len() >= length) { Ok(()) } else { Err(OutputError::Lost(path.to_owned())) }
    }

    /// Goes on with a file that was this long when the run was saved; what came later is cut off.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn go_on(path: &Path, length: u64) -> Result<Self, OutputError> {
        let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
        let partial = partial_name(path);
        // A run that ended by an interrupt has given the file its name.
        if !partial.exists() {
            fs::rename(path, &partial).map_err(unwritable)?;
        }
        let mut file = OpenOptions::new().write(true).open(&partial).map_err(unwritable)?;
        lock(path, &partial, &file)?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(unwritable)?;
        Ok(Self { path: path.to_owned(), partial, writer: BufWriter::new(file), length })
    }

    /// Makes the file longer.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.length += bytes.len() as u64;
        self.writer.write_all(bytes).map_err(|error| self.unwritable(error))
    }

    /// Makes what there is safe from a loss of power, and says how long it is.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(&mut self) -> Result<u64, OutputError> {
        self.writer.flush().and_then(|()| self.writer.get_ref().sync_data()).map_err(|error| self.unwritable(error))?;
        Ok(self.length)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_do_not_write_into_one_file() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("games.csv");
        let mut first = GrowingFile::begin(&path)?;
        first.append(b"one")?;
        assert!(matches!(PartialFile::create(&path), Err(OutputError::Busy(_))));
        assert!(matches!(GrowingFile::begin(&path), Err(OutputError::Busy(_))));
        assert!(matches!(GrowingFile::go_on(&path, 0), Err(OutputError::Busy(_))));
        first.finish()?;
        assert_eq!(fs::read(&path)?, b"one");
        GrowingFile::go_on(&path, 3)?.finish()?;
        assert_eq!(fs::read(&path)?, b"one");
        Ok(())
    }
}
