//! The groups of facts of River Valley Glassworks, and the inputs that describe them.

use super::super::{
    Glassworks,
    action::ACTION_KINDS,
    components::{MAX_COLOURS, MAX_COLUMNS, MAX_HELD, MAX_LAKE, MAX_ROWS, MAX_SATCHEL, MAX_SHAPES},
    data::EndVariant,
    state::Phase,
};
use watershed_engine::game::{
    MAX_SEATS,
    facts::{
        FactBlock, Inputs,
        axis::{Axis, choices, count, names, range, steps, tail_level, up_to, with_tail},
        fact_groups,
    },
};

/// The largest gain that the expected points of a piece count in full.
const LARGE_GAIN: i32 = 24;
/// Points gained or lost at once.
pub(super) const GAIN: Axis = with_tail(LARGE_GAIN as usize, range(-9, 34));
/// The total points of a seat.
pub(super) const POINTS: Axis = with_tail(150, steps(-20, 174, 2));
/// The points of the rows or of the columns of a seat.
const PART: Axis = with_tail(90, steps(0, 114, 2));
/// The largest lead with a level of its own.
const LARGE_LEAD: i32 = 30;
/// The level of the lead of a seat in points over the best other seat.
pub(super) const LEAD: Axis = range(-36, 36);
/// The lead of a seat in pieces over the largest other inventory.
const INVENTORY_LEAD: Axis = range(-10, 10);
/// The number of pieces missing for the trigger of the end.
pub(super) const MISSING: Axis = with_tail(18, up_to(34));
/// The share of a colour among the pieces in the bag, in units of 2.5 %.
const SHARE: Axis = up_to(10);
/// The number of units of [`SHARE`] in the whole bag.
pub(super) const SHARE_UNITS: u32 = 40;
/// The share of colours without a column among the pieces in the bag, in tenths.
const NEW_SHARE: Axis = up_to(10);
/// The product of the points of a piece and the share of its colour.
const EXPECTED: Axis = steps(-40, 120, 4);
/// Products beyond [`EXPECTED`].
const LARGE_EXPECTED: Axis = steps(120, 360, 20);
/// The number of pieces in the bag.
const BAG: Axis = steps(0, 252, 4);
const STONES: Axis = up_to(8);
const ON_TILE: Axis = up_to(10);
/// The number of pieces that overflow at once.
const SPILL: Axis = up_to(4);
const ROW: Axis = range(1, MAX_ROWS as i32);
const HEIGHT: Axis = up_to(MAX_ROWS);
const FILLED: Axis = up_to(MAX_COLUMNS);
const COLOUR: Axis = choices(MAX_COLOURS);
/// The number of pieces of a new colour.
const TAKEN: Axis = up_to(4).unless_zero();
const PLAYERS: Axis = range(2, MAX_SEATS as i32);
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
    pub(super) struct SeatGroups(block, game: &Glassworks) {
        /// One more piece in a column with room.
        growth[gain: GAIN, share: SHARE] => describe_growth;
        /// A column, with the share of its colour.
        height[column: COLUMN, height: HEIGHT, share: SHARE] = height_facts(block, game);
        /// A column without room.
        full[column: COLUMN, share: SHARE]: "full_column={column}" "full_column.share>={share}";
        /// The next free column, with the share of the new colours.
        opening[gain: GAIN, share: NEW_SHARE]:
            "free_column" "free_column.gain>={gain}" "free_column.share>={share}";
        /// New colours without a free column.
        closed_share[share: NEW_SHARE]: "closed.share>={share}";
        /// The number of spaces of a row that are filled without a gap.
        row[row: ROW, filled: FILLED] = row_facts(block, game);
        /// A tile with pieces, with the number that overflow.
        tile[reach: REACH, spill: SPILL, gain: GAIN] = tile_facts(block, game);
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
    let (gain_level, share_units) = (GAIN.value(gain), SHARE.value(share));
    let product = gain_level.min(LARGE_GAIN) * share_units;
    let large = LARGE_EXPECTED.index(gain_level * share_units);
    for (name, axis, index) in [
        ("gain", GAIN, gain),
        ("share", SHARE, share),
        ("expected", EXPECTED, EXPECTED.index(product)),
        ("large_expected", LARGE_EXPECTED, large),
    ] {
        for index in 1..=index {
            inputs.add(&format!("growing_column.{name}>={}", axis.value(index)));
        }
    }
}

