//! The facts of actions.

use super::{
    super::{
        Glassworks,
        action::Action,
        components::{Colour, Columns, MAX_HELD, Piece, Shape},
        state::{EndStage, State},
    },
    Facts,
    context::{Context, Shapes},
    gains::Glass,
    groups::{
        COLLECT, COLOUR_CLASSES, COLUMN, DRAW, GAIN, MAX_HELD_OF_SHAPE, MAX_ON_TILE, MAX_STONES,
        OVERFLOW, PAIR, PASS, PLACE, PROGRESS, SHARE, push_count, standing,
    },
};
use crate::game::{Seat, facts::FactList};

impl Facts {
    /// Lists the facts of a legal action.
    pub(in super::super) fn list_action(
        &self,
        game: &Glassworks,
        state: &State,
        seat: Seat,
        action: Action,
        list: &mut FactList,
    ) {
        let groups = &self.action;
        let context = Context::new(game, state);
        let turns = context.turns(game, state, seat);
        let mover =
            Mover { game, state, seat, turns, glass: Glass::new(game, state.columns(seat)) };
        let mut push_kind =
            |kind| list.push_choice(groups.kind, kind * PROGRESS.len() + context.progress);
        match action {
            Action::Place(piece) => {
                push_kind(PLACE);
                let shape = game.piece(piece).shape;
                self.list_placement(&mover, &context, PLACE, [piece].iter(), shape, list);
            }
            Action::Pair(first, second, shape) => {
                push_kind(PAIR);
                self.list_placement(&mover, &context, PAIR, [first, second].iter(), shape, list);
            }
            Action::Draw(kept) => {
                push_kind(DRAW);
                self.list_draw(&mover, &context, Some(kept), list);
            }
            Action::DrawAll => {
                push_kind(DRAW);
                self.list_draw(&mover, &context, None, list);
            }
            Action::Pass => push_kind(PASS),
            Action::Collect(shape) => {
                push_kind(COLLECT);
                self.list_collect(&mover, &context, shape, list);
            }
            Action::Column(colour) => {
                push_kind(COLUMN);
                self.list_column(&mover, colour, list);
            }
            Action::Overflow(piece) => {
                push_kind(OVERFLOW);
                let shape = game.piece(piece).shape;
                let held = Shapes::new(game, state.satchel(seat)).count(shape);
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
        &self,
        mover: &Mover<'_>,
        context: &Context,
        kind: usize,
        placed: impl Iterator<Item = &'p Piece> + Clone,
        shape: Shape,
        list: &mut FactList,
    ) {
        let (groups, game, state) = (&self.action, mover.game, mover.state);
        let place = usize::from(context.places[shape.index()]);
        let [best, other] = mover.collects(place);
        self.push_gain(mover, kind, best.0, list);
        list.push_choice(groups.other_gain, GAIN.level(other.0));
        self.push_trigger(mover, context, best, list);

        let next = mover.next();
        let mut pieces = state.tile(shape);
        for &piece in placed.clone() {
            let values = game.piece(piece);
            pieces += values.one_on_tile;
            let own = mover.glass.colour_class(values.colour);
            let of_next = next.colour_class(values.colour);
            list.push_choice(groups.placed, own * COLOUR_CLASSES.len() + of_next);
        }
        list.push_choice(groups.gift, GAIN.level(next.gain(pieces).0));

        let satchel = state.satchel(mover.seat);
        let shapes = Shapes::new(game, satchel);
        let used = placed.clone().next().map_or(shape, |&piece| game.piece(piece).shape);
        let held = shapes.count(used);
        push_count(list, groups.same_shape, MAX_HELD_OF_SHAPE, kind, held as u32);
        let left = satchel.len() - placed.count();
        push_count(list, groups.left, MAX_HELD, mover.turns, left as u32);
        if kind == PAIR && shapes.reach(&context.places) >> best.2 & 1 == 1 {
            list.push(groups.avoidable);
        }
    }

    #[inline]
    fn list_collect(
        &self,
        mover: &Mover<'_>,
        context: &Context,
        shape: Shape,
        list: &mut FactList,
    ) {
        let (groups, game, state) = (&self.action, mover.game, mover.state);
        let pieces = state.tile(shape);
        let (gain, after) = mover.glass.gain(pieces);
        let place = usize::from(context.places[shape.index()]);
        self.push_gain(mover, COLLECT, gain, list);
        self.push_trigger(mover, context, (gain, after, place), list);
        let before = mover.glass.columns;
        let fitting = after.inventory() - before.inventory();
        push_count(list, groups.fitting, MAX_ON_TILE, context.progress, fitting);
        let spill = mover.glass.spill(after);
        push_count(list, groups.spill, MAX_ON_TILE, context.progress, spill);
        list.push_number(groups.opened, (after.len() - before.len()) as u32);
        list.push_choice(groups.denied, GAIN.level(mover.next().gain(pieces).0));
        // The collected tile gets the stones of the tile that is then next to the lake.
        let last = state.river.len() - 1;
        let deciding = state.river.get(if place == last { last - 1 } else { last });
        let stones = game.stones[deciding.index()].min(MAX_STONES);
        list.push_choice(groups.place, place * (MAX_STONES + 1) + stones);
    }

    #[inline]
    fn list_column(&self, mover: &Mover<'_>, colour: Colour, list: &mut FactList) {
        let (groups, game, state) = (&self.action, mover.game, mover.state);
        let mut after = mover.glass.columns;
        let pieces = state.tile(state.tile_at_cursor());
        let count = game.count_of_colour(pieces, colour);
        let column = after.len();
        game.add_new_colour(&mut after, colour, count);
        self.push_gain(mover, COLUMN, game.score(after).total() - mover.glass.points, list);
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
    fn list_draw(
        &self,
        mover: &Mover<'_>,
        context: &Context,
        kept: Option<Piece>,
        list: &mut FactList,
    ) {
        let (groups, game, state) = (&self.action, mover.game, mover.state);
        let (satchel, lake) = (state.satchel(mover.seat), state.lake());
        let held = Shapes::new(game, satchel);
        let mut in_lake = Shapes::new(game, lake);
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
        let surplus = (satchel.len() + drawn).saturating_sub(limit);
        list.push_choice(groups.surplus, mover.turns * 7 + surplus.min(6));
        list.push_number(groups.drawn_shapes, after.present().count_ones());
        list.push_number(groups.drawn_pairs, after.paired().count_ones());
    }

    #[inline]
    fn push_gain(&self, mover: &Mover<'_>, kind: usize, gain: i32, list: &mut FactList) {
        let option = kind * 2 + usize::from(mover.turns == 1);
        list.push_choice(self.action.gain, option * GAIN.levels() + GAIN.level(gain));
    }

    /// Lists the standing of the seat if this collect triggers the end.
    #[inline]
    fn push_trigger(
        &self,
        mover: &Mover<'_>,
        context: &Context,
        (gain, after, _): (i32, Columns, usize),
        list: &mut FactList,
    ) {
        let (game, state) = (mover.game, mover.state);
        if context.stage == EndStage::NotTriggered
            && after.inventory() >= game.data.glassworks.end_trigger.get()
        {
            let others = game.all_seats().filter(|&other| other != mover.seat);
            let best = others.map(|other| game.score(state.columns(other)).total()).max();
            let lead = mover.glass.points + gain - best.unwrap_or(0);
            list.push_choice(self.action.triggers, standing(lead));
        }
    }
}

/// The seat that decides.
struct Mover<'a> {
    game: &'a Glassworks,
    state: &'a State,
    seat: Seat,
    turns: usize,
    glass: Glass<'a>,
}

impl<'a> Mover<'a> {
    /// Returns the columns of the next seat.
    #[inline]
    fn next(&self) -> Glass<'a> {
        Glass::new(self.game, self.state.columns(self.seat.clockwise(1, self.game.players)))
    }

    /// Returns the gains, columns and places of the two neighbours of the tile at a place that can
    /// be collected, the higher gain first. If there is only one, it is returned twice.
    #[inline]
    fn collects(&self, place: usize) -> [(i32, Columns, usize); 2] {
        let river = self.state.river;
        let collect = |place: usize| {
            let (gain, after) = self.glass.gain(self.state.tile(river.get(place)));
            (gain, after, place)
        };
        if place == 0 {
            return [collect(1); 2];
        }
        let before = collect(place - 1);
        if place + 1 == river.len() {
            return [before; 2];
        }
        let after = collect(place + 1);
        if after.0 > before.0 { [after, before] } else { [before, after] }
    }
}
