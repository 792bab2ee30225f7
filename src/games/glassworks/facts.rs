//! The facts of positions and actions of River Valley Glassworks, for networks.
//!
//! Colours, shapes and tiles are described by their effects only: the points that pieces are worth
//! to a seat, the share of their colour in the bag, and the places of tiles in the river. Points
//! follow from the data file, so that the same facts describe all data files.

use super::{
    Glassworks, PieceValues,
    action::Action,
    components::{
        BAG_WORDS, Colour, Columns, MAX_COLOURS, MAX_COLUMNS, MAX_HELD, MAX_LAKE, MAX_ROWS,
        MAX_SATCHEL, MAX_SHAPES, Piece, Pieces, Shape,
    },
    data::EndVariant,
    features::columns_with,
    state::{EndStage, Phase, State},
};
use crate::{
    bits::ones,
    game::{
        MAX_SEATS, Seat,
        facts::{FactBlock, FactGroup, FactList, FactTable, PositionFacts},
    },
};

/// A range of values. Values beyond it count as its ends.
#[derive(Clone, Copy)]
struct Scale {
    min: i32,
    max: i32,
    step: i32,
}

impl Scale {
    const fn new(min: i32, max: i32, step: i32) -> Self {
        Self { min, max, step }
    }

    /// Returns the number of levels.
    const fn levels(self) -> usize {
        ((self.max - self.min) / self.step + 1) as usize
    }

    /// Returns the level of a value.
    #[inline]
    fn level(self, value: i32) -> usize {
        ((value.clamp(self.min, self.max) - self.min) / self.step) as usize
    }

    /// Returns the lowest value of a level.
    const fn value(self, level: usize) -> i32 {
        self.min + level as i32 * self.step
    }

    /// Returns the inputs of a level: `name>=value` for each value from the second level on.
    fn inputs(self, block: &mut FactBlock, name: &str, level: usize) -> Vec<u16> {
        (1..=level).map(|level| block.input(&format!("{name}>={}", self.value(level)))).collect()
    }

    /// Adds a fact for each level.
    fn group(self, block: &mut FactBlock, name: &str) -> FactGroup {
        self.group_by(block, &[""], |_| vec![name.to_owned()])
    }

    /// Adds a fact for each combination of an option and a level. The thresholds of the level are
    /// inputs under each of the names of the option.
    fn group_by(
        self,
        block: &mut FactBlock,
        options: &[&str],
        names: impl Fn(&str) -> Vec<String>,
    ) -> FactGroup {
        let names: Vec<_> = options.iter().map(|option| names(option)).collect();
        for name in names.iter().flatten() {
            self.inputs(block, name, self.levels() - 1);
        }
        let mut facts = Vec::new();
        for names in names {
            for level in 0..self.levels() {
                facts.push(names.iter().flat_map(|name| self.inputs(block, name, level)).collect());
            }
        }
        block.group(facts)
    }
}

/// Points gained or lost at once.
const GAIN: Scale = Scale::new(-9, 24, 1);
/// The total points of a seat.
const POINTS: Scale = Scale::new(-20, 150, 2);
/// The points of the rows or of the columns of a seat.
const PART: Scale = Scale::new(0, 90, 2);
/// The lead of a seat in points over the best other seat.
const LEAD: Scale = Scale::new(-30, 30, 1);
/// The lead of a seat in pieces over the largest other inventory.
const INVENTORY_LEAD: Scale = Scale::new(-10, 10, 1);
/// The number of pieces missing for the trigger of the end.
const MISSING: Scale = Scale::new(0, 18, 1);
/// The share of a colour among the pieces in the bag, in units of 2.5 %.
const SHARE: Scale = Scale::new(0, 10, 1);
/// The number of units of [`SHARE`] in the whole bag.
const SHARE_UNITS: u32 = 40;
/// The share of colours without a column among the pieces in the bag, in tenths.
const NEW_SHARE: Scale = Scale::new(0, 10, 1);
/// The product of the points of a piece and the share of its colour.
const EXPECTED: Scale = Scale::new(-40, 120, 4);
/// The maximum number of overflowing pieces that are distinguished.
const MAX_SPILL: usize = 3;
/// The maximum number of stones on a tile that is distinguished.
const MAX_STONES: usize = 4;
/// The maximum number of pieces on a tile that is distinguished.
const MAX_ON_TILE: usize = 7;

/// The stages of a game. Before the trigger they depend on the largest inventory.
const PROGRESS: [&str; 7] = ["start", "early", "middle", "late", "near", "triggered", "extra"];
/// The number of turns in which a seat can still collect.
const TURNS: [&str; 4] = ["0", "1", "2", "many"];
/// The parts of a turn in which a seat decides.
const STATUS: [&str; 5] = ["waits", "turn", "collect", "columns", "overflow"];
/// The ways in which a seat can reach a tile.
const REACH: [&str; 3] = ["none", "pair", "single"];
/// The times at which a seat collects next.
const WHEN: [&str; 4] = ["later", "later_last", "now", "now_last"];
/// The place of a colour in a glassworks.
const COLOUR_CLASSES: [&str; 4] = ["grows", "full", "opens", "closed"];
/// Comparisons with the best other seat.
const STANDING: [&str; 5] = ["far_behind", "behind", "tied", "ahead", "far_ahead"];
/// The kinds of action, in the order of the notation.
const KINDS: [&str; 7] = super::action::ACTION_KINDS;
const PLACE: usize = 0;
const PAIR: usize = 1;
const DRAW: usize = 2;
const PASS: usize = 3;
const COLLECT: usize = 4;
const COLUMN: usize = 5;
const OVERFLOW: usize = 6;
/// The phases of the game.
const PHASES: [&str; 12] = [
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
];
const _: () = assert!(PHASES.len() == Phase::Over as usize);

/// The facts of the game, and the bits of each colour in the bag.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    seat: SeatGroups,
    view: ViewGroups,
    shared: SharedGroups,
    action: ActionGroups,
    bag_masks: [[u64; BAG_WORDS]; MAX_COLOURS],
    colours: usize,
}

