//! *We All Take from the River*, a game for 1 to 5 players about sharing the resources of a river.
//!
//! A day consists of a turn for each row of the map: the water level changes, resources grow,
//! structures act, and loose tokens flow on. At the end of the day the seats sell, vote on policies
//! and build the City. Section numbers in comments refer to `docs/rules/common_river.md`, the rules
//! as implemented: §1 words, §2 position, §3 setup, §4 decisions, §5 the day, §6 actions, §7 the
//! end of the day, §8 trade windows, §9 the end of the game, §10 worked examples.
//!
//! | file | content |
//! |---|---|
//! | `rules.rs` | turns, legal actions and their effects |
//! | `nature.rs` | the steps of §5 |
//! | `structures.rs`, `build.rs` | the actions of §6 |
//! | `end_of_day.rs`, `trade.rs` | the steps of §7 and §8 |
//! | `scoring.rs` | objectives, winners and the score |
//! | `components.rs` | tokens, tiles and structures, and the limits of the packed position |
//! | `state.rs`, `phases.rs`, `pieces.rs` | the packed position, its phases, pieces on the map |
//! | `action.rs` | actions and sets of them |
//! | `notation.rs` | the notation of actions |
//! | `position.rs` | the text of positions; `position/` checks positions that were read |
//! | `data.rs` | the data file |
//! | `features.rs` | features of positions for heuristics |
//! | `facts.rs`, `facts/` | facts of positions and actions for networks |
//! | `items.rs` | items and metrics of the statistics |
//! | `cells.rs` | the cells of the picture that actions concern |
//! | `words.rs`, `effects.rs` | actions and their consequences in words |
//! | `situation.rs` | situations of opening decisions |
//! | `scene.rs`, `scene/` | positions for people |

pub mod action;
mod build;
mod cells;
pub mod components;
pub mod data;
mod end_of_day;
mod facts;
mod features;
mod gains;
mod guide;
mod items;
mod nature;
mod notation;
pub mod phases;
pub mod pieces;
mod position;
mod rules;
mod scene;
mod scoring;
mod situation;
pub mod state;
mod structures;
mod trade;
mod words;

use std::ops::RangeInclusive;

use action::Action;
use components::{MAX_LAND_TILES, MAX_ROWS, Structure, Tile, Tokens, possible_slots, tiles_in};
use data::{Bank, Data, LandToken, TileNames};
use items::Items;
use phases::Mode;

use watershed_engine::{
    bits::ones,
    config::{ConfigError, Document},
    game::Seat,
    games::{GameDefinition, action_texts::ActionTexts},
    rng::Components,
};
#[cfg(not(test))]
use {watershed_cold::game_list::GameEntry, watershed_engine::games::GameFiles};

/// The rules of We All Take from the River bound to a data file and a number of players.
#[derive(Clone, Debug)]
pub struct CommonRiver {
    players: usize,
    data: Data,
    tile_names: TileNames,
    items: Items,
    action_texts: ActionTexts<Action>,
    modes: Vec<Mode>,
    map: Map,
    /// The Storms: bit `c` for the card with code `c` in the almanac, where 0 stands for no card.
    storms: u16,
    /// The objectives of each role, bit `o` for objective `o`. Players without a role have those of
    /// the settler or of the competitor.
    roles: Vec<u8>,
    settler: u8,
    competitor: u8,
    /// The cost of each kind of structure.
    costs: [Tokens; Structure::ALL.len()],
    pieces: [u32; Structure::ALL.len()],
    city_cost: Tokens,
    /// True for each [`TradeWindow`](phases::TradeWindow) that is held.
    held_windows: [bool; 3],
    /// The weather cards and roles as chance deals them.
    components: [Components; 2],
}

/// A land tile, as the rules need it.
#[derive(Clone, Copy, Debug, Default)]
struct Land {
    tile: Tile,
    elevation: i16,
    slots: u64,
    trees: u64,
    gravel: u64,
    /// The gravel slots of adjacent half tiles.
    half_gravel: u64,
}

