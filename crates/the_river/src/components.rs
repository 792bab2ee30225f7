//! Resources, tiles and buildings of The River, and their packed form.

use watershed_engine::names;

/// The number of spots on a river board.
pub const SPOTS: usize = 12;
/// The maximum number of kinds of tile in a data file. Kind 0 stands for no tile.
pub const MAX_TILE_KINDS: usize = 31;
/// The maximum number of tiles, including all copies.
pub const MAX_TILES: usize = 128;
/// The maximum number of buildings.
pub const MAX_BUILDINGS: usize = 64;
/// The maximum number of river boards.
pub const MAX_BOARDS: usize = 8;
/// The maximum number of tiles that lie face up.
pub const MAX_FACE_UP_TILES: usize = 12;
/// The maximum number of warehouses visible on a board.
pub const MAX_STORAGE: u32 = 63;
/// The maximum cost of a building in one resource.
pub const MAX_COST: u32 = 6;
/// The maximum number of resources of a trade.
pub const MAX_TRADE_IN: u32 = 7;
/// The maximum amount of a resource, and the maximum number of symbols of one kind on a board.
pub const MAX_RESOURCE: u32 = 31;
/// The number of bits of a tile in a row, or of a resource in a bag.
const LANE: u32 = 5;
const LANE_MASK: u64 = 31;
/// The bits of a full row of tiles.
pub(super) const TILES_MASK: u64 = (1 << (SPOTS as u32 * LANE)) - 1;
/// The highest bit of each lane of a row of tiles.
const LANE_TOPS: u64 = {
    let mut tops = 0;
    let mut lane = 0;
    while lane < SPOTS {
        tops |= 0b10000 << (lane as u32 * LANE);
        lane += 1;
    }
    tops
};

names! {
    /// A resource. The order is that of all notations.
    pub enum Resource {
        /// From the wood island.
        Wood = "wood",
        /// From the clay island.
        Clay = "clay",
        /// From the stone island.
        Stone = "stone",
        /// The wild resource.
        Food = "food",
    }
}

impl Resource {
    /// The resources that islands produce and buildings cost.
    pub const PRODUCED: [Self; 3] = [Self::Wood, Self::Clay, Self::Stone];

    /// Returns the first letter of the name, which stands for the resource in notations of amounts.
    pub(super) fn letter(self) -> &'static str {
        &self.name()[..1]
    }
}

/// A kind of tile, from 1, or 0 for no tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TileKind(pub u8);

impl TileKind {
    /// No tile.
    pub const NONE: Self = Self(0);
}

/// A building card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Building(pub u8);

/// Amounts of the resources, each from 0 to [`MAX_RESOURCE`], also in sums and differences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bag(pub(super) u32);

impl Bag {
    /// Creates a bag with these amounts.
    pub const fn new(wood: u32, clay: u32, stone: u32, food: u32) -> Self {
        Self(wood | clay << LANE | stone << (2 * LANE) | food << (3 * LANE))
    }

    /// Creates a bag with one resource only.
    pub const fn single(resource: Resource, amount: u32) -> Self {
        Self(amount << (resource as u32 * LANE))
    }

    /// Returns the amount of a resource.
    #[inline]
    pub const fn get(self, resource: Resource) -> u32 {
        self.0 >> (resource as u32 * LANE) & MAX_RESOURCE
    }

    /// Returns the amount of all resources.
    #[inline]
    pub const fn total(self) -> u32 {
        // Two lanes at a time; a sum has at most 7 bits.
        const LOWER_LANES: u32 = MAX_RESOURCE | MAX_RESOURCE << (2 * LANE);
        let pairs = (self.0 & LOWER_LANES) + (self.0 >> LANE & LOWER_LANES);
        (pairs + (pairs >> (2 * LANE))) & 0x7f
    }

    /// Returns the sum of two bags.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Returns the difference of two bags.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    /// Returns the notation of the amounts, such as `w2f1`, or `-` if all are 0.
    pub(super) fn text(self) -> String {
        let amounts = Resource::ALL.into_iter().filter(|&resource| self.get(resource) > 0);
        let text: String = amounts
            .map(|resource| format!("{}{}", resource.letter(), self.get(resource)))
            .collect();
        if text.is_empty() { "-".to_owned() } else { text }
    }

