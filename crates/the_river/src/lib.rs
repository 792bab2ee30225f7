//! *The River*, a game for 2 to 4 players: claim tiles along a river, produce resources, build.
//!
//! In a round each seat places one pioneer at a time, clockwise, until all boats are empty. The
//! round ends with the cleanup. Section numbers in comments refer to the rules as implemented,
//! `docs/rules/the_river.md`.
//!
//! | file | content |
//! |---|---|
//! | `rules.rs` | turns, legal actions and their effects; setup and the order of turns |
//! | `placements.rs`, `cleanup.rs` | §4 to §6, and §7 |
//! | `scoring.rs` | the score |
//! | `components.rs` | resources, tiles and buildings, and the limits of the packed position |
//! | `lookup.rs` | precomputed sets of actions |
//! | `state.rs` | the packed position |
//! | `action.rs`, `notation.rs` | actions and sets of them; their notation |
//! | `position.rs` | the text of positions; `position/` checks positions that were read |
//! | `data.rs` | the data file |
//! | `features.rs` | features of positions for heuristics |
//! | `facts.rs`, `facts/` | facts of positions and actions for networks |
//! | `items.rs` | items and openings of the statistics |
//! | `scene.rs` | positions for people |
//! | `cells.rs` | the cells of the picture that actions concern |
//! | `words.rs`, `effects.rs` | actions and their consequences in words |
//! | `situation.rs` | situations of opening decisions |

pub mod action;
mod cells;
mod cleanup;
pub mod components;
pub mod data;
mod facts;
mod features;
mod gains;
mod guide;
mod items;
mod labels;
mod lookup;
mod notation;
mod placements;
mod position;
mod rules;
mod scene;
mod scoring;
mod situation;
pub mod state;
mod words;

use std::{
    ops::RangeInclusive,
    sync::{Arc, OnceLock},
};

use action::Action;
use components::{Bag, Building, Income, MAX_TILE_KINDS, Resource, SPOTS, Symbols, TileKind};
use data::{Board, Data, TileEffect};
use facts::Facts;
use items::Items;
use lookup::{AffordTable, TradeTable};
use state::{Phase, Place, State};

use watershed_engine::{
    config::{ConfigError, Document},
    game::{Seat, facts::FactTable},
    games::{GameDefinition, action_texts::ActionTexts},
    rng::Components,
};
#[cfg(not(test))]
use {watershed_cold::game_list::GameEntry, watershed_engine::games::GameFiles};

/// The rules of The River bound to a data file and a number of players.
#[derive(Clone, Debug)]
pub struct TheRiver {
    players: usize,
    data: Data,
    items: Items,
    tiles: Vec<TileRules>,
    /// The kind of tile of each bit of a pile.
    kind_of_bit: Vec<TileKind>,
    tile_pile: u128,
    buildings: Vec<BuildingRules>,
    building_pile: u64,
    /// The terrain of each kind of tile, bit t for terrain t.
    terrains_of_kinds: [u8; MAX_TILE_KINDS + 1],
    /// The kinds of tile with an effect that can score, bit k for kind k.
    scoring_kinds: u32,
    /// The kinds of tile with any effect, bit k for kind k.
    kinds_with_effect: u32,
    /// The income of each kind of tile (§7.4).
    incomes: [Income; MAX_TILE_KINDS + 1],
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
    /// The maximum number of pioneers on each place; [`NO_LIMIT`] if there is none.
    place_limits: [u32; Place::COUNT],
    first_pioneer_bonus: u32,
    /// The resources at the start, by turn position.
    start: [Bag; 4],
    /// The points at the start, by turn position.
    start_points: [u32; 4],
    draft_tiles: usize,
    face_up_tiles: usize,
    face_up_buildings: u32,
    /// The river boards, tiles and buildings as chance deals them.
    components: [Components; 3],
    action_texts: ActionTexts<Action>,
    /// Created when they are first needed: most runs use no network.
    facts: Arc<OnceLock<(Facts, Arc<FactTable>)>>,
}

/// The limit of a place for any number of pioneers.
const NO_LIMIT: u32 = u32::MAX;

/// A kind of tile, as the rules need it.
#[derive(Clone, Debug, Default)]
struct TileRules {
    symbols: Symbols,
    copies: u32,
    /// The bits of the kind in a pile.
    group: u128,
    effect: Option<TileEffect>,
    /// The index of the effect among [`Data::effect_groups`], if several kinds of tile have it.
    effect_group: Option<u16>,
}

/// A building, as the rules need it.
#[derive(Clone, Debug)]
struct BuildingRules {
    cost: [u32; 3],
    points: u32,
}

/// The symbols printed on a river board.
#[derive(Clone, Debug)]
struct BoardRules {
    spots: [Symbols; SPOTS],
    all: Symbols,
}

