//! The moves of The River: whose turn it is, what is legal, and what each action does, in the order
//! of the rules' sections.

use super::{
    TheRiver,
    action::{self, Action, Actions, Payment},
    components::{Bag, Building, MAX_COST, Resource, SPOTS, TileKind, TileRow},
    data::Effect,
    state::{BuildingLocation, Phase, Place, State},
};
use crate::{
    bits::{ones, select, select_in},
    game::{ChanceSource, Game, MAX_SEATS, Outcome, Seat, Turn, highest_scoring_seats},
    rng::{Rng, random_below},
};

/// The cursor of income counts the spots of a board in steps of 1, resources in these steps …
pub(super) const INCOME_RESOURCE_STEP: u32 = 16;
/// … and seats, clockwise from the holder of the pawn, in these.
pub(super) const INCOME_SEAT_STEP: u32 = 4 * INCOME_RESOURCE_STEP;

/// The sources of chance, in the order of [`Game::chance_sources`].
const SEATS: ChanceSource = ChanceSource(0);
const BOARDS: ChanceSource = ChanceSource(1);
const TILES: ChanceSource = ChanceSource(2);
const BUILDINGS: ChanceSource = ChanceSource(3);

impl Game for TheRiver {
    type State = State;
    type Action = Action;
    type Actions = Actions;