/// Facts of a seat.
#[derive(Clone, Copy, Debug)]
struct SeatGroups {
    /// The height of each column: columns × heights from 1.
    height: FactGroup,
    /// A column without room: columns.
    full_column: FactGroup,
    /// One more piece in a column with room: gains × shares of its colour.
    growth: FactGroup,
    /// One more piece for a full column: shares of its colour.
    full_share: FactGroup,
    /// The next free column: gains × shares of the new colours.
    opening: FactGroup,
    /// New colours without a free column: their shares.
    closed_share: FactGroup,
    /// The number of spaces filled without a gap: rows × numbers from 1.
    row: FactGroup,
    /// A tile with pieces: ways to reach it × overflowing pieces × gains.
    tile: FactGroup,
    points: FactGroup,
    row_points: FactGroup,
    column_points: FactGroup,
    overflow: FactGroup,
    missing: FactGroup,
    /// The number of pieces in the satchel: turns × numbers.
    satchel: FactGroup,
    /// The number of different shapes: turns × numbers.
    shapes: FactGroup,
    /// The number of shapes with at least two pieces: turns × numbers.
    pairs: FactGroup,
    /// The highest gain from a tile in reach: times × gains.
    best: FactGroup,
    /// The second highest gain from a tile in reach: times × gains.
    second: FactGroup,
    /// The number of tiles in reach that do not lower the score.
    reachable: FactGroup,
    /// Statuses × turns.
    status: FactGroup,
}

/// Facts of the view of a seat.
#[derive(Clone, Copy, Debug)]
struct ViewGroups {
    /// Progress × leads.
    lead: FactGroup,
    /// The lead after each seat has collected its best tile: progress × leads.
    projected_lead: FactGroup,
    /// Progress × leads in pieces.
    inventory_lead: FactGroup,
    /// Standings × missing pieces.
    standing: FactGroup,
    /// The number of turns of others before the next one of the seat: end stages × numbers.
    wait: FactGroup,
    /// The place in the order of the round.
    order: FactGroup,
    /// The number of seats with a higher score.
    behind: FactGroup,
    /// A best tile that is also that of an earlier seat: the loss without it.
    contest: FactGroup,
    /// The highest gain of the next seat: reach of this seat to that tile × gains.
    next_best: FactGroup,
}

/// Facts that are the same for all seats.
#[derive(Clone, Copy, Debug)]
struct SharedGroups {
    players: FactGroup,
    phase: FactGroup,
    progress: FactGroup,
    round: FactGroup,
    bag: FactGroup,
    missing: FactGroup,
    lake: FactGroup,
    lake_shapes: FactGroup,
    lake_pairs: FactGroup,
    lake_closed: u16,
    due: FactGroup,
    /// A tile: places in the river × stones × pieces.
    tile: FactGroup,
    /// The highest number of pieces of one colour on a tile.
    same_colour: FactGroup,
}

/// Facts of an action.
#[derive(Clone, Copy, Debug)]
struct ActionGroups {
    /// Kinds × progress.
    kind: FactGroup,
    /// The gain of the action, or of the best collect after it: kinds × whether the turn is the
    /// last one × gains.
    gain: FactGroup,
    /// The gain of the other tile that can be collected after a placement.
    other_gain: FactGroup,
    /// The gain of the next seat from a tile that is collected.
    denied: FactGroup,
    /// The gain of the next seat from a tile that is placed on.
    gift: FactGroup,
    /// A placed piece: classes of its colour for the seat × for the next seat.
    placed: FactGroup,
    /// The number of pieces of the shape in the satchel: kinds × numbers.
    same_shape: FactGroup,
    /// The number of pieces left in the satchel: turns × numbers.
    left: FactGroup,
    /// A pair whose best tile one piece could reach.
    avoidable: u16,
    /// An action that triggers the end, or a placement whose best collect does: standings.
    triggers: FactGroup,
    /// A collected tile: progress × pieces that fit.
    fitting: FactGroup,
    /// A collected tile: progress × pieces that overflow.
    spill: FactGroup,
    /// The number of columns that a collect opens.
    opened: FactGroup,
    /// A collected tile: places in the river × stones of the tile that decides its refill.
    place: FactGroup,
    /// A new column: columns × shares of the colour.
    column_share: FactGroup,
    /// A new column: columns × pieces of the colour on the collected tile.
    column_count: FactGroup,
    /// A new column: the number of pieces of the colour on other tiles.
    column_on_river: FactGroup,
    /// New colours that a new column leaves without a free column.
    column_spill: FactGroup,
    /// A piece that overflows: the highest gain of a tile that it reaches.
    dropped_gain: FactGroup,
    /// A piece that stays in the lake: pieces of its shape in the satchel × in the lake.
    kept_shape: FactGroup,
    /// A piece that stays in the lake: the highest gain of a tile that it reaches.
    kept_gain: FactGroup,
    /// A draw: turns × pieces beyond the limit of the satchel.
    surplus: FactGroup,
    /// A draw: the number of different shapes in the satchel after it.
    drawn_shapes: FactGroup,
    /// A draw: the number of shapes with at least two pieces in the satchel after it.
    drawn_pairs: FactGroup,
}

/// Adds a fact for each combination of an option and a number from 0 to `max`. The thresholds of
/// the number are inputs with and without the option.
fn numbers_by<O: AsRef<str>>(
    block: &mut FactBlock,
    name: &str,
    key: &str,
    options: impl IntoIterator<Item = O>,
    max: usize,
) -> FactGroup {
    let options: Vec<_> = options.into_iter().collect();
    let options: Vec<_> = options.iter().map(AsRef::as_ref).collect();
    Scale::new(0, max as i32, 1).group_by(block, &options, |option| {
        vec![name.to_owned(), format!("{name}[{key}={option}]")]
    })
}

/// Adds a fact for each combination of an option and a level, with inputs as [`numbers_by`].
fn levels_by(
    block: &mut FactBlock,
    scale: Scale,
    name: &str,
    key: &str,
    options: &[&str],
) -> FactGroup {
    scale
        .group_by(block, options, |option| vec![name.to_owned(), format!("{name}[{key}={option}]")])
}

/// Returns the numbers from 1 as text.
fn numbered(count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(|number| number.to_string())
}

