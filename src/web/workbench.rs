//! The workbench: the values of a version of a game, and its differences in play from another
//! version on the same deals.
//!
//! No result is kept between requests: a page asks for some blocks after others and sends the sums
//! of the earlier ones back, so that it stops by not asking any more, and workers of a browser can
//! play different blocks.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

use serde::{Deserialize, Serialize};
use toml::Table;

use super::{
    components::component_of,
    estimate::EstimateView,
    versions::{BotOfPanel, GameVersion, OpenedVersion, RefusedEdit, VersionsKey, panel},
};
use crate::{
    Experiment,
    arena::{
        block_experiment::play_in_order,
        compared_metrics::{ComparedMetrics, Subject},
        metric::Metric,
    },
    bound::BoundGame,
    config::{Document, KeyInfo},
    experiments::comparison::ComparisonTally,
    game::{ItemCatalog, ItemId},
    games::{DataKey, GameEntry, GameList, labels::words_of, open_games::claimed_provenance},
    protocol::{
        problem::Problem,
        smallest_effects::{SmallestEffects, Z_FIGURE, Z_SHOWN},
    },
    stats::{Merge as _, paired::PairedSums, ratio::Estimate},
};

/// Maximum number of blocks of a request.
const MAX_BLOCKS: u64 = 10_000;
/// Two versions of a game to compare.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionComparison {
    /// Name of the game.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The baseline and the version that is compared with it.
    pub versions: [GameVersion; 2],
    /// The seed of the deals, as that of `balance compare`.
    pub seed: u64,
    /// The first block, and the one after the last.
    pub blocks: [u64; 2],
    /// The sums of earlier answers about other blocks.
    #[serde(default)]
    pub sums: Vec<String>,
    /// The bot of the panel that plays; the first one if there is none.
    #[serde(default)]
    pub bot: Option<String>,
}

/// The values of a version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VersionView {
    /// The default panel of the game. The first bot plays comparisons that name no other.
    pub panel: Vec<BotOfPanel>,
    /// The provenance of the data, as the data file claims it.
    pub provenance: String,
    /// The data file.
    pub text: String,
    /// The differences from the built-in data file.
    pub changes: Vec<String>,
    /// The edits that are refused.
    pub refused: Vec<RefusedEdit>,
    /// The tables of components, then that of the other values.
    pub tables: Vec<ValueTable>,
}

/// Values of components of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ValueTable {
    /// Name of the item table; empty for values that are not of an item.
    pub name: String,
    /// Title.
    pub title: String,
    /// The components.
    pub rows: Vec<ValueRow>,
}

/// The values of a component.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ValueRow {
    /// Name of the item, or the part of the data file.
    pub name: String,
    /// The name for people.
    pub label: String,
    /// The key of the component, if it can be copied and removed.
    pub key: Option<String>,
    /// The values.
    pub values: Vec<EditableValue>,
}

/// A value that can be edited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EditableValue {
    /// The key.
    pub key: String,
    /// The key within its row.
    pub name: String,
    /// The value, as TOML.
    pub value: String,
    /// The value of the built-in data file; none if it does not have the key.
    pub built_in: Option<String>,
    /// The value without edits, as TOML.
    pub unedited: String,
    /// The accepted values.
    pub accepted: String,
    /// The meaning.
    pub help: &'static str,
}

/// The differences of a version from its baseline.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparisonView {
    /// The sums of all blocks so far, for the next request.
    pub sums: String,
    /// Number of games of each version.
    pub games: u64,
    /// Notes on values that the bot has not learned.
    pub notes: Vec<String>,
    /// The figures of the game.
    pub figures: Vec<ChangedFigure>,
    /// The items of both versions.
    pub items: Vec<ChangedItem>,
}

/// A figure of both versions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ChangedFigure {
    /// Name of the metric.
    pub metric: &'static str,
    /// The turn position of which it is, 0 for the first player; none for the whole game and items.
    pub position: Option<usize>,
    /// The baseline.
    pub before: EstimateView,
    /// The version.
    pub after: EstimateView,
    /// The version minus the baseline.
    pub difference: EstimateView,
    /// The part of the difference that is certain, as a multiple of the smallest one that matters.
    pub score: f64,
}

/// The figures of an item.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ChangedItem {
    /// Name of the item table.
    pub table: String,
    /// Name of the item.
    pub item: String,
    /// Name of the item for people, of the version if it has the item.
    pub label: String,
    /// True if a value of the item differs.
    pub is_edited: bool,
    /// The figures.
    pub figures: Vec<ChangedFigure>,
}

impl VersionComparison {
    /// Returns the key of the versions and the bot.
    pub(super) fn key(&self) -> VersionsKey {
        (self.game.clone(), self.players, self.versions.clone(), self.bot.clone())
    }
}

