//! The packed position of We All Take from the River (rules §2).
//!
//! Values that can be derived are not stored: discarded weather cards are neither unseen nor in the
//! almanac, and the pieces and sticks that a seat has left are not on the map. Marks of erosion are
//! not stored either, because they matter only until the end of the populate step, before the next
//! decision or draw.

use super::{
    components::{
        Flow, MAX_ALMANAC_CARDS, MAX_LAND_TILES, MAX_ROWS, Structure, Tile, Token, Tokens,
    },
    phases::{Actor, Mode, Phase, PolicyKind, SeatOrder, TradeWindow},
    pieces::{Boats, Camp, Owners, Stack},
};
use watershed_engine::game::{MAX_SEATS, Seat};

/// A position of We All Take from the River.
///
/// Search copies positions all the time, so a position has a fixed size, and some fields have a
/// different meaning in each phase.
#[expect(clippy::struct_excessive_bools, reason = "independent markers of the game")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// The slots that hold a token of their own kind.
    pub(super) filled: u64,
    /// The slots that hold pollution.
    pub(super) polluted: u64,
    /// The number of unseen weather cards of each kind, 4 bits each.
    pub(super) unseen: u64,
    pub(super) stacks: [[Stack; MAX_LAND_TILES]; MAX_SEATS],
    pub(super) stock: [Tokens; MAX_SEATS],
    /// The tokens outside the slots of each river tile.
    pub(super) loose_tokens: [Flow; MAX_ROWS],
    /// The tokens on the site of the City.
    pub(super) site: Tokens,
    /// The tokens that the offer gives.
    pub(super) offered_tokens: Tokens,
    /// The tokens that the offer asks for.
    pub(super) requested_tokens: Tokens,
    /// The weather cards face up, 4 bits each, the leftmost lowest: 0 for none, otherwise the card
    /// + 1. A shift discards the leftmost card.
    pub(super) almanac: u32,
    pub(super) nets: Owners,
    pub(super) water: i16,
    pub(super) carried_water: i16,
    /// The numbers of votes for yes and no.
    pub(super) votes: [u16; 2],
    pub(super) bridges: Owners,
    pub(super) flooded: u16,
    pub(super) protected: u16,
    /// The tiles for which a proposal to protect or unprotect failed today.
    pub(super) failed_tiles: u16,
    /// The tiles for which the City was rejected today.
    pub(super) failed_sites: u16,
    pub(super) camp_order: SeatOrder,
    pub(super) boats: [[Boats; MAX_ROWS]; MAX_SEATS],
    pub(super) camps: [Camp; MAX_SEATS],
    /// The role of each seat + 1, or 0 for none.
    pub(super) roles: [u8; MAX_SEATS],
    pub(super) proposals_made: [u8; MAX_SEATS],
    pub(super) day: u8,
    pub(super) phase: Phase,
    pub(super) mode: Mode,
    pub(super) window: TradeWindow,
    pub(super) decider: Seat,
    pub(super) first_player: Seat,
    pub(super) row: u8,
    /// A position in the camp order, or the net of the line that collects next.
    pub(super) cursor: u8,
    /// The last of several choices in succession, as an index in their order (§4).
    pub(super) last_choice: u8,
    /// A count by phase: offers of the seat in this round, tokens taken, tokens sold for the next
    /// gold, or seats that passed in succession.
    pub(super) step_count: u8,
    /// The round of offers, from 0.
    pub(super) offer_round: u8,
    /// True if an offer was made in this round.
    pub(super) offer_made: bool,
    pub(super) subsidized: bool,
    pub(super) city: Option<Tile>,
    pub(super) city_complete: bool,
    /// True in the second sale of the day, which comes after the purchases.
    pub(super) second_sale: bool,
    /// The place of the row that acts: 0 to 2, in the order of §6.
    pub(super) place: u8,
    /// True while a group acts.
    pub(super) group_begun: bool,
    /// True if the group began with privilege (§6).
    pub(super) privileged: bool,
    pub(super) actor: Option<Actor>,
    pub(super) proposal: Option<(PolicyKind, Option<Tile>)>,
    pub(super) subsidy_failed: bool,
    /// The partner of the offer, or the position in the camp order of the next voter or bidder.
    pub(super) partner_or_voter: u8,
    /// The set of seats that voted yes.
    pub(super) yes_voters: u8,
    /// The set of seats that have settled.
    pub(super) settled_seats: u8,
}

const _: () = assert!(size_of::<State>() <= 512);

impl State {
    /// Returns the day, from 1, or 0 during setup.
    #[inline]
    pub fn day(&self) -> u32 {
        self.day.into()
    }

    /// Returns the row that has its turn, from 0.
    #[inline]
    pub fn row(&self) -> usize {
        self.row.into()
    }

    /// Returns the water level.
    #[inline]
    pub fn water(&self) -> i32 {
        self.water.into()
    }

    /// Returns the water level that a Storm day adds to that of the next day.
    #[inline]
    pub fn carried_water(&self) -> i32 {
        self.carried_water.into()
    }

