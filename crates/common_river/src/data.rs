//! The data file of We All Take from the River, as in `configs/common_river.toml`, and the checks
//! that its values are within the rules and the capacity of the packed position.

use std::ops::RangeInclusive;

use super::{
    components::{
        MAX_ALMANAC_CARDS, MAX_FISH_SLOTS, MAX_LAND_SLOTS, MAX_LAND_TILES, MAX_PIECES, MAX_ROLES,
        MAX_ROWS, MAX_TOKENS, MAX_WEATHER_KINDS, Objective, Structure, Tile, Token, Tokens,
    },
    phases::{Mode, TradeWindow},
};
use watershed_engine::{
    config::{BoundedInteger, ConfigError, DisplayName, Document, Id},
    games::{GameData, labels::name_or_id, player_range::PlayerRange, targets::Targets},
    keys, names,
};

/// The maximum number of sides of the die.
pub const MAX_DIE: u8 = 20;

/// The maximum absolute value of a weather card's modifier.
pub const MAX_MODIFIER: i64 = 40;

keys! {
    /// A whole data file.
    pub struct Data {
        /// The game's name.
        pub name: DisplayName,
        /// The sources of the values. Every report shows it.
        pub provenance: DisplayName,
        /// The range of numbers of players.
        pub players: PlayerRange<1, 5>,
        /// The intended ranges of metrics, which do not affect play.
        pub targets: Targets = Targets::default(),
        /// The modes of a game with two players. One is drawn at random.
        pub modes_for_two: Vec<ModeForTwo>,
        /// Numbers in the rules.
        pub rules: RuleValues,
        /// The pieces of one player.
        pub pieces: PieceCounts,
        /// The costs of structures, without the fish of the build action.
        pub cost: Costs,
        /// The limits of trades and proposals.
        pub negotiation: Negotiation,
        /// The objectives of players without a role.
        pub objectives: Objectives,
        /// The parts of the score.
        pub progress: ProgressValues,
        /// The weather cards.
        pub weather: Vec<WeatherCard>,
        /// The rows of the map, from the top of the river.
        pub row: Vec<MapRow>,
        /// The roles.
        pub role: Vec<RoleCard>,
    }
}

names! {
    /// A mode for two players.
    pub enum ModeForTwo {
        /// Two players who compete.
        Competitive = "competitive",
        /// Two players who win or lose together.
        Coop = "coop",
    }
}

keys! {
    /// A number of tokens of each kind, by default 0.
    #[derive(Copy, Default)]
    pub struct TokenCounts {
        /// Fish.
        pub fish: BoundedInteger<0, 99> = BoundedInteger::default(),
        /// Gold.
        pub gold: BoundedInteger<0, 99> = BoundedInteger::default(),
        /// Gravel.
        pub gravel: BoundedInteger<0, 99> = BoundedInteger::default(),
        /// Pollution.
        pub pollution: BoundedInteger<0, 99> = BoundedInteger::default(),
        /// Trees.
        pub tree: BoundedInteger<0, 99> = BoundedInteger::default(),
    }
}

impl TokenCounts {
    /// Returns the tokens.
    pub fn tokens(&self) -> Tokens {
        let counts = [self.fish, self.gold, self.gravel, self.pollution, self.tree];
        Token::ALL
            .into_iter()
            .zip(counts)
            .fold(Tokens::NONE, |tokens, (token, count)| tokens.with(token, count.get()))
    }
}

names! {
    /// The effect of water above the elevation of a tile (§5.2).
    pub enum Erosion {
        /// The tile loses one tree, or floods if it has none.
        Single = "single",
        /// The tile loses trees until the water is at its elevation, and floods if they do not
        /// suffice.
        Loop = "loop",
    }
}

keys! {
    /// Numbers in the rules, which refer to them by these names.
    pub struct RuleValues {
        // Each day needs a weather card, and there are at most 15 kinds of 15 cards.
        /// The first day that can be the last one.
        pub days: BoundedInteger<1, 225>,
        /// Sides of the die.
        pub die: BoundedInteger<1, { MAX_DIE as i64 }>,
        /// Weather cards face up.
        pub almanac: BoundedInteger<1, { MAX_ALMANAC_CARDS as i64 }>,
        /// Tokens of a seat at the beginning.
        pub start: TokenCounts,
        /// Fish for a build action.
        pub build_fish: BoundedInteger<0, 99>,
        /// Tokens of one `take` harvest.
        pub take_max: BoundedInteger<1, 99>,
        /// Tokens sold for 1 gold.
        pub tokens_per_gold: BoundedInteger<1, 99>,
        /// Gold for a proposal.
        pub proposal_gold: BoundedInteger<0, 99>,
        /// Fish for the objective `agriculture`.
        pub agriculture_fish: BoundedInteger<1, 9999>,
        /// Tokens that complete the City.
        pub city_cost: TokenCounts,
        /// Pollution by the City when its row populates.
        pub city_pollution: BoundedInteger<0, 99>,
        /// True if the City pollutes at water 0 or below too.
        pub city_pollutes_dry: bool,
        /// Pollution when the tile of the City floods.
        pub city_flood_pollution: BoundedInteger<0, 99>,
        /// Effect of water above the elevation of a tile.
        pub erosion: Erosion,
    }
}

