//! Actions of The River, the set of legal ones, and their notation (rules §2 to §6).

use super::components::{Bag, Building, MAX_COST, Resource, SPOTS, TileKind, TileRow};
use crate::{
    bits::select_in,
    game::{ActionSet, Seat},
};

/// Amounts of resources that change hands: wood, clay and stone at most 7 each, food at most 31.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Payment(u16);

impl Payment {
    /// These amounts.
    pub const fn new(wood: u32, clay: u32, stone: u32, food: u32) -> Self {
        Self((wood | clay << 3 | stone << 6 | food << 9) as u16)
    }

    /// How much of a resource is paid.
    pub const fn get(self, resource: Resource) -> u32 {
        let bits = self.0 as u32 >> (resource as u32 * 3);
        if matches!(resource, Resource::Food) { bits } else { bits & 7 }
    }

    /// The same amounts as a bag.
    #[inline]
    pub const fn bag(self) -> Bag {
        Bag::new(
            self.get(Resource::Wood),
            self.get(Resource::Clay),
            self.get(Resource::Stone),
            self.get(Resource::Food),
        )
    }

    pub(super) fn text(self) -> String {
        let amounts = Resource::ALL.into_iter().filter(|&resource| self.get(resource) > 0);
        let text: String = amounts
            .map(|resource| format!("{}{}", &resource.name()[..1], self.get(resource)))
            .collect();
        if text.is_empty() { "-".to_owned() } else { text }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "-" {
            return Some(Self::new(0, 0, 0, 0));
        }
        let mut amounts = [0; 4];
        let mut rest = text;
        for resource in Resource::ALL {
            if let Some(after) = rest.strip_prefix(&resource.name()[..1]) {
                let digits = after.len()
                    - after.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
                let most = if resource == Resource::Food { 31 } else { 7 };
                if after.starts_with('0') {
                    return None;
                }
                amounts[resource as usize] =
                    after[..digits].parse().ok().filter(|amount| (1..=most).contains(amount))?;
                rest = &after[digits..];
            }
        }
        (rest.is_empty() && amounts != [0; 4])
            .then(|| Self::new(amounts[0], amounts[1], amounts[2], amounts[3]))
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
    /// Swap the tiles on two spots, counted from 0, the first below the second.
    Swap(u8, u8),
    /// Return resources for one food.
    Trade(Payment),
    /// Pay for the building chosen.
    Pay(Payment),
    /// Return one resource that can't be stored.
    Discard(Resource),
    /// Forgo the remaining swaps of a tile's effect.
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

/// Where each action stands in the words of a set. Word 0: claims by tile kind from bit 0, then the
/// bits below; words 1 and 2: reserve and build by building; words 3 and 4: swaps (see
/// [`swap_pairs`]); word 5: trades, 8 × wood + clay. A set of payments has a layout of its own.
pub(super) const WORDS: usize = 6;
const PRODUCE: u32 = 32;
const FOOD: u32 = 35;
const FOOD_INSTEAD: u32 = 36;
const FIRST: u32 = 39;
const PASS: u32 = 40;
const SKIP: u32 = 41;
const DISCARD: u32 = 42;
const LAST_DISCARD: u32 = 45;

const fn bits(from: u32, count: u32) -> u64 {
    ((1 << count) - 1) << from
}

/// For each kind of action but payments, the word it stands in and its bits there; swaps also have
/// all of the next word.
const KIND_MASKS: [(usize, u64); ACTION_KINDS.len()] = [
    (0, bits(0, 32)),
    (0, bits(PRODUCE, 3)),
    (0, bits(FOOD, 4)),
    (1, u64::MAX),
    (2, u64::MAX),
    (0, bits(FIRST, 1)),
    (3, u64::MAX),
    (5, u64::MAX),
    (0, 0),
    (0, bits(DISCARD, 4)),
    (0, bits(SKIP, 1)),
    (0, bits(PASS, 1)),
];
const SWAP_WORDS: [usize; 2] = [3, 4];

const COST_RADIX: u32 = MAX_COST + 1;
const _: () = assert!(COST_RADIX.pow(3) <= WORDS as u32 * 64);

/// The legal actions of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actions {
    words: [u64; WORDS],
    /// Resources a trade or a payment takes together.
    amount: u8,
    paying: bool,
}

impl Actions {
    /// No action yet, in a position where trades take `trade_in` resources.
    #[inline]
    pub(super) const fn empty(trade_in: u32) -> Self {
        Self { words: [0; WORDS], amount: trade_in as u8, paying: false }
    }

    /// No payment yet, where `total` resources are to be paid.
    #[inline]
    pub(super) const fn empty_payments(total: u32) -> Self {
        Self { words: [0; WORDS], amount: total as u8, paying: true }
    }

    #[inline]
    pub(super) fn insert_payment(&mut self, payment: Payment) {
        if let Some(place) = self.place(Action::Pay(payment)) {
            self.words[place as usize / 64] |= 1 << (place % 64);
        }
    }

