//! `watershed data export` and `data import`: the components of a data file as tables for
//! spreadsheets, and back.

use std::io;

use toml::{Table, Value};

use super::{CheckResult, most_similar_game, read_source};
use crate::{
    config::{KeyInfo, count_readings, entries::EditedEntry, first_duplicate},
    protocol::problem::Problem,
    report::provenance::Marks,
    run::{arguments::find_game, spreadsheet::Spreadsheet},
    study::shared::prelude::*,
    web::table::ImportedTable,
};

/// The data file in a folder of tables, with all values that are in no table.
const DATA_FILE: &str = "data.toml";
/// The column with the marks of an entry.
const MARKS: &str = "marks";
/// Separates the entries of a list in a cell.
const SEPARATOR: char = '|';

#[derive(Args, Debug)]
pub(super) struct ExportArguments {
    /// Read this data file, or the built-in one of this game
    #[arg(value_name = "SOURCE", value_hint = ValueHint::FilePath)]
    source: String,
    /// Write the tables to this folder
    #[arg(long, value_name = "DIR")]
    csv: PathBuf,
    /// Set the format of the tables
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    format: CsvFormat,
    /// Overwrite existing tables
    #[arg(long)]
    force: bool,
}

#[derive(Args, Debug)]
pub(super) struct ImportArguments {
    /// Read the tables of this folder, or these tables
    #[arg(value_name = "TABLES", required = true)]
    tables: Vec<PathBuf>,
    /// Select the game [default: that of the data file, or the_river]
    #[arg(long)]
    game: Option<String>,
    /// Take all other values from this data file [default: data.toml in the folder, or the
    /// built-in one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the data file here [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the data file
    #[arg(long)]
    force: bool,
}

/// A list of components, which has a table of its own.
struct ComponentList {
    name: String,
    /// The columns, with keys in an entry.
    columns: Vec<KeyInfo>,
}

/// Writes a table for each list of components of a data file, and the file.
pub(super) fn export(games: GameList, arguments: &ExportArguments) -> anyhow::Result<ExitStatus> {
    let ExportArguments { source, csv, format, force } = arguments;
    let (game, document) = read_source(games, source)?;
    game.validate_all(&document)?;
    let (file, marks) = (document.table()?, Provenance::read(&document.text));
    fs::create_dir_all(csv).with_context(|| csv.display().to_string())?;
    let mut names = Vec::new();
    for list in component_lists(game, &file) {
        let name = format!("{}.csv", list.name);
        let rows = list.rows(&file, &marks, *format);
        PartialFile::write_for_user(&csv.join(&name), &format.file(rows), *force)?;
        names.push(name);
    }
    let text = document.text.as_bytes();
    PartialFile::write_for_user(&csv.join(DATA_FILE), text, *force)?;
    names.push(DATA_FILE.to_owned());
    print_info(&format!("written to {}: {}", csv.display(), join_with_and(&names)));
    Ok(ExitStatus::Success)
}

/// Writes a data file with the components of tables.
pub(super) fn import(games: GameList, arguments: &ImportArguments) -> anyhow::Result<ExitStatus> {
    let ImportArguments { game, config, out, force, .. } = arguments;
    let beside = arguments.tables[0].join(DATA_FILE);
    let base = config.clone().or(beside.exists().then_some(beside));
    let base = base.map(|path| Document::read(&path)).transpose()?;
    let game = match (game, &base) {
        (Some(name), _) => find_game(games, name).context("--game")?,
        (None, Some(base)) => most_similar_game(games, base)?,
        (None, None) => games.default_game(),
    };
    let base = base.unwrap_or_else(|| game.default_document());
    let mut document = base.clone();
    for path in list_tables(&arguments.tables)? {
        let notes;
        (document, notes) = with_table(game, &document, &Spreadsheet::read(&path)?)?;
        for note in notes {
            print_info(&format!("note: {note}"));
        }
    }
    document.name = out.as_ref().map_or(document.name, |out| out.display().to_string());
    let result = CheckResult::new(game, &document, &base)?;
    result.text(game, &base.shown_name()).lines().for_each(print_info);
    match out {
        Some(out) => PartialFile::write_for_user(out, document.text.as_bytes(), *force)?,
        None => print(&document.text),
    }
    Ok(ExitStatus::Success)
}

