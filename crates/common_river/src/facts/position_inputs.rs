//! The inputs of the facts of positions.

use super::{
    super::components::{MAX_ROWS, Token},
    groups::{
        ACTING, BUILDABLE, CITY_STATES, Cross, MAX_DIFFERENCE, MAX_ELEVATION, MAX_GOLD_LEAD,
        MAX_MISSING_CITY, MAX_MISSING_FISH, MAX_NEED, MAX_POLLUTION, MAX_SLACK, MAX_WEALTH_LEAD,
        MODE_COUNT, MODES, MODIFIERS, OBJECTIVE_COUNT, PHASES, POLICY_COUNT, PRICED, SPAN_COUNT,
        SPANS, STAGES, TIME_COUNT, TIMES, TOKEN_COUNT, WATER, Words, count_between,
        describe_difference, objective_name, policy_name, token_name,
    },
};
use watershed_engine::game::facts::{FactBlock, FactGroup};

/// The facts about a seat, for all to see.
#[derive(Debug)]
pub(super) struct SeatFacts {
    pub(super) stock: [FactGroup; Token::ALL.len()],
    /// Objective that is no secret, time, fish that the objective Agriculture lacks.
    pub(super) missing_fish: Cross<3>,
    /// Kind, number, time.
    pub(super) structures: Cross<3>,
    /// Row, camp of another seat in the row.
    pub(super) camp_row: Cross<2>,
    /// Can act today, trees, gravel and fish in reach.
    pub(super) camp_yield: Cross<4>,
    /// Pollution on the tile and in the river.
    pub(super) camp_pollution: Cross<2>,
    /// Kind, tokens missing for the price, camp can act today, number on the map, time.
    pub(super) price: Cross<5>,
    /// Row, can act today, fish and pollution there.
    pub(super) boat: Cross<4>,
    /// Kind, can act today, tokens in reach, pollution on the tile.
    pub(super) machine: Cross<4>,
    /// Works, canals on the tile, row.
    pub(super) farm: Cross<3>,
    /// Line, other net on the line.
    pub(super) net: Cross<2>,
    /// Capital is the only objective, time, lead in gold.
    pub(super) gold_lead: Cross<3>,
    /// Capital is the only objective, time, lead in gold when all goods are sold.
    pub(super) wealth_lead: Cross<3>,
    pub(super) wealth: FactGroup,
    /// The City has a site, time, tokens missing after all that the seat can add.
    pub(super) city_gap: Cross<3>,
    pub(super) proposals: FactGroup,
    pub(super) camp_order: Cross<1>,
    /// Kind, stage, free to stop.
    pub(super) actor: Cross<3>,
    /// Phase in which the seat decides, time.
    pub(super) decides: Cross<2>,
    /// Token, difference by the offer.
    pub(super) offer: Cross<2>,
    /// Part in the vote, policy.
    pub(super) vote: Cross<2>,
}

/// The facts from the point of view of a seat.
#[derive(Debug)]
pub(super) struct ViewFacts {
    /// Time, pollution; for the objective Conservation.
    pub(super) conservation: Cross<2>,
    /// Time, missing fish.
    pub(super) agriculture: Cross<2>,
    /// State, time.
    pub(super) development: Cross<2>,
    /// Time, tokens missing after all that the seat can add.
    pub(super) development_gap: Cross<2>,
    /// Time, lead in gold.
    pub(super) capital: Cross<2>,
    /// Time, lead in gold when all goods are sold.
    pub(super) capital_wealth: Cross<2>,
    /// Time, lowest number of objectives, of any kind, that another seat has completed.
    pub(super) charity: Cross<2>,
    /// Time, other seats that have completed an objective of any kind.
    pub(super) charity_seats: Cross<2>,
    /// First and second objective of the seat, which of them are completed, time.
    pub(super) pair: Cross<4>,
    /// Time, own objectives that are not completed.
    pub(super) open_objectives: Cross<2>,
    /// Policy, objective, result as the votes stand.
    pub(super) policy: Cross<3>,
    /// Time, half the tokens missing for own objectives.
    pub(super) need: Cross<2>,
    /// Time, half the tokens to be expected beyond the need.
    pub(super) slack: Cross<2>,
    /// Time, pollution, boats.
    pub(super) cleaning: Cross<3>,
}

/// The facts that are the same for all seats.
#[derive(Debug)]
pub(super) struct SharedFacts {
    /// Mode, players.
    pub(super) table: Cross<2>,
    /// Phase, mode.
    pub(super) phase: Cross<2>,
    /// Time, mode.
    pub(super) time: Cross<2>,
    pub(super) share_played: FactGroup,
    /// Rows that can act, storm.
    pub(super) rows_to_act: Cross<2>,
    pub(super) water: Cross<1>,
    pub(super) carried_water: FactGroup,
    /// Position in the almanac, modifier, storm.
    pub(super) card: Cross<3>,
    /// Position of the storm, time.
    pub(super) storm: Cross<2>,
    /// Time, pollution on the map.
    pub(super) pollution: Cross<2>,
    /// Clean slots of the estuary, pollution in the river above, time.
    pub(super) estuary: Cross<3>,
    /// Row, pollution in the river.
    pub(super) river_pollution: Cross<2>,
    /// Row, pollution on land.
    pub(super) land_pollution: Cross<2>,
    /// Time, polluted land tiles without an acting structure.
    pub(super) unattended: Cross<2>,
    /// Row, fish.
    pub(super) fish: Cross<2>,
    /// Time, rows with fish.
    pub(super) fish_rows: Cross<2>,
    pub(super) trees: FactGroup,
    pub(super) gravel: FactGroup,
    /// State, time.
    pub(super) city: Cross<2>,
    pub(super) city_missing: [FactGroup; 3],
    /// Time, tokens missing.
    pub(super) city_total: Cross<2>,
    /// Effective elevation of its tile, complete, row.
    pub(super) city_tile: Cross<3>,
    pub(super) subsidized: Cross<1>,
    pub(super) protected_land: FactGroup,
    pub(super) protected_river: FactGroup,
    pub(super) flooded: FactGroup,
    /// Policy, result as the votes stand.
    pub(super) proposal: Cross<2>,
    pub(super) taking: u16,
    /// Mode, time, half the tokens that a seat lacks on average.
    pub(super) team_need: Cross<3>,
    /// Mode, time, half the tokens to be expected beyond the need.
    pub(super) team_slack: Cross<3>,
}

impl SeatFacts {
    #[expect(clippy::too_many_lines, reason = "a table of declarations")]
    pub(super) fn new(block: &mut FactBlock) -> Self {
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

    pub(super) fn lead(block: &mut FactBlock, name: &'static str, max: i32) -> Cross<3> {
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

/// Names two objectives of a seat, or its only one, and which of them are completed.
fn describe_pair(words: &mut Words, [first, second]: [usize; 2], completed: usize) {
    if first == second {
        words.add(format!("own.single={}", objective_name(first)));
        return;
    }
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

impl ViewFacts {
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
                    describe_pair(words, [first, second], completed);
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
    #[expect(clippy::too_many_lines, reason = "a table of declarations")]
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
