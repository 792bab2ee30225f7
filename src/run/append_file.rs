//! Output files that are written under a partial name and renamed when they are complete.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::paths::{NewFolders, OutputError, is_same_file, partial_name, resolve_path};
use crate::config::sha256;

/// Returns the path without links of an output file that a user names.
fn destination(path: &Path, overwrite: bool) -> Result<PathBuf, OutputError> {
    // Links in these folders lead to standard streams, which may be regular files.
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

/// A file that gets its name when it is finished. It is removed if it is dropped before.
#[derive(Debug)]
pub(crate) struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    finished: bool,
}

impl PartialFile {
    /// Creates a file.
    ///
    /// # Errors
    /// If it can't be created.
    pub(crate) fn create(path: &Path) -> Result<Self, OutputError> {
        let partial = partial_name(path);
        let file = create(path, &partial)?;
        Ok(Self { path: path.to_owned(), partial, file, finished: false })
    }

    /// Creates a file that a user names.
    ///
    /// # Errors
    /// If it can't be created, is not a regular file, or exists and `overwrite` is not set.
    pub(crate) fn create_for_user(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let file = Self::create(&destination(path, overwrite)?)?;
        // Another run may have finished the file before this one locked it.
        destination(path, overwrite)?;
        Ok(file)
    }

    /// Writes a whole file that a user names, as [`PartialFile::create_for_user`].
    pub(crate) fn write_for_user(
        path: &Path,
        bytes: &[u8],
        overwrite: bool,
    ) -> Result<(), OutputError> {
        Self::create_for_user(path, overwrite)?.finish_with(bytes)
    }

    /// Returns the file to write to.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns the error that the file can't be written.
    pub(crate) fn unwritable(&self, error: io::Error) -> OutputError {
        OutputError::Unwritable(self.path.clone(), error)
    }

    /// Writes the content of the file and finishes it.
    ///
    /// # Errors
    /// If it can't be written or renamed.
    pub(crate) fn finish_with(mut self, content: &[u8]) -> Result<(), OutputError> {
        self.file.write_all(content).map_err(|error| self.unwritable(error))?;
        self.finish()
    }

    /// Syncs the file to disk and gives it its name.
    ///
    /// # Errors
    /// If it can't be renamed.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        let renamed = self.file.sync_all().and_then(|()| rename(&self.partial, &self.path));
        renamed.map_err(|error| self.unwritable(error))?;
        self.finished = true;
        Ok(())
    }
}

/// Renames a file so that it has the new name after a loss of power, too.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    // Elsewhere, folders can't be opened.
    if cfg!(unix) {
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// Creates and locks the file that will be renamed to `path`.
fn create(path: &Path, partial: &Path) -> Result<File, OutputError> {
    let unwritable = |error| OutputError::Unwritable(path.to_owned(), error);
    if path.is_dir() {
        return Err(unwritable(io::ErrorKind::IsADirectory.into()));
    }
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).open(partial);
    let file = file.map_err(unwritable)?;
    lock(path, partial, &file)?;
    file.set_len(0).map_err(unwritable)?;
    Ok(file)
}

