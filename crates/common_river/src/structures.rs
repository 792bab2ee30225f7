//! Structures in a row turn of We All Take from the River: their order, and their harvest and move
//! actions (rules §6).

use super::{
    CommonRiver,
    action::{Action, Actions, MOVE, PLANT, TAKE, use_action, use_index},
    components::{MAX_ROWS, Structure, Tile, Token, tiles_in},
    phases::{Actor, Phase, Stage},
    pieces::{Camp, Stack, Status},
    rules::lowest_bit,
    state::State,
};
use watershed_engine::game::{ActionSet, Seat};

/// The number of places of a row: two land tiles and the river tile.
const PLACES: u8 = 3;

impl CommonRiver {
    pub(super) fn begin_actions(&self, state: &mut State) {
        state.place = 0;
        state.cursor = 0;
        if self.any_seat_is_fresh(state) {
            state.phase = Phase::ChooseStructure;
        } else {
            self.end_row(state);
        }
    }

    /// Returns the tile of a place of the row, in the order of this day.
    #[inline]
    fn place_tile(&self, state: &State, place: u8) -> Tile {
        let place = if self.is_storm(state) { PLACES - 1 - place } else { place };
        match self.map.row[state.row()].land_by_elevation.get(usize::from(place)) {
            Some(land) => land.tile,
            None => Tile::river(state.row()),
        }
    }

    /// Returns the seat at a position in the order of groups of this day.
    #[inline]
    fn group_seat(&self, state: &State, cursor: usize) -> Seat {
        state.camp_order.get(if self.is_storm(state) { self.players - 1 - cursor } else { cursor })
    }

    pub(super) fn advance_choice(&self, state: &mut State) -> bool {
        while state.group_begun || self.begin_group(state) {
            let seat = self.group_seat(state, state.cursor.into());
            let candidates = self.candidates(state, seat);
            if candidates != 0 {
                state.decider = seat;
                if candidates.count_ones() > 1 {
                    return true;
                }
                if let Action::Use(kind, tile) = use_action(candidates.trailing_zeros()) {
                    state.actor = Some(Actor::new(kind, tile, true));
                    state.phase = Phase::Act;
                    return true;
                }
            }
            Self::end_group(state);
        }
        // Camps move in this step only, so the order is up to date in all others.
        self.update_camp_order(state);
        self.end_row(state);
        false
    }

    /// Begins the next group with a fresh acting structure at its place. Returns false if there
    /// is none left in the row.
    #[inline]
    fn begin_group(&self, state: &mut State) -> bool {
        for place in state.place..PLACES {
            let tile = self.place_tile(state, place);
            for cursor in usize::from(state.cursor)..self.players {
                let seat = self.group_seat(state, cursor);
                if Self::has_fresh(state, seat, tile) {
                    (state.place, state.cursor) = (place, cursor as u8);
                    state.group_begun = true;
                    state.privileged = Self::has_only_camp(state, seat, tile);
                    return true;
                }
            }
            state.cursor = 0;
        }
        false
    }

    #[inline]
    pub(super) fn end_group(state: &mut State) {
        state.group_begun = false;
        state.privileged = false;
        state.cursor += 1;
    }

    /// Returns true if a seat has a fresh acting structure on a tile.
    #[inline]
    fn has_fresh(state: &State, seat: Seat, tile: Tile) -> bool {
        if tile.is_land() {
            state.stack(seat, tile).has_fresh() || state.camp(seat).is_fresh_on(tile)
        } else {
            state.boats(seat, tile.row()).fresh() > 0
        }
    }

    /// Returns true if any seat has a fresh acting structure in the row.
    #[inline]
    fn any_seat_is_fresh(&self, state: &State) -> bool {
        let row = state.row();
        let [left, right] = [Tile::land(0, row), Tile::land(1, row)];
        self.all_seats().any(|seat| {
            let camp = state.camp(seat);
            let machines = Stack::sum_of([state.stack(seat, left), state.stack(seat, right)]);
            machines.has_fresh()
                || state.boats(seat, row).fresh() > 0
                || camp.is_fresh_on(left)
                || camp.is_fresh_on(right)
        })
    }

    /// Returns true if the camp of a seat is on this tile and is the only camp of the row.
    fn has_only_camp(state: &State, seat: Seat, tile: Tile) -> bool {
        tile.is_land()
            && state.camp(seat).is_on(tile)
            && state.camp_tiles() & tile.opposite_bank().bit() == 0
    }

