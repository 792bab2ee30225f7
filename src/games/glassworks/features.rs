//! What a heuristic can see of a position of River Valley Glassworks: named numbers, all from one
//! seat's point of view.
//!
//! A placement is followed by a collect, and a collect perhaps by choices of columns. So that a
//! position between them can be compared with one after them, the seat's glassworks is taken as it
//! will be when the seat has made the best of what it may still choose in this turn.

use super::{
    Glassworks,
    action::{Piece, Shape},
    state::{Columns, EndStage, MAX_COLUMNS, Phase, State},
};
use crate::{
    bits::ones,
    game::{FeatureVector, Features, MAX_FEATURES, Seat},
};

/// Names of the features, in the order of [`feature_names`].
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

    /// The features of a position for a seat. Potentials and shares, which only pay off in turns to
    /// come, are multiplied by the share of the game that is left.
    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        let (columns, collected) = settled(self, state, seat);
        let score = self.score(columns);
        let satchel = Satchel::of(self, state, seat);
        let turns_left = turns_left(self, state, seat);
        let inventory = |other: Seat| {
            if other == seat { columns.inventory() } else { state.columns(other).inventory() }
        };
        let end_near = end_near(self, state, self.all_seats().map(inventory).max().unwrap_or(0));
        let left = if turns_left == 0.0 { 0.0 } else { 1.0 - end_near };
        let heights = descending_heights(self, columns);
        let (growing, new, lost) = shares(self, state, columns);
        let (best_tile, tiles_in_reach) = if turns_left == 0.0 {
            (0, 0)
        } else {
            in_reach(self, state, columns, &satchel, collected)
        };
        let next = seat.clockwise(1, self.players);
        let next_may_collect = turns_left_of_next(self, state, next);
        let best_of_next = if next_may_collect {
            in_reach(self, state, state.columns(next), &Satchel::of(self, state, next), collected).0
        } else {
            0
        };
        let best_other = self
            .all_seats()
            .filter(|&other| other != seat)
            .map(|other| self.score(state.columns(other)).total())
            .max();
        let to_spill =
            if turns_left > 0.0 || state.phase() == Phase::Overflow { satchel.to_spill } else { 0 };
        let lead = score.total()
            - to_spill as i32 * self.data.glassworks.overflow_penalty.get() as i32
            - best_other.unwrap_or(0);

        let values = [
            f64::from(score.rows),
            f64::from(score.columns),
            f64::from(columns.overflow() + to_spill as u32),
            f64::from(columns.inventory()),
            columns.len() as f64,
            heights.iter().filter(|&&height| height == self.rows).count() as f64,
            row_potential(self, columns) * left,
            column_potential(self, columns, score.columns) * left,
            (0..self.columns).map(|column| (column * columns.height(column)) as f64).sum::<f64>()
                / self.columns as f64,
            heights[0] as f64,
            heights[1] as f64,
            growing * left,
            new * left,
            lost * left,
            satchel.pieces as f64 * left,
            f64::from(u8::from(satchel.pieces == 0)) * left,
            f64::from(satchel.shapes.count_ones()) * left,
            f64::from(satchel.pairs.count_ones()) * left,
            f64::from(best_tile),
            f64::from(tiles_in_reach) * left,
            f64::from(best_of_next),
            (f64::from(columns.inventory()) / f64::from(self.end_trigger.max(1))).min(1.0),
            end_near,
            turns_left,
            f64::from(lead),
            if state.end_stage() == EndStage::NotTriggered { 0.0 } else { f64::from(lead) },
        ];
        let mut features = [0.0; MAX_FEATURES];
        features[..values.len()].copy_from_slice(&values);
        features
    }

    /// How near the end is by the seat that is nearest to it, from 0 to 1.
    fn progress(&self, state: &State) -> f64 {
        let most = self.all_seats().map(|seat| state.columns(seat).inventory()).max().unwrap_or(0);
        end_near(self, state, most)
    }
}

/// The shapes a seat can place, after it has put what its satchel can't hold into the overflow.
struct Satchel {
    pieces: usize,
    to_spill: usize,
    /// Bit s for a shape of which there is a piece.
    shapes: u32,
    /// Bit s for a shape of which there are two pieces.
    pairs: u32,
}

impl Satchel {
    fn of(game: &Glassworks, state: &State, seat: Seat) -> Self {
        let satchel = state.satchel(seat);
        let (mut shapes, mut pairs) = (0, 0);
        for piece in satchel.iter() {
            let shape = 1 << game.piece_rules(piece).shape.0;
            pairs |= shapes & shape;
            shapes |= shape;
        }
        let spilling = state.phase() == Phase::Overflow && state.decider() == seat;
        let to_spill = if spilling { satchel.len().saturating_sub(game.satchel_limit) } else { 0 };
        Self { pieces: satchel.len() - to_spill, to_spill, shapes, pairs }
    }
}

