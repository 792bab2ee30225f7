//! The features of positions of River Valley Glassworks, from the point of view of one seat.
//!
//! A placement is followed by a collect, and a collect can be followed by choices of columns. So
//! that positions in the middle of a turn can be compared with those after it, features assume the
//! best choices that the seat still has in this turn.

use std::sync::Arc;

use super::{
    Glassworks,
    action::Action,
    components::{BAG_WORDS, Columns, MAX_COLOURS, MAX_COLUMNS, MAX_SHAPES, Shape},
    scoring::Score,
    state::{EndStage, Phase, State},
};
use watershed_engine::{
    bits::ones,
    game::{
        FeatureVector, Features, PerSeat, Seat,
        facts::{FactList, FactTable, PositionFacts},
        named_features,
    },
    games::memo::Memo,
};

named_features! {
    /// The features of a position for a seat.
    struct Values {
        row_points column_points overflow inventory columns_open columns_full row_potential
        column_potential right_height tallest second_tallest growing_share new_share lost_share
        satchel satchel_empty satchel_shapes satchel_pairs best_tile tiles_in_reach
        best_tile_of_next progress end_near turns_left lead lead_at_end
    }
}

impl Features for Glassworks {
    fn feature_names(&self) -> &'static [&'static str] {
        Values::NAMES
    }

    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        self.cached_features()(state, seat)
    }

    fn cached_features(&self) -> impl FnMut(&State, Seat) -> FeatureVector {
        let mut cache = FeatureCache::default();
        move |state, seat| self.compute_features(state, seat, &mut cache)
    }

    /// Returns the progress of the game by the largest inventory.
    fn progress(&self, state: &State) -> f64 {
        let inventories = self.all_seats().map(|seat| state.columns(seat).inventory());
        end_near(self, state, inventories.max().unwrap_or(0))
    }

    fn fact_table(&self) -> Arc<FactTable> {
        Arc::clone(&self.groups_and_table().1)
    }

    fn position_facts(&self, state: &State, facts: &mut PositionFacts) {
        self.facts.list_position(self, state, facts);
    }

    fn action_lister<'a>(
        &'a self,
        state: &'a State,
        seat: Seat,
    ) -> impl FnMut(Action, &mut FactList) {
        self.facts.action_lister(self, state, seat)
    }
}

impl Glassworks {
    /// Returns the features of a position for a seat. Potentials and shares pay off only in later
    /// turns, so they are multiplied by the share of the game that is left.
    fn compute_features(
        &self,
        state: &State,
        seat: Seat,
        cache: &mut FeatureCache,
    ) -> FeatureVector {
        let bag_colours = cache.bag_colours.get(state.bag, || count_bag_colours(self, state));
        let cache = &mut cache.seats;
        let own = &mut cache[seat.index()];
        let (columns, collected) = own.columns_after_turn(self, state, seat);
        let board = own.columns.get(columns, || ColumnFeatures::new(self, columns));
        let satchel = Satchel::new(self, state, seat);
        let turns_left = turns_left_after(self, state, seat);
        let inventory = |other: Seat| {
            if other == seat { columns.inventory() } else { state.columns(other).inventory() }
        };
        let end_near = end_near(self, state, self.all_seats().map(inventory).max().unwrap_or(0));
        let left = if turns_left == 0.0 { 0.0 } else { 1.0 - end_near };
        let shares = bag_shares(self, &bag_colours, columns);
        let [growing, new, lost] = shares.map(|share| share * left);
        let (best_tile, tiles_in_reach) = if turns_left == 0.0 {
            (0, 0)
        } else {
            own.gains_in_reach(self, state, columns, &satchel, collected)
        };
        let next = seat.clockwise(1, self.players);
        let best_of_next =
            if state.phase != Phase::Over && turns_left_after(self, state, next) > 0.0 {
                let satchel = Satchel::new(self, state, next);
                let columns = state.columns(next);
                cache[next.index()].gains_in_reach(self, state, columns, &satchel, collected).0
            } else {
                0
            };
        let others = self.all_seats().filter(|&other| other != seat);
        let best_other = others.map(|other| cache[other.index()].score(self, state, other)).max();
        let surplus =
            if turns_left > 0.0 || state.phase == Phase::Overflow { satchel.surplus } else { 0 };
        let penalty = surplus * self.data.glassworks.overflow_penalty.get() as usize;
        let points = board.score.total() + self.start_points(state, seat) - penalty as i32;
        let lead = points - best_other.unwrap_or(0);

        Values {
            row_points: f64::from(board.score.rows),
            column_points: f64::from(board.score.columns),
            overflow: f64::from(columns.overflow() + surplus as u32),
            inventory: f64::from(columns.inventory()),
            columns_open: columns.len() as f64,
            columns_full: board.full,
            row_potential: board.row_potential * left,
            column_potential: board.column_potential * left,
            right_height: board.right_height,
            tallest: board.tallest,
            second_tallest: board.second_tallest,
            growing_share: growing,
            new_share: new,
            lost_share: lost,
            satchel: satchel.pieces as f64 * left,
            satchel_empty: f64::from(u8::from(satchel.pieces == 0)) * left,
            satchel_shapes: f64::from(satchel.shapes.count_ones()) * left,
            satchel_pairs: f64::from(satchel.pairs.count_ones()) * left,
            best_tile: f64::from(best_tile),
            tiles_in_reach: f64::from(tiles_in_reach) * left,
            best_tile_of_next: f64::from(best_of_next),
            progress: share_of_trigger(self, columns.inventory()),
            end_near,
            turns_left,
            lead: f64::from(lead),
            lead_at_end: if state.end_stage == EndStage::NotTriggered {
                0.0
            } else {
                f64::from(lead)
            },
        }
        .vector()
    }
}

