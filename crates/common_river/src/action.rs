//! The actions of We All Take from the River, and sets of actions (rules §3 to §8).

use super::{
    components::{MAX_LAND_TILES, MAX_ROWS, Structure, Tile, Token},
    phases::{Mode, PolicyKind},
};
use watershed_engine::game::{ActionSet, MAX_SEATS, Seat, read_action_words};

/// A decision or a chance outcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Ends a sequence of choices, or chooses no structure.
    Done,
    /// Ends the turn of a structure.
    Stop,
    /// Ends the taking of tokens.
    Enough,
    /// Makes no offer, or no proposal.
    Pass,
    /// Ends the side of an offer that is given (`for` in the notation).
    EndGive,
    /// Completes the offer.
    Send,
    /// Ends bidding, until the outcome of the vote turns.
    Settle,
    /// Pitches the camp on a tile.
    Camp(Tile),
    /// Gives a structure its turn.
    Use(Structure, Tile),
    /// Harvests one token.
    Harvest(Token),
    /// Dredges one gravel.
    Dredge,
    /// Takes a gravel or tree from a tile in reach.
    Take(Tile),
    /// Puts a token of the stockpile into a slot.
    Plant(Token),
    /// Builds on the tile of the camp or on the river tile next to it.
    Build(Structure),
    /// Builds a net in the slot below this land tile.
    BuildNet(Tile),
    /// Removes an own canal, levee or bridge from the map.
    Remove(Structure, Tile),
    /// Moves the structure to a tile.
    Move(Tile),
    /// Ferries an own camp or excavator from this tile to the other bank.
    Ferry(Structure, Tile),
    /// Sells a token.
    Sell(Token),
    /// Proposes a policy.
    Propose(PolicyKind),
    /// Chooses the tile of a proposal.
    Tile(Tile),
    /// Votes yes (true) or no.
    Vote(bool),
    /// Pays for one more vote.
    Bid,
    /// Takes an own structure back from a protected tile.
    Salvage(Structure, Tile),
    /// Adds a token to the site of the City.
    City(Token),
    /// Buys a token from the City.
    Buy(Token),
    /// Begins an offer to this seat.
    Offer(Seat),
    /// Adds a token to those that the offer gives.
    Give(Token),
    /// Adds a token to those that the offer asks for.
    Get(Token),
    /// Accepts the offer.
    Accept,
    /// Refuses the offer.
    Refuse,
    /// Chance: the mode of a game with two players.
    Mode(Mode),
    /// Chance: the first player.
    FirstPlayer(Seat),
    /// Chance: a weather card.
    Weather(u8),
    /// Chance: a role.
    Role(u8),
    /// Chance: the die.
    Die(u8),
    /// Chance: the token that a net collects.
    Net(Token),
}

const _: () = assert!(size_of::<Action>() <= 4);

/// The names of the kinds of action, in the order of their bits.
pub(super) const ACTION_KINDS: [&str; 30] = [
    "camp", "use", "harvest", "plant", "dredge", "done", "stop", "enough", "pass", "for", "send",
    "settle", "bid", "take", "build", "move", "sell", "buy", "remove", "ferry", "tile", "accept",
    "refuse", "vote", "salvage", "propose", "city", "offer", "give", "get",
];