    /// Returns the structures that may have their turn next in this group, as a set of
    /// [`use_index`]; none if there is no candidate at the place itself.
    pub(super) fn candidates(&self, state: &State, seat: Seat) -> u64 {
        let mut candidates = 0;
        let camp = state.camp(seat);
        let privileged = state.privileged && camp.status() == Status::Fresh;
        let places = if privileged { PLACES } else { state.place + 1 };
        for place in state.place..places {
            let tile = self.place_tile(state, place);
            let mut consider = |kind, present: bool| {
                if present && self.can_act(state, seat, Actor::new(kind, tile, false)) {
                    candidates |= 1 << use_index(kind, tile);
                }
            };
            if tile.is_land() {
                let stack = state.stack(seat, tile);
                consider(Structure::Camp, camp.is_fresh_on(tile));
                consider(Structure::Excavator, stack.excavators(Status::Fresh) > 0);
                consider(Structure::Mill, stack.fresh_mills() > 0);
            } else {
                consider(Structure::Boat, state.boats(seat, tile.row()).fresh() > 0);
            }
            if candidates == 0 {
                break;
            }
        }
        candidates
    }

    /// Returns true if a structure can do anything but stop.
    pub(super) fn can_act(&self, state: &State, seat: Seat, actor: Actor) -> bool {
        if self.move_tiles(state, actor) != 0 {
            return true;
        }
        let mut actions = Actions::default();
        self.list_ferries(state, seat, actor, &mut actions);
        if actions.is_empty() && actor.stage < Stage::Built {
            self.list_builds(state, seat, actor, &mut actions);
        }
        if actions.is_empty() && actor.stage == Stage::Start {
            self.list_harvests(state, seat, actor, &mut actions);
        }
        !actions.is_empty()
    }

    /// Lists the actions of a structure that has its turn, except for stopping.
    pub(super) fn list_turn_actions(
        &self,
        state: &State,
        seat: Seat,
        actor: Actor,
        actions: &mut Actions,
    ) {
        if actor.stage == Stage::Start {
            self.list_harvests(state, seat, actor, actions);
        }
        if actor.stage < Stage::Built {
            self.list_builds(state, seat, actor, actions);
        }
        actions.insert_bits(MOVE, self.move_tiles(state, actor).into());
        self.list_ferries(state, seat, actor, actions);
    }

    pub(super) fn advance_act(&self, state: &mut State) -> bool {
        match state.actor {
            Some(actor) if self.can_act(state, state.decider, actor) => true,
            _ => {
                Self::end_structure_turn(state, state.decider);
                false
            }
        }
    }

    /// Ends the turn of the acting structure. If there was no choice of structure and it did
    /// nothing, the turn of the group ends too.
    pub(super) fn end_structure_turn(state: &mut State, seat: Seat) {
        if let Some(actor) = state.actor.take() {
            let seat = seat.index();
            match actor.kind {
                Structure::Camp => state.camps[seat].close(),
                Structure::Boat => {
                    let boats = &mut state.boats[seat][actor.tile.row()];
                    boats.remove_fresh();
                    boats.add_turned();
                }
                kind => state.stacks[seat][actor.tile.index()].close(kind),
            }
            if actor.only_candidate && actor.stage == Stage::Start {
                Self::end_group(state);
            }
        }
        state.last_choice = 0;
        state.phase = Phase::ChooseStructure;
    }

    pub(super) fn set_stage(state: &mut State, next: Stage) {
        if let Some(actor) = &mut state.actor {
            actor.stage = next;
        }
    }

    // Harvest.

    /// Returns true if a token of a kind is on a tile, in a slot or loose.
    #[inline]
    pub(super) fn has_token(&self, state: &State, tile: Tile, token: Token) -> bool {
        self.has_slotted_token(state, tile, token)
            || !tile.is_land() && state.loose_tokens[tile.row()].get(token) > 0
    }

    /// Returns the slots that hold a token of a kind. The set may include slots of other tiles.
    #[inline]
    fn slots_holding(&self, state: &State, tile: Tile, token: Token) -> u64 {
        match token {
            Token::Pollution => state.polluted,
            Token::Tree => state.filled & self.map.trees,
            Token::Gravel => state.filled & self.map.gravel,
            Token::Fish if !tile.is_land() => state.filled,
            Token::Fish | Token::Gold => 0,
        }
    }

