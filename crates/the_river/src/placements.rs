//! Placements of pioneers in The River (§4), claims of tiles (§5) and storage (§6).

use super::{
    TheRiver,
    action::{self, Action, Actions, Payment},
    components::{Bag, Building, MAX_COST, Resource, SPOTS, TileKind},
    data::TileEffect,
    state::{BuildingLocation, Phase, Place, State},
};
use watershed_engine::game::Seat;

impl TheRiver {
    // §4 Placements.

    #[inline]
    pub(super) fn placements(&self, state: &State, seat: Seat) -> Actions {
        let bag = state.bag(seat);
        let supply = self.supply(state);
        let tiles = state.tiles(seat);
        let mut actions = Actions::empty(self.trades.trade_in);
        if tiles.len() < SPOTS && state.claims(seat) < self.data.rules.claim_tile_per_player.get() {
            actions.insert_claims(state.face_up_tiles.kinds());
        }
        for resource in Resource::PRODUCED {
            if self.has_room(state, Place::production(resource))
                && self.production(state, seat, resource) > 0
                && supply.get(resource) > 0
            {
                actions.insert(Action::Produce(resource));
            }
        }
        if self.has_room(state, Place::Food) {
            if supply.get(Resource::Food) > 0 {
                actions.insert(Action::Food);
            } else {
                for resource in Resource::PRODUCED {
                    if supply.get(resource) > 0 {
                        actions.insert(Action::FoodSubstitute(resource));
                    }
                }
            }
        }
        let reserved = state.reserved_buildings(seat);
        if self.has_room(state, Place::Reserve)
            && reserved.count_ones() < self.data.rules.reserve_hand_limit.get()
        {
            actions.insert_word(action::RESERVES, state.face_up_buildings());
        }
        if self.has_room(state, Place::Build) {
            let discount = self.data.rules.reserve_discount.get();
            let payable = state.face_up_buildings() & self.affordable.get(bag, 0)
                | reserved & self.affordable.get(bag, discount);
            actions.insert_word(action::BUILDS, payable);
        }
        if self.has_room(state, Place::First) {
            actions.insert(Action::TakePawn);
        }
        if self.has_room(state, Place::Swap) {
            actions.insert_swaps(action::swap_pairs(tiles));
        }
        if !actions.has_placement() {
            actions.insert(Action::Pass);
        }
        if supply.get(Resource::Food) > 0 {
            actions.insert_word(action::TRADES, self.trades.get(bag));
        }
        actions
    }

    #[inline]
    fn has_room(&self, state: &State, place: Place) -> bool {
        state.pioneers_on(place) < self.place_limits[place as usize]
    }

    /// Returns the production of a seat before the limit by the supply.
    #[inline]
    pub(super) fn production(&self, state: &State, seat: Seat, resource: Resource) -> u32 {
        let is_first = state.pioneers_on(Place::production(resource)) == 0;
        let bonus = if is_first { self.first_pioneer_bonus } else { 0 };
        state.symbols(seat).production(resource) + bonus
    }

    #[inline]
    pub(super) fn place_pioneer(state: &mut State, seat: Seat, place: Place) {
        state.set_boat_pioneers(seat, state.boat_pioneers(seat) - 1);
        state.set_pioneers_on(place, state.pioneers_on(place) + 1);
    }

    /// Moves `amount` resources from the supply to a seat, or all that are left.
    pub(super) fn take(&self, state: &mut State, seat: Seat, resource: Resource, amount: u32) {
        let amount = amount.min(self.supply(state).get(resource));
        state.set_bag(seat, state.bag(seat).plus(Bag::single(resource, amount)));
    }

    pub(super) fn produce(&self, state: &mut State, seat: Seat, resource: Resource) {
        let amount = self.production(state, seat, resource);
        Self::place_pioneer(state, seat, Place::production(resource));
        self.take(state, seat, resource, amount);
        self.store(state, seat);
    }

    pub(super) fn take_food(&self, state: &mut State, seat: Seat, resource: Resource) {
        Self::place_pioneer(state, seat, Place::Food);
        self.take(state, seat, resource, 1);
        self.store(state, seat);
    }

    /// Returns the building that the deciding seat pays for.
    pub(super) fn building_to_pay(state: &State) -> Building {
        Building(state.cursor())
    }

    /// Returns the number of resources that a building costs a seat, after the discount for a
    /// reserved card.
    pub(super) fn price(&self, state: &State, seat: Seat, building: Building) -> u32 {
        self.price_if(building, state.reserved_buildings(seat) >> building.0 & 1 == 1)
    }

    /// Returns the number of resources that a building costs, reserved or not.
    pub(super) fn price_if(&self, building: Building, reserved: bool) -> u32 {
        let discount = if reserved { self.data.rules.reserve_discount.get() } else { 0 };
        self.building_rules(building).cost.iter().sum::<u32>().saturating_sub(discount)
    }

    #[inline(never)]
    pub(super) fn payments(&self, state: &State, seat: Seat) -> Actions {
        let building = Self::building_to_pay(state);
        let total = self.price(state, seat, building);
        let bag = state.bag(seat);
        let cost = self.building_rules(building).cost;
        let max = |resource: Resource| cost[resource as usize].min(bag.get(resource)).min(MAX_COST);
        let mut actions = Actions::empty_payments(total);
        for wood in 0..=max(Resource::Wood).min(total) {
            for clay in 0..=max(Resource::Clay).min(total - wood) {
                for stone in 0..=max(Resource::Stone).min(total - wood - clay) {
                    let food = total - wood - clay - stone;
                    if food <= bag.get(Resource::Food) {
                        actions.insert(Action::Pay(Payment::new(wood, clay, stone, food)));
                    }
                }
            }
        }
        actions
    }

