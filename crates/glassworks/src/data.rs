//! The data file of River Valley Glassworks, as in `configs/glassworks.toml`, and the checks that
//! its values are within the rules and the capacity of the packed position.

use std::ops::RangeInclusive;

use super::components::{
    BAG_WORDS, Colour, MAX_COLOURS, MAX_COLUMNS, MAX_HELD, MAX_KINDS, MAX_LAKE, MAX_PIECES,
    MAX_ROWS, MAX_SATCHEL, MAX_SHAPES, MAX_STONES, Piece, Shape, TILE_BITS,
};
use watershed_engine::{
    config::{BoundedInteger, ConfigError, DisplayName, Document, Id, first_duplicate},
    game::PerSeat,
    games::{
        GameData,
        labels::name_or_id,
        player_range::{ByPlayers, PlayerRange, check_start},
        targets::Targets,
    },
    keys, names,
};

/// The number of pieces in the notation of pairs.
const PAIR_SIZE: u32 = 2;

keys! {
    /// A whole data file.
    pub struct Data {
        /// The game's name.
        pub name: DisplayName,
        /// The sources of the values. Every report shows it.
        pub provenance: DisplayName,
        /// The range of numbers of players.
        pub players: PlayerRange<2, 5>,
        /// The intended ranges of metrics, which do not affect play.
        pub targets: Targets = Targets::default(),
        /// The values of a glassworks and its score.
        pub glassworks: GlassworksValues,
        /// Numbers in the rules.
        pub play: PlayValues,
        /// The values by number of players; not in the printed game.
        pub setup: ByPlayers<SetupValues, 2, 5> = ByPlayers::new(),
        /// The shapes and their river tiles.
        pub shape: Vec<ShapeEntry>,
        /// The colours.
        pub color: Vec<ColourEntry>,
    }
}

/// A number of points.
pub type Points = BoundedInteger<0, 999>;

keys! {
    /// The values of a glassworks and its score. The rules refer to them by these names. Lists of
    /// points may have more entries than there are columns and rows.
    pub struct GlassworksValues {
        /// Columns of a glassworks.
        pub columns: BoundedInteger<1, { MAX_COLUMNS as i64 }>,
        /// Rows of a glassworks.
        pub rows: BoundedInteger<1, { MAX_ROWS as i64 }>,
        /// Points of a row by spaces filled from the left, from 0.
        pub row_points: Vec<Points>,
        /// For each column from the left its points by height, from 0.
        pub column_points: Vec<Vec<Points>>,
        /// Columns that score.
        pub scored_columns: BoundedInteger<0, { MAX_COLUMNS as i64 }>,
        /// Points lost for a piece of overflow.
        pub overflow_penalty: BoundedInteger<0, 99>,
        /// Inventory that triggers the end.
        pub end_trigger: BoundedInteger<0, 255>,
    }

    /// Numbers in the rules, which refer to them by these names.
    pub struct PlayValues {
        /// Pieces in a satchel after a draw.
        pub satchel_limit: BoundedInteger<0, { MAX_HELD as i64 }>,
        /// Pieces in a satchel at the start.
        pub satchel_start: BoundedInteger<0, { MAX_HELD as i64 }>,
        /// Pieces in the lake.
        pub lake_size: BoundedInteger<0, { MAX_LAKE as i64 }>,
        /// Pieces taken from the lake.
        pub lake_take: BoundedInteger<1, { MAX_LAKE as i64 }>,
        /// Pieces of one shape that go onto any tile; other numbers are refused.
        pub pair_size: BoundedInteger<0, 255>,
        /// Rule for the end of the game.
        pub end_variant: EndVariant,
        /// Pieces to which satchels are filled with `bga`.
        pub bga_topup: BoundedInteger<0, { MAX_HELD as i64 }>,
        /// Round limit of the program, not a rule.
        pub max_rounds: BoundedInteger<1, 255>,
    }

    /// The values for one number of players.
    pub struct SetupValues {
        /// The pieces and points of each turn position at the start, from the first player on.
        pub start: Vec<StartGoods> = Vec::new(),
    }

    /// The points that a turn position has at the start.
    pub struct StartGoods {
        /// Points of the position.
        pub points: Points = Points::default(),
    }
}

names! {
    /// The rule for the end of the game (§5).
    pub enum EndVariant {
        /// After the trigger, the round is finished and one more is played.
        Rulebook = "rulebook",
        /// In addition, satchels are filled after the trigger, and no seat can draw from the lake.
        Bga = "bga",
    }
}

