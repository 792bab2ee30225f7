//! Confidence sequences, and runs that stop when their goal is reached.
//!
//! A 95 % confidence interval is valid for one look after a fixed number of blocks. For a run that
//! stops as soon as its intervals are narrow enough, ordinary intervals are too narrow. The
//! intervals of a *confidence sequence* contain the true value at all looks simultaneously with a
//! probability of 95 %, so a run may stop at any look.
//!
//! This is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
//! (*Time-uniform central limit theory and asymptotic confidence sequences*, Annals of Statistics
//! 52, 2024), from the normal mixture of Robbins (1970): after t blocks, the half-width of the
//! interval is √((1 + 1/(tρ²)) · ln((tρ² + 1)/α²)) standard errors, with a constant ρ. The method
//! relies on the central limit theorem, so the first look is after [`FIRST_LOOK`] blocks.

use std::iter;

use serde::{Deserialize, Serialize};

use super::{
    ratio::{Estimate, Ratio},
    student,
};

/// Number of blocks at the first look.
pub const FIRST_LOOK: u64 = 100;

/// Probability α that the true value is outside the interval at any look.
const ALPHA: f64 = 0.05;

/// Number of blocks at which the intervals of [`StoppingCriterion::Significance`] are narrowest.
/// After 100 times as many blocks they are about 1/6 wider than the narrowest possible.
const NARROWEST_AFTER: f64 = 1000.0;

/// Returns the number of blocks at each look, which grows by 1/8.
pub fn look_schedule() -> impl Iterator<Item = u64> {
    iter::successors(Some(FIRST_LOOK), |&look: &u64| look.checked_add(look / 8))
}

/// A confidence sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConfidenceSequence {
    alpha: f64,
    rho_squared: f64,
    /// The largest number of blocks, if there is one, and the error probability of its interval.
    last: Option<(u64, f64)>,
}

impl ConfidenceSequence {
    /// Creates the sequence with the error probability `alpha` that is narrowest after this many
    /// blocks: ρ² = (−2 ln α + ln(−2 ln α) + 1) / blocks.
    pub fn narrowest_after(blocks: f64, alpha: f64) -> Self {
        let log = -2.0 * alpha.ln();
        Self { alpha, rho_squared: (log + log.ln() + 1.0) / blocks, last: None }
    }

    /// Creates a sequence for at most this many blocks. The looks before the last one have a fifth
    /// of the error probability of 5 %, and half-widths of about 3.6 standard errors. The interval
    /// of the last look is hardly wider than that of a single look: 2.06 standard errors instead of
    /// 1.96.
    pub fn up_to(blocks: u64) -> Self {
        let early = ALPHA / 5.0;
        let last = Some((blocks, ALPHA - early));
        Self { last, ..Self::narrowest_after(blocks as f64 / 2.0, early) }
    }

    /// Returns the half-width of the interval after this many blocks, in standard errors.
    pub fn critical_value(&self, blocks: u64) -> f64 {
        if let Some((last, alpha)) = self.last
            && blocks >= last
        {
            return student::quantile(1.0 - alpha / 2.0, blocks as f64 - 1.0);
        }
        let mixture = blocks as f64 * self.rho_squared;
        ((1.0 + 1.0 / mixture) * ((mixture + 1.0).ln() - 2.0 * self.alpha.ln())).sqrt()
    }

    /// Returns a rate between 0 and 1 with its interval; see [`Ratio::rate`].
    pub fn rate(&self, ratio: &Ratio, unit: i64) -> Estimate {
        ratio.rate_with_critical_value(unit, self.critical_value(ratio.blocks))
    }
}

/// The stopping criterion of a run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum StoppingCriterion {
    /// The intervals of all win rates have at most this half-width, in percentage points.
    #[serde(rename = "precision_pp")]
    Precision(f64),
    /// The win rate of at least one bot differs significantly from the mean of the other seats.
    #[serde(rename = "until_significant")]
    Significance,
}

/// The win rates to which a goal applies.
#[derive(Clone, Debug)]
pub struct WinRates {
    /// Win shares of each bot, or of each seat.
    pub rates: Vec<Ratio>,
    /// The same with games without a winner divided among all seats. The rate of equal players is
    /// then 1 / players. The difference of a rate from 1 / players is proportional to the
    /// difference between the win rate of the bot and the mean of the other seats.
    pub split_rates: Vec<Ratio>,
    /// Units of a win.
    pub unit: i64,
    /// Number of players.
    pub players: usize,
    /// Number of games in a block.
    pub games_per_block: u64,
}

impl StoppingCriterion {
    /// Returns the confidence sequence for each win rate. For [`StoppingCriterion::Precision`] the
    /// error probability applies to each rate, for [`StoppingCriterion::Significance`] to all rates
    /// together (Bonferroni).
    pub fn confidence_sequence(self, wins: &WinRates) -> ConfidenceSequence {
        match self {
            Self::Precision(points) => {
                let expected = 1.0 / wins.players as f64;
                let variance = expected * (1.0 - expected) / wins.games_per_block as f64;
                let critical = ConfidenceSequence::narrowest_after(1.0, ALPHA).critical_value(1);
                let blocks = variance * (100.0 * critical / points).powi(2);
                ConfidenceSequence::narrowest_after(blocks.max(FIRST_LOOK as f64), ALPHA)
            }
            Self::Significance => ConfidenceSequence::narrowest_after(
                NARROWEST_AFTER,
                ALPHA / wins.rates.len() as f64,
            ),
        }
    }

    /// Returns true if these win rates meet the goal.
    pub fn is_reached(self, wins: &WinRates) -> bool {
        let sequence = self.confidence_sequence(wins);
        let estimate = |rate: &Ratio| sequence.rate(rate, wins.unit);
        match self {
            Self::Precision(points) => {
                let is_precise = |rate: Estimate| rate.high - rate.low <= 2.0 * points / 100.0;
                wins.rates.iter().map(estimate).all(is_precise)
            }
            Self::Significance => {
                let expected = 1.0 / wins.players as f64;
                let differs = |rate: Estimate| rate.high < expected || rate.low > expected;
                wins.split_rates.iter().map(estimate).any(differs)
            }
        }
    }

    /// Returns the number of blocks of the look at which the goal is reached if future blocks are
    /// like the blocks so far, or none up to `max_blocks`.
    pub fn expected_blocks(self, wins: &WinRates, max_blocks: u64) -> Option<u64> {
        let so_far = wins.rates.iter().map(|rate| rate.blocks).max().unwrap_or(0);
        let is_reached_at = |look: u64| {
            let [rates, split_rates] = [&wins.rates, &wins.split_rates].map(|rates| {
                rates.iter().map(|rate| rate.scaled_to_blocks(look, so_far)).collect()
            });
            self.is_reached(&WinRates { rates, split_rates, ..wins.clone() })
        };
        look_schedule()
            .take_while(|&look| look <= max_blocks)
            .find(|&look| look >= so_far && is_reached_at(look))
    }
}
