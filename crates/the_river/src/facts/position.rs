//! The facts of a position.

use super::{
    super::{
        TheRiver,
        components::{MAX_BOARDS, MAX_TILE_KINDS, Resource, SPOTS, Symbols},
        data::TileEffect,
        state::{Phase, Place, State},
    },
    Facts, PLACE_NAMES, STAGES, TileValues,
    groups::{
        DifferenceBy, NumberBy, Pair, TERRAIN_SETS, TERRAINS, building_group, reached,
        terrain_set_inputs, tile_group,
    },
    readiness::{Prices, ReadinessGroup, SPANS, span},
    summary::{Common, Summary, UNLIMITED, count_of_set, terrain_count},
};
use watershed_engine::{
    bits::ones,
    game::{
        Seat,
        facts::{FactBlock, FactGroup, FactList, PositionFacts},
    },
};

/// The names of the phases in inputs, in the order of [`Phase`].
const PHASES: [&str; 12] = [
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
];
/// The states of a spot that a seat will cover soon, in the order of [`SpotState`].
const SPOT_STATES: [&str; 5] = ["top", "middle", "bottom", "lost", "unknown"];
/// The maximum of the yields that facts distinguish.
const MAX_YIELD: u32 = 6;
/// The maximum distance of a spot that facts distinguish.
const MAX_DISTANCE: usize = 5;
/// The number of the next spots with facts of their own.
const NEXT_SPOTS: usize = 3;
/// The number of visible tiles that facts of a spot distinguish, and the value for a spot that the
/// seat cannot cover in this round.
const LATER: usize = 4;

/// The state of a spot that a seat will cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpotState {
    /// The top of a column.
    Top,
    /// The middle, below a tile.
    Middle,
    /// The bottom, below two tiles with a terrain in common.
    Bottom,
    /// The bottom, below two tiles without a terrain in common.
    Lost,
    /// A spot below a free one.
    Unknown,
}

impl Facts {
    /// Returns the state of a spot, and the terrains that match its column. `terrain_at` returns
    /// the terrains of the tile on a spot, or 0.
    #[inline]
    pub(super) fn spot_state(
        &self,
        columns: &[[usize; 3]; 4],
        terrain_at: impl Fn(usize) -> u8,
        spot: usize,
    ) -> (SpotState, u8) {
        let (row, column) = self.place_of_spot[spot];
        let (top, middle) = (terrain_at(columns[column][0]), terrain_at(columns[column][1]));
        match row {
            0 => (SpotState::Top, 0),
            _ if top == 0 || row == 2 && middle == 0 => (SpotState::Unknown, 0),
            1 => (SpotState::Middle, top),
            _ if top & middle == 0 => (SpotState::Lost, 0),
            _ => (SpotState::Bottom, top & middle),
        }
    }

    /// Lists the facts of a position.
    pub(in super::super) fn list_position(
        &self,
        game: &TheRiver,
        state: &State,
        facts: &mut PositionFacts,
    ) {
        let mut seats = [Summary::default(); 4];
        let common = self.summarize_position(game, state, &mut seats);
        let seats = &seats[..game.players];
        let mut targets = [BuildingTargets::default(); 4];
        for seat in game.all_seats() {
            let index = seat.index();
            targets[index] =
                self.list_seat(game, state, &common, seat, &seats[index], &mut facts.seats[index]);
        }
        self.list_views(game, state, &common, seats, &targets[..game.players], facts);
        self.list_shared(game, state, &common, &mut facts.shared);
    }
}

/// The most valuable buildings of a seat, in points.
#[derive(Clone, Copy, Default)]
pub(super) struct BuildingTargets {
    payable: u32,
    near: u32,
    /// The face-up buildings that the seat can pay.
    payable_face_up: u64,
}

/// The groups of facts about a seat.
#[derive(Clone, Debug)]
pub(in super::super) struct SeatGroups {
    held: [FactGroup; 4],
    total: FactGroup,
    room: FactGroup,
    overflow: FactGroup,
    production: [NumberBy; 3],
    produced: FactGroup,
    storage: NumberBy,
    /// By the total yield and the part of it that fits.
    yields: [FactGroup; 3],
    tokens: FactGroup,
    /// By board and number of tiles.
    spots: FactGroup,
    pioneers: NumberBy,
    boat: NumberBy,
    claims_left: NumberBy,
    turn: Pair,
    pawn: FactGroup,
    points: NumberBy,
    token_points: FactGroup,
    building_points: FactGroup,
    column_points: FactGroup,
    meadow_points: FactGroup,
    resource_points: FactGroup,
    open_column: [FactGroup; 2],
    next: [Pair; NEXT_SPOTS],
    terrain: [FactGroup; 5],
    effect: FactGroup,
    offer: [NumberBy; TileEffect::KINDS.len()],
    visible: ReadinessGroup,
    reserved: ReadinessGroup,
    reserved_count: NumberBy,
    best_payable: NumberBy,
    best_near: NumberBy,
}