impl SeatGroups {
    fn new(block: &mut FactBlock) -> Self {
        let growth = Self::growth_group(block);
        Self {
            height: numbers_by(block, "height", "column", numbered(MAX_COLUMNS), MAX_ROWS),
            full_column: block.choice("full_column", 1..=MAX_COLUMNS),
            growth,
            full_share: SHARE.group(block, "full_column.share"),
            opening: Self::opening_group(block),
            closed_share: NEW_SHARE.group(block, "closed.share"),
            row: numbers_by(block, "filled", "row", numbered(MAX_ROWS), MAX_COLUMNS),
            tile: Self::tile_group(block),
            points: POINTS.group(block, "points"),
            row_points: PART.group(block, "row_points"),
            column_points: PART.group(block, "column_points"),
            overflow: block.number("overflow", 24),
            missing: MISSING.group(block, "missing"),
            satchel: numbers_by(block, "satchel", "turns", TURNS, MAX_SATCHEL),
            shapes: numbers_by(block, "shapes", "turns", TURNS, MAX_SHAPES),
            pairs: numbers_by(block, "pairs", "turns", TURNS, MAX_SATCHEL / 2),
            best: levels_by(block, GAIN, "best", "when", &WHEN),
            second: levels_by(block, GAIN, "second", "when", &WHEN),
            reachable: block.number("reachable", MAX_SHAPES as u32),
            status: Self::status_group(block),
        }
    }

    fn growth_group(block: &mut FactBlock) -> FactGroup {
        let column = block.input("growing_column");
        let mut facts = Vec::new();
        for gain in 0..GAIN.levels() {
            for share in 0..SHARE.levels() {
                let expected = EXPECTED.level(GAIN.value(gain) * SHARE.value(share));
                let mut inputs = vec![column];
                inputs.extend(GAIN.inputs(block, "growing_column.gain", gain));
                inputs.extend(SHARE.inputs(block, "growing_column.share", share));
                inputs.extend(EXPECTED.inputs(block, "growing_column.expected", expected));
                facts.push(inputs);
            }
        }
        block.group(facts)
    }

    fn opening_group(block: &mut FactBlock) -> FactGroup {
        let mut facts = Vec::new();
        for gain in 0..GAIN.levels() {
            for share in 0..NEW_SHARE.levels() {
                let mut inputs = vec![block.input("free_column")];
                inputs.extend(GAIN.inputs(block, "free_column.gain", gain));
                inputs.extend(NEW_SHARE.inputs(block, "free_column.share", share));
                facts.push(inputs);
            }
        }
        block.group(facts)
    }

    fn tile_group(block: &mut FactBlock) -> FactGroup {
        let mut facts = Vec::new();
        for reach in REACH {
            for spill in 0..=MAX_SPILL {
                for gain in 0..GAIN.levels() {
                    let mut inputs = vec![block.input(&format!("tile[reach={reach}]"))];
                    inputs.extend(GAIN.inputs(block, "tile.gain", gain));
                    let name = format!("tile[reach={reach}].gain");
                    inputs.extend(GAIN.inputs(block, &name, gain));
                    inputs.extend(
                        (1..=spill).map(|spill| block.input(&format!("tile.spill>={spill}"))),
                    );
                    facts.push(inputs);
                }
            }
        }
        block.group(facts)
    }

    fn status_group(block: &mut FactBlock) -> FactGroup {
        let mut facts = Vec::new();
        for status in STATUS {
            for turns in TURNS {
                facts.push(vec![
                    block.input(&format!("status={status}")),
                    block.input(&format!("turns={turns}")),
                    block.input(&format!("status={status},turns={turns}")),
                ]);
            }
        }
        block.group(facts)
    }
}

impl ViewGroups {
    fn new(block: &mut FactBlock) -> Self {
        let stages = ["open", "triggered", "extra"];
        Self {
            lead: levels_by(block, LEAD, "lead", "progress", &PROGRESS),
            projected_lead: levels_by(block, LEAD, "projected_lead", "progress", &PROGRESS),
            inventory_lead: levels_by(
                block,
                INVENTORY_LEAD,
                "inventory_lead",
                "progress",
                &PROGRESS,
            ),
            standing: levels_by(block, MISSING, "missing", "standing", &STANDING),
            wait: numbers_by(block, "wait", "end", stages, MAX_SEATS),
            order: block.choice("order", 0..MAX_SEATS),
            behind: block.number("seats_ahead", MAX_SEATS as u32 - 1),
            contest: Scale::new(0, 12, 1).group(block, "contested_gain"),
            next_best: levels_by(block, GAIN, "next_best", "reach", &REACH),
        }
    }
}

impl SharedGroups {
    fn new(block: &mut FactBlock) -> Self {
        let mut tiles = Vec::new();
        for place in 1..=MAX_SHAPES {
            for stones in 0..=MAX_STONES {
                for pieces in 0..=MAX_ON_TILE {
                    let mut inputs = vec![block.input(&format!("tile{place}"))];
                    for (name, count) in [("stones", stones), ("pieces", pieces)] {
                        for count in 1..=count {
                            inputs.push(block.input(&format!("tile.{name}>={count}")));
                            inputs.push(block.input(&format!("tile{place}.{name}>={count}")));
                        }
                    }
                    tiles.push(inputs);
                }
            }
        }
        Self {
            players: block.choice("players", 2..=MAX_SEATS),
            phase: block.choice("phase", PHASES),
            progress: block.choice("progress", PROGRESS),
            round: block.number("round", 20),
            bag: Scale::new(0, 160, 4).group(block, "bag"),
            missing: MISSING.group(block, "missing"),
            lake: block.number("lake", MAX_LAKE as u32),
            lake_shapes: block.number("lake_shapes", MAX_SHAPES as u32),
            lake_pairs: block.number("lake_pairs", MAX_LAKE as u32 / 2),
            lake_closed: block.flag("lake_closed"),
            due: block.number("pieces_due", 5),
            tile: block.group(tiles),
            same_colour: block.number("tile.same_colour", 4),
        }
    }
}

