//! The items that are removed from the data file, and the tests of what changes without them.

use crate::study::shared::{
    comparison::analysis::{ComparisonResult, DifferenceRow, difference_of_deals},
    prelude::*,
};

/// An item that is removed from the data file, or has the values of another item.
#[derive(Clone, Debug)]
pub(crate) struct RemovedItem {
    /// Name of the item.
    pub(crate) name: String,
    /// Name of the item for people.
    pub(crate) label: String,
    /// Change of the data file: `removed` or `replaced by X`.
    pub(crate) change: String,
    /// The changed data file.
    pub(crate) document: Document,
}

/// Games without items, or with other values of items, compared with the games of the data file.
#[derive(Clone, Debug)]
pub(crate) struct RemovedItemsAnalysis<'a> {
    pub(crate) items: &'a [RemovedItem],
    /// Results of each lineup; the removed items are the variants.
    pub(crate) results: &'a [ComparisonResult],
    /// Differences by metric, lineup and removed item. Those of a metric are one family of tests.
    pub(crate) rows: Vec<DifferenceRow<'a>>,
}

impl<'a> RemovedItemsAnalysis<'a> {
    /// Metrics of charts and terminal text.
    pub(crate) const SHOWN: [Metric; 2] = [Metric::Rounds, Metric::Score];

    /// Tests the differences of all metrics.
    pub(crate) fn new(
        metrics: &ComparedMetrics,
        items: &'a [RemovedItem],
        results: &'a [ComparisonResult],
    ) -> Self {
        let rows_of = |(index, &metric): (usize, &ComparedMetric)| {
            let sums = results.iter().flat_map(move |result| {
                let variants = result.tally.differences.iter().enumerate();
                variants.map(move |(variant, sums)| (result, variant, sums[index]))
            });
            let effects =
                sums.clone().map(|(.., sums)| difference_of_deals(metric.metric, &sums)).collect();
            let tested = sums.zip(test_effects(&[effects]));
            tested.map(move |((result, variant, sums), difference)| {
                let (estimates, flag) = (metric.metric.estimates(&sums), difference.flag());
                let (is_answered, is_complement) = (false, false);
                DifferenceRow {
                    result,
                    variant,
                    metric,
                    estimates,
                    difference,
                    flag,
                    is_answered,
                    is_complement,
                }
            })
        };
        let rows = metrics.metrics.iter().enumerate().flat_map(rows_of).collect();
        Self { items, results, rows }
    }

    /// Returns the rows of a metric of the whole game, with their indices.
    pub(crate) fn rows_of(&self, metric: Metric) -> Vec<(usize, &DifferenceRow<'a>)> {
        let is_included =
            |(_, row): &(usize, &DifferenceRow<'a>)| row.metric == ComparedMetric::of_game(metric);
        self.rows.iter().enumerate().filter(is_included).collect()
    }

    /// Returns the label of the item of a row and its change.
    pub(crate) fn label(&self, row: &DifferenceRow<'_>) -> String {
        let RemovedItem { label, change, .. } = &self.items[row.variant];
        format!("{label} {change}")
    }
}
