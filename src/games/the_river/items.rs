//! What statistics count in The River: buildings, kinds of tile, kinds of effect, and openings.

use super::{
    TheRiver,
    action::{Action, Actions},
    components::{Building, Resource, TileKind},
    data::Effect,
    state::{Phase, State},
};
use crate::{
    bits::ones,
    game::{Game, ItemEvent, ItemId, ItemTable, ReportedSeats, Seat, Statistics},
};

/// Codes of opening steps: claims by tile kind, production by resource, and one code for each other
/// kind of placement.
const PRODUCE: u8 = 32;
const FOOD: u8 = 36;
const RESERVE: u8 = 40;
const BUILD: u8 = 41;
const FIRST: u8 = 42;
const SWAP: u8 = 43;
const PASS: u8 = 44;

impl TheRiver {
    fn building_item(building: Building) -> ItemId {
        ItemId(building.0.into())
    }

    /// The items a tile counts for: its kind, and the kind of its effect if other kinds of tile
    /// have it too.
    fn tile_items(&self, kind: TileKind) -> impl Iterator<Item = ItemId> {
        let kinds = self.buildings.len();
        let effects = kinds + self.tiles.len() - 1;
        let of_kind = ItemId((kinds + usize::from(kind.0) - 1) as u16);
        let of_effect =
            self.tile_rules(kind).effect_group.map(|group| ItemId(effects as u16 + group));
        std::iter::once(of_kind).chain(of_effect)
    }
}

impl Statistics for TheRiver {
    fn tables(&self) -> Vec<ItemTable> {
        let buildings = self.data.building.iter().map(|card| {
            let cost: String = Resource::PRODUCED
                .iter()
                .zip(card.cost.amounts())
                .filter(|&(_, amount)| amount > 0)
                .map(|(resource, amount)| format!("{}{amount}", &resource.name()[..1]))
                .collect();
            (card.id.as_str().to_owned(), vec![cost, card.points.get().to_string()])
        });
        let kinds = self.data.tile.iter().map(|tile| {
            let terrain: Vec<_> =
                tile.terrain.iter().map(|terrain| format!("{terrain:?}").to_lowercase()).collect();
            (tile.id.as_str().to_owned(), vec![terrain.join("+"), tile.copies.get().to_string()])
        });
        let effects = self.data.effect_groups().into_iter().map(|kind| {
            let tiles =
                self.data.tile.iter().filter(|tile| {
                    tile.effect.as_ref().is_some_and(|effect| effect.kind() == kind)
                });
            let copies: u32 = tiles.map(|tile| tile.copies.get()).sum();
            (format!("effect:{}", Effect::KINDS[kind]), vec![copies.to_string()])
        });
        vec![
            ItemTable {
                name: "buildings",
                singular: "building",
                taken_label: "built",
                properties: &["cost", "points"],
                offered: true,
                reported_seats: ReportedSeats::TakersAndNonTakers,
                reservable: true,
                scoring: false,
                items: buildings.collect(),
            },
            ItemTable {
                name: "tiles",
                singular: "tile",
                taken_label: "claimed",
                properties: &["terrain", "copies"],
                offered: true,
                reported_seats: ReportedSeats::TakersAndNonTakers,
                reservable: false,
                scoring: true,
                items: kinds.collect(),
            },
            ItemTable {
                name: "effects",
                singular: "effect",
                taken_label: "claimed",
                properties: &["copies"],
                offered: true,
                reported_seats: ReportedSeats::TakersAndNonTakers,
                reservable: false,
                scoring: true,
                items: effects.collect(),
            },
        ]
    }

    fn action_events(&self, state: &State, action: Action, mut emit: impl FnMut(ItemEvent)) {
        let seat = state.decider();
        match action {
            Action::RevealTile(kind) => {
                self.tile_items(kind).for_each(|item| emit(ItemEvent::Offered(item)))
            }
            Action::RevealBuilding(building) => {
                emit(ItemEvent::Offered(Self::building_item(building)))
            }
            Action::Claim(kind) => {
                self.tile_items(kind).for_each(|item| emit(ItemEvent::Taken(seat, item)))
            }
            Action::Reserve(building) => {
                emit(ItemEvent::Reserved(seat, Self::building_item(building)))
            }
            Action::Pay(_) => {
                emit(ItemEvent::Taken(seat, Self::building_item(Self::building_to_pay(state))))
            }
            _ => {}
        }
    }

    fn available_items(&self, seat: Seat, legal: &Actions, mut emit: impl FnMut(ItemEvent)) {
        for building in ones(legal.payable_buildings()) {
            emit(ItemEvent::Available(seat, Self::building_item(Building(building as u8))));
        }
        for kind in ones(legal.claimable_kinds()) {
            self.tile_items(TileKind(kind as u8))
                .for_each(|item| emit(ItemEvent::Available(seat, item)));
        }
    }

    fn taken_by(&self, _legal: &Actions, action: Action, mut emit: impl FnMut(ItemId)) {
        match action {
            Action::Claim(kind) => self.tile_items(kind).for_each(emit),
            Action::Build(building) => emit(Self::building_item(building)),
            _ => {}
        }
    }

    fn final_events(&self, state: &State, mut emit: impl FnMut(ItemEvent)) {
        for seat in (0..self.seats()).map(Seat::new) {
            for kind in state.tiles(seat).iter() {
                let points = self.meadow_points(state, seat, kind);
                self.tile_items(kind).for_each(|item| emit(ItemEvent::Scored(seat, item, points)));
            }
        }
    }

    fn first_player(&self, outcome: Action) -> Option<Seat> {
        match outcome {
            Action::FirstPlayer(seat) => Some(seat),
            _ => None,
        }
    }

    fn opening_step(&self, state: &State, action: Action) -> Option<u8> {
        if !matches!(state.phase(), Phase::Draft | Phase::Place) {
            return None;
        }
        match action {
            Action::Claim(kind) => Some(kind.0),
            Action::Produce(resource) => Some(PRODUCE + resource as u8),
            Action::Food => Some(FOOD + Resource::Food as u8),
            Action::FoodSubstitute(resource) => Some(FOOD + resource as u8),
            Action::Reserve(_) => Some(RESERVE),
            Action::Build(_) => Some(BUILD),
            Action::TakePawn => Some(FIRST),
            Action::Swap(..) => Some(SWAP),
            Action::Pass => Some(PASS),
            _ => None,
        }
    }

    fn opening_step_text(&self, step: u8) -> String {
        match step {
            PRODUCE..FOOD => {
                format!("produce:{}", Resource::ALL[usize::from(step - PRODUCE)].name())
            }
            FOOD..RESERVE if step == FOOD + Resource::Food as u8 => "food".to_owned(),
            FOOD..RESERVE => format!("food:{}", Resource::ALL[usize::from(step - FOOD)].name()),
            RESERVE => "reserve".to_owned(),
            BUILD => "build".to_owned(),
            FIRST => "first".to_owned(),
            SWAP => "swap".to_owned(),
            PASS => "pass".to_owned(),
            kind => format!("claim:{}", self.names.tile(TileKind(kind))),
        }
    }
}
