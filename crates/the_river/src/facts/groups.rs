//! The groups of facts of The River, and the inputs that describe them.

use super::{
    super::{
        TheRiver,
        action::ACTION_KINDS,
        components::{MAX_BOARDS, Resource, SPOTS, Symbols},
        data::{Data, EffectKind, Terrain, Tile, TileEffect},
    },
    STAGES,
    readiness::{MAX_BUILDING_POINTS, READINESS, SPANS, readiness_facts},
    subject_and_number,
};
use watershed_engine::game::facts::{
    FactBlock, Inputs,
    axis::{Axis, FLAG, choices, count, named, names, range, tail_level, up_to, with_tail},
    fact_groups,
};

/// The maximum number of bonus tokens of a seat.
const MAX_TOKENS: usize = 8;
/// The maximum number that an input of an attribute of a tile distinguishes.
const MAX_TILE_NUMBER: u32 = 6;

const TERRAIN: Axis = names(&Terrain::NAMES);
const RESOURCE: Axis = named(Resource::ALL.len(), |resource| Resource::ALL[resource].name());
const PRODUCED: Axis =
    named(Resource::PRODUCED.len(), |resource| Resource::PRODUCED[resource].name());
const EFFECT: Axis = names(&EffectKind::NAMES);
const STAGE: Axis = choices(STAGES);
const SPAN: Axis = choices(SPANS);
/// A number of seats clockwise.
const DISTANCE: Axis = choices(4);
const AMOUNT: Axis = up_to(4);
const YIELD: Axis = up_to(6);
const DISTANCE_OF_SPOT: Axis = up_to(5);
const TILE_NUMBER: Axis = count(MAX_TILE_NUMBER as usize);
/// A set of terrains, bit t for terrain t.
const TERRAIN_SET: Axis = choices(1 << Terrain::NAMES.len());
/// A spot that a seat will cover soon, in the order of [`SpotState`](super::position::SpotState).
const SPOT_STATE: Axis = names(&["top", "middle", "bottom", "lost", "unknown"]);
/// The spot that a claimed tile covers, and whether the terrain differs from that of its column.
const MATCHING: Axis =
    names(&["top", "middle", "middle_differs", "bottom", "bottom_differs", "lost", "unknown"]);
/// The numbers of pioneers on the boat and on other boats while pioneers are placed.
const BOATS: Axis = choices(6);
const BOARD: Axis = choices(MAX_BOARDS);
const TILES: Axis = choices(SPOTS + 1);
/// The points of a building.
const POINTS: Axis = with_tail(12, up_to(MAX_BUILDING_POINTS as usize));
const POINTS_COUNT: Axis = with_tail(12, count(MAX_BUILDING_POINTS as usize));
const VALUE_COUNT: Axis = with_tail(8, count(20));
const KIND: Axis = named(ACTION_KINDS.len() + 1, |kind| {
    if kind < ACTION_KINDS.len() { ACTION_KINDS[kind] } else { "draft" }
});
const PLACE: Axis = names(&["wood", "clay", "stone", "food", "reserve", "build", "first", "swap"]);
const PHASE: Axis = names(&[
    "first_player",
    "boards",
    "draft_tiles",
    "buildings",
    "draft",
    "tiles",
    "place",
    "pay",
    "swaps",
    "overflow",
    "income_overflow",
    "over",
]);

