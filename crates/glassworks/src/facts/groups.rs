//! The groups of facts of River Valley Glassworks, and the inputs that describe them.

use super::super::{
    action::ACTION_KINDS,
    components::{MAX_COLUMNS, MAX_HELD, MAX_LAKE, MAX_ROWS, MAX_SATCHEL, MAX_SHAPES},
    state::Phase,
};
use watershed_engine::game::{
    MAX_SEATS,
    facts::{
        Inputs,
        axis::{Axis, choices, count, names, range, steps, up_to},
        fact_groups,
    },
};

/// Points gained or lost at once.
pub(super) const GAIN: Axis = range(-9, 24);
/// The total points of a seat.
pub(super) const POINTS: Axis = steps(-20, 150, 2);
/// The points of the rows or of the columns of a seat.
const PART: Axis = steps(0, 90, 2);
/// The lead of a seat in points over the best other seat.
pub(super) const LEAD: Axis = range(-30, 30);
/// The lead of a seat in pieces over the largest other inventory.
const INVENTORY_LEAD: Axis = range(-10, 10);
/// The number of pieces missing for the trigger of the end.
pub(super) const MISSING: Axis = up_to(18);
/// The share of a colour among the pieces in the bag, in units of 2.5 %.
const SHARE: Axis = up_to(10);
/// The number of units of [`SHARE`] in the whole bag.
pub(super) const SHARE_UNITS: u32 = 40;
/// The share of colours without a column among the pieces in the bag, in tenths.
const NEW_SHARE: Axis = up_to(10);
/// The product of the points of a piece and the share of its colour.
const EXPECTED: Axis = steps(-40, 120, 4);
/// The number of pieces in the bag.
const BAG: Axis = steps(0, 160, 4);
const STONES: Axis = up_to(4);
const ON_TILE: Axis = up_to(7);
const OF_SHAPE: Axis = up_to(3);
const COLUMN: Axis = range(1, MAX_COLUMNS as i32);
const RIVER_PLACE: Axis = range(1, MAX_SHAPES as i32);

/// The stages of a game. Before the trigger they depend on the largest inventory.
const PROGRESS: Axis = names(&["start", "early", "middle", "late", "near", "triggered", "extra"]);
/// The number of turns in which a seat can still collect.
const TURNS: Axis = names(&["0", "1", "2", "many"]);
/// The parts of a turn in which a seat decides.
const STATUS: Axis = names(&["waits", "turn", "collect", "columns", "overflow"]);
/// The ways in which a seat can reach a tile.
const REACH: Axis = names(&["none", "pair", "single"]);
/// The times at which a seat collects next.
const WHEN: Axis = names(&["later", "later_last", "now", "now_last"]);
/// The place of a colour in a glassworks.
const COLOUR_CLASS: Axis = names(&["grows", "full", "opens", "closed"]);
/// Comparisons with the best other seat.
const STANDING: Axis = names(&["far_behind", "behind", "tied", "ahead", "far_ahead"]);
const END: Axis = names(&["open", "triggered", "extra"]);
const NO_YES: Axis = names(&["no", "yes"]);
const KIND: Axis = names(&ACTION_KINDS);
const PHASE: Axis = names(&[
    "first_player",
    "tiles",
    "tile_glass",
    "lake_glass",
    "satchel_glass",
    "turn",
    "collect",
    "columns",
    "overflow",
    "refill_tile",
    "refill_lake",
    "top_up",
]);
/// The number of phases before the end of the game.
pub(super) const PHASES: usize = PHASE.len();
const _: () = assert!(PHASES == Phase::Over as usize);

