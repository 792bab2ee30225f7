//! The facts of positions and actions of We All Take from the River, for networks.
//!
//! The facts are the same for all data files: tiles, cards and roles are described by what the
//! data file says about them, with numbers capped. Rows are counted from the mouth of the river, so
//! that the estuary has the same number on all maps. `position.rs` lists the facts of positions,
//! and `action.rs` those of actions.

mod action;
mod position;
mod situation;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::{
    action::ACTION_KINDS,
    components::{MAX_ROWS, Objective, Structure, Token},
    phases::{Mode, PolicyKind},
};
use crate::game::facts::{FactBlock, FactGroup, FactList, FactTable};

/// The numbers of days on which structures can still act, today included, as counted by
/// [`Situation::time`](situation::Situation::time). 0 stands for the last evening.
const TIMES: [&str; 6] = ["0", "1", "2", "3-4", "5-7", "8+"];

/// As [`TIMES`], in fewer steps, as counted by [`Situation::span`](situation::Situation::span).
const SPANS: [&str; 4] = ["0", "1", "2-4", "5+"];

/// The modes of a game, in the order of [`Mode`].
const MODES: [&str; 4] = ["solo", "competitive", "coop", "roles"];

/// The phases, in the order of [`Phase`](super::phases::Phase).
const PHASES: [&str; 24] = [
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

/// The stages of the turn of a structure, in the order of [`Stage`](super::phases::Stage).
const STAGES: [&str; 4] = ["start", "harvested", "building", "built"];

/// The kinds of structure that are built.
const BUILDABLE: [Structure; 8] = [
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
const PRICED: [Structure; 5] =
    [Structure::Boat, Structure::Excavator, Structure::Farm, Structure::Mill, Structure::Net];

/// The kinds of structure that act.
const ACTING: [Structure; 4] =
    [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];

/// The states of the City.
const CITY_STATES: [&str; 5] = ["none", "no_gold", "site", "complete", "flooded"];

/// The uses that a seat has for a token that it gains, in the order of their bits.
const GAIN_USES: [&str; 4] = ["objective", "city", "boat", "structure"];

/// The uses that a seat has for a token that it loses, in the order of their bits.
const LOSS_USES: [&str; 4] = ["objective", "city", "boat", "capital"];

/// The maximum number of fish that an objective is counted to lack.
const MAX_MISSING_FISH: usize = 16;
/// The maximum number of tokens that the City is counted to lack.
const MAX_MISSING_CITY: usize = 16;
/// The maximum difference of gold.
const MAX_GOLD_LEAD: i32 = 8;
/// The maximum difference of gold when all goods are sold.
const MAX_WEALTH_LEAD: i32 = 10;
/// The maximum number of pollution tokens that is counted.
const MAX_POLLUTION: usize = 16;
/// The maximum of half the tokens that a seat lacks for fish and the City together.
const MAX_NEED: usize = 14;
/// The maximum of half the tokens that can be expected beyond the need, in either direction.
const MAX_SLACK: i32 = 8;
/// The water levels that are told apart.
const WATER: (i32, i32) = (-6, 12);
/// The modifiers of weather cards that are told apart.
const MODIFIERS: (i32, i32) = (-6, 8);
/// The highest elevation that is counted.
const MAX_ELEVATION: usize = 10;

/// The facts with every combination of `N` numbers.
#[derive(Clone, Copy, Debug)]
struct Cross<const N: usize> {
    group: FactGroup,
    sizes: [usize; N],
}

impl<const N: usize> Cross<N> {
    /// Adds the facts. `describe` names the inputs of one, given its numbers, each below its size.
    fn new(
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
    fn push(&self, list: &mut FactList, at: [usize; N]) {
        let mut index = 0;
        for (number, size) in at.into_iter().zip(self.sizes) {
            index = index * size + number.min(size - 1);
        }
        list.push_choice(self.group, index);
    }
}

/// The names of the inputs of a fact.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, name: impl Into<String>) {
        self.0.push(name.into());
    }

    fn add_if(&mut self, holds: bool, name: &str) {
        if holds {
            self.add(name);
        }
    }

    /// Adds the thresholds that a number reaches.
    fn number(&mut self, name: &str, value: usize) {
        self.0.extend((1..=value).map(|threshold| format!("{name}>={threshold}")));
    }

    /// Adds the thresholds that a number reaches, together with another condition.
    fn number_with(&mut self, name: &str, value: usize, condition: &str) {
        self.0.extend((1..=value).map(|threshold| format!("{name}>={threshold}&{condition}")));
    }

    /// Adds the thresholds that a number reaches, alone and together with the time that is left.
    fn number_at(&mut self, name: &str, value: usize, days: &str) {
        self.number(name, value);
        self.number_with(name, value, &format!("days={days}"));
    }

    /// As [`Words::number_at`], for the number `lowest` + `index`. It also adds that the time is
    /// left, so that the lowest number has an input.
    fn signed_at(&mut self, name: &str, index: usize, lowest: i32, days: &str) {
        self.add(format!("{name}&days={days}"));
        for threshold in lowest + 1..=lowest + index as i32 {
            self.add(format!("{name}>={threshold}"));
            self.add(format!("{name}>={threshold}&days={days}"));
        }
    }
}

/// Returns the index of a number among those from `lowest` to `highest`.
#[inline]
fn index_between(value: i32, lowest: i32, highest: i32) -> usize {
    (value.clamp(lowest, highest) - lowest) as usize
}

/// Returns the number of indices of [`index_between`].
const fn count_between(lowest: i32, highest: i32) -> usize {
    (highest - lowest + 1) as usize
}

/// The facts about a seat, for all to see.
#[derive(Debug)]
struct SeatFacts {
    stock: [FactGroup; Token::ALL.len()],
    /// Objective that is no secret, time, fish that the objective Agriculture lacks.
    missing_fish: Cross<3>,
    /// Kind, number, time.
    structures: Cross<3>,
    /// Row, camp of another seat in the row.
    camp_row: Cross<2>,
    /// Can act today, trees, gravel and fish in reach.
    camp_yield: Cross<4>,
    /// Pollution on the tile and in the river.
    camp_pollution: Cross<2>,
    /// Kind, tokens missing for the price, camp can act today, number on the map, time.
    price: Cross<5>,
    /// Row, can act today, fish and pollution there.
    boat: Cross<4>,
    /// Kind, can act today, tokens in reach, pollution on the tile.
    machine: Cross<4>,
    /// Works, canals on the tile, row.
    farm: Cross<3>,
    /// Line, other net on the line.
    net: Cross<2>,
    /// Capital is the only objective, time, lead in gold.
    gold_lead: Cross<3>,
    /// Capital is the only objective, time, lead in gold when all goods are sold.
    wealth_lead: Cross<3>,
    wealth: FactGroup,
    /// The City has a site, time, tokens missing after all that the seat can add.
    city_gap: Cross<3>,
    proposals: FactGroup,
    camp_order: Cross<1>,
    /// Kind, stage, free to stop.
    actor: Cross<3>,
    /// Phase in which the seat decides, time.
    decides: Cross<2>,
    /// Token, difference by the offer.
    offer: Cross<2>,
    /// Part in the vote, policy.
    vote: Cross<2>,
}

/// The facts from the point of view of a seat.
#[derive(Debug)]
struct ViewFacts {
    /// Time, pollution; for the objective Conservation.
    conservation: Cross<2>,
    /// Time, missing fish.
    agriculture: Cross<2>,
    /// State, time.
    development: Cross<2>,
    /// Time, tokens missing after all that the seat can add.
    development_gap: Cross<2>,
    /// Time, lead in gold.
    capital: Cross<2>,
    /// Time, lead in gold when all goods are sold.
    capital_wealth: Cross<2>,
    /// Time, lowest number of objectives, of any kind, that another seat has completed.
    charity: Cross<2>,
    /// Time, other seats that have completed an objective of any kind.
    charity_seats: Cross<2>,
    /// First and second objective of the seat, which of them are completed, time.
    pair: Cross<4>,
    /// Time, own objectives that are not completed.
    open_objectives: Cross<2>,
    /// Policy, objective, result as the votes stand.
    policy: Cross<3>,
    /// Time, half the tokens missing for own objectives.
    need: Cross<2>,
    /// Time, half the tokens to be expected beyond the need.
    slack: Cross<2>,
    /// Time, pollution, boats.
    cleaning: Cross<3>,
}

/// The facts that are the same for all seats.
#[derive(Debug)]
struct SharedFacts {
    /// Mode, players.
    table: Cross<2>,
    /// Phase, mode.
    phase: Cross<2>,
    /// Time, mode.
    time: Cross<2>,
    share_played: FactGroup,
    /// Rows that can act, storm.
    rows_to_act: Cross<2>,
    water: Cross<1>,
    carried_water: FactGroup,
    /// Position in the almanac, modifier, storm.
    card: Cross<3>,
    /// Position of the storm, time.
    storm: Cross<2>,
    /// Time, pollution on the map.
    pollution: Cross<2>,
    /// Clean slots of the estuary, pollution in the river above, time.
    estuary: Cross<3>,
    /// Row, pollution in the river.
    river_pollution: Cross<2>,
    /// Row, pollution on land.
    land_pollution: Cross<2>,
    /// Time, polluted land tiles without an acting structure.
    unattended: Cross<2>,
    /// Row, fish.
    fish: Cross<2>,
    /// Time, rows with fish.
    fish_rows: Cross<2>,
    trees: FactGroup,
    gravel: FactGroup,
    /// State, time.
    city: Cross<2>,
    city_missing: [FactGroup; 3],
    /// Time, tokens missing.
    city_total: Cross<2>,
    /// Effective elevation of its tile, complete, row.
    city_tile: Cross<3>,
    subsidized: Cross<1>,
    protected_land: FactGroup,
    protected_river: FactGroup,
    flooded: FactGroup,
    /// Policy, result as the votes stand.
    proposal: Cross<2>,
    taking: u16,
    /// Mode, time, half the tokens that a seat lacks on average.
    team_need: Cross<3>,
    /// Mode, time, half the tokens to be expected beyond the need.
    team_slack: Cross<3>,
}

/// The facts about actions.
#[derive(Debug)]
struct ActionFacts {
    /// Kind, time, mode.
    kind: Cross<3>,
    /// Phase that is ended, time.
    ends: Cross<2>,
    /// Token, uses, time.
    gain: Cross<3>,
    /// Token, uses, time.
    lose: Cross<3>,
    /// Fish that stay on the tile, time.
    fish_left: Cross<2>,
    /// Place, objective Conservation, pollution that stays on the map, time.
    clean: Cross<4>,
    /// Clean slots of the estuary, in the estuary, objective Conservation, time.
    pollute: Cross<4>,
    /// Token, tokens that stay on the tile, half tile, first one.
    take: Cross<4>,
    /// Token, tile without one, time.
    plant: Cross<3>,
    /// Kind, number on the map, time, mode.
    build: Cross<4>,
    /// Kind, number of matching things at the place.
    build_place: Cross<2>,
    /// Fish that are left.
    build_fish: FactGroup,
    /// Tokens missing for own objectives, time.
    build_need: Cross<2>,
    /// Elevation of a new camp, row.
    camp: Cross<2>,
    /// Trees, gravel and fish at a new camp, other camp in the row.
    camp_place: Cross<4>,
    /// Trees and gravel in reach of the tile of a new camp.
    camp_reach: Cross<2>,
    /// Fish, pollution and own boats on a tile to which a boat moves, row.
    boat_to: Cross<4>,
    /// Fish and pollution on the tile that a boat leaves.
    boat_from: Cross<2>,
    /// Objective Conservation, pollution at the end of a move, time.
    move_to_pollution: Cross<3>,
    /// Trees, gravel, fish and pollution where a camp moves.
    camp_to: Cross<4>,
    /// Trees, gravel, fish and pollution where a camp was.
    camp_from: Cross<4>,
    /// Tokens in reach and pollution where an excavator moves.
    excavator_to: Cross<2>,
    /// Kind, row of the end of a move.
    move_row: Cross<2>,
    /// Kind, tokens in reach, pollution on the tile.
    use_place: Cross<3>,
    ferry: Cross<1>,
    /// Kind, stage, time.
    stop: Cross<3>,
    /// Gold of the seat, objective Capital, gold wanted for the City, time.
    sell: Cross<4>,
    /// Gold that is left after a purchase.
    buy: FactGroup,
    /// Policy, own objective, time.
    propose: Cross<3>,
    /// Row, effective elevation; of a tile for the City.
    city_place: Cross<2>,
    /// Trees, gravel and pollution on a tile for the City.
    city_slots: Cross<3>,
    /// Policy, river, row.
    policy_tile: Cross<3>,
    /// Policy, own structures and those of others on the tile of a proposal, vote.
    policy_structures: Cross<4>,
    /// Yes, policy, own objective, result as the votes stand.
    vote: Cross<4>,
    /// Bid, own side, policy, own objective.
    bid: Cross<4>,
    /// Tokens missing afterwards, objective Development, time.
    city: Cross<3>,
    /// Objective Conservation, time; if the City is completed.
    city_completed: Cross<2>,
    /// Kind.
    salvage: Cross<1>,
    /// Kind.
    remove: Cross<1>,
    /// Tokens of the partner, mode.
    partner: Cross<2>,
    /// Token, partner wants it as a partner in a cooperative game.
    partner_token: Cross<3>,
    /// Answer, tokens gained minus tokens lost, mode.
    balance: Cross<3>,
    /// Answer, token, difference.
    difference: Cross<3>,
}

/// All facts of the game.
#[derive(Debug)]
struct Facts {
    seat: SeatFacts,
    view: ViewFacts,
    shared: SharedFacts,
    action: ActionFacts,
}

/// The answers that complete an offer or end it, and the sending of an offer.
const ANSWERS: [&str; 3] = ["refuse", "accept", "send"];

/// The maximum difference of tokens of a kind by an offer, in either direction.
const MAX_DIFFERENCE: i32 = 3;

static FACTS: LazyLock<(Facts, FactTable)> = LazyLock::new(|| {
    let mut table = FactTable::default();
    let facts = Facts {
        seat: SeatFacts::new(&mut table.seat),
        view: ViewFacts::new(&mut table.view),
        shared: SharedFacts::new(&mut table.shared),
        action: ActionFacts::new(&mut table.action),
    };
    (facts, table)
});

/// Returns the table of all facts.
pub(super) fn table() -> FactTable {
    FACTS.1.clone()
}

fn objective_name(index: usize) -> &'static str {
    Objective::ALL[index].name()
}

