//! The map: land and river tiles by row, and the half tiles.

use watershed_engine::{
    bits::ones,
    game::Seat,
    games::labels::count,
    scene::{Art, Cell, Chip, Grid, GridKind, Hue, Icon, Look, Pattern},
};

use super::{token_chip, token_chips};
use crate::{
    CommonRiver,
    cells::tile_id,
    components::{Structure, Tile, Token},
    pieces::Status,
    position::slot_kind,
    state::State,
};

const LAND: Look = Look::new(Hue::Lime, Pattern::Plain);
const WETLANDS: Look = Look::new(Hue::Sand, Pattern::Dots);
const FLOODED: Look = Look::new(Hue::Blue, Pattern::Waves);
const RIVER: Look = Look::new(Hue::Sky, Pattern::Plain);
const CITY: Look = Look::new(Hue::Grey, Pattern::Squares);

/// Describes the map, from the top of the river to the estuary.
pub(super) fn grids(game: &CommonRiver, state: &State) -> Vec<Grid> {
    let rows = 0..game.map.rows;
    let row_cells = |row: usize| {
        [
            land_cell(game, state, Tile::land(0, row)),
            river_cell(game, state, row),
            land_cell(game, state, Tile::land(1, row)),
        ]
    };
    vec![
        Grid {
            title: "Map, down the river: left bank, river, right bank".to_owned(),
            columns: 3,
            kind: GridKind::Board,
            cells: rows.clone().flat_map(row_cells).collect(),
            river: rows.clone().map(|row| 3 * row + 1).collect(),
        },
        Grid {
            title: "Half tiles".to_owned(),
            columns: 3,
            cells: rows.map(|row| half_cell(game, state, row)).collect(),
            ..Grid::default()
        },
    ]
}

fn land_cell(game: &CommonRiver, state: &State, tile: Tile) -> Cell {
    let row = &game.data.row[tile.row()];
    let is_left = tile == Tile::land(0, tile.row());
    let land = row.land(usize::from(!is_left));
    let is_city = state.city == Some(tile);
    let is_wetlands = !is_city && game.map.slots[tile.index()] & game.map.gravel != 0;
    let (look, art) = match () {
        () if state.is_flooded(tile) => (FLOODED, Art::Water),
        () if is_city => (CITY, Art::City),
        () if is_wetlands => (WETLANDS, Art::Wetlands),
        () => (LAND, Art::Land),
    };
    let mut lines = vec![format!("elevation {}", land.elevation.signed())];
    let states = [
        (is_wetlands, "wetlands"),
        (is_city && state.city_complete, "the City"),
        (is_city && !state.city_complete, "site of the City"),
        (state.is_flooded(tile), "flooded"),
        (state.is_protected(tile), "protected"),
    ];
    lines.extend(states.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| (*text).to_owned()));
    let mut chips = if is_city { Vec::new() } else { slot_chips(game, state, tile) };
    chips.extend(game.all_seats().flat_map(|seat| land_pieces(state, seat, tile)));
    chips.extend(state.net_owner(tile).map(|owner| piece(owner, Structure::Net, 1, false)));
    Cell {
        id: tile_id(tile),
        heading: game.tile_names.get(tile).to_owned(),
        looks: vec![look],
        art: Some(art),
        chips,
        lines,
        ..Cell::default()
    }
}

/// Returns the structures of a seat on a land tile. Those that are not fresh have had their turn.
fn land_pieces(state: &State, seat: Seat, tile: Tile) -> Vec<Chip> {
    let stack = state.stack(seat, tile);
    let camp = state.camp(seat);
    let passive = [Structure::Farm, Structure::Canal, Structure::Levee];
    let fresh_excavators = stack.excavators(Status::Fresh);
    let mut pieces =
        vec![(Structure::Camp, u32::from(camp.is_on(tile)), camp.status() != Status::Fresh)];
    pieces.extend(passive.map(|kind| (kind, stack.count(kind), false)));
    for (kind, fresh) in
        [(Structure::Mill, stack.fresh_mills()), (Structure::Excavator, fresh_excavators)]
    {
        pieces.push((kind, fresh, false));
        pieces.push((kind, stack.count(kind) - fresh, true));
    }
    let pieces = pieces.into_iter().filter(|&(_, number, _)| number > 0);
    pieces.map(|(kind, number, is_done)| piece(seat, kind, number, is_done)).collect()
}

