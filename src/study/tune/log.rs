//! The table of evaluations, which is also the log by which an interrupted tuning goes on: it grows
//! line by line, and only whole lines count.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// A table that is written line by line and first gives back the lines it already has.
#[derive(Debug)]
pub struct EvaluationLog {
    file: File,
    /// Lines of before the interrupt that were not asked for yet, in order, as fields.
    earlier: VecDeque<Vec<String>>,
    /// The number of the line that was last read or written.
    line: usize,
}

/// What the log holds at the place where a line is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogEntry {
    /// The line, by the fields after those that were asked for.
    Match(Vec<String>),
    /// Another line than the one that was asked for.
    Mismatch,
    /// Nothing more.
    End,
}

/// The largest table that is read, in bytes.
const LONGEST: u64 = 1 << 30;

impl EvaluationLog {
    /// Opens the table of that name. With `go_on`, the lines it has are kept as far as they are
    /// whole, if its heading is this one.
    ///
    /// # Errors
    /// If it can't be read or written.
    pub fn open(path: &Path, heading: &[String], go_on: bool) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(!go_on).open(path)?;
        let mut bytes = Vec::new();
        // No table is as large: a link to a device without end would fill the memory.
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

    /// Takes the next line of before the interrupt, which must begin with these fields.
    pub fn read_next(&mut self, begins: &[String]) -> LogEntry {
        let Some(mut fields) = self.earlier.pop_front() else { return LogEntry::End };
        self.line += 1;
        if fields.starts_with(begins) {
            LogEntry::Match(fields.split_off(begins.len()))
        } else {
            LogEntry::Mismatch
        }
    }

    /// The number of the line that was last read or written, from 1, the heading's.
    pub fn line_number(&self) -> usize {
        self.line
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn append(&mut self, fields: &[String]) -> io::Result<()> {
        self.line += 1;
        self.file.write_all(&csv_line(fields))
    }
}

/// A line of a table.
pub fn csv_line(fields: &[String]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Memory takes every line.
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
