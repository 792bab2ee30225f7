//! The components of We All Take from the River as `configs/common_river.toml` lists them, and the
//! limits of what the packed position can hold.

use serde::Deserialize;

use super::{
    components::{
        MAX_ALMANAC_CARDS, MAX_FISH_SLOTS, MAX_LAND_SLOTS, MAX_LAND_TILES, MAX_PIECES, MAX_ROLES,
        MAX_ROWS, MAX_TOKENS, MAX_WEATHER_KINDS, Objective, Structure, Tile, Token, Tokens,
    },
    phases::{Mode, TradeWindow},
};
use crate::{
    config::{BoundedInteger, ConfigError, Document, Id, first_duplicate},
    game::MAX_SEATS,
};

/// The most sides of the die.
pub const MAX_DIE: u8 = 20;

/// The most that a weather card adds to the die or takes from it.
pub const MAX_MODIFIER: i64 = 40;

/// A whole data file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The game's name.
    pub name: String,
    /// Where the values come from, for every report to carry.
    pub provenance: String,
    /// The numbers of players the file is for.
    pub players: PlayerRange,
    /// The games that two may play, one of which is drawn.
    pub modes_for_two: Vec<ModeForTwo>,
    /// Numbers of the rules.
    pub rules: RuleValues,
    /// What one player owns.
    pub pieces: PieceCounts,
    /// What structures cost, without the build action's fish.
    pub cost: Costs,
    /// How much players may trade and propose.
    pub negotiation: Negotiation,
    /// The objectives of those who play without a role.
    pub objectives: Objectives,
    /// What scores are made of.
    pub progress: ProgressValues,
    /// The weather cards.
    pub weather: Vec<WeatherCard>,
    /// The map, from the top of the river.
    pub row: Vec<MapRow>,
    /// The roles.
    pub role: Vec<RoleCard>,
}

/// A range of player numbers.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerRange {
    /// The fewest.
    pub min: BoundedInteger<1, { MAX_SEATS as i64 }>,
    /// The most.
    pub max: BoundedInteger<1, { MAX_SEATS as i64 }>,
}

/// A game for two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeForTwo {
    /// Against each other.
    Competitive,
    /// Together.
    Coop,
}

impl From<ModeForTwo> for Mode {
    fn from(mode: ModeForTwo) -> Self {
        match mode {
            ModeForTwo::Competitive => Self::Competitive,
            ModeForTwo::Coop => Self::Coop,
        }
    }
}

/// Tokens of each kind; those not listed are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct TokenCounts {
    pub fish: BoundedInteger<0, 99>,
    pub gold: BoundedInteger<0, 99>,
    pub gravel: BoundedInteger<0, 99>,
    pub pollution: BoundedInteger<0, 99>,
    pub tree: BoundedInteger<0, 99>,
}

impl TokenCounts {
    /// The tokens.
    pub fn tokens(&self) -> Tokens {
        Tokens::NONE
            .with(Token::Fish, self.fish.get())
            .with(Token::Gold, self.gold.get())
            .with(Token::Gravel, self.gravel.get())
            .with(Token::Pollution, self.pollution.get())
            .with(Token::Tree, self.tree.get())
    }
}

/// What happens to a tile when the water is higher (§5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Erosion {
    /// It loses a tree or floods, once.
    Single,
    /// It loses trees until the water is down, or floods.
    Loop,
}

/// Numbers of the rules; each is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct RuleValues {
    pub days: BoundedInteger<1, 225>,
    pub die: BoundedInteger<1, { MAX_DIE as i64 }>,
    pub almanac: BoundedInteger<1, { MAX_ALMANAC_CARDS as i64 }>,
    pub start: TokenCounts,
    pub build_fish: BoundedInteger<0, 99>,
    pub take_max: BoundedInteger<1, 99>,
    pub tokens_per_gold: BoundedInteger<1, 99>,
    pub proposal_gold: BoundedInteger<0, 99>,
    pub agriculture_fish: BoundedInteger<1, 9999>,
    pub city_cost: TokenCounts,
    pub city_pollution: BoundedInteger<0, 99>,
    pub city_pollutes_dry: bool,
    pub city_flood_pollution: BoundedInteger<0, 99>,
    pub erosion: Erosion,
}

/// A number of pieces.
pub type PieceCount = BoundedInteger<0, { MAX_PIECES as i64 }>;

/// What one player owns.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct PieceCounts {
    pub boat: PieceCount,
    pub excavator: PieceCount,
    pub mill: PieceCount,
    pub net: PieceCount,
    pub farm: PieceCount,
    pub sticks: PieceCount,
}

