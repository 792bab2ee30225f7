//! The moves of River Valley Glassworks: whose turn it is, what is legal, and what each action
//! does, in the order of the rules' sections.

use super::{
    Glassworks,
    action::{self, Action, Actions, Color, Piece, Shape},
    data::EndVariant,
    state::{Columns, EndStage, Phase, State},
};
use crate::{
    bits::{ones, select, select_in},
    game::{ChanceSource, Game, MAX_SEATS, Outcome, Seat, Turn, highest_scoring_seats},
    rng::{Rng, random_below},
};

/// The sources of chance, in the order of [`Game::chance_sources`].
const SEATS: ChanceSource = ChanceSource(0);
const RIVER: ChanceSource = ChanceSource(1);
const GLASS: ChanceSource = ChanceSource(2);

impl Game for Glassworks {
    type State = State;
    type Action = Action;
    type Actions = Actions;

    fn seats(&self) -> usize {
        self.players
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["seats", "river", "glass"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &action::ACTION_KINDS
    }

    fn initial(&self) -> State {
        State::new(self.full_bag)
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase() {
            Phase::FirstPlayer => Turn::Chance(SEATS),
            Phase::Tiles => Turn::Chance(RIVER),
            Phase::TileGlass
            | Phase::LakeGlass
            | Phase::SatchelGlass
            | Phase::RefillTile
            | Phase::RefillLake
            | Phase::TopUp => Turn::Chance(GLASS),
            Phase::Turn | Phase::Collect | Phase::Columns | Phase::Overflow => {
                Turn::Seat(state.decider())
            }
            Phase::Over => Turn::Over,
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> Actions {
        let seat = state.decider();
        let mut actions = Actions::empty(state.satchel(seat));
        match state.phase() {
            Phase::Turn => {
                actions.insert_places(|piece| self.piece_rules(piece).shape, self.shapes.len());
                if self.can_draw(state) {
                    actions.insert_draws(state.lake(), self.lake_take);
                }
                if actions.has_no_actions() {
                    actions.insert_pass();
                }
            }
            Phase::Collect => {
                let shapes = state.river().neighbors(state.cursor());
                let within_reach = ones(shapes.into())
                    .fold(0, |colours, shape| colours | state.tile(Shape(shape as u8)));
                actions.insert_collects(shapes, self.color_set(within_reach));
            }
            Phase::Columns => {
                for (colour, _) in self.color_counts(state.tile(state.river().get(state.cursor())))
                {
                    actions.insert_column(colour);
                }
            }
            Phase::Overflow => {
                actions.insert_overflows(state.last_overflowed(), self.satchel_limit)
            }
            _ => {}
        }
        actions
    }

    fn chance_outcomes(&self, state: &State) -> Vec<(Action, u32)> {
        match self.turn(state) {
            Turn::Chance(SEATS) => {
                self.all_seats().map(|seat| (Action::FirstPlayer(seat), 1)).collect()
            }
            Turn::Chance(RIVER) => ones(self.tiles_left(state))
                .map(|shape| (Action::Tile(Shape(shape as u8)), 1))
                .collect(),
            Turn::Chance(_) => {
                let counts = self
                    .all_pieces()
                    .map(|piece| (Action::Glass(piece), self.in_bag(state, piece)));
                counts.filter(|&(_, count)| count > 0).collect()
            }
            _ => Vec::new(),
        }
    }

    #[inline]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        match state.phase() {
            Phase::FirstPlayer => {
                Action::FirstPlayer(Seat::new(random_below(rng, self.players as u32) as usize))
            }
            Phase::Tiles => {
                let left = self.tiles_left(state);
                Action::Tile(Shape(select(left, random_below(rng, left.count_ones())) as u8))
            }
            _ => {
                let left = state.bag.iter().map(|word| word.count_ones()).sum();
                Action::Glass(
                    self.piece_of_bit[select_in(&state.bag, random_below(rng, left)) as usize],
                )
            }
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, action: Action) {
        let seat = state.decider();
        match action {
            Action::Place(piece) => {
                self.put_on_tile(state, seat, piece, self.piece_rules(piece).shape);
                Self::await_collect(state, self.piece_rules(piece).shape);
            }
            Action::Pair(first, second, shape) => {
                self.put_on_tile(state, seat, first, shape);
                self.put_on_tile(state, seat, second, shape);
                Self::await_collect(state, shape);
            }
            Action::Draw(kept) => self.draw_from_lake(state, seat, Some(kept)),
            Action::DrawAll => self.draw_from_lake(state, seat, None),
            Action::Pass => self.end_turn(state, seat),
            Action::Collect(shape) => self.collect(state, seat, shape),
            Action::Column(colour) => self.open_column(state, seat, colour),
            Action::Overflow(piece) => self.spill(state, seat, piece),
            Action::FirstPlayer(first) => {
                state.set_first_player(first);
                state.set_decider(first);
                state.set_phase(Phase::Tiles);
            }
            Action::Tile(shape) => self.lay_out(state, shape),
            Action::Glass(piece) => self.put_glass(state, piece),
        }
    }

    fn round(&self, state: &State) -> u32 {
        state.round()
    }

    fn outcome(&self, state: &State) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        for seat in self.all_seats() {
            scores[seat.index()] = self.score(state.columns(seat)).total();
        }
        let stopped = state.phase() == Phase::Over
            && state.end_stage() != EndStage::ExtraRound
            && state.has_moved();
        Outcome {
            scores,
            winners: highest_scoring_seats(&scores, self.players),
            rounds: state.round(),
            hit_round_limit: stopped,
        }
    }
}

impl Glassworks {
    // Chance.

