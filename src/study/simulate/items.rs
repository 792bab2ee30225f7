//! The items that are shown, and their owners compared with those of the other items of the table.

use super::analysis::RunAnalysis;
use crate::{
    arena::play_statistics::OWNER_CLASSES, report::chart::MIN_OBSERVATIONS,
    stats::stratified::StratifiedDifference, study::shared::prelude::*,
};

/// Difference of win rates beyond which an item is an outlier, with its whole interval.
const LIMIT: f64 = 0.1;
/// Share of its offers at which an outlier is taken at least.
const MIN_TAKEN: f64 = 0.5;

/// Items of a table that are shown, with their counts.
#[derive(Clone, Debug)]
pub(crate) struct ShownItems {
    /// The table, with these items only; its identifiers are those of all items.
    pub(crate) items: ItemTable,
    /// The counts of each item.
    pub(crate) tallies: Vec<ItemTally>,
    /// The owners of each item, compared with those of all others; empty if the game does not
    /// report them.
    pub(crate) comparisons: Vec<OwnerComparison>,
}

watershed_engine::named! {
    /// An item whose owners win far more or less often than the others.
    pub(crate) enum OutlierSide {
        Strong = "strong",
        Weak = "weak",
    }
}

impl OutlierSide {
    /// Returns `more` or `less`.
    pub(crate) const fn comparative(self) -> &'static str {
        ["more", "less"][self as usize]
    }
}

/// The seats that took an item, compared with those that took as many items of the table, but not
/// this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnerComparison {
    pub(crate) rates: StratifiedDifference,
    /// The difference. The items of a table are one family of tests.
    pub(crate) tested: TestedEffect,
    pub(crate) outlier: Option<OutlierSide>,
}

impl OwnerComparison {
    /// Returns true if the interval of the difference lies on this side of 0.
    pub(super) fn is_of_side(&self, side: OutlierSide) -> bool {
        let Estimate { n, low, high, .. } = self.rates.difference.estimate();
        n > 0
            && match side {
                OutlierSide::Strong => low > 0.0,
                OutlierSide::Weak => high < 0.0,
            }
    }

    /// Returns the difference, or −∞ without one.
    pub(crate) fn rank(&self) -> f64 {
        let value = self.rates.difference.value;
        if value.is_finite() { value } else { f64::NEG_INFINITY }
    }
}

impl RunAnalysis<'_> {
    /// Compares the owners of each item of a table with those of the others; empty for a
    /// single player, and if the game does not report seats.
    pub(super) fn compare_owners(&self, table: &ItemTable) -> Vec<OwnerComparison> {
        let owners = &self.tally.play.owners;
        let groups = owners.items.get(table.ids().range());
        let (Some(all), Some(groups)) = (owners.tables.get(table.index()), groups) else {
            return Vec::new();
        };
        if table.reported_seats == ReportedSeats::None || self.players() == 1 {
            return Vec::new();
        }
        let compare = |(group, tally): (&[_; OWNER_CLASSES], &ItemTally)| {
            StratifiedDifference::new(group, all, &tally.wins_with, UNITS_PER_WIN)
        };
        let rates = groups.iter().zip(self.item_tallies(table)).map(compare).collect::<Vec<_>>();
        let tested = test_effects(&[rates.iter().map(|rates| rates.difference).collect()]);
        let comparison = |((rates, tested), tally): ((_, TestedEffect), &ItemTally)| {
            // The seats with an item that is mostly declined took it in unusual situations.
            let is_chosen = !table.offered || tally.taken.rate(1).low > MIN_TAKEN;
            let is_judged = is_chosen && self.has_equal_bots();
            let outlier = outlier_side(&rates, &tested).filter(|_| is_judged);
            OwnerComparison { rates, tested, outlier }
        };
        let tested = rates.into_iter().zip(tested);
        tested.zip(self.item_tallies(table)).map(comparison).collect()
    }

    /// Returns the items of the families to show, table by table.
    pub(crate) fn shown_items(&self, catalog: &ItemCatalog) -> Vec<ShownItems> {
        let only = &self.setup.question.only;
        // The settings of a run have existing families only.
        let families: Vec<_> =
            only.iter().filter_map(|family| find_family(catalog, family).ok()).collect();
        let is_shown =
            |id: &ItemId| only.is_empty() || families.iter().flatten().any(|one| one == id);
        let shown = catalog.tables().iter().map(|table| {
            let ids = table.ids();
            let shown: Vec<_> = (0..table.items.len()).filter(|&i| is_shown(&ids.get(i))).collect();
            let (tallies, comparisons) = (self.item_tallies(table), self.compare_owners(table));
            let mut items = table.clone();
            items.items = shown.iter().map(|&item| table.items[item].clone()).collect();
            ShownItems {
                items,
                tallies: shown.iter().map(|&item| tallies[item]).collect(),
                comparisons: shown
                    .iter()
                    .filter_map(|&item| comparisons.get(item).copied())
                    .collect(),
            }
        });
        shown.filter(|shown| only.is_empty() || !shown.tallies.is_empty()).collect()
    }
}

/// Returns the side of an outlier: the difference is significant, its interval lies beyond the
/// limit, and the owners of any number of items differ as much. The last condition excludes items
/// that nearly all seats take, whose few others are unusual in other ways.
fn outlier_side(rates: &StratifiedDifference, tested: &TestedEffect) -> Option<OutlierSide> {
    let Estimate { n, low, high, .. } = rates.difference.estimate();
    let difference_of_all = rates.own - rates.all_others;
    if n < MIN_OBSERVATIONS || !tested.is_significant() {
        None
    } else if low.min(difference_of_all) > LIMIT {
        Some(OutlierSide::Strong)
    } else if high.max(difference_of_all) < -LIMIT {
        Some(OutlierSide::Weak)
    } else {
        None
    }
}