/// A number of pieces.
pub type PieceCount = BoundedInteger<0, { MAX_PIECES as i64 }>;

keys! {
    /// The numbers of pieces of one player.
    pub struct PieceCounts {
        /// Boats of a seat.
        pub boat: PieceCount,
        /// Excavators of a seat.
        pub excavator: PieceCount,
        /// Mills of a seat.
        pub mill: PieceCount,
        /// Nets of a seat.
        pub net: PieceCount,
        /// Farms of a seat.
        pub farm: PieceCount,
        /// Canals, levees and bridges of a seat together.
        pub sticks: PieceCount,
    }
}

impl PieceCounts {
    /// Returns the number of pieces of a kind. Canals, levees and bridges are all built of sticks,
    /// so for these it is the number of sticks.
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

keys! {
    /// The costs of structures.
    pub struct Costs {
        /// Cost of a boat.
        pub boat: TokenCounts,
        /// Cost of an excavator.
        pub excavator: TokenCounts,
        /// Cost of a mill.
        pub mill: TokenCounts,
        /// Cost of a net.
        pub net: TokenCounts,
        /// Cost of a farm.
        pub farm: TokenCounts,
        /// Cost of a canal.
        pub canal: TokenCounts,
        /// Cost of a levee.
        pub levee: TokenCounts,
        /// Cost of a bridge.
        pub bridge: TokenCounts,
    }
}

impl Costs {
    /// Returns the cost of a structure.
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

keys! {
    /// Limits of trades and proposals. The rules refer to them by these names.
    pub struct Negotiation {
        /// Times at which trade windows are held; none for no trade.
        pub trade_windows: Vec<TradeWindow>,
        /// Rounds of offers in a window.
        pub trade_rounds: BoundedInteger<0, 99>,
        /// Offers of a seat in a round.
        pub offers_per_round: BoundedInteger<0, 99>,
        /// Tokens on each side of an offer.
        pub offer_max_tokens: BoundedInteger<1, 99>,
        /// Proposals of a seat in a day; 0 for no policies, and so no City.
        pub proposals_per_day: BoundedInteger<0, 99>,
    }

    /// The objectives of players without a role.
    pub struct Objectives {
        /// The objectives of one player, or of two who cooperate.
        pub settler: Vec<Objective>,
        /// The objectives of two players who compete.
        pub competitor: Vec<Objective>,
    }

    /// Numbers that scores are computed from (§9). The rules refer to them by these names.
    pub struct ProgressValues {
        /// Score of a completed objective.
        pub full: BoundedInteger<1, 9999>,
        /// Points lost for each pollution on the map.
        pub per_pollution: BoundedInteger<0, 9999>,
        /// Points of a site.
        pub city_site: BoundedInteger<0, 9999>,
        /// Points of each token on the site.
        pub city_token: BoundedInteger<0, 9999>,
        /// Points of a City that is complete but flooded.
        pub city_flooded: BoundedInteger<0, 9999>,
    }

    /// A kind of weather card.
    pub struct WeatherCard {
        /// The name.
        pub id: Id,
        /// The number added to the die.
        pub modifier: BoundedInteger<{ -MAX_MODIFIER }, MAX_MODIFIER>,
        /// The number of cards. A position holds the number of unseen ones in 4 bits.
        pub count: BoundedInteger<1, 15>,
        /// True if the card is a Storm.
        pub storm: bool = false,
    }
}

names! {
    /// A kind of slot on land, by the token that fills it.
    #[expect(missing_docs, reason = "the names are those of the rules")]
    pub enum LandToken {
        Tree = "tree",
        Gravel = "gravel",
    }
}

keys! {
    /// A land tile.
    pub struct LandTile {
        /// The printed elevation.
        pub elevation: BoundedInteger<-99, 99>,
        /// The slots, the upriver one first.
        pub slots: Vec<LandToken>,
        /// True if the tile has a camp slot.
        pub camp: bool,
    }

    /// A half tile.
    pub struct HalfTile {
        /// The name.
        pub id: Id,
        /// The only slot.
        pub slot: LandToken,
        /// The names of the adjacent land tiles.
        pub adjacent: Vec<String>,
    }
}

names! {
    /// A bank of the river.
    #[expect(missing_docs, reason = "the names say it")]
    pub enum Bank {
        Left = "L",
        Right = "R",
    }
}

keys! {
    /// A row of the map, and the line below it.
    pub struct MapRow {
        /// True if there is a blue dot on the line to the row above.
        pub dot_above: bool,
        /// The number of slots of the river tile.
        pub fish_slots: BoundedInteger<0, { MAX_FISH_SLOTS as i64 }>,
        /// The land tile on the left bank.
        pub left: LandTile,
        /// The land tile on the right bank.
        pub right: LandTile,
        /// The row's half tile.
        pub half: HalfTile,
        /// The bank of the net slot that is nearer to the top, of the two on the line below.
        pub net_first: Bank,
    }
}

impl MapRow {
    /// Returns the land tile on a bank: 0 is the left one, 1 the right one.
    pub fn land(&self, bank: usize) -> &LandTile {
        if bank == 0 { &self.left } else { &self.right }
    }
}

keys! {
    /// A role card.
    pub struct RoleCard {
        /// The identifier in notations and tables.
        pub id: Id,
        /// The name for people; made of the identifier if there is none.
        pub name: Option<DisplayName>,
        /// The objectives of the player who has the role.
        pub objectives: Vec<Objective>,
    }
}

/// Returns the set of some objectives, bit `o` for objective `o`.
pub(super) fn objective_set(objectives: &[Objective]) -> u8 {
    objectives.iter().fold(0, |set, objective| set | objective.bit())
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }

    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        self.players.check(document)?;
        let max_players = self.players.max.get() as usize;
        let plays_two = self.players.min.get() <= 2 && max_players >= 2;
        let modes = &self.modes_for_two;
        document.check_count("modes_for_two", usize::from(plays_two)..=2, modes.len())?;
        let is_repeated = modes.len() == 2 && modes[0] == modes[1];
        document.check(!is_repeated, "modes_for_two", "expected each mode once")?;
        document.check_count("row", 1..=MAX_ROWS, self.row.len())?;
        document.check_count("weather", 1..=MAX_WEATHER_KINDS, self.weather.len())?;
        let min_roles = if max_players > 2 { max_players } else { 0 };
        document.check_count("role", min_roles..=MAX_ROLES, self.role.len())?;
        check_objectives(document, "objectives.settler", &self.objectives.settler)?;
        check_objectives(document, "objectives.competitor", &self.objectives.competitor)?;
        for (index, role) in self.role.iter().enumerate() {
            check_objectives(document, &format!("role[{index}].objectives"), &role.objectives)?;
        }
        document.check_unique_ids("weather", self.weather.iter().map(|card| &card.id))?;
        document.check_unique_ids("role", self.role.iter().map(|role| &role.id))?;
        let is_free = self.rules.city_cost.tokens().is_empty();
        document.check(!is_free, "rules.city_cost", "expected at least one token")?;
        self.check_weather(document)?;
        self.check_map(document)?;
        let tokens = self.max_tokens();
        let message = format!(
            "expected values with which at most {MAX_TOKENS} tokens can enter a game, found up to \
                {tokens}"
        );
        document.check(tokens <= MAX_TOKENS, "rules", message)
    }
}

