//! Log of evaluations, `evaluations.csv`. An interrupted tuning resumes from it; incomplete last
//! lines are dropped.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
};

use crate::{config::read_at_most, run::paths::OutputError};

/// CSV table that returns the lines it already has, and then appends new ones.
#[derive(Debug)]
pub(super) struct EvaluationLog {
    path: PathBuf,
    file: File,
    /// Lines of the interrupted run that were not read yet, as fields.
    previous: VecDeque<Vec<String>>,
    /// Number of the line that was last read or written.
    line: usize,
}

/// Maximum size of a table, in bytes.
const MAX_BYTES: u64 = 1 << 30;

impl EvaluationLog {
    /// Opens a table. With `resume`, complete lines are kept if the file starts with `header`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written.
    pub(super) fn open(path: PathBuf, header: &[u8], resume: bool) -> Result<Self, OutputError> {
        let open = || {
            let mut options = OpenOptions::new();
            let mut file =
                options.read(true).write(true).create(true).truncate(!resume).open(&path)?;
            let bytes = read_at_most(&path, MAX_BYTES)?;
            let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let kept = bytes[..complete].strip_prefix(header);
            file.set_len(kept.map_or(0, |_| complete as u64))?;
            file.seek(SeekFrom::End(0))?;
            if kept.is_none() {
                file.write_all(header)?;
            }
            Ok((file, read_fields(kept.unwrap_or_default())?.into()))
        };
        match open() {
            Ok((file, previous)) => Ok(Self { path, file, previous, line: 1 }),
            Err(error) => Err(OutputError::Unwritable(path, error)),
        }
    }

    /// Returns the fields of the next line of the interrupted run; `None` after its last line.
    pub(super) fn read_next(&mut self) -> Option<Vec<String>> {
        let fields = self.previous.pop_front()?;
        self.line += 1;
        Some(fields)
    }

    /// Returns the file and the number of the line that was last read or written; the header is
    /// line 1.
    pub(super) fn location(&self) -> String {
        format!("{}:{}", self.path.display(), self.line)
    }

    /// Appends a line and returns its fields.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written.
    pub(super) fn append(&mut self, line: &[u8]) -> Result<Vec<String>, OutputError> {
        self.line += 1;
        let written = self.file.write_all(line).and_then(|()| read_fields(line));
        let fields = written.map_err(|error| OutputError::Unwritable(self.path.clone(), error))?;
        Ok(fields.into_iter().next().unwrap_or_default())
    }
}

/// Returns the fields of the lines of a CSV table.
fn read_fields(lines: &[u8]) -> io::Result<Vec<Vec<String>>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(lines);
    let fields = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    reader.records().map(|record| record.map(fields).map_err(io::Error::other)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn complete_lines_are_read_and_new_ones_follow_them() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        fs::write(&path, "a,b\n1,2\n3,4\n5,")?;
        let mut log = EvaluationLog::open(path.clone(), b"a,b\n", true)?;
        assert_eq!(log.read_next(), Some(words("1 2")));
        assert_eq!(log.read_next(), Some(words("3 4")));
        assert!(log.location().ends_with("log.csv:3"));
        assert_eq!(log.read_next(), None);
        assert_eq!(log.append(b"5,\"6,7\"\n")?, words("5 6,7"));
        assert_eq!(fs::read_to_string(&path)?, "a,b\n1,2\n3,4\n5,\"6,7\"\n");
        Ok(())
    }

    #[test]
    fn other_tables_are_overwritten() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        for (before, resume) in [("a,b\n1,2\n", false), ("a,c\n1,2\n", true), ("a,", true)] {
            fs::write(&path, before)?;
            let mut log = EvaluationLog::open(path.clone(), b"a,b\n", resume)?;
            assert_eq!(log.read_next(), None);
            assert_eq!(fs::read_to_string(&path)?, "a,b\n");
        }
        Ok(())
    }
}