impl ActionGroups {
    fn new(block: &mut FactBlock) -> Self {
        let mut kinds = Vec::new();
        for kind in KINDS {
            for progress in PROGRESS {
                kinds.push(vec![
                    block.input(&format!("kind={kind}")),
                    block.input(&format!("kind={kind},progress={progress}")),
                ]);
            }
        }
        let mut gain_options = Vec::new();
        for kind in KINDS {
            gain_options.extend(["no", "yes"].map(|last| format!("{kind} {last}")));
        }
        let gain_options: Vec<_> = gain_options.iter().map(String::as_str).collect();
        let mut placed = Vec::new();
        for own in COLOUR_CLASSES {
            for next in COLOUR_CLASSES {
                placed.push(vec![
                    block.input(&format!("placed.own={own}")),
                    block.input(&format!("placed.next={next}")),
                    block.input(&format!("placed.own={own},next={next}")),
                ]);
            }
        }
        let mut kept = Vec::new();
        for held in 0..=MAX_HELD_OF_SHAPE {
            for others in 0..=MAX_HELD_OF_SHAPE {
                let mut inputs = vec![block.input("kept")];
                inputs.extend((1..=held).map(|count| block.input(&format!("kept.held>={count}"))));
                inputs.extend(
                    (1..=others).map(|count| block.input(&format!("kept.in_lake>={count}"))),
                );
                inputs.push(block.input(&format!("kept.held={held},in_lake={others}")));
                kept.push(inputs);
            }
        }
        Self {
            kind: block.group(kinds),
            gain: GAIN.group_by(block, &gain_options, |option| {
                let (kind, last) = option.split_once(' ').unwrap_or((option, "no"));
                vec![
                    "gain".to_owned(),
                    format!("gain[kind={kind}]"),
                    format!("gain[last_turn={last}]"),
                ]
            }),
            other_gain: GAIN.group(block, "other_gain"),
            denied: GAIN.group(block, "denied_gain"),
            gift: GAIN.group(block, "gift_gain"),
            placed: block.group(placed),
            same_shape: numbers_by(block, "same_shape", "kind", KINDS, MAX_HELD_OF_SHAPE),
            left: numbers_by(block, "satchel_left", "turns", TURNS, MAX_HELD),
            avoidable: block.flag("avoidable_pair"),
            triggers: block.choice("triggers", STANDING),
            fitting: numbers_by(block, "fitting", "progress", PROGRESS, MAX_ON_TILE),
            spill: numbers_by(block, "spill", "progress", PROGRESS, MAX_ON_TILE),
            opened: block.number("opened_columns", 4),
            place: numbers_by(block, "refill", "place", numbered(MAX_SHAPES), MAX_STONES),
            column_share: levels_by_column(block, SHARE, "new_column.share"),
            column_count: levels_by_column(block, Scale::new(0, 4, 1), "new_column.pieces"),
            column_on_river: block.number("new_column.on_river", 6),
            column_spill: block.number("new_column.spill", 4),
            dropped_gain: GAIN.group(block, "dropped.gain"),
            kept_shape: block.group(kept),
            kept_gain: GAIN.group(block, "kept.gain"),
            surplus: numbers_by(block, "surplus", "turns", TURNS, 6),
            drawn_shapes: block.number("drawn.shapes", MAX_SHAPES as u32),
            drawn_pairs: block.number("drawn.pairs", MAX_SATCHEL as u32 / 2),
        }
    }
}

/// The maximum number of pieces of one shape that is distinguished.
const MAX_HELD_OF_SHAPE: usize = 3;

/// Adds a fact for each combination of a column and a level.
fn levels_by_column(block: &mut FactBlock, scale: Scale, name: &str) -> FactGroup {
    let columns: Vec<_> = numbered(MAX_COLUMNS).collect();
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    levels_by(block, scale, name, "column", &columns)
}

impl Facts {
    /// Returns the facts of a game with these pieces, and their table.
    pub(super) fn new(pieces: &[PieceValues]) -> (Self, FactTable) {
        let mut table = FactTable::default();
        let mut bag_masks = [[0; BAG_WORDS]; MAX_COLOURS];
        let mut colours = 0;
        for piece in pieces {
            let colour = usize::from(piece.colour.0);
            bag_masks[colour][piece.word] |= piece.group;
            colours = colours.max(colour + 1);
        }
        let facts = Self {
            seat: SeatGroups::new(&mut table.seat),
            view: ViewGroups::new(&mut table.view),
            shared: SharedGroups::new(&mut table.shared),
            action: ActionGroups::new(&mut table.action),
            bag_masks,
            colours,
        };
        (facts, table)
    }
}

/// The columns of a seat with their points.
struct Glass<'a> {
    game: &'a Glassworks,
    columns: Columns,
    points: i32,
}

impl<'a> Glass<'a> {
    #[inline]
    fn new(game: &'a Glassworks, columns: Columns) -> Self {
        Self { game, columns, points: game.score(columns).total() }
    }

    /// Returns the gain in points from these pieces, and the columns with them.
    #[inline]
    fn gain(&self, pieces: u64) -> (i32, Columns) {
        let after = columns_with(self.game, self.columns, pieces);
        (self.game.score(after).total() - self.points, after)
    }

    /// Returns the number of these pieces that overflow.
    #[inline]
    fn spill(&self, after: Columns) -> u32 {
        after.overflow() - self.columns.overflow()
    }

    /// Returns the place of pieces of a colour.
    #[inline]
    fn colour_class(&self, colour: Colour) -> usize {
        match self.columns.column_of(colour) {
            Some(column) if self.columns.height(column) < self.game.rows => 0,
            Some(_) => 1,
            None if self.columns.len() < self.game.columns => 2,
            None => 3,
        }
    }
}

/// The gains in points from one more piece in a column.
struct PieceGains {
    heights: [usize; MAX_COLUMNS + 1],
    /// The height of the lowest column to the left of each column.
    lowest_before: [usize; MAX_COLUMNS + 1],
    /// The columns that score, bit c for column c.
    scored: u32,
    /// The last of the columns that score.
    last_scored: usize,
}

impl PieceGains {
    #[inline]
    fn new(game: &Glassworks, columns: Columns) -> Self {
        let mut heights = [0; MAX_COLUMNS + 1];
        let mut lowest_before = [0; MAX_COLUMNS + 1];
        let mut lowest = game.rows;
        for column in 0..game.columns {
            heights[column] = columns.height(column);
            lowest_before[column] = lowest;
            lowest = lowest.min(heights[column]);
        }
        lowest_before[game.columns] = lowest;
        let (mut scored, mut last_scored) = (0, 0);
        for column in game.tallest_columns(columns) {
            scored |= 1 << column;
            last_scored = column;
        }
        Self { heights, lowest_before, scored, last_scored }
    }