/// A seat's glassworks when it has made the best of this turn's open choices, and the tile that
/// this takes.
fn settled(game: &Glassworks, state: &State, seat: Seat) -> (Columns, Option<Shape>) {
    let columns = state.columns(seat);
    if state.decider() != seat {
        return (columns, None);
    }
    match state.phase() {
        Phase::Collect => {
            let worth =
                |columns: Columns| 2 * game.score(columns).total() + columns.inventory() as i32;
            let neighbours = ones(state.river().neighbors(state.cursor()).into())
                .map(|shape| Shape(shape as u8));
            let collected =
                neighbours.map(|shape| (grown(game, columns, state.tile(shape)), Some(shape)));
            collected.max_by_key(|&(columns, _)| worth(columns)).unwrap_or((columns, None))
        }
        Phase::Columns => {
            let shape = state.river().get(state.cursor());
            (grown(game, columns, state.tile(shape)), Some(shape))
        }
        _ => (columns, None),
    }
}

/// A glassworks with these pieces added; of several new colours the most common comes first.
fn grown(game: &Glassworks, columns: Columns, pieces: u64) -> Columns {
    let (mut columns, mut new) = game.add_to_columns(columns, pieces);
    while let Some((colour, count)) =
        game.color_counts(new).max_by_key(|&(colour, _)| game.lane(colour).count_ones())
    {
        if columns.len() < game.columns {
            game.open(&mut columns, colour, count);
        } else {
            columns.add_overflow(count as u32);
        }
        new &= !game.lane(colour);
    }
    columns
}

/// By how many points the best tile next to one the seat can place on would raise its score, and
/// how many would not lower it.
fn in_reach(
    game: &Glassworks,
    state: &State,
    columns: Columns,
    satchel: &Satchel,
    collected: Option<Shape>,
) -> (i32, u32) {
    let river = state.river();
    let reach = if satchel.pairs == 0 {
        ones(satchel.shapes.into())
            .fold(0, |reach, shape| reach | river.neighbors(river.position_of(Shape(shape as u8))))
    } else {
        (1 << game.shapes.len()) - 1
    };
    let before = game.score(columns).total();
    let gains = ones(reach.into())
        .map(|shape| Shape(shape as u8))
        .filter(|&shape| Some(shape) != collected);
    gains.fold((0, 0), |(best, tiles), shape| {
        let pieces = state.tile(shape);
        let gain = game.score(grown(game, columns, pieces)).total() - before;
        (best.max(gain), tiles + u32::from(pieces != 0 && gain >= 0))
    })
}

/// The heights of all columns, the tallest first; always at least two entries.
fn descending_heights(game: &Glassworks, columns: Columns) -> [usize; MAX_COLUMNS] {
    let mut heights =
        std::array::from_fn(
            |column| if column < game.columns { columns.height(column) } else { 0 },
        );
    heights.sort_unstable_by(|one, other| other.cmp(one));
    heights
}

/// What one more piece could bring in rows: for each row the points of its first gap, if its column
/// is just that high.
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

/// The most that one more piece in an open column could bring in column points.
fn column_potential(game: &Glassworks, columns: Columns, now: i32) -> f64 {
    let higher =
        (0..columns.len()).filter(|&column| columns.height(column) < game.rows).map(|column| {
            let mut higher = columns;
            higher.grow(column, 1);
            game.score(higher).columns - now
        });
    f64::from(higher.max().unwrap_or(0).max(0))
}

/// The shares of the pieces in the bag that would grow a column, begin one, or go to the overflow.
fn shares(game: &Glassworks, state: &State, columns: Columns) -> (f64, f64, f64) {
    let (mut growing, mut new, mut lost) = (0, 0, 0);
    let mut count = |piece: Piece| {
        let copies = game.in_bag(state, piece);
        let sum = match columns.column_of(game.piece_rules(piece).colour) {
            Some(column) if columns.height(column) < game.rows => &mut growing,
            None if columns.len() < game.columns => &mut new,
            _ => &mut lost,
        };
        *sum += copies;
    };
    game.all_pieces().for_each(&mut count);
    let all = f64::from((growing + new + lost).max(1));
    (f64::from(growing) / all, f64::from(new) / all, f64::from(lost) / all)
}

/// How near the end is if this is the fullest inventory, from 0 to 1.
fn end_near(game: &Glassworks, state: &State, most: u32) -> f64 {
    if state.end_stage() != EndStage::NotTriggered {
        return 1.0;
    }
    // The whole 1 is for the end triggered: until then a seat has turns left whatever the
    // inventories.
    0.9 * (f64::from(most) / f64::from(game.end_trigger.max(1))).min(1.0)
}

/// How many turns a seat has after this one: 2 as long as the end is open.
fn turns_left(game: &Glassworks, state: &State, seat: Seat) -> f64 {
    let steps =
        |seat: Seat| (seat.index() + game.players - state.first_player().index()) % game.players;
    let to_come_this_round = steps(seat) > steps(state.decider()) && state.phase() != Phase::Over;
    let turns = match state.end_stage() {
        EndStage::NotTriggered => return 2.0,
        EndStage::Triggered => 1 + u8::from(to_come_this_round),
        EndStage::ExtraRound => u8::from(to_come_this_round),
    };
    turns.into()
}

/// Whether the next seat still has a turn.
fn turns_left_of_next(game: &Glassworks, state: &State, next: Seat) -> bool {
    state.phase() != Phase::Over && turns_left(game, state, next) > 0.0
}
