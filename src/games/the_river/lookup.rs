//! Precomputed sets of buildings and trades by holding of wood, clay and stone.

use super::{
    BuildingRules,
    action::trade_bit,
    components::{Bag, Resource},
};

/// Returns all holdings of wood, clay and stone with amounts below `radix`, in the order of
/// [`holding_index`].
pub(super) fn holdings(radix: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..radix.pow(3)).map(move |index| [index % radix, index / radix % radix, index / radix.pow(2)])
}

/// Returns the index of the wood, clay and stone in a bag. Larger amounts count as `radix - 1`.
#[inline]
fn holding_index(bag: Bag, radix: u32) -> u32 {
    let amounts = Resource::PRODUCED.iter().rev().map(|&resource| bag.get(resource));
    amounts.fold(0, |index, amount| index * radix + amount.min(radix - 1))
}

/// The buildings that can be paid, for each holding and each budget of food and discount.
#[derive(Clone, Debug)]
pub(super) struct AffordTable {
    /// The maximum cost of a building in one resource, plus 1.
    radix: u32,
    /// The maximum cost of a building in all resources.
    max_cost: u32,
    buildings: Vec<u64>,
}

impl AffordTable {
    pub(super) fn new(buildings: &[BuildingRules]) -> Self {
        let radix = 1 + buildings.iter().flat_map(|building| building.cost).max().unwrap_or(0);
        let costs = buildings.iter().map(|building| building.cost.iter().sum());
        let max_cost = costs.max().unwrap_or(0);
        let payable = |budget: u32, holding: [u32; 3]| {
            let missing = |building: &BuildingRules| -> u32 {
                let costs = building.cost.iter().zip(holding);
                costs.map(|(cost, held)| cost.saturating_sub(held)).sum()
            };
            let payable = buildings.iter().enumerate();
            let payable = payable.filter(|(_, building)| missing(building) <= budget);
            payable.fold(0, |set, (index, _)| set | 1 << index)
        };
        let entries = (0..=max_cost)
            .flat_map(|budget| holdings(radix).map(move |holding| payable(budget, holding)));
        Self { radix, max_cost, buildings: entries.collect() }
    }

    /// Returns the buildings that can be paid from a bag if `discount` resources need not be paid.
    #[inline]
    pub(super) fn get(&self, bag: Bag, discount: u32) -> u64 {
        let budget = (bag.get(Resource::Food) + discount).min(self.max_cost);
        let index = budget * self.radix.pow(3) + holding_index(bag, self.radix);
        self.buildings[index as usize]
    }
}

/// The possible trades for each holding, in the layout of [`trade_bit`].
#[derive(Clone, Debug)]
pub(super) struct TradeTable {
    /// The number of resources of a trade.
    pub(super) trade_in: u32,
    trades: Vec<u64>,
}

impl TradeTable {
    pub(super) fn new(trade_in: u32) -> Self {
        let trades = holdings(trade_in + 1).map(|[wood, clay, stone]| {
            let pairs = (0..=wood).flat_map(|wood| (0..=clay).map(move |clay| (wood, clay)));
            let is_payable =
                |wood: u32, clay: u32| (wood + clay..=wood + clay + stone).contains(&trade_in);
            let payable = pairs.filter(|&(wood, clay)| is_payable(wood, clay));
            payable.fold(0, |set, (wood, clay)| set | 1 << trade_bit(wood, clay))
        });
        Self { trade_in, trades: trades.collect() }
    }

    #[inline]
    pub(super) fn get(&self, bag: Bag) -> u64 {
        self.trades[holding_index(bag, self.trade_in + 1) as usize]
    }
}