impl PieceCounts {
    /// How many of a kind one player owns; of canals, levees and bridges, how many of them
    /// together.
    pub(super) fn count(&self, kind: Structure) -> u32 {
        match kind {
            Structure::Boat => self.boat.get(),
            Structure::Excavator => self.excavator.get(),
            Structure::Mill => self.mill.get(),
            Structure::Net => self.net.get(),
            Structure::Farm => self.farm.get(),
            Structure::Camp => 1,
            Structure::Bridge | Structure::Canal | Structure::Levee => self.sticks.get(),
        }
    }
}

/// What structures cost.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct Costs {
    pub boat: TokenCounts,
    pub excavator: TokenCounts,
    pub mill: TokenCounts,
    pub net: TokenCounts,
    pub farm: TokenCounts,
    pub canal: TokenCounts,
    pub levee: TokenCounts,
    pub bridge: TokenCounts,
}

impl Costs {
    /// What a structure costs.
    pub(super) fn tokens(&self, kind: Structure) -> Tokens {
        let cost = match kind {
            Structure::Boat => &self.boat,
            Structure::Bridge => &self.bridge,
            Structure::Canal => &self.canal,
            Structure::Excavator => &self.excavator,
            Structure::Farm => &self.farm,
            Structure::Levee => &self.levee,
            Structure::Mill => &self.mill,
            Structure::Net => &self.net,
            Structure::Camp => return Tokens::NONE,
        };
        cost.tokens()
    }
}

/// How much players may trade and propose; each is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct Negotiation {
    pub trade_windows: Vec<WindowName>,
    pub trade_rounds: BoundedInteger<0, 99>,
    pub offers_per_round: BoundedInteger<0, 99>,
    pub offer_max_tokens: BoundedInteger<1, 99>,
    pub proposals_per_day: BoundedInteger<0, 99>,
}

/// A trade window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum WindowName {
    Dawn,
    Row,
    Dusk,
}

impl From<WindowName> for TradeWindow {
    fn from(name: WindowName) -> Self {
        match name {
            WindowName::Dawn => Self::Dawn,
            WindowName::Row => Self::Row,
            WindowName::Dusk => Self::Dusk,
        }
    }
}

/// The objectives of those who play without a role.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objectives {
    /// Alone, or two together.
    pub settler: Vec<Objective>,
    /// Two against each other.
    pub competitor: Vec<Objective>,
}

/// What scores are made of (§9); each is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct ProgressValues {
    pub full: BoundedInteger<1, 9999>,
    pub per_pollution: BoundedInteger<0, 9999>,
    pub city_site: BoundedInteger<0, 9999>,
    pub city_token: BoundedInteger<0, 9999>,
    pub city_flooded: BoundedInteger<0, 9999>,
}

/// A kind of weather card.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeatherCard {
    /// Its name.
    pub id: Id,
    /// What it adds to the die.
    pub modifier: Signed<MAX_MODIFIER>,
    /// How many there are.
    pub count: BoundedInteger<1, 15>,
    /// Whether it is a Storm.
    #[serde(default)]
    pub storm: bool,
}

/// An integer from `-MOST` to `MOST`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "i64")]
pub struct Signed<const MOST: i64>(i64);

impl<const MOST: i64> TryFrom<i64> for Signed<MOST> {
    type Error = String;

    fn try_from(value: i64) -> Result<Self, String> {
        if (-MOST..=MOST).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("expected an integer from -{MOST} to {MOST}, found {value}"))
        }
    }
}

impl<const MOST: i64> Signed<MOST> {
    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

/// What can be printed in a slot of land.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum LandToken {
    Tree,
    Gravel,
}

/// A land tile.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LandTile {
    /// Its printed elevation.
    pub elevation: Signed<99>,
    /// Its slots, the upriver one first.
    pub slots: Vec<LandToken>,
    /// Whether a camp can stand there.
    pub camp: bool,
}

/// A half tile.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfTile {
    /// Its name.
    pub id: Id,
    /// Its only slot.
    pub slot: LandToken,
    /// The land tiles next to it.
    pub adjacent: Vec<String>,
}

/// A bank of the river.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum Bank {
    L,
    R,
}

/// A row of the map, and the line below it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapRow {
    /// Whether a blue dot is on the line to the row above.
    pub dot_above: bool,
    /// The slots of the river tile.
    pub fish_slots: BoundedInteger<0, { MAX_FISH_SLOTS as i64 }>,
    /// The land tile on the left bank.
    pub left: LandTile,
    /// The land tile on the right bank.
    pub right: LandTile,
    /// The row's half tile.
    pub half: HalfTile,
    /// Of the two net slots on the line below, the one nearer the top.
    pub net_first: Bank,
}

