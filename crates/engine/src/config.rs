//! TOML files, and errors that name the file, the line, the key and the accepted values.

mod absent;
mod count;
pub mod difference;
mod display_name;
pub mod edit;
mod encoding;
pub mod entries;
mod keys;
mod message;
mod tree;
pub mod vary;

use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Read as _},
    ops::RangeInclusive,
    path::Path,
};

pub use count::{count_readings, parse_count};
pub use display_name::DisplayName;
pub use display_name::is_unprintable;
pub use encoding::decode;
pub use keys::{KeyInfo, KeyPlace, KeySection, KeySource, KeyType};
pub use message::{any_of, nearest_name, plain_message, unexpected_value, unknown_key};
use serde::Serialize;
use sha2::{Digest, Sha256};
pub use toml::Value;
use toml::{Table, de::DeTable};
pub use tree::join_key;
use tree::{DataNode, collect_nodes};

/// Error in a file, displayed on one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {message}", location(file, *line, key))]
pub struct ConfigError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1, if it is known.
    pub line: Option<usize>,
    /// Key as in [`edit`]: with dots between its parts, and list entries named by their `id` or
    /// `name`, or counted from 0; empty if the error does not concern one key.
    pub key: String,
    /// Accepted values and the value found.
    pub message: String,
}

impl ConfigError {
    /// Creates an error without a line.
    pub fn new(file: &str, key: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, key: key.to_owned(), message: message.into() }
    }
}

fn location(file: &str, line: Option<usize>, key: &str) -> String {
    let file = shown_name(file);
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let key = if key.is_empty() { String::new() } else { format!(": key `{key}`") };
    format!("{file}{line}{key}")
}

/// Returns the name of a file for messages. An embedded data file has no path that could be opened.
pub(crate) fn shown_name(file: &str) -> Cow<'_, str> {
    let embedded = file.strip_prefix("<configs/").and_then(|rest| rest.split_once('>'));
    match embedded {
        Some((name, change)) => format!("built-in {name}{change}").into(),
        None => file.into(),
    }
}

/// Maximum size of TOML files, in bytes. The largest file of the program has 20 kB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a file of at most `limit` bytes, so that no file can fill the memory.
///
/// # Errors
/// Returns an error if the file cannot be read, or is longer.
pub fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `limit` bytes. Nothing is read from another kind of file, such
/// as a pipe without a writer, which would never end.
///
/// # Errors
/// Returns an error if the file cannot be read, is not regular, or is longer.
pub fn read_regular_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file"));
    }
    if metadata.len() > limit {
        return Err(too_large(limit));
    }
    read_at_most(path, limit)
}

