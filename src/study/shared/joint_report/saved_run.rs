//! A finished run, as its folder describes it.

use serde_json::Value;

use super::{
    distinct,
    main_tables::{ITEMS, main_tables},
};
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    report::{
        html::{answer_of_page, title_of_page},
        note::Note,
    },
    run::{
        files::{lock_to_read, named_files, read_finished_run},
        manifest, page,
    },
    study::{
        shared::{
            prelude::*,
            reference::{self, ReferenceFigures},
        },
        tables_of_command,
    },
};

/// A finished run.
#[derive(Clone, Debug)]
pub(super) struct SavedRun {
    manifest: Value,
    pub(super) folder: PathBuf,
    pub(super) identity: RunIdentity,
    /// Title of the game.
    pub(super) game: String,
    /// The title of the page of the run.
    pub(super) title: Option<String>,
    /// The answer of the page of the run.
    pub(super) answer: Option<String>,
    /// The notes of the user on its page.
    pub(super) note: Option<Note>,
    /// The main tables.
    pub(super) tables: Vec<DataTable>,
}

impl SavedRun {
    /// Reads the run of a folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or a table of it can't be read.
    pub(super) fn read(games: GameList, folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        let _lock = lock_to_read(folder)?;
        let manifest = read_finished_run(folder)?;
        let kind = manifest["kind"].as_str().unwrap_or_default();
        let schemas = tables_of_command(kind)
            .with_context(|| format!("{name}: holds a run of `{kind}`, which has no tables"))?;
        let identity: RunIdentity = serde_json::from_value(manifest.clone())
            .with_context(|| format!("{name}: {} was changed", manifest::FILE))?;
        let tables = read_tables(folder, &manifest, kind, &schemas)?;
        let report = fs::read_to_string(folder.join(page::FILE)).unwrap_or_default();
        let game = games.find(&identity.game).map_or(identity.game.as_str(), |game| game.title);
        Ok(Self {
            folder: folder.to_owned(),
            game: game.to_owned(),
            title: title_of_page(&report),
            answer: answer_of_page(&report),
            note: manifest["note"].as_str().map(|note| Note::parse(note.to_owned())),
            identity,
            tables,
            manifest,
        })
    }

    /// Returns a text of the manifest; empty if it has none.
    pub(super) fn text(&self, key: &str) -> &str {
        self.manifest[key].as_str().unwrap_or_default()
    }

    /// Returns the names of a list of bots of the manifest, each once.
    fn names(&self, list: &str) -> Vec<String> {
        let bots = self.manifest[list].as_array().into_iter().flatten();
        distinct(bots.filter_map(|bot| bot["name"].as_str().map(str::to_owned)))
    }

    /// Returns the names of the bots.
    pub(super) fn bots(&self) -> Vec<String> {
        self.names("bots")
    }

    /// Returns the table of a name.
    pub(super) fn table(&self, name: &str) -> Option<&DataTable> {
        self.tables.iter().find(|table| table.name() == name)
    }

    /// Returns the item of the key of a sweep, such as `w2c1` of `building.w2c1.cost.wood`.
    pub(super) fn swept_item(&self) -> Option<&str> {
        let mut arguments = self.manifest["arguments"].as_array()?.iter().filter_map(Value::as_str);
        arguments.find(|argument| *argument == "--key")?;
        arguments.next()?.split('.').nth(1)
    }

    /// Returns the win rate of the first player, if the run estimates it.
    pub(super) fn first_player_rate(&self) -> Option<Estimate> {
        let table = self.table("turn_order").or_else(|| self.table("turn_positions"))?;
        let is_first = |&row: &usize| table.text(row, "turn_position") == "0";
        table.estimate((0..table.rows().len()).find(is_first)?, "win_rate")
    }

    /// Returns the figures that its verdict judges, if it has them.
    pub(super) fn figures(&self) -> Option<ReferenceFigures> {
        let file = self.folder.join(reference::schema().file_name());
        ReferenceFigures::from_csv(&fs::read_to_string(file).ok()?)
    }

    /// Returns the label of the answer if it rests on one bot.
    pub(super) fn one_bot_label(&self) -> Option<LabelledSentence> {
        match &distinct([self.bots(), self.names("panel")].concat())[..] {
            [only] if self.answer.is_some() => Some(LabelledSentence::of_one_lineup(only)),
            _ => None,
        }
    }

    /// Returns the game, the players, the bots and the seed.
    pub(super) fn facts(&self) -> String {
        let bots = join_with_and(distinct([self.bots(), self.names("panel")].concat()));
        let players = self.identity.players_text();
        format!("{}, {players}, {bots}, seed {}", self.game, self.identity.seed)
    }
}

/// Reads the main tables of a run.
fn read_tables(
    folder: &Path,
    manifest: &Value,
    kind: &str,
    schemas: &[Schema],
) -> anyhow::Result<Vec<DataTable>> {
    let mut tables = Vec::new();
    for name in named_files(manifest).filter_map(|file| file.strip_suffix(".csv")) {
        let is_named = schemas.iter().any(|schema| schema.name() == name);
        let of_schema = if is_named { name } else { ITEMS };
        let schemas = schemas.iter().filter(|schema| schema.name() == of_schema);
        let mut mains = main_tables(kind).iter().filter(|main| main.name == of_schema).peekable();
        if mains.peek().is_none() {
            continue;
        }
        let path = folder.join(format!("{name}.csv"));
        let bytes =
            read_at_most(&path, MAX_FILE_BYTES).with_context(|| path.display().to_string())?;
        // Items of two data files and of several have different columns.
        let schema = schemas.max_by_key(|schema| schema.known_columns(&bytes));
        let table = schema.and_then(|schema| schema.read_csv(name, &bytes));
        let mut table = table.with_context(|| {
            format!(
                "{}: is not a table of `{kind}`; expected the file as the run wrote it",
                path.display()
            )
        })?;
        mains.flat_map(|main| main.columns).for_each(|key| table.set_units(key, unit_of_row));
        tables.push(table);
    }
    Ok(tables)
}

/// Returns the format of an estimate of a row, which may depend on its metric or its unit.
fn unit_of_row(table: &DataTable, row: usize, unit: Unit) -> Unit {
    match (Metric::from_name(&table.text(row, "metric")), unit) {
        (Some(metric), Unit::Signed(_)) => difference_unit(metric),
        (Some(metric), Unit::Decimals(_)) => metric_unit(metric),
        _ => unit,
    }
}
