//! The groups of facts of positions.

use super::{
    super::components::MAX_ROWS,
    groups::{
        ACTING, BUILDABLE, CITY_STATE, DIFFERENCE, ELEVATION, GOLD_LEAD, LACK, MISSING_CITY,
        MISSING_FISH, MODE, MODIFIER, NATURAL, NEED, OBJECTIVE, PHASE, POLICY, POLLUTION, PRICED,
        ROW, SLACK, SPAN, STAGE, SURPLUS, TIME, TOKEN, WATER, WEALTH_LEAD, describe_difference,
    },
};
use watershed_engine::game::facts::{
    Inputs,
    axis::{Axis, FLAG, choices, count, named, names, range, up_to},
    fact_groups,
};

const FEW: Axis = up_to(2);
const SOME: Axis = up_to(3);
/// The result of a proposal as the votes stand.
const RESULT: Axis = up_to(2);

fact_groups! {
    /// Facts about a seat, for all to see.
    pub(super) struct SeatFacts(block) {
        fish[tokens: count(20)]: "fish>={tokens}";
        gold[tokens: count(16)]: "gold>={tokens}";
        gravel[tokens: count(12)]: "gravel>={tokens}";
        pollution[tokens: count(8)]: "pollution>={tokens}";
        trees[tokens: count(12)]: "tree>={tokens}";
        /// Fish that the objective Agriculture lacks.
        missing_fish[is_public: FLAG, days: SPAN, missing: MISSING_FISH]:
            "missing_fish>={missing}(&days={days})"
            "is_public? public.missing_fish>={missing}(&days={days})"
            "is_public? !missing? public.fed&days={days}";
        structures[kind: named(BUILDABLE.len(), |kind| BUILDABLE[kind].name()),
            count: up_to(5).unless_zero(), days: SPAN]:
            "{kind}>={count}(&days={days})";
        camp_row[row: ROW, is_shared: FLAG]: "camp.row={row}" "!is_shared? camp.alone_in_row";
        camp_yield[is_ready: FLAG, trees: FEW, gravel: FEW, fish: SOME]:
            "camp.trees>={trees}" "is_ready? camp.trees>={trees}&ready" "camp.gravel>={gravel}"
            "is_ready? camp.gravel>={gravel}&ready" "camp.fish>={fish}"
            "is_ready? camp.fish>={fish}&ready" "is_ready? camp.ready";
        /// Pollution on the tile of the camp and in the river.
        camp_pollution[land: FEW, river: FEW]:
            "camp.pollution>={land}" "camp.river_pollution>={river}";
        /// Tokens missing for the price of a structure, with the number on the map.
        price[kind: named(PRICED.len(), |kind| PRICED[kind].name()), missing: up_to(5),
            is_camp_ready: FLAG, count: SOME, days: SPAN]:
            "{kind}.missing<={missing} {kind}.missing<={missing}&count={count}"
            "!missing? {kind}.affordable&days={days}"
            "!missing? is_camp_ready? {kind}.affordable&camp.ready";
        boat[row: ROW, is_ready: FLAG, fish: SOME, pollution: FEW]:
            "boat.row={row}" "boat.fish>={fish}" "boat.pollution>={pollution}"
            "is_ready? boat.ready" "is_ready? boat.fish>={fish}&ready"
            "is_ready? boat.pollution>={pollution}&ready";
        machine[kind: names(&["excavator", "mill"]), is_ready: FLAG, tokens: SOME,
            is_polluted: FLAG]:
            "{kind}.reach>={tokens}" "is_polluted? {kind}.pollution" "is_ready? {kind}.ready"
            "is_ready? {kind}.reach>={tokens}&ready";
        farm[works: FLAG, canals: SOME, row: ROW]:
            "works? farm.works" "farm.canals>={canals}" "farm.row={row}";
        net[line: ROW, is_shared: FLAG]: "net.line={line}" "is_shared? net.shares_line";
        /// The lead in gold of a seat whose only public objective may be Capital.
        gold_lead[is_only: FLAG, days: SPAN, lead: GOLD_LEAD]:
            "gold_lead&days={days}" "gold_lead>={lead} gold_lead>={lead}&days={days}"
            "is_only? public.gold_lead&days={days}"
            "is_only? public.gold_lead>={lead} public.gold_lead>={lead}&days={days}";
        /// As `gold_lead`, when all goods are sold.
        wealth_lead[is_only: FLAG, days: SPAN, lead: WEALTH_LEAD]:
            "wealth_lead&days={days}" "wealth_lead>={lead} wealth_lead>={lead}&days={days}"
            "is_only? public.wealth_lead&days={days}"
            "is_only? public.wealth_lead>={lead} public.wealth_lead>={lead}&days={days}";
        wealth[gold: count(20)]: "wealth>={gold}";
        /// Tokens that the City lacks after all that the seat can add.
        city_gap[has_site: FLAG, days: SPAN, gap: MISSING_CITY]:
            "city_gap>={gap}(&days={days})" "!gap? city_gap=0&days={days}"
            "has_site? site.city_gap>={gap}";
        proposals[proposals: count(4)]: "proposals>={proposals}";
        camp_order[order: choices(5)]: "camp_order={order}";
        actor[kind: ACTING, stage: STAGE, is_free_to_stop: FLAG]:
            "acts={kind}(&stage={stage})" "is_free_to_stop? acts&free_to_stop";
        /// The phase in which the seat decides.
        decides[phase: PHASE, days: SPAN]: "decides" "decides={phase}" "decides&days={days}";
        offer[token: TOKEN, difference: DIFFERENCE] => describe_offer;
        vote[part: names(&["proposer", "yes", "no", "undecided"]), policy: POLICY]:
            "vote={part}(&policy={policy})";
    }
}

