//! Options after the name of a bot: `name:key=value:key=value`.

use toml::{Table, Value};

use super::{
    definition::{BotDefinition, KIND, WEIGHTS, without_file},
    kind::BotKind,
    options::HeuristicOptions,
};
use crate::config::{ConfigError, Document, parse_count};

impl BotDefinition {
    /// Reads `key=value:key=value`. Keys of a heuristic that are not options are weights. `name`
    /// stands for the file in error messages.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn parse_inline(name: &str, kind: BotKind, text: &str) -> Result<Self, ConfigError> {
        let mut options = Table::from_iter([(KIND.to_owned(), kind.name().into())]);
        options.extend(parse_options(&without_file(name), kind, text)?);
        if kind == BotKind::Heuristic {
            options.entry(WEIGHTS).or_insert_with(|| Value::Table(Table::new()));
        }
        Self::from_options(name, options)
    }

    /// Replaces options by those in `key=value:key=value`. Weights of a heuristic are replaced one
    /// by one. `name` stands for the file in error messages.
    ///
    /// # Errors
    /// Returns an error if an option is not `key=value`, or if a key is repeated.
    pub(super) fn with_options(self, name: &str, text: &str) -> Result<Self, ConfigError> {
        let source = without_file(name);
        let options = parse_options(&source, self.kind(), text)?;
        Ok(self.with_overrides(source, options))
    }
}

/// Reads `key=value:key=value` for a bot of this kind.
fn parse_options(source: &Document, kind: BotKind, text: &str) -> Result<Table, ConfigError> {
    let declared = HeuristicOptions::declarations();
    let is_weight =
        |key: &str| kind == BotKind::Heuristic && declared.iter().all(|option| option.key != key);
    let mut options = Table::new();
    let mut weights = Table::new();
    for option in text.split(':').filter(|option| !option.is_empty()) {
        let Some((key, value)) = option.split_once('=').filter(|(key, _)| is_bare_key(key)) else {
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
    if is_decimal { None } else { parse_count(text).ok()?.try_into().ok() }
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
