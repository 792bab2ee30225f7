//! Positions of River Valley Glassworks for people.

use super::{
    Glassworks, cells,
    components::{Colour, Piece, Pieces, Shape},
    guide::TILE_RULE,
    state::{EndStage, Phase, State},
};
use watershed_engine::{
    game::{Game as _, Seat, Turn},
    games::labels::{codes, count, player},
    scene::{
        Area, Border, Cell, Chip, Fact, Grid, GridKind, Hue, Icon, Look, Pattern, Scene, capitalize,
    },
};

/// Number of river tiles in a row of the picture.
const TILE_COLUMNS: usize = 3;
/// Heights of the board of a seat with a full satchel, and of the river with much glass.
const SEAT_HEIGHT: usize = 290;
const RIVER_HEIGHT: usize = 356;

/// Looks of the colours of the printed game, by their ids.
const LOOKS: [(&str, Look); 9] = [
    ("white", Look::new(Hue::White, Pattern::Plain)),
    ("purple", Look::new(Hue::Purple, Pattern::Diamonds)),
    ("light_blue", Look::new(Hue::Sky, Pattern::Waves)),
    ("dark_blue", Look::new(Hue::Blue, Pattern::Bars)),
    ("light_green", Look::new(Hue::Lime, Pattern::Crosses)),
    ("dark_green", Look::new(Hue::Pine, Pattern::Posts)),
    ("yellow", Look::new(Hue::Yellow, Pattern::Dots)),
    ("orange", Look::new(Hue::Orange, Pattern::Rising)),
    ("black", Look::new(Hue::Black, Pattern::Plain)),
];

/// Drawings of the shapes of the printed game, by their ids.
const SHAPES: [(&str, Icon); 6] = [
    ("circle", Icon::Circle),
    ("square", Icon::Square),
    ("triangle", Icon::Triangle),
    ("heart", Icon::Heart),
    ("hexagon", Icon::Hexagon),
    ("diamond", Icon::Diamond),
];

/// The names and looks of a game.
struct Palette<'a> {
    game: &'a Glassworks,
    names: Vec<String>,
    codes: Vec<String>,
    looks: Vec<Look>,
}

/// Describes a position. Nothing is hidden except the order of the bag.
pub(super) fn scene(game: &Glassworks, state: &State) -> Scene {
    let palette = Palette::new(game);
    let round = match (state.phase, state.end_stage) {
        (Phase::Over, _) => "end of the game".to_owned(),
        (phase, _) if phase.is_setup() => "setup".to_owned(),
        (_, EndStage::NotTriggered) => format!("round {}", state.round),
        (_, EndStage::Triggered) => format!("round {}, one more follows", state.round),
        (_, EndStage::ExtraRound) => format!("round {}, the last one", state.round),
    };
    let mut areas = vec![shared_area(&palette, state)];
    areas.extend(game.all_seats().map(|seat| seat_area(&palette, state, seat)));
    Scene {
        title: format!("River Valley Glassworks, {} players, {round}", game.players),
        turn: turn_text(&palette, state),
        areas,
    }
}

impl<'a> Palette<'a> {
    fn new(game: &'a Glassworks) -> Self {
        let entries: Vec<_> = game.data.colours(game.players).collect();
        let names: Vec<_> = entries.iter().map(|colour| colour.label()).collect();
        let known = |id: &str| LOOKS.iter().find(|(name, _)| *name == id).map(|&(_, look)| look);
        let looks = entries.iter().enumerate().map(|(index, colour)| {
            known(colour.id.as_str()).unwrap_or_else(|| Look::of_index(index))
        });
        Self { game, codes: codes(&names), looks: looks.collect(), names }
    }

    fn chip(&self, colour: Colour) -> Chip {
        let index = usize::from(colour.0);
        Chip::piece(&*self.names[index], self.looks[index]).coded(&*self.codes[index])
    }

