//! *River Valley Glassworks*, for 2 to 5 players: place glass onto river tiles, collect from the
//! tile next to it, fill rows and columns.
//!
//! A turn is a placement followed by a collect, or a draw from the lake. When a seat has enough
//! pieces, the round is finished and one more is played. Section numbers in comments are those of
//! the rules this program follows: §1 position, §2 setup, §3 turn, §4 adding to the glassworks, §5
//! end, §6 scoring.
//!
//! | file | what it holds |
//! |---|---|
//! | `rules.rs` | the moves: whose turn, what is legal, what an action does |
//! | `scoring.rs` | the final score |
//! | `state.rs` | the packed position |
//! | `action.rs` | actions, sets of them, and their notation |
//! | `position.rs` | the notation of whole positions |
//! | `data.rs` | the components as the data file lists them |
//! | `features.rs` | what a heuristic can see |
//! | `items.rs` | what statistics count |

pub mod action;
pub mod data;
mod features;
mod items;
mod notation;
mod position;
mod rules;
mod scoring;
pub mod state;

use std::ops::RangeInclusive;

use action::{Color, Piece, Shape};
use data::{Data, EndVariant, Names};
use items::Items;
use state::{BAG_WORDS, MAX_COLORS, MAX_COLUMNS, MAX_KINDS, MAX_ROWS, State};

use crate::{
    config::{ConfigError, Document},
    game::Seat,
    games::GameDefinition,
};

/// The rules of River Valley Glassworks bound to a data file and a number of players.
#[derive(Clone, Debug)]
pub struct Glassworks {
    players: usize,
    data: Data,
    names: Names,
    items: Items,
    /// By piece; piece 0 is none.
    pieces: [PieceRules; MAX_KINDS + 1],
    kinds: usize,
    /// For each bit of the bag, the piece it stands for.
    piece_of_bit: [Piece; BAG_WORDS * 64],
    full_bag: [u64; BAG_WORDS],
    /// By colour; entries without a colour have no bits.
    lanes: [Lane; MAX_COLORS + 1],
    /// For each bit of the pieces on a tile, the colour that it counts.
    colour_of_bit: [Color; u64::BITS as usize],
    /// By shape.
    shapes: Vec<ShapeRules>,
    columns: usize,
    rows: usize,
    row_points: [i32; MAX_COLUMNS + 1],
    column_points: [[i32; MAX_ROWS + 1]; MAX_COLUMNS],
    scored_columns: usize,
    end_trigger: u32,
    satchel_limit: usize,
    satchel_start: usize,
    lake_size: usize,
    lake_take: usize,
    end_variant: EndVariant,
    bga_topup: usize,
    max_rounds: u32,
}

/// What the rules need of a piece.
#[derive(Clone, Copy, Debug)]
struct PieceRules {
    colour: Color,
    shape: Shape,
    count: u32,
    /// The word of the bag with the piece's bits.
    word: usize,
    group: u64,
    /// What it adds to the pieces on a tile.
    one_on_tile: u64,
}

/// Where the pieces on a tile are counted for one colour.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    shift: u32,
    mask: u64,
}

/// What the rules need of a shape.
#[derive(Clone, Copy, Debug)]
struct ShapeRules {
    stones: usize,
}