    /// Returns the gain from one more piece in a column with room.
    #[inline]
    fn gain(&self, game: &Glassworks, column: usize) -> i32 {
        let height = self.heights[column];
        let mut gain = 0;
        if height < self.lowest_before[column] {
            let mut end = column + 1;
            while end < game.columns && self.heights[end] > height {
                end += 1;
            }
            gain += game.row_points[end] - game.row_points[column];
        }
        let points = &game.column_points;
        if self.scored >> column & 1 == 1 {
            gain += points[column][height + 1] - points[column][height];
        } else if self.scored != 0 {
            let last = self.last_scored;
            if (height + 1, last) > (self.heights[last], column) {
                gain += points[column][height + 1] - points[last][self.heights[last]];
            }
        }
        gain
    }

    /// Returns the number of spaces of a row that are filled without a gap.
    #[inline]
    fn filled(&self, game: &Glassworks, row: usize) -> usize {
        (1..=game.columns).take_while(|&column| self.lowest_before[column] > row).count()
    }
}

/// The part of a position that is the same for the facts of all seats.
struct Context {
    /// The end stage, after the current turn if that triggers the end.
    stage: EndStage,
    /// True if the seat that decides can still collect in this turn.
    is_collecting: bool,
    progress: usize,
    /// The place in the river of each tile.
    places: [u8; MAX_SHAPES + 1],
}

impl Context {
    #[inline]
    fn new(game: &Glassworks, state: &State) -> Self {
        let trigger = game.data.glassworks.end_trigger.get();
        let stage = match state.end_stage {
            EndStage::NotTriggered
                if !state.phase.is_setup()
                    && state.columns(state.decider).inventory() >= trigger =>
            {
                EndStage::Triggered
            }
            stage => stage,
        };
        let progress = match stage {
            EndStage::NotTriggered => {
                let inventories = game.all_seats().map(|seat| state.columns(seat).inventory());
                let largest = inventories.max().unwrap_or(0);
                (largest * 5 / trigger.max(1)).min(4) as usize
            }
            EndStage::Triggered => 5,
            EndStage::ExtraRound => 6,
        };
        let is_collecting = matches!(state.phase, Phase::Turn | Phase::Collect | Phase::Columns);
        let mut places = [0; MAX_SHAPES + 1];
        for (place, shape) in state.river.iter().enumerate() {
            places[shape.index()] = place as u8;
        }
        Self { stage, is_collecting, progress, places }
    }

    /// Returns true if this seat can still collect in the current turn.
    #[inline]
    fn is_collecting(&self, state: &State, seat: Seat) -> bool {
        self.is_collecting && state.decider == seat
    }

    /// Returns the number of turns in which a seat can still collect, 3 before the trigger.
    #[inline]
    fn turns(&self, game: &Glassworks, state: &State, seat: Seat) -> usize {
        let in_this_round = steps(game, state.first_player, seat)
            > steps(game, state.first_player, state.decider)
            || self.is_collecting(state, seat);
        match self.stage {
            EndStage::NotTriggered => 3,
            EndStage::Triggered => 1 + usize::from(in_this_round),
            EndStage::ExtraRound => usize::from(in_this_round),
        }
    }

    /// Returns the number of turns of other seats before the next one of a seat.
    #[inline]
    fn wait(&self, game: &Glassworks, state: &State, seat: Seat) -> usize {
        let steps = steps(game, state.decider, seat);
        match (steps, self.is_collecting) {
            (0, true) => 0,
            (0, false) => game.players - 1,
            (_, true) => steps,
            (_, false) => steps - 1,
        }
    }
}

/// Returns the number of steps clockwise from one seat to another.
#[inline]
fn steps(game: &Glassworks, from: Seat, to: Seat) -> usize {
    let steps = to.index() + game.players - from.index();
    if steps >= game.players { steps - game.players } else { steps }
}

/// The shapes in a satchel.
#[derive(Clone, Copy, Default)]
struct Shapes {
    /// The number of pieces of each shape in 4 bits.
    counts: u32,
}

impl Shapes {
    #[inline]
    fn new(game: &Glassworks, pieces: Pieces) -> Self {
        let mut shapes = Self::default();
        pieces.iter().for_each(|piece| shapes.insert(game.piece(piece).shape));
        shapes
    }

    #[inline]
    const fn insert(&mut self, shape: Shape) {
        self.counts += 1 << (4 * shape.0);
    }

    #[inline]
    const fn count(self, shape: Shape) -> usize {
        (self.counts >> (4 * shape.0) & 15) as usize
    }

    /// Returns the lowest bit of the 4 bits of each shape with at least one piece.
    #[inline]
    const fn present(self) -> u32 {
        let any = self.counts | self.counts >> 2;
        (any | any >> 1) & 0x1111_1111
    }

    /// Returns the lowest bit of the 4 bits of each shape with at least two pieces.
    #[inline]
    const fn paired(self) -> u32 {
        let two = self.counts >> 1;
        (two | two >> 1 | two >> 2) & 0x1111_1111
    }

    /// Returns the places of the tiles next to the tile of a shape that is present.
    #[inline]
    fn reach(self, places: &[u8; MAX_SHAPES + 1]) -> u32 {
        let present = ones(self.present().into())
            .fold(0, |mask, bit| mask | 1 << places[bit as usize / 4 & MAX_SHAPES]);
        (present << 1) | (present >> 1)
    }
}

/// Results for a seat that views refer to.
#[derive(Clone, Copy, Default)]
struct Summary {
    points: i32,
    inventory: u32,
    missing: u32,
    turns: usize,
    best: i32,
    second: i32,
    /// The place of the best tile, or [`MAX_SHAPES`] if none gains points.
    best_place: usize,
    /// The places of the tiles that one piece reaches, and those that a pair reaches.
    reach: [u32; 2],
}

