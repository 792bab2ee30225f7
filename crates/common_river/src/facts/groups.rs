//! Numbers that facts are made of, crossed with each other, and the names of their inputs.

use super::super::{
    components::{Objective, Structure, Token},
    phases::{Mode, PolicyKind},
};
use watershed_engine::game::facts::{FactBlock, FactGroup, FactList};

/// The numbers of days on which structures can still act, today included, as counted by
/// [`PositionNumbers::time`](super::situation::PositionNumbers::time). 0 stands for the last
/// evening.
pub(super) const TIMES: [&str; 6] = ["0", "1", "2", "3-4", "5-7", "8+"];

/// As [`TIMES`], in fewer steps, as counted by
/// [`PositionNumbers::span`](super::situation::PositionNumbers::span).
pub(super) const SPANS: [&str; 4] = ["0", "1", "2-4", "5+"];

/// The modes of a game, in the order of [`Mode`].
pub(super) const MODES: [&str; 4] = ["solo", "competitive", "coop", "roles"];

/// The phases, in the order of [`Phase`](super::super::phases::Phase).
pub(super) const PHASES: [&str; 24] = [
    "mode",
    "first_player",
    "almanac",
    "roles",
    "camps",
    "die",
    "offer",
    "give",
    "get",
    "answer",
    "choose_structure",
    "act",
    "take",
    "net",
    "sell",
    "propose",
    "choose_tile",
    "vote",
    "bid",
    "salvage",
    "contribute",
    "buy",
    "night",
    "over",
];

/// The stages of the turn of a structure, in the order of [`Stage`](super::super::phases::Stage).
pub(super) const STAGES: [&str; 4] = ["start", "harvested", "building", "built"];

/// The kinds of structure that are built.
pub(super) const BUILDABLE: [Structure; 8] = [
    Structure::Boat,
    Structure::Bridge,
    Structure::Canal,
    Structure::Excavator,
    Structure::Farm,
    Structure::Levee,
    Structure::Mill,
    Structure::Net,
];

/// The kinds of structure whose price is compared with the stockpile of a seat.
pub(super) const PRICED: [Structure; 5] =
    [Structure::Boat, Structure::Excavator, Structure::Farm, Structure::Mill, Structure::Net];

/// The kinds of structure that act.
pub(super) const ACTING: [Structure; 4] =
    [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];

/// The states of the City.
pub(super) const CITY_STATES: [&str; 5] = ["none", "no_gold", "site", "complete", "flooded"];

/// The uses that a seat has for a token that it gains, in the order of their bits.
pub(super) const GAIN_USES: [&str; 4] = ["objective", "city", "boat", "structure"];

/// The uses that a seat has for a token that it loses, in the order of their bits.
pub(super) const LOSS_USES: [&str; 4] = ["objective", "city", "boat", "capital"];

/// The maximum number of fish that an objective is counted to lack.
pub(super) const MAX_MISSING_FISH: usize = 16;
/// The maximum number of tokens that the City is counted to lack.
pub(super) const MAX_MISSING_CITY: usize = 16;
/// The maximum difference of gold.
pub(super) const MAX_GOLD_LEAD: i32 = 8;
/// The maximum difference of gold when all goods are sold.
pub(super) const MAX_WEALTH_LEAD: i32 = 10;
/// The maximum number of pollution tokens that is counted.
pub(super) const MAX_POLLUTION: usize = 16;
/// The maximum of half the tokens that a seat lacks for fish and the City together.
pub(super) const MAX_NEED: usize = 14;
/// The maximum of half the tokens that can be expected beyond the need, in either direction.
pub(super) const MAX_SLACK: i32 = 8;
/// The water levels that are told apart.
pub(super) const WATER: (i32, i32) = (-6, 12);
/// The modifiers of weather cards that are told apart.
pub(super) const MODIFIERS: (i32, i32) = (-6, 8);
/// The highest elevation that is counted.
pub(super) const MAX_ELEVATION: usize = 10;

/// The facts with every combination of `N` numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cross<const N: usize> {
    pub(super) group: FactGroup,
    pub(super) sizes: [usize; N],
}

