//! Random games of River Valley Glassworks, followed by the reference model.

use std::rc::Rc;

use watershed_engine::game::{Game, ItemId, Notation, Seat, Statistics};
use watershed_glassworks::{
    Glassworks,
    action::Action,
    components::{Piece, Pieces},
    state::State,
};

use super::{
    reference::{After, GlassworksModel, ModelData, Place, Step},
    variants,
};
use crate::rules::conformance::{
    Decider, ModelOutcome, ReferenceGame, Situations, assert_same, compare_rare_situations,
    highest_totals, model_methods, play_and_compare, reference_tests,
};

const SITUATIONS: &str = "\
    turn with an empty bag, bag empty in setup, bag empty in a refill of the lake, bag empty in a \
    refill of a tile, bag empty in a top-up, pass, pass with a satchel to fill, draw:all, draw \
    with a piece left behind, draw with pieces in the satchel, draw closed by the end, pair of \
    equal pieces, pair onto its own tile, collect from a tile without pieces, a piece on a full \
    column, a choice of columns, a second choice of columns, new colours without a column after \
    choices, a choice of what overflows, overflow of an old piece, overflow of the same piece \
    again, overflow of the last pieces in order, top-up, top-up of the seat that triggered, \
    trigger by the last seat of a round, end by an extra round, end by passing, end by the round \
    limit, end by the round limit in the round of the trigger, extra round as the last allowed, \
    shared win";

reference_tests!(NamedModel, 4, 12, 12, &[]);

/// The reference model with names for the comparison.
struct NamedModel {
    model: GlassworksModel,
    /// Names of the pieces, by number.
    pieces: Vec<String>,
    colours: Vec<String>,
    /// Columns of the seat of the last event, before that event.
    columns_before: usize,
    /// The seat of the last event.
    seat: usize,
}

impl ReferenceGame for NamedModel {
    type Game = Glassworks;
    type Data = ModelData;
    const SITUATIONS: &'static str = SITUATIONS;

    model_methods!(self, self.model, ModelData);

    fn begin(game: &Glassworks, data: &Rc<ModelData>) -> Self {
        let name = |piece: Piece| game.action_text(Action::Glass(piece)).replace("glass:", "");
        let colours = game.data().colours(game.seats());
        Self {
            model: GlassworksModel::new(data, game.seats()),
            pieces: std::iter::once("-".to_owned()).chain(game.all_pieces().map(name)).collect(),
            colours: colours.map(|colour| colour.id.as_str().to_owned()).collect(),
            columns_before: 0,
            seat: 0,
        }
    }

    fn apply(&mut self, event: &str) {
        self.seat = self.model.seat;
        self.columns_before = self.model.seats[self.seat].columns.len();
        self.model.apply(event);
    }

    fn outcome(&self) -> ModelOutcome {
        let seats = 0..self.model.seats.len();
        let breakdowns: Vec<_> = seats.map(|seat| self.model.breakdown(seat)).collect();
        ModelOutcome {
            winners: highest_totals(&breakdowns),
            breakdowns,
            rounds: self.model.round,
            hit_round_limit: self.model.capped,
        }
    }

    /// The model has the place of every piece, so that none can disappear.
    fn compare_position(&self, game: &Glassworks, state: &State, context: &dyn Fn() -> String) {
        let (model, data) = (&self.model, &self.model.data);
        assert_same!(
            (state.round() as usize, state.first_player().index()),
            (model.round, model.first),
            context
        );
        assert_same!(self.piece_names(state.lake()), sorted(&model.lake), context);
        for piece in game.all_pieces() {
            let name = &self.pieces[usize::from(piece.0)];
            assert_eq!(game.in_bag(state, piece) as usize, model.bag[name], "{name} {}", context());
        }
        let river: Vec<_> =
            state.river().iter().map(|shape| data.shapes[usize::from(shape.0)].0.clone()).collect();
        assert_same!(
            river,
            model.river.iter().map(|(shape, _)| shape.clone()).collect::<Vec<_>>(),
            context
        );
        for (shape, (_, pieces)) in state.river().iter().zip(&model.river) {
            let mut colours: Vec<_> = pieces.iter().map(|piece| model.colour(piece)).collect();
            colours.sort();
            let counts = game.tile_colours(state, shape);
            let mut found: Vec<_> = counts
                .flat_map(|(colour, count)| {
                    std::iter::repeat_n(self.colours[usize::from(colour.0)].clone(), count)
                })
                .collect();
            found.sort();
            assert_same!(found, colours, context);
        }
        for (index, own) in model.seats.iter().enumerate() {
            let seat = Seat::new(index);
            assert_same!(self.piece_names(state.satchel(seat)), sorted(&own.satchel), context);
            let columns = state.columns(seat);
            let found: Vec<_> = (0..columns.len())
                .map(|column| {
                    (
                        self.colours[usize::from(columns.colour(column).0)].clone(),
                        columns.height(column),
                    )
                })
                .collect();
            let expected: Vec<_> =
                own.columns.iter().map(|(colour, pieces)| (colour.clone(), pieces.len())).collect();
            assert_same!(found, expected, context);
            let numbers = [columns.overflow() as usize, columns.inventory() as usize];
            assert_same!(numbers, [own.overflow.len(), own.inventory()], context);
        }
        let mut somewhere = model.bag.clone();
        let on_tiles = model.river.iter().flat_map(|(_, pieces)| pieces);
        let in_seats = model.seats.iter().flat_map(|seat| {
            seat.satchel
                .iter()
                .chain(&seat.overflow)
                .chain(seat.columns.iter().flat_map(|(_, pieces)| pieces))
        });
        for piece in on_tiles.chain(in_seats).chain(&model.lake) {
            *somewhere.get_mut(piece).unwrap() += 1;
        }
        assert_same!(somewhere, model.counts, context);
    }

