//! Items whose owners win far more or less often than the owners of the other items of the table.

use super::{
    analysis::RunAnalysis,
    items::{OutlierSide, OwnerComparison},
};
use crate::{
    bound::BoundGame,
    game::{Item, ItemTable, ReportedSeats, UNITS_PER_WIN},
    report::html::{Unit, format_percent, group_digits},
    stats::ratio::Estimate,
};

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
    outliers: Vec<Outlier<'a>>,
    /// Number of items that were compared.
    pub(crate) compared: usize,
}

impl<'a> Outliers<'a> {
    /// Finds the outliers; `None` if there is nobody to win against, or if different bots have the
    /// seats: a stronger bot takes other items, and wins for other reasons. Groups of components
    /// are left out, which would count twice.
    pub(crate) fn new(game: &'a dyn BoundGame, analysis: &RunAnalysis<'_>) -> Option<Self> {
        if game.seats() < 2 || game.is_cooperative() || !analysis.has_equal_bots() {
            return None;
        }
        let (mut outliers, mut compared) = (Vec::new(), 0);
        for table in game.catalog().tables().iter().filter(|table| table.data_key.is_some()) {
            let comparisons = analysis.compare_owners(table);
            let items = table.items.iter().zip(analysis.item_tallies(table)).zip(comparisons);
            for ((item, tally), comparison) in items {
                compared += usize::from(comparison.tested.p_holm.is_finite());
                let wins = tally.wins_with.rate(UNITS_PER_WIN);
                let found = comparison.outlier;
                outliers.extend(found.map(|side| Outlier { table, item, wins, comparison, side }));
            }
        }
        outliers.sort_by(|one, other| other.size().total_cmp(&one.size()));
        Some(Self { outliers, compared })
    }

    /// Returns the number of outliers.
    pub(crate) const fn count(&self) -> usize {
        self.outliers.len()
    }

    /// Returns the largest distance of a win rate from the mean of all seats; 0 without an outlier.
    pub(crate) fn largest_distance(&self, mean: f64) -> f64 {
        let distances = self.outliers.iter().map(|outlier| (outlier.wins.value - mean).abs());
        distances.fold(0.0, f64::max)
    }

    /// Returns the sentence on the largest differences with this bot; empty without an outlier.
    pub(crate) fn sentence(&self, bot: &str) -> String {
        let Some(first) = self.outliers.first() else { return String::new() };
        let Outlier { table, item, wins, comparison, .. } = first;
        let others = Unit::Percent.format_number(comparison.rates.others.value, 1);
        let as_many = if is_dealt(table) { "" } else { " that have as many" };
        let mut text = format!(
            "{} is far too {} with {bot}: seats that have it win {} of {}, other seats{as_many} \
             {others} %",
            item.label,
            first.side.key(),
            format_percent(*wins),
            group_digits(wins.n),
        );
        for side in [OutlierSide::Strong, OutlierSide::Weak] {
            let others = self.outliers[1..].iter().filter(|other| other.side == side);
            let named: Vec<_> = others.clone().take(MAX_NAMED - 1).map(Outlier::rates).collect();
            if !named.is_empty() {
                text += &format!("; also too {}: {}", side.key(), named.join(", "));
            }
            let more = others.count() - named.len();
            if more > 0 {
                text += &format!(" and {more} more");
            }
        }
        text + "."
    }

    /// Names the outliers with their win rates.
    pub(crate) fn detail(&self) -> String {
        let parts = [OutlierSide::Strong, OutlierSide::Weak].into_iter().filter_map(|side| {
            let of_side = self.outliers.iter().filter(|outlier| outlier.side == side);
            let rates: Vec<_> = of_side.map(Outlier::rates).collect();
            (!rates.is_empty()).then(|| format!("far too {}: {}", side.key(), rates.join(", ")))
        });
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// Returns true if the items of a table are dealt to the seats, which do not choose them.
pub(crate) fn is_dealt(table: &ItemTable) -> bool {
    table.data_key.is_some() && table.reported_seats == ReportedSeats::Takers && !table.offered
}