fact_groups! {
    /// Facts about a seat.
    pub(super) struct SeatGroups(block, game: &TheRiver) {
        held[resource: RESOURCE, amount: count(12)]: "held.{resource}>={amount}";
        total[amount: count(24)]: "held>={amount}";
        room[room: count(12)]: "room>={room}";
        overflow[amount: count(8)]: "overflow>={amount}";
        production[resource: PRODUCED; stage: STAGE, amount: count(8)]:
            "production.{resource}([stage={stage}])>={amount}";
        /// True for each resource that the seat produces.
        produced[stone: FLAG, clay: FLAG, wood: FLAG] early:
            "!wood? no_production.wood" "!clay? no_production.clay" "!stone? no_production.stone";
        storage[; stage: STAGE, storage: count(16)]: "storage([stage={stage}])>={storage}";
        /// A yield, with the part of it that fits.
        yields[resource: PRODUCED; gain: count(YIELD.len() - 1), fits: YIELD]:
            "yield.{resource}>={gain}" "yield.{resource}.fits>={fits}"
            "!fits? yield.{resource}.fits=0";
        tokens[tokens: choices(MAX_TOKENS + 1)] = token_facts(block, game);
        /// The board and the number of tiles.
        spots[board: BOARD, tiles: TILES] = spot_facts(block, game);
        pioneers[; stage: STAGE, pioneers: count(7)]: "pioneers([stage={stage}])>={pioneers}";
        boat[; stage: STAGE, pioneers: count(7)]: "boat([stage={stage}])>={pioneers}";
        claims_left[; span: SPAN, claims: count(6)]: "claims_left([span={span}])>={claims}";
        turn[; distance: DISTANCE, boat: up_to(3)]:
            "turn={distance}" "turn.boat={boat}" "turn={distance},boat={boat}";
        pawn[stage: STAGE]: "pawn.stage={stage}";
        points[; span: SPAN, points: count(100)]: "points([span={span}])>={points}";
        token_points[points: count(40)]: "token_points>={points}";
        building_points[points: count(60)]: "building_points>={points}";
        column_points[points: count(24)]: "column_points>={points}";
        meadow_points[points: count(40)]: "meadow_points>={points}";
        resource_points[points: count(8)]: "resource_points>={points}";
        /// A column with one tile or with two that match, with the terrains that match the next
        /// tile and the distance to it.
        open_column[column: choices(2), terrain: TERRAIN_SET, distance: DISTANCE_OF_SPOT] =>
            describe_open_column;
        /// One of the next spots, with the number of visible tiles that match.
        next[spot: names(&["next", "second", "third"]); state: SPOT_STATE, matching: choices(5)]:
            "{spot}={state}" "{spot}.matching={matching}" "{spot}={state},matching={matching}";
        terrain[terrain: TERRAIN, tiles: count(8)]: "terrain.{terrain}>={tiles}";
        /// A tile with an effect, from tile 0 for no tile.
        effect = effect_facts(block, &game.data);
        /// A face-up tile with an effect.
        offer[kind: EFFECT; stage: STAGE, value: VALUE_COUNT]:
            "offer.{kind}([stage={stage}])>={value}";
        /// A face-up or reserved building.
        building[is_reserved: FLAG, readiness: READINESS, span: SPAN, points: POINTS] =
            ["visible", "reserved"].map(|name| readiness_facts(block, name)).concat();
        reserved_count[; stage: STAGE, buildings: count(4)]:
            "reserved_count([stage={stage}])>={buildings}";
        best_payable[; stage: STAGE, points: POINTS_COUNT]:
            "best_payable([stage={stage}])>={points}";
        best_near[; stage: STAGE, points: POINTS_COUNT]: "best_near([stage={stage}])>={points}";
    }
}

fact_groups! {
    /// Facts about a position from the point of view of a seat.
    pub(super) struct ViewGroups(block) {
        turn[; turn: DISTANCE, phase: choices(PHASE.len())]:
            "turn_in={turn}" "turn_in.phase={phase}" "turn_in={turn},phase={phase}";
        pawn[; pawn: DISTANCE, stage: STAGE]:
            "pawn_in={pawn}" "pawn_in.stage={stage}" "pawn_in={pawn},stage={stage}";
        lead[; stage: STAGE, lead: range(-25, 25)]: "lead([stage={stage}])<=>{lead}";
        /// The lead with the most valuable payable building of each seat.
        expected_lead[; stage: STAGE, lead: range(-25, 25)]:
            "expected_lead([stage={stage}])<=>{lead}";
        token_lead[; stage: STAGE, lead: range(-5, 5)]: "token_lead([stage={stage}])<=>{lead}";
        tile_lead[; stage: STAGE, lead: range(-5, 5)]: "tile_lead([stage={stage}])<=>{lead}";
        boat_lead[; stage: STAGE, lead: range(-5, 5)]: "boat_lead([stage={stage}])<=>{lead}";
        seats_ahead[; seats: DISTANCE, stage: STAGE]:
            "seats_ahead={seats}" "seats_ahead.stage={stage}" "seats_ahead={seats},stage={stage}";
        tokens_to_end[; own: AMOUNT, others: AMOUNT]:
            "tokens_to_end={own}" "tokens_to_end.others={others}"
            "tokens_to_end={own},others={others}";
        tiles_to_end[; own: AMOUNT, others: AMOUNT]:
            "tiles_to_end={own}" "tiles_to_end.others={others}"
            "tiles_to_end={own},others={others}";
        contested[; span: SPAN, points: POINTS_COUNT]: "contested([span={span}])>={points}";
        uncontested[; span: SPAN, points: POINTS_COUNT]: "uncontested([span={span}])>={points}";
    }
}

