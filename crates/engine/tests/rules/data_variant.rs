//! Altered data files.

use toml::{Table, Value};
use watershed_engine::config::Document;

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

/// Returns a data file with the keys of `overlay` replaced; `[setup.each]` stands for the tables of
/// all numbers of players.
pub(crate) fn with_overlay(file: &str, overlay: &str) -> String {
    let mut table: Table = file.parse().unwrap();
    let mut overlay: Table = overlay.parse().unwrap();
    let setup = overlay.get_mut("setup").and_then(Value::as_table_mut);
    let each = setup.and_then(|setup| setup.remove("each"));
    merge(&mut table, overlay);
    if let Some(Value::Table(each)) = each {
        for (_, setup) in table["setup"].as_table_mut().unwrap() {
            merge(setup.as_table_mut().unwrap(), each.clone());
        }
    }
    toml::to_string(&table).unwrap()
}

/// Returns a data file with each overlay of a list, which has it below a heading `## NAME`.
pub(crate) fn read_variants(file: &str, overlays: &str) -> Vec<DataVariant> {
    let variant = |(name, overlay)| DataVariant::new(name, with_overlay(file, overlay));
    sections(overlays).map(variant).collect()
}

fn sections(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = list.strip_prefix("## ").unwrap().split("\n## ");
    sections.map(|section| section.split_once('\n').unwrap())
}

/// Replaces the keys of a table by those of another, and merges tables in both.
fn merge(table: &mut Table, overlay: Table) {
    for (key, value) in overlay {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(overlay)) => merge(inner, overlay),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// Checks that a data file is refused with each overlay of a list, whose headings are a part of the
/// message: the key and what was expected.
#[track_caller]
pub(crate) fn check_refused_overlays(
    overlays: &str,
    document: &Document,
    refusal: impl Fn(&Document) -> String,
) {
    let begin = format!("{}:", document.shown_name());
    for (expected, overlay) in sections(overlays) {
        let text = with_overlay(&document.text, overlay);
        let message = refusal(&Document { name: document.name.clone(), text });
        let is_expected = message.contains(&format!(": key {expected}"));
        assert!(message.starts_with(&begin) && is_expected, "{expected}: {message}");
    }
}

/// Returns the entries of a table of refusals: a text, its replacement and a message. An entry of
/// the table is a line `text => replacement`, in which `\n` is the end of a line, and below it the
/// message, indented.
pub(crate) fn refusals(table: &str) -> Vec<(String, String, String)> {
    let mut entries: Vec<(String, String, String)> = Vec::new();
    for line in table.lines() {
        if let Some(part) = line.strip_prefix("    ") {
            let message = &mut entries.last_mut().unwrap().2;
            *message += if message.is_empty() { "" } else { " " };
            *message += part;
        } else {
            let (from, to) = line.split_once(" =>").unwrap();
            let [from, to] = [from, to.trim_start()].map(|text| text.replace("\\n", "\n"));
            entries.push((from, to, String::new()));
        }
    }
    assert!(entries.len() >= 20, "{} mistakes", entries.len());
    entries
}

/// Checks that mistakes in a data file are refused in one line with the file, the line, the key
/// and the expected value: the messages of a table of [`refusals`] after the name of the file.
#[track_caller]
pub(crate) fn check_refusals(
    table: &str,
    document: &Document,
    refusal: impl Fn(&Document) -> String,
) {
    for (from, to, expected) in refusals(table) {
        assert!(document.text.contains(&from), "{from:?} is not in the data file");
        let text = document.text.replacen(&from, &to, 1);
        let message = refusal(&Document { name: document.name.clone(), text });
        assert_eq!(message, format!("{}:{expected}", document.shown_name()), "{from} => {to}");
    }
}