impl MapRow {
    /// The land tile on a bank, 0 the left one.
    pub fn land(&self, bank: usize) -> &LandTile {
        if bank == 0 { &self.left } else { &self.right }
    }
}

/// A role.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleCard {
    /// Its name.
    pub id: Id,
    /// What it asks for.
    pub objectives: Vec<Objective>,
}

/// A list of objectives as a set, bit o for objective o.
pub(super) fn objective_set(objectives: &[Objective]) -> u8 {
    objectives.iter().fold(0, |set, objective| set | objective.bit())
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

    /// The last day that can come: a Storm never ends the game.
    fn last_day(&self) -> u32 {
        let storms: u32 =
            self.weather.iter().filter(|card| card.storm).map(|card| card.count.get()).sum();
        self.rules.days.get() + storms
    }

    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        if self.players.min > self.players.max {
            return Err(document.error("players.min", "expected no more than `players.max`"));
        }
        let count = |list: &str, least: usize, most: usize, found: usize| {
            if (least..=most).contains(&found) {
                Ok(())
            } else {
                Err(document
                    .error(list, format!("expected {least} to {most} entries, found {found}")))
            }
        };
        let most_players = self.players.max.get() as usize;
        let plays_two = self.players.min.get() <= 2 && most_players >= 2;
        count("modes_for_two", usize::from(plays_two), 2, self.modes_for_two.len())?;
        if let [one, other] = self.modes_for_two[..]
            && one == other
        {
            return Err(document.error("modes_for_two", "expected each mode once"));
        }
        count("row", 1, MAX_ROWS, self.row.len())?;
        count("weather", 1, MAX_WEATHER_KINDS, self.weather.len())?;
        count("role", if most_players > 2 { most_players } else { 0 }, MAX_ROLES, self.role.len())?;
        for (list, objectives) in
            [("settler", &self.objectives.settler), ("competitor", &self.objectives.competitor)]
        {
            check_objectives(document, &format!("objectives.{list}"), objectives)?;
        }
        for (index, role) in self.role.iter().enumerate() {
            check_objectives(document, &format!("role[{index}].objectives"), &role.objectives)?;
        }
        let ids = |list: &str, names: Vec<&str>| match first_duplicate(names) {
            Some((index, name)) => Err(document.error(
                &format!("{list}[{index}].id"),
                format!("expected a name of its own, found {name:?} again"),
            )),
            None => Ok(()),
        };
        ids("weather", self.weather.iter().map(|card| card.id.as_str()).collect())?;
        ids("role", self.role.iter().map(|role| role.id.as_str()).collect())?;
        if self.rules.city_cost.tokens().is_empty() {
            return Err(document.error("rules.city_cost", "expected at least one token"));
        }
        self.check_weather(document)?;
        self.check_map(document)?;
        let most = self.most_tokens();
        if most > MAX_TOKENS {
            let message = format!(
                "expected numbers by which at most {MAX_TOKENS} tokens can come into a game, found \
                    up to {most}"
            );
            return Err(document.error("rules", message));
        }
        Ok(())
    }

    /// Every day must find a weather card, and one of them must be able to end the game.
    fn check_weather(&self, document: &Document) -> Result<(), ConfigError> {
        let cards: u32 = self.weather.iter().map(|card| card.count.get()).sum();
        let needed = self.last_day().max(self.rules.almanac.get());
        if cards < needed {
            let message = format!(
                "expected at least {needed} cards, one for each day and Storm and enough for the \
                    almanac, found {cards}"
            );
            return Err(document.error("weather", message));
        }
        Ok(())
    }

    fn check_map(&self, document: &Document) -> Result<(), ConfigError> {
        let names = Names::new(self);
        let mut camps = 0;
        for (index, row) in self.row.iter().enumerate() {
            let key = |key: &str| format!("row[{index}].{key}");
            for (bank, name) in ["left", "right"].into_iter().enumerate() {
                let land = row.land(bank);
                if land.slots.len() > MAX_LAND_SLOTS {
                    let message = format!(
                        "expected at most {MAX_LAND_SLOTS} entries, found {}",
                        land.slots.len()
                    );
                    return Err(document.error(&key(&format!("{name}.slots")), message));
                }
                camps += usize::from(land.camp);
            }
            let half = row.half.id.as_str();
            let same = self.row[..index].iter().any(|other| other.half.id.as_str() == half);
            if same || names.find_tile(half).is_some_and(|tile| tile.index() < Tile::FULL_COUNT) {
                return Err(document.error(
                    &key("half.id"),
                    format!("expected a name that no other tile has, found {half:?}"),
                ));
            }
            for (place, name) in row.half.adjacent.iter().enumerate() {
                if names.find_tile(name).is_none_or(|tile| !tile.is_land()) {
                    let message = format!("expected a land tile such as L1 or R1, found {name:?}");
                    return Err(document.error(&key(&format!("half.adjacent[{place}]")), message));
                }
            }
        }
        let last = self.row.len() - 1;
        if self.row[last].fish_slots.get() == 0 {
            return Err(document
                .error(&format!("row[{last}].fish_slots"), "expected at least 1 in the estuary"));
        }
        let players = self.players.max.get() as usize;
        if camps < players {
            return Err(document.error(
                "row",
                format!("expected at least {players} tiles with `camp = true`, found {camps}"),
            ));
        }
        Ok(())
    }

    /// No more tokens than this can come from the box, whatever is done: sales and the City only
    /// change one for another.
    fn most_tokens(&self) -> u64 {
        let rules = &self.rules;
        let (days, players, rows) =
            (u64::from(self.last_day()), u64::from(self.players.max.get()), self.row.len() as u64);
        let pieces = |kind| u64::from(self.pieces.count(kind));
        let rise =
            self.weather.iter().map(|card| card.modifier.get().max(0)).max().unwrap_or(0) as u64;
        // The water that canals can lower in a day, each time with a fish for every farm.
        let water = u64::from(rules.die.get()) + rise + rows;
        let machines =
            pieces(Structure::Boat) + pieces(Structure::Excavator) + pieces(Structure::Mill);
        let by_player = pieces(Structure::Farm) * (2 + water) + 3 * machines;
        let city = rows * u64::from(rules.city_pollution.get())
            + u64::from(rules.city_flood_pollution.get());
        let slots = (2 * MAX_LAND_SLOTS + MAX_FISH_SLOTS + MAX_LAND_TILES) as u64;
        let at_start = players * u64::from(rules.start.tokens().total()) + rows * slots;
        at_start + days * (rows * slots + players * by_player + city)
    }
}