fact_groups! {
    /// Facts that are the same for all seats.
    pub(super) struct SharedGroups(block, data: &Data) {
        bonus[resource: RESOURCE, bonus: count(3)]: "first_pioneer_bonus.{resource}>={bonus}";
        players[players: range(2, 4)]: "players={players}";
        round[round: count(12)]: "round>={round}";
        stage[stage: STAGE]: "stage={stage}";
        phase[phase: PHASE]: "phase={phase}";
        building_to_pay = building_facts(block, "building_to_pay", data);
        swaps_left[swaps: count(4)]: "swaps_left>={swaps}";
        first_discard[resource: RESOURCE]: "first_discard={resource}";
        supply[resource: RESOURCE, amount: count(10)]: "supply.{resource}>={amount}";
        free[place: PLACE, pioneers: count(4)]: "free.{place}>={pioneers}";
        closed[place: PLACE]: "closed={place}";
        next_token[points: POINTS_COUNT]: "next_token>={points}";
        token_drop[points: count(4)]: "token_drop>={points}";
        tokens_left[tokens: count(8)]: "tokens_left>={tokens}";
        /// A tile that lies face up, from 0 for no tile.
        tile = tile_facts(block, "tile", data);
        /// A building that lies face up.
        building = building_facts(block, "building", data);
        face_up_tiles[tiles: count(12)]: "face_up_tiles>={tiles}";
        face_up_buildings[buildings: count(8)]: "face_up_buildings>={buildings}";
    }
}

