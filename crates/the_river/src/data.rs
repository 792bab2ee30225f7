//! The data file of The River, as in `configs/the_river.toml`, and the checks that its values are
//! within the rules and the capacity of the packed position.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use super::components::{
    Bag, Building, MAX_BOARDS, MAX_BUILDINGS, MAX_COST, MAX_FACE_UP_TILES, MAX_RESOURCE,
    MAX_STORAGE, MAX_TILE_KINDS, MAX_TILES, MAX_TRADE_IN, Resource, SPOTS, TileKind,
};
use watershed_engine::{
    config::{BoundedInteger, ConfigError, DisplayName, Document, Id, KeyType, Value},
    games::{
        GameData,
        player_range::{ByPlayers, PlayerRange, check_start},
        targets::Targets,
    },
    keys, kinds, names,
    rng::Components,
};

/// The maximum value of all bonus tokens of a seat and of its points at the start.
const MAX_TOKEN_POINTS: u32 = 127;

keys! {
    /// The content of a data file.
    pub struct Data {
        /// The name of the game.
        pub name: DisplayName,
        /// The origin of the values, which every report states.
        pub provenance: DisplayName,
        /// The numbers of players that the file is for.
        pub players: PlayerRange<2, 4>,
        /// The intended ranges of metrics, which do not affect play.
        pub targets: Targets = Targets::default(),
        /// The values of the rules.
        pub rules: RuleValues,
        /// The limits of places that do not depend on the number of players.
        pub spots: PlaceLimits,
        /// The main board by number of players.
        pub setup: ByPlayers<SetupValues, 2, 4>,
        /// The course of the river over the boards.
        pub river: River,
        /// The river boards.
        pub board: Vec<Board>,
        /// The kinds of terrain tile.
        pub tile: Vec<Tile>,
        /// The building cards.
        pub building: Vec<BuildingCard>,
    }

    /// The values that the rules refer to by name.
    pub struct RuleValues {
        /// Claims of a seat in a round.
        pub claim_tile_per_player: BoundedInteger<0, 6>,
        /// Reserved buildings of a seat.
        pub reserve_hand_limit: BoundedInteger<0, 64>,
        /// Resources that a reserved building costs less.
        pub reserve_discount: BoundedInteger<0, 18>,
        /// Resources for 1 food.
        pub trade_in: BoundedInteger<1, { MAX_TRADE_IN as i64 }>,
        /// Resources for 1 point at the end.
        pub per_resources: BoundedInteger<1, 255>,
        /// Points of a column whose upper two tiles match.
        pub column_top_two: BoundedInteger<0, 255>,
        /// Points of a column of three matching tiles.
        pub column_all_three: BoundedInteger<0, 255>,
        /// Pioneers of a seat at the start.
        pub start_pioneers: BoundedInteger<1, 6>,
        /// Number of the bonus token that brings a pioneer; 0 for none.
        pub extra_pioneer_on_bonus_spot: BoundedInteger<0, 8>,
        /// Round limit of the program, not a rule.
        pub max_rounds: BoundedInteger<1, 255>,
    }

    /// The maximum number of pioneers on each place in a round, of all seats; 0 for no limit.
    pub struct PlaceLimits {
        /// Pioneers on the building place.
        pub build: BoundedInteger<0, 15>,
        /// Pioneers on the place of the pawn.
        pub first_player: BoundedInteger<0, 15>,
    }

    /// The values for one number of players that the rules refer to by name.
    pub struct SetupValues {
        /// Tiles of the draft row.
        pub draft_tiles: BoundedInteger<2, 5>,
        /// Tiles that lie face up in a round.
        pub face_up_tiles: BoundedInteger<0, { MAX_FACE_UP_TILES as i64 }>,
        /// Buildings that lie face up.
        pub face_up_buildings: BoundedInteger<0, { MAX_BUILDINGS as i64 }>,
        /// Resources in the game.
        pub stock: Stock,
        /// Resources that the first pioneer of a round gets more on a production island.
        pub first_pioneer_bonus: Amount,
        /// Pioneers on each production island in a round; 0 for no limit.
        pub production_spots: BoundedInteger<0, 15>,
        /// Pioneers on the food island in a round; 0 for no limit.
        pub food_spots: BoundedInteger<0, 15>,
        /// Pioneers on the swap place in a round; 0 for no limit.
        pub swap_spots: BoundedInteger<0, 15>,
        /// Pioneers on the reserve place in a round; 0 for no limit.
        pub reserve_spots: BoundedInteger<0, 15>,
        /// Bonus tokens of a seat that trigger the end.
        pub bonus_spots: BoundedInteger<1, 7>,
        /// Values of the tokens in the order in which they are taken.
        pub bonus_tokens: Vec<BoundedInteger<0, 99>>,
        /// Resources and points of each turn position at the start, from the first player on.
        pub start: Vec<StartGoods> = Vec::new(),
    }

    /// The resources and points that a turn position has at the start; not a rule of the printed
    /// game.
    #[derive(Default)]
    pub struct StartGoods {
        /// Wood of the position.
        pub wood: Amount = Amount::default(),
        /// Clay of the position.
        pub clay: Amount = Amount::default(),
        /// Stone of the position.
        pub stone: Amount = Amount::default(),
        /// Food of the position.
        pub food: Amount = Amount::default(),
        /// Points of the position.
        pub points: Points = Points::default(),
    }
}