    /// The tiles not yet in the river, bit s for shape s.
    fn tiles_left(&self, state: &State) -> u64 {
        state
            .river()
            .iter()
            .fold((1 << self.shapes.len()) - 1, |left, shape| left & !(1 << shape.0))
    }

    /// Waits for pieces from the bag, if any are due and any are left.
    #[inline]
    fn awaits_glass(state: &mut State, phase: Phase, cursor: usize, due: usize) -> bool {
        let awaits = due > 0 && !state.is_bag_empty();
        if awaits {
            state.set_phase(phase);
            state.set_cursor(cursor);
            state.set_pieces_due(due);
        }
        awaits
    }

    /// The seat that gets pieces.
    #[inline]
    pub(super) fn recipient(&self, state: &State) -> Seat {
        let steps = state.cursor() + usize::from(state.phase() == Phase::TopUp);
        state.decider().clockwise(steps, self.players)
    }

    #[inline]
    fn put_glass(&self, state: &mut State, piece: Piece) {
        let rules = self.piece_rules(piece);
        // The copies left fill the piece's bits from the lowest up: the highest one goes.
        let left = state.bag[rules.word] & rules.group;
        state.bag[rules.word] &= !(left & !(left >> 1));
        match state.phase() {
            Phase::TileGlass | Phase::RefillTile => {
                let shape = state.river().get(state.cursor());
                state.set_tile(shape, state.tile(shape) + rules.one_on_tile);
            }
            Phase::LakeGlass | Phase::RefillLake => {
                let mut lake = state.lake();
                lake.insert(piece);
                state.set_lake(lake);
            }
            _ => {
                let seat = self.recipient(state);
                let mut satchel = state.satchel(seat);
                satchel.insert(piece);
                state.set_satchel(seat, satchel);
            }
        }
        let due = state.pieces_due() - 1;
        state.set_pieces_due(due);
        if due == 0 || state.is_bag_empty() {
            state.set_pieces_due(0);
            let next = state.cursor() + 1;
            match state.phase() {
                Phase::TileGlass => self.fill_tiles(state, next),
                Phase::LakeGlass => self.fill_satchels(state, 0),
                Phase::SatchelGlass => self.fill_satchels(state, next),
                Phase::TopUp => self.top_up(state, next),
                _ => self.end_turn(state, state.decider()),
            }
        }
    }

