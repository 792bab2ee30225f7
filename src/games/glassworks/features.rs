//! The features of positions of River Valley Glassworks, from the point of view of one seat.
//!
//! A placement is followed by a collect, and a collect can be followed by choices of columns. So
//! that positions in the middle of a turn can be compared with those after it, features assume the
//! best choices that the seat still has in this turn.

use super::{
    Glassworks,
    action::{Action, Actions},
    components::{Columns, MAX_COLUMNS, Shape},
    facts,
    state::{EndStage, Phase, State},
};
use crate::{
    bits::ones,
    game::{
        FeatureVector, Features, MAX_FEATURES, Seat,
        facts::{FactList, FactTable, PositionFacts},
    },
};

/// The names of the features.
const NAMES: [&str; 26] = [
    "row_points",
    "column_points",
    "overflow",
    "inventory",
    "columns_open",
    "columns_full",
    "row_potential",
    "column_potential",
    "right_height",
    "tallest",
    "second_tallest",
    "growing_share",
    "new_share",
    "lost_share",
    "satchel",
    "satchel_empty",
    "satchel_shapes",
    "satchel_pairs",
    "best_tile",
    "tiles_in_reach",
    "best_tile_of_next",
    "progress",
    "end_near",
    "turns_left",
    "lead",
    "lead_at_end",
];

impl Features for Glassworks {
    fn feature_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// Returns the features of a position for a seat. Potentials and shares pay off only in later
    /// turns, so they are multiplied by the share of the game that is left.
    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        let (columns, collected) = columns_after_turn(self, state, seat);
        let score = self.score(columns);
        let satchel = Satchel::new(self, state, seat);
        let turns_left = turns_left_after(self, state, seat);
        let inventory = |other: Seat| {
            if other == seat { columns.inventory() } else { state.columns(other).inventory() }
        };
        let end_near = end_near(self, state, self.all_seats().map(inventory).max().unwrap_or(0));
        let left = if turns_left == 0.0 { 0.0 } else { 1.0 - end_near };
        let heights = descending_heights(self, columns);
        let [growing, new, lost] = bag_shares(self, state, columns).map(|share| share * left);
        let (best_tile, tiles_in_reach) = if turns_left == 0.0 {
            (0, 0)
        } else {
            gains_in_reach(self, state, columns, &satchel, collected)
        };
        let next = seat.clockwise(1, self.players);
        let best_of_next =
            if state.phase != Phase::Over && turns_left_after(self, state, next) > 0.0 {
                let satchel = Satchel::new(self, state, next);
                gains_in_reach(self, state, state.columns(next), &satchel, collected).0
            } else {
                0
            };
        let best_other = self
            .all_seats()
            .filter(|&other| other != seat)
            .map(|other| self.score(state.columns(other)).total())
            .max();
        let surplus =
            if turns_left > 0.0 || state.phase == Phase::Overflow { satchel.surplus } else { 0 };
        let penalty = surplus * self.data.glassworks.overflow_penalty.get() as usize;
        let lead = score.total() - penalty as i32 - best_other.unwrap_or(0);