fn check_objectives(
    document: &Document,
    key: &str,
    objectives: &[Objective],
) -> Result<(), ConfigError> {
    let set = objective_set(objectives);
    if objectives.is_empty() || set.count_ones() as usize != objectives.len() {
        return Err(document.error(key, "expected at least one objective, each once"));
    }
    Ok(())
}

/// The names in the notation.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// By tile; empty where the map has no such row.
    tiles: [String; Tile::COUNT],
    weather: Vec<String>,
    roles: Vec<String>,
}

impl Names {
    pub(super) fn new(data: &Data) -> Self {
        let tiles = std::array::from_fn(|index| {
            let tile = Tile(index as u8);
            let Some(row) = data.row.get(tile.row()) else {
                return String::new();
            };
            match ["L", "R", "W"].get(index / MAX_ROWS) {
                Some(place) => format!("{place}{}", tile.row() + 1),
                None => row.half.id.as_str().to_owned(),
            }
        });
        Self {
            tiles,
            weather: data.weather.iter().map(|card| card.id.as_str().to_owned()).collect(),
            roles: data.role.iter().map(|role| role.id.as_str().to_owned()).collect(),
        }
    }

    pub(super) fn tile(&self, tile: Tile) -> &str {
        &self.tiles[tile.index()]
    }

    pub(super) fn weather(&self, card: usize) -> &str {
        self.weather.get(card).map_or("", String::as_str)
    }

    pub(super) fn role(&self, role: usize) -> &str {
        self.roles.get(role).map_or("", String::as_str)
    }

    /// The tile with this name, of two the first.
    pub(super) fn find_tile(&self, name: &str) -> Option<Tile> {
        self.tiles
            .iter()
            .position(|tile| tile == name && !name.is_empty())
            .map(|index| Tile(index as u8))
    }

    pub(super) fn find_weather(&self, name: &str) -> Option<usize> {
        self.weather.iter().position(|card| card == name)
    }

    pub(super) fn find_role(&self, name: &str) -> Option<usize> {
        self.roles.iter().position(|role| role == name)
    }
}

/// The modes that a number of players may play.
pub(super) fn modes(data: &Data, players: usize) -> Vec<Mode> {
    match players {
        1 => vec![Mode::Solo],
        2 => data.modes_for_two.iter().map(|&mode| mode.into()).collect(),
        _ => vec![Mode::Roles],
    }
}