fact_groups! {
    /// Facts about an action.
    pub(super) struct ActionGroups(block, game: &TheRiver) {
        kind[; kind: KIND, stage: STAGE]:
            "kind={kind}" "kind.stage={stage}" "kind={kind},stage={stage}";
        last_pioneers[; kind: KIND, boats: BOATS]:
            "kind={kind}" "kind.boats={boats}" "kind={kind},boats={boats}";
        /// A claimed tile, from 0 for no tile.
        tile = tile_facts(block, "claim", &game.data);
        matches[; matching: MATCHING, stage: STAGE]:
            "claim.match={matching}" "claim.match.stage={stage}"
            "claim.match={matching},stage={stage}";
        /// The board and the number of tiles before a claim.
        covers[board: BOARD, tiles: TILES] = spot_facts(block, game);
        /// The production before a claim that adds to it.
        new_production[resource: PRODUCED; amount: AMOUNT, span: SPAN]:
            "claim.new_production.{resource}={amount}"
            "claim.new_production.{resource}.span={span}"
            "claim.new_production.{resource}={amount},span={span}";
        new_storage[; amount: AMOUNT, storage: up_to(7)]:
            "claim.new_storage={amount}" "claim.new_storage.storage={storage}"
            "claim.new_storage={amount},storage={storage}";
        effect[kind: EFFECT; stage: STAGE, value: VALUE_COUNT]:
            "claim.{kind}.value([stage={stage}])>={value}";
        claim_ends[; lead: range(-12, 12)]: "claim.ends.lead([any=0])<=>{lead}";
        /// A gain, with the part of it that fits.
        yields[resource: PRODUCED; gain: count(YIELD.len() - 1), fits: YIELD]:
            "produce.{resource}>={gain}" "produce.{resource}.fits>={fits}"
            "!fits? produce.{resource}.fits=0";
        food_held[; food: AMOUNT, has_room: FLAG]:
            "food.held={food}" "food.held.room={has_room}" "food.held={food},room={has_room}";
        substitute[resource: PRODUCED]: "food.substitute={resource}";
        /// The most valuable building that becomes payable.
        unlocks[; span: SPAN, points: POINTS_COUNT]: "unlocks([span={span}])>={points}";
        /// The units of a gain that a reserved building lacks.
        helps_reserved[; span: SPAN, units: count(6)]: "helps_reserved([span={span}])>={units}";
        /// The most valuable face-up building that a gain brings nearer.
        helps_visible[; span: SPAN, points: POINTS_COUNT]: "helps_visible([span={span}])>={points}";
        reserve = building_facts(block, "reserve", &game.data);
        reserve_readiness[readiness: READINESS, span: SPAN, points: POINTS] =
            readiness_facts(block, "reserve");
        reserve_rivals[; rivals: AMOUNT, span: SPAN]:
            "reserve.rivals={rivals}" "reserve.rivals.span={span}"
            "reserve.rivals={rivals},span={span}";
        reserved_count[; count: AMOUNT, stage: STAGE]:
            "reserve.count={count}" "reserve.count.stage={stage}"
            "reserve.count={count},stage={stage}";
        /// The points of a building, with the span of the game for face-up and reserved ones.
        build[; span: choices(2 * SPANS), points: POINTS_COUNT]:
            "build.points([reserved_span={span}])>={points}";
        /// The points that the most valuable payable building has more.
        build_gap[; span: SPAN, points: VALUE_COUNT]: "build.below_best([span={span}])>={points}";
        build_token[; stage: STAGE, points: POINTS_COUNT]: "build.token([stage={stage}])>={points}";
        build_ends[; lead: range(-12, 12)]: "build.ends.lead([any=0])<=>{lead}";
        /// The food that a building costs.
        build_food[; food: AMOUNT, span: SPAN]:
            "build.food={food}" "build.food.span={span}" "build.food={food},span={span}";
        build_rivals[; rivals: AMOUNT, span: SPAN]:
            "build.rivals={rivals}" "build.rivals.span={span}" "build.rivals={rivals},span={span}";
        extra_pioneer[stage: STAGE]: "build.extra_pioneer.stage={stage}";
        /// The resources that are left, with the production.
        left[resource: RESOURCE; production: up_to(2), amount: count(7)]:
            "left.{resource}([production={production}])>={amount}";
        /// The most valuable building that is payable with the resources that are left.
        payable_after[; span: SPAN, points: POINTS_COUNT]: "payable_after([span={span}])>={points}";
        pawn[; distance: DISTANCE, stage: STAGE]:
            "first.distance={distance}" "first.distance.stage={stage}"
            "first.distance={distance},stage={stage}";
        swap_points[; stage: STAGE, points: range(-8, 8)]:
            "swap.points([stage={stage}])<=>{points}";
        swap_pairs[; stage: STAGE, pairs: range(-2, 2)]:
            "swap.open_pairs([stage={stage}])<=>{pairs}";
        discard[resource: RESOURCE]: "discard={resource}";
        /// The most valuable reserved building that needs all that the seat has of a resource.
        needed_reserved[; span: SPAN, points: POINTS_COUNT]:
            "discard.needed_reserved([span={span}])>={points}";
        needed_visible[; span: SPAN, points: POINTS_COUNT]:
            "discard.needed_visible([span={span}])>={points}";
    }
}

