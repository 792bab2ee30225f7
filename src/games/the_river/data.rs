//! The components of The River as `configs/the_river.toml` lists them, and the limits of what the
//! packed position can hold.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};

use super::components::{
    Building, MAX_BOARDS, MAX_BUILDINGS, MAX_COST, MAX_FACE_UP_TILES, MAX_RESOURCE, MAX_STORAGE,
    MAX_TILE_KINDS, MAX_TILES, Resource, SPOTS, TileKind,
};
use crate::config::{BoundedInteger, ConfigError, Document, Id};
use crate::games::player_range::PlayerRange;

/// The fewest and the most players the packed position can hold.
const PLAYERS: std::ops::RangeInclusive<usize> = 2..=4;
/// The most points a seat's bonus tokens may be worth together.
const MAX_TOKEN_POINTS: u32 = 255;

/// A whole data file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The game's name.
    pub name: String,
    /// Where the values come from, for every report to carry.
    pub provenance: String,
    /// The numbers of players the file is for.
    pub players: PlayerRange<2, 4>,
    /// Numbers of the rules.
    pub rules: RuleValues,
    /// How many pioneers places take in a round; 0 = no limit.
    pub spots: PlaceLimits,
    /// The main board, by number of players.
    pub setup: BTreeMap<String, Setup>,
    /// The course of the river over the boards.
    pub river: River,
    /// The river boards.
    pub board: Vec<Board>,
    /// The kinds of terrain tile.
    pub tile: Vec<Tile>,
    /// The building cards.
    pub building: Vec<BuildingCard>,
}

/// Numbers of the rules; each is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct RuleValues {
    pub claim_tile_per_player: BoundedInteger<0, 6>,
    pub reserve_hand_limit: BoundedInteger<0, 64>,
    pub reserve_discount: BoundedInteger<0, 18>,
    pub trade_in: BoundedInteger<1, 7>,
    pub per_resources: BoundedInteger<1, 255>,
    pub column_top_two: BoundedInteger<0, 255>,
    pub column_all_three: BoundedInteger<0, 255>,
    pub start_pioneers: BoundedInteger<1, 6>,
    pub extra_pioneer_on_bonus_spot: BoundedInteger<0, 8>,
    pub max_rounds: BoundedInteger<1, 255>,
}

/// How many pioneers a place takes in a round; 0 = no limit.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the places")]
pub struct PlaceLimits {
    pub build: BoundedInteger<0, 15>,
    pub food: BoundedInteger<0, 15>,
    pub swap: BoundedInteger<0, 15>,
    pub first_player: BoundedInteger<0, 15>,
}

/// The main board for one number of players; each number is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct Setup {
    pub draft_tiles: BoundedInteger<2, 5>,
    pub face_up_tiles: BoundedInteger<0, { MAX_FACE_UP_TILES as i64 }>,
    pub face_up_buildings: BoundedInteger<0, { MAX_BUILDINGS as i64 }>,
    pub stock: Stock,
    pub first_pioneer_bonus: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub production_spots: BoundedInteger<0, 15>,
    pub reserve_spots: BoundedInteger<0, 15>,
    pub bonus_spots: BoundedInteger<1, 7>,
    pub bonus_tokens: Vec<BoundedInteger<0, 99>>,
}

/// How much of each resource there is.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the resources")]
pub struct Stock {
    pub wood: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub clay: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub stone: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub food: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
}

/// The course of the river over a board of 3 rows and 4 columns.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct River {
    /// Row and column of each spot, from 1.
    pub path: Vec<(BoundedInteger<1, 3>, BoundedInteger<1, 4>)>,
    /// The framed spots, from 1.
    pub framed: Vec<Spot>,
}

/// A spot on a river board, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot(u8);

