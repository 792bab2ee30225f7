//! The components of River Valley Glassworks as `configs/glassworks.toml` lists them, and the
//! limits of what the packed position can hold.

use std::ops::RangeInclusive;

use serde::Deserialize;

use super::{
    action::{Color, Piece, Shape},
    state::{
        BAG_WORDS, MAX_COLORS, MAX_COLUMNS, MAX_HELD, MAX_KINDS, MAX_LAKE, MAX_PIECES, MAX_ROWS,
        MAX_SATCHEL, MAX_SHAPES, MAX_STONES, TILE_BITS,
    },
};
use crate::{
    config::{BoundedInteger, ConfigError, Document, Id, first_duplicate},
    games::{GameData, player_range::PlayerRange},
};

/// The only number of pieces the notation of pairs can express.
const PAIR_SIZE: u32 = 2;

/// A whole data file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The game's name.
    pub name: String,
    /// Where the values come from, for every report to carry.
    pub provenance: String,
    /// The numbers of players the file is for.
    pub players: PlayerRange<2, 5>,
    /// A glassworks and its scoring.
    pub glassworks: GlassworksValues,
    /// Numbers of the rules.
    pub play: PlayValues,
    /// The shapes, each with its river tile.
    pub shape: Vec<ShapeEntry>,
    /// The colours.
    #[serde(rename = "color")]
    pub color: Vec<ColorEntry>,
}

/// Points, as data gives them.
pub type Points = BoundedInteger<0, 999>;

/// A glassworks and its scoring; each number is named in the rules' text. Lists of points may be
/// longer than the columns and rows ask for.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct GlassworksValues {
    pub columns: BoundedInteger<1, { MAX_COLUMNS as i64 }>,
    pub rows: BoundedInteger<1, { MAX_ROWS as i64 }>,
    pub row_points: Vec<Points>,
    pub column_points: Vec<Vec<Points>>,
    pub scored_columns: BoundedInteger<0, { MAX_COLUMNS as i64 }>,
    pub overflow_penalty: BoundedInteger<0, 99>,
    pub end_trigger: BoundedInteger<0, 255>,
}

/// Numbers of the rules; each is named in the rules' text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are those of the rules")]
pub struct PlayValues {
    pub satchel_limit: BoundedInteger<0, { MAX_HELD as i64 }>,
    pub satchel_start: BoundedInteger<0, { MAX_HELD as i64 }>,
    pub lake_size: BoundedInteger<0, { MAX_LAKE as i64 }>,
    pub lake_take: BoundedInteger<1, { MAX_LAKE as i64 }>,
    pub pair_size: BoundedInteger<0, 255>,
    pub end_variant: EndVariant,
    pub bga_topup: BoundedInteger<0, { MAX_HELD as i64 }>,
    pub max_rounds: BoundedInteger<1, 255>,
}

/// What happens when the end is triggered (§5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndVariant {
    /// The round is finished and one more is played.
    Rulebook,
    /// In addition satchels are filled up and nobody draws from the lake any more.
    Bga,
}

/// A shape and its river tile.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeEntry {
    /// Its name.
    pub id: Id,
    /// How many stones are printed on its tile.
    pub stones: BoundedInteger<0, { MAX_STONES as i64 }>,
}

/// A colour of glass.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColorEntry {
    /// Its name.
    pub id: Id,
    /// How many pieces of each shape there are.
    pub pieces: Vec<BoundedInteger<0, { MAX_PIECES as i64 }>>,
    /// The fewest players it takes part with.
    #[serde(default)]
    pub min_players: BoundedInteger<0, 99>,
}

impl ColorEntry {
    /// How many pieces of the colour there are, all shapes together.
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
        document.check_count("shape", 2..=MAX_SHAPES, self.shape.len())?;
        document.check_count("color", 1..=MAX_COLORS, self.color.len())?;
        document.check_unique_ids("shape", self.shape.iter().map(|shape| &shape.id))?;
        document.check_unique_ids("color", self.color.iter().map(|colour| &colour.id))?;
        self.check_points(document)?;
        self.check_play(document)?;
        for (index, colour) in self.color.iter().enumerate() {
            if colour.pieces.len() != self.shape.len() {
                let (expected, found) = (self.shape.len(), colour.pieces.len());
                let message =
                    format!("expected {expected} entries, one for each shape, found {found}");
                return Err(document.error(&format!("color[{index}].pieces"), message));
            }
        }
        (self.players.min.get()..=self.players.max.get())
            .rev()
            .try_for_each(|players| self.check_pieces(document, players as usize))
    }
}

impl Data {
    /// The colours that take part with this many players.
    pub fn colors(&self, players: usize) -> impl Iterator<Item = &ColorEntry> {
        self.color.iter().filter(move |colour| colour.min_players.get() as usize <= players)
    }

    fn check_points(&self, document: &Document) -> Result<(), ConfigError> {
        let numbers = &self.glassworks;
        let (columns, rows) = (numbers.columns.get() as usize, numbers.rows.get() as usize);
        let enough = |key: &str, what: &str, least: usize, found: usize| {
            if found >= least {
                Ok(())
            } else {
                Err(document.error(key, format!("expected at least {least} {what}, found {found}")))
            }
        };
        enough(
            "glassworks.row_points",
            "entries, for 0 spaces up to all columns",
            columns + 1,
            numbers.row_points.len(),
        )?;
        enough(
            "glassworks.column_points",
            "lists, one for each column",
            columns,
            numbers.column_points.len(),
        )?;
        for (column, points) in numbers.column_points.iter().take(columns).enumerate() {
            let key = format!("glassworks.column_points[{column}]");
            enough(&key, "entries, for height 0 up to all rows", rows + 1, points.len())?;
        }
        Ok(())
    }