    fn seats(&self) -> usize {
        self.players
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["seats", "boards", "tiles", "buildings"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &action::ACTION_KINDS
    }

    fn initial(&self) -> State {
        State::new(self.tile_pile)
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase() {
            Phase::FirstPlayer => Turn::Chance(SEATS),
            Phase::Boards => Turn::Chance(BOARDS),
            Phase::DraftTiles | Phase::Tiles => Turn::Chance(TILES),
            Phase::Buildings => Turn::Chance(BUILDINGS),
            Phase::Draft
            | Phase::Place
            | Phase::Pay
            | Phase::Swaps
            | Phase::Overflow
            | Phase::IncomeOverflow => Turn::Seat(state.decider()),
            Phase::Over => Turn::Over,
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> Actions {
        let seat = state.decider();
        match state.phase() {
            Phase::Place => self.placements(state, seat),
            Phase::Draft => {
                let mut actions = Actions::empty(self.trades.trade_in);
                actions.insert_claims(state.face_up_tiles.kinds());
                actions
            }
            Phase::Pay => self.payments(state, seat),
            Phase::Swaps => {
                let mut actions = Actions::empty(self.trades.trade_in);
                actions.insert_swaps(action::swap_pairs(state.tiles(seat)));
                actions.insert_skip();
                actions
            }
            Phase::Overflow | Phase::IncomeOverflow => self.discards(state, seat),
            _ => Actions::empty(self.trades.trade_in),
        }
    }

    fn chance_outcomes(&self, state: &State) -> Vec<(Action, u32)> {
        match state.phase() {
            Phase::FirstPlayer => {
                self.all_seats().map(|seat| (Action::FirstPlayer(seat), 1)).collect()
            }
            Phase::Boards => {
                ones(self.free_boards(state)).map(|board| (Action::Board(board as u8), 1)).collect()
            }
            Phase::DraftTiles | Phase::Tiles if state.unseen_tiles == 0 => {
                vec![(Action::Reshuffle, 1)]
            }
            Phase::DraftTiles | Phase::Tiles => {
                let unseen = self
                    .tile_kinds()
                    .map(|kind| (Action::RevealTile(kind), self.unseen_tiles(state, kind)));
                unseen.filter(|&(_, count)| count > 0).collect()
            }
            Phase::Buildings => {
                let unseen = ones(state.unseen_buildings(self.building_pile));
                unseen
                    .map(|building| (Action::RevealBuilding(Building(building as u8)), 1))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    #[inline]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        let draw_from =
            |set: u64, rng: &mut Rng| select(set, random_below(rng, set.count_ones())) as u8;
        match state.phase() {
            Phase::FirstPlayer => {
                Action::FirstPlayer(Seat::new(random_below(rng, self.players as u32) as usize))
            }
            Phase::Boards => Action::Board(draw_from(self.free_boards(state), rng)),
            Phase::Buildings => Action::RevealBuilding(Building(draw_from(
                state.unseen_buildings(self.building_pile),
                rng,
            ))),
            _ if state.unseen_tiles == 0 => Action::Reshuffle,
            _ => {
                let words = [state.unseen_tiles as u64, (state.unseen_tiles >> u64::BITS) as u64];
                let bit = select_in(&words, random_below(rng, state.unseen_tiles.count_ones()));
                Action::RevealTile(self.kind_of_bit[bit as usize])
            }
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, action: Action) {
        let seat = state.decider();
        match action {
            Action::Claim(kind) => self.claim(state, seat, kind),
            Action::Produce(resource) => self.produce(state, seat, resource),
            Action::Food => self.take_food(state, seat, Resource::Food),
            Action::FoodSubstitute(resource) => self.take_food(state, seat, resource),
            Action::Reserve(building) => self.reserve(state, seat, building),
            Action::Build(building) => Self::build(state, seat, building),
            Action::TakePawn => self.take_pawn(state, seat),
            Action::Swap(one, other) => self.swap(state, seat, one.into(), other.into()),
            Action::Trade(payment) => Self::trade(state, seat, payment),
            Action::Pay(payment) => self.pay(state, seat, payment),
            Action::Discard(resource) => self.discard(state, seat, resource),
            Action::Skip => {
                state.set_cursor(0);
                self.store(state, seat);
            }
            Action::Pass => {
                state.set_boat_pioneers(seat, state.boat_pioneers(seat) - 1);
                self.end_turn(state, seat);
            }
            Action::FirstPlayer(first) => {
                state.set_pawn_holder(first);
                state.set_decider(Seat::new(0));
                state.set_phase(Phase::Boards);
            }
            Action::Board(board) => self.take_board(state, seat, board.into()),
            Action::RevealTile(kind) => self.reveal_tile(state, kind),
            Action::RevealBuilding(building) => {
                state.set_building_location(building, BuildingLocation::FaceUp);
                self.lay_out_buildings(state);
            }
            Action::Reshuffle => state.unseen_tiles = self.discard_pile(state),
        }
    }

    fn round(&self, state: &State) -> u32 {
        state.round()
    }

    fn outcome(&self, state: &State) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        for seat in self.all_seats() {
            scores[seat.index()] = self.score(state, seat).total();
        }
        Outcome {
            scores,
            winners: highest_scoring_seats(&scores, self.players),
            rounds: state.round(),
            hit_round_limit: state.round() == self.data.rules.max_rounds.get()
                && !state.is_end_triggered(),
        }
    }
}

impl TheRiver {
    // Chance.

    // §2 Setup.

    fn free_boards(&self, state: &State) -> u64 {
        let all = (1 << self.boards.len()) - 1;
        (0..state.decider().index())
            .fold(all, |free, seat| free & !(1 << state.board(Seat::new(seat))))
    }

    fn take_board(&self, state: &mut State, seat: Seat, board: usize) {
        state.set_board(seat, board);
        state.set_symbols(seat, self.boards[board].all);
        let pioneers = self.data.rules.start_pioneers.get();
        state.set_pioneers(seat, pioneers);
        state.set_boat_pioneers(seat, pioneers);
        if seat.index() + 1 < self.players {
            state.set_decider(Seat::new(seat.index() + 1));
        } else {
            state.set_phase(Phase::DraftTiles);
        }
    }

    fn reveal_tile(&self, state: &mut State, kind: TileKind) {
        // A kind's unseen tiles fill its group of bits from the lowest up: the highest one goes.
        let unseen = state.unseen_tiles & self.tile_rules(kind).group;
        state.unseen_tiles &= !(unseen & !(unseen >> 1));
        state.face_up_tiles.push(kind);
        if state.phase() == Phase::Tiles {
            self.lay_out_tiles(state);
        } else if state.face_up_tiles.len() == self.draft_tiles {
            self.lay_out_buildings(state);
        }
    }

    /// The draft begins to the right of the first player and goes counterclockwise.
    fn begin_draft(&self, state: &mut State) {
        state.set_phase(Phase::Draft);
        state.set_decider(state.pawn_holder().clockwise(self.players - 1, self.players));
    }

    fn end_draft_turn(&self, state: &mut State, seat: Seat) {
        if seat == state.pawn_holder() {
            state.set_removed_tile(state.face_up_tiles.get(0));
            state.face_up_tiles = TileRow::default();
            self.lay_out_tiles(state);
        } else {
            state.set_phase(Phase::Draft);
            state.set_decider(seat.clockwise(self.players - 1, self.players));
        }
    }

    // §3 A turn.

    fn begin_round(&self, state: &mut State, round: u32) {
        state.set_round(round);
        state.remove_pioneers_from_places();
        self.next_turn(state, state.pawn_holder());
    }

    /// What comes when a seat has finished what it does, in the draft or in a round.
    #[inline]
    fn end_turn(&self, state: &mut State, seat: Seat) {
        if state.round() == 0 {
            self.end_draft_turn(state, seat);
        } else {
            self.next_turn(state, seat.clockwise(1, self.players));
        }
    }

    /// The first seat from `from` on, clockwise, that has a pioneer on its boat decides; if there
    /// is none, the round ends.
    #[inline]
    fn next_turn(&self, state: &mut State, from: Seat) {
        let mut seat = from;
        for _ in 0..self.players {
            if state.boat_pioneers(seat) > 0 {
                state.set_decider(seat);
                state.set_phase(Phase::Place);
                return;
            }
            seat = seat.clockwise(1, self.players);
        }
        self.clean_up(state);
    }

    fn trade(state: &mut State, seat: Seat, payment: Payment) {
        let bag = state.bag(seat).minus(payment.bag()).plus(Bag::single(Resource::Food, 1));
        state.set_bag(seat, bag);
    }

    // §4 Placements.

    #[inline]
    fn placements(&self, state: &State, seat: Seat) -> Actions {
        let bag = state.bag(seat);
        let supply = self.supply(state);
        let tiles = state.tiles(seat);
        let mut actions = Actions::empty(self.trades.trade_in);
        if tiles.len() < SPOTS && state.claims(seat) < self.data.rules.claim_tile_per_player.get() {
            actions.insert_claims(state.face_up_tiles.kinds());
        }
        for resource in Resource::PRODUCED {
            if self.has_room(state, Place::production(resource))
                && self.production(state, seat, resource).min(supply.get(resource)) > 0
            {
                actions.insert_produce(resource);
            }
        }
        if self.has_room(state, Place::Food) {
            if supply.get(Resource::Food) > 0 {
                actions.insert_food();
            } else {
                for resource in Resource::PRODUCED {
                    if supply.get(resource) > 0 {
                        actions.insert_food_substitute(resource);
                    }
                }
            }
        }
        let reserved = state.reserved_buildings(seat);
        if self.has_room(state, Place::Reserve)
            && reserved.count_ones() < self.data.rules.reserve_hand_limit.get()
        {
            actions.insert_reserves(state.face_up_buildings());
        }
        if self.has_room(state, Place::Build) {
            let discount = self.data.rules.reserve_discount.get();
            let payable = state.face_up_buildings() & self.affordable.get(bag, 0)
                | reserved & self.affordable.get(bag, discount);
            actions.insert_builds(payable);
        }
        if self.has_room(state, Place::First) {
            actions.insert_take_pawn();
        }
        if self.has_room(state, Place::Swap) {
            actions.insert_swaps(action::swap_pairs(tiles));
        }
        if !actions.has_placement() {
            actions.insert_pass();
        }
        if supply.get(Resource::Food) > 0 {
            actions.insert_trades(self.trades.get(bag));
        }
        actions
    }

    #[inline]
    fn has_room(&self, state: &State, place: Place) -> bool {
        let limit = self.place_limits[place as usize];
        limit == 0 || state.pioneers_on(place) < limit
    }

    /// How much a seat would produce now, however much there is.
    #[inline]
    fn production(&self, state: &State, seat: Seat, resource: Resource) -> u32 {
        let bonus = if state.pioneers_on(Place::production(resource)) == 0 {
            self.first_pioneer_bonus
        } else {
            0
        };
        state.symbols(seat).production(resource) + bonus
    }

    #[inline]
    fn place_pioneer(state: &mut State, seat: Seat, place: Place) {
        state.set_boat_pioneers(seat, state.boat_pioneers(seat) - 1);
        state.set_pioneers_on(place, state.pioneers_on(place) + 1);
    }

    fn take(&self, state: &mut State, seat: Seat, resource: Resource, amount: u32) {
        let amount = amount.min(self.supply(state).get(resource));
        state.set_bag(seat, state.bag(seat).plus(Bag::single(resource, amount)));
    }

    fn produce(&self, state: &mut State, seat: Seat, resource: Resource) {
        let amount = self.production(state, seat, resource);
        Self::place_pioneer(state, seat, Place::production(resource));
        self.take(state, seat, resource, amount);
        self.store(state, seat);
    }

    fn take_food(&self, state: &mut State, seat: Seat, resource: Resource) {
        Self::place_pioneer(state, seat, Place::Food);
        self.take(state, seat, resource, 1);
        self.store(state, seat);
    }

    fn reserve(&self, state: &mut State, seat: Seat, building: Building) {
        Self::place_pioneer(state, seat, Place::Reserve);
        state.set_building_location(building, BuildingLocation::Reserved(seat));
        self.end_turn(state, seat);
    }

    fn build(state: &mut State, seat: Seat, building: Building) {
        Self::place_pioneer(state, seat, Place::Build);
        state.set_cursor(building.0);
        state.set_phase(Phase::Pay);
    }

    /// The building a seat is paying for.
    pub(super) fn building_to_pay(state: &State) -> Building {
        Building(state.cursor())
    }

    /// How many resources a building costs a seat, its discount taken off if it had reserved the
    /// card.
    pub(super) fn price(&self, state: &State, seat: Seat, building: Building) -> u32 {
        let reserved = state.reserved_buildings(seat) >> building.0 & 1 == 1;
        let discount = if reserved { self.data.rules.reserve_discount.get() } else { 0 };
        self.building_rules(building).cost.iter().sum::<u32>().saturating_sub(discount)
    }

    #[inline(never)]
    fn payments(&self, state: &State, seat: Seat) -> Actions {
        let building = Self::building_to_pay(state);
        let total = self.price(state, seat, building);
        let bag = state.bag(seat);
        let cost = self.building_rules(building).cost;
        let most =
            |resource: Resource| cost[resource as usize].min(bag.get(resource)).min(MAX_COST);
        let mut actions = Actions::empty_payments(total);
        for wood in 0..=most(Resource::Wood).min(total) {
            for clay in 0..=most(Resource::Clay).min(total - wood) {
                for stone in 0..=most(Resource::Stone).min(total - wood - clay) {
                    let food = total - wood - clay - stone;
                    if food <= bag.get(Resource::Food) {
                        actions.insert_payment(Payment::new(wood, clay, stone, food));
                    }
                }
            }
        }
        actions
    }

    fn pay(&self, state: &mut State, seat: Seat, payment: Payment) {
        state.set_bag(seat, state.bag(seat).minus(payment.bag()));
        state.set_building_location(Self::building_to_pay(state), BuildingLocation::Built(seat));
        state.set_cursor(0);
        self.take_token(state, seat);
        self.end_turn(state, seat);
    }

    /// The value of the bonus token a seat would take now; none if it has no spot for it or none is
    /// left.
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

    fn take_pawn(&self, state: &mut State, seat: Seat) {
        Self::place_pioneer(state, seat, Place::First);
        state.set_pawn_holder(seat);
        self.end_turn(state, seat);
    }

    /// A swap as a placement, or as an effect of a claimed tile (§5).
    fn swap(&self, state: &mut State, seat: Seat, one: usize, other: usize) {
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

    fn claim(&self, state: &mut State, seat: Seat, kind: TileKind) {
        if state.phase() == Phase::Place {
            state.set_boat_pioneers(seat, state.boat_pioneers(seat) - 1);
            state.set_claims(seat, state.claims(seat) + 1);
        }
        state.face_up_tiles.remove(kind);
        let mut tiles = state.tiles(seat);
        let spot = tiles.len();
        tiles.push(kind);
        state.set_tiles(seat, tiles);
        let tile = self.tile_rules(kind);
        let covered = self.boards[state.board(seat)].spots[spot];
        state.set_symbols(seat, state.symbols(seat).minus(covered).plus(tile.symbols));
        if self.framed >> spot & 1 == 1 {
            state.set_framed_covered(seat, state.framed_covered(seat) + 1);
        }
        if tiles.len() == SPOTS {
            state.set_end_triggered(true);
        }
        match tile.effect {
            Some(Effect::Income { .. }) => state.set_has_income(seat),
            Some(Effect::Take { resource, amount }) => {
                self.take(state, seat, resource.into(), amount.get())
            }
            Some(Effect::Swap { times }) if tiles.len() >= 2 => {
                state.set_cursor(times.get() as u8);
                state.set_phase(Phase::Swaps);
                return;
            }
            _ => {}
        }
        self.store(state, seat);
    }

    // §6 Too much to store.

    #[inline]
    fn overflows(state: &State, seat: Seat) -> bool {
        state.bag(seat).total() > state.symbols(seat).storage()
    }

    /// Ends the turn, unless the seat must first return what it can't store.
    #[inline]
    fn store(&self, state: &mut State, seat: Seat) {
        if Self::overflows(state, seat) {
            state.set_first_discard(Resource::Wood);
            state.set_phase(Phase::Overflow);
        } else {
            self.end_turn(state, seat);
        }
    }

    #[inline(never)]
    fn discards(&self, state: &State, seat: Seat) -> Actions {
        let bag = state.bag(seat);
        let overflow = bag.total() - state.symbols(seat).storage();
        let mut actions = Actions::empty(self.trades.trade_in);
        let mut enough = 0;
        for resource in Resource::ALL
            .into_iter()
            .rev()
            .take_while(|&resource| resource >= state.first_discard())
        {
            enough += bag.get(resource);
            if bag.get(resource) > 0 && enough >= overflow {
                actions.insert_discard(resource);
            }
        }
        actions
    }

    fn discard(&self, state: &mut State, seat: Seat, resource: Resource) {
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

    // §7 Cleanup.

    fn clean_up(&self, state: &mut State) {
        if state.is_end_triggered() {
            self.settle(state);
        } else {
            state.face_up_tiles = TileRow::default();
            self.lay_out_tiles(state);
        }
    }

    /// §7.1, and §2.7 in setup: waits for chance until enough tiles lie face up or none is left.
    fn lay_out_tiles(&self, state: &mut State) {
        let enough = state.face_up_tiles.len() == self.face_up_tiles;
        if !enough && (state.unseen_tiles != 0 || self.discard_pile(state) != 0) {
            state.set_phase(Phase::Tiles);
        } else if state.round() == 0 {
            self.begin_round(state, 1);
        } else {
            self.lay_out_buildings(state);
        }
    }

    /// §7.2, and §2.5 in setup: waits for chance until enough buildings lie face up or none is
    /// left.
    fn lay_out_buildings(&self, state: &mut State) {
        let enough = state.face_up_buildings().count_ones() >= self.face_up_buildings;
        if !enough && state.unseen_buildings(self.building_pile) != 0 {
            state.set_phase(Phase::Buildings);
        } else if state.round() == 0 {
            self.begin_draft(state);
        } else {
            self.settle(state);
        }
    }

    /// §7.3: pioneers come back, but for one that settles for each framed spot covered.
    fn settle(&self, state: &mut State) {
        for seat in self.all_seats() {
            let pioneers = state.pioneers(seat).saturating_sub(state.framed_covered(seat));
            state.set_pioneers(seat, pioneers);
            state.set_boat_pioneers(seat, pioneers);
            state.set_framed_covered(seat, 0);
            state.set_claims(seat, 0);
        }
        state.set_cursor(0);
        self.collect_income(state);
    }

    /// §7.4. The cursor says where income goes on: seats clockwise from the pawn holder, for each
    /// the resources, for each the spots.
    fn collect_income(&self, state: &mut State) {
        let start = u32::from(state.cursor());
        for steps in start / INCOME_SEAT_STEP..self.players as u32 {
            let seat = state.pawn_holder().clockwise(steps as usize, self.players);
            if !state.has_income(seat) {
                continue;
            }
            let tiles = state.tiles(seat);
            for resource in Resource::PRODUCED {
                for spot in 0..tiles.len() as u32 {
                    let cursor =
                        steps * INCOME_SEAT_STEP + resource as u32 * INCOME_RESOURCE_STEP + spot;
                    let income = self.income(tiles.get(spot as usize), resource);
                    if cursor < start || income == 0 {
                        continue;
                    }
                    self.take(state, seat, resource, income);
                    if Self::overflows(state, seat) {
                        state.set_cursor(cursor as u8 + 1);
                        state.set_decider(seat);
                        state.set_phase(Phase::IncomeOverflow);
                        return;
                    }
                }
            }
        }
        state.set_cursor(0);
        self.end_round(state);
    }

    pub(super) fn income(&self, kind: TileKind, resource: Resource) -> u32 {
        match self.tile_rules(kind).effect {
            Some(Effect::Income { resource: produced, amount, .. })
                if Resource::from(produced) == resource =>
            {
                amount.get()
            }
            _ => 0,
        }
    }

    /// §7.5 and the two stops.
    fn end_round(&self, state: &mut State) {
        let no_pioneers = self.all_seats().all(|seat| state.pioneers(seat) == 0);
        if state.is_end_triggered()
            || no_pioneers
            || state.round() == self.data.rules.max_rounds.get()
        {
            state.set_phase(Phase::Over);
        } else {
            self.begin_round(state, state.round() + 1);
        }
    }
}
