//! Actions of River Valley Glassworks, the set of legal ones, and their notation (rules §2 to §4).

use super::state::{MAX_COLORS, MAX_HELD, MAX_LAKE, MAX_SATCHEL, MAX_SHAPES, Pieces};
use crate::{
    bits::{ones, select_in},
    game::{ActionSet, Seat},
};

/// A shape, and the river tile of that shape; an index into the data file's shapes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shape(pub u8);

/// A colour, counted over those that take part with this number of players.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Color(pub u8);

/// A colour and a shape, from 1 in the order of the pieces' names; 0 stands for no piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece(pub u8);

/// A decision or a chance outcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Place a piece onto the river tile of its shape.
    Place(Piece),
    /// Place two pieces of one shape, the second not before the first, onto any river tile.
    Pair(Piece, Piece, Shape),
    /// Draw from the lake all but this piece.
    Draw(Piece),
    /// Draw all that is in the lake.
    DrawAll,
    /// Do nothing, where nothing can be done.
    Pass,
    /// Collect the pieces of a tile next to the one placed on.
    Collect(Shape),
    /// Of several new colours, give this one the next column.
    Column(Color),
    /// Put a piece that the satchel can't hold into the overflow.
    Overflow(Piece),
    /// Chance: the first player.
    FirstPlayer(Seat),
    /// Chance: the next river tile.
    Tile(Shape),
    /// Chance: a piece from the bag.
    Glass(Piece),
}

const _: () = assert!(size_of::<Action>() <= 4);

/// Names of the kinds of action.
pub(super) const ACTION_KINDS: [&str; 7] =
    ["place", "pair", "draw", "pass", "collect", "column", "overflow"];
const PAIR_KIND: u32 = 1;

/// Where each action stands in word 0 of a set: placed and overflowing pieces by their place in the
/// satchel, draws by the place in the lake of the piece that stays. Words 1 on hold the pairs onto
/// each tile, see [`pair_bit`].
const PLACE: u32 = 0;
const OVERFLOW: u32 = PLACE + MAX_SATCHEL as u32;
const DRAW: u32 = OVERFLOW + MAX_SATCHEL as u32;
const DRAW_ALL: u32 = DRAW + MAX_LAKE as u32;
const PASS: u32 = DRAW_ALL + 1;
const COLLECT: u32 = PASS + 1;
const COLUMN: u32 = COLLECT + MAX_SHAPES as u32;
const WORDS: usize = 1 + MAX_SHAPES;
const _: () = assert!(COLUMN as usize + MAX_COLORS <= 64);

const fn bits(from: u32, count: usize) -> u64 {
    ((1 << count) - 1) << from
}

/// For each kind of action, its bits in word 0.
const KIND_MASKS: [u64; ACTION_KINDS.len()] = [
    bits(PLACE, MAX_SATCHEL),
    0,
    bits(DRAW, MAX_LAKE + 1),
    bits(PASS, 1),
    bits(COLLECT, MAX_SHAPES),
    bits(COLUMN, MAX_COLORS),
    bits(OVERFLOW, MAX_SATCHEL),
];

/// The bit of two places in the satchel, the first before the second: by the second, then by the
/// first.
#[inline]
const fn pair_bit(first: usize, second: usize) -> usize {
    second * (second - 1) / 2 + first
}

const _: () = assert!(pair_bit(MAX_HELD - 2, MAX_HELD - 1) < 64);

/// The two places of each bit of [`pair_bit`].
const PAIR_PLACES: [(u8, u8); 64] = {
    let mut places = [(0, 0); 64];
    let mut second = 1;
    while second < MAX_HELD {
        let mut first = 0;
        while first < second {
            places[pair_bit(first, second)] = (first as u8, second as u8);
            first += 1;
        }
        second += 1;
    }
    places
};

/// The legal actions of a position. Equal pieces stand for the same action: only the first of them
/// has a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actions {
    words: [u64; WORDS],
    satchel: Pieces,
    lake: Pieces,
    /// The colours that a collect could bring, bit c for colour c.
    within_reach: u16,
}

