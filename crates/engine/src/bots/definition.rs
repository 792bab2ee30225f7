//! Descriptions of bots: the options of a profile, or those of `kind:key=value`.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{
    kind::BotKind,
    options::{HeuristicOptions, OptionType},
};
use crate::config::{ConfigError, Document, join_key, parse_count, unexpected_value, unknown_key};

/// Description of a bot.
#[derive(Clone, PartialEq, Debug)]
pub struct BotDefinition {
    pub(super) kind: BotKind,
    /// Options by key, as in a profile.
    pub options: Table,
    /// File with the options, for error messages; without text if there is no file.
    source: Document,
    /// Options that replace those of the file.
    overrides: Option<Overrides>,
}

/// Options after the name of a profile.
#[derive(Clone, PartialEq, Debug)]
struct Overrides {
    /// Name of the bot, for error messages.
    source: Document,
    keys: Vec<String>,
}

const KIND: &str = "kind";
const DESCRIPTION: &str = "description";
/// Key of the weights of a heuristic, and of the file of a network.
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
        Self::new(options, without_file(name))
    }

    fn new(options: Table, source: Document) -> Result<Self, ConfigError> {
        let kind = options.get(KIND).and_then(Value::as_str).and_then(BotKind::from_name);
        let kind = kind.ok_or_else(|| {
            let kinds = BotKind::ALL.map(BotKind::as_str).join(", ");
            source.error(KIND, format!("expected one of {kinds}"))
        })?;
        Ok(Self { kind, options, source, overrides: None })
    }

    /// Reads `key=value:key=value`. Keys of a heuristic that are not options are weights. `name`
    /// stands for the file in error messages.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn parse_inline(name: &str, kind: BotKind, text: &str) -> Result<Self, ConfigError> {
        let options = Table::from_iter([(KIND.to_owned(), kind.as_str().into())]);
        let mut definition = Self { kind, options, source: without_file(name), overrides: None };
        let given = definition.parse_options(&definition.source, text)?;
        definition.options.extend(given);
        if kind == BotKind::Heuristic {
            definition.options.entry(WEIGHTS).or_insert_with(|| Value::Table(Table::new()));
        }
        Ok(definition)
    }

    /// Replaces options by those in `key=value:key=value`. Weights of a heuristic are replaced one
    /// by one. `name` stands for the file in error messages.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn with_options(mut self, name: &str, text: &str) -> Result<Self, ConfigError> {
        let source = without_file(name);
        let given = self.parse_options(&source, text)?;
        let mut keys = Vec::new();
        for (key, value) in given {
            match (self.options.get_mut(&key), value) {
                (Some(Value::Table(all)), Value::Table(given)) => {
                    keys.extend(given.keys().map(|weight| join_key(&key, weight)));
                    all.extend(given);
                }
                (_, value) => {
                    keys.push(key.clone());
                    self.options.insert(key, value);
                }
            }
        }
        Ok(Self { overrides: Some(Overrides { source, keys }), ..self })
    }

    /// Returns the kind of bot.
    pub fn kind(&self) -> BotKind {
        self.kind
    }

    /// Returns the sentence about the bot; empty if it has none.
    pub fn description(&self) -> &str {
        self.options.get(DESCRIPTION).and_then(Value::as_str).unwrap_or_default()
    }

    /// Replaces `{players}` in all options by a number of players.
    #[must_use]
    pub(super) fn for_players(mut self, players: usize) -> Self {
        for (_, value) in self.options.iter_mut().filter(|(key, _)| *key != DESCRIPTION) {
            if let Value::String(text) = value {
                *text = text.replace("{players}", &players.to_string());
            }
        }
        self
    }

    /// Reads `key=value:key=value` for a bot of this kind.
    fn parse_options(&self, source: &Document, text: &str) -> Result<Table, ConfigError> {
        let kind = self.kind;
        let declared = HeuristicOptions::declarations();
        let is_weight = |key: &str| {
            kind == BotKind::Heuristic && declared.iter().all(|option| option.key != key)
        };
        let mut options = Table::new();
        let mut weights = Table::new();
        for option in text.split(':').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=').filter(|(key, _)| is_bare_key(key))
            else {
                let message =
                    format!("expected `key=value`, as in `iterations=2000`, found {option:?}");
                return Err(source.error("", message));
            };
            if key == KIND {
                return Err(source.error(key, "expected another key; the name determines the kind"));
            }
            let table = if is_weight(key) { &mut weights } else { &mut options };
            if table.insert(key.to_owned(), inline_value(value)).is_some() {
                return Err(source.error(key, "expected each key once, found it again"));
            }
        }
        if !weights.is_empty() {
            options.entry(WEIGHTS).or_insert(Value::Table(weights));
        }
        Ok(options)
    }

    /// Returns all options.
    pub(super) fn root(&self) -> DefinitionSection<'_> {
        DefinitionSection { definition: self, key: String::new(), table: &self.options }
    }

    /// Returns an error about a key.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        let overrides = self.overrides.as_ref();
        let overrides = overrides.filter(|overrides| overrides.keys.iter().any(|own| own == key));
        overrides.map_or(&self.source, |overrides| &overrides.source).error(key, message)
    }
}

/// Returns a source of options that is not a file.
fn without_file(name: &str) -> Document {
    Document { name: name.to_owned(), text: String::new() }
}

/// Table of a description.
pub(super) struct DefinitionSection<'a> {
    definition: &'a BotDefinition,
    /// Key of the table; empty for the whole description.
    key: String,
    table: &'a Table,
}

impl DefinitionSection<'_> {
    /// Returns the section of a key.
    ///
    /// # Errors
    /// Returns an error if the value is not a table.
    pub(super) fn section<'a>(
        &'a self,
        key: &str,
        value: &'a Value,
    ) -> Result<DefinitionSection<'a>, ConfigError> {
        let unexpected = || self.error(key, unexpected_value("a table", value));
        let table = value.as_table().ok_or_else(unexpected)?;
        Ok(DefinitionSection { definition: self.definition, key: join_key(&self.key, key), table })
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

/// Returns the name of a bot with plain digits in its options, as in `mcts:iterations=1000` for
/// `mcts:iterations=1k`, so that both are the same bot in records and when a run is resumed. A path
/// that a spreadsheet would take for a formula gets a leading `./`.
pub(super) fn canonical_name(name: &str) -> String {
    let plain = |option: &str| {
        let (key, value) = option.split_once('=')?;
        Some(format!("{key}={}", short_count(value)?))
    };
    let options = name.split(':').map(|option| plain(option).unwrap_or_else(|| option.to_owned()));
    let name = options.collect::<Vec<_>>().join(":");
    if name.starts_with(['=', '+', '-', '@']) { format!("./{name}") } else { name }
}

/// Parses a count that is not plain digits, as in `1k` and `1e3`.
fn short_count(text: &str) -> Option<i64> {
    let is_decimal = text.parse::<f64>().is_ok() && !text.contains(['e', 'E']);
    if is_decimal { None } else { parse_count(text)?.try_into().ok() }
}

fn is_bare_key(key: &str) -> bool {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    !key.is_empty() && key.chars().all(is_bare)
}

/// Returns a value without TOML's quotation marks: an integer, a float, a boolean, or a string.
fn inline_value(text: &str) -> Value {
    let integer = text.parse().ok().or_else(|| short_count(text)).map(Value::Integer);
    let float = || text.parse().map(Value::Float).ok();
    let boolean = || text.parse().map(Value::Boolean).ok();
    integer.or_else(float).or_else(boolean).unwrap_or_else(|| Value::String(text.to_owned()))
}