/// Describes combinations of values by patterns and by values of the data file, which come first.
fn file_facts<const N: usize>(
    block: &mut FactBlock,
    axes: [(&str, Axis); N],
    patterns: &[&str],
    describe: impl Fn([usize; N], &mut Inputs<'_>),
) -> Vec<Vec<u16>> {
    let mut facts = block.describe(axes.map(|(_, axis)| axis), describe);
    let described = block.cross(&axes, &[], patterns);
    facts.iter_mut().zip(described).for_each(|(inputs, further)| inputs.extend(further));
    facts
}

/// Adds inputs for the level of a value of the data file. Values up to `linear` have levels of
/// their own.
fn add_level(inputs: &mut Inputs<'_>, name: &str, linear: u32, value: u32) {
    const TAIL: u32 = 16;
    inputs.number(name, linear + TAIL, tail_level(linear.into(), value.into()) as u32);
}

/// Adds inputs for points that the data file gives, or takes for overflow.
fn add_points(inputs: &mut Inputs<'_>, name: &str, points: i32) {
    add_level(inputs, name, 12, points.unsigned_abs());
}

/// Adds inputs for the points that the next piece or space brings.
fn add_step(inputs: &mut Inputs<'_>, name: &str, points: &[i32]) {
    let step = if let [now, next, ..] = points { next - now } else { 0 };
    inputs.add_if(step < 0, &format!("{name}<0"));
    add_level(inputs, name, 8, step.max(0) as u32);
}

/// Describes the height of a column by its points and those of the next piece.
fn height_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("column", COLUMN), ("height", HEIGHT), ("share", SHARE)],
        &[
            "height>={height}",
            "height[column={column}]>={height}",
            "share[column={column}]>={share}",
        ],
        |[column, height, _], inputs| {
            let points = &game.column_points[column];
            add_points(inputs, "height.points", points[height]);
            add_step(inputs, "height.step", &points[height..=game.rows.max(height)]);
        },
    )
}

/// Describes the filled spaces of a row by its points and those of the next space.
fn row_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("row", ROW), ("filled", FILLED)],
        &["filled([row={row}])>={filled}"],
        |[_, filled], inputs| {
            let points = &game.row_points;
            add_points(inputs, "filled.points", points[filled]);
            add_step(inputs, "filled.step", &points[filled..=game.columns.max(filled)]);
        },
    )
}

/// Describes a tile with pieces by the points that are lost for overflow.
fn tile_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("reach", REACH), ("spill", SPILL), ("gain", GAIN)],
        &[
            "tile[reach={reach}]",
            "tile.gain>={gain}",
            "tile[reach={reach}].gain>={gain}",
            "tile.spill>={spill}",
        ],
        |[_, spill, _], inputs| add_points(inputs, "tile.loss", game.loss(spill)),
    )
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
        contest[loss: with_tail(12, range(0, 28))]: "contested_gain>={loss}";
        /// The highest gain of the next seat, with the reach of this seat to that tile.
        next_best[; reach: REACH, gain: GAIN]: "next_best([reach={reach}])>={gain}";
    }
}

