//! `watershed list`: lists the names that other commands accept.

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::{
    bots::{kind::BotKind, profile::ProfileLibrary},
    games::DataKey,
    report::text::{pad, text_width},
    study::shared::prelude::*,
};

#[derive(Subcommand, Debug)]
pub(crate) enum ListCommand {
    /// List the bots: profiles of the game, and kinds
    #[command(after_help = "Example:
  watershed list bots --game glassworks")]
    Bots(ListArguments),
    /// List the items that statistics count, by table
    #[command(after_help = "\
The names are those that `balance ablate --item` and `balance restrict` \
accept.

Example:
  watershed list items --config my_river.toml")]
    Items(ListArguments),
    /// List the keys of the data file and their values
    #[command(after_help = "The keys are those that `balance sweep --key` and \
`balance search --keys` accept, with their values, the accepted values and their meanings. \
Integers that the file does not have and that the game accepts have the note `not in the file` \
and the value 0.

Example:
  watershed list keys --game common_river")]
    Keys(ListArguments),
    /// List the features of heuristics
    #[command(after_help = "The names are those of the weights in the profile of a heuristic.

Example:
  watershed list features")]
    Features(ListArguments),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    game: GameArguments,
    /// Print a list of JSON objects
    #[arg(long)]
    json: bool,
}

/// An entry: the first value is its name, and the last one may be long.
type ListEntry = Vec<(&'static str, String)>;

pub(crate) fn run(games: GameList, command: &ListCommand) -> anyhow::Result<ExitStatus> {
    let (ListCommand::Bots(arguments)
    | ListCommand::Items(arguments)
    | ListCommand::Keys(arguments)
    | ListCommand::Features(arguments)) = command;
    let selection = arguments.game.resolve(games)?;
    let game = &selection.open()?;
    let entries = match command {
        ListCommand::Bots(_) => bots(game.library())?,
        ListCommand::Items(_) => items(game.catalog()),
        ListCommand::Keys(_) => keys(&selection)?,
        ListCommand::Features(_) => {
            let names = game.feature_names().iter();
            names.map(|&name| vec![("feature", name.to_owned())]).collect()
        }
    };
    print(&if arguments.json { json_text(&entries)? } else { text(&entries) });
    Ok(ExitStatus::Success)
}

fn keys(selection: &GameSelection) -> Result<Vec<ListEntry>, ConfigError> {
    let declared = selection.game.keys();
    let keys = selection.data_keys()?.into_iter().map(|DataKey { key, value, is_absent }| {
        let note = if is_absent { "not in the file" } else { "" };
        let info = declared.iter().find(|info| info.matches(&key));
        let [accepted, meaning] =
            info.map_or(["", ""], |info| [&info.accepted, info.help]).map(str::to_owned);
        vec![
            ("key", key),
            ("value", value),
            ("note", note.to_owned()),
            ("accepted", accepted),
            ("meaning", meaning),
        ]
    });
    Ok(keys.collect())
}

fn bots(library: &BotLibrary) -> anyhow::Result<Vec<ListEntry>> {
    let ProfileLibrary { profiles, .. } = &library.profiles;
    let mut entries = Vec::new();
    for &(name, _) in *profiles {
        let definition = library.profiles.find(name)?;
        let description = definition.options.get("description").and_then(toml::Value::as_str);
        entries.push(bot(name, definition.kind().name(), description.unwrap_or_default()));
    }
    let added = library.added_bots.iter().map(BotFactory::name);
    entries.extend(added.map(|name| bot(name, "added", "")));
    let kinds = BotKind::ALL.into_iter();
    entries.extend(kinds.map(|kind| bot(kind.name(), "kind", kind.description())));
    Ok(entries)
}

fn bot(name: &str, kind: &str, description: &str) -> ListEntry {
    let text = |text: &str| text.to_owned();
    vec![("bot", text(name)), ("kind", text(kind)), ("description", text(description))]
}

fn items(catalog: &ItemCatalog) -> Vec<ListEntry> {
    let properties = |table: &ItemTable, item: &Item| -> String {
        let pairs = table.properties.iter().zip(&item.properties);
        let pairs = pairs.map(|(heading, value)| format!("{heading} {value}"));
        pairs.collect::<Vec<_>>().join(", ")
    };
    let tables = catalog.tables().iter();
    tables
        .flat_map(|table| {
            table.items.iter().map(move |item| {
                vec![
                    ("item", item.name.clone()),
                    ("table", table.name.to_owned()),
                    ("label", item.label.clone()),
                    ("properties", properties(table, item)),
                ]
            })
        })
        .collect()
}

fn json_text(entries: &[ListEntry]) -> serde_json::Result<String> {
    let object = |entry: &ListEntry| {
        let pairs = entry.iter().map(|(key, value)| ((*key).to_owned(), json!(value)));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let objects: Vec<_> = entries.iter().map(object).collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&objects)?))
}

/// Returns a line for each entry, in columns; the last column is not padded.
fn text(entries: &[ListEntry]) -> String {
    let width = |column: usize| {
        let lengths = entries
            .iter()
            .filter_map(|entry| Some(text_width(&escape_name(&entry.get(column)?.1))));
        lengths.max().unwrap_or(0)
    };
    let columns = entries.first().map_or(0, Vec::len);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let line = |entry: &ListEntry| {
        let cells = entry.iter().zip(&widths);
        let cells = cells.map(|((_, value), &width)| pad(&escape_name(value), width));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    entries.iter().map(line).collect()
}