impl SetupValues {
    /// Returns the points at the start by turn position.
    pub(super) fn start_points(&self) -> [u32; 4] {
        std::array::from_fn(|position| {
            self.start.get(position).map_or(0, |entry| entry.points.get())
        })
    }

    /// Returns the resources at the start by turn position.
    pub(super) fn start_bags(&self) -> [Bag; 4] {
        std::array::from_fn(|position| {
            let [wood, clay, stone, food] =
                self.start.get(position).map_or([0; 4], StartGoods::to_array);
            Bag::new(wood, clay, stone, food)
        })
    }
}

impl StartGoods {
    /// Returns the amounts of resources in the order of [`Resource::ALL`].
    pub fn to_array(&self) -> [u32; 4] {
        [&self.wood, &self.clay, &self.stone, &self.food].map(|amount| amount.get())
    }
}

/// A number of warehouses.
pub type Warehouses = BoundedInteger<0, { MAX_STORAGE as i64 }>;

/// An amount of a resource.
pub type Amount = BoundedInteger<0, { MAX_RESOURCE as i64 }>;

keys! {
    /// The total amount of each resource.
    pub struct Stock {
        /// Wood in the game.
        pub wood: Amount,
        /// Clay in the game.
        pub clay: Amount,
        /// Stone in the game.
        pub stone: Amount,
        /// Food in the game.
        pub food: Amount,
    }

    /// The course of the river over a board of 3 rows and 4 columns.
    pub struct River {
        /// Row and column of each spot, from 1.
        pub path: Vec<(BoundedInteger<1, 3>, BoundedInteger<1, 4>)>,
        /// The framed spots, from 1.
        pub framed: Vec<Spot>,
    }
}

/// A spot on a river board, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot(u8);

impl Spot {
    /// Returns the index, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl KeyType for Spot {
    fn accepted() -> String {
        format!("a spot from 1 to {SPOTS}")
    }

    fn from_value(value: &Value) -> Option<Self> {
        BoundedInteger::<1, { SPOTS as i64 }>::from_value(value).map(|spot| Self(spot.get() as u8))
    }
}

keys! {
    /// A river board and the symbols printed on its spots.
    pub struct Board {
        /// Its name.
        pub id: Id,
        /// The production symbols printed on spots.
        pub production: BTreeMap<Spot, Produced> = BTreeMap::new(),
        /// The numbers of warehouses printed on spots.
        pub storage: BTreeMap<Spot, Warehouses> = BTreeMap::new(),
    }
}

names! {
    /// A resource that the islands produce.
    #[expect(missing_docs, reason = "the names are those of the resources")]
    pub enum Produced {
        Wood = "wood",
        Clay = "clay",
        Stone = "stone",
    }
}