/// Reads a table for a page.
///
/// # Errors
/// If the table can't be read, or if the game does not accept its components.
pub(crate) fn read_table(
    game: &GameEntry,
    base: &Document,
    name: &str,
    bytes: &[u8],
) -> Result<ImportedTable, Problem> {
    let table = Spreadsheet::parse(name.to_owned(), bytes)?;
    let (document, notes) = with_table(game, base, &table)?;
    game.validate_all(&document)?;
    Ok(ImportedTable { data: document.text, notes })
}

/// Returns a data file with the components of a table, and notes on what was not read as it is.
fn with_table(
    game: &GameEntry,
    base: &Document,
    table: &Spreadsheet,
) -> anyhow::Result<(Document, Vec<String>)> {
    let lists = component_lists(game, &base.table()?);
    let mut table = ComponentTable::new(table, &lists)?;
    let list = table.find_list(&lists, &base.table()?).ok_or_else(|| {
        let names = lists.iter().map(|list| format!("{}.csv", list.name));
        let names = names.collect::<Vec<_>>().join(", ");
        anyhow!("{}:1: expected the columns of one of {names}", table.name)
    })?;
    let entries = table.entries(list, base)?;
    Ok((base.with_entries(&list.name, &entries)?, table.notes))
}

/// Returns the tables that are named, or are in a named folder.
fn list_tables(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for path in named {
        if !path.is_dir() {
            tables.push(path.clone());
            continue;
        }
        let files = fs::read_dir(path)?.map(|file| Ok(file?.path()));
        let mut files = files.collect::<io::Result<Vec<_>>>()?;
        files.retain(|file| file.extension().is_some_and(|end| end == "csv"));
        files.sort();
        tables.extend(files);
    }
    ensure!(!tables.is_empty(), "{}: expected tables in CSV, found none", named[0].display());
    Ok(tables)
}

/// Returns the lists of components of a game. A key of a table whose keys are numbers is a column
/// for each number that `file` has.
fn component_lists(game: &GameEntry, file: &Table) -> Vec<ComponentList> {
    let mut lists: Vec<ComponentList> = Vec::new();
    for info in game.keys() {
        let Some((name, key)) = info.key.split_once(".<entry>.") else { continue };
        if name.contains('.') {
            continue;
        }
        if lists.last().is_none_or(|list| list.name != name) {
            lists.push(ComponentList { name: name.to_owned(), columns: Vec::new() });
        }
        let of_numbers = key.split_once(".<players>").map(|(table, _)| {
            let entries = entries(file, name).iter().filter_map(|entry| entry.get(table));
            let keys = entries.filter_map(Value::as_table).flat_map(Table::keys);
            let mut keys: Vec<_> = keys.map(|number| key.replace("<players>", number)).collect();
            keys.sort_by_key(|key| (key.len(), key.clone()));
            keys.dedup();
            keys
        });
        let keys = of_numbers.unwrap_or_else(|| vec![key.to_owned()]);
        let list = lists.last_mut().expect("a list was added");
        for key in keys {
            // The kinds of an effect share keys.
            if list.columns.iter().all(|column| column.key != key) {
                list.columns.push(KeyInfo { key, ..info.clone() });
            }
        }
    }
    lists
}

