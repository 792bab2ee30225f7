//! Groups of facts that are crossed with a second value, and the inputs of tiles and buildings.

use super::super::{
    components::Resource,
    data::{Data, Terrain, Tile, TileEffect},
};
use watershed_engine::game::facts::{FactBlock, FactGroup, FactList};

/// The names of the terrains, in the order of [`Terrain`].
pub(super) const TERRAINS: [&str; 5] = ["desert", "badlands", "forest", "meadow", "mountain"];
/// The number of sets of terrains, and of uses of 5-bit masks of them.
pub(super) const TERRAIN_SETS: usize = 32;
/// The maximum number that an input of an attribute of a tile distinguishes.
const MAX_TILE_NUMBER: u32 = 6;
/// The maximum points that an input of a building distinguishes.
pub(super) const MAX_BUILDING_POINTS: u32 = 12;

/// Returns the inputs of the thresholds that a value reaches.
pub(super) fn reached(thresholds: &[u16], value: u32) -> &[u16] {
    &thresholds[..thresholds.len().min(value as usize)]
}

/// A number from 1 that is crossed with a second value: the inputs are the thresholds of the
/// number, and those thresholds for each second value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NumberBy {
    group: FactGroup,
    max: u32,
}

impl NumberBy {
    pub(super) fn new(
        block: &mut FactBlock,
        name: &str,
        max: u32,
        second: &str,
        seconds: usize,
    ) -> Self {
        let plain = block.number_inputs(name, max);
        let crossed: Vec<_> = (0..seconds)
            .map(|value| block.number_inputs(&format!("{name}[{second}={value}]"), max))
            .collect();
        let facts = crossed.iter().flat_map(|crossed| {
            let plain = &plain;
            (1..=max).map(move |value| [reached(plain, value), reached(crossed, value)].concat())
        });
        let facts = facts.collect();
        Self { group: block.group(facts), max }
    }

    /// Lists the number, unless it is 0. Numbers above the maximum count as the maximum.
    #[inline]
    pub(super) fn push(self, list: &mut FactList, second: usize, value: u32) {
        if value > 0 {
            let index = second as u32 * self.max + value.min(self.max) - 1;
            list.push_choice(self.group, index as usize);
        }
    }
}

/// A difference that is crossed with a second value: the inputs are thresholds in both directions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DifferenceBy {
    group: FactGroup,
    max: i32,
}

impl DifferenceBy {
    pub(super) fn new(
        block: &mut FactBlock,
        name: &str,
        max: u32,
        second: &str,
        seconds: usize,
    ) -> Self {
        let inputs = |block: &mut FactBlock, name: &str| {
            let below: Vec<_> =
                (1..=max).map(|value| block.input(&format!("{name}<=-{value}"))).collect();
            (below, block.number_inputs(name, max))
        };
        let plain = inputs(block, name);
        let crossed: Vec<_> =
            (0..seconds).map(|value| inputs(block, &format!("{name}[{second}={value}]"))).collect();
        let max = max as i32;
        let facts = crossed.iter().flat_map(|crossed| {
            let plain = &plain;
            (-max..=max).map(move |value| {
                let pick = |inputs: &(Vec<u16>, Vec<u16>)| {
                    let side = if value < 0 { &inputs.0 } else { &inputs.1 };
                    reached(side, value.unsigned_abs()).to_vec()
                };
                [pick(plain), pick(crossed)].concat()
            })
        });
        let facts = facts.collect();
        Self { group: block.group(facts), max }
    }

    /// Lists the difference. Differences beyond the maximum count as the maximum.
    #[inline]
    pub(super) fn push(self, list: &mut FactList, second: usize, difference: i32) {
        let index =
            second as i32 * (2 * self.max + 1) + difference.clamp(-self.max, self.max) + self.max;
        list.push_choice(self.group, index as usize);
    }
}

/// Two choices that are crossed: the inputs are each of them and both together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    group: FactGroup,
    seconds: usize,
}

impl Pair {
    pub(super) fn new(
        block: &mut FactBlock,
        (first, firsts): (&str, &[&str]),
        (second, seconds): (&str, usize),
    ) -> Self {
        let first_inputs: Vec<_> =
            firsts.iter().map(|option| block.input(&format!("{first}={option}"))).collect();
        let second_inputs: Vec<_> =
            (0..seconds).map(|value| block.input(&format!("{first}.{second}={value}"))).collect();
        let mut facts = Vec::new();
        for (option, &first_input) in firsts.iter().zip(&first_inputs) {
            for (value, &second_input) in second_inputs.iter().enumerate() {
                let both = block.input(&format!("{first}={option},{second}={value}"));
                facts.push(vec![first_input, second_input, both]);
            }
        }
        Self { group: block.group(facts), seconds }
    }

    #[inline]
    pub(super) fn push(&self, list: &mut FactList, first: usize, second: usize) {
        debug_assert!(second < self.seconds);
        list.push_choice(self.group, first * self.seconds + second);
    }
}

/// The inputs of the attributes of a tile.
pub(super) struct TileInputs {
    any: u16,
    terrain: Vec<u16>,
    mixed: u16,
    production: Vec<Vec<u16>>,
    storage: Vec<u16>,
    effect: EffectInputs,
}

/// The inputs of the attributes of the effect of a tile.
pub(super) struct EffectInputs {
    kinds: Vec<u16>,
    /// The terrain or resource, for each kind of effect.
    subjects: Vec<Vec<u16>>,
    /// The points, or else the amount or the times, for each kind of effect.
    numbers: Vec<Vec<u16>>,
    production_cap: Vec<u16>,
    income_amount: Vec<u16>,
}

