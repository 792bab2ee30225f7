//! The notation of whole positions of River Valley Glassworks: one line of `key:value` words in a
//! fixed order.
//!
//! First what all share, then for each seat the words from `seat` on. Lists are separated by
//! commas, `x*3` stands for three of a kind, `-` for nothing. A tile shows the colours of its
//! pieces, as in `heart=white*2+purple`. What follows from the rest (the inventories, the pieces
//! still to be drawn) is not written.

use std::fmt::Write;

use super::{
    Glassworks,
    action::{Piece, Shape},
    data::EndVariant,
    state::{
        BAG_WORDS, Columns, EndStage, MAX_COLORS, MAX_HELD, MAX_PIECES, MAX_SATCHEL, Phase, Pieces,
        River, State,
    },
};
use crate::{
    game::{ActionSet, Game, NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, format_count, format_list, parse_count},
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
    let phase =
        PHASES.iter().find(|(_, phase)| *phase == state.phase()).map_or("", |(name, _)| name);
    let end = ENDS.iter().find(|(_, end)| *end == state.end_stage()).map_or("", |(name, _)| name);
    let tiles = state.river().iter().map(|shape| {
        let pieces: Vec<_> = game
            .tile_colors(state, shape)
            .map(|(colour, count)| format_count(game.names.color(colour), count as u32))
            .collect();
        format!(
            "{}={}",
            game.names.shape(shape),
            if pieces.is_empty() { "-".to_owned() } else { pieces.join("+") }
        )
    });
    let bag = game
        .all_pieces()
        .map(|piece| (piece, game.in_bag(state, piece)))
        .filter(|&(_, count)| count > 0);
    let spilled = Some(state.last_overflowed()).filter(|piece| piece.0 != 0);
    let mut text = format!(
        "{}/{} phase:{phase} round:{} turn:{} first:{} end:{end} moved:{} cursor:{} spilled:{} \
            river:{} lake:{} bag:{}",
        Glassworks::ID,
        game.players,
        state.round(),
        state.decider(),
        state.first_player(),
        u8::from(state.has_moved()),
        state.cursor(),
        spilled.map_or("-", |piece| game.names.piece(piece)),
        format_list(tiles),
        piece_list(game, state.lake()),
        format_list(bag.map(|(piece, count)| format_count(game.names.piece(piece), count))),
    );
    for seat in game.all_seats() {
        let columns = state.columns(seat);
        let stacks = (0..columns.len()).map(|column| {
            format_count(game.names.color(columns.color(column)), columns.height(column) as u32)
        });
        let _ = write!(
            text,
            " seat:{seat} satchel:{} columns:{} overflow:{}",
            piece_list(game, state.satchel(seat)),
            format_list(stacks),
            columns.overflow(),
        );
    }
    text
}

fn piece_list(game: &Glassworks, pieces: Pieces) -> String {
    let pieces: Vec<_> = pieces.iter().collect();
    format_list(
        pieces
            .chunk_by(|one, other| one == other)
            .map(|same| format_count(game.names.piece(same[0]), same.len() as u32)),
    )
}

