//! Positions of The River for people.

use super::{
    NO_LIMIT, TheRiver,
    components::{Bag, Building, Resource, SPOTS, Symbols, TileKind},
    data::Terrain,
    labels::{effect_text, terrain_name},
    state::{Phase, Place, State},
};
use crate::{
    bits::ones,
    game::Seat,
    games::labels::{capitalize, count, player},
    scene::{Area, Border, Cell, Chip, Fact, Grid, GridKind, Hue, Look, Pattern, Scene},
};

/// Number of columns of a river board, and of lists of tiles and cards.
const COLUMNS: usize = 4;

/// Describes a position. Nothing is hidden except the order of the piles.
pub(super) fn scene(game: &TheRiver, state: &State) -> Scene {
    let round = match state.phase() {
        Phase::Over => "end of the game".to_owned(),
        _ if state.round() == 0 => "setup and draft".to_owned(),
        _ if state.is_end_triggered() => format!("round {}, the last one", state.round()),
        _ => format!("round {}", state.round()),
    };
    let mut areas = vec![shared_area(game, state)];
    areas.extend(game.all_seats().map(|seat| seat_area(game, state, seat)));
    Scene {
        title: format!("The River, {} players, {round}", game.players),
        turn: turn_text(game, state),
        areas,
    }
}

/// Returns the seat that decides.
fn decider(state: &State) -> Option<Seat> {
    let decides = matches!(
        state.phase(),
        Phase::Draft
            | Phase::Place
            | Phase::Pay
            | Phase::Swaps
            | Phase::Overflow
            | Phase::IncomeOverflow
    );
    decides.then(|| state.decider())
}

fn turn_text(game: &TheRiver, state: &State) -> String {
    let name = capitalize(&player(state.decider()));
    match state.phase() {
        Phase::FirstPlayer => "Chance determines the first player.".to_owned(),
        Phase::Boards => format!("Chance gives {} a river board.", player(state.decider())),
        Phase::DraftTiles => "Chance reveals a tile of the draft.".to_owned(),
        Phase::Tiles => "Chance reveals a tile.".to_owned(),
        Phase::Buildings => "Chance reveals a building.".to_owned(),
        Phase::Draft => format!("{name} claims the first tile."),
        Phase::Place => format!("{name} places a pioneer."),
        Phase::Pay => {
            let card = Building(state.cursor());
            let from_reserve = state.reserved_buildings(state.decider()) >> card.0 & 1 == 1;
            let source = if from_reserve { ", which it reserved" } else { "" };
            format!("{name} pays for a building: {}{source}.", building_cell(game, card).label())
        }
        Phase::Swaps => {
            let swaps = count(u32::from(state.cursor()), "more swap");
            format!("{name} may make {swaps} of two tiles.")
        }
        Phase::Overflow | Phase::IncomeOverflow => {
            format!("{name} returns a resource that it cannot store.")
        }
        Phase::Over => "The game has ended.".to_owned(),
    }
}

/// Describes what all seats share.
fn shared_area(game: &TheRiver, state: &State) -> Area {
    let taken: u32 = game.all_seats().map(|seat| state.tokens(seat)).sum();
    let left = game.tokens.get(taken as usize..).unwrap_or(&[]);
    let next = match left.first() {
        Some(points) => format!("{} ({} left)", count(*points, "point"), left.len()),
        None => "none left".to_owned(),
    };
    let open = state.face_up_tiles();
    let kinds = (0..open.len())
        .filter(|&index| (0..index).all(|before| open.get(before) != open.get(index)));
    let tiles = kinds.map(|index| {
        let kind = open.get(index);
        let copies = open.iter().filter(|&other| other == kind).count();
        let mark = if copies > 1 { format!("{copies} ×") } else { String::new() };
        Cell { place: mark.replace(" ×", " times"), mark, ..tile_cell(game, kind) }
    });
    let buildings = ones(state.face_up_buildings());
    let buildings = buildings.map(|card| building_cell(game, Building(card as u8)));
    Area {
        title: "Open to all".to_owned(),
        is_active: false,
        facts: vec![
            Fact::new("Supply", resource_chips(game.supply(state), true)),
            Fact::text("Next bonus token", next),
            Fact::text(
                "Piles",
                format!(
                    "{}, {}",
                    count(state.unseen_tiles.count_ones(), "tile"),
                    count(state.unseen_buildings(game.building_pile).count_ones(), "building")
                ),
            ),
            Fact::text("Pioneers placed", places_text(game, state)),
        ],
        grids: vec![
            Grid { columns: 3, ..list("Open tiles", tiles.collect()) },
            list("Open buildings", buildings.collect()),
        ],
    }
}

