//! The fields of the text of a position of River Valley Glassworks: those of the table, then for
//! each seat those from `seat` on. A tile shows the colours of its pieces, as in
//! `heart=white*2+purple`. Values that follow from others are not written: the inventories and the
//! number of pieces still to be drawn.

use super::{
    Glassworks,
    components::{
        Colour, Columns, MAX_COLOURS, MAX_HELD, MAX_PIECES, MAX_SATCHEL, Piece, Pieces, Shape,
    },
    data::EndVariant,
    state::{EndStage, Phase, State},
};
use watershed_engine::{
    game::{ActionSet, Game, Seat},
    games::position_text::{Expect, PositionFields, Words, expect, expect_all},
};

const PHASES: [(&str, Phase); 13] = [
    ("first", Phase::FirstPlayer),
    ("tiles", Phase::Tiles),
    ("tile_glass", Phase::TileGlass),
    ("lake_glass", Phase::LakeGlass),
    ("satchel_glass", Phase::SatchelGlass),
    ("turn", Phase::Turn),
    ("collect", Phase::Collect),
    ("columns", Phase::Columns),
    ("overflow", Phase::Overflow),
    ("refill_tile", Phase::RefillTile),
    ("refill_lake", Phase::RefillLake),
    ("top_up", Phase::TopUp),
    ("over", Phase::Over),
];

const ENDS: [(&str, EndStage); 3] = [
    ("open", EndStage::NotTriggered),
    ("triggered", EndStage::Triggered),
    ("extra_round", EndStage::ExtraRound),
];

impl PositionFields for Glassworks {
    const NOTATION: &'static str = "position of River Valley Glassworks";

    fn fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let max_rounds = self.data.play.max_rounds.get() as u8;
        let max_cursor = self.stones.len().max(self.players) as u8 - 1;
        state.phase = words.named("phase", state.phase, &PHASES)?;
        state.round = words.number("round", state.round, 0..=max_rounds)?;
        state.decider = words.seat("turn", state.decider)?;
        state.first_player = words.seat("first", state.first_player)?;
        state.end_stage = words.named("end", state.end_stage, &ENDS)?;
        state.has_moved = words.flag("moved", state.has_moved)?;
        state.cursor = words.number("cursor", state.cursor, 0..=max_cursor)?;
        let spilled = Some(state.last_overflowed).filter(|piece| piece.0 != 0);
        let name = |&piece: &Piece| self.names.piece(piece).to_owned();
        let spilled = words.optional("spilled", spilled, self.names.pieces(), name)?;
        state.last_overflowed = spilled.unwrap_or_default();
        self.river_field(words, state)?;
        let lake_size = self.data.play.lake_size.get() as usize;
        state.set_lake(self.pieces_field(words, "lake", state.lake(), lake_size)?);
        let bag = self.all_pieces().map(|piece| (name(&piece), piece, self.in_bag(state, piece)));
        for (piece, count) in words.counts("bag", bag, MAX_PIECES)? {
            let values = self.piece(piece);
            let fits = count <= values.count && self.in_bag(state, piece) == 0;
            expect(fits, "`bag:` with names of pieces, each once and no more than there are")?;
            let end = values.group.trailing_zeros() + count;
            state.bag[values.word] |= values.group & !(u64::MAX.checked_shl(end).unwrap_or(0));
        }
        for seat in self.all_seats() {
            words.begin_seat(seat)?;
            let overflows = state.phase == Phase::Overflow && state.decider == seat;
            let max_held = if overflows { MAX_SATCHEL } else { MAX_HELD };
            let satchel = self.pieces_field(words, "satchel", state.satchel(seat), max_held)?;
            state.set_satchel(seat, satchel);
            self.columns_fields(words, &mut state.columns[seat.index()])?;
        }
        Ok(())
    }

    fn complete(&self, state: &mut State) -> Expect {
        check_pieces(self, state)?;
        check_setup_and_end(self, state)?;
        if let Some(due) = pieces_due(self, state) {
            let can_draw = due > 0 && !state.is_bag_empty();
            expect(can_draw, "pieces in the bag and space for them in this phase")?;
            state.pieces_due = due as u8;
        }
        check_phase(self, state)
    }
}

impl Glassworks {
    fn colour_names(&self) -> Vec<(&str, Colour)> {
        self.names.colours().map(|colour| (self.names.colour(colour), colour)).collect()
    }

