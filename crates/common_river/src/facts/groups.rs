//! The values that distinguish facts, and descriptions of facts by functions.

use super::super::{
    components::{Objective, Structure, Token},
    phases::{Mode, PolicyKind},
};
use watershed_engine::game::facts::{
    Inputs,
    axis::{Axis, choices, named, names, range, up_to},
};

/// The numbers of days on which structures can still act, today included, as counted by
/// [`Context::time`](super::context::Context::time). 0 stands for the last evening.
pub(super) const TIME: Axis = names(&["0", "1", "2", "3-4", "5-7", "8+"]);

/// As [`TIME`], in fewer steps, as counted by [`Context::span`](super::context::Context::span).
pub(super) const SPAN: Axis = names(&["0", "1", "2-4", "5+"]);

/// The modes of a game, in the order of [`Mode`].
pub(super) const MODE: Axis = names(&["solo", "competitive", "coop", "roles"]);
const _: () = assert!(Mode::Roles as usize + 1 == MODE.len());

/// The phases, in the order of [`Phase`](super::super::phases::Phase).
pub(super) const PHASE: Axis = names(&[
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
]);

/// The stages of the turn of a structure, in the order of [`Stage`](super::super::phases::Stage).
pub(super) const STAGE: Axis = names(&["start", "harvested", "building", "built"]);

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

/// The kinds of structure that act, as [`acting_index`](super::position::acting_index) counts them.
pub(super) const ACTING: Axis = names(&["boat", "camp", "excavator", "mill"]);

/// The states of the City.
pub(super) const CITY_STATE: Axis = names(&["none", "no_gold", "site", "complete", "flooded"]);

/// A number of fish that an objective lacks.
pub(super) const MISSING_FISH: Axis = up_to(16);
/// A number of tokens that the City lacks.
pub(super) const MISSING_CITY: Axis = up_to(16);
pub(super) const GOLD_LEAD: Axis = range(-8, 8);
/// A difference of gold when all goods are sold.
pub(super) const WEALTH_LEAD: Axis = range(-10, 10);
pub(super) const POLLUTION: Axis = up_to(16);
/// The tokens that a seat lacks for fish and the City together.
pub(super) const NEED: Axis = up_to(28);
/// The tokens that can be expected beyond the need, in either direction.
pub(super) const SLACK: Axis = range(-16, 16);
/// The tokens of a kind that are lacking.
pub(super) const LACK: Axis = up_to(8);
/// The tokens of a kind that can still be had beyond the lack, in either direction.
pub(super) const SURPLUS: Axis = range(-6, 6);
/// The kinds of token that the map brings forth, in the order of [`Token::NATURAL`].
pub(super) const NATURAL: Axis = names(&["fish", "gravel", "tree"]);
pub(super) const WATER: Axis = range(-6, 12);
/// The modifier of a weather card.
pub(super) const MODIFIER: Axis = range(-6, 8);
pub(super) const ELEVATION: Axis = range(0, 10);
/// A difference of tokens by an offer.
pub(super) const DIFFERENCE: Axis = range(-3, 3);
/// A row, counted from the mouth of the river.
pub(super) const ROW: Axis = choices(super::super::components::MAX_ROWS);

pub(super) const OBJECTIVE: Axis =
    named(Objective::ALL.len(), |objective| Objective::ALL[objective].name());
pub(super) const POLICY: Axis =
    named(PolicyKind::ALL.len(), |policy| PolicyKind::ALL[policy].name());
pub(super) const STRUCTURE: Axis =
    named(Structure::ALL.len(), |structure| Structure::ALL[structure].name());
pub(super) const TOKEN: Axis = named(Token::ALL.len(), |token| Token::ALL[token].name());

/// Describes the difference of tokens of a kind by an offer.
pub(super) fn describe_difference(
    inputs: &mut Inputs<'_>,
    name: &str,
    token: usize,
    difference: usize,
) {
    let difference = DIFFERENCE.value(difference);
    let change = if difference < 0 { "loses" } else { "gains" };
    let name = format!("{name}.{change}.{}", TOKEN.name(token));
    inputs.number(&name, difference.unsigned_abs(), difference.unsigned_abs());
}