/// Locks a file until it is closed, if the file system supports locks.
fn lock(path: &Path, partial: &Path, file: &File) -> Result<(), OutputError> {
    // Another run may have renamed the file after it was opened here.
    let is_locked = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    let is_busy = is_locked || !is_same_file(file, partial);
    if is_busy { Err(OutputError::Busy(path.to_owned())) } else { Ok(()) }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.finished {
            // A file that can't be removed is kept.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// The length of a file and the hash of its last bytes, which identify the file when a run resumes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileEnd {
    /// The length in bytes.
    pub length: u64,
    /// SHA-256 of the last 64 KiB, or of all bytes if there are fewer.
    pub tail_sha256: String,
}

impl FileEnd {
    /// Returns true if a file is at least this long and has this end at this length.
    ///
    /// # Errors
    /// If it can't be read.
    pub(crate) fn matches(&self, file: &mut File) -> io::Result<bool> {
        Ok(file.metadata()?.is_file()
            && file.metadata()?.len() >= self.length
            && sha256(&tail_of(file, self.length)?) == self.tail_sha256)
    }
}

/// Number of bytes before the end that are hashed.
const TAIL: u64 = 64 << 10;

/// Returns the last bytes of the first `length` bytes of a file.
fn tail_of(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    file.take(length.min(TAIL)).read_to_end(&mut tail)?;
    Ok(tail)
}

/// A file to which a run appends, and that gets its name when the run ends. If it is dropped
/// before, it is kept for `--resume`, or removed if it was never saved.
#[derive(Debug)]
pub(crate) struct AppendFile {
    path: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    length: u64,
    /// The last bytes of the file, fewer than twice [`TAIL`].
    tail: Vec<u8>,
    is_saved: bool,
    /// True if a file that has the name when the run ends is replaced.
    overwrite: bool,
    _new_folders: NewFolders,
}

impl AppendFile {
    /// Creates a file, and its folder if there is none.
    ///
    /// # Errors
    /// If it can't be created or is not a regular file; unless `overwrite` is set, also if it
    /// exists or another run has started it.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        let path = destination(path, overwrite)?;
        let partial = partial_name(&path);
        // A run that was killed at its start leaves an empty file.
        if !overwrite && fs::metadata(&partial).is_ok_and(|file| file.len() > 0 || !file.is_file())
        {
            return Err(OutputError::Exists(partial));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let new_folders = NewFolders::create(folder)
            .map_err(|error| OutputError::Uncreatable(folder.to_owned(), error))?;
        let file = create(&path, &partial)?;
        Ok(Self {
            path,
            partial,
            writer: BufWriter::new(file),
            length: 0,
            tail: Vec::new(),
            is_saved: false,
            overwrite,
            _new_folders: new_folders,
        })
    }

    /// Ensures that a file still has the end that it had at the checkpoint.
    ///
    /// # Errors
    /// If it is missing, shorter, or another file.
    pub(crate) fn ensure_unchanged(path: &Path, end: &FileEnd) -> Result<(), OutputError> {
        let resolved = resolve_path(path);
        let partial = partial_name(&resolved);
        let file = File::open(if partial.exists() { partial } else { resolved });
        match file.and_then(|mut file| end.matches(&mut file)) {
            Ok(true) => Ok(()),
            _ => Err(OutputError::Changed(path.to_owned())),
        }
    }

    /// Opens a file that had this end at the checkpoint, and truncates it to that length.
    ///
    /// # Errors
    /// If it can't be written, or is another file.
    pub(crate) fn resume(path: &Path, end: &FileEnd) -> Result<Self, OutputError> {
        let path = resolve_path(path);
        let unwritable = |error| OutputError::Unwritable(path.clone(), error);
        let partial = partial_name(&path);
        // An interrupted run has given the file its name.
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
        Ok(Self {
            path,
            partial,
            writer: BufWriter::new(file),
            length: end.length,
            tail,
            is_saved: true,
            overwrite: false,
            _new_folders: NewFolders::default(),
        })
    }

    /// Appends to the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.length += bytes.len() as u64;
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL as usize)..]);
        if self.tail.len() >= 2 * TAIL as usize {
            self.tail.drain(..self.tail.len() - TAIL as usize);
        }
        self.writer.write_all(bytes).map_err(|error| self.unwritable(error))
    }

    /// Syncs the file to disk and returns its end.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn save(&mut self) -> Result<FileEnd, OutputError> {
        let saved = self.writer.flush().and_then(|()| self.writer.get_ref().sync_data());
        saved.map_err(|error| self.unwritable(error))?;
        self.is_saved = true;
        let tail = &self.tail[self.tail.len().saturating_sub(TAIL as usize)..];
        Ok(FileEnd { length: self.length, tail_sha256: sha256(tail) })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If it can't be written or renamed, or if another program has written a file with the name
    /// meanwhile, which may not be overwritten. The file then keeps its partial name.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        self.save()?;
        if !self.overwrite && fs::symlink_metadata(&self.path).is_ok() {
            return Err(OutputError::Exists(self.path.clone()));
        }
        rename(&self.partial, &self.path).map_err(|error| self.unwritable(error))
    }

    /// Returns the error that the file can't be written.
    pub(crate) fn unwritable(&self, error: io::Error) -> OutputError {
        OutputError::Unwritable(self.path.clone(), error)
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        if !self.is_saved {
            // A file that can't be removed is kept.
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
    fn changed_files_are_not_resumed() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("records.jsonl");
        // Longer than the hashed part, in pieces whose length does not divide it.
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
        for (offset, is_unchanged) in
            [(249_999, false), (250_000 - TAIL as usize, false), (250_001, true)]
        {
            let mut changed = contents.clone();
            changed[offset] ^= 1;
            fs::write(partial_name(&path), changed)?;
            assert_eq!(AppendFile::ensure_unchanged(&path, &end).is_ok(), is_unchanged, "{offset}");
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
    fn unsaved_files_leave_no_folder() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("new/records.jsonl");
        drop(AppendFile::create(&path, false)?);
        assert!(!folder.path().join("new").exists());
        Ok(())
    }
}
