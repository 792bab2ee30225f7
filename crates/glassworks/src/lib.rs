//! *River Valley Glassworks*, a game for 2 to 5 players about collecting river glass.
//!
//! In a turn, a seat places pieces of glass onto a river tile and collects those of a neighbouring
//! tile, or draws from the lake. Collected pieces fill the rows and columns of its glassworks. When
//! a seat has enough pieces, the round is finished and one more is played. Section numbers in
//! comments refer to the rules as implemented, `docs/rules/glassworks.md`.
//!
//! | file | content |
//! |---|---|
//! | `rules.rs` | turns, legal actions and their effects |
//! | `scoring.rs` | the score |
//! | `components.rs` | pieces, river tiles and columns, and the limits of the packed position |
//! | `state.rs` | the packed position |
//! | `action.rs` | actions and sets of them |
//! | `notation.rs` | the notation of actions |
//! | `position.rs` | the text of positions, and checks of positions that were read |
//! | `data.rs` | the data file |
//! | `features.rs` | features of positions for heuristics |
//! | `facts.rs` | facts of positions and actions for networks |
//! | `items.rs` | items of the statistics |
//! | `cells.rs` | the cells of the picture that actions concern |
//! | `words.rs`, `effects.rs` | actions and their consequences in words |
//! | `situation.rs` | situations and actions of books of openings |
//! | `scene.rs` | positions for people |

pub mod action;
mod cells;
pub mod components;
pub mod data;
mod facts;
mod features;
mod gains;
mod guide;
mod items;
mod notation;
mod position;
mod rules;
mod scene;
mod scoring;
mod situation;
pub mod state;
mod words;

use std::ops::RangeInclusive;

use action::Action;
use components::{BAG_WORDS, Colour, MAX_COLOURS, MAX_COLUMNS, MAX_KINDS, MAX_ROWS, Piece, Shape};
use data::{ColourEntry, Data, Names};
use facts::Facts;
use items::Items;
use state::State;

use watershed_engine::{
    bits::ones,
    config::{ConfigError, Document},
    game::{PerSeat, Seat},
    games::{GameDefinition, action_texts::ActionTexts},
    rng::Components,
};
#[cfg(not(test))]
use {watershed_cold::game_list::GameEntry, watershed_engine::games::GameFiles};

/// The rules of River Valley Glassworks bound to a data file and a number of players.
#[derive(Clone, Debug)]
pub struct Glassworks {
    players: usize,
    data: Data,
    names: Names,
    items: Items,
    facts: Facts,
    /// The values of each piece; piece 0 is none.
    pieces: [PieceValues; MAX_KINDS + 1],
    /// The piece of each bit of the bag.
    piece_of_bit: [Piece; BAG_WORDS * 64],
    full_bag: [u64; BAG_WORDS],
    /// The lane of each colour; empty for indices without a colour.
    lanes: [Lane; MAX_COLOURS + 1],
    /// The colour that each bit of the pieces on a tile counts.
    colour_of_bit: [Colour; u64::BITS as usize],
    /// The number of stones on the tile of each shape.
    stones: Vec<usize>,
    columns: usize,
    rows: usize,
    row_points: [i32; MAX_COLUMNS + 1],
    column_points: [[i32; MAX_ROWS + 1]; MAX_COLUMNS],
    scored_columns: usize,
    /// The points at the start, by turn position.
    start_points: PerSeat<i32>,
    /// The river tiles and pieces as chance deals them.
    components: [Components; 2],
    action_texts: ActionTexts<Action>,
}

/// A piece, as the rules need it.
#[derive(Clone, Copy, Debug, Default)]
struct PieceValues {
    colour: Colour,
    shape: Shape,
    count: u32,
    /// The word of the bag with the bits of the piece, and these bits.
    word: usize,
    group: u64,
    /// One such piece in the count of the pieces on a tile.
    one_on_tile: u64,
}

/// The bits that count one colour among the pieces on a tile.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    shift: u32,
    mask: u64,
}

/// Returns the entry of the game in the list of a program.
///
/// It is never inlined, so that search and arena are compiled for the game in this crate.
#[inline(never)]
// Unit tests do without the engine for this game, which takes long to compile.
#[cfg(not(test))]
pub fn entry(files: GameFiles) -> GameEntry {
    GameEntry::new::<Glassworks>(files)
}

impl GameDefinition for Glassworks {
    const ID: &'static str = "glassworks";
    const TITLE: &'static str = "River Valley Glassworks";
    const DESCRIPTION: &'static str = "Place and collect pieces of glass along a river, and fill \
        the rows and columns of a glassworks. The highest score wins.";
    const PLAYERS: RangeInclusive<usize> = 2..=5;

    type Data = Data;

