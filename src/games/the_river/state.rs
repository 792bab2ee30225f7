//! The packed position of The River (rules §1).
//!
//! 128 bytes for four players. What can be derived is not stored: discarded tiles are those that
//! lie nowhere else, the supply is the stock less what seats hold, the next bonus token follows
//! from the tokens taken. Symbols on a board are stored because every turn asks for them.

#![expect(unreachable_pub, reason = "the bit field macro makes public builders of private types")]

use arbitrary_int::{traits::Integer, u1, u2, u3, u4, u5, u20, u21};
use bitbybit::{bitenum, bitfield};

use super::components::{Bag, Building, Resource, Symbols, TILES_MASK, TileKind, TileRow};
use crate::game::Seat;

/// Above a board's tiles stand the number of its river board and whether it has a tile that brings
/// income.
const BOARD_SHIFT: u32 = TILES_MASK.count_ones();
const INCOME: u64 = 1 << 63;

/// What a seat has, but for the tiles on its board.
#[bitfield(u64, default = 0)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct SeatFields {
    #[bits(0..=19, rw)]
    bag: u20,
    #[bits(20..=40, rw)]
    symbols: u21,
    #[bits(41..=43, rw)]
    tokens: u3,
    #[bits(44..=51, rw)]
    token_points: u8,
    #[bits(52..=54, rw)]
    boat: u3,
    #[bits(55..=57, rw)]
    pioneers: u3,
    #[bits(58..=60, rw)]
    claims: u3,
    #[bits(61..=63, rw)]
    framed: u3,
}

/// What the game waits for.
#[bitenum(u4, exhaustive = false)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Chance says who is first player (§2.1).
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
    /// A seat may swap tiles, an effect of the tile it claimed (§5).
    Swaps = 8,
    /// A seat holds too much after its action (§6).
    Overflow = 9,
    /// A seat holds too much after income (§7.4).
    IncomeOverflow = 10,
    /// The game has ended.
    Over = 11,
}

/// Where pioneers are placed and counted. The first three are the production islands in the order
/// of resources.
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

    #[inline]
    pub(super) const fn production(resource: Resource) -> Self {
        match resource {
            Resource::Wood => Self::Wood,
            Resource::Clay => Self::Clay,
            Resource::Stone => Self::Stone,
            Resource::Food => Self::Food,
        }
    }
}

/// What all seats share, but for tiles and buildings.
#[bitfield(u64, default = 0)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct SharedFields {
    #[bits(0..=7, rw)]
    round: u8,
    #[bits(8..=11, rw)]
    phase: Option<Phase>,
    #[bits(12..=13, rw)]
    decider: u2,
    #[bits(14..=15, rw)]
    pawn: u2,
    #[bits(16..=16, rw)]
    end: u1,
    #[bits(17..=20, rw)]
    places: [u4; 8],
    #[bits(49..=53, rw)]
    removed: u5,
    #[bits(54..=61, rw)]
    cursor: u8,
    #[bits(62..=63, rw)]
    discarded: u2,
}