    /// Parses the notation of amounts, of each resource at most `max`. Zeros are accepted.
    pub(super) fn parse(text: &str, max: impl Fn(Resource) -> u32) -> Option<Self> {
        let mut bag = Self::default();
        let mut rest = text;
        for resource in Resource::ALL {
            let Some(after) = rest.strip_prefix(resource.letter()) else { continue };
            let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
            let amount = after[..end].parse().ok().filter(|&amount| amount <= max(resource))?;
            bag = bag.plus(Self::single(resource, amount));
            rest = &after[end..];
        }
        (rest.is_empty() || text == "-").then_some(bag)
    }
}

/// Amounts of wood, clay and stone that tiles give in a cleanup, also in sums over a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Income(u64);

impl Income {
    /// The number of bits of an amount.
    const LANE: u32 = 16;

    /// Creates an income of one resource only.
    pub(super) const fn single(resource: Resource, amount: u32) -> Self {
        Self((amount as u64) << (resource as u32 * Self::LANE))
    }

    /// Returns the amount of a resource.
    #[inline]
    pub(super) const fn get(self, resource: Resource) -> u32 {
        (self.0 >> (resource as u32 * Self::LANE)) as u16 as u32
    }

    /// Returns the sum of both.
    #[inline]
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// Numbers of symbols: production of wood, clay and stone, and warehouses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Symbols(pub(super) u32);

impl Symbols {
    /// Symbols of production of wood, clay and stone, and warehouses.
    pub const fn new(production: [u32; 3], storage: u32) -> Self {
        let [wood, clay, stone] = production;
        Self(wood | clay << LANE | stone << (2 * LANE) | storage << (3 * LANE))
    }

    /// Returns the number of production symbols of wood, clay or stone.
    #[inline]
    pub const fn production(self, resource: Resource) -> u32 {
        self.0 >> (resource as u32 * LANE) & MAX_RESOURCE
    }

    /// Returns the number of warehouses.
    #[inline]
    pub const fn storage(self) -> u32 {
        self.0 >> (3 * LANE)
    }

    /// Returns the sum of both.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Returns the difference of both.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// A row of up to [`SPOTS`] tiles without gaps: those on a board, or those that lie face up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TileRow(pub(super) u64);

impl TileRow {
    /// Returns the number of tiles.
    #[inline]
    pub const fn len(self) -> usize {
        let unused_bits = self.0.leading_zeros() - TILES_MASK.leading_zeros();
        SPOTS - (unused_bits / LANE) as usize
    }

    /// Returns true if there is no tile.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the tile at a position, counted from 0; kind 0 if there is none.
    #[inline]
    pub const fn get(self, index: usize) -> TileKind {
        TileKind((self.0 >> (index as u32 * LANE) & LANE_MASK) as u8)
    }

    /// Returns all tiles in order.
    pub fn iter(self) -> impl Iterator<Item = TileKind> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let kind = TileKind((rest & LANE_MASK) as u8);
            rest >>= LANE;
            Some(kind)
        })
    }

    /// Returns the kinds that occur, bit k for kind k.
    #[inline]
    pub const fn kinds(self) -> u32 {
        let mut kinds = 0;
        let mut rest = self.0;
        while rest != 0 {
            kinds |= 1 << (rest & LANE_MASK);
            rest >>= LANE;
        }
        kinds
    }

    /// Appends a tile and returns the number of tiles.
    #[inline]
    pub(super) const fn push(&mut self, kind: TileKind) -> usize {
        let len = self.len();
        self.0 |= (kind.0 as u64) << (len as u32 * LANE);
        len + 1
    }

    /// Removes the first tile of a kind, which must be there.
    #[inline]
    pub(super) const fn remove(&mut self, kind: TileKind) {
        let mut index = 0;
        while self.get(index).0 != kind.0 {
            index += 1;
        }
        let below = (1 << (index as u32 * LANE)) - 1;
        self.0 = self.0 & below | self.0 >> LANE & !below;
    }

    #[inline]
    pub(super) const fn swap(&mut self, one: usize, other: usize) {
        let difference = (self.get(one).0 ^ self.get(other).0) as u64;
        self.0 ^= difference << (one as u32 * LANE) | difference << (other as u32 * LANE);
    }

    /// Returns the highest bits of the lanes whose content differs from that of the lane `distance`
    /// lanes further on. Beyond the row all lanes are empty.
    #[inline]
    pub(super) const fn differing_lanes(self, distance: u32) -> u64 {
        const BELOW_TOPS: u64 = TILES_MASK & !LANE_TOPS;
        let difference = self.0 ^ self.0 >> (distance * LANE);
        (((difference & BELOW_TOPS) + BELOW_TOPS) | difference) & LANE_TOPS
    }
}
