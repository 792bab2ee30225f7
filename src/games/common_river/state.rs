//! The packed position of We All Take from the River (rules §2).
//!
//! What can be derived is not stored: discarded weather cards are those that are neither unseen nor in the almanac, pieces and sticks left are
//! those not on the map. That a tile eroded matters only until nature has been populated, before anything is decided or drawn. A closed boat or
//! mill and one that is turned are alike: only camps and excavators can be ferried.

use super::components::{MAX_ALMANAC, MAX_LAND, MAX_PIECES, MAX_ROWS, Structure, Tile, Token, Tokens};
use crate::game::{MAX_SEATS, Seat};

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
    Choose,
    /// A structure has its turn (§6).
    Act,
    /// An excavator or mill takes one more token (§6).
    Take,
    /// Chance says what a net collects (§5.7).
    Net,
    /// A seat sells (§7.2).
    Sell,
    /// A seat proposes a policy or passes (§7.3).
    Propose,
    /// A seat says which tile its proposal is about (§7.3).
    Place,
    /// A seat votes (§7.3).
    Vote,
    /// A seat may buy more votes (§7.3).
    Bid,
    /// A seat takes back structures from protected tiles (§7.4).
    Salvage,
    /// A seat brings tokens to the City's site (§7.5).
    Site,
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

/// When a trade window is held (§8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Window {
    /// Before the first row turn.
    Dawn,
    /// In each row turn, before the actions.
    Row,
    /// At the end of the day.
    Dusk,
}

/// What a seat may propose (§7.3), in the order of the names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Policy {
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

impl Policy {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::City, Self::Protect, Self::Subsidy, Self::Unprotect, Self::Unsubsidy];

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

/// What an acting structure may still do today (§2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Its turn is to come.
    Fresh,
    /// Its turn is over.
    Closed,
    /// It moved, or was built, today.
    Turned,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fresh, Self::Closed, Self::Turned];
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
    pub sole: bool,
}

/// Structures of one kind and status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layer {
    Farm,
    Canal,
    Levee,
    FreshMill,
    SpentMill,
    FreshExcavator,
    ClosedExcavator,
    TurnedExcavator,
}

/// What a seat has on one land tile, its camp and bridges apart: how many of each kind and status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Stack(u32);

impl Stack {
    const LANE: u32 = 4;
    const MOST: u32 = (1 << Self::LANE) - 1;
    const FRESH: u32 = Self::MOST << (Layer::FreshMill as u32 * Self::LANE) | Self::MOST << (Layer::FreshExcavator as u32 * Self::LANE);

    /// How many there are of a layer.
    #[inline]
    pub(super) const fn layer(self, layer: Layer) -> u32 {
        self.0 >> (layer as u32 * Self::LANE) & Self::MOST
    }

    /// How many there are of a kind, whatever their status; 0 of a kind that is not on land.
    #[inline]
    pub const fn count(self, kind: Structure) -> u32 {
        match kind {
            Structure::Farm => self.layer(Layer::Farm),
            Structure::Canal => self.layer(Layer::Canal),
            Structure::Levee => self.layer(Layer::Levee),
            Structure::Mill => self.layer(Layer::FreshMill) + self.layer(Layer::SpentMill),
            Structure::Excavator => {
                self.layer(Layer::FreshExcavator) + self.layer(Layer::ClosedExcavator) + self.layer(Layer::TurnedExcavator)
            }
            Structure::Boat | Structure::Bridge | Structure::Camp | Structure::Net => 0,
        }
    }

    /// How many mills are fresh.
    #[inline]
    pub const fn fresh_mills(self) -> u32 {
        self.layer(Layer::FreshMill)
    }

    /// How many excavators have a status.
    #[inline]
    pub const fn excavators(self, status: Status) -> u32 {
        self.layer(Self::excavator(status))
    }

    /// Whether any mill or excavator is fresh.
    #[inline]
    pub(super) const fn any_fresh(self) -> bool {
        self.0 & Self::FRESH != 0
    }

    pub(super) const fn excavator(status: Status) -> Layer {
        match status {
            Status::Fresh => Layer::FreshExcavator,
            Status::Closed => Layer::ClosedExcavator,
            Status::Turned => Layer::TurnedExcavator,
        }
    }

    #[inline]
    pub(super) const fn insert(&mut self, layer: Layer) {
        self.0 += 1 << (layer as u32 * Self::LANE);
    }

    #[inline]
    pub(super) const fn remove(&mut self, layer: Layer) {
        self.0 -= 1 << (layer as u32 * Self::LANE);
    }

    /// Ends the turn of a fresh mill or excavator.
    #[inline]
    pub(super) const fn close(&mut self, kind: Structure) {
        let (from, to) = match kind {
            Structure::Mill => (Layer::FreshMill, Layer::SpentMill),
            _ => (Layer::FreshExcavator, Layer::ClosedExcavator),
        };
        self.remove(from);
        self.insert(to);
    }

