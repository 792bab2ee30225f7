//! The packed position of River Valley Glassworks (rules §1).
//!
//! 192 bytes for up to five players. Of the pieces on river tiles and in the glassworks only the
//! colours matter any more, so only these are stored: those on a tile as counts in one word whose
//! lanes the data file determines, those of a seat as its columns with their heights. The inventory
//! follows from the heights.

#![expect(unreachable_pub, reason = "the bit field macro makes public builders of private types")]

use arbitrary_int::{traits::Integer, u1, u2, u3, u4, u6, u28};
use bitbybit::{bitenum, bitfield};

use super::action::{Color, Piece, Shape};
use crate::game::{MAX_SEATS, Seat};

/// The most columns a glassworks may have.
pub const MAX_COLUMNS: usize = 8;
/// The most rows a glassworks may have.
pub const MAX_ROWS: usize = 7;
/// The most colours.
pub const MAX_COLORS: usize = 15;
/// The most shapes, that is river tiles.
pub const MAX_SHAPES: usize = 7;
/// The most different pieces; piece 0 stands for none.
pub const MAX_KINDS: usize = 63;
/// The most pieces in all.
pub const MAX_PIECES: u32 = 255;
/// The words of the bag, a bit for each piece; the copies of a piece share one word.
pub const BAG_WORDS: usize = 4;
/// The most pieces a satchel may hold at the beginning of a turn.
pub const MAX_HELD: usize = 11;
/// The most pieces a satchel may hold at any time.
pub const MAX_SATCHEL: usize = 12;
/// The most pieces the lake may hold.
pub const MAX_LAKE: usize = 10;
/// The most stones on a tile, and the most pieces drawn for one place without a break.
pub const MAX_STONES: usize = 15;
/// The bits that count the pieces on a river tile, all colours together.
pub const TILE_BITS: u32 = u64::BITS;

/// Up to twelve pieces in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pieces(u128);

impl Pieces {
    const LANE: u32 = 6;
    const LANE_MASK: u128 = (1 << Self::LANE) - 1;
    /// The lowest bit of every other lane.
    const EVEN_ONES: u128 = {
        let mut ones = 0;
        let mut lane = 0;
        while lane < MAX_SATCHEL {
            ones |= 1 << (lane as u32 * Self::LANE);
            lane += 2;
        }
        ones
    };

    /// How many pieces there are.
    #[inline]
    pub const fn len(self) -> usize {
        ((u128::BITS - self.0.leading_zeros()).div_ceil(Self::LANE)) as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The piece at this place, counted from 0; piece 0 where there is none.
    #[inline]
    pub const fn get(self, place: usize) -> Piece {
        Piece((self.0 >> (place as u32 * Self::LANE) & Self::LANE_MASK) as u8)
    }

    /// All pieces in order.
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let piece = Piece((rest & Self::LANE_MASK) as u8);
            rest >>= Self::LANE;
            (piece.0 != 0).then_some(piece)
        })
    }

    /// How many pieces are not before this one.
    #[inline]
    const fn not_before(self, piece: Piece) -> u32 {
        // Every other lane has the bits of its neighbour to spare: the bit above it survives unless
        // the lane is smaller.
        const GUARDS: u128 = Pieces::EVEN_ONES << Pieces::LANE;
        const EVEN: u128 = GUARDS - Pieces::EVEN_ONES;
        let least = piece.0 as u128 * Self::EVEN_ONES;
        let even = ((self.0 & EVEN | GUARDS) - least) & GUARDS;
        let odd = ((self.0 >> Self::LANE & EVEN | GUARDS) - least) & GUARDS;
        even.count_ones() + odd.count_ones()
    }

    /// The place of the first such piece, if there is one.
    #[inline]
    pub const fn find(self, piece: Piece) -> Option<usize> {
        let place = self.len() - self.not_before(piece) as usize;
        if self.get(place).0 == piece.0 { Some(place) } else { None }
    }

    #[inline]
    pub(super) const fn insert(&mut self, piece: Piece) {
        let shift = (self.len() as u32 - self.not_before(piece)) * Self::LANE;
        let before = (1 << shift) - 1;
        self.0 = self.0 & before | (piece.0 as u128) << shift | (self.0 & !before) << Self::LANE;
    }

    /// Takes away one such piece, which must be there.
    #[inline]
    pub(super) const fn remove(&mut self, piece: Piece) {
        let shift = (self.len() as u32 - self.not_before(piece)) * Self::LANE;
        let before = (1 << shift) - 1;
        self.0 = self.0 & before | self.0 >> Self::LANE & !before;
    }
}

