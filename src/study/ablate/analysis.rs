//! Tests of the effects of items.

use std::collections::BTreeSet;

use crate::{
    arena::item_effects::ForkSums,
    study::shared::{agreement::Agreement, convergence::PanelFigure, prelude::*},
};

/// Effects of all items.
#[derive(Clone, Debug)]
pub struct ItemEffectsAnalysis<'a> {
    pub(crate) catalog: &'a ItemCatalog,
    /// Results of each lineup.
    pub(crate) results: &'a [LineupResult<ItemEffectsTally>],
    /// Effects by lineup, item, metric and stratum; the stratum of all forks is the first.
    pub(crate) rows: Vec<EffectRow>,
}

/// Effects of an item on a metric, in a stratum of its forks.
#[derive(Clone, Debug)]
pub(crate) struct EffectRow {
    pub(crate) lineup: usize,
    pub(crate) item: ItemId,
    pub(crate) metric: SeatMetric,
    pub(crate) stratum: Stratum,
    pub(crate) sums: ForkSums,
    /// Each of [`Estimand::ALL`], tested over the items of the table, or over their rounds, or over
    /// their turn positions.
    pub(crate) effects: [TestedEffect; Estimand::ALL.len()],
}

impl EffectRow {
    pub(crate) fn effect(&self, estimand: Estimand) -> &TestedEffect {
        &self.effects[estimand as usize]
    }
}

impl<'a> ItemEffectsAnalysis<'a> {
    /// Tests the effects of the selected items.
    pub fn new(
        catalog: &'a ItemCatalog,
        is_selected: &[bool],
        results: &'a [LineupResult<ItemEffectsTally>],
    ) -> Self {
        let mut analysis = Self { catalog, results, rows: Vec::new() };
        for table in catalog.tables() {
            let items: Vec<_> =
                table.ids().iter().filter(|item| is_selected[item.index()]).collect();
            for metric in SeatMetric::ALL {
                analysis.test_items(&items, metric);
            }
        }
        analysis.rows.sort_by_key(|row| (row.lineup, row.item, row.metric as usize, row.stratum));
        analysis
    }

    /// Returns the answers of the bots on the access to each item.
    pub(crate) fn agreement(&self) -> Agreement {
        let rows = |lineup: usize| {
            let tables = self.catalog.tables().iter();
            tables.flat_map(move |table| self.ranking(lineup, table, SeatMetric::WinShare))
        };
        let question = |(_, first): (usize, &EffectRow)| {
            let of_lineup = |lineup: usize| {
                let row = rows(lineup).find(|(_, row)| row.item == first.item);
                row.map_or(TestedEffect::untested(Effect::unknown(0)), |(_, row)| {
                    *row.effect(Estimand::Access)
                })
            };
            let figures = (0..self.results.len()).map(of_lineup).collect();
            let name = self.item(first.item).label.clone();
            PanelFigure { name, metric: Metric::WinShare, figures }
        };
        Agreement::new(self.results, rows(0).map(question).collect())
    }

    /// Adds the rows of the items of a table and a metric.
    fn test_items(&mut self, items: &[ItemId], metric: SeatMetric) {
        let results = self.results;
        let strata: BTreeSet<_> = results
            .iter()
            .flat_map(|result| result.tally.forks.keys().copied())
            .filter(|(item, _)| items.contains(item))
            .collect();
        let of_kind = |kind: fn(Stratum) -> bool| -> Vec<_> {
            strata.iter().copied().filter(|&(_, stratum)| kind(stratum)).collect()
        };
        let all: Vec<_> = items.iter().map(|&item| (item, Stratum::All)).collect();
        let rounds = of_kind(|stratum| matches!(stratum, Stratum::Round(_)));
        let positions = of_kind(|stratum| matches!(stratum, Stratum::TurnPosition(_)));
        let rows = [all, rounds, positions].map(|keys| test_strata(results, &keys, metric));
        self.rows.extend(rows.into_iter().flatten());
    }

    /// Returns the rows of a lineup, an item table and a metric over all forks, with their indices.
    pub(crate) fn rows_of(
        &self,
        lineup: usize,
        table: &ItemTable,
        metric: SeatMetric,
    ) -> Vec<(usize, &EffectRow)> {
        let is_included = |(_, row): &(usize, &EffectRow)| {
            (row.lineup, row.metric, row.stratum) == (lineup, metric, Stratum::All)
                && table.ids().contains(row.item)
        };
        self.rows.iter().enumerate().filter(is_included).collect()
    }

    /// Returns the rows of [`ItemEffectsAnalysis::rows_of`], the highest access first. Items whose
    /// access has no test follow.
    pub(crate) fn ranking(
        &self,
        lineup: usize,
        table: &ItemTable,
        metric: SeatMetric,
    ) -> Vec<(usize, &EffectRow)> {
        let mut rows = self.rows_of(lineup, table, metric);
        let key = |row: &EffectRow| {
            let access = &row.effect(Estimand::Access).effect;
            if access.is_testable() { access.value } else { f64::NEG_INFINITY }
        };
        rows.sort_by(|(_, one), (_, other)| key(other).total_cmp(&key(one)));
        rows
    }

    pub(crate) fn item(&self, item: ItemId) -> &'a Item {
        self.catalog.item(item)
    }

    /// Returns the item tables with rows.
    pub(crate) fn item_tables(&self) -> impl Iterator<Item = &'a ItemTable> {
        let has_rows =
            |table: &&ItemTable| self.rows.iter().any(|row| table.ids().contains(row.item));
        self.catalog.tables().iter().filter(has_rows)
    }
}

/// Tests the effects in strata of all lineups. The strata of a lineup are one family for each
/// effect.
fn test_strata(
    results: &[LineupResult<ItemEffectsTally>],
    keys: &[(ItemId, Stratum)],
    metric: SeatMetric,
) -> Vec<EffectRow> {
    let sums_of = |result: &LineupResult<ItemEffectsTally>, key: &(ItemId, Stratum)| {
        result.tally.forks.get(key).copied().unwrap_or_default()
    };
    let tested = Estimand::ALL.map(|estimand| {
        let of_lineup = |result: &LineupResult<_>| {
            let effect = |key: &(ItemId, Stratum)| match key.1 {
                // All items of a table are compared, those that are hardly ever taken, too.
                Stratum::All => sums_of(result, key).effect_with_few_changes(estimand, metric),
                Stratum::Round(_) | Stratum::TurnPosition(_) => {
                    sums_of(result, key).effect(estimand, metric)
                }
            };
            keys.iter().map(effect).collect()
        };
        test_effects(&results.iter().map(of_lineup).collect::<Vec<Vec<_>>>())
    });
    let keys = results
        .iter()
        .enumerate()
        .flat_map(|(lineup, result)| keys.iter().map(move |key| (lineup, result, key)));
    let rows = keys.enumerate().map(|(index, (lineup, result, key))| EffectRow {
        lineup,
        item: key.0,
        metric,
        stratum: key.1,
        sums: sums_of(result, key),
        effects: tested.each_ref().map(|tested| tested[index]),
    });
    rows.collect()
}
