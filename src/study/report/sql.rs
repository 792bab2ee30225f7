//! A script for DuckDB that reads the tables of finished runs with their types, stacked.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use csv::ReaderBuilder;
use serde_json::Value;

use crate::{
    config::sha256,
    report::data_table::Schema,
    run::{
        append_file::PartialFile,
        files::{lock_to_read, read_manifest},
        manifest,
    },
    study::tables_of_command,
};

/// Name of the schema of all tables of items.
const ITEMS: &str = "<items>";

/// Number of characters of the key of a run.
const KEY_LENGTH: usize = 16;

/// The parts of manifests that the table of runs has, with their types.
const RUN_COLUMNS: [(&str, &str); 7] = [
    ("kind", "VARCHAR"),
    ("game", "VARCHAR"),
    ("players", "BIGINT"),
    ("seed", "UBIGINT"),
    ("config", "VARCHAR"),
    ("config_sha256", "VARCHAR"),
    ("command", "VARCHAR"),
];

/// A table of a run.
struct RunTable {
    title: String,
    select: String,
}

/// Writes a script that creates the table `runs` and a view of each table of the runs.
///
/// # Errors
/// If a folder holds no finished run, or the script can't be written.
pub(super) fn write_script(folders: &[PathBuf], out: &Path, overwrite: bool) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    let mut views = BTreeMap::<String, Vec<RunTable>>::new();
    for folder in folders {
        let _lock = lock_to_read(folder)?;
        let manifest = finished_manifest(folder)?;
        let key = run_key(&manifest);
        runs.push(run_row(folder, &key, &manifest));
        for (name, table) in run_tables(folder, &key, &manifest)? {
            views.entry(name).or_default().push(table);
        }
    }
    let script = script(&runs, &views);
    let mut file = PartialFile::create_for_user(out, overwrite)?;
    file.file().write_all(script.as_bytes()).map_err(|error| file.unwritable(error))?;
    file.finish()?;
    Ok(())
}

fn finished_manifest(folder: &Path) -> anyhow::Result<Value> {
    let manifest: Value = read_manifest(&folder.join(manifest::FILE)).unwrap_or_default();
    ensure!(
        manifest["format"] == manifest::FORMAT && manifest["complete"] == true,
        "{}: holds no finished run of this version; expected a folder with {}",
        folder.display(),
        manifest::FILE
    );
    Ok(manifest)
}

/// Returns the key of a run: a hash of its manifest without `timing`, so that equal runs have the
/// same.
fn run_key(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    if let Some(parts) = manifest.as_object_mut() {
        parts.remove("timing");
    }
    sha256(manifest.to_string().as_bytes())[..KEY_LENGTH].to_owned()
}

fn run_row(folder: &Path, key: &str, manifest: &Value) -> String {
    let values = RUN_COLUMNS.iter().map(|(column, _)| match &manifest[*column] {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => quote(text),
        other => other.to_string(),
    });
    let values: Vec<_> = values.collect();
    format!("({}, {}, {})", quote(key), quote(&folder.display().to_string()), values.join(", "))
}

/// Returns the tables of a run whose columns are known, by name.
fn run_tables(
    folder: &Path,
    key: &str,
    manifest: &Value,
) -> anyhow::Result<Vec<(String, RunTable)>> {
    let kind = manifest["kind"].as_str().unwrap_or_default();
    let schemas = tables_of_command(kind).with_context(|| {
        format!("{}: holds a run of `{kind}`, without tables", folder.display())
    })?;
    let files = manifest["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    // A changed manifest must not name files outside the folder.
    let names = files.filter(|file| Path::new(file).file_name().is_some_and(|name| name == *file));
    let names = names.filter_map(|file| file.strip_suffix(".csv"));
    let tables = names.filter_map(|name| {
        let named = schemas.iter().find(|schema| schema.name() == name);
        let schema = named.or_else(|| schemas.iter().find(|schema| schema.name() == ITEMS))?;
        let path = folder.join(format!("{name}.csv"));
        let table = select_of_table(&path, key, schema);
        Some(table.map(|select| {
            let title = if schema.name() == ITEMS { "" } else { schema.title() };
            (name.to_owned(), RunTable { title: title.to_owned(), select })
        }))
    });
    tables.collect()
}

/// Returns the query that reads a table with the key of its run.
fn select_of_table(path: &Path, key: &str, schema: &Schema) -> anyhow::Result<String> {
    let unreadable = || format!("{}: can't be read", path.display());
    let mut header = String::new();
    BufReader::new(File::open(path).with_context(unreadable)?)
        .read_line(&mut header)
        .with_context(unreadable)?;
    let mut reader = ReaderBuilder::new().from_reader(header.as_bytes());
    let keys = reader.headers().with_context(unreadable)?;
    let keys: Vec<_> = keys.iter().collect();
    let column = |key: &&str| format!("{}: '{}'", quote(key), schema.sql_type(key, &keys));
    let columns: Vec<_> = keys.iter().map(column).collect();
    Ok(format!(
        "SELECT {} AS run, * FROM read_csv({}, header = true, delim = ',', quote = '\"',\n    \
         columns = {{{}}})",
        quote(key),
        quote(&path.display().to_string()),
        columns.join(", ")
    ))
}

fn script(runs: &[String], views: &BTreeMap<String, Vec<RunTable>>) -> String {
    let mut script = String::from(
        "-- Tables of runs of Watershed for DuckDB. Paths are those of the folder in which\n\
         -- the script was made. `run` is a hash of run.json without `timing`.\n\n",
    );
    let columns = RUN_COLUMNS.map(|(name, sql_type)| format!("{name} {sql_type}"));
    let _ = writeln!(
        script,
        "CREATE OR REPLACE TABLE runs (run VARCHAR, folder VARCHAR, {});\nINSERT INTO runs VALUES\n\
         {};",
        columns.join(", "),
        runs.join(",\n")
    );
    for (name, tables) in views {
        let titles = tables.first().map(|table| table.title.as_str()).unwrap_or_default();
        let comment = if titles.is_empty() { String::new() } else { format!("-- {titles}\n") };
        let selects: Vec<_> = tables.iter().map(|table| table.select.as_str()).collect();
        let _ = write!(
            script,
            "\n{comment}CREATE OR REPLACE VIEW {name} AS\n{};\n",
            selects.join("\nUNION ALL BY NAME\n")
        );
    }
    script
}

/// Quotes a string for SQL.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
