//! What The River is made of: resources, tiles and buildings, and how they are packed.

/// Spots on a river board.
pub const SPOTS: usize = 12;
/// The most tile kinds a data file may have; kind 0 stands for no tile.
pub const MAX_TILE_KINDS: usize = 31;
/// The most tiles, all copies together.
pub const MAX_TILES: usize = 128;
/// The most buildings.
pub const MAX_BUILDINGS: usize = 64;
/// The most river boards.
pub const MAX_BOARDS: usize = 8;
/// The most tiles that can lie face up.
pub const MAX_FACE_UP_TILES: usize = 12;
/// The most warehouses a board can show.
pub const MAX_STORAGE: u32 = 63;
/// The most of a resource a building may cost.
pub const MAX_COST: u32 = 6;
/// The most of one resource there can be, and the most symbols of one kind a board can show.
pub const MAX_RESOURCE: u32 = 31;
const LANE: u32 = 5;
const LANE_MASK: u64 = 31;
/// The bits of a whole row of tiles.
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

/// The four resources, in the order every notation uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// From the wood island.
    Wood,
    /// From the clay island.
    Clay,
    /// From the stone island.
    Stone,
    /// The wild resource.
    Food,
}

impl Resource {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Wood, Self::Clay, Self::Stone, Self::Food];
    /// Those that islands produce and buildings cost.
    pub const PRODUCED: [Self; 3] = [Self::Wood, Self::Clay, Self::Stone];

    /// The name that data and notation use.
    pub const fn name(self) -> &'static str {
        ["wood", "clay", "stone", "food"][self as usize]
    }

    /// The resource with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }
}

/// A kind of tile, from 1; 0 stands for no tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TileKind(pub u8);

/// A building card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Building(pub u8);

/// Amounts of the four resources, each at most [`MAX_RESOURCE`]; sums and differences must stay
/// within it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bag(pub(super) u32);

impl Bag {
    /// These amounts of wood, clay, stone and food.
    pub const fn new(wood: u32, clay: u32, stone: u32, food: u32) -> Self {
        Self(wood | clay << LANE | stone << (2 * LANE) | food << (3 * LANE))
    }

    /// That much of one resource and nothing else.
    pub const fn single(resource: Resource, amount: u32) -> Self {
        Self(amount << (resource as u32 * LANE))
    }

    /// How much there is of a resource.
    #[inline]
    pub const fn get(self, resource: Resource) -> u32 {
        self.0 >> (resource as u32 * LANE) & MAX_RESOURCE
    }

    /// How much there is of all resources together.
    #[inline]
    pub fn total(self) -> u32 {
        Resource::ALL.iter().map(|&resource| self.get(resource)).sum()
    }

    /// Both bags together.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// This bag without the other.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Visible symbols: production of wood, clay and stone, and storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Symbols(pub(super) u32);

impl Symbols {
    /// These production symbols and warehouses.
    pub const fn new(production: [u32; 3], storage: u32) -> Self {
        Self(
            production[0]
                | production[1] << LANE
                | production[2] << (2 * LANE)
                | storage << (3 * LANE),
        )
    }

    /// Production symbols of wood, clay or stone.
    #[inline]
    pub const fn production(self, resource: Resource) -> u32 {
        self.0 >> (resource as u32 * LANE) & MAX_RESOURCE
    }

    /// Warehouses.
    #[inline]
    pub const fn storage(self) -> u32 {
        self.0 >> (3 * LANE)
    }

    /// Both together.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// These without the others.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Up to twelve tile kinds in a row, without gaps: a river board, or the tiles that lie face up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TileRow(pub(super) u64);

impl TileRow {
    /// How many tiles there are.
    #[inline]
    pub const fn len(self) -> usize {
        ((u64::BITS - self.0.leading_zeros()).div_ceil(LANE)) as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The tile at this place, counted from 0; kind 0 where there is none.
    #[inline]
    pub const fn get(self, place: usize) -> TileKind {
        TileKind((self.0 >> (place as u32 * LANE) & LANE_MASK) as u8)
    }

    /// All tiles in order.
    pub fn iter(self) -> impl Iterator<Item = TileKind> {
        (0..self.len()).map(move |place| self.get(place))
    }

    /// The kinds that occur, bit k for kind k.
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

    #[inline]
    pub(super) const fn push(&mut self, kind: TileKind) {
        self.0 |= (kind.0 as u64) << (self.len() as u32 * LANE);
    }

    /// Takes away the first tile of a kind, which must be there.
    #[inline]
    pub(super) const fn remove(&mut self, kind: TileKind) {
        let mut place = 0;
        while self.get(place).0 != kind.0 {
            place += 1;
        }
        let below = (1 << (place as u32 * LANE)) - 1;
        self.0 = self.0 & below | self.0 >> LANE & !below;
    }

    #[inline]
    pub(super) const fn swap(&mut self, one: usize, other: usize) {
        let difference = (self.get(one).0 ^ self.get(other).0) as u64;
        self.0 ^= difference << (one as u32 * LANE) | difference << (other as u32 * LANE);
    }

    /// For each place, whether a tile lies there; the answer stands in the highest bit of the
    /// place's lane.
    #[inline]
    pub(super) const fn occupied_lanes(self) -> u64 {
        Self::nonzero_lanes(self.0)
    }

    /// For each place, whether a tile of another kind lies `distance` places further on; the answer
    /// stands as in [`TileRow::occupied_lanes`].
    #[inline]
    pub(super) const fn differing_lanes(self, distance: u32) -> u64 {
        Self::nonzero_lanes(self.0 ^ self.0 >> (distance * LANE))
            & self.occupied_lanes() >> (distance * LANE)
    }

    #[inline]
    const fn nonzero_lanes(lanes: u64) -> u64 {
        const BELOW_TOPS: u64 = TILES_MASK & !LANE_TOPS;
        (((lanes & BELOW_TOPS) + BELOW_TOPS) | lanes) & LANE_TOPS
    }
}
