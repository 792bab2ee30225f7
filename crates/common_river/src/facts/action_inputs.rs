//! The inputs of the facts of actions.

use super::{
    super::{
        action::ACTION_KINDS,
        components::{MAX_ROWS, Structure},
    },
    groups::{
        ACTING, Cross, GAIN_USES, LOSS_USES, MAX_DIFFERENCE, MAX_ELEVATION, MAX_MISSING_CITY,
        MODE_COUNT, MODES, OBJECTIVE_COUNT, PHASES, POLICY_COUNT, SPAN_COUNT, SPANS, STAGES,
        TIME_COUNT, TIMES, TOKEN_COUNT, count_between, describe_difference, objective_name,
        policy_name, token_name,
    },
};
use watershed_engine::game::facts::{FactBlock, FactGroup};

/// The answers that complete an offer or end it, and the sending of an offer.
pub(super) const ANSWERS: [&str; 3] = ["refuse", "accept", "send"];

/// The facts about actions.
#[derive(Debug)]
pub(super) struct ActionFacts {
    /// Kind, time, mode.
    pub(super) kind: Cross<3>,
    /// Phase that is ended, time.
    pub(super) ends: Cross<2>,
    /// Token, uses, time.
    pub(super) gain: Cross<3>,
    /// Token, uses, time.
    pub(super) lose: Cross<3>,
    /// Fish that stay on the tile, time.
    pub(super) fish_left: Cross<2>,
    /// Place, objective Conservation, pollution that stays on the map, time.
    pub(super) clean: Cross<4>,
    /// Clean slots of the estuary, in the estuary, objective Conservation, time.
    pub(super) pollute: Cross<4>,
    /// Token, tokens that stay on the tile, half tile, first one.
    pub(super) take: Cross<4>,
    /// Token, tile without one, time.
    pub(super) plant: Cross<3>,
    /// Kind, number on the map, time, mode.
    pub(super) build: Cross<4>,
    /// Kind, number of matching things at the place.
    pub(super) build_place: Cross<2>,
    /// Fish that are left.
    pub(super) build_fish: FactGroup,
    /// Tokens missing for own objectives, time.
    pub(super) build_need: Cross<2>,
    /// Elevation of a new camp, row.
    pub(super) camp: Cross<2>,
    /// Trees, gravel and fish at a new camp, other camp in the row.
    pub(super) camp_place: Cross<4>,
    /// Trees and gravel in reach of the tile of a new camp.
    pub(super) camp_reach: Cross<2>,
    /// Fish, pollution and own boats on a tile to which a boat moves, row.
    pub(super) boat_to: Cross<4>,
    /// Fish and pollution on the tile that a boat leaves.
    pub(super) boat_from: Cross<2>,
    /// Objective Conservation, pollution at the end of a move, time.
    pub(super) move_to_pollution: Cross<3>,
    /// Trees, gravel, fish and pollution where a camp moves.
    pub(super) camp_to: Cross<4>,
    /// Trees, gravel, fish and pollution where a camp was.
    pub(super) camp_from: Cross<4>,
    /// Tokens in reach and pollution where an excavator moves.
    pub(super) excavator_to: Cross<2>,
    /// Kind, row of the end of a move.
    pub(super) move_row: Cross<2>,
    /// Kind, tokens in reach, pollution on the tile.
    pub(super) use_place: Cross<3>,
    pub(super) ferry: Cross<1>,
    /// Kind, stage, time.
    pub(super) stop: Cross<3>,
    /// Gold of the seat, objective Capital, gold wanted for the City, time.
    pub(super) sell: Cross<4>,
    /// Gold that is left after a purchase.
    pub(super) buy: FactGroup,
    /// Policy, own objective, time.
    pub(super) propose: Cross<3>,
    /// Row, effective elevation; of a tile for the City.
    pub(super) city_place: Cross<2>,
    /// Trees, gravel and pollution on a tile for the City.
    pub(super) city_slots: Cross<3>,
    /// Policy, river, row.
    pub(super) policy_tile: Cross<3>,
    /// Policy, own structures and those of others on the tile of a proposal, vote.
    pub(super) policy_structures: Cross<4>,
    /// Yes, policy, own objective, result as the votes stand.
    pub(super) vote: Cross<4>,
    /// Bid, own side, policy, own objective.
    pub(super) bid: Cross<4>,
    /// Tokens missing afterwards, objective Development, time.
    pub(super) city: Cross<3>,
    /// Objective Conservation, time; if the City is completed.
    pub(super) city_completed: Cross<2>,
    /// Kind.
    pub(super) salvage: Cross<1>,
    /// Kind.
    pub(super) remove: Cross<1>,
    /// Tokens of the partner, mode.
    pub(super) partner: Cross<2>,
    /// Token, partner wants it as a partner in a cooperative game.
    pub(super) partner_token: Cross<3>,
    /// Answer, tokens gained minus tokens lost, mode.
    pub(super) balance: Cross<3>,
    /// Answer, token, difference.
    pub(super) difference: Cross<3>,
}

impl ActionFacts {
    #[expect(clippy::too_many_lines, reason = "a table of declarations")]
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
