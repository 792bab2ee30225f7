//! Items of the statistics of The River (buildings, kinds of tile, kinds of effect), and openings.

use super::{
    TheRiver,
    action::{Action, Actions},
    components::{Building, Resource, SPOTS, TileKind},
    data::{Data, TileEffect},
    labels::{building_label, effect_label, tile_label},
    state::{Phase, State},
};
use watershed_engine::{
    bits::ones,
    game::{
        Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, Notation, ResourceAmounts,
        ResourceFlow, Seat, Situation, Statistics,
    },
    names,
};

/// The codes of opening steps: claims by kind of tile, production and food by resource, and one
/// code for each other kind of placement.
const PRODUCE: u8 = 32;
const FOOD: u8 = 36;
const RESERVE: u8 = 40;
const BUILD: u8 = 41;
const FIRST: u8 = 42;
const SWAP: u8 = 43;
const PASS: u8 = 44;

names! {
    /// A source of changes of resources. The second one is the cleanup.
    enum FlowSource {
        Start = "start",
        Income = "income",
        Production = "production",
        FirstPioneer = "first_pioneer",
        FoodIsland = "food_island",
        Tile = "tile",
        Trade = "trade",
        Building = "building",
        Overflow = "overflow",
    }
}

/// The items of The River.
#[derive(Clone, Debug)]
pub(super) struct Items {
    catalog: ItemCatalog,
    buildings: ItemIds,
    tiles: ItemIds,
    effects: ItemIds,
}

impl Items {
    pub(super) fn new(data: &Data) -> Self {
        let mut catalog = ItemCatalog::new();
        Self {
            buildings: catalog.add(building_table(data)),
            tiles: catalog.add(tile_table(data)),
            effects: catalog.add(effect_table(data)),
            catalog,
        }
    }

    fn building(&self, building: Building) -> ItemId {
        self.buildings.get(building.0.into())
    }
}

fn building_table(data: &Data) -> ItemTable {
    let buildings = data.building.iter().map(|card| {
        let costs = Resource::PRODUCED.iter().zip(card.cost.to_array());
        let cost: String = costs
            .filter(|&(_, amount)| amount > 0)
            .map(|(resource, amount)| format!("{}{amount}", resource.letter()))
            .collect();
        Item::new(card.id.as_str(), [cost, card.points.get().to_string()])
            .labelled(building_label(card))
    });
    ItemTable::new(["buildings", "building", "built"], &["cost", "points"], buildings)
        .listed_as("building")
        .offered()
        .reservable()
}

fn tile_table(data: &Data) -> ItemTable {
    let tiles = data.tile.iter().map(|tile| {
        let terrain: Vec<_> = tile.terrain.iter().map(|terrain| terrain.name()).collect();
        Item::new(tile.id.as_str(), [terrain.join("+"), tile.copies.get().to_string()])
            .labelled(tile_label(tile))
    });
    ItemTable::new(["tiles", "tile", "claimed"], &["terrain", "copies"], tiles)
        .listed_as("tile")
        .offered()
        .scoring()
}

fn effect_table(data: &Data) -> ItemTable {
    let effects = data.effect_groups().into_iter().map(|kind| {
        let tiles = data.tile.iter();
        let with_effect =
            tiles.filter(|tile| tile.effect.as_ref().is_some_and(|effect| effect.kind() == kind));
        let copies: u32 = with_effect.map(|tile| tile.copies.get()).sum();
        Item::new(format!("effect:{}", kind.name()), [copies.to_string()])
            .labelled(effect_label(kind))
    });
    ItemTable::new(["effects", "effect", "claimed"], &["copies"], effects).offered().scoring()
}

impl TheRiver {
    /// Reports the items of a tile: its kind, and its kind of effect if several kinds of tile have
    /// it.
    #[inline]
    fn report_tile(&self, kind: TileKind, mut report: impl FnMut(ItemId)) {
        report(self.items.tiles.get(usize::from(kind.0) - 1));
        if let Some(group) = self.tile_rules(kind).effect_group {
            report(self.items.effects.get(group.into()));
        }
    }
}

impl Statistics for TheRiver {
    fn catalog(&self) -> &ItemCatalog {
        &self.items.catalog
    }