/// Returns the values of a version.
pub(super) fn values(
    games: GameList,
    game: &str,
    players: usize,
    version: &GameVersion,
) -> Result<VersionView, Problem> {
    let entry = games.require(game)?;
    let (document, refused) = version.read(entry, players)?;
    let built_in = entry.default_document();
    let changes = document.differences_from(&built_in)?;
    // A file with a refused value has the keys of the one without edits.
    let base = version.without_values(&refused).document(entry, players)?;
    let bound = entry.open(if refused.is_empty() { &document } else { &base }, players)?;
    Ok(VersionView {
        panel: panel(bound.library()),
        provenance: claimed_provenance(&document),
        changes: changes.iter().map(ToString::to_string).collect(),
        tables: tables(entry, &bound, [&built_in, &base, &document])?,
        text: document.text,
        refused,
    })
}

/// Groups the numbers and switches of a data file by component.
fn tables(
    entry: &GameEntry,
    game: &BoundGame,
    [built_in, base, document]: [&Document; 3],
) -> Result<Vec<ValueTable>, Problem> {
    let (infos, catalog) = (entry.keys(), game.catalog());
    let file = base.table()?;
    let built_in: BTreeMap<_, _> =
        built_in.scalars()?.into_iter().map(|[key, value]| (key, value)).collect();
    let now: BTreeMap<_, _> =
        document.scalars()?.into_iter().map(|[key, value]| (key, value)).collect();
    let mut tables: Vec<ValueTable> = catalog
        .tables()
        .iter()
        .map(|table| (table.name.to_string(), words_of(table.name)))
        .chain([(String::new(), "Rules and setup".to_owned())])
        .map(|(name, title)| ValueTable { name, title, rows: Vec::new() })
        .collect();
    for DataKey { key, value, .. } in entry.data_keys(base, game.seats())? {
        let Some(info) = infos.iter().find(|info| info.matches(&key)) else { continue };
        if !is_of_players(info, &key, game.seats()) {
            continue;
        }
        let item = catalog.item_of_key(&key);
        let is_number = value.parse::<f64>().is_ok() || value.parse::<bool>().is_ok();
        // An item without numbers can be copied and removed, too.
        if !is_number && item.is_none() {
            continue;
        }
        let (row, inner) = row_of_key(catalog, &file, &key);
        let value = EditableValue {
            name: inner.to_owned(),
            value: now.get(&key).cloned().unwrap_or_else(|| value.clone()),
            unedited: value,
            built_in: built_in.get(&key).cloned(),
            accepted: info.accepted.clone(),
            help: info.help,
            key,
        };
        let table = item.map_or(tables.len() - 1, |item| catalog.table_index(item));
        let rows = &mut tables[table].rows;
        let index = rows.iter().position(|other| other.name == row.name);
        let index = index.unwrap_or_else(|| {
            rows.push(row);
            rows.len() - 1
        });
        rows[index].values.extend(is_number.then_some(value));
    }
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        row.values.sort_by(|one, other| one.name.cmp(&other.name));
    }
    tables.retain(|table| !table.rows.is_empty());
    Ok(tables)
}

/// Returns the row of a key, without values, and the key within it.
fn row_of_key<'a>(catalog: &ItemCatalog, file: &Table, key: &'a str) -> (ValueRow, &'a str) {
    let component = component_of(file, key);
    let (part, of_part) = key.split_once('.').unwrap_or(("", key));
    let of_component = of_part.split_once('.').map_or("", |(_, inner)| inner);
    let row = |name: &str, label| ValueRow {
        name: name.to_owned(),
        label,
        key: component.map(str::to_owned),
        values: Vec::new(),
    };
    match (catalog.item_of_key(key).map(|item| catalog.item(item)), component) {
        (Some(item), _) => (row(&item.name, item.label.clone()), of_component),
        // A component that nobody takes, such as a weather card.
        (None, Some(component)) => {
            let id = component.split_once('.').map_or(component, |(_, id)| id);
            (row(component, format!("{}: {}", words_of(part), words_of(id))), of_component)
        }
        (None, None) => (row(part, words_of(part)), of_part),
    }
}

/// Returns false for a key of another number of players.
fn is_of_players(info: &KeyInfo, key: &str, players: usize) -> bool {
    let parts = info.key.split('.').zip(key.split('.'));
    parts.into_iter().all(|(pattern, part)| pattern != "<players>" || part == players.to_string())
}

/// Returns the blocks from the first one to the one before the second.
pub(super) fn read_blocks([start, end]: [u64; 2]) -> Result<Range<u64>, Problem> {
    if end < start || end - start > MAX_BLOCKS {
        return Err(format!("blocks: expected at most {MAX_BLOCKS}, in order").into());
    }
    Ok(start..end)
}

