//! Who sits where: a block is one deal, played once for each rotation of the bots over the seats.

use std::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::game::Seat;

/// The rotations of a list of bots over the seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotations {
    seats: usize,
    /// After how many steps the list of bots looks the same again.
    period: usize,
}

impl Rotations {
    /// The rotations of these bots, one per seat, equal ones given as equal. Rotations that would
    /// repeat a game are left out: a table of equal bots has one.
    pub fn new<B: PartialEq>(bots: &[B]) -> Self {
        let seats = bots.len();
        let same_after =
            |steps: usize| (0..seats).all(|seat| bots[seat] == bots[(seat + steps) % seats]);
        let period = (1..=seats)
            .find(|&steps| seats.is_multiple_of(steps) && same_after(steps))
            .unwrap_or(seats);
        Self { seats, period }
    }

    /// Games per block.
    pub fn games_per_block(&self) -> u64 {
        self.period as u64
    }

    /// Which bot of the list sits in a seat in one of the block's games.
    pub fn bot_in(&self, seat: Seat, game: u64) -> usize {
        (seat.index() + game as usize) % self.seats
    }

    /// The blocks needed for at least this many games.
    pub fn blocks_for_games(&self, games: u64) -> u64 {
        games.div_ceil(self.games_per_block())
    }
}

/// The different ones of some bots, each as the index of the first, and for each bot its place
/// among them.
pub fn distinct<B: PartialEq>(bots: &[B]) -> (Vec<usize>, Vec<usize>) {
    let first_of = |bot: &B| bots.iter().position(|other| other == bot).unwrap_or(0);
    let firsts: Vec<usize> =
        (0..bots.len()).filter(|&seat| first_of(&bots[seat]) == seat).collect();
    let places = bots
        .iter()
        .map(|bot| firsts.iter().position(|&first| first == first_of(bot)).unwrap_or(0))
        .collect();
    (firsts, places)
}

/// One of several parts of a run that are played apart and merged later: consecutive blocks, in all
/// parts equally many or one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Which part, from 1 to `of`.
    pub index: u64,
    /// How many parts there are.
    pub count: u64,
}

impl Shard {
    /// The blocks of this part of a run with this many.
    pub fn blocks(self, run: u64) -> Range<u64> {
        let end_of =
            |index: u64| (u128::from(run) * u128::from(index) / u128::from(self.count)) as u64;
        end_of(self.index - 1)..end_of(self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Self { index, count: of }),
            _ => Err(format!("expected i/n with i from 1 to n, as in 3/24, found {text:?}")),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_game_per_distinct_rotation() {
        assert_eq!(Rotations::new(&["a", "b", "c"]).games_per_block(), 3);
        assert_eq!(Rotations::new(&["a", "a", "b"]).games_per_block(), 3);
        assert_eq!(Rotations::new(&["a", "b", "a", "b"]).games_per_block(), 2);
        assert_eq!(Rotations::new(&["a", "a"]).games_per_block(), 1);
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
        assert_eq!(Rotations::new(&["a", "b", "c"]).blocks_for_games(10), 4);
        assert_eq!(Rotations::new(&["a", "b"]).blocks_for_games(10), 5);
    }

    #[test]
    fn shards_share_the_blocks_out_evenly_and_leave_none() {
        for run in [6, 7, 1000, u64::MAX] {
            for of in [1, 2, 3, 6] {
                let parts: Vec<_> =
                    (1..=of).map(|index| Shard { index, count: of }.blocks(run)).collect();
                assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, run));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths: Vec<_> =
                    parts.iter().map(|blocks| blocks.end - blocks.start).collect();
                assert!(
                    lengths.iter().all(|&length| length == run / of || length == run / of + 1),
                    "{lengths:?}"
                );
            }
        }
    }

    #[test]
    fn shards_are_read_as_they_are_written() {
        assert_eq!("3/24".parse(), Ok(Shard { index: 3, count: 24 }));
        assert_eq!(Shard { index: 3, count: 24 }.to_string(), "3/24");
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/3"] {
            assert!(
                wrong.parse::<Shard>().is_err_and(|error| error.contains("from 1 to n")),
                "{wrong}"
            );
        }
    }
}