        let values = [
            f64::from(score.rows),
            f64::from(score.columns),
            f64::from(columns.overflow() + surplus as u32),
            f64::from(columns.inventory()),
            columns.len() as f64,
            heights.iter().filter(|&&height| height == self.rows).count() as f64,
            row_potential(self, columns) * left,
            column_potential(self, columns, score.columns) * left,
            (0..self.columns).map(|column| (column * columns.height(column)) as f64).sum::<f64>()
                / self.columns as f64,
            heights[0] as f64,
            heights[1] as f64,
            growing,
            new,
            lost,
            satchel.pieces as f64 * left,
            f64::from(u8::from(satchel.pieces == 0)) * left,
            f64::from(satchel.shapes.count_ones()) * left,
            f64::from(satchel.pairs.count_ones()) * left,
            f64::from(best_tile),
            f64::from(tiles_in_reach) * left,
            f64::from(best_of_next),
            share_of_trigger(self, columns.inventory()),
            end_near,
            turns_left,
            f64::from(lead),
            if state.end_stage == EndStage::NotTriggered { 0.0 } else { f64::from(lead) },
        ];
        let mut features = [0.0; MAX_FEATURES];
        features[..values.len()].copy_from_slice(&values);
        features
    }

    /// Returns the progress of the game by the largest inventory.
    fn progress(&self, state: &State) -> f64 {
        let inventories = self.all_seats().map(|seat| state.columns(seat).inventory());
        end_near(self, state, inventories.max().unwrap_or(0))
    }

    fn fact_table(&self) -> FactTable {
        facts::table()
    }

    fn position_facts(&self, state: &State, facts: &mut PositionFacts) {
        self.facts.list_position(self, state, facts);
    }

    fn action_facts(
        &self,
        state: &State,
        seat: Seat,
        legal: &Actions,
        receive: &mut dyn FnMut(Action, &FactList),
    ) {
        self.facts.list_actions(self, state, seat, legal, receive);
    }
}

/// The satchel of a seat at the beginning of its next turn.
struct Satchel {
    /// The number of pieces without those that must go to the overflow.
    pieces: usize,
    /// The number of pieces that must go to the overflow.
    surplus: usize,
    /// The shapes with at least one piece, bit s for shape s.
    shapes: u32,
    /// The shapes with at least two pieces, bit s for shape s.
    pairs: u32,
}

impl Satchel {
    fn new(game: &Glassworks, state: &State, seat: Seat) -> Self {
        let satchel = state.satchel(seat);
        let (mut shapes, mut pairs) = (0, 0);
        for piece in satchel.iter() {
            let shape = 1 << game.piece(piece).shape.0;
            pairs |= shapes & shape;
            shapes |= shape;
        }
        let overflows = state.phase == Phase::Overflow && state.decider == seat;
        let limit = game.data.play.satchel_limit.get() as usize;
        let surplus = if overflows { satchel.len().saturating_sub(limit) } else { 0 };
        Self { pieces: satchel.len() - surplus, surplus, shapes, pairs }
    }
}

/// Returns the columns of a seat after the best choices left in this turn, and the collected tile.
fn columns_after_turn(game: &Glassworks, state: &State, seat: Seat) -> (Columns, Option<Shape>) {
    let columns = state.columns(seat);
    let after = |shape| (columns_with(game, columns, state.tile(shape)), Some(shape));
    match state.phase {
        Phase::Collect if state.decider == seat => {
            let value =
                |columns: Columns| 2 * game.score(columns).total() + columns.inventory() as i32;
            ones(state.river.neighbours(state.cursor.into()).into())
                .map(|shape| after(Shape(shape as u8)))
                .max_by_key(|&(columns, _)| value(columns))
                .unwrap_or((columns, None))
        }
        Phase::Columns if state.decider == seat => after(state.tile_at_cursor()),
        _ => (columns, None),
    }
}

/// Returns the columns with these pieces added. New colours are added in the order of their number
/// of pieces in the game, the highest first.
pub(super) fn columns_with(game: &Glassworks, columns: Columns, pieces: u64) -> Columns {
    let (mut columns, mut new) = game.add_to_columns(columns, pieces);
    while let Some((colour, count)) =
        game.colour_counts(new).max_by_key(|&(colour, _)| game.lane(colour).mask.count_ones())
    {
        game.add_new_colour(&mut columns, colour, count);
        new &= !game.lane(colour).mask;
    }
    columns
}

