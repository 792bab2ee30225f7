//! The groups of facts of actions.

use super::{
    super::action::ACTION_KINDS,
    groups::{
        ACTING, DIFFERENCE, ELEVATION, MISSING_CITY, MODE, NATURAL, OBJECTIVE, PHASE, POLICY, ROW,
        SPAN, STAGE, STRUCTURE, TIME, TOKEN, describe_difference,
    },
};
use watershed_engine::game::facts::{
    Inputs,
    axis::{Axis, FLAG, choices, count, names, range, up_to},
    fact_groups,
};

/// Sets of uses of a token, bit b for use b.
const USES: Axis = choices(16);
/// The answers that complete an offer or end it, and the sending of an offer.
const ANSWER: Axis = names(&["refuse", "accept", "send"]);
const NO_YES: Axis = names(&["no", "yes"]);
const FEW: Axis = up_to(2);
const SOME: Axis = up_to(3);

fact_groups! {
    /// Facts about actions.
    pub(super) struct ActionFacts(block) {
        kind[kind: names(&ACTION_KINDS), days: SPAN, mode: MODE]:
            "kind={kind}" "kind={kind}&days={days}" "kind={kind}&mode={mode}";
        /// An action that ends a phase.
        ends[phase: PHASE, days: SPAN]: "ends={phase}(&days={days})";
        gain[token: TOKEN, uses: USES, days: SPAN] => describe_gain;
        lose[token: TOKEN, uses: USES, days: SPAN] => describe_lose;
        /// A token that the seat gains, with those of its kind that it lacks before.
        gain_lack[token: NATURAL, lack: up_to(4), days: SPAN]:
            "gain_{token}.lack>={lack}(&days={days})";
        /// A token that the seat loses, with those of its kind that it has beyond its lack before.
        lose_surplus[token: NATURAL, surplus: range(-3, 3), days: SPAN]:
            "lose_{token}.surplus>={surplus} lose_{token}.surplus>={surplus}&days={days}";
        /// Fish that stay on the tile.
        fish_left[left: SOME, days: SPAN]:
            "fish_left>={left}(&days={days})" "!left? last_fish&days={days}";
        /// Removed pollution, with that which stays on the map.
        clean[place: names(&["land", "river", "estuary"]), conservation: FLAG, left: up_to(7),
            days: SPAN]:
            "clean={place}" "conservation? clean={place}&conservation"
            "conservation? clean&conservation&days={days}" "conservation? clean.left>={left}"
            "conservation? !left? clean.all&days={days}";
        /// Pollution that enters the river, with the clean slots of the estuary.
        pollute[clean: SOME, in_estuary: FLAG, conservation: FLAG, days: SPAN]:
            "pollute(&days={days})" "pollute&estuary={clean}"
            "in_estuary? pollute.estuary(&estuary={clean})"
            "conservation? pollute&conservation(&days={days})";
        /// A taken token, with those that stay on the tile.
        take[token: names(&["gravel", "tree"]), left: SOME, is_half_tile: FLAG, is_first: FLAG]:
            "take={token}" "take={token}.left>={left}" "is_half_tile? take={token}.half_tile"
            "is_first? take={token}.first";
        plant[token: TOKEN, is_first: FLAG, days: SPAN]:
            "plant={token}&days={days}" "is_first? plant={token}.first(&days={days})"
            "plant={token}";
        /// A new structure, with the number on the map.
        build[kind: STRUCTURE, count: up_to(5), days: TIME, mode: MODE]:
            "build={kind}.count>={count}" "build={kind}&days={days}" "build={kind}&mode={mode}"
            "build={kind}";
        /// A new structure, with the number of matching things at the place.
        build_place[kind: STRUCTURE, matching: SOME.unless_zero()]:
            "build={kind}.match>={matching}";
        build_fish[left: count(8)]: "build.fish_left>={left}";
        /// Tokens missing for own objectives.
        build_need[need: up_to(5).unless_zero(), days: TIME]: "build.need>={need}(&days={days})";
        camp[elevation: ELEVATION, row: ROW]:
            "new_camp.elevation>={elevation}" "new_camp.row={row}";
        camp_place[trees: SOME, gravel: SOME, fish: up_to(5), shares_row: FLAG]:
            "new_camp.trees>={trees}" "new_camp.gravel>={gravel}" "new_camp.fish>={fish}"
            "shares_row? new_camp.shares_row";
        camp_reach[trees: up_to(7), gravel: up_to(5)]:
            "new_camp.reach_trees>={trees}" "new_camp.reach_gravel>={gravel}";
        /// The tile to which a boat moves, with the own boats there.
        boat_to[fish: SOME, pollution: FEW, boats: FEW, row: ROW]:
            "boat_to.fish>={fish}(&boats={boats})" "boat_to.pollution>={pollution}"
            "boat_to.boats>={boats}" "boat_to.row={row}";
        boat_from[fish: SOME, pollution: FEW]:
            "boat_from" "boat_from.fish>={fish}" "boat_from.pollution>={pollution}";
        move_to_pollution[conservation: FLAG, pollution: FEW.unless_zero(), days: SPAN]:
            "conservation? move.pollution&conservation>={pollution}(&days={days})"
            "!conservation? move.pollution>={pollution}";
        camp_to[trees: FEW, gravel: FEW, fish: SOME, pollution: FEW]:
            "camp_to" "camp_to.trees>={trees}" "camp_to.gravel>={gravel}" "camp_to.fish>={fish}"
            "camp_to.pollution>={pollution}";
        camp_from[trees: FEW, gravel: FEW, fish: SOME, pollution: FEW]:
            "camp_from" "camp_from.trees>={trees}" "camp_from.gravel>={gravel}"
            "camp_from.fish>={fish}" "camp_from.pollution>={pollution}";
        excavator_to[tokens: SOME, pollution: up_to(1)]:
            "excavator_to.reach>={tokens}" "pollution? excavator_to.pollution";
        move_row[kind: ACTING, row: ROW]: "move={kind}(&row={row})";
        /// A structure that acts, with the tokens in reach and the pollution on the tile.
        use_place[kind: ACTING, tokens: SOME, pollution: FEW]:
            "use={kind}.reach>={tokens}" "use={kind}.pollution>={pollution}" "use={kind}";
        ferry[kind: names(&["excavator", "camp"])]: "ferry={kind}";
        stop[kind: ACTING, stage: STAGE, days: SPAN]:
            "stop={kind}&stage={stage}" "stop={kind}&days={days}" "stop={kind}";
        sell[gold: up_to(4), capital: FLAG, for_site: FLAG, days: SPAN]:
            "sell.gold>={gold}(&days={days})" "sell.capital={capital}&days={days}"
            "for_site? sell.for_site&days={days}";
        buy[gold_left: count(5)]: "buy.gold_left>={gold_left}";
        propose[policy: POLICY, objective: OBJECTIVE, days: SPAN]:
            "propose={policy}&{objective}&days={days}" "propose={policy}&{objective}";
        /// The tile of a proposed City.
        city_place[row: ROW, elevation: ELEVATION]:
            "city_at.row={row}" "city_at.elevation>={elevation}";
        city_slots[trees: FEW, gravel: FEW, pollution: FEW]:
            "city_at.trees>={trees}" "city_at.gravel>={gravel}" "city_at.pollution>={pollution}";
        policy_tile[policy: POLICY, place: names(&["land", "river"]), row: ROW]:
            "{policy}_at={place}(&row={row})";
        /// The structures on the tile of a policy.
        policy_structures[policy: POLICY, own: FEW, others: FEW,
            choice: names(&["no", "yes", "propose"])]:
            "{policy}.{choice}.own_structures>={own}"
            "{policy}.{choice}.structures_of_others>={others}";
        /// A vote, with the result as the votes stand.
        vote[vote: NO_YES, policy: POLICY, objective: OBJECTIVE, passes: FLAG]:
            "vote={vote}&{policy}&{objective}" "passes? vote={vote}&{policy}&passes"
            "vote={vote}&{policy}";
        bid[answer: names(&["settle", "bid"]), side: NO_YES, policy: POLICY, objective: OBJECTIVE]:
            "{answer}={side}&{policy}&{objective}" "{answer}={side}&{policy}";
        /// A token for the City, with those that it lacks afterwards.
        city[missing: MISSING_CITY, development: FLAG, days: SPAN]:
            "contribute.missing>={missing}" "contribute.development={development}(&days={days})"
            "development? contribute.missing>={missing}&development";
        city_completed[conservation: FLAG, days: TIME]:
            "complete_city(&days={days})" "conservation? complete_city&conservation&days={days}";
        salvage[kind: STRUCTURE]: "salvage={kind}";
        remove[kind: STRUCTURE]: "remove={kind}";
        partner[tokens: up_to(5), mode: MODE]: "offer.partner_tokens>={tokens}" "offer&mode={mode}";
        /// A token of an offer, which the partner may want in a cooperative game.
        partner_token[action: names(&["ask_for", "give"]), token: TOKEN, is_wanted: FLAG]:
            "is_wanted? {action}={token}&wanted_in_coop" "{action}={token}";
        /// The tokens gained minus those lost.
        balance[answer: ANSWER, balance: DIFFERENCE, mode: MODE]:
            "{answer}.balance={balance}(&mode={mode})";
        difference[answer: ANSWER, token: TOKEN, difference: DIFFERENCE] => describe_answer;
    }
}

fn describe_gain(at: [usize; 3], inputs: &mut Inputs<'_>) {
    describe_uses("gain", ["objective", "city", "boat", "structure"], at, inputs);
}

fn describe_lose(at: [usize; 3], inputs: &mut Inputs<'_>) {
    describe_uses("lose", ["objective", "city", "boat", "capital"], at, inputs);
}

/// Describes a token by the uses that a seat has for it, bit b for use b.
fn describe_uses(
    name: &str,
    uses: [&str; 4],
    [token, bits, span]: [usize; 3],
    inputs: &mut Inputs<'_>,
) {
    let name = format!("{name}={}", TOKEN.name(token));
    let found = uses.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let found = found.map(|(_, usage)| format!("{name}&{usage}"));
    for input in std::iter::once(name.clone()).chain(found) {
        inputs.add(&input);
        inputs.add(&format!("{input}&days={}", SPAN.name(span)));
    }
    if bits == 0 {
        inputs.add(&format!("{name}&no_use"));
    }
}

fn describe_answer([answer, token, difference]: [usize; 3], inputs: &mut Inputs<'_>) {
    describe_difference(inputs, &ANSWER.name(answer), token, difference);
}
