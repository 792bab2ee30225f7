//! The figures by which games that were played under different rules are compared.

use std::ops::Range;

use super::tally::{ALL_SEATS, ItemTally, Tally};
use crate::{
    game::{FullGame, ItemTable, ReportedSeats, UNITS_PER_WIN},
    stats::{
        paired::{Effect, PairedSums},
        ratio::{Estimate, Ratio},
    },
};

/// A rate or mean of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedMetric {
    /// Win rate of a seat.
    SeatWins(usize),
    /// Win rate of a place in the turn order.
    PlaceWins(usize),
    /// Win rate of a bot, by its place among the different ones.
    BotWins(usize),
    /// Games that several seats won.
    SharedWins,
    /// Games that nobody won.
    NobodyWon,
    /// Games that the round limit ended.
    Capped,
    /// Rounds per game.
    Rounds,
    /// Decisions per game.
    Decisions,
    /// Legal actions per decision.
    Branching,
    /// Final scores of all seats.
    Scores,
    /// Final scores of winners.
    WinningScores,
    /// Winners' scores less the best of the others.
    WinningMargins,
    /// How often the lead passed.
    LeadChanges,
    /// Win rate of who led alone after half the rounds.
    LeadersAtHalf,
    /// How often an item was taken per game.
    Taken(usize),
    /// How often an item was taken per offer.
    TakenPerOffer(usize),
    /// Win rate of the seats that took an item.
    TakersWins(usize),
    /// Points that an item scored itself.
    Points(usize),
}

/// The figures of a game that are no item's.
const OF_GAME: [ComparedMetric; 11] = [
    ComparedMetric::SharedWins,
    ComparedMetric::NobodyWon,
    ComparedMetric::Capped,
    ComparedMetric::Rounds,
    ComparedMetric::Decisions,
    ComparedMetric::Branching,
    ComparedMetric::Scores,
    ComparedMetric::WinningScores,
    ComparedMetric::WinningMargins,
    ComparedMetric::LeadChanges,
    ComparedMetric::LeadersAtHalf,
];

impl ComparedMetric {
    /// The figures of a game between this many different bots, those of items apart.
    pub fn of_game(seats: usize, bots: usize) -> Vec<Self> {
        let bots = if bots > 1 { bots } else { 0 };
        let wins = (0..seats)
            .map(Self::SeatWins)
            .chain((0..seats).map(Self::PlaceWins))
            .chain((0..bots).map(Self::BotWins));
        wins.chain(OF_GAME).collect()
    }

    /// The figures of an item, as far as its table can have them.
    fn of_item(item: usize, table: &ItemTable) -> impl Iterator<Item = Self> {
        let per_offer = table.offered.then_some(Self::TakenPerOffer(item));
        let takers =
            (table.reported_seats != ReportedSeats::None).then_some(Self::TakersWins(item));
        let points = table.scoring.then_some(Self::Points(item));
        [Some(Self::Taken(item)), per_offer, takers, points].into_iter().flatten()
    }

    /// The item it is of, among those of all tables.
    pub const fn item(self) -> Option<usize> {
        match self {
            Self::Taken(item)
            | Self::TakenPerOffer(item)
            | Self::TakersWins(item)
            | Self::Points(item) => Some(item),
            _ => None,
        }
    }

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeatWins(_) | Self::PlaceWins(_) | Self::BotWins(_) => "win_rate",
            Self::SharedWins => "shared_wins",
            Self::NobodyWon => "nobody_won",
            Self::Capped => "capped",
            Self::Rounds => "rounds",
            Self::Decisions => "decisions",
            Self::Branching => "branching",
            Self::Scores => "score",
            Self::WinningScores => "winning_score",
            Self::WinningMargins => "winning_margin",
            Self::LeadChanges => "lead_changes",
            Self::LeadersAtHalf => "leader_at_half_wins",
            Self::Taken(_) => "taken_per_game",
            Self::TakenPerOffer(_) => "taken_per_offer",
            Self::TakersWins(_) => "takers_win_rate",
            Self::Points(_) => "points",
        }
    }

    /// What adds up to one observation of all.
    pub const fn unit(self) -> i64 {
        match self {
            Self::SeatWins(_)
            | Self::PlaceWins(_)
            | Self::BotWins(_)
            | Self::TakersWins(_)
            | Self::LeadersAtHalf => UNITS_PER_WIN,
            _ => 1,
        }
    }

    /// Whether it lies between 0 and 1.
    pub const fn is_rate(self) -> bool {
        self.unit() == UNITS_PER_WIN
            || matches!(
                self,
                Self::SharedWins | Self::NobodyWon | Self::Capped | Self::TakenPerOffer(_)
            )
    }

    /// The figure on both sides of a comparison, each with its interval.
    pub fn side_estimates(self, paired: &PairedSums) -> [Estimate; 2] {
        if self.is_rate() {
            [&paired.control, &paired.treatment].map(|side| side.rate(self.unit()))
        } else {
            paired.means()
        }
    }

    /// The second side of a comparison minus the first.
    pub fn difference(self, paired: &PairedSums) -> Effect {
        if self.is_rate() {
            paired.difference_of_rates(self.unit())
        } else {
            paired.difference(self.unit())
        }
    }
}

/// A table of items of several data files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedItemTable {
    /// The table as the first file that has it gives it; its items are those of all files.
    pub table: ItemTable,
    /// The item that its first has among those of all tables.
    pub first: usize,
}

impl MergedItemTable {
    /// Its items among those of all tables.
    pub fn items(&self) -> Range<usize> {
        self.first..self.first + self.table.items.len()
    }
}

