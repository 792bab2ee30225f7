//! Reference of all kinds of bots and their options, in Markdown.

use serde_json::Value;
use toml::Table;

use super::{
    defaults::SearchDefaults,
    definition::BotDefinition,
    kind::BotKind,
    options::{HeuristicOptions, NetworkOptions, SearchOptions},
};
use crate::config::{ConfigError, KeyInfo};

/// Defaults of a game with trained evaluators; texts stand for the names of bots.
const TRAINED: SearchDefaults = SearchDefaults {
    playout: "policy of the game",
    value: Some("`value` in the defaults of the game"),
    prior: Some("`prior` in the defaults of the game"),
    own_moves: true,
    halving: false,
    prior_temperature: Some(1.5),
};

/// Defaults of a game without trained evaluators.
const UNTRAINED: SearchDefaults = SearchDefaults {
    value: None,
    prior: None,
    own_moves: false,
    prior_temperature: None,
    ..TRAINED
};

/// Beginning of the reference.
const HEAD: &str = "\
# Options of bots

A bot is described by the options of its kind: in a profile (a TOML file with one `key = value` per
line), or on the command line as `kind:key=value:key=value`. [bots.md](bots.md) introduces the bots.

## Kinds

| kind | bot |
|---|---|
";

/// Returns the reference of bots as Markdown: the kinds, and the options of each kind.
pub fn reference() -> String {
    let kinds = BotKind::ALL
        .map(|kind| format!("| `{}` | {} |\n", kind.name(), kind.description()))
        .concat();
    let search = |kind, game| defaults(kind, |definition| SearchOptions::read(definition, game));
    let search_table = option_table(
        SearchOptions::declarations(),
        &[
            ("", search(BotKind::Flat, &UNTRAINED)),
            ("`uct`", search(BotKind::Uct, &UNTRAINED)),
            ("`mcts`", search(BotKind::Mcts, &UNTRAINED)),
            ("`mcts` with a trained evaluator", search(BotKind::Mcts, &TRAINED)),
        ],
    );
    let read_heuristic = |definition: &_| HeuristicOptions::read(definition, &UNTRAINED);
    let heuristic_table = option_table(
        HeuristicOptions::declarations(),
        &[("", defaults(BotKind::Heuristic, read_heuristic))],
    );
    let read_network = |definition: &_| NetworkOptions::read(definition, &UNTRAINED);
    let network_table = option_table(
        NetworkOptions::declarations(),
        &[("", defaults(BotKind::Network, read_network))],
    );
    format!(
        "{HEAD}{kinds}\n## Options of `flat`, `uct` and `mcts`\n\n{search_table}\n## Options of \
         `heuristic`\n\n{heuristic_table}\n## Options of `network`\n\n{network_table}"
    )
}

/// Returns the options of a bot that is described by its kind only.
fn defaults<T: serde::Serialize>(
    kind: BotKind,
    read: impl Fn(&BotDefinition) -> Result<T, ConfigError>,
) -> Value {
    let options = Table::from_iter([("kind".to_owned(), kind.name().into())]);
    let definition = BotDefinition::from_options("", options);
    serde_json::to_value(definition.and_then(|definition| read(&definition)).ok())
        .unwrap_or_default()
}

/// Returns a table of options. `defaults` are by case; the first case is the general one.
fn option_table(options: Vec<KeyInfo>, defaults: &[(&str, Value)]) -> String {
    let mut text = "| option | value | default | description |\n|---|---|---|---|\n".to_owned();
    for KeyInfo { key, help, accepted, .. } in options {
        let mut cells = defaults.iter().map(|(case, options)| (case, default_text(&options[&key])));
        let general = cells.next().map(|(_, default)| default).unwrap_or_default();
        let mut default = general.clone();
        for (case, special) in cells.filter(|(_, default)| *default != general) {
            default += &format!("; {case}: {special}");
        }
        text += &format!("| `{key}` | {accepted} | {default} | {help} |\n");
    }
    text
}

fn default_text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        // Names of bots that depend on the game.
        Value::String(text) if text.contains(' ') => text.clone(),
        Value::String(text) => format!("`{text}`"),
        value => value.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test stops here")]
mod tests {
    use std::{env, fs, path::Path};

    use super::*;

    /// Writes the reference if the environment variable `UPDATE_DOCS` is set.
    #[test]
    fn reference_of_options_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/search_options.md");
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, reference()).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap();
        assert!(found == reference(), "docs/search_options.md is outdated: set UPDATE_DOCS=1");
    }
}