impl Facts {
    /// Lists the facts of a position.
    pub(super) fn list_position(
        &self,
        game: &Glassworks,
        state: &State,
        facts: &mut PositionFacts,
    ) {
        let context = Context::new(game, state);
        let bag = self.count_bag(state);
        let mut summaries = [Summary::default(); MAX_SEATS];
        for seat in game.all_seats() {
            summaries[seat.index()] =
                self.list_seat(game, state, &context, &bag, seat, &mut facts.seats[seat.index()]);
        }
        for seat in game.all_seats() {
            let list = &mut facts.views[seat.index()];
            self.list_view(game, state, &context, &summaries, seat, list);
        }
        self.list_shared(game, state, &context, &bag, &summaries, &mut facts.shared);
    }

    /// Returns the number of pieces of each colour in the bag.
    #[inline]
    fn count_bag(&self, state: &State) -> Bag {
        let mut bag = Bag::default();
        for (count, masks) in bag.counts.iter_mut().zip(&self.bag_masks[..self.colours]) {
            let words = state.bag.iter().zip(masks);
            *count = words.map(|(word, mask)| (word & mask).count_ones()).sum();
            bag.total += *count;
        }
        bag.share = (SHARE_UNITS << 16) / bag.total.max(1);
        bag
    }

    fn list_seat(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        bag: &Bag,
        seat: Seat,
        list: &mut FactList,
    ) -> Summary {
        let groups = &self.seat;
        let columns = state.columns(seat);
        let score = game.score(columns);
        let glass = Glass { game, columns, points: score.total() };
        let turns = context.turns(game, state, seat);
        let is_collecting = context.is_collecting(state, seat);

        let satchel = state.satchel(seat);
        let limit = game.data.play.satchel_limit.get() as usize;
        let overflows = state.phase == Phase::Overflow && state.decider == seat;
        let surplus = if overflows { satchel.len().saturating_sub(limit) } else { 0 };
        let penalty = game.data.glassworks.overflow_penalty.get();
        let points = score.total() - (surplus as u32 * penalty) as i32;
        let inventory = columns.inventory();
        let missing = game.data.glassworks.end_trigger.get().saturating_sub(inventory);

        list.push_choice(groups.points, POINTS.level(points));
        list.push_choice(groups.row_points, PART.level(score.rows));
        list.push_choice(groups.column_points, PART.level(score.columns));
        list.push_number(groups.overflow, columns.overflow() + surplus as u32);
        list.push_choice(groups.missing, MISSING.level(missing as i32));
        let status = if state.decider != seat {
            0
        } else {
            match state.phase {
                Phase::Turn => 1,
                Phase::Collect => 2,
                Phase::Columns => 3,
                Phase::Overflow => 4,
                _ => 0,
            }
        };
        list.push_choice(groups.status, status * TURNS.len() + turns);

        let mut summary =
            Summary { points, inventory, missing, turns, best_place: MAX_SHAPES, ..<_>::default() };
        self.list_columns(game, &glass, bag, list);
        if turns == 0 {
            return summary;
        }

        let shapes = Shapes::new(game, satchel);
        let held = (satchel.len() - surplus) as u32;
        push_count(list, groups.satchel, MAX_SATCHEL, turns, held);
        push_count(list, groups.shapes, MAX_SHAPES, turns, shapes.present().count_ones());
        push_count(list, groups.pairs, MAX_SATCHEL / 2, turns, shapes.paired().count_ones());

        let tiles = state.river.len();
        let all = (1 << tiles) - 1;
        let cursor = 1 << state.cursor;
        let pairs = if shapes.paired() == 0 { 0 } else { all };
        let is_forced = is_collecting && state.phase != Phase::Turn;
        summary.reach = match (state.phase, is_collecting) {
            (Phase::Collect, true) => [(cursor << 1 | cursor >> 1) & all, 0],
            (Phase::Columns, true) => [cursor, 0],
            // The tile that is being collected will be empty.
            (Phase::Columns, false) => {
                [shapes.reach(&context.places) & all & !cursor, pairs & !cursor]
            }
            _ => [shapes.reach(&context.places) & all, pairs],
        };
        // A seat that need not collect can gain nothing instead.
        let floor = if is_forced { GAIN.min } else { 0 };
        let (mut best, mut second, mut reachable) = (floor, floor, 0);
        for (place, shape) in state.river.iter().enumerate() {
            let pieces = state.tile(shape);
            let reach = if summary.reach[0] >> place & 1 == 1 {
                2
            } else {
                (summary.reach[1] >> place & 1) as usize
            };
            if pieces == 0 {
                if reach > 0 && best < 0 {
                    best = 0;
                }
                continue;
            }
            let (gain, after) = glass.gain(pieces);
            let spill = (glass.spill(after) as usize).min(MAX_SPILL);
            let index = (reach * (MAX_SPILL + 1) + spill) * GAIN.levels() + GAIN.level(gain);
            list.push_choice(groups.tile, index);
            if reach == 0 {
                continue;
            }
            reachable += u32::from(gain >= 0);
            if gain > best {
                second = best;
                best = gain;
                summary.best_place = place;
            } else {
                second = second.max(gain);
            }
        }
        let when = 2 * usize::from(is_collecting) + usize::from(turns == 1);
        list.push_choice(groups.best, when * GAIN.levels() + GAIN.level(best));
        list.push_choice(groups.second, when * GAIN.levels() + GAIN.level(second));
        list.push_number(groups.reachable, reachable);
        summary.best = best;
        summary.second = second;
        summary
    }

    #[inline]
    fn list_columns(&self, game: &Glassworks, glass: &Glass<'_>, bag: &Bag, list: &mut FactList) {
        let groups = &self.seat;
        let columns = glass.columns;
        let gains = PieceGains::new(game, columns);
        let open = columns.len();
        let mut with_column = 0;
        for column in 0..open {
            let colour = columns.colour(column);
            let count = bag.counts[usize::from(colour.0)];
            with_column += count;
            let share = SHARE.level(bag.share_of(count));
            let height = gains.heights[column];
            if height > 0 {
                list.push_choice(groups.height, column * (MAX_ROWS + 1) + height);
            }
            if height < game.rows {
                let gain = GAIN.level(gains.gain(game, column));
                list.push_choice(groups.growth, gain * SHARE.levels() + share);
            } else {
                list.push_choice(groups.full_column, column);
                list.push_choice(groups.full_share, share);
            }
        }
        let new_share = bag.share_of(bag.total - with_column) * 10 / SHARE_UNITS as i32;
        let new_share = NEW_SHARE.level(new_share);
        if open < game.columns {
            let gain = GAIN.level(gains.gain(game, open));
            list.push_choice(groups.opening, gain * NEW_SHARE.levels() + new_share);
        } else {
            list.push_choice(groups.closed_share, new_share);
        }
        for row in 0..gains.heights[0] {
            let filled = gains.filled(game, row);
            list.push_choice(groups.row, row * (MAX_COLUMNS + 1) + filled);
        }
    }

