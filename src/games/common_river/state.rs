//! The packed position of We All Take from the River (rules §2).
//!
//! What can be derived is not stored: discarded weather cards are those that are neither unseen nor
//! in the almanac, pieces and sticks left are those not on the map. That a tile eroded matters only
//! until nature has been populated, before anything is decided or drawn.

use super::{
    components::{
        Flow, MAX_ALMANAC_CARDS, MAX_LAND_TILES, MAX_ROWS, Structure, Tile, Token, Tokens,
    },
    phases::{Actor, Mode, Phase, PolicyKind, SeatOrder, TradeWindow},
    pieces::{Boats, Camp, Owners, Stack},
};
use crate::game::{MAX_SEATS, Seat};

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
    pub(super) stacks: [[Stack; MAX_LAND_TILES]; MAX_SEATS],
    pub(super) stock: [Tokens; MAX_SEATS],
    pub(super) loose_tokens: [Flow; MAX_ROWS],
    /// What lies on the City's site.
    pub(super) site: Tokens,
    /// What an offer gives and asks.
    pub(super) offered_tokens: Tokens,
    pub(super) requested_tokens: Tokens,
    /// The weather cards face up, the leftmost lowest, four bits each; 0 for none, else the card
    /// and one.
    pub(super) almanac: u32,
    pub(super) nets: Owners,
    pub(super) water: i16,
    pub(super) carried_water: i16,
    /// Yes and no.
    pub(super) votes: [u16; 2],
    pub(super) bridges: Owners,
    pub(super) flooded: u16,
    pub(super) protected: u16,
    /// Tiles for which a proposal to protect, or to protect no more, failed today.
    pub(super) failed_tiles: u16,
    /// Tiles for which the City failed today.
    pub(super) failed_sites: u16,
    pub(super) camp_order: SeatOrder,
    pub(super) boats: [[Boats; MAX_ROWS]; MAX_SEATS],
    pub(super) camps: [Camp; MAX_SEATS],
    /// The role of each seat and one; 0 for none.
    pub(super) roles: [u8; MAX_SEATS],
    pub(super) proposals_made: [u8; MAX_SEATS],
    pub(super) day: u8,
    pub(super) phase: Phase,
    pub(super) mode: Mode,
    pub(super) window: TradeWindow,
    pub(super) decider: Seat,
    pub(super) first_player: Seat,
    pub(super) row: u8,
    /// A place in the camp order, or of a net on its line.
    pub(super) cursor: u8,
    /// The last of the choices that may be made several times in succession, as a number in their
    /// order.
    pub(super) last_choice: u8,
    /// How many: offers of a seat in this round, tokens taken, tokens sold towards a piece of gold,
    /// seats that passed in succession.
    pub(super) step_count: u8,
    /// The round of offers.
    pub(super) offer_round: u8,
    /// Whether an offer was made in this round.
    pub(super) offer_made: bool,
    pub(super) subsidized: bool,
    pub(super) city: Option<Tile>,
    pub(super) city_complete: bool,
    /// True in the second sale of the day, which comes after the purchases.
    pub(super) second_sale: bool,
    /// Which of the three places of the row acts, in their order.
    pub(super) place: u8,
    /// Whether the group has begun, and with privilege.
    pub(super) group_begun: bool,
    pub(super) privileged: bool,
    pub(super) actor: Option<Actor>,
    pub(super) proposal: Option<(PolicyKind, Option<Tile>)>,
    pub(super) subsidy_failed: bool,
    /// The partner of an offer, or the place in the camp order of who votes or bids next.
    pub(super) partner_or_voter: u8,
    /// The seats that voted yes, and those that have settled.
    pub(super) yes_voters: u8,
    pub(super) settled_seats: u8,
}

const _: () = assert!(size_of::<State>() <= 512);

