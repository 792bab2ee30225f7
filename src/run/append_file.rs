//! Output files that get their name when they are complete.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::files::{NewFolders, OutputError, partial_name, resolve_path};
use crate::config::sha256;

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
}
