//! The packed position of The River (rules §1).
//!
//! A position of four seats has 128 bytes. Values that can be derived are not stored: discarded
//! tiles are those that lie nowhere else, the supply is the stock less what the seats hold, and the
//! next bonus token follows from the number of tokens taken. The symbols visible on a board are
//! stored, because every turn reads them.

use super::components::{Bag, Building, Resource, Symbols, TILES_MASK, TileKind, TileRow};
use watershed_engine::game::Seat;

/// The first bit above the tiles of a board, where the number of its river board stands.
const BOARD_SHIFT: u32 = TILES_MASK.count_ones();
/// The bit of a board with a tile that gives income.
const INCOME: u64 = 1 << 63;

/// The place of a value in a word: its first bit and its number of bits.
#[derive(Clone, Copy)]
struct Field(u32, u32);

impl Field {
    #[inline]
    const fn get(self, word: u64) -> u32 {
        (word >> self.0) as u32 & ((1 << self.1) - 1)
    }

    #[inline]
    const fn set(self, word: &mut u64, value: u32) {
        debug_assert!(value as u64 >> self.1 == 0);
        *word = *word & !(((1 << self.1) - 1) << self.0) | (value as u64) << self.0;
    }
}

// The values of a seat except the tiles on its board.
const BAG: Field = Field(0, 20);
const SYMBOLS: Field = Field(20, 21);
const TOKENS: Field = Field(41, 3);
const TOKEN_POINTS: Field = Field(44, 7);
const BOAT_PIONEERS: Field = Field(51, 3);
const PIONEERS: Field = Field(54, 3);
const CLAIMS: Field = Field(57, 3);

