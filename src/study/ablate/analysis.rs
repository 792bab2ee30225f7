//! Tests of the effects of items and of their removal.

use super::{
    arguments::RemovedItem,
    experiment::{ItemEffectSums, ItemEffects, ItemEffectsTally},
};
use crate::{
    arena::{
        compared_metrics::{ComparedMetric, ComparedMetrics},
        metric::{Metric, SeatMetric},
    },
    game::{Item, ItemCatalog, ItemId, ItemTable},
    report::chart::MIN_OBSERVATIONS,
    run::lineups::LineupResult,
    stats::{
        flags::{Flag, TestedEffect, test_effects},
        paired::Effect,
    },
    study::compare::analysis::{ComparisonResult, DifferenceRow},
};

/// Minimum number of seats of an estimate in charts and terminal text, both groups together.
pub(crate) const MIN_SEATS: i64 = 2 * MIN_OBSERVATIONS;

/// Effects of all items.
#[derive(Clone, Debug)]
pub struct ItemEffectsAnalysis<'a> {
    pub(crate) catalog: &'a ItemCatalog,
    /// Results of each lineup.
    pub(crate) results: &'a [LineupResult<ItemEffectsTally>],
    /// Effects by lineup, item and metric.
    pub(crate) rows: Vec<ItemRow>,
}

/// Effects of an item on a metric.
#[derive(Clone, Debug)]
pub(crate) struct ItemRow {
    /// Index of the lineup.
    pub(crate) lineup: usize,
    pub(crate) item: ItemId,
    pub(crate) metric: SeatMetric,
    /// Number of seats that had to take the item.
    pub(crate) granted: i64,
    /// Number of seats that were forbidden to take the item.
    pub(crate) refused: i64,
    pub(crate) tested: TestedItem,
}

/// Effects of an item on a metric, tested over the items of its table.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TestedItem {
    /// Association, adjusted association and effect of a forced pick.
    pub(crate) effects: [TestedEffect; 3],
    /// Effect of a forced pick minus association.
    pub(crate) disagreement: TestedEffect,
    pub(crate) flags: Vec<Flag>,
}

impl TestedItem {
    /// Returns the flags, joined by `+`.
    pub(crate) fn flag_text(&self) -> String {
        self.flags.iter().map(|flag| flag.as_str()).collect::<Vec<_>>().join("+")
    }
}

impl<'a> ItemEffectsAnalysis<'a> {
    /// Tests the effects of all items.
    pub fn new(catalog: &'a ItemCatalog, results: &'a [LineupResult<ItemEffectsTally>]) -> Self {
        let mut rows = Vec::new();
        for table in catalog.tables() {
            let effects = |LineupResult { tally, .. }: &LineupResult<ItemEffectsTally>| {
                let sums = &tally.items[table.ids().range()];
                sums.iter().map(ItemEffectSums::effects).collect::<Vec<_>>()
            };
            let effects: Vec<_> = results.iter().map(effects).collect();
            for metric in SeatMetric::ALL {
                let of_metric = effects
                    .iter()
                    .map(|items| items.iter().map(|effects| effects[metric as usize]).collect());
                let items = results.iter().enumerate().flat_map(|(lineup, result)| {
                    table.ids().iter().map(move |item| (lineup, item, &result.tally.items))
                });
                let tested = items.zip(test_items(&of_metric.collect::<Vec<_>>()));
                rows.extend(tested.map(|((lineup, item, sums), tested)| {
                    let forced_now = &sums[item.index()].forced_now[metric as usize];
                    let (granted, refused) = (forced_now.treatment.n, forced_now.control.n);
                    ItemRow { lineup, item, metric, granted, refused, tested }
                }));
            }
        }
        rows.sort_by_key(|row| (row.lineup, row.item));
        Self { catalog, results, rows }
    }

    /// Returns the rows of a lineup, an item table and a metric, with their indices.
    pub(crate) fn rows_of(
        &self,
        lineup: usize,
        table: &ItemTable,
        metric: SeatMetric,
    ) -> Vec<(usize, &ItemRow)> {
        let is_included = |(_, row): &(usize, &ItemRow)| {
            (row.lineup, row.metric) == (lineup, metric) && table.ids().contains(row.item)
        };
        self.rows.iter().enumerate().filter(is_included).collect()
    }

    pub(crate) fn item(&self, row: &ItemRow) -> &'a Item {
        self.catalog.item(row.item)
    }
}

/// Tests the effects of the items of a table on a metric, for each lineup. The items of a lineup
/// are one family for each kind of effect; the results follow lineup by lineup.
fn test_items(effects: &[Vec<ItemEffects>]) -> Vec<TestedItem> {
    let kinds: [fn(&[ItemEffects], usize) -> Effect; 5] = [
        |items, item| items[item].association,
        |items, item| items[item].adjusted,
        |items, item| items[item].forced_now,
        |items, item| items[item].disagreement,
        difference_from_others,
    ];
    let [association, adjusted, forced_now, disagreement, from_others] = kinds.map(|effect| {
        let of_lineup = |items: &Vec<_>| (0..items.len()).map(|item| effect(items, item)).collect();
        test_effects(&effects.iter().map(of_lineup).collect::<Vec<_>>())
    });
    let tested = |index: usize| {
        let effects @ [association, _, forced_now] =
            [association[index], adjusted[index], forced_now[index]];
        let both_are_significant = association.is_significant() && forced_now.is_significant();
        let signs_differ = association.effect.value * forced_now.effect.value < 0.0;
        let from_others = from_others[index];
        let is_above = from_others.effect.value > 0.0;
        let flags = [
            (Flag::Disagree, disagreement[index].is_significant()),
            (Flag::Opposite, both_are_significant && signs_differ),
            (Flag::Strong, from_others.is_significant() && is_above),
            (Flag::Weak, from_others.is_significant() && !is_above),
            (Flag::Flips, forced_now.sign_differs),
            (Flag::Constant, effects.iter().any(|tested| tested.effect.is_constant())),
        ];
        TestedItem {
            effects,
            disagreement: disagreement[index],
            flags: flags.into_iter().filter_map(|(flag, is_set)| is_set.then_some(flag)).collect(),
        }
    };
    (0..association.len()).map(tested).collect()
}