    fn river_field(&self, words: &mut Words, state: &mut State) -> Expect {
        let shapes: Vec<_> =
            self.names.shapes().map(|shape| (self.names.shape(shape), shape)).collect();
        let tiles = state.river.iter().map(|shape| {
            let colours = self.tile_colours(state, shape);
            (shape, colours.map(|(colour, count)| (colour, count as u32)).collect())
        });
        let colours = self.colour_names();
        for (shape, pieces) in words.contents("river", tiles, &shapes, &colours, MAX_PIECES)? {
            state.river.push(shape);
            let tile = &mut state.tiles[shape.index()];
            for (colour, count) in pieces {
                let lane = self.lane(colour);
                let sum = self.count_of_colour(*tile, colour) as u64 + u64::from(count);
                expect(sum <= lane.mask >> lane.shift, "no more pieces on a tile than there are")?;
                *tile += u64::from(count) << lane.shift;
            }
        }
        Ok(())
    }

    fn pieces_field(
        &self,
        words: &mut Words,
        key: &str,
        mut pieces: Pieces,
        max: usize,
    ) -> Expect<Pieces> {
        let counts = self.all_pieces().map(|piece| {
            let copies = pieces.iter().filter(|&other| other == piece);
            (self.names.piece(piece), piece, copies.count() as u32)
        });
        for (piece, count) in words.counts(key, counts, max as u32)? {
            (0..count).for_each(|_| pieces.insert(piece));
        }
        Ok(pieces)
    }

    fn columns_fields(&self, words: &mut Words, columns: &mut Columns) -> Expect {
        let heights = (0..columns.len())
            .map(|column| (columns.colour(column), columns.height(column) as u32));
        for (colour, height) in words.list("columns", heights, &self.colour_names(), MAX_PIECES)? {
            let is_new = columns.column_of(colour).is_none() && columns.len() < self.columns;
            let expected = format!(
                "`columns:` with up to {} different colours and heights up to {}",
                self.columns, self.rows
            );
            expect(is_new && height <= self.rows as u32, expected)?;
            columns.open(colour, height as usize);
        }
        let overflow = words.number("overflow", columns.overflow(), 0..=MAX_PIECES)?;
        columns.add_overflow(overflow - columns.overflow());
        Ok(())
    }
}

/// Checks that the numbers of pieces add up. Pieces that are neither in the bag, the lake nor a
/// satchel are on a tile or in the columns, counted by colour, or in the overflow.
fn check_pieces(game: &Glassworks, state: &State) -> Expect {
    let mut unseen_of_colour = [0; MAX_COLOURS + 1];
    for piece in game.all_pieces() {
        let held =
            game.all_seats().flat_map(|seat| state.satchel(seat).iter()).chain(state.lake().iter());
        let seen = game.in_bag(state, piece) + held.filter(|&other| other == piece).count() as u32;
        let values = game.piece(piece);
        let unseen = values.count.checked_sub(seen);
        unseen_of_colour[usize::from(values.colour.0)] += unseen
            .ok_or_else(|| format!("at most {} of {}", values.count, game.names.piece(piece)))?;
    }
    let mut expected = 0;
    for colour in game.names.colours() {
        let on_tiles: usize =
            state.tiles.iter().map(|&pieces| game.count_of_colour(pieces, colour)).sum();
        let in_columns = state
            .columns
            .iter()
            .filter_map(|columns| columns.column_of(colour).map(|column| columns.height(column)));
        let seen = on_tiles + in_columns.sum::<usize>();
        let rest = unseen_of_colour[usize::from(colour.0)].checked_sub(seen as u32);
        expected += rest.ok_or_else(|| {
            format!("no more {} pieces than there are", game.names.colour(colour))
        })?;
    }
    let overflow: u32 = state.columns.iter().map(|columns| columns.overflow()).sum();
    let expectation = format!("{expected} pieces in overflow, all that are in no other place");
    expect(overflow == expected, expectation)
}

