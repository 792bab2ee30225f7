//! The metrics by which games under different data files, or of different lineups, are compared.

use super::{
    metric::Metric,
    tally::{ALL_SEATS, ItemTally, Tally},
};
use crate::{
    game::{FullGame, ItemCatalog, ItemId, ItemTable, ReportedSeats},
    stats::ratio::Ratio,
};

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
    Item(ItemId),
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
    pub const fn item(self) -> Option<ItemId> {
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
    /// The items of all data files. Items with the same names of table and item are the same.
    pub catalog: ItemCatalog,
    /// For each data file, its own id of each item of the catalogue.
    own_ids: Vec<Vec<Option<ItemId>>>,
}

impl ComparedMetrics {
    /// Returns the metrics of a game without its items, between this many distinct bots.
    pub fn for_game(seats: usize, bots: usize) -> Self {
        let bots = if bots > 1 { bots } else { 0 };
        let subjects = (0..seats).map(Subject::Seat).chain((0..seats).map(Subject::TurnPosition));
        let subjects = subjects.chain((0..bots).map(Subject::Bot));
        let wins = subjects.map(|subject| ComparedMetric::new(Metric::WinShare, subject));
        let metrics = wins.chain(GAME_METRICS.map(ComparedMetric::of_game)).collect();
        Self { metrics, catalog: ItemCatalog::new(), own_ids: Vec::new() }
    }

    /// Returns the win share of the first bot as the only metric.
    pub fn first_bot_win_rate() -> Self {
        let metrics = vec![ComparedMetric::new(Metric::WinShare, Subject::Bot(0))];
        Self { metrics, catalog: ItemCatalog::new(), own_ids: Vec::new() }
    }

    /// Returns the metrics of a game and of its items under several data files, between this many
    /// distinct bots.
    pub fn new<G: FullGame>(games: &[G], bots: usize) -> Self {
        let mut compared = Self::for_game(games.first().map_or(0, G::seats), bots);
        let catalog = ItemCatalog::merged(games.iter().map(G::catalog));
        let own_ids = |own: &ItemCatalog| {
            let own_id = |item| own.find(catalog.table(item).name, &catalog.item(item).name);
            catalog.ids().map(own_id).collect()
        };
        compared.own_ids = games.iter().map(|game| own_ids(game.catalog())).collect();
        compared.metrics.extend(catalog.tables().iter().flat_map(item_metrics));
        compared.catalog = catalog;
        compared
    }

    /// Returns true if a data file has an item.
    pub fn has_item(&self, file: usize, item: ItemId) -> bool {
        self.own_ids[file][item.index()].is_some()
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
            Subject::Item(item) => self.own_ids[file][item.index()].map_or((0, 0), |item| {
                item_observations(metric, block.games, &block.items[item.index()])
            }),
        })
    }
}

/// Returns the metrics of the items of a table.
fn item_metrics(table: &ItemTable) -> impl Iterator<Item = ComparedMetric> {
    let metrics = [
        Some(Metric::TakenPerGame),
        table.offered.then_some(Metric::TakenPerOffer),
        (table.reported_seats != ReportedSeats::None).then_some(Metric::TakersWinShare),
        table.scoring.then_some(Metric::Points),
    ];
    table.ids().iter().flat_map(move |item| {
        let subject = Subject::Item(item);
        metrics.into_iter().flatten().map(move |metric| ComparedMetric::new(metric, subject))
    })
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
