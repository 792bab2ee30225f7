//! *The River*, for 2 to 4 players: claim tiles along a river, produce, build.
//!
//! A round goes clockwise, each seat placing one pioneer at a time, until all boats are empty; then
//! comes cleanup. Section numbers in comments are those of the rules this program follows: §1
//! position, §2 setup, §3 turn, §4 placements, §5 claiming, §6 storing, §7 cleanup, §8 scoring.
//!
//! | file | what it holds |
//! |---|---|
//! | `rules.rs` | the moves: whose turn, what is legal, what an action does |
//! | `scoring.rs` | the final score |
//! | `components.rs` | resources, tiles and buildings, and the limits of what fits |
//! | `state.rs` | the packed position |
//! | `action.rs` | actions, sets of them, and their notation |
//! | `position.rs` | the notation of whole positions; `position/` checks what was read |
//! | `data.rs` | the components as the data file lists them |
//! | `features.rs` | what a heuristic can see |
//! | `items.rs` | what statistics count |

pub mod action;
pub mod components;
pub mod data;
mod features;
mod items;
mod notation;
mod position;
mod rules;
mod scoring;
pub mod state;

use std::ops::RangeInclusive;

use components::{Bag, Building, MAX_TILE_KINDS, Resource, SPOTS, Symbols, TileKind};
use data::{Data, Effect};
use items::Items;
use state::{Place, State};

use crate::{
    config::{ConfigError, Document},
    game::Seat,
    games::GameDefinition,
};

/// The rules of The River bound to a data file and a number of players.
#[derive(Clone, Debug)]
pub struct TheRiver {
    players: usize,
    data: Data,
    items: Items,
    tiles: Vec<TileRules>,
    /// For each bit of a pile of tiles, the kind it stands for.
    kind_of_bit: Vec<TileKind>,
    tile_pile: u128,
    buildings: Vec<BuildingRules>,
    building_pile: u64,
    affordable: AffordTable,
    trades: TradeTable,
    boards: Vec<BoardRules>,
    /// Bit s for framed spot s, from 0.
    framed: u16,
    /// The spots of each column of the board, top first.
    columns: [[usize; 3]; 4],
    stock: Bag,
    tokens: Vec<u32>,
    bonus_spots: u32,
    place_limits: [u32; Place::COUNT],
    first_pioneer_bonus: u32,
    draft_tiles: usize,
    face_up_tiles: usize,
    face_up_buildings: u32,
}

/// What the rules need of a kind of tile.
#[derive(Clone, Debug, Default)]
struct TileRules {
    symbols: Symbols,
    /// Bit t for terrain t.
    terrain: u8,
    copies: u32,
    /// The kind's group of bits in a pile of tiles.
    group: u128,
    effect: Option<Effect>,
    /// The index of its kind of effect among those that several kinds of tile have.
    effect_group: Option<u16>,
}

/// What the rules need of a building.
#[derive(Clone, Debug)]
struct BuildingRules {
    cost: [u32; 3],
    points: u32,
}

/// What is printed on a river board.
#[derive(Clone, Debug)]
struct BoardRules {
    spots: [Symbols; SPOTS],
    all: Symbols,
}

/// For each holding of wood, clay and stone and each budget of food and discount, the buildings it
/// can pay.
#[derive(Clone, Debug)]
struct AffordTable {
    /// One more than the most that any building costs of one resource.
    radix: u32,
    /// The most that any building costs of all resources together.
    max_cost: u32,
    buildings: Vec<u64>,
}

impl AffordTable {
    fn new(buildings: &[BuildingRules]) -> Self {
        let radix = 1 + buildings.iter().flat_map(|building| building.cost).max().unwrap_or(0);
        let most = buildings.iter().map(|building| building.cost.iter().sum()).max().unwrap_or(0);
        let mut table = Self { radix, max_cost: most, buildings: Vec::new() };
        for budget in 0..=most {
            for holding in 0..radix.pow(3) {
                let held = [holding % radix, holding / radix % radix, holding / radix.pow(2)];
                let payable = buildings.iter().enumerate().filter(|(_, building)| {
                    let missing: u32 = building
                        .cost
                        .iter()
                        .zip(held)
                        .map(|(&cost, held)| cost.saturating_sub(held))
                        .sum();
                    missing <= budget
                });
                table.buildings.push(payable.fold(0, |set, (index, _)| set | 1 << index));
            }
        }
        table
    }

