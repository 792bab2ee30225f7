//! Tables that people saved with a spreadsheet: text in any encoding, with any separator, and with
//! titles before the header.

use std::{cmp::Reverse, iter, path::Path};

use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use crate::config::{
    ConfigError, Document, MAX_FILE_BYTES, decode, other_format, read_at_most, sha256,
};

/// Separators of cells. If several divide the header equally, the last one counts.
const DELIMITERS: [u8; 4] = [b'|', b'\t', b';', b','];
/// Maximum number of lines before the header.
const MAX_TITLE_LINES: usize = 20;

/// A table that a spreadsheet saved as text.
#[derive(Debug)]
pub(crate) struct Spreadsheet {
    /// The text without a byte-order mark, in which `\n` ends each line.
    pub(crate) document: Document,
    /// SHA-256 of the bytes of the file.
    pub(crate) sha256: String,
    /// Name of the encoding; `None` for UTF-8.
    pub(crate) encoding: Option<&'static str>,
}

impl Spreadsheet {
    /// Reads a file.
    ///
    /// # Errors
    /// If it can't be read as text, or has another format.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let bytes = read_at_most(path, MAX_FILE_BYTES)
            .map_err(|error| ConfigError::new(&name, "", format!("can't be read: {error}")))?;
        Self::parse(name, &bytes)
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// If they are no text, or have another format.
    pub(crate) fn parse(name: String, bytes: &[u8]) -> Result<Self, ConfigError> {
        let wrong = |message: String| ConfigError::new(&name, "", message);
        let (text, encoding) = decode(bytes);
        if text.contains('\0') {
            return Err(wrong("expected text, as a spreadsheet saves it as CSV".to_owned()));
        }
        if let Some(format) =
            other_format(&name, &text).filter(|format| *format != "a table in CSV")
        {
            return Err(wrong(format!("expected a table in CSV, found {format}")));
        }
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        Ok(Self { document: Document { name, text }, sha256: sha256(bytes), encoding })
    }

    /// Returns the header and the rows that are not empty, each with its line. The header is the
    /// line with most headings that `is_heading` accepts, of the first lines.
    ///
    /// # Errors
    /// If the cells can't be read.
    pub(crate) fn rows(
        &self,
        is_heading: impl Fn(&str) -> bool,
    ) -> csv::Result<(StringRecord, Vec<(usize, StringRecord)>)> {
        let text = self.document.text.as_str();
        let ends = text.match_indices('\n').take(MAX_TITLE_LINES);
        let starts: Vec<_> = iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect();
        let candidates = starts.into_iter().flat_map(|start| DELIMITERS.map(|one| (start, one)));
        let (start, delimiter) = candidates
            .max_by_key(|&(start, delimiter)| {
                let header = reader(&text[start..], delimiter).headers().cloned();
                let header = header.unwrap_or_default();
                let known = header.iter().filter(|heading| is_heading(heading)).count();
                (known, Reverse(start), header.len())
            })
            .unwrap_or((0, b','));
        let mut reader = reader(&text[start..], delimiter);
        let header = reader.headers()?.clone();
        let mut rows = Vec::new();
        let (mut line, mut counted) = (1, 0);
        for record in reader.records() {
            let record = record?;
            let begin = start + record.position().map_or(0, |position| position.byte() as usize);
            // A record begins before the end of the last line and empty lines, which it leaves out.
            let begin = text.len() - text[begin..].trim_start_matches('\n').len();
            line += text[counted..begin].matches('\n').count();
            counted = begin;
            if record.iter().any(|cell| !cell.is_empty()) {
                rows.push((line, record));
            }
        }
        Ok((header, rows))
    }
}

fn reader(table: &str, delimiter: u8) -> Reader<&[u8]> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).flexible(true).trim(Trim::All);
    builder.from_reader(table.as_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use super::*;

    #[test]
    fn tables_with_any_separator_are_read_from_their_header_on() {
        for text in [
            "a;b\n1;2,5\n",
            "a\tb\n1\t2,5\n",
            "a,b\n1,\"2,5\"\n",
            "a|b\n1|2,5\n",
            "sep=;\na;b\n1;2,5\n",
            "Our games, 2026\n\na;b\n1;2,5\n;\n",
        ] {
            let document = Document { name: String::new(), text: text.to_owned() };
            let table = Spreadsheet { document, sha256: String::new(), encoding: None };
            let (header, rows) = table.rows(|heading| ["a", "b"].contains(&heading)).unwrap();
            assert_eq!(header, vec!["a", "b"], "{text:?}");
            let line = text.lines().position(|line| line.starts_with('1')).unwrap() + 1;
            assert_eq!(rows, [(line, StringRecord::from(vec!["1", "2,5"]))], "{text:?}");
        }
    }
}
