//! Tokens, tiles and structures of We All Take from the River, and the limits of the packed
//! position.

use watershed_engine::{bits::ones, names};

/// The maximum number of rows of a map.
pub const MAX_ROWS: usize = 5;
/// The maximum number of land tiles. Owners of nets have 3 bits for each in a 32-bit word.
pub const MAX_LAND_TILES: usize = 2 * MAX_ROWS;
/// The maximum number of slots of a land tile.
pub const MAX_LAND_SLOTS: usize = 3;
/// The maximum number of fish slots of a river tile. With the slots of land, they fill 60 of the 64
/// bits of a set of slots.
pub const MAX_FISH_SLOTS: usize = 5;
/// The maximum number of pieces of a kind of a player, and of sticks. Counts have 4 bits.
pub const MAX_PIECES: usize = 15;
/// The maximum number of weather cards face up. A position holds 4 bits of each in 32 bits.
pub const MAX_ALMANAC_CARDS: usize = 8;
/// The maximum number of kinds of weather card, and of copies of each. Both have 4 bits.
pub const MAX_WEATHER_KINDS: usize = 15;
/// The maximum number of roles.
pub const MAX_ROLES: usize = 15;
/// The maximum number of tokens that may enter a game or be in a position, of all kinds together,
/// so that no 16-bit count can overflow.
pub const MAX_TOKENS: u64 = 32_000;

names! {
    /// A kind of token, in alphabetical order, which is the order of choices in succession (§4).
    #[expect(missing_docs, reason = "the names are those of the rules")]
    pub enum Token {
        Fish = "fish",
        Gold = "gold",
        Gravel = "gravel",
        Pollution = "pollution",
        Tree = "tree",
    }
}

impl Token {
    /// The kinds that fill slots of the map. They can be bought, and sold without a subsidy.
    pub const NATURAL: [Self; 3] = [Self::Fish, Self::Gravel, Self::Tree];
}

/// A number of tokens of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tokens([u16; Token::ALL.len()]);

impl Tokens {
    /// No tokens.
    pub const NONE: Self = Self([0; Token::ALL.len()]);

    /// Returns the number of tokens of a kind.
    #[inline]
    pub const fn get(&self, token: Token) -> u32 {
        self.0[token as usize] as u32
    }

    /// Returns the number of tokens of all kinds.
    #[inline]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&count| u32::from(count)).sum()
    }

    /// Returns true if there are no tokens.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; Token::ALL.len()]
    }

    /// Returns the set of kinds with at least one token, bit `t` for kind `t`.
    #[inline]
    pub fn kinds(&self) -> u8 {
        Token::ALL
            .into_iter()
            .fold(0, |kinds, token| kinds | u8::from(self.0[token as usize] > 0) << token as u8)
    }

    /// Returns true if there are at least as many tokens of each kind as in `other`.
    #[inline]
    pub fn covers(&self, other: &Self) -> bool {
        // Counting all matches instead of stopping at the first mismatch avoids branches.
        self.0.iter().zip(&other.0).filter(|(has, asked)| has >= asked).count() == self.0.len()
    }

    /// Adds tokens of a kind.
    #[inline]
    pub fn add(&mut self, token: Token, count: u32) {
        self.0[token as usize] += count as u16;
    }

    /// Removes tokens of a kind, of which there must be at least `count`.
    #[inline]
    pub fn take(&mut self, token: Token, count: u32) {
        self.0[token as usize] -= count as u16;
    }

    /// Adds all tokens of `other`.
    #[inline]
    pub fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, other)| *count += other);
    }

    /// Removes all tokens of `other`, which must be present.
    #[inline]
    pub fn take_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, other)| *count -= other);
    }

    /// Returns these tokens and `count` more of a kind.
    #[inline]
    #[must_use]
    pub fn with(mut self, token: Token, count: u32) -> Self {
        self.add(token, count);
        self
    }
}

/// The loose tokens of a river tile: a 16-bit count of each kind in one word, because every row
/// turn moves all of them at once. Gold is never in the river, so its count is left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flow(u64);

impl Flow {
    #[inline]
    const fn lane(token: Token) -> u32 {
        match token {
            Token::Fish => 0,
            Token::Gravel => 16,
            Token::Pollution => 32,
            Token::Tree | Token::Gold => 48,
        }
    }

    /// Returns the number of tokens of a kind.
    #[inline]
    pub const fn get(self, token: Token) -> u32 {
        match token {
            Token::Gold => 0,
            _ => (self.0 >> Self::lane(token)) as u16 as u32,
        }
    }

    /// Converts the counts to tokens.
    pub fn tokens(self) -> Tokens {
        Tokens(Token::ALL.map(|token| self.get(token) as u16))
    }

    /// Returns the number of tokens of all kinds.
    #[inline]
    pub fn total(self) -> u32 {
        Token::ALL.into_iter().map(|token| self.get(token)).sum()
    }

