//! Positions of The River for people.

use super::{
    NO_LIMIT, TheRiver, cells,
    components::{Bag, Building, Resource, SPOTS, Symbols, TileKind},
    data::Terrain,
    labels::effect_text,
    state::{Phase, Place, State},
};
use watershed_engine::{
    bits::ones,
    game::{Game as _, Seat, Turn},
    games::labels::{count, player},
    scene::{
        Area, Art, Border, Cell, Chip, Fact, Grid, GridKind, Hue, Icon, Look, Pattern, Scene,
        capitalize,
    },
};

/// Number of columns of a river board, and of lists of tiles and cards.
const COLUMNS: usize = 4;
/// Height of the board of a seat with two rows of buildings.
const SEAT_HEIGHT: usize = 664;

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
        Cell {
            id: cells::tile_id(kind),
            place: mark.replace(" ×", " times"),
            mark,
            ..tile_cell(game, kind)
        }
    });
    let buildings = ones(state.face_up_buildings());
    let buildings = buildings.map(|card| building_cell(game, Building(card as u8)));
    Area {
        title: "Open to all".to_owned(),
        facts: vec![
            Fact::new("Supply", resource_chips(game.supply(state), true, cells::supply_id)),
            Fact::text("Next bonus token", next),
            Fact::text(
                "Piles",
                format!(
                    "{}, {}",
                    count(state.unseen_tiles.count_ones(), "tile"),
                    count(state.unseen_buildings(game.building_pile).count_ones(), "building")
                ),
            ),
        ],
        grids: vec![
            places_grid(game, state),
            list("Open tiles", tiles.collect()),
            list("Open buildings", buildings.collect()),
        ],
        ..Area::default()
    }
}

/// Describes the places of the main board with the pioneers on them.
fn places_grid(game: &TheRiver, state: &State) -> Grid {
    const PLACES: [(&str, Icon, Place); Place::COUNT] = [
        ("wood", Icon::Wood, Place::Wood),
        ("clay", Icon::Clay, Place::Clay),
        ("stone", Icon::Stone, Place::Stone),
        ("food", Icon::Food, Place::Food),
        ("reserve", Icon::Bookmark, Place::Reserve),
        ("build", Icon::House, Place::Build),
        ("pawn", Icon::Flag, Place::First),
        ("swap", Icon::Swap, Place::Swap),
    ];
    let pioneer = |number: u32| Chip {
        count: Some(number),
        icons: number,
        ..Chip::piece("taken", PIONEER).drawn(Icon::Pioneer)
    };
    let cells = PLACES.map(|(name, icon, place)| {
        let pioneers = state.pioneers_on(place);
        let (room, code) = match game.place_limits[place as usize] {
            NO_LIMIT => (0, pioneers.to_string()),
            limit => (limit.saturating_sub(pioneers), format!("{pioneers} of {limit}")),
        };
        let resource = Resource::from_name(name);
        let mut chips = vec![pioneer(pioneers), Chip { is_vacant: true, ..pioneer(room) }];
        chips.retain(|chip| chip.icons > 0);
        Cell {
            id: cells::place_id(place),
            place: "place".to_owned(),
            heading: name.to_owned(),
            code,
            icon: Some(icon),
            looks: resource.map(resource_look).into_iter().collect(),
            chips,
            rule: game.place_rule(place),
            ..Cell::default()
        }
    });
    Grid { kind: GridKind::Islands, ..list("Pioneers placed", cells.into()) }
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
        let seat = Some(seat.index());
        return Area { title, seat, min_height: SEAT_HEIGHT, ..Area::default() };
    }
    let board = game.data.board[state.board(seat)].id.as_str().replace('_', " ");
    title += &format!(", {board} board");
    let production = Resource::PRODUCED
        .map(|resource| resource_chip(resource).times(symbols.production(resource)));
    let of = |number: u32, all: u32, unit: &str, icon: Icon, look: Look| {
        let chip = Chip::piece(format!("of {all}{unit}"), look).coded(format!("of {all}"));
        [chip.times(number).drawn(icon)]
    };
    let facts = vec![
        Fact::text("Score now", score_text(game, state, seat)),
        Fact::new(
            "Bonus tokens",
            of(state.tokens(seat), game.bonus_spots, "", Icon::Star, STORAGE),
        ),
        Fact::new(
            "On the boat",
            of(
                state.boat_pioneers(seat),
                state.pioneers(seat),
                " pioneers",
                Icon::Pioneer,
                PIONEER,
            ),
        ),
        Fact::new(
            "Resources",
            resource_chips(bag, false, |resource| cells::held_id(seat, resource)),
        ),
        Fact::new("Stored", of(bag.total(), symbols.storage(), "", Icon::Warehouse, STORAGE)),
        Fact::new("Production", production),
    ];
    let cards = |set: u64| ones(set).map(|card| building_cell(game, Building(card as u8)));
    let reserved = cards(state.reserved_buildings(seat)).map(|mut cell| {
        cell.lines.push("reserved".to_owned());
        Cell { border: Border::Dashed, icon: Some(Icon::Bookmark), ..cell }
    });
    let buildings: Vec<_> = reserved.chain(cards(state.built_buildings(seat))).collect();
    let mut grids = vec![board_grid(game, state, seat)];
    if !buildings.is_empty() {
        grids.push(list("Buildings", buildings));
    }
    Area {
        title,
        seat: Some(seat.index()),
        is_active: game.turn(state) == Turn::Seat(seat),
        facts,
        grids,
        min_height: SEAT_HEIGHT,
    }
}

