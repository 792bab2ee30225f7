//! Who sits where: a block is one deal, played once for each rotation of the bots over the seats.

use crate::game::Seat;

/// The rotations of a list of bots over the seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotations {
    seats: usize,
    /// After how many steps the list of bots looks the same again.
    period: usize,
}

impl Rotations {
    /// The rotations of these bots, one per seat, equal ones given as equal. Rotations that would repeat a game are left out: a table of equal
    /// bots has one.
    pub fn new<B: PartialEq>(bots: &[B]) -> Self {
        let seats = bots.len();
        let same_after = |steps: usize| (0..seats).all(|seat| bots[seat] == bots[(seat + steps) % seats]);
        let period = (1..=seats).find(|&steps| seats.is_multiple_of(steps) && same_after(steps)).unwrap_or(seats);
        Self { seats, period }
    }

    /// Games per block.
    pub fn len(&self) -> u64 {
        self.period as u64
    }

    /// Whether a block has no game, which it never has.
    pub fn is_empty(&self) -> bool {
        self.period == 0
    }

    /// Which bot of the list sits in a seat in one of the block's games.
    pub fn bot_in(&self, seat: Seat, game: u64) -> usize {
        (seat.index() + game as usize) % self.seats
    }

    /// The blocks needed for at least this many games.
    pub fn blocks_for(&self, games: u64) -> u64 {
        games.div_ceil(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_game_per_distinct_rotation() {
        assert_eq!(Rotations::new(&["a", "b", "c"]).len(), 3);
        assert_eq!(Rotations::new(&["a", "a", "b"]).len(), 3);
        assert_eq!(Rotations::new(&["a", "b", "a", "b"]).len(), 2);
        assert_eq!(Rotations::new(&["a", "a"]).len(), 1);
    }

    #[test]
    fn every_bot_sits_once_in_every_seat() {
        let rotations = Rotations::new(&["a", "b", "c", "d"]);
        for seat in (0..4).map(Seat::new) {
            let mut bots: Vec<_> = (0..4).map(|game| rotations.bot_in(seat, game)).collect();
            bots.sort_unstable();
            assert_eq!(bots, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn games_are_rounded_up_to_whole_blocks() {
        assert_eq!(Rotations::new(&["a", "b", "c"]).blocks_for(10), 4);
        assert_eq!(Rotations::new(&["a", "b"]).blocks_for(10), 5);
    }
}
