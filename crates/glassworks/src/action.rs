//! The actions of River Valley Glassworks, and sets of actions (rules §2 to §5).

use super::components::{
    Colour, MAX_COLOURS, MAX_HELD, MAX_LAKE, MAX_SATCHEL, MAX_SHAPES, Piece, Pieces, Shape,
};
use watershed_engine::{
    bits::ones,
    game::{ActionSet, Seat, read_action_words},
};

/// A decision or a chance outcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Places a piece onto the river tile of its shape.
    Place(Piece),
    /// Places two pieces of one shape, the second not before the first, onto any river tile.
    Pair(Piece, Piece, Shape),
    /// Draws all pieces of the lake but this one.
    Draw(Piece),
    /// Draws all pieces of the lake.
    DrawAll,
    /// Does nothing. Legal if no other action is.
    Pass,
    /// Collects the pieces of a neighbour of the tile placed on.
    Collect(Shape),
    /// Gives the next column to one of several new colours.
    Column(Colour),
    /// Puts a piece beyond the limit of the satchel into the overflow.
    Overflow(Piece),
    /// Chance: the first player.
    FirstPlayer(Seat),
    /// Chance: the next river tile.
    Tile(Shape),
    /// Chance: a piece from the bag.
    Glass(Piece),
}

const _: () = assert!(size_of::<Action>() <= 4);

/// The names of the kinds of action.
pub(super) const ACTION_KINDS: [&str; 7] =
    ["place", "pair", "draw", "pass", "collect", "column", "overflow"];
const PAIR_KIND: u32 = 1;

// The first bit of each kind of action in word 0 of a set: placed and overflowing pieces by their
// index in the satchel, draws by the index in the lake of the piece that stays. The other words
// hold the pairs onto each tile, see `pair_bit`.
const PLACE: u32 = 0;
const OVERFLOW: u32 = PLACE + MAX_SATCHEL as u32;
const DRAW: u32 = OVERFLOW + MAX_SATCHEL as u32;
const DRAW_ALL: u32 = DRAW + MAX_LAKE as u32;
const PASS: u32 = DRAW_ALL + 1;
const COLLECT: u32 = PASS + 1;
const COLUMN: u32 = COLLECT + MAX_SHAPES as u32;
const WORDS: usize = 1 + MAX_SHAPES;
const _: () = assert!(COLUMN as usize + MAX_COLOURS <= 64);

const fn bits(from: u32, count: usize) -> u64 {
    ((1 << count) - 1) << from
}

/// The bits of each kind of action in word 0.
const KIND_MASKS: [u64; ACTION_KINDS.len()] = [
    bits(PLACE, MAX_SATCHEL),
    0,
    bits(DRAW, MAX_LAKE + 1),
    bits(PASS, 1),
    bits(COLLECT, MAX_SHAPES),
    bits(COLUMN, MAX_COLOURS),
    bits(OVERFLOW, MAX_SATCHEL),
];

/// Returns the bit of two indices in the satchel, of which the first is lower. Bits are sorted by
/// the second index, then by the first.
#[inline]
const fn pair_bit(first: usize, second: usize) -> usize {
    second * (second - 1) / 2 + first
}

const _: () = assert!(pair_bit(MAX_HELD - 2, MAX_HELD - 1) < 64);

/// The two indices of each bit of [`pair_bit`].
const PAIR_INDICES: [(u8, u8); 64] = {
    let mut indices = [(0, 0); 64];
    let mut second = 1;
    while second < MAX_HELD {
        let mut first = 0;
        while first < second {
            indices[pair_bit(first, second)] = (first as u8, second as u8);
            first += 1;
        }
        second += 1;
    }
    indices
};

/// The legal actions of a position. Of equal pieces, only the first has a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actions {
    words: [u64; WORDS],
    /// The pieces that can be placed alone or overflow, bit p for piece p.
    single: u64,
    /// The pieces of the satchel in the same way, if these can be placed.
    held: u64,
    /// The pieces of the satchel that occur several times, in the same way.
    repeated: u64,
    /// The pieces of the lake that can stay there alone, in the same way.
    stays: u64,
    /// True if no pair was removed.
    has_all_pairs: bool,
    satchel: Pieces,
    lake: Pieces,
    /// The colours on tiles that can be collected, bit c for colour c.
    collectable: u16,
}

impl Actions {
    /// Returns a set without actions, for a seat with this satchel.
    #[inline]
    pub(super) fn empty(satchel: Pieces) -> Self {
        Self {
            words: [0; WORDS],
            single: 0,
            held: 0,
            repeated: 0,
            stays: 0,
            has_all_pairs: true,
            satchel,
            lake: Pieces::default(),
            collectable: 0,
        }
    }