/// Adds facts for gains of a resource, by the total gain and the part of it that fits.
pub(super) fn yield_group(block: &mut FactBlock, name: &str) -> FactGroup {
    let total = block.number_inputs(name, MAX_YIELD);
    let fits = block.number_inputs(&format!("{name}.fits"), MAX_YIELD);
    let nothing_fits = block.input(&format!("{name}.fits=0"));
    let facts = (1..=MAX_YIELD).flat_map(|gain| {
        let (total, fits) = (&total, &fits);
        (0..=MAX_YIELD).map(move |fitting| {
            let mut inputs = [reached(total, gain), reached(fits, fitting)].concat();
            inputs.extend((fitting == 0).then_some(nothing_fits));
            inputs
        })
    });
    let facts = facts.collect();
    block.group(facts)
}

/// Lists a gain of a resource and the part of it that fits.
#[inline]
pub(super) fn push_yield(list: &mut FactList, group: FactGroup, gain: u32, room: u32) {
    if gain > 0 {
        let gain = gain.min(MAX_YIELD);
        let index = (gain - 1) * (MAX_YIELD + 1) + gain.min(room);
        list.push_choice(group, index as usize);
    }
}

/// Adds facts for the next free spot of each board: its symbols, its frame and its row.
pub(super) fn spot_group(block: &mut FactBlock, game: &TheRiver) -> FactGroup {
    let tiles = block.number_inputs("tiles", SPOTS as u32);
    let framed = block.input("next_spot.framed");
    let to_framed = block.number_inputs("spots_to_framed", SPOTS as u32);
    let framed_left = block.number_inputs("framed_spots_left", SPOTS as u32);
    let rows: Vec<_> = (0..3).map(|row| block.input(&format!("next_spot.row={row}"))).collect();
    let symbols = ["next_spot", "second_spot", "free_spots"].map(|spots| {
        let production = Resource::PRODUCED.map(|resource| {
            block.number_inputs(&format!("{spots}.production.{}", resource.name()), 4)
        });
        (production, block.number_inputs(&format!("{spots}.storage"), 6))
    });
    let mut facts = Vec::new();
    for board in &game.boards {
        for len in 0..=SPOTS {
            let mut inputs = reached(&tiles, len as u32).to_vec();
            let is_framed = |&spot: &usize| game.framed >> spot & 1 == 1;
            let free: Vec<_> = (len..SPOTS).collect();
            inputs.extend(free.first().filter(|&spot| is_framed(spot)).map(|_| framed));
            let distance = free.iter().position(&is_framed).unwrap_or(0);
            inputs.extend(reached(&to_framed, distance as u32));
            let left = free.iter().filter(|spot| is_framed(spot)).count();
            inputs.extend(reached(&framed_left, left as u32));
            let row = |&spot: &usize| {
                game.columns.iter().find_map(|column| column.iter().position(|&at| at == spot))
            };
            inputs.extend(free.first().and_then(row).map(|row| rows[row]));
            let sum = |spots: &[usize]| {
                spots.iter().fold(Symbols::default(), |sum, &spot| sum.plus(board.spots[spot]))
            };
            let first = &free[..free.len().min(1)];
            let second = &free[free.len().min(1)..free.len().min(2)];
            for ((production, storage), spots) in symbols.iter().zip([first, second, &free]) {
                let printed = sum(spots);
                for resource in Resource::PRODUCED {
                    let amount = printed.production(resource);
                    inputs.extend(reached(&production[resource as usize], amount));
                }
                inputs.extend(reached(storage, printed.storage()));
            }
            facts.push(inputs);
        }
    }
    debug_assert!(game.boards.len() <= MAX_BOARDS);
    block.group(facts)
}