    /// Puts a new structure on the tile; a new acting one is turned (§6).
    #[inline]
    pub(super) const fn build(&mut self, kind: Structure) {
        self.insert(match kind {
            Structure::Farm => Layer::Farm,
            Structure::Canal => Layer::Canal,
            Structure::Levee => Layer::Levee,
            Structure::Mill => Layer::SpentMill,
            _ => Layer::TurnedExcavator,
        });
    }

    /// Takes a farm, canal, levee or mill off the tile, of mills one that has had its turn first.
    #[inline]
    pub(super) const fn dismantle(&mut self, kind: Structure) {
        self.remove(match kind {
            Structure::Farm => Layer::Farm,
            Structure::Canal => Layer::Canal,
            Structure::Levee => Layer::Levee,
            _ if self.layer(Layer::SpentMill) > 0 => Layer::SpentMill,
            _ => Layer::FreshMill,
        });
    }

    /// Makes mills and excavators fresh (§7.8).
    #[inline]
    pub(super) const fn refresh(&mut self) {
        let passive = self.0 & ((1 << (Layer::FreshMill as u32 * Self::LANE)) - 1);
        let (mills, excavators) = (self.count(Structure::Mill), self.count(Structure::Excavator));
        self.0 = passive | mills << (Layer::FreshMill as u32 * Self::LANE) | excavators << (Layer::FreshExcavator as u32 * Self::LANE);
    }
}

const _: () = assert!(MAX_PIECES as u32 <= Stack::MOST);

/// A seat's boats on one river tile: how many are fresh, and how many are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Boats(u8);

impl Boats {
    pub(super) const fn of(fresh: u32, turned: u32) -> Self {
        Self((fresh | turned << 4) as u8)
    }

    /// How many there are.
    #[inline]
    pub const fn count(self) -> u32 {
        self.fresh() + self.turned()
    }

    /// How many are fresh.
    #[inline]
    pub const fn fresh(self) -> u32 {
        self.0 as u32 & 15
    }

    /// How many have had their turn.
    #[inline]
    pub const fn turned(self) -> u32 {
        self.0 as u32 >> 4
    }

    #[inline]
    pub(super) const fn leave(&mut self) {
        self.0 -= 1;
    }

    #[inline]
    pub(super) const fn arrive(&mut self) {
        self.0 += 1 << 4;
    }

    #[inline]
    pub(super) const fn refresh(&mut self) {
        self.0 = self.count() as u8;
    }
}

/// A seat's camp: its tile, if it has been pitched, and its status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Camp {
    /// The tile.
    pub tile: Option<Tile>,
    /// What it may still do today.
    pub status: Status,
}

/// The seats of a table in some order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Order(u16);

impl Order {
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

/// For each of at most ten places, a seat or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Owners(u32);

impl Owners {
    /// Who owns what stands at this place.
    #[inline]
    pub const fn get(self, place: usize) -> Option<Seat> {
        let owner = self.0 >> (place * 3) & 7;
        if owner == 0 { None } else { Some(Seat::new(owner as usize - 1)) }
    }

    #[inline]
    pub(super) const fn set(&mut self, place: usize, owner: Option<Seat>) {
        let code = match owner {
            Some(seat) => seat.index() as u32 + 1,
            None => 0,
        };
        self.0 = self.0 & !(7 << (place * 3)) | code << (place * 3);
    }