impl From<Produced> for Resource {
    fn from(produced: Produced) -> Self {
        [Self::Wood, Self::Clay, Self::Stone][produced as usize]
    }
}

names! {
    /// A terrain of a tile.
    #[expect(missing_docs, reason = "the names are those of the terrains")]
    pub enum Terrain {
        Desert = "desert",
        Badlands = "badlands",
        Forest = "forest",
        Meadow = "meadow",
        Mountain = "mountain",
    }
}

keys! {
    /// Amounts of wood, clay and stone.
    #[derive(Default)]
    pub struct Amounts<A> {
        /// Amount of wood.
        pub wood: A = A::default(),
        /// Amount of clay.
        pub clay: A = A::default(),
        /// Amount of stone.
        pub stone: A = A::default(),
    }
}

impl<const MAX: i64> Amounts<BoundedInteger<0, MAX>> {
    /// Returns the amounts of wood, clay and stone.
    pub fn to_array(&self) -> [u32; 3] {
        [self.wood.get(), self.clay.get(), self.stone.get()]
    }
}

keys! {
    /// A kind of tile.
    pub struct Tile {
        /// Its identifier in notations and tables.
        pub id: Id,
        /// Its name for people; made of its properties if there is none.
        pub name: Option<DisplayName>,
        /// Its terrain, or both terrains of a mixed tile.
        pub terrain: Vec<Terrain>,
        /// The number of tiles of this kind.
        pub copies: BoundedInteger<1, { MAX_TILES as i64 }>,
        /// Its production symbols.
        pub production: Amounts<Amount> = Amounts::default(),
        /// Its warehouses.
        pub storage: Warehouses = Warehouses::default(),
        /// Its effect, if it has one.
        pub effect: Option<TileEffect>,
    }
}

/// A number of points.
pub type Points = BoundedInteger<0, 99>;

kinds! {
    /// An effect of a meadow (§5, §7.4, §8).
    #[expect(missing_docs, reason = "the names are those of the rules")]
    pub enum TileEffect by kind: EffectKind {
        "points_per_terrain" => PointsPerTerrain { terrain: Terrain, points: Points },
        "points_per_production" =>
            PointsPerProduction { resource: Produced, points: Points, cap: Points },
        "income" => Income { resource: Produced, amount: Amount, points: Points },
        "take" => Take { resource: Produced, amount: Amount },
        "swap" => Swap { times: BoundedInteger<1, 15> },
        "points_per_pioneer" => PointsPerPioneer { points: Points },
        "points_per_token" => PointsPerToken { points: Points },
    }
}

impl TileEffect {
    /// Returns true if the effect scores points at the end of the game.
    pub(super) const fn scores_points(&self) -> bool {
        !matches!(self, Self::Take { .. } | Self::Swap { .. })
    }
}

keys! {
    /// A building card.
    pub struct BuildingCard {
        /// Its identifier in notations and tables.
        pub id: Id,
        /// Its name for people; made of its properties if there is none.
        pub name: Option<DisplayName>,
        /// Its cost.
        pub cost: Amounts<BoundedInteger<0, { MAX_COST as i64 }>>,
        /// Its value at the end.
        pub points: Points,
    }
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }

    fn replacement(key: &str) -> Option<&'static str> {
        match key {
            "spots.food" | "spots.food_per_player" => Some("setup.<n>.food_spots"),
            "spots.swap" | "spots.swap_per_player" => Some("setup.<n>.swap_spots"),
            _ => None,
        }
    }

    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        document.check_unique_ids("board", self.board.iter().map(|board| &board.id))?;
        document.check_unique_ids("tile", self.tile.iter().map(|tile| &tile.id))?;
        document.check_unique_ids("building", self.building.iter().map(|building| &building.id))?;
        let max_players = self.players.max.get() as usize;
        document.check_count("board", max_players..=MAX_BOARDS, self.board.len())?;
        document.check_count("tile", 1..=MAX_TILE_KINDS, self.tile.len())?;
        document.check_count("building", 0..=MAX_BUILDINGS, self.building.len())?;
        self.players.check(document)?;
        self.check_river(document)?;
        self.check_tiles(document)?;
        self.player_range().try_for_each(|players| self.check_setup(document, players as u32))
    }
}

