//! The metrics by which games under different data files, or of different lineups, are compared.

use super::{
    metric::Metric,
    tally::{ALL_SEATS, ItemTally, Tally},
};
use crate::{
    game::{FullGame, ItemTable, ReportedSeats},
    stats::ratio::Ratio,
};

/// An item of [`ComparedMetrics::tables`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComparedItem {
    /// Index of the table.
    pub table: usize,
    /// Index of the item in the table.
    pub item: usize,
}

/// The part of a game to which a metric applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The whole game.
    Game,
    /// A seat.
    Seat(usize),
    /// A turn position, 0 for the first player.
    TurnPosition(usize),
    /// A bot, as an index into the distinct bots.
    Bot(usize),
    /// An item.
    Item(ComparedItem),
}

/// A metric of a part of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComparedMetric {
    /// The metric.
    pub metric: Metric,
    /// The part of the game.
    pub subject: Subject,
}

impl ComparedMetric {
    const fn new(metric: Metric, subject: Subject) -> Self {
        Self { metric, subject }
    }

    /// A metric of the whole game.
    pub const fn of_game(metric: Metric) -> Self {
        Self::new(metric, Subject::Game)
    }

    /// Returns the item to which the metric applies.
    pub const fn item(self) -> Option<ComparedItem> {
        if let Subject::Item(item) = self.subject { Some(item) } else { None }
    }
}

/// Metrics of the whole game.
const GAME_METRICS: [Metric; 11] = [
    Metric::SharedWins,
    Metric::NobodyWon,
    Metric::HitRoundLimit,
    Metric::Rounds,
    Metric::Decisions,
    Metric::Branching,
    Metric::Score,
    Metric::WinningScore,
    Metric::WinningMargin,
    Metric::LeadChanges,
    Metric::LeaderAtHalfWins,
];

/// The metrics of a comparison, and the items of all its data files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedMetrics {
    /// The metrics, those of items last.
    pub metrics: Vec<ComparedMetric>,
    /// The item tables, each with the items of all data files. Items with the same table and name
    /// are the same item.
    pub tables: Vec<ItemTable>,
    /// For each data file, the index of each item of [`ComparedMetrics::tables`] in the tally of
    /// that file.
    tally_indices: Vec<Vec<Vec<Option<usize>>>>,
}

impl ComparedMetrics {
    /// Returns the metrics of a game without its items, between this many distinct bots.
    pub fn for_game(seats: usize, bots: usize) -> Self {
        let bots = if bots > 1 { bots } else { 0 };
        let subjects = (0..seats).map(Subject::Seat).chain((0..seats).map(Subject::TurnPosition));
        let subjects = subjects.chain((0..bots).map(Subject::Bot));
        let wins = subjects.map(|subject| ComparedMetric::new(Metric::WinShare, subject));
        let metrics = wins.chain(GAME_METRICS.map(ComparedMetric::of_game)).collect();
        Self { metrics, tables: Vec::new(), tally_indices: Vec::new() }
    }

    /// Returns the win share of the first bot as the only metric.
    pub fn first_bot_win_rate() -> Self {
        let metrics = vec![ComparedMetric::new(Metric::WinShare, Subject::Bot(0))];
        Self { metrics, tables: Vec::new(), tally_indices: Vec::new() }
    }

    /// Returns the metrics of a game and of its items under several data files, between this many
    /// distinct bots.
    pub fn new<G: FullGame>(games: &[G], bots: usize) -> Self {
        let tables_of_files: Vec<Vec<ItemTable>> = games.iter().map(G::tables).collect();
        let mut compared = Self::for_game(games.first().map_or(0, G::seats), bots);
        for table in tables_of_files.iter().flatten() {
            match compared.tables.iter_mut().find(|merged| merged.name == table.name) {
                None => compared.tables.push(table.clone()),
                Some(merged) => {
                    for item in &table.items {
                        if merged.items.iter().all(|(name, _)| *name != item.0) {
                            merged.items.push(item.clone());
                        }
                    }
                }
            }
        }
        let tables = &compared.tables;
        compared.tally_indices =
            tables_of_files.iter().map(|own| tally_indices(tables, own)).collect();
        let metrics =
            tables.iter().enumerate().flat_map(|(index, table)| item_metrics(index, table));
        compared.metrics.extend(metrics);
        compared
    }

    /// Returns the name of an item.
    pub fn item_name(&self, ComparedItem { table, item }: ComparedItem) -> &str {
        &self.tables[table].items[item].0
    }

