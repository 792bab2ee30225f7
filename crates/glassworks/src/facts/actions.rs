//! The facts of actions.

use std::cell::OnceCell;

use super::{
    super::{
        Glassworks,
        action::Action,
        components::{Colour, Columns, MAX_SHAPES, Piece, Shape},
        state::{EndStage, State},
    },
    Facts,
    context::{Context, Shapes},
    gains::Glass,
    groups::{ActionGroups, standing},
};
use watershed_engine::game::{Seat, facts::FactList};

// The kinds of action in the order of the notation.
const PLACE: usize = 0;
const PAIR: usize = 1;
const DRAW: usize = 2;
const PASS: usize = 3;
const COLLECT: usize = 4;
const COLUMN: usize = 5;
const OVERFLOW: usize = 6;

impl Facts {
    /// Returns a function that lists the facts of an action.
    pub(in super::super) fn action_lister<'a>(
        &'a self,
        game: &'a Glassworks,
        state: &'a State,
        seat: Seat,
    ) -> impl FnMut(Action, &mut FactList) {
        let mover = Mover::new(self, Context::new(game, state), seat);
        move |action, list| mover.list(action, list)
    }
}

impl Mover<'_> {
    #[inline]
    fn list(&self, action: Action, list: &mut FactList) {
        let (groups, game) = (self.groups, self.context.game);
        let mut push_kind = |kind: usize| groups.kind(list, kind, self.context.progress);
        match action {
            Action::Place(piece) => {
                push_kind(PLACE);
                self.list_placement(PLACE, &[piece], game.piece(piece).shape, list);
            }
            Action::Pair(first, second, shape) => {
                push_kind(PAIR);
                self.list_placement(PAIR, &[first, second], shape, list);
            }
            Action::Draw(kept) => {
                push_kind(DRAW);
                self.list_draw(Some(kept), list);
            }
            Action::DrawAll => {
                push_kind(DRAW);
                self.list_draw(None, list);
            }
            Action::Pass => push_kind(PASS),
            Action::Collect(shape) => {
                push_kind(COLLECT);
                self.list_collect(shape, list);
            }
            Action::Column(colour) => {
                push_kind(COLUMN);
                self.list_column(colour, list);
            }
            Action::Overflow(piece) => {
                push_kind(OVERFLOW);
                let shape = game.piece(piece).shape;
                groups.same_shape(list, OVERFLOW, self.shapes.count(shape));
                let place = self.context.places[shape.index()].into();
                groups.dropped_gain(list, self.collects(place)[0].0);
            }
            Action::FirstPlayer(_) | Action::Tile(_) | Action::Glass(_) => {}
        }
    }

    #[inline]
    fn list_placement(&self, kind: usize, placed: &[Piece], shape: Shape, list: &mut FactList) {
        let Self { groups, context: Context { game, state, .. }, .. } = *self;
        let place = usize::from(self.context.places[shape.index()]);
        let [best, other] = self.collects(place);
        self.push_gain(kind, best.0, list);
        groups.other_gain(list, other.0);
        self.push_trigger(best, list);

        let next = &self.next;
        let mut pieces = state.tile(shape);
        for &piece in placed {
            let values = game.piece(piece);
            pieces += values.one_on_tile;
            let own = self.glass.colour_class(values.colour);
            groups.placed(list, own, next.colour_class(values.colour), values.colour.0);
        }
        groups.gift(list, next.gain(pieces).0);

        groups.same_shape(list, kind, self.shapes.count(game.piece(placed[0]).shape));
        groups.left(list, self.turns, self.held - placed.len());
        if kind == PAIR && self.reach >> best.2 & 1 == 1 {
            groups.avoidable(list);
        }
    }

    #[inline]
    fn list_collect(&self, shape: Shape, list: &mut FactList) {
        let Self { groups, context: Context { game, state, .. }, .. } = *self;
        let pieces = state.tile(shape);
        let place = usize::from(self.context.places[shape.index()]);
        let (gain, after) = self.gain(place);
        self.push_gain(COLLECT, gain, list);
        self.push_trigger((gain, after, place), list);
        let before = self.glass.columns;
        groups.fitting(list, self.context.progress, after.inventory() - before.inventory());
        groups.spill(list, self.context.progress, self.glass.spill(after));
        groups.opened(list, after.len() - before.len());
        groups.denied(list, self.next.gain(pieces).0);
        // The collected tile gets the stones of the tile that is then next to the lake.
        let last = state.river.len() - 1;
        let deciding = state.river.get(if place == last { last - 1 } else { last });
        groups.place(list, place + 1, game.stones[deciding.index()]);
    }

    #[inline]
    fn list_column(&self, colour: Colour, list: &mut FactList) {
        let Self { groups, context: Context { game, state, .. }, .. } = *self;
        let mut after = self.glass.columns;
        let pieces = state.tile(state.tile_at_cursor());
        let count = game.count_of_colour(pieces, colour);
        let column = after.len() + 1;
        game.add_new_colour(&mut after, colour, count);
        self.push_gain(COLUMN, game.score(after).total() - self.glass.points, list);
        let bag = self.facts.count_bag(state);
        groups.column_share(list, column, bag.share_of(bag.counts[usize::from(colour.0)]));
        groups.column_count(list, column, colour.0, count);
        let elsewhere = state.river.iter().filter(|&shape| shape != state.tile_at_cursor());
        let elsewhere = elsewhere.map(|shape| game.count_of_colour(state.tile(shape), colour));
        groups.column_on_river(list, elsewhere.sum::<usize>());
        if after.len() == game.columns {
            let others = game.colour_counts(pieces).map(|(_, count)| count).sum::<usize>() - count;
            groups.column_spill(list, others);
        }
    }

    #[inline]
    fn list_draw(&self, kept: Option<Piece>, list: &mut FactList) {
        let Self { groups, context: Context { game, state, .. }, .. } = *self;
        let lake = state.lake();
        let held = self.shapes;
        let mut in_lake = self.in_lake();
        if let Some(kept) = kept {
            let shape = game.piece(kept).shape;
            groups.kept_shape(list, held.count(shape), in_lake.count(shape));
            let place = self.context.places[shape.index()].into();
            groups.kept_gain(list, self.collects(place)[0].0);
            in_lake.counts -= 1 << (4 * shape.0);
        }
        // No satchel has more than 15 pieces, so no count runs into the next one.
        let after = Shapes { counts: held.counts + in_lake.counts };
        let drawn = lake.len() - usize::from(kept.is_some());
        let limit = game.data.play.satchel_limit.get() as usize;
        groups.surplus(list, self.turns, (self.held + drawn).saturating_sub(limit));
        groups.drawn_shapes(list, after.present().count_ones());
        groups.drawn_pairs(list, after.paired().count_ones());
    }
}

