//! Equivalence of two values within a margin, and the number of blocks that a question needs.
//!
//! *Equal within a margin* is the result of two one-sided tests (TOST; Schuirmann, *Journal of
//! Pharmacokinetics and Biopharmaceutics* 15, 1987): the difference is significantly above −margin
//! and significantly below margin, each at 5 %. This is the same as a 90 % interval inside the
//! margin.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{holm::SIGNIFICANCE_LEVEL, paired::Effect, student};

/// Probability with which a run of the recommended length decides its question.
pub const DEFAULT_POWER: f64 = 0.9;

/// Result of a test of a difference together with a test of equivalence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// The values are equal within the margin.
    Equal,
    /// The values differ significantly, and may differ by more than the margin.
    Different,
    /// Neither is shown.
    Open,
}

/// Returns the p-value of the two one-sided tests that a difference lies between −margin and
/// margin; not a number if there is no test.
pub fn tost_p(effect: &Effect, margin: f64) -> f64 {
    if !effect.is_testable() {
        return f64::NAN;
    }
    let t = (margin - effect.value.abs()) / effect.standard_error;
    let tail = student::two_sided_p(t, effect.degrees_of_freedom) / 2.0;
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// Returns the p-value of the one-sided test that a difference is larger than a margin, with either
/// sign; not a number if there is no test.
pub fn beyond_p(effect: &Effect, margin: f64) -> f64 {
    if !effect.is_testable() {
        return f64::NAN;
    }
    let t = (effect.value.abs() - margin) / effect.standard_error;
    // The sign is that of the estimate, so both sides are tested.
    let p = student::two_sided_p(t, effect.degrees_of_freedom);
    if t > 0.0 { p } else { 1.0 }
}

impl Equivalence {
    /// Decides from the p-values of the test of a difference and of the test of equivalence. Values
    /// that are equal within the margin are so even if they differ significantly.
    pub fn decide(p_different: f64, p_equal: f64) -> Self {
        if p_equal < SIGNIFICANCE_LEVEL {
            Self::Equal
        } else if p_different < SIGNIFICANCE_LEVEL {
            Self::Different
        } else {
            Self::Open
        }
    }
}

/// A question for which the number of blocks is to be found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PowerGoal {
    /// Find a difference of this size.
    Detect(f64),
    /// Show that there is no difference of this size, if there is none at all.
    Equivalence(f64),
}

impl PowerGoal {
    /// Returns the number of blocks with which the goal is reached with probability `power`, given
    /// the variance of a block's difference: (z₁ + z₂)² · variance / size². `tests` is the number
    /// of tests: of differences that are corrected for each other, or of equivalences that must all
    /// be shown.
    pub fn blocks(self, variance: f64, power: f64, tests: usize) -> f64 {
        let z = |probability: f64| Normal::standard().inverse_cdf(probability);
        let tests = tests.max(1) as f64;
        let (size, quantiles) = match self {
            Self::Detect(size) => (size, z(1.0 - SIGNIFICANCE_LEVEL / 2.0 / tests) + z(power)),
            // Without a difference both one-sided tests may fail.
            Self::Equivalence(size) => {
                (size, z(1.0 - SIGNIFICANCE_LEVEL) + z(1.0 - (1.0 - power) / 2.0 / tests))
            }
        };
        quantiles.powi(2) * variance / (size * size)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    #[test]
    fn values_are_equal_if_the_90_percent_interval_is_within_the_margin() {
        // The 95 % quantile of Student's t with 99 degrees of freedom is 1.66039.
        for (value, expected) in [(0.0, true), (0.3395, true), (0.3397, false), (-0.3397, false)] {
            let effect = Effect::new(100, value, 1.0 / 1.66039 * 0.6604, 99.0);
            let p = tost_p(&effect, 1.0);
            assert_eq!(p < 0.05, expected, "{value}: {p}");
        }
        assert!(tost_p(&Effect::new(100, 2.0, 1.0, 99.0), 1.0) > 0.8);
        assert!(tost_p(&Effect::unknown(5), 1.0).is_nan());
    }

    #[test]
    fn equivalence_takes_precedence() {
        assert_eq!(Equivalence::decide(0.01, 0.01), Equivalence::Equal);
        assert_eq!(Equivalence::decide(0.01, 0.2), Equivalence::Different);
        assert_eq!(Equivalence::decide(0.2, 0.2), Equivalence::Open);
        assert_eq!(Equivalence::decide(f64::NAN, f64::NAN), Equivalence::Open);
    }

    /// First less second place with two players: (1.645 + 1.645)² · 0.96 / 0.01² is about 104,000
    /// games, and (1.960 + 1.282)² · 0.96 / 0.01² about 100,900.
    #[test]
    fn numbers_of_blocks_equal_the_textbook_formula() {
        assert_close(PowerGoal::Equivalence(0.01).blocks(0.96, 0.9, 1), 103_892.0, 50.0);
        assert_close(PowerGoal::Detect(0.01).blocks(0.96, 0.9, 1), 100_871.0, 50.0);
        let [one, three] = [1, 3].map(|tests| PowerGoal::Detect(0.01).blocks(0.96, 0.9, tests));
        assert_close(three / one, (2.3940_f64 + 1.2816).powi(2) / 10.5074, 1e-3);
    }
}
