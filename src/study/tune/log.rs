//! Log of evaluations, `evaluations.csv`. An interrupted tuning resumes from it; incomplete last
//! lines are dropped.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// CSV table that returns the lines it already has, and then appends new ones.
#[derive(Debug)]
pub struct EvaluationLog {
    file: File,
    /// Lines of the interrupted run that were not read yet, as fields.
    previous: VecDeque<Vec<String>>,
    /// Number of the line that was last read or written.
    line: usize,
}

/// Result of looking up an expected line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogEntry {
    /// Fields of the expected line after the expected ones.
    Match(Vec<String>),
    /// A different line.
    Mismatch,
    /// No more lines.
    End,
}

/// Maximum size of a table, in bytes.
const MAX_BYTES: u64 = 1 << 30;

impl EvaluationLog {
    /// Opens a table. With `resume`, complete lines are kept if the file starts with `header`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written.
    pub fn open(path: &Path, header: &[u8], resume: bool) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(!resume).open(path)?;
        let mut bytes = Vec::new();
        // A limit, because a link to an endless device would exhaust the memory.
        (&file).take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("expected at most {} MiB", MAX_BYTES >> 20),
            ));
        }
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let kept = if bytes[..complete].starts_with(header) { complete } else { 0 };
        file.set_len(kept as u64)?;
        file.seek(SeekFrom::Start(kept as u64))?;
        if kept == 0 {
            file.write_all(header)?;
            return Ok(Self { file, previous: VecDeque::new(), line: 1 });
        }
        let previous = read_fields(&bytes[header.len()..kept])?;
        Ok(Self { file, previous: previous.into(), line: 1 })
    }

    /// Reads the next line of the interrupted run, which must start with these fields.
    pub fn read_next(&mut self, start: &[String]) -> LogEntry {
        let Some(mut fields) = self.previous.pop_front() else { return LogEntry::End };
        self.line += 1;
        if fields.starts_with(start) {
            LogEntry::Match(fields.split_off(start.len()))
        } else {
            LogEntry::Mismatch
        }
    }

    /// Returns the number of the line that was last read or written; the header is line 1.
    pub fn line_number(&self) -> usize {
        self.line
    }

    /// Appends a line and returns its fields.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written.
    pub fn append(&mut self, line: &[u8]) -> io::Result<Vec<String>> {
        self.line += 1;
        self.file.write_all(line)?;
        Ok(read_fields(line)?.pop().unwrap_or_default())
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
    fn complete_lines_are_read_and_new_ones_follow_them() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        fs::write(&path, "a,b\n1,2\n3,4\n5,")?;
        let mut log = EvaluationLog::open(&path, b"a,b\n", true)?;
        assert_eq!(log.read_next(&words("1")), LogEntry::Match(words("2")));
        assert_eq!(log.read_next(&words("4")), LogEntry::Mismatch);
        assert_eq!(log.line_number(), 3);
        assert_eq!(log.read_next(&words("5")), LogEntry::End);
        assert_eq!(log.append(b"5,\"6,7\"\n")?, words("5 6,7"));
        assert_eq!(fs::read_to_string(&path)?, "a,b\n1,2\n3,4\n5,\"6,7\"\n");
        Ok(())
    }

    #[test]
    fn other_tables_are_overwritten() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        for (before, resume) in [("a,b\n1,2\n", false), ("a,c\n1,2\n", true), ("a,", true)] {
            fs::write(&path, before)?;
            let mut log = EvaluationLog::open(&path, b"a,b\n", resume)?;
            assert_eq!(log.read_next(&words("1")), LogEntry::End);
            assert_eq!(fs::read_to_string(&path)?, "a,b\n");
        }
        Ok(())
    }
}