    /// Whether nobody owns anything.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many places a seat owns.
    #[inline]
    pub fn count(self, seat: Seat) -> u32 {
        if self.is_empty() { 0 } else { (0..MAX_LAND).filter(|&place| self.get(place) == Some(seat)).count() as u32 }
    }
}

/// A position of We All Take from the River.
#[expect(clippy::struct_excessive_bools, reason = "each is a marker that lies or does not")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The slots that hold a token of their own kind.
    pub(super) filled: u64,
    /// The slots that hold a pollution.
    pub(super) polluted: u64,
    /// How many of each kind of weather card are unseen, four bits each.
    pub(super) unseen: u64,
    pub(super) land: [[Stack; MAX_LAND]; MAX_SEATS],
    pub(super) stock: [Tokens; MAX_SEATS],
    pub(super) loose: [Tokens; MAX_ROWS],
    /// What lies on the City's site.
    pub(super) site: Tokens,
    /// What an offer gives and asks.
    pub(super) given: Tokens,
    pub(super) asked: Tokens,
    /// The weather cards face up, the leftmost lowest, four bits each; 0 for none, else the card and one.
    pub(super) almanac: u32,
    pub(super) nets: Owners,
    pub(super) water: i16,
    pub(super) carry: i16,
    /// Yes and no.
    pub(super) votes: [u16; 2],
    pub(super) bridges: Owners,
    pub(super) flooded: u16,
    pub(super) protected: u16,
    /// Tiles for which a proposal to protect, or to protect no more, failed today.
    pub(super) failed_tiles: u16,
    /// Tiles for which the City failed today.
    pub(super) failed_sites: u16,
    pub(super) order: Order,
    pub(super) boats: [[Boats; MAX_ROWS]; MAX_SEATS],
    pub(super) camps: [Camp; MAX_SEATS],
    /// The role of each seat and one; 0 for none.
    pub(super) roles: [u8; MAX_SEATS],
    pub(super) proposals: [u8; MAX_SEATS],
    pub(super) day: u8,
    pub(super) phase: Phase,
    pub(super) mode: Mode,
    pub(super) window: Window,
    pub(super) decider: Seat,
    pub(super) first: Seat,
    pub(super) row: u8,
    /// A place in the camp order, or of a net on its line.
    pub(super) cursor: u8,
    /// The last of the choices that may be made several times in succession, as a number in their order.
    pub(super) last: u8,
    /// How many: offers of a seat in this round, tokens taken, tokens sold towards a piece of gold, seats that passed in succession.
    pub(super) count: u8,
    /// The round of offers.
    pub(super) round: u8,
    /// Whether an offer was made in this round.
    pub(super) offered: bool,
    pub(super) subsidized: bool,
    pub(super) city: Option<Tile>,
    pub(super) city_complete: bool,
    /// Whether this is the sale at the end of the game.
    pub(super) closing: bool,
    /// Which of the three places of the row acts, in their order.
    pub(super) place: u8,
    /// Whether the group has begun, and with privilege.
    pub(super) group: bool,
    pub(super) privileged: bool,
    pub(super) actor: Option<Actor>,
    pub(super) proposal: Option<(Policy, Option<Tile>)>,
    pub(super) subsidy_failed: bool,
    /// The partner of an offer, or the place in the camp order of who votes or bids next.
    pub(super) other: u8,
    /// The seats that voted yes, and those that have settled.
    pub(super) yes: u8,
    pub(super) settled: u8,
}

const _: () = assert!(size_of::<State>() <= 512);

impl State {
    pub(super) const fn new() -> Self {
        let seat = Seat::new(0);
        Self {
            filled: 0,
            polluted: 0,
            unseen: 0,
            land: [[Stack(0); MAX_LAND]; MAX_SEATS],
            stock: [Tokens::NONE; MAX_SEATS],
            loose: [Tokens::NONE; MAX_ROWS],
            site: Tokens::NONE,
            given: Tokens::NONE,
            asked: Tokens::NONE,
            almanac: 0,
            nets: Owners(0),
            water: 0,
            carry: 0,
            votes: [0; 2],
            bridges: Owners(0),
            flooded: 0,
            protected: 0,
            failed_tiles: 0,
            failed_sites: 0,
            order: Order(0),
            boats: [[Boats(0); MAX_ROWS]; MAX_SEATS],
            camps: [Camp { tile: None, status: Status::Fresh }; MAX_SEATS],
            roles: [0; MAX_SEATS],
            proposals: [0; MAX_SEATS],
            day: 0,
            phase: Phase::FirstPlayer,
            mode: Mode::Solo,
            window: Window::Dawn,
            decider: seat,
            first: seat,
            row: 0,
            cursor: 0,
            last: 0,
            count: 0,
            round: 0,
            offered: false,
            subsidized: false,
            city: None,
            city_complete: false,
            closing: false,
            place: 0,
            group: false,
            privileged: false,
            actor: None,
            proposal: None,
            subsidy_failed: false,
            other: 0,
            yes: 0,
            settled: 0,
        }
    }

    /// What the game waits for.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Which game it is; meaningless before chance has said so.
    #[inline]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The day, from 1; 0 during setup.
    #[inline]
    pub fn day(&self) -> u32 {
        self.day.into()
    }

    /// The row whose turn it is, from 0.
    #[inline]
    pub fn row(&self) -> usize {
        self.row.into()
    }

    /// The water level.
    #[inline]
    pub fn water(&self) -> i32 {
        self.water.into()
    }

    /// What a Storm day leaves for the next day's water level.
    #[inline]
    pub fn carry(&self) -> i32 {
        self.carry.into()
    }

    /// The seat that decides, while one does.
    #[inline]
    pub fn decider(&self) -> Seat {
        self.decider
    }

    /// The first player.
    #[inline]
    pub fn first_player(&self) -> Seat {
        self.first
    }

    /// What a seat has in its stockpile.
    #[inline]
    pub fn stock(&self, seat: Seat) -> &Tokens {
        &self.stock[seat.index()]
    }

