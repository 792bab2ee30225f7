//! The groups of facts of River Valley Glassworks, and the inputs that describe them.

use super::super::{
    action::ACTION_KINDS,
    components::{MAX_COLUMNS, MAX_HELD, MAX_LAKE, MAX_ROWS, MAX_SATCHEL, MAX_SHAPES},
    state::Phase,
};
use watershed_engine::game::{
    MAX_SEATS,
    facts::{FactBlock, FactGroup, FactList},
};

/// A range of values. Values beyond it count as its ends.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) min: i32,
    pub(super) max: i32,
    pub(super) step: i32,
}

impl Scale {
    pub(super) const fn new(min: i32, max: i32, step: i32) -> Self {
        Self { min, max, step }
    }

    /// Returns the number of levels.
    pub(super) const fn levels(self) -> usize {
        ((self.max - self.min) / self.step + 1) as usize
    }

    /// Returns the level of a value.
    #[inline]
    pub(super) fn level(self, value: i32) -> usize {
        ((value.clamp(self.min, self.max) - self.min) / self.step) as usize
    }

    /// Returns the lowest value of a level.
    pub(super) const fn value(self, level: usize) -> i32 {
        self.min + level as i32 * self.step
    }

    /// Adds a fact for each level.
    pub(super) fn group(self, block: &mut FactBlock, name: &str) -> FactGroup {
        self.group_by(block, &[""], |_| vec![name.to_owned()])
    }

    /// Adds a fact for each combination of an option and a level. The thresholds of the level are
    /// inputs under each of the names of the option.
    pub(super) fn group_by(
        self,
        block: &mut FactBlock,
        options: &[&str],
        names: impl Fn(&str) -> Vec<String>,
    ) -> FactGroup {
        let mut inputs = |name: &String| Thresholds::new(self, name).up_to_last(block);
        let thresholds: Vec<Vec<_>> =
            options.iter().map(|option| names(option).iter().map(&mut inputs).collect()).collect();
        let mut facts = Vec::new();
        for thresholds in &thresholds {
            for level in 0..self.levels() {
                facts
                    .push(thresholds.iter().flat_map(|inputs| &inputs[..level]).copied().collect());
            }
        }
        block.group(facts)
    }
}

/// The inputs `name>=value` of a scale for each value from the second level on. Each is added when
/// it is first needed.
struct Thresholds<'a> {
    scale: Scale,
    name: &'a str,
    inputs: Vec<u16>,
}

impl<'a> Thresholds<'a> {
    const fn new(scale: Scale, name: &'a str) -> Self {
        Self { scale, name, inputs: Vec::new() }
    }

    /// Returns the inputs of a level.
    fn up_to(&mut self, block: &mut FactBlock, level: usize) -> &[u16] {
        while self.inputs.len() < level {
            let value = self.scale.value(self.inputs.len() + 1);
            self.inputs.push(block.input(&format!("{}>={value}", self.name)));
        }
        &self.inputs[..level]
    }

    /// Returns the inputs of the last level.
    fn up_to_last(mut self, block: &mut FactBlock) -> Vec<u16> {
        self.up_to(block, self.scale.levels() - 1);
        self.inputs
    }
}

/// Points gained or lost at once.
pub(super) const GAIN: Scale = Scale::new(-9, 24, 1);
/// The total points of a seat.
pub(super) const POINTS: Scale = Scale::new(-20, 150, 2);
/// The points of the rows or of the columns of a seat.
pub(super) const PART: Scale = Scale::new(0, 90, 2);
/// The lead of a seat in points over the best other seat.
pub(super) const LEAD: Scale = Scale::new(-30, 30, 1);
/// The lead of a seat in pieces over the largest other inventory.
pub(super) const INVENTORY_LEAD: Scale = Scale::new(-10, 10, 1);
/// The number of pieces missing for the trigger of the end.
pub(super) const MISSING: Scale = Scale::new(0, 18, 1);
/// The share of a colour among the pieces in the bag, in units of 2.5 %.
pub(super) const SHARE: Scale = Scale::new(0, 10, 1);
/// The number of units of [`SHARE`] in the whole bag.
pub(super) const SHARE_UNITS: u32 = 40;
/// The share of colours without a column among the pieces in the bag, in tenths.
pub(super) const NEW_SHARE: Scale = Scale::new(0, 10, 1);
/// The product of the points of a piece and the share of its colour.
pub(super) const EXPECTED: Scale = Scale::new(-40, 120, 4);
/// The number of pieces in the bag.
pub(super) const BAG: Scale = Scale::new(0, 160, 4);
/// The maximum number of overflowing pieces that are distinguished.
pub(super) const MAX_SPILL: usize = 3;
/// The maximum number of stones on a tile that is distinguished.
pub(super) const MAX_STONES: usize = 4;
/// The maximum number of pieces on a tile that is distinguished.
pub(super) const MAX_ON_TILE: usize = 7;

