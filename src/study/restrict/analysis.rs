//! Effects of the restrictions, tested.

use crate::{
    arena::restrict::{RestrictTally, RestrictionTally},
    report::study_page::metric_label,
    study::shared::{agreement::Agreement, convergence::PanelFigure, prelude::*},
};

/// Effects of all restrictions.
#[derive(Clone, Debug)]
pub struct RestrictAnalysis<'a> {
    /// Results of each bot.
    pub(crate) results: &'a [LineupResult<RestrictTally>],
    /// Effects by metric, lineup and restriction.
    pub(crate) rows: Vec<RestrictRow<'a>>,
}

/// Effect of a restriction on a metric.
#[derive(Clone, Debug)]
pub(crate) struct RestrictRow<'a> {
    pub(crate) lineup: &'a str,
    pub(crate) restriction: &'a str,
    pub(crate) metric: SeatMetric,
    pub(crate) tally: &'a RestrictionTally,
    /// Means without the restriction and with it.
    pub(crate) estimates: [Estimate; 2],
    /// The difference. The restrictions of a lineup are one family of tests.
    pub(crate) difference: TestedEffect,
}

impl RestrictRow<'_> {
    /// Returns the flag of the table. A significant effect has none: most restrictions cost
    /// something.
    pub(crate) fn flag(&self) -> Option<Flag> {
        self.difference.flag().filter(|flag| *flag != Flag::Significant)
    }
}

impl<'a> RestrictAnalysis<'a> {
    /// Tests the effects of the restrictions with these names; further ones have none of their own.
    pub fn new(names: &'a [String], results: &'a [LineupResult<RestrictTally>]) -> Self {
        let mut rows = Vec::new();
        for metric in SeatMetric::ALL {
            let effect = |tally: &RestrictionTally| metric.difference(&tally.sums[metric as usize]);
            let of_lineup = |LineupResult { tally, .. }: &LineupResult<RestrictTally>| {
                tally.restrictions.iter().take(names.len()).map(effect).collect()
            };
            let tested = test_effects(&results.iter().map(of_lineup).collect::<Vec<_>>());
            let restrictions = results.iter().flat_map(|LineupResult { lineup, tally, .. }| {
                let restrictions = names.iter().zip(&tally.restrictions);
                restrictions.map(move |(name, tally)| (lineup, name, tally))
            });
            let tested = restrictions.zip(tested);
            rows.extend(tested.map(|((lineup, restriction, tally), difference)| RestrictRow {
                lineup,
                restriction,
                metric,
                tally,
                estimates: metric.metric().estimates(&tally.sums[metric as usize]),
                difference,
            }));
        }
        Self { results, rows }
    }

    /// Returns the answers of the bots on the win share and the score with each restriction.
    pub(crate) fn agreement(&self) -> Agreement {
        let first = self.results.first().map(|first| first.lineup.as_str());
        let is_question = |row: &&RestrictRow<'_>| {
            Some(row.lineup) == first
                && matches!(row.metric, SeatMetric::WinShare | SeatMetric::Score)
        };
        let question = |first: &RestrictRow<'_>| {
            let is_same = |row: &&RestrictRow<'_>| {
                (row.restriction, row.metric) == (first.restriction, first.metric)
            };
            let name = format!("{}, {}", first.restriction, metric_label(first.metric).0);
            let figures = self.rows.iter().filter(is_same).map(|row| row.difference).collect();
            PanelFigure { name, metric: first.metric.metric(), figures }
        };
        let questions = self.rows.iter().filter(is_question).map(question).collect();
        Agreement::new(self.results, questions)
    }
}