/// The seat that decides. Values that only some actions need are computed once, when they are first
/// needed.
struct Mover<'a> {
    facts: &'a Facts,
    groups: &'a ActionGroups,
    context: Context<'a>,
    seat: Seat,
    turns: usize,
    glass: Glass<'a>,
    /// The columns of the next seat.
    next: Glass<'a>,
    /// The number of pieces in the satchel.
    held: usize,
    /// The shapes in the satchel.
    shapes: Shapes,
    /// The places of the tiles that one piece reaches.
    reach: u32,
    in_lake: OnceCell<Shapes>,
    /// The gain from the tile at each place, and the columns with it.
    gains: [OnceCell<(i32, Columns)>; MAX_SHAPES],
    best_other: OnceCell<i32>,
}

impl<'a> Mover<'a> {
    fn new(facts: &'a Facts, context: Context<'a>, seat: Seat) -> Self {
        let Context { game, state, .. } = context;
        let satchel = state.satchel(seat);
        let shapes = Shapes::new(game, satchel);
        Self {
            facts,
            groups: &context.groups.action,
            seat,
            turns: context.turns(seat),
            glass: Glass::new(game, state.columns(seat)),
            next: Glass::new(game, state.columns(seat.clockwise(1, game.players))),
            held: satchel.len(),
            shapes,
            reach: shapes.reach(&context.places),
            in_lake: OnceCell::new(),
            gains: [const { OnceCell::new() }; MAX_SHAPES],
            best_other: OnceCell::new(),
            context,
        }
    }

    /// Returns the shapes in the lake.
    #[inline]
    fn in_lake(&self) -> Shapes {
        *self.in_lake.get_or_init(|| Shapes::new(self.context.game, self.context.state.lake()))
    }

    /// Returns the highest score of another seat, less the points of this seat at the start.
    #[inline]
    fn best_other(&self) -> i32 {
        *self.best_other.get_or_init(|| {
            let Context { game, state, .. } = self.context;
            let others = game.all_seats().filter(|&other| other != self.seat);
            let scores = others.map(|other| {
                game.score(state.columns(other)).total() + game.start_points(state, other)
            });
            scores.max().unwrap_or(0) - game.start_points(state, self.seat)
        })
    }

    /// Returns the gain from the tile at a place, and the columns with it.
    #[inline]
    fn gain(&self, place: usize) -> (i32, Columns) {
        *self.gains[place].get_or_init(|| {
            let state = self.context.state;
            self.glass.gain(state.tile(state.river.get(place)))
        })
    }

    /// Returns the gains, columns and places of the two neighbours of the tile at a place that can
    /// be collected, the higher gain first. If there is only one, it is returned twice.
    #[inline]
    fn collects(&self, place: usize) -> [(i32, Columns, usize); 2] {
        let collect = |place: usize| {
            let (gain, after) = self.gain(place);
            (gain, after, place)
        };
        if place == 0 {
            return [collect(1); 2];
        }
        let before = collect(place - 1);
        if place + 1 == self.context.state.river.len() {
            return [before; 2];
        }
        let after = collect(place + 1);
        if after.0 > before.0 { [after, before] } else { [before, after] }
    }

    #[inline]
    fn push_gain(&self, kind: usize, gain: i32, list: &mut FactList) {
        self.groups.gain(list, kind, self.turns == 1, gain);
    }

    /// Lists the standing of the seat if this collect triggers the end.
    #[inline]
    fn push_trigger(&self, (gain, after, _): (i32, Columns, usize), list: &mut FactList) {
        if self.context.stage == EndStage::NotTriggered
            && after.inventory() >= self.context.game.data.glassworks.end_trigger.get()
        {
            let lead = self.glass.points + gain - self.best_other();
            self.groups.triggers(list, standing(lead));
        }
    }
}
