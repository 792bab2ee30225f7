//! The facts of actions.

use std::cell::OnceCell;

use super::{
    super::{
        Glassworks,
        action::{Action, Actions},
        components::{Colour, Columns, MAX_HELD, MAX_SHAPES, Piece, Shape},
        state::{EndStage, State},
    },
    Facts, GROUPS,
    context::{Context, Shapes},
    gains::Glass,
    groups::{
        ActionGroups, COLLECT, COLOUR_CLASSES, COLUMN, DRAW, GAIN, MAX_HELD_OF_SHAPE, MAX_ON_TILE,
        MAX_STONES, OVERFLOW, PAIR, PASS, PLACE, PROGRESS, SHARE, push_count, standing,
    },
};
use watershed_engine::game::{ActionSet as _, Seat, facts::FactList};

impl Facts {
    /// Passes actions with their facts.
    pub(in super::super) fn list_actions(
        &self,
        game: &Glassworks,
        state: &State,
        seat: Seat,
        legal: &Actions,
        receive: &mut dyn FnMut(Action, &FactList),
    ) {
        let context = Context::new(game, state);
        let mover = Mover::new(game, state, seat, &context);
        let mut list = FactList::new();
        for action in legal.iter() {
            list.clear();
            self.list_action(&mover, &context, action, &mut list);
            receive(action, &list);
        }
    }

    #[inline]
    fn list_action(
        &self,
        mover: &Mover<'_>,
        context: &Context,
        action: Action,
        list: &mut FactList,
    ) {
        let (groups, game) = (mover.groups, mover.game);
        let mut push_kind =
            |kind| list.push_choice(groups.kind, kind * PROGRESS.len() + context.progress);
        match action {
            Action::Place(piece) => {
                push_kind(PLACE);
                let shape = game.piece(piece).shape;
                Self::list_placement(mover, context, PLACE, [piece].iter(), shape, list);
            }
            Action::Pair(first, second, shape) => {
                push_kind(PAIR);
                Self::list_placement(mover, context, PAIR, [first, second].iter(), shape, list);
            }
            Action::Draw(kept) => {
                push_kind(DRAW);
                Self::list_draw(mover, context, Some(kept), list);
            }
            Action::DrawAll => {
                push_kind(DRAW);
                Self::list_draw(mover, context, None, list);
            }
            Action::Pass => push_kind(PASS),
            Action::Collect(shape) => {
                push_kind(COLLECT);
                Self::list_collect(mover, context, shape, list);
            }
            Action::Column(colour) => {
                push_kind(COLUMN);
                self.list_column(mover, colour, list);
            }
            Action::Overflow(piece) => {
                push_kind(OVERFLOW);
                let shape = game.piece(piece).shape;
                let held = mover.shapes.count(shape);
                push_count(list, groups.same_shape, MAX_HELD_OF_SHAPE, OVERFLOW, held as u32);
                let place = context.places[shape.index()].into();
                let best = mover.collects(place)[0].0;
                list.push_choice(groups.dropped_gain, GAIN.level(best));
            }
            Action::FirstPlayer(_) | Action::Tile(_) | Action::Glass(_) => {}
        }
    }

