//! What statistics count in River Valley Glassworks: colours, shapes, pairs, draws from the lake,
//! columns and how high they grow, and openings.

use super::{
    Glassworks,
    action::{Action, Actions, Color, Piece, Shape},
    data::Data,
    state::{MAX_SHAPES, Phase, Pieces, State},
};
use crate::{
    bits::ones,
    game::{
        Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, ReportedSeats, Seat, Statistics,
    },
};

/// Codes of opening steps: placements by the shape of the tile, pairs by their own shape and that
/// of the tile, and the two others.
const PLACE: u8 = 1;
const PAIR: u8 = PLACE + MAX_SHAPES as u8;
const DRAW: u8 = PAIR + (MAX_SHAPES * MAX_SHAPES) as u8;
const PASS: u8 = DRAW + 1;

/// The items of River Valley Glassworks.
#[derive(Clone, Debug)]
pub(super) struct Items {
    catalog: ItemCatalog,
    colors: ItemIds,
    shapes: ItemIds,
    pairs: ItemIds,
    lake_draws: ItemIds,
    /// For each column, each color.
    columns: ItemIds,
    /// For each column, each height from 1.
    heights: ItemIds,
}

impl Items {
    pub(super) fn new(data: &Data, players: usize) -> Self {
        let mut catalog = ItemCatalog::new();
        Self {
            colors: catalog.add(color_table(data, players)),
            shapes: catalog
                .add(shape_table(data, ["shapes", "shape", "placed"]).listed_as("shape").offered()),
            pairs: catalog.add(shape_table(data, ["pairs", "pair", "placed"])),
            lake_draws: catalog.add(lake_draw_table(data)),
            columns: catalog.add(column_table(data, players)),
            heights: catalog.add(height_table(data)),
            catalog,
        }
    }
}

fn color_table(data: &Data, players: usize) -> ItemTable {
    let colors = data.colors(players);
    let colors = colors.map(|color| Item::new(color.id.as_str(), [color.total().to_string()]));
    // A seat collects many pieces of nearly every colour.
    ItemTable::new(["colours", "colour", "collected"], &["pieces"], colors)
        .listed_as("color")
        .offered()
        .reporting(ReportedSeats::None)
        .scoring()
}

