//! Values that several facts of a position depend on.

use super::{
    super::{
        Glassworks,
        components::{MAX_COLOURS, MAX_SHAPES, Pieces, Shape},
        state::{EndStage, Phase, State},
    },
    Facts, Groups,
    groups::SHARE_UNITS,
};
use watershed_engine::{bits::ones, game::Seat};

/// A position, and what is the same for the facts of all seats.
pub(super) struct Context<'a> {
    pub(super) game: &'a Glassworks,
    pub(super) state: &'a State,
    pub(super) groups: &'a Groups,
    /// The end stage, after the current turn if that triggers the end.
    pub(super) stage: EndStage,
    /// True if the seat that decides can still collect in this turn.
    is_collecting: bool,
    pub(super) progress: usize,
    /// The place in the river of each tile.
    pub(super) places: [u8; MAX_SHAPES + 1],
}

impl<'a> Context<'a> {
    #[inline]
    pub(super) fn new(game: &'a Glassworks, state: &'a State) -> Self {
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
        let (groups, _) = game.groups_and_table();
        Self { game, state, groups, stage, is_collecting, progress, places }
    }

    /// Returns true if this seat can still collect in the current turn.
    #[inline]
    pub(super) fn is_collecting(&self, seat: Seat) -> bool {
        self.is_collecting && self.state.decider == seat
    }

    /// Returns the number of turns in which a seat can still collect, 3 before the trigger.
    #[inline]
    pub(super) fn turns(&self, seat: Seat) -> usize {
        let State { first_player, decider, .. } = *self.state;
        let in_this_round = self.steps(first_player, seat) > self.steps(first_player, decider)
            || self.is_collecting(seat);
        match self.stage {
            EndStage::NotTriggered => 3,
            EndStage::Triggered => 1 + usize::from(in_this_round),
            EndStage::ExtraRound => usize::from(in_this_round),
        }
    }

    /// Returns the places of the tiles that a seat with these shapes can collect after placing one
    /// piece, and of those after a pair; in the middle of a turn, of those that it can collect now.
    #[inline]
    pub(super) fn reach(&self, seat: Seat, shapes: Shapes) -> [u32; 2] {
        let state = self.state;
        let all = (1 << state.river.len()) - 1;
        let cursor = 1 << state.cursor;
        let pairs = if shapes.paired() == 0 { 0 } else { all };
        match (state.phase, self.is_collecting(seat)) {
            (Phase::Collect, true) => [(cursor << 1 | cursor >> 1) & all, 0],
            (Phase::Columns, true) => [cursor, 0],
            // The tile that is being collected will be empty.
            (Phase::Columns, false) => {
                [shapes.reach(&self.places) & all & !cursor, pairs & !cursor]
            }
            _ => [shapes.reach(&self.places) & all, pairs],
        }
    }

    /// Returns the number of turns of other seats before the next one of a seat.
    #[inline]
    pub(super) fn wait(&self, seat: Seat) -> usize {
        let steps = self.steps(self.state.decider, seat);
        match (steps, self.is_collecting) {
            (0, true) => 0,
            (0, false) => self.game.players - 1,
            (_, true) => steps,
            (_, false) => steps - 1,
        }
    }

    /// Returns the number of steps clockwise from one seat to another.
    #[inline]
    pub(super) fn steps(&self, from: Seat, to: Seat) -> usize {
        let players = self.game.players;
        let steps = to.index() + players - from.index();
        if steps >= players { steps - players } else { steps }
    }
}

/// The shapes in a satchel.
#[derive(Clone, Copy, Default)]
pub(super) struct Shapes {
    /// The number of pieces of each shape in 4 bits.
    pub(super) counts: u32,
}

impl Shapes {
    #[inline]
    pub(super) fn new(game: &Glassworks, pieces: Pieces) -> Self {
        let mut shapes = Self::default();
        pieces.iter().for_each(|piece| shapes.insert(game.piece(piece).shape));
        shapes
    }

    #[inline]
    pub(super) const fn insert(&mut self, shape: Shape) {
        self.counts += 1 << (4 * shape.0);
    }

    #[inline]
    pub(super) const fn count(self, shape: Shape) -> usize {
        (self.counts >> (4 * shape.0) & 15) as usize
    }

    /// Returns the lowest bit of the 4 bits of each shape with at least one piece.
    #[inline]
    pub(super) const fn present(self) -> u32 {
        let any = self.counts | self.counts >> 2;
        (any | any >> 1) & 0x1111_1111
    }

    /// Returns the lowest bit of the 4 bits of each shape with at least two pieces.
    #[inline]
    pub(super) const fn paired(self) -> u32 {
        let two = self.counts >> 1;
        (two | two >> 1 | two >> 2) & 0x1111_1111
    }

    /// Returns the places of the tiles next to the tile of a shape that is present.
    #[inline]
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "an array in a larger value")]
    pub(super) fn reach(self, places: &[u8; MAX_SHAPES + 1]) -> u32 {
        let present = ones(self.present().into())
            .fold(0, |mask, bit| mask | 1 << places[(bit as usize / 4) & MAX_SHAPES]);
        (present << 1) | (present >> 1)
    }
}

impl Facts {
    /// Returns the number of pieces of each colour in the bag.
    #[inline]
    pub(super) fn count_bag(&self, state: &State) -> Bag {
        let mut bag = Bag::default();
        for (count, masks) in bag.counts.iter_mut().zip(&self.bag_masks[..self.colours]) {
            let words = state.bag.iter().zip(masks);
            *count = words.map(|(word, mask)| (word & mask).count_ones()).sum();
            bag.total += *count;
        }
        bag.share = (SHARE_UNITS << 16) / bag.total.max(1);
        bag
    }
}

/// The numbers of pieces in the bag.
#[derive(Default)]
pub(super) struct Bag {
    pub(super) counts: [u32; MAX_COLOURS + 1],
    pub(super) total: u32,
    /// The share of one piece in units of [`SHARE_UNITS`], times 2^16.
    pub(super) share: u32,
}

impl Bag {
    /// Returns the share of a number of pieces in units of [`SHARE_UNITS`], rounded.
    #[inline]
    pub(super) const fn share_of(&self, count: u32) -> i32 {
        ((count * self.share + (1 << 15)) >> 16) as i32
    }
}