    fn end_reasons(&self) -> &'static [&'static str] {
        &["ends_by_bonus_tokens", "ends_by_tiles", "ends_by_pioneers"]
    }

    fn ended_by(&self, state: &State) -> u8 {
        let any = |holds: &dyn Fn(Seat) -> bool| self.all_seats().any(holds);
        let has_all_tokens = any(&|seat| state.tokens(seat) == self.bonus_spots);
        let has_all_tiles = any(&|seat| state.tiles(seat).len() == SPOTS);
        let has_pioneers = any(&|seat| state.pioneers(seat) > 0);
        u8::from(has_all_tokens) | u8::from(has_all_tiles) << 1 | u8::from(!has_pioneers) << 2
    }

    /// A choice of a building takes it, because its payment must follow.
    #[inline]
    fn items_taken(&self, _legal: &Actions, action: Action, mut report: impl FnMut(ItemId)) {
        match action {
            Action::Claim(kind) => self.report_tile(kind, report),
            Action::Build(building) => report(self.items.building(building)),
            _ => {}
        }
    }

    /// The lower half has a bit for each building, the upper half one for each kind of tile.
    #[inline]
    fn available_bits(&self, legal: &Actions) -> Option<u128> {
        let (buildings, kinds) = (legal.payable_buildings(), legal.claimable_kinds());
        Some(u128::from(buildings) | u128::from(kinds) << u64::BITS)
    }

    fn items_of_bits(&self, bits: u128, mut report: impl FnMut(ItemId)) {
        for building in ones(bits as u64) {
            report(self.items.building(Building(building as u8)));
        }
        for kind in ones((bits >> u64::BITS) as u64) {
            self.report_tile(TileKind(kind as u8), &mut report);
        }
    }

    #[inline]
    fn item_events(&self, state: &State, action: Action, mut report: impl FnMut(ItemEvent)) {
        match action {
            Action::RevealTile(kind) => {
                self.report_tile(kind, |item| report(ItemEvent::Offered(item)));
            }
            Action::RevealBuilding(building) => {
                report(ItemEvent::Offered(self.items.building(building)));
            }
            Action::Reserve(building) => {
                report(ItemEvent::Reserved(state.decider(), self.items.building(building)));
            }
            _ => {}
        }
    }

    fn final_events(&self, state: &State, mut report: impl FnMut(ItemEvent)) {
        for seat in self.all_seats() {
            let terrains = self.terrains(state.tiles(seat));
            for kind in state.tiles(seat).iter() {
                let points = self.points_of_meadow(state, seat, terrains, kind);
                self.report_tile(kind, |item| report(ItemEvent::Scored(seat, item, points)));
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
        let resource = |first: u8| Resource::ALL[usize::from(step - first)];
        let action = match step {
            PRODUCE..FOOD => Action::Produce(resource(PRODUCE)),
            FOOD..RESERVE if resource(FOOD) == Resource::Food => Action::Food,
            FOOD..RESERVE => Action::FoodSubstitute(resource(FOOD)),
            RESERVE => return "reserve".to_owned(),
            BUILD => return "build".to_owned(),
            FIRST => Action::TakePawn,
            SWAP => return "swap".to_owned(),
            PASS => Action::Pass,
            kind => Action::Claim(TileKind(kind)),
        };
        self.action_text(action)
    }

    fn book_action_label(&self, step: u8) -> String {
        let resource = |first: u8| Resource::ALL[usize::from(step - first)].name();
        match step {
            PRODUCE..FOOD => format!("Produce {}", resource(PRODUCE)),
            FOOD..RESERVE if resource(FOOD) == Resource::Food.name() => "Take food".to_owned(),
            FOOD..RESERVE => format!("Take {} from the food island", resource(FOOD)),
            RESERVE => "Reserve a building".to_owned(),
            BUILD => "Build".to_owned(),
            FIRST => "Take the first-player pawn".to_owned(),
            SWAP => "Swap two tiles".to_owned(),
            PASS => "Pass".to_owned(),
            kind => format!("Claim {}", self.tile_label(TileKind(kind))),
        }
    }

    fn book_step_name(&self, index: usize) -> String {
        let names = ["starter", "first placement", "second placement", "third placement"];
        names.get(index).copied().unwrap_or_default().to_owned()
    }

    fn situation(&self, state: &State, seat: Seat) -> Situation {
        self.opening_situation(state, seat)
    }

    fn resource_flow(&self) -> ResourceFlow {
        ResourceFlow {
            kinds: Resource::NAMES.map(str::to_owned).into(),
            sources: &FlowSource::NAMES,
            loss: FlowSource::Overflow.name(),
        }
    }

    #[inline]
    fn held_resources(&self, state: &State, seat: Seat) -> ResourceAmounts {
        let mut held = ResourceAmounts::default();
        for (held, resource) in held.iter_mut().zip(Resource::ALL) {
            *held = state.bag(seat).get(resource) as i32;
        }
        held
    }

    fn resource_changes(
        &self,
        state: &State,
        action: Action,
        mut report: impl FnMut(Seat, usize, usize, i32),
    ) {
        let seat = state.decider();
        let mut change = |source: FlowSource, resource: Resource, amount: i32| {
            report(seat, resource as usize, source as usize, amount);
        };
        let supply = |resource| self.supply(state).get(resource);
        match action {
            Action::Produce(resource) => {
                let amount = self.production(state, seat, resource).min(supply(resource));
                let by_symbols = amount.min(state.symbols(seat).production(resource));
                change(FlowSource::Production, resource, by_symbols as i32);
                change(FlowSource::FirstPioneer, resource, (amount - by_symbols) as i32);
            }
            Action::Food => change(FlowSource::FoodIsland, Resource::Food, 1),
            Action::FoodSubstitute(resource) => change(FlowSource::FoodIsland, resource, 1),
            Action::Claim(kind) => {
                if let Some(TileEffect::Take { resource, amount }) = self.tile_rules(kind).effect {
                    let resource = resource.into();
                    change(FlowSource::Tile, resource, amount.get().min(supply(resource)) as i32);
                }
            }
            Action::Trade(payment) | Action::Pay(payment) => {
                let is_trade = state.phase() != Phase::Pay;
                let source = if is_trade { FlowSource::Trade } else { FlowSource::Building };
                for resource in Resource::ALL {
                    change(source, resource, -(payment.get(resource) as i32));
                }
                if is_trade {
                    change(FlowSource::Trade, Resource::Food, 1);
                }
            }
            Action::Discard(resource) => change(FlowSource::Overflow, resource, -1),
            _ => {}
        }
    }
}