/// The stages of a game. Before the trigger they depend on the largest inventory.
pub(super) const PROGRESS: [&str; 7] =
    ["start", "early", "middle", "late", "near", "triggered", "extra"];
/// The number of turns in which a seat can still collect.
pub(super) const TURNS: [&str; 4] = ["0", "1", "2", "many"];
/// The parts of a turn in which a seat decides.
pub(super) const STATUS: [&str; 5] = ["waits", "turn", "collect", "columns", "overflow"];
/// The ways in which a seat can reach a tile.
pub(super) const REACH: [&str; 3] = ["none", "pair", "single"];
/// The times at which a seat collects next.
pub(super) const WHEN: [&str; 4] = ["later", "later_last", "now", "now_last"];
/// The place of a colour in a glassworks.
pub(super) const COLOUR_CLASSES: [&str; 4] = ["grows", "full", "opens", "closed"];
/// Comparisons with the best other seat.
pub(super) const STANDING: [&str; 5] = ["far_behind", "behind", "tied", "ahead", "far_ahead"];
/// The kinds of action, in the order of the notation.
pub(super) const KINDS: [&str; 7] = ACTION_KINDS;
pub(super) const PLACE: usize = 0;
pub(super) const PAIR: usize = 1;
pub(super) const DRAW: usize = 2;
pub(super) const PASS: usize = 3;
pub(super) const COLLECT: usize = 4;
pub(super) const COLUMN: usize = 5;
pub(super) const OVERFLOW: usize = 6;
/// The phases of the game.
pub(super) const PHASES: [&str; 12] = [
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

/// Facts of a seat.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeatGroups {
    /// A column: columns × heights × shares of its colour.
    pub(super) height: FactGroup,
    /// One more piece in a column with room: gains × shares of its colour.
    pub(super) growth: FactGroup,
    /// A column without room: columns × shares of its colour.
    pub(super) full: FactGroup,
    /// The next free column: gains × shares of the new colours.
    pub(super) opening: FactGroup,
    /// New colours without a free column: their shares.
    pub(super) closed_share: FactGroup,
    /// The number of spaces filled without a gap: rows × numbers from 1.
    pub(super) row: FactGroup,
    /// A tile with pieces: ways to reach it × overflowing pieces × gains.
    pub(super) tile: FactGroup,
    pub(super) points: FactGroup,
    pub(super) row_points: FactGroup,
    pub(super) column_points: FactGroup,
    pub(super) overflow: FactGroup,
    pub(super) missing: FactGroup,
    /// The number of pieces in the satchel: turns × numbers.
    pub(super) satchel: FactGroup,
    /// The number of different shapes: turns × numbers.
    pub(super) shapes: FactGroup,
    /// The number of shapes with at least two pieces: turns × numbers.
    pub(super) pairs: FactGroup,
    /// The highest gain from a tile in reach: times × gains.
    pub(super) best: FactGroup,
    /// The second highest gain from a tile in reach: times × gains.
    pub(super) second: FactGroup,
    /// The number of tiles in reach that do not lower the score.
    pub(super) reachable: FactGroup,
    /// Statuses × turns.
    pub(super) status: FactGroup,
}

/// Facts of the view of a seat.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewGroups {
    /// Progress × leads.
    pub(super) lead: FactGroup,
    /// The lead after each seat has collected its best tile: progress × leads.
    pub(super) projected_lead: FactGroup,
    /// Progress × leads in pieces.
    pub(super) inventory_lead: FactGroup,
    /// Standings × missing pieces.
    pub(super) standing: FactGroup,
    /// The number of turns of others before the next one of the seat: end stages × numbers.
    pub(super) wait: FactGroup,
    /// The place in the order of the round.
    pub(super) order: FactGroup,
    /// The number of seats with a higher score.
    pub(super) behind: FactGroup,
    /// A best tile that is also that of an earlier seat: the loss without it.
    pub(super) contest: FactGroup,
    /// The highest gain of the next seat: reach of this seat to that tile × gains.
    pub(super) next_best: FactGroup,
}