impl Data {
    /// Returns the name of a weather card.
    pub(super) fn weather_name(&self, card: usize) -> &str {
        self.weather[card].id.as_str()
    }

    /// Returns the name of a role.
    pub(super) fn role_name(&self, role: usize) -> &str {
        self.role[role].id.as_str()
    }

    /// Returns the name of a role for people.
    pub(super) fn role_label(&self, role: usize) -> String {
        name_or_id(self.role[role].name.as_ref(), &self.role[role].id)
    }

    /// Returns the maximum number of days. A game never ends on the day of a Storm.
    fn max_days(&self) -> u32 {
        let storms = self.weather.iter().filter(|card| card.storm);
        self.rules.days.get() + storms.map(|card| card.count.get()).sum::<u32>()
    }

    /// Checks that there is a weather card for every day, the last of which is not a Storm.
    fn check_weather(&self, document: &Document) -> Result<(), ConfigError> {
        let cards: u32 = self.weather.iter().map(|card| card.count.get()).sum();
        let needed = self.max_days().max(self.rules.almanac.get());
        let message = format!(
            "expected at least {needed} cards, one for each day and Storm and enough for the \
                almanac, found {cards}"
        );
        document.check(cards >= needed, "weather", message)
    }

    /// Checks that the map fits the packed position, and that its names are unique.
    fn check_map(&self, document: &Document) -> Result<(), ConfigError> {
        let names = TileNames::new(self);
        let mut camps = 0;
        for (index, row) in self.row.iter().enumerate() {
            let key = |key: &str| format!("row[{index}].{key}");
            for (bank, name) in ["left", "right"].into_iter().enumerate() {
                let land = row.land(bank);
                let found = land.slots.len();
                let message = format!("expected at most {MAX_LAND_SLOTS} entries, found {found}");
                let slots = key(&format!("{name}.slots"));
                document.check(found <= MAX_LAND_SLOTS, &slots, message)?;
                camps += usize::from(land.camp);
            }
            let half = row.half.id.as_str();
            let is_unique = names.find(half) == Some(Tile::half(index));
            let message = format!("expected a name that no other tile has, found {half:?}");
            document.check(is_unique, &key("half.id"), message)?;
            for (position, name) in row.half.adjacent.iter().enumerate() {
                let is_land = names.find(name).is_some_and(Tile::is_land);
                let message = format!("expected a land tile such as L1 or R1, found {name:?}");
                document.check(is_land, &key(&format!("half.adjacent[{position}]")), message)?;
            }
        }
        let last = self.row.len() - 1;
        let has_fish_slots = self.row[last].fish_slots.get() > 0;
        let key = format!("row[{last}].fish_slots");
        document.check(has_fish_slots, &key, "expected at least 1 in the estuary")?;
        let players = self.players.max.get() as usize;
        let message =
            format!("expected at least {players} tiles with `camp = true`, found {camps}");
        document.check(camps >= players, "row", message)
    }

