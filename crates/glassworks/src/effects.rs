//! Consequences of actions of River Valley Glassworks in words.

use super::{
    Glassworks,
    action::Action,
    components::{Columns, Pieces, Shape},
    state::{EndStage, State},
};
use watershed_engine::{
    bits::ones,
    game::{ActionEffects, ActionSet as _, Game as _, Seat},
    games::labels::{count, player},
};

impl Glassworks {
    /// Returns the consequences of a legal action.
    pub(super) fn effects(&self, state: &State, action: Action) -> ActionEffects {
        let (mut effects, mut after) = (ActionEffects::default(), *state);
        self.apply(&mut after, action);
        let (seat, limit) = (state.decider, self.data.play.satchel_limit.get() as usize);
        match action {
            Action::Place(_) | Action::Pair(..) => self.add_placement(&mut effects, state, &after),
            Action::Collect(shape) => {
                effects.points(self.points_on(state, seat, shape), "its pieces");
                self.add_denial(&mut effects, state, shape, "takes");
            }
            Action::Column(colour) => {
                let columns = after.columns(seat);
                let scored = self.score(columns).total() - self.score(state.columns(seat)).total();
                effects.points(scored, "the new column");
                let name = |colour| self.names.colour(colour).replace('_', " ");
                let shapes = state.river().iter().filter(|&one| one != state.tile_at_cursor());
                let more = shapes.map(|one| self.count_of_colour(state.tile(one), colour));
                let (new, more) = (name(colour), more.sum::<usize>());
                if more > 0 {
                    effects
                        .gain(format!("opens a column for {new}, with {more} more on the river"));
                }
                let next = columns.column_of(colour).map_or(0, |column| column + 1);
                if next < columns.len() && self.column_points[next] > self.column_points[next - 1] {
                    let next = name(columns.colour(next));
                    effects.gain(format!("leaves the next column, which scores more, to {next}"));
                }
            }
            Action::Draw(_) | Action::DrawAll => {
                let [held, was] = [&after, state].map(|state| state.satchel(seat));
                let overflow = held.len().saturating_sub(limit) as i32;
                let penalty = overflow * self.data.glassworks.overflow_penalty.get() as i32;
                effects.points(-penalty, "overflow");
                self.add_satchel(&mut effects, state, was, held);
            }
            Action::Overflow(_) => {
                let held = after.satchel(seat);
                self.add_satchel(&mut effects, state, Pieces::default(), held);
            }
            _ => {}
        }
        let ends = after.columns(seat).inventory() >= self.data.glassworks.end_trigger.get();
        if ends && state.end_stage == EndStage::NotTriggered {
            effects.gain("makes the next round the last one");
        }
        effects
    }

    /// Returns the points that a seat would score by collecting a tile, with new colours in the
    /// best order.
    fn points_on(&self, state: &State, seat: Seat, shape: Shape) -> i32 {
        let columns = state.columns(seat);
        let (added, new) = self.add_to_columns(columns, state.tile(shape));
        self.best_score(added, new) - self.score(columns).total()
    }

    /// Returns the best score after pieces of new colours are added in any order.
    fn best_score(&self, columns: Columns, new: u64) -> i32 {
        let with = |(colour, count)| {
            let mut columns = columns;
            self.add_new_colour(&mut columns, colour, count);
            self.best_score(columns, new & !self.lane(colour).mask)
        };
        let best = self.colour_counts(new).map(with).max();
        best.unwrap_or_else(|| self.score(columns).total())
    }