    fn list_view(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        summaries: &[Summary; MAX_SEATS],
        seat: Seat,
        list: &mut FactList,
    ) {
        let groups = &self.view;
        let own = &summaries[seat.index()];
        let projected =
            |summary: &Summary| summary.points + if summary.turns > 0 { summary.best } else { 0 };
        let wait = context.wait(game, state, seat);
        let (mut points, mut projection, mut inventory) = (i32::MIN, i32::MIN, 0);
        let (mut ahead, mut contested) = (0, false);
        for other in game.all_seats().filter(|&other| other != seat) {
            let summary = &summaries[other.index()];
            points = points.max(summary.points);
            projection = projection.max(projected(summary));
            inventory = inventory.max(summary.inventory);
            ahead += u32::from(summary.points > own.points);
            contested |=
                summary.best_place == own.best_place && context.wait(game, state, other) < wait;
        }
        let lead = own.points - points;
        let projected_lead = projected(own) - projection;
        let inventory_lead = own.inventory as i32 - inventory as i32;
        for (group, scale, value) in [
            (groups.lead, LEAD, lead),
            (groups.projected_lead, LEAD, projected_lead),
            (groups.inventory_lead, INVENTORY_LEAD, inventory_lead),
        ] {
            list.push_choice(group, context.progress * scale.levels() + scale.level(value));
        }
        let missing = MISSING.level(own.missing as i32);
        list.push_choice(groups.standing, standing(projected_lead) * MISSING.levels() + missing);
        let stage = context.stage as usize;
        push_count(list, groups.wait, MAX_SEATS, stage, wait as u32);
        list.push_choice(groups.order, steps(game, state.first_player, seat));
        list.push_number(groups.behind, ahead);
        if contested && own.best_place < MAX_SHAPES {
            let loss = (own.best - own.second).clamp(0, 12);
            list.push_choice(groups.contest, loss as usize);
        }
        let next = &summaries[seat.clockwise(1, game.players).index()];
        if next.best_place < MAX_SHAPES {
            let reach = if own.reach[0] >> next.best_place & 1 == 1 {
                2
            } else {
                (own.reach[1] >> next.best_place & 1) as usize
            };
            list.push_choice(groups.next_best, reach * GAIN.levels() + GAIN.level(next.best));
        }
    }

    fn list_shared(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        bag: &Bag,
        summaries: &[Summary; MAX_SEATS],
        list: &mut FactList,
    ) {
        let groups = &self.shared;
        list.push_choice(groups.players, game.players - 2);
        list.push_choice(groups.phase, (state.phase as usize).min(PHASES.len() - 1));
        list.push_choice(groups.progress, context.progress);
        list.push_number(groups.round, state.round());
        list.push_choice(groups.bag, Scale::new(0, 160, 4).level(bag.total as i32));
        let missing = game.all_seats().map(|seat| summaries[seat.index()].missing).min();
        list.push_choice(groups.missing, MISSING.level(missing.unwrap_or(0) as i32));
        let lake = state.lake();
        let shapes = Shapes::new(game, lake);
        list.push_number(groups.lake, lake.len() as u32);
        list.push_number(groups.lake_shapes, shapes.present().count_ones());
        list.push_number(groups.lake_pairs, shapes.paired().count_ones());
        if game.data.play.end_variant == EndVariant::Bga && context.stage != EndStage::NotTriggered
        {
            list.push(groups.lake_closed);
        }
        list.push_number(groups.due, state.pieces_due.into());
        for (place, shape) in state.river.iter().enumerate() {
            let (mut pieces, mut same) = (0, 0);
            for (_, count) in game.colour_counts(state.tile(shape)) {
                pieces += count;
                same = same.max(count);
            }
            let stones = game.stones[shape.index()].min(MAX_STONES);
            let index = (place * (MAX_STONES + 1) + stones) * (MAX_ON_TILE + 1);
            list.push_choice(groups.tile, index + pieces.min(MAX_ON_TILE));
            if same > 1 {
                list.push_number(groups.same_colour, same as u32);
            }
        }
    }