/// Returns the pioneers on the places of the main board.
fn places_text(game: &TheRiver, state: &State) -> String {
    const PLACES: [(&str, Place); Place::COUNT] = [
        ("wood", Place::Wood),
        ("clay", Place::Clay),
        ("stone", Place::Stone),
        ("food", Place::Food),
        ("reserve", Place::Reserve),
        ("build", Place::Build),
        ("pawn", Place::First),
        ("swap", Place::Swap),
    ];
    let places = PLACES.map(|(name, place)| {
        let pioneers = state.pioneers_on(place);
        match game.place_limits[place as usize] {
            NO_LIMIT => format!("{name} {pioneers}"),
            limit => format!("{name} {pioneers} of {limit}"),
        }
    });
    places.join(", ")
}

fn seat_area(game: &TheRiver, state: &State, seat: Seat) -> Area {
    let symbols = state.symbols(seat);
    let bag = state.bag(seat);
    let is_set_up = !matches!(state.phase(), Phase::FirstPlayer | Phase::Boards);
    let is_first = state.phase() != Phase::FirstPlayer && state.pawn_holder() == seat;
    let mut title = capitalize(&player(seat));
    if is_first {
        title += ", first player";
    }
    if !is_set_up {
        return Area { title, ..Area::default() };
    }
    let board = game.data.board[state.board(seat)].id.as_str().replace('_', " ");
    title += &format!(", {board} board");
    let production = Resource::PRODUCED.map(|resource| {
        let number = symbols.production(resource);
        Chip::piece(resource.name(), resource_look(resource)).times(number)
    });
    let tokens = state.tokens(seat);
    let mut facts = vec![
        Fact::text("Score now", game.score(state, seat).total()),
        Fact::new("Resources", resource_chips(bag, false)),
        Fact::text("Stored", format!("{} of {}", bag.total(), symbols.storage())),
        Fact::new("Production", production),
        Fact::text(
            "Pioneers",
            format!("{} of {} on the boat", state.boat_pioneers(seat), state.pioneers(seat)),
        ),
        Fact::text(
            "Bonus tokens",
            format!(
                "{tokens} of {}, {}",
                game.bonus_spots,
                count(state.token_points(seat), "point")
            ),
        ),
    ];
    if state.phase() == Phase::Over {
        let parts = game.score(state, seat).parts();
        let parts = parts.map(|(part, points)| format!("{part} {points}"));
        facts.insert(1, Fact::text("of these", parts.join(", ")));
    }
    let cards = |set: u64| ones(set).map(|card| building_cell(game, Building(card as u8)));
    let mut grids = vec![board_grid(game, state, seat)];
    for (name, set) in
        [("Reserved", state.reserved_buildings(seat)), ("Built", state.built_buildings(seat))]
    {
        if set != 0 {
            grids.push(list(name, cards(set).collect()));
        }
    }
    Area { title, is_active: decider(state) == Some(seat), facts, grids }
}

fn board_grid(game: &TheRiver, state: &State, seat: Seat) -> Grid {
    let tiles = state.tiles(seat);
    let rows = 0..3;
    let places: Vec<usize> =
        rows.flat_map(|row| (0..COLUMNS).map(move |column| game.columns[column][row])).collect();
    let cells = places.iter().map(|&spot| match tiles.get(spot) {
        TileKind::NONE => empty_cell(game, state.board(seat), spot),
        kind => Cell {
            place: format!("spot {}", spot + 1),
            mark: (spot + 1).to_string(),
            ..tile_cell(game, kind)
        },
    });
    let place_of = |spot: usize| places.iter().position(|&other| other == spot);
    Grid {
        title: String::new(),
        columns: COLUMNS,
        kind: GridKind::Board,
        cells: cells.collect(),
        river: (0..SPOTS).filter_map(place_of).collect(),
    }
}