impl Actions {
    /// No action yet, for a seat with this satchel.
    #[inline]
    pub(super) fn empty(satchel: Pieces) -> Self {
        Self { words: [0; WORDS], satchel, lake: Pieces::default(), within_reach: 0 }
    }

    /// Placing each piece of the satchel, and each two of one shape onto each of this many tiles.
    #[inline]
    pub(super) fn insert_places(&mut self, shape_of: impl Fn(Piece) -> Shape, tiles: usize) {
        let mut of_shape = [0_u64; MAX_SHAPES + 1];
        let mut firsts = 0_u64;
        let mut pairs = 0_u64;
        let mut before = Piece(0);
        for (place, piece) in self.satchel.iter().enumerate() {
            let same_shape = &mut of_shape[usize::from(shape_of(piece).0) & MAX_SHAPES];
            // An equal piece makes a new pair only with the first of its kind.
            let partners = if piece != before {
                firsts |= 1 << place;
                *same_shape
            } else if firsts >> (place - 1) & 1 == 1 {
                1 << (place - 1)
            } else {
                0
            };
            if place > 0 {
                pairs |= partners << pair_bit(0, place);
            }
            *same_shape |= firsts & 1 << place;
            before = piece;
        }
        self.words[0] |= firsts << PLACE;
        self.words[1..=tiles].fill(pairs);
    }

    /// Drawing from the lake, of which at most `take` pieces can be taken.
    #[inline]
    pub(super) fn insert_draws(&mut self, lake: Pieces, take: usize) {
        self.lake = lake;
        self.words[0] |= if lake.len() <= take { 1 << DRAW_ALL } else { firsts(lake) << DRAW };
    }

    #[inline]
    pub(super) fn insert_pass(&mut self) {
        self.words[0] |= 1 << PASS;
    }

    /// Collecting these tiles, bit s for shape s, which could bring these colours, bit c for colour
    /// c.
    #[inline]
    pub(super) fn insert_collects(&mut self, shapes: u32, within_reach: u16) {
        self.words[0] |= u64::from(shapes) << COLLECT;
        self.within_reach = within_reach;
    }

    #[inline]
    pub(super) fn insert_column(&mut self, colour: Color) {
        self.words[0] |= 1 << (COLUMN + u32::from(colour.0));
    }

    /// Putting pieces into the overflow: none before `least`, and only as far as enough others
    /// follow to leave `limit` pieces (§3).
    #[inline]
    pub(super) fn insert_overflows(&mut self, least: Piece, limit: usize) {
        let enough_follow = firsts(self.satchel) & bits(0, limit + 1);
        for place in ones(enough_follow) {
            if self.satchel.get(place as usize) >= least {
                self.words[0] |= 1 << (OVERFLOW + place);
            }
        }
    }

    #[inline]
    pub(super) const fn has_no_actions(&self) -> bool {
        // Pairs need two pieces, either of which can be placed alone.
        self.words[0] == 0
    }

    /// The pieces that can be placed alone.
    pub(super) fn placeable_pieces(&self) -> impl Iterator<Item = Piece> {
        ones(self.words[0] >> PLACE & bits(0, MAX_SATCHEL))
            .map(|place| self.satchel.get(place as usize))
    }

    /// The first pieces of the pairs that can be placed.
    pub(super) fn first_pieces_of_pairs(&self) -> impl Iterator<Item = Piece> {
        let pairs = self.words[1..].iter().fold(0, |all, word| all | word);
        ones(pairs).map(|pair| self.satchel.get(PAIR_PLACES[pair as usize].0.into()))
    }

    /// Whether the lake can be drawn from.
    pub(super) const fn can_draw(&self) -> bool {
        self.words[0] & bits(DRAW, MAX_LAKE + 1) != 0
    }

    /// The satchel of the seat that decides.
    pub(super) const fn satchel(&self) -> Pieces {
        self.satchel
    }

