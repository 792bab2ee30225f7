//! The items of River Valley Glassworks: colours, shapes, pairs, draws from the lake, columns and
//! their heights; and its opening steps.

use super::{
    Glassworks,
    action::{Action, Actions},
    components::{Colour, MAX_SHAPES, Piece, Pieces, Shape},
    data::Data,
    state::{Phase, State},
};
use watershed_engine::{
    bits::ones,
    game::{
        Game as _, Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, ReportedSeats,
        ResourceAmounts, ResourceFlow, Seat, Situation, Statistics,
    },
    games::labels::count,
    names,
};

// The first code of each kind of opening step: placements by shape, pairs by their shape and that
// of the tile.
const PLACE: u8 = 1;
const PAIR: u8 = PLACE + MAX_SHAPES as u8;
const DRAW: u8 = PAIR + (MAX_SHAPES * MAX_SHAPES) as u8;
const PASS: u8 = DRAW + 1;

names! {
    /// A source of changes of the pieces of a seat, in its satchel and its columns. The second one
    /// fills satchels after the end was triggered.
    enum FlowSource {
        Start = "start",
        Bag = "bag",
        Lake = "lake",
        River = "river",
        Placement = "placement",
        Overflow = "overflow",
    }
}

/// The items of River Valley Glassworks.
#[derive(Clone, Debug)]
pub(super) struct Items {
    catalog: ItemCatalog,
    colours: ItemIds,
    shapes: ItemIds,
    pairs: ItemIds,
    lake_draws: ItemIds,
    /// Each colour of the first column, then of the second one, and so on.
    columns: ItemIds,
    /// Each height of the first column, from 1, then of the second one, and so on.
    heights: ItemIds,
}

impl Items {
    pub(super) fn new(data: &Data, players: usize) -> Self {
        let mut catalog = ItemCatalog::new();
        Self {
            colours: catalog.add(colour_table(data, players)),
            shapes: catalog.add(
                shape_table(data, "", ["shapes", "shape", "placed"]).listed_as("shape").offered(),
            ),
            pairs: catalog.add(shape_table(data, "Pair: ", ["pairs", "pair", "placed"])),
            lake_draws: catalog.add(lake_draw_table(data)),
            columns: catalog.add(column_table(data, players)),
            heights: catalog.add(height_table(data)),
            catalog,
        }
    }
}

fn colour_table(data: &Data, players: usize) -> ItemTable {
    let colours = data.colours(players);
    let colours = colours.map(|colour| {
        Item::new(colour.id.as_str(), [colour.total().to_string()]).labelled(colour.label())
    });
    // A seat collects many pieces of nearly every colour.
    ItemTable::new(["colours", "colour", "collected"], &["pieces"], colours)
        .listed_as("color")
        .offered()
        .reporting(ReportedSeats::None)
        .scoring()
}