/// Plays blocks of both versions, and returns the differences over these and the earlier ones.
pub(super) fn compare(
    versions: &[OpenedVersion; 2],
    request: &VersionComparison,
    stop: &AtomicBool,
) -> Result<ComparisonView, Problem> {
    let VersionComparison { players, seed, blocks, ref sums, .. } = *request;
    let blocks = read_blocks(blocks)?;
    let games = versions.each_ref().map(|version| &version.game);
    let metrics = ComparedMetrics::new(&games.map(BoundGame::catalog), players, 1);
    let mut tally = ComparisonTally::new(games.len(), metrics.metrics.len());
    for earlier in sums {
        let earlier: ComparisonTally = serde_json::from_str(earlier)?;
        if earlier.differences.iter().map(Vec::len).ne(tally.differences.iter().map(Vec::len)) {
            return Err("sums: expected those of the same versions".into());
        }
        tally.merge(&earlier);
    }
    let notes = versions.iter().flat_map(|version| version.lineup[0].notes().iter().cloned());
    let notes = notes.collect();
    let experiments = versions.iter();
    let experiments =
        experiments.map(|version| Experiment::new(&version.lineup, seed, blocks.clone()));
    let comparison = games[0].comparison(&games[1..], experiments.collect(), &metrics);
    play_in_order(&*comparison, blocks, stop, &|_| (), &mut |_, played| {
        tally.merge(&played);
        ControlFlow::Continue(())
    });
    if stop.load(Ordering::Relaxed) {
        return Err("the comparison was stopped".into());
    }
    let edited = versions[1].document.differences_from(&versions[0].document)?;
    let edited = edited.iter().filter_map(|edit| metrics.catalog.item_of_key(&edit.key));
    let (figures, items) = changes(&metrics, &tally, games[1], &edited.collect::<Vec<_>>());
    Ok(ComparisonView {
        sums: serde_json::to_string(&tally)?,
        games: tally.games,
        notes,
        figures,
        items,
    })
}

/// Returns the figures of the game and of all items.
fn changes(
    metrics: &ComparedMetrics,
    tally: &ComparisonTally,
    version: &BoundGame,
    edited: &[ItemId],
) -> (Vec<ChangedFigure>, Vec<ChangedItem>) {
    let smallest = SmallestEffects::new(version.seats(), 10.0);
    let (mut figures, mut items) = (Vec::new(), Vec::<ChangedItem>::new());
    for (metric, sums) in metrics.metrics.iter().zip(&tally.differences[0]) {
        let Some(figure) = figure(metric.metric, smallest, sums) else { continue };
        let id = match metric.subject {
            Subject::Item(id) => id,
            Subject::Game => {
                figures.push(figure);
                continue;
            }
            Subject::TurnPosition(position) => {
                figures.push(ChangedFigure { position: Some(position), ..figure });
                continue;
            }
            _ => continue,
        };
        let (table, item) = (metrics.catalog.table(id).name, metrics.catalog.item(id));
        let last = items.last_mut();
        if let Some(last) = last.filter(|last| last.item == item.name && last.table == table) {
            last.figures.push(figure);
            continue;
        }
        let own = version.catalog().find(table, &item.name);
        let own = own.map_or(item, |own| version.catalog().item(own));
        items.push(ChangedItem {
            table: table.to_owned(),
            item: item.name.clone(),
            label: own.label.clone(),
            is_edited: edited.contains(&id),
            figures: vec![figure],
        });
    }
    (figures, items)
}

/// Returns a figure of both versions; `None` if it is not judged.
fn figure(metric: Metric, smallest: SmallestEffects, sums: &PairedSums) -> Option<ChangedFigure> {
    let [before, after] = metric.estimates(sums);
    let difference = metric.difference(sums).estimate();
    let smallest = match metric {
        Metric::WinShare | Metric::LeaderAtHalfWins => smallest.share / 100.0,
        Metric::Rounds => smallest.rounds * before.value,
        Metric::Decisions => smallest.decisions * before.value,
        Metric::WinningScore => smallest.score * before.value,
        Metric::TakenPerOffer => smallest.taken / 100.0,
        Metric::TakersWinShare => smallest.worth / 100.0,
        Metric::Points => smallest.points * before.value,
        _ => return None,
    };
    Some(ChangedFigure::new(metric.name(), [before, after, difference], smallest.abs(), Z_FIGURE))
}

impl ChangedFigure {
    /// Judges a figure before and after, and the difference. `smallest` is the smallest difference
    /// that matters, and `z` the quantile of the part that is certain.
    pub(super) fn new(
        metric: &'static str,
        [before, after, difference]: [Estimate; 3],
        smallest: f64,
        z: f64,
    ) -> Self {
        let error = (difference.high - difference.low) / (2.0 * Z_SHOWN);
        let score = (difference.value.abs() - z * error) / smallest;
        Self {
            metric,
            position: None,
            before: before.into(),
            after: after.into(),
            difference: difference.into(),
            score: if score.is_finite() { score.max(0.0) } else { 0.0 },
        }
    }
}
