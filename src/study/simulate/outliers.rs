//! Items whose owners win far more or less often than the owners of the other items of the table.

use super::{
    analysis::RunAnalysis,
    items::{OutlierSide, OwnerComparison},
    panel::PanelAnalysis,
};
use crate::study::shared::prelude::*;

/// Number of outliers that a sentence names.
const MAX_NAMED: usize = 3;

/// An outlier with its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlier<'a> {
    table: &'a ItemTable,
    item: &'a Item,
    /// Win rate of its owners.
    wins: Estimate,
    comparison: OwnerComparison,
    side: OutlierSide,
    /// True if its owners win more, or less, with the confirming bot of the panel, too, or if there
    /// is no other bot.
    is_confirmed: bool,
}

impl Outlier<'_> {
    /// Returns the distance of the win rates.
    fn size(&self) -> f64 {
        self.comparison.rates.difference.value.abs()
    }

    /// Returns the label with the win rates.
    fn rates(&self) -> String {
        let others = Unit::Percent.format_number(self.comparison.rates.others.value, 1);
        format!(
            "{} {} (n {}), others {others} %",
            self.item.label,
            format_percent(self.wins),
            group_digits(self.wins.n)
        )
    }
}

/// The outliers among the components of the data file, the largest difference first.
#[derive(Clone, Debug)]
pub(crate) struct Outliers<'a> {
    found: Vec<Outlier<'a>>,
    /// Name of the confirming bot of the panel, if it is not the one with the outliers.
    confirming: Option<&'a str>,
    /// Number of items that were compared.
    pub(crate) compared: usize,
}

impl<'a> Outliers<'a> {
    /// Finds the outliers, and asks the confirming bot of the panel for each; `None` if there is
    /// nobody to win against, or if different bots have the seats: a stronger bot takes other
    /// items, and wins for other reasons. Groups of components are left out, which would count
    /// twice.
    pub(crate) fn new(
        game: &'a BoundGame,
        analysis: &RunAnalysis<'_>,
        panel: Option<&PanelAnalysis<'a>>,
    ) -> Option<Self> {
        if game.seats() < 2 || game.is_cooperative() || !analysis.has_equal_bots() {
            return None;
        }
        let confirming = panel.and_then(PanelAnalysis::confirming);
        let of_other = confirming.map(|row| RunAnalysis::new(analysis.setup, row.tally));
        let (mut outliers, mut compared) = (Vec::new(), 0);
        for table in game.catalog().tables().iter().filter(|table| table.data_key.is_some()) {
            let comparisons = analysis.compare_owners(table);
            let of_other = of_other.as_ref().map(|other| other.compare_owners(table));
            let items = table.items.iter().zip(analysis.item_tallies(table)).zip(comparisons);
            for (index, ((item, tally), comparison)) in items.enumerate() {
                compared += usize::from(comparison.tested.p_holm.is_finite());
                let Some(side) = comparison.outlier else { continue };
                let is_confirmed = of_other.as_ref().is_none_or(|comparisons| {
                    comparisons.get(index).is_some_and(|other| other.is_of_side(side))
                });
                let wins = tally.wins_with.rate(UNITS_PER_WIN);
                outliers.push(Outlier { table, item, wins, comparison, side, is_confirmed });
            }
        }
        outliers.sort_by(|one, other| other.size().total_cmp(&one.size()));
        Some(Self { found: outliers, confirming: confirming.map(|row| row.bot), compared })
    }

    /// Returns the number of outliers.
    pub(crate) const fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns the outliers that the confirming bot confirms, or that it does not.
    fn confirmed(&self, is_confirmed: bool) -> impl Iterator<Item = &Outlier<'a>> + Clone {
        self.found.iter().filter(move |outlier| outlier.is_confirmed == is_confirmed)
    }

    /// Returns the largest distance of a confirmed win rate from the mean of all seats; 0 without
    /// one.
    pub(crate) fn largest_distance(&self, mean: f64) -> f64 {
        let distances = self.confirmed(true).map(|outlier| (outlier.wins.value - mean).abs());
        distances.fold(0.0, f64::max)
    }

    /// Returns the outliers of the first bot that the confirming bot does not confirm; `None`
    /// without one.
    pub(crate) fn unconfirmed(&self, bot: &str) -> Option<LabelledSentence> {
        let confirming = self.confirming?;
        let unconfirmed = self.confirmed(false);
        let named = unconfirmed
            .clone()
            .take(MAX_NAMED)
            .map(|outlier| format!("{} {}", outlier.item.label, format_percent(outlier.wins)));
        let named: Vec<_> = named.collect();
        let more = unconfirmed.count() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let rest = format!(
            " by {confirming}: with {bot}, seats with these win far more or less often: {}{more}.",
            named.join(", ")
        );
        (!named.is_empty()).then_some(LabelledSentence { label: "Not confirmed", rest })
    }

    /// Returns the sentence on the largest confirmed difference with this bot; empty without one.
    pub(crate) fn sentence(&self, bot: &str) -> String {
        let mut confirmed = self.confirmed(true);
        let Some(Outlier { table, item, wins, comparison, side, .. }) = confirmed.next() else {
            return String::new();
        };
        let others = Unit::Percent.format_number(comparison.rates.others.value, 1);
        let (wins, n) = (format_percent(*wins), group_digits(wins.n));
        let more = match self.found.len() - 1 {
            0 => String::new(),
            count => format!(" The health card has {count} more."),
        };
        if is_dealt(table) {
            format!(
                "{} is far too {} with {bot}: seats that have it win {wins} of {n}, other seats \
                 {others} %.{more}",
                item.label,
                side.name(),
            )
        } else {
            format!(
                "Seats with {} win far {} often with {bot}: {wins} of {n}, other seats that have \
                 as many {others} %; `balance ablate` tells whether it is the reason.{more}",
                item.label,
                side.comparative(),
            )
        }
    }

    /// Names the outliers with their win rates, the largest difference first.
    pub(crate) fn details(&self) -> Vec<String> {
        let detail = |outlier: &Outlier<'_>| {
            let mark = if outlier.is_confirmed { "" } else { " (not confirmed)" };
            format!("{}: {}{mark}", outlier.side.comparative(), outlier.rates())
        };
        self.found.iter().map(detail).collect()
    }
}

/// Returns true if the items of a table are dealt to the seats, which do not choose them.
pub(crate) fn is_dealt(table: &ItemTable) -> bool {
    table.data_key.is_some() && table.reported_seats == ReportedSeats::Takers && !table.offered
}