    /// The colours that a collect could bring.
    pub(super) fn reachable_colors(&self) -> impl Iterator<Item = Color> + use<> {
        ones(self.within_reach.into()).map(|colour| Color(colour as u8))
    }

    /// The word and the bit of an action in a set like this one, if it has one.
    #[inline]
    fn place(&self, action: Action) -> Option<(usize, u32)> {
        let bit = match action {
            Action::Place(piece) => PLACE + self.satchel.find(piece)? as u32,
            Action::Overflow(piece) => OVERFLOW + self.satchel.find(piece)? as u32,
            Action::Draw(piece) => DRAW + self.lake.find(piece)? as u32,
            Action::DrawAll => DRAW_ALL,
            Action::Pass => PASS,
            Action::Collect(shape) => COLLECT + u32::from(shape.0),
            Action::Column(colour) => COLUMN + u32::from(colour.0),
            Action::Pair(first, second, shape) => {
                let place = self.satchel.find(first)?;
                let other = if first == second { place + 1 } else { self.satchel.find(second)? };
                let found = place < other && other < MAX_HELD && self.satchel.get(other) == second;
                return found.then(|| (1 + usize::from(shape.0), pair_bit(place, other) as u32));
            }
            Action::FirstPlayer(_) | Action::Tile(_) | Action::Glass(_) => return None,
        };
        Some((0, bit))
    }

    /// The action at a bit of the set.
    #[inline]
    fn action(&self, place: u32) -> Action {
        let bit = place % 64;
        if place >= 64 {
            let (first, second) = PAIR_PLACES[bit as usize];
            return Action::Pair(
                self.satchel.get(first.into()),
                self.satchel.get(second.into()),
                Shape((place / 64 - 1) as u8),
            );
        }
        match bit {
            PLACE..OVERFLOW => Action::Place(self.satchel.get((bit - PLACE) as usize)),
            OVERFLOW..DRAW => Action::Overflow(self.satchel.get((bit - OVERFLOW) as usize)),
            DRAW..DRAW_ALL => Action::Draw(self.lake.get((bit - DRAW) as usize)),
            DRAW_ALL => Action::DrawAll,
            PASS => Action::Pass,
            COLLECT..COLUMN => Action::Collect(Shape((bit - COLLECT) as u8)),
            _ => Action::Column(Color((bit - COLUMN) as u8)),
        }
    }
}

/// The places of the first of each kind of piece.
#[inline]
fn firsts(pieces: Pieces) -> u64 {
    let mut firsts = 0;
    let mut before = Piece(0);
    for (place, piece) in pieces.iter().enumerate() {
        firsts |= u64::from(piece != before) << place;
        before = piece;
    }
    firsts
}

impl ActionSet for Actions {
    type Action = Action;

    #[inline]
    fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    fn nth(&self, index: usize) -> Action {
        self.action(select_in(&self.words, index as u32))
    }

    #[inline]
    fn contains(&self, action: Action) -> bool {
        self.place(action).is_some_and(|(word, bit)| self.words[word] >> bit & 1 == 1)
    }

    #[inline]
    fn remove(&mut self, action: Action) {
        if let Some((word, bit)) = self.place(action) {
            self.words[word] &= !(1 << bit);
        }
    }

    #[inline]
    fn kinds(&self) -> u32 {
        let pairs = self.words[1..].iter().fold(0, |all, word| all | word);
        let kinds = KIND_MASKS
            .iter()
            .enumerate()
            .fold(0, |kinds, (kind, mask)| kinds | u32::from(self.words[0] & mask != 0) << kind);
        kinds | u32::from(pairs != 0) << PAIR_KIND
    }

    #[inline]
    fn subset_of_kind(&self, kind: u32) -> Self {
        let mut words = if kind == PAIR_KIND { self.words } else { [0; WORDS] };
        words[0] = self.words[0] & KIND_MASKS[kind as usize];
        Self { words, ..*self }
    }
}
