//! The pieces on the map of We All Take from the River, packed (rules §2).
//!
//! A closed boat or mill has the same state as a turned one. The difference matters only for camps
//! and excavators, because these can be ferried unless they are turned.

use super::components::{MAX_LAND_TILES, MAX_PIECES, Structure, Tile};
use watershed_engine::game::Seat;

/// The state of an acting structure on the current day (§2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// The structure can have a turn.
    Fresh,
    /// The structure has had its turn.
    Closed,
    /// The structure moved or was built today.
    Turned,
}

impl Status {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Fresh, Self::Closed, Self::Turned];
}

/// A count in a [`Stack`]: structures of one kind and status.
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

/// The structures of a seat on one land tile except its camp and bridges: a 4-bit count of each
/// kind and status. One word, so that whole rows are compared and added at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack(u32);

impl Stack {
    const LANE_BITS: u32 = 4;
    const MAX_COUNT: u32 = (1 << Self::LANE_BITS) - 1;
    const FRESH: u32 = Self::MAX_COUNT << (Lane::FreshMill as u32 * Self::LANE_BITS)
        | Self::MAX_COUNT << (Lane::FreshExcavator as u32 * Self::LANE_BITS);

    /// Returns one of the counts.
    #[inline]
    pub(super) const fn lane_count(self, lane: Lane) -> u32 {
        self.0 >> (lane as u32 * Self::LANE_BITS) & Self::MAX_COUNT
    }

    /// Returns the number of structures of a kind, of any status; 0 for kinds that are not counted
    /// here.
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

    /// Returns the number of fresh mills.
    #[inline]
    pub const fn fresh_mills(self) -> u32 {
        self.lane_count(Lane::FreshMill)
    }

    /// Returns the number of excavators with a status.
    #[inline]
    pub const fn excavators(self, status: Status) -> u32 {
        self.lane_count(Self::excavator_lane(status))
    }

    /// Returns true if a mill or excavator is fresh.
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
    pub(super) const fn insert(&mut self, lane: Lane) {
        self.0 += 1 << (lane as u32 * Self::LANE_BITS);
    }

    #[inline]
    pub(super) const fn remove(&mut self, lane: Lane) {
        self.0 -= 1 << (lane as u32 * Self::LANE_BITS);
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

    /// Adds a new structure. New acting structures are turned (§6).
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

    /// Removes a farm, canal, levee or mill. A mill that has had its turn goes first.
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

    /// Returns true if all of several stacks are empty.
    #[inline]
    pub(super) fn all_empty(stacks: impl Iterator<Item = Self>) -> bool {
        stacks.fold(0, |any, stack| any | stack.0) == 0
    }

    /// Adds the counts of several stacks. No count can exceed the pieces of a player, so there is
    /// no carry.
    #[inline]
    pub(super) fn sum_of(stacks: impl IntoIterator<Item = Self>) -> Self {
        Self(stacks.into_iter().map(|stack| stack.0).sum())
    }

    /// Makes all mills and excavators fresh (§7.8).
    #[inline]
    pub(super) const fn refresh(&mut self) {
        let passive = self.0 & ((1 << (Lane::FreshMill as u32 * Self::LANE_BITS)) - 1);
        let (mills, excavators) = (self.count(Structure::Mill), self.count(Structure::Excavator));
        self.0 = passive
            | mills << (Lane::FreshMill as u32 * Self::LANE_BITS)
            | excavators << (Lane::FreshExcavator as u32 * Self::LANE_BITS);
    }
}

const _: () = assert!(MAX_PIECES as u32 <= Stack::MAX_COUNT);

/// The boats of a seat on one river tile: a 4-bit count of those that are fresh, and of the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Boats(u8);

impl Boats {
    pub(super) const fn new(fresh: u32, turned: u32) -> Self {
        Self((fresh | turned << 4) as u8)
    }

    /// Returns the number of boats.
    #[inline]
    pub const fn count(self) -> u32 {
        self.fresh() + self.turned()
    }

    /// Returns the number of fresh boats.
    #[inline]
    pub const fn fresh(self) -> u32 {
        self.0 as u32 & 15
    }

    /// Returns the number of boats that are not fresh.
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

/// The camp of a seat: its tile as a bit (none before it is pitched), and above that its status. As
/// bits, the tiles of all camps are one `or`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Camp(u16);

impl Camp {
    const TILES: u16 = (1 << MAX_LAND_TILES) - 1;

    pub(super) const fn new(tile: Tile, status: Status) -> Self {
        Self(tile.bit() as u16 | (status as u16) << MAX_LAND_TILES)
    }

    /// Returns the tile, if the camp is on the map.
    #[inline]
    pub fn tile(self) -> Option<Tile> {
        let tiles = Self::tiles(&[self]);
        (tiles != 0).then(|| Tile(tiles.trailing_zeros() as u8))
    }

    /// Returns the status.
    #[inline]
    pub const fn status(self) -> Status {
        Status::ALL[(self.0 >> MAX_LAND_TILES) as usize]
    }

    /// Returns true if the camp is on this tile.
    #[inline]
    pub(super) fn is_on(self, tile: Tile) -> bool {
        Self::tiles(&[self]) & tile.bit() != 0
    }

    /// Returns true if the camp is on this tile and fresh.
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

    /// Returns the tiles of some camps.
    #[inline]
    pub(super) fn tiles(camps: &[Self]) -> u32 {
        u32::from(camps.iter().fold(0, |tiles, camp| tiles | camp.0) & Self::TILES)
    }
}

/// The owner of each of at most ten bridges or nets, in 3 bits: 0 for none, otherwise the seat + 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Owners(u32);

impl Owners {
    /// Returns the owner at an index.
    #[inline]
    pub const fn get(self, index: usize) -> Option<Seat> {
        let owner = self.0 >> (index * 3) & 7;
        if owner == 0 { None } else { Some(Seat::new(owner as usize - 1)) }
    }

    #[inline]
    pub(super) const fn set(&mut self, index: usize, owner: Option<Seat>) {
        let code = match owner {
            Some(seat) => seat.index() as u32 + 1,
            None => 0,
        };
        self.0 = self.0 & !(7 << (index * 3)) | code << (index * 3);
    }

    /// Returns true if there is no owner.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of entries that a seat owns.
    #[inline]
    pub fn count(self, seat: Seat) -> u32 {
        if self.is_empty() {
            0
        } else {
            (0..MAX_LAND_TILES).filter(|&index| self.get(index) == Some(seat)).count() as u32
        }
    }
}