/// Where a building card is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildingLocation {
    /// In the draw pile.
    Unseen,
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
    /// Unseen tiles: a group of bits per kind, filled from the lowest up.
    pub(super) unseen_tiles: u128,
    pub(super) face_up_tiles: TileRow,
    /// Bit b of the two words says of building b: 00 unseen, 01 face up, 10 reserved, 11 built.
    building_status: [u64; 2],
    /// Bit b of the two words: the number of the seat that reserved or built building b.
    building_owner: [u64; 2],
    /// The tiles on each board, and above them what [`BOARD_SHIFT`] and [`INCOME`] say.
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
            shared: SharedFields::DEFAULT.with_phase(Phase::FirstPlayer),
        }
    }

    /// What the game waits for.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.shared.phase().unwrap_or(Phase::Over)
    }

    /// The round, from 1; 0 during setup and draft.
    #[inline]
    pub fn round(&self) -> u32 {
        u32::from(self.shared.round())
    }

    /// The seat that decides, or the one whose setup is due.
    #[inline]
    pub fn decider(&self) -> Seat {
        Seat::new(self.shared.decider().as_usize())
    }

    /// The holder of the first-player pawn.
    #[inline]
    pub fn pawn_holder(&self) -> Seat {
        Seat::new(self.shared.pawn().as_usize())
    }

    /// Whether the end of the game has been triggered.
    #[inline]
    pub fn is_end_triggered(&self) -> bool {
        self.shared.end() == u1::new(1)
    }

    /// The tile of the draft row that left the game; kind 0 if none has.
    #[inline]
    pub fn removed_tile(&self) -> TileKind {
        TileKind(self.shared.removed().value())
    }

    /// The tiles that lie face up, in the order they were laid out.
    pub fn face_up_tiles(&self) -> TileRow {
        self.face_up_tiles
    }

    /// The tiles on a seat's board, in the order of its spots.
    #[inline]
    pub fn tiles(&self, seat: Seat) -> TileRow {
        TileRow(self.boards[seat.index()] & TILES_MASK)
    }

    /// The index of a seat's river board.
    #[inline]
    pub fn board(&self, seat: Seat) -> usize {
        ((self.boards[seat.index()] & !INCOME) >> BOARD_SHIFT) as usize
    }

    /// Whether a seat has a tile that brings income.
    #[inline]
    pub(super) fn has_income(&self, seat: Seat) -> bool {
        self.boards[seat.index()] & INCOME != 0
    }

    /// The resources a seat holds.
    #[inline]
    pub fn bag(&self, seat: Seat) -> Bag {
        Bag(self.seats[seat.index()].bag().value())
    }

    /// The symbols visible on a seat's board.
    #[inline]
    pub fn symbols(&self, seat: Seat) -> Symbols {
        Symbols(self.seats[seat.index()].symbols().value())
    }

    /// How many bonus tokens a seat has.
    #[inline]
    pub fn tokens(&self, seat: Seat) -> u32 {
        self.seats[seat.index()].tokens().as_u32()
    }

    /// What a seat's bonus tokens are worth together, in points.
    #[inline]
    pub fn token_points(&self, seat: Seat) -> u32 {
        u32::from(self.seats[seat.index()].token_points())
    }

    /// How many pioneers are on a seat's boat.
    #[inline]
    pub fn boat_pioneers(&self, seat: Seat) -> u32 {
        self.seats[seat.index()].boat().as_u32()
    }

    /// How many pioneers a seat has in all, those that settled not counted.
    #[inline]
    pub fn pioneers(&self, seat: Seat) -> u32 {
        self.seats[seat.index()].pioneers().as_u32()
    }

    /// How many tiles a seat has claimed this round, the draft not counted.
    #[inline]
    pub fn claims(&self, seat: Seat) -> u32 {
        self.seats[seat.index()].claims().as_u32()
    }

    /// How many framed spots a seat has covered this round.
    #[inline]
    pub fn framed_covered(&self, seat: Seat) -> u32 {
        self.seats[seat.index()].framed().as_u32()
    }

    /// How many pioneers were put on a place this round, counted up to
    /// [`ChooseTile::MAX_COUNTED_PIONEERS`].
    #[inline]
    pub(super) fn pioneers_on(&self, place: Place) -> u32 {
        self.shared.places(place as usize).as_u32()
    }

    /// The building being paid for, the swaps left, or where income goes on, by phase.
    #[inline]
    pub(super) fn cursor(&self) -> u8 {
        self.shared.cursor()
    }

    /// The first resource that may still be returned in this overflow.
    #[inline]
    pub(super) fn first_discard(&self) -> Resource {
        Resource::ALL[self.shared.discarded().as_usize()]
    }

    /// The cards face up, bit b for building b.
    #[inline]
    pub fn face_up_buildings(&self) -> u64 {
        self.building_status[0] & !self.building_status[1]
    }

    /// The cards that are reserved or built, whoever did.
    #[inline]
    fn taken_buildings(&self) -> u64 {
        self.building_status[1]
    }

    /// Of the `all` cards, those in the draw pile.
    #[inline]
    pub fn unseen_buildings(&self, all: u64) -> u64 {
        all & !(self.building_status[0] | self.building_status[1])
    }

    #[inline]
    fn owned_by(&self, seat: Seat) -> u64 {
        let bit = |plane: usize| if seat.index() >> plane & 1 == 1 { u64::MAX } else { 0 };
        !(self.building_owner[0] ^ bit(0))
            & !(self.building_owner[1] ^ bit(1))
            & self.taken_buildings()
    }

    /// The cards a seat has reserved.
    #[inline]
    pub fn reserved_buildings(&self, seat: Seat) -> u64 {
        self.owned_by(seat) & !self.building_status[0]
    }

    /// The cards a seat has built.
    #[inline]
    pub fn built_buildings(&self, seat: Seat) -> u64 {
        self.owned_by(seat) & self.building_status[0]
    }

    #[inline]
    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.shared = self.shared.with_phase(phase);
    }

    #[inline]
    pub(super) fn set_round(&mut self, round: u32) {
        self.shared = self.shared.with_round(round as u8);
    }

    #[inline]
    pub(super) fn set_decider(&mut self, seat: Seat) {
        self.shared = self.shared.with_decider(u2::new(seat.index() as u8));
    }

    #[inline]
    pub(super) fn set_pawn_holder(&mut self, seat: Seat) {
        self.shared = self.shared.with_pawn(u2::new(seat.index() as u8));
    }

    #[inline]
    pub(super) fn trigger_end(&mut self) {
        self.shared = self.shared.with_end(u1::new(1));
    }

    #[inline]
    pub(super) fn set_removed_tile(&mut self, kind: TileKind) {
        self.shared = self.shared.with_removed(u5::new(kind.0));
    }

    #[inline]
    pub(super) fn set_cursor(&mut self, cursor: u8) {
        self.shared = self.shared.with_cursor(cursor);
    }

    #[inline]
    pub(super) fn set_first_discard(&mut self, resource: Resource) {
        self.shared = self.shared.with_discarded(u2::new(resource as u8));
    }

    #[inline]
    pub(super) fn set_pioneers_on(&mut self, place: Place, pioneers: u32) {
        let pioneers = pioneers.min(Place::MAX_COUNTED_PIONEERS);
        self.shared = self.shared.with_places(place as usize, u4::new(pioneers as u8));
    }

    #[inline]
    pub(super) fn clear_places(&mut self) {
        for place in 0..Place::COUNT {
            self.shared = self.shared.with_places(place, u4::new(0));
        }
    }

    #[inline]
    pub(super) fn set_tiles(&mut self, seat: Seat, tiles: TileRow) {
        self.boards[seat.index()] = self.boards[seat.index()] & !TILES_MASK | tiles.0;
    }

    #[inline]
    pub(super) fn set_board(&mut self, seat: Seat, board: usize) {
        self.boards[seat.index()] |= (board as u64) << BOARD_SHIFT;
    }

    #[inline]
    pub(super) fn set_income(&mut self, seat: Seat) {
        self.boards[seat.index()] |= INCOME;
    }

    #[inline]
    pub(super) fn set_bag(&mut self, seat: Seat, bag: Bag) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_bag(u20::new(bag.0));
    }

    #[inline]
    pub(super) fn set_symbols(&mut self, seat: Seat, symbols: Symbols) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_symbols(u21::new(symbols.0));
    }

    #[inline]
    pub(super) fn set_tokens(&mut self, seat: Seat, tokens: u32, points: u32) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_tokens(u3::new(tokens as u8)).with_token_points(points as u8);
    }

    #[inline]
    pub(super) fn set_boat_pioneers(&mut self, seat: Seat, boat: u32) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_boat(u3::new(boat as u8));
    }

    #[inline]
    pub(super) fn set_pioneers(&mut self, seat: Seat, pioneers: u32) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_pioneers(u3::new(pioneers as u8));
    }

    #[inline]
    pub(super) fn set_claims(&mut self, seat: Seat, claims: u32) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_claims(u3::new(claims as u8));
    }

    #[inline]
    pub(super) fn set_framed_covered(&mut self, seat: Seat, framed: u32) {
        let fields = &mut self.seats[seat.index()];
        *fields = fields.with_framed(u3::new(framed as u8));
    }

    #[inline]
    pub(super) fn set_building_location(
        &mut self,
        building: Building,
        whereabouts: BuildingLocation,
    ) {
        let bit = 1u64 << building.0;
        let (status, owner) = match whereabouts {
            BuildingLocation::Unseen => (0b00, 0),
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
