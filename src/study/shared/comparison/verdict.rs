//! Verdicts on differences: whether a change is significant, and whether it is large enough to
//! matter, as separate questions.

use crate::study::shared::prelude::*;

watershed_engine::named! {
    pub(crate) enum DifferenceVerdict {
        /// Significant, and the whole interval is beyond the margin.
        Matters = "matters",
        /// Significant; the interval does not exclude that it is below the margin, or there is no
        /// margin.
        Differs = "differs",
        /// Significant, and the whole interval is within the margin.
        TooSmall = "too_small",
        /// Not significant, and the whole interval is within the margin.
        Equal = "equal",
        /// Not significant, and a change beyond the margin is possible.
        Open = "open",
    }
}

impl DifferenceVerdict {
    /// Judges a difference; `None` if it has no interval.
    pub(crate) fn new(tested: &TestedEffect, margin: Option<f64>) -> Option<Self> {
        let estimate = tested.effect.estimate();
        if !estimate.low.is_finite() || !estimate.high.is_finite() {
            return None;
        }
        let is_within =
            margin.is_some_and(|margin| -margin < estimate.low && estimate.high < margin);
        let is_beyond =
            margin.is_some_and(|margin| estimate.high < -margin || margin < estimate.low);
        Some(match (tested.is_significant(), is_within) {
            (true, true) => Self::TooSmall,
            (true, false) if is_beyond => Self::Matters,
            (true, false) => Self::Differs,
            (false, true) => Self::Equal,
            (false, false) => Self::Open,
        })
    }

    /// Returns the verdict for sentences.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Matters => "matters",
            Self::Differs => "significant",
            Self::TooSmall => "significant, too small to matter",
            Self::Equal => "no change that matters",
            Self::Open => "not decided",
        }
    }

    /// Returns the mark in terminal text: `**` if the change matters, `*` if significant, `=` if
    /// within the margin.
    pub(crate) const fn mark(self) -> &'static str {
        match self {
            Self::Matters => "**",
            Self::Differs => "*",
            Self::TooSmall => "*=",
            Self::Equal => "=",
            Self::Open => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::paired::Effect;

    #[test]
    fn significance_and_relevance_are_separate() {
        let verdict = |value: f64, standard_error: f64, p_holm: f64, margin| {
            let effect = Effect::new(1000, value, standard_error, 999.0);
            DifferenceVerdict::new(&TestedEffect { effect, p_holm, sign_differs: false }, margin)
        };
        let margin = Some(0.01);
        assert_eq!(verdict(0.05, 0.005, 0.001, margin), Some(DifferenceVerdict::Matters));
        assert_eq!(verdict(-0.05, 0.005, 0.001, margin), Some(DifferenceVerdict::Matters));
        assert_eq!(verdict(0.015, 0.005, 0.003, margin), Some(DifferenceVerdict::Differs));
        assert_eq!(verdict(0.004, 0.001, 0.001, margin), Some(DifferenceVerdict::TooSmall));
        assert_eq!(verdict(0.001, 0.002, 1.0, margin), Some(DifferenceVerdict::Equal));
        assert_eq!(verdict(0.009, 0.005, 0.1, margin), Some(DifferenceVerdict::Open));
        assert_eq!(verdict(0.05, 0.005, 0.001, None), Some(DifferenceVerdict::Differs));
        assert_eq!(verdict(0.0, 0.0, f64::NAN, margin), None, "a constant has no interval");
    }
}