    /// What lies outside the slots of a row's river tile.
    #[inline]
    pub fn loose(&self, row: usize) -> &Tokens {
        &self.loose[row]
    }

    /// What lies on the City's site.
    #[inline]
    pub fn site(&self) -> &Tokens {
        &self.site
    }

    /// The City's tile.
    #[inline]
    pub fn city(&self) -> Option<Tile> {
        self.city
    }

    /// Whether the City is complete.
    #[inline]
    pub fn city_complete(&self) -> bool {
        self.city_complete
    }

    /// Whether the City is complete and its tile not flooded.
    #[inline]
    pub fn city_stands(&self) -> bool {
        self.city_complete && self.city.is_some_and(|tile| !self.is_flooded(tile))
    }

    /// What a seat has on a land tile.
    #[inline]
    pub fn stack(&self, seat: Seat, tile: Tile) -> Stack {
        self.land[seat.index()][tile.index()]
    }

    /// A seat's boats on a row's river tile.
    #[inline]
    pub fn boats(&self, seat: Seat, row: usize) -> Boats {
        self.boats[seat.index()][row]
    }

    /// A seat's camp.
    #[inline]
    pub fn camp(&self, seat: Seat) -> Camp {
        self.camps[seat.index()]
    }

    /// Who owns the bridge of a row.
    #[inline]
    pub fn bridge(&self, row: usize) -> Option<Seat> {
        self.bridges.get(row)
    }

    /// Who owns the net in the slot below a land tile.
    #[inline]
    pub fn net(&self, slot: Tile) -> Option<Seat> {
        self.nets.get(slot.index())
    }

    /// A seat's role, as an index; none before it was dealt, or where there are no roles.
    #[inline]
    pub fn role(&self, seat: Seat) -> Option<usize> {
        usize::from(self.roles[seat.index()]).checked_sub(1)
    }

    /// Whether pollution can be sold.
    #[inline]
    pub fn is_subsidized(&self) -> bool {
        self.subsidized
    }

    /// Whether a land tile is flooded.
    #[inline]
    pub fn is_flooded(&self, tile: Tile) -> bool {
        u32::from(self.flooded) & tile.bit() != 0
    }

    /// Whether a tile is protected.
    #[inline]
    pub fn is_protected(&self, tile: Tile) -> bool {
        u32::from(self.protected) & tile.bit() != 0
    }

    /// The camp order as taken at the beginning of the step.
    #[inline]
    pub fn order(&self) -> Order {
        self.order
    }

    /// The weather card at a place of the almanac, as an index.
    #[inline]
    pub fn almanac(&self, place: usize) -> Option<usize> {
        ((self.almanac >> (place * 4)) as usize & 15).checked_sub(1)
    }

    /// How many weather cards are face up.
    #[inline]
    pub fn almanac_len(&self) -> usize {
        (u32::BITS - self.almanac.leading_zeros()).div_ceil(4) as usize
    }

    /// How many weather cards of a kind are unseen.
    #[inline]
    pub fn unseen(&self, card: usize) -> u32 {
        (self.unseen >> (card * 4)) as u32 & 15
    }

    /// Takes a weather card from the unseen ones and lays it to the right of the almanac.
    #[inline]
    pub(super) fn reveal(&mut self, card: usize) {
        self.unseen -= 1 << (card * 4);
        self.almanac |= (card as u32 + 1) << (self.almanac_len() * 4);
    }

    /// All pollution on the map.
    #[inline]
    pub fn pollution(&self) -> u32 {
        self.polluted.count_ones() + self.loose.iter().map(|tokens| tokens.get(Token::Pollution)).sum::<u32>()
    }

    /// What a seat has on all land tiles together.
    #[inline]
    pub(super) fn all_land(&self, seat: Seat) -> Stack {
        Stack(self.land[seat.index()].iter().map(|stack| stack.0).sum())
    }

    /// How many boats a seat has.
    #[inline]
    pub(super) fn all_boats(&self, seat: Seat) -> u32 {
        self.boats[seat.index()].iter().map(|boats| boats.count()).sum()
    }

    /// How many structures of a kind a seat has on the map.
    #[inline]
    pub fn built(&self, seat: Seat, kind: Structure) -> u32 {
        match kind {
            Structure::Boat => self.all_boats(seat),
            Structure::Bridge => self.bridges.count(seat),
            Structure::Net => self.nets.count(seat),
            Structure::Camp => u32::from(self.camps[seat.index()].tile.is_some()),
            _ => self.all_land(seat).count(kind),
        }
    }

    /// The land tiles with a camp.
    #[inline]
    pub(super) fn camp_tiles(&self) -> u32 {
        self.camps.iter().filter_map(|camp| camp.tile).fold(0, |tiles, tile| tiles | tile.bit())
    }
}

const _: () = assert!(MAX_ALMANAC as u32 * 4 <= u32::BITS);