/// Returns a table with an item for each shape. Labels begin with `prefix`.
fn shape_table(data: &Data, prefix: &str, headings: [&'static str; 3]) -> ItemTable {
    let shapes = data.shape.iter().map(|shape| {
        Item::new(shape.id.as_str(), [shape.stones.get().to_string()])
            .labelled(format!("{prefix}{}", shape.label()))
    });
    ItemTable::new(headings, &["stones"], shapes)
}

fn lake_draw_table(data: &Data) -> ItemTable {
    let draws = (0..=max_satchel(data)).map(|pieces| {
        Item::new(format!("satchel_{pieces}"), [pieces.to_string()])
            .labelled(format!("Draw with {} in the satchel", count(pieces, "piece")))
    });
    ItemTable::new(["lake_draws", "satchel", "drawn"], &["pieces"], draws)
}

// Columns open and grow by the collected pieces. Their items are reported for takers only, because
// legal actions do not show for which seats they were available.

fn column_table(data: &Data, players: usize) -> ItemTable {
    let columns = 1..=data.glassworks.columns.get();
    let columns = columns.flat_map(|column| {
        data.colours(players).map(move |colour| {
            let (name, pieces) = (colour.id.as_str(), colour.total().to_string());
            Item::new(format!("{column}_{name}"), [column.to_string(), name.to_owned(), pieces])
                .labelled(format!("Column {column}: {}", colour.label()))
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
                .labelled(format!("Column {column}, height {height}"))
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
    fn colour_item(&self, colour: Colour) -> ItemId {
        self.items.colours.get(colour.0.into())
    }

    fn shape_item(&self, piece: Piece) -> ItemId {
        self.items.shapes.get(self.piece(piece).shape.index())
    }

    /// Returns the item of a pair of pieces of the shape of this one.
    fn pair_item(&self, piece: Piece) -> ItemId {
        self.items.pairs.get(self.piece(piece).shape.index())
    }

    /// Returns the item of a draw from the lake with this satchel.
    fn draw_item(&self, satchel: Pieces) -> ItemId {
        self.items.lake_draws.get(satchel.len().min(max_satchel(&self.data) as usize))
    }

    /// Returns the item of a colour in a column, counted from 0.
    fn column_item(&self, column: usize, colour: Colour) -> ItemId {
        self.items.columns.get(column * self.names.colours().len() + usize::from(colour.0))
    }

    /// Returns the item of a column, counted from 0, with this height at the end.
    fn height_item(&self, column: usize, height: usize) -> ItemId {
        self.items.heights.get(column * self.rows + height - 1)
    }

    /// Returns the items of the columns that a seat opens when it adds pieces of `new` colours, of
    /// which it may have chosen one.
    fn opened_columns(
        &self,
        state: &State,
        seat: Seat,
        chosen: Option<Colour>,
        new: u64,
    ) -> impl Iterator<Item = ItemId> {
        let columns = state.columns(seat).len();
        let rest = chosen.map_or(new, |colour| new & !self.lane(colour).mask);
        // If several other colours are left, the seat has another choice.
        let mut others = self.colour_counts(rest).map(|(colour, _)| colour);
        let last = others.next().filter(|_| others.next().is_none());
        (columns..self.columns)
            .zip(chosen.into_iter().chain(last))
            .map(|(column, colour)| self.column_item(column, colour))
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
            ones(pieces.fold(0, |shapes, piece| shapes | 1 << self.piece(piece).shape.0))
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
        for colour in legal.collectable_colours() {
            report(self.colour_item(colour));
        }
    }

    fn item_events(&self, state: &State, action: Action, mut report: impl FnMut(ItemEvent)) {
        let seat = state.decider;
        let colour_item = |piece: Piece| self.colour_item(self.piece(piece).colour);
        match action {
            Action::Glass(piece) => {
                let on_tile = matches!(state.phase, Phase::TileGlass | Phase::RefillTile);
                let item = if on_tile { colour_item(piece) } else { self.shape_item(piece) };
                report(ItemEvent::Offered(item));
            }
            // All seats can collect the colour of a piece on a tile.
            Action::Place(piece) => report(ItemEvent::Offered(colour_item(piece))),
            Action::Pair(first, second, _) => {
                for piece in [first, second] {
                    report(ItemEvent::Offered(colour_item(piece)));
                }
            }
            Action::Collect(shape) => {
                let pieces = state.tile(shape);
                for (colour, count) in self.colour_counts(pieces) {
                    (0..count)
                        .for_each(|_| report(ItemEvent::Taken(seat, self.colour_item(colour))));
                }
                let (_, new) = self.add_to_columns(state.columns(seat), pieces);
                self.opened_columns(state, seat, None, new)
                    .for_each(|item| report(ItemEvent::Taken(seat, item)));
            }
            Action::Column(colour) => {
                let pieces = state.tile(state.tile_at_cursor());
                self.opened_columns(state, seat, Some(colour), pieces)
                    .for_each(|item| report(ItemEvent::Taken(seat, item)));
            }
            _ => {}
        }
    }

    fn final_events(&self, state: &State, mut report: impl FnMut(ItemEvent)) {
        for seat in self.all_seats() {
            let columns = state.columns(seat);
            for column in 0..columns.len() {
                let scores = self.tallest_columns(columns).any(|scoring| scoring == column);
                let points = if scores { self.points_of_column(columns, column) } else { 0 };
                let colour = columns.colour(column);
                let height = self.height_item(column, columns.height(column));
                report(ItemEvent::Taken(seat, height));
                for item in [self.colour_item(colour), self.column_item(column, colour), height] {
                    report(ItemEvent::Scored(seat, item, points));
                }
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
        if state.phase != Phase::Turn {
            return None;
        }
        match action {
            Action::Place(piece) => Some(PLACE + self.piece(piece).shape.0),
            Action::Pair(piece, _, shape) => {
                Some(PAIR + self.piece(piece).shape.0 * MAX_SHAPES as u8 + shape.0)
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

    fn book_action(&self, state: &State, action: Action) -> Option<u8> {
        self.space_action(state, action)
    }

    fn book_action_text(&self, code: u8) -> String {
        Self::space_action_text(code)
    }

    fn book_action_label(&self, code: u8) -> String {
        Self::space_action_label(code)
    }

    fn book_step_name(&self, index: usize) -> String {
        let names = ["first turn", "second turn", "third turn", "fourth turn"];
        names.get(index).copied().unwrap_or_default().to_owned()
    }

    fn situation(&self, state: &State, seat: Seat) -> Situation {
        self.opening_situation(state, seat)
    }

    fn resource_flow(&self) -> ResourceFlow {
        let kinds = self.names.colours().map(|colour| self.names.colour(colour).to_owned());
        ResourceFlow {
            kinds: kinds.collect(),
            sources: &FlowSource::NAMES,
            loss: FlowSource::Overflow.name(),
        }
    }

    fn held_resources(&self, state: &State, seat: Seat) -> ResourceAmounts {
        let mut held = ResourceAmounts::default();
        for piece in state.satchel(seat).iter() {
            held[usize::from(self.piece(piece).colour.0)] += 1;
        }
        let columns = state.columns(seat);
        for column in 0..columns.len() {
            held[usize::from(columns.colour(column).0)] += columns.height(column) as i32;
        }
        held
    }

    fn resource_changes(
        &self,
        state: &State,
        action: Action,
        mut report: impl FnMut(Seat, usize, usize, i32),
    ) {
        let seat = state.decider;
        let mut change = |source: FlowSource, colour: Colour, amount: i32| {
            report(seat, colour.0.into(), source as usize, amount);
        };
        let colour = |piece: Piece| self.piece(piece).colour;
        match action {
            Action::Place(piece) => change(FlowSource::Placement, colour(piece), -1),
            Action::Pair(first, second, _) => {
                for piece in [first, second] {
                    change(FlowSource::Placement, colour(piece), -1);
                }
            }
            Action::Draw(_) | Action::DrawAll => {
                let mut drawn = state.lake();
                if let Action::Draw(kept) = action {
                    drawn.remove(kept);
                }
                drawn.iter().for_each(|piece| change(FlowSource::Lake, colour(piece), 1));
            }
            Action::Overflow(piece) => change(FlowSource::Overflow, colour(piece), -1),
            Action::Collect(_) | Action::Column(_) => {
                let shape = match action {
                    Action::Collect(shape) => shape,
                    _ => state.tile_at_cursor(),
                };
                let mut after = *state;
                self.apply(&mut after, action);
                let [was, is] = [state, &after].map(|state| self.held_resources(state, seat));
                for (colour, count) in self.colour_counts(state.tile(shape)) {
                    // The other pieces of new colours wait for the choice of a column.
                    let left = self.count_of_colour(after.tile(shape), colour);
                    let (index, moved) = (usize::from(colour.0), (count - left) as i32);
                    change(FlowSource::River, colour, moved);
                    change(FlowSource::Overflow, colour, is[index] - was[index] - moved);
                }
            }
            _ => {}
        }
    }
}