impl Data {
    /// Returns the kinds of effect that at least two kinds of tile have. If only one kind of tile
    /// has an effect, the effect is that tile.
    pub fn effect_groups(&self) -> Vec<EffectKind> {
        let tiles = |kind: EffectKind| {
            let effects = self.tile.iter().filter_map(|tile| tile.effect.as_ref());
            effects.filter(|effect| effect.kind() == kind).count()
        };
        EffectKind::ALL.into_iter().filter(|&kind| tiles(kind) > 1).collect()
    }

    /// Sorts the lists of components by `id`, so that their order in the file has no effect.
    pub(super) fn sort_components(&mut self) {
        self.board.sort_by(|one, other| one.id.cmp(&other.id));
        self.tile.sort_by(|one, other| one.id.cmp(&other.id));
        self.building.sort_by(|one, other| one.id.cmp(&other.id));
    }

    /// Returns the river boards, tiles and buildings as chance deals them.
    pub(super) fn components(&self) -> [Components; 3] {
        let boards = self.board.iter().map(|board| (board.id.as_str(), 1));
        let tiles = self.tile.iter().map(|tile| (tile.id.as_str(), tile.copies.get()));
        let buildings = self.building.iter().map(|card| (card.id.as_str(), 1));
        [
            Components::new("boards", boards),
            Components::new("tiles", tiles),
            Components::new("buildings", buildings),
        ]
    }

    /// Returns the main board for a number of players.
    pub fn setup(&self, players: usize) -> Option<&SetupValues> {
        self.setup.get(&players)
    }

    fn check_river(&self, document: &Document) -> Result<(), ConfigError> {
        let River { path, framed } = &self.river;
        let spots: BTreeSet<_> = path.iter().collect();
        if spots.len() != SPOTS || path.len() != SPOTS {
            return Err(document.error(
                "river.path",
                format!("expected each of the {SPOTS} places of 3 rows and 4 columns once"),
            ));
        }
        if framed.iter().collect::<BTreeSet<_>>().len() != framed.len() {
            return Err(document.error("river.framed", "expected each spot at most once"));
        }
        Ok(())
    }

    fn check_tiles(&self, document: &Document) -> Result<(), ConfigError> {
        let has_valid_terrain = |tile: &Tile| match tile.terrain[..] {
            [_] => true,
            [one, other] => one != other,
            _ => false,
        };
        if let Some(index) = self.tile.iter().position(|tile| !has_valid_terrain(tile)) {
            return Err(document.error(
                &format!("tile[{index}].terrain"),
                "expected one terrain, or two that differ",
            ));
        }
        let tiles = self.tile_count();
        if tiles > MAX_TILES as u32 {
            return Err(document.error(
                "tile",
                format!("expected at most {MAX_TILES} tiles, all copies together, found {tiles}"),
            ));
        }
        for resource in Resource::PRODUCED {
            let printed = |board: &Board| {
                let symbols = board.production.values();
                symbols.filter(|&&symbol| Resource::from(symbol) == resource).count() as u32
            };
            let on_tile = |tile: &Tile| tile.production.to_array()[resource as usize];
            let symbols = format!("{} production", resource.name());
            self.check_symbols(document, &symbols, MAX_RESOURCE, &printed, &on_tile)?;
        }
        let printed = |board: &Board| board.storage.values().map(|storage| storage.get()).sum();
        self.check_symbols(document, "storage", MAX_STORAGE, &printed, &|tile| tile.storage.get())
    }

    /// Checks that no board with any tiles can show more than `max` symbols of one type.
    fn check_symbols(
        &self,
        document: &Document,
        symbols: &str,
        max: u32,
        on_board: &dyn Fn(&Board) -> u32,
        on_tile: &dyn Fn(&Tile) -> u32,
    ) -> Result<(), ConfigError> {
        let printed = self.board.iter().map(on_board).max().unwrap_or(0);
        let copies = |tile: &Tile| std::iter::repeat_n(on_tile(tile), tile.copies.get() as usize);
        let mut on_tiles: Vec<_> = self.tile.iter().flat_map(copies).collect();
        on_tiles.sort_unstable_by(|one, other| other.cmp(one));
        let found = printed + on_tiles.iter().take(SPOTS).sum::<u32>();
        if found <= max {
            return Ok(());
        }
        let message = format!(
            "expected at most {max} {symbols} symbols that one board could show, \
             found up to {found}"
        );
        Err(document.error("tile", message))
    }

