//! Descriptions of bots: the text of a profile, or options without a text.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{kind::BotKind, options::HeuristicOptions};
use crate::config::{ConfigError, Document, parse_table};

/// Description of a bot.
#[derive(Clone, PartialEq, Debug)]
pub enum BotDefinition {
    /// Text of a profile.
    File(Document),
    /// Options as in a profile, without lines to refer to.
    Inline {
        /// Name in error messages.
        name: String,
        /// Options by key.
        options: Table,
    },
}

impl BotDefinition {
    /// Reads `kind:key=value:key=value`. The options of a heuristic are weights, except for those
    /// that the kind declares.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn parse_inline(
        name: String,
        kind: BotKind,
        text: &str,
    ) -> Result<Self, ConfigError> {
        let is_option = |key: &str| {
            let mut declarations = HeuristicOptions::declarations().into_iter();
            kind != BotKind::Heuristic
                || declarations.any(|option| option.key == key && option.inline)
        };
        let mut options = Table::new();
        let mut weights = Table::new();
        options.insert("kind".to_owned(), kind.as_str().into());
        for option in text.split(':').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=').filter(|(key, _)| is_bare_key(key))
            else {
                let message =
                    format!("expected `key=value`, as in `iterations=2000`, found {option:?}");
                return Err(ConfigError { file: name, line: None, key: String::new(), message });
            };
            if options.contains_key(key) || weights.contains_key(key) {
                let message = "expected each key once, found it again".to_owned();
                return Err(ConfigError { file: name, line: None, key: key.to_owned(), message });
            }
            let table = if is_option(key) { &mut options } else { &mut weights };
            table.insert(key.to_owned(), inline_value(value));
        }
        if kind == BotKind::Heuristic {
            options.insert("weights".to_owned(), Value::Table(weights));
        }
        Ok(Self::Inline { name, options })
    }

    /// Returns the options by key.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn options(&self) -> Result<Table, ConfigError> {
        self.parse()
    }

    /// Returns the `kind`, or an empty string.
    pub(super) fn kind(&self) -> Result<String, ConfigError> {
        let options = self.options()?;
        Ok(options.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// Deserializes the options.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        match self {
            Self::File(document) => document.parse(),
            Self::Inline { name, options } => parse_table(name, options),
        }
    }

    /// Returns an error about a key.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        match self {
            Self::File(document) => document.error(key, message),
            Self::Inline { name, .. } => ConfigError {
                file: name.clone(),
                line: None,
                key: key.to_owned(),
                message: message.into(),
            },
        }
    }
}

fn is_bare_key(key: &str) -> bool {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    !key.is_empty() && key.chars().all(is_bare)
}

/// Returns a value without TOML's quotation marks: an integer, a float, a boolean, or a string.
fn inline_value(text: &str) -> Value {
    let integer = text.parse().map(Value::Integer).ok();
    let float = || text.parse().map(Value::Float).ok();
    let boolean = || text.parse().map(Value::Boolean).ok();
    integer.or_else(float).or_else(boolean).unwrap_or_else(|| Value::String(text.to_owned()))
}