/// The river tiles in a row by their shapes, from the one farthest from the lake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct River(u32);

impl River {
    const LANE: u32 = 4;
    const LANE_MASK: u32 = (1 << Self::LANE) - 1;
    const ONES: u32 = 0x1111_1111;

    /// How many tiles there are.
    #[inline]
    pub const fn len(self) -> usize {
        ((u32::BITS - self.0.leading_zeros()).div_ceil(Self::LANE)) as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The tile at this place, which must be taken.
    #[inline]
    pub const fn get(self, place: usize) -> Shape {
        Shape((self.0 >> (place as u32 * Self::LANE) & Self::LANE_MASK) as u8 - 1)
    }

    /// All tiles in order.
    pub fn iter(self) -> impl Iterator<Item = Shape> {
        (0..self.len()).map(move |place| self.get(place))
    }

    /// The place of a tile, which must be there.
    #[inline]
    pub const fn position_of(self, shape: Shape) -> usize {
        (first_lane_like(self.0, shape.0 as u32 + 1) / Self::LANE) as usize
    }

    /// The tiles next to a place, bit s for shape s.
    #[inline]
    pub const fn neighbors(self, place: usize) -> u32 {
        let before = if place > 0 { 1 << self.get(place - 1).0 } else { 0 };
        let after = if place + 1 < self.len() { 1 << self.get(place + 1).0 } else { 0 };
        before | after
    }

    #[inline]
    pub(super) const fn push(&mut self, shape: Shape) {
        self.0 |= (shape.0 as u32 + 1) << (self.len() as u32 * Self::LANE);
    }

    /// Moves the tile at a place to the start of the river; those before it flow on.
    #[inline]
    pub(super) const fn move_to_start(&mut self, place: usize) {
        let shift = place as u32 * Self::LANE;
        let before = self.0 & ((1 << shift) - 1);
        let after = self.0 & !((1 << (shift + Self::LANE)) - 1);
        self.0 = self.0 >> shift & Self::LANE_MASK | before << Self::LANE | after;
    }
}

/// Where the lowest lane of four bits begins that holds this value; 32 if none does.
#[inline]
const fn first_lane_like(lanes: u32, value: u32) -> u32 {
    let difference = lanes ^ (value * River::ONES);
    let equal = difference.wrapping_sub(River::ONES) & !difference & River::ONES << 3;
    equal.trailing_zeros() & !3
}

/// A seat's columns from the left, each with its colour and height, and how many pieces lie in its
/// overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Columns(u64);

impl Columns {
    const HEIGHTS: u32 = 32;
    const HEIGHT: u32 = 3;
    const OVERFLOW: u32 = 56;

    /// How many columns have a colour.
    #[inline]
    pub const fn len(self) -> usize {
        ((u32::BITS - (self.0 as u32).leading_zeros()).div_ceil(River::LANE)) as usize
    }

    /// Whether no column has a colour.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The colour of a column, which must have one.
    #[inline]
    pub const fn color(self, column: usize) -> Color {
        Color((self.0 as u32 >> (column as u32 * River::LANE) & River::LANE_MASK) as u8 - 1)
    }

    /// The height of a column, 0 if it has no colour yet.
    #[inline]
    pub const fn height(self, column: usize) -> usize {
        (self.0 >> (Self::HEIGHTS + column as u32 * Self::HEIGHT) & 7) as usize
    }