    /// The buildings that can be paid from this bag if `discount` resources need not be paid.
    #[inline]
    fn get(&self, bag: Bag, discount: u32) -> u64 {
        let budget = (bag.get(Resource::Food) + discount).min(self.max_cost);
        let holding = Resource::PRODUCED
            .iter()
            .rev()
            .fold(0, |index, &resource| index * self.radix + bag.get(resource).min(self.radix - 1));
        self.buildings[(budget * self.radix.pow(3) + holding) as usize]
    }
}

/// For each holding of wood, clay and stone, the trades it allows.
#[derive(Clone, Debug)]
struct TradeTable {
    trade_in: u32,
    trades: Vec<u64>,
}

impl TradeTable {
    fn new(trade_in: u32) -> Self {
        let radix = trade_in + 1;
        let mut trades = Vec::new();
        for holding in 0..radix.pow(3) {
            let [wood, clay, stone] =
                [holding % radix, holding / radix % radix, holding / radix.pow(2)];
            let payable = (0..=wood).flat_map(|wood| (0..=clay).map(move |clay| (wood, clay)));
            let payable = payable
                .filter(|(wood, clay)| wood + clay <= trade_in && trade_in - wood - clay <= stone);
            trades.push(
                payable.fold(0, |set, (wood, clay)| set | 1 << action::trade_bit(wood, clay)),
            );
        }
        Self { trade_in, trades }
    }

    #[inline]
    fn get(&self, bag: Bag) -> u64 {
        let holding = Resource::PRODUCED.iter().rev().fold(0, |index, &resource| {
            index * (self.trade_in + 1) + bag.get(resource).min(self.trade_in)
        });
        self.trades[holding as usize]
    }
}

impl GameDefinition for TheRiver {
    const ID: &'static str = "the_river";
    const TITLE: &'static str = "The River";
    const PLAYERS: RangeInclusive<usize> = 2..=4;
    const DATA: &'static str = include_str!("../../configs/the_river.toml");
    const PROFILES: &'static [(&'static str, &'static str)] = profiles!("the_river":
        "balanced", "builder", "settler", "meadow", "learned2", "learned3", "learned4", "network2",
        "network3", "network4"
    );
    const BOT_DEFAULTS: &'static str = include_str!("../../bots/the_river/defaults.toml");

    type Data = Data;

    fn from_data(data: Data, _: &Document, players: usize) -> Result<Self, ConfigError> {
        // The check of the data ensures that the setup is there.
        let setup = &data.setup[&players.to_string()];
        let mut tiles = vec![TileRules::default()];
        let effect_groups = data.effect_groups();
        let effect_group = |effect: &Effect| {
            effect_groups.iter().position(|&kind| kind == effect.kind()).map(|group| group as u16)
        };
        let mut kind_of_bit = Vec::new();
        for (index, tile) in data.tile.iter().enumerate() {
            tiles.push(TileRules {
                symbols: Symbols::new(tile.production.to_array(), tile.storage.get()),
                terrain: tile.terrain.iter().fold(0, |set, &terrain| set | 1 << terrain as u8),
                copies: tile.copies.get(),
                group: lowest_bits(tile.copies.get()) << kind_of_bit.len(),
                effect: tile.effect.clone(),
                effect_group: tile.effect.as_ref().and_then(effect_group),
            });
            kind_of_bit
                .extend(std::iter::repeat_n(TileKind(index as u8 + 1), tile.copies.get() as usize));
        }
        let buildings: Vec<_> = data
            .building
            .iter()
            .map(|card| BuildingRules { cost: card.cost.to_array(), points: card.points.get() })
            .collect();
        let boards = data.board.iter().map(|board| {
            let mut spots = [Symbols::default(); SPOTS];
            for (spot, &resource) in &board.production {
                let symbols =
                    Resource::PRODUCED.map(|produced| u32::from(produced == resource.into()));
                spots[spot.index()] = spots[spot.index()].plus(Symbols::new(symbols, 0));
            }
            for (spot, storage) in &board.storage {
                spots[spot.index()] = spots[spot.index()].plus(Symbols::new([0; 3], storage.get()));
            }
            BoardRules { spots, all: spots.into_iter().fold(Symbols::default(), Symbols::plus) }
        });
        let mut columns = [[0; 3]; 4];
        for (spot, (row, column)) in data.river.path.iter().enumerate() {
            columns[column.get() as usize - 1][row.get() as usize - 1] = spot;
        }
        let mut place_limits = [setup.production_spots.get(); Place::COUNT];
        place_limits[Place::Food as usize] = data.spots.food.get();
        place_limits[Place::Reserve as usize] = setup.reserve_spots.get();
        place_limits[Place::Build as usize] = data.spots.build.get();
        place_limits[Place::First as usize] = data.spots.first_player.get();
        place_limits[Place::Swap as usize] = data.spots.swap.get();
        let stock = &setup.stock;
        Ok(Self {
            players,
            items: Items::new(&data),
            tile_pile: lowest_bits(kind_of_bit.len() as u32),
            tiles,
            kind_of_bit,
            building_pile: if buildings.is_empty() {
                0
            } else {
                u64::MAX >> (u64::BITS - buildings.len() as u32)
            },
            affordable: AffordTable::new(&buildings),
            buildings,
            trades: TradeTable::new(data.rules.trade_in.get()),
            boards: boards.collect(),
            framed: data.river.framed.iter().fold(0, |set, spot| set | 1 << spot.index()),
            columns,
            stock: Bag::new(
                stock.wood.get(),
                stock.clay.get(),
                stock.stone.get(),
                stock.food.get(),
            ),
            tokens: setup.bonus_tokens.iter().map(|token| token.get()).collect(),
            bonus_spots: setup.bonus_spots.get(),
            place_limits,
            first_pioneer_bonus: setup.first_pioneer_bonus.get(),
            draft_tiles: setup.draft_tiles.get() as usize,
            face_up_tiles: setup.face_up_tiles.get() as usize,
            face_up_buildings: setup.face_up_buildings.get(),
            data,
        })
    }
}

