//! Intervals that may be looked at again and again, and runs that stop when these say enough.
//!
//! A 95 % interval is right with 95 % when one looks once, at a number of blocks that was fixed
//! before. Who looks while the run goes on, and stops when the interval pleases, is wrong more
//! often. The intervals of a *confidence sequence* hold the truth at all looks together with 95 %,
//! so that one may stop at any. Here it is the asymptotic confidence sequence of Waudby-Smith,
//! Arbour, Sinha, Kennedy and Ramdas (*Time-uniform central limit theory and asymptotic confidence
//! sequences*, Annals of Statistics 52, 2024), which follows from the normal mixture of Robbins
//! (1970): after t blocks the interval reaches √((1 + 1/(tρ²)) · ln((tρ² + 1)/α²)) standard errors,
//! ρ being fixed beforehand. As every interval by the central limit theorem it needs some blocks,
//! so nobody looks before [`FIRST_LOOK`].

use std::iter;

use serde::{Deserialize, Serialize};

use super::ratio::{Estimate, Ratio};

/// Blocks at the first look.
pub const FIRST_LOOK: u64 = 100;

/// The chance that an interval misses the truth at some look.
const ERROR: f64 = 0.05;

/// Blocks after which the intervals of a run with no wanted precision are tightest; after a hundred
/// times as many they are a sixth wider than need be.
const TIGHTEST: f64 = 1000.0;

/// Blocks at each look: those of the one before and an eighth more.
pub fn look_schedule() -> impl Iterator<Item = u64> {
    iter::successors(Some(FIRST_LOOK), |&look: &u64| look.checked_add(look / 8))
}

/// A confidence sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConfidenceSequence {
    error: f64,
    rho_squared: f64,
}

impl ConfidenceSequence {
    /// The sequence that misses the truth with a chance of `error`, and is tightest after this many
    /// blocks.
    pub fn tightest_after(blocks: f64, error: f64) -> Self {
        let log = -2.0 * error.ln();
        Self { error, rho_squared: (log + log.ln() + 1.0) / blocks }
    }

    /// How many standard errors the interval reaches after this many blocks.
    pub fn critical_value(&self, blocks: u64) -> f64 {
        let spread = blocks as f64 * self.rho_squared;
        ((1.0 + 1.0 / spread) * ((spread + 1.0).ln() - 2.0 * self.error.ln())).sqrt()
    }

    /// A rate between 0 and 1 with its interval, as [`Ratio::rate`].
    pub fn rate(&self, ratio: &Ratio, unit: i64) -> Estimate {
        ratio.rate_with_critical_value(unit, self.critical_value(ratio.blocks))
    }
}

/// What a run is to show before it may stop.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Goal {
    /// Win rates to within this many percentage points.
    #[serde(rename = "precision_pp")]
    Precision(f64),
    /// A bot that wins more or less often than the other seats at its table.
    #[serde(rename = "until_significant")]
    Significance,
}

/// The win rates that a goal is about.
#[derive(Clone, Debug)]
pub struct WinRates {
    /// The rates.
    pub rates: Vec<Ratio>,
    /// The same rates with games that nobody won split among all seats: equal players have 1 /
    /// players of these even if some games are lost by all. The difference of such a rate from 1 /
    /// players is in proportion to the difference between a bot's win rate and the mean of the
    /// other seats.
    pub split_rates: Vec<Ratio>,
    /// What a win is credited.
    pub unit: i64,
    /// Number of players.
    pub players: usize,
    /// Games of a block.
    pub games_per_block: u64,
}

impl Goal {
    /// The intervals by which the goal is judged. Those of a precision hold with 95 % each, those
    /// of a significance all together.
    pub fn confidence_sequence(self, wins: &WinRates) -> ConfidenceSequence {
        match self {
            Self::Precision(points) => {
                let fair = 1.0 / wins.players as f64;
                let variance = fair * (1.0 - fair) / wins.games_per_block as f64;
                let reach = ConfidenceSequence::tightest_after(1.0, ERROR).critical_value(1);
                ConfidenceSequence::tightest_after(
                    (variance * (100.0 * reach / points).powi(2)).max(FIRST_LOOK as f64),
                    ERROR,
                )
            }
            Self::Significance => {
                ConfidenceSequence::tightest_after(TIGHTEST, ERROR / wins.rates.len() as f64)
            }
        }
    }

    /// Whether these win rates are what is wanted.
    pub fn is_reached(self, wins: &WinRates) -> bool {
        let intervals = self.confidence_sequence(wins);
        let estimate = |rate: &Ratio| intervals.rate(rate, wins.unit);
        match self {
            Self::Precision(points) => wins
                .rates
                .iter()
                .map(estimate)
                .all(|estimate| estimate.high - estimate.low <= 2.0 * points / 100.0),
            Self::Significance => {
                let even = 1.0 / wins.players as f64;
                wins.split_rates
                    .iter()
                    .map(estimate)
                    .any(|estimate| estimate.high < even || estimate.low > even)
            }
        }
    }

    /// The look at which the goal is reached if what comes is like what has been, or none up to
    /// `most` blocks.
    pub fn expected_blocks(self, wins: &WinRates, most: u64) -> Option<u64> {
        let so_far = wins.rates.iter().map(|rate| rate.blocks).max().unwrap_or(0);
        let reached_at = |look: u64| {
            let [rates, split_rates] = [&wins.rates, &wins.split_rates].map(|rates| {
                rates.iter().map(|rate| rate.scaled_to_blocks(look, so_far)).collect()
            });
            self.is_reached(&WinRates { rates, split_rates, ..wins.clone() })
        };
        look_schedule()
            .take_while(|&look| look <= most)
            .find(|&look| look >= so_far && reached_at(look))
    }
}
