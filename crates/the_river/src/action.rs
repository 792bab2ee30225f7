//! The actions of The River, and sets of actions (rules §2 to §7).

use super::components::{Bag, Building, MAX_COST, Resource, SPOTS, TileKind, TileRow};
use watershed_engine::game::{ActionSet, Seat, read_action_words};

/// Amounts of resources that a seat returns: at most 7 of wood, clay and stone, and 31 of food.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Payment(u16);

impl Payment {
    /// Creates a payment of these amounts.
    pub const fn new(wood: u32, clay: u32, stone: u32, food: u32) -> Self {
        Self((wood | clay << 3 | stone << 6 | food << 9) as u16)
    }

    /// Returns the amount of a resource.
    pub const fn get(self, resource: Resource) -> u32 {
        let bits = self.0 as u32 >> (resource as u32 * 3);
        if matches!(resource, Resource::Food) { bits } else { bits & 7 }
    }

    /// Returns the same amounts as a bag.
    #[inline]
    pub fn bag(self) -> Bag {
        let [wood, clay, stone, food] = Resource::ALL.map(|resource| self.get(resource));
        Bag::new(wood, clay, stone, food)
    }
}

/// A decision or a chance outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// Claim a face-up tile.
    Claim(TileKind),
    /// Produce wood, clay or stone.
    Produce(Resource),
    /// Take one food.
    Food,
    /// Take one wood, clay or stone from the food island when it is out of food.
    FoodSubstitute(Resource),
    /// Reserve a building.
    Reserve(Building),
    /// Choose a building to build; a payment follows.
    Build(Building),
    /// Take the first-player pawn.
    TakePawn,
    /// Swap the tiles on two spots, counted from 0, in ascending order.
    Swap(u8, u8),
    /// Return resources and take one food.
    Trade(Payment),
    /// Pay for the chosen building.
    Pay(Payment),
    /// Return one resource that cannot be stored.
    Discard(Resource),
    /// Forgo the remaining swaps of the effect of a tile.
    Skip,
    /// Spend a pioneer without an action.
    Pass,
    /// Chance: the first player.
    FirstPlayer(Seat),
    /// Chance: the next seat's river board.
    Board(u8),
    /// Chance: a tile is laid out.
    RevealTile(TileKind),
    /// Chance: a building is laid out.
    RevealBuilding(Building),
    /// Chance: the discarded tiles become the draw pile.
    Reshuffle,
}

const _: () = assert!(size_of::<Action>() == 4);

/// Names of the kinds of action, in the order of [`KIND_MASKS`].
pub(super) const ACTION_KINDS: [&str; 12] = [
    "claim", "produce", "food", "reserve", "build", "first", "swap", "trade", "pay", "discard",
    "skip", "pass",
];
const PAY_KIND: u32 = 8;

/// The number of words of a set. A set of payments has a bit for each amount of wood, clay and
/// stone, where food is the rest.
const WORDS: usize = 6;
/// The word of reserves by building.
pub(super) const RESERVES: usize = 1;
/// The word of builds by building.
pub(super) const BUILDS: usize = 2;
/// The first of the two words of swaps; see [`swap_bit`].
const SWAPS: usize = 3;
/// The word of trades; see [`trade_bit`].
pub(super) const TRADES: usize = 5;
// The bits of word 0, after the claims by kind of tile.
const PRODUCE: u32 = 32;
const FOOD: u32 = 35;
const FOOD_SUBSTITUTE: u32 = 36;
const TAKE_PAWN: u32 = 39;
const PASS: u32 = 40;
const SKIP: u32 = 41;
const DISCARD: u32 = 42;
const LAST_DISCARD: u32 = 45;

const fn bits(from: u32, count: u32) -> u64 {
    ((1 << count) - 1) << from
}

/// For each kind of action except payments, its word and its bits there. Swaps also have all of the
/// next word.
const KIND_MASKS: [(usize, u64); ACTION_KINDS.len()] = [
    (0, bits(0, 32)),
    (0, bits(PRODUCE, 3)),
    (0, bits(FOOD, 4)),
    (RESERVES, u64::MAX),
    (BUILDS, u64::MAX),
    (0, bits(TAKE_PAWN, 1)),
    (SWAPS, u64::MAX),
    (TRADES, u64::MAX),
    (0, 0),
    (0, bits(DISCARD, 4)),
    (0, bits(SKIP, 1)),
    (0, bits(PASS, 1)),
];

