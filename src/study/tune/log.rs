//! Log of evaluations, `evaluations.csv`. An interrupted tuning resumes from it; incomplete last
//! lines are dropped.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// Table that returns the lines it already has, and then appends new ones.
#[derive(Debug)]
pub struct EvaluationLog {
    file: File,
    /// Lines of the interrupted run that were not read yet, as fields.
    earlier: VecDeque<Vec<String>>,
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
const LONGEST: u64 = 1 << 30;

impl EvaluationLog {
    /// Opens a table. With `resume`, complete lines are kept if the file starts with `heading`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written.
    pub fn open(path: &Path, heading: &[String], go_on: bool) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(!go_on).open(path)?;
        let mut bytes = Vec::new();
        // A limit, because a link to an endless device would exhaust the memory.
        (&file).take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("expected at most {} MiB", LONGEST >> 20),
            ));
        }
        let heading = csv_line(heading);
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let kept = if bytes[..whole].starts_with(&heading) { whole } else { 0 };
        file.set_len(kept as u64)?;
        file.seek(SeekFrom::Start(kept as u64))?;
        let mut log = Self { file, earlier: VecDeque::new(), line: 1 };
        if kept == 0 {
            log.file.write_all(&heading)?;
            return Ok(log);
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(&bytes[heading.len()..kept]);
        for record in reader.records() {
            log.earlier
                .push_back(record.map_err(io::Error::other)?.iter().map(str::to_owned).collect());
        }
        Ok(log)
    }

    /// Reads the next line of the interrupted run, which must start with these fields.
    pub fn read_next(&mut self, begins: &[String]) -> LogEntry {
        let Some(mut fields) = self.earlier.pop_front() else { return LogEntry::End };
        self.line += 1;
        if fields.starts_with(begins) {
            LogEntry::Match(fields.split_off(begins.len()))
        } else {
            LogEntry::Mismatch
        }
    }

    /// Returns the number of the line that was last read or written; the heading is line 1.
    pub fn line_number(&self) -> usize {
        self.line
    }

    /// Appends a line.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written.
    pub fn append(&mut self, fields: &[String]) -> io::Result<()> {
        self.line += 1;
        self.file.write_all(&csv_line(fields))
    }
}

/// Returns a line of a CSV table.
pub fn csv_line(fields: &[String]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(fields);
    writer.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn gives_back_whole_lines_and_goes_on_after_them() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        fs::write(&path, "a,b\n1,2\n3,4\n5,")?;
        let mut log = EvaluationLog::open(&path, &words("a b"), true)?;
        assert_eq!(log.read_next(&words("1")), LogEntry::Match(words("2")));
        assert_eq!(log.read_next(&words("4")), LogEntry::Mismatch);
        assert_eq!(log.line_number(), 3);
        assert_eq!(log.read_next(&words("5")), LogEntry::End);
        log.append(&words("5 6,7"))?;
        assert_eq!(fs::read_to_string(&path)?, "a,b\n1,2\n3,4\n5,\"6,7\"\n");
        Ok(())
    }

    #[test]
    fn begins_anew_where_it_should() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log.csv");
        for (before, go_on) in [("a,b\n1,2\n", false), ("a,c\n1,2\n", true), ("a,", true)] {
            fs::write(&path, before)?;
            let mut log = EvaluationLog::open(&path, &words("a b"), go_on)?;
            assert_eq!(log.read_next(&words("1")), LogEntry::End);
            assert_eq!(fs::read_to_string(&path)?, "a,b\n");
        }
        Ok(())
    }
}
