//! What We All Take from the River waits for, and what is under way (rules §2).

use serde::Deserialize;

use super::components::{Structure, Tile};
use crate::game::Seat;

/// What the game waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Chance says which game two players play (§3.1).
    Mode,
    /// Chance says who is first player (§3.2).
    FirstPlayer,
    /// Chance lays out the almanac (§3.3).
    Almanac,
    /// Chance deals the roles (§3.4).
    Roles,
    /// A seat pitches its camp (§3.6).
    Camps,
    /// Chance rolls the day's die (§5.1).
    Die,
    /// A seat makes an offer or passes (§8).
    Offer,
    /// A seat says what it gives (§8).
    Give,
    /// A seat says what it wants for it (§8).
    Get,
    /// The partner answers (§8).
    Answer,
    /// A seat chooses the structure that acts next (§6).
    ChooseStructure,
    /// A structure has its turn (§6).
    Act,
    /// An excavator or mill takes one more token (§6).
    Take,
    /// Chance says what a net collects (§5.7).
    Net,
    /// A seat sells (§7.2, §7.7).
    Sell,
    /// A seat proposes a policy or passes (§7.3).
    Propose,
    /// A seat says which tile its proposal is about (§7.3).
    ChooseTile,
    /// A seat votes (§7.3).
    Vote,
    /// A seat may buy more votes (§7.3).
    Bid,
    /// A seat takes back structures from protected tiles (§7.4).
    Salvage,
    /// A seat brings tokens to the City's site (§7.5).
    Contribute,
    /// A seat buys from the City (§7.6).
    Buy,
    /// Chance brings the next weather card (§7.8).
    Night,
    /// The game has ended.
    Over,
}

/// Which game it is (§3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// One player alone.
    Solo,
    /// Two players against each other.
    Competitive,
    /// Two players who win or lose together.
    Coop,
    /// Three players or more, each with a hidden role.
    Roles,
}

/// A time of the day at which a trade window can be held (§8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeWindow {
    /// Before the first row turn.
    Dawn,
    /// In each row turn, before the actions.
    Row,
    /// At the end of the day.
    Dusk,
}

/// What a seat may propose (§7.3), in the order of the names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PolicyKind {
    /// The City's site.
    City,
    /// A tile becomes protected.
    Protect,
    /// Pollution can be sold.
    Subsidy,
    /// A tile is protected no more.
    Unprotect,
    /// Pollution can't be sold any more.
    Unsubsidy,
}

impl PolicyKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::City, Self::Protect, Self::Subsidy, Self::Unprotect, Self::Unsubsidy];

    /// The name in notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::City => "city",
            Self::Protect => "protect",
            Self::Subsidy => "subsidy",
            Self::Unprotect => "unprotect",
            Self::Unsubsidy => "unsubsidy",
        }
    }

    /// Whether it is about a tile.
    pub const fn has_tile(self) -> bool {
        matches!(self, Self::City | Self::Protect | Self::Unprotect)
    }
}

/// How far a structure's turn has come (§6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// It has done nothing.
    Start,
    /// It has harvested.
    Harvested,
    /// Its camp is building, so that more may be built.
    Building,
    /// It may only move.
    Built,
}

/// A structure that has its turn, and how it came to have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Actor {
    /// What it is: a camp, boat, excavator or mill.
    pub kind: Structure,
    /// Where it is.
    pub tile: Tile,
    /// How far its turn has come.
    pub stage: Stage,
    /// Whether there was no choice of structure, so that it may stop without having done anything.
    pub only_candidate: bool,
}

/// The seats of a table in some order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatOrder(u16);

impl SeatOrder {
    pub(super) const NONE: Self = Self(0);

    /// The seat at a place.
    #[inline]
    pub const fn get(self, place: usize) -> Seat {
        Seat::new((self.0 >> (place * 3)) as usize & 7)
    }

    #[inline]
    pub(super) const fn set(&mut self, place: usize, seat: Seat) {
        let shift = place * 3;
        self.0 = self.0 & !(7 << shift) | (seat.index() as u16) << shift;
    }
}
