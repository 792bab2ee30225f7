//! The readiness of a seat for a building: payable, or the number of actions until it is.

use super::summary::Means;
use watershed_engine::game::facts::{
    FactBlock,
    axis::{Axis, Number, choices},
};

/// The values of [`Readiness`].
pub(super) const READINESS: Axis = choices(6 + 4 * 5 + 1);
/// The maximum points that an input of a building distinguishes.
pub(super) const MAX_BUILDING_POINTS: u32 = 28;
/// The number of spans of the game in [`span`].
pub(super) const SPANS: usize = 3;

/// Returns the span of the game of a stage: before, shortly before and after the end is triggered.
#[inline]
pub(super) const fn span(stage: usize) -> usize {
    [0, 0, 0, 1, 1, 2][stage]
}

/// The readiness of a seat for a building.
///
/// | value | meaning |
/// |---|---|
/// | 0 to 5 | payable with 0, 1 or at least 2 food; even: in this round, odd: later |
/// | 6 to 25 | 1, 2, 3 or at least 4 resources are missing, times the speed below |
/// | 26 | the price is more than the seat can store |
///
/// The speed is 0 or 1 for 2 actions (one that takes resources and the building), in this round or
/// later, 2 or 3 for 3 actions, and 4 for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Readiness(pub(super) u8);

impl Readiness {
    pub(super) const UNSTORABLE: Self = Self(READINESS.len() as u8 - 1);

    /// Returns true if the seat can pay.
    #[inline]
    pub(super) const fn is_payable(self) -> bool {
        self.0 < 6
    }

    /// Returns true if the seat can pay after at most one other action.
    #[inline]
    pub(super) const fn is_near(self) -> bool {
        self.is_payable() || !matches!(self, Self::UNSTORABLE) && (self.0 - 6) % 5 < 2
    }

    /// Returns the readiness for a building with this cost.
    #[inline]
    pub(super) fn new(cost: [u32; 3], discount: u32, means: &Means) -> Self {
        let mut prices = Prices::default();
        prices.push(cost, discount);
        prices.readiness(means)[0]
    }

    /// Returns the attributes as parts of names of inputs.
    fn attributes(self) -> Vec<String> {
        if self == Self::UNSTORABLE {
            return vec!["unstorable".to_owned()];
        }
        let value = u32::from(self.0);
        let mut attributes = Vec::new();
        if self.is_payable() {
            attributes.push("payable".to_owned());
            attributes.extend((1..=value / 2).map(|food| format!("payable.food>={food}")));
            attributes.extend((value % 2 == 0).then(|| "payable.now".to_owned()));
        } else {
            let (missing, speed) = ((value - 6) / 5 + 1, (value - 6) % 5);
            attributes.extend((1..=missing).map(|missing| format!("missing>={missing}")));
            attributes.push(format!("actions={}", 2 + speed / 2));
            attributes.extend(
                (speed % 2 == 0 && speed < 4).then(|| format!("actions={}.now", 2 + speed / 2)),
            );
        }
        attributes
    }
}

/// Prices of at most [`Prices::MAX`] buildings, for which the readiness is computed at once.
#[derive(Default)]
pub(super) struct Prices {
    costs: [[u16; Self::MAX]; 3],
    discounts: [u16; Self::MAX],
    len: usize,
}

impl Prices {
    /// Maximum number of buildings: the 16-bit numbers of a vector register.
    const MAX: usize = 16;

    /// Returns true if there is no room for another building.
    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.len == Self::MAX
    }

    /// Appends a building with this cost. There must be room.
    #[inline]
    pub(super) fn push(&mut self, cost: [u32; 3], discount: u32) {
        for (costs, cost) in self.costs.iter_mut().zip(cost) {
            costs[self.len] = cost as u16;
        }
        self.discounts[self.len] = discount as u16;
        self.len += 1;
    }

    /// Returns the readiness for each building, and unspecified values after the last one.
    // As a function of its own, the loop is vectorised.
    #[inline(never)]
    pub(super) fn readiness(&self, means: &Means) -> [Readiness; Self::MAX] {
        let [wood, clay, stone, food] = means.held.map(|held| held as u16);
        let yields = means.yields.map(|gain| gain as u16);
        let (food_yield, storage) = (means.food_yield as u16, means.storage as u16);
        let boat = means.boat as u16;
        let later = u16::from(boat == 0);
        let mut values = [0; Self::MAX];
        for (index, value) in values.iter_mut().enumerate() {
            let (wood_cost, clay_cost, stone_cost) =
                (self.costs[0][index], self.costs[1][index], self.costs[2][index]);
            let discount = self.discounts[index];
            let price = (wood_cost + clay_cost + stone_cost).saturating_sub(discount);
            let wood_lacks = wood_cost.saturating_sub(wood);
            let clay_lacks = clay_cost.saturating_sub(clay);
            let stone_lacks = stone_cost.saturating_sub(stone);
            let short = (wood_lacks + clay_lacks + stone_lacks).saturating_sub(discount);
            let payable = short.min(2) * 2 + later;
            let missing = short.saturating_sub(food);
            let wood_gain = wood_lacks.min(yields[0]);
            let clay_gain = clay_lacks.min(yields[1]);
            let stone_gain = stone_lacks.min(yields[2]);
            let most = wood_gain.max(clay_gain).max(stone_gain);
            let second = wood_gain.min(clay_gain).max(wood_gain.max(clay_gain).min(stone_gain));
            let one = most.max(food_yield);
            let two = one + second.max(food_yield);
            let one_too_slow = u16::from(one < missing);
            let fast = 2 * one_too_slow + u16::from(boat < 2 + one_too_slow);
            let speed = if two < missing { 4 } else { fast };
            let unstorable = u16::from(Readiness::UNSTORABLE.0);
            let not_payable =
                if price > storage { unstorable } else { 1 + missing.min(4) * 5 + speed };
            *value = if missing == 0 { payable } else { not_payable };
        }
        values.map(|value| Readiness(value as u8))
    }
}

impl Number for Readiness {
    #[inline]
    fn to_i64(self) -> i64 {
        self.0.into()
    }
}

/// Describes a building by the readiness of a seat for it, the span of the game and its points.
pub(super) fn readiness_facts(block: &mut FactBlock, name: &str) -> Vec<Vec<u16>> {
    let any = block.input(name);
    let points = block.number_inputs(&format!("{name}.points"), MAX_BUILDING_POINTS).to_vec();
    let mut facts = Vec::new();
    for value in 0..READINESS.len() {
        let attributes = Readiness(value as u8).attributes();
        let shared: Vec<_> = attributes
            .iter()
            .map(|attribute| block.input(&format!("{name}.{attribute}")))
            .collect();
        let own = format!("{name}[readiness={value}]");
        let own_points = block.number_inputs(&own, MAX_BUILDING_POINTS).to_vec();
        for span in 0..SPANS {
            let in_span = block.input(&format!("{name}[readiness={value},span={span}]"));
            facts.extend((0..=points.len()).map(|reached| {
                let [points, own_points] = [&points, &own_points].map(|points| &points[..reached]);
                [&[any, in_span], &*shared, points, own_points].concat()
            }));
        }
    }
    facts
}
