//! Tokens, tiles and structures of We All Take from the River, and the limits of what the packed
//! position holds.

use serde::Deserialize;

/// The most rows of a map.
pub const MAX_ROWS: usize = 5;
/// The most land tiles.
pub const MAX_LAND_TILES: usize = 2 * MAX_ROWS;
/// The most slots of a land tile.
pub const MAX_LAND_SLOTS: usize = 3;
/// The most fish slots of a river tile.
pub const MAX_FISH_SLOTS: usize = 5;
/// The most pieces of a kind that a player owns, and the most sticks.
pub const MAX_PIECES: usize = 15;
/// The most weather cards face up.
pub const MAX_ALMANAC_CARDS: usize = 8;
/// The most kinds of weather card, and the most copies of each.
pub const MAX_WEATHER_KINDS: usize = 15;
/// The most roles.
pub const MAX_ROLES: usize = 15;
/// The most of all tokens together that may come into a game, and that a position may hold; both
/// fit into one count.
pub const MAX_TOKENS: u64 = 32_000;

/// A kind of token, in the order of the names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum Token {
    Fish,
    Gold,
    Gravel,
    Pollution,
    Tree,
}

impl Token {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Fish, Self::Gold, Self::Gravel, Self::Pollution, Self::Tree];
    /// Those that fill slots of the map: what can be bought, and sold without a subsidy.
    pub const NATURAL: [Self; 3] = [Self::Fish, Self::Gravel, Self::Tree];

    /// The name in notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fish => "fish",
            Self::Gold => "gold",
            Self::Gravel => "gravel",
            Self::Pollution => "pollution",
            Self::Tree => "tree",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token| token.name() == name)
    }
}

/// How many tokens there are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tokens([u16; Token::ALL.len()]);

impl Tokens {
    /// None.
    pub const NONE: Self = Self([0; Token::ALL.len()]);

    /// How many of a kind.
    #[inline]
    pub const fn get(&self, token: Token) -> u32 {
        self.0[token as usize] as u32
    }

    /// How many of all kinds together.
    #[inline]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&count| u32::from(count)).sum()
    }

    /// Whether there is none of any kind.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; Token::ALL.len()]
    }

    /// The kinds there are, bit t for kind t.
    #[inline]
    pub fn kinds(&self) -> u8 {
        Token::ALL
            .into_iter()
            .fold(0, |kinds, token| kinds | u8::from(self.0[token as usize] > 0) << token as u8)
    }

    /// Whether there are at least as many of each kind as in `other`.
    #[inline]
    pub fn covers(&self, other: &Self) -> bool {
        // How many are covered, and not whether all are, so that nothing branches on the way.
        self.0.iter().zip(&other.0).filter(|(has, asked)| has >= asked).count() == self.0.len()
    }

    /// Adds some of a kind.
    #[inline]
    pub fn add(&mut self, token: Token, count: u32) {
        self.0[token as usize] += count as u16;
    }

    /// Takes away some of a kind, of which there must be as many.
    #[inline]
    pub fn take(&mut self, token: Token, count: u32) {
        self.0[token as usize] -= count as u16;
    }

    /// Adds others.
    #[inline]
    pub fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, other)| *count += other);
    }

    /// Takes away others, which must be there.
    #[inline]
    pub fn take_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, other)| *count -= other);
    }

    /// These and some more of a kind.
    #[inline]
    #[must_use]
    pub fn with(mut self, token: Token, count: u32) -> Self {
        self.add(token, count);
        self
    }
}

/// What flows on a river tile, loose: how many tokens there are of each kind, 16 bits each. Gold
/// never comes into the river.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flow(u64);

impl Flow {
    /// None.
    pub const NONE: Self = Self(0);

    #[inline]
    const fn lane(token: Token) -> u32 {
        match token {
            Token::Fish => 0,
            Token::Gravel => 16,
            Token::Pollution => 32,
            Token::Tree | Token::Gold => 48,
        }
    }

    /// How many of a kind.
    #[inline]
    pub const fn get(self, token: Token) -> u32 {
        match token {
            Token::Gold => 0,
            _ => (self.0 >> Self::lane(token)) as u16 as u32,
        }
    }

    /// All of them, as tokens.
    pub fn tokens(self) -> Tokens {
        Tokens(Token::ALL.map(|token| self.get(token) as u16))
    }

    /// How many of all kinds together.
    #[inline]
    pub fn total(self) -> u32 {
        Token::ALL.into_iter().map(|token| self.get(token)).sum()
    }