pub(super) fn parse(game: &Glassworks, text: &str) -> Result<State, NotationError> {
    let mut words = PositionParser::new(
        text,
        "position of River Valley Glassworks",
        Glassworks::ID,
        game.players,
    )?;
    let mut state = State::new([0; BAG_WORDS]);
    let phase = words.parse_value("phase", |name| {
        PHASES.iter().find(|(phase, _)| *phase == name).map(|&(_, phase)| phase)
    })?;
    state.set_phase(phase);
    state.set_round(words.parse_number("round", game.max_rounds)?);
    state.set_decider(words.parse_seat("turn")?);
    state.set_first_player(words.parse_seat("first")?);
    state.set_end_stage(words.parse_value("end", |name| {
        ENDS.iter().find(|(end, _)| *end == name).map(|&(_, end)| end)
    })?);
    state.set_has_moved(words.parse_number("moved", 1)? == 1);
    state.set_cursor(
        words.parse_number("cursor", game.shapes.len().max(game.players) as u32 - 1)? as usize
    );
    state.set_last_overflowed(words.parse_value("spilled", |name| {
        if name == "-" { Some(Piece(0)) } else { game.names.find_piece(name) }
    })?);
    parse_river(game, &mut words, &mut state)?;
    let lake = read_pieces(&mut words, "lake", game, game.lake_size)?;
    state.set_lake(lake);
    for (name, count) in words.parse_counts("bag")? {
        let piece = game.names.find_piece(name).filter(|&piece| {
            count <= game.piece_rules(piece).count && game.in_bag(&state, piece) == 0
        });
        let rules = game.piece_rules(piece.ok_or_else(|| {
            words.error("`bag:` with names of pieces, each once and no more than there are")
        })?);
        let lowest = rules.group.trailing_zeros();
        state.bag[rules.word] |= rules.group & !(u64::MAX.checked_shl(lowest + count).unwrap_or(0));
    }
    for seat in game.all_seats() {
        parse_seat(game, &mut words, &mut state, seat)?;
    }
    words.expect_end()?;
    check_pieces(game, &words, &state)?;
    check_course(game, &words, &state)?;
    if let Some(due) = due(game, &state) {
        if due == 0 || state.is_bag_empty() {
            return Err(
                words.error("a place that wants pieces, and pieces in the bag, in this phase")
            );
        }
        state.set_pieces_due(due);
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
    let value = words.next_value("river")?;
    let mut river = River::default();
    for tile in value.split(',').filter(|_| value != "-") {
        let expected = "`river:` with tiles such as `heart=white*2+purple`, each once";
        let (shape, pieces) = tile.split_once('=').ok_or_else(|| words.error(expected))?;
        let shape =
            game.names.find_shape(shape).filter(|&shape| river.iter().all(|other| other != shape));
        let shape = shape.ok_or_else(|| words.error(expected))?;
        river.push(shape);
        let mut on_tile = 0;
        for entry in pieces.split('+').filter(|_| pieces != "-") {
            let (name, count) = parse_count(entry).ok_or_else(|| words.error(expected))?;
            let colour = game
                .names
                .find_color(name)
                .filter(|&colour| game.count_of_color(on_tile, colour) == 0 && count > 0);
            let lane = game.lanes[usize::from(colour.ok_or_else(|| words.error(expected))?.0)];
            if u64::from(count) > lane.mask >> lane.shift {
                return Err(words.error("no more pieces on a tile than there are"));
            }
            on_tile += u64::from(count) << lane.shift;
        }
        state.set_tile(shape, on_tile);
    }
    state.set_river(river);
    Ok(())
}

fn parse_seat(
    game: &Glassworks,
    words: &mut PositionParser<'_>,
    state: &mut State,
    seat: Seat,
) -> Result<(), NotationError> {
    if words.parse_seat("seat")? != seat {
        return Err(words.error(format!("`seat:{seat}` next")));
    }
    let most = if state.phase() == Phase::Overflow && state.decider() == seat {
        MAX_SATCHEL
    } else {
        MAX_HELD
    };
    let satchel = read_pieces(words, "satchel", game, most)?;
    state.set_satchel(seat, satchel);
    let mut columns = Columns::default();
    for (name, height) in words.parse_counts("columns")? {
        let colour =
            game.names.find_color(name).filter(|&colour| columns.column_of(colour).is_none());
        let fits = (1..=game.rows as u32).contains(&height) && columns.len() < game.columns;
        let colour = colour.filter(|_| fits).ok_or_else(|| {
            let (columns, rows) = (game.columns, game.rows);
            words.error(format!(
                "`columns:` with up to {columns} different colours and heights up to {rows}"
            ))
        })?;
        columns.open(colour, height as usize);
    }
    columns.add_overflow(words.parse_number("overflow", MAX_PIECES)?);
    state.set_columns(seat, columns);
    Ok(())
}

/// Every piece is somewhere: those not seen are in the glassworks or, whatever their colour, in the
/// overflow.
fn check_pieces(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
    let mut unseen_of_colour = [0; MAX_COLORS + 1];
    for piece in game.all_pieces() {
        let held =
            game.all_seats().flat_map(|seat| state.satchel(seat).iter()).chain(state.lake().iter());
        let seen = game.in_bag(state, piece) + held.filter(|&other| other == piece).count() as u32;
        let rules = game.piece_rules(piece);
        let unseen = rules.count.checked_sub(seen);
        unseen_of_colour[usize::from(rules.colour.0)] += unseen.ok_or_else(|| {
            words.error(format!("at most {} of {}", rules.count, game.names.piece(piece)))
        })?;
    }
    let mut spilled = 0;
    for colour in game.all_colors() {
        let on_tiles: usize =
            state.river().iter().map(|shape| game.count_of_color(state.tile(shape), colour)).sum();
        let in_columns = game.all_seats().map(|seat| state.columns(seat));
        let in_columns: usize = in_columns
            .filter_map(|columns| columns.column_of(colour).map(|column| columns.height(column)))
            .sum();
        let rest =
            unseen_of_colour[usize::from(colour.0)].checked_sub((on_tiles + in_columns) as u32);
        spilled += rest.ok_or_else(|| {
            words.error(format!("no more {} pieces than there are", game.names.color(colour)))
        })?;
    }
    let overflow: u32 = game.all_seats().map(|seat| state.columns(seat).overflow()).sum();
    if spilled == overflow {
        Ok(())
    } else {
        Err(words.error(format!("{spilled} pieces in overflow, all that lie nowhere else")))
    }
}

/// Whether round, end and turn go together.
fn check_course(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
    let phase = state.phase();
    let setup = matches!(
        phase,
        Phase::FirstPlayer
            | Phase::Tiles
            | Phase::TileGlass
            | Phase::LakeGlass
            | Phase::SatchelGlass
    );
    let (turn, first) = (state.decider(), state.first_player());
    let nothing_played = game.all_seats().all(|seat| state.columns(seat) == Columns::default());
    let before_satchels = !setup
        || phase == Phase::SatchelGlass
        || game.all_seats().all(|seat| state.satchel(seat).is_empty());
    let before_lake = !matches!(phase, Phase::FirstPlayer | Phase::Tiles | Phase::TileGlass)
        || state.lake().is_empty();
    let tiles_as_due = match phase {
        Phase::FirstPlayer => state.river().is_empty() && turn.index() == 0 && first.index() == 0,
        Phase::Tiles => {
            state.river().len() < game.shapes.len()
                && state.river().iter().all(|shape| state.tile(shape) == 0)
        }
        _ => state.river().len() == game.shapes.len(),
    };
    let round_as_due = if setup {
        state.round() == 0
            && turn == first
            && !state.has_moved()
            && state.end_stage() == EndStage::NotTriggered
            && nothing_played
    } else {
        state.round() > 0
    };
    let has_moved = state.has_moved()
        || !matches!(
            phase,
            Phase::Collect
                | Phase::Columns
                | Phase::Overflow
                | Phase::RefillTile
                | Phase::RefillLake
        );
    // Whoever has enough pieces has triggered the end, but for the seat in the middle of its turn.
    let enough = |seat: Seat| state.columns(seat).inventory() >= game.end_trigger;
    let adding = |seat: Seat| seat == turn && matches!(phase, Phase::Columns | Phase::RefillTile);
    let end_as_due = match state.end_stage() {
        EndStage::NotTriggered => {
            game.end_trigger == 0 || game.all_seats().all(|seat| !enough(seat) || adding(seat))
        }
        EndStage::Triggered => game.all_seats().any(enough),
        EndStage::ExtraRound => game.all_seats().any(enough) && state.round() > 1,
    };
    let checks = [
        (tiles_as_due, "the river tiles that this phase asks for"),
        (before_satchels && before_lake, "no pieces in lake or satchels before their time"),
        (round_as_due, "setup in round 0, and nothing else"),
        (has_moved, "`moved:1` in the middle of a turn"),
        (end_as_due, "`end:` as the inventories say"),
        (state.last_overflowed().0 == 0 || phase == Phase::Overflow, "`spilled:-` in this phase"),
    ];
    checks
        .iter()
        .find(|(holds, _)| !holds)
        .map_or(Ok(()), |(_, expected)| Err(words.error(*expected)))
}

/// How many pieces chance has still to draw for the place that is due, in the phases where it draws
/// pieces.
fn due(game: &Glassworks, state: &State) -> Option<usize> {
    let on_tile = |shape: Shape| game.tile_colors(state, shape).map(|(_, count)| count).sum();
    let place = |place: usize| {
        Some(place)
            .filter(|&place| place < state.river().len())
            .map(|place| state.river().get(place))
    };
    let wanted = |stones: usize, has: usize| stones.saturating_sub(has);
    let due = match state.phase() {
        Phase::TileGlass => {
            place(state.cursor()).map_or(0, |shape| wanted(game.stones(shape), on_tile(shape)))
        }
        Phase::RefillTile => {
            wanted(game.stones(state.river().get(1)), on_tile(state.river().get(0)))
        }
        Phase::LakeGlass | Phase::RefillLake => wanted(game.lake_size, state.lake().len()),
        Phase::SatchelGlass | Phase::TopUp if state.cursor() >= game.players => 0,
        Phase::SatchelGlass => {
            wanted(game.satchel_start, state.satchel(game.recipient(state)).len())
        }
        Phase::TopUp => wanted(game.bga_topup, state.satchel(game.recipient(state)).len()),
        _ => return None,
    };
    Some(due)
}

/// What the moves of each phase take for granted.
fn check_phase(
    game: &Glassworks,
    words: &PositionParser<'_>,
    state: &State,
) -> Result<(), NotationError> {
    let seat = state.decider();
    let no_cursor = state.cursor() == 0;
    let (holds, expected) = match state.phase() {
        Phase::TileGlass | Phase::SatchelGlass => (true, ""),
        Phase::TopUp => (
            game.end_variant == EndVariant::Bga && state.end_stage() == EndStage::Triggered,
            "the end triggered, and satchels to be filled up",
        ),
        Phase::Collect => (state.cursor() < game.shapes.len(), "`cursor:` with the tile placed on"),
        Phase::Columns => {
            let columns = state.columns(seat);
            let chosen = state.cursor() < game.shapes.len() && columns.len() < game.columns;
            let new = || {
                let mut colours = game.tile_colors(state, state.river().get(state.cursor()));
                colours.all(|(colour, _)| columns.column_of(colour).is_none())
            };
            (
                chosen && new() && game.legal_actions(state).len() >= 2,
                "`cursor:` with a tile of two or more new colours, and a free column",
            )
        }
        Phase::Overflow => {
            let too_many = state.satchel(seat).len() > game.satchel_limit;
            (
                no_cursor && too_many && !game.legal_actions(state).is_empty(),
                "more pieces than the satchel can hold",
            )
        }
        _ => (no_cursor, "`cursor:0`"),
    };
    if holds { Ok(()) } else { Err(words.error(format!("{expected} in this phase"))) }
}

fn read_pieces(
    words: &mut PositionParser<'_>,
    key: &str,
    game: &Glassworks,
    most: usize,
) -> Result<Pieces, NotationError> {
    let mut pieces = Pieces::default();
    for (name, count) in words.parse_counts(key)? {
        let piece = game.names.find_piece(name).filter(|_| pieces.len() + count as usize <= most);
        let piece = piece
            .ok_or_else(|| words.error(format!("`{key}:` with up to {most} names of pieces")))?;
        (0..count).for_each(|_| pieces.insert(piece));
    }
    Ok(pieces)
}