    /// Returns an upper bound of the number of tokens that enter a game, so that no count of the
    /// packed position can overflow. Sales and purchases only exchange tokens, so the bound omits
    /// them.
    fn max_tokens(&self) -> u64 {
        let rules = &self.rules;
        let (days, players, rows) =
            (u64::from(self.max_days()), u64::from(self.players.max.get()), self.row.len() as u64);
        let pieces = |kind| u64::from(self.pieces.count(kind));
        let rise =
            self.weather.iter().map(|card| card.modifier.signed().max(0)).max().unwrap_or(0) as u64;
        // Canals can lower the water by this much in a day, and each level gives a fish for every
        // farm.
        let water = u64::from(rules.die.get()) + rise + rows;
        let machines =
            pieces(Structure::Boat) + pieces(Structure::Excavator) + pieces(Structure::Mill);
        // A farm also gives a fish and a pollution each day. A machine gives at most a gravel and
        // a pollution by its harvest, and a pollution by its build action.
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
    let is_set = objective_set(objectives).count_ones() as usize == objectives.len();
    let message = "expected at least one objective, each once";
    document.check(is_set && !objectives.is_empty(), key, message)
}

/// The name of each tile in the notation, empty if the map does not have its row.
#[derive(Clone, Debug)]
pub(super) struct TileNames([String; Tile::COUNT]);

impl TileNames {
    pub(super) fn new(data: &Data) -> Self {
        Self(std::array::from_fn(|index| {
            let tile = Tile(index as u8);
            let Some(row) = data.row.get(tile.row()) else { return String::new() };
            match ["L", "R", "W"].get(index / MAX_ROWS) {
                Some(letter) => format!("{letter}{}", tile.row() + 1),
                None => row.half.id.as_str().to_owned(),
            }
        }))
    }

    pub(super) fn get(&self, tile: Tile) -> &str {
        &self.0[tile.index()]
    }

    /// Returns the first tile with this name.
    pub(super) fn find(&self, name: &str) -> Option<Tile> {
        let index = self.0.iter().position(|tile| tile == name && !name.is_empty())?;
        Some(Tile(index as u8))
    }
}

/// Returns the modes of a game with this number of players.
pub(super) fn modes(data: &Data, players: usize) -> Vec<Mode> {
    match players {
        1 => vec![Mode::Solo],
        2 => {
            let modes = data.modes_for_two.iter();
            modes.map(|&mode| [Mode::Competitive, Mode::Coop][mode as usize]).collect()
        }
        _ => vec![Mode::Roles],
    }
}