    fn check_setup(&self, document: &Document, players: u32) -> Result<(), ConfigError> {
        let key = format!("setup.{players}");
        let Some(setup) = self.setup(players as usize) else {
            return Err(
                document.error("setup", format!("expected a table [{key}], as `players` says"))
            );
        };
        let draft = setup.draft_tiles.get();
        if !(players..=players + 1).contains(&draft) {
            return Err(document.error(
                &format!("{key}.draft_tiles"),
                format!("expected {players} or {}, found {draft}", players + 1),
            ));
        }
        if self.tile_count() < draft {
            return Err(document.error(
                "tile",
                format!("expected at least {draft} tiles for the draft of {players} players"),
            ));
        }
        self.check_start(document, setup, players)?;
        let tokens = &setup.bonus_tokens;
        let tokens_key = format!("{key}.bonus_tokens");
        if !tokens.is_sorted_by(|one, next| one >= next) {
            return Err(document.error(&tokens_key, "expected descending values"));
        }
        let spots = setup.bonus_spots.get() as usize;
        let points: u32 = tokens.iter().take(spots).map(|token| token.get()).sum();
        if points > MAX_TOKEN_POINTS {
            return Err(document.error(
                &tokens_key,
                format!(
                    "expected at most {MAX_TOKEN_POINTS} points that one seat could take, \
                     found {points}"
                ),
            ));
        }
        let at_start = setup.start_points().into_iter().max().unwrap_or(0);
        if points + at_start > MAX_TOKEN_POINTS {
            return Err(document.error(
                &format!("{key}.start"),
                format!(
                    "expected at most {} points, because one seat has at most \
                     {MAX_TOKEN_POINTS} together with its bonus tokens, found {at_start}",
                    MAX_TOKEN_POINTS - points
                ),
            ));
        }
        Ok(())
    }

    /// Checks that the supply has the resources of the start, and that every board can store them.
    fn check_start(
        &self,
        document: &Document,
        setup: &SetupValues,
        players: u32,
    ) -> Result<(), ConfigError> {
        let key = format!("setup.{players}.start");
        let start = &setup.start;
        check_start(document, players as usize, start.len())?;
        let Stock { wood, clay, stone, food } = &setup.stock;
        let stock = [wood, clay, stone, food].map(|amount| amount.get());
        for resource in Resource::ALL {
            let index = resource as usize;
            let found: u32 = start.iter().map(|entry| entry.to_array()[index]).sum();
            if found > stock[index] {
                let message = format!(
                    "expected at most {} {name} in all, as `stock` says, found {found}",
                    stock[index],
                    name = resource.name()
                );
                return Err(document.error(&key, message));
            }
        }
        let storage = |board: &Board| board.storage.values().map(|storage| storage.get()).sum();
        let storage: u32 = self.board.iter().map(storage).min().unwrap_or(0);
        let total = |entry: &StartGoods| entry.to_array().iter().sum::<u32>();
        match start.iter().position(|entry| total(entry) > storage) {
            Some(index) => Err(document.error(
                &format!("{key}[{index}]"),
                format!(
                    "expected at most {storage} resources, which every board can store, found {}",
                    total(&start[index])
                ),
            )),
            None => Ok(()),
        }
    }

    fn tile_count(&self) -> u32 {
        self.tile.iter().map(|tile| tile.copies.get()).sum()
    }

    pub(super) fn tile_name(&self, kind: TileKind) -> &str {
        self.tile[usize::from(kind.0) - 1].id.as_str()
    }

    pub(super) fn building_name(&self, building: Building) -> &str {
        self.building[usize::from(building.0)].id.as_str()
    }
}