    /// Adds the placements of each piece, and of each pair of one shape onto each of `tiles` tiles.
    #[inline]
    pub(super) fn insert_places(&mut self, shape_of: impl Fn(Piece) -> Shape, tiles: usize) {
        let mut of_shape = [0_u64; MAX_SHAPES + 1];
        let mut firsts = 0_u64;
        let mut pairs = 0_u64;
        let mut before = Piece(0);
        for (index, piece) in self.satchel.iter().enumerate() {
            self.repeated |= self.held & 1 << piece.0;
            self.held |= 1 << piece.0;
            let same_shape = &mut of_shape[usize::from(shape_of(piece).0) & MAX_SHAPES];
            // An equal piece makes a new pair only with the first of its kind.
            let partners = if piece != before {
                firsts |= 1 << index;
                *same_shape
            } else if firsts >> (index - 1) & 1 == 1 {
                1 << (index - 1)
            } else {
                0
            };
            if index > 0 {
                pairs |= partners << pair_bit(0, index);
            }
            *same_shape |= firsts & 1 << index;
            before = piece;
        }
        self.single = self.held;
        self.words[0] |= firsts << PLACE;
        self.words[1..=tiles].fill(pairs);
    }

    /// Adds the draws from the lake, of at most `take` pieces.
    #[inline]
    pub(super) fn insert_draws(&mut self, lake: Pieces, take: usize) {
        self.lake = lake;
        if lake.len() <= take {
            self.words[0] |= 1 << DRAW_ALL;
        } else {
            self.words[0] |= firsts(lake) << DRAW;
            self.stays = lake.iter().fold(0, |pieces, piece| pieces | 1 << piece.0);
        }
    }

    #[inline]
    pub(super) fn insert_pass(&mut self) {
        self.words[0] |= 1 << PASS;
    }

    /// Adds the collects of these tiles, bit s for shape s, on which these colours are, bit c for
    /// colour c.
    #[inline]
    pub(super) fn insert_collects(&mut self, shapes: u32, colours: u16) {
        self.words[0] |= u64::from(shapes) << COLLECT;
        self.collectable = colours;
    }

    #[inline]
    pub(super) fn insert_column(&mut self, colour: Colour) {
        self.words[0] |= 1 << (COLUMN + u32::from(colour.0));
    }

    /// Adds the pieces that can overflow: none before `last`, and only those before which at most
    /// `limit` pieces stay, because pieces of one turn overflow in sorted order (§3).
    #[inline]
    pub(super) fn insert_overflows(&mut self, last: Piece, limit: usize) {
        for index in ones(firsts(self.satchel) & bits(0, limit + 1)) {
            if self.satchel.get(index as usize) >= last {
                self.single |= 1 << self.satchel.get(index as usize).0;
                self.words[0] |= 1 << (OVERFLOW + index);
            }
        }
    }

    #[inline]
    pub(super) const fn has_no_actions(&self) -> bool {
        // Pairs need two pieces, either of which can be placed alone.
        self.words[0] == 0
    }

    /// Returns the pieces that can be placed alone.
    pub(super) fn placeable_pieces(&self) -> impl Iterator<Item = Piece> {
        ones(self.words[0] >> PLACE & bits(0, MAX_SATCHEL))
            .map(|index| self.satchel.get(index as usize))
    }

    /// Returns the first pieces of the pairs that can be placed.
    pub(super) fn first_pieces_of_pairs(&self) -> impl Iterator<Item = Piece> {
        ones(self.pairs()).map(|pair| self.satchel.get(PAIR_INDICES[pair as usize].0.into()))
    }

    /// Returns the pairs that can be placed onto any tile.
    #[inline]
    fn pairs(&self) -> u64 {
        self.words[1..].iter().fold(0, |all, word| all | word)
    }

    /// Returns true if the seat can draw from the lake.
    pub(super) const fn can_draw(&self) -> bool {
        self.words[0] & bits(DRAW, MAX_LAKE + 1) != 0
    }

    /// Returns the satchel of the seat that decides.
    pub(super) const fn satchel(&self) -> Pieces {
        self.satchel
    }

    /// Returns the colours on tiles that can be collected.
    pub(super) fn collectable_colours(&self) -> impl Iterator<Item = Colour> + use<> {
        ones(self.collectable.into()).map(|colour| Colour(colour as u8))
    }