impl TheRiver {
    /// The data the rules are bound to.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// All seats, clockwise from 0.
    fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat::new)
    }

    /// What is left of each resource outside the seats' holdings.
    #[inline]
    pub fn supply(&self, state: &State) -> Bag {
        self.all_seats().fold(self.stock, |supply, seat| supply.minus(state.bag(seat)))
    }

    #[inline]
    fn tile_rules(&self, kind: TileKind) -> &TileRules {
        &self.tiles[usize::from(kind.0)]
    }

    /// All kinds of tile.
    pub fn tile_kinds(&self) -> impl Iterator<Item = TileKind> + use<> {
        (1..self.tiles.len()).map(|kind| TileKind(kind as u8))
    }

    /// How many tiles of a kind are unseen.
    pub fn unseen_tiles(&self, state: &State, kind: TileKind) -> u32 {
        (state.unseen_tiles & self.tile_rules(kind).group).count_ones()
    }

    /// How many tiles of each kind are discarded: those that lie nowhere else.
    pub fn discarded_tiles(&self, state: &State) -> [u32; MAX_TILE_KINDS + 1] {
        let mut discarded = [0; MAX_TILE_KINDS + 1];
        for kind in self.tile_kinds() {
            discarded[usize::from(kind.0)] =
                self.tile_rules(kind).copies - self.unseen_tiles(state, kind);
        }
        let on_boards = self.all_seats().flat_map(|seat| state.tiles(seat).iter());
        for kind in on_boards
            .chain(state.face_up_tiles().iter())
            .chain([state.removed_tile()])
            .filter(|kind| kind.0 != 0)
        {
            discarded[usize::from(kind.0)] -= 1;
        }
        discarded
    }

    /// The discarded tiles as a pile.
    fn discard_pile(&self, state: &State) -> u128 {
        let discarded = self.discarded_tiles(state);
        self.tile_kinds()
            .fold(0, |pile, kind| pile | self.pile_of(kind, discarded[usize::from(kind.0)]))
    }

    /// A pile with `count` tiles of a kind: the group's bits from the lowest up.
    fn pile_of(&self, kind: TileKind, count: u32) -> u128 {
        lowest_bits(count) << self.tile_rules(kind).group.trailing_zeros()
    }

    /// Number of the first `spots` spots of a board that are framed.
    fn framed_spots(&self, spots: u32) -> u32 {
        (u32::from(self.framed) & ((1 << spots) - 1)).count_ones()
    }

    fn building_rules(&self, building: Building) -> &BuildingRules {
        &self.buildings[usize::from(building.0)]
    }
}

/// That many bits from the lowest up.
fn lowest_bits(count: u32) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count).unwrap_or(0)
}