/// Adds facts for the number of bonus tokens: of the spots left, and until the extra pioneer.
pub(super) fn token_group(block: &mut FactBlock, game: &TheRiver) -> FactGroup {
    let tokens = block.number_inputs("tokens", 8);
    let left = block.number_inputs("token_spots_left", 8);
    let full = block.input("token_spots_left=0");
    let to_pioneer = block.number_inputs("tokens_to_extra_pioneer", 8);
    let next_is_pioneer = block.input("tokens_to_extra_pioneer=1");
    let facts = (0..=8u32).map(|count| {
        let spots_left = game.bonus_spots.saturating_sub(count);
        let distance = game.data.rules.extra_pioneer_on_bonus_spot.get().saturating_sub(count);
        let mut inputs = reached(&tokens, count).to_vec();
        inputs.extend(reached(&left, spots_left));
        inputs.extend((spots_left == 0).then_some(full));
        inputs.extend(reached(&to_pioneer, distance));
        inputs.extend((distance == 1).then_some(next_is_pioneer));
        inputs
    });
    let facts = facts.collect();
    block.group(facts)
}

/// Adds facts for columns with one tile, or with two that match, by the terrains that match the
/// next tile and the distance to it.
fn open_column_group(block: &mut FactBlock, name: &str) -> FactGroup {
    let any = block.input(name);
    let terrain =
        TERRAINS.map(|terrain| block.input(&format!("{name}.terrain={terrain}"))).to_vec();
    let distances: Vec<_> = (0..=MAX_DISTANCE)
        .map(|distance| block.input(&format!("{name}.distance={distance}")))
        .collect();
    let facts = (0..TERRAIN_SETS).flat_map(|set| {
        let matching = terrain_set_inputs(&terrain, set);
        distances.iter().map(move |&distance| [vec![any, distance], matching.clone()].concat())
    });
    let facts = facts.collect();
    block.group(facts)
}

impl SeatGroups {
    pub(super) fn new(
        block: &mut FactBlock,
        game: &TheRiver,
        tiles: &[TileValues; MAX_TILE_KINDS + 1],
    ) -> Self {
        let name_by =
            |what: &str| Resource::PRODUCED.map(|resource| format!("{what}.{}", resource.name()));
        let lacks: Vec<_> = name_by("no_production").map(|name| block.input(&name)).into();
        let lacks = (0..8usize).map(|produced| {
            let lacked = (0..3).filter(|&resource| produced >> resource & 1 == 0);
            lacked.map(|resource| lacks[resource]).collect()
        });
        let lacks = lacks.collect();
        Self {
            held: Resource::ALL
                .map(|resource| block.number(&format!("held.{}", resource.name()), 12)),
            total: block.number("held", 24),
            room: block.number("room", 12),
            overflow: block.number("overflow", 8),
            production: name_by("production")
                .map(|name| NumberBy::new(block, &name, 8, "stage", STAGES)),
            produced: block.group(lacks),
            storage: NumberBy::new(block, "storage", 16, "stage", STAGES),
            yields: name_by("yield").map(|name| yield_group(block, &name)),
            tokens: token_group(block, game),
            spots: spot_group(block, game),
            pioneers: NumberBy::new(block, "pioneers", 7, "stage", STAGES),
            boat: NumberBy::new(block, "boat", 7, "stage", STAGES),
            claims_left: NumberBy::new(block, "claims_left", 6, "span", SPANS),
            turn: Pair::new(block, ("turn", &["0", "1", "2", "3"]), ("boat", 4)),
            pawn: block.choice("pawn.stage", 0..STAGES),
            points: NumberBy::new(block, "points", 100, "span", SPANS),
            token_points: block.number("token_points", 40),
            building_points: block.number("building_points", 60),
            column_points: block.number("column_points", 24),
            meadow_points: block.number("meadow_points", 40),
            resource_points: block.number("resource_points", 8),
            open_column: ["open_column", "open_pair"].map(|name| open_column_group(block, name)),
            next: ["next", "second", "third"]
                .map(|name| Pair::new(block, (name, &SPOT_STATES), ("matching", LATER + 1))),
            terrain: TERRAINS.map(|terrain| block.number(&format!("terrain.{terrain}"), 8)),
            effect: Self::effects(block, game, tiles),
            offer: TileEffect::KINDS
                .map(|kind| NumberBy::new(block, &format!("offer.{kind}"), 8, "stage", STAGES)),
            visible: ReadinessGroup::new(block, "visible"),
            reserved: ReadinessGroup::new(block, "reserved"),
            reserved_count: NumberBy::new(block, "reserved_count", 4, "stage", STAGES),
            best_payable: NumberBy::new(block, "best_payable", 12, "stage", STAGES),
            best_near: NumberBy::new(block, "best_near", 12, "stage", STAGES),
        }
    }