    /// Returns the stockpile of a seat.
    #[inline]
    pub fn stock(&self, seat: Seat) -> &Tokens {
        &self.stock[seat.index()]
    }

    /// Returns the tile of the City or of its site.
    #[inline]
    pub fn city(&self) -> Option<Tile> {
        self.city
    }

    /// Returns true if the City is complete and its tile is not flooded.
    #[inline]
    pub fn city_stands(&self) -> bool {
        self.city_complete && self.city.is_some_and(|tile| !self.is_flooded(tile))
    }

    /// Returns the structures of a seat on a land tile except its camp and bridges.
    #[inline]
    pub fn stack(&self, seat: Seat, tile: Tile) -> Stack {
        self.stacks[seat.index()][tile.index()]
    }

    /// Returns true if there are no structures except camps and bridges on two land tiles.
    #[inline]
    pub(super) fn have_no_structures(&self, tiles: [Tile; 2]) -> bool {
        Stack::all_empty(self.stacks.iter().flat_map(|land| tiles.map(|tile| land[tile.index()])))
    }

    /// Returns the boats of a seat on the river tile of a row.
    #[inline]
    pub fn boats(&self, seat: Seat, row: usize) -> Boats {
        self.boats[seat.index()][row]
    }

    /// Returns the camp of a seat.
    #[inline]
    pub fn camp(&self, seat: Seat) -> Camp {
        self.camps[seat.index()]
    }

    /// Returns the owner of the bridge of a row.
    #[inline]
    pub fn bridge_owner(&self, row: usize) -> Option<Seat> {
        self.bridges.get(row)
    }

    /// Returns the owner of the net in the slot below a land tile.
    #[inline]
    pub fn net_owner(&self, slot: Tile) -> Option<Seat> {
        self.nets.get(slot.index())
    }

    /// Returns the index of the role of a seat, if it has been dealt one.
    #[inline]
    pub fn role(&self, seat: Seat) -> Option<usize> {
        usize::from(self.roles[seat.index()]).checked_sub(1)
    }

    /// Returns true if a land tile is flooded.
    #[inline]
    pub fn is_flooded(&self, tile: Tile) -> bool {
        u32::from(self.flooded) & tile.bit() != 0
    }

    /// Returns true if a tile is protected.
    #[inline]
    pub fn is_protected(&self, tile: Tile) -> bool {
        u32::from(self.protected) & tile.bit() != 0
    }

    /// Returns the index of the weather card at a position of the almanac.
    #[inline]
    pub fn almanac_card(&self, position: usize) -> Option<usize> {
        ((self.almanac >> (position * 4)) as usize & 15).checked_sub(1)
    }

    /// Returns the number of weather cards face up.
    #[inline]
    pub fn almanac_len(&self) -> usize {
        (u32::BITS - self.almanac.leading_zeros()).div_ceil(4) as usize
    }

    /// Returns the number of unseen weather cards of a kind.
    #[inline]
    pub fn unseen_count(&self, card: usize) -> u32 {
        (self.unseen >> (card * 4)) as u32 & 15
    }

    /// Returns the number of unseen weather cards.
    #[inline]
    pub(super) fn total_unseen(&self) -> u32 {
        const LOWER: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let pairs = (self.unseen & LOWER) + (self.unseen >> 4 & LOWER);
        // The highest byte of the product is the sum of all bytes.
        (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// Moves an unseen weather card to the right end of the almanac.
    #[inline]
    pub(super) fn reveal(&mut self, card: usize) {
        self.unseen -= 1 << (card * 4);
        self.almanac |= (card as u32 + 1) << (self.almanac_len() * 4);
    }

    /// Returns the number of pollution tokens on the map.
    #[inline]
    pub fn pollution(&self) -> u32 {
        self.polluted.count_ones()
            + self.loose_tokens.iter().map(|flow| flow.get(Token::Pollution)).sum::<u32>()
    }

    /// Returns the structures of a seat on all land tiles except its camp and bridges.
    #[inline]
    pub(super) fn total_stack(&self, seat: Seat) -> Stack {
        Stack::sum_of(self.stacks[seat.index()])
    }

    /// Returns the number of structures of a kind that a seat has on the map.
    #[inline]
    pub fn structure_count(&self, seat: Seat, kind: Structure) -> u32 {
        match kind {
            Structure::Boat => self.boats[seat.index()].iter().map(|boats| boats.count()).sum(),
            Structure::Bridge => self.bridges.count(seat),
            Structure::Net => self.nets.count(seat),
            Structure::Camp => Camp::tiles(&[self.camp(seat)]).count_ones(),
            _ => self.total_stack(seat).count(kind),
        }
    }

    /// Returns the land tiles with a camp.
    #[inline]
    pub(super) fn camp_tiles(&self) -> u32 {
        Camp::tiles(&self.camps)
    }
}

const _: () = assert!(MAX_ALMANAC_CARDS as u32 * 4 <= u32::BITS);
