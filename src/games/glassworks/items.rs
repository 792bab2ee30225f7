//! What statistics count in River Valley Glassworks: colours, shapes, pairs, draws from the lake,
//! columns and how high they grow, and openings.

use super::{
    Glassworks,
    action::{Action, Actions, Color, Shape},
    state::{MAX_SHAPES, Phase, State},
};
use crate::{
    bits::ones,
    game::{ItemEvent, ItemId, ItemTable, ReportedSeats, Seat, Statistics},
};

/// Codes of opening steps: placements by the shape of the tile, pairs by their own shape and that
/// of the tile, and the two others.
const PLACE: u8 = 1;
const PAIR: u8 = PLACE + MAX_SHAPES as u8;
const DRAW: u8 = PAIR + (MAX_SHAPES * MAX_SHAPES) as u8;
const PASS: u8 = DRAW + 1;

impl Glassworks {
    fn colour_item(colour: Color) -> ItemId {
        ItemId(colour.0.into())
    }

    fn shape_item(&self, shape: Shape) -> ItemId {
        ItemId((self.all_colors().count() + usize::from(shape.0)) as u16)
    }

    fn pair_item(&self, shape: Shape) -> ItemId {
        ItemId(self.shape_item(shape).0 + self.shapes.len() as u16)
    }

    /// A draw by a seat that has this many pieces.
    fn draw_item(&self, satchel: usize) -> ItemId {
        let first = self.all_colors().count() + 2 * self.shapes.len();
        ItemId((first + satchel.min(self.most_held())) as u16)
    }

    /// A colour in a column, counted from 0.
    fn column_item(&self, column: usize, colour: Color) -> ItemId {
        let colours = self.all_colors().count();
        let first = self.draw_item(self.most_held()).0 + 1;
        ItemId(first + (column * colours) as u16 + u16::from(colour.0))
    }

    /// A column of this height at the end, the column counted from 0 and the height from 1.
    fn height_item(&self, column: usize, height: usize) -> ItemId {
        let first = usize::from(self.column_item(self.columns, Color(0)).0);
        ItemId((first + column * self.rows() + height - 1) as u16)
    }

    fn rows(&self) -> usize {
        self.data.glassworks.rows.get() as usize
    }

