//! The metrics by which games under several data files or of several lineups are compared.

use super::{
    metric::Metric,
    tally::{ALL_SEATS, Tally},
};
use crate::{
    game::{ItemCatalog, ItemId, ItemTable, ReportedSeats},
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
    /// Creates a metric of the whole game.
    pub const fn of_game(metric: Metric) -> Self {
        Self { metric, subject: Subject::Game }
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ComparedMetrics {
    /// The metrics, those of items last.
    pub metrics: Vec<ComparedMetric>,
    /// The items of all data files. Items with the same table name and name are the same item.
    pub catalog: ItemCatalog,
    /// For each data file, its own id of each item of the catalogue.
    own_ids: Vec<Vec<Option<ItemId>>>,
}

impl ComparedMetrics {
    /// Returns the metrics of a game without its items, between this many distinct bots.
    pub fn for_game(seats: usize, bots: usize) -> Self {
        // Seats differ by their bots only, because the first player is drawn or rotated.
        let (bots, seats_of_bots) = if bots > 1 { (bots, seats) } else { (0, 0) };
        let subjects = (0..seats_of_bots).map(Subject::Seat);
        let subjects = subjects.chain((0..seats).map(Subject::TurnPosition));
        let subjects = subjects.chain((0..bots).map(Subject::Bot));
        let wins = subjects.map(|subject| ComparedMetric { metric: Metric::WinShare, subject });
        let metrics = wins.chain(GAME_METRICS.map(ComparedMetric::of_game)).collect();
        Self { metrics, ..Self::default() }
    }

    /// Returns the win share and the score of the first bot.
    pub fn of_first_bot() -> Self {
        let of_bot = |metric| ComparedMetric { metric, subject: Subject::Bot(0) };
        let metrics = [Metric::WinShare, Metric::Score].map(of_bot).into();
        Self { metrics, ..Self::default() }
    }

    /// Returns the metrics of a game and of its items under several data files, between this many
    /// distinct bots.
    pub fn new(catalogs: &[&ItemCatalog], seats: usize, bots: usize) -> Self {
        let mut compared = Self::for_game(seats, bots);
        let catalog = ItemCatalog::merged(catalogs.iter().copied());
        let own_ids = |own: &&ItemCatalog| {
            let own_id = |item| own.find(catalog.table(item).name, &catalog.item(item).name);
            catalog.ids().map(own_id).collect()
        };
        compared.own_ids = catalogs.iter().map(own_ids).collect();
        compared.metrics.extend(catalog.tables().iter().flat_map(item_metrics));
        compared.catalog = catalog;
        compared
    }

    /// Leaves out the metrics of all items but these.
    #[must_use]
    pub fn with_only(mut self, items: &[ItemId]) -> Self {
        self.metrics.retain(|metric| metric.item().is_none_or(|item| items.contains(&item)));
        self
    }

    /// Returns true if a data file has an item.
    pub fn has_item(&self, file: usize, item: ItemId) -> bool {
        self.own_ids[file][item.index()].is_some()
    }

    /// Returns the number of observations of each metric and their sum in one block under one of
    /// the data files.
    pub fn block_observations(
        &self,
        file: usize,
        block: &Tally,
    ) -> impl Iterator<Item = (i64, i64)> {
        self.metrics.iter().map(move |&ComparedMetric { metric, subject }| {
            let own_subject = match subject {
                Subject::Item(item) => self.own_ids[file][item.index()].map(Subject::Item),
                _ => Some(subject),
            };
            own_subject.map_or((0, 0), |subject| observations(metric, subject, block))
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
        metrics.into_iter().flatten().map(move |metric| ComparedMetric { metric, subject })
    })
}

/// Returns the number of observations of a metric and their sum; none if the metric does not apply
/// to the subject.
fn observations(metric: Metric, subject: Subject, block: &Tally) -> (i64, i64) {
    let Tally { games, health, bots, turn_order, items, .. } = block;
    let ratio = match (subject, metric) {
        (Subject::Bot(bot), Metric::WinShare) => &bots[bot][ALL_SEATS].wins,
        (Subject::Bot(bot), Metric::Score) => &bots[bot][ALL_SEATS].scores.ratio,
        (Subject::Game, Metric::SharedWins) => &health.shared_wins,
        (Subject::Game, Metric::NobodyWon) => &health.nobody_won,
        (Subject::Game, Metric::HitRoundLimit) => &health.capped,
        (Subject::Game, Metric::Rounds) => &health.rounds.ratio,
        (Subject::Game, Metric::Decisions) => &health.decisions.ratio,
        (Subject::Game, Metric::Branching) => &health.branching.ratio,
        (Subject::Game, Metric::WinningScore) => &health.winning_scores.ratio,
        (Subject::Game, Metric::WinningMargin) => &health.winning_margins.ratio,
        (Subject::Game, Metric::LeadChanges) => &health.lead_changes.ratio,
        (Subject::Game, Metric::LeaderAtHalfWins) => &health.leaders_at_half,
        (Subject::Item(item), Metric::TakenPerOffer) => &items[item.index()].taken,
        (Subject::Item(item), Metric::TakersWinShare) => &items[item.index()].wins_with,
        (Subject::Item(item), Metric::Points) => &items[item.index()].points.ratio,
        (Subject::Item(item), Metric::TakenPerGame) => {
            return (*games as i64, items[item.index()].times_taken);
        }
        (Subject::Seat(seat), Metric::WinShare) => {
            return sum(bots.iter().map(|seats| &seats[seat].wins));
        }
        (Subject::TurnPosition(position), Metric::WinShare) => {
            return sum(turn_order.iter().map(|positions| &positions[position].wins));
        }
        (Subject::Game, Metric::Score) => {
            return sum(bots.iter().map(|seats| &seats[ALL_SEATS].scores.ratio));
        }
        _ => return (0, 0),
    };
    ratio.totals()
}

fn sum<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> (i64, i64) {
    ratios.fold((0, 0), |(n, x), ratio| (n + ratio.n, x + ratio.x))
}