/// Facts that are the same for all seats.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedGroups {
    pub(super) players: FactGroup,
    pub(super) phase: FactGroup,
    pub(super) progress: FactGroup,
    pub(super) round: FactGroup,
    pub(super) bag: FactGroup,
    pub(super) missing: FactGroup,
    pub(super) lake: FactGroup,
    pub(super) lake_shapes: FactGroup,
    pub(super) lake_pairs: FactGroup,
    pub(super) lake_closed: u16,
    pub(super) due: FactGroup,
    /// A tile: places in the river × stones × pieces.
    pub(super) tile: FactGroup,
    /// The highest number of pieces of one colour on a tile.
    pub(super) same_colour: FactGroup,
}

/// Facts of an action.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActionGroups {
    /// Kinds × progress.
    pub(super) kind: FactGroup,
    /// The gain of the action, or of the best collect after it: kinds × whether the turn is the
    /// last one × gains.
    pub(super) gain: FactGroup,
    /// The gain of the other tile that can be collected after a placement.
    pub(super) other_gain: FactGroup,
    /// The gain of the next seat from a tile that is collected.
    pub(super) denied: FactGroup,
    /// The gain of the next seat from a tile that is placed on.
    pub(super) gift: FactGroup,
    /// A placed piece: classes of its colour for the seat × for the next seat.
    pub(super) placed: FactGroup,
    /// The number of pieces of the shape in the satchel: kinds × numbers.
    pub(super) same_shape: FactGroup,
    /// The number of pieces left in the satchel: turns × numbers.
    pub(super) left: FactGroup,
    /// A pair whose best tile one piece could reach.
    pub(super) avoidable: u16,
    /// An action that triggers the end, or a placement whose best collect does: standings.
    pub(super) triggers: FactGroup,
    /// A collected tile: progress × pieces that fit.
    pub(super) fitting: FactGroup,
    /// A collected tile: progress × pieces that overflow.
    pub(super) spill: FactGroup,
    /// The number of columns that a collect opens.
    pub(super) opened: FactGroup,
    /// A collected tile: places in the river × stones of the tile that decides its refill.
    pub(super) place: FactGroup,
    /// A new column: columns × shares of the colour.
    pub(super) column_share: FactGroup,
    /// A new column: columns × pieces of the colour on the collected tile.
    pub(super) column_count: FactGroup,
    /// A new column: the number of pieces of the colour on other tiles.
    pub(super) column_on_river: FactGroup,
    /// New colours that a new column leaves without a free column.
    pub(super) column_spill: FactGroup,
    /// A piece that overflows: the highest gain of a tile that it reaches.
    pub(super) dropped_gain: FactGroup,
    /// A piece that stays in the lake: pieces of its shape in the satchel × in the lake.
    pub(super) kept_shape: FactGroup,
    /// A piece that stays in the lake: the highest gain of a tile that it reaches.
    pub(super) kept_gain: FactGroup,
    /// A draw: turns × pieces beyond the limit of the satchel.
    pub(super) surplus: FactGroup,
    /// A draw: the number of different shapes in the satchel after it.
    pub(super) drawn_shapes: FactGroup,
    /// A draw: the number of shapes with at least two pieces in the satchel after it.
    pub(super) drawn_pairs: FactGroup,
}