    /// Returns the word and the bit of an action in this set. Chance outcomes have none.
    #[inline]
    fn bit_of(&self, action: Action) -> Option<(usize, u32)> {
        let bit = match action {
            Action::Place(piece) => PLACE + self.satchel.find(piece)? as u32,
            Action::Overflow(piece) => OVERFLOW + self.satchel.find(piece)? as u32,
            Action::Draw(piece) => DRAW + self.lake.find(piece)? as u32,
            Action::DrawAll => DRAW_ALL,
            Action::Pass => PASS,
            Action::Collect(shape) => COLLECT + u32::from(shape.0),
            Action::Column(colour) => COLUMN + u32::from(colour.0),
            Action::Pair(first, second, shape) => {
                let index = self.satchel.find(first)?;
                let other = if first == second { index + 1 } else { self.satchel.find(second)? };
                let found = index < other && other < MAX_HELD && self.satchel.get(other) == second;
                return found.then(|| (1 + shape.index(), pair_bit(index, other) as u32));
            }
            Action::FirstPlayer(_) | Action::Tile(_) | Action::Glass(_) => return None,
        };
        Some((0, bit))
    }

    /// Returns the action at a bit of the set.
    #[inline]
    fn action_at(&self, bit: u32) -> Action {
        if bit >= 64 {
            let (first, second) = PAIR_INDICES[bit as usize % 64];
            return Action::Pair(
                self.satchel.get(first.into()),
                self.satchel.get(second.into()),
                Shape((bit / 64 - 1) as u8),
            );
        }
        match bit {
            PLACE..OVERFLOW => Action::Place(self.satchel.get((bit - PLACE) as usize)),
            OVERFLOW..DRAW => Action::Overflow(self.satchel.get((bit - OVERFLOW) as usize)),
            DRAW..DRAW_ALL => Action::Draw(self.lake.get((bit - DRAW) as usize)),
            DRAW_ALL => Action::DrawAll,
            PASS => Action::Pass,
            COLLECT..COLUMN => Action::Collect(Shape((bit - COLLECT) as u8)),
            _ => Action::Column(Colour((bit - COLUMN) as u8)),
        }
    }
}

/// Returns the indices of the first copy of each piece.
#[inline]
fn firsts(pieces: Pieces) -> u64 {
    let mut firsts = 0;
    let mut before = Piece(0);
    for (index, piece) in pieces.iter().enumerate() {
        firsts |= u64::from(piece != before) << index;
        before = piece;
    }
    firsts
}

impl ActionSet for Actions {
    type Action = Action;

    read_action_words!(self, bit => self.action_at(bit));

    #[inline]
    fn contains(&self, action: Action) -> bool {
        let has = |pieces: u64, piece: Piece| pieces >> piece.0 & 1 == 1;
        let has_kind = |first: u32, count: usize| self.words[0] & bits(first, count) != 0;
        match action {
            Action::Place(piece) => has(self.single, piece) && has_kind(PLACE, MAX_SATCHEL),
            Action::Overflow(piece) => has(self.single, piece) && has_kind(OVERFLOW, MAX_SATCHEL),
            Action::Draw(piece) => has(self.stays, piece) && has_kind(DRAW, MAX_LAKE),
            Action::Pair(first, second, _) if !has(self.held, first) || !has(self.held, second) => {
                false
            }
            _ => self.bit_of(action).is_some_and(|(word, bit)| self.words[word] >> bit & 1 == 1),
        }
    }

    /// The pieces of a pair that was legal in a position have one shape.
    #[inline]
    fn contains_numbered(&self, action: Action, _number: u16) -> bool {
        let has = |pieces: u64, piece: Piece| pieces >> piece.0 & 1 == 1;
        let has_bit = |bit: u32| self.words[0] >> bit & 1 == 1;
        match action {
            Action::Pair(first, second, shape) if self.has_all_pairs => {
                let seconds = if first == second { self.repeated } else { self.held };
                has(self.held, first) && has(seconds, second) && self.words[1 + shape.index()] != 0
            }
            Action::Collect(shape) => has_bit(COLLECT + u32::from(shape.0)),
            Action::Column(colour) => has_bit(COLUMN + u32::from(colour.0)),
            _ => self.contains(action),
        }
    }

    #[inline]
    fn remove(&mut self, action: Action) {
        if let Some((word, bit)) = self.bit_of(action) {
            self.words[word] &= !(1 << bit);
        }
        match action {
            Action::Place(piece) | Action::Overflow(piece) => self.single &= !(1 << piece.0),
            Action::Draw(piece) => self.stays &= !(1 << piece.0),
            Action::Pair(..) => self.has_all_pairs = false,
            _ => {}
        }
    }

    #[inline]
    fn kinds(&self) -> u32 {
        let kinds = KIND_MASKS
            .iter()
            .enumerate()
            .fold(0, |kinds, (kind, mask)| kinds | u32::from(self.words[0] & mask != 0) << kind);
        kinds | u32::from(self.pairs() != 0) << PAIR_KIND
    }

    #[inline]
    fn subset_of_kind(&self, kind: u32) -> Self {
        let mut words = if kind == PAIR_KIND { self.words } else { [0; WORDS] };
        words[0] = self.words[0] & KIND_MASKS[kind as usize];
        Self { words, ..*self }
    }
}