fact_groups! {
    /// Facts that are the same for all seats.
    pub(super) struct SharedGroups(block, game: &Glassworks) {
        players[players: PLAYERS] = data_facts(block, game);
        phase[phase: PHASE]: "phase={phase}";
        progress[progress: PROGRESS]: "progress={progress}";
        round[round: with_tail(20, count(26))]: "round>={round}";
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

/// Describes numbers of players by the values of the data file.
fn data_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    const LINEAR_COUNT: u32 = 24;
    let (values, play) = (&game.data.glassworks, &game.data.play);
    let mut colours = game.colour_totals();
    colours.sort_unstable_by(|one, other| other.cmp(one));
    let pieces = colours.iter().sum();
    let stones = game.stones.iter().sum::<usize>();
    file_facts(block, [("players", PLAYERS)], &["players={players}"], |_, inputs| {
        for (name, value) in [
            ("columns", values.columns.get()),
            ("rows", values.rows.get()),
            ("scored_columns", values.scored_columns.get()),
            ("end_trigger", values.end_trigger.get()),
            ("satchel_limit", play.satchel_limit.get()),
            ("satchel_start", play.satchel_start.get()),
            ("lake_size", play.lake_size.get()),
            ("lake_take", play.lake_take.get()),
            ("bga_topup", play.bga_topup.get()),
            ("max_rounds", play.max_rounds.get()),
            ("shapes", game.stones.len() as u32),
            ("stones", stones as u32),
            ("pieces", pieces),
        ] {
            add_level(inputs, &format!("data.{name}"), LINEAR_COUNT, value);
        }
        inputs.add_if(play.end_variant == EndVariant::Bga, "data.bga");
        add_points(inputs, "data.overflow_penalty", game.loss(1));
        for rank in 0..MAX_COLOURS {
            let pieces = colours.get(rank).copied().unwrap_or(0);
            add_level(inputs, &format!("data.colour{}", rank + 1), LINEAR_COUNT, pieces);
        }
        for (column, points) in game.column_points.iter().enumerate() {
            add_points(inputs, &format!("data.column{}", column + 1), points[game.rows]);
        }
        for (filled, &points) in game.row_points.iter().enumerate() {
            add_points(inputs, &format!("data.row{filled}"), points);
        }
    })
}

fact_groups! {
    /// Facts of an action.
    pub(super) struct ActionGroups(block, game: &Glassworks) {
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
        placed[own: COLOUR_CLASS, next: COLOUR_CLASS, colour: COLOUR] = placed_facts(block, game);
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
        spill[progress: PROGRESS, pieces: ON_TILE.unless_zero()] = spill_facts(block, game);
        /// The number of columns that a collect opens.
        opened[columns: count(4)]: "opened_columns>={columns}";
        /// A collected tile, with the stones of the tile that decides its refill.
        place[; place: RIVER_PLACE, stones: STONES]: "refill([place={place}])>={stones}";
        column_share[column: COLUMN, share: SHARE] = column_facts(block, game);
        /// A new column: the colour and its pieces on the collected tile.
        column_count[column: COLUMN, colour: COLOUR, pieces: TAKEN] = taken_facts(block, game);
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

/// Adds inputs for the number of pieces of a colour in the game.
fn add_pieces(inputs: &mut Inputs<'_>, name: &str, game: &Glassworks, colour: usize) {
    let pieces = game.colour_totals().get(colour).copied().unwrap_or(0);
    add_level(inputs, name, 24, pieces);
}

/// Describes a placed piece by the number of pieces of its colour in the game.
fn placed_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("own", COLOUR_CLASS), ("next", COLOUR_CLASS), ("colour", COLOUR)],
        &["placed.own={own}", "placed.next={next}", "placed.own={own},next={next}"],
        |[_, _, colour], inputs| add_pieces(inputs, "placed.in_game", game, colour),
    )
}

/// Describes pieces that overflow by the points that are lost.
fn spill_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("progress", PROGRESS), ("pieces", ON_TILE.unless_zero())],
        &["spill([progress={progress}])>={pieces}"],
        |[_, pieces], inputs| add_points(inputs, "spill.loss", game.loss(pieces)),
    )
}

/// Describes a new column by the points of its first piece and of all pieces.
fn column_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("column", COLUMN), ("share", SHARE)],
        &["new_column.share([column={column}])>={share}"],
        |[column, _], inputs| {
            let points = &game.column_points[column];
            add_step(inputs, "new_column.step", points);
            add_points(inputs, "new_column.points", points[game.rows]);
        },
    )
}

/// Describes the colour of a new column by the number of its pieces in the game.
fn taken_facts(block: &mut FactBlock, game: &Glassworks) -> Vec<Vec<u16>> {
    file_facts(
        block,
        [("column", COLUMN), ("colour", COLOUR), ("pieces", TAKEN)],
        &["new_column.pieces([column={column}])>={pieces}"],
        |[_, colour, _], inputs| add_pieces(inputs, "new_column.in_game", game, colour),
    )
}

/// Returns the level of a lead on [`LEAD`]. Large leads of either sign share levels.
#[inline]
pub(super) const fn lead_level(lead: i32) -> i32 {
    lead.signum() * tail_level(LARGE_LEAD as i64, lead.abs() as i64) as i32
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
