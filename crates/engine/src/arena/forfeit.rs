//! Games that a bot loses by a failure of its own.

use std::cell::Cell;

use super::play::{Event, Observer};
use crate::game::{Game, Outcome, Seat, highest_scoring_seats};

/// The seats that forfeit a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ForfeitedSeats(u8);

impl ForfeitedSeats {
    /// Adds a seat.
    pub const fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.index();
    }

    /// Returns true if a seat forfeits the game.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    /// Returns the seats in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..u8::BITS as usize).map(Seat::new).filter(move |&seat| self.contains(seat))
    }

    /// Returns the outcome of a game between `seats` seats with these forfeits: those who forfeit
    /// do not win. If nobody else wins by the rules, the others with the highest score win, unless
    /// wins are independent. The scores are those of the final position.
    #[must_use]
    pub fn apply(self, outcome: Outcome, seats: usize) -> Outcome {
        if self.0 == 0 {
            return outcome;
        }
        let mut winners = outcome.winners & !self.0;
        let others = (0..seats).filter(|&seat| !self.contains(Seat::new(seat)));
        let others: Vec<_> = others.collect();
        if winners == 0 && outcome.winners != 0 && !outcome.wins_are_independent {
            let scores = std::array::from_fn(|index| {
                others.get(index).map_or(0, |&seat| outcome.scores[seat])
            });
            let best = highest_scoring_seats(&scores, others.len());
            let is_best = |index: &usize| best >> index & 1 == 1;
            winners =
                (0..others.len()).filter(is_best).fold(0, |set, index| set | 1 << others[index]);
        }
        Outcome { winners, ..outcome }
    }
}

impl FromIterator<Seat> for ForfeitedSeats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut forfeited = Self::default();
        seats.into_iter().for_each(|seat| forfeited.insert(seat));
        forfeited
    }
}

/// An observer that finds the forfeits.
impl<G: Game> Observer<G> for ForfeitedSeats {
    fn on_forfeit(&mut self, seat: Seat) {
        self.insert(seat);
    }
}

/// An observer to which the forfeits of a game are reported before its end.
pub(super) struct WithForfeits<'a, O> {
    pub(super) observer: O,
    pub(super) forfeits: &'a Cell<ForfeitedSeats>,
}

impl<G: Game, O: Observer<G>> Observer<G> for WithForfeits<'_, O> {
    #[inline]
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        self.observer.on_event(game, state, event);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.forfeits.get().iter().for_each(|seat| self.observer.on_forfeit(seat));
        self.observer.on_end(game, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeits_take_wins_from_their_seats_only() {
        let outcome = |scores: [i32; 3], winners| Outcome {
            scores: [scores[0], scores[1], scores[2], 0, 0],
            winners,
            wins_are_independent: false,
            rounds: 9,
            hit_round_limit: false,
        };
        let winners = |outcome: Outcome, forfeits: &[usize]| {
            let seats = forfeits.iter().copied().map(Seat::new);
            let after = seats.collect::<ForfeitedSeats>().apply(outcome, 3);
            assert_eq!(after.scores, outcome.scores);
            after.winners
        };
        assert_eq!(winners(outcome([9, 7, 5], 0b001), &[]), 0b001);
        assert_eq!(winners(outcome([9, 7, 5], 0b001), &[0]), 0b010);
        assert_eq!(winners(outcome([9, 7, 7], 0b001), &[0]), 0b110);
        assert_eq!(winners(outcome([9, 7, 5], 0b001), &[1, 2]), 0b001);
        assert_eq!(winners(outcome([9, 9, 5], 0b011), &[1]), 0b001);
        assert_eq!(winners(outcome([9, -7, -5], 0b001), &[0]), 0b100);
        assert_eq!(winners(outcome([9, 7, 5], 0b001), &[0, 1, 2]), 0);
        let independent = Outcome { wins_are_independent: true, ..outcome([9, 7, 5], 0b001) };
        assert_eq!(winners(independent, &[0]), 0);
        assert_eq!(winners(outcome([9, 7, 5], 0), &[0]), 0);
    }
}