/// What is compared of a game under several data files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedMetrics {
    /// All figures, those of the game before those of items.
    pub metrics: Vec<ComparedMetric>,
    /// The tables of items.
    pub tables: Vec<MergedItemTable>,
    /// For each data file, which of its own items each item of [`ComparedMetrics::tables`] is;
    /// items are the same if table and name are.
    items: Vec<Vec<Option<usize>>>,
}

impl ComparedMetrics {
    /// The figures of a game whatever its data file, between this many different bots.
    pub fn for_game(seats: usize, bots: usize) -> Self {
        Self {
            metrics: ComparedMetric::of_game(seats, bots),
            tables: Vec::new(),
            items: Vec::new(),
        }
    }

    /// The win rate of the first bot alone.
    pub fn first_bot_win_rate() -> Self {
        Self { metrics: vec![ComparedMetric::BotWins(0)], tables: Vec::new(), items: Vec::new() }
    }

    /// The figures of a game and of its items under several data files, between this many different
    /// bots.
    pub fn new<G: FullGame>(games: &[G], bots: usize) -> Self {
        let tables_of: Vec<Vec<ItemTable>> = games.iter().map(G::tables).collect();
        let mut tables: Vec<ItemTable> = Vec::new();
        for table in tables_of.iter().flatten() {
            match tables.iter_mut().find(|known| known.name == table.name) {
                None => tables.push(table.clone()),
                Some(known) => {
                    let new: Vec<_> = table
                        .items
                        .iter()
                        .filter(|(name, _)| known.items.iter().all(|(known, _)| known != name))
                        .collect();
                    known.items.extend(new.into_iter().cloned());
                }
            }
        }
        let names = |tables: &[ItemTable]| -> Vec<(&'static str, String)> {
            tables
                .iter()
                .flat_map(|table| table.items.iter().map(|(name, _)| (table.name, name.clone())))
                .collect()
        };
        let all = names(&tables);
        let own: Vec<_> = tables_of.iter().map(|tables| names(tables)).collect();
        let items = own
            .iter()
            .map(|own| all.iter().map(|item| own.iter().position(|own| own == item)).collect())
            .collect();
        let firsts = tables
            .iter()
            .scan(0, |next, table| Some(std::mem::replace(next, *next + table.items.len())))
            .collect::<Vec<_>>();
        let tables: Vec<_> = tables
            .into_iter()
            .zip(firsts)
            .map(|(table, first)| MergedItemTable { table, first })
            .collect();
        let mut figures = ComparedMetric::of_game(games.first().map_or(0, G::seats), bots);
        for MergedItemTable { table, first } in &tables {
            figures.extend(
                (0..table.items.len())
                    .flat_map(|item| ComparedMetric::of_item(first + item, table)),
            );
        }
        Self { metrics: figures, tables, items }
    }

    /// Whether a data file has an item.
    pub fn has_item(&self, file: usize, item: usize) -> bool {
        self.items[file][item].is_some()
    }

    /// What one block brought under one of the data files: the observations of each figure and what
    /// they add up to.
    pub(crate) fn block_observations(
        &self,
        file: usize,
        block: &Tally,
    ) -> impl Iterator<Item = (i64, i64)> {
        self.metrics.iter().map(move |&figure| self.figure_of_block(figure, file, block))
    }

    fn figure_of_block(&self, figure: ComparedMetric, file: usize, block: &Tally) -> (i64, i64) {
        let item = |item: usize, sums: fn(&ItemTally) -> (i64, i64)| {
            self.items[file][item].map_or((0, 0), |own| sums(&block.items[own]))
        };
        match figure {
            ComparedMetric::SeatWins(seat) => sum(block.bots.iter().map(|seats| &seats[seat].wins)),
            ComparedMetric::PlaceWins(place) => {
                sum(block.turn_order.iter().map(|places| &places[place].wins))
            }
            ComparedMetric::BotWins(bot) => pair(&block.bots[bot][ALL_SEATS].wins),
            ComparedMetric::SharedWins => pair(&block.health.shared_wins),
            ComparedMetric::NobodyWon => pair(&block.health.nobody_won),
            ComparedMetric::Capped => pair(&block.health.capped),
            ComparedMetric::Rounds => pair(&block.health.rounds.ratio),
            ComparedMetric::Decisions => pair(&block.health.decisions.ratio),
            ComparedMetric::Branching => pair(&block.health.branching.ratio),
            ComparedMetric::Scores => {
                sum(block.bots.iter().map(|seats| &seats[ALL_SEATS].scores.ratio))
            }
            ComparedMetric::WinningScores => pair(&block.health.winning_scores.ratio),
            ComparedMetric::WinningMargins => pair(&block.health.winning_margins.ratio),
            ComparedMetric::LeadChanges => pair(&block.health.lead_changes.ratio),
            ComparedMetric::LeadersAtHalf => pair(&block.health.leaders_at_half),
            ComparedMetric::Taken(index) => self.items[file][index]
                .map_or((0, 0), |own| (block.games as i64, block.items[own].times_taken)),
            ComparedMetric::TakenPerOffer(index) => item(index, |item| pair(&item.taken)),
            ComparedMetric::TakersWins(index) => item(index, |item| pair(&item.wins_with)),
            ComparedMetric::Points(index) => item(index, |item| pair(&item.points.ratio)),
        }
    }
}

fn pair(ratio: &Ratio) -> (i64, i64) {
    (ratio.n, ratio.x)
}

fn sum<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> (i64, i64) {
    ratios.fold((0, 0), |(n, x), ratio| (n + ratio.n, x + ratio.x))
}
