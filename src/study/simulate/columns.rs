//! Columns that several tables of a run have.

use crate::study::shared::prelude::*;

/// Format of scores and their means.
pub(super) const POINTS: Unit = Unit::Decimals(2);

impl<R> Columns<R> {
    /// Adds a win rate with its interval.
    pub(super) fn win_rate(self, value: impl Fn(&R) -> Estimate + 'static) -> Self {
        self.percent("win rate", "Mean win share.", value).ci("ci")
    }

    /// Adds a mean score.
    pub(super) fn mean_score(self, value: impl Fn(&R) -> Estimate + 'static) -> Self {
        self.estimate("mean score", POINTS, "Mean final score.", value).measured_in("points")
    }

    /// Adds the win rate of a group of seats.
    pub(super) fn group_win_rate(
        self,
        group: &str,
        description: &str,
        wins: impl Fn(&R) -> &Ratio + 'static,
    ) -> Self {
        let heading = (format!("{group}_win_rate"), format!("win rate {group}"));
        self.percent(heading, description, move |row| wins(row).rate(UNITS_PER_WIN))
            .n((format!("{group}_n"), format!("n {group}")))
            .ci(format!("{group}_ci"))
    }
}
