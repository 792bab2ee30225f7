//! Reference of all kinds of bots and their options, in Markdown.

use serde_json::Value;

use super::{
    kind::BotKind,
    options::{HeuristicFile, HeuristicOptions, OptionInfo, SearchFile, SearchOptions},
    profile::SearchDefaults,
};

/// Defaults of a game with trained value functions; texts stand for the names of bots.
const TRAINED: SearchDefaults<'static> = SearchDefaults {
    playout: "policy of the game",
    value: Some("value function of the game"),
    prior: Some("linear value function of the game"),
    own_moves: true,
};

/// Defaults of a game without trained value functions.
const UNTRAINED: SearchDefaults<'static> =
    SearchDefaults { value: None, prior: None, own_moves: false, ..TRAINED };

/// Returns the reference of bots as Markdown: the kinds, and the options of each kind.
pub fn reference() -> String {
    let mut text = "## Kinds\n\n| kind | bot |\n|---|---|\n".to_owned();
    for kind in BotKind::ALL {
        text += &format!("| `{}` | {} |\n", kind.as_str(), kind.description());
    }
    text += "\n## Options of `flat`, `uct` and `mcts`\n\n";
    let search =
        |kind, defaults| to_json(SearchOptions::new(SearchFile::default(), kind, defaults));
    let defaults = [
        ("", search(BotKind::Flat, &UNTRAINED)),
        ("`uct`", search(BotKind::Uct, &UNTRAINED)),
        ("`mcts`", search(BotKind::Mcts, &UNTRAINED)),
        ("`mcts` with a trained value function", search(BotKind::Mcts, &TRAINED)),
    ];
    push_table(&mut text, SearchOptions::declarations(), &defaults);
    text += "\n## Options of `heuristic`\n\n";
    let heuristic = HeuristicOptions::new(HeuristicFile::default(), BotKind::Heuristic, &UNTRAINED);
    push_table(&mut text, HeuristicOptions::declarations(), &[("", to_json(heuristic))]);
    text
}

fn to_json(options: impl serde::Serialize) -> Value {
    serde_json::to_value(options).unwrap_or_default()
}

/// Adds a table of options. `defaults` are by case; the first case is the general one.
fn push_table(text: &mut String, options: Vec<OptionInfo>, defaults: &[(&str, Value)]) {
    *text += "| option | value | default | description |\n|---|---|---|---|\n";
    for OptionInfo { key, help, values, .. } in options {
        let mut cells = defaults.iter().map(|(case, options)| (case, default_text(&options[key])));
        let general = cells.next().map(|(_, default)| default).unwrap_or_default();
        let mut default = general.clone();
        for (case, special) in cells.filter(|(_, default)| *default != general) {
            default += &format!("; {case}: {special}");
        }
        *text += &format!("| `{key}` | {values} | {default} | {help} |\n");
    }
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
mod tests {
    use super::*;

    #[test]
    fn defaults_of_special_cases_follow_the_general_one() {
        let reference = reference();
        let row = |key: &str| {
            let start = format!("| `{key}` | ");
            reference.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_default()
        };
        assert!(row("selection").starts_with(
            "one of `ucb1`, `ucb1-tuned`, `puct` | `ucb1`; `mcts` with a trained value function: \
             `puct` | "
        ));
        assert!(row("trees").starts_with("an integer from 1 to 1024 | 1 | "));
        assert!(row("temperature").starts_with("a number of at least 0.001 | 8.0 | "));
    }
}