impl TileInputs {
    pub(super) fn new(block: &mut FactBlock, name: &str) -> Self {
        Self {
            any: block.input(name),
            terrain: TERRAINS
                .map(|terrain| block.input(&format!("{name}.terrain={terrain}")))
                .into(),
            mixed: block.input(&format!("{name}.mixed")),
            production: Resource::PRODUCED
                .map(|resource| {
                    let production = format!("{name}.production.{}", resource.name());
                    block.number_inputs(&production, MAX_TILE_NUMBER)
                })
                .into(),
            storage: block.number_inputs(&format!("{name}.storage"), MAX_TILE_NUMBER),
            effect: EffectInputs::new(block, name),
        }
    }

    pub(super) fn describe(&self, tile: &Tile) -> Vec<u16> {
        let mut inputs = vec![self.any];
        inputs.extend(tile.terrain.iter().map(|&terrain| self.terrain[terrain as usize]));
        inputs.extend((tile.terrain.len() > 1).then_some(self.mixed));
        for (thresholds, amount) in self.production.iter().zip(tile.production.to_array()) {
            inputs.extend(reached(thresholds, amount));
        }
        inputs.extend(reached(&self.storage, tile.storage.get()));
        inputs.extend(tile.effect.iter().flat_map(|effect| self.effect.describe(effect)));
        inputs
    }
}

impl EffectInputs {
    pub(super) fn new(block: &mut FactBlock, name: &str) -> Self {
        let mut inputs = Self {
            kinds: Vec::new(),
            subjects: Vec::new(),
            numbers: Vec::new(),
            production_cap: Vec::new(),
            income_amount: Vec::new(),
        };
        for kind in TileEffect::KINDS {
            let effect = format!("{name}.{kind}");
            inputs.kinds.push(block.input(&effect));
            let subjects: Vec<&str> = match kind {
                "points_per_terrain" => TERRAINS.into(),
                "points_per_production" | "income" | "take" => {
                    Resource::PRODUCED.map(Resource::name).into()
                }
                _ => Vec::new(),
            };
            let subjects =
                subjects.iter().map(|subject| block.input(&format!("{effect}={subject}")));
            inputs.subjects.push(subjects.collect());
            inputs.numbers.push(block.number_inputs(&effect, MAX_TILE_NUMBER));
        }
        inputs.production_cap =
            block.number_inputs(&format!("{name}.points_per_production.cap"), 2 * MAX_TILE_NUMBER);
        inputs.income_amount =
            block.number_inputs(&format!("{name}.income.amount"), MAX_TILE_NUMBER);
        inputs
    }

    pub(super) fn describe(&self, effect: &TileEffect) -> Vec<u16> {
        let kind = effect.kind();
        let mut inputs = vec![self.kinds[kind]];
        let (subject, number) = match *effect {
            TileEffect::PointsPerTerrain { terrain, points } => {
                (Some(terrain as usize), points.get())
            }
            TileEffect::PointsPerProduction { resource, points, cap } => {
                inputs.extend(reached(&self.production_cap, cap.get()));
                (Some(resource as usize), points.get())
            }
            TileEffect::Income { resource, amount, points } => {
                inputs.extend(reached(&self.income_amount, amount.get()));
                (Some(resource as usize), points.get())
            }
            TileEffect::Take { resource, amount } => (Some(resource as usize), amount.get()),
            TileEffect::Swap { times } => (None, times.get()),
            TileEffect::PointsPerPioneer { points } | TileEffect::PointsPerToken { points } => {
                (None, points.get())
            }
        };
        inputs.extend(subject.map(|subject| self.subjects[kind][subject]));
        inputs.extend(reached(&self.numbers[kind], number));
        inputs
    }
}

/// Adds a fact for each kind of tile, from kind 0 for no tile.
pub(super) fn tile_group(block: &mut FactBlock, name: &str, data: &Data) -> FactGroup {
    let inputs = TileInputs::new(block, name);
    let tiles = data.tile.iter().map(|tile| inputs.describe(tile));
    block.group(std::iter::once(Vec::new()).chain(tiles).collect())
}

/// Adds a fact for each building: its cost and points.
pub(super) fn building_group(block: &mut FactBlock, name: &str, data: &Data) -> FactGroup {
    let any = block.input(name);
    let points = block.number_inputs(&format!("{name}.points"), MAX_BUILDING_POINTS);
    let cost = Resource::PRODUCED
        .map(|resource| block.number_inputs(&format!("{name}.cost.{}", resource.name()), 6));
    let total = block.number_inputs(&format!("{name}.cost"), 12);
    let buildings = data.building.iter().map(|card| {
        let amounts = card.cost.to_array();
        let mut inputs = vec![any];
        inputs.extend(reached(&points, card.points.get()));
        inputs.extend(cost.iter().zip(amounts).flat_map(|(cost, amount)| reached(cost, amount)));
        inputs.extend(reached(&total, amounts.iter().sum()));
        inputs
    });
    let buildings = buildings.collect();
    block.group(buildings)
}

/// Returns the inputs of a set of terrains, bit t for terrain t.
pub(super) fn terrain_set_inputs(terrain: &[u16], set: usize) -> Vec<u16> {
    (0..TERRAINS.len()).filter(|&index| set >> index & 1 == 1).map(|index| terrain[index]).collect()
}

/// Returns the terrains of a tile, bit t for terrain t.
pub(super) fn terrain_set(terrain: &[Terrain]) -> u8 {
    terrain.iter().fold(0, |set, &terrain| set | 1 << terrain as u8)
}
