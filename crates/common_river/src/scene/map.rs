//! The map: land and river tiles by row, and the half tiles.

use watershed_engine::{
    bits::ones,
    game::Seat,
    games::labels::count,
    scene::{Area, Cell, Chip, Grid, GridKind, Hue, Look, Pattern},
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
pub(super) fn area(game: &CommonRiver, state: &State) -> Area {
    let rows = 0..game.map.rows;
    let row_cells = |row: usize| {
        [
            land_cell(game, state, Tile::land(0, row)),
            river_cell(game, state, row),
            land_cell(game, state, Tile::land(1, row)),
        ]
    };
    Area {
        title: "Map, down the river".to_owned(),
        grids: vec![
            Grid {
                title: "left bank, river, right bank".to_owned(),
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
        ],
        ..Area::default()
    }
}

fn land_cell(game: &CommonRiver, state: &State, tile: Tile) -> Cell {
    let row = &game.data.row[tile.row()];
    let is_left = tile == Tile::land(0, tile.row());
    let land = row.land(usize::from(!is_left));
    let is_city = state.city == Some(tile);
    let is_wetlands = !is_city && game.map.slots[tile.index()] & game.map.gravel != 0;
    let look = match () {
        () if state.is_flooded(tile) => FLOODED,
        () if is_city => CITY,
        () if is_wetlands => WETLANDS,
        () => LAND,
    };
    let mut lines = vec![format!("elevation {}", land.elevation.signed())];
    let states = [
        (is_city && state.city_complete, "the City"),
        (is_city && !state.city_complete, "site of the City"),
        (state.is_flooded(tile), "flooded"),
        (state.is_protected(tile), "protected"),
    ];
    lines.extend(states.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| (*text).to_owned()));
    lines.extend(game.all_seats().filter_map(|seat| land_pieces(state, seat, tile)));
    if let Some(owner) = state.net_owner(tile) {
        lines.push(format!("P{}: net below", owner.index() + 1));
    }
    Cell {
        id: tile_id(tile),
        heading: game.tile_names.get(tile).to_owned(),
        looks: vec![look],
        chips: if is_city { Vec::new() } else { slot_chips(game, state, tile) },
        lines,
        ..Cell::default()
    }
}

/// Returns the structures of a seat on a land tile. Those that are not fresh have had their turn.
fn land_pieces(state: &State, seat: Seat, tile: Tile) -> Option<String> {
    let stack = state.stack(seat, tile);
    let camp = state.camp(seat);
    let mut pieces = Vec::new();
    if camp.is_on(tile) {
        pieces.push(match camp.status() {
            Status::Fresh => "camp".to_owned(),
            _ => "camp (done)".to_owned(),
        });
    }
    let passive = [Structure::Farm, Structure::Canal, Structure::Levee];
    pieces.extend(
        passive
            .into_iter()
            .filter(|&kind| stack.count(kind) > 0)
            .map(|kind| count(stack.count(kind), kind.name())),
    );
    let fresh_excavators = stack.excavators(Status::Fresh);
    for (name, fresh, all) in [
        ("mill", stack.fresh_mills(), stack.count(Structure::Mill)),
        ("excavator", fresh_excavators, stack.count(Structure::Excavator)),
    ] {
        pieces.extend((fresh > 0).then(|| count(fresh, name)));
        pieces.extend((all > fresh).then(|| format!("{} (done)", count(all - fresh, name))));
    }
    (!pieces.is_empty()).then(|| format!("P{}: {}", seat.index() + 1, pieces.join(", ")))
}

fn river_cell(game: &CommonRiver, state: &State, row: usize) -> Cell {
    let tile = Tile::river(row);
    let mut lines = Vec::new();
    let loose = state.loose_tokens[row];
    if !loose.is_empty() {
        let tokens: Vec<_> = token_chips(&loose.tokens()).iter().map(Chip::label).collect();
        lines.push(format!("loose {}", tokens.join(", ")));
    }
    if state.is_protected(tile) {
        lines.push("protected".to_owned());
    }
    for seat in game.all_seats() {
        let boats = state.boats(seat, row);
        let mut pieces = Vec::new();
        pieces.extend((boats.fresh() > 0).then(|| count(boats.fresh(), "boat")));
        pieces.extend(
            (boats.turned() > 0).then(|| format!("{} (done)", count(boats.turned(), "boat"))),
        );
        pieces.extend((state.bridge_owner(row) == Some(seat)).then(|| "bridge".to_owned()));
        if !pieces.is_empty() {
            lines.push(format!("P{}: {}", seat.index() + 1, pieces.join(", ")));
        }
    }
    Cell {
        id: tile_id(tile),
        heading: game.tile_names.get(tile).to_owned(),
        looks: vec![RIVER],
        chips: slot_chips(game, state, tile),
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
