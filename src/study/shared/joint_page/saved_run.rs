//! A finished run, as its folder describes it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::main_tables::{ITEMS, main_tables};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    games::GameList,
    report::{
        data_table::{Schema, saved::SavedTable},
        html::{answer_of_page, title_of_page},
        note::Note,
    },
    run::{
        files::{lock_to_read, read_manifest},
        manifest::{self, RunIdentity},
        page,
    },
    study::tables_of_command,
};

/// A finished run.
#[derive(Clone, Debug)]
pub(crate) struct SavedRun {
    pub(crate) manifest: Value,
    pub(super) folder: PathBuf,
    /// Name of the command.
    pub(super) kind: String,
    /// The command that repeats the run.
    pub(super) command: String,
    pub(super) identity: RunIdentity,
    /// Title of the game.
    pub(super) game: String,
    /// Path of the data file, or the name of the built-in one.
    pub(super) data: String,
    /// Names of the bots.
    pub(super) bots: Vec<String>,
    /// The item whose value was swept.
    pub(super) swept_item: Option<String>,
    /// Names of the bots of the panel of `simulate`.
    pub(super) panel: Vec<String>,
    /// The title of the page of the run.
    pub(super) title: Option<String>,
    /// The answer of the page of the run.
    pub(crate) answer: Option<String>,
    /// The notes of the user on its page.
    pub(super) note: Option<Note>,
    pub(super) tables: Vec<SavedTable>,
}

impl SavedRun {
    /// Reads the run of a folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or a table of it can't be read.
    pub(crate) fn read(games: GameList, folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        let _lock = lock_to_read(folder)?;
        let json: Value = read_manifest(&folder.join(manifest::FILE)).unwrap_or_default();
        ensure!(
            json["format"] == manifest::FORMAT,
            "{name}: holds no finished run of this version; expected a folder with {}",
            manifest::FILE
        );
        ensure!(
            json["complete"] == true,
            "{name}: holds a run that is not complete; expected a finished run"
        );
        ensure!(
            json.get("shard").is_none(),
            "{name}: holds a shard of a run; expected the run that `watershed merge` makes of all \
             shards"
        );
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let kind = text("kind");
        let schemas = tables_of_command(&kind)
            .with_context(|| format!("{name}: holds a run of `{kind}`, which has no tables"))?;
        let identity: RunIdentity = serde_json::from_value(json.clone())
            .with_context(|| format!("{name}: {} was changed", manifest::FILE))?;
        let tables = read_tables(folder, &json, &kind, &schemas)?;
        let report = fs::read_to_string(folder.join(page::FILE)).unwrap_or_default();
        let game = games.find(&identity.game).map_or(identity.game.as_str(), |game| game.title);
        Ok(Self {
            folder: folder.to_owned(),
            command: text("command"),
            game: game.to_owned(),
            data: text("config"),
            bots: bot_names(&json),
            panel: panel_names(&json),
            swept_item: swept_item(&json, &tables),
            title: title_of_page(&report),
            answer: answer_of_page(&report),
            note: json["note"].as_str().map(|note| Note::parse(note.to_owned())),
            identity,
            kind,
            tables,
            manifest: json,
        })
    }
}

/// Reads the main tables of a run.
fn read_tables(
    folder: &Path,
    json: &Value,
    kind: &str,
    schemas: &[Schema],
) -> anyhow::Result<Vec<SavedTable>> {
    let files = json["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut tables = Vec::new();
    for file in files {
        // A changed manifest must not name files outside the folder.
        let Some(table) = Path::new(file).file_name().filter(|last| *last == file) else {
            continue;
        };
        let Some(table) = table.to_str().and_then(|file| file.strip_suffix(".csv")) else {
            continue;
        };
        let is_named = schemas.iter().any(|schema| schema.name() == table);
        let name = if is_named { table } else { ITEMS };
        let mut schemas = schemas.iter().filter(|schema| schema.name() == name).peekable();
        if schemas.peek().is_none() || main_tables(kind).iter().all(|main| main.name != name) {
            continue;
        }
        let path = folder.join(file);
        let bytes =
            read_at_most(&path, MAX_FILE_BYTES).with_context(|| path.display().to_string())?;
        // Items of two data files and of several have different columns.
        let schema = schemas.max_by_key(|schema| schema.known_columns(&bytes));
        let Some(schema) = schema else { continue };
        let read = schema.read_csv(table, &bytes).with_context(|| {
            format!(
                "{}: is not a table of `{kind}`; expected the file as the run wrote it",
                path.display()
            )
        })?;
        tables.push(read);
    }
    Ok(tables)
}

/// Returns the item of the key of a sweep, such as `w2c1` of `building.w2c1.cost.wood`, if it is in
/// a table.
fn swept_item(json: &Value, tables: &[SavedTable]) -> Option<String> {
    let mut arguments = json["arguments"].as_array()?.iter().filter_map(Value::as_str);
    arguments.find(|argument| *argument == "--key")?;
    let item = arguments.next()?.split('.').nth(1)?;
    let mut rows = tables.iter().filter(|table| table.is_items).flat_map(|table| &table.rows);
    rows.any(|row| row.get(0) == Some(item)).then(|| item.to_owned())
}

/// Returns the names of the bots of the panel of a manifest.
fn panel_names(json: &Value) -> Vec<String> {
    let panel = json["panel"].as_array().into_iter().flatten();
    panel.filter_map(|member| member["name"].as_str().map(str::to_owned)).collect()
}

/// Returns the names of the bots of a manifest, each once.
fn bot_names(json: &Value) -> Vec<String> {
    let bots = json["bots"].as_array().into_iter().flatten();
    let mut names: Vec<String> = Vec::new();
    for name in bots.filter_map(|bot| bot["name"].as_str()) {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}