    /// The most pieces a satchel holds at the beginning of a turn.
    fn most_held(&self) -> usize {
        self.satchel_limit.max(self.satchel_start).max(self.bga_topup)
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
    fn tables(&self) -> Vec<ItemTable> {
        let colours: Vec<_> = self
            .data
            .colors(self.players)
            .map(|row| (row.id.as_str().to_owned(), row.total()))
            .collect();
        let shapes: Vec<_> = self
            .data
            .shape
            .iter()
            .map(|shape| (shape.id.as_str().to_owned(), vec![shape.stones.get().to_string()]))
            .collect();
        let columns = (1..=self.columns).flat_map(|column| {
            let colours = colours.iter();
            colours.map(move |(colour, pieces)| {
                (
                    format!("{column}_{colour}"),
                    vec![column.to_string(), colour.clone(), pieces.to_string()],
                )
            })
        });
        let heights = (1..=self.columns).flat_map(|column| {
            (1..=self.rows()).map(move |height| {
                (format!("{column}_{height}"), vec![column.to_string(), height.to_string()])
            })
        });
        let table = |name, singular, taken, properties, items| ItemTable {
            name,
            singular,
            taken_label: taken,
            properties,
            offered: false,
            reported_seats: ReportedSeats::TakersAndNonTakers,
            reservable: false,
            scoring: false,
            items,
        };
        // Columns are opened and grow by what a seat collects: at no time is a seat known to leave
        // one out.
        let columns_table = |name, singular, taken, properties, items| ItemTable {
            reported_seats: ReportedSeats::Takers,
            scoring: true,
            ..table(name, singular, taken, properties, items)
        };
        vec![
            // A seat collects many pieces of nearly every colour.
            ItemTable {
                offered: true,
                reported_seats: ReportedSeats::None,
                scoring: true,
                ..table(
                    "colours",
                    "colour",
                    "collected",
                    &["pieces"],
                    colours
                        .iter()
                        .map(|(colour, pieces)| (colour.clone(), vec![pieces.to_string()]))
                        .collect(),
                )
            },
            ItemTable {
                offered: true,
                ..table("shapes", "shape", "placed", &["stones"], shapes.clone())
            },
            table("pairs", "pair", "placed", &["stones"], shapes),
            table(
                "lake_draws",
                "satchel",
                "drawn",
                &["pieces"],
                (0..=self.most_held())
                    .map(|pieces| (format!("satchel_{pieces}"), vec![pieces.to_string()]))
                    .collect(),
            ),
            columns_table(
                "columns",
                "column",
                "opened",
                &["column_number", "colour", "pieces"],
                columns.collect(),
            ),
            columns_table(
                "heights",
                "height",
                "built",
                &["column_number", "column_height"],
                heights.collect(),
            ),
        ]
    }

    fn action_events(&self, state: &State, action: Action, mut emit: impl FnMut(ItemEvent)) {
        let seat = state.decider();
        match action {
            Action::Glass(piece) => {
                let rules = self.piece_rules(piece);
                if matches!(state.phase(), Phase::TileGlass | Phase::RefillTile) {
                    emit(ItemEvent::Offered(Self::colour_item(rules.colour)));
                } else {
                    emit(ItemEvent::Offered(self.shape_item(rules.shape)));
                }
            }
            // On the tile its colour can be collected by anyone.
            Action::Place(piece) => {
                emit(ItemEvent::Taken(seat, self.shape_item(self.piece_rules(piece).shape)));
                emit(ItemEvent::Offered(Self::colour_item(self.piece_rules(piece).colour)));
            }
            Action::Pair(first, second, _) => {
                emit(ItemEvent::Taken(seat, self.pair_item(self.piece_rules(first).shape)));
                for piece in [first, second] {
                    emit(ItemEvent::Offered(Self::colour_item(self.piece_rules(piece).colour)));
                }
            }
            Action::Draw(_) | Action::DrawAll => {
                emit(ItemEvent::Taken(seat, self.draw_item(state.satchel(seat).len())))
            }
            Action::Collect(shape) => {
                let pieces = state.tile(shape);
                for (colour, count) in self.color_counts(pieces) {
                    (0..count)
                        .for_each(|_| emit(ItemEvent::Taken(seat, Self::colour_item(colour))));
                }
                let (_, new) = self.add_to_columns(state.columns(seat), pieces);
                self.opened(state, seat, None, new)
                    .for_each(|item| emit(ItemEvent::Taken(seat, item)));
            }
            Action::Column(colour) => {
                let pieces = state.tile(state.river().get(state.cursor()));
                self.opened(state, seat, Some(colour), pieces)
                    .for_each(|item| emit(ItemEvent::Taken(seat, item)));
            }
            Action::Pass | Action::Overflow(_) | Action::FirstPlayer(_) | Action::Tile(_) => {}
        }
    }

    fn available_items(&self, seat: Seat, legal: &Actions, mut emit: impl FnMut(ItemEvent)) {
        let shapes_of = |pieces: &mut dyn Iterator<Item = super::Piece>| {
            pieces.fold(0_u64, |shapes, piece| shapes | 1 << self.piece_rules(piece).shape.0)
        };
        for shape in ones(shapes_of(&mut legal.placeable_pieces())) {
            emit(ItemEvent::Available(seat, self.shape_item(Shape(shape as u8))));
        }
        for shape in ones(shapes_of(&mut legal.first_pieces_of_pairs())) {
            emit(ItemEvent::Available(seat, self.pair_item(Shape(shape as u8))));
        }
        if legal.can_draw() {
            emit(ItemEvent::Available(seat, self.draw_item(legal.satchel().len())));
        }
        for colour in legal.reachable_colors() {
            emit(ItemEvent::Available(seat, Self::colour_item(colour)));
        }
    }

    fn taken_by(&self, legal: &Actions, action: Action, mut emit: impl FnMut(ItemId)) {
        match action {
            Action::Place(piece) => emit(self.shape_item(self.piece_rules(piece).shape)),
            Action::Pair(piece, ..) => emit(self.pair_item(self.piece_rules(piece).shape)),
            Action::Draw(_) | Action::DrawAll => emit(self.draw_item(legal.satchel().len())),
            _ => {}
        }
    }

    fn final_events(&self, state: &State, mut emit: impl FnMut(ItemEvent)) {
        for seat in self.all_seats() {
            let columns = state.columns(seat);
            let scoring = self.scoring_columns(columns);
            for column in 0..columns.len() {
                let points = if scoring >> column & 1 == 1 {
                    self.single_column_points(columns, column)
                } else {
                    0
                };
                emit(ItemEvent::Scored(seat, Self::colour_item(columns.color(column)), points));
                emit(ItemEvent::Scored(
                    seat,
                    self.column_item(column, columns.color(column)),
                    points,
                ));
                let height = self.height_item(column, columns.height(column));
                emit(ItemEvent::Taken(seat, height));
                emit(ItemEvent::Scored(seat, height, points));
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