    // §2 Setup.

    fn lay_out(&self, state: &mut State, shape: Shape) {
        let mut river = state.river();
        river.push(shape);
        state.set_river(river);
        if river.len() == self.shapes.len() {
            self.fill_tiles(state, 0);
        }
    }

    fn fill_tiles(&self, state: &mut State, from: usize) {
        for place in from..self.shapes.len() {
            let stones = self.stones(state.river().get(place));
            if Self::awaits_glass(state, Phase::TileGlass, place, stones) {
                return;
            }
        }
        if !Self::awaits_glass(state, Phase::LakeGlass, 0, self.lake_size) {
            self.fill_satchels(state, 0);
        }
    }

    fn fill_satchels(&self, state: &mut State, from: usize) {
        for steps in from..self.players {
            if Self::awaits_glass(state, Phase::SatchelGlass, steps, self.satchel_start) {
                return;
            }
        }
        Self::begin_round(state, 1);
    }

    // §3 A turn.

    fn begin_round(state: &mut State, round: u32) {
        state.set_round(round);
        state.set_has_moved(false);
        Self::begin_turn(state, state.first_player());
    }

    #[inline]
    fn begin_turn(state: &mut State, seat: Seat) {
        state.set_decider(seat);
        state.set_cursor(0);
        state.set_phase(Phase::Turn);
    }

    #[inline]
    pub(super) fn can_draw(&self, state: &State) -> bool {
        let closed =
            self.end_variant == EndVariant::Bga && state.end_stage() != EndStage::NotTriggered;
        !closed && !state.lake().is_empty()
    }

    #[inline]
    fn put_on_tile(&self, state: &mut State, seat: Seat, piece: Piece, shape: Shape) {
        let mut satchel = state.satchel(seat);
        satchel.remove(piece);
        state.set_satchel(seat, satchel);
        state.set_tile(shape, state.tile(shape) + self.piece_rules(piece).one_on_tile);
    }

    #[inline]
    fn await_collect(state: &mut State, placed_on: Shape) {
        state.set_has_moved(true);
        state.set_cursor(state.river().position_of(placed_on));
        state.set_phase(Phase::Collect);
    }

    #[inline]
    fn draw_from_lake(&self, state: &mut State, seat: Seat, kept: Option<Piece>) {
        state.set_has_moved(true);
        let mut lake = state.lake();
        let mut rest = super::state::Pieces::default();
        if let Some(kept) = kept {
            lake.remove(kept);
            rest.insert(kept);
        }
        let mut satchel = state.satchel(seat);
        for piece in lake.iter() {
            satchel.insert(piece);
        }
        state.set_lake(rest);
        state.set_satchel(seat, satchel);
        if satchel.len() > self.satchel_limit {
            state.set_phase(Phase::Overflow);
        } else {
            self.refill_lake(state, seat);
        }
    }

    #[inline]
    fn spill(&self, state: &mut State, seat: Seat, piece: Piece) {
        let mut satchel = state.satchel(seat);
        satchel.remove(piece);
        state.set_satchel(seat, satchel);
        let mut columns = state.columns(seat);
        columns.add_overflow(1);
        state.set_columns(seat, columns);
        if satchel.len() > self.satchel_limit {
            state.set_last_overflowed(piece);
        } else {
            state.set_last_overflowed(Piece(0));
            self.refill_lake(state, seat);
        }
    }

    #[inline]
    fn refill_lake(&self, state: &mut State, seat: Seat) {
        let due = self.lake_size - state.lake().len();
        if !Self::awaits_glass(state, Phase::RefillLake, 0, due) {
            self.end_turn(state, seat);
        }
    }

    /// The tile whose pieces are in the glassworks moves to the start and is refilled.
    #[inline]
    fn flow(&self, state: &mut State, seat: Seat) {
        let mut river = state.river();
        river.move_to_start(state.cursor());
        state.set_river(river);
        if !Self::awaits_glass(state, Phase::RefillTile, 0, self.stones(river.get(1))) {
            self.end_turn(state, seat);
        }
    }