    #[inline]
    fn list_placement<'p>(
        mover: &Mover<'_>,
        context: &Context,
        kind: usize,
        placed: impl Iterator<Item = &'p Piece> + Clone,
        shape: Shape,
        list: &mut FactList,
    ) {
        let (groups, game, state) = (mover.groups, mover.game, mover.state);
        let place = usize::from(context.places[shape.index()]);
        let [best, other] = mover.collects(place);
        mover.push_gain(kind, best.0, list);
        list.push_choice(groups.other_gain, GAIN.level(other.0));
        mover.push_trigger(context, best, list);

        let next = &mover.next;
        let mut pieces = state.tile(shape);
        for &piece in placed.clone() {
            let values = game.piece(piece);
            pieces += values.one_on_tile;
            let own = mover.glass.colour_class(values.colour);
            let of_next = next.colour_class(values.colour);
            list.push_choice(groups.placed, own * COLOUR_CLASSES.len() + of_next);
        }
        list.push_choice(groups.gift, GAIN.level(next.gain(pieces).0));

        let shapes = mover.shapes;
        let used = placed.clone().next().map_or(shape, |&piece| game.piece(piece).shape);
        let held = shapes.count(used);
        push_count(list, groups.same_shape, MAX_HELD_OF_SHAPE, kind, held as u32);
        let left = mover.held - placed.count();
        push_count(list, groups.left, MAX_HELD, mover.turns, left as u32);
        if kind == PAIR && mover.reach >> best.2 & 1 == 1 {
            list.push(groups.avoidable);
        }
    }

    #[inline]
    fn list_collect(mover: &Mover<'_>, context: &Context, shape: Shape, list: &mut FactList) {
        let (groups, game, state) = (mover.groups, mover.game, mover.state);
        let pieces = state.tile(shape);
        let place = usize::from(context.places[shape.index()]);
        let (gain, after) = mover.gain(place);
        mover.push_gain(COLLECT, gain, list);
        mover.push_trigger(context, (gain, after, place), list);
        let before = mover.glass.columns;
        let fitting = after.inventory() - before.inventory();
        push_count(list, groups.fitting, MAX_ON_TILE, context.progress, fitting);
        let spill = mover.glass.spill(after);
        push_count(list, groups.spill, MAX_ON_TILE, context.progress, spill);
        list.push_number(groups.opened, (after.len() - before.len()) as u32);
        list.push_choice(groups.denied, GAIN.level(mover.next.gain(pieces).0));
        // The collected tile gets the stones of the tile that is then next to the lake.
        let last = state.river.len() - 1;
        let deciding = state.river.get(if place == last { last - 1 } else { last });
        let stones = game.stones[deciding.index()].min(MAX_STONES);
        list.push_choice(groups.place, place * (MAX_STONES + 1) + stones);
    }

    #[inline]
    fn list_column(&self, mover: &Mover<'_>, colour: Colour, list: &mut FactList) {
        let (groups, game, state) = (mover.groups, mover.game, mover.state);
        let mut after = mover.glass.columns;
        let pieces = state.tile(state.tile_at_cursor());
        let count = game.count_of_colour(pieces, colour);
        let column = after.len();
        game.add_new_colour(&mut after, colour, count);
        mover.push_gain(COLUMN, game.score(after).total() - mover.glass.points, list);
        let bag = self.count_bag(state);
        let share = SHARE.level(bag.share_of(bag.counts[usize::from(colour.0)]));
        list.push_choice(groups.column_share, column * SHARE.levels() + share);
        push_count(list, groups.column_count, 4, column, count as u32);
        let elsewhere = state.river.iter().filter(|&shape| shape != state.tile_at_cursor());
        let elsewhere = elsewhere.map(|shape| game.count_of_colour(state.tile(shape), colour));
        list.push_number(groups.column_on_river, elsewhere.sum::<usize>() as u32);
        if after.len() == game.columns {
            let others = game.colour_counts(pieces).map(|(_, count)| count).sum::<usize>() - count;
            list.push_number(groups.column_spill, others as u32);
        }
    }

    #[inline]
    fn list_draw(mover: &Mover<'_>, context: &Context, kept: Option<Piece>, list: &mut FactList) {
        let (groups, game, state) = (mover.groups, mover.game, mover.state);
        let lake = state.lake();
        let held = mover.shapes;
        let mut in_lake = mover.in_lake();
        if let Some(kept) = kept {
            let shape = game.piece(kept).shape;
            let index = held.count(shape).min(MAX_HELD_OF_SHAPE) * (MAX_HELD_OF_SHAPE + 1)
                + in_lake.count(shape).min(MAX_HELD_OF_SHAPE);
            list.push_choice(groups.kept_shape, index);
            let place = context.places[shape.index()].into();
            list.push_choice(groups.kept_gain, GAIN.level(mover.collects(place)[0].0));
            in_lake.counts -= 1 << (4 * shape.0);
        }
        // No satchel has more than 15 pieces, so no count runs into the next one.
        let after = Shapes { counts: held.counts + in_lake.counts };
        let drawn = lake.len() - usize::from(kept.is_some());
        let limit = game.data.play.satchel_limit.get() as usize;
        let surplus = (mover.held + drawn).saturating_sub(limit);
        list.push_choice(groups.surplus, mover.turns * 7 + surplus.min(6));
        list.push_number(groups.drawn_shapes, after.present().count_ones());
        list.push_number(groups.drawn_pairs, after.paired().count_ones());
    }
}

/// The seat that decides. Values that only some actions need are computed once, when they are first
/// needed.
struct Mover<'a> {
    groups: &'a ActionGroups,
    game: &'a Glassworks,
    state: &'a State,
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
    fn new(game: &'a Glassworks, state: &'a State, seat: Seat, context: &Context) -> Self {
        let satchel = state.satchel(seat);
        let shapes = Shapes::new(game, satchel);
        Self {
            groups: &GROUPS.0.action,
            game,
            state,
            seat,
            turns: context.turns(game, state, seat),
            glass: Glass::new(game, state.columns(seat)),
            next: Glass::new(game, state.columns(seat.clockwise(1, game.players))),
            held: satchel.len(),
            shapes,
            reach: shapes.reach(&context.places),
            in_lake: OnceCell::new(),
            gains: [const { OnceCell::new() }; MAX_SHAPES],
            best_other: OnceCell::new(),
        }
    }

    /// Returns the shapes in the lake.
    #[inline]
    fn in_lake(&self) -> Shapes {
        *self.in_lake.get_or_init(|| Shapes::new(self.game, self.state.lake()))
    }

    /// Returns the highest score of another seat.
    #[inline]
    fn best_other(&self) -> i32 {
        *self.best_other.get_or_init(|| {
            let others = self.game.all_seats().filter(|&other| other != self.seat);
            let scores = others.map(|other| self.game.score(self.state.columns(other)).total());
            scores.max().unwrap_or(0)
        })
    }

    /// Returns the gain from the tile at a place, and the columns with it.
    #[inline]
    fn gain(&self, place: usize) -> (i32, Columns) {
        *self.gains[place].get_or_init(|| {
            let pieces = self.state.tile(self.state.river.get(place));
            self.glass.gain(pieces)
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
        if place + 1 == self.state.river.len() {
            return [before; 2];
        }
        let after = collect(place + 1);
        if after.0 > before.0 { [after, before] } else { [before, after] }
    }

    #[inline]
    fn push_gain(&self, kind: usize, gain: i32, list: &mut FactList) {
        let option = kind * 2 + usize::from(self.turns == 1);
        list.push_choice(self.groups.gain, option * GAIN.levels() + GAIN.level(gain));
    }

    /// Lists the standing of the seat if this collect triggers the end.
    #[inline]
    fn push_trigger(
        &self,
        context: &Context,
        (gain, after, _): (i32, Columns, usize),
        list: &mut FactList,
    ) {
        let game = self.game;
        if context.stage == EndStage::NotTriggered
            && after.inventory() >= game.data.glassworks.end_trigger.get()
        {
            let lead = self.glass.points + gain - self.best_other();
            list.push_choice(self.groups.triggers, standing(lead));
        }
    }
}