/// The parts of the features that consecutive positions share.
#[derive(Default)]
struct FeatureCache {
    /// The number of pieces of each colour in a bag.
    bag_colours: Memo<[u64; BAG_WORDS], [u32; MAX_COLOURS]>,
    seats: PerSeat<SeatCache>,
}

/// The parts of a seat's features that consecutive positions share.
#[derive(Default)]
struct SeatCache {
    columns: Memo<Columns, ColumnFeatures>,
    /// The points of columns.
    points: Memo<Columns, i32>,
    /// By tile, the points of columns with its pieces.
    points_with: [Memo<(Columns, u64), i32>; MAX_SHAPES],
    /// By tile, columns with its pieces and their value for the choice of a tile.
    collected: [Memo<(Columns, u64), (Columns, i32)>; MAX_SHAPES],
}

/// The features of columns.
#[derive(Clone, Copy)]
struct ColumnFeatures {
    score: Score,
    full: f64,
    row_potential: f64,
    column_potential: f64,
    right_height: f64,
    tallest: f64,
    second_tallest: f64,
}

impl ColumnFeatures {
    fn new(game: &Glassworks, columns: Columns) -> Self {
        let score = game.score(columns);
        let heights = descending_heights(game, columns);
        let right_height =
            (0..game.columns).map(|column| (column * columns.height(column)) as f64).sum::<f64>();
        Self {
            score,
            full: heights.iter().filter(|&&height| height == game.rows).count() as f64,
            row_potential: row_potential(game, columns),
            column_potential: column_potential(game, columns, score.columns),
            right_height: right_height / game.columns as f64,
            tallest: heights[0] as f64,
            second_tallest: heights[1] as f64,
        }
    }
}

impl SeatCache {
    /// Returns the points of columns.
    fn points(&mut self, game: &Glassworks, columns: Columns) -> i32 {
        self.points.get(columns, || game.score(columns).total())
    }

    /// Returns the points of the seat, with those of its start.
    fn score(&mut self, game: &Glassworks, state: &State, seat: Seat) -> i32 {
        self.points(game, state.columns(seat)) + game.start_points(state, seat)
    }

    /// Returns the columns of a seat after the best choices left in this turn, and the collected
    /// tile.
    fn columns_after_turn(
        &mut self,
        game: &Glassworks,
        state: &State,
        seat: Seat,
    ) -> (Columns, Option<Shape>) {
        let columns = state.columns(seat);
        let mut after = |shape: Shape| {
            let pieces = state.tile(shape);
            self.collected[shape.index()].get((columns, pieces), || {
                let after = game.columns_with(columns, pieces);
                (after, 2 * game.score(after).total() + after.inventory() as i32)
            })
        };
        match state.phase {
            Phase::Collect if state.decider == seat => {
                ones(state.river.neighbours(state.cursor.into()).into())
                    .map(|shape| Shape(shape as u8))
                    .map(|shape| (after(shape), Some(shape)))
                    .max_by_key(|&((_, value), _)| value)
                    .map_or((columns, None), |((columns, _), shape)| (columns, shape))
            }
            Phase::Columns if state.decider == seat => {
                let shape = state.tile_at_cursor();
                (after(shape).0, Some(shape))
            }
            _ => (columns, None),
        }
    }

    /// Returns the highest gain in points from a tile that the seat can collect after a placement,
    /// and the number of such tiles with pieces that do not lower its score.
    fn gains_in_reach(
        &mut self,
        game: &Glassworks,
        state: &State,
        columns: Columns,
        satchel: &Satchel,
        collected: Option<Shape>,
    ) -> (i32, u32) {
        let river = state.river;
        let reach = if satchel.pairs == 0 {
            ones(satchel.shapes.into()).fold(0, |reach, shape| {
                reach | river.neighbours(river.index_of(Shape(shape as u8)))
            })
        } else {
            (1 << game.stones.len()) - 1
        };
        let before = self.points(game, columns);
        let tiles = ones(reach.into())
            .map(|shape| Shape(shape as u8))
            .filter(|&shape| Some(shape) != collected);
        tiles.fold((0, 0), |(best, tiles), shape| {
            let pieces = state.tile(shape);
            let points = self.points_with[shape.index()]
                .get((columns, pieces), || game.score(game.columns_with(columns, pieces)).total());
            let gain = points - before;
            (best.max(gain), tiles + u32::from(pieces != 0 && gain >= 0))
        })
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

/// Returns the number of pieces of each colour in the bag.
fn count_bag_colours(game: &Glassworks, state: &State) -> [u32; MAX_COLOURS] {
    let mut counts = [0; MAX_COLOURS];
    for piece in game.all_pieces() {
        counts[usize::from(game.piece(piece).colour.0)] += game.in_bag(state, piece);
    }
    counts
}

/// Returns the shares of the pieces in the bag that would grow a column, open one, or go to the
/// overflow.
fn bag_shares(game: &Glassworks, bag: &[u32; MAX_COLOURS], columns: Columns) -> [f64; 3] {
    let mut counts = [0; 3];
    for colour in game.names.colours() {
        let index = match columns.column_of(colour) {
            Some(column) if columns.height(column) < game.rows => 0,
            None if columns.len() < game.columns => 1,
            _ => 2,
        };
        counts[index] += bag[usize::from(colour.0)];
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