const COST_RADIX: u32 = MAX_COST + 1;
const _: () = assert!(COST_RADIX.pow(3) <= WORDS as u32 * 64);

/// The legal actions of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actions {
    words: [u64; WORDS],
    /// The number of resources of a trade or payment.
    amount: u8,
    /// True if this is a set of payments.
    paying: bool,
}

impl Actions {
    /// Creates an empty set for a position where a trade takes `trade_in` resources.
    #[inline]
    pub(super) const fn empty(trade_in: u32) -> Self {
        Self { words: [0; WORDS], amount: trade_in as u8, paying: false }
    }

    /// Creates an empty set of payments of `total` resources.
    #[inline]
    pub(super) const fn empty_payments(total: u32) -> Self {
        Self { words: [0; WORDS], amount: total as u8, paying: true }
    }

    #[inline]
    pub(super) fn insert(&mut self, action: Action) {
        if let Some(bit) = self.bit_of(action) {
            self.words[bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    /// Inserts claims of these kinds of tile, bit k for kind k.
    #[inline]
    pub(super) const fn insert_claims(&mut self, kinds: u32) {
        self.words[0] |= kinds as u64;
    }

    /// Inserts the actions of one of the other words.
    #[inline]
    pub(super) const fn insert_word(&mut self, word: usize, bits: u64) {
        self.words[word] = bits;
    }

    #[inline]
    pub(super) const fn insert_swaps(&mut self, pairs: u128) {
        self.words[SWAPS] = pairs as u64;
        self.words[SWAPS + 1] = (pairs >> 64) as u64;
    }

    /// Returns true if there is an action that is not a trade.
    #[inline]
    pub(super) const fn has_placement(&self) -> bool {
        let [claims_and_others, reserves, builds, near_swaps, far_swaps, _] = self.words;
        claims_and_others | reserves | builds | near_swaps | far_swaps != 0
    }

    /// Returns the kinds of tile that can be claimed, bit k for kind k.
    pub(super) const fn claimable_kinds(&self) -> u64 {
        if self.paying { 0 } else { self.words[0] & bits(0, 32) }
    }

    /// Returns the buildings that can be built.
    pub(super) const fn payable_buildings(&self) -> u64 {
        if self.paying { 0 } else { self.words[BUILDS] }
    }

    /// Returns the bit of an action in a set of this layout, if it has one.
    #[inline]
    fn bit_of(&self, action: Action) -> Option<u32> {
        let (word, bit) = match action {
            Action::Pay(payment) if self.paying => {
                let [wood, clay, stone] = Resource::PRODUCED.map(|resource| payment.get(resource));
                let fits = payment.bag().total() == u32::from(self.amount)
                    && wood.max(clay).max(stone) <= MAX_COST;
                return fits.then_some((stone * COST_RADIX + clay) * COST_RADIX + wood);
            }
            _ if self.paying => return None,
            Action::Claim(kind) => (0, u32::from(kind.0)),
            Action::Produce(resource) => (0, PRODUCE + resource as u32),
            Action::Food => (0, FOOD),
            Action::FoodSubstitute(resource) => (0, FOOD_SUBSTITUTE + resource as u32),
            Action::TakePawn => (0, TAKE_PAWN),
            Action::Pass => (0, PASS),
            Action::Skip => (0, SKIP),
            Action::Discard(resource) => (0, DISCARD + resource as u32),
            Action::Reserve(building) => (RESERVES, u32::from(building.0)),
            Action::Build(building) => (BUILDS, u32::from(building.0)),
            Action::Swap(one, other) => (SWAPS, swap_bit(one.into(), other.into())),
            Action::Trade(payment)
                if payment.get(Resource::Food) == 0
                    && payment.bag().total() == u32::from(self.amount) =>
            {
                (TRADES, trade_bit(payment.get(Resource::Wood), payment.get(Resource::Clay)))
            }
            _ => return None,
        };
        Some(word as u32 * 64 + bit)
    }

    /// Returns the action of a bit.
    #[inline]
    fn action_at(&self, bit: u32) -> Action {
        match FIXED_ACTIONS.get(bit as usize) {
            Some(&action) if !self.paying => action,
            _ => self.exchange_at(bit),
        }
    }

    /// Returns the payment or trade of a bit.
    #[inline(never)]
    fn exchange_at(&self, bit: u32) -> Action {
        let amount = u32::from(self.amount);
        if self.paying {
            let (wood, clay, stone) =
                (bit % COST_RADIX, bit / COST_RADIX % COST_RADIX, bit / COST_RADIX.pow(2));
            return Action::Pay(Payment::new(wood, clay, stone, amount - wood - clay - stone));
        }
        let (wood, clay) = (bit % 64 / 8, bit % 8);
        Action::Trade(Payment::new(wood, clay, amount - wood - clay, 0))
    }
}

/// Number of an action whose bit depends on the position.
const NO_NUMBER: u16 = u16::MAX;

impl ActionSet for Actions {
    type Action = Action;

    read_action_words!(self, bit => self.action_at(bit));

    #[inline]
    fn contains(&self, action: Action) -> bool {
        self.bit_of(action).is_some_and(|bit| self.words[bit as usize / 64] >> (bit % 64) & 1 == 1)
    }

    #[inline]
    fn number(action: Action) -> u16 {
        // The bits of trades and payments depend on the position.
        let bit = Self::empty(0).bit_of(action).filter(|&bit| bit < FIXED_ACTIONS.len() as u32);
        bit.map_or(NO_NUMBER, |bit| bit as u16)
    }

    #[inline]
    fn contains_numbered(&self, action: Action, number: u16) -> bool {
        match self.words.get(usize::from(number) / 64) {
            Some(word) => !self.paying && word >> (number % 64) & 1 == 1,
            None => self.contains(action),
        }
    }

    #[inline]
    fn remove(&mut self, action: Action) {
        if let Some(bit) = self.bit_of(action) {
            self.words[bit as usize / 64] &= !(1 << (bit % 64));
        }
    }

    #[inline]
    fn remove_numbered(&mut self, action: Action, number: u16) {
        match self.words.get_mut(usize::from(number) / 64) {
            Some(word) if !self.paying => *word &= !(1 << (number % 64)),
            Some(_) => {}
            None => self.remove(action),
        }
    }

    #[inline]
    fn kinds(&self) -> u32 {
        if self.paying {
            return 1 << PAY_KIND;
        }
        let swaps = u32::from(self.words[SWAPS + 1] != 0) << 6;
        KIND_MASKS.iter().enumerate().fold(swaps, |kinds, (kind, &(word, mask))| {
            kinds | u32::from(self.words[word] & mask != 0) << kind
        })
    }

    #[inline]
    fn has_kind(&self, kind: u32) -> bool {
        if self.paying {
            return kind == PAY_KIND;
        }
        let (word, mask) = KIND_MASKS[kind as usize];
        self.words[word] & mask != 0 || word == SWAPS && self.words[SWAPS + 1] != 0
    }

    #[inline]
    fn subset_of_kind(&self, kind: u32) -> Self {
        if self.paying {
            return if kind == PAY_KIND { *self } else { Self { words: [0; WORDS], ..*self } };
        }
        let mut words = [0; WORDS];
        let (word, mask) = KIND_MASKS[kind as usize];
        words[word] = self.words[word] & mask;
        if word == SWAPS {
            words[SWAPS + 1] = self.words[SWAPS + 1];
        }
        Self { words, ..*self }
    }
}

/// The actions of the bits of the first five words, except payments.
const FIXED_ACTIONS: [Action; TRADES * 64] = {
    let mut actions = [Action::Pass; TRADES * 64];
    let mut bit = 0;
    while bit < actions.len() {
        actions[bit] = fixed_action(bit / 64, bit as u32 % 64);
        bit += 1;
    }
    actions
};

const fn fixed_action(word: usize, bit: u32) -> Action {
    const fn resource(index: u32) -> Resource {
        Resource::ALL[index as usize]
    }
    match (word, bit) {
        (0, 0..PRODUCE) => Action::Claim(TileKind(bit as u8)),
        (0, PRODUCE..FOOD) => Action::Produce(resource(bit - PRODUCE)),
        (0, FOOD) => Action::Food,
        (0, FOOD_SUBSTITUTE..TAKE_PAWN) => Action::FoodSubstitute(resource(bit - FOOD_SUBSTITUTE)),
        (0, TAKE_PAWN) => Action::TakePawn,
        (0, SKIP) => Action::Skip,
        (0, DISCARD..=LAST_DISCARD) => Action::Discard(resource(bit - DISCARD)),
        (0, _) => Action::Pass,
        (RESERVES, _) => Action::Reserve(Building(bit as u8)),
        (BUILDS, _) => Action::Build(Building(bit as u8)),
        _ => {
            let (one, other) = swap_spots((word - SWAPS) as u32 * 64 + bit);
            Action::Swap(one, other)
        }
    }
}

/// Returns the bit of a trade in its word. Wood and clay are at most 7; stone is the rest.
#[inline]
pub(super) const fn trade_bit(wood: u32, clay: u32) -> u32 {
    wood * 8 + clay
}

/// The number of bits of a spot in a word of swaps: five distances in each of the two words.
const DISTANCES: u32 = 5;
/// The bit of the only pair at distance 11.
const FARTHEST: u32 = 64 + 60;

/// Returns the bit of a swap in the two words, ordered by the first spot, then by the distance.
/// Distances 1 to 5 are in the first word, 6 to 10 in the second.
#[inline]
const fn swap_bit(one: u32, other: u32) -> u32 {
    let distance = other - one;
    match distance {
        1..=5 => one * DISTANCES + distance - 1,
        6..=10 => 64 + one * DISTANCES + distance - 6,
        _ => FARTHEST,
    }
}

#[inline]
const fn swap_spots(bit: u32) -> (u8, u8) {
    if bit == FARTHEST {
        return (0, SPOTS as u8 - 1);
    }
    let one = bit % 64 / DISTANCES;
    let distance = bit % 64 % DISTANCES + if bit < 64 { 1 } else { 6 };
    (one as u8, (one + distance) as u8)
}

/// Returns the swaps of two tiles of different kinds, and only the first of those of one kind (§4).
/// The bits are those of [`swap_bit`].
#[inline]
pub(super) fn swap_pairs(tiles: TileRow) -> u128 {
    let all = ALL_SWAPS[tiles.len()];
    let alike = all & !differing_pairs(tiles);
    let differing = all & !alike;
    if alike == 0 { differing } else { differing | 1 << first_pair(alike) }
}

/// For each number of tiles on a board, the swaps of any two of them.
const ALL_SWAPS: [u128; SPOTS + 1] = {
    let mut swaps = [0; SPOTS + 1];
    let mut tiles = 1;
    while tiles < swaps.len() {
        let other = tiles as u32 - 1;
        swaps[tiles] = swaps[tiles - 1];
        let mut one = 0;
        while one < other {
            swaps[tiles] |= 1 << swap_bit(one, other);
            one += 1;
        }
        tiles += 1;
    }
    swaps
};

/// Returns the bits of the swaps of two tiles of different kinds. The bits of swaps with an empty
/// spot are unspecified.
#[inline]
fn differing_pairs(tiles: TileRow) -> u128 {
    // The lanes have spot i at bit 5i + 4.
    const _: () = assert!(DISTANCES == 5);
    let at_distances = |nearest: u32| {
        (0..DISTANCES).fold(0, |bits, further| {
            bits | tiles.differing_lanes(nearest + further) >> (DISTANCES - 1 - further)
        })
    };
    let (near, far) = (at_distances(1), at_distances(1 + DISTANCES));
    let farthest = tiles.differing_lanes(SPOTS as u32 - 1) >> (DISTANCES - 1) << (FARTHEST - 64);
    u128::from(near) | u128::from(far | farthest) << 64
}

/// Returns the swap with the lowest first spot, and then the lowest second spot.
#[inline]
fn first_pair(pairs: u128) -> u32 {
    let farthest = pairs >> FARTHEST & 1 == 1;
    let near = (pairs as u64).trailing_zeros();
    let far = ((pairs >> 64) as u64).trailing_zeros();
    // For the same first spot the near pairs come first and the farthest pair comes last.
    match (near / DISTANCES, far / DISTANCES) {
        (near_spot, far_spot) if farthest && near_spot > 0 && far_spot > 0 => FARTHEST,
        (near_spot, far_spot) if near_spot <= far_spot => near,
        _ => 64 + far,
    }
}
