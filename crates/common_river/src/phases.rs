//! The phases of We All Take from the River, and choices with several steps (rules §2).

use super::components::{Structure, Tile};
use watershed_engine::{game::Seat, names};

/// The decision or draw that is due.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Phase {
    /// Chance draws the mode of a game with two players (§3.1).
    #[default]
    Mode,
    /// Chance draws the first player (§3.2).
    FirstPlayer,
    /// Chance draws a card of the first almanac (§3.3).
    Almanac,
    /// Chance deals a role (§3.4).
    Roles,
    /// A seat pitches its camp (§3.6).
    Camps,
    /// Chance rolls the day's die (§5.1).
    Die,
    /// A seat makes an offer or passes (§8).
    Offer,
    /// A seat adds a token to the side of an offer that it gives (§8).
    Give,
    /// A seat adds a token to the side of an offer that it gets (§8).
    Get,
    /// The partner accepts or refuses an offer (§8).
    Answer,
    /// A seat chooses the structure that acts next (§6).
    ChooseStructure,
    /// A structure has its turn (§6).
    Act,
    /// An excavator or mill takes one more token (§6).
    Take,
    /// Chance draws the token that a net collects (§5.7).
    Net,
    /// A seat sells a token (§7.2, §7.7).
    Sell,
    /// A seat proposes a policy or passes (§7.3).
    Propose,
    /// A seat chooses the tile of its proposal (§7.3).
    ChooseTile,
    /// A seat votes (§7.3).
    Vote,
    /// A seat may buy one more vote (§7.3).
    Bid,
    /// A seat takes a structure back from a protected tile (§7.4).
    Salvage,
    /// A seat adds a token to the site of the City (§7.5).
    Contribute,
    /// A seat buys a token from the City (§7.6).
    Buy,
    /// Chance draws the next weather card (§7.8).
    Night,
    /// The game has ended.
    Over,
}

impl Phase {
    /// Returns true if the phase follows the turns of the structures of a day (§7).
    #[inline]
    pub const fn is_evening(self) -> bool {
        matches!(
            self,
            Self::Sell
                | Self::Propose
                | Self::ChooseTile
                | Self::Vote
                | Self::Bid
                | Self::Salvage
                | Self::Contribute
                | Self::Buy
                | Self::Night
        )
    }
}

names! {
    /// The mode of a game (§3).
    #[derive(Default)]
    pub enum Mode {
        /// One player.
        #[default]
        Solo = "solo",
        /// Two players who compete.
        Competitive = "competitive",
        /// Two players who win or lose together.
        Coop = "coop",
        /// Three players or more, each with a hidden role.
        Roles = "roles",
    }

    /// A time of the day at which a trade window can be held (§8).
    #[derive(Default)]
    pub enum TradeWindow {
        /// Before the first row turn.
        #[default]
        Dawn = "dawn",
        /// In each row turn, before the actions.
        Row = "row",
        /// At the end of the day.
        Dusk = "dusk",
    }

    /// A kind of policy that a seat can propose (§7.3), in alphabetical order.
    pub enum PolicyKind {
        /// The site of the City is placed.
        City = "city",
        /// A tile becomes protected.
        Protect = "protect",
        /// Pollution can be sold from now on.
        Subsidy = "subsidy",
        /// A tile is no longer protected.
        Unprotect = "unprotect",
        /// Pollution can no longer be sold.
        Unsubsidy = "unsubsidy",
    }
}

impl PolicyKind {
    /// Returns true if the policy concerns a tile.
    pub const fn has_tile(self) -> bool {
        matches!(self, Self::City | Self::Protect | Self::Unprotect)
    }
}

/// The progress of the turn of a structure (§6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Nothing has been done.
    Start,
    /// The harvest is over.
    Harvested,
    /// A camp has built, and can build more.
    Building,
    /// Only a move is left.
    Built,
}

/// The structure that has its turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Actor {
    /// The kind: a camp, boat, excavator or mill.
    pub kind: Structure,
    /// The tile of the structure.
    pub tile: Tile,
    /// The progress of the turn.
    pub stage: Stage,
    /// True if there was no choice of structure, so that it may stop without having done anything.
    pub only_candidate: bool,
}

impl Actor {
    /// Creates the actor at the start of its turn.
    pub(super) const fn new(kind: Structure, tile: Tile, only_candidate: bool) -> Self {
        Self { kind, tile, stage: Stage::Start, only_candidate }
    }
}

/// The seats in some order, 3 bits each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatOrder(u16);

impl SeatOrder {
    /// Returns the seat at an index.
    #[inline]
    pub const fn get(self, index: usize) -> Seat {
        Seat::new((self.0 >> (index * 3)) as usize & 7)
    }

    #[inline]
    pub(super) const fn set(&mut self, index: usize, seat: Seat) {
        let shift = index * 3;
        self.0 = self.0 & !(7 << shift) | (seat.index() as u16) << shift;
    }
}
