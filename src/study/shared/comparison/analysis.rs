//! Differences between the baseline and its variants, tested.

use std::mem::discriminant;

use super::edits::Edit;
use crate::{
    arena::compared_metrics::Subject,
    stats::paired::PairedSums,
    study::shared::{agreement::Agreement, convergence::PanelFigure, prelude::*},
};

/// Largest difference between opposite effects, due to rounding.
const ROUNDING: f64 = 1e-9;

/// Maximum number of edited items with a sentence of their own.
pub(super) const MAX_ITEMS: usize = 2;
/// Metrics of an edited item, the most important first.
pub(super) const ITEM_METRICS: [Metric; 3] =
    [Metric::TakersWinShare, Metric::TakenPerOffer, Metric::Points];
/// Metrics of the game that are always stated.
pub(super) const GAME_METRICS: [ComparedMetric; 2] = [
    ComparedMetric { metric: Metric::WinShare, subject: Subject::TurnPosition(0) },
    ComparedMetric::of_game(Metric::Rounds),
];

/// Results of a lineup under all data files.
pub type ComparisonResult = LineupResult<ComparisonTally>;

/// The labels of the data files, which decide how tables are laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ComparisonLayout {
    /// The baseline and one variant, in the same row.
    SideBySide,
    /// One row for each value of a key of the data file, or for each of several data files.
    ByValue {
        /// The key; `None` for several files.
        key: Option<String>,
        /// Its values, or the names of the files; the first is that of the baseline.
        values: Vec<String>,
    },
}

/// A comparison of data files.
#[derive(Clone, Debug)]
pub struct DataComparison<'a> {
    /// The compared metrics.
    pub metrics: &'a ComparedMetrics,
    /// The labels of the data files.
    pub layout: &'a ComparisonLayout,
    /// Results of each lineup.
    pub results: &'a [ComparisonResult],
    /// Differences of metrics of the game, then those of each item table.
    pub(crate) families: Vec<Family<'a>>,
    /// The edits of each variant, as far as they are known.
    pub(crate) edits: Vec<Vec<Edit>>,
    /// The labels of the items of each variant.
    pub(crate) labels: Vec<BTreeMap<ItemId, String>>,
}

/// Differences of one table.
#[derive(Clone, Debug)]
pub(crate) struct Family<'a> {
    /// The item table; none for metrics of the game.
    pub(crate) items: Option<&'a ItemTable>,
    /// Differences by lineup, variant and metric.
    pub(crate) rows: Vec<DifferenceRow<'a>>,
}

/// Difference of a metric between the baseline and a variant.
#[derive(Clone, Debug)]
pub(crate) struct DifferenceRow<'a> {
    pub(crate) result: &'a ComparisonResult,
    /// Index of the variant, 0 for the first.
    pub(crate) variant: usize,
    pub(crate) metric: ComparedMetric,
    /// Means of the baseline and of the variant.
    pub(crate) estimates: [Estimate; 2],
    /// Variant minus baseline.
    pub(crate) difference: TestedEffect,
    pub(crate) flag: Option<Flag>,
    /// True if the answer states the difference. Those that it states and all others are two
    /// families of tests, each of all tables with the same lineup.
    pub(crate) is_answered: bool,
    /// True if the row is the opposite of another one of its family, and therefore not tested.
    pub(crate) is_complement: bool,
}