keys! {
    /// A shape and its river tile.
    pub struct ShapeEntry {
        /// The identifier in notations and tables.
        pub id: Id,
        /// The name for people; made of the identifier if there is none.
        pub name: Option<DisplayName>,
        /// The number of stones printed on the tile.
        pub stones: BoundedInteger<0, { MAX_STONES as i64 }>,
    }

    /// A colour of glass.
    pub struct ColourEntry {
        /// The identifier in notations and tables.
        pub id: Id,
        /// The name for people; made of the identifier if there is none.
        pub name: Option<DisplayName>,
        /// The number of pieces of each shape.
        pub pieces: Vec<BoundedInteger<0, { MAX_PIECES as i64 }>>,
        /// The minimum number of players with which the colour takes part.
        pub min_players: BoundedInteger<0, 99> = BoundedInteger::default(),
    }
}

impl ShapeEntry {
    /// Returns the name for people.
    pub fn label(&self) -> String {
        name_or_id(self.name.as_ref(), &self.id)
    }
}

impl ColourEntry {
    /// Returns the name for people.
    pub fn label(&self) -> String {
        name_or_id(self.name.as_ref(), &self.id)
    }

    /// Returns the number of pieces of the colour.
    pub fn total(&self) -> u32 {
        self.pieces.iter().map(|count| count.get()).sum()
    }
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }

    fn check(&self, document: &Document) -> Result<(), ConfigError> {
        self.players.check(document)?;
        let shapes = self.shape.len();
        document.check_count("shape", 2..=MAX_SHAPES, shapes)?;
        document.check_count("color", 1..=MAX_COLOURS, self.color.len())?;
        document.check_unique_ids("shape", self.shape.iter().map(|shape| &shape.id))?;
        document.check_unique_ids("color", self.color.iter().map(|colour| &colour.id))?;
        self.check_points(document)?;
        self.check_play(document)?;
        for (&players, setup) in &self.setup {
            check_start(document, players.get(), setup.start.len())?;
        }
        for (index, colour) in self.color.iter().enumerate() {
            let found = colour.pieces.len();
            let message = format!("expected {shapes} entries, one for each shape, found {found}");
            document.check(found == shapes, &format!("color[{index}].pieces"), message)?;
        }
        (self.players.min.get()..=self.players.max.get())
            .rev()
            .try_for_each(|players| self.check_pieces(document, players as usize))
    }
}

impl Data {
    /// Returns the points at the start by turn position.
    pub(super) fn start_points(&self, players: usize) -> PerSeat<i32> {
        let start = self.setup.get(&players).map_or(&[][..], |setup| &setup.start);
        std::array::from_fn(|position| {
            start.get(position).map_or(0, |entry| entry.points.get() as i32)
        })
    }

    /// Returns the colours that take part with this number of players.
    pub fn colours(&self, players: usize) -> impl Iterator<Item = &ColourEntry> {
        self.color.iter().filter(move |colour| colour.min_players.get() as usize <= players)
    }

    fn check_points(&self, document: &Document) -> Result<(), ConfigError> {
        let values = &self.glassworks;
        let (columns, rows) = (values.columns.get() as usize, values.rows.get() as usize);
        let check_min = |key: &str, min: usize, entries: &str, found: usize| {
            let message = format!("expected at least {min} {entries}, found {found}");
            document.check(found >= min, &format!("glassworks.{key}"), message)
        };
        let spaces = "entries, for 0 spaces up to all columns";
        check_min("row_points", columns + 1, spaces, values.row_points.len())?;
        let lists = "lists, one for each column";
        check_min("column_points", columns, lists, values.column_points.len())?;
        for (column, points) in values.column_points.iter().take(columns).enumerate() {
            let heights = "entries, for height 0 up to all rows";
            check_min(&format!("column_points[{column}]"), rows + 1, heights, points.len())?;
        }
        Ok(())
    }

    fn check_play(&self, document: &Document) -> Result<(), ConfigError> {
        let play = &self.play;
        let (size, take) = (play.lake_size.get() as usize, play.lake_take.get() as usize);
        let found = play.pair_size.get();
        let message =
            format!("expected {PAIR_SIZE}, because the notation names two pieces, found {found}");
        document.check(found == PAIR_SIZE, "play.pair_size", message)?;
        let message = format!(
            "expected at most {}, one more than `lake_take`, because the notation names one \
                piece, found {size}",
            take + 1
        );
        document.check(size <= take + 1, "play.lake_size", message)?;
        for (key, held) in
            [("play.satchel_limit", play.satchel_limit), ("play.satchel_start", play.satchel_start)]
        {
            let sum = held.get() as usize + take.min(size);
            let message = format!(
                "expected at most {MAX_SATCHEL} pieces together with those drawn from the lake, \
                    found up to {sum}"
            );
            document.check(sum <= MAX_SATCHEL, key, message)?;
        }
        Ok(())
    }