/// Returns the entries of a list of components.
fn entries<'a>(file: &'a Table, list: &str) -> &'a [Value] {
    file.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl ComponentList {
    /// Returns the rows of the table, with its header.
    fn rows(&self, file: &Table, marks: &Provenance, format: CsvFormat) -> Vec<Vec<String>> {
        let keys = self.columns.iter().map(|column| column.key.clone());
        let header = keys.chain([MARKS.to_owned()]).collect();
        let row = |entry: &Value| {
            let cells = self.columns.iter().map(|column| match find(entry, &column.key) {
                Some(number @ Value::Float(_)) => format.number(cell_text(number)),
                value => value.map(cell_text).unwrap_or_default(),
            });
            cells.chain([marks_of(entry, marks).letters()]).collect()
        };
        let rows = entries(file, &self.name).iter().map(row);
        std::iter::once(header).chain(rows).collect()
    }

    /// Returns the column with this heading: its key, or the last part of one key only.
    fn column(&self, heading: &str) -> Option<&KeyInfo> {
        let is_end = |info: &&KeyInfo| {
            info.key.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case(heading))
        };
        let mut ends = self.columns.iter().filter(is_end);
        let end = ends.next().filter(|_| ends.next().is_none());
        let is_exact = |info: &&KeyInfo| info.key.eq_ignore_ascii_case(heading);
        let exact = self.columns.iter().find(is_exact);
        exact.or(end)
    }

    /// Returns the values of an entry with the cells of a row. Cells with the value that the entry
    /// has change nothing.
    fn values<'a>(
        base: Option<&Value>,
        cells: impl Iterator<Item = (Option<&'a KeyInfo>, &'a str)>,
    ) -> Table {
        let mut values = base.and_then(Value::as_table).cloned().unwrap_or_default();
        for (info, cell) in cells.filter_map(|(info, cell)| Some((info?, cell))) {
            let old = base.and_then(|base| find(base, &info.key));
            let value = (!cell.is_empty()).then(|| read_value(info, cell));
            // An amount that an entry does not have is 0.
            let is_same = base.is_some() && old.is_none() && value == Some(Value::Integer(0));
            if value.as_ref() != old && !(is_same && info.is_optional) {
                set(&mut values, &info.key, value);
            }
        }
        let is_kept = |key: &str, value: &Value| {
            value.as_table().is_none_or(|table| !table.is_empty())
                || base.is_some_and(|base| base.get(key) == Some(value))
        };
        values.retain(|key, value| is_kept(key, value));
        values
    }
}

/// A table as a spreadsheet saved it.
struct ComponentTable {
    name: String,
    headings: Vec<String>,
    rows: Vec<csv::StringRecord>,
    /// Notes on what was not read as it is.
    notes: Vec<String>,
}

impl ComponentTable {
    fn new(table: &Spreadsheet, lists: &[ComponentList]) -> anyhow::Result<Self> {
        let name = table.document.name.clone();
        let notes = table.encoding.map(|encoding| format!("{name}: read as {encoding}"));
        let is_heading = |heading: &str| lists.iter().any(|list| list.column(heading).is_some());
        let (headings, rows) = table.rows(is_heading).with_context(|| name.clone())?;
        let headings: Vec<_> = headings.iter().map(str::to_owned).collect();
        let known = headings.iter().map(String::as_str).filter(|heading| is_heading(heading));
        if let Some((_, heading)) = first_duplicate(known) {
            bail!("{name}: expected each column once, found `{heading}` again");
        }
        let is_beyond = |(_, row): &&(usize, csv::StringRecord)| {
            row.iter().skip(headings.len()).any(|cell| !cell.is_empty())
        };
        if let Some((line, row)) = rows.iter().find(is_beyond) {
            let cells = headings.len();
            bail!("{name}:{line}: expected {cells} cells, as in the header; found {}", row.len());
        }
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        Ok(Self { name, headings, rows, notes: notes.into_iter().collect() })
    }