impl<'a> DataComparison<'a> {
    /// Tests the differences between the data files. `edits` are those of each variant, as far as
    /// they are known.
    pub fn new(
        metrics: &'a ComparedMetrics,
        layout: &'a ComparisonLayout,
        results: &'a [ComparisonResult],
        edits: Vec<Vec<Edit>>,
    ) -> Self {
        let mut rows = test_rows(metrics, results, &edited_items(&edits));
        if let ComparisonLayout::ByValue { key: None, values } = layout {
            // The best of several files is one of many.
            let comparisons = values.len() as u32 - 1;
            for row in &mut rows {
                row.difference.effect.comparisons = comparisons;
            }
        }
        let table_of = |row: &DifferenceRow<'_>| {
            row.metric.item().map(|item| metrics.catalog.table_index(item))
        };
        let mut rows_of = |table: Option<usize>| {
            rows.extract_if(.., |row| table_of(row) == table).collect::<Vec<_>>()
        };
        let game = Family { items: None, rows: rows_of(None) };
        let tables = metrics.catalog.tables().iter().enumerate();
        let tables = tables
            .map(|(index, items)| Family { items: Some(items), rows: rows_of(Some(index)) })
            // Without its items, a table has no rows and no file.
            .filter(|family| {
                !family.rows.is_empty() || family.items.is_some_and(|items| items.items.is_empty())
            });
        let families = std::iter::once(game).chain(tables).collect();
        let labels = vec![BTreeMap::new(); edits.len()];
        Self { metrics, layout, results, families, edits, labels }
    }

    /// Sets the labels of items from the catalogues of the variants.
    #[must_use]
    pub(crate) fn with_labels(mut self, catalogs: &[&ItemCatalog]) -> Self {
        let merged = &self.metrics.catalog;
        let of_variant = |catalog: &&ItemCatalog| {
            let labels = merged.ids().filter_map(|id| {
                let (table, name) = (merged.table(id).name, &merged.item(id).name);
                let table = catalog.tables().iter().find(|other| other.name == table)?;
                let item = table.items.iter().find(|item| item.name == *name)?;
                Some((id, item.label.clone()))
            });
            labels.collect()
        };
        self.labels = catalogs.iter().map(of_variant).collect();
        self
    }

    /// Returns the answers of the bots on the edited items and the main metrics of the game.
    pub(crate) fn agreement(&self) -> Agreement {
        let first = self.results.first();
        let rows = first.map(|first| self.answered_rows(first)).unwrap_or_default();
        let of_all = |first: &DifferenceRow<'_>| {
            let rows = self.families.iter().flat_map(|family| &family.rows);
            let is_same = |row: &&DifferenceRow<'_>| {
                (row.variant, row.metric) == (first.variant, first.metric)
            };
            rows.filter(is_same).map(|row| row.difference).collect()
        };
        let question = |row: &DifferenceRow<'_>| PanelFigure {
            name: self.label(row),
            metric: row.metric.metric,
            figures: of_all(row),
        };
        let questions = rows.into_iter().map(question).collect();
        Agreement::new(self.results, questions)
    }

    /// Returns the edited items, each once.
    pub(crate) fn edited_items(&self) -> Vec<ItemId> {
        edited_items(&self.edits)
    }

    /// Returns the item of a row, `None` for metrics of the game.
    pub(crate) fn item(&self, row: &DifferenceRow<'_>) -> Option<&'a Item> {
        row.metric.item().map(|item| self.metrics.catalog.item(item))
    }

    /// Returns the value of the key in the data file of a row.
    pub(crate) fn value(&self, row: &DifferenceRow<'_>) -> Option<&'a str> {
        match self.layout {
            ComparisonLayout::SideBySide => None,
            ComparisonLayout::ByValue { values, .. } => {
                values.get(row.variant + 1).map(String::as_str)
            }
        }
    }

    /// Returns the label of a row for people: item, metric and value.
    pub(crate) fn label(&self, row: &DifferenceRow<'_>) -> String {
        self.item(row).map(|item| format!("{}: ", item.label)).unwrap_or_default()
            + &self.metric_and_value(row)
    }

    /// Returns the metric of a row and the value of the key.
    pub(crate) fn metric_and_value(&self, row: &DifferenceRow<'_>) -> String {
        let at = self.layout.preposition();
        let value = self.value(row).map(|value| format!(" {at} {value}")).unwrap_or_default();
        format!("{}{value}", metric_title(row.metric, row.result))
    }
}

impl<'a> Family<'a> {
    /// Returns the rows of a lineup, by metric and variant.
    pub(crate) fn rows_of(&self, result: &ComparisonResult) -> Vec<&DifferenceRow<'a>> {
        let rows: Vec<_> =
            self.rows.iter().filter(|row| std::ptr::eq(row.result, result)).collect();
        let metrics = rows.iter().filter(|row| row.variant == 0).count();
        (0..metrics).flat_map(|metric| rows.iter().skip(metric).step_by(metrics)).copied().collect()
    }

    /// Returns the labels of the items with a flag, each once.
    pub(crate) fn items_with_flag(&self, metrics: &'a ComparedMetrics, flag: Flag) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| row.flag == Some(flag)) {
            let name = row.metric.item().map(|item| &metrics.catalog.item(item).label);
            if let Some(name) = name.filter(|name| !names.contains(name)) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns the name of the table with spaces.
    pub(crate) fn title(&self) -> String {
        self.items.map_or("the game".to_owned(), |table| table.name.replace('_', " "))
    }
}

/// Returns the edited items, each once.
fn edited_items(edits: &[Vec<Edit>]) -> Vec<ItemId> {
    let mut items: Vec<ItemId> = Vec::new();
    for item in edits.iter().flatten().filter_map(|edit| edit.item) {
        if !items.contains(&item) {
            items.push(item);
        }
    }
    items
}

/// Returns true if the answer states the differences of a metric, given the edited items.
fn is_answered(metric: ComparedMetric, edited: &[ItemId]) -> bool {
    match metric.item() {
        Some(item) => {
            let stated = &edited[..edited.len().min(MAX_ITEMS)];
            stated.contains(&item) && ITEM_METRICS.contains(&metric.metric)
        }
        None => GAME_METRICS.contains(&metric),
    }
}

/// Returns the tested differences of all metrics, by lineup, variant and metric.
fn test_rows<'a>(
    metrics: &'a ComparedMetrics,
    results: &'a [ComparisonResult],
    edited: &[ItemId],
) -> Vec<DifferenceRow<'a>> {
    let mut rows = Vec::new();
    for result in results {
        for (variant, differences) in result.tally.differences.iter().enumerate() {
            let effects = metrics.metrics.iter().zip(differences);
            let effects =
                effects.map(|(metric, sums)| (*metric, difference_of_deals(metric.metric, sums)));
            let effects: Vec<_> = effects.collect();
            for (index, &(metric, effect)) in effects.iter().enumerate() {
                rows.push(DifferenceRow {
                    result,
                    variant,
                    metric,
                    estimates: metric.metric.estimates(&differences[index]),
                    difference: TestedEffect::untested(effect),
                    flag: None,
                    is_answered: is_answered(metric, edited),
                    is_complement: is_complement(&effects, index),
                });
            }
        }
    }
    test_family(&mut rows, results, true);
    test_family(&mut rows, results, false);
    for row in &mut rows {
        let has_item = |file| row.metric.item().is_none_or(|item| metrics.has_item(file, item));
        row.flag = match (has_item(0), has_item(row.variant + 1)) {
            (true, true) if row.is_complement => Some(Flag::Complement),
            (true, true) => row.difference.flag(),
            (true, false) => Some(Flag::Removed),
            (false, true) => Some(Flag::Added),
            (false, false) => None,
        };
    }
    rows
}