    /// Whether there is none of any kind.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds some of a kind, which is not gold.
    #[inline]
    pub const fn add(&mut self, token: Token, count: u32) {
        self.0 += (count as u64) << Self::lane(token);
    }

    /// Takes away some of a kind, of which there must be as many.
    #[inline]
    pub const fn take(&mut self, token: Token, count: u32) {
        self.0 -= (count as u64) << Self::lane(token);
    }

    /// Adds others.
    #[inline]
    pub const fn add_all(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// A tile of the map, a bank of a line (whose slot for a net goes by the name of the land tile
/// above it) or a half tile: five places each for the left bank, the right bank, the river and the
/// half tiles, one a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tile(pub u8);

impl Tile {
    /// How many there are, half tiles included.
    pub const COUNT: usize = 4 * MAX_ROWS;
    /// How many there are, half tiles not included.
    pub const FULL_COUNT: usize = 3 * MAX_ROWS;

    /// The land tile of a row on the left bank (0) or the right bank (1).
    #[inline]
    pub const fn land(bank: usize, row: usize) -> Self {
        Self((bank * MAX_ROWS + row) as u8)
    }

    /// The river tile of a row.
    #[inline]
    pub const fn river(row: usize) -> Self {
        Self((MAX_LAND_TILES + row) as u8)
    }

    /// The half tile of a row.
    #[inline]
    pub const fn half(row: usize) -> Self {
        Self((Self::FULL_COUNT + row) as u8)
    }

    /// The index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, from 0.
    #[inline]
    pub const fn row(self) -> usize {
        self.0 as usize % MAX_ROWS
    }

    /// Whether it is a land tile.
    #[inline]
    pub const fn is_land(self) -> bool {
        (self.0 as usize) < MAX_LAND_TILES
    }

    /// The other land tile of a land tile's row.
    #[inline]
    #[must_use]
    pub const fn opposite_bank(self) -> Self {
        Self(((self.0 as usize + MAX_ROWS) % MAX_LAND_TILES) as u8)
    }

    /// The set that holds only this tile.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self.0
    }
}

/// The slots of a land tile, a half tile or a river tile that there may be, as bits.
pub(super) const fn possible_slots(tile: Tile) -> u64 {
    let index = tile.index() as u32;
    let (first, count) = match index as usize {
        0..MAX_LAND_TILES => (index * MAX_LAND_SLOTS as u32, MAX_LAND_SLOTS),
        MAX_LAND_TILES..Tile::FULL_COUNT => {
            (RIVER_SLOTS + (index - MAX_LAND_TILES as u32) * MAX_FISH_SLOTS as u32, MAX_FISH_SLOTS)
        }
        _ => (HALF_SLOTS + index - Tile::FULL_COUNT as u32, 1),
    };
    ((1 << count) - 1) << first
}

const HALF_SLOTS: u32 = (MAX_LAND_TILES * MAX_LAND_SLOTS) as u32;
const RIVER_SLOTS: u32 = HALF_SLOTS + MAX_ROWS as u32;
const _: () = assert!(RIVER_SLOTS as usize + MAX_ROWS * MAX_FISH_SLOTS <= u64::BITS as usize);

/// A kind of structure, in the order of the names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum Structure {
    Boat,
    Bridge,
    Camp,
    Canal,
    Excavator,
    Farm,
    Levee,
    Mill,
    Net,
}

impl Structure {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Boat,
        Self::Bridge,
        Self::Camp,
        Self::Canal,
        Self::Excavator,
        Self::Farm,
        Self::Levee,
        Self::Mill,
        Self::Net,
    ];

    /// The name in notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boat => "boat",
            Self::Bridge => "bridge",
            Self::Camp => "camp",
            Self::Canal => "canal",
            Self::Excavator => "excavator",
            Self::Farm => "farm",
            Self::Levee => "levee",
            Self::Mill => "mill",
            Self::Net => "net",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|structure| structure.name() == name)
    }

    /// Whether it is made of sticks.
    pub const fn is_stick(self) -> bool {
        matches!(self, Self::Bridge | Self::Canal | Self::Levee)
    }
}

/// What a seat wants to have reached at the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub enum Objective {
    Conservation,
    Agriculture,
    Development,
    Capital,
    Charity,
}

impl Objective {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Conservation, Self::Agriculture, Self::Development, Self::Capital, Self::Charity];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conservation => "conservation",
            Self::Agriculture => "agriculture",
            Self::Development => "development",
            Self::Capital => "capital",
            Self::Charity => "charity",
        }
    }

    /// The set that holds only this one.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_different_tiles_are_different_bits() {
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