    /// Compares the columns that the last event opened.
    fn compare_taken(&self, game: &Glassworks, taken: &[ItemId], context: &dyn Fn() -> String) {
        let catalog = game.catalog();
        let taken = taken.iter().filter(|item| catalog.table(**item).name == "columns");
        let taken: Vec<_> = taken.map(|item| catalog.item(*item).name.clone()).collect();
        let columns = &self.model.seats[self.seat].columns;
        let opened = columns.iter().enumerate().skip(self.columns_before);
        let opened = opened.map(|(index, (colour, _))| format!("{}_{colour}", index + 1));
        assert_same!(taken, opened.collect::<Vec<_>>(), context);
    }

    fn note_event(&self, event: &str, situations: &mut Situations) {
        let model = &self.model;
        let data = &model.data;
        let mut note = |situation, holds| situations.note(situation, holds);
        let own = &model.seats[model.seat];
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        match &model.step {
            Step::Glass(after) => note_draw(model, *after, &mut note),
            Step::Turn => {
                note("turn with an empty bag", model.in_bag() == 0);
                note("pass", verb == "pass");
                note(
                    "pass with a satchel to fill",
                    verb == "pass" && model.draws_closed() && !model.lake.is_empty(),
                );
                note("draw:all", event == "draw:all");
                note("draw with a piece left behind", verb == "draw" && object != "all");
                note("draw with pieces in the satchel", verb == "draw" && !own.satchel.is_empty());
                note("draw closed by the end", model.draws_closed() && !model.lake.is_empty());
                if let Some((pieces, shape)) = object.split_once('@') {
                    let (first, second) = pieces.split_once('+').unwrap();
                    note("pair of equal pieces", first == second);
                    note("pair onto its own tile", model.shape(first) == shape);
                }
            }
            Step::Collect(_) => {
                let pieces = &model.river[model.index_of(object)].1;
                note("collect from a tile without pieces", pieces.is_empty());
                let full = |piece: &String| {
                    let column =
                        own.columns.iter().find(|(colour, _)| *colour == model.colour(piece));
                    column.is_some_and(|(_, pieces)| pieces.len() == data.glassworks("rows"))
                };
                note("a piece on a full column", pieces.iter().any(full));
            }
            Step::Column(shape) => {
                let left = model.legal().len() - 1;
                let free = data.glassworks("columns") - own.columns.len() - 1;
                note("a choice of columns", true);
                note("a second choice of columns", left >= 2 && free >= 1);
                note("new colours without a column after choices", left >= 1 && free == 0);
                assert!(model.index_of(shape) < model.river.len());
            }
            Step::Overflow(last) => note_overflow(model, last.as_deref(), object, &mut note),
            _ => {}
        }
    }

    fn note_end(&self, situations: &mut Situations) {
        let model = &self.model;
        let data = &model.data;
        let mut note = |situation, holds| situations.note(situation, holds);
        let last = data.play("max_rounds") == model.round;
        let extra = model.triggered_in.is_some_and(|round| round < model.round);
        note(
            "trigger by the last seat of a round",
            extra && model.triggered_by == Some((model.first + model.players - 1) % model.players),
        );
        note("end by an extra round", extra);
        note("end by passing", !extra && !model.capped);
        note("end by the round limit", model.capped);
        note(
            "end by the round limit in the round of the trigger",
            model.capped && model.triggered_in.is_some(),
        );
        note("extra round as the last allowed", extra && last);
        let scores = model.scores();
        note(
            "shared win",
            scores.iter().filter(|score| Some(*score) == scores.iter().max()).count() > 1,
        );
    }
}

/// Notes a piece that is drawn from the bag.
fn note_draw(model: &GlassworksModel, after: After, note: &mut impl FnMut(&'static str, bool)) {
    let runs_out = model.in_bag() == 1 && model.due.len() > 1;
    let place = &model.due[0];
    note("bag empty in setup", runs_out && after == After::Setup);
    note(
        "bag empty in a refill of the lake",
        runs_out && after == After::Refill && *place == Place::Lake,
    );
    note(
        "bag empty in a refill of a tile",
        runs_out && matches!((after, place), (After::Refill, Place::Tile(_))),
    );
    note("bag empty in a top-up", runs_out && after == After::TopUp);
    note("top-up", after == After::TopUp);
    note(
        "top-up of the seat that triggered",
        after == After::TopUp && *place == Place::Satchel(model.seat),
    );
}

/// Notes a piece that overflows; `last` is the one before it in this turn.
fn note_overflow(
    model: &GlassworksModel,
    last: Option<&str>,
    object: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let own = &model.seats[model.seat];
    let legal = model.legal();
    note("a choice of what overflows", legal.len() > 1);
    note("overflow of the same piece again", last == Some(object));
    let mut later: Vec<_> =
        own.satchel.iter().filter(|piece| last.is_none_or(|last| piece.as_str() >= last)).collect();
    later.dedup();
    note("overflow of the last pieces in order", legal.len() < later.len());
    note(
        "overflow of an old piece",
        own.satchel.iter().position(|piece| piece == object) == Some(0),
    );
}

impl NamedModel {
    fn piece_names(&self, pieces: Pieces) -> Vec<String> {
        pieces.iter().map(|piece| self.pieces[usize::from(piece.0)].clone()).collect()
    }
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}