// The first bit of each kind of action in a set. No kind extends over two words, so that selecting
// the actions of a kind is one mask.
pub(super) const CAMP: u32 = 0;
pub(super) const USE: u32 = CAMP + MAX_LAND_TILES as u32;
pub(super) const HARVEST: u32 = USE + (ACTING_ON_LAND.len() * MAX_LAND_TILES + MAX_ROWS) as u32;
pub(super) const PLANT: u32 = HARVEST + TOKENS;
const DREDGE: u32 = PLANT + TOKENS;
const DONE: u32 = DREDGE + 1;
const STOP: u32 = DONE + 1;
const ENOUGH: u32 = STOP + 1;
const PASS: u32 = ENOUGH + 1;
const FOR: u32 = PASS + 1;
const SEND: u32 = FOR + 1;
const SETTLE: u32 = SEND + 1;
const BID: u32 = SETTLE + 1;
pub(super) const TAKE: u32 = 64;
pub(super) const BUILD: u32 = TAKE + Tile::COUNT as u32;
const BUILD_NET: u32 = BUILD + Structure::ALL.len() as u32;
pub(super) const MOVE: u32 = BUILD_NET + MAX_LAND_TILES as u32;
pub(super) const SELL: u32 = MOVE + Tile::FULL_COUNT as u32;
pub(super) const BUY: u32 = SELL + TOKENS;
const REMOVE: u32 = 2 * 64;
const FERRY: u32 = REMOVE + (MAX_ROWS + 2 * MAX_LAND_TILES) as u32;
pub(super) const TILE: u32 = 3 * 64;
const ACCEPT: u32 = TILE + Tile::FULL_COUNT as u32;
const REFUSE: u32 = ACCEPT + 1;
const VOTE: u32 = REFUSE + 1;
pub(super) const OFFER: u32 = VOTE + 2;
pub(super) const GIVE: u32 = OFFER + MAX_SEATS as u32;
pub(super) const GET: u32 = GIVE + TOKENS;
const SALVAGE: u32 = 4 * 64;
const PROPOSE: u32 = SALVAGE + (SALVABLE.len() * MAX_LAND_TILES) as u32;
pub(super) const CITY: u32 = PROPOSE + PolicyKind::ALL.len() as u32;
const WORDS: usize = 5;
const FERRY_END: u32 = FERRY + 2 * MAX_LAND_TILES as u32;
const GET_END: u32 = GET + TOKENS;
const CITY_END: u32 = CITY + TOKENS;

const TOKENS: u32 = Token::ALL.len() as u32;

/// The kinds of acting structure on land. Boats have bits of their own after these.
const ACTING_ON_LAND: [Structure; 3] = [Structure::Camp, Structure::Excavator, Structure::Mill];
pub(super) const REMOVABLE: [Structure; 3] =
    [Structure::Bridge, Structure::Canal, Structure::Levee];
pub(super) const SALVABLE: [Structure; 5] =
    [Structure::Canal, Structure::Farm, Structure::Levee, Structure::Mill, Structure::Net];

/// The first bit of each kind of action.
const FIRST_BITS: [u32; ACTION_KINDS.len()] = [
    CAMP, USE, HARVEST, PLANT, DREDGE, DONE, STOP, ENOUGH, PASS, FOR, SEND, SETTLE, BID, TAKE,
    BUILD, MOVE, SELL, BUY, REMOVE, FERRY, TILE, ACCEPT, REFUSE, VOTE, SALVAGE, PROPOSE, CITY,
    OFFER, GIVE, GET,
];

/// The word of each kind of action, and its bits there: up to the next kind in the word.
const KIND_MASKS: [(usize, u64); ACTION_KINDS.len()] = {
    let mut masks = [(0, 0); ACTION_KINDS.len()];
    let mut kind = 0;
    while kind < masks.len() {
        let first = FIRST_BITS[kind];
        let word = first / 64;
        let mut end = (word + 1) * 64;
        let mut other = 0;
        while other < masks.len() {
            if first < FIRST_BITS[other] && FIRST_BITS[other] < end {
                end = FIRST_BITS[other];
            }
            other += 1;
        }
        masks[kind] = (word as usize, u64::MAX >> (64 - (end - first)) << (first % 64));
        kind += 1;
    }
    masks
};