impl Spot {
    /// The spot counted from 0.
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl<'de> Deserialize<'de> for Spot {
    /// From an integer, or from text where it is a key.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Key(String),
        }
        let text = match Form::deserialize(deserializer)? {
            Form::Number(number) => number.to_string(),
            Form::Key(key) => key,
        };
        let spot = text.parse().ok().filter(|spot| (1..=SPOTS as u8).contains(spot));
        spot.map(Self).ok_or_else(|| {
            D::Error::custom(format!("expected a spot from 1 to {SPOTS}, found {text}"))
        })
    }
}

/// A river board and the symbols printed on its spots.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Its name.
    pub id: Id,
    /// The production symbol on a spot.
    #[serde(default)]
    pub production: BTreeMap<Spot, Produced>,
    /// Warehouses on a spot.
    #[serde(default)]
    pub storage: BTreeMap<Spot, BoundedInteger<0, { MAX_STORAGE as i64 }>>,
}

/// A resource that islands produce.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the resources")]
pub enum Produced {
    Wood,
    Clay,
    Stone,
}

impl From<Produced> for Resource {
    fn from(produced: Produced) -> Self {
        [Self::Wood, Self::Clay, Self::Stone][produced as usize]
    }
}

/// A terrain of a tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the terrains")]
pub enum Terrain {
    Desert,
    Badlands,
    Forest,
    Meadow,
    Mountain,
}

/// Production symbols of a tile.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of the resources")]
pub struct Production {
    pub wood: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub clay: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    pub stone: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
}

/// A kind of tile.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Its name.
    pub id: Id,
    /// Its terrain, or two for a mixed tile.
    pub terrain: Vec<Terrain>,
    /// How many such tiles there are.
    pub copies: BoundedInteger<1, { MAX_TILES as i64 }>,
    /// Its production symbols.
    #[serde(default)]
    pub production: Production,
    /// Its warehouses.
    #[serde(default)]
    pub storage: BoundedInteger<0, { MAX_STORAGE as i64 }>,
    /// Its effect, if it has one.
    pub effect: Option<Effect>,
}

/// Points, as data gives them.
pub type Points = BoundedInteger<0, 99>;

/// What a meadow does (§5, §7.4, §8).
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum Effect {
    PointsPerTerrain {
        terrain: Terrain,
        points: Points,
    },
    PointsPerProduction {
        resource: Produced,
        points: Points,
        cap: Points,
    },
    Income {
        resource: Produced,
        amount: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
        points: Points,
    },
    Take {
        resource: Produced,
        amount: BoundedInteger<0, { MAX_RESOURCE as i64 }>,
    },
    Swap {
        times: BoundedInteger<1, 15>,
    },
    PointsPerPioneer {
        points: Points,
    },
    PointsPerToken {
        points: Points,
    },
}

impl Effect {
    /// The kinds of effect, as data names them.
    pub const KINDS: [&str; 7] = [
        "points_per_terrain",
        "points_per_production",
        "income",
        "take",
        "swap",
        "points_per_pioneer",
        "points_per_token",
    ];

    /// The index of this effect's kind in [`Effect::KINDS`].
    pub const fn kind(&self) -> usize {
        match self {
            Self::PointsPerTerrain { .. } => 0,
            Self::PointsPerProduction { .. } => 1,
            Self::Income { .. } => 2,
            Self::Take { .. } => 3,
            Self::Swap { .. } => 4,
            Self::PointsPerPioneer { .. } => 5,
            Self::PointsPerToken { .. } => 6,
        }
    }
}

/// What a building costs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of the resources")]
pub struct Cost {
    pub wood: BoundedInteger<0, { MAX_COST as i64 }>,
    pub clay: BoundedInteger<0, { MAX_COST as i64 }>,
    pub stone: BoundedInteger<0, { MAX_COST as i64 }>,
}

impl Cost {
    /// The amounts of wood, clay and stone.
    pub fn amounts(&self) -> [u32; 3] {
        [self.wood.get(), self.clay.get(), self.stone.get()]
    }
}

/// A building card.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildingCard {
    /// Its name.
    pub id: Id,
    /// What it costs.
    pub cost: Cost,
    /// What it is worth at the end.
    pub points: Points,
}