/// Returns the error about a file of more than `limit` bytes.
fn too_large(limit: u64) -> io::Error {
    let message = format!("expected at most {} MiB", limit >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Returns the SHA-256 hash of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Text of a TOML file, with a name for error messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Path as given, or a name in angle brackets for an embedded file.
    pub name: String,
    /// Whole text.
    pub text: String,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read as text.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let bytes = read_at_most(path, MAX_FILE_BYTES)
            .map_err(|error| ConfigError::new(&name, "", format!("can't be read: {error}")))?;
        // Some terminals write UTF-16.
        match decode(&bytes) {
            (_, Some(encoding::WINDOWS_1252)) => {
                Err(ConfigError::new(&name, "", "expected a text file in UTF-8"))
            }
            (text, _) => Ok(Self { name, text }),
        }
    }

    /// Returns a document that is part of the program.
    pub fn embedded(name: &str, text: &str) -> Self {
        Self { name: format!("<{name}>"), text: text.to_owned() }
    }

    /// Returns the name for messages. An embedded data file has no path that could be opened.
    pub fn shown_name(&self) -> Cow<'_, str> {
        shown_name(&self.name)
    }

    /// Returns the SHA-256 hash of the text in hexadecimal.
    pub fn sha256(&self) -> String {
        sha256(self.text.as_bytes())
    }

    /// Returns the SHA-256 hash of the values that affect play: all except `provenance`, `targets`,
    /// and the `name` of the file and of list entries with an `id`. Layout, comments, and the order
    /// of entries with an `id` have no effect on it.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn values_sha256(&self) -> Result<String, ConfigError> {
        let mut table = self.table()?;
        table.retain(|key, _| !["name", "provenance", "targets"].contains(&key));
        for (key, list) in &mut table {
            let Some(entries) = list.as_array_mut() else { continue };
            for entry in entries.iter_mut().filter_map(Value::as_table_mut) {
                if entry.contains_key("id") {
                    entry.remove("name");
                }
            }
            // Other lists have an entry for each shape, so the order of shapes is a value.
            if key != "shape" {
                let id = |entry: &Value| entry.get("id")?.as_str().map(str::to_owned);
                entries.sort_by_key(id);
            }
        }
        // A table sorts its keys, and every TOML value can be written as JSON.
        Ok(sha256(&serde_json::to_vec(&table).unwrap_or_default()))
    }

    /// Reads all keys.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML, or does not have the keys of a `T`.
    pub fn parse<T: KeyType>(&self) -> Result<T, ConfigError> {
        T::read(KeyPlace::root(self), &Value::Table(self.table()?))
    }

    /// Returns all keys and values.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn table(&self) -> Result<Table, ConfigError> {
        self.text.parse().map_err(|error| self.syntax_error(&error))
    }

    /// Returns an error at a key with list entries counted from 0, as in `tile[0].copies`.
    pub fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        ConfigError {
            file: self.name.clone(),
            line: self.nearest_node(key).map(|node| self.line_at(node.key_span.start)),
            key: self.key_with_names(key),
            message: message.into(),
        }
    }

    /// Returns the text of a value, with list entries counted from 0 in the key.
    pub fn value_text(&self, key: &str) -> Option<&str> {
        let node = self.nodes().ok()?.into_iter().find(|node| node.key == key)?;
        self.text.get(node.value_span)
    }

    /// Returns file, line and key, for messages.
    pub fn key_location(&self, key: &str) -> String {
        let ConfigError { file, line, key, .. } = self.error(key, "");
        location(&file, line, &key)
    }

    /// Checks a condition on the value of a key.
    ///
    /// # Errors
    /// Returns an error with this message if the condition does not hold.
    pub fn check(
        &self,
        holds: bool,
        key: &str,
        message: impl Into<String>,
    ) -> Result<(), ConfigError> {
        if holds { Ok(()) } else { Err(self.error(key, message)) }
    }

    /// Checks the number of entries of a list.
    ///
    /// # Errors
    /// Returns an error if `found` is not in the range.
    pub fn check_count(
        &self,
        list: &str,
        range: RangeInclusive<usize>,
        found: usize,
    ) -> Result<(), ConfigError> {
        let message =
            format!("expected {} to {} entries, found {found}", range.start(), range.end());
        self.check(range.contains(&found), list, message)
    }

    /// Checks that the entries of a list have different values of `id`.
    ///
    /// # Errors
    /// Returns an error if one occurs twice.
    pub fn check_unique_ids<'a>(
        &self,
        list: &str,
        ids: impl IntoIterator<Item = &'a Id>,
    ) -> Result<(), ConfigError> {
        match first_duplicate(ids.into_iter().map(Id::as_str)) {
            Some((index, id)) => Err(self.error(
                &format!("{list}[{index}].id"),
                format!("expected a unique name, found {id:?} twice"),
            )),
            None => Ok(()),
        }
    }

    /// Describes an error in the TOML syntax.
    fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        if let Some(format) = other_format(&self.name, &self.text) {
            let message = format!(
                "expected a TOML file, found {format}; `watershed data import` makes a data file \
                 of tables in CSV, and `watershed data export` writes tables to begin with"
            );
            return ConfigError::new(&self.name, "", message);
        }
        let (key, message) = match error.span().and_then(|span| self.text.get(span)) {
            Some(key) if error.message() == "duplicate key" => {
                (key.trim(), "expected each key once, found it again".to_owned())
            }
            _ => ("", error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ")),
        };
        let line = error.span().map(|span| self.line_at(span.start));
        ConfigError { line, ..ConfigError::new(&self.name, key, message) }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.text[..offset.min(self.text.len())].matches('\n').count() + 1
    }

    /// Lists all values, each before its parts.
    fn nodes(&self) -> Result<Vec<DataNode>, ConfigError> {
        let table = DeTable::parse(&self.text).map_err(|error| self.syntax_error(&error))?;
        Ok(collect_nodes(table.get_ref()))
    }

    /// Returns the value with the longest existing part of a key.
    fn nearest_node(&self, key: &str) -> Option<DataNode> {
        self.nodes().ok()?.into_iter().rfind(|node| {
            key.strip_prefix(&node.key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }
}

/// Returns the format of a file that is not TOML, if it is a known one.
pub fn other_format(name: &str, text: &str) -> Option<&'static str> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match name.rsplit_once('.').map(|(_, end)| end.to_lowercase()).as_deref() {
        Some("csv" | "tsv") => Some("a table in CSV"),
        Some("yaml" | "yml") => Some("YAML"),
        Some("json" | "jsonl") => Some("JSON"),
        _ if ["{\"", "[{"].iter().any(|begin| first.starts_with(begin)) => Some("JSON"),
        _ if first.starts_with('<') => Some("XML"),
        // No line of TOML but comments and headings is without `=`.
        _ => (first.contains([',', ';', '\t']) && !first.contains(['=', '[', '#']))
            .then_some("a table in CSV"),
    }
}

/// Integer from `MIN` to `MAX`. Deserialization rejects other numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct BoundedInteger<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> BoundedInteger<MIN, MAX> {
    /// Returns `value` as a bounded integer, for constants.
    ///
    /// # Panics
    /// If the number is not in the range.
    pub const fn new(value: i64) -> Self {
        assert!(MIN <= value && value <= MAX);
        Self(value)
    }

    /// Returns the number. Compiles only for ranges of `u32`.
    pub const fn get(self) -> u32 {
        const { assert!(MIN >= 0 && MAX <= u32::MAX as i64) };
        self.0 as u32
    }

    /// Returns the number, which may be negative.
    pub const fn signed(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> Default for BoundedInteger<MIN, MAX> {
    /// Returns the smallest number of the range.
    fn default() -> Self {
        Self(MIN)
    }
}

/// Maximum number of characters of an [`Id`].
const MAX_ID_LENGTH: usize = 60;

/// Name of a component. Letters, digits and underscores only, because the notations of actions
/// and positions use all other characters as separators.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(String);

impl Id {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl KeyType for Id {
    fn accepted() -> String {
        "a name of letters, digits and underscores".to_owned()
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        let name = String::read(place, value)?;
        let is_valid = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.len() > MAX_ID_LENGTH {
            let length = name.chars().count();
            let message = format!("expected at most {MAX_ID_LENGTH} characters, found {length}");
            return Err(place.error(message));
        }
        if name.is_empty() || !name.chars().all(is_valid) {
            return Err(place.unexpected(&Self::accepted(), value));
        }
        Ok(Self(name))
    }
}

/// Returns the first name that occurs twice, with the index of its second occurrence.
pub fn first_duplicate<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().enumerate().find(|&(_, name)| !seen.insert(name))
}
