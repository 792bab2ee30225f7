//! What stands on the map of We All Take from the River, packed (rules §2).
//!
//! A closed boat or mill and one that is turned are alike: only camps and excavators can be
//! ferried.

use super::components::{MAX_LAND_TILES, MAX_PIECES, Structure, Tile};
use crate::game::Seat;

/// What an acting structure may still do today (§2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Its turn is to come.
    Fresh,
    /// Its turn is over.
    Closed,
    /// It moved, or was built, today.
    Turned,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fresh, Self::Closed, Self::Turned];
}

/// Structures of one kind and status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    Farm,
    Canal,
    Levee,
    FreshMill,
    SpentMill,
    FreshExcavator,
    ClosedExcavator,
    TurnedExcavator,
}

/// What a seat has on one land tile, its camp and bridges apart: how many of each kind and status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack(u32);

impl Stack {
    pub(super) const NONE: Self = Self(0);
    const LANE: u32 = 4;
    const MOST: u32 = (1 << Self::LANE) - 1;
    const FRESH: u32 = Self::MOST << (Lane::FreshMill as u32 * Self::LANE)
        | Self::MOST << (Lane::FreshExcavator as u32 * Self::LANE);

    /// How many there are of a layer.
    #[inline]
    pub(super) const fn lane_count(self, layer: Lane) -> u32 {
        self.0 >> (layer as u32 * Self::LANE) & Self::MOST
    }

    /// How many there are of a kind, whatever their status; 0 of a kind that is not on land.
    #[inline]
    pub const fn count(self, kind: Structure) -> u32 {
        match kind {
            Structure::Farm => self.lane_count(Lane::Farm),
            Structure::Canal => self.lane_count(Lane::Canal),
            Structure::Levee => self.lane_count(Lane::Levee),
            Structure::Mill => self.lane_count(Lane::FreshMill) + self.lane_count(Lane::SpentMill),
            Structure::Excavator => {
                self.lane_count(Lane::FreshExcavator)
                    + self.lane_count(Lane::ClosedExcavator)
                    + self.lane_count(Lane::TurnedExcavator)
            }
            Structure::Boat | Structure::Bridge | Structure::Camp | Structure::Net => 0,
        }
    }

    /// How many mills are fresh.
    #[inline]
    pub const fn fresh_mills(self) -> u32 {
        self.lane_count(Lane::FreshMill)
    }

    /// How many excavators have a status.
    #[inline]
    pub const fn excavators(self, status: Status) -> u32 {
        self.lane_count(Self::excavator_lane(status))
    }

    /// Whether any mill or excavator is fresh.
    #[inline]
    pub(super) const fn has_fresh(self) -> bool {
        self.0 & Self::FRESH != 0
    }

    pub(super) const fn excavator_lane(status: Status) -> Lane {
        match status {
            Status::Fresh => Lane::FreshExcavator,
            Status::Closed => Lane::ClosedExcavator,
            Status::Turned => Lane::TurnedExcavator,
        }
    }

    #[inline]
    pub(super) const fn insert(&mut self, layer: Lane) {
        self.0 += 1 << (layer as u32 * Self::LANE);
    }

    #[inline]
    pub(super) const fn remove(&mut self, layer: Lane) {
        self.0 -= 1 << (layer as u32 * Self::LANE);
    }

    /// Ends the turn of a fresh mill or excavator.
    #[inline]
    pub(super) const fn close(&mut self, kind: Structure) {
        let (from, to) = match kind {
            Structure::Mill => (Lane::FreshMill, Lane::SpentMill),
            _ => (Lane::FreshExcavator, Lane::ClosedExcavator),
        };
        self.remove(from);
        self.insert(to);
    }

    /// Puts a new structure on the tile; a new acting one is turned (§6).
    #[inline]
    pub(super) const fn build(&mut self, kind: Structure) {
        self.insert(match kind {
            Structure::Farm => Lane::Farm,
            Structure::Canal => Lane::Canal,
            Structure::Levee => Lane::Levee,
            Structure::Mill => Lane::SpentMill,
            _ => Lane::TurnedExcavator,
        });
    }

    /// Takes a farm, canal, levee or mill off the tile, of mills one that has had its turn first.
    #[inline]
    pub(super) const fn dismantle(&mut self, kind: Structure) {
        self.remove(match kind {
            Structure::Farm => Lane::Farm,
            Structure::Canal => Lane::Canal,
            Structure::Levee => Lane::Levee,
            _ if self.lane_count(Lane::SpentMill) > 0 => Lane::SpentMill,
            _ => Lane::FreshMill,
        });
    }