fact_groups! {
    /// Facts from the point of view of a seat.
    pub(super) struct ViewFacts(block) {
        /// The pollution on the map, for the objective Conservation.
        conservation[days: TIME, pollution: POLLUTION]:
            "own.pollution&days={days}" "own.pollution>={pollution}(&days={days})";
        agriculture[days: TIME, missing: MISSING_FISH]:
            "own.missing_fish&days={days}" "own.missing_fish>={missing}(&days={days})";
        development[city: CITY_STATE, days: TIME]:
            "own.development" "own.city={city}(&days={days})";
        /// Tokens that the City lacks after all that the seat can add.
        development_gap[days: TIME, gap: MISSING_CITY]:
            "own.city_gap&days={days}" "own.city_gap>={gap}(&days={days})";
        capital[days: TIME, lead: GOLD_LEAD]:
            "own.gold_lead&days={days}" "own.gold_lead>={lead} own.gold_lead>={lead}&days={days}";
        /// The lead in gold when all goods are sold.
        capital_wealth[days: TIME, lead: WEALTH_LEAD]:
            "own.wealth_lead&days={days}"
            "own.wealth_lead>={lead} own.wealth_lead>={lead}&days={days}";
        /// The lowest number of objectives, of any kind, that another seat has completed.
        charity[days: TIME, completed: up_to(4)]:
            "own.least_completed&days={days}" "own.least_completed>={completed}(&days={days})";
        /// Other seats that have completed an objective of any kind.
        charity_seats[days: TIME, seats: up_to(4)]:
            "own.seats_with_one&days={days}" "own.seats_with_one>={seats}(&days={days})";
        /// Two objectives of the seat, and which of them are completed.
        pair[first: OBJECTIVE, second: OBJECTIVE, completed: choices(4), days: SPAN] =>
            describe_pair;
        open_objectives[days: TIME, objectives: up_to(5)]:
            "own.open_objectives&days={days}" "own.open_objectives>={objectives}(&days={days})";
        policy[policy: POLICY, objective: OBJECTIVE, result: RESULT]:
            "!result? policy={policy}&{objective}&fails"
            "result? policy={policy}&{objective}&passes" "policy={policy}&{objective}";
        /// Tokens missing for own objectives.
        need[days: TIME, need: NEED]: "own.need&days={days}" "own.need>={need}(&days={days})";
        /// Tokens to be expected beyond the need.
        slack[days: TIME, slack: SLACK]:
            "own.slack&days={days}" "own.slack>={slack} own.slack>={slack}&days={days}";
        /// Tokens of a kind missing for own objectives.
        lack[token: NATURAL, days: SPAN, lack: LACK]:
            "own.lack_{token}>={lack}(&days={days})" "!lack? own.has_{token}&days={days}";
        /// Tokens of a kind that the seat can still take, less those that it lacks.
        surplus[token: NATURAL, days: SPAN, surplus: SURPLUS]:
            "own.surplus_{token}>={surplus} own.surplus_{token}>={surplus}&days={days}";
        cleaning[days: TIME, pollution: up_to(7), boats: SOME]:
            "own.boats={boats}&conservation" "own.dirt>={pollution}&boats={boats}"
            "own.dirt>={pollution}&days={days}" "!pollution? own.clean&days={days}";
    }
}

fn describe_offer([token, difference]: [usize; 2], inputs: &mut Inputs<'_>) {
    describe_difference(inputs, "offer", token, difference);
}

fn describe_pair([first, second, completed, days]: [usize; 4], inputs: &mut Inputs<'_>) {
    if first == second {
        inputs.add(&format!("own.single={}", OBJECTIVE.name(first)));
    } else {
        let [lower, higher] = [first.min(second), first.max(second)].map(|at| OBJECTIVE.name(at));
        let pair = format!("own.pair={lower}+{higher}");
        inputs.add(&pair);
        // The first objective is always the lower one.
        let parts = [(1, "first"), (2, "second"), (3, "both")];
        for (_, part) in parts.iter().filter(|(bits, _)| completed & bits == *bits) {
            inputs.add(&format!("{pair}.{part}"));
        }
    }
    let (count, days) = (completed.count_ones(), SPAN.name(days));
    inputs.add(&format!("own.pair.completed={count}&days={days}"));
}