    /// Removes a token from the map: a loose one if there is one, otherwise the first in a slot.
    fn remove_token(&self, state: &mut State, tile: Tile, token: Token) {
        if tile == Tile::river(tile.row()) && state.loose_tokens[tile.row()].get(token) > 0 {
            state.loose_tokens[tile.row()].take(token, 1);
            return;
        }
        let slot = lowest_bit(self.slots(state, tile) & self.slots_holding(state, tile, token));
        match token {
            Token::Pollution => state.polluted &= !slot,
            _ => state.filled &= !slot,
        }
    }

    fn list_harvests(&self, state: &State, seat: Seat, actor: Actor, actions: &mut Actions) {
        let tile = actor.tile;
        let mut list = |tile: Tile, token: Token| {
            if self.has_token(state, tile, token) {
                actions.insert(Action::Harvest(token));
            }
        };
        if state.is_flooded(tile) {
            return;
        }
        list(tile, Token::Pollution);
        if state.is_protected(tile) {
            return;
        }
        match actor.kind {
            Structure::Camp => {
                list(tile, Token::Gravel);
                list(tile, Token::Tree);
                let river = Tile::river(tile.row());
                if !state.is_protected(river) {
                    list(river, Token::Fish);
                }
            }
            Structure::Boat => {
                for token in Token::NATURAL {
                    list(tile, token);
                }
                actions.insert(Action::Dredge);
            }
            _ => actions.insert_bits(TAKE, self.take_tiles(state, actor).into()),
        }
        let empty = self.empty_slots(state, tile);
        if empty != 0 {
            let stock = state.stock(seat);
            let fits = |token: Token, slots: u64| {
                u64::from(empty & slots != 0 && stock.get(token) > 0) << token as u32
            };
            let plants = if tile.is_land() {
                fits(Token::Tree, self.map.trees) | fits(Token::Gravel, self.map.gravel)
            } else {
                fits(Token::Fish, u64::MAX)
            };
            actions.insert_bits(PLANT, plants);
        }
    }

    pub(super) fn harvest(&self, state: &mut State, seat: Seat, action: Action) {
        let Some(Actor { kind, tile, .. }) = state.actor else { return };
        match action {
            Action::Harvest(token) => {
                let from = if kind == Structure::Camp && token == Token::Fish {
                    Tile::river(tile.row())
                } else {
                    tile
                };
                self.remove_token(state, from, token);
                state.stock[seat.index()].add(token, 1);
            }
            Action::Plant(token) => {
                let empty = self.empty_slots(state, tile);
                let slots = match token {
                    Token::Tree => empty & self.map.trees,
                    Token::Gravel => empty & self.map.gravel,
                    _ => empty,
                };
                state.stock[seat.index()].take(token, 1);
                state.filled |= lowest_bit(slots);
            }
            _ => {
                state.stock[seat.index()].add(Token::Gravel, 1);
                self.pollute(state, tile.row(), 1);
            }
        }
        Self::set_stage(state, Stage::Harvested);
    }

    /// Returns the kind of token that an excavator or mill takes.
    #[inline]
    const fn token_taken_by(kind: Structure) -> Token {
        if matches!(kind, Structure::Excavator) { Token::Gravel } else { Token::Tree }
    }

    /// Returns the tiles from which an excavator or mill can take a token.
    fn take_tiles(&self, state: &State, actor: Actor) -> u32 {
        let token = Self::token_taken_by(actor.kind);
        let reach = self.map.reach[actor.tile.index()]
            | Self::tile_across_bridge(state, actor.tile).map_or(0, Tile::bit);
        tiles_in(reach & !u32::from(state.protected))
            .filter(|&tile| self.has_slotted_token(state, tile, token))
            .fold(0, |tiles, tile| tiles | tile.bit())
    }

    #[inline]
    fn has_slotted_token(&self, state: &State, tile: Tile, token: Token) -> bool {
        self.slots(state, tile) & self.slots_holding(state, tile, token) != 0
    }

    /// Returns the tiles from which one more token can be taken: none whose name sorts before that
    /// of the last one (§4).
    pub(super) fn next_take_tiles(&self, state: &State) -> u32 {
        let tiles = state.actor.map_or(0, |actor| self.take_tiles(state, actor));
        tiles & self.map.named_from[usize::from(state.last_choice)]
    }

    pub(super) fn take_token(&self, state: &mut State, seat: Seat, tile: Tile) {
        let Some(actor) = state.actor else { return };
        let token = Self::token_taken_by(actor.kind);
        self.remove_token(state, tile, token);
        state.stock[seat.index()].add(token, 1);
        state.step_count = if state.phase == Phase::Take { state.step_count + 1 } else { 1 };
        state.last_choice = tile.0;
        state.phase = Phase::Take;
    }