    fn shape(&self, shape: Shape) -> String {
        self.game.data.shape[shape.index()].label()
    }

    /// Returns the drawing of a shape; none if it is not one of the printed game.
    fn icon(&self, shape: Shape) -> Option<Icon> {
        let id = self.game.data.shape[shape.index()].id.as_str();
        SHAPES.iter().find(|(name, _)| *name == id).map(|&(_, icon)| icon)
    }

    /// Returns pieces of glass, as in `Light blue heart`.
    fn pieces(&self, pieces: Pieces, id: impl Fn(Piece) -> String) -> Vec<Chip> {
        let chip = |piece| {
            let values = self.game.piece(piece);
            let index = usize::from(values.colour.0);
            let shape = self.shape(values.shape).to_lowercase();
            let chip = Chip::piece(format!("{} {shape}", self.names[index]), self.looks[index]);
            let chip = match self.icon(values.shape) {
                Some(icon) => chip.drawn(icon).coded(&*self.codes[index]),
                None => chip,
            };
            chip.with_id(id(piece))
        };
        pieces.iter().map(chip).collect()
    }
}

fn turn_text(palette: &Palette<'_>, state: &State) -> String {
    let name = capitalize(&player(state.decider));
    match state.phase {
        Phase::FirstPlayer => "Chance draws the first player.".to_owned(),
        Phase::Tiles => "Chance draws the next river tile.".to_owned(),
        Phase::TileGlass => "Chance draws pieces for a river tile.".to_owned(),
        Phase::LakeGlass => "Chance draws pieces for the lake.".to_owned(),
        Phase::SatchelGlass => "Chance draws pieces for a satchel.".to_owned(),
        Phase::Turn => format!("{name} places pieces or draws from the lake."),
        Phase::Collect => {
            let shape = palette.shape(state.tile_at_cursor()).to_lowercase();
            format!("{name} collects the pieces of a tile beside the {shape} tile.")
        }
        Phase::Columns => format!("{name} chooses the new colour that gets the next column."),
        Phase::Overflow => {
            let loss = count(palette.game.data.glassworks.overflow_penalty.get(), "point");
            format!("{name} puts a piece beyond its limit into the overflow (−{loss}).")
        }
        Phase::RefillTile => "Chance refills the river tile.".to_owned(),
        Phase::RefillLake => "Chance refills the lake.".to_owned(),
        Phase::TopUp => "Chance fills the satchels.".to_owned(),
        Phase::Over => "The game has ended.".to_owned(),
    }
}

/// Describes the bag, the river and the lake.
fn shared_area(palette: &Palette<'_>, state: &State) -> Area {
    let game = palette.game;
    let colours = (0..palette.names.len()).map(|index| {
        let name = format!("{} {}", palette.codes[index], palette.names[index]);
        Chip::piece(name, palette.looks[index]).with_id(cells::colour_id(Colour(index as u8)))
    });
    let bag: u32 = state.bag.iter().map(|word| word.count_ones()).sum();
    let end = match state.end_stage {
        EndStage::NotTriggered => {
            format!("when a player has {} pieces", game.data.glassworks.end_trigger.get())
        }
        EndStage::Triggered => "after the next round".to_owned(),
        EndStage::ExtraRound => "after this round".to_owned(),
    };
    let rows: Vec<_> = game.row_points[1..=game.columns].iter().map(ToString::to_string).collect();
    let cells = state.river.iter().enumerate().map(|(index, shape)| {
        let pieces = game.tile_colours(state, shape);
        let pieces = pieces.map(|(colour, number)| {
            let chip = palette.chip(colour).times(number as u32);
            match palette.icon(shape) {
                // The shapes of pieces on a tile no longer matter.
                Some(_) => chip.drawn(Icon::Circle).repeated(number as u32),
                None => chip,
            }
        });
        let stones = game.stones[shape.index()] as u32;
        let look = Look::new(Hue::Grey, Pattern::Plain);
        let stones = (stones > 0).then(|| {
            Chip::piece(count(stones, "stone"), look).drawn(Icon::Pebble).repeated(stones)
        });
        Cell {
            icon: palette.icon(shape),
            id: cells::tile_id(shape),
            place: format!("river tile {}", index + 1),
            mark: (index + 1).to_string(),
            heading: palette.shape(shape),
            chips: pieces.chain(stones).collect(),
            rule: TILE_RULE.to_owned(),
            ..Cell::default()
        }
    });
    Area {
        title: "Open to all".to_owned(),
        facts: vec![
            Fact::new("Colours", colours),
            Fact::text("Bag", count(bag, "piece")),
            Fact::text("End", end),
            Fact::text("A row of 1, 2, … scores", rows.join(", ")),
            Fact::new("Lake", palette.pieces(state.lake(), cells::lake_id)),
        ],
        grids: vec![Grid {
            title: "River, from the far end to the lake; stones: pieces of a refill".to_owned(),
            columns: TILE_COLUMNS,
            cells: cells.collect(),
            river: (0..state.river.len()).collect(),
            ..Grid::default()
        }],
        min_height: RIVER_HEIGHT,
        ..Area::default()
    }
}