/// Returns the effect of a forced pick of an item minus the mean of the other items of its table.
/// The effects of different items come from separate assignments and are taken as independent.
fn difference_from_others(items: &[ItemEffects], item: usize) -> Effect {
    let own = items[item].forced_now;
    let others = items.iter().enumerate().filter(|(other, _)| *other != item);
    let others: Vec<_> =
        others.map(|(_, other)| other.forced_now).filter(Effect::is_testable).collect();
    let n = others.len() as f64;
    if !own.is_testable() || others.is_empty() {
        return Effect::unknown(own.n);
    }
    let mean = others.iter().map(|other| other.value).sum::<f64>() / n;
    let variance = others.iter().map(|other| other.standard_error.powi(2)).sum::<f64>() / (n * n);
    let standard_error = own.standard_error.hypot(variance.sqrt());
    Effect::new(own.n, own.value - mean, standard_error, own.degrees_of_freedom)
}

/// Games without items, or with other values of items, compared with the games of the data file.
#[derive(Clone, Debug)]
pub struct RemovedItemsAnalysis<'a> {
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
    pub fn new(
        metrics: &ComparedMetrics,
        items: &'a [RemovedItem],
        results: &'a [ComparisonResult],
    ) -> Self {
        let rows_of = |(index, &metric): (usize, &ComparedMetric)| {
            let sums = results.iter().flat_map(move |result| {
                let variants = result.tally.differences.iter().enumerate();
                variants.map(move |(variant, sums)| (result, variant, sums[index]))
            });
            let effects = sums.clone().map(|(.., sums)| metric.metric.difference(&sums)).collect();
            let tested = sums.zip(test_effects(&[effects]));
            tested.map(move |((result, variant, sums), difference)| {
                let (estimates, flag) = (metric.metric.estimates(&sums), difference.flag());
                DifferenceRow { result, variant, metric, estimates, difference, flag }
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

    /// Returns the item of a row and its change, as in `w2c1 removed`.
    pub(crate) fn label(&self, row: &DifferenceRow<'_>) -> String {
        let RemovedItem { name, change, .. } = &self.items[row.variant];
        format!("{name} {change}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(association: f64, forced_now: Effect) -> ItemEffects {
        let association = Effect::new(1000, association, 0.1, 99.0);
        let disagreement = Effect::unknown(0);
        ItemEffects { association, adjusted: association, forced_now, disagreement }
    }

    #[test]
    fn item_without_test_of_forced_picks_is_not_opposite() {
        let test = |forced_now| test_items(&[vec![effects(2.0, forced_now)]]).remove(0);
        let tested = test(Effect { value: -1.0, ..Effect::unknown(20) });
        let [association, _, forced_now] = tested.effects;
        assert!(association.p_holm < 1e-9 && forced_now.p_holm.is_nan(), "{tested:?}");
        assert_eq!(tested.flags, []);
        assert_eq!(test(Effect::new(1000, -1.0, 0.1, 99.0)).flags, [Flag::Opposite]);
    }

    /// The unadjusted p-value is 0.04: significant for 1 item, not significant for 2.
    #[test]
    fn flags_use_p_values_adjusted_over_the_table() {
        let effect = |sign: f64| Effect::new(1000, sign * 2.082, 1.0, 99.0);
        let flags = |count: usize| -> Vec<Vec<Flag>> {
            let lineups = [1.0, -1.0].map(|sign| {
                let effects = effects(sign * 2.0, effect(sign));
                vec![ItemEffects { disagreement: effect(sign), ..effects }; count]
            });
            test_items(&lineups).into_iter().map(|tested| tested.flags).collect()
        };
        assert_eq!(flags(1), vec![vec![Flag::Disagree, Flag::Flips]; 2]);
        assert_eq!(flags(2), vec![vec![]; 4]);
    }

    #[test]
    fn constant_effect_is_flagged_and_not_tested() {
        let constant = Effect { limits: [-1.0, 1.0], ..Effect::new(1000, 0.0, 0.0, 99.0) };
        let other = effects(2.0, Effect::new(1000, 1.0, 0.1, 99.0));
        let tested = test_items(&[vec![effects(2.0, constant), other]]);
        assert_eq!(tested[0].flags, [Flag::Constant]);
        assert!(tested[0].effects[2].p_holm.is_nan(), "{tested:?}");
        assert!(!tested[1].flags.contains(&Flag::Strong), "the other item has no test: {tested:?}");
    }
}