/// Adds a fact for each combination of an option and a number from 0 to `max`. The thresholds of
/// the number are inputs with and without the option.
pub(super) fn numbers_by<O: AsRef<str>>(
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
pub(super) fn levels_by(
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
pub(super) fn numbered(count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(|number| number.to_string())
}

impl SeatGroups {
    pub(super) fn new(block: &mut FactBlock) -> Self {
        let growth = Self::growth_group(block);
        Self {
            height: Self::height_group(block),
            growth,
            full: Self::full_group(block),
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

    pub(super) fn height_group(block: &mut FactBlock) -> FactGroup {
        let scale = Scale::new(0, MAX_ROWS as i32, 1);
        let mut heights = Thresholds::new(scale, "height");
        let mut facts = Vec::new();
        for column in 1..=MAX_COLUMNS {
            let height_name = format!("height[column={column}]");
            let mut column_heights = Thresholds::new(scale, &height_name);
            let share_name = format!("share[column={column}]");
            let mut shares = Thresholds::new(SHARE, &share_name);
            for height in 0..=MAX_ROWS {
                for share in 0..SHARE.levels() {
                    let mut inputs = heights.up_to(block, height).to_vec();
                    inputs.extend(column_heights.up_to(block, height));
                    inputs.extend(shares.up_to(block, share));
                    facts.push(inputs);
                }
            }
        }
        block.group(facts)
    }

    pub(super) fn growth_group(block: &mut FactBlock) -> FactGroup {
        let column = block.input("growing_column");
        let mut gains = Thresholds::new(GAIN, "growing_column.gain");
        let mut shares = Thresholds::new(SHARE, "growing_column.share");
        let mut products = Thresholds::new(EXPECTED, "growing_column.expected");
        let mut facts = Vec::new();
        for gain in 0..GAIN.levels() {
            for share in 0..SHARE.levels() {
                let expected = EXPECTED.level(GAIN.value(gain) * SHARE.value(share));
                let mut inputs = vec![column];
                inputs.extend(gains.up_to(block, gain));
                inputs.extend(shares.up_to(block, share));
                inputs.extend(products.up_to(block, expected));
                facts.push(inputs);
            }
        }
        block.group(facts)
    }

    pub(super) fn full_group(block: &mut FactBlock) -> FactGroup {
        let mut shares = Thresholds::new(SHARE, "full_column.share");
        let mut facts = Vec::new();
        for column in 1..=MAX_COLUMNS {
            for share in 0..SHARE.levels() {
                let mut inputs = vec![block.input(&format!("full_column={column}"))];
                inputs.extend(shares.up_to(block, share));
                facts.push(inputs);
            }
        }
        block.group(facts)
    }

    pub(super) fn opening_group(block: &mut FactBlock) -> FactGroup {
        let mut gains = Thresholds::new(GAIN, "free_column.gain");
        let mut shares = Thresholds::new(NEW_SHARE, "free_column.share");
        let mut facts = Vec::new();
        for gain in 0..GAIN.levels() {
            for share in 0..NEW_SHARE.levels() {
                let mut inputs = vec![block.input("free_column")];
                inputs.extend(gains.up_to(block, gain));
                inputs.extend(shares.up_to(block, share));
                facts.push(inputs);
            }
        }
        block.group(facts)
    }

    pub(super) fn tile_group(block: &mut FactBlock) -> FactGroup {
        let mut gains = Thresholds::new(GAIN, "tile.gain");
        let mut facts = Vec::new();
        for reach in REACH {
            let name = format!("tile[reach={reach}].gain");
            let mut gains_in_reach = Thresholds::new(GAIN, &name);
            for spill in 0..=MAX_SPILL {
                for gain in 0..GAIN.levels() {
                    let mut inputs = vec![block.input(&format!("tile[reach={reach}]"))];
                    inputs.extend(gains.up_to(block, gain));
                    inputs.extend(gains_in_reach.up_to(block, gain));
                    inputs.extend(
                        (1..=spill).map(|spill| block.input(&format!("tile.spill>={spill}"))),
                    );
                    facts.push(inputs);
                }
            }
        }
        block.group(facts)
    }

    pub(super) fn status_group(block: &mut FactBlock) -> FactGroup {
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
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
            bag: BAG.group(block, "bag"),
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
    pub(super) fn new(block: &mut FactBlock) -> Self {
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
pub(super) const MAX_HELD_OF_SHAPE: usize = 3;

/// Adds a fact for each combination of a column and a level.
pub(super) fn levels_by_column(block: &mut FactBlock, scale: Scale, name: &str) -> FactGroup {
    let columns: Vec<_> = numbered(MAX_COLUMNS).collect();
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    levels_by(block, scale, name, "column", &columns)
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

/// Appends the fact of an option and a number; 0 needs no fact.
#[inline]
pub(super) fn push_count(
    list: &mut FactList,
    group: FactGroup,
    max: usize,
    option: usize,
    count: u32,
) {
    if count > 0 {
        list.push_choice(group, option * (max + 1) + (count as usize).min(max));
    }
}
