//! The notation of positions of River Valley Glassworks: one line of `key:value` words in a fixed
//! order.
//!
//! The words of the table come first, then for each seat the words from `seat` on. Commas separate
//! list entries, `x*3` stands for three of a kind, `-` for nothing. A tile shows the colours of its
//! pieces, as in `heart=white*2+purple`. Values that follow from others are not written: the
//! inventories and the number of pieces still to be drawn.

use std::fmt::Write;

use super::{
    Glassworks,
    components::{Columns, MAX_COLOURS, MAX_HELD, MAX_PIECES, MAX_SATCHEL, Piece, Pieces, Shape},
    data::EndVariant,
    state::{EndStage, Phase, State},
};
use watershed_engine::{
    game::{ActionSet, Game, NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, format_count, format_list, name_of, parse_count},
    },
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

pub(super) fn text(game: &Glassworks, state: &State) -> String {
    let tiles = state.river.iter().map(|shape| {
        let pieces: Vec<_> = game
            .tile_colours(state, shape)
            .map(|(colour, count)| format_count(game.names.colour(colour), count as u32))
            .collect();
        let pieces = if pieces.is_empty() { "-".to_owned() } else { pieces.join("+") };
        format!("{}={pieces}", game.names.shape(shape))
    });
    let bag = game
        .all_pieces()
        .map(|piece| (piece, game.in_bag(state, piece)))
        .filter(|&(_, count)| count > 0);
    let last_overflowed = Some(state.last_overflowed).filter(|piece| piece.0 != 0);
    let mut text = format!(
        "{}/{} phase:{} round:{} turn:{} first:{} end:{} moved:{} cursor:{} spilled:{} river:{} \
            lake:{} bag:{}",
        Glassworks::ID,
        game.players,
        name_of(&PHASES, &state.phase),
        state.round,
        state.decider,
        state.first_player,
        name_of(&ENDS, &state.end_stage),
        u8::from(state.has_moved),
        state.cursor,
        last_overflowed.map_or("-", |piece| game.names.piece(piece)),
        format_list(tiles),
        piece_list(game, state.lake()),
        format_list(bag.map(|(piece, count)| format_count(game.names.piece(piece), count))),
    );
    for seat in game.all_seats() {
        let columns = state.columns(seat);
        let heights = (0..columns.len()).map(|column| {
            format_count(game.names.colour(columns.colour(column)), columns.height(column) as u32)
        });
        let _ = write!(
            text,
            " seat:{seat} satchel:{} columns:{} overflow:{}",
            piece_list(game, state.satchel(seat)),
            format_list(heights),
            columns.overflow(),
        );
    }
    text
}

fn piece_list(game: &Glassworks, pieces: Pieces) -> String {
    let pieces: Vec<_> = pieces.iter().collect();
    let equal = pieces.chunk_by(|one, other| one == other);
    format_list(equal.map(|same| format_count(game.names.piece(same[0]), same.len() as u32)))
}

pub(super) fn parse(game: &Glassworks, text: &str) -> Result<State, NotationError> {
    let notation = "position of River Valley Glassworks";
    let mut words = PositionParser::new(text, notation, Glassworks::ID, game.players)?;
    let max_cursor = game.stones.len().max(game.players) as u32 - 1;
    let mut state = State {
        phase: words.parse_named("phase", &PHASES)?,
        round: words.parse_number("round", game.data.play.max_rounds.get())? as u8,
        decider: words.parse_seat("turn")?,
        first_player: words.parse_seat("first")?,
        end_stage: words.parse_named("end", &ENDS)?,
        has_moved: words.parse_flag("moved")?,
        cursor: words.parse_number("cursor", max_cursor)? as u8,
        last_overflowed: words.parse_value("spilled", |name| {
            if name == "-" { Some(Piece(0)) } else { game.names.find_piece(name) }
        })?,
        ..State::default()
    };
    parse_river(game, &mut words, &mut state)?;
    let lake_size = game.data.play.lake_size.get() as usize;
    state.set_lake(parse_pieces(&mut words, "lake", game, lake_size)?);
    for (name, count) in words.parse_counts("bag")? {
        let piece = game.names.find_piece(name).map(|piece| (game.piece(piece), piece));
        let piece = piece
            .filter(|&(values, piece)| count <= values.count && game.in_bag(&state, piece) == 0);
        let (values, _) = piece.ok_or_else(|| {
            words.error("`bag:` with names of pieces, each once and no more than there are")
        })?;
        let end = values.group.trailing_zeros() + count;
        state.bag[values.word] |= values.group & !(u64::MAX.checked_shl(end).unwrap_or(0));
    }
    for seat in game.all_seats() {
        parse_seat(game, &mut words, &mut state, seat)?;
    }
    words.expect_end()?;
    check_pieces(game, &words, &state)?;
    check_setup_and_end(game, &words, &state)?;
    if let Some(due) = pieces_due(game, &state) {
        let can_draw = due > 0 && !state.is_bag_empty();
        words.check(can_draw, "pieces in the bag and space for them in this phase")?;
        state.pieces_due = due as u8;
    }
    check_phase(game, &words, &state)?;
    words.check_canonical(&self::text(game, &state))?;
    Ok(state)
}