/// Describes numbers of bonus tokens: the spots left, and the tokens until the extra pioneer.
fn token_facts(block: &mut FactBlock, game: &TheRiver) -> Vec<Vec<u16>> {
    block.describe_each(0..=MAX_TOKENS as u32, |tokens, inputs| {
        let left = game.bonus_spots.saturating_sub(tokens);
        let distance = game.data.rules.extra_pioneer_on_bonus_spot.get().saturating_sub(tokens);
        inputs.number("tokens", 8, tokens);
        inputs.number("token_spots_left", 8, left);
        inputs.add_if(left == 0, "token_spots_left=0");
        inputs.number("tokens_to_extra_pioneer", 8, distance);
        inputs.add_if(distance == 1, "tokens_to_extra_pioneer=1");
    })
}

/// Describes the next free spot of each board for each number of tiles: its symbols, its frame and
/// its row.
fn spot_facts(block: &mut FactBlock, game: &TheRiver) -> Vec<Vec<u16>> {
    let spots = game.boards.iter().flat_map(|board| (0..=SPOTS).map(move |len| (board, len)));
    block.describe_each(spots, |(board, len), inputs| {
        let is_framed = |spot: &usize| game.framed >> spot & 1 == 1;
        let free: Vec<_> = (len..SPOTS).collect();
        inputs.number("tiles", SPOTS as u32, len as u32);
        inputs.add_if(free.first().is_some_and(is_framed), "next_spot.framed");
        let distance = free.iter().position(is_framed).unwrap_or(0);
        inputs.number("spots_to_framed", SPOTS as u32, distance as u32);
        let framed = free.iter().filter(|spot| is_framed(spot)).count();
        inputs.number("framed_spots_left", SPOTS as u32, framed as u32);
        for row in 0..3 {
            let is_row = |spot: &usize| game.columns.iter().any(|column| column[row] == *spot);
            inputs.add_if(free.first().is_some_and(is_row), &format!("next_spot.row={row}"));
        }
        let second = free.len().min(1)..free.len().min(2);
        let sets = [&free[..second.start], &free[second], &free];
        for (name, spots) in ["next_spot", "second_spot", "free_spots"].into_iter().zip(sets) {
            let sum = |sum: Symbols, &spot: &usize| sum.plus(board.spots[spot]);
            let symbols = spots.iter().fold(Symbols::default(), sum);
            for resource in Resource::PRODUCED {
                let name = format!("{name}.production.{}", resource.name());
                inputs.number(&name, 4, symbols.production(resource));
            }
            inputs.number(&format!("{name}.storage"), 6, symbols.storage());
        }
    })
}

fn describe_open_column([column, set, distance]: [usize; 3], inputs: &mut Inputs<'_>) {
    let name = ["open_column", "open_pair"][column];
    let terrain = Terrain::NAMES.map(|terrain| format!("{name}.terrain={terrain}"));
    inputs.add(name);
    for terrain in &terrain {
        inputs.add_if(false, terrain);
    }
    inputs.add(&format!("{name}.distance={distance}"));
    for (index, terrain) in terrain.iter().enumerate() {
        inputs.add_if(set >> index & 1 == 1, terrain);
    }
}

/// Describes each kind of tile, from kind 0 for no tile.
fn tile_facts(block: &mut FactBlock, name: &str, data: &Data) -> Vec<Vec<u16>> {
    let inputs = [
        "",
        ".terrain={terrain}",
        ".mixed",
        ".production.{resource}>={number}",
        ".storage>={number}",
    ];
    block.declare(
        &[("terrain", TERRAIN), ("resource", PRODUCED), ("number", TILE_NUMBER)],
        inputs.map(|input| format!("{name}{input}")),
    );
    declare_effects(block, name);
    let tiles = std::iter::once(None).chain(data.tile.iter().map(Some));
    block.describe_each(tiles, |tile, inputs| {
        if let Some(tile) = tile {
            describe_tile(name, tile, inputs);
        }
    })
}

fn describe_tile(name: &str, tile: &Tile, inputs: &mut Inputs<'_>) {
    inputs.add(name);
    for &terrain in &tile.terrain {
        inputs.add(&format!("{name}.terrain={}", terrain.name()));
    }
    inputs.add_if(tile.terrain.len() > 1, &format!("{name}.mixed"));
    for (resource, amount) in Resource::PRODUCED.into_iter().zip(tile.production.to_array()) {
        let name = format!("{name}.production.{}", resource.name());
        inputs.number(&name, MAX_TILE_NUMBER, amount);
    }
    inputs.number(&format!("{name}.storage"), MAX_TILE_NUMBER, tile.storage.get());
    if let Some(effect) = &tile.effect {
        describe_effect(name, effect, inputs);
    }
}