fact_groups! {
    /// Facts that are the same for all seats.
    pub(super) struct SharedFacts(block) {
        table[mode: MODE, players: up_to(5)]: "mode={mode}" "players>={players}";
        phase[phase: PHASE, mode: MODE]: "phase={phase}(&mode={mode})";
        time[days: TIME, mode: MODE]: "days={days}(&mode={mode})";
        share_played[tenths: count(10)]: "share_played>={tenths}";
        rows_to_act[rows: up_to(MAX_ROWS), is_storm: FLAG]:
            "rows_to_act>={rows}" "is_storm? storm_day" "is_storm? rows_to_act>={rows}&storm";
        water[water: WATER]: "water>={water}";
        carried_water[water: count(8)]: "carried_water>={water}";
        /// A card of the almanac.
        card[place: range(1, 3), modifier: MODIFIER, is_storm: FLAG]:
            "card_{place}>={modifier}" "is_storm? card_{place}.storm";
        storm[place: names(&["today", "in_1", "in_2", "unseen", "over"]), days: SPAN]:
            "storm={place}(&days={days})";
        pollution[days: TIME, pollution: POLLUTION.unless_zero()]:
            "pollution>={pollution}(&days={days})";
        /// Clean slots of the estuary, with the pollution in the river above.
        estuary[clean: up_to(5), above: up_to(4), days: SPAN]:
            "estuary.clean>={clean}(&days={days})" "upriver_pollution>={above}&estuary={clean}";
        river_pollution[row: ROW, pollution: up_to(4).unless_zero()]:
            "river_pollution>={pollution}(&row={row})";
        land_pollution[row: ROW, pollution: up_to(4).unless_zero()]:
            "land_pollution>={pollution}(&row={row})";
        /// Polluted land tiles without an acting structure.
        unattended[days: TIME, tiles: up_to(6).unless_zero()]:
            "unattended_pollution>={tiles}(&days={days})";
        fish[row: ROW, fish: up_to(6).unless_zero()]: "fish>={fish}(&row={row})";
        fish_rows[days: TIME, rows: up_to(MAX_ROWS)]: "rows_with_fish>={rows}(&days={days})";
        trees[trees: count(24)]: "trees_on_map>={trees}";
        gravel[gravel: count(16)]: "gravel_on_map>={gravel}";
        city[city: CITY_STATE, days: TIME]: "city={city}(&days={days})";
        city_missing[token: NATURAL, tokens: count(8)]:
            "city.missing_{token}>={tokens}";
        city_total[days: TIME, tokens: MISSING_CITY]: "city.missing>={tokens}(&days={days})";
        city_tile[elevation: ELEVATION, is_complete: FLAG, row: ROW]:
            "city.elevation>={elevation}" "city.row={row}"
            "is_complete? city.elevation>={elevation}&complete";
        /// The elevation of the City above the highest modifier of the weather cards to come.
        city_margin[cards: names(&["face_up", "unseen"]), days: SPAN, margin: range(-6, 12)]:
            "city.above_{cards}>={margin} city.above_{cards}>={margin}&days={days}";
        subsidized[days: SPAN]: "subsidized(&days={days})";
        protected_land[tiles: count(6)]: "protected_land>={tiles}";
        protected_river[tiles: count(4)]: "protected_river>={tiles}";
        flooded[tiles: count(6)]: "flooded>={tiles}";
        proposal[policy: POLICY, result: RESULT]:
            "policy={policy}" "policy={policy}.margin>={result}";
        taking[]: "taking";
        /// Tokens that a seat lacks on average.
        team_need[name: names(&["solo.need", "coop.need/2"]), days: TIME, need: NEED]:
            "{name}&days={days}" "{name}>={need}(&days={days})";
        /// Tokens to be expected beyond the need.
        team_slack[mode: names(&["solo", "coop"]), days: TIME, slack: SLACK]:
            "{mode}.slack&days={days}"
            "{mode}.slack>={slack} {mode}.slack>={slack}&days={days}";
        /// Tokens of a kind that two seats lack together for the City and their fish.
        team_lack[token: NATURAL, days: SPAN, lack: up_to(16)]:
            "coop.lack_{token}>={lack}(&days={days})" "!lack? coop.has_{token}&days={days}";
        /// Tokens of a kind that they can still take, less those that they lack.
        team_surplus[token: NATURAL, days: SPAN, surplus: range(-12, 12)]:
            "coop.surplus_{token}>={surplus} coop.surplus_{token}>={surplus}&days={days}";
    }
}