    /// Adds the best tile that a placement allows to collect, and the pieces that it leaves.
    fn add_placement(&self, effects: &mut ActionEffects, state: &State, after: &State) {
        let seat = state.decider;
        let shapes = self
            .legal_actions(after)
            .iter()
            .filter_map(|action| match action {
                Action::Collect(shape) => Some((self.points_on(after, seat, shape), shape)),
                _ => None,
            })
            .collect::<Vec<_>>();
        if let Some(&(points, shape)) = shapes.iter().max() {
            let tile = self.shape_words(shape);
            if points > 0 {
                let points = count(points as u32, "point");
                effects.gain(format!("can score {points} with the pieces on the {tile}"));
            } else {
                effects.points(points, "overflow");
            }
            self.add_denial(effects, after, shape, "can take");
        }
        let placed_on = after.tile_at_cursor();
        let worth = |state, other| self.points_on(state, other, placed_on);
        let best = self.opponents(state).max_by_key(|&other| worth(after, other));
        if let Some(other) = best.filter(|&other| worth(after, other) > worth(state, other).max(0))
        {
            let (points, tile) = (worth(after, other), self.shape_words(placed_on));
            let points = count(points as u32, "point");
            effects.cost(format!("raises the {tile} to {points} for {}", player(other)));
        }
        let held = after.satchel(seat);
        if state.end_stage != EndStage::ExtraRound {
            if let Some(shape) = self.pairs(held).next() {
                let shape = self.shape_words(shape);
                effects.gain(format!("keeps two pieces of the {shape}, which go onto any tile"));
            }
            if held.is_empty() {
                effects.cost("leaves the satchel empty");
            }
        }
    }

    /// Adds the points that a tile would score for the opponent who can collect it and gains most.
    fn add_denial(&self, effects: &mut ActionEffects, state: &State, shape: Shape, verb: &str) {
        let reaches = |other: &Seat| self.reach(state, state.satchel(*other)) >> shape.0 & 1 == 1;
        let points = self.opponents(state).filter(reaches);
        let points = points.map(|other| (self.points_on(state, other, shape), other));
        if let Some((points @ 1.., other)) = points.max_by_key(|&(points, _)| points) {
            let (points, other) = (count(points as u32, "point"), player(other));
            let tile = self.shape_words(shape);
            effects.gain(format!("{verb} the {tile}, which would score {points} for {other}"));
        }
    }

    /// Returns the opponents that have another turn, clockwise.
    fn opponents(&self, state: &State) -> impl Iterator<Item = Seat> {
        let (seat, is_last) = (state.decider, state.end_stage == EndStage::ExtraRound);
        let position = |seat: Seat| seat.turn_position(state.first_player, self.players);
        let others = (1..self.players).map(move |steps| seat.clockwise(steps, self.players));
        others.filter(move |&other| !is_last || position(other) > position(seat))
    }

    /// Returns the shapes of which a satchel has two pieces.
    fn pairs(&self, satchel: Pieces) -> impl Iterator<Item = Shape> {
        let number = move |shape: usize| {
            satchel.iter().filter(|&piece| self.piece(piece).shape.index() == shape).count()
        };
        let shapes = (0..self.stones.len()).filter(move |&shape| number(shape) > 1);
        shapes.map(|shape| Shape(shape as u8))
    }

    /// Returns the tiles that a satchel allows to collect from the river as it lies.
    fn reach(&self, state: &State, satchel: Pieces) -> u32 {
        let index = |piece| state.river().index_of(self.piece(piece).shape);
        match self.pairs(satchel).next() {
            Some(_) => (1 << self.stones.len()) - 1,
            None => satchel.iter().fold(0, |set, one| set | state.river().neighbours(index(one))),
        }
    }

    /// Adds the best tile that new pieces of the satchel reach as the river lies now.
    fn add_satchel(&self, effects: &mut ActionEffects, state: &State, was: Pieces, held: Pieces) {
        if state.end_stage == EndStage::ExtraRound {
            return effects.cost("leaves the last turn without new points");
        }
        let best = |satchel| {
            let shapes = ones(self.reach(state, satchel).into()).map(|shape| Shape(shape as u8));
            shapes.map(|shape| (self.points_on(state, state.decider, shape), shape)).max()
        };
        if let Some((points @ 1.., shape)) = best(held).filter(|&found| Some(found) > best(was)) {
            let (points, shape) = (count(points as u32, "point"), self.shape_words(shape));
            effects.gain(format!("reaches {points} on the {shape} as the river lies now"));
        }
        if let Some(shape) = self.pairs(held).find(|&one| self.pairs(was).all(|had| had != one)) {
            let shape = self.shape_words(shape);
            effects.gain(format!("holds two pieces of the {shape}, which go onto any tile"));
        }
        let shapes = held.iter().fold(0_u32, |set, piece| set | 1 << self.piece(piece).shape.0);
        effects.gain(format!("holds pieces of {}", count(shapes.count_ones(), "shape")));
    }

    fn shape_words(&self, shape: Shape) -> String {
        self.names.shape(shape).replace('_', " ")
    }
}