/// Checks that the round, the end and the progress of setup and turns fit together.
fn check_setup_and_end(game: &Glassworks, state: &State) -> Expect {
    let (phase, turn, first) = (state.phase, state.decider, state.first_player);
    let is_setup = phase.is_setup();
    let satchels_filled = !is_setup || phase == Phase::SatchelGlass;
    let lake_filled = satchels_filled || phase == Phase::LakeGlass;
    let no_early_pieces = (lake_filled || state.lake().is_empty())
        && (satchels_filled || game.all_seats().all(|seat| state.satchel(seat).is_empty()));
    let tiles_fit = match phase {
        Phase::FirstPlayer => state.river.is_empty() && turn.index() == 0 && first.index() == 0,
        Phase::Tiles => {
            state.river.len() < game.stones.len() && state.tiles.iter().all(|&pieces| pieces == 0)
        }
        _ => state.river.len() == game.stones.len(),
    };
    let round_fits = if is_setup {
        state.round == 0
            && turn == first
            && !state.has_moved
            && state.end_stage == EndStage::NotTriggered
            && state.columns == [Columns::default(); _]
    } else {
        state.round > 0
    };
    let in_turn = matches!(
        phase,
        Phase::Collect | Phase::Columns | Phase::Overflow | Phase::RefillTile | Phase::RefillLake
    );
    // The trigger is checked at the end of a turn, so a seat in its turn can have enough pieces.
    let trigger = game.data.glassworks.end_trigger.get();
    let enough = |seat: Seat| state.columns(seat).inventory() >= trigger;
    let adding = |seat: Seat| seat == turn && matches!(phase, Phase::Columns | Phase::RefillTile);
    let end_fits = match state.end_stage {
        EndStage::NotTriggered => {
            trigger == 0 || game.all_seats().all(|seat| !enough(seat) || adding(seat))
        }
        EndStage::Triggered => game.all_seats().any(enough),
        EndStage::ExtraRound => game.all_seats().any(enough) && state.round > 1,
    };
    expect_all([
        (tiles_fit, "the river tiles of this phase"),
        (no_early_pieces, "no pieces in lake or satchels before they are drawn in setup"),
        (round_fits, "round 0 in setup and in no other phase"),
        (state.has_moved || !in_turn, "`moved:1` in the middle of a turn"),
        (end_fits, "`end:` that fits the inventories"),
        (state.last_overflowed.0 == 0 || phase == Phase::Overflow, "`spilled:-` in this phase"),
    ])
}

/// Returns the number of pieces that chance still has to draw, in the phases in which it draws
/// pieces.
fn pieces_due(game: &Glassworks, state: &State) -> Option<usize> {
    let play = &game.data.play;
    let on_tile = |shape: Shape| game.tile_colours(state, shape).map(|(_, count)| count).sum();
    let in_satchel = || state.satchel(game.recipient(state)).len();
    let cursor = usize::from(state.cursor);
    let (wanted, held) = match state.phase {
        Phase::TileGlass if cursor < state.river.len() => {
            let shape = state.tile_at_cursor();
            (game.stones[shape.index()], on_tile(shape))
        }
        Phase::RefillTile => (game.stones[state.river.get(1).index()], on_tile(state.river.get(0))),
        Phase::LakeGlass | Phase::RefillLake => (play.lake_size.get() as usize, state.lake().len()),
        Phase::SatchelGlass if cursor < game.players => {
            (play.satchel_start.get() as usize, in_satchel())
        }
        Phase::TopUp if cursor < game.players => (play.bga_topup.get() as usize, in_satchel()),
        Phase::TileGlass | Phase::SatchelGlass | Phase::TopUp => (0, 0),
        _ => return None,
    };
    Some(wanted.saturating_sub(held))
}

/// Checks the preconditions of the actions of each phase.
fn check_phase(game: &Glassworks, state: &State) -> Expect {
    let seat = state.decider;
    let has_tile = usize::from(state.cursor) < game.stones.len();
    let (holds, expected) = match state.phase {
        Phase::TileGlass | Phase::SatchelGlass => (true, ""),
        Phase::TopUp => {
            let is_bga = game.data.play.end_variant == EndVariant::Bga;
            let is_triggered = state.end_stage == EndStage::Triggered;
            (is_bga && is_triggered, "a triggered end after which satchels are filled")
        }
        Phase::Collect => (has_tile, "`cursor:` with the tile placed on"),
        Phase::Columns => {
            let columns = state.columns(seat);
            let is_new = |(colour, _)| columns.column_of(colour).is_none();
            let fits = has_tile
                && columns.len() < game.columns
                && game.tile_colours(state, state.tile_at_cursor()).all(is_new)
                && game.legal_actions(state).len() >= 2;
            (fits, "`cursor:` with a tile of two or more new colours, and a free column")
        }
        Phase::Overflow => {
            let fits = state.cursor == 0
                && state.satchel(seat).len() > game.data.play.satchel_limit.get() as usize
                && !game.legal_actions(state).is_empty();
            (fits, "more pieces than the limit of the satchel")
        }
        _ => (state.cursor == 0, "`cursor:0`"),
    };
    expect(holds, format!("{expected} in this phase"))
}
