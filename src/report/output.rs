//! A run's folder. Files come into being whole: each is written under another name and then renamed.

use std::{
    fs::{self, File},
    io,
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
        io::Write::write_all(file.file(), contents).map_err(|error| file.unwritable(error))?;
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
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(OutputError::Unwritable(path, error)),
                _ => {}
            }
        }
        Ok(())
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
        if path.is_dir() {
            return Err(OutputError::Unwritable(path.to_owned(), io::ErrorKind::IsADirectory.into()));
        }
        let partial = partial_name(path);
        let file = File::create(&partial).map_err(|error| OutputError::Unwritable(path.to_owned(), error))?;
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

    /// Gives the file its name.
    ///
    /// # Errors
    /// If it can't be renamed.
    pub fn finish(mut self) -> Result<(), OutputError> {
        fs::rename(&self.partial, &self.path).map_err(|error| self.unwritable(error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing more can be done about a file that can't be removed.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