    /// Adds a fact for the effect of each kind of tile in each stage.
    #[expect(clippy::needless_range_loop, reason = "the stage is also the index of other lists")]
    fn effects(
        block: &mut FactBlock,
        game: &TheRiver,
        tiles: &[TileValues; MAX_TILE_KINDS + 1],
    ) -> FactGroup {
        let inputs = super::groups::EffectInputs::new(block, "effect");
        let stages = TileEffect::KINDS.map(|kind| {
            (0..STAGES)
                .map(|stage| block.input(&format!("effect.{kind}[stage={stage}]")))
                .collect::<Vec<_>>()
        });
        let mut facts = vec![Vec::new(); STAGES];
        for (tile, values) in game.data.tile.iter().zip(&tiles[1..]) {
            for stage in 0..STAGES {
                let effect = tile.effect.as_ref().map(|effect| {
                    let mut inputs = inputs.describe(effect);
                    inputs.push(stages[usize::from(values.kind)][stage]);
                    inputs
                });
                facts.push(effect.unwrap_or_default());
            }
        }
        block.group(facts)
    }
}

impl Facts {
    fn list_seat(
        &self,
        game: &TheRiver,
        state: &State,
        common: &Common,
        seat: Seat,
        summary: &Summary,
        list: &mut FactList,
    ) -> BuildingTargets {
        let groups = &self.seat;
        let stage = common.stage;
        let means = &summary.means;
        for (&group, &amount) in groups.held.iter().zip(&means.held) {
            list.push_number(group, amount);
        }
        list.push_number(groups.total, summary.total);
        let room = means.storage.saturating_sub(summary.total);
        list.push_number(groups.room, room);
        list.push_number(groups.overflow, summary.total.saturating_sub(means.storage));
        let mut produced = 0;
        for resource in 0..3 {
            groups.production[resource].push(list, stage, summary.production[resource]);
            produced |= usize::from(summary.production[resource] > 0) << resource;
            if means.boat > 0 {
                push_yield(list, groups.yields[resource], means.yields[resource], room);
            }
        }
        list.push_choice(groups.produced, produced);
        groups.storage.push(list, stage, means.storage);
        list.push_choice(groups.tokens, summary.tokens as usize);
        list.push_choice(groups.spots, state.board(seat) * (SPOTS + 1) + summary.len);
        groups.pioneers.push(list, stage, summary.pioneers);
        groups.boat.push(list, stage, means.boat);
        groups.claims_left.push(list, span(stage), summary.claims_left);
        let turn = seats_between(game, state.decider(), seat);
        groups.turn.push(list, turn, means.boat.min(3) as usize);
        if state.pawn_holder() == seat {
            list.push_choice(groups.pawn, stage);
        }
        groups.points.push(list, span(stage), summary.points());
        list.push_number(groups.token_points, summary.token_points);
        list.push_number(groups.building_points, summary.building_points);
        list.push_number(groups.column_points, summary.column_points);
        list.push_number(groups.meadow_points, summary.meadow_points);
        list.push_number(groups.resource_points, summary.resource_points);
        self.list_board(game, state, common, summary, list);
        self.list_buildings(game, common, summary, list)
    }