/// Returns the highest gain in points from a tile that the seat can collect after a placement, and
/// the number of such tiles with pieces that do not lower its score.
fn gains_in_reach(
    game: &Glassworks,
    state: &State,
    columns: Columns,
    satchel: &Satchel,
    collected: Option<Shape>,
) -> (i32, u32) {
    let river = state.river;
    let reach = if satchel.pairs == 0 {
        ones(satchel.shapes.into())
            .fold(0, |reach, shape| reach | river.neighbours(river.index_of(Shape(shape as u8))))
    } else {
        (1 << game.stones.len()) - 1
    };
    let before = game.score(columns).total();
    let gains = ones(reach.into())
        .map(|shape| Shape(shape as u8))
        .filter(|&shape| Some(shape) != collected);
    gains.fold((0, 0), |(best, tiles), shape| {
        let pieces = state.tile(shape);
        let gain = game.score(columns_with(game, columns, pieces)).total() - before;
        (best.max(gain), tiles + u32::from(pieces != 0 && gain >= 0))
    })
}

/// Returns the heights of all columns, the tallest first.
fn descending_heights(game: &Glassworks, columns: Columns) -> [usize; MAX_COLUMNS] {
    let height = |column| if column < game.columns { columns.height(column) } else { 0 };
    let mut heights = std::array::from_fn(height);
    heights.sort_unstable_by(|one, other| other.cmp(one));
    heights
}

/// Returns the row points of all spaces that one piece can fill without a gap to the left.
fn row_potential(game: &Glassworks, columns: Columns) -> f64 {
    let mut lowest = game.rows;
    let mut potential = 0;
    for column in 0..game.columns {
        let height = columns.height(column);
        if height < lowest {
            potential += game.row_points[column + 1] - game.row_points[column];
            lowest = height;
        }
    }
    f64::from(potential)
}

/// Returns the maximum gain in column points from one more piece in an open column.
fn column_potential(game: &Glassworks, columns: Columns, now: i32) -> f64 {
    let open = (0..columns.len()).filter(|&column| columns.height(column) < game.rows);
    let gains = open.map(|column| {
        let mut higher = columns;
        higher.grow(column, 1);
        game.score(higher).columns - now
    });
    f64::from(gains.max().unwrap_or(0).max(0))
}

/// Returns the shares of the pieces in the bag that would grow a column, open one, or go to the
/// overflow.
fn bag_shares(game: &Glassworks, state: &State, columns: Columns) -> [f64; 3] {
    let mut counts = [0; 3];
    for piece in game.all_pieces() {
        let index = match columns.column_of(game.piece(piece).colour) {
            Some(column) if columns.height(column) < game.rows => 0,
            None if columns.len() < game.columns => 1,
            _ => 2,
        };
        counts[index] += game.in_bag(state, piece);
    }
    let all = f64::from(counts.iter().sum::<u32>().max(1));
    counts.map(|count| f64::from(count) / all)
}

/// Returns the progress of the game if this is the largest inventory, from 0 to 1.
fn end_near(game: &Glassworks, state: &State, inventory: u32) -> f64 {
    if state.end_stage != EndStage::NotTriggered {
        return 1.0;
    }
    // Before the trigger, all seats have turns left, so 1 is reserved for positions after it.
    0.9 * share_of_trigger(game, inventory)
}

fn share_of_trigger(game: &Glassworks, inventory: u32) -> f64 {
    let trigger = game.data.glassworks.end_trigger.get();
    (f64::from(inventory) / f64::from(trigger.max(1))).min(1.0)
}

/// Returns the number of turns of a seat after this one, or 2 if the end has not been triggered.
fn turns_left_after(game: &Glassworks, state: &State, seat: Seat) -> f64 {
    let steps =
        |seat: Seat| (seat.index() + game.players - state.first_player.index()) % game.players;
    let in_this_round = steps(seat) > steps(state.decider) && state.phase != Phase::Over;
    match state.end_stage {
        EndStage::NotTriggered => 2.0,
        EndStage::Triggered => f64::from(1 + u8::from(in_this_round)),
        EndStage::ExtraRound => f64::from(u8::from(in_this_round)),
    }
}
