//! The notation of whole positions of The River: one line of `key:value` words in a fixed order.
//!
//! First what all share, then for each seat the words from `seat` on. Lists are separated by
//! commas, `x*3` stands for three of a kind, `-` for nothing. What follows from the rest (unseen
//! tiles and buildings, supply, symbols) is not written.

mod checks;

use std::{collections::BTreeMap, fmt::Write};

use checks::check;

use super::{
    TheRiver,
    components::{Bag, Building, MAX_FACE_UP_TILES, Resource, SPOTS, TileKind, TileRow},
    data::Effect,
    state::{BuildingLocation, Phase, Place, State},
};
use crate::{
    bits::ones,
    game::{NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, format_count, format_list},
    },
};

const PHASES: [(&str, Phase); 12] = [
    ("first", Phase::FirstPlayer),
    ("boards", Phase::Boards),
    ("draft_tiles", Phase::DraftTiles),
    ("buildings", Phase::Buildings),
    ("draft", Phase::Draft),
    ("tiles", Phase::Tiles),
    ("place", Phase::Place),
    ("pay", Phase::Pay),
    ("swaps", Phase::Swaps),
    ("overflow", Phase::Overflow),
    ("income", Phase::IncomeOverflow),
    ("over", Phase::Over),
];

const PLACES: [(&str, Place); Place::COUNT] = [
    ("wood", Place::Wood),
    ("clay", Place::Clay),
    ("stone", Place::Stone),
    ("food", Place::Food),
    ("reserve", Place::Reserve),
    ("build", Place::Build),
    ("first", Place::First),
    ("swap", Place::Swap),
];

pub(super) fn text(game: &TheRiver, state: &State) -> String {
    let phase =
        PHASES.iter().find(|(_, phase)| *phase == state.phase()).map_or("", |(name, _)| name);
    let places = PLACES.iter().filter(|&&(_, place)| state.pioneers_on(place) > 0);
    let places =
        format_list(places.map(|&(name, place)| format_count(name, state.pioneers_on(place))));
    let counts = game.discarded_tiles(state);
    let discarded = game.tile_kinds().map(|kind| (kind, counts[usize::from(kind.0)]));
    let discarded = format_list(
        discarded
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| format_count(game.data.tile_name(kind), count)),
    );
    let mut text = format!(
        "{}/{} phase:{phase} round:{} turn:{} pawn:{} end:{} cursor:{} returning:{} \
            places:{places} tiles:{} discarded:{discarded} removed:{} buildings:{}",
        TheRiver::ID,
        game.players,
        state.round(),
        state.decider(),
        state.pawn_holder(),
        u8::from(state.is_end_triggered()),
        state.cursor(),
        state.first_discard().name(),
        tile_list(game, state.face_up_tiles()),
        tile_list(game, row_of(state.removed_tile())),
        building_list(game, state.face_up_buildings()),
    );
    for seat in game.all_seats() {
        let _ = write!(
            text,
            " seat:{seat} board:{} spots:{} held:{} tokens:{} token_points:{} boat:{} pioneers:{} \
                claims:{} framed:{} built:{} reserved:{}",
            game.data.board[state.board(seat)].id.as_str(),
            tile_list(game, state.tiles(seat)),
            state.bag(seat).text(),
            state.tokens(seat),
            state.token_points(seat),
            state.boat_pioneers(seat),
            state.pioneers(seat),
            state.claims(seat),
            state.framed_covered(seat),
            building_list(game, state.built_buildings(seat)),
            building_list(game, state.reserved_buildings(seat)),
        );
    }
    text
}

fn row_of(kind: TileKind) -> TileRow {
    let mut row = TileRow::default();
    if kind.0 != 0 {
        row.push(kind);
    }
    row
}

fn tile_list(game: &TheRiver, tiles: TileRow) -> String {
    format_list(tiles.iter().map(|kind| game.data.tile_name(kind).to_owned()))
}

fn building_list(game: &TheRiver, buildings: u64) -> String {
    format_list(
        ones(buildings)
            .map(|building| game.data.building_name(Building(building as u8)).to_owned()),
    )
}