/// Tests the differences that the answer states, or all others, as one family for each lineup.
fn test_family(rows: &mut [DifferenceRow<'_>], results: &[ComparisonResult], is_answered: bool) {
    let mut family: Vec<_> = rows.iter_mut().filter(|row| row.is_answered == is_answered).collect();
    let of_lineup = |result: &ComparisonResult| {
        let rows = family.iter().filter(|row| std::ptr::eq(row.result, result));
        let effect = |row: &&mut DifferenceRow<'_>| row.difference.effect;
        rows.map(|row| if row.is_complement { Effect::unknown(0) } else { effect(row) }).collect()
    };
    // The rows are in the order of the lineups.
    let tested = test_effects(&results.iter().map(of_lineup).collect::<Vec<_>>());
    for (row, tested) in family.iter_mut().zip(tested) {
        row.difference = TestedEffect { effect: row.difference.effect, ..tested };
    }
}

/// Returns the difference of a metric, whose number of observations is the number of deals.
pub(crate) fn difference_of_deals(metric: Metric, sums: &PairedSums) -> Effect {
    let deals = sums.control.blocks.min(sums.treatment.blocks);
    Effect { n: deals as i64, ..metric.difference(sums) }
}

/// Returns true if an effect is the opposite of an earlier one: the win shares of 2 seats, turn
/// positions or bots add up to 1 if every game has a winner.
fn is_complement(effects: &[(ComparedMetric, Effect)], index: usize) -> bool {
    let (metric, effect) = effects[index];
    let is_opposite = |&(other, other_effect): &(ComparedMetric, Effect)| {
        other.metric == metric.metric
            && discriminant(&other.subject) == discriminant(&metric.subject)
            && (other_effect.value + effect.value).abs() < ROUNDING
            && (other_effect.standard_error - effect.standard_error).abs() < ROUNDING
    };
    metric.metric == Metric::WinShare && effects[..index].iter().any(is_opposite)
}

/// Returns the seat, turn position or bot of a metric for CSV; empty for other subjects.
pub(crate) fn metric_subject(metric: ComparedMetric, result: &ComparisonResult) -> String {
    match metric.subject {
        Subject::Seat(seat) => format!("seat {seat}"),
        Subject::TurnPosition(position) => format!("turn position {position}"),
        Subject::Bot(bot) => result.bots[bot].clone(),
        Subject::Game | Subject::Item(_) => String::new(),
    }
}

/// Returns the name of a metric for people, with its subject.
pub(crate) fn metric_title(metric: ComparedMetric, result: &ComparisonResult) -> String {
    let title = metric.metric.title();
    match metric.subject {
        Subject::Seat(seat) => format!("{title}, seat {}", seat + 1),
        Subject::TurnPosition(position) => format!("{title}, {}", TURN_POSITION_NAMES[position]),
        Subject::Bot(bot) => format!("{title}, {}", result.bots[bot]),
        Subject::Game | Subject::Item(_) => title.to_owned(),
    }
}
