//! Rotations of the bots over the seats, and the blocks of a shard. A block is one deal, played
//! once for each distinct rotation.

use std::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::game::Seat;

/// The distinct rotations of a lineup over the seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotations {
    seats: usize,
    /// The smallest number of steps after which the lineup is the same again.
    period: usize,
}

impl Rotations {
    /// Creates the rotations of these bots, one per seat. Rotations that would repeat a game are
    /// omitted: a lineup of equal bots has one.
    pub fn new<B: PartialEq>(lineup: &[B]) -> Self {
        let seats = lineup.len();
        let is_same_after =
            |&steps: &usize| (0..seats).all(|seat| lineup[seat] == lineup[(seat + steps) % seats]);
        Self { seats, period: (1..=seats).find(is_same_after).unwrap_or(seats) }
    }

    /// Returns the number of games in a block.
    pub fn games_per_block(&self) -> u64 {
        self.period as u64
    }

    /// Returns the index in the lineup of the bot that has a seat in one of the block's games.
    pub fn bot_in(&self, seat: Seat, rotation: u64) -> usize {
        (seat.index() + rotation as usize) % self.seats
    }

    /// Returns the number of blocks that have at least this many games.
    pub fn blocks_for_games(&self, games: u64) -> u64 {
        games.div_ceil(self.games_per_block())
    }
}

/// Returns the index of the first occurrence of each distinct bot, and for each bot its index among
/// the distinct ones.
pub fn distinct<B: PartialEq>(bots: &[B]) -> (Vec<usize>, Vec<usize>) {
    let mut firsts: Vec<usize> = Vec::new();
    let index_of = |(seat, bot): (usize, &B)| {
        firsts.iter().position(|&first| bots[first] == *bot).unwrap_or_else(|| {
            firsts.push(seat);
            firsts.len() - 1
        })
    };
    let indices = bots.iter().enumerate().map(index_of).collect();
    (firsts, indices)
}

/// A part of a run that is played separately and merged later. Shards have contiguous blocks, and
/// their numbers of blocks differ by at most 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Number of the shard, from 1 to `count`.
    pub index: u64,
    /// Number of shards.
    pub count: u64,
}

impl Shard {
    /// Returns the blocks of this shard in a run with this many blocks.
    pub fn blocks(self, total: u64) -> Range<u64> {
        let end_of =
            |index: u64| (u128::from(total) * u128::from(index) / u128::from(self.count)) as u64;
        end_of(self.index - 1)..end_of(self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)))
            .filter(|(index, count)| (1..=*count).contains(index))
            .map(|(index, count)| Self { index, count })
            .ok_or_else(|| format!("expected i/n with i from 1 to n, as in 3/24, found {text:?}"))
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
        for (lineup, games) in [("abc", 3), ("aab", 3), ("abab", 2), ("aa", 1), ("aba", 3)] {
            assert_eq!(Rotations::new(lineup.as_bytes()).games_per_block(), games, "{lineup}");
        }
    }

    #[test]
    fn every_bot_has_every_seat_once() {
        let rotations = Rotations::new(&["a", "b", "c", "d"]);
        for seat in (0..4).map(Seat::new) {
            let mut bots: Vec<_> = (0..4).map(|game| rotations.bot_in(seat, game)).collect();
            bots.sort_unstable();
            assert_eq!(bots, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn number_of_games_is_rounded_up_to_whole_blocks() {
        assert_eq!(
            [b"abc".as_slice(), b"ab"].map(|bots| Rotations::new(bots).blocks_for_games(10)),
            [4, 5]
        );
    }

    #[test]
    fn shards_partition_the_blocks_evenly() {
        for total in [6, 7, 1000, u64::MAX] {
            for count in [1, 2, 3, 6] {
                let shards: Vec<_> =
                    (1..=count).map(|index| Shard { index, count }.blocks(total)).collect();
                assert_eq!((shards[0].start, shards[shards.len() - 1].end), (0, total));
                assert!(shards.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths: Vec<_> =
                    shards.iter().map(|blocks| blocks.end - blocks.start).collect();
                assert!(lengths.iter().all(|length| length - total / count < 2), "{lengths:?}");
            }
        }
    }

    #[test]
    fn shard_round_trips_through_text() {
        assert_eq!("3/24".parse(), Ok(Shard { index: 3, count: 24 }));
        assert_eq!(Shard { index: 3, count: 24 }.to_string(), "3/24");
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/3"] {
            let error = wrong.parse::<Shard>().expect_err(wrong);
            assert!(error.contains("from 1 to n"), "{wrong}");
        }
    }
}
