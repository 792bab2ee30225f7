//! Reading lines of limited length.

use std::{
    io::{self, BufRead, Read as _},
    mem,
};

use anyhow::Context as _;

/// Maximum length of a line that a person enters, in bytes. A position is one.
const MAX_ENTERED: u64 = 1 << 16;

/// Reads a line that a person enters, and returns it without a byte-order mark and white space
/// around it; `None` at the end of the input.
///
/// # Errors
/// If the input can't be read.
pub(crate) fn read_entered(input: &mut impl BufRead) -> anyhow::Result<Option<String>> {
    let mut line = String::new();
    let length = input.take(MAX_ENTERED).read_line(&mut line).context("standard input")?;
    Ok((length > 0).then(|| line.trim_start_matches('\u{feff}').trim().to_owned()))
}

/// Reader of lines, which keeps one line in memory.
pub(crate) struct LineReader<R> {
    input: R,
    /// Maximum length of a line, in bytes.
    max_line: usize,
    line: Vec<u8>,
    /// True before the first line, which can begin with a byte-order mark.
    is_begin: bool,
}

/// A line of the input, without its end.
pub(crate) enum InputLine<'a> {
    /// White space.
    Blank,
    /// Some text.
    Text(&'a [u8]),
    /// A line with too many bytes, which are skipped.
    TooLong,
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader of lines of at most `max_line` bytes.
    pub(crate) fn new(input: R, max_line: usize) -> Self {
        Self { input, max_line, line: Vec::new(), is_begin: true }
    }

    /// Reads the next line; `None` at the end of the input.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<InputLine<'_>>> {
        self.line.clear();
        let mut is_too_long = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() && self.line.is_empty() && !is_too_long {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', buffer);
            let length = end.unwrap_or(buffer.len());
            is_too_long |= self.line.len() + length > self.max_line;
            if is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&buffer[..length]);
            }
            let is_end = end.is_some() || buffer.is_empty();
            self.input.consume(length + usize::from(end.is_some()));
            if is_end {
                break;
            }
        }
        let mark = if mem::take(&mut self.is_begin) { "\u{feff}" } else { "" };
        let line = self.line.strip_prefix(mark.as_bytes()).unwrap_or(&self.line).trim_ascii();
        Ok(Some(match line {
            _ if is_too_long => InputLine::TooLong,
            [] => InputLine::Blank,
            line => InputLine::Text(line),
        }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    /// Returns the lines of an input that is read in pieces of a few bytes.
    fn read(input: &[u8]) -> Vec<String> {
        let mut reader = LineReader::new(io::BufReader::with_capacity(7, input), 16);
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            lines.push(match line {
                InputLine::Blank => "blank".to_owned(),
                InputLine::Text(text) => String::from_utf8_lossy(text).into_owned(),
                InputLine::TooLong => "too long".to_owned(),
            });
        }
        lines
    }

    #[test]
    fn lines_of_any_length_are_read() {
        assert_eq!(
            read(b"one\n\n  two \r\nthe last line"),
            ["one", "blank", "two", "the last line"]
        );
        assert_eq!(read("\u{feff}one\n\u{feff}two".as_bytes()), ["one", "\u{feff}two"]);
        assert_eq!(read(b""), Vec::<String>::new());
        let longest = "x".repeat(16);
        let input = format!("{longest}\n{longest}x\nafter\n{longest}xy");
        assert_eq!(read(input.as_bytes()), [&longest, "too long", "after", "too long"]);
    }
}