    #[inline]
    pub(super) const fn insert_produce(&mut self, resource: Resource) {
        self.words[0] |= 1 << (PRODUCE + resource as u32);
    }

    #[inline]
    pub(super) const fn insert_food(&mut self) {
        self.words[0] |= 1 << FOOD;
    }

    #[inline]
    pub(super) const fn insert_food_substitute(&mut self, resource: Resource) {
        self.words[0] |= 1 << (FOOD_INSTEAD + resource as u32);
    }

    #[inline]
    pub(super) const fn insert_discard(&mut self, resource: Resource) {
        self.words[0] |= 1 << (DISCARD + resource as u32);
    }

    #[inline]
    pub(super) const fn insert_take_pawn(&mut self) {
        self.words[0] |= 1 << FIRST;
    }

    #[inline]
    pub(super) const fn insert_pass(&mut self) {
        self.words[0] |= 1 << PASS;
    }

    #[inline]
    pub(super) const fn insert_skip(&mut self) {
        self.words[0] |= 1 << SKIP;
    }

    /// Claims of these kinds of tile, bit k for kind k.
    #[inline]
    pub(super) const fn insert_claims(&mut self, kinds: u32) {
        self.words[0] |= kinds as u64;
    }

    #[inline]
    pub(super) const fn insert_reserves(&mut self, buildings: u64) {
        self.words[1] = buildings;
    }

    #[inline]
    pub(super) const fn insert_builds(&mut self, buildings: u64) {
        self.words[2] = buildings;
    }

    #[inline]
    pub(super) const fn insert_swaps(&mut self, pairs: u128) {
        self.words[SWAP_WORDS[0]] = pairs as u64;
        self.words[SWAP_WORDS[1]] = (pairs >> 64) as u64;
    }

    /// Trades in the layout of [`trade_bit`].
    #[inline]
    pub(super) const fn insert_trades(&mut self, trades: u64) {
        self.words[5] = trades;
    }

    /// Whether there is any placement of a pioneer, that is anything but a trade.
    #[inline]
    pub(super) const fn has_placement(&self) -> bool {
        self.words[0] | self.words[1] | self.words[2] | self.words[3] | self.words[4] != 0
    }

    /// The kinds of tile that can be claimed, bit k for kind k.
    pub(super) const fn claimable_kinds(&self) -> u64 {
        if self.paying { 0 } else { self.words[0] & bits(0, 32) }
    }

    /// The buildings that can be built.
    pub(super) const fn payable_buildings(&self) -> u64 {
        if self.paying { 0 } else { self.words[2] }
    }

    /// The bit of an action in a set like this one, if it has one.
    #[inline]
    fn place(&self, action: Action) -> Option<u32> {
        let place = match action {
            Action::Pay(payment) if self.paying => {
                let [wood, clay, stone] = Resource::PRODUCED.map(|resource| payment.get(resource));
                let fits = payment.bag().total() == u32::from(self.amount)
                    && wood.max(clay).max(stone) <= MAX_COST;
                return fits.then_some((stone * COST_RADIX + clay) * COST_RADIX + wood);
            }
            _ if self.paying => return None,
            Action::Claim(kind) => u32::from(kind.0),
            Action::Produce(resource) => PRODUCE + resource as u32,
            Action::Food => FOOD,
            Action::FoodSubstitute(resource) => FOOD_INSTEAD + resource as u32,
            Action::TakePawn => FIRST,
            Action::Pass => PASS,
            Action::Skip => SKIP,
            Action::Discard(resource) => DISCARD + resource as u32,
            Action::Reserve(building) => 64 + u32::from(building.0),
            Action::Build(building) => 2 * 64 + u32::from(building.0),
            Action::Swap(one, other) => 3 * 64 + swap_bit(one.into(), other.into()),
            Action::Trade(payment)
                if payment.get(Resource::Food) == 0
                    && payment.bag().total() == u32::from(self.amount) =>
            {
                5 * 64 + trade_bit(payment.get(Resource::Wood), payment.get(Resource::Clay))
            }
            _ => return None,
        };
        Some(place)
    }

    /// The action at a bit of the set.
    #[inline]
    fn action(&self, place: u32) -> Action {
        let amount = u32::from(self.amount);
        if self.paying {
            let (wood, clay, stone) =
                (place % COST_RADIX, place / COST_RADIX % COST_RADIX, place / COST_RADIX.pow(2));
            return Action::Pay(Payment::new(wood, clay, stone, amount - wood - clay - stone));
        }
        if let Some(&action) = FIXED_ACTIONS.get(place as usize) {
            return action;
        }
        let (wood, clay) = (place % 64 / 8, place % 8);
        Action::Trade(Payment::new(wood, clay, amount - wood - clay, 0))
    }
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
        self.place(action)
            .is_some_and(|place| self.words[place as usize / 64] >> (place % 64) & 1 == 1)
    }

    #[inline]
    fn remove(&mut self, action: Action) {
        if let Some(place) = self.place(action) {
            self.words[place as usize / 64] &= !(1 << (place % 64));
        }
    }