fn shape_table(data: &Data, labels: [&'static str; 3]) -> ItemTable {
    let shapes = data.shape.iter();
    let shapes = shapes.map(|shape| Item::new(shape.id.as_str(), [shape.stones.get().to_string()]));
    ItemTable::new(labels, &["stones"], shapes)
}

fn lake_draw_table(data: &Data) -> ItemTable {
    let draws = (0..=max_satchel(data))
        .map(|pieces| Item::new(format!("satchel_{pieces}"), [pieces.to_string()]));
    ItemTable::new(["lake_draws", "satchel", "drawn"], &["pieces"], draws)
}

// Columns are opened and grow by what a seat collects: no legal action is known to leave one out.

fn column_table(data: &Data, players: usize) -> ItemTable {
    let columns = 1..=data.glassworks.columns.get();
    let columns = columns.flat_map(|column| {
        data.colors(players).map(move |color| {
            let (name, pieces) = (color.id.as_str(), color.total().to_string());
            Item::new(format!("{column}_{name}"), [column.to_string(), name.to_owned(), pieces])
        })
    });
    let properties = &["column_number", "colour", "pieces"];
    ItemTable::new(["columns", "column", "opened"], properties, columns)
        .reporting(ReportedSeats::Takers)
        .scoring()
}

fn height_table(data: &Data) -> ItemTable {
    let columns = 1..=data.glassworks.columns.get();
    let heights = columns.flat_map(|column| {
        (1..=data.glassworks.rows.get()).map(move |height| {
            Item::new(format!("{column}_{height}"), [column.to_string(), height.to_string()])
        })
    });
    ItemTable::new(["heights", "height", "built"], &["column_number", "column_height"], heights)
        .reporting(ReportedSeats::Takers)
        .scoring()
}

/// Returns the maximum number of pieces in a satchel at the beginning of a turn.
fn max_satchel(data: &Data) -> u32 {
    let play = &data.play;
    play.satchel_limit.get().max(play.satchel_start.get()).max(play.bga_topup.get())
}

impl Glassworks {
    fn color_item(&self, color: Color) -> ItemId {
        self.items.colors.get(color.0.into())
    }

    fn shape_item(&self, piece: Piece) -> ItemId {
        self.items.shapes.get(self.piece_rules(piece).shape.0.into())
    }

    /// Returns the item of a pair of pieces of the shape of this one.
    fn pair_item(&self, piece: Piece) -> ItemId {
        self.items.pairs.get(self.piece_rules(piece).shape.0.into())
    }

    /// Returns the item of a draw from the lake with this satchel.
    fn draw_item(&self, satchel: Pieces) -> ItemId {
        self.items.lake_draws.get(satchel.len().min(max_satchel(&self.data) as usize))
    }

    /// Returns the item of a colour in a column, counted from 0.
    fn column_item(&self, column: usize, color: Color) -> ItemId {
        self.items.columns.get(column * self.all_colors().count() + usize::from(color.0))
    }

    /// Returns the item of a column, counted from 0, with this height at the end.
    fn height_item(&self, column: usize, height: usize) -> ItemId {
        self.items.heights.get(column * self.rows + height - 1)
    }

    /// The columns that an action opens, given the new colours that it adds in this order of
    /// preference.
    fn opened(
        &self,
        state: &State,
        seat: Seat,
        named: Option<Color>,
        new: u64,
    ) -> impl Iterator<Item = ItemId> {
        let columns = state.columns(seat).len();
        let free = self.columns - columns;
        let rest = named.map_or(new, |colour| new & !self.lane(colour));
        // Of several new colours that are left the seat still chooses.
        let mut others = self.color_counts(rest).map(|(colour, _)| colour);
        let last = others.next().filter(|_| others.next().is_none());
        named
            .into_iter()
            .chain(last)
            .take(free)
            .enumerate()
            .map(move |(index, colour)| self.column_item(columns + index, colour))
    }
}

impl Statistics for Glassworks {
    fn catalog(&self) -> &ItemCatalog {
        &self.items.catalog
    }

    fn items_taken(&self, legal: &Actions, action: Action, mut report: impl FnMut(ItemId)) {
        match action {
            Action::Place(piece) => report(self.shape_item(piece)),
            Action::Pair(piece, ..) => report(self.pair_item(piece)),
            Action::Draw(_) | Action::DrawAll => report(self.draw_item(legal.satchel())),
            _ => {}
        }
    }

    fn items_available(&self, legal: &Actions, mut report: impl FnMut(ItemId)) {
        let shapes_of = |pieces: &mut dyn Iterator<Item = Piece>| {
            ones(pieces.fold(0, |shapes, piece| shapes | 1 << self.piece_rules(piece).shape.0))
        };
        for shape in shapes_of(&mut legal.placeable_pieces()) {
            report(self.items.shapes.get(shape as usize));
        }
        for shape in shapes_of(&mut legal.first_pieces_of_pairs()) {
            report(self.items.pairs.get(shape as usize));
        }
        if legal.can_draw() {
            report(self.draw_item(legal.satchel()));
        }
        for color in legal.reachable_colors() {
            report(self.color_item(color));
        }
    }

    fn item_events(&self, state: &State, action: Action, mut report: impl FnMut(ItemEvent)) {
        let seat = state.decider();
        let color_item = |piece: Piece| self.color_item(self.piece_rules(piece).colour);
        match action {
            Action::Glass(piece) => {
                let on_tile = matches!(state.phase(), Phase::TileGlass | Phase::RefillTile);
                let item = if on_tile { color_item(piece) } else { self.shape_item(piece) };
                report(ItemEvent::Offered(item));
            }
            // On the tile its colour can be collected by anyone.
            Action::Place(piece) => report(ItemEvent::Offered(color_item(piece))),
            Action::Pair(first, second, _) => {
                for piece in [first, second] {
                    report(ItemEvent::Offered(color_item(piece)));
                }
            }
            Action::Collect(shape) => {
                let pieces = state.tile(shape);
                for (color, count) in self.color_counts(pieces) {
                    (0..count).for_each(|_| report(ItemEvent::Taken(seat, self.color_item(color))));
                }
                let (_, new) = self.add_to_columns(state.columns(seat), pieces);
                self.opened(state, seat, None, new)
                    .for_each(|item| report(ItemEvent::Taken(seat, item)));
            }
            Action::Column(color) => {
                let pieces = state.tile(state.river().get(state.cursor()));
                self.opened(state, seat, Some(color), pieces)
                    .for_each(|item| report(ItemEvent::Taken(seat, item)));
            }
            _ => {}
        }
    }

    fn final_events(&self, state: &State, mut report: impl FnMut(ItemEvent)) {
        for seat in self.all_seats() {
            let columns = state.columns(seat);
            let scoring = self.scoring_columns(columns);
            for column in 0..columns.len() {
                let points = if scoring >> column & 1 == 1 {
                    self.single_column_points(columns, column)
                } else {
                    0
                };
                report(ItemEvent::Scored(seat, self.color_item(columns.color(column)), points));
                report(ItemEvent::Scored(
                    seat,
                    self.column_item(column, columns.color(column)),
                    points,
                ));
                let height = self.height_item(column, columns.height(column));
                report(ItemEvent::Taken(seat, height));
                report(ItemEvent::Scored(seat, height, points));
            }
        }
    }

    fn first_player(&self, outcome: Action) -> Option<Seat> {
        match outcome {
            Action::FirstPlayer(seat) => Some(seat),
            _ => None,
        }
    }

    fn opening_step(&self, state: &State, action: Action) -> Option<u8> {
        if state.phase() != Phase::Turn {
            return None;
        }
        match action {
            Action::Place(piece) => Some(PLACE + self.piece_rules(piece).shape.0),
            Action::Pair(piece, _, shape) => {
                Some(PAIR + self.piece_rules(piece).shape.0 * MAX_SHAPES as u8 + shape.0)
            }
            Action::Draw(_) | Action::DrawAll => Some(DRAW),
            Action::Pass => Some(PASS),
            _ => None,
        }
    }

    fn opening_step_text(&self, step: u8) -> String {
        match step {
            DRAW => "draw".to_owned(),
            PLACE..PAIR => format!("place:{}", self.names.shape(Shape(step - PLACE))),
            PAIR..DRAW => {
                let (own, tile) =
                    ((step - PAIR) / MAX_SHAPES as u8, (step - PAIR) % MAX_SHAPES as u8);
                format!("pair:{}@{}", self.names.shape(Shape(own)), self.names.shape(Shape(tile)))
            }
            _ => "pass".to_owned(),
        }
    }
}