/// Returns the score of a seat and its parts.
fn score_text(game: &TheRiver, state: &State, seat: Seat) -> String {
    let score = game.score(state, seat);
    let parts = score.parts().into_iter().filter(|&(_, points)| points > 0);
    let parts: Vec<_> = parts.map(|(part, points)| format!("{part} {points}")).collect();
    match &parts[..] {
        [] => score.total().to_string(),
        parts => format!("{} ({})", score.total(), parts.join(", ")),
    }
}

fn board_grid(game: &TheRiver, state: &State, seat: Seat) -> Grid {
    let tiles = state.tiles(seat);
    let rows = 0..3;
    let places: Vec<usize> =
        rows.flat_map(|row| (0..COLUMNS).map(move |column| game.columns[column][row])).collect();
    let cells = places.iter().map(|&spot| match tiles.get(spot) {
        TileKind::NONE => {
            Cell { id: cells::spot_id(seat, spot), ..empty_cell(game, state.board(seat), spot) }
        }
        kind => Cell {
            id: cells::spot_id(seat, spot),
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
    Cell {
        place: format!("spot {}", spot + 1),
        mark: (spot + 1).to_string(),
        heading: "empty".to_owned(),
        chips: symbol_chips(game.boards[board].spots[spot]),
        lines: is_framed.then(|| "settles a pioneer".to_owned()).into_iter().collect(),
        border: if is_framed { Border::Framed } else { Border::Dashed },
        ..Cell::default()
    }
}

fn tile_cell(game: &TheRiver, kind: TileKind) -> Cell {
    let tile = &game.data.tile[usize::from(kind.0) - 1];
    let terrains: Vec<_> = tile.terrain.iter().map(|terrain| terrain.name()).collect();
    let mut lines = Vec::new();
    lines.extend(tile.name.as_ref().map(|name| name.as_str().to_owned()));
    lines.extend(tile.effect.as_ref().map(effect_text));
    Cell {
        heading: capitalize(&terrains.join(" and ")),
        looks: tile.terrain.iter().map(|&terrain| terrain_look(terrain)).collect(),
        chips: symbol_chips(game.tile_rules(kind).symbols),
        art: tile.terrain.first().map(|&terrain| terrain_art(terrain)),
        lines,
        ..Cell::default()
    }
}

/// Returns the production symbols and warehouses.
fn symbol_chips(symbols: Symbols) -> Vec<Chip> {
    let produced = Resource::PRODUCED.into_iter().filter(|&one| symbols.production(one) > 0);
    let chips = produced.map(|resource| {
        let number = symbols.production(resource);
        let name = format!("produces {number} {}", resource.name());
        Chip { name, ..resource_chip(resource) }.repeated(number)
    });
    let storage = symbols.storage();
    let warehouse = Chip::piece(count(storage, "warehouse"), STORAGE).drawn(Icon::Warehouse);
    chips.chain((storage > 0).then(|| warehouse.repeated(storage))).collect()
}

fn building_cell(game: &TheRiver, building: Building) -> Cell {
    let card = &game.data.building[usize::from(building.0)];
    let [wood, clay, stone] = card.cost.to_array();
    let chips = resource_chips(Bag::new(wood, clay, stone, 0), false, |_| String::new());
    let lines = if chips.is_empty() { vec!["free".to_owned()] } else { Vec::new() };
    Cell {
        id: cells::building_id(building),
        heading: count(card.points.get(), "point"),
        code: card.points.get().to_string(),
        icon: Some(Icon::House),
        chips,
        lines: card.name.iter().map(|name| name.as_str().to_owned()).chain(lines).collect(),
        ..Cell::default()
    }
}

fn list(title: &str, cells: Vec<Cell>) -> Grid {
    Grid { title: title.to_owned(), columns: COLUMNS, cells, ..Grid::default() }
}

/// Returns the resources of a bag; with `all`, also those of which there are none.
fn resource_chips(bag: Bag, all: bool, id: impl Fn(Resource) -> String) -> Vec<Chip> {
    let held = Resource::ALL.into_iter().filter(|&resource| all || bag.get(resource) > 0);
    held.map(|resource| resource_chip(resource).times(bag.get(resource)).with_id(id(resource)))
        .collect()
}

fn resource_chip(resource: Resource) -> Chip {
    let icon = match resource {
        Resource::Wood => Icon::Wood,
        Resource::Clay => Icon::Clay,
        Resource::Stone => Icon::Stone,
        Resource::Food => Icon::Food,
    };
    let Look { hue, .. } = resource_look(resource);
    Chip::piece(resource.name(), Look::new(hue, Pattern::Plain)).drawn(icon)
}

/// The look of pioneers, of whom the state knows no owners.
const PIONEER: Look = Look::new(Hue::Red, Pattern::Plain);

/// The look of warehouses.
const STORAGE: Look = Look::new(Hue::Yellow, Pattern::Plain);

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

const fn terrain_art(terrain: Terrain) -> Art {
    match terrain {
        Terrain::Desert => Art::Desert,
        Terrain::Badlands => Art::Badlands,
        Terrain::Forest => Art::Forest,
        Terrain::Meadow => Art::Meadow,
        Terrain::Mountain => Art::Mountain,
    }
}