pub(super) fn parse(game: &TheRiver, text: &str) -> Result<State, NotationError> {
    let mut words = PositionParser::new(text, "position of The River", TheRiver::ID, game.players)?;
    let mut state = State::new(0);
    let phase = words.parse_value("phase", |name| {
        PHASES.iter().find(|(phase, _)| *phase == name).map(|&(_, phase)| phase)
    })?;
    state.set_phase(phase);
    state.set_round(words.parse_number("round", game.data.rules.max_rounds.get())?);
    state.set_decider(words.parse_seat("turn")?);
    state.set_pawn_holder(words.parse_seat("pawn")?);
    if words.parse_number("end", 1)? == 1 {
        state.set_end_triggered(true);
    }
    state.set_cursor(words.parse_number("cursor", u8::MAX.into())? as u8);
    state.set_first_discard(words.parse_value("returning", Resource::from_name)?);
    for (name, count) in words.parse_counts("places")? {
        let place = PLACES.iter().find(|(place, _)| *place == name).map(|&(_, place)| place);
        let place = place
            .filter(|_| count <= Place::MAX_COUNTED_PIONEERS)
            .ok_or_else(|| words.error("`places:` with places and pioneers"))?;
        state.set_pioneers_on(place, count);
    }
    state.face_up_tiles = read_tiles(&mut words, "tiles", game, MAX_FACE_UP_TILES)?;
    let mut discarded = BTreeMap::new();
    for (name, count) in words.parse_counts("discarded")? {
        let kind = game
            .data
            .find_tile(&name)
            .ok_or_else(|| words.error("`discarded:` with names of tiles"))?;
        discarded.insert(kind, count);
    }
    state.set_removed_tile(read_tiles(&mut words, "removed", game, 1)?.get(0));
    read_buildings(&mut words, "buildings", game, &mut state, BuildingLocation::FaceUp)?;
    for seat in game.all_seats() {
        parse_seat(game, &mut words, &mut state, seat)?;
    }
    words.expect_end()?;
    for kind in game.tile_kinds() {
        let visible = game.visible_tiles(&state).filter(|&tile| tile == kind).count() as u32;
        let elsewhere = visible.saturating_add(discarded.get(&kind).copied().unwrap_or(0));
        let copies = game.tile_rules(kind).copies;
        let unseen = copies.checked_sub(elsewhere).ok_or_else(|| {
            words.error(format!("at most {copies} of tile {}", game.data.tile_name(kind)))
        })?;
        state.unseen_tiles |= game.pile_of(kind, unseen);
    }
    // Only now is it certain that the tiles of each board show no more symbols than fit.
    game.all_seats().for_each(|seat| show_symbols(game, &mut state, seat));
    check(game, &state).map_err(|expected| words.error(expected))?;
    words.check_canonical(&self::text(game, &state))?;
    Ok(state)
}

fn parse_seat(
    game: &TheRiver,
    words: &mut PositionParser<'_>,
    state: &mut State,
    seat: Seat,
) -> Result<(), NotationError> {
    if words.parse_seat("seat")? != seat {
        return Err(words.error(format!("`seat:{seat}` next")));
    }
    let board = usize::from(words.parse_value("board", |name| game.data.find_board(name))?);
    let tiles = read_tiles(words, "spots", game, SPOTS)?;
    state.set_board(seat, board);
    state.set_tiles(seat, tiles);
    let max = |resource| game.stock.get(resource);
    state.set_bag(seat, words.parse_value("held", |held| Bag::parse(held, max))?);
    state.set_tokens(seat, words.parse_number("tokens", game.bonus_spots)?);
    state.set_token_points(seat, words.parse_number("token_points", u8::MAX.into())?);
    state.set_boat_pioneers(seat, words.parse_number("boat", 7)?);
    state.set_pioneers(seat, words.parse_number("pioneers", 7)?);
    state.set_claims(seat, words.parse_number("claims", 7)?);
    state.set_framed_covered(seat, words.parse_number("framed", 7)?);
    read_buildings(words, "built", game, state, BuildingLocation::Built(seat))?;
    read_buildings(words, "reserved", game, state, BuildingLocation::Reserved(seat))
}

/// Sets the symbols that a seat's board shows. In setup it shows none until chance has given the
/// seat a board.
fn show_symbols(game: &TheRiver, state: &mut State, seat: Seat) {
    let has_board = match state.phase() {
        Phase::FirstPlayer => false,
        Phase::Boards => seat < state.decider(),
        _ => true,
    };
    let (board, tiles) = (state.board(seat), state.tiles(seat));
    if tiles.iter().any(|kind| matches!(game.tile_rules(kind).effect, Some(Effect::Income { .. })))
    {
        state.set_has_income(seat);
    }
    if has_board {
        let covered = tiles.iter().zip(&game.boards[board].spots);
        let symbols = covered.fold(game.boards[board].all, |symbols, (kind, &covered)| {
            symbols.minus(covered).plus(game.tile_rules(kind).symbols)
        });
        state.set_symbols(seat, symbols);
    }
}

fn read_tiles(
    words: &mut PositionParser<'_>,
    key: &str,
    game: &TheRiver,
    most: usize,
) -> Result<TileRow, NotationError> {
    let mut row = TileRow::default();
    for (name, count) in words.parse_counts(key)? {
        let kind = game.data.find_tile(&name).filter(|_| count == 1 && row.len() < most);
        row.push(
            kind.ok_or_else(|| words.error(format!("`{key}:` with up to {most} names of tiles")))?,
        );
    }
    Ok(row)
}

fn read_buildings(
    words: &mut PositionParser<'_>,
    key: &str,
    game: &TheRiver,
    state: &mut State,
    whereabouts: BuildingLocation,
) -> Result<(), NotationError> {
    for (name, _) in words.parse_counts(key)? {
        let unseen = state.unseen_buildings(game.building_pile);
        let building =
            game.data.find_building(&name).filter(|building| unseen >> building.0 & 1 == 1);
        state.set_building_location(
            building.ok_or_else(|| {
                words.error(format!("`{key}:` with names of buildings, each in one place"))
            })?,
            whereabouts,
        );
    }
    Ok(())
}