    /// Lists the facts about columns, terrains and effects.
    fn list_board(
        &self,
        game: &TheRiver,
        state: &State,
        common: &Common,
        summary: &Summary,
        list: &mut FactList,
    ) {
        let groups = &self.seat;
        for column in &game.columns {
            let terrain_at = |row: usize| summary.terrain[column[row]];
            let (top, middle, bottom) = (terrain_at(0), terrain_at(1), terrain_at(2));
            let (pair, terrain, spot) = if top != 0 && middle == 0 {
                (0, top, column[1])
            } else if top & middle != 0 && bottom == 0 {
                (1, top & middle, column[2])
            } else {
                continue;
            };
            let distance = spot.saturating_sub(summary.len).min(MAX_DISTANCE);
            let index = usize::from(terrain) * (MAX_DISTANCE + 1) + distance;
            list.push_choice(groups.open_column[pair], index);
        }
        for (distance, group) in groups.next.iter().enumerate() {
            let spot = summary.len + distance;
            if spot >= SPOTS {
                break;
            }
            let (spot_state, matching) =
                self.spot_state(&game.columns, |spot| summary.terrain[spot], spot);
            let visible = if summary.claims_left as usize > distance {
                count_of_set(common.visible_terrain, matching).min(LATER as u32 - 1) as usize
            } else {
                LATER
            };
            group.push(list, spot_state as usize, visible);
        }
        for (terrain, &group) in groups.terrain.iter().enumerate() {
            list.push_number(group, terrain_count(summary.terrain_counts, terrain));
        }
        for spot in 0..summary.len {
            let kind = usize::from(summary.tiles.get(spot).0);
            if self.tiles[kind].has_effect {
                list.push_choice(groups.effect, kind * STAGES + common.stage);
            }
        }
        if summary.claims_left == 0 {
            return;
        }
        for tile in state.face_up_tiles().iter() {
            let values = &self.tiles[usize::from(tile.0)];
            if values.has_effect {
                let offer = groups.offer[usize::from(values.kind)];
                offer.push(list, common.stage, self.offered_value(values, summary, common));
            }
        }
    }

    /// Returns the value of an effect for a seat that would claim the tile: points, resources or
    /// swaps.
    #[inline]
    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn offered_value(&self, values: &TileValues, summary: &Summary, common: &Common) -> u32 {
        match values.kind {
            3 => u32::from(values.number).min(common.supply[usize::from(values.subject)]),
            4 => values.number.into(),
            _ => values.points(summary, 1),
        }
    }

    fn list_buildings(
        &self,
        game: &TheRiver,
        common: &Common,
        summary: &Summary,
        list: &mut FactList,
    ) -> BuildingTargets {
        let groups = &self.seat;
        let mut targets = BuildingTargets::default();
        let discount = game.data.rules.reserve_discount.get();
        let span = span(common.stage);
        let sets = [(groups.visible, 0), (groups.reserved, discount)];
        let mut left = [common.face_up_buildings, summary.reserved];
        while left != [0; 2] {
            let before = left;
            let mut prices = Prices::default();
            for (set, (_, discount)) in left.iter_mut().zip(sets) {
                while *set != 0 && !prices.is_full() {
                    prices.push(game.buildings[set.trailing_zeros() as usize].cost, discount);
                    *set &= *set - 1;
                }
            }
            let mut readiness = prices.readiness(&summary.means).into_iter();
            for ((before, left), (group, _)) in before.into_iter().zip(left).zip(sets) {
                for (building, readiness) in ones(before & !left).zip(&mut readiness) {
                    let points = game.buildings[building as usize].points;
                    group.push(list, readiness, span, points);
                    // A building without points still brings a token.
                    let value = points.max(1);
                    if readiness.is_near() {
                        targets.near = targets.near.max(value);
                    }
                    if readiness.is_payable() {
                        targets.payable = targets.payable.max(value);
                        targets.payable_face_up |= 1 << building & common.face_up_buildings;
                    }
                }
            }
        }
        groups.reserved_count.push(list, common.stage, summary.reserved.count_ones());
        groups.best_payable.push(list, common.stage, targets.payable);
        groups.best_near.push(list, common.stage, targets.near);
        targets
    }
}

/// Returns the number of seats clockwise from one seat to another.
#[inline]
fn seats_between(game: &TheRiver, from: Seat, to: Seat) -> usize {
    let distance = to.index() + game.players - from.index();
    if distance >= game.players { distance - game.players } else { distance }
}

/// The groups of facts about a position from the point of view of a seat.
#[derive(Clone, Debug)]
pub(in super::super) struct ViewGroups {
    turn: Pair,
    pawn: Pair,
    lead: DifferenceBy,
    /// The lead with the most valuable payable building of each seat.
    expected_lead: DifferenceBy,
    token_lead: DifferenceBy,
    tile_lead: DifferenceBy,
    boat_lead: DifferenceBy,
    seats_ahead: Pair,
    tokens_to_end: Pair,
    tiles_to_end: Pair,
    contested: NumberBy,
    uncontested: NumberBy,
}

