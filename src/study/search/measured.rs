//! The statistics of the games of a data file.

use std::collections::BTreeMap;

use crate::{
    arena::{item_effects::ItemEffectsTally, tally::Tally},
    experiments::plan::Plan,
    stats::{Merge, ratio::Ratio},
};

/// The statistics of games from which figures are.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) tally: Tally,
    pub(super) forks: ItemEffectsTally,
    /// The games of the seats that followed plans.
    pub(super) planned: BTreeMap<Plan, PlannedWins>,
}

impl Merge for Measured {
    fn merge(&mut self, other: &Self) {
        self.tally.merge(&other.tally);
        self.forks.merge(&other.forks);
        Merge::merge(&mut self.planned, &other.planned);
    }
}

/// The games in which one seat followed a plan.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlannedWins {
    pub(super) games: u64,
    /// Wins of the seat.
    pub(super) wins: Ratio,
}

impl Merge for PlannedWins {
    fn merge(&mut self, other: &Self) {
        self.games.merge(&other.games);
        self.wins.merge(&other.wins);
    }
}