    /// Whether there is nothing on any of several tiles.
    #[inline]
    pub(super) fn all_empty(stacks: impl Iterator<Item = Self>) -> bool {
        stacks.fold(0, |any, stack| any | stack.0) == 0
    }

    /// What stands on several tiles together.
    #[inline]
    pub(super) fn sum_of(stacks: impl IntoIterator<Item = Self>) -> Self {
        Self(stacks.into_iter().map(|stack| stack.0).sum())
    }

    /// Makes mills and excavators fresh (§7.8).
    #[inline]
    pub(super) const fn refresh(&mut self) {
        let passive = self.0 & ((1 << (Lane::FreshMill as u32 * Self::LANE)) - 1);
        let (mills, excavators) = (self.count(Structure::Mill), self.count(Structure::Excavator));
        self.0 = passive
            | mills << (Lane::FreshMill as u32 * Self::LANE)
            | excavators << (Lane::FreshExcavator as u32 * Self::LANE);
    }
}

const _: () = assert!(MAX_PIECES as u32 <= Stack::MOST);

/// A seat's boats on one river tile: how many are fresh, and how many are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Boats(u8);

impl Boats {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn new(fresh: u32, turned: u32) -> Self {
        Self((fresh | turned << 4) as u8)
    }

    /// How many there are.
    #[inline]
    pub const fn count(self) -> u32 {
        self.fresh() + self.turned()
    }

    /// How many are fresh.
    #[inline]
    pub const fn fresh(self) -> u32 {
        self.0 as u32 & 15
    }

    /// How many have had their turn.
    #[inline]
    pub const fn turned(self) -> u32 {
        self.0 as u32 >> 4
    }

    #[inline]
    pub(super) const fn remove_fresh(&mut self) {
        self.0 -= 1;
    }

    #[inline]
    pub(super) const fn add_turned(&mut self) {
        self.0 += 1 << 4;
    }

    #[inline]
    pub(super) const fn refresh(&mut self) {
        self.0 = self.count() as u8;
    }
}

/// A seat's camp: its tile, if it has been pitched, as a bit, and above that its status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Camp(u16);

impl Camp {
    pub(super) const NONE: Self = Self(0);
    const TILES: u16 = (1 << MAX_LAND_TILES) - 1;

    pub(super) const fn new(tile: Tile, status: Status) -> Self {
        Self(tile.bit() as u16 | (status as u16) << MAX_LAND_TILES)
    }

    /// The tile.
    #[inline]
    pub fn tile(self) -> Option<Tile> {
        let tiles = Self::tiles(&[self]);
        (tiles != 0).then(|| Tile(tiles.trailing_zeros() as u8))
    }

    /// What it may still do today.
    #[inline]
    pub const fn status(self) -> Status {
        Status::ALL[(self.0 >> MAX_LAND_TILES) as usize]
    }

    /// Whether it stands on a tile.
    #[inline]
    pub(super) fn is_on(self, tile: Tile) -> bool {
        Self::tiles(&[self]) & tile.bit() != 0
    }

    /// Whether it stands on a tile and its turn is to come.
    #[inline]
    pub(super) const fn is_fresh_on(self, tile: Tile) -> bool {
        self.0 as u32 == tile.bit()
    }

    #[inline]
    pub(super) const fn close(&mut self) {
        self.refresh();
        self.0 |= (Status::Closed as u16) << MAX_LAND_TILES;
    }

    #[inline]
    pub(super) const fn refresh(&mut self) {
        self.0 &= Self::TILES;
    }

    /// The tiles on which camps stand.
    #[inline]
    pub(super) fn tiles(camps: &[Self]) -> u32 {
        u32::from(camps.iter().fold(0, |tiles, camp| tiles | camp.0) & Self::TILES)
    }
}

/// For each of at most ten places, a seat or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Owners(u32);

impl Owners {
    pub(super) const NONE: Self = Self(0);

    /// Who owns what stands at this place.
    #[inline]
    pub const fn get(self, place: usize) -> Option<Seat> {
        let owner = self.0 >> (place * 3) & 7;
        if owner == 0 { None } else { Some(Seat::new(owner as usize - 1)) }
    }

    #[inline]
    pub(super) const fn set(&mut self, place: usize, owner: Option<Seat>) {
        let code = match owner {
            Some(seat) => seat.index() as u32 + 1,
            None => 0,
        };
        self.0 = self.0 & !(7 << (place * 3)) | code << (place * 3);
    }

    /// Whether nobody owns anything.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many places a seat owns.
    #[inline]
    pub fn count(self, seat: Seat) -> u32 {
        if self.is_empty() {
            0
        } else {
            (0..MAX_LAND_TILES).filter(|&place| self.get(place) == Some(seat)).count() as u32
        }
    }
}