/// Returns structures of one kind with the number of their owner, and a tick if they have had
/// their turn.
fn piece(seat: Seat, kind: Structure, number: u32, is_done: bool) -> Chip {
    let owner = seat.index() + 1;
    let pieces = if number == 1 { kind.name().to_owned() } else { count(number, kind.name()) };
    let (done, tick) = if is_done { (" (done)", "✓") } else { ("", "") };
    let chip = Chip::piece(format!("P{owner}: {pieces}{done}"), Look::of_seat(seat.index()))
        .drawn(structure_icon(kind));
    match number {
        ..=3 => chip.coded(format!("{owner}{tick}")).repeated(number),
        _ => chip.coded(format!("{owner}{tick} × {number}")),
    }
}

pub(super) const fn structure_icon(kind: Structure) -> Icon {
    match kind {
        Structure::Boat => Icon::Boat,
        Structure::Bridge => Icon::Bridge,
        Structure::Camp => Icon::Camp,
        Structure::Canal => Icon::Canal,
        Structure::Excavator => Icon::Excavator,
        Structure::Farm => Icon::Farm,
        Structure::Levee => Icon::Levee,
        Structure::Mill => Icon::Mill,
        Structure::Net => Icon::Net,
    }
}

fn river_cell(game: &CommonRiver, state: &State, row: usize) -> Cell {
    let tile = Tile::river(row);
    let mut lines = Vec::new();
    let loose = state.loose_tokens[row];
    if !loose.is_empty() {
        let tokens: Vec<_> = token_chips(&loose.tokens()).iter().map(Chip::label).collect();
        lines.push(format!("loose {}", tokens.join(", ")));
    }
    if game.map.row[row].dot_above {
        lines.push("dot: +1 water".to_owned());
    }
    if state.is_protected(tile) {
        lines.push("protected".to_owned());
    }
    let mut chips = slot_chips(game, state, tile);
    for seat in game.all_seats() {
        let boats = state.boats(seat, row);
        let is_bridge = state.bridge_owner(row) == Some(seat);
        let pieces = [
            (Structure::Boat, boats.fresh(), false),
            (Structure::Boat, boats.turned(), true),
            (Structure::Bridge, u32::from(is_bridge), false),
        ];
        let pieces = pieces.into_iter().filter(|&(_, number, _)| number > 0);
        chips.extend(pieces.map(|(kind, number, is_done)| piece(seat, kind, number, is_done)));
    }
    Cell {
        id: tile_id(tile),
        heading: game.tile_names.get(tile).to_owned(),
        looks: vec![RIVER],
        art: Some(Art::Water),
        chips,
        lines,
        ..Cell::default()
    }
}

fn half_cell(game: &CommonRiver, state: &State, row: usize) -> Cell {
    let tile = Tile::half(row);
    let half = &game.data.row[row].half;
    Cell {
        id: tile_id(tile),
        heading: game.tile_names.get(tile).to_owned(),
        looks: vec![LAND],
        chips: slot_chips(game, state, tile),
        lines: vec![format!("beside {}", half.adjacent.join(", "))],
        ..Cell::default()
    }
}

/// Returns the slots of a tile with what they hold.
fn slot_chips(game: &CommonRiver, state: &State, tile: Tile) -> Vec<Chip> {
    let chip = |slot: u32| {
        let kind = slot_kind(game, slot);
        match (state.filled >> slot & 1, state.polluted >> slot & 1) {
            (1, _) => token_chip(kind),
            (_, 1) => token_chip(Token::Pollution),
            _ => Chip { is_vacant: true, ..token_chip(kind) },
        }
    };
    ones(game.map.slots[tile.index()]).map(chip).collect()
}