    // §4 Adding to the glassworks.

    #[inline]
    fn collect(&self, state: &mut State, seat: Seat, shape: Shape) {
        state.set_cursor(state.river().position_of(shape));
        let (columns, new) = self.add_to_columns(state.columns(seat), state.tile(shape));
        self.add_new_colours(state, seat, columns, new);
    }

    /// Puts on top of the columns what has a column; what is new remains.
    #[inline]
    pub(super) fn add_to_columns(&self, mut columns: Columns, pieces: u64) -> (Columns, u64) {
        let mut new = pieces;
        for (colour, count) in self.color_counts(pieces) {
            if let Some(column) = columns.column_of(colour) {
                let fitting = (self.rows - columns.height(column)).min(count);
                columns.grow(column, fitting);
                columns.add_overflow((count - fitting) as u32);
                new &= !self.lane(colour);
            }
        }
        (columns, new)
    }

    /// Gives a new colour the next column, which must be free.
    #[inline]
    pub(super) fn open(&self, columns: &mut Columns, colour: Color, count: usize) {
        let fitting = count.min(self.rows);
        columns.open(colour, fitting);
        columns.add_overflow((count - fitting) as u32);
    }

    /// Leaves the seat its choice among new colours as long as there is one, and adds the rest.
    #[inline]
    fn add_new_colours(&self, state: &mut State, seat: Seat, mut columns: Columns, new: u64) {
        let shape = state.river().get(state.cursor());
        let free = self.columns - columns.len();
        let colours = self.color_counts(new).count();
        if colours >= 2 && free >= 1 {
            state.set_columns(seat, columns);
            state.set_tile(shape, new);
            state.set_phase(Phase::Columns);
            return;
        }
        for (colour, count) in self.color_counts(new) {
            if columns.len() < self.columns {
                self.open(&mut columns, colour, count);
            } else {
                columns.add_overflow(count as u32);
            }
        }
        state.set_columns(seat, columns);
        state.set_tile(shape, 0);
        self.flow(state, seat);
    }

    fn open_column(&self, state: &mut State, seat: Seat, colour: Color) {
        let pieces = state.tile(state.river().get(state.cursor()));
        let mut columns = state.columns(seat);
        self.open(&mut columns, colour, self.count_of_color(pieces, colour));
        self.add_new_colours(state, seat, columns, pieces & !self.lane(colour));
    }

    // §5 End.

    #[inline]
    fn end_turn(&self, state: &mut State, seat: Seat) {
        if state.end_stage() == EndStage::NotTriggered
            && state.columns(seat).inventory() >= self.end_trigger
        {
            state.set_end_stage(EndStage::Triggered);
            if self.end_variant == EndVariant::Bga {
                return self.top_up(state, 0);
            }
        }
        self.next_turn(state, seat);
    }

    /// From the seat after the one that triggered the end, that one last.
    fn top_up(&self, state: &mut State, from: usize) {
        let seat = state.decider();
        for steps in from..self.players {
            let held = state.satchel(seat.clockwise(steps + 1, self.players)).len();
            if Self::awaits_glass(state, Phase::TopUp, steps, self.bga_topup.saturating_sub(held)) {
                return;
            }
        }
        self.next_turn(state, seat);
    }

    #[inline]
    fn next_turn(&self, state: &mut State, seat: Seat) {
        let next = seat.clockwise(1, self.players);
        if next == state.first_player() {
            self.end_round(state);
        } else {
            Self::begin_turn(state, next);
        }
    }

    fn end_round(&self, state: &mut State) {
        if state.end_stage() == EndStage::ExtraRound
            || !state.has_moved()
            || state.round() == self.max_rounds
        {
            state.set_cursor(0);
            state.set_phase(Phase::Over);
            return;
        }
        if state.end_stage() == EndStage::Triggered {
            state.set_end_stage(EndStage::ExtraRound);
        }
        Self::begin_round(state, state.round() + 1);
    }
}