fact_groups! {
    /// Facts of a seat.
    pub(super) struct SeatGroups(block) {
        /// One more piece in a column with room.
        growth[gain: GAIN, share: SHARE] => describe_growth;
        /// A column, with the share of its colour.
        height[column: COLUMN, height: up_to(MAX_ROWS), share: SHARE]:
            "height>={height}" "height[column={column}]>={height}"
            "share[column={column}]>={share}";
        /// A column without room.
        full[column: COLUMN, share: SHARE]: "full_column={column}" "full_column.share>={share}";
        /// The next free column, with the share of the new colours.
        opening[gain: GAIN, share: NEW_SHARE]:
            "free_column" "free_column.gain>={gain}" "free_column.share>={share}";
        /// New colours without a free column.
        closed_share[share: NEW_SHARE]: "closed.share>={share}";
        /// The number of spaces of a row that are filled without a gap.
        row[; row: range(1, MAX_ROWS as i32), filled: up_to(MAX_COLUMNS)]:
            "filled([row={row}])>={filled}";
        /// A tile with pieces, with the number that overflow.
        tile[reach: REACH, spill: up_to(3), gain: GAIN]:
            "tile[reach={reach}]" "tile.gain>={gain}" "tile[reach={reach}].gain>={gain}"
            "tile.spill>={spill}";
        points[points: POINTS]: "points>={points}";
        row_points[points: PART]: "row_points>={points}";
        column_points[points: PART]: "column_points>={points}";
        overflow[pieces: count(24)]: "overflow>={pieces}";
        missing[missing: MISSING]: "missing>={missing}";
        /// The number of pieces in the satchel.
        satchel[; turns: TURNS, pieces: up_to(MAX_SATCHEL).unless_zero()]:
            "satchel([turns={turns}])>={pieces}";
        /// The number of different shapes.
        shapes[; turns: TURNS, shapes: up_to(MAX_SHAPES).unless_zero()]:
            "shapes([turns={turns}])>={shapes}";
        /// The number of shapes with at least two pieces.
        pairs[; turns: TURNS, pairs: up_to(MAX_SATCHEL / 2).unless_zero()]:
            "pairs([turns={turns}])>={pairs}";
        /// The highest gain from a tile in reach.
        best[; when: WHEN, gain: GAIN]: "best([when={when}])>={gain}";
        /// The second highest gain from a tile in reach.
        second[; when: WHEN, gain: GAIN]: "second([when={when}])>={gain}";
        /// The number of tiles in reach that do not lower the score.
        reachable[tiles: count(MAX_SHAPES)]: "reachable>={tiles}";
        status[status: STATUS, turns: TURNS]:
            "status={status}" "turns={turns}" "status={status},turns={turns}";
    }
}

fn describe_growth([gain, share]: [usize; 2], inputs: &mut Inputs<'_>) {
    inputs.add("growing_column");
    let product = GAIN.value(gain) * SHARE.value(share);
    for (name, axis, index) in [
        ("gain", GAIN, gain),
        ("share", SHARE, share),
        ("expected", EXPECTED, EXPECTED.index(product)),
    ] {
        for index in 1..=index {
            inputs.add(&format!("growing_column.{name}>={}", axis.value(index)));
        }
    }
}

fact_groups! {
    /// Facts of the view of a seat.
    pub(super) struct ViewGroups(block) {
        lead[; progress: PROGRESS, lead: LEAD]: "lead([progress={progress}])>={lead}";
        /// The lead after each seat has collected its best tile.
        projected_lead[; progress: PROGRESS, lead: LEAD]:
            "projected_lead([progress={progress}])>={lead}";
        /// The lead in pieces.
        inventory_lead[; progress: PROGRESS, lead: INVENTORY_LEAD]:
            "inventory_lead([progress={progress}])>={lead}";
        standing[; standing: STANDING, missing: MISSING]:
            "missing([standing={standing}])>={missing}";
        /// The number of turns of others before the next one of the seat.
        wait[; end: END, turns: up_to(MAX_SEATS).unless_zero()]: "wait([end={end}])>={turns}";
        /// The place in the order of the round.
        order[place: choices(MAX_SEATS)]: "order={place}";
        /// The number of seats with a higher score.
        behind[seats: count(MAX_SEATS - 1)]: "seats_ahead>={seats}";
        /// A best tile that is also that of an earlier seat: the loss without it.
        contest[loss: range(0, 12)]: "contested_gain>={loss}";
        /// The highest gain of the next seat, with the reach of this seat to that tile.
        next_best[; reach: REACH, gain: GAIN]: "next_best([reach={reach}])>={gain}";
    }
}

fact_groups! {
    /// Facts that are the same for all seats.
    pub(super) struct SharedGroups(block) {
        players[players: range(2, MAX_SEATS as i32)]: "players={players}";
        phase[phase: PHASE]: "phase={phase}";
        progress[progress: PROGRESS]: "progress={progress}";
        round[round: count(20)]: "round>={round}";
        bag[pieces: BAG]: "bag>={pieces}";
        missing[missing: MISSING]: "missing>={missing}";
        lake[pieces: count(MAX_LAKE)]: "lake>={pieces}";
        lake_shapes[shapes: count(MAX_SHAPES)]: "lake_shapes>={shapes}";
        lake_pairs[pairs: count(MAX_LAKE / 2)]: "lake_pairs>={pairs}";
        lake_closed[]: "lake_closed";
        due[pieces: count(5)]: "pieces_due>={pieces}";
        tile[place: RIVER_PLACE, stones: STONES, pieces: ON_TILE] early:
            "tile{place}" "tile.stones>={stones} tile{place}.stones>={stones}"
            "tile.pieces>={pieces} tile{place}.pieces>={pieces}";
        /// The highest number of pieces of one colour on a tile.
        same_colour[pieces: count(4)]: "tile.same_colour>={pieces}";
    }
}