    /// The column of a colour, if it has one.
    #[inline]
    pub const fn column_of(self, colour: Color) -> Option<usize> {
        let lane = first_lane_like(self.0 as u32, colour.0 as u32 + 1);
        if lane < u32::BITS { Some((lane / River::LANE) as usize) } else { None }
    }

    /// How many pieces are in the glassworks, the overflow not counted.
    #[inline]
    pub const fn inventory(self) -> u32 {
        let heights = self.0 >> Self::HEIGHTS & 0o77_777_777;
        ((heights & 0o07_070_707) + (heights >> Self::HEIGHT & 0o07_070_707)) as u32 % 0o77
    }

    /// How many pieces are in the overflow.
    #[inline]
    pub const fn overflow(self) -> u32 {
        (self.0 >> Self::OVERFLOW) as u32
    }

    /// Gives the next free column a colour and a height.
    #[inline]
    pub(super) const fn open(&mut self, colour: Color, height: usize) {
        let column = self.len();
        self.0 |= (colour.0 as u64 + 1) << (column as u32 * River::LANE);
        self.grow(column, height);
    }

    /// Makes a column higher.
    #[inline]
    pub(super) const fn grow(&mut self, column: usize, by: usize) {
        self.0 += (by as u64) << (Self::HEIGHTS + column as u32 * Self::HEIGHT);
    }

    /// Puts pieces into the overflow.
    #[inline]
    pub(super) const fn add_overflow(&mut self, pieces: u32) {
        self.0 += (pieces as u64) << Self::OVERFLOW;
    }
}

/// What the game waits for.
#[bitenum(u4, exhaustive = false)]
#[derive(PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Chance says who is first player (§2.1).
    FirstPlayer = 0,
    /// Chance lays out the river tiles (§2.2).
    Tiles = 1,
    /// Chance puts pieces on each tile (§2.3).
    TileGlass = 2,
    /// Chance fills the lake (§2.3).
    LakeGlass = 3,
    /// Chance fills the satchels (§2.3).
    SatchelGlass = 4,
    /// A seat places, draws or passes (§3).
    Turn = 5,
    /// A seat chooses the tile to collect (§3).
    Collect = 6,
    /// A seat says which new colour comes next (§4).
    Columns = 7,
    /// A seat puts what its satchel can't hold into the overflow (§3).
    Overflow = 8,
    /// Chance refills the tile that was collected (§3).
    RefillTile = 9,
    /// Chance refills the lake (§3).
    RefillLake = 10,
    /// Chance fills up the satchels after the end was triggered (§5).
    TopUp = 11,
    /// The game has ended.
    Over = 12,
}

/// How near the end is (§5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndStage {
    /// No seat has enough pieces.
    NotTriggered,
    /// A seat had enough in this round.
    Triggered,
    /// This round is the extra one.
    ExtraRound,
}

impl EndStage {
    /// All three, in their order.
    pub(super) const ALL: [Self; 3] = [Self::NotTriggered, Self::Triggered, Self::ExtraRound];
}

/// What all seats share, but for pieces.
#[bitfield(u64, default = 0)]
#[derive(PartialEq, Eq, Hash, Debug)]
struct SharedFields {
    #[bits(0..=7, rw)]
    round: u8,
    #[bits(8..=11, rw)]
    phase: Option<Phase>,
    #[bits(12..=14, rw)]
    decider: u3,
    #[bits(15..=17, rw)]
    first: u3,
    #[bits(18..=45, rw)]
    river: u28,
    #[bits(46..=47, rw)]
    end: u2,
    #[bits(48..=48, rw)]
    moved: u1,
    #[bits(49..=52, rw)]
    cursor: u4,
    #[bits(53..=56, rw)]
    due: u4,
    #[bits(57..=62, rw)]
    spilled: u6,
}