impl BoardRules {
    /// Adds up the symbols of each spot of a board, and of all.
    fn new(board: &Board) -> Self {
        let mut spots = [Symbols::default(); SPOTS];
        for (spot, &resource) in &board.production {
            let symbols = Resource::PRODUCED.map(|produced| produced == resource.into());
            spots[spot.index()] = Symbols::new(symbols.map(u32::from), 0);
        }
        for (spot, storage) in &board.storage {
            spots[spot.index()] = spots[spot.index()].plus(Symbols::new([0; 3], storage.get()));
        }
        Self { spots, all: spots.into_iter().fold(Symbols::default(), Symbols::plus) }
    }
}

/// What the rules need of all kinds of tile, as in [`TheRiver`].
struct TileTables {
    tiles: Vec<TileRules>,
    kind_of_bit: Vec<TileKind>,
    terrains_of_kinds: [u8; MAX_TILE_KINDS + 1],
    scoring_kinds: u32,
    kinds_with_effect: u32,
    incomes: [Income; MAX_TILE_KINDS + 1],
}

impl TileTables {
    /// Lists the kinds of tile of a data file, from 1; kind 0 is no tile.
    fn new(data: &Data) -> Self {
        let effect_groups = data.effect_groups();
        let mut tiles = vec![TileRules::default()];
        let mut kind_of_bit = Vec::new();
        let mut terrains_of_kinds = [0; MAX_TILE_KINDS + 1];
        let (mut scoring_kinds, mut kinds_with_effect) = (0, 0);
        let mut incomes = [Income::default(); MAX_TILE_KINDS + 1];
        for tile in &data.tile {
            let copies = tile.copies.get();
            let kind = tile.effect.as_ref().map(TileEffect::kind);
            let effect_group = effect_groups.iter().position(|&group| Some(group) == kind);
            let rules = TileRules {
                symbols: Symbols::new(tile.production.to_array(), tile.storage.get()),
                copies,
                group: lowest_bits(copies) << kind_of_bit.len(),
                effect: tile.effect.clone(),
                effect_group: effect_group.map(|group| group as u16),
            };
            let terrain = tile.terrain.iter().fold(0, |set, &terrain| set | 1 << terrain as u8);
            terrains_of_kinds[tiles.len()] = terrain;
            if tile.effect.is_some() {
                kinds_with_effect |= 1 << tiles.len();
            }
            if tile.effect.as_ref().is_some_and(TileEffect::scores_points) {
                scoring_kinds |= 1 << tiles.len();
            }
            if let Some(TileEffect::Income { resource, amount, .. }) = tile.effect {
                incomes[tiles.len()] = Income::single(resource.into(), amount.get());
            }
            kind_of_bit.extend((0..copies).map(|_| TileKind(tiles.len() as u8)));
            tiles.push(rules);
        }
        Self { tiles, kind_of_bit, terrains_of_kinds, scoring_kinds, kinds_with_effect, incomes }
    }
}

/// Returns the entry of the game in the list of a program.
///
/// It is never inlined, so that search and arena are compiled for the game in this crate.
#[inline(never)]
// Unit tests do without the engine for this game, which takes long to compile.
#[cfg(not(test))]
pub fn entry(files: GameFiles) -> GameEntry {
    GameEntry::new::<TheRiver>(files)
}

impl GameDefinition for TheRiver {
    const ID: &'static str = "the_river";
    const TITLE: &'static str = "The River";
    const DESCRIPTION: &'static str = "Claim tiles along a river, produce resources and build. \
        The highest score wins.";
    const PLAYERS: RangeInclusive<usize> = 2..=4;

    type Data = Data;

    fn from_data(mut data: Data, _: &Document, players: usize) -> Result<Self, ConfigError> {
        data.sort_components();
        // The check of the data ensures that the setup is there.
        let setup = &data.setup[&players];
        let TileTables {
            tiles,
            kind_of_bit,
            terrains_of_kinds,
            scoring_kinds,
            kinds_with_effect,
            incomes,
        } = TileTables::new(&data);
        let buildings: Vec<_> = data
            .building
            .iter()
            .map(|card| BuildingRules { cost: card.cost.to_array(), points: card.points.get() })
            .collect();
        let mut columns = [[0; 3]; 4];
        for (spot, (row, column)) in data.river.path.iter().enumerate() {
            columns[column.get() as usize - 1][row.get() as usize - 1] = spot;
        }
        let (spots, stock) = (&data.spots, &setup.stock);
        let production_limit = setup.production_spots.get();
        Ok(Self {
            players,
            items: Items::new(&data),
            tile_pile: lowest_bits(kind_of_bit.len() as u32),
            tiles,
            kind_of_bit,
            terrains_of_kinds,
            scoring_kinds,
            kinds_with_effect,
            incomes,
            building_pile: lowest_bits(buildings.len() as u32) as u64,
            affordable: AffordTable::new(&buildings),
            buildings,
            trades: TradeTable::new(data.rules.trade_in.get()),
            boards: data.board.iter().map(BoardRules::new).collect(),
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
            // In the order of `Place`.
            place_limits: [
                production_limit,
                production_limit,
                production_limit,
                setup.food_spots.get(),
                setup.reserve_spots.get(),
                spots.build.get(),
                spots.first_player.get(),
                setup.swap_spots.get(),
            ]
            .map(|limit| if limit == 0 { NO_LIMIT } else { limit }),
            first_pioneer_bonus: setup.first_pioneer_bonus.get(),
            start: setup.start_bags(),
            start_points: setup.start_points(),
            draft_tiles: setup.draft_tiles.get() as usize,
            face_up_tiles: setup.face_up_tiles.get() as usize,
            face_up_buildings: setup.face_up_buildings.get(),
            components: data.components(),
            action_texts: ActionTexts::default(),
            facts: Arc::default(),
            data,
        })
    }
}

