//! The rules of The River: turns, legal actions and their effects, setup (§2) and turns (§3).

use super::{
    TheRiver,
    action::{self, Action, Actions},
    components::{Bag, Building, Resource, TileKind, TileRow},
    state::{BuildingLocation, Phase, Place, State},
};
use watershed_engine::{
    bits::{RankedBits, ones, select},
    game::{ChanceSource, Game, MAX_SEATS, Outcome, Seat, Turn, highest_scoring_seats},
    rng::{ChanceStreams, Rng, random_below},
};

/// The chance sources, in the order of [`Game::chance_sources`].
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
            Phase::Over => Turn::Over,
            _ => Turn::Seat(state.decider()),
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
                actions.insert(Action::Skip);
                actions
            }
            Phase::Overflow | Phase::IncomeOverflow => self.discards(state, seat),
            _ => Actions::empty(self.trades.trade_in),
        }
    }

    fn chance_outcomes(&self, state: &State) -> Vec<(Action, u32)> {
        let equally_likely = |set: u64, outcome: fn(u8) -> Action| {
            ones(set).map(|index| (outcome(index as u8), 1)).collect()
        };
        match state.phase() {
            Phase::FirstPlayer => {
                self.all_seats().map(|seat| (Action::FirstPlayer(seat), 1)).collect()
            }
            Phase::Boards => equally_likely(self.free_boards(state), Action::Board),
            Phase::Buildings => {
                let unseen = state.unseen_buildings(self.building_pile);
                equally_likely(unseen, |building| Action::RevealBuilding(Building(building)))
            }
            Phase::DraftTiles | Phase::Tiles if state.unseen_tiles == 0 => {
                vec![(Action::Reshuffle, 1)]
            }
            Phase::DraftTiles | Phase::Tiles => {
                let count = |kind| (Action::RevealTile(kind), self.unseen_tiles(state, kind));
                self.tile_kinds().map(count).filter(|&(_, count)| count > 0).collect()
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
                let tiles = RankedBits::new(&words);
                let bit = tiles.select(random_below(rng, tiles.len()));
                Action::RevealTile(self.kind_of_bit[bit as usize])
            }
        }
    }

    #[inline]
    fn draw_chance(
        &self,
        state: &State,
        source: ChanceSource,
        chance: &mut ChanceStreams,
    ) -> Action {
        let [boards, tiles, buildings] = &self.components;
        match state.phase() {
            Phase::Boards => {
                let free = self.free_boards(state);
                Action::Board(chance.draw_from_set(source.0, boards, free))
            }
            Phase::Buildings => {
                let unseen = state.unseen_buildings(self.building_pile);
                let card = chance.draw_from_set(source.0, buildings, unseen);
                Action::RevealBuilding(Building(card))
            }
            Phase::DraftTiles | Phase::Tiles if state.unseen_tiles != 0 => {
                let kind_of = |index: usize| TileKind(index as u8 + 1);
                let left = |index| self.unseen_tiles(state, kind_of(index));
                let total = state.unseen_tiles.count_ones();
                Action::RevealTile(kind_of(chance.draw(source.0, tiles, total, left)))
            }
            _ => self.sample_chance(state, chance.source_stream(source.0)),
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
            Action::Reserve(building) => {
                Self::place_pioneer(state, seat, Place::Reserve);
                state.set_building_location(building, BuildingLocation::Reserved(seat));
                self.end_turn(state, seat);
            }
            Action::Build(building) => {
                Self::place_pioneer(state, seat, Place::Build);
                state.set_cursor(building.0);
                state.set_phase(Phase::Pay);
            }
            Action::TakePawn => {
                Self::place_pioneer(state, seat, Place::First);
                state.set_pawn_holder(seat);
                self.end_turn(state, seat);
            }
            Action::Swap(one, other) => self.swap(state, seat, one.into(), other.into()),
            Action::Trade(payment) => {
                let food = Bag::single(Resource::Food, 1);
                state.set_bag(seat, state.bag(seat).minus(payment.bag()).plus(food));
            }
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
            Action::Reshuffle => state.unseen_tiles = self.reshuffled_pile(state),
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
            wins_are_independent: false,
            rounds: state.round(),
            hit_round_limit: state.round() == self.data.rules.max_rounds.get()
                && !state.is_end_triggered(),
        }
    }
}

impl TheRiver {
    // §2 Setup.

    /// Returns the boards that no seat has yet, bit b for board b.
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
        let position = (self.players + seat.index() - state.pawn_holder().index()) % self.players;
        state.set_bag(seat, self.start[position]);
        // They stand with the points of tokens, which need no other place in the position.
        state.set_token_points(seat, self.start_points[position]);
        if seat.index() + 1 < self.players {
            state.set_decider(Seat::new(seat.index() + 1));
        } else {
            state.set_phase(Phase::DraftTiles);
        }
    }

    fn reveal_tile(&self, state: &mut State, kind: TileKind) {
        state.unseen_tiles = self.without_tile(state.unseen_tiles, kind);
        let face_up = state.face_up_tiles.push(kind);
        if state.phase() == Phase::Tiles {
            self.continue_tile_layout(state, face_up);
        } else if face_up == self.draft_tiles {
            self.lay_out_buildings(state);
        }
    }

    /// Begins the draft with the seat to the right of the first player. It goes counterclockwise.
    pub(super) fn begin_draft(&self, state: &mut State) {
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

    pub(super) fn begin_round(&self, state: &mut State, round: u32) {
        state.set_round(round);
        state.remove_pioneers_from_places();
        self.next_turn(state, state.pawn_holder());
    }

    /// Ends the turn of a seat in the draft or in a round.
    #[inline]
    pub(super) fn end_turn(&self, state: &mut State, seat: Seat) {
        if state.round() == 0 {
            self.end_draft_turn(state, seat);
        } else {
            self.next_turn(state, seat.clockwise(1, self.players));
        }
    }

    /// Begins the turn of the first seat clockwise from `from` that has a pioneer on its boat. Ends
    /// the round if there is none.
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
}