    fn check_pieces(&self, document: &Document, players: usize) -> Result<(), ConfigError> {
        let pieces = self.pieces(players);
        let check_max = |found: u32, max: u32, counted: &str| {
            let message = format!("expected at most {max} {counted}, found {found}");
            document.check(found <= max, "color", message)
        };
        if let Some((index, name)) = first_duplicate(pieces.iter().map(|piece| piece.name.as_str()))
        {
            let message = format!("expected unique names of pieces, found {name:?} twice");
            return Err(document.error(&format!("color[{}].id", pieces[index].row), message));
        }
        check_max(pieces.len() as u32, MAX_KINDS as u32, "different pieces")?;
        check_max(pieces.iter().map(|piece| piece.count).sum(), MAX_PIECES, "pieces")?;
        bag_groups(document, &pieces)?;
        let bits = self.colours(players).map(|colour| lane_bits(colour.total())).sum();
        check_max(bits, TILE_BITS, "binary digits in the counts of all colours")
    }

    /// Returns the pieces that take part with this number of players, in the order of their names.
    pub(super) fn pieces(&self, players: usize) -> Vec<PieceKind> {
        let mut pieces = Vec::new();
        for (colour, entry) in self.colours(players).enumerate() {
            let row = self.color.iter().position(|other| other.id == entry.id).unwrap_or(0);
            let counts = entry.pieces.iter().map(|count| count.get()).zip(&self.shape);
            for (shape, (count, ShapeEntry { id, .. })) in counts.enumerate() {
                if count > 0 {
                    let name = format!("{}_{}", entry.id.as_str(), id.as_str());
                    let (colour, shape) = (Colour(colour as u8), Shape(shape as u8));
                    pieces.push(PieceKind { name, colour, shape, count, row });
                }
            }
        }
        pieces.sort_by(|one, other| one.name.cmp(&other.name));
        pieces
    }
}

/// Returns the number of bits of a count from 0 to `total`.
pub(super) fn lane_bits(total: u32) -> u32 {
    u32::BITS - total.leading_zeros()
}

/// Returns the word of the bag with the copies of each piece, and their bits in it.
pub(super) fn bag_groups(
    document: &Document,
    pieces: &[PieceKind],
) -> Result<Vec<(usize, u64)>, ConfigError> {
    let mut used = [0; BAG_WORDS];
    let reserve_bits = |piece: &PieceKind| {
        let word = used.iter().position(|used| used + piece.count <= u64::BITS)?;
        let group = u64::MAX >> (u64::BITS - piece.count) << used[word];
        used[word] += piece.count;
        Some((word, group))
    };
    pieces.iter().map(reserve_bits).collect::<Option<_>>().ok_or_else(|| {
        let message = format!(
            "expected pieces that fit into {BAG_WORDS} groups of 64, all copies of a piece in one \
                group"
        );
        document.error("color", message)
    })
}

/// A piece that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PieceKind {
    pub(super) name: String,
    pub(super) colour: Colour,
    pub(super) shape: Shape,
    pub(super) count: u32,
    /// The index of the colour in the data file.
    row: usize,
}

/// The names of shapes, colours and pieces in the notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Names {
    shapes: Vec<String>,
    colours: Vec<String>,
    pieces: Vec<String>,
}

impl Names {
    pub(super) fn new(data: &Data, players: usize) -> Self {
        Self {
            shapes: data.shape.iter().map(|shape| shape.id.as_str().to_owned()).collect(),
            colours: data.colours(players).map(|colour| colour.id.as_str().to_owned()).collect(),
            pieces: data.pieces(players).into_iter().map(|piece| piece.name).collect(),
        }
    }

    pub(super) fn shape(&self, shape: Shape) -> &str {
        &self.shapes[shape.index()]
    }

    pub(super) fn colour(&self, colour: Colour) -> &str {
        &self.colours[usize::from(colour.0)]
    }

    pub(super) fn piece(&self, piece: Piece) -> &str {
        &self.pieces[usize::from(piece.0) - 1]
    }

    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> {
        (0..self.shapes.len() as u8).map(Shape)
    }

    pub(super) fn colours(&self) -> impl ExactSizeIterator<Item = Colour> {
        (0..self.colours.len() as u8).map(Colour)
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> {
        (1..=self.pieces.len() as u8).map(Piece)
    }
}