    /// Returns the list of the name of the file, or else the one of which the table has most
    /// entries and columns; `None` if it has no column of a list.
    fn find_list<'a>(&self, lists: &'a [ComponentList], file: &Table) -> Option<&'a ComponentList> {
        let stem = Path::new(&self.name).file_stem().and_then(|stem| stem.to_str());
        let has_name = |entry: &&Value| {
            let mut cells = self.rows.iter().flatten();
            !name(entry).is_empty() && cells.any(|cell| cell == name(entry))
        };
        let fit = |list: &&ComponentList| {
            let known = self.headings.iter().filter(|name| list.column(name).is_some()).count();
            let named = entries(file, &list.name).iter().filter(has_name).count();
            (known > 0, Some(&*list.name) == stem, named, known)
        };
        lists.iter().rev().max_by_key(fit).filter(|list| fit(list).0)
    }

    /// Returns the entries of a data file with the values of the table.
    fn entries(
        &mut self,
        list: &ComponentList,
        base: &Document,
    ) -> anyhow::Result<Vec<EditedEntry>> {
        let is = |heading: &str, wanted| heading.eq_ignore_ascii_case(wanted);
        let columns: Vec<_> = self.headings.iter().map(|name| list.column(name)).collect();
        let unknown = self
            .headings
            .iter()
            .zip(&columns)
            .filter(|(name, column)| column.is_none() && !name.is_empty() && !is(name, MARKS));
        let unknown: Vec<_> = unknown.map(|(name, _)| format!("`{name}`")).collect();
        if !unknown.is_empty() {
            self.notes.push(format!("{}: not read: {}", self.name, join_with_and(&unknown)));
        }
        let (file, provenance) = (base.table()?, Provenance::read(&base.text));
        let old = entries(&file, &list.name);
        let place = |wanted| self.headings.iter().position(|heading| is(heading, wanted));
        let (id, marks) = (place("id"), place(MARKS));
        let has_names = old.iter().any(|entry| !name(entry).is_empty());
        ensure!(id.is_some() || !has_names, "{}:1: expected a column `id`", self.name);
        let entry = |(number, row): (usize, &csv::StringRecord)| {
            let index = match id.and_then(|id| row.get(id)) {
                Some(id) => old.iter().position(|entry| name(entry) == id),
                None => Some(number).filter(|&number| number < old.len()),
            };
            let base = index.map(|index| &old[index]);
            let values = ComponentList::values(base, columns.iter().copied().zip(row));
            let marked = marks.and_then(|marks| row.get(marks)).map(Marks::of_comment);
            let known = base.map(|entry| marks_of(entry, &provenance)).unwrap_or_default();
            let is_new = |marks: &Marks| !marks.is_empty() && *marks != known;
            let comment = marked.filter(is_new).map(Marks::letters);
            EditedEntry { index, values, comment }
        };
        Ok(self.rows.iter().enumerate().map(entry).collect())
    }
}

/// Returns the name of an entry; empty if it has none.
fn name(entry: &Value) -> &str {
    entry.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the marks of an entry; none without a name, by which they are known.
fn marks_of(entry: &Value, provenance: &Provenance) -> Marks {
    if name(entry).is_empty() { Marks::default() } else { provenance.marks_of(name(entry)) }
}

/// Returns the value of a key in an entry.
fn find<'a>(entry: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(entry, |value, part| value.get(part))
}

/// Sets the value of a key, or removes it.
fn set(values: &mut Table, key: &str, value: Option<Value>) {
    match (key.split_once('.'), value) {
        (Some((table, rest)), value) => {
            let inner = values.entry(table).or_insert_with(|| Table::new().into());
            inner.as_table_mut().into_iter().for_each(|inner| set(inner, rest, value.clone()));
        }
        (None, Some(value)) => drop(values.insert(key.to_owned(), value)),
        (None, None) => drop(values.remove(key)),
    }
}

/// Reads a cell as the type that its key accepts. Text that no type accepts stays text, which the
/// check of the data file refuses.
fn read_value(info: &KeyInfo, cell: &str) -> Value {
    let read = |text: &str| {
        let number = text.replace(',', ".").parse().ok();
        // Programs write whole numbers as 2.0; 2.000 may stand for two thousand.
        let is_whole = |number: &f64| number.fract() == 0.0 && count_readings(text).is_none();
        let whole = number.filter(is_whole).map(|number| number as i64);
        let values = [
            text.parse().ok().or(whole).map(Value::Integer),
            number.map(Value::Float),
            text.to_ascii_lowercase().parse().ok().map(Value::Boolean),
        ];
        let accepted = values.into_iter().flatten().find(|value| info.accepts(value));
        accepted.unwrap_or_else(|| text.into())
    };
    if info.is_list {
        return cell.split(SEPARATOR).map(|entry| read(entry.trim())).collect::<Vec<_>>().into();
    }
    read(cell)
}

/// Returns a value as text without quotes.
fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            entries.iter().map(cell_text).collect::<Vec<_>>().join(&SEPARATOR.to_string())
        }
        value => value.to_string(),
    }
}