/// The kind of the action at each bit of a set.
const KIND_OF_BIT: [u8; WORDS * 64] = {
    let mut kinds = [0; WORDS * 64];
    let mut bit = 0;
    while bit < kinds.len() {
        let mut kind = 0;
        while kind < KIND_MASKS.len() {
            let (word, mask) = KIND_MASKS[kind];
            if word == bit / 64 && mask >> (bit % 64) & 1 == 1 {
                kinds[bit] = kind as u8;
            }
            kind += 1;
        }
        bit += 1;
    }
    kinds
};

/// The legal actions of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Actions {
    words: [u64; WORDS],
}

impl Actions {
    #[expect(
        clippy::inline_always,
        reason = "with the kind of action known at compile time, the match on kinds vanishes"
    )]
    #[inline(always)]
    pub(super) const fn insert(&mut self, action: Action) {
        if let Some(bit) = bit_of(action) {
            self.words[bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    /// Adds the actions of `bits`, of which bit 0 stands for the action at bit `first` of the set.
    #[inline]
    pub(super) const fn insert_bits(&mut self, first: u32, bits: u64) {
        self.words[first as usize / 64] |= bits << (first % 64);
    }

    /// Returns the actions that item statistics count: camps, builds and proposals.
    pub(super) fn item_actions(&self) -> Self {
        let camps = self.words[0] & ((1 << USE) - 1);
        let builds = self.words[1] & ((1 << (MOVE - 64)) - (1 << (BUILD - 64)));
        let proposals = self.words[4] & ((1 << (CITY - 256)) - (1 << (PROPOSE - 256)));
        Self { words: [camps, builds, 0, 0, proposals] }
    }
}

/// Returns the index of a structure on a tile among those that can have a turn.
#[inline]
pub(super) const fn use_index(kind: Structure, tile: Tile) -> u32 {
    let first = match kind {
        Structure::Camp => 0,
        Structure::Excavator => MAX_LAND_TILES,
        // The numbers of river tiles follow those of land tiles, so boats come after mills.
        _ => 2 * MAX_LAND_TILES,
    };
    (first + tile.index()) as u32
}

/// Returns the use of the structure with this index.
#[inline]
pub(super) const fn use_action(index: u32) -> Action {
    ACTIONS[(USE + index) as usize]
}

/// Returns all decisions, each once, in the order of their bits.
pub(super) fn all_decisions() -> impl Iterator<Item = Action> {
    ACTIONS
        .into_iter()
        .zip(0..)
        .filter(|&(action, bit)| bit_of(action) == Some(bit))
        .map(|(action, _)| action)
}

/// Returns the bit of an action, if it is a decision.
#[expect(clippy::inline_always, reason = "see `Actions::insert`")]
#[inline(always)]
const fn bit_of(action: Action) -> Option<u32> {
    let bit = match action {
        Action::Done => DONE,
        Action::Stop => STOP,
        Action::Enough => ENOUGH,
        Action::Pass => PASS,
        Action::EndGive => FOR,
        Action::Send => SEND,
        Action::Settle => SETTLE,
        Action::Camp(tile) => CAMP + tile.0 as u32,
        Action::Use(kind, tile) => USE + use_index(kind, tile),
        Action::Harvest(token) => HARVEST + token as u32,
        Action::Dredge => DREDGE,
        Action::Take(tile) => TAKE + tile.0 as u32,
        Action::Plant(token) => PLANT + token as u32,
        Action::Build(kind) => BUILD + kind as u32,
        Action::BuildNet(slot) => BUILD_NET + slot.0 as u32,
        Action::Remove(Structure::Bridge, tile) => REMOVE + tile.row() as u32,
        Action::Remove(Structure::Canal, tile) => REMOVE + MAX_ROWS as u32 + tile.0 as u32,
        Action::Remove(_, tile) => REMOVE + (MAX_ROWS + MAX_LAND_TILES) as u32 + tile.0 as u32,
        Action::Move(tile) => MOVE + tile.0 as u32,
        Action::Ferry(Structure::Camp, tile) => FERRY + tile.0 as u32,
        Action::Ferry(_, tile) => FERRY + MAX_LAND_TILES as u32 + tile.0 as u32,
        Action::Sell(token) => SELL + token as u32,
        Action::Propose(policy) => PROPOSE + policy as u32,
        Action::Tile(tile) => TILE + tile.0 as u32,
        Action::Vote(yes) => VOTE + yes as u32,
        Action::Bid => BID,
        Action::Salvage(kind, tile) => salvage_bit(kind, tile),
        Action::City(token) => CITY + token as u32,
        Action::Buy(token) => BUY + token as u32,
        Action::Offer(seat) => OFFER + seat.index() as u32,
        Action::Give(token) => GIVE + token as u32,
        Action::Get(token) => GET + token as u32,
        Action::Accept => ACCEPT,
        Action::Refuse => REFUSE,
        Action::Mode(_)
        | Action::FirstPlayer(_)
        | Action::Weather(_)
        | Action::Role(_)
        | Action::Die(_)
        | Action::Net(_) => return None,
    };
    Some(bit)
}

#[inline]
const fn salvage_bit(kind: Structure, tile: Tile) -> u32 {
    let first = match kind {
        Structure::Canal => 0,
        Structure::Farm => 1,
        Structure::Levee => 2,
        Structure::Mill => 3,
        _ => 4,
    };
    SALVAGE + first * MAX_LAND_TILES as u32 + tile.0 as u32
}

/// Returns the index of the kind of a decision among [`ACTION_KINDS`]. Chance outcomes have none.
#[inline]
pub(super) const fn kind_index(action: Action) -> usize {
    match bit_of(action) {
        Some(bit) => KIND_OF_BIT[bit as usize] as usize,
        None => 0,
    }
}

/// Returns the index of a build in the order of their texts: kinds by name, nets last.
#[inline]
pub(super) const fn build_index(action: Action) -> u32 {
    match bit_of(action) {
        Some(bit) => bit - BUILD,
        None => 0,
    }
}

/// Returns the index of a salvage in the order of their texts.
#[inline]
pub(super) const fn salvage_index(kind: Structure, tile: Tile) -> u32 {
    salvage_bit(kind, tile) - SALVAGE
}

/// The action at each bit of a set. A table, so that reading an action from a set has no branches.
const ACTIONS: [Action; WORDS * 64] = {
    let mut actions = [Action::Done; WORDS * 64];
    let mut bit = 0;
    while bit < actions.len() as u32 {
        actions[bit as usize] = action_at(bit);
        bit += 1;
    }
    actions
};

const fn action_at(bit: u32) -> Action {
    const LAND: u32 = MAX_LAND_TILES as u32;
    const ROWS: u32 = MAX_ROWS as u32;
    match bit {
        CAMP..USE => Action::Camp(Tile((bit - CAMP) as u8)),
        USE..HARVEST => {
            let index = bit - USE;
            if index >= 3 * LAND {
                Action::Use(Structure::Boat, Tile((index - 2 * LAND) as u8))
            } else {
                Action::Use(ACTING_ON_LAND[(index / LAND) as usize], Tile((index % LAND) as u8))
            }
        }
        HARVEST..PLANT => Action::Harvest(Token::ALL[(bit - HARVEST) as usize]),
        PLANT..DREDGE => Action::Plant(Token::ALL[(bit - PLANT) as usize]),
        DREDGE => Action::Dredge,
        STOP => Action::Stop,
        ENOUGH => Action::Enough,
        PASS => Action::Pass,
        FOR => Action::EndGive,
        SEND => Action::Send,
        SETTLE => Action::Settle,
        BID => Action::Bid,
        TAKE..BUILD => Action::Take(Tile((bit - TAKE) as u8)),
        BUILD..BUILD_NET => Action::Build(Structure::ALL[(bit - BUILD) as usize]),
        BUILD_NET..MOVE => Action::BuildNet(Tile((bit - BUILD_NET) as u8)),
        MOVE..SELL => Action::Move(Tile((bit - MOVE) as u8)),
        SELL..BUY => Action::Sell(Token::ALL[(bit - SELL) as usize]),
        BUY..REMOVE => Action::Buy(Token::ALL[(bit - BUY) as usize]),
        REMOVE..FERRY => {
            let index = bit - REMOVE;
            if index < ROWS {
                Action::Remove(Structure::Bridge, Tile::river(index as usize))
            } else {
                let kind = if index < ROWS + LAND { Structure::Canal } else { Structure::Levee };
                Action::Remove(kind, Tile(((index - ROWS) % LAND) as u8))
            }
        }
        FERRY..FERRY_END => {
            let kind = if bit < FERRY + LAND { Structure::Camp } else { Structure::Excavator };
            Action::Ferry(kind, Tile(((bit - FERRY) % LAND) as u8))
        }
        TILE..ACCEPT => Action::Tile(Tile((bit - TILE) as u8)),
        ACCEPT => Action::Accept,
        REFUSE => Action::Refuse,
        VOTE..OFFER => Action::Vote(bit > VOTE),
        OFFER..GIVE => Action::Offer(Seat::new((bit - OFFER) as usize)),
        GIVE..GET => Action::Give(Token::ALL[(bit - GIVE) as usize]),
        GET..GET_END => Action::Get(Token::ALL[(bit - GET) as usize]),
        SALVAGE..PROPOSE => Action::Salvage(
            SALVABLE[((bit - SALVAGE) / LAND) as usize],
            Tile(((bit - SALVAGE) % LAND) as u8),
        ),
        PROPOSE..CITY => Action::Propose(PolicyKind::ALL[(bit - PROPOSE) as usize]),
        CITY..CITY_END => Action::City(Token::ALL[(bit - CITY) as usize]),
        _ => Action::Done,
    }
}

/// Number of a chance outcome, which is in no set.
const NO_NUMBER: u16 = u16::MAX;

impl ActionSet for Actions {
    type Action = Action;

    read_action_words!(self, bit => ACTIONS[bit as usize]);

    #[inline]
    fn contains(&self, action: Action) -> bool {
        bit_of(action).is_some_and(|bit| self.words[bit as usize / 64] >> (bit % 64) & 1 == 1)
    }

    #[inline]
    fn number(action: Action) -> u16 {
        bit_of(action).map_or(NO_NUMBER, |bit| bit as u16)
    }

    #[inline]
    fn contains_numbered(&self, action: Action, number: u16) -> bool {
        match self.words.get(usize::from(number) / 64) {
            Some(word) => word >> (number % 64) & 1 == 1,
            None => self.contains(action),
        }
    }

    #[inline]
    fn remove(&mut self, action: Action) {
        if let Some(bit) = bit_of(action) {
            self.words[bit as usize / 64] &= !(1 << (bit % 64));
        }
    }

    #[inline]
    fn remove_numbered(&mut self, action: Action, number: u16) {
        match self.words.get_mut(usize::from(number) / 64) {
            Some(word) => *word &= !(1 << (number % 64)),
            None => self.remove(action),
        }
    }

    #[inline]
    fn kinds(&self) -> u32 {
        KIND_MASKS.iter().enumerate().fold(0, |kinds, (kind, &(word, mask))| {
            kinds | u32::from(self.words[word] & mask != 0) << kind
        })
    }

    #[inline]
    fn has_kind(&self, kind: u32) -> bool {
        let (word, mask) = KIND_MASKS[kind as usize];
        self.words[word] & mask != 0
    }

    #[inline]
    fn subset_of_kind(&self, kind: u32) -> Self {
        let (word, mask) = KIND_MASKS[kind as usize];
        let mut words = [0; WORDS];
        words[word] = self.words[word] & mask;
        Self { words }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.words == [0; WORDS]
    }
}
