//! The packed position of River Valley Glassworks (rules §1).
//!
//! Of the pieces on river tiles and in the glassworks, only the colours matter, so only these are
//! stored: those on a tile as counts in one word, whose lanes depend on the data file, and those of
//! a seat as its columns with their heights. The inventory follows from the heights.

use super::components::{
    BAG_WORDS, Columns, MAX_LAKE, MAX_SATCHEL, MAX_SHAPES, Piece, Pieces, River, Shape,
};
use watershed_engine::game::{MAX_SEATS, Seat};

/// The decision or draw that is due.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Phase {
    /// Chance draws the first player (§2.1).
    #[default]
    FirstPlayer,
    /// Chance draws the next river tile (§2.2).
    Tiles,
    /// Chance draws the pieces of each tile (§2.3).
    TileGlass,
    /// Chance draws the pieces of the lake (§2.3).
    LakeGlass,
    /// Chance draws the pieces of each satchel (§2.3).
    SatchelGlass,
    /// A seat places, draws or passes (§3).
    Turn,
    /// A seat chooses the tile to collect (§3).
    Collect,
    /// A seat chooses the new colour that gets the next column (§4).
    Columns,
    /// A seat puts a piece beyond the limit of its satchel into the overflow (§3).
    Overflow,
    /// Chance refills the tile that was collected (§3).
    RefillTile,
    /// Chance refills the lake (§3).
    RefillLake,
    /// Chance fills the satchels after the end was triggered (§5).
    TopUp,
    /// The game has ended.
    Over,
}

impl Phase {
    /// Returns true for the phases of setup (§2).
    pub(super) const fn is_setup(self) -> bool {
        (self as u8) < Self::Turn as u8
    }
}

/// The progress of the end of the game (§5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EndStage {
    /// No seat has had enough pieces.
    #[default]
    NotTriggered,
    /// A seat has had enough pieces for the first time in this round.
    Triggered,
    /// This round is the extra one.
    ExtraRound,
}

/// A position of River Valley Glassworks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// A group of bits for each piece. The copies in the bag fill it from the lowest bit.
    pub(super) bag: [u64; BAG_WORDS],
    /// The pieces on each tile, counted by colour in the lanes of the game.
    pub(super) tiles: [u64; MAX_SHAPES],
    pub(super) satchels: [u64; MAX_SEATS],
    pub(super) columns: [Columns; MAX_SEATS],
    pub(super) lake: u64,
    pub(super) river: River,
    /// The bits of each satchel beyond the 64 in `satchels`.
    pub(super) satchel_tops: [u8; MAX_SEATS],
    /// The round, from 1, or 0 during setup.
    pub(super) round: u8,
    pub(super) phase: Phase,
    /// The seat whose turn it is, or the first player during setup.
    pub(super) decider: Seat,
    pub(super) first_player: Seat,
    pub(super) end_stage: EndStage,
    /// True if a seat has placed or drawn in this round.
    pub(super) has_moved: bool,
    /// By phase: the index of the tile that gets pieces, was placed on or collected, or the number
    /// of steps to the seat that gets pieces.
    pub(super) cursor: u8,
    /// The number of pieces still to be drawn for the tile, the lake or the satchel.
    pub(super) pieces_due: u8,
    /// The piece that went into the overflow last in this turn, or piece 0.
    pub(super) last_overflowed: Piece,
}

const _: () = assert!(size_of::<State>() == 200);
const _: () = assert!(MAX_SATCHEL as u32 * Pieces::LANE <= u64::BITS + u8::BITS);
const _: () = assert!(MAX_LAKE as u32 * Pieces::LANE <= u64::BITS);

impl State {
    /// Returns the round, from 1, or 0 during setup.
    #[inline]
    pub fn round(&self) -> u32 {
        self.round.into()
    }

    /// Returns the first player.
    #[inline]
    pub fn first_player(&self) -> Seat {
        self.first_player
    }

    /// Returns the river tiles in order.
    #[inline]
    pub fn river(&self) -> River {
        self.river
    }

    /// Returns the pieces on a tile, counted by colour in the lanes of the game.
    #[inline]
    pub(super) fn tile(&self, shape: Shape) -> u64 {
        self.tiles[shape.index()]
    }

    /// Returns the tile at the cursor.
    #[inline]
    pub(super) fn tile_at_cursor(&self) -> Shape {
        self.river.get(self.cursor.into())
    }

    /// Returns the pieces in the lake.
    #[inline]
    pub fn lake(&self) -> Pieces {
        Pieces(self.lake.into())
    }

    #[inline]
    pub(super) fn set_lake(&mut self, pieces: Pieces) {
        self.lake = pieces.0 as u64;
    }

    /// Returns the pieces in the satchel of a seat.
    #[inline]
    pub fn satchel(&self, seat: Seat) -> Pieces {
        let top = u128::from(self.satchel_tops[seat.index()]);
        Pieces(u128::from(self.satchels[seat.index()]) | top << u64::BITS)
    }

    #[inline]
    pub(super) fn set_satchel(&mut self, seat: Seat, pieces: Pieces) {
        self.satchels[seat.index()] = pieces.0 as u64;
        self.satchel_tops[seat.index()] = (pieces.0 >> u64::BITS) as u8;
    }

    /// Removes one copy of a piece from the satchel of a seat and returns the others.
    #[inline]
    pub(super) fn take_from_satchel(&mut self, seat: Seat, piece: Piece) -> Pieces {
        let mut satchel = self.satchel(seat);
        satchel.remove(piece);
        self.set_satchel(seat, satchel);
        satchel
    }

    /// Returns the columns and the overflow of a seat.
    #[inline]
    pub fn columns(&self, seat: Seat) -> Columns {
        self.columns[seat.index()]
    }

    /// Returns true if the bag is empty.
    #[inline]
    pub fn is_bag_empty(&self) -> bool {
        self.bag == [0; BAG_WORDS]
    }
}
