//! The facts of a position.

use super::{
    super::{
        TheRiver,
        components::SPOTS,
        state::{Phase, Place, State},
    },
    Facts, STAGES,
    readiness::{Prices, span},
    summary::{Common, Summary, UNLIMITED, count_of_set, terrain_count},
};
use watershed_engine::{
    bits::ones,
    game::{
        Seat,
        facts::{FactList, PositionFacts},
    },
};

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
        for (resource, &amount) in means.held.iter().enumerate() {
            groups.held(list, resource, amount);
        }
        groups.total(list, summary.total);
        let room = means.storage.saturating_sub(summary.total);
        groups.room(list, room);
        groups.overflow(list, summary.total.saturating_sub(means.storage));
        for resource in 0..3 {
            groups.production(list, resource, stage, summary.production[resource]);
            if means.boat > 0 {
                let gain = means.yields[resource];
                groups.yields(list, resource, gain, gain.min(room));
            }
        }
        let [wood, clay, stone] = summary.production.map(|amount| amount > 0);
        groups.produced(list, stone, clay, wood);
        groups.storage(list, stage, means.storage);
        groups.tokens(list, summary.tokens);
        groups.spots(list, state.board(seat), summary.len);
        groups.pioneers(list, stage, summary.pioneers);
        groups.boat(list, stage, means.boat);
        groups.claims_left(list, span(stage), summary.claims_left);
        groups.turn(list, seats_between(game, state.decider(), seat), means.boat);
        if state.pawn_holder() == seat {
            groups.pawn(list, stage);
        }
        groups.points(list, span(stage), summary.points());
        groups.token_points(list, summary.token_points);
        groups.building_points(list, summary.building_points);
        groups.column_points(list, summary.column_points);
        groups.meadow_points(list, summary.meadow_points);
        groups.resource_points(list, summary.resource_points);
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
            let (column, terrain, spot) = if top != 0 && middle == 0 {
                (0_usize, top, column[1])
            } else if top & middle != 0 && bottom == 0 {
                (1, top & middle, column[2])
            } else {
                continue;
            };
            groups.open_column(list, column, terrain, spot.saturating_sub(summary.len));
        }
        for distance in 0..NEXT_SPOTS {
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
            groups.next(list, distance, spot_state as usize, visible);
        }
        for terrain in 0..5 {
            groups.terrain(list, terrain, terrain_count(summary.terrain_counts, terrain));
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
                let supply = || common.supply[usize::from(values.subject)];
                let value = values.offered(summary, supply);
                groups.offer(list, values.kind, common.stage, value);
            }
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
        let sets = [(false, 0), (true, discount)];
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
            for ((before, left), (is_reserved, _)) in before.into_iter().zip(left).zip(sets) {
                for (building, readiness) in ones(before & !left).zip(&mut readiness) {
                    let points = game.buildings[building as usize].points;
                    groups.building(list, is_reserved, readiness, span, points);
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
        groups.reserved_count(list, common.stage, summary.reserved.count_ones());
        groups.best_payable(list, common.stage, targets.payable);
        groups.best_near(list, common.stage, targets.near);
        targets
    }
}

/// Returns the number of seats clockwise from one seat to another.
#[inline]
fn seats_between(game: &TheRiver, from: Seat, to: Seat) -> usize {
    let distance = to.index() + game.players - from.index();
    if distance >= game.players { distance - game.players } else { distance }
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
            groups.turn(list, turn, common.phase as usize);
            groups.pawn(list, seats_between(game, state.pawn_holder(), seat), stage);
            groups.lead(list, stage, points[own] - best);
            groups.expected_lead(list, stage, expected[own] - best_expected);
            let difference = |own: u32, other: u32| own as i32 - other as i32;
            groups.token_lead(list, stage, difference(summary.tokens, tokens));
            groups.tile_lead(list, stage, difference(summary.len as u32, len as u32));
            groups.boat_lead(list, stage, difference(summary.means.boat, boat));
            groups.seats_ahead(list, ahead, stage);
            let left = |tokens: u32| game.bonus_spots.saturating_sub(tokens);
            groups.tokens_to_end(list, left(summary.tokens), left(tokens));
            let tiles = [summary.len, len].map(|len| tiles_class(SPOTS - len));
            groups.tiles_to_end(list, tiles[0], tiles[1]);
            let value = |buildings: u64| {
                let values =
                    ones(buildings).map(|building| game.buildings[building as usize].points);
                values.max().unwrap_or(0)
            };
            let face_up = targets[own].payable_face_up;
            groups.contested(list, span(stage), value(face_up & payable));
            groups.uncontested(list, span(stage), value(face_up & !payable));
        }
    }

    fn list_shared(&self, game: &TheRiver, state: &State, common: &Common, list: &mut FactList) {
        let groups = &self.shared;
        groups.players(list, game.players);
        groups.round(list, state.round());
        groups.stage(list, common.stage);
        groups.phase(list, common.phase as usize);
        if let Some((_, building)) = common.paying {
            list.push_choice(groups.building_to_pay, building.0.into());
        }
        match common.phase {
            Phase::Swaps => groups.swaps_left(list, state.cursor()),
            Phase::Overflow | Phase::IncomeOverflow => {
                groups.first_discard(list, state.first_discard() as usize);
            }
            _ => {}
        }
        for (resource, &supply) in common.supply.iter().enumerate() {
            groups.supply(list, resource, supply);
        }
        for place in 0..Place::COUNT {
            match Self::free_places(game, state, place) {
                UNLIMITED => {}
                0 => groups.closed(list, place),
                free => groups.free(list, place, free),
            }
        }
        for (resource, &bonus) in common.bonus.iter().enumerate() {
            groups.bonus(list, resource, bonus);
        }
        let tokens = game.tokens.get(common.tokens_taken..).unwrap_or(&[]);
        let [next, after] = [0, 1].map(|index| tokens.get(index).copied().unwrap_or(0));
        groups.next_token(list, next);
        groups.token_drop(list, next.saturating_sub(after));
        groups.tokens_left(list, tokens.len());
        let tiles = state.face_up_tiles();
        for tile in tiles.iter() {
            list.push_choice(groups.tile, tile.0.into());
        }
        groups.face_up_tiles(list, tiles.len());
        for building in ones(common.face_up_buildings) {
            list.push_choice(groups.building, building as usize);
        }
        groups.face_up_buildings(list, common.face_up_buildings.count_ones());
    }
}
