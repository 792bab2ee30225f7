//! Formats of tables in CSV, and tables that spreadsheets saved.

use std::borrow::Cow;

use clap::ValueEnum;
use csv::{Reader, ReaderBuilder, Trim, WriterBuilder};

/// First character of CSV for spreadsheets.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Format of CSV tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum CsvFormat {
    /// UTF-8, as programs read it.
    #[default]
    Plain,
    /// UTF-8 with a byte-order mark, by which Excel shows all letters of labels.
    Excel,
    /// As `excel`, with semicolons and decimal commas, which Excel expects in most of Europe.
    ExcelEu,
}

impl CsvFormat {
    /// Returns a number in the format.
    pub(crate) fn number(self, text: String) -> String {
        if self == Self::ExcelEu { text.replace('.', ",") } else { text }
    }

    /// Returns rows as lines.
    pub(crate) fn lines(self, rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
        let delimiter = if self == Self::ExcelEu { b';' } else { b',' };
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        for row in rows {
            writer.write_record(row).expect("all rows of a table have the same length");
        }
        writer.into_inner().expect("memory can always be flushed")
    }

    /// Returns rows, of which the first is the header, as a file.
    pub(crate) fn file(self, rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
        let mark = if self == Self::Plain { "" } else { BYTE_ORDER_MARK };
        [mark.as_bytes(), &self.lines(rows)].concat()
    }
}

/// Reads a table that a spreadsheet saved. Returns the text from the header on, and its reader.
/// Cells are separated as a line `sep=;` says, which spreadsheets write, or else by the comma,
/// semicolon or tab that divides the header most often.
pub(crate) fn spreadsheet_reader(text: &str) -> (&str, Reader<&[u8]>) {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let declared = first.trim_matches(['\r', '"']).strip_prefix("sep=");
    let (table, delimiter) = if let Some(&[delimiter]) = declared.map(str::as_bytes) {
        (rest, delimiter)
    } else {
        let header = text.trim_start().lines().next().unwrap_or_default();
        let count = |delimiter: &u8| header.bytes().filter(|byte| byte == delimiter).count();
        (text, [b';', b'\t', b','].into_iter().max_by_key(count).unwrap_or(b','))
    };
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).flexible(true).trim(Trim::All);
    (table, builder.from_reader(table.as_bytes()))
}

/// Returns a table of a run, whose format may be any, in the plain format.
pub(crate) fn plain_csv(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()) else { return bytes.into() };
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    if !rest[..end].contains(&b';') {
        return rest.into();
    }
    let mut reader =
        ReaderBuilder::new().delimiter(b';').has_headers(false).flexible(true).from_reader(rest);
    let cell = |text: &str| {
        let number = text.replacen(',', ".", 1);
        if number.parse::<f64>().is_ok() { number } else { text.to_owned() }
    };
    let rows = reader.records().filter_map(Result::ok);
    CsvFormat::Plain.lines(rows.map(|row| row.iter().map(cell).collect())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_in_every_format() {
        let rows = || {
            let rows = [["id", "rate"], ["a,b", "0.25"], ["c;d", "2e-1"]];
            rows.map(|[id, rate]| vec![id.to_owned(), rate.to_owned()])
        };
        let eu = rows().map(|row| vec![row[0].clone(), CsvFormat::ExcelEu.number(row[1].clone())]);
        let eu = CsvFormat::ExcelEu.file(eu);
        assert_eq!(eu, "\u{feff}id;rate\na,b;0,25\n\"c;d\";2e-1\n".as_bytes());
        let plain = CsvFormat::Plain.file(rows());
        assert_eq!(plain_csv(&eu), plain);
        assert_eq!(plain_csv(&CsvFormat::Excel.file(rows())), plain);
        for text in
            ["a;b\n1;2,5\n", "\u{feff}a\tb\n1\t2,5\n", "a,b\n1,\"2,5\"\n", "sep=;\na;b\n1;2,5\n"]
        {
            let (_, mut reader) = spreadsheet_reader(text);
            let rows: Vec<_> = reader.records().filter_map(Result::ok).collect();
            assert_eq!(rows, [vec!["1", "2,5"]], "{text:?}");
        }
    }
}
