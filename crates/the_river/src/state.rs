//! The packed position of The River (rules §1).
//!
//! A position of four seats has 128 bytes. Values that can be derived are not stored: discarded
//! tiles are those that lie nowhere else, the supply is the stock less what the seats hold, and the
//! next bonus token follows from the number of tokens taken. The symbols visible on a board are
//! stored, because every turn reads them.

#![expect(unreachable_pub, reason = "the bit field macro makes public builders of private types")]

use arbitrary_int::{traits::Integer, u2, u3, u4, u5, u7, u20, u21};
use bitbybit::bitfield;

use super::components::{Bag, Building, Resource, Symbols, TILES_MASK, TileKind, TileRow};
use watershed_engine::game::Seat;

/// The first bit above the tiles of a board, where the number of its river board stands.
const BOARD_SHIFT: u32 = TILES_MASK.count_ones();
/// The bit of a board with a tile that gives income.
const INCOME: u64 = 1 << 63;

/// The values of a seat except the tiles on its board.
#[bitfield(u64, default = 0)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct SeatFields {
    #[bits(0..=19, rw)]
    bag: u20,
    #[bits(20..=40, rw)]
    symbols: u21,
    #[bits(41..=43, rw)]
    tokens: u3,
    #[bits(44..=50, rw)]
    token_points: u7,
    #[bits(51..=53, rw)]
    boat_pioneers: u3,
    #[bits(54..=56, rw)]
    pioneers: u3,
    #[bits(57..=59, rw)]
    claims: u3,
    #[bits(60..=61, rw)]
    food_pioneers: u2,
    #[bits(62..=63, rw)]
    swap_pioneers: u2,
}

/// The event that comes next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Chance determines the first player (§2.1).
    FirstPlayer = 0,
    /// Chance gives the seats their river boards (§2.2).
    Boards = 1,
    /// Chance lays out the draft row (§2.4).
    DraftTiles = 2,
    /// Chance lays out buildings (§2.5, §7.2).
    Buildings = 3,
    /// A seat claims its first tile (§2.6).
    Draft = 4,
    /// Chance lays out tiles (§2.7, §7.1).
    Tiles = 5,
    /// A seat trades or places a pioneer (§3).
    Place = 6,
    /// A seat pays for the building it chose (§4).
    Pay = 7,
    /// A seat may swap tiles, by the effect of the tile that it claimed (§5).
    Swaps = 8,
    /// A seat holds more resources than it can store after its action (§6).
    Overflow = 9,
    /// A seat holds more resources than it can store after income (§7.4).
    IncomeOverflow = 10,
    /// The game has ended.
    Over = 11,
}

/// The phases by number; the last numbers are not used.
const PHASES: [Phase; 16] = [
    Phase::FirstPlayer,
    Phase::Boards,
    Phase::DraftTiles,
    Phase::Buildings,
    Phase::Draft,
    Phase::Tiles,
    Phase::Place,
    Phase::Pay,
    Phase::Swaps,
    Phase::Overflow,
    Phase::IncomeOverflow,
    Phase::Over,
    Phase::Over,
    Phase::Over,
    Phase::Over,
    Phase::Over,
];

/// A place for pioneers where they are counted. The first three are the production islands in the
/// order of resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Wood,
    Clay,
    Stone,
    Food,
    Reserve,
    Build,
    First,
    Swap,
}

impl Place {
    pub(super) const COUNT: usize = 8;
    pub(super) const MAX_COUNTED_PIONEERS: u32 = 15;

    /// Returns the place where a resource is taken.
    #[inline]
    pub(super) const fn production(resource: Resource) -> Self {
        [Self::Wood, Self::Clay, Self::Stone, Self::Food][resource as usize]
    }
}

/// The values that all seats share except tiles and buildings.
#[bitfield(u64, default = 0)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct SharedFields {
    #[bits(0..=7, rw)]
    round: u8,
    #[bits(8..=11, rw)]
    phase: u4,
    #[bits(12..=13, rw)]
    decider: u2,
    #[bits(14..=15, rw)]
    pawn_holder: u2,
    #[bit(16, rw)]
    end_triggered: bool,
    #[bits(17..=20, rw)]
    pioneers_on: [u4; 8],
    #[bits(49..=53, rw)]
    removed_tile: u5,
    #[bits(54..=61, rw)]
    cursor: u8,
    #[bits(62..=63, rw)]
    first_discard: u2,
}

/// The location of a building card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BuildingLocation {
    /// Face up on the main board.
    FaceUp,
    /// Reserved by a seat.
    Reserved(Seat),
    /// Built by a seat.
    Built(Seat),
}