    /// Returns true if a data file has an item.
    pub fn has_item(&self, file: usize, item: ComparedItem) -> bool {
        self.tally_index(file, item).is_some()
    }

    fn tally_index(
        &self,
        file: usize,
        ComparedItem { table, item }: ComparedItem,
    ) -> Option<usize> {
        self.tally_indices[file][table][item]
    }

    /// Returns the number of observations of each metric and their sum in one block under one of
    /// the data files.
    pub(super) fn block_observations(
        &self,
        file: usize,
        block: &Tally,
    ) -> impl Iterator<Item = (i64, i64)> {
        self.metrics.iter().map(move |&ComparedMetric { metric, subject }| match subject {
            Subject::Game => game_observations(metric, block),
            Subject::Seat(seat) => sum(block.bots.iter().map(|seats| &seats[seat].wins)),
            Subject::TurnPosition(position) => {
                sum(block.turn_order.iter().map(|positions| &positions[position].wins))
            }
            Subject::Bot(bot) => totals(&block.bots[bot][ALL_SEATS].wins),
            Subject::Item(item) => self.tally_index(file, item).map_or((0, 0), |index| {
                item_observations(metric, block.games, &block.items[index])
            }),
        })
    }
}

/// Returns the metrics of the items of a table.
fn item_metrics(index: usize, table: &ItemTable) -> impl Iterator<Item = ComparedMetric> {
    let metrics = [
        Some(Metric::TakenPerGame),
        table.offered.then_some(Metric::TakenPerOffer),
        (table.reported_seats != ReportedSeats::None).then_some(Metric::TakersWinShare),
        table.scoring.then_some(Metric::Points),
    ];
    (0..table.items.len()).flat_map(move |item| {
        let subject = Subject::Item(ComparedItem { table: index, item });
        metrics.into_iter().flatten().map(move |metric| ComparedMetric::new(metric, subject))
    })
}

/// Returns the index in a tally of each item of the merged tables, given the tables of its game.
fn tally_indices(merged: &[ItemTable], own: &[ItemTable]) -> Vec<Vec<Option<usize>>> {
    let own: Vec<_> = own
        .iter()
        .flat_map(|table| table.items.iter().map(|(item, _)| (table.name, item)))
        .collect();
    let index = |table: &'static str, item| own.iter().position(|&own| own == (table, item));
    merged
        .iter()
        .map(|table| table.items.iter().map(|(item, _)| index(table.name, item)).collect())
        .collect()
}

/// Returns the number of observations of a metric of the game and their sum.
fn game_observations(metric: Metric, Tally { health, bots, .. }: &Tally) -> (i64, i64) {
    match metric {
        Metric::SharedWins => totals(&health.shared_wins),
        Metric::NobodyWon => totals(&health.nobody_won),
        Metric::HitRoundLimit => totals(&health.capped),
        Metric::Rounds => totals(&health.rounds.ratio),
        Metric::Decisions => totals(&health.decisions.ratio),
        Metric::Branching => totals(&health.branching.ratio),
        Metric::Score => sum(bots.iter().map(|seats| &seats[ALL_SEATS].scores.ratio)),
        Metric::WinningScore => totals(&health.winning_scores.ratio),
        Metric::WinningMargin => totals(&health.winning_margins.ratio),
        Metric::LeadChanges => totals(&health.lead_changes.ratio),
        Metric::LeaderAtHalfWins => totals(&health.leaders_at_half),
        // Metrics of parts of a game.
        Metric::WinShare
        | Metric::TakenPerGame
        | Metric::TakenPerOffer
        | Metric::TakersWinShare
        | Metric::Points => (0, 0),
    }
}

/// Returns the number of observations of a metric of an item and their sum.
fn item_observations(metric: Metric, games: u64, item: &ItemTally) -> (i64, i64) {
    match metric {
        Metric::TakenPerGame => (games as i64, item.times_taken),
        Metric::TakenPerOffer => totals(&item.taken),
        Metric::TakersWinShare => totals(&item.wins_with),
        Metric::Points => totals(&item.points.ratio),
        // Metrics of the game.
        _ => (0, 0),
    }
}

fn totals(ratio: &Ratio) -> (i64, i64) {
    (ratio.n, ratio.x)
}

fn sum<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> (i64, i64) {
    ratios.fold((0, 0), |(n, x), ratio| (n + ratio.n, x + ratio.x))
}