fn seat_area(palette: &Palette<'_>, state: &State, seat: Seat) -> Area {
    let game = palette.game;
    let columns = state.columns(seat);
    let score = game.score(columns);
    let start = game.start_points(state, seat);
    let start_text = if start == 0 { String::new() } else { format!(", start {start}") };
    let is_first = state.phase != Phase::FirstPlayer && state.first_player == seat;
    let first = if is_first { ", first player" } else { "" };
    Area {
        title: format!("{}{first}", capitalize(&player(seat))),
        seat: Some(seat.index()),
        is_active: game.turn(state) == Turn::Seat(seat),
        facts: vec![
            Fact::text(
                "Score now",
                format!(
                    "{} (rows {}, columns {}, overflow {}{start_text})",
                    score.total() + start,
                    score.rows,
                    score.columns,
                    score.overflow
                ),
            ),
            Fact::text(
                "Pieces",
                format!(
                    "{} ({} end the game)",
                    columns.inventory(),
                    game.data.glassworks.end_trigger.get()
                ),
            ),
            Fact::text("Overflow", columns.overflow()),
            Fact::new(
                "Satchel",
                palette.pieces(state.satchel(seat), |piece| cells::satchel_id(seat, piece)),
            ),
        ],
        grids: vec![glassworks_grid(palette, state, seat)],
        min_height: SEAT_HEIGHT,
    }
}

/// Describes the columns of a seat, the top row first.
fn glassworks_grid(palette: &Palette<'_>, state: &State, seat: Seat) -> Grid {
    let game = palette.game;
    let columns = state.columns(seat);
    let cell = |row: usize, column: usize| {
        let place = format!("column {}, row {}", column + 1, row + 1);
        if row >= columns.height(column) {
            let heading = "empty".to_owned();
            let points = game.column_points[column][row + 1];
            let rule = format!("a column up to here is worth {}", count(points as u32, "point"));
            let code = points.to_string();
            return Cell { place, heading, code, rule, border: Border::Dashed, ..Cell::default() };
        }
        let index = usize::from(columns.colour(column).0);
        Cell {
            place,
            heading: palette.names[index].clone(),
            code: palette.codes[index].clone(),
            looks: vec![palette.looks[index]],
            ..Cell::default()
        }
    };
    let rows = (0..game.rows).rev();
    Grid {
        title: "Glassworks, row 1 at the bottom, with points of columns".to_owned(),
        columns: game.columns,
        kind: GridKind::Compact,
        cells: rows
            .flat_map(|row| (0..game.columns).map(move |column| cell(row, column)))
            .collect(),
        ..Grid::default()
    }
}