impl Data {
    /// Reads and checks a data file.
    ///
    /// # Errors
    /// If a key is unknown or missing, a name is unknown, or a value is outside what the rules
    /// allow or the packed position can hold.
    pub fn read(document: &Document) -> Result<Self, ConfigError> {
        let data: Self = document.parse()?;
        data.check(document)?;
        Ok(data)
    }

    /// The kinds of effect that at least two kinds of tile have, by their index in
    /// [`Effect::KINDS`]. The effect of a single kind of tile is that tile.
    pub fn effect_groups(&self) -> Vec<usize> {
        let tiles = |kind: usize| {
            self.tile
                .iter()
                .filter(|tile| tile.effect.as_ref().is_some_and(|effect| effect.kind() == kind))
                .count()
        };
        (0..Effect::KINDS.len()).filter(|&kind| tiles(kind) > 1).collect()
    }

    /// The main board for this many players.
    pub fn setup(&self, players: usize) -> Option<&Setup> {
        let in_range =
            (self.players.min.get() as usize..=self.players.max.get() as usize).contains(&players);
        self.setup.get(&players.to_string()).filter(|_| in_range)
    }

    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        document.check_unique_ids("board", self.board.iter().map(|board| &board.id))?;
        document.check_unique_ids("tile", self.tile.iter().map(|tile| &tile.id))?;
        document.check_unique_ids("building", self.building.iter().map(|building| &building.id))?;
        document.check_count(
            "board",
            self.players.max.get() as usize..=MAX_BOARDS,
            self.board.len(),
        )?;
        document.check_count("tile", 1..=MAX_TILE_KINDS, self.tile.len())?;
        document.check_count("building", 0..=MAX_BUILDINGS, self.building.len())?;
        self.players.check(document)?;
        self.check_river(document)?;
        self.check_tiles(document)?;
        for key in self.setup.keys() {
            if !PLAYERS.map(|players| players.to_string()).any(|players| players == *key) {
                return Err(document
                    .error(&format!("setup.{key}"), "expected a number of players from 2 to 4"));
            }
        }
        (self.players.min.get()..=self.players.max.get())
            .try_for_each(|players| self.check_setup(document, players))
    }

    fn check_river(&self, document: &Document) -> Result<(), ConfigError> {
        let mut places: Vec<_> =
            self.river.path.iter().map(|(row, column)| (row.get(), column.get())).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() != SPOTS || self.river.path.len() != SPOTS {
            return Err(document.error(
                "river.path",
                format!("expected each of the {SPOTS} places of 3 rows and 4 columns once"),
            ));
        }
        let mut framed = self.river.framed.clone();
        framed.sort_unstable();
        framed.dedup();
        if framed.len() != self.river.framed.len() {
            return Err(document.error("river.framed", "expected each spot at most once"));
        }
        Ok(())
    }

    fn check_tiles(&self, document: &Document) -> Result<(), ConfigError> {
        for (index, tile) in self.tile.iter().enumerate() {
            let mut terrain = tile.terrain.clone();
            terrain.sort_unstable();
            terrain.dedup();
            if !(1..=2).contains(&terrain.len()) || terrain.len() != tile.terrain.len() {
                return Err(document.error(
                    &format!("tile[{index}].terrain"),
                    "expected one terrain, or two that differ",
                ));
            }
        }
        let tiles = self.tile_count();
        if tiles > MAX_TILES as u32 {
            return Err(document.error(
                "tile",
                format!("expected at most {MAX_TILES} tiles, all copies together, found {tiles}"),
            ));
        }
        let most_printed =
            |symbols: &dyn Fn(&Board) -> u32| self.board.iter().map(symbols).max().unwrap_or(0);
        let most_on_tiles = |symbols: &dyn Fn(&Tile) -> u32| {
            let mut all: Vec<u32> = self
                .tile
                .iter()
                .flat_map(|tile| std::iter::repeat_n(symbols(tile), tile.copies.get() as usize))
                .collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            all.iter().take(SPOTS).sum::<u32>()
        };
        let limits = [
            (
                "wood production",
                MAX_RESOURCE,
                most_printed(&|board| board.symbols(Produced::Wood))
                    + most_on_tiles(&|tile| tile.production.wood.get()),
            ),
            (
                "clay production",
                MAX_RESOURCE,
                most_printed(&|board| board.symbols(Produced::Clay))
                    + most_on_tiles(&|tile| tile.production.clay.get()),
            ),
            (
                "stone production",
                MAX_RESOURCE,
                most_printed(&|board| board.symbols(Produced::Stone))
                    + most_on_tiles(&|tile| tile.production.stone.get()),
            ),
            (
                "storage",
                MAX_STORAGE,
                most_printed(&|board| board.storage.values().map(|storage| storage.get()).sum())
                    + most_on_tiles(&|tile| tile.storage.get()),
            ),
        ];
        for (what, most, found) in limits {
            if found > most {
                return Err(document.error(
                    "tile",
                    format!(
                        "expected at most {most} {what} symbols that one board \
                        could show, found up to {found}"
                    ),
                ));
            }
        }
        Ok(())
    }

    fn check_setup(&self, document: &Document, players: u32) -> Result<(), ConfigError> {
        let key = format!("setup.{players}");
        let Some(setup) = self.setup.get(&players.to_string()) else {
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
        let tokens: Vec<u32> = setup.bonus_tokens.iter().map(|token| token.get()).collect();
        let tokens_key = format!("{key}.bonus_tokens");
        if !tokens.is_sorted_by(|one, next| one >= next) {
            return Err(document.error(&tokens_key, "expected descending values"));
        }
        let most: u32 = tokens.iter().take(setup.bonus_spots.get() as usize).sum();
        if most > MAX_TOKEN_POINTS {
            return Err(document.error(
                &tokens_key,
                format!(
                    "expected at most {MAX_TOKEN_POINTS} points \
                    that one seat could take, found {most}"
                ),
            ));
        }
        Ok(())
    }

    fn tile_count(&self) -> u32 {
        self.tile.iter().map(|tile| tile.copies.get()).sum()
    }
}