/// Adds the inputs of the attributes of effects.
fn declare_effects(block: &mut FactBlock, name: &str) {
    let axes = [
        ("terrain", TERRAIN),
        ("resource", PRODUCED),
        ("number", TILE_NUMBER),
        ("cap", count(2 * MAX_TILE_NUMBER as usize)),
    ];
    for kind in EffectKind::NAMES {
        let subject = match kind {
            "points_per_terrain" => "={terrain}",
            "points_per_production" | "income" | "take" => "={resource}",
            _ => "",
        };
        block.declare(
            &axes,
            ["", subject, ">={number}"].map(|input| format!("{name}.{kind}{input}")),
        );
    }
    let inputs = ["points_per_production.cap>={cap}", "income.amount>={number}"];
    block.declare(&axes, inputs.map(|input| format!("{name}.{input}")));
}

fn describe_effect(name: &str, effect: &TileEffect, inputs: &mut Inputs<'_>) {
    let name = format!("{name}.{}", effect.kind().name());
    inputs.add(&name);
    let (subject, number) = subject_and_number(effect);
    match effect {
        TileEffect::PointsPerProduction { cap, .. } => {
            inputs.number(&format!("{name}.cap"), 2 * MAX_TILE_NUMBER, cap.get());
        }
        TileEffect::Income { amount, .. } => {
            inputs.number(&format!("{name}.amount"), MAX_TILE_NUMBER, amount.get());
        }
        _ => {}
    }
    match effect.kind() as usize {
        0 => inputs.add(&format!("{name}={}", TERRAIN.name(subject))),
        1..=3 => inputs.add(&format!("{name}={}", PRODUCED.name(subject))),
        _ => {}
    }
    inputs.number(&name, MAX_TILE_NUMBER, number);
}

/// Describes the effect of each kind of tile, from kind 0 for no tile, in each stage.
fn effect_facts(block: &mut FactBlock, data: &Data) -> Vec<Vec<u16>> {
    declare_effects(block, "effect");
    block.declare(
        &[("kind", EFFECT), ("stage", STAGE)],
        ["effect.{kind}[stage={stage}]".to_owned()],
    );
    let effects = std::iter::once(None).chain(data.tile.iter().map(|tile| tile.effect.as_ref()));
    let facts = effects.flat_map(|effect| (0..STAGES).map(move |stage| (effect, stage)));
    block.describe_each(facts, |(effect, stage), inputs| {
        if let Some(effect) = effect {
            describe_effect("effect", effect, inputs);
            inputs.add(&format!("effect.{}[stage={stage}]", effect.kind().name()));
        }
    })
}

/// Describes each building: its cost and points.
fn building_facts(block: &mut FactBlock, name: &str, data: &Data) -> Vec<Vec<u16>> {
    let buildings = data.building.iter().map(|card| (card.cost.to_array(), card.points.get()));
    // The first one adds the inputs, should there be no buildings.
    let mut facts = block.describe_each(
        std::iter::once(Default::default()).chain(buildings),
        |(cost, points), inputs| {
            inputs.add(name);
            let level = tail_level(12, points.into()) as u32;
            inputs.number(&format!("{name}.points"), MAX_BUILDING_POINTS, level);
            for (resource, cost) in Resource::PRODUCED.into_iter().zip(cost) {
                inputs.number(&format!("{name}.cost.{}", resource.name()), 6, cost);
            }
            inputs.number(&format!("{name}.cost"), 12, cost.iter().sum());
        },
    );
    facts.split_off(1)
}

/// Returns the terrains of a tile, bit t for terrain t.
pub(super) fn terrain_set(terrain: &[Terrain]) -> u8 {
    terrain.iter().fold(0, |set, &terrain| set | 1 << terrain as u8)
}
