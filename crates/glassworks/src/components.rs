//! Pieces, river tiles and columns of River Valley Glassworks in packed form, and the limits of the
//! packed position.

/// The maximum number of columns of a glassworks.
pub const MAX_COLUMNS: usize = 8;
/// The maximum number of rows of a glassworks. Heights have 3 bits.
pub const MAX_ROWS: usize = 7;
/// The maximum number of colours. Columns have 4 bits for colours and none.
pub const MAX_COLOURS: usize = 15;
/// The maximum number of shapes, and of river tiles.
pub const MAX_SHAPES: usize = 7;
/// The maximum number of different pieces. Pieces have 6 bits, where 0 stands for no piece.
pub const MAX_KINDS: usize = 63;
/// The maximum number of pieces.
pub const MAX_PIECES: u32 = 255;
/// The number of words of the bag, which has a bit for each piece. The copies of a piece share one
/// word.
pub const BAG_WORDS: usize = 4;
/// The maximum number of pieces in a satchel at the beginning of a turn.
pub const MAX_HELD: usize = 11;
/// The maximum number of pieces in a satchel.
pub const MAX_SATCHEL: usize = 12;
/// The maximum number of pieces in the lake.
pub const MAX_LAKE: usize = 10;
/// The maximum number of stones on a tile.
pub const MAX_STONES: usize = 15;
/// The number of bits that count the pieces on a river tile.
pub const TILE_BITS: u32 = u64::BITS;

/// A shape and the river tile of that shape, as an index into the shapes of the data file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Shape(pub u8);

impl Shape {
    /// Returns the index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A colour, as an index into the colours that take part with this number of players.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Colour(pub u8);

/// A colour and a shape, numbered from 1 in the order of the names of pieces; 0 is no piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Piece(pub u8);

/// Up to 12 pieces in ascending order, 6 bits each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pieces(pub(super) u128);

impl Pieces {
    pub(super) const LANE: u32 = 6;
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

    /// Returns the number of pieces.
    #[inline]
    pub const fn len(self) -> usize {
        ((u128::BITS - self.0.leading_zeros()).div_ceil(Self::LANE)) as usize
    }

    /// Returns true if there are no pieces.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the piece with this index, or piece 0 beyond the last one.
    #[inline]
    pub const fn get(self, index: usize) -> Piece {
        Piece((self.0 >> (index as u32 * Self::LANE) & Self::LANE_MASK) as u8)
    }

    /// Returns all pieces in order.
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let piece = Piece((rest & Self::LANE_MASK) as u8);
            rest >>= Self::LANE;
            (piece.0 != 0).then_some(piece)
        })
    }

    /// Returns the number of pieces that do not come before this one.
    #[inline]
    const fn count_from(self, piece: Piece) -> u32 {
        // Every other lane can use the bits of its neighbour: the bit above a lane stays set unless
        // the lane is smaller.
        const GUARDS: u128 = Pieces::EVEN_ONES << Pieces::LANE;
        const EVEN: u128 = GUARDS - Pieces::EVEN_ONES;
        let lower_bounds = piece.0 as u128 * Self::EVEN_ONES;
        let even = ((self.0 & EVEN | GUARDS) - lower_bounds) & GUARDS;
        let odd = ((self.0 >> Self::LANE & EVEN | GUARDS) - lower_bounds) & GUARDS;
        even.count_ones() + odd.count_ones()
    }

    /// Returns the index of the first copy of a piece.
    #[inline]
    pub const fn find(self, piece: Piece) -> Option<usize> {
        let index = self.len() - self.count_from(piece) as usize;
        if self.get(index).0 == piece.0 { Some(index) } else { None }
    }

    #[inline]
    pub(super) const fn insert(&mut self, piece: Piece) {
        let shift = (self.len() as u32 - self.count_from(piece)) * Self::LANE;
        let before = (1 << shift) - 1;
        self.0 = self.0 & before | (piece.0 as u128) << shift | (self.0 & !before) << Self::LANE;
    }

    /// Removes one copy of a piece, which must be present.
    #[inline]
    pub(super) const fn remove(&mut self, piece: Piece) {
        let shift = (self.len() as u32 - self.count_from(piece)) * Self::LANE;
        let before = (1 << shift) - 1;
        self.0 = self.0 & before | self.0 >> Self::LANE & !before;
    }
}

/// The river tiles in order, from the one farthest from the lake: the shape + 1 of each in 4 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct River(u32);

impl River {
    const LANE: u32 = 4;
    const LANE_MASK: u32 = (1 << Self::LANE) - 1;
    const ONES: u32 = 0x1111_1111;

    /// Returns the number of tiles.
    #[inline]
    pub const fn len(self) -> usize {
        ((u32::BITS - self.0.leading_zeros()).div_ceil(Self::LANE)) as usize
    }

    /// Returns true if there are no tiles.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the tile with this index, which must exist.
    #[inline]
    pub const fn get(self, index: usize) -> Shape {
        Shape((self.0 >> (index as u32 * Self::LANE) & Self::LANE_MASK) as u8 - 1)
    }

