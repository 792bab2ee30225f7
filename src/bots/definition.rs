//! Descriptions of bots: the options of a profile, or those of `kind:key=value`.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{
    kind::BotKind,
    options::{HeuristicOptions, OptionType},
};
use crate::config::{ConfigError, Document, join_key, unexpected_value, unknown_key};

/// Description of a bot.
#[derive(Clone, PartialEq, Debug)]
pub struct BotDefinition {
    pub(super) kind: BotKind,
    /// Options by key, as in a profile.
    pub options: Table,
    /// File with the options, for error messages; without text if there is no file.
    source: Document,
}

/// Key of the file of a network.
const WEIGHTS: &str = "weights";

impl BotDefinition {
    /// Creates the description of a profile. `resolve` returns the path of a file beside it.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML, or names no kind of bot.
    pub(super) fn from_profile(
        source: Document,
        resolve: impl Fn(&str) -> String,
    ) -> Result<Self, ConfigError> {
        let mut definition = Self::new(source.parse()?, source)?;
        if definition.kind == BotKind::Network
            && let Some(Value::String(file)) = definition.options.get_mut(WEIGHTS)
        {
            *file = resolve(file);
        }
        Ok(definition)
    }

    /// Creates a description from options that are not in a file. `name` stands for the file in
    /// error messages.
    ///
    /// # Errors
    /// Returns an error if the options name no kind of bot.
    pub fn from_options(name: &str, options: Table) -> Result<Self, ConfigError> {
        Self::new(options, Document { name: name.to_owned(), text: String::new() })
    }

    fn new(options: Table, source: Document) -> Result<Self, ConfigError> {
        let kind = options.get("kind").and_then(Value::as_str).and_then(BotKind::from_name);
        let kind = kind.ok_or_else(|| {
            let kinds = BotKind::ALL.map(BotKind::as_str).join(", ");
            source.error("kind", format!("expected one of {kinds}"))
        })?;
        Ok(Self { kind, options, source })
    }

    /// Reads `key=value:key=value`. Keys of a heuristic that are not options are weights.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn parse_inline(name: &str, kind: BotKind, text: &str) -> Result<Self, ConfigError> {
        let source = Document { name: name.to_owned(), text: String::new() };
        let declared = HeuristicOptions::declarations();
        let is_weight = |key: &str| {
            kind == BotKind::Heuristic && declared.iter().all(|option| option.key != key)
        };
        let mut options = Table::from_iter([("kind".to_owned(), kind.as_str().into())]);
        let mut weights = Table::new();
        for option in text.split(':').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=').filter(|(key, _)| is_bare_key(key))
            else {
                let message =
                    format!("expected `key=value`, as in `iterations=2000`, found {option:?}");
                return Err(source.error("", message));
            };
            let table = if is_weight(key) { &mut weights } else { &mut options };
            if table.insert(key.to_owned(), inline_value(value)).is_some() {
                return Err(source.error(key, "expected each key once, found it again"));
            }
        }
        if kind == BotKind::Heuristic {
            options.entry("weights").or_insert(Value::Table(weights));
        }
        Ok(Self { kind, options, source })
    }

    /// Returns all options.
    pub(super) fn root(&self) -> Section<'_> {
        Section { definition: self, key: String::new(), table: &self.options }
    }

    /// Returns an error about a key.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        self.source.error(key, message)
    }
}

/// Table of a description.
pub(super) struct Section<'a> {
    definition: &'a BotDefinition,
    /// Key of the table; empty for the whole description.
    key: String,
    table: &'a Table,
}

impl Section<'_> {
    /// Returns the section of a key.
    ///
    /// # Errors
    /// Returns an error if the value is not a table.
    pub(super) fn section<'a>(
        &'a self,
        key: &str,
        value: &'a Value,
    ) -> Result<Section<'a>, ConfigError> {
        let unexpected = || self.error(key, unexpected_value("a table", value));
        let table = value.as_table().ok_or_else(unexpected)?;
        Ok(Section { definition: self.definition, key: join_key(&self.key, key), table })
    }

    /// Returns an error about a key of the section.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        self.definition.error(&join_key(&self.key, key), message)
    }

    /// Returns an error if the section has another key than these.
    pub(super) fn check_keys(&self, known: &[&str]) -> Result<(), ConfigError> {
        match self.table.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.error(key, unknown_key(key, known))),
            None => Ok(()),
        }
    }

    /// Reads the value of a key, if there is one.
    pub(super) fn option<T: OptionType>(&self, key: &str) -> Result<Option<T>, ConfigError> {
        self.table.get(key).map(|value| T::read(self, key, value)).transpose()
    }

    /// Reads the value of a key.
    pub(super) fn required<T: OptionType>(&self, key: &str) -> Result<T, ConfigError> {
        let missing = || self.definition.error(&self.key, format!("missing key `{key}`"));
        self.option(key)?.ok_or_else(missing)
    }

    /// Reads all values.
    pub(super) fn values<T: OptionType>(&self) -> Result<BTreeMap<String, T>, ConfigError> {
        let read = |(key, value): (&String, &Value)| Ok((key.clone(), T::read(self, key, value)?));
        self.table.iter().map(read).collect()
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
