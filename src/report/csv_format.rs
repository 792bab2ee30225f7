//! Formats of tables in CSV.

use std::borrow::Cow;

use clap::ValueEnum;
use csv::{ReaderBuilder, WriterBuilder};

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
    }
}