impl TheRiver {
    /// Returns the data that the rules are bound to.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Returns all seats, clockwise from 0.
    fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat::new)
    }

    /// Returns the resources that no seat holds.
    #[inline]
    pub fn supply(&self, state: &State) -> Bag {
        self.stock.minus(state.held_resources())
    }

    #[inline]
    fn tile_rules(&self, kind: TileKind) -> &TileRules {
        &self.tiles[usize::from(kind.0)]
    }

    /// Returns all kinds of tile.
    pub fn tile_kinds(&self) -> impl Iterator<Item = TileKind> + use<> {
        (1..self.tiles.len()).map(|kind| TileKind(kind as u8))
    }

    /// Returns the number of unseen tiles of a kind.
    pub fn unseen_tiles(&self, state: &State, kind: TileKind) -> u32 {
        (state.unseen_tiles & self.tile_rules(kind).group).count_ones()
    }

    /// Returns the tiles that lie on boards or face up, and the one that left the game.
    fn visible_tiles(&self, state: &State) -> impl Iterator<Item = TileKind> {
        let on_boards = self.all_seats().flat_map(|seat| state.tiles(seat).iter());
        on_boards.chain(state.face_up_tiles().iter()).chain([state.removed_tile()])
    }

    /// Returns the number of discarded tiles by kind: those that lie nowhere else. A position that
    /// is being read can have more tiles than there are; it then has no discarded ones.
    pub fn discarded_tiles(&self, state: &State) -> [u32; MAX_TILE_KINDS + 1] {
        let mut discarded = [0; MAX_TILE_KINDS + 1];
        for kind in self.tile_kinds() {
            discarded[usize::from(kind.0)] =
                self.tile_rules(kind).copies.saturating_sub(self.unseen_tiles(state, kind));
        }
        for kind in self.visible_tiles(state).filter(|&kind| kind != TileKind::NONE) {
            let discarded = &mut discarded[usize::from(kind.0)];
            *discarded = discarded.saturating_sub(1);
        }
        discarded
    }

    /// Returns true if there are discarded tiles.
    #[inline(never)]
    fn has_discarded_tiles(&self, state: &State) -> bool {
        let on_boards: usize = self.all_seats().map(|seat| state.tiles(seat).len()).sum();
        let visible = on_boards
            + state.face_up_tiles().len()
            + usize::from(state.removed_tile() != TileKind::NONE);
        state.unseen_tiles.count_ones() + (visible as u32) < self.tile_pile.count_ones()
    }

    /// Returns the pile after a reshuffle, which is due when no tile is unseen: all tiles that lie
    /// nowhere else.
    fn reshuffled_pile(&self, state: &State) -> u128 {
        let visible = self.visible_tiles(state).filter(|&kind| kind != TileKind::NONE);
        visible.fold(self.tile_pile, |pile, kind| self.without_tile(pile, kind))
    }

    /// Returns a pile without one of its tiles of a kind, the one with the highest bit.
    #[inline]
    fn without_tile(&self, pile: u128, kind: TileKind) -> u128 {
        let tiles = pile & self.tile_rules(kind).group;
        pile & !(tiles & !(tiles >> 1))
    }

    /// Returns a pile with `count` tiles of a kind: the lowest bits of its group.
    fn pile_of(&self, kind: TileKind, count: u32) -> u128 {
        lowest_bits(count) << self.tile_rules(kind).group.trailing_zeros()
    }

    /// Returns the number of framed spots among the first `spots` of a board.
    fn framed_spots(&self, spots: u32) -> u32 {
        (u32::from(self.framed) & ((1 << spots) - 1)).count_ones()
    }

    /// Returns the number of framed spots that a seat covered in this round. The draft is part of
    /// the first round.
    #[inline]
    fn framed_covered(&self, state: &State, seat: Seat) -> u32 {
        let tiles = state.tiles(seat).len() as u32;
        let before = match state.phase() {
            Phase::IncomeOverflow | Phase::Over => tiles,
            _ if state.round() <= 1 => 0,
            _ => tiles.saturating_sub(state.claims(seat)),
        };
        self.framed_spots(tiles) - self.framed_spots(before)
    }

    fn building_rules(&self, building: Building) -> &BuildingRules {
        &self.buildings[usize::from(building.0)]
    }
}

/// Returns a set of the `count` lowest bits.
fn lowest_bits(count: u32) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count).unwrap_or(0)
}