/// A position of River Valley Glassworks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// A group of bits per piece, filled from the lowest up.
    pub(super) bag: [u64; BAG_WORDS],
    /// The pieces on each tile, by shape.
    tiles: [u64; MAX_SHAPES],
    satchels: [u64; MAX_SEATS],
    columns: [Columns; MAX_SEATS],
    lake: u64,
    shared: SharedFields,
    /// What the words of the satchels have no room for.
    satchel_tops: [u8; MAX_SEATS],
}

const _: () = assert!(size_of::<State>() == 192);
const _: () = assert!(MAX_SATCHEL as u32 * Pieces::LANE <= u64::BITS + u8::BITS);
const _: () = assert!(MAX_LAKE as u32 * Pieces::LANE <= u64::BITS);

impl State {
    pub(super) fn new(bag: [u64; BAG_WORDS]) -> Self {
        Self {
            bag,
            tiles: [0; MAX_SHAPES],
            satchels: [0; MAX_SEATS],
            columns: [Columns::default(); MAX_SEATS],
            lake: 0,
            shared: SharedFields::DEFAULT.with_phase(Phase::FirstPlayer),
            satchel_tops: [0; MAX_SEATS],
        }
    }

    /// What the game waits for.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.shared.phase().unwrap_or(Phase::Over)
    }

    /// The round, from 1; 0 during setup.
    #[inline]
    pub fn round(&self) -> u32 {
        u32::from(self.shared.round())
    }

    /// The seat whose turn it is; the first player during setup.
    #[inline]
    pub fn decider(&self) -> Seat {
        Seat::new(self.shared.decider().as_usize())
    }

    /// The first player.
    #[inline]
    pub fn first_player(&self) -> Seat {
        Seat::new(self.shared.first().as_usize())
    }

    /// How near the end is.
    #[inline]
    pub fn end_stage(&self) -> EndStage {
        EndStage::ALL[self.shared.end().as_usize().min(2)]
    }

    /// Whether a seat did anything but pass in this round.
    #[inline]
    pub fn has_moved(&self) -> bool {
        self.shared.moved() == u1::new(1)
    }

    /// The river tiles in their order.
    #[inline]
    pub fn river(&self) -> River {
        River(self.shared.river().value())
    }

    /// The pieces on a tile, counted by colour in the lanes of the game.
    #[inline]
    pub(super) fn tile(&self, shape: Shape) -> u64 {
        self.tiles[usize::from(shape.0)]
    }

    /// The pieces in the lake.
    #[inline]
    pub fn lake(&self) -> Pieces {
        Pieces(self.lake.into())
    }

    /// The pieces in a seat's satchel.
    #[inline]
    pub fn satchel(&self, seat: Seat) -> Pieces {
        Pieces(
            u128::from(self.satchels[seat.index()])
                | u128::from(self.satchel_tops[seat.index()]) << u64::BITS,
        )
    }

    /// A seat's columns and overflow.
    #[inline]
    pub fn columns(&self, seat: Seat) -> Columns {
        self.columns[seat.index()]
    }

    /// By phase: the tile that gets pieces or was placed on or collected, or the steps to the seat
    /// that gets pieces.
    #[inline]
    pub(super) fn cursor(&self) -> usize {
        self.shared.cursor().as_usize()
    }

    /// How many pieces are still to be drawn for the place that gets them now.
    #[inline]
    pub(super) fn pieces_due(&self) -> usize {
        self.shared.due().as_usize()
    }

    /// The piece that went into the overflow last in this turn; piece 0 if none did.
    #[inline]
    pub(super) fn last_overflowed(&self) -> Piece {
        Piece(self.shared.spilled().value())
    }

    /// Whether no piece is left in the bag.
    #[inline]
    pub fn is_bag_empty(&self) -> bool {
        self.bag.iter().fold(0, |all, word| all | word) == 0
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
        self.shared = self.shared.with_decider(u3::new(seat.index() as u8));
    }

    #[inline]
    pub(super) fn set_first_player(&mut self, seat: Seat) {
        self.shared = self.shared.with_first(u3::new(seat.index() as u8));
    }

    #[inline]
    pub(super) fn set_end_stage(&mut self, end: EndStage) {
        self.shared = self.shared.with_end(u2::new(end as u8));
    }

    #[inline]
    pub(super) fn set_has_moved(&mut self, moved: bool) {
        self.shared = self.shared.with_moved(u1::new(moved.into()));
    }

    #[inline]
    pub(super) fn set_river(&mut self, river: River) {
        self.shared = self.shared.with_river(u28::new(river.0));
    }

    #[inline]
    pub(super) fn set_tile(&mut self, shape: Shape, pieces: u64) {
        self.tiles[usize::from(shape.0)] = pieces;
    }

    #[inline]
    pub(super) fn set_lake(&mut self, pieces: Pieces) {
        self.lake = pieces.0 as u64;
    }

    #[inline]
    pub(super) fn set_satchel(&mut self, seat: Seat, pieces: Pieces) {
        self.satchels[seat.index()] = pieces.0 as u64;
        self.satchel_tops[seat.index()] = (pieces.0 >> u64::BITS) as u8;
    }

    #[inline]
    pub(super) fn set_columns(&mut self, seat: Seat, columns: Columns) {
        self.columns[seat.index()] = columns;
    }

    #[inline]
    pub(super) fn set_cursor(&mut self, cursor: usize) {
        self.shared = self.shared.with_cursor(u4::new(cursor as u8));
    }

    #[inline]
    pub(super) fn set_pieces_due(&mut self, due: usize) {
        self.shared = self.shared.with_due(u4::new(due as u8));
    }

    #[inline]
    pub(super) fn set_last_overflowed(&mut self, piece: Piece) {
        self.shared = self.shared.with_spilled(u6::new(piece.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stay_in_order() {
        let mut pieces = Pieces::default();
        let mut expected = Vec::new();
        for code in [63, 1, 17, 17, 62, 5, 63, 1, 40, 2, 17, 33] {
            pieces.insert(Piece(code));
            expected.push(code);
            expected.sort_unstable();
            assert_eq!(pieces.iter().map(|piece| piece.0).collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            (pieces.len(), pieces.find(Piece(17)), pieces.find(Piece(18))),
            (MAX_SATCHEL, Some(4), None)
        );
        for code in [17, 63, 1, 33, 62] {
            pieces.remove(Piece(code));
            expected.remove(
                expected.iter().position(|&other| other == code).expect("the piece is there"),
            );
            assert_eq!(pieces.iter().map(|piece| piece.0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_tile_moves_to_the_start_and_those_before_it_flow_on() {
        let mut river = River::default();
        for shape in [4, 2, 0, 6, 1, 3, 5] {
            river.push(Shape(shape));
        }
        river.move_to_start(3);
        assert_eq!(river.iter().map(|shape| shape.0).collect::<Vec<_>>(), [6, 4, 2, 0, 1, 3, 5]);
        river.move_to_start(0);
        river.move_to_start(6);
        assert_eq!(river.iter().map(|shape| shape.0).collect::<Vec<_>>(), [5, 6, 4, 2, 0, 1, 3]);
        assert_eq!((river.position_of(Shape(0)), river.position_of(Shape(3))), (4, 6));
        assert_eq!(
            (river.neighbors(0), river.neighbors(3), river.neighbors(6)),
            (1 << 6, 1 << 4 | 1, 1 << 1)
        );
    }

    #[test]
    fn columns_count_what_they_hold() {
        let mut columns = Columns::default();
        for colour in 0..MAX_COLUMNS as u8 {
            columns.open(Color(14 - colour), 1);
        }
        columns.grow(7, 6);
        columns.grow(2, 3);
        columns.add_overflow(254);
        assert_eq!((columns.len(), columns.inventory(), columns.overflow()), (8, 8 + 9, 254));
        assert_eq!(
            (columns.column_of(Color(7)), columns.column_of(Color(6)), columns.height(7)),
            (Some(7), None, 7)
        );
    }
}