fact_groups! {
    /// Facts of an action.
    pub(super) struct ActionGroups(block) {
        kind[kind: KIND, progress: PROGRESS] early: "kind={kind}" "kind={kind},progress={progress}";
        /// The gain of the action, or of the best collect after it.
        gain[kind: KIND, is_last_turn: NO_YES; gain: GAIN]:
            "gain>={gain}" "gain[kind={kind}]>={gain}" "gain[last_turn={is_last_turn}]>={gain}";
        /// The gain of the other tile that can be collected after a placement.
        other_gain[gain: GAIN]: "other_gain>={gain}";
        /// The gain of the next seat from a tile that is collected.
        denied[gain: GAIN]: "denied_gain>={gain}";
        /// The gain of the next seat from a tile that is placed on.
        gift[gain: GAIN]: "gift_gain>={gain}";
        /// A placed piece, with the classes of its colour for the seat and for the next seat.
        placed[own: COLOUR_CLASS, next: COLOUR_CLASS] early:
            "placed.own={own}" "placed.next={next}" "placed.own={own},next={next}";
        /// The number of pieces of the shape in the satchel.
        same_shape[; kind: KIND, pieces: OF_SHAPE.unless_zero()]:
            "same_shape([kind={kind}])>={pieces}";
        /// The number of pieces left in the satchel.
        left[; turns: TURNS, pieces: up_to(MAX_HELD).unless_zero()]:
            "satchel_left([turns={turns}])>={pieces}";
        /// A pair whose best tile one piece could reach.
        avoidable[]: "avoidable_pair";
        /// An action that triggers the end, or a placement whose best collect does.
        triggers[standing: STANDING]: "triggers={standing}";
        /// A collected tile: pieces that fit.
        fitting[; progress: PROGRESS, pieces: ON_TILE.unless_zero()]:
            "fitting([progress={progress}])>={pieces}";
        /// A collected tile: pieces that overflow.
        spill[; progress: PROGRESS, pieces: ON_TILE.unless_zero()]:
            "spill([progress={progress}])>={pieces}";
        /// The number of columns that a collect opens.
        opened[columns: count(4)]: "opened_columns>={columns}";
        /// A collected tile, with the stones of the tile that decides its refill.
        place[; place: RIVER_PLACE, stones: STONES]: "refill([place={place}])>={stones}";
        column_share[; column: COLUMN, share: SHARE]:
            "new_column.share([column={column}])>={share}";
        /// A new column: pieces of the colour on the collected tile.
        column_count[; column: COLUMN, pieces: up_to(4).unless_zero()]:
            "new_column.pieces([column={column}])>={pieces}";
        /// A new column: pieces of the colour on other tiles.
        column_on_river[pieces: count(6)]: "new_column.on_river>={pieces}";
        /// New colours that a new column leaves without a free column.
        column_spill[pieces: count(4)]: "new_column.spill>={pieces}";
        /// A piece that overflows: the highest gain of a tile that it reaches.
        dropped_gain[gain: GAIN]: "dropped.gain>={gain}";
        /// A piece that stays in the lake: pieces of its shape in the satchel and in the lake.
        kept_shape[held: OF_SHAPE, in_lake: OF_SHAPE] early:
            "kept" "kept.held>={held}" "kept.in_lake>={in_lake}"
            "kept.held={held},in_lake={in_lake}";
        /// A piece that stays in the lake: the highest gain of a tile that it reaches.
        kept_gain[gain: GAIN]: "kept.gain>={gain}";
        /// A draw: pieces beyond the limit of the satchel.
        surplus[; turns: TURNS, pieces: up_to(6)]: "surplus([turns={turns}])>={pieces}";
        /// A draw: the number of different shapes in the satchel after it.
        drawn_shapes[shapes: count(MAX_SHAPES)]: "drawn.shapes>={shapes}";
        /// A draw: the number of shapes with at least two pieces in the satchel after it.
        drawn_pairs[pairs: count(MAX_SATCHEL / 2)]: "drawn.pairs>={pairs}";
    }
}

/// Returns the index of a lead in [`STANDING`].
#[inline]
pub(super) const fn standing(lead: i32) -> usize {
    match lead {
        ..=-6 => 0,
        -5..=-1 => 1,
        0 => 2,
        1..=5 => 3,
        6.. => 4,
    }
}
