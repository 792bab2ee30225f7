//! Estimates in answers.

use serde::Serialize;

use crate::stats::ratio::Estimate;

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EstimateView {
    /// Estimate.
    pub value: f64,
    /// Lower end; none if the interval is unbounded, as that of equal observations.
    pub low: Option<f64>,
    /// Upper end; none if the interval is unbounded.
    pub high: Option<f64>,
}

impl From<Estimate> for EstimateView {
    fn from(Estimate { value, low, high, .. }: Estimate) -> Self {
        let bounded = |end: f64| end.is_finite().then_some(end);
        Self { value, low: bounded(low), high: bounded(high) }
    }
}