/// A position of The River.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The unseen tiles: a group of bits for each kind, filled from the lowest up.
    pub(super) unseen_tiles: u128,
    pub(super) face_up_tiles: TileRow,
    /// Bit b of both words is the status of building b: 00 unseen, 01 face up, 10 reserved, 11
    /// built.
    building_status: [u64; 2],
    /// Bit b of both words is the seat that reserved or built building b.
    building_owner: [u64; 2],
    /// For each seat its tiles, above them the number of its river board, and [`INCOME`].
    boards: [u64; 4],
    seats: [SeatFields; 4],
    shared: SharedFields,
}

const _: () = assert!(size_of::<State>() == 128);

impl State {
    pub(super) fn new(unseen_tiles: u128) -> Self {
        Self {
            unseen_tiles,
            face_up_tiles: TileRow::default(),
            building_status: [0; 2],
            building_owner: [0; 2],
            boards: [0; 4],
            seats: [SeatFields::DEFAULT; 4],
            shared: SharedFields::DEFAULT,
        }
    }

    /// Returns the event that comes next.
    #[inline]
    pub fn phase(&self) -> Phase {
        PHASES[self.shared.phase().as_usize()]
    }

    /// Returns the round, from 1; 0 during setup and draft.
    #[inline]
    pub fn round(&self) -> u32 {
        u32::from(self.shared.round())
    }

    /// Returns the seat that decides, or whose setup is due.
    #[inline]
    pub fn decider(&self) -> Seat {
        Seat::new(self.shared.decider().as_usize())
    }

    /// Returns the seat with the first-player pawn.
    #[inline]
    pub fn pawn_holder(&self) -> Seat {
        Seat::new(self.shared.pawn_holder().as_usize())
    }

    /// Returns true if the end of the game has been triggered.
    #[inline]
    pub fn is_end_triggered(&self) -> bool {
        self.shared.end_triggered()
    }

    /// Returns the tile of the draft row that left the game; kind 0 if none has.
    #[inline]
    pub fn removed_tile(&self) -> TileKind {
        TileKind(self.shared.removed_tile().value())
    }

    /// Returns the tiles that lie face up, in the order in which they were laid out.
    pub fn face_up_tiles(&self) -> TileRow {
        self.face_up_tiles
    }

    /// Returns the number of pioneers placed on a place this round, at most
    /// [`Place::MAX_COUNTED_PIONEERS`].
    #[inline]
    pub(super) fn pioneers_on(&self, place: Place) -> u32 {
        self.shared.pioneers_on(place as usize).as_u32()
    }

    /// Returns the building to pay for, the swaps left, or the next step of income, depending on
    /// the phase.
    #[inline]
    pub(super) fn cursor(&self) -> u8 {
        self.shared.cursor()
    }

    /// Returns the first resource that may still be returned in this overflow.
    #[inline]
    pub(super) fn first_discard(&self) -> Resource {
        Resource::ALL[self.shared.first_discard().as_usize()]
    }

    #[inline]
    pub(super) fn set_pioneers_on(&mut self, place: Place, pioneers: u32) {
        let pioneers = pioneers.min(Place::MAX_COUNTED_PIONEERS);
        self.shared.set_pioneers_on(place as usize, u4::new(pioneers as u8));
    }

    #[inline]
    pub(super) fn remove_pioneers_from_places(&mut self) {
        for place in 0..Place::COUNT {
            self.shared.set_pioneers_on(place, u4::new(0));
        }
    }

    /// Returns the tiles on a seat's board, in the order of its spots.
    #[inline]
    pub fn tiles(&self, seat: Seat) -> TileRow {
        TileRow(self.boards[seat.index()] & TILES_MASK)
    }

    #[inline]
    pub(super) fn set_tiles(&mut self, seat: Seat, tiles: TileRow) {
        self.boards[seat.index()] = self.boards[seat.index()] & !TILES_MASK | tiles.0;
    }

    /// Returns the index of a seat's river board.
    #[inline]
    pub fn board(&self, seat: Seat) -> usize {
        ((self.boards[seat.index()] & !INCOME) >> BOARD_SHIFT) as usize
    }

    #[inline]
    pub(super) fn set_board(&mut self, seat: Seat, board: usize) {
        self.boards[seat.index()] |= (board as u64) << BOARD_SHIFT;
    }

    /// Returns true if a seat has a tile that gives income.
    #[inline]
    pub(super) fn has_income(&self, seat: Seat) -> bool {
        self.boards[seat.index()] & INCOME != 0
    }

    #[inline]
    pub(super) fn set_has_income(&mut self, seat: Seat) {
        self.boards[seat.index()] |= INCOME;
    }

    /// Returns the resources that a seat holds.
    #[inline]
    pub fn bag(&self, seat: Seat) -> Bag {
        Bag(self.seats[seat.index()].bag().value())
    }

    /// Returns the resources that all seats together hold.
    #[inline]
    pub(super) fn held_resources(&self) -> Bag {
        // A seat that is not in the game holds nothing.
        let bags = self.seats.map(|seat| Bag(seat.bag().value()));
        bags.into_iter().fold(Bag::default(), Bag::plus)
    }

