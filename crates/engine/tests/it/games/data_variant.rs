//! Altered data files.

use toml::{Table, Value};
use watershed::config::Document;

/// A data file and its name.
#[derive(Debug)]
pub(crate) struct DataVariant {
    pub(crate) name: String,
    pub(crate) file: String,
}

impl DataVariant {
    pub(crate) fn new(name: &str, file: String) -> Self {
        Self { name: name.to_owned(), file }
    }

    pub(crate) fn document(&self) -> Document {
        Document::embedded(&self.name, &self.file)
    }
}

/// Returns a data file with the keys of `overlay` replaced.
pub(crate) fn with_overlay(file: &str, overlay: &str) -> String {
    let mut table: Table = file.parse().unwrap();
    merge(&mut table, overlay.parse().unwrap());
    toml::to_string(&table).unwrap()
}

/// Replaces the keys of a table by those of another, and merges tables in both.
pub(crate) fn merge(table: &mut Table, overlay: Table) {
    for (key, value) in overlay {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(overlay)) => merge(inner, overlay),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// Returns a data file with one text replaced.
pub(crate) fn with_replacement(document: &Document, name: &str, from: &str, to: &str) -> Document {
    assert!(document.text.contains(from), "{from:?} is not in the data file");
    Document::embedded(name, &document.text.replacen(from, to, 1))
}
