//! The statistics of a run: results by seat and turn position, items, openings and the course of
//! games.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use rustc_stable_hash::StableSipHasher128;
use serde::{Deserialize, Serialize};

use super::{
    health::Health, play_statistics::PlayStatistics, resources::ResourcesTally, rounds::RoundsTally,
};
use crate::{
    game::{ItemCatalog, MAX_SEATS, PerSeat, UNITS_PER_WIN},
    stats::{
        Merge,
        mean::MeanSums,
        pairs,
        ratio::{Estimate, Products, Ratio},
        subset::difference_from_whole,
        tally,
    },
};

/// Largest opening depth.
pub const MAX_OPENING_DEPTH: usize = 4;

/// Returns the number of steps of an opening of this depth: the starter and `depth` placements.
pub const fn opening_steps(depth: usize) -> usize {
    1 + depth
}

/// Largest number of steps of an opening.
pub(super) const MAX_OPENING_STEPS: usize = opening_steps(MAX_OPENING_DEPTH);

/// Largest number of openings that are counted separately. Of more openings, those with the largest
/// hashes are counted together.
pub(super) const MAX_OPENINGS: usize = 500_000;

/// The first steps of a seat, followed by zeros.
pub type OpeningSteps = [u8; MAX_OPENING_STEPS];

/// A turn position, 0 for the first player, and the first steps of the seat that has it. Openings
/// are ordered by hash. If a [`Tally`] is full, the openings with the smallest hashes are kept, so
/// the result does not depend on the order and grouping of games: the smallest of all are among the
/// smallest of every part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "(u8, OpeningSteps)", into = "(u8, OpeningSteps)")]
pub struct Opening {
    hash: u64,
    turn_position: u8,
    steps: OpeningSteps,
}

impl Opening {
    /// Creates the opening of a turn position.
    pub fn new(turn_position: u8, steps: OpeningSteps) -> Self {
        let mut hasher = StableSipHasher128::new();
        (turn_position, steps).hash(&mut hasher);
        Self { hash: Hasher::finish(&hasher), turn_position, steps }
    }

    /// Returns the turn position, 0 for the first player.
    pub fn turn_position(&self) -> usize {
        self.turn_position.into()
    }

    /// Returns the first steps.
    pub fn steps(&self) -> &OpeningSteps {
        &self.steps
    }
}

impl From<(u8, OpeningSteps)> for Opening {
    fn from((turn_position, steps): (u8, OpeningSteps)) -> Self {
        Self::new(turn_position, steps)
    }
}

impl From<Opening> for (u8, OpeningSteps) {
    fn from(opening: Opening) -> Self {
        (opening.turn_position, opening.steps)
    }
}

tally! {
    /// Results of a bot, in one seat or in all seats. The unit of win shares is
    /// 1/[`UNITS_PER_WIN`], so [`BotTally::wins`]`.rate(UNITS_PER_WIN)` is the win rate.
    #[derive(Copy)]
    pub struct BotTally {
        /// Win shares.
        pub wins: Ratio,
        /// Win shares, less what those of all seats together exceed one win by, divided by the
        /// players, so that a game without a winner is divided among all seats. The mean of equal
        /// bots is 1 / players in every game.
        pub split_wins: Ratio,
        /// Final scores.
        pub scores: MeanSums,
        /// Sum of the squared final scores.
        pub squared_scores: i64,
        /// Twice the ranks, from 1; equal scores have the mean of their ranks.
        pub ranks: MeanSums,
        /// Final score minus the best score of the others.
        pub margins: MeanSums,
        /// Games that it forfeited.
        pub forfeits: u64,
    }

    /// Events of an item, and results of the seats that took it and of those that did not.
    #[derive(Copy)]
    pub struct ItemTally {
        /// Number of times it was taken.
        pub times_taken: i64,
        /// Offers, and those at which it was taken; empty for items that are not offered.
        pub taken: Ratio,
        /// Number of times it was reserved.
        pub reserved: i64,
        /// Rounds in which it was taken.
        pub rounds: MeanSums,
        /// Position among the items of its table that were taken in the same round, from 1.
        pub positions: MeanSums,
        /// Win shares of the seats that took it.
        pub wins_with: Ratio,
        /// Win shares of the seats to which it was available and that did not take it.
        pub wins_without: Ratio,
        /// Final scores of the seats that took it.
        pub scores_with: MeanSums,
        /// Points that it scored itself.
        pub points: MeanSums,
    }

    /// Results at a turn position.
    #[derive(Copy)]
    pub struct ResultTally {
        /// Win shares.
        pub wins: Ratio,
        /// Final scores.
        pub scores: MeanSums,
    }

    /// Results of an opening.
    #[derive(Copy)]
    pub struct OpeningTally {
        /// Win shares.
        pub wins: Ratio,
        /// Final scores.
        pub scores: MeanSums,
        /// Products with the win shares of all games of the turn position.
        pub products: Products,
    }
}