fn policy_name(index: usize) -> &'static str {
    PolicyKind::ALL[index].name()
}

fn token_name(index: usize) -> &'static str {
    Token::ALL[index].name()
}

const TIME_COUNT: usize = TIMES.len();
const SPAN_COUNT: usize = SPANS.len();
const MODE_COUNT: usize = MODES.len();
const OBJECTIVE_COUNT: usize = Objective::ALL.len();
const POLICY_COUNT: usize = PolicyKind::ALL.len();
const TOKEN_COUNT: usize = Token::ALL.len();

const _: () = assert!(Mode::Roles as usize + 1 == MODE_COUNT);

impl SeatFacts {
    #[expect(clippy::too_many_lines, reason = "a list")]
    fn new(block: &mut FactBlock) -> Self {
        let stock = [(20, 0), (16, 1), (12, 2), (8, 3), (12, 4)]
            .map(|(max, token)| block.number(token_name(token), max));
        let missing_fish = Cross::new(
            block,
            [2, SPAN_COUNT, MAX_MISSING_FISH + 1],
            |[public, span, missing], words| {
                words.number_at("missing_fish", missing, SPANS[span]);
                if public == 1 {
                    words.number_at("public.missing_fish", missing, SPANS[span]);
                    if missing == 0 {
                        words.add(format!("public.fed&days={}", SPANS[span]));
                    }
                }
            },
        );
        let structures =
            Cross::new(block, [BUILDABLE.len(), 6, SPAN_COUNT], |[kind, count, span], words| {
                words.number_at(BUILDABLE[kind].name(), count, SPANS[span]);
            });
        Self {
            stock,
            missing_fish,
            structures,
            camp_row: Cross::new(block, [MAX_ROWS, 2], |[row, other], words| {
                words.add(format!("camp.row={row}"));
                words.add_if(other == 0, "camp.alone_in_row");
            }),
            camp_yield: Cross::new(block, [2, 3, 3, 4], |[ready, trees, gravel, fish], words| {
                for (name, value) in
                    [("camp.trees", trees), ("camp.gravel", gravel), ("camp.fish", fish)]
                {
                    words.number(name, value);
                    if ready == 1 {
                        words.number_with(name, value, "ready");
                    }
                }
                words.add_if(ready == 1, "camp.ready");
            }),
            camp_pollution: Cross::new(block, [3, 3], |[land, river], words| {
                words.number("camp.pollution", land);
                words.number("camp.river_pollution", river);
            }),
            price: Cross::new(
                block,
                [PRICED.len(), 6, 2, 4, SPAN_COUNT],
                |[kind, missing, ready, count, span], words| {
                    let name = PRICED[kind].name();
                    for most in missing..5 {
                        words.add(format!("{name}.missing<={most}"));
                        words.add(format!("{name}.missing<={most}&count={count}"));
                    }
                    if missing == 0 {
                        words.add(format!("{name}.affordable&days={}", SPANS[span]));
                        words.add_if(ready == 1, &format!("{name}.affordable&camp.ready"));
                    }
                },
            ),
            boat: Cross::new(block, [MAX_ROWS, 2, 4, 3], |[row, ready, fish, pollution], words| {
                words.add(format!("boat.row={row}"));
                words.number("boat.fish", fish);
                words.number("boat.pollution", pollution);
                if ready == 1 {
                    words.add("boat.ready");
                    words.number_with("boat.fish", fish, "ready");
                    words.number_with("boat.pollution", pollution, "ready");
                }
            }),
            machine: Cross::new(block, [2, 2, 4, 2], |[kind, ready, tokens, pollution], words| {
                let name = ["excavator", "mill"][kind];
                words.number(&format!("{name}.reach"), tokens);
                words.add_if(pollution == 1, &format!("{name}.pollution"));
                if ready == 1 {
                    words.add(format!("{name}.ready"));
                    words.number_with(&format!("{name}.reach"), tokens, "ready");
                }
            }),
            farm: Cross::new(block, [2, 4, MAX_ROWS], |[works, canals, row], words| {
                words.add_if(works == 1, "farm.works");
                words.number("farm.canals", canals);
                words.add(format!("farm.row={row}"));
            }),
            net: Cross::new(block, [MAX_ROWS, 2], |[line, other], words| {
                words.add(format!("net.line={line}"));
                words.add_if(other == 1, "net.shares_line");
            }),
            gold_lead: Self::lead(block, "gold_lead", MAX_GOLD_LEAD),
            wealth_lead: Self::lead(block, "wealth_lead", MAX_WEALTH_LEAD),
            wealth: block.number("wealth", 20),
            city_gap: Cross::new(
                block,
                [2, SPAN_COUNT, MAX_MISSING_CITY + 1],
                |[site, span, gap], words| {
                    words.number_at("city_gap", gap, SPANS[span]);
                    words.add_if(gap == 0, &format!("city_gap=0&days={}", SPANS[span]));
                    if site == 1 {
                        words.number("site.city_gap", gap);
                    }
                },
            ),
            proposals: block.number("proposals", 4),
            camp_order: Cross::new(block, [5], |[order], words| {
                words.add(format!("camp_order={order}"));
            }),
            actor: Cross::new(block, [ACTING.len(), 4, 2], |[kind, stage, free], words| {
                let name = ACTING[kind].name();
                words.add(format!("acts={name}"));
                words.add(format!("acts={name}&stage={}", STAGES[stage]));
                words.add_if(free == 1, "acts&free_to_stop");
            }),
            decides: Cross::new(block, [PHASES.len(), SPAN_COUNT], |[phase, span], words| {
                words.add("decides");
                words.add(format!("decides={}", PHASES[phase]));
                words.add(format!("decides&days={}", SPANS[span]));
            }),
            offer: Cross::new(
                block,
                [TOKEN_COUNT, count_between(-MAX_DIFFERENCE, MAX_DIFFERENCE)],
                |[token, index], words| {
                    describe_difference(words, "offer", token, index);
                },
            ),
            vote: Cross::new(block, [4, POLICY_COUNT], |[part, policy], words| {
                let part = ["proposer", "yes", "no", "undecided"][part];
                words.add(format!("vote={part}"));
                words.add(format!("vote={part}&policy={}", policy_name(policy)));
            }),
        }
    }