    #[inline]
    fn kinds(&self) -> u32 {
        if self.paying {
            return 1 << PAY_KIND;
        }
        let swaps = u32::from(self.words[SWAP_WORDS[1]] != 0) << 6;
        KIND_MASKS.iter().enumerate().fold(swaps, |kinds, (kind, &(word, mask))| {
            kinds | u32::from(self.words[word] & mask != 0) << kind
        })
    }

    #[inline]
    fn subset_of_kind(&self, kind: u32) -> Self {
        if self.paying {
            return if kind == PAY_KIND { *self } else { Self { words: [0; WORDS], ..*self } };
        }
        let mut words = [0; WORDS];
        let (word, mask) = KIND_MASKS[kind as usize];
        words[word] = self.words[word] & mask;
        if word == SWAP_WORDS[0] {
            words[SWAP_WORDS[1]] = self.words[SWAP_WORDS[1]];
        }
        Self { words, ..*self }
    }
}

/// The action at each bit of the first five words, but for payments.
const FIXED_ACTIONS: [Action; 5 * 64] = {
    let mut actions = [Action::Pass; 5 * 64];
    let mut place = 0;
    while place < actions.len() as u32 {
        actions[place as usize] = fixed_action(place);
        place += 1;
    }
    actions
};

const fn fixed_action(place: u32) -> Action {
    let bit = place % 64;
    match place / 64 {
        0 => match bit {
            0..PRODUCE => Action::Claim(TileKind(bit as u8)),
            PRODUCE..FOOD => Action::Produce(Resource::ALL[(bit - PRODUCE) as usize]),
            FOOD => Action::Food,
            FOOD_INSTEAD..FIRST => {
                Action::FoodSubstitute(Resource::ALL[(bit - FOOD_INSTEAD) as usize])
            }
            FIRST => Action::TakePawn,
            SKIP => Action::Skip,
            DISCARD..=LAST_DISCARD => Action::Discard(Resource::ALL[(bit - DISCARD) as usize]),
            _ => Action::Pass,
        },
        1 => Action::Reserve(Building(bit as u8)),
        2 => Action::Build(Building(bit as u8)),
        _ => {
            let (one, other) = swap_spots(place - 3 * 64);
            Action::Swap(one, other)
        }
    }
}

/// The bit of a trade in its word; wood and clay are at most 7 and stone is the rest.
#[inline]
pub(super) const fn trade_bit(wood: u32, clay: u32) -> u32 {
    wood * 8 + clay
}

/// Bits per spot in a word of swaps: five distances in each of the two words.
const DISTANCES: u32 = 5;
/// The one pair at distance 11 has a bit of its own.
const FARTHEST: u32 = 64 + 60;

/// The bit of a swap in the two words: by the nearer spot, then by the distance; distances 1 to 5
/// in the first word, 6 to 10 in the second.
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

/// All swaps of two tiles that differ, and of those that are of one kind only the first (§4); see
/// [`swap_bit`].
#[inline]
pub(super) fn swap_pairs(tiles: TileRow) -> u128 {
    let occupied = tiles.occupied_lanes();
    let all = pair_bits(occupied, |distance| occupied >> (distance * DISTANCES));
    let differing = pair_bits(occupied, |distance| tiles.differing_lanes(distance));
    let alike = all & !differing;
    if alike == 0 { differing } else { differing | 1 << first_pair(alike) }
}

/// Brings the answers for each distance, which stand at bit 5i + 4 of each spot i, to the bits of
/// the swaps.
#[inline]
fn pair_bits(occupied: u64, at_distance: impl Fn(u32) -> u64) -> u128 {
    let near = (1..=DISTANCES)
        .fold(0, |bits, distance| bits | at_distance(distance) >> (DISTANCES - distance));
    // Few boards have pairs this far apart.
    if occupied >> (6 * DISTANCES) == 0 {
        return near.into();
    }
    let far = (1..=DISTANCES).fold(0, |bits, distance| {
        bits | at_distance(DISTANCES + distance) >> (DISTANCES - distance)
    });
    let farthest = at_distance(SPOTS as u32 - 1) >> (DISTANCES - 1) << (FARTHEST - 64);
    u128::from(near) | u128::from(far | farthest) << 64
}

/// Of these swaps, the one with the lowest first spot and then the lowest second.
#[inline]
fn first_pair(pairs: u128) -> u32 {
    let farthest = pairs >> FARTHEST & 1 == 1;
    let near = (pairs as u64).trailing_zeros();
    let far = ((pairs >> 64) as u64).trailing_zeros();
    // The same spot has its near pairs before its far ones, and the farthest last of all.
    match (near / DISTANCES, far / DISTANCES) {
        (near_spot, far_spot) if farthest && near_spot > 0 && far_spot > 0 => FARTHEST,
        (near_spot, far_spot) if near_spot <= far_spot => near,
        _ => 64 + far,
    }
}