    /// Returns all tiles in order.
    pub fn iter(self) -> impl Iterator<Item = Shape> {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// Returns the index of a tile, which must be present.
    #[inline]
    pub const fn index_of(self, shape: Shape) -> usize {
        (first_lane_equal_to(self.0, shape.0 as u32 + 1) / Self::LANE) as usize
    }

    /// Returns the neighbours of the tile with this index, bit s for shape s.
    #[inline]
    pub const fn neighbours(self, index: usize) -> u32 {
        let before = if index > 0 { 1 << self.get(index - 1).0 } else { 0 };
        let after = if index + 1 < self.len() { 1 << self.get(index + 1).0 } else { 0 };
        before | after
    }

    #[inline]
    pub(super) const fn push(&mut self, shape: Shape) {
        self.0 |= (shape.0 as u32 + 1) << (self.len() as u32 * Self::LANE);
    }

    /// Moves the tile with this index to index 0. Those before it shift by one (§3).
    #[inline]
    pub(super) const fn move_to_start(&mut self, index: usize) {
        let shift = index as u32 * Self::LANE;
        let before = self.0 & ((1 << shift) - 1);
        let after = self.0 & !((1 << (shift + Self::LANE)) - 1);
        self.0 = self.0 >> shift & Self::LANE_MASK | before << Self::LANE | after;
    }
}

/// Returns the first bit of the lowest 4-bit lane with this value, or 32 if there is none.
#[inline]
const fn first_lane_equal_to(lanes: u32, value: u32) -> u32 {
    let difference = lanes ^ (value * River::ONES);
    let equal = difference.wrapping_sub(River::ONES) & !difference & River::ONES << 3;
    equal.trailing_zeros() & !3
}

/// The columns of a seat from the left, each with its colour + 1 in 4 bits and its height in 3, and
/// the number of pieces in its overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Columns(u64);

impl Columns {
    const HEIGHTS: u32 = 32;
    const HEIGHT: u32 = 3;
    const OVERFLOW: u32 = 56;

    /// Returns a number that no other columns have.
    #[inline]
    pub(super) const fn key(self) -> u64 {
        self.0
    }

    /// Returns the number of columns with a colour.
    #[inline]
    pub const fn len(self) -> usize {
        ((u32::BITS - (self.0 as u32).leading_zeros()).div_ceil(River::LANE)) as usize
    }

    /// Returns true if no column has a colour.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the colour of a column, which must have one.
    #[inline]
    pub const fn colour(self, column: usize) -> Colour {
        Colour((self.0 as u32 >> (column as u32 * River::LANE) & River::LANE_MASK) as u8 - 1)
    }

    /// Returns the height of a column, which is 0 if it has no colour.
    #[inline]
    pub const fn height(self, column: usize) -> usize {
        (self.0 >> (Self::HEIGHTS + column as u32 * Self::HEIGHT) & 7) as usize
    }

    /// Returns the column of a colour.
    #[inline]
    pub const fn column_of(self, colour: Colour) -> Option<usize> {
        let lane = first_lane_equal_to(self.0 as u32, colour.0 as u32 + 1);
        if lane < u32::BITS { Some((lane / River::LANE) as usize) } else { None }
    }

    /// Returns the number of pieces in all columns.
    #[inline]
    pub const fn inventory(self) -> u32 {
        let heights = self.0 >> Self::HEIGHTS & 0o77_777_777;
        ((heights & 0o07_070_707) + (heights >> Self::HEIGHT & 0o07_070_707)) as u32 % 0o77
    }

    /// Returns the number of pieces in the overflow.
    #[inline]
    pub const fn overflow(self) -> u32 {
        (self.0 >> Self::OVERFLOW) as u32
    }

    /// Gives the next free column a colour and a height.
    #[inline]
    pub(super) const fn open(&mut self, colour: Colour, height: usize) {
        let column = self.len();
        self.0 |= (colour.0 as u64 + 1) << (column as u32 * River::LANE);
        self.grow(column, height);
    }

    /// Adds pieces to a column.
    #[inline]
    pub(super) const fn grow(&mut self, column: usize, pieces: usize) {
        self.0 += (pieces as u64) << (Self::HEIGHTS + column as u32 * Self::HEIGHT);
    }

    /// Adds pieces to the overflow.
    #[inline]
    pub(super) const fn add_overflow(&mut self, pieces: u32) {
        self.0 += (pieces as u64) << Self::OVERFLOW;
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
            let position = expected.iter().position(|&other| other == code);
            expected.remove(position.expect("the piece was inserted"));
            assert_eq!(pieces.iter().map(|piece| piece.0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_tile_moves_to_the_start_and_those_before_it_shift() {
        let shapes = |river: River| river.iter().map(|shape| shape.0).collect::<Vec<_>>();
        let mut river = River::default();
        for shape in [4, 2, 0, 6, 1, 3, 5] {
            river.push(Shape(shape));
        }
        river.move_to_start(3);
        assert_eq!(shapes(river), [6, 4, 2, 0, 1, 3, 5]);
        river.move_to_start(0);
        river.move_to_start(6);
        assert_eq!(shapes(river), [5, 6, 4, 2, 0, 1, 3]);
        assert_eq!((river.index_of(Shape(0)), river.index_of(Shape(3))), (4, 6));
        assert_eq!([0, 3, 6].map(|index| river.neighbours(index)), [1 << 6, 1 << 4 | 1, 1 << 1]);
    }

    #[test]
    fn columns_have_colours_heights_and_an_overflow() {
        let mut columns = Columns::default();
        for colour in 0..MAX_COLUMNS as u8 {
            columns.open(Colour(14 - colour), 1);
        }
        columns.grow(7, 6);
        columns.grow(2, 3);
        columns.add_overflow(254);
        assert_eq!((columns.len(), columns.inventory(), columns.overflow()), (8, 8 + 9, 254));
        assert_eq!(
            (columns.column_of(Colour(7)), columns.column_of(Colour(6)), columns.height(7)),
            (Some(7), None, 7)
        );
    }
}
