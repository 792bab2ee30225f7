//! Reading TOML files so that every mistake is reported in one line that names the file, the line,
//! the key and what was expected.

pub mod edit;
mod message;

use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    ops::Range,
    path::Path,
};

pub(crate) use message::plain as plain_message;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, Visitor},
};
use sha2::{Digest, Sha256};
use toml::de::{DeTable, DeValue};

/// A mistake in a file, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}{}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default(), if key.is_empty() { String::new() } else { format!(": key `{key}`") })]
pub struct ConfigError {
    /// The file's name.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The key, with dots between its parts and list entries counted from 0; empty if the mistake
    /// is not about one.
    pub key: String,
    /// What was expected, and what was found.
    pub message: String,
}

/// The largest TOML file that is read, in bytes. The largest in the program has 20 kB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a whole file of at most this many bytes, so that no file can fill the memory.
///
/// # Errors
/// If the file can't be read, or is longer.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("expected at most {} MiB", most >> 20),
        ));
    }
    Ok(bytes)
}

/// Returns the SHA-256 of some bytes in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text file in memory with the name to report it by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The path as given, or a name in brackets for an embedded file.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file can't be read as text.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let text = read_at_most(path, MAX_FILE_BYTES).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "expected UTF-8 text"))
        });
        match text {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => {
                let message = match error.kind() {
                    io::ErrorKind::InvalidData => "expected a text file in UTF-8".to_owned(),
                    _ => format!("can't be read: {error}"),
                };
                Err(ConfigError { file: name, line: None, key: String::new(), message })
            }
        }
    }

    /// A file that is part of the program.
    pub fn embedded(name: &str, text: &str) -> Self {
        Self { name: format!("<{name}>"), text: text.to_owned() }
    }

    /// The SHA-256 of the file's bytes in hexadecimal.
    pub fn sha256(&self) -> String {
        sha256(self.text.as_bytes())
    }

    /// Returns the SHA-256 of the values that affect play: all but the name and the provenance of
    /// the file, whatever its layout and comments.
    ///
    /// # Errors
    /// If the text is not TOML.
    pub fn values_sha256(&self) -> Result<String, ConfigError> {
        let mut table: toml::Table = self.parse()?;
        for key in ["name", "provenance"] {
            table.remove(key);
        }
        // A table sorts its keys, and has no key that JSON can't hold.
        Ok(sha256(&serde_json::to_vec(&table).unwrap_or_default()))
    }

    /// Reads the text as TOML.
    ///
    /// # Errors
    /// If it is not TOML, or not what `T` asks for.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let table = DeTable::parse(&self.text).map_err(|error| self.syntax_error(&error))?;
        serde_path_to_error::deserialize(toml::Deserializer::from(table)).map_err(|error| {
            let key = error.path().to_string();
            let message = match error.inner().span() {
                Some(span) if message::omits_names(error.inner().message()) => {
                    self.names_expected_at::<T>(&span)
                }
                _ => None,
            };
            let message = message.unwrap_or_else(|| message::plain(error.inner().message()));
            let line = error.inner().span().map(|span| self.line(span.start));
            ConfigError {
                file: self.name.clone(),
                line,
                key: if key == "." { String::new() } else { key },
                message,
            }
        })
    }

    /// The message about a value that is not one of several names, where the libraries do not list
    /// them: they list them where they find another name.
    fn names_expected_at<T: DeserializeOwned>(&self, span: &Range<usize>) -> Option<String> {
        let text = format!("{}\"\"{}", self.text.get(..span.start)?, self.text.get(span.end..)?);
        let other = T::deserialize(toml::Deserializer::parse(&text).ok()?).err()?;
        Some(message::unlisted_name(
            message::listed_names(other.message())?,
            self.text.get(span.clone())?,
        ))
    }

    /// A mistake at a key, which is written as in [`ConfigError::key`].
    pub fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        let line = self.find(key).map(|offset| self.line(offset));
        ConfigError { file: self.name.clone(), line, key: key.to_owned(), message: message.into() }
    }

    /// The place of a key, for messages: file, line and key.
    pub fn key_location(&self, key: &str) -> String {
        let error = self.error(key, "");
        error.to_string().trim_end_matches(": ").to_owned()
    }

    /// A mistake that keeps the text from being TOML.
    fn syntax_error(&self, error: &toml::de::Error) -> ConfigError {
        let line = error.span().map(|span| self.line(span.start));
        let (key, message) = match error.span().and_then(|span| self.text.get(span)) {
            Some(key) if error.message() == "duplicate key" => {
                (key.trim().to_owned(), "expected each key once, found it again".to_owned())
            }
            _ => (
                String::new(),
                error.message().lines().map(str::trim).collect::<Vec<_>>().join(", "),
            ),
        };
        ConfigError { file: self.name.clone(), line, key, message }
    }

    fn line(&self, offset: usize) -> usize {
        self.text[..offset.min(self.text.len())].matches('\n').count() + 1
    }

    /// Where in the text the longest part of the key that exists begins.
    fn find(&self, key: &str) -> Option<usize> {
        let document = DeTable::parse(&self.text).ok()?;
        let mut offset = None;
        let root = DeValue::Table(document.into_inner());
        let mut value = &root;
        for part in key.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
            let next = match (value, part.parse::<usize>()) {
                (DeValue::Table(table), _) => table
                    .iter()
                    .find(|(name, _)| name.get_ref() == part)
                    .map(|(name, value)| (name.span(), value)),
                (DeValue::Array(array), Ok(index)) => {
                    array.get(index).map(|value| (value.span(), value))
                }
                _ => None,
            };
            let Some((span, found)) = next else { break };
            offset = Some(span.start);
            value = found.get_ref();
        }
        offset
    }
}