impl ViewGroups {
    pub(super) fn new(block: &mut FactBlock) -> Self {
        let distances = ["0", "1", "2", "3"];
        let own = ["0", "1", "2", "3", "4"];
        Self {
            turn: Pair::new(block, ("turn_in", &distances), ("phase", PHASES.len())),
            pawn: Pair::new(block, ("pawn_in", &distances), ("stage", STAGES)),
            lead: DifferenceBy::new(block, "lead", 25, "stage", STAGES),
            expected_lead: DifferenceBy::new(block, "expected_lead", 25, "stage", STAGES),
            token_lead: DifferenceBy::new(block, "token_lead", 5, "stage", STAGES),
            tile_lead: DifferenceBy::new(block, "tile_lead", 5, "stage", STAGES),
            boat_lead: DifferenceBy::new(block, "boat_lead", 5, "stage", STAGES),
            seats_ahead: Pair::new(block, ("seats_ahead", &distances), ("stage", STAGES)),
            tokens_to_end: Pair::new(block, ("tokens_to_end", &own), ("others", 5)),
            tiles_to_end: Pair::new(block, ("tiles_to_end", &own), ("others", 5)),
            contested: NumberBy::new(block, "contested", 12, "span", SPANS),
            uncontested: NumberBy::new(block, "uncontested", 12, "span", SPANS),
        }
    }
}

/// Returns the class of a number of tiles until the end.
const fn tiles_class(left: usize) -> usize {
    match left {
        0 => 0,
        1..=2 => 1,
        3..=4 => 2,
        5..=6 => 3,
        _ => 4,
    }
}

impl Facts {
    fn list_views(
        &self,
        game: &TheRiver,
        state: &State,
        common: &Common,
        seats: &[Summary],
        targets: &[BuildingTargets],
        facts: &mut PositionFacts,
    ) {
        let groups = &self.view;
        let stage = common.stage;
        let token_value = game.tokens.get(common.tokens_taken).copied().unwrap_or(0);
        let mut points = [0; 4];
        let mut expected = [0; 4];
        for (seat, (summary, targets)) in seats.iter().zip(targets).enumerate() {
            points[seat] = summary.points() as i32;
            let has_spot = targets.payable > 0 && summary.tokens < game.bonus_spots;
            let gain = (targets.payable + if has_spot { token_value } else { 0 }) as i32;
            // A building that a seat cannot pay in this round counts half.
            expected[seat] = points[seat] + if summary.means.boat > 0 { gain } else { gain / 2 };
        }
        for seat in game.all_seats() {
            let own = seat.index();
            let (mut best, mut best_expected) = (i32::MIN, i32::MIN);
            let (mut tokens, mut len, mut boat, mut ahead, mut payable) = (0, 0, 0, 0, 0);
            for other in (0..seats.len()).filter(|&other| other != own) {
                let summary = &seats[other];
                best = best.max(points[other]);
                best_expected = best_expected.max(expected[other]);
                tokens = tokens.max(summary.tokens);
                len = len.max(summary.len);
                boat = boat.max(summary.means.boat);
                ahead += usize::from(points[other] > points[own]);
                payable |= targets[other].payable_face_up;
            }
            let summary = &seats[own];
            let list = &mut facts.views[own];
            let turn = seats_between(game, state.decider(), seat);
            groups.turn.push(list, turn, common.phase as usize);
            let pawn = seats_between(game, state.pawn_holder(), seat);
            groups.pawn.push(list, pawn, stage);
            groups.lead.push(list, stage, points[own] - best);
            groups.expected_lead.push(list, stage, expected[own] - best_expected);
            let difference = |own: u32, other: u32| own as i32 - other as i32;
            groups.token_lead.push(list, stage, difference(summary.tokens, tokens));
            groups.tile_lead.push(list, stage, difference(summary.len as u32, len as u32));
            groups.boat_lead.push(list, stage, difference(summary.means.boat, boat));
            groups.seats_ahead.push(list, ahead, stage);
            let left = |tokens: u32| game.bonus_spots.saturating_sub(tokens).min(4) as usize;
            groups.tokens_to_end.push(list, left(summary.tokens), left(tokens));
            let (own_tiles, other_tiles) =
                (tiles_class(SPOTS - summary.len), tiles_class(SPOTS - len));
            groups.tiles_to_end.push(list, own_tiles, other_tiles);
            let value = |buildings: u64| {
                let values =
                    ones(buildings).map(|building| game.buildings[building as usize].points);
                values.max().unwrap_or(0)
            };
            let face_up = targets[own].payable_face_up;
            groups.contested.push(list, span(stage), value(face_up & payable));
            groups.uncontested.push(list, span(stage), value(face_up & !payable));
        }
    }
}

