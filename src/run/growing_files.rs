//! The files to which a study appends while it is played.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::{
    append_file::{AppendFile, FileEnd},
    files::RunFolder,
    paths::OutputError,
};
use crate::arena::record::RecordEncoder;

/// Size of the buffer for the copy of a shard's table.
const BUFFER_BYTES: usize = 1 << 20;

/// A file to which a new study appends.
pub(crate) struct NewFile {
    /// The name of a table, or the flag of a file that a user names.
    pub(crate) key: &'static str,
    pub(crate) kind: GrowingFileKind,
}

pub(crate) enum GrowingFileKind {
    /// A table in the folder of the study, with its first line.
    Table(Vec<u8>),
    /// A file that a user names.
    Named(PathBuf),
    /// A file that a user names, and that a study does not continue after an interrupt.
    Unsaved(PathBuf),
}

/// A file with its end at the checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedFile {
    /// The name of a table, or the flag of a file that a user names.
    pub(crate) key: String,
    /// The path as the user names it.
    path: Option<String>,
    end: FileEnd,
    /// Encoder with the lines that are not yet written.
    encoder: RecordEncoder,
}

impl SavedFile {
    /// Returns the path of the file of a study in this folder.
    fn path_in(&self, folder: &Path) -> PathBuf {
        self.path.as_ref().map_or_else(|| folder.join(&self.key), PathBuf::from)
    }

    /// Returns true if the file is a table in the folder of the study.
    pub(crate) const fn is_table(&self) -> bool {
        self.path.is_none()
    }

    /// Returns true if the table in the folder of a finished shard is as the shard wrote it.
    pub(crate) fn is_unchanged(&self, folder: &Path) -> bool {
        let is_unchanged = File::open(self.path_in(folder)).and_then(|mut file| {
            Ok(file.metadata()?.len() == self.end.length && self.end.matches(&mut file)?)
        });
        matches!(is_unchanged, Ok(true))
    }
}

struct GrowingFile {
    file: AppendFile,
    state: SavedFile,
    /// False for a file that a study does not continue after an interrupt.
    is_saved: bool,
}

/// The open files to which a study appends.
#[derive(Default)]
pub(crate) struct GrowingFiles(Vec<GrowingFile>);

impl GrowingFiles {
    /// Creates the files of a new study, and removes the checkpoint of an earlier one. Existing
    /// files that a user names are kept unless `overwrite` is set.
    ///
    /// # Errors
    /// If a file can't be created or removed.
    pub(crate) fn create(
        folder: &RunFolder,
        files: &[NewFile],
        overwrite: bool,
    ) -> Result<Self, OutputError> {
        let state = |key: &str, path: Option<&Path>| SavedFile {
            key: key.to_owned(),
            path: path.map(|path| path.display().to_string()),
            end: FileEnd::default(),
            encoder: RecordEncoder::new(path.unwrap_or(Path::new(key))),
        };
        // Files that may be refused come first: until then nothing is removed.
        let mut open = Vec::new();
        for NewFile { key, kind } in files {
            if let GrowingFileKind::Named(path) | GrowingFileKind::Unsaved(path) = kind {
                let file = AppendFile::create(path, overwrite)?;
                let is_saved = matches!(kind, GrowingFileKind::Named(_));
                open.push(GrowingFile { file, state: state(key, Some(path)), is_saved });
            }
        }
        folder.remove_unfinished()?;
        for NewFile { key, kind } in files {
            if let GrowingFileKind::Table(header) = kind {
                let mut file = AppendFile::create(&folder.path().join(key), true)?;
                file.append(header)?;
                open.push(GrowingFile { file, state: state(key, None), is_saved: true });
            }
        }
        Ok(Self(open))
    }

    /// Opens the files of an interrupted study.
    ///
    /// # Errors
    /// If a file was changed since the checkpoint or can't be written.
    pub(crate) fn resume(folder: &RunFolder, saved: &[SavedFile]) -> Result<Self, OutputError> {
        let paths: Vec<_> = saved.iter().map(|saved| saved.path_in(folder.path())).collect();
        for (path, saved) in paths.iter().zip(saved) {
            AppendFile::ensure_unchanged(path, &saved.end)?;
        }
        let open = paths.iter().zip(saved).map(|(path, saved)| {
            let file = AppendFile::resume(path, &saved.end)?;
            Ok(GrowingFile { file, state: saved.clone(), is_saved: true })
        });
        open.collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if the study continues a file that a user names.
    pub(crate) fn has_named_file(&self) -> bool {
        self.0.iter().any(|file| file.is_saved && !file.state.is_table())
    }

    /// Appends bytes to a file, if the study has it.
    pub(crate) fn append(&mut self, key: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let mut files = self.0.iter_mut().filter(|file| file.state.key == key);
        files.try_for_each(|GrowingFile { file, .. }| file.append(bytes))
    }

    /// Appends the lines of each block to a file that may be compressed, if the study has it.
    pub(crate) fn append_blocks(
        &mut self,
        key: &str,
        blocks: Range<u64>,
        lines: &[String],
    ) -> Result<(), OutputError> {
        let files = self.0.iter_mut().filter(|file| file.state.key == key);
        for GrowingFile { file, state, .. } in files {
            for (block, lines) in blocks.clone().zip(lines) {
                let bytes =
                    state.encoder.add(block, lines).map_err(|error| file.unwritable(error))?;
                file.append(&bytes)?;
            }
        }
        Ok(())
    }

    /// Appends the rows of the tables of all shards, which are in these folders in their order.
    pub(crate) fn append_shards(
        &mut self,
        files: &[NewFile],
        folders: &[PathBuf],
    ) -> anyhow::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        for NewFile { key, kind } in files {
            let GrowingFileKind::Table(header) = kind else { continue };
            for path in folders.iter().map(|folder| folder.join(key)) {
                let unreadable = || path.display().to_string();
                let mut rows = File::open(&path).with_context(unreadable)?;
                rows.seek(SeekFrom::Start(header.len() as u64)).with_context(unreadable)?;
                loop {
                    match rows.read(&mut buffer).with_context(unreadable)? {
                        0 => break,
                        length => self.append(key, &buffer[..length])?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Syncs the files to disk and returns their ends.
    pub(crate) fn save(&mut self) -> Result<Vec<SavedFile>, OutputError> {
        let saved = self.0.iter_mut().filter(|file| file.is_saved).map(|file| {
            file.state.end = file.file.save()?;
            Ok(file.state.clone())
        });
        saved.collect()
    }

    /// Writes what is left and gives the files their names. Returns the names of the tables.
    pub(crate) fn finish(self) -> Result<Vec<String>, OutputError> {
        let mut tables = Vec::new();
        for GrowingFile { mut file, mut state, .. } in self.0 {
            let bytes = state.encoder.finish().map_err(|error| file.unwritable(error))?;
            file.append(&bytes)?;
            file.finish()?;
            tables.extend(state.is_table().then_some(state.key));
        }
        Ok(tables)
    }
}