impl State {
    pub(super) const fn new() -> Self {
        let seat = Seat::new(0);
        Self {
            filled: 0,
            polluted: 0,
            unseen: 0,
            stacks: [[Stack::NONE; MAX_LAND_TILES]; MAX_SEATS],
            stock: [Tokens::NONE; MAX_SEATS],
            loose_tokens: [Flow::NONE; MAX_ROWS],
            site: Tokens::NONE,
            offered_tokens: Tokens::NONE,
            requested_tokens: Tokens::NONE,
            almanac: 0,
            nets: Owners::NONE,
            water: 0,
            carried_water: 0,
            votes: [0; 2],
            bridges: Owners::NONE,
            flooded: 0,
            protected: 0,
            failed_tiles: 0,
            failed_sites: 0,
            camp_order: SeatOrder::NONE,
            boats: [[Boats::NONE; MAX_ROWS]; MAX_SEATS],
            camps: [Camp::NONE; MAX_SEATS],
            roles: [0; MAX_SEATS],
            proposals_made: [0; MAX_SEATS],
            day: 0,
            phase: Phase::FirstPlayer,
            mode: Mode::Solo,
            window: TradeWindow::Dawn,
            decider: seat,
            first_player: seat,
            row: 0,
            cursor: 0,
            last_choice: 0,
            step_count: 0,
            offer_round: 0,
            offer_made: false,
            subsidized: false,
            city: None,
            city_complete: false,
            second_sale: false,
            place: 0,
            group_begun: false,
            privileged: false,
            actor: None,
            proposal: None,
            subsidy_failed: false,
            partner_or_voter: 0,
            yes_voters: 0,
            settled_seats: 0,
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
    pub fn carried_water(&self) -> i32 {
        self.carried_water.into()
    }

    /// The seat that decides, while one does.
    #[inline]
    pub fn decider(&self) -> Seat {
        self.decider
    }

    /// The first player.
    #[inline]
    pub fn first_player(&self) -> Seat {
        self.first_player
    }

    /// What a seat has in its stockpile.
    #[inline]
    pub fn stock(&self, seat: Seat) -> &Tokens {
        &self.stock[seat.index()]
    }

    /// What lies outside the slots of a row's river tile.
    #[inline]
    pub fn loose_tokens(&self, row: usize) -> Flow {
        self.loose_tokens[row]
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
        self.stacks[seat.index()][tile.index()]
    }

    /// Whether nobody has anything but a camp on either of two land tiles.
    #[inline]
    pub(super) fn have_no_structures(&self, tiles: [Tile; 2]) -> bool {
        Stack::all_empty(self.stacks.iter().flat_map(|land| tiles.map(|tile| land[tile.index()])))
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
    pub fn bridge_owner(&self, row: usize) -> Option<Seat> {
        self.bridges.get(row)
    }

    /// Who owns the net in the slot below a land tile.
    #[inline]
    pub fn net_owner(&self, slot: Tile) -> Option<Seat> {
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
    pub fn camp_order(&self) -> SeatOrder {
        self.camp_order
    }

    /// The weather card at a place of the almanac, as an index.
    #[inline]
    pub fn almanac_card(&self, place: usize) -> Option<usize> {
        ((self.almanac >> (place * 4)) as usize & 15).checked_sub(1)
    }

    /// How many weather cards are face up.
    #[inline]
    pub fn almanac_len(&self) -> usize {
        (u32::BITS - self.almanac.leading_zeros()).div_ceil(4) as usize
    }

    /// How many weather cards of a kind are unseen.
    #[inline]
    pub fn unseen_count(&self, card: usize) -> u32 {
        (self.unseen >> (card * 4)) as u32 & 15
    }

    /// How many weather cards are unseen.
    #[inline]
    pub(super) fn total_unseen(&self) -> u32 {
        const LOWER: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let pairs = (self.unseen & LOWER) + (self.unseen >> 4 & LOWER);
        // The product's highest byte is the sum of all bytes.
        (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
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
        self.polluted.count_ones()
            + self.loose_tokens.iter().map(|flow| flow.get(Token::Pollution)).sum::<u32>()
    }

    /// What a seat has on all land tiles together.
    #[inline]
    pub(super) fn total_stack(&self, seat: Seat) -> Stack {
        Stack::sum_of(self.stacks[seat.index()])
    }

    /// How many boats a seat has.
    #[inline]
    pub(super) fn boat_count(&self, seat: Seat) -> u32 {
        self.boats[seat.index()].iter().map(|boats| boats.count()).sum()
    }

    /// How many structures of a kind a seat has on the map.
    #[inline]
    pub fn structure_count(&self, seat: Seat, kind: Structure) -> u32 {
        match kind {
            Structure::Boat => self.boat_count(seat),
            Structure::Bridge => self.bridges.count(seat),
            Structure::Net => self.nets.count(seat),
            Structure::Camp => Camp::tiles(&[self.camp(seat)]).count_ones(),
            _ => self.total_stack(seat).count(kind),
        }
    }

    /// The land tiles with a camp.
    #[inline]
    pub(super) fn camp_tiles(&self) -> u32 {
        Camp::tiles(&self.camps)
    }
}

const _: () = assert!(MAX_ALMANAC_CARDS as u32 * 4 <= u32::BITS);