/// The map, as the rules need it.
#[derive(Clone, Debug, Default)]
struct Map {
    rows: usize,
    row: [Row; MAX_ROWS],
    /// The slots of each tile.
    slots: [u64; Tile::COUNT],
    /// All tree slots.
    trees: u64,
    /// All gravel slots.
    gravel: u64,
    estuary: u64,
    elevation: [i16; MAX_LAND_TILES],
    /// The land tiles with a camp slot.
    camp_slots: u32,
    /// The position of each land tile in the camp order of all land tiles.
    camp_rank: [u8; MAX_LAND_TILES],
    /// For each land tile: itself, its neighbours on the bank, and adjacent half tiles.
    reach: [u32; MAX_LAND_TILES],
    /// For each tile: those whose names do not sort before its own.
    named_from: [u32; Tile::COUNT],
    /// All land tiles.
    land: u32,
    /// All land and river tiles.
    land_and_river: u32,
}

/// A row, as the rules need it.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// The two land tiles, the higher one first (§1).
    land_by_elevation: [Land; 2],
    /// The slots of the river tile.
    fish: u64,
    /// The tree slots of the half tile.
    half_trees: u64,
    /// True if there is a blue dot on the line above.
    dot_above: bool,
    /// The two net slots on the line below, the one nearer to the top first.
    nets: [Tile; 2],
}

impl Map {
    fn new(data: &Data, tile_names: &TileNames) -> Self {
        let rows = data.row.len();
        let mut map = Self { rows, ..Self::default() };
        for (index, row) in data.row.iter().enumerate() {
            for bank in 0..2 {
                map.add_land(Tile::land(bank, index), row.land(bank));
            }
            let river = Tile::river(index);
            map.slots[river.index()] = lowest_of(possible_slots(river), row.fish_slots.get());
            map.land_and_river |= river.bit();
        }
        map.land_and_river |= map.land;
        map.estuary = map.slots[Tile::river(rows - 1).index()];
        for (index, row) in data.row.iter().enumerate() {
            let half = Tile::half(index);
            let slot = possible_slots(half);
            map.slots[half.index()] = slot;
            match row.half.slot {
                LandToken::Tree => map.trees |= slot,
                LandToken::Gravel => map.gravel |= slot,
            }
            for land in row.half.adjacent.iter().filter_map(|name| tile_names.find(name)) {
                map.reach[land.index()] |= half.bit();
            }
        }
        for (index, row) in data.row.iter().enumerate() {
            let right_first =
                |holds: bool| [holds.into(), (!holds).into()].map(|bank| Tile::land(bank, index));
            let by_elevation = right_first(row.right.elevation > row.left.elevation);
            map.row[index] = Row {
                land_by_elevation: by_elevation.map(|tile| map.land(tile)),
                fish: map.slots[Tile::river(index).index()],
                half_trees: map.slots[Tile::half(index).index()] & map.trees,
                dot_above: row.dot_above,
                nets: right_first(row.net_first == Bank::Right),
            };
        }
        let mut ranked: Vec<_> =
            (0..2).flat_map(|bank| (0..rows).map(move |row| Tile::land(bank, row))).collect();
        ranked.sort_by_key(|tile| (-map.elevation[tile.index()], tile.row(), tile.0));
        for (rank, tile) in ranked.into_iter().enumerate() {
            map.camp_rank[tile.index()] = rank as u8;
        }
        map.named_from = std::array::from_fn(|tile| {
            let others = (0..Tile::COUNT as u8)
                .map(Tile)
                .filter(|&other| tile_names.get(other) >= tile_names.get(Tile(tile as u8)));
            others.fold(0, |set, other| set | other.bit())
        });
        map
    }

    fn land(&self, tile: Tile) -> Land {
        let slots = self.slots[tile.index()];
        let halves =
            tiles_in(self.reach[tile.index()]).filter(|tile| tile.index() >= Tile::FULL_COUNT);
        let half_slots = halves.fold(0, |slots, half| slots | self.slots[half.index()]);
        Land {
            tile,
            elevation: self.elevation[tile.index()],
            slots,
            trees: slots & self.trees,
            gravel: slots & self.gravel,
            half_gravel: half_slots & self.gravel,
        }
    }