/// Describes an empty spot with its printed symbols.
fn empty_cell(game: &TheRiver, board: usize, spot: usize) -> Cell {
    let is_framed = game.framed >> spot & 1 == 1;
    let mut lines = symbol_lines(game.boards[board].spots[spot]);
    if is_framed {
        lines.push("settles a pioneer".to_owned());
    }
    Cell {
        place: format!("spot {}", spot + 1),
        mark: (spot + 1).to_string(),
        heading: "empty".to_owned(),
        lines,
        border: if is_framed { Border::Framed } else { Border::Dashed },
        ..Cell::default()
    }
}

fn tile_cell(game: &TheRiver, kind: TileKind) -> Cell {
    let tile = &game.data.tile[usize::from(kind.0) - 1];
    let terrains: Vec<_> = tile.terrain.iter().map(|&terrain| terrain_name(terrain)).collect();
    let mut lines = Vec::new();
    lines.extend(tile.name.as_ref().map(|name| name.as_str().to_owned()));
    lines.extend(symbol_lines(game.tile_rules(kind).symbols));
    lines.extend(tile.effect.as_ref().map(effect_text));
    Cell {
        heading: capitalize(&terrains.join(" and ")),
        looks: tile.terrain.iter().map(|&terrain| terrain_look(terrain)).collect(),
        lines,
        ..Cell::default()
    }
}

/// Returns the production symbols and warehouses as texts, as in `makes 2 clay`.
fn symbol_lines(symbols: Symbols) -> Vec<String> {
    let production =
        Resource::PRODUCED.iter().filter(|&&resource| symbols.production(resource) > 0);
    let mut lines: Vec<_> = production
        .map(|&resource| format!("makes {} {}", symbols.production(resource), resource.name()))
        .collect();
    if symbols.storage() > 0 {
        lines.push(format!("stores {}", symbols.storage()));
    }
    lines
}

fn building_cell(game: &TheRiver, building: Building) -> Cell {
    let card = &game.data.building[usize::from(building.0)];
    let [wood, clay, stone] = card.cost.to_array();
    let chips = resource_chips(Bag::new(wood, clay, stone, 0), false);
    let lines = if chips.is_empty() { vec!["free".to_owned()] } else { Vec::new() };
    Cell {
        heading: count(card.points.get(), "point"),
        chips,
        lines: card.name.iter().map(|name| name.as_str().to_owned()).chain(lines).collect(),
        ..Cell::default()
    }
}

fn list(title: &str, cells: Vec<Cell>) -> Grid {
    Grid { title: title.to_owned(), columns: COLUMNS, cells, ..Grid::default() }
}

/// Returns the resources of a bag; with `all`, also those of which there are none.
fn resource_chips(bag: Bag, all: bool) -> Vec<Chip> {
    let held = Resource::ALL.into_iter().filter(|&resource| all || bag.get(resource) > 0);
    held.map(|resource| {
        Chip::piece(resource.name(), resource_look(resource)).times(bag.get(resource))
    })
    .collect()
}

const fn resource_look(resource: Resource) -> Look {
    match resource {
        Resource::Wood => terrain_look(Terrain::Forest),
        Resource::Clay => terrain_look(Terrain::Badlands),
        Resource::Stone => terrain_look(Terrain::Mountain),
        Resource::Food => Look::new(Hue::Red, Pattern::Plain),
    }
}

const fn terrain_look(terrain: Terrain) -> Look {
    match terrain {
        Terrain::Desert => Look::new(Hue::Sand, Pattern::Dots),
        Terrain::Badlands => Look::new(Hue::Rust, Pattern::Falling),
        Terrain::Forest => Look::new(Hue::Green, Pattern::Posts),
        Terrain::Meadow => Look::new(Hue::Lime, Pattern::Crosses),
        Terrain::Mountain => Look::new(Hue::Grey, Pattern::Peaks),
    }
}