    pub(super) fn advance_take(&self, state: &mut State) -> bool {
        if u32::from(state.step_count) < self.data.rules.take_max.get()
            && self.next_take_tiles(state) != 0
        {
            return true;
        }
        self.end_taking(state);
        false
    }

    pub(super) fn end_taking(&self, state: &mut State) {
        state.step_count = 0;
        state.last_choice = 0;
        self.pollute(state, state.row(), 1);
        Self::set_stage(state, Stage::Harvested);
        state.phase = Phase::Act;
    }

    // Move.

    /// Returns the land tile on the other bank, if a bridge leads there.
    #[inline]
    fn tile_across_bridge(state: &State, tile: Tile) -> Option<Tile> {
        state.bridge_owner(tile.row()).map(|_| tile.opposite_bank())
    }

    /// Returns the tiles that a structure can move to.
    #[inline]
    fn move_tiles(&self, state: &State, actor: Actor) -> u32 {
        let tile = actor.tile;
        match actor.kind {
            Structure::Excavator => {
                let across = Self::tile_across_bridge(state, tile).map_or(0, Tile::bit);
                self.map.reach[tile.index()] & self.map.land & !tile.bit() | across
            }
            Structure::Camp => {
                let free = self.free_camp_slots(state);
                let bank =
                    if tile.index() < MAX_ROWS { Tile::land(0, 0) } else { Tile::land(1, 0) };
                let on_bank = free & ((1 << MAX_ROWS) - 1) << bank.0;
                let up = on_bank & (tile.bit() - 1);
                let down = on_bank & !(tile.bit() | (tile.bit() - 1));
                let nearest_up = if up == 0 { 0 } else { 1 << up.ilog2() };
                let nearest_down = down & down.wrapping_neg();
                let across = free & Self::tile_across_bridge(state, tile).map_or(0, Tile::bit);
                nearest_up | nearest_down | across
            }
            Structure::Boat => self.map.land_and_river & !self.map.land & !tile.bit(),
            _ => 0,
        }
    }

    fn list_ferries(&self, state: &State, seat: Seat, actor: Actor, actions: &mut Actions) {
        if actor.kind != Structure::Boat || state.is_protected(actor.tile) {
            return;
        }
        let row = actor.tile.row();
        for from in [Tile::land(0, row), Tile::land(1, row)] {
            let camp = state.camp(seat);
            let camp_slot = self.free_camp_slots(state) & from.opposite_bank().bit() != 0;
            if camp.is_on(from) && camp.status() != Status::Turned && camp_slot {
                actions.insert(Action::Ferry(Structure::Camp, from));
            }
            let stack = state.stack(seat, from);
            if stack.excavators(Status::Fresh) + stack.excavators(Status::Closed) > 0 {
                actions.insert(Action::Ferry(Structure::Excavator, from));
            }
        }
    }

    pub(super) fn move_to(state: &mut State, seat: Seat, to: Tile) {
        let Some(Actor { kind, tile, .. }) = state.actor.take() else { return };
        let seat = seat.index();
        match kind {
            Structure::Camp => state.camps[seat] = Camp::new(to, Status::Turned),
            Structure::Boat => {
                state.boats[seat][tile.row()].remove_fresh();
                state.boats[seat][to.row()].add_turned();
            }
            _ => {
                state.stacks[seat][tile.index()].remove(Stack::excavator_lane(Status::Fresh));
                state.stacks[seat][to.index()].insert(Stack::excavator_lane(Status::Turned));
            }
        }
        state.last_choice = 0;
        state.phase = Phase::ChooseStructure;
    }

    pub(super) fn ferry(state: &mut State, seat: Seat, kind: Structure, from: Tile) {
        let to = from.opposite_bank();
        let index = seat.index();
        if kind == Structure::Camp {
            state.camps[index] = Camp::new(to, Status::Turned);
        } else {
            let closed = state.stack(seat, from).excavators(Status::Closed) > 0;
            let status = if closed { Status::Closed } else { Status::Fresh };
            state.stacks[index][from.index()].remove(Stack::excavator_lane(status));
            state.stacks[index][to.index()].insert(Stack::excavator_lane(Status::Turned));
        }
        // The boat stays on its tile and is turned.
        Self::move_to(state, seat, Tile::river(from.row()));
    }
}