    fn lead(block: &mut FactBlock, name: &'static str, max: i32) -> Cross<3> {
        Cross::new(
            block,
            [2, SPAN_COUNT, count_between(-max, max)],
            |[only, span, index], words| {
                words.signed_at(name, index, -max, SPANS[span]);
                if only == 1 {
                    words.signed_at(&format!("public.{name}"), index, -max, SPANS[span]);
                }
            },
        )
    }
}

/// Names the inputs of a difference of tokens of a kind by an offer.
fn describe_difference(words: &mut Words, name: &str, token: usize, index: usize) {
    let difference = index as i32 - MAX_DIFFERENCE;
    let change = if difference < 0 { "loses" } else { "gains" };
    let name = format!("{name}.{change}.{}", token_name(token));
    words.number(&name, difference.unsigned_abs() as usize);
}

impl ViewFacts {
    fn new(block: &mut FactBlock) -> Self {
        let lead = |block: &mut FactBlock, name: &'static str, max: i32| {
            Cross::new(block, [TIME_COUNT, count_between(-max, max)], |[time, index], words| {
                words.signed_at(name, index, -max, TIMES[time]);
            })
        };
        let missing = |block: &mut FactBlock, name: &'static str, max: usize| {
            Cross::new(block, [TIME_COUNT, max + 1], |[time, missing], words| {
                words.add(format!("{name}&days={}", TIMES[time]));
                words.number_at(name, missing, TIMES[time]);
            })
        };
        Self {
            conservation: missing(block, "own.pollution", MAX_POLLUTION),
            agriculture: missing(block, "own.missing_fish", MAX_MISSING_FISH),
            development: Cross::new(
                block,
                [CITY_STATES.len(), TIME_COUNT],
                |[city, time], words| {
                    words.add("own.development");
                    words.add(format!("own.city={}", CITY_STATES[city]));
                    words.add(format!("own.city={}&days={}", CITY_STATES[city], TIMES[time]));
                },
            ),
            development_gap: missing(block, "own.city_gap", MAX_MISSING_CITY),
            capital: lead(block, "own.gold_lead", MAX_GOLD_LEAD),
            capital_wealth: lead(block, "own.wealth_lead", MAX_WEALTH_LEAD),
            charity: missing(block, "own.least_completed", 4),
            charity_seats: missing(block, "own.seats_with_one", 4),
            pair: Cross::new(
                block,
                [OBJECTIVE_COUNT, OBJECTIVE_COUNT, 4, SPAN_COUNT],
                |[first, second, completed, span], words| {
                    if first == second {
                        words.add(format!("own.single={}", objective_name(first)));
                    } else {
                        let pair = format!(
                            "own.pair={}+{}",
                            objective_name(first.min(second)),
                            objective_name(first.max(second))
                        );
                        words.add(&*pair);
                        // The first objective is always the lower one.
                        words.add_if(completed & 1 == 1, &format!("{pair}.first"));
                        words.add_if(completed & 2 == 2, &format!("{pair}.second"));
                        words.add_if(completed == 3, &format!("{pair}.both"));
                    }
                    let count = completed.count_ones();
                    words.add(format!("own.pair.completed={count}&days={}", SPANS[span]));
                },
            ),
            open_objectives: missing(block, "own.open_objectives", 5),
            policy: Cross::new(
                block,
                [POLICY_COUNT, OBJECTIVE_COUNT, 3],
                |[policy, objective, result], words| {
                    let name =
                        format!("policy={}&{}", policy_name(policy), objective_name(objective));
                    words.add_if(result == 0, &format!("{name}&fails"));
                    words.add_if(result > 0, &format!("{name}&passes"));
                    words.add(name);
                },
            ),
            need: missing(block, "own.need/2", MAX_NEED),
            slack: lead(block, "own.slack/2", MAX_SLACK),
            cleaning: Cross::new(block, [TIME_COUNT, 8, 4], |[time, pollution, boats], words| {
                words.add(format!("own.boats={boats}&conservation"));
                words.number_with("own.dirt", pollution, &format!("boats={boats}"));
                words.number_with("own.dirt", pollution, &format!("days={}", TIMES[time]));
                if pollution == 0 {
                    words.add(format!("own.clean&days={}", TIMES[time]));
                }
            }),
        }
    }
}

