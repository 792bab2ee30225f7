//! The readiness of a seat for a building: payable, or the number of actions until it is.

use super::{
    groups::{MAX_BUILDING_POINTS, reached},
    summary::Means,
};
use crate::game::facts::{FactBlock, FactGroup, FactList};

/// The number of values of [`Readiness`].
const READINESS: usize = 6 + 4 * 5 + 1;
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
    pub(super) const UNSTORABLE: Self = Self(READINESS as u8 - 1);

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
        let mut lacking = [0; 3];
        let mut price = 0;
        for resource in 0..3 {
            lacking[resource] = cost[resource].saturating_sub(means.held[resource]);
            price += cost[resource];
        }
        let short = (lacking[0] + lacking[1] + lacking[2]).saturating_sub(discount);
        let food = means.held[3];
        let payable = short.min(2) * 2 + u32::from(means.boat == 0);
        let missing = short.saturating_sub(food);
        let gain = |resource: usize| lacking[resource].min(means.yields[resource]);
        let (wood, clay, stone) = (gain(0), gain(1), gain(2));
        let most = wood.max(clay).max(stone);
        let second = wood.min(clay).max(wood.max(clay).min(stone));
        let one = most.max(means.food_yield);
        let two = one + second.max(means.food_yield);
        let one_too_slow = u32::from(one < missing);
        let speed = if two < missing {
            4
        } else {
            2 * one_too_slow + u32::from(means.boat < 2 + one_too_slow)
        };
        // Values are computed on both sides, because the branches would be mispredicted.
        let not_payable = if price.saturating_sub(discount) > means.storage {
            u32::from(Self::UNSTORABLE.0)
        } else {
            1 + missing.min(4) * 5 + speed
        };
        Self(if missing == 0 { payable } else { not_payable } as u8)
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

/// Facts about a building for which a seat has a readiness, by points and span of the game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReadinessGroup(FactGroup);

impl ReadinessGroup {
    pub(super) fn new(block: &mut FactBlock, name: &str) -> Self {
        let any = block.input(name);
        let points = block.number_inputs(&format!("{name}.points"), MAX_BUILDING_POINTS);
        let mut facts = Vec::new();
        for value in 0..READINESS {
            let attributes = Readiness(value as u8).attributes();
            let shared: Vec<_> = attributes
                .iter()
                .map(|attribute| block.input(&format!("{name}.{attribute}")))
                .collect();
            let own = format!("{name}[readiness={value}]");
            let own_points = block.number_inputs(&own, MAX_BUILDING_POINTS);
            for span in 0..SPANS {
                let in_span = block.input(&format!("{name}[readiness={value},span={span}]"));
                for value in 0..=MAX_BUILDING_POINTS {
                    let mut inputs = vec![any, in_span];
                    inputs.extend(&shared);
                    inputs.extend(reached(&points, value));
                    inputs.extend(reached(&own_points, value));
                    facts.push(inputs);
                }
            }
        }
        Self(block.group(facts))
    }

    #[inline]
    pub(super) fn push(self, list: &mut FactList, readiness: Readiness, span: usize, points: u32) {
        let row = usize::from(readiness.0) * SPANS + span;
        let points = points.min(MAX_BUILDING_POINTS) as usize;
        list.push_choice(self.0, row * (MAX_BUILDING_POINTS as usize + 1) + points);
    }
}