impl Board {
    fn symbols(&self, resource: Produced) -> u32 {
        self.production.values().filter(|&&symbol| symbol == resource).count() as u32
    }
}

/// The names of the components, for notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Names {
    tiles: Vec<String>,
    buildings: Vec<String>,
    boards: Vec<String>,
}

impl Names {
    pub(super) fn new(data: &Data) -> Self {
        Self {
            tiles: data.tile.iter().map(|tile| tile.id.as_str().to_owned()).collect(),
            buildings: data
                .building
                .iter()
                .map(|building| building.id.as_str().to_owned())
                .collect(),
            boards: data.board.iter().map(|board| board.id.as_str().to_owned()).collect(),
        }
    }

    pub(super) fn tile(&self, kind: TileKind) -> &str {
        &self.tiles[usize::from(kind.0) - 1]
    }

    pub(super) fn building(&self, building: Building) -> &str {
        &self.buildings[usize::from(building.0)]
    }

    pub(super) fn board(&self, board: u8) -> &str {
        &self.boards[usize::from(board)]
    }

    pub(super) fn tiles(&self) -> impl Iterator<Item = TileKind> {
        (1..=self.tiles.len() as u8).map(TileKind)
    }

    pub(super) fn buildings(&self) -> impl Iterator<Item = Building> {
        (0..self.buildings.len() as u8).map(Building)
    }

    pub(super) fn find_tile(&self, name: &str) -> Option<TileKind> {
        self.tiles.iter().position(|tile| tile == name).map(|index| TileKind(index as u8 + 1))
    }

    pub(super) fn find_building(&self, name: &str) -> Option<Building> {
        self.buildings
            .iter()
            .position(|building| building == name)
            .map(|index| Building(index as u8))
    }

    pub(super) fn find_board(&self, name: &str) -> Option<u8> {
        self.boards.iter().position(|board| board == name).map(|index| index as u8)
    }
}