// The values that all seats share except tiles and buildings.
const ROUND: Field = Field(0, 8);
const PHASE: Field = Field(8, 4);
const DECIDER: Field = Field(12, 2);
const PAWN_HOLDER: Field = Field(14, 2);
const END_TRIGGERED: Field = Field(16, 1);
/// The first of the places.
const PLACES: Field = Field(17, 4);
const REMOVED_TILE: Field = Field(17 + 4 * Place::COUNT as u32, 5);
const CURSOR: Field = Field(54, 8);
const FIRST_DISCARD: Field = Field(62, 2);

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

    /// Returns the place of the count of pioneers.
    #[inline]
    const fn field(self) -> Field {
        Field(PLACES.0 + PLACES.1 * self as u32, PLACES.1)
    }
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
    seats: [u64; 4],
    shared: u64,
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
            seats: [0; 4],
            shared: 0,
        }
    }

    /// Returns the event that comes next.
    #[inline]
    pub fn phase(&self) -> Phase {
        PHASES[PHASE.get(self.shared) as usize]
    }

    /// Returns the round, from 1; 0 during setup and draft.
    #[inline]
    pub fn round(&self) -> u32 {
        ROUND.get(self.shared)
    }

    /// Returns the seat that decides, or whose setup is due.
    #[inline]
    pub fn decider(&self) -> Seat {
        Seat::new(DECIDER.get(self.shared) as usize)
    }

    /// Returns the seat with the first-player pawn.
    #[inline]
    pub fn pawn_holder(&self) -> Seat {
        Seat::new(PAWN_HOLDER.get(self.shared) as usize)
    }

    /// Returns true if the end of the game has been triggered.
    #[inline]
    pub fn is_end_triggered(&self) -> bool {
        END_TRIGGERED.get(self.shared) == 1
    }

    /// Returns the tile of the draft row that left the game; kind 0 if none has.
    #[inline]
    pub fn removed_tile(&self) -> TileKind {
        TileKind(REMOVED_TILE.get(self.shared) as u8)
    }

    /// Returns the tiles that lie face up, in the order in which they were laid out.
    pub fn face_up_tiles(&self) -> TileRow {
        self.face_up_tiles
    }

    /// Returns the number of pioneers placed on a place this round, at most
    /// [`Place::MAX_COUNTED_PIONEERS`].
    #[inline]
    pub(super) fn pioneers_on(&self, place: Place) -> u32 {
        place.field().get(self.shared)
    }

    /// Returns the building to pay for, the swaps left, or the next step of income, depending on
    /// the phase.
    #[inline]
    pub(super) fn cursor(&self) -> u8 {
        CURSOR.get(self.shared) as u8
    }

    /// Returns the first resource that may still be returned in this overflow.
    #[inline]
    pub(super) fn first_discard(&self) -> Resource {
        Resource::ALL[FIRST_DISCARD.get(self.shared) as usize]
    }

    #[inline]
    pub(super) fn set_pioneers_on(&mut self, place: Place, pioneers: u32) {
        place.field().set(&mut self.shared, pioneers.min(Place::MAX_COUNTED_PIONEERS));
    }

    #[inline]
    pub(super) fn remove_pioneers_from_places(&mut self) {
        Field(PLACES.0, PLACES.1 * Place::COUNT as u32).set(&mut self.shared, 0);
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
        Bag(BAG.get(self.seats[seat.index()]))
    }

    /// Returns the resources that all seats together hold.
    #[inline]
    pub(super) fn held_resources(&self) -> Bag {
        // A seat that is not in the game holds nothing.
        let bags = self.seats.map(|seat| Bag(BAG.get(seat)));
        bags.into_iter().fold(Bag::default(), Bag::plus)
    }

    #[inline]
    pub(super) fn set_bag(&mut self, seat: Seat, bag: Bag) {
        BAG.set(&mut self.seats[seat.index()], bag.0);
    }

    /// Returns the symbols visible on a seat's board.
    #[inline]
    pub fn symbols(&self, seat: Seat) -> Symbols {
        Symbols(SYMBOLS.get(self.seats[seat.index()]))
    }

    #[inline]
    pub(super) fn set_symbols(&mut self, seat: Seat, symbols: Symbols) {
        SYMBOLS.set(&mut self.seats[seat.index()], symbols.0);
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

/// Declares setters of [`State`] for shared values, each with its field and its bits.
macro_rules! shared_setters {
    ($($set:ident($value:ident: $Type:ty): $field:ident = $bits:expr;)+) => {
        impl State {$(
            #[inline]
            pub(super) fn $set(&mut self, $value: $Type) {
                $field.set(&mut self.shared, $bits);
            }
        )+}
    };
}

shared_setters! {
    set_phase(phase: Phase): PHASE = phase as u32;
    set_round(round: u32): ROUND = round;
    set_decider(seat: Seat): DECIDER = seat.index() as u32;
    set_pawn_holder(seat: Seat): PAWN_HOLDER = seat.index() as u32;
    set_end_triggered(triggered: bool): END_TRIGGERED = triggered.into();
    set_removed_tile(kind: TileKind): REMOVED_TILE = kind.0.into();
    set_cursor(cursor: u8): CURSOR = cursor.into();
    set_first_discard(resource: Resource): FIRST_DISCARD = resource as u32;
}

/// Declares a getter and a setter of [`State`] for numbers of a seat.
macro_rules! seat_numbers {
    ($($(#[$doc:meta])+ $get:ident, $set:ident: $field:ident;)+) => {
        impl State {$(
            $(#[$doc])+
            #[inline]
            pub fn $get(&self, seat: Seat) -> u32 {
                $field.get(self.seats[seat.index()])
            }

            #[inline]
            pub(super) fn $set(&mut self, seat: Seat, number: u32) {
                $field.set(&mut self.seats[seat.index()], number);
            }
        )+}
    };
}

seat_numbers! {
    /// The number of bonus tokens of a seat.
    tokens, set_tokens: TOKENS;
    /// The value of all bonus tokens of a seat, in points.
    token_points, set_token_points: TOKEN_POINTS;
    /// The number of pioneers on a seat's boat.
    boat_pioneers, set_boat_pioneers: BOAT_PIONEERS;
    /// The number of pioneers of a seat, without those that settled.
    pioneers, set_pioneers: PIONEERS;
    /// The number of tiles that a seat claimed this round, not counting the draft.
    claims, set_claims: CLAIMS;
}