    /// Lists the facts of a legal action.
    pub(super) fn list_action(
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

/// The numbers of pieces in the bag.
#[derive(Default)]
struct Bag {
    counts: [u32; MAX_COLOURS + 1],
    total: u32,
    /// The share of one piece in units of [`SHARE_UNITS`], times 2^16.
    share: u32,
}

impl Bag {
    /// Returns the share of a number of pieces in units of [`SHARE_UNITS`], rounded.
    #[inline]
    const fn share_of(&self, count: u32) -> i32 {
        ((count * self.share + (1 << 15)) >> 16) as i32
    }
}

/// Returns the index of a lead in [`STANDING`].
#[inline]
const fn standing(lead: i32) -> usize {
    match lead {
        ..=-6 => 0,
        -5..=-1 => 1,
        0 => 2,
        1..=5 => 3,
        6.. => 4,
    }
}

/// Appends the fact of an option and a number; 0 needs no fact.
#[inline]
fn push_count(list: &mut FactList, group: FactGroup, max: usize, option: usize, count: u32) {
    if count > 0 {
        list.push_choice(group, option * (max + 1) + (count as usize).min(max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Document,
        game::{ActionSet as _, Features as _, Game as _, Turn, facts::MAX_FACTS},
        games::GameDefinition as _,
        rng::{Rng, random_below},
    };

    /// Returns the default data file with each text replaced by the one after it.
    fn edited(edits: &[(&str, &str)]) -> Document {
        let mut document = Glassworks::default_document();
        for (from, to) in edits {
            assert!(document.text.contains(from), "{from}");
            document.text = document.text.replacen(from, to, 1);
        }
        document
    }

    /// Returns data files with other numbers of columns, rows, shapes and colours, and other points.
    fn documents() -> [Document; 4] {
        let rows = "rows = 5 ";
        [
            Glassworks::default_document(),
            edited(&[
                ("columns = 7", "columns = 3"),
                (rows, "rows = 2"),
                ("scored_columns = 2", "scored_columns = 0"),
                ("overflow_penalty = 3", "overflow_penalty = 9"),
                ("end_trigger = 17", "end_trigger = 5"),
                ("lake_size = 5", "lake_size = 0"),
            ]),
            edited(&[
                ("[0, 7, 14, 21, 28, 35] ]", "[0, 7, 14, 21, 28, 35], [99, 7, 0, 999, 28, 35] ]"),
                ("[0, 1, 2, 4, 7, 11, 16, 22]", "[5, 0, 2, 4, 7, 11, 16, 22, 999]"),
                ("columns = 7", "columns = 8"),
                ("scored_columns = 2", "scored_columns = 8"),
                ("end_trigger = 17", "end_trigger = 255"),
                ("satchel_limit = 5", "satchel_limit = 2"),
                ("max_rounds = 60", "max_rounds = 255"),
                ("stones = 2", "stones = 15"),
            ]),
            edited(&[
                ("end_variant = \"rulebook\"", "end_variant = \"bga\""),
                ("lake_size = 5", "lake_size = 8"),
                ("lake_take = 4", "lake_take = 7"),
                ("stones = 1", "stones = 0"),
                ("id = \"orange\"", "id = \"amber\""),
            ]),
        ]
    }

    /// Plays a random game and calls a function for each position.
    fn play(game: &Glassworks, seed: u64, mut visit: impl FnMut(&State)) {
        let mut rng = Rng::new(u128::from(seed) << 1 | 1);
        let mut state = game.initial();
        loop {
            let action = match game.turn(&state) {
                Turn::Over => return,
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(_) => {
                    let actions = game.legal_actions(&state);
                    actions.nth(random_below(&mut rng, actions.len() as u32) as usize)
                }
            };
            visit(&state);
            game.apply(&mut state, action);
        }
    }

    fn assert_in_range(list: &FactList, block: &FactBlock) {
        let facts = list.as_slice();
        assert!(facts.len() < MAX_FACTS);
        assert!(facts.iter().all(|&fact| usize::from(fact) < block.facts().len()));
    }

    #[test]
    fn inputs_do_not_depend_on_data_or_players() {
        let inputs = |document: &Document, players| {
            let table = Glassworks::bind(document, players).unwrap().fact_table();
            table.blocks().map(|(_, block)| block.inputs().to_vec())
        };
        let default = inputs(&Glassworks::default_document(), 2);
        for document in documents() {
            for players in Glassworks::PLAYERS {
                assert_eq!(inputs(&document, players), default);
            }
        }
    }

    #[test]
    fn facts_of_random_games_are_in_the_table() {
        let mut facts = PositionFacts::default();
        let mut list = FactList::default();
        for document in documents() {
            for players in Glassworks::PLAYERS {
                let game = Glassworks::bind(&document, players).unwrap();
                let table = game.fact_table();
                for seed in 0..4 {
                    play(&game, seed, |state| {
                        facts.clear();
                        game.position_facts(state, &mut facts);
                        assert_in_range(&facts.shared, &table.shared);
                        for seat in 0..MAX_SEATS {
                            assert_in_range(&facts.seats[seat], &table.seat);
                            assert_in_range(&facts.views[seat], &table.view);
                        }
                        if let Turn::Seat(seat) = game.turn(state) {
                            for action in game.legal_actions(state).iter() {
                                list.clear();
                                game.action_facts(state, seat, action, &mut list);
                                assert_in_range(&list, &table.action);
                            }
                        }
                    });
                }
            }
        }
    }

    /// Returns the names of the inputs of a list.
    fn inputs_of<'a>(list: &FactList, block: &'a FactBlock) -> Vec<&'a str> {
        let facts = list.as_slice().iter().flat_map(|&fact| &block.facts()[usize::from(fact)]);
        facts.map(|&input| block.inputs()[usize::from(input)].as_str()).collect()
    }

    /// Returns true if the thresholds `name>=…` among the inputs are those of the value.
    fn has_level(inputs: &[&str], name: &str, scale: Scale, value: i32) -> bool {
        let holds = |level: usize| {
            let input = format!("{name}>={}", scale.value(level));
            inputs.contains(&input.as_str())
        };
        (1..scale.levels()).all(|level| holds(level) == (level <= scale.level(value)))
    }

    #[test]
    fn gains_of_actions_are_differences_of_scores() {
        let mut list = FactList::default();
        for document in documents() {
            let game = Glassworks::bind(&document, 3).unwrap();
            let table = game.fact_table();
            for seed in 0..4 {
                play(&game, seed, |state| {
                    if !matches!(state.phase, Phase::Collect | Phase::Columns) {
                        return;
                    }
                    let seat = state.decider;
                    let points = |state: &State| game.score(state.columns(seat)).total();
                    for action in game.legal_actions(state).iter() {
                        let mut after = *state;
                        game.apply(&mut after, action);
                        // The last new colour is added with the one before it, and a collect
                        // is not finished while columns are chosen.
                        if (after.phase == Phase::Columns) != (state.phase == Phase::Columns) {
                            continue;
                        }
                        list.clear();
                        game.action_facts(state, seat, action, &mut list);
                        let inputs = inputs_of(&list, &table.action);
                        let gain = points(&after) - points(state);
                        assert!(has_level(&inputs, "gain", GAIN, gain), "{action:?} {inputs:?}");
                    }
                });
            }
        }
    }

    #[test]
    fn gains_of_single_pieces_are_differences_of_scores() {
        for document in documents() {
            let game = Glassworks::bind(&document, 3).unwrap();
            for seed in 0..4 {
                play(&game, seed, |state| {
                    let columns = state.columns(Seat::new(0));
                    let gains = PieceGains::new(&game, columns);
                    for column in 0..columns.len() {
                        if columns.height(column) < game.rows {
                            let mut after = columns;
                            after.grow(column, 1);
                            let gain = game.score(after).total() - game.score(columns).total();
                            assert_eq!(gains.gain(&game, column), gain, "{columns:?} {column}");
                        }
                    }
                });
            }
        }
    }
}
