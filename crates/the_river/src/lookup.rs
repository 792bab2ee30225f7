//! Precomputed sets of buildings and trades by holding of wood, clay and stone.

use super::{
    BuildingRules,
    action::trade_bit,
    components::{Bag, MAX_COST, MAX_TRADE_IN, Resource},
};

/// The number of amounts of a resource that the tables distinguish. Larger amounts count as the
/// largest of these, which is enough for every trade and every building.
const AMOUNTS: u32 = 8;
const HOLDINGS: usize = AMOUNTS.pow(3) as usize;
const _: () = assert!(AMOUNTS > MAX_TRADE_IN && AMOUNTS > MAX_COST);

/// Returns the index of the wood, clay and stone in a bag.
#[inline]
fn holding_index(bag: Bag) -> usize {
    let amounts = Resource::PRODUCED.iter().rev().map(|&resource| bag.get(resource));
    amounts.fold(0, |index, amount| index * AMOUNTS + amount.min(AMOUNTS - 1)) as usize
}

/// Returns all amounts of wood, clay and stone below `limit`, in the order of [`holding_index`].
pub(super) fn amounts_below(limit: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..limit.pow(3)).map(move |index| [index % limit, index / limit % limit, index / limit.pow(2)])
}

/// The buildings that can be paid, for each budget of food and discount and each holding.
#[derive(Clone, Debug)]
pub(super) struct AffordTable {
    /// The maximum cost of a building in all resources. A larger budget counts as this.
    max_budget: u32,
    buildings: Vec<[u64; HOLDINGS]>,
}

impl AffordTable {
    pub(super) fn new(buildings: &[BuildingRules]) -> Self {
        let costs = buildings.iter().map(|building| building.cost.iter().sum());
        let max_budget = costs.max().unwrap_or(0);
        let payable = |budget: u32, holding: [u32; 3]| {
            let missing = |building: &BuildingRules| -> u32 {
                let costs = building.cost.iter().zip(holding);
                costs.map(|(cost, held)| cost.saturating_sub(held)).sum()
            };
            let payable = buildings.iter().enumerate();
            let payable = payable.filter(|(_, building)| missing(building) <= budget);
            payable.fold(0, |set, (index, _)| set | 1 << index)
        };
        let of_budget = |budget| fill_table(|holding| payable(budget, holding));
        Self { max_budget, buildings: (0..=max_budget).map(of_budget).collect() }
    }

    /// Returns the buildings that can be paid from a bag if `discount` resources need not be paid.
    #[inline]
    pub(super) fn get(&self, bag: Bag, discount: u32) -> u64 {
        let budget = (bag.get(Resource::Food) + discount).min(self.max_budget);
        self.buildings[budget as usize][holding_index(bag)]
    }
}

/// The possible trades for each holding, in the layout of [`trade_bit`].
#[derive(Clone, Debug)]
pub(super) struct TradeTable {
    /// The number of resources of a trade.
    pub(super) trade_in: u32,
    trades: Box<[u64; HOLDINGS]>,
}

impl TradeTable {
    pub(super) fn new(trade_in: u32) -> Self {
        let trades = fill_table(|[wood, clay, stone]| {
            let pairs = (0..=wood).flat_map(|wood| (0..=clay).map(move |clay| (wood, clay)));
            let is_payable =
                |wood: u32, clay: u32| (wood + clay..=wood + clay + stone).contains(&trade_in);
            let payable = pairs.filter(|&(wood, clay)| is_payable(wood, clay));
            payable.fold(0, |set, (wood, clay)| set | 1 << trade_bit(wood, clay))
        });
        Self { trade_in, trades: Box::new(trades) }
    }

    #[inline]
    pub(super) fn get(&self, bag: Bag) -> u64 {
        self.trades[holding_index(bag)]
    }
}

/// Returns the table with this entry for each holding.
fn fill_table(entry: impl Fn([u32; 3]) -> u64) -> [u64; HOLDINGS] {
    let mut table = [0; HOLDINGS];
    for (cell, holding) in table.iter_mut().zip(amounts_below(AMOUNTS)) {
        *cell = entry(holding);
    }
    table
}