    /// Returns true if there are no tokens.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds tokens of a kind other than gold.
    #[inline]
    pub const fn add(&mut self, token: Token, count: u32) {
        self.0 += (count as u64) << Self::lane(token);
    }

    /// Removes tokens of a kind, of which there must be at least `count`.
    #[inline]
    pub const fn take(&mut self, token: Token, count: u32) {
        self.0 -= (count as u64) << Self::lane(token);
    }

    /// Adds all tokens of `other`.
    #[inline]
    pub const fn add_all(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// A tile of the map. The numbers are 5 land tiles of the left bank, 5 of the right bank, 5 river
/// tiles and 5 half tiles, each by row. A net slot has the number of the land tile above it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tile(pub u8);

impl Tile {
    /// The number of tiles, half tiles included.
    pub const COUNT: usize = 4 * MAX_ROWS;
    /// The number of tiles without half tiles, which have the highest numbers.
    pub const FULL_COUNT: usize = 3 * MAX_ROWS;

    /// Returns the land tile of a row on the left bank (0) or the right bank (1).
    #[inline]
    pub const fn land(bank: usize, row: usize) -> Self {
        Self((bank * MAX_ROWS + row) as u8)
    }

    /// Returns the river tile of a row.
    #[inline]
    pub const fn river(row: usize) -> Self {
        Self((MAX_LAND_TILES + row) as u8)
    }

    /// Returns the half tile of a row.
    #[inline]
    pub const fn half(row: usize) -> Self {
        Self((Self::FULL_COUNT + row) as u8)
    }

    /// Returns the index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the row, from 0.
    #[inline]
    pub const fn row(self) -> usize {
        self.0 as usize % MAX_ROWS
    }

    /// Returns true if this is a land tile.
    #[inline]
    pub const fn is_land(self) -> bool {
        (self.0 as usize) < MAX_LAND_TILES
    }

    /// Returns the other land tile of the row of a land tile.
    #[inline]
    #[must_use]
    pub const fn opposite_bank(self) -> Self {
        Self(((self.0 as usize + MAX_ROWS) % MAX_LAND_TILES) as u8)
    }

    /// Returns the set of this tile alone.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self.0
    }
}

/// Returns the tiles of a set, in their order.
pub(super) fn tiles_in(set: impl Into<u64>) -> impl Iterator<Item = Tile> {
    ones(set.into()).map(|tile| Tile(tile as u8))
}

/// Returns the bits that belong to the slots of a tile, for the maximum number of slots.
pub(super) const fn possible_slots(tile: Tile) -> u64 {
    let index = tile.index() as u32;
    let (first, count) = match index as usize {
        0..MAX_LAND_TILES => (index * MAX_LAND_SLOTS as u32, MAX_LAND_SLOTS),
        MAX_LAND_TILES..Tile::FULL_COUNT => (
            FIRST_RIVER_SLOT + (index - MAX_LAND_TILES as u32) * MAX_FISH_SLOTS as u32,
            MAX_FISH_SLOTS,
        ),
        _ => (FIRST_HALF_SLOT + index - Tile::FULL_COUNT as u32, 1),
    };
    ((1 << count) - 1) << first
}

const FIRST_HALF_SLOT: u32 = (MAX_LAND_TILES * MAX_LAND_SLOTS) as u32;
const FIRST_RIVER_SLOT: u32 = FIRST_HALF_SLOT + MAX_ROWS as u32;
const _: () = assert!(FIRST_RIVER_SLOT as usize + MAX_ROWS * MAX_FISH_SLOTS <= u64::BITS as usize);

names! {
    /// A kind of structure, in alphabetical order, which is the order of choices in succession
    /// (§4).
    #[expect(missing_docs, reason = "the names are those of the rules")]
    pub enum Structure {
        Boat = "boat",
        Bridge = "bridge",
        Camp = "camp",
        Canal = "canal",
        Excavator = "excavator",
        Farm = "farm",
        Levee = "levee",
        Mill = "mill",
        Net = "net",
    }
}

impl Structure {
    /// Returns true if the structure is built of sticks.
    pub const fn is_stick(self) -> bool {
        matches!(self, Self::Bridge | Self::Canal | Self::Levee)
    }
}

names! {
    /// An objective of a player.
    #[expect(missing_docs, reason = "the names are those of the rules")]
    pub enum Objective {
        Conservation = "conservation",
        Agriculture = "agriculture",
        Development = "development",
        Capital = "capital",
        Charity = "charity",
    }
}

impl Objective {
    /// Returns the set of this objective alone.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_different_tiles_have_different_bits() {
        let all = (0..Tile::COUNT as u8).fold(0, |all, tile| {
            assert_eq!(all & possible_slots(Tile(tile)), 0);
            all | possible_slots(Tile(tile))
        });
        assert_eq!(
            all.count_ones() as usize,
            MAX_LAND_TILES * MAX_LAND_SLOTS + MAX_ROWS * (1 + MAX_FISH_SLOTS)
        );
    }
}
