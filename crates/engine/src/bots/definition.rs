//! Descriptions of bots: their options, with the file or the name that gives them.

use std::path::Path;

use toml::{Table, Value};

use super::kind::BotKind;
use crate::config::{ConfigError, Document, KeySection, KeySource, join_key};

/// Description of a bot.
#[derive(Clone, PartialEq, Debug)]
pub struct BotDefinition {
    kind: BotKind,
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

pub(super) const KIND: &str = "kind";
const DESCRIPTION: &str = "description";
/// Key of the weights of a heuristic, and of the file of a network.
pub(super) const WEIGHTS: &str = "weights";

impl BotDefinition {
    /// Creates the description of a profile. `resolve` returns the path of a file beside it.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML, names no kind of bot, or names files elsewhere.
    pub(super) fn from_profile(
        source: Document,
        resolve: impl Fn(&str) -> String,
    ) -> Result<Self, ConfigError> {
        let mut definition = Self::new(source.table()?, source)?;
        let Self { kind, options, source, .. } = &mut definition;
        let resolve = |key: &str, file: &str| {
            let expected = "expected the name of a file beside the profile, without folders";
            let elsewhere = || source.error(key, format!("{expected}, found {file:?}"));
            is_plain_name(file).then(|| resolve(file)).ok_or_else(elsewhere)
        };
        for (key, value) in options.iter_mut() {
            let Value::String(text) = value else { continue };
            match key.as_str() {
                WEIGHTS if *kind == BotKind::Network => *text = resolve(key, text)?,
                "playout" | "prior" | "value" => {
                    let parts = text.split(':').map(|part| match part.split_once('=') {
                        Some((WEIGHTS, file)) => Ok(format!("{WEIGHTS}={}", resolve(key, file)?)),
                        None if Path::new(part).extension() == Some("toml".as_ref()) => {
                            resolve(key, part)
                        }
                        _ => Ok(part.to_owned()),
                    });
                    *text = parts.collect::<Result<Vec<_>, _>>()?.join(":");
                }
                _ => {}
            }
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
            let kinds = BotKind::NAMES.join(", ");
            source.error(KIND, format!("expected one of {kinds}"))
        })?;
        Ok(Self { kind, options, source, overrides: None })
    }

    /// Replaces options; weights of a heuristic are replaced one by one. `source` stands for the
    /// file in error messages about the new options.
    #[must_use]
    pub(super) fn with_overrides(mut self, source: Document, options: Table) -> Self {
        let mut keys = Vec::new();
        for (key, value) in options {
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
        Self { overrides: Some(Overrides { source, keys }), ..self }
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

    /// Returns all options.
    pub(super) fn root(&self) -> KeySection<'_> {
        KeySection::root(self, &self.options)
    }

    /// Returns an error about a key.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        let overrides = self.overrides.as_ref();
        let overrides = overrides.filter(|overrides| overrides.keys.iter().any(|own| own == key));
        overrides.map_or(&self.source, |overrides| &overrides.source).error(key, message)
    }
}

impl KeySource for BotDefinition {
    fn key_error(&self, key: &str, message: String) -> ConfigError {
        self.error(key, message)
    }
}

/// Returns true for the name of a file without folders or drive, on every system.
fn is_plain_name(name: &str) -> bool {
    !["", ".", ".."].contains(&name) && !name.contains(['/', '\\', ':', '\0'])
}

/// Returns a source of options that is not a file.
pub(super) fn without_file(name: &str) -> Document {
    Document { name: name.to_owned(), text: String::new() }
}