    fn check_play(&self, document: &Document) -> Result<(), ConfigError> {
        let play = &self.play;
        let (size, take) = (play.lake_size.get() as usize, play.lake_take.get() as usize);
        if play.pair_size.get() != PAIR_SIZE {
            let found = play.pair_size.get();
            return Err(document.error(
                "play.pair_size",
                format!("expected {PAIR_SIZE}, as the notation names two pieces, found {found}"),
            ));
        }
        if size > take + 1 {
            let most = take + 1;
            let message = format!(
                "expected at most {most}, one more than `lake_take`, as the notation names one \
                    piece, found {size}"
            );
            return Err(document.error("play.lake_size", message));
        }
        for (key, held) in
            [("satchel_limit", play.satchel_limit), ("satchel_start", play.satchel_start)]
        {
            let most = held.get() as usize + take.min(size);
            if most > MAX_SATCHEL {
                let message = format!(
                    "expected at most {MAX_SATCHEL} pieces together with those drawn from the \
                        lake, found up to {most}"
                );
                return Err(document.error(&format!("play.{key}"), message));
            }
        }
        Ok(())
    }

    fn check_pieces(&self, document: &Document, players: usize) -> Result<(), ConfigError> {
        let pieces = self.pieces(players);
        if let Some((index, name)) = first_duplicate(pieces.iter().map(|piece| piece.name.as_str()))
        {
            let key = format!("color[{}].id", pieces[index].row);
            return Err(document.error(
                &key,
                format!("expected names of pieces that differ, found {name:?} again"),
            ));
        }
        if pieces.len() > MAX_KINDS {
            let found = pieces.len();
            return Err(document.error(
                "color",
                format!("expected at most {MAX_KINDS} different pieces, found {found}"),
            ));
        }
        let total: u32 = pieces.iter().map(|piece| piece.count).sum();
        if total > MAX_PIECES {
            return Err(document.error(
                "color",
                format!("expected at most {MAX_PIECES} pieces in all, found {total}"),
            ));
        }
        bag_groups(document, &pieces)?;
        let bits: u32 = self.colors(players).map(|colour| lane_bits(colour.total())).sum();
        if bits > TILE_BITS {
            let message = format!(
                "expected counts of the colours with at most {TILE_BITS} binary digits together, \
                    found {bits}"
            );
            return Err(document.error("color", message));
        }
        Ok(())
    }

    /// The pieces that take part with this many players, in the order of their names.
    pub(super) fn pieces(&self, players: usize) -> Vec<PieceKind> {
        let mut pieces = Vec::new();
        for (colour, row) in self.colors(players).enumerate() {
            let file_row = self.color.iter().position(|other| other.id == row.id).unwrap_or(0);
            for (shape, count) in row.pieces.iter().enumerate().filter(|(_, count)| count.get() > 0)
            {
                pieces.push(PieceKind {
                    name: format!("{}_{}", row.id.as_str(), self.shape[shape].id.as_str()),
                    color: Color(colour as u8),
                    shape: Shape(shape as u8),
                    count: count.get(),
                    row: file_row,
                });
            }
        }
        pieces.sort_by(|one, other| one.name.cmp(&other.name));
        pieces
    }
}

/// How many bits count up to this many pieces of a colour.
pub(super) fn lane_bits(total: u32) -> u32 {
    u32::BITS - total.leading_zeros()
}

/// For each piece the word of the bag that its copies share, and its bits there.
pub(super) fn bag_groups(
    document: &Document,
    pieces: &[PieceKind],
) -> Result<Vec<(usize, u64)>, ConfigError> {
    let mut used = [0; BAG_WORDS];
    let place = |piece: &PieceKind| {
        let word = used.iter().position(|used| used + piece.count <= u64::BITS)?;
        let group = u64::MAX >> (u64::BITS - piece.count) << used[word];
        used[word] += piece.count;
        Some((word, group))
    };
    pieces.iter().map(place).collect::<Option<_>>().ok_or_else(|| {
        let message = format!(
            "expected pieces that fit into {BAG_WORDS} groups of 64, all copies \
            of a piece in one group"
        );
        document.error("color", message)
    })
}

/// A piece as the data file makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PieceKind {
    pub(super) name: String,
    pub(super) color: Color,
    pub(super) shape: Shape,
    pub(super) count: u32,
    /// The index of the colour in the data file.
    row: usize,
}

/// The names of the components, for notation.
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
            colours: data.colors(players).map(|colour| colour.id.as_str().to_owned()).collect(),
            pieces: data.pieces(players).into_iter().map(|piece| piece.name).collect(),
        }
    }

    pub(super) fn shape(&self, shape: Shape) -> &str {
        &self.shapes[usize::from(shape.0)]
    }

    pub(super) fn color(&self, colour: Color) -> &str {
        &self.colours[usize::from(colour.0)]
    }

    pub(super) fn piece(&self, piece: Piece) -> &str {
        &self.pieces[usize::from(piece.0) - 1]
    }

    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> {
        (0..self.shapes.len() as u8).map(Shape)
    }

    pub(super) fn colors(&self) -> impl Iterator<Item = Color> {
        (0..self.colours.len() as u8).map(Color)
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> {
        (1..=self.pieces.len() as u8).map(Piece)
    }

    pub(super) fn find_shape(&self, name: &str) -> Option<Shape> {
        self.shapes.iter().position(|shape| shape == name).map(|index| Shape(index as u8))
    }

    pub(super) fn find_color(&self, name: &str) -> Option<Color> {
        self.colours.iter().position(|colour| colour == name).map(|index| Color(index as u8))
    }

    pub(super) fn find_piece(&self, name: &str) -> Option<Piece> {
        self.pieces.iter().position(|piece| piece == name).map(|index| Piece(index as u8 + 1))
    }
}