impl<const N: usize> Cross<N> {
    /// Adds the facts. `describe` names the inputs of one, given its numbers, each below its size.
    pub(super) fn new(
        block: &mut FactBlock,
        sizes: [usize; N],
        describe: impl Fn([usize; N], &mut Words),
    ) -> Self {
        let mut facts = Vec::new();
        for index in 0..sizes.iter().product() {
            let mut rest = index;
            let mut at = [0; N];
            for (number, size) in at.iter_mut().zip(sizes).rev() {
                *number = rest % size;
                rest /= size;
            }
            let mut words = Words::default();
            describe(at, &mut words);
            facts.push(words.0.iter().map(|word| block.input(word)).collect());
        }
        Self { group: block.group(facts), sizes }
    }

    /// Appends the fact with these numbers. Each is limited to its maximum.
    #[inline]
    pub(super) fn push(&self, list: &mut FactList, at: [usize; N]) {
        let mut index = 0;
        for (number, size) in at.into_iter().zip(self.sizes) {
            index = index * size + number.min(size - 1);
        }
        list.push_choice(self.group, index);
    }
}

/// The names of the inputs of a fact.
#[derive(Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn add(&mut self, name: impl Into<String>) {
        self.0.push(name.into());
    }

    pub(super) fn add_if(&mut self, holds: bool, name: &str) {
        if holds {
            self.add(name);
        }
    }

    /// Adds the thresholds that a number reaches.
    pub(super) fn number(&mut self, name: &str, value: usize) {
        self.0.extend((1..=value).map(|threshold| format!("{name}>={threshold}")));
    }

    /// Adds the thresholds that a number reaches, together with another condition.
    pub(super) fn number_with(&mut self, name: &str, value: usize, condition: &str) {
        self.0.extend((1..=value).map(|threshold| format!("{name}>={threshold}&{condition}")));
    }

    /// Adds the thresholds that a number reaches, alone and together with the time that is left.
    pub(super) fn number_at(&mut self, name: &str, value: usize, days: &str) {
        self.number(name, value);
        self.number_with(name, value, &format!("days={days}"));
    }

    /// As [`Words::number_at`], for the number `lowest` + `index`. It also adds that the time is
    /// left, so that the lowest number has an input.
    pub(super) fn signed_at(&mut self, name: &str, index: usize, lowest: i32, days: &str) {
        self.add(format!("{name}&days={days}"));
        for threshold in lowest + 1..=lowest + index as i32 {
            self.add(format!("{name}>={threshold}"));
            self.add(format!("{name}>={threshold}&days={days}"));
        }
    }
}

/// Returns the index of a number among those from `lowest` to `highest`.
#[inline]
pub(super) fn index_between(value: i32, lowest: i32, highest: i32) -> usize {
    (value.clamp(lowest, highest) - lowest) as usize
}

/// Returns the number of indices of [`index_between`].
pub(super) const fn count_between(lowest: i32, highest: i32) -> usize {
    (highest - lowest + 1) as usize
}

/// The maximum difference of tokens of a kind by an offer, in either direction.
pub(super) const MAX_DIFFERENCE: i32 = 3;

pub(super) fn objective_name(index: usize) -> &'static str {
    Objective::ALL[index].name()
}

pub(super) fn policy_name(index: usize) -> &'static str {
    PolicyKind::ALL[index].name()
}

pub(super) fn token_name(index: usize) -> &'static str {
    Token::ALL[index].name()
}

pub(super) const TIME_COUNT: usize = TIMES.len();
pub(super) const SPAN_COUNT: usize = SPANS.len();
pub(super) const MODE_COUNT: usize = MODES.len();
pub(super) const OBJECTIVE_COUNT: usize = Objective::ALL.len();
pub(super) const POLICY_COUNT: usize = PolicyKind::ALL.len();
pub(super) const TOKEN_COUNT: usize = Token::ALL.len();

const _: () = assert!(Mode::Roles as usize + 1 == MODE_COUNT);

/// Names the inputs of a difference of tokens of a kind by an offer.
pub(super) fn describe_difference(words: &mut Words, name: &str, token: usize, index: usize) {
    let difference = index as i32 - MAX_DIFFERENCE;
    let change = if difference < 0 { "loses" } else { "gains" };
    let name = format!("{name}.{change}.{}", token_name(token));
    words.number(&name, difference.unsigned_abs() as usize);
}
