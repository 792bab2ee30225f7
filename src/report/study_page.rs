//! The results of a study on its page, and the formats of metrics and their differences.

use maud::Markup;

use super::{
    chart::{IntervalChart, IntervalRow},
    data_table::{Columns, Heading, Value},
    html::{Section, Unit},
};
use crate::{
    arena::metric::{Metric, SeatMetric},
    stats::{flags::TestedEffect, holm::SIGNIFICANCE_LEVEL, paired::Effect, ratio::Estimate},
};

/// The results of a study.
#[derive(Clone, Debug)]
pub(crate) struct ReportBody {
    /// Title.
    pub title: String,
    /// The main result.
    pub lead: Markup,
    /// Sentences on whether several bots agree with it.
    pub labels: Markup,
    /// The picture that follows it; empty if the first section has one.
    pub picture: Markup,
    /// All other results.
    pub sections: Vec<Section>,
}

/// Returns the name of a metric for people, and the format of its differences.
pub(crate) const fn metric_label(metric: SeatMetric) -> (&'static str, Unit) {
    match metric {
        SeatMetric::WinShare => ("win share", Unit::PercentagePoints),
        SeatMetric::Score => ("score", Unit::Signed(2)),
        SeatMetric::Rounds => ("rounds of the game", Unit::Signed(2)),
    }
}

/// Returns the format of a metric.
pub(crate) const fn metric_unit(metric: Metric) -> Unit {
    match metric {
        Metric::TakenPerGame => Unit::Decimals(4),
        _ if metric.is_rate() => Unit::Percent,
        _ => Unit::Decimals(2),
    }
}

/// Returns the format of the differences of a metric.
pub(crate) const fn difference_unit(metric: Metric) -> Unit {
    match metric {
        Metric::TakenPerGame => Unit::Signed(4),
        _ if metric.is_rate() => Unit::PercentagePoints,
        _ => Unit::Signed(2),
    }
}

/// Decimals in CSV of estimates whose unit depends on the row.
const DECIMALS: usize = 6;

impl<R> Columns<R> {
    /// Adds a column of means of different metrics.
    #[must_use]
    pub(crate) fn mean<V: Into<Option<(Estimate, Metric)>>>(
        self,
        heading: impl Into<Heading>,
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.estimate(heading, Unit::Decimals(2), description, move |row| {
            let mean = value(row).into();
            mean.map(|(mean, metric)| Value::EstimateIn(mean, metric_unit(metric)))
        })
        .decimals(DECIMALS)
    }

    /// Adds a column of differences of different metrics.
    #[must_use]
    pub(crate) fn difference<V: Into<Option<(Estimate, Metric)>>>(
        self,
        heading: impl Into<Heading>,
        description: &str,
        value: impl Fn(&R) -> V + 'static,
    ) -> Self {
        self.estimate(heading, Unit::Signed(2), description, move |row| {
            let difference = value(row).into();
            difference.map(|(value, metric)| Value::EstimateIn(value, difference_unit(metric)))
        })
        .decimals(DECIMALS)
    }
}

/// Draws differences around 0, with the names of the series.
pub(crate) fn difference_chart(
    sentence: impl Into<String>,
    unit: Unit,
    series: &[&str],
    rows: impl IntoIterator<Item = IntervalRow>,
) -> IntervalChart {
    IntervalChart::new(sentence, unit, series, rows).with_reference(0.0, "no difference")
}

/// Returns an effect for charts and tables, without observations if it has no value.
pub(crate) fn effect_estimate(effect: Effect) -> Estimate {
    estimate_if_finite(effect.estimate())
}

/// Returns an estimate, without observations if it has no value.
pub(crate) fn estimate_if_finite(estimate: Estimate) -> Estimate {
    Estimate { n: if estimate.value.is_finite() { estimate.n } else { 0 }, ..estimate }
}

/// States the number of significant effects of each sign.
pub(crate) fn significance_summary<'a>(effects: impl Iterator<Item = &'a TestedEffect>) -> String {
    let tested: Vec<_> = effects.filter(|tested| tested.p_holm.is_finite()).collect();
    let count = |sign: f64| {
        let has_sign = |tested: &&&TestedEffect| sign * tested.effect.value > 0.0;
        tested.iter().filter(|tested| tested.is_significant()).filter(has_sign).count()
    };
    let (tests, above, below) = (tested.len(), count(1.0), count(-1.0));
    match (tests, above + below) {
        (0, _) => "No test is possible: there are too few observations.".to_owned(),
        (1, 0) => {
            format!("The only test is not significant (Holm-adjusted p < {SIGNIFICANCE_LEVEL}).")
        }
        (1, _) => format!(
            "The only test is significantly {} 0 (Holm-adjusted p < {SIGNIFICANCE_LEVEL}).",
            if above == 1 { "above" } else { "below" }
        ),
        (_, 0) => format!(
            "None of {tests} tests is significant (Holm-adjusted p < {SIGNIFICANCE_LEVEL})."
        ),
        _ => format!(
            "Of {tests} tests, {above} {} significantly above 0 and {below} below (Holm-adjusted \
             p < {SIGNIFICANCE_LEVEL}).",
            if above == 1 { "is" } else { "are" }
        ),
    }
}