fn parse_river(
    game: &Glassworks,
    words: &mut PositionParser<'_>,
    state: &mut State,
) -> Result<(), NotationError> {
    for tile in words.next_list("river")? {
        let error = || words.error("`river:` with tiles such as `heart=white*2+purple`, each once");
        let (shape, pieces) = tile.split_once('=').ok_or_else(error)?;
        let shape = game.names.find_shape(shape);
        let shape = shape.filter(|&shape| state.river.iter().all(|other| other != shape));
        let shape = shape.ok_or_else(error)?;
        state.river.push(shape);
        let on_tile = &mut state.tiles[shape.index()];
        for entry in pieces.split('+').filter(|_| pieces != "-") {
            let (name, count) = parse_count(entry).ok_or_else(error)?;
            let colour = game.names.find_colour(name);
            let colour = colour.filter(|&colour| game.count_of_colour(*on_tile, colour) == 0);
            let lane = game.lane(colour.ok_or_else(error)?);
            let fits = u64::from(count) <= lane.mask >> lane.shift;
            words.check(fits, "no more pieces on a tile than there are")?;
            *on_tile += u64::from(count) << lane.shift;
        }
    }
    Ok(())
}

fn parse_seat(
    game: &Glassworks,
    words: &mut PositionParser<'_>,
    state: &mut State,
    seat: Seat,
) -> Result<(), NotationError> {
    words.expect_seat(seat)?;
    let overflows = state.phase == Phase::Overflow && state.decider == seat;
    let max_held = if overflows { MAX_SATCHEL } else { MAX_HELD };
    state.set_satchel(seat, parse_pieces(words, "satchel", game, max_held)?);
    let columns = &mut state.columns[seat.index()];
    for (name, height) in words.parse_counts("columns")? {
        let colour = game.names.find_colour(name);
        let colour = colour.filter(|&colour| columns.column_of(colour).is_none());
        let fits = height <= game.rows as u32 && columns.len() < game.columns;
        let colour = colour.filter(|_| fits).ok_or_else(|| {
            words.error(format!(
                "`columns:` with up to {} different colours and heights up to {}",
                game.columns, game.rows
            ))
        })?;
        columns.open(colour, height as usize);
    }
    columns.add_overflow(words.parse_number("overflow", MAX_PIECES)?);
    Ok(())
}

fn parse_pieces(
    words: &mut PositionParser<'_>,
    key: &str,
    game: &Glassworks,
    max: usize,
) -> Result<Pieces, NotationError> {
    let mut pieces = Pieces::default();
    for (name, count) in words.parse_counts(key)? {
        let piece = game.names.find_piece(name).filter(|_| pieces.len() + count as usize <= max);
        let piece = piece
            .ok_or_else(|| words.error(format!("`{key}:` with up to {max} names of pieces")))?;
        (0..count).for_each(|_| pieces.insert(piece));
    }
    Ok(pieces)
}

/// Checks that the numbers of pieces add up. Pieces that are neither in the bag, the lake nor a
/// satchel are on a tile or in the columns, counted by colour, or in the overflow.
fn check_pieces(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
    let mut unseen_of_colour = [0; MAX_COLOURS + 1];
    for piece in game.all_pieces() {
        let held =
            game.all_seats().flat_map(|seat| state.satchel(seat).iter()).chain(state.lake().iter());
        let seen = game.in_bag(state, piece) + held.filter(|&other| other == piece).count() as u32;
        let values = game.piece(piece);
        let unseen = values.count.checked_sub(seen);
        unseen_of_colour[usize::from(values.colour.0)] += unseen.ok_or_else(|| {
            words.error(format!("at most {} of {}", values.count, game.names.piece(piece)))
        })?;
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
            words.error(format!("no more {} pieces than there are", game.names.colour(colour)))
        })?;
    }
    let overflow: u32 = state.columns.iter().map(|columns| columns.overflow()).sum();
    words.check(
        overflow == expected,
        format!("{expected} pieces in overflow, all that are in no other place"),
    )
}

/// Checks that the round, the end and the progress of setup and turns fit together.
fn check_setup_and_end(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
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
    [
        (tiles_fit, "the river tiles of this phase"),
        (no_early_pieces, "no pieces in lake or satchels before they are drawn in setup"),
        (round_fits, "round 0 in setup and in no other phase"),
        (state.has_moved || !in_turn, "`moved:1` in the middle of a turn"),
        (end_fits, "`end:` that fits the inventories"),
        (state.last_overflowed.0 == 0 || phase == Phase::Overflow, "`spilled:-` in this phase"),
    ]
    .into_iter()
    .try_for_each(|(holds, expected)| words.check(holds, expected))
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
fn check_phase(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
    let seat = state.decider;
    let has_tile = usize::from(state.cursor) < game.stones.len();
    let (holds, expected) = match state.phase {
        Phase::TileGlass | Phase::SatchelGlass => (true, ""),
        Phase::TopUp => (
            game.data.play.end_variant == EndVariant::Bga && state.end_stage == EndStage::Triggered,
            "a triggered end after which satchels are filled",
        ),
        Phase::Collect => (has_tile, "`cursor:` with the tile placed on"),
        Phase::Columns => {
            let columns = state.columns(seat);
            let is_new = |colour| columns.column_of(colour).is_none();
            (
                has_tile
                    && columns.len() < game.columns
                    && game
                        .tile_colours(state, state.tile_at_cursor())
                        .all(|(colour, _)| is_new(colour))
                    && game.legal_actions(state).len() >= 2,
                "`cursor:` with a tile of two or more new colours, and a free column",
            )
        }
        Phase::Overflow => (
            state.cursor == 0
                && state.satchel(seat).len() > game.data.play.satchel_limit.get() as usize
                && !game.legal_actions(state).is_empty(),
            "more pieces than the limit of the satchel",
        ),
        _ => (state.cursor == 0, "`cursor:0`"),
    };
    words.check(holds, format!("{expected} in this phase"))
}