    fn add_land(&mut self, tile: Tile, land: &data::LandTile) {
        let (row, bank) = (tile.row(), tile.index() / MAX_ROWS);
        let slots = lowest_of(possible_slots(tile), land.slots.len() as u32);
        self.slots[tile.index()] = slots;
        for (bit, kind) in ones(slots).zip(&land.slots) {
            match kind {
                LandToken::Tree => self.trees |= 1 << bit,
                LandToken::Gravel => self.gravel |= 1 << bit,
            }
        }
        self.elevation[tile.index()] = land.elevation.signed() as i16;
        self.camp_slots |= if land.camp { tile.bit() } else { 0 };
        self.land |= tile.bit();
        let neighbours =
            (row.saturating_sub(1)..(row + 2).min(self.rows)).map(|row| Tile::land(bank, row));
        self.reach[tile.index()] |= neighbours.fold(0, |set, tile| set | tile.bit());
    }
}

/// Returns the `count` lowest bits of a set.
fn lowest_of(set: u64, count: u32) -> u64 {
    ones(set).take(count as usize).fold(0, |bits, bit| bits | 1 << bit)
}

/// Returns the entry of the game in the list of a program.
///
/// It is never inlined, so that search and arena are compiled for the game in this crate.
#[inline(never)]
// Unit tests do without the engine for this game, which takes long to compile.
#[cfg(not(test))]
pub fn entry(files: GameFiles) -> GameEntry {
    GameEntry::new::<CommonRiver>(files)
}

impl GameDefinition for CommonRiver {
    const ID: &'static str = "common_river";
    const TITLE: &'static str = "We All Take from the River";
    const DESCRIPTION: &'static str = "Harvest, build, trade and vote along a river that all \
        share, alone, together or against each other.";
    const PLAYERS: RangeInclusive<usize> = 1..=5;

    type Data = Data;

    fn from_data(
        mut data: Data,
        _document: &Document,
        players: usize,
    ) -> Result<Self, ConfigError> {
        // The order of weather cards and roles in the file has no effect.
        data.weather.sort_by(|one, other| one.id.cmp(&other.id));
        data.role.sort_by(|one, other| one.id.cmp(&other.id));
        let weather = data.weather.iter().map(|card| (card.id.as_str(), card.count.get()));
        let roles = data.role.iter().map(|role| (role.id.as_str(), 1));
        let components = [Components::new("weather", weather), Components::new("roles", roles)];
        let tile_names = TileNames::new(&data);
        let negotiation = &data.negotiation;
        let mut held_windows = [false; 3];
        for &window in &negotiation.trade_windows {
            held_windows[window as usize] = players >= 2 && negotiation.trade_rounds.get() > 0;
        }
        let storms = data.weather.iter().zip(1..);
        let storms = storms.fold(0, |set, (card, code)| set | u16::from(card.storm) << code);
        let mut game = Self {
            players,
            items: Items::default(),
            action_texts: ActionTexts::default(),
            modes: data::modes(&data, players),
            map: Map::new(&data, &tile_names),
            tile_names,
            storms,
            roles: data.role.iter().map(|role| data::objective_set(&role.objectives)).collect(),
            settler: data::objective_set(&data.objectives.settler),
            competitor: data::objective_set(&data.objectives.competitor),
            costs: Structure::ALL.map(|kind| data.cost.tokens(kind)),
            pieces: Structure::ALL.map(|kind| data.pieces.count(kind)),
            city_cost: data.rules.city_cost.tokens(),
            held_windows,
            components,
            data,
        };
        game.items = Items::new(&game);
        Ok(game)
    }
}

impl CommonRiver {
    /// Returns the data to which the rules are bound.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Returns all seats, clockwise from 0.
    fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat::new)
    }
}