/// The groups of facts that are the same for all seats.
#[derive(Clone, Debug)]
pub(in super::super) struct SharedGroups {
    players: FactGroup,
    round: FactGroup,
    stage: FactGroup,
    phase: FactGroup,
    building_to_pay: FactGroup,
    swaps_left: FactGroup,
    first_discard: FactGroup,
    supply: [FactGroup; 4],
    free: [FactGroup; Place::COUNT],
    closed: FactGroup,
    bonus: [FactGroup; 3],
    next_token: FactGroup,
    token_drop: FactGroup,
    tokens_left: FactGroup,
    tile: FactGroup,
    building: FactGroup,
    face_up_tiles: FactGroup,
    face_up_buildings: FactGroup,
}

impl SharedGroups {
    pub(super) fn new(block: &mut FactBlock, game: &TheRiver) -> Self {
        let resource_number = |block: &mut FactBlock, what: &str, max| {
            Resource::ALL.map(|resource| block.number(&format!("{what}.{}", resource.name()), max))
        };
        let [wood, clay, stone, _] = resource_number(block, "first_pioneer_bonus", 3);
        Self {
            players: block.choice("players", 2..=4),
            round: block.number("round", 12),
            stage: block.choice("stage", 0..STAGES),
            phase: block.choice("phase", PHASES),
            building_to_pay: building_group(block, "building_to_pay", &game.data),
            swaps_left: block.number("swaps_left", 4),
            first_discard: block.choice("first_discard", Resource::ALL.map(Resource::name)),
            supply: resource_number(block, "supply", 10),
            free: PLACE_NAMES.map(|place| block.number(&format!("free.{place}"), 4)),
            closed: block.choice("closed", PLACE_NAMES),
            bonus: [wood, clay, stone],
            next_token: block.number("next_token", 12),
            token_drop: block.number("token_drop", 4),
            tokens_left: block.number("tokens_left", 8),
            tile: tile_group(block, "tile", &game.data),
            building: building_group(block, "building", &game.data),
            face_up_tiles: block.number("face_up_tiles", 12),
            face_up_buildings: block.number("face_up_buildings", 8),
        }
    }
}

impl Facts {
    fn list_shared(&self, game: &TheRiver, state: &State, common: &Common, list: &mut FactList) {
        let groups = &self.shared;
        list.push_choice(groups.players, game.players - 2);
        list.push_number(groups.round, state.round());
        list.push_choice(groups.stage, common.stage);
        list.push_choice(groups.phase, common.phase as usize);
        if let Some((_, building)) = common.paying {
            list.push_choice(groups.building_to_pay, building.0.into());
        }
        match common.phase {
            Phase::Swaps => list.push_number(groups.swaps_left, state.cursor().into()),
            Phase::Overflow | Phase::IncomeOverflow => {
                list.push_choice(groups.first_discard, state.first_discard() as usize);
            }
            _ => {}
        }
        for (&group, &supply) in groups.supply.iter().zip(&common.supply) {
            list.push_number(group, supply);
        }
        for (place, &group) in groups.free.iter().enumerate() {
            match Self::free_places(game, state, place) {
                UNLIMITED => {}
                0 => list.push_choice(groups.closed, place),
                free => list.push_number(group, free),
            }
        }
        for (&group, &bonus) in groups.bonus.iter().zip(&common.bonus) {
            list.push_number(group, bonus);
        }
        let tokens = game.tokens.get(common.tokens_taken..).unwrap_or(&[]);
        let [next, after] = [0, 1].map(|index| tokens.get(index).copied().unwrap_or(0));
        list.push_number(groups.next_token, next);
        list.push_number(groups.token_drop, next.saturating_sub(after));
        list.push_number(groups.tokens_left, tokens.len() as u32);
        let tiles = state.face_up_tiles();
        for tile in tiles.iter() {
            list.push_choice(groups.tile, tile.0.into());
        }
        list.push_number(groups.face_up_tiles, tiles.len() as u32);
        for building in ones(common.face_up_buildings) {
            list.push_choice(groups.building, building as usize);
        }
        list.push_number(groups.face_up_buildings, common.face_up_buildings.count_ones());
    }
}