impl SharedFacts {
    #[expect(clippy::too_many_lines, reason = "a list")]
    fn new(block: &mut FactBlock) -> Self {
        let timed = |block: &mut FactBlock, name: &'static str, max: usize| {
            Cross::new(block, [TIME_COUNT, max + 1], |[time, value], words| {
                words.number_at(name, value, TIMES[time]);
            })
        };
        let by_row = |block: &mut FactBlock, name: &'static str, max: usize| {
            Cross::new(block, [MAX_ROWS, max + 1], |[row, value], words| {
                words.number(name, value);
                words.number_with(name, value, &format!("row={row}"));
            })
        };
        Self {
            table: Cross::new(block, [MODE_COUNT, 6], |[mode, players], words| {
                words.add(format!("mode={}", MODES[mode]));
                words.number("players", players);
            }),
            phase: Cross::new(block, [PHASES.len(), MODE_COUNT], |[phase, mode], words| {
                words.add(format!("phase={}", PHASES[phase]));
                words.add(format!("phase={}&mode={}", PHASES[phase], MODES[mode]));
            }),
            time: Cross::new(block, [TIME_COUNT, MODE_COUNT], |[time, mode], words| {
                words.add(format!("days={}", TIMES[time]));
                words.add(format!("days={}&mode={}", TIMES[time], MODES[mode]));
            }),
            share_played: block.number("share_played", 10),
            rows_to_act: Cross::new(block, [MAX_ROWS + 1, 2], |[rows, storm], words| {
                words.number("rows_to_act", rows);
                if storm == 1 {
                    words.add("storm_day");
                    words.number_with("rows_to_act", rows, "storm");
                }
            }),
            water: Cross::new(block, [count_between(WATER.0, WATER.1)], |[index], words| {
                for threshold in WATER.0 + 1..=WATER.0 + index as i32 {
                    words.add(format!("water>={threshold}"));
                }
            }),
            carried_water: block.number("carried_water", 8),
            card: Cross::new(
                block,
                [3, count_between(MODIFIERS.0, MODIFIERS.1), 2],
                |[place, index, storm], words| {
                    let name = format!("card_{}", place + 1);
                    for threshold in MODIFIERS.0 + 1..=MODIFIERS.0 + index as i32 {
                        words.add(format!("{name}>={threshold}"));
                    }
                    words.add_if(storm == 1, &format!("{name}.storm"));
                },
            ),
            storm: Cross::new(block, [5, SPAN_COUNT], |[place, span], words| {
                let place = ["today", "in_1", "in_2", "unseen", "over"][place];
                words.add(format!("storm={place}"));
                words.add(format!("storm={place}&days={}", SPANS[span]));
            }),
            pollution: timed(block, "pollution", MAX_POLLUTION),
            estuary: Cross::new(block, [6, 5, SPAN_COUNT], |[clean, above, span], words| {
                words.number_at("estuary.clean", clean, SPANS[span]);
                words.number_with("upriver_pollution", above, &format!("estuary={clean}"));
            }),
            river_pollution: by_row(block, "river_pollution", 4),
            land_pollution: by_row(block, "land_pollution", 4),
            unattended: timed(block, "unattended_pollution", 6),
            fish: by_row(block, "fish", 6),
            fish_rows: timed(block, "rows_with_fish", MAX_ROWS),
            trees: block.number("trees_on_map", 24),
            gravel: block.number("gravel_on_map", 16),
            city: Cross::new(block, [CITY_STATES.len(), TIME_COUNT], |[city, time], words| {
                words.add(format!("city={}", CITY_STATES[city]));
                words.add(format!("city={}&days={}", CITY_STATES[city], TIMES[time]));
            }),
            city_missing: ["fish", "gravel", "tree"]
                .map(|token| block.number(&format!("city.missing_{token}"), 8)),
            city_total: timed(block, "city.missing", MAX_MISSING_CITY),
            city_tile: Cross::new(
                block,
                [MAX_ELEVATION + 1, 2, MAX_ROWS],
                |[elevation, complete, row], words| {
                    words.number("city.elevation", elevation);
                    words.add(format!("city.row={row}"));
                    if complete == 1 {
                        words.number_with("city.elevation", elevation, "complete");
                    }
                },
            ),
            subsidized: Cross::new(block, [SPAN_COUNT], |[span], words| {
                words.add("subsidized");
                words.add(format!("subsidized&days={}", SPANS[span]));
            }),
            protected_land: block.number("protected_land", 6),
            protected_river: block.number("protected_river", 4),
            flooded: block.number("flooded", 6),
            proposal: Cross::new(block, [POLICY_COUNT, 3], |[policy, result], words| {
                words.add(format!("policy={}", policy_name(policy)));
                words.number(&format!("policy={}.margin", policy_name(policy)), result);
            }),
            taking: block.flag("taking"),
            team_need: Cross::new(
                block,
                [2, TIME_COUNT, MAX_NEED + 1],
                |[coop, time, need], words| {
                    let name = ["solo.need/2", "coop.need/4"][coop];
                    words.add(format!("{name}&days={}", TIMES[time]));
                    words.number_at(name, need, TIMES[time]);
                },
            ),
            team_slack: Cross::new(
                block,
                [2, TIME_COUNT, count_between(-MAX_SLACK, MAX_SLACK)],
                |[coop, time, index], words| {
                    let name = ["solo.slack/2", "coop.slack/2"][coop];
                    words.signed_at(name, index, -MAX_SLACK, TIMES[time]);
                },
            ),
        }
    }
}

