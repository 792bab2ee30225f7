//! The searches with which a game is reviewed, in the terminal and on the page.

use std::sync::atomic::AtomicBool;

use super::{ledger::Annotator, pair_search::PairedSearches, reason::Reasoner};
use crate::{
    bots::{BotFactory, profile::BotLibrary},
    config::ConfigError,
    search::calibration::FittedMaps,
};

/// Iterations of the searches that estimate luck, unless those of decisions have fewer.
pub const LUCK_ITERATIONS: u32 = 200;
/// Number of times that the budget of the searches of a decision can double.
pub const DOUBLINGS: u32 = 4;

/// The searches of a review: the strongest bot with a budget, and with larger ones where two
/// searches differ.
#[derive(Clone, Debug)]
pub struct ReviewSearches {
    luck: BotFactory,
    /// The searches of decisions, the smallest budget first.
    decisions: Vec<BotFactory>,
    iterations: u32,
    reasoner: Reasoner,
}

impl ReviewSearches {
    /// Reads the searches with this number of iterations of each decision, at most
    /// `u32::MAX >> DOUBLINGS`.
    ///
    /// # Errors
    /// Returns an error if the library has no search.
    pub fn new(library: &BotLibrary, iterations: u32) -> Result<Self, ConfigError> {
        let search = |iterations: u32| library.read(&format!("mcts:iterations={iterations}"));
        let budgets = (0..=DOUBLINGS).map(|doublings| iterations << doublings);
        Ok(Self {
            luck: search(LUCK_ITERATIONS.min(iterations))?,
            decisions: budgets.map(search).collect::<Result<_, _>>()?,
            iterations,
            reasoner: Reasoner::read(library)?,
        })
    }

    /// Returns an annotator with these searches and a seed, which ends when `stop` becomes true.
    /// Hints were given for the decisions of some events.
    pub fn annotator<'a>(
        &'a self,
        seed: u64,
        hinted: &'a [usize],
        stop: &'a AtomicBool,
    ) -> Annotator<'a> {
        let searches = PairedSearches { bots: &self.decisions };
        let (luck_search, reasoner) = (&self.luck, &self.reasoner);
        Annotator { searches, luck_search, seed, hinted, reasoner, stop }
    }

    /// Returns the number of iterations of each decision.
    pub const fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Returns the maps of the win chances; `None` if these are not calibrated.
    pub fn calibration(&self) -> Option<Vec<FittedMaps>> {
        // Notes say that the networks were adapted to other data, for which there are no maps.
        let is_known = self.decisions[0].notes().is_empty();
        let calibration = self.decisions[0].calibration();
        let fitted = calibration.nearest(self.iterations.into()).to_vec();
        (is_known && calibration.has_maps()).then_some(fitted)
    }
}