    fn from_data(mut data: Data, document: &Document, players: usize) -> Result<Self, ConfigError> {
        // The order of colours in the file has no effect; that of shapes is that of the pieces.
        data.color.sort_by(|one, other| one.id.cmp(&other.id));
        let mut lanes = [Lane::default(); MAX_COLOURS + 1];
        let mut colour_of_bit = [Colour(0); u64::BITS as usize];
        let mut shift = 0;
        for (colour, row) in data.colours(players).enumerate() {
            let bits = data::lane_bits(row.total());
            lanes[colour] = Lane { shift, mask: (((1_u128 << bits) - 1) << shift) as u64 };
            colour_of_bit[shift as usize..(shift + bits) as usize].fill(Colour(colour as u8));
            shift += bits;
        }

        let kinds = data.pieces(players);
        let groups = data::bag_groups(document, &kinds)?;
        let mut pieces = [PieceValues::default(); MAX_KINDS + 1];
        let mut piece_of_bit = [Piece(0); BAG_WORDS * 64];
        let mut full_bag = [0; BAG_WORDS];
        for ((kind, (word, group)), piece) in kinds.iter().zip(groups).zip(1..) {
            let (colour, shape, count) = (kind.colour, kind.shape, kind.count);
            let one_on_tile = 1 << lanes[usize::from(colour.0)].shift;
            pieces[usize::from(piece)] =
                PieceValues { colour, shape, count, word, group, one_on_tile };
            for bit in ones(group) {
                piece_of_bit[word * 64 + bit as usize] = Piece(piece);
            }
            full_bag[word] |= group;
        }

        let values = &data.glassworks;
        let (columns, rows) = (values.columns.get() as usize, values.rows.get() as usize);
        let mut row_points = [0; MAX_COLUMNS + 1];
        for (points, listed) in row_points[..=columns].iter_mut().zip(&values.row_points) {
            *points = listed.get() as i32;
        }
        let mut column_points = [[0; MAX_ROWS + 1]; MAX_COLUMNS];
        for (column, listed) in column_points[..columns].iter_mut().zip(&values.column_points) {
            for (points, listed) in column[..=rows].iter_mut().zip(listed) {
                *points = listed.get() as i32;
            }
        }
        Ok(Self {
            players,
            names: Names::new(&data, players),
            items: Items::new(&data, players),
            facts: Facts::new(&pieces),
            pieces,
            piece_of_bit,
            full_bag,
            lanes,
            colour_of_bit,
            stones: data.shape.iter().map(|shape| shape.stones.get() as usize).collect(),
            columns,
            rows,
            row_points,
            column_points,
            start_points: data.start_points(players),
            components: [
                Components::new("river", data.shape.iter().map(|shape| (shape.id.as_str(), 1))),
                Components::new("glass", kinds.iter().map(|kind| (&kind.name[..], kind.count))),
            ],
            action_texts: ActionTexts::default(),
            scored_columns: (values.scored_columns.get() as usize).min(columns),
            data,
        })
    }
}

impl Glassworks {
    /// Returns the data to which the rules are bound.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Returns all seats, clockwise from 0.
    fn all_seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat::new)
    }

    /// Returns the number of pieces of each colour that takes part.
    fn colour_totals(&self) -> Vec<u32> {
        self.data.colours(self.players).map(ColourEntry::total).collect()
    }

    /// Returns all pieces that take part, each once.
    pub fn all_pieces(&self) -> impl Iterator<Item = Piece> {
        self.names.pieces()
    }

    /// Returns the number of copies of a piece in the bag.
    pub fn in_bag(&self, state: &State, piece: Piece) -> u32 {
        let values = self.piece(piece);
        (state.bag[values.word] & values.group).count_ones()
    }

    /// Returns the colours of the pieces on a tile with their counts.
    pub fn tile_colours(
        &self,
        state: &State,
        shape: Shape,
    ) -> impl Iterator<Item = (Colour, usize)> {
        self.colour_counts(state.tile(shape))
    }

    #[inline]
    fn piece(&self, piece: Piece) -> &PieceValues {
        &self.pieces[usize::from(piece.0) & MAX_KINDS]
    }

    /// Returns the lane of a colour.
    #[inline]
    fn lane(&self, colour: Colour) -> Lane {
        self.lanes[usize::from(colour.0) & MAX_COLOURS]
    }

    /// Returns the number of pieces of a colour among the pieces on a tile.
    #[inline]
    fn count_of_colour(&self, pieces: u64, colour: Colour) -> usize {
        let lane = self.lane(colour);
        ((pieces & lane.mask) >> lane.shift) as usize
    }

    /// Returns the colours of the pieces on a tile with their counts.
    #[inline]
    fn colour_counts(&self, mut pieces: u64) -> impl Iterator<Item = (Colour, usize)> {
        std::iter::from_fn(move || {
            if pieces == 0 {
                return None;
            }
            let colour = self.colour_of_bit[pieces.trailing_zeros() as usize];
            let count = self.count_of_colour(pieces, colour);
            pieces &= !self.lane(colour).mask;
            Some((colour, count))
        })
    }
}