    pub(super) fn pay(&self, state: &mut State, seat: Seat, payment: Payment) {
        state.set_bag(seat, state.bag(seat).minus(payment.bag()));
        state.set_building_location(Self::building_to_pay(state), BuildingLocation::Built(seat));
        state.set_cursor(0);
        self.take_token(state, seat);
        self.end_turn(state, seat);
    }

    /// Returns the value of the bonus token that a seat would take now; `None` if it has no spot
    /// for it or no token is left.
    pub(super) fn next_token(&self, state: &State, seat: Seat) -> Option<u32> {
        let taken: u32 = self.all_seats().map(|seat| state.tokens(seat)).sum();
        self.tokens.get(taken as usize).copied().filter(|_| state.tokens(seat) < self.bonus_spots)
    }

    fn take_token(&self, state: &mut State, seat: Seat) {
        let Some(points) = self.next_token(state, seat) else { return };
        let tokens = state.tokens(seat) + 1;
        state.set_tokens(seat, tokens);
        state.set_token_points(seat, state.token_points(seat) + points);
        if tokens == self.data.rules.extra_pioneer_on_bonus_spot.get() {
            state.set_pioneers(seat, state.pioneers(seat) + 1);
            state.set_boat_pioneers(seat, state.boat_pioneers(seat) + 1);
        }
        if tokens == self.bonus_spots {
            state.set_end_triggered(true);
        }
    }

    /// Swaps tiles, as a placement or by the effect of a claimed tile (§5).
    pub(super) fn swap(&self, state: &mut State, seat: Seat, one: usize, other: usize) {
        let mut tiles = state.tiles(seat);
        tiles.swap(one, other);
        state.set_tiles(seat, tiles);
        if state.phase() == Phase::Swaps {
            state.set_cursor(state.cursor() - 1);
            if state.cursor() == 0 {
                self.store(state, seat);
            }
        } else {
            Self::place_pioneer(state, seat, Place::Swap);
            self.end_turn(state, seat);
        }
    }

    // §5 Claiming a tile.

    pub(super) fn claim(&self, state: &mut State, seat: Seat, kind: TileKind) {
        if state.phase() == Phase::Place {
            state.set_boat_pioneers(seat, state.boat_pioneers(seat) - 1);
            state.set_claims(seat, state.claims(seat) + 1);
        }
        state.face_up_tiles.remove(kind);
        let mut tiles = state.tiles(seat);
        let count = tiles.push(kind);
        let spot = count - 1;
        state.set_tiles(seat, tiles);
        let tile = self.tile_rules(kind);
        let covered = self.boards[state.board(seat)].spots[spot];
        state.set_symbols(seat, state.symbols(seat).minus(covered).plus(tile.symbols));
        if count == SPOTS {
            state.set_end_triggered(true);
        }
        match tile.effect {
            Some(TileEffect::Income { .. }) => state.set_has_income(seat),
            Some(TileEffect::Take { resource, amount }) => {
                self.take(state, seat, resource.into(), amount.get());
            }
            Some(TileEffect::Swap { times }) if count >= 2 => {
                state.set_cursor(times.get() as u8);
                state.set_phase(Phase::Swaps);
                return;
            }
            _ => {}
        }
        self.store(state, seat);
    }

    // §6 Too much to store.

    /// Returns true if a seat holds more than it can store.
    #[inline]
    pub(super) fn overflows(state: &State, seat: Seat) -> bool {
        state.bag(seat).total() > state.symbols(seat).storage()
    }

    /// Ends the turn, unless the seat must first return resources that it cannot store.
    #[inline]
    pub(super) fn store(&self, state: &mut State, seat: Seat) {
        if Self::overflows(state, seat) {
            state.set_first_discard(Resource::Wood);
            state.set_phase(Phase::Overflow);
        } else {
            self.end_turn(state, seat);
        }
    }

    #[inline(never)]
    pub(super) fn discards(&self, state: &State, seat: Seat) -> Actions {
        let bag = state.bag(seat);
        let overflow = bag.total() - state.symbols(seat).storage();
        let mut actions = Actions::empty(self.trades.trade_in);
        // The resources that may be returned afterwards must suffice for the overflow.
        let mut returnable = 0;
        let returnable_types = Resource::ALL.into_iter().rev();
        for resource in returnable_types.take_while(|&resource| resource >= state.first_discard()) {
            returnable += bag.get(resource);
            if bag.get(resource) > 0 && returnable >= overflow {
                actions.insert(Action::Discard(resource));
            }
        }
        actions
    }

    pub(super) fn discard(&self, state: &mut State, seat: Seat, resource: Resource) {
        state.set_bag(seat, state.bag(seat).minus(Bag::single(resource, 1)));
        state.set_first_discard(resource);
        if Self::overflows(state, seat) {
            return;
        }
        state.set_first_discard(Resource::Wood);
        if state.phase() == Phase::IncomeOverflow {
            self.collect_income(state);
        } else {
            self.end_turn(state, seat);
        }
    }
}