    #[inline]
    pub(super) fn set_bag(&mut self, seat: Seat, bag: Bag) {
        self.seats[seat.index()].set_bag(u20::new(bag.0));
    }

    /// Returns the symbols visible on a seat's board.
    #[inline]
    pub fn symbols(&self, seat: Seat) -> Symbols {
        Symbols(self.seats[seat.index()].symbols().value())
    }

    #[inline]
    pub(super) fn set_symbols(&mut self, seat: Seat, symbols: Symbols) {
        self.seats[seat.index()].set_symbols(u21::new(symbols.0));
    }

    /// Returns the building cards that lie face up, bit b for building b.
    #[inline]
    pub fn face_up_buildings(&self) -> u64 {
        self.building_status[0] & !self.building_status[1]
    }

    /// Returns the building cards of the set `all` that are in the draw pile.
    #[inline]
    pub fn unseen_buildings(&self, all: u64) -> u64 {
        all & !(self.building_status[0] | self.building_status[1])
    }

    /// Returns the building cards that a seat has reserved or built.
    #[inline]
    fn owned_by(&self, seat: Seat) -> u64 {
        let bit = |plane: usize| if seat.index() >> plane & 1 == 1 { u64::MAX } else { 0 };
        !(self.building_owner[0] ^ bit(0))
            & !(self.building_owner[1] ^ bit(1))
            & self.building_status[1]
    }

    /// Returns the building cards that a seat has reserved.
    #[inline]
    pub fn reserved_buildings(&self, seat: Seat) -> u64 {
        self.owned_by(seat) & !self.building_status[0]
    }

    /// Returns the building cards that a seat has built.
    #[inline]
    pub fn built_buildings(&self, seat: Seat) -> u64 {
        self.owned_by(seat) & self.building_status[0]
    }

    #[inline]
    pub(super) fn set_building_location(&mut self, building: Building, location: BuildingLocation) {
        let bit = 1u64 << building.0;
        let (status, owner) = match location {
            BuildingLocation::FaceUp => (0b01, 0),
            BuildingLocation::Reserved(seat) => (0b10, seat.index()),
            BuildingLocation::Built(seat) => (0b11, seat.index()),
        };
        for plane in 0..2 {
            let set = |word: u64, value: usize| {
                if value >> plane & 1 == 1 { word | bit } else { word & !bit }
            };
            self.building_status[plane] = set(self.building_status[plane], status);
            self.building_owner[plane] = set(self.building_owner[plane], owner);
        }
    }
}

/// Declares setters of [`State`] for shared values, each with the bits of the value.
macro_rules! shared_setters {
    ($($set:ident($value:ident: $Type:ty) = $bits:expr;)+) => {
        impl State {$(
            #[inline]
            pub(super) fn $set(&mut self, $value: $Type) {
                self.shared.$set($bits);
            }
        )+}
    };
}

shared_setters! {
    set_phase(phase: Phase) = u4::new(phase as u8);
    set_round(round: u32) = round as u8;
    set_decider(seat: Seat) = u2::new(seat.index() as u8);
    set_pawn_holder(seat: Seat) = u2::new(seat.index() as u8);
    set_end_triggered(triggered: bool) = triggered;
    set_removed_tile(kind: TileKind) = u5::new(kind.0);
    set_cursor(cursor: u8) = cursor;
    set_first_discard(resource: Resource) = u2::new(resource as u8);
}

/// Declares a getter and a setter of [`State`] for numbers of a seat.
macro_rules! seat_numbers {
    ($($(#[$doc:meta])+ $get:ident, $set:ident: $Bits:ident;)+) => {
        impl State {$(
            $(#[$doc])+
            #[inline]
            pub fn $get(&self, seat: Seat) -> u32 {
                self.seats[seat.index()].$get().as_u32()
            }

            #[inline]
            pub(super) fn $set(&mut self, seat: Seat, number: u32) {
                self.seats[seat.index()].$set($Bits::new(number as u8));
            }
        )+}
    };
}

seat_numbers! {
    /// The number of bonus tokens of a seat.
    tokens, set_tokens: u3;
    /// The value of all bonus tokens of a seat, in points.
    token_points, set_token_points: u7;
    /// The number of pioneers on a seat's boat.
    boat_pioneers, set_boat_pioneers: u3;
    /// The number of pioneers of a seat, without those that settled.
    pioneers, set_pioneers: u3;
    /// The number of tiles that a seat claimed this round, not counting the draft.
    claims, set_claims: u3;
    /// The number of pioneers that a seat placed on the food island this round; 0 if the data has no
    /// limit for each player.
    food_pioneers, set_food_pioneers: u2;
    /// The number of pioneers that a seat placed on the swap place this round; 0 if the data has no
    /// limit for each player.
    swap_pioneers, set_swap_pioneers: u2;
}