/// Results by opening.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OpeningTallies {
    /// Results of each opening.
    #[serde(with = "pairs")]
    pub kept: BTreeMap<Opening, OpeningTally>,
    /// Results by turn position of the openings that exceed the limit, together.
    pub others: PerSeat<OpeningTally>,
}

impl OpeningTallies {
    pub(super) fn add(&mut self, opening: Opening, results: &OpeningTally) {
        self.kept.entry(opening).or_default().merge(results);
        if self.kept.len() > MAX_OPENINGS
            && let Some((last, results)) = self.kept.pop_last()
        {
            self.others[last.turn_position()].merge(&results);
        }
    }
}

impl Merge for OpeningTallies {
    fn merge(&mut self, other: &Self) {
        for (&opening, results) in &other.kept {
            self.add(opening, results);
        }
        self.others.merge(&other.others);
    }
}

tally! {
    /// The statistics of a run. The tallies of its shards add up to the tally of the run. The unit
    /// of all win shares is 1/[`UNITS_PER_WIN`].
    pub struct Tally {
        /// Completed blocks.
        pub blocks: u64,
        /// Games.
        pub games: u64,
        /// Number of chance outcomes and decisions.
        pub events: u64,
        /// Length, choices and leads of the games.
        pub health: Health,
        /// Results of each distinct bot, in the order of the lineup, by seat and at [`ALL_SEATS`]
        /// in total.
        pub bots: Vec<[BotTally; MAX_SEATS + 1]>,
        /// Results of each distinct bot by turn position.
        pub turn_order: Vec<[ResultTally; MAX_SEATS]>,
        /// Results of each item, by [`ItemId::index`](crate::game::ItemId::index).
        pub items: Vec<ItemTally>,
        /// Results by opening.
        pub openings: OpeningTallies,
        /// Win shares by turn position, of all bots; empty if openings are not counted.
        pub turn_positions: PerSeat<Ratio>,
        /// Round metrics; empty for a game without any.
        pub round_metrics: RoundsTally,
        /// Choices between items, items by round, and leads.
        pub play: PlayStatistics,
        /// Flow of resources; empty without [`play`](Self::play) and for a game without resources.
        pub resources: ResourcesTally,
    }
}

/// Index in [`Tally::bots`] of the results in all seats.
pub const ALL_SEATS: usize = MAX_SEATS;

impl Tally {
    /// Creates an empty tally for these numbers of distinct bots and items.
    pub fn new(bots: usize, items: usize) -> Self {
        let (bots, turn_order) = (vec![Default::default(); bots], vec![Default::default(); bots]);
        Self { bots, turn_order, items: vec![ItemTally::default(); items], ..Self::default() }
    }

    /// Creates an empty tally for a game between this many distinct bots.
    pub fn for_game(catalog: &ItemCatalog, bots: usize) -> Self {
        Self::new(bots, catalog.len())
    }

    /// Returns the win rate of an opening minus the win rate of its turn position.
    pub fn opening_difference(&self, turn_position: usize, opening: &OpeningTally) -> Estimate {
        difference_from_whole(
            &opening.wins,
            &self.turn_positions[turn_position],
            &opening.products,
            UNITS_PER_WIN,
        )
    }
}