impl ActionFacts {
    #[expect(clippy::too_many_lines, reason = "a list")]
    fn new(block: &mut FactBlock) -> Self {
        let uses = |block: &mut FactBlock, name: &'static str, uses: [&'static str; 4]| {
            Cross::new(block, [TOKEN_COUNT, 16, SPAN_COUNT], move |[token, bits, span], words| {
                let name = format!("{name}={}", token_name(token));
                words.add(&*name);
                words.add(format!("{name}&days={}", SPANS[span]));
                for (bit, usage) in uses.iter().enumerate() {
                    if bits >> bit & 1 == 1 {
                        words.add(format!("{name}&{usage}"));
                        words.add(format!("{name}&{usage}&days={}", SPANS[span]));
                    }
                }
                words.add_if(bits == 0, &format!("{name}&no_use"));
            })
        };
        let places = |block: &mut FactBlock, name: &'static str| {
            Cross::new(block, [3, 3, 4, 3], |[trees, gravel, fish, pollution], words| {
                words.add(name);
                words.number(&format!("{name}.trees"), trees);
                words.number(&format!("{name}.gravel"), gravel);
                words.number(&format!("{name}.fish"), fish);
                words.number(&format!("{name}.pollution"), pollution);
            })
        };
        Self {
            kind: Cross::new(
                block,
                [ACTION_KINDS.len(), SPAN_COUNT, MODE_COUNT],
                |[kind, span, mode], words| {
                    let kind = ACTION_KINDS[kind];
                    words.add(format!("kind={kind}"));
                    words.add(format!("kind={kind}&days={}", SPANS[span]));
                    words.add(format!("kind={kind}&mode={}", MODES[mode]));
                },
            ),
            ends: Cross::new(block, [PHASES.len(), SPAN_COUNT], |[phase, span], words| {
                words.add(format!("ends={}", PHASES[phase]));
                words.add(format!("ends={}&days={}", PHASES[phase], SPANS[span]));
            }),
            gain: uses(block, "gain", GAIN_USES),
            lose: uses(block, "lose", LOSS_USES),
            fish_left: Cross::new(block, [4, SPAN_COUNT], |[left, span], words| {
                words.number_at("fish_left", left, SPANS[span]);
                words.add_if(left == 0, &format!("last_fish&days={}", SPANS[span]));
            }),
            clean: Cross::new(block, [3, 2, 8, SPAN_COUNT], |[place, own, left, span], words| {
                let place = ["land", "river", "estuary"][place];
                words.add(format!("clean={place}"));
                if own == 1 {
                    words.add(format!("clean={place}&conservation"));
                    words.add(format!("clean&conservation&days={}", SPANS[span]));
                    words.number("clean.left", left);
                    words.add_if(left == 0, &format!("clean.all&days={}", SPANS[span]));
                }
            }),
            pollute: Cross::new(block, [4, 2, 2, SPAN_COUNT], |[clean, here, own, span], words| {
                words.add("pollute");
                words.add(format!("pollute&days={}", SPANS[span]));
                words.add(format!("pollute&estuary={clean}"));
                words.add_if(here == 1, "pollute.estuary");
                words.add_if(here == 1, &format!("pollute.estuary&estuary={clean}"));
                words.add_if(own == 1, "pollute&conservation");
                words.add_if(own == 1, &format!("pollute&conservation&days={}", SPANS[span]));
            }),
            take: Cross::new(block, [2, 4, 2, 2], |[token, left, half, first], words| {
                let name = ["take=gravel", "take=tree"][token];
                words.add(name);
                words.number(&format!("{name}.left"), left);
                words.add_if(half == 1, &format!("{name}.half_tile"));
                words.add_if(first == 1, &format!("{name}.first"));
            }),
            plant: Cross::new(block, [TOKEN_COUNT, 2, SPAN_COUNT], |[token, bare, span], words| {
                let name = format!("plant={}", token_name(token));
                words.add(format!("{name}&days={}", SPANS[span]));
                words.add_if(bare == 1, &format!("{name}.first"));
                words.add_if(bare == 1, &format!("{name}.first&days={}", SPANS[span]));
                words.add(name);
            }),
            build: Cross::new(
                block,
                [Structure::ALL.len(), 6, TIME_COUNT, MODE_COUNT],
                |[kind, count, time, mode], words| {
                    let name = format!("build={}", Structure::ALL[kind].name());
                    words.number(&format!("{name}.count"), count);
                    words.add(format!("{name}&days={}", TIMES[time]));
                    words.add(format!("{name}&mode={}", MODES[mode]));
                    words.add(name);
                },
            ),
            build_place: Cross::new(block, [Structure::ALL.len(), 4], |[kind, value], words| {
                words.number(&format!("build={}.match", Structure::ALL[kind].name()), value);
            }),
            build_fish: block.number("build.fish_left", 8),
            build_need: Cross::new(block, [6, TIME_COUNT], |[need, time], words| {
                words.number_at("build.need", need, TIMES[time]);
            }),
            camp: Cross::new(block, [MAX_ELEVATION + 1, MAX_ROWS], |[elevation, row], words| {
                words.number("new_camp.elevation", elevation);
                words.add(format!("new_camp.row={row}"));
            }),
            camp_place: Cross::new(block, [4, 4, 6, 2], |[trees, gravel, fish, other], words| {
                words.number("new_camp.trees", trees);
                words.number("new_camp.gravel", gravel);
                words.number("new_camp.fish", fish);
                words.add_if(other == 1, "new_camp.shares_row");
            }),
            camp_reach: Cross::new(block, [8, 6], |[trees, gravel], words| {
                words.number("new_camp.reach_trees", trees);
                words.number("new_camp.reach_gravel", gravel);
            }),
            boat_to: Cross::new(
                block,
                [4, 3, 3, MAX_ROWS],
                |[fish, pollution, boats, row], words| {
                    words.number("boat_to.fish", fish);
                    words.number_with("boat_to.fish", fish, &format!("boats={boats}"));
                    words.number("boat_to.pollution", pollution);
                    words.number("boat_to.boats", boats);
                    words.add(format!("boat_to.row={row}"));
                },
            ),
            boat_from: Cross::new(block, [4, 3], |[fish, pollution], words| {
                words.add("boat_from");
                words.number("boat_from.fish", fish);
                words.number("boat_from.pollution", pollution);
            }),
            move_to_pollution: Cross::new(
                block,
                [2, 3, SPAN_COUNT],
                |[own, pollution, span], words| {
                    if own == 1 {
                        words.number_at("move.pollution&conservation", pollution, SPANS[span]);
                    } else {
                        words.number("move.pollution", pollution);
                    }
                },
            ),
            camp_to: places(block, "camp_to"),
            camp_from: places(block, "camp_from"),
            excavator_to: Cross::new(block, [4, 2], |[tokens, pollution], words| {
                words.number("excavator_to.reach", tokens);
                words.add_if(pollution == 1, "excavator_to.pollution");
            }),
            move_row: Cross::new(block, [ACTING.len(), MAX_ROWS], |[kind, row], words| {
                words.add(format!("move={}", ACTING[kind].name()));
                words.add(format!("move={}&row={row}", ACTING[kind].name()));
            }),
            use_place: Cross::new(
                block,
                [ACTING.len(), 4, 3],
                |[kind, tokens, pollution], words| {
                    let name = format!("use={}", ACTING[kind].name());
                    words.number(&format!("{name}.reach"), tokens);
                    words.number(&format!("{name}.pollution"), pollution);
                    words.add(name);
                },
            ),
            ferry: Cross::new(block, [2], |[camp], words| {
                words.add(["ferry=excavator", "ferry=camp"][camp]);
            }),
            stop: Cross::new(
                block,
                [ACTING.len(), STAGES.len(), SPAN_COUNT],
                |[kind, stage, span], words| {
                    let name = format!("stop={}", ACTING[kind].name());
                    words.add(format!("{name}&stage={}", STAGES[stage]));
                    words.add(format!("{name}&days={}", SPANS[span]));
                    words.add(name);
                },
            ),
            sell: Cross::new(block, [5, 2, 2, SPAN_COUNT], |[gold, capital, site, span], words| {
                words.number_at("sell.gold", gold, SPANS[span]);
                words.add(format!("sell.capital={capital}&days={}", SPANS[span]));
                words.add_if(site == 1, &format!("sell.for_site&days={}", SPANS[span]));
            }),
            buy: block.number("buy.gold_left", 5),
            propose: Cross::new(
                block,
                [POLICY_COUNT, OBJECTIVE_COUNT, SPAN_COUNT],
                |[policy, objective, span], words| {
                    let name =
                        format!("propose={}&{}", policy_name(policy), objective_name(objective));
                    words.add(format!("{name}&days={}", SPANS[span]));
                    words.add(name);
                },
            ),
            city_place: Cross::new(block, [MAX_ROWS, MAX_ELEVATION + 1], |[row, height], words| {
                words.add(format!("city_at.row={row}"));
                words.number("city_at.elevation", height);
            }),
            city_slots: Cross::new(block, [3, 3, 3], |[trees, gravel, pollution], words| {
                words.number("city_at.trees", trees);
                words.number("city_at.gravel", gravel);
                words.number("city_at.pollution", pollution);
            }),
            policy_tile: Cross::new(
                block,
                [POLICY_COUNT, 2, MAX_ROWS],
                |[policy, river, row], words| {
                    let name = format!("{}_at", policy_name(policy));
                    let place = ["land", "river"][river];
                    words.add(format!("{name}={place}"));
                    words.add(format!("{name}={place}&row={row}"));
                },
            ),
            policy_structures: Cross::new(
                block,
                [POLICY_COUNT, 3, 3, 3],
                |[policy, own, others, choice], words| {
                    let choice = ["no", "yes", "propose"][choice];
                    let name = format!("{}.{choice}", policy_name(policy));
                    words.number(&format!("{name}.own_structures"), own);
                    words.number(&format!("{name}.structures_of_others"), others);
                },
            ),
            vote: Cross::new(
                block,
                [2, POLICY_COUNT, OBJECTIVE_COUNT, 2],
                |[yes, policy, objective, passing], words| {
                    let name = format!("vote={}&{}", ["no", "yes"][yes], policy_name(policy));
                    words.add(format!("{name}&{}", objective_name(objective)));
                    words.add_if(passing == 1, &format!("{name}&passes"));
                    words.add(name);
                },
            ),
            bid: Cross::new(
                block,
                [2, 2, POLICY_COUNT, OBJECTIVE_COUNT],
                |[bids, yes, policy, objective], words| {
                    let side = ["no", "yes"][yes];
                    let name =
                        format!("{}={side}&{}", ["settle", "bid"][bids], policy_name(policy));
                    words.add(format!("{name}&{}", objective_name(objective)));
                    words.add(name);
                },
            ),
            city: Cross::new(
                block,
                [MAX_MISSING_CITY + 1, 2, SPAN_COUNT],
                |[missing, own, span], words| {
                    words.number("contribute.missing", missing);
                    words.add(format!("contribute.development={own}"));
                    words.add(format!("contribute.development={own}&days={}", SPANS[span]));
                    if own == 1 {
                        words.number_with("contribute.missing", missing, "development");
                    }
                },
            ),
            city_completed: Cross::new(block, [2, TIME_COUNT], |[own, time], words| {
                words.add("complete_city");
                words.add(format!("complete_city&days={}", TIMES[time]));
                words.add_if(own == 1, &format!("complete_city&conservation&days={}", TIMES[time]));
            }),
            salvage: Cross::new(block, [Structure::ALL.len()], |[kind], words| {
                words.add(format!("salvage={}", Structure::ALL[kind].name()));
            }),
            remove: Cross::new(block, [Structure::ALL.len()], |[kind], words| {
                words.add(format!("remove={}", Structure::ALL[kind].name()));
            }),
            partner: Cross::new(block, [6, MODE_COUNT], |[tokens, mode], words| {
                words.number("offer.partner_tokens", tokens);
                words.add(format!("offer&mode={}", MODES[mode]));
            }),
            partner_token: Cross::new(
                block,
                [2, TOKEN_COUNT, 2],
                |[gives, token, wanted], words| {
                    let name = format!("{}={}", ["ask_for", "give"][gives], token_name(token));
                    words.add_if(wanted == 1, &format!("{name}&wanted_in_coop"));
                    words.add(name);
                },
            ),
            balance: Cross::new(
                block,
                [ANSWERS.len(), count_between(-MAX_DIFFERENCE, MAX_DIFFERENCE), MODE_COUNT],
                |[answer, index, mode], words| {
                    let name = ANSWERS[answer];
                    let balance = index as i32 - MAX_DIFFERENCE;
                    words.add(format!("{name}.balance={balance}"));
                    words.add(format!("{name}.balance={balance}&mode={}", MODES[mode]));
                },
            ),
            difference: Cross::new(
                block,
                [ANSWERS.len(), TOKEN_COUNT, count_between(-MAX_DIFFERENCE, MAX_DIFFERENCE)],
                |[answer, token, index], words| {
                    describe_difference(words, ANSWERS[answer], token, index);
                },
            ),
        }
    }
}