impl GameDefinition for Glassworks {
    const ID: &'static str = "glassworks";
    const TITLE: &'static str = "River Valley Glassworks";
    const PLAYERS: RangeInclusive<usize> = 2..=5;
    const DATA: &'static str = include_str!("../../configs/glassworks.toml");
    const PROFILES: &'static [(&'static str, &'static str)] = profiles!("glassworks":
        "balanced", "rows", "columns", "sprint", "learned2", "learned3", "learned4", "learned5"
    );
    const BOT_DEFAULTS: &'static str = include_str!("../../bots/glassworks/defaults.toml");

    type Data = Data;

    fn from_data(data: Data, document: &Document, players: usize) -> Result<Self, ConfigError> {
        let mut lanes = [Lane::default(); MAX_COLORS + 1];
        let mut colour_of_bit = [Color(0); u64::BITS as usize];
        let mut shift = 0;
        for (colour, row) in data.colors(players).enumerate() {
            let bits = data::lane_bits(row.total());
            lanes[colour] = Lane { shift, mask: (((1_u128 << bits) - 1) << shift) as u64 };
            colour_of_bit[shift as usize..(shift + bits) as usize].fill(Color(colour as u8));
            shift += bits;
        }

        let kinds = data.pieces(players);
        let groups = data::bag_groups(document, &kinds)?;
        let mut pieces = [PieceRules {
            colour: Color(0),
            shape: Shape(0),
            count: 0,
            word: 0,
            group: 0,
            one_on_tile: 0,
        }; MAX_KINDS + 1];
        let mut piece_of_bit = [Piece(0); BAG_WORDS * 64];
        let mut full_bag = [0; BAG_WORDS];
        for (index, (kind, (word, group))) in kinds.iter().zip(groups).enumerate() {
            let one_on_tile = 1 << lanes[usize::from(kind.color.0)].shift;
            pieces[index + 1] = PieceRules {
                colour: kind.color,
                shape: kind.shape,
                count: kind.count,
                word,
                group,
                one_on_tile,
            };
            for bit in crate::bits::ones(group) {
                piece_of_bit[word * 64 + bit as usize] = Piece(index as u8 + 1);
            }
            full_bag[word] |= group;
        }

        let (glassworks, play) = (&data.glassworks, &data.play);
        let (columns, rows) = (glassworks.columns.get() as usize, glassworks.rows.get() as usize);
        let mut row_points = [0; MAX_COLUMNS + 1];
        for (points, listed) in row_points[..=columns].iter_mut().zip(&glassworks.row_points) {
            *points = listed.get() as i32;
        }
        let mut column_points = [[0; MAX_ROWS + 1]; MAX_COLUMNS];
        for (column, listed) in column_points[..columns].iter_mut().zip(&glassworks.column_points) {
            for (points, listed) in column[..=rows].iter_mut().zip(listed) {
                *points = listed.get() as i32;
            }
        }
        Ok(Self {
            players,
            names: Names::new(&data, players),
            items: Items::new(&data, players),
            pieces,
            kinds: kinds.len(),
            piece_of_bit,
            full_bag,
            lanes,
            colour_of_bit,
            shapes: data
                .shape
                .iter()
                .map(|shape| ShapeRules { stones: shape.stones.get() as usize })
                .collect(),
            columns,
            rows,
            row_points,
            column_points,
            scored_columns: (glassworks.scored_columns.get() as usize).min(columns),
            end_trigger: glassworks.end_trigger.get(),
            satchel_limit: play.satchel_limit.get() as usize,
            satchel_start: play.satchel_start.get() as usize,
            lake_size: play.lake_size.get() as usize,
            lake_take: play.lake_take.get() as usize,
            end_variant: play.end_variant,
            bga_topup: play.bga_topup.get() as usize,
            max_rounds: play.max_rounds.get(),
            data,
        })
    }
}

impl Glassworks {
    /// The data the rules are bound to.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// All seats, clockwise from 0.
    fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat::new)
    }

    /// All pieces that take part, each once.
    pub fn all_pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        (1..=self.kinds).map(|piece| Piece(piece as u8))
    }

    /// How many copies of a piece are in the bag.
    pub fn in_bag(&self, state: &State, piece: Piece) -> u32 {
        let rules = self.piece_rules(piece);
        (state.bag[rules.word] & rules.group).count_ones()
    }

    /// The colours of the pieces on a tile and how many there are of each.
    pub fn tile_colors(&self, state: &State, shape: Shape) -> impl Iterator<Item = (Color, usize)> {
        self.color_counts(state.tile(shape))
    }

    /// The colours that take part, each once.
    fn all_colors(&self) -> impl Iterator<Item = Color> + use<> {
        (0..self.data.colors(self.players).count()).map(|colour| Color(colour as u8))
    }

    #[inline]
    fn piece_rules(&self, piece: Piece) -> &PieceRules {
        &self.pieces[usize::from(piece.0) & MAX_KINDS]
    }

    #[inline]
    fn stones(&self, shape: Shape) -> usize {
        self.shapes[usize::from(shape.0)].stones
    }

    /// The bits that count a colour among the pieces on a tile.
    #[inline]
    fn lane(&self, colour: Color) -> u64 {
        self.lanes[usize::from(colour.0) & MAX_COLORS].mask
    }

    /// How many of the pieces on a tile have this colour.
    #[inline]
    fn count_of_color(&self, pieces: u64, colour: Color) -> usize {
        let lane = self.lanes[usize::from(colour.0) & MAX_COLORS];
        ((pieces & lane.mask) >> lane.shift) as usize
    }

    /// The colours of pieces counted as on a tile, and how many there are of each.
    #[inline]
    fn color_counts(&self, mut pieces: u64) -> impl Iterator<Item = (Color, usize)> {
        std::iter::from_fn(move || {
            if pieces == 0 {
                return None;
            }
            let colour = self.colour_of_bit[pieces.trailing_zeros() as usize];
            let count = self.count_of_color(pieces, colour);
            pieces &= !self.lane(colour);
            Some((colour, count))
        })
    }

    /// The colours of pieces counted as on a tile, bit c for colour c.
    #[inline]
    fn color_set(&self, pieces: u64) -> u16 {
        self.color_counts(pieces).fold(0, |colours, (colour, _)| colours | 1 << colour.0)
    }
}