/// Deserializes a table that has no text. `name` stands for the file in errors.
///
/// # Errors
/// Returns an error if the table does not match `T`.
pub(crate) fn parse_table<T: DeserializeOwned>(
    name: &str,
    table: &toml::Table,
) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(table.clone()).map_err(|error| {
        let key = error.path().to_string();
        let message = error.inner().message();
        // An empty name makes serde list the accepted ones.
        let accepted = || {
            let found = table.get(&key).filter(|_| message::omits_names(message))?;
            let mut unnamed = table.clone();
            unnamed.insert(key.clone(), toml::Value::String(String::new()));
            let listing = T::deserialize(unnamed).err()?;
            let names = message::listed_names(listing.message())?;
            Some(message::unlisted_name(names, &found.to_string()))
        };
        let message = accepted().unwrap_or_else(|| message::plain(message));
        let key = if key == "." { String::new() } else { key };
        ConfigError { file: name.to_owned(), line: None, key, message }
    })
}

/// An integer from `MIN` to `MAX`; anything else is refused when it is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BoundedInteger<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> BoundedInteger<MIN, MAX> {
    /// This number, for constants.
    ///
    /// # Panics
    /// If the number is not in the range.
    pub const fn new(value: i64) -> Self {
        assert!(MIN <= value && value <= MAX);
        Self(value)
    }

    /// The number. Only for ranges that are not negative.
    pub const fn get(self) -> u32 {
        const { assert!(MIN >= 0 && MAX <= u32::MAX as i64) };
        self.0 as u32
    }
}

impl<const MIN: i64, const MAX: i64> Default for BoundedInteger<MIN, MAX> {
    /// The smallest number of the range.
    fn default() -> Self {
        Self(MIN)
    }
}

impl<const MIN: i64, const MAX: i64> Serialize for BoundedInteger<MIN, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for BoundedInteger<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Range<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> Visitor<'_> for Range<MIN, MAX> {
            type Value = BoundedInteger<MIN, MAX>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "an integer from {MIN} to {MAX}")
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
                if (MIN..=MAX).contains(&value) {
                    Ok(BoundedInteger(value))
                } else {
                    Err(E::custom(format!(
                        "expected an integer from {MIN} to {MAX}, found {value}"
                    )))
                }
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
                self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
            }
        }
        deserializer.deserialize_i64(Range)
    }
}

/// The name of a component: letters, digits and underscores, so that it can stand in any notation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(String);

impl Id {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if !text.is_empty()
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        {
            Ok(Self(text))
        } else {
            Err(D::Error::custom(format!(
                "expected a name of letters, digits and underscores, found {text:?}"
            )))
        }
    }
}

/// The first name that occurs twice, as the index of its second occurrence.
pub fn first_duplicate<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().enumerate().find(|&(_, name)| !seen.insert(name))
}
