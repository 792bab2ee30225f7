//! Turns, legal actions and their effects in River Valley Glassworks, in the order of the rules
//! (§2 to §5).

use super::{
    Glassworks,
    action::{self, Action, Actions},
    components::{Colour, Columns, Piece, Pieces, Shape},
    data::EndVariant,
    state::{EndStage, Phase, State},
};
use watershed_engine::{
    bits::{RankedBits, ones, select},
    game::{ChanceSource, Game, MAX_SEATS, Outcome, Seat, Turn, highest_scoring_seats},
    rng::{ChanceStreams, Rng, random_below},
};

// The chance sources, in the order of `Game::chance_sources`.
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
        State { bag: self.full_bag, ..State::default() }
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::FirstPlayer => Turn::Chance(SEATS),
            Phase::Tiles => Turn::Chance(RIVER),
            Phase::TileGlass
            | Phase::LakeGlass
            | Phase::SatchelGlass
            | Phase::RefillTile
            | Phase::RefillLake
            | Phase::TopUp => Turn::Chance(GLASS),
            Phase::Turn | Phase::Collect | Phase::Columns | Phase::Overflow => {
                Turn::Seat(state.decider)
            }
            Phase::Over => Turn::Over,
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> Actions {
        let seat = state.decider;
        let mut actions = Actions::empty(state.satchel(seat));
        match state.phase {
            Phase::Turn => {
                actions.insert_places(|piece| self.piece(piece).shape, self.stones.len());
                if self.can_draw(state) {
                    let take = self.data.play.lake_take.get() as usize;
                    actions.insert_draws(state.lake(), take);
                }
                if actions.has_no_actions() {
                    actions.insert_pass();
                }
            }
            Phase::Collect => {
                let shapes = state.river.neighbours(state.cursor.into());
                let pieces = ones(shapes.into())
                    .fold(0, |pieces, shape| pieces | state.tiles[shape as usize]);
                let colours = self.colour_counts(pieces);
                let colours = colours.fold(0, |colours, (colour, _)| colours | 1 << colour.0);
                actions.insert_collects(shapes, colours);
            }
            Phase::Columns => {
                for (colour, _) in self.tile_colours(state, state.tile_at_cursor()) {
                    actions.insert_column(colour);
                }
            }
            Phase::Overflow => {
                let limit = self.data.play.satchel_limit.get() as usize;
                actions.insert_overflows(state.last_overflowed, limit);
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
        match state.phase {
            Phase::FirstPlayer => {
                Action::FirstPlayer(Seat::new(random_below(rng, self.players as u32) as usize))
            }
            Phase::Tiles => {
                let left = self.tiles_left(state);
                Action::Tile(Shape(select(left, random_below(rng, left.count_ones())) as u8))
            }
            _ => {
                let left = RankedBits::new(&state.bag);
                let bit = left.select(random_below(rng, left.len()));
                Action::Glass(self.piece_of_bit[bit as usize])
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
        let [shapes, pieces] = &self.components;
        match source {
            RIVER => {
                let left = self.tiles_left(state);
                Action::Tile(Shape(chance.draw_from_set(source.0, shapes, left)))
            }
            GLASS => {
                let piece_of = |index: usize| Piece(index as u8 + 1);
                let left = |index| self.in_bag(state, piece_of(index));
                let total = RankedBits::new(&state.bag).len();
                Action::Glass(piece_of(chance.draw(source.0, pieces, total, left)))
            }
            _ => self.sample_chance(state, chance.source_stream(source.0)),
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, action: Action) {
        let seat = state.decider;
        match action {
            Action::Place(piece) => {
                let shape = self.piece(piece).shape;
                self.put_on_tile(state, seat, piece, shape);
                Self::await_collect(state, shape);
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
            Action::Overflow(piece) => self.move_to_overflow(state, seat, piece),
            Action::FirstPlayer(first) => {
                state.first_player = first;
                state.decider = first;
                state.phase = Phase::Tiles;
            }
            Action::Tile(shape) => self.lay_out_tile(state, shape),
            Action::Glass(piece) => self.place_drawn_piece(state, piece),
        }
    }

    fn round(&self, state: &State) -> u32 {
        state.round()
    }

    fn outcome(&self, state: &State) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        for seat in self.all_seats() {
            let points = self.score(state.columns(seat)).total();
            scores[seat.index()] = points + self.start_points(state, seat);
        }
        Outcome {
            scores,
            winners: highest_scoring_seats(&scores, self.players),
            wins_are_independent: false,
            rounds: state.round(),
            hit_round_limit: state.phase == Phase::Over
                && state.end_stage != EndStage::ExtraRound
                && state.has_moved,
        }
    }
}

impl Glassworks {
    // Chance.

    /// Returns the tiles not yet in the river, bit s for shape s.
    fn tiles_left(&self, state: &State) -> u64 {
        let all = (1 << self.stones.len()) - 1;
        state.river.iter().fold(all, |left, shape| left & !(1 << shape.0))
    }

    /// Begins a phase in which chance draws `due` pieces. Returns false if none are due or the bag
    /// is empty.
    #[inline]
    fn begin_draws(state: &mut State, phase: Phase, cursor: usize, due: usize) -> bool {
        let begins = due > 0 && !state.is_bag_empty();
        if begins {
            state.phase = phase;
            state.cursor = cursor as u8;
            state.pieces_due = due as u8;
        }
        begins
    }

    /// Returns the seat that gets the pieces that chance draws for satchels.
    #[inline]
    pub(super) fn recipient(&self, state: &State) -> Seat {
        let steps = usize::from(state.cursor) + usize::from(state.phase == Phase::TopUp);
        state.decider.clockwise(steps, self.players)
    }

    #[inline]
    fn place_drawn_piece(&self, state: &mut State, piece: Piece) {
        let values = self.piece(piece);
        // The copies in the bag fill the bits of the piece from the lowest: the highest is drawn.
        let left = state.bag[values.word] & values.group;
        state.bag[values.word] &= !(left & !(left >> 1));
        match state.phase {
            Phase::TileGlass | Phase::RefillTile => {
                state.tiles[state.tile_at_cursor().index()] += values.one_on_tile;
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
        state.pieces_due -= 1;
        if state.pieces_due == 0 || state.is_bag_empty() {
            state.pieces_due = 0;
            let next = usize::from(state.cursor) + 1;
            match state.phase {
                Phase::TileGlass => self.fill_tiles(state, next),
                Phase::LakeGlass => self.fill_satchels(state, 0),
                Phase::SatchelGlass => self.fill_satchels(state, next),
                Phase::TopUp => self.top_up(state, next),
                _ => self.end_turn(state, state.decider),
            }
        }
    }

    // §2 Setup.

    fn lay_out_tile(&self, state: &mut State, shape: Shape) {
        state.river.push(shape);
        if state.river.len() == self.stones.len() {
            self.fill_tiles(state, 0);
        }
    }

    fn fill_tiles(&self, state: &mut State, from: usize) {
        for index in from..self.stones.len() {
            let stones = self.stones[state.river.get(index).index()];
            if Self::begin_draws(state, Phase::TileGlass, index, stones) {
                return;
            }
        }
        if !Self::begin_draws(state, Phase::LakeGlass, 0, self.data.play.lake_size.get() as usize) {
            self.fill_satchels(state, 0);
        }
    }

    fn fill_satchels(&self, state: &mut State, from: usize) {
        let due = self.data.play.satchel_start.get() as usize;
        for steps in from..self.players {
            if Self::begin_draws(state, Phase::SatchelGlass, steps, due) {
                return;
            }
        }
        Self::begin_round(state);
    }

    // §3 A turn.

    fn begin_round(state: &mut State) {
        state.round += 1;
        state.has_moved = false;
        Self::begin_turn(state, state.first_player);
    }

    #[inline]
    fn begin_turn(state: &mut State, seat: Seat) {
        state.decider = seat;
        state.cursor = 0;
        state.phase = Phase::Turn;
    }

    #[inline]
    fn can_draw(&self, state: &State) -> bool {
        let is_closed = self.data.play.end_variant == EndVariant::Bga
            && state.end_stage != EndStage::NotTriggered;
        !is_closed && !state.lake().is_empty()
    }

    #[inline]
    fn put_on_tile(&self, state: &mut State, seat: Seat, piece: Piece, shape: Shape) {
        state.take_from_satchel(seat, piece);
        state.tiles[shape.index()] += self.piece(piece).one_on_tile;
    }

    #[inline]
    fn await_collect(state: &mut State, placed_on: Shape) {
        state.has_moved = true;
        state.cursor = state.river.index_of(placed_on) as u8;
        state.phase = Phase::Collect;
    }

    #[inline]
    fn draw_from_lake(&self, state: &mut State, seat: Seat, kept: Option<Piece>) {
        state.has_moved = true;
        let mut lake = state.lake();
        let mut rest = Pieces::default();
        if let Some(kept) = kept {
            lake.remove(kept);
            rest.insert(kept);
        }
        let mut satchel = state.satchel(seat);
        lake.iter().for_each(|piece| satchel.insert(piece));
        state.set_lake(rest);
        state.set_satchel(seat, satchel);
        self.end_draw(state, seat, satchel, Piece(0));
    }

    #[inline]
    fn move_to_overflow(&self, state: &mut State, seat: Seat, piece: Piece) {
        let satchel = state.take_from_satchel(seat, piece);
        state.columns[seat.index()].add_overflow(1);
        self.end_draw(state, seat, satchel, piece);
    }

    /// Refills the lake, or waits for a piece to overflow if the satchel has too many.
    #[inline]
    fn end_draw(&self, state: &mut State, seat: Seat, satchel: Pieces, last_overflowed: Piece) {
        if satchel.len() > self.data.play.satchel_limit.get() as usize {
            state.last_overflowed = last_overflowed;
            state.phase = Phase::Overflow;
            return;
        }
        state.last_overflowed = Piece(0);
        let due = self.data.play.lake_size.get() as usize - state.lake().len();
        if !Self::begin_draws(state, Phase::RefillLake, 0, due) {
            self.end_turn(state, seat);
        }
    }

    /// Moves the collected tile to the start of the river and refills it.
    #[inline]
    fn move_collected_tile(&self, state: &mut State, seat: Seat) {
        state.river.move_to_start(state.cursor.into());
        let due = self.stones[state.river.get(1).index()];
        if !Self::begin_draws(state, Phase::RefillTile, 0, due) {
            self.end_turn(state, seat);
        }
    }

    // §4 Adding to the glassworks.

    #[inline]
    fn collect(&self, state: &mut State, seat: Seat, shape: Shape) {
        state.cursor = state.river.index_of(shape) as u8;
        let (columns, new) = self.add_to_columns(state.columns(seat), state.tile(shape));
        self.add_new_colours(state, seat, columns, new);
    }

    /// Adds the pieces whose colours have a column. Returns the columns and the other pieces.
    #[inline]
    pub(super) fn add_to_columns(&self, mut columns: Columns, pieces: u64) -> (Columns, u64) {
        let mut new = pieces;
        for (colour, count) in self.colour_counts(pieces) {
            if let Some(column) = columns.column_of(colour) {
                let fitting = (self.rows - columns.height(column)).min(count);
                columns.grow(column, fitting);
                columns.add_overflow((count - fitting) as u32);
                new &= !self.lane(colour).mask;
            }
        }
        (columns, new)
    }

    /// Adds pieces of a new colour to the next free column, or to the overflow if there is none.
    #[inline]
    pub(super) fn add_new_colour(&self, columns: &mut Columns, colour: Colour, count: usize) {
        let mut fitting = 0;
        if columns.len() < self.columns {
            fitting = count.min(self.rows);
            columns.open(colour, fitting);
        }
        columns.add_overflow((count - fitting) as u32);
    }

    /// Returns the columns with these pieces added. New colours are added in the order of their
    /// number of pieces in the game, the highest first.
    pub(super) fn columns_with(&self, columns: Columns, pieces: u64) -> Columns {
        let (mut columns, mut new) = self.add_to_columns(columns, pieces);
        while let Some((colour, count)) =
            self.colour_counts(new).max_by_key(|&(colour, _)| self.lane(colour).mask.count_ones())
        {
            self.add_new_colour(&mut columns, colour, count);
            new &= !self.lane(colour).mask;
        }
        columns
    }

    /// Adds the pieces of new colours, or waits for the seat to choose among them.
    #[inline]
    fn add_new_colours(&self, state: &mut State, seat: Seat, mut columns: Columns, new: u64) {
        let shape = state.tile_at_cursor();
        if columns.len() < self.columns && self.colour_counts(new).nth(1).is_some() {
            state.columns[seat.index()] = columns;
            state.tiles[shape.index()] = new;
            state.phase = Phase::Columns;
            return;
        }
        for (colour, count) in self.colour_counts(new) {
            self.add_new_colour(&mut columns, colour, count);
        }
        state.columns[seat.index()] = columns;
        state.tiles[shape.index()] = 0;
        self.move_collected_tile(state, seat);
    }

    fn open_column(&self, state: &mut State, seat: Seat, colour: Colour) {
        let pieces = state.tile(state.tile_at_cursor());
        let mut columns = state.columns(seat);
        self.add_new_colour(&mut columns, colour, self.count_of_colour(pieces, colour));
        self.add_new_colours(state, seat, columns, pieces & !self.lane(colour).mask);
    }

    // §5 End.

    #[inline]
    fn end_turn(&self, state: &mut State, seat: Seat) {
        if state.end_stage == EndStage::NotTriggered
            && state.columns(seat).inventory() >= self.data.glassworks.end_trigger.get()
        {
            state.end_stage = EndStage::Triggered;
            if self.data.play.end_variant == EndVariant::Bga {
                return self.top_up(state, 0);
            }
        }
        self.next_turn(state, seat);
    }

    /// Fills satchels, from the seat after the one that triggered the end to that one.
    fn top_up(&self, state: &mut State, from: usize) {
        let (seat, target) = (state.decider, self.data.play.bga_topup.get() as usize);
        for steps in from..self.players {
            let held = state.satchel(seat.clockwise(steps + 1, self.players)).len();
            if Self::begin_draws(state, Phase::TopUp, steps, target.saturating_sub(held)) {
                return;
            }
        }
        self.next_turn(state, seat);
    }

    #[inline]
    fn next_turn(&self, state: &mut State, seat: Seat) {
        let next = seat.clockwise(1, self.players);
        if next == state.first_player {
            self.end_round(state);
        } else {
            Self::begin_turn(state, next);
        }
    }

    fn end_round(&self, state: &mut State) {
        if state.end_stage == EndStage::ExtraRound
            || !state.has_moved
            || state.round() == self.data.play.max_rounds.get()
        {
            state.cursor = 0;
            state.phase = Phase::Over;
            return;
        }
        if state.end_stage == EndStage::Triggered {
            state.end_stage = EndStage::ExtraRound;
        }
        Self::begin_round(state);
    }
}
